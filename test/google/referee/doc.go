// Package referee reads Google's request reference strictly. It takes an answer of
// documents.get or presentations.get, and carries out a batchUpdate as it goes over the
// wire. It refuses what Google refuses, or may refuse.
//
// The rules are those of
// https://developers.google.com/workspace/docs/api/reference/rest/v1/documents/request,
// https://developers.google.com/workspace/slides/api/reference/rest/v1/presentations/request
// and of answers that the real interfaces gave. Where neither says what happens,
// an Interpretation decides. A plan must have the same result in each of them.
//
// It knows JSON and the standard library. It shares no code with what it judges:
// nothing of the planner, the client or our own drive may be used here.
package referee

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
)

// An Interpretation is one answer to each question that the reference leaves open.
type Interpretation struct {
	// RowsCopyMerges has a new row of a document's table merge its cells like the
	// row of the reference cell.
	RowsCopyMerges bool
	// RowsCopyLists has the paragraphs of a new row of a document's table belong to
	// the lists of those in the row of the reference cell.
	RowsCopyLists bool
	// JoinsKeepFirst has paragraphs that a deletion joins keep the first one's
	// style; otherwise they have the last one's.
	JoinsKeepFirst bool
	// NamesResetText has a paragraph that gets another named style lose the styles
	// of its text.
	NamesResetText bool
	// ReplacesReachContents has replaceAllText reach tables of contents.
	ReplacesReachContents bool
}

// Interpretations returns the two extremes, and the one between them that loses most
// where paragraphs are joined.
func Interpretations() []Interpretation {
	return []Interpretation{
		{},
		{NamesResetText: true},
		{RowsCopyMerges: true, RowsCopyLists: true, JoinsKeepFirst: true, NamesResetText: true, ReplacesReachContents: true},
	}
}

// A Refusal is how a batch fails: with a status, and the message that begins like
// Google's with the request's place and kind.
type Refusal struct {
	Status  int
	Message string
}

func (r *Refusal) Error() string { return r.Message }

// refuse panics with a refusal of the request at hand; apply turns it into an error.
func refuse(format string, args ...any) {
	panic(&Refusal{Status: 400, Message: fmt.Sprintf(format, args...)})
}

// object is a JSON object. Objects are never changed in place once read, for
// units share them: with and without make others.
type object = map[string]any

// with returns a copy with one more value.
func with(o object, key string, value any) object {
	out := maps.Clone(o)
	if out == nil {
		out = object{}
	}
	out[key] = value
	return out
}

// without returns a copy that lacks some keys.
func without(o object, keys ...string) object {
	out := maps.Clone(o)
	for _, k := range keys {
		delete(out, k)
	}
	return out
}

// child is the object under a key, nil where there is none.
func child(o object, keys ...string) object {
	for _, k := range keys {
		o, _ = o[k].(object)
	}
	return o
}

func list(o object, key string) []any {
	all, _ := o[key].([]any)
	return all
}

// canonical is a value as JSON with sorted keys.
func canonical(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was read from JSON
	}
	return string(out)
}

func decode(data []byte) (object, error) {
	var out object
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&out); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	return out, nil
}
