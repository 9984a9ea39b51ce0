package api

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// A findingJSON is what is odd about source data that was accepted all the
// same, for senders of webhooks cannot repair a body; or about an output.
type findingJSON struct {
	Code    string `json:"code"`
	Pointer string `json:"pointer"` // JSON pointer into what was sent
	Message string `json:"message"`
	// OutputID is set where it is about an output; the pointer is empty then.
	OutputID string `json:"outputId,omitempty"`
}

// readSourceData makes what a sender POSTed fit to stand in an answer, and
// tells what is odd about it. Of keys that are there twice the last one counts
// for documents, so it is the one that is shown; numbers stay as they were
// written, and broken characters become U+FFFD. It is read for every answer
// and stored nowhere: what was sent is kept as it was.
func readSourceData(body []byte) (json.RawMessage, []findingJSON, error) {
	r := sourceReader{findings: []findingJSON{}, in: jsontext.NewDecoder(bytes.NewBuffer(bytes.TrimPrefix(body, []byte("\ufeff"))),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	data, err := r.value()
	if err != nil {
		return nil, nil, fmt.Errorf("read source data: %w", err)
	}
	return data, r.findings, nil
}

type sourceReader struct {
	in       *jsontext.Decoder
	findings []findingJSON
}

// value reads one value and returns it written anew.
func (r *sourceReader) value() ([]byte, error) {
	switch r.in.PeekKind() {
	case '{':
		return r.object()
	case '[':
		return r.list()
	}
	token, err := r.in.ReadToken()
	if err != nil {
		return nil, err
	}
	if token.Kind() == '"' {
		// Appending fails for broken characters only after it has replaced them.
		quoted, _ := jsontext.AppendQuote(nil, token.String())
		return quoted, nil
	}
	return []byte(token.String()), nil
}

func (r *sourceReader) object() ([]byte, error) {
	if _, err := r.in.ReadToken(); err != nil {
		return nil, err
	}
	places := map[string]int{}
	var names []string
	var values [][]byte
	for r.in.PeekKind() != '}' {
		token, err := r.in.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String()
		place, twice := places[name]
		if !twice {
			place = len(names)
			places[name] = place
			names, values = append(names, name), append(values, nil)
		} else {
			r.found("duplicate_key", "is there more than once: the last one counts")
		}
		if values[place], err = r.value(); err != nil {
			return nil, err
		}
	}
	out := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, name)
		out = append(append(out, ':'), values[i]...)
	}
	_, err := r.in.ReadToken()
	return append(out, '}'), err
}

func (r *sourceReader) list() ([]byte, error) {
	if _, err := r.in.ReadToken(); err != nil {
		return nil, err
	}
	out := []byte{'['}
	for r.in.PeekKind() != ']' {
		if len(out) > 1 {
			out = append(out, ',')
		}
		value, err := r.value()
		if err != nil {
			return nil, err
		}
		out = append(out, value...)
	}
	_, err := r.in.ReadToken()
	return append(out, ']'), err
}

// found notes something about the value that was read last.
func (r *sourceReader) found(code, message string) {
	if len(r.findings) < maxFaults {
		r.findings = append(r.findings, findingJSON{Code: code, Pointer: cut(string(r.in.StackPointer())), Message: message})
	}
}
