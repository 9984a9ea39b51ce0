package edit

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/platenhq/platen/internal/office/opc"
)

// maxRequests bounds one batch; Google's own limit is not published.
const maxRequests = 10_000

// RequestFault makes the *RequestError of one request of a batch: it puts the
// request's place and kind in front of what is wrong with it.
type RequestFault func(format string, args ...any) error

// ApplyBatch carries out the requests of a batchUpdate in their order and
// returns one response for each; the first error ends it. Each request is a
// struct of pointers; exactly one must be set, its kind.
func ApplyBatch[Q, R any](requests []*Q, apply func(*Q, RequestFault) (*R, error)) ([]*R, error) {
	if len(requests) > maxRequests {
		return nil, &opc.RequestError{Message: fmt.Sprintf("Too many requests: %d, at most %d in one batch.", len(requests), maxRequests)}
	}
	responses := make([]*R, 0, len(requests))
	for i, request := range requests {
		place := func() string { return fmt.Sprintf("Invalid requests[%d]", i) }
		kinds := requestKinds(request)
		switch {
		case len(kinds) == 0:
			return nil, &opc.RequestError{Message: place() + ": No request set."}
		case len(kinds) > 1:
			return nil, &opc.RequestError{Message: place() + ": Only one kind of request may be set, found " + strings.Join(kinds, ", ") + "."}
		}
		response, err := apply(request, func(format string, args ...any) error {
			return &opc.RequestError{Message: place() + "." + kinds[0] + ": " + fmt.Sprintf(format, args...)}
		})
		if err != nil {
			return nil, err
		}
		responses = append(responses, response)
	}
	return responses, nil
}

// requestKinds returns the JSON names of the pointers that a request sets.
func requestKinds[Q any](request *Q) []string {
	if request == nil {
		return nil
	}
	v := reflect.ValueOf(request).Elem()
	var kinds []string
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			kinds = append(kinds, name)
		}
	}
	return kinds
}

// InsertableText strips what Google strips from inserted text: U+0000 to
// U+0008, U+000C to U+001F and the private use area U+E000 to U+F8FF.
func InsertableText(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r <= 8, 0x0C <= r && r <= 0x1F, 0xE000 <= r && r <= 0xF8FF:
			return -1
		}
		return r
	}, text)
}

// Units counts the UTF-16 code units of a text, in which Google's indexes
// count.
func Units(text string) int64 {
	n := int64(0)
	for _, r := range text {
		n += int64(utf16.RuneLen(r))
	}
	return n
}

// ByteOffset turns a number of UTF-16 code units into bytes of text, at most
// all of it. Inside a character of two units it goes on to the character's end
// and returns false.
func ByteOffset(text string, at int64) (int, bool) {
	for i, r := range text {
		if at <= 0 {
			return i, true
		}
		if at -= int64(utf16.RuneLen(r)); at <= 0 {
			return i + utf8.RuneLen(r), at == 0
		}
	}
	return len(text), true
}
