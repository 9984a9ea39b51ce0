package google

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strings"

	"google.golang.org/api/googleapi"
)

// Google's client loses whether an answer says false or nothing: a run in a bold
// heading that is not bold, and one that is as the heading. Styles are sent back as
// they were read, so what an answer says is false is kept in ForceSendFields.

type recording struct{}

// record has what is read of an answer kept for explicit.
func record(ctx context.Context, body io.ReadCloser) io.ReadCloser {
	into, ok := ctx.Value(recording{}).(*bytes.Buffer)
	if !ok {
		return body
	}
	into.Reset()
	return struct {
		io.Reader
		io.Closer
	}{io.TeeReader(body, into), body}
}

// explicit makes a call whose answer keeps what it says is false.
func explicit[Answer any](ctx context.Context, call func(context.Context, ...googleapi.CallOption) (*Answer, error)) (*Answer, error) {
	var raw bytes.Buffer
	answer, err := call(context.WithValue(ctx, recording{}, &raw))
	if err != nil || !bytes.Contains(raw.Bytes(), []byte("false")) {
		return answer, err
	}
	var said any
	if err := json.Unmarshal(raw.Bytes(), &said); err != nil {
		return nil, err
	}
	keepFalse(said, reflect.ValueOf(answer), map[reflect.Type]map[string]int{})
	return answer, nil
}

// keepFalse walks an answer beside its JSON. fields are those of each type, by name.
func keepFalse(said any, v reflect.Value, fields map[reflect.Type]map[string]int) {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch said := said.(type) {
	case []any:
		for i := range said {
			if v.Kind() == reflect.Slice && i < v.Len() {
				keepFalse(said[i], v.Index(i), fields)
			}
		}
	case map[string]any:
		switch v.Kind() {
		case reflect.Map:
			for key, inner := range said {
				if old := v.MapIndex(reflect.ValueOf(key)); old.IsValid() {
					changed := reflect.New(old.Type()).Elem()
					changed.Set(old)
					keepFalse(inner, changed, fields)
					v.SetMapIndex(reflect.ValueOf(key), changed)
				}
			}
		case reflect.Struct:
			keepFalseOf(said, v, fields)
		}
	}
}

func keepFalseOf(said map[string]any, v reflect.Value, fields map[reflect.Type]map[string]int) {
	names, ok := fields[v.Type()]
	if !ok {
		names = map[string]int{}
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			names[name] = i
		}
		fields[v.Type()] = names
	}
	var forced []string
	for key, inner := range said {
		i, ok := names[key]
		switch {
		case !ok:
		case inner == false && v.Field(i).Kind() == reflect.Bool:
			forced = append(forced, v.Type().Field(i).Name)
		default:
			keepFalse(inner, v.Field(i), fields)
		}
	}
	if force := v.FieldByName("ForceSendFields"); len(forced) > 0 && force.IsValid() {
		slices.Sort(forced)
		force.Set(reflect.ValueOf(forced))
	}
}
