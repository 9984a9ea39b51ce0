package platen

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// Bounds of what is read out of one source event.
const (
	// MaxSourceDepth is how deeply objects and lists of an event may nest.
	MaxSourceDepth = 64
	// MaxSourceFields is how many field names SourceFields returns at most.
	// An event with more is no error: its data fills tags all the same, only
	// the list that people choose from is cut.
	MaxSourceFields = 2000
	// MaxSourceFieldLength is the longest field name in bytes; a longer one is
	// left out of the list.
	MaxSourceFieldLength = 500
)

// SourceFields returns the leaf paths of a JSON object in the order of its
// keys, joined by "."; each once. An empty object or list is a field of its
// own name, objects inside a list give their keys under the list's name
// (`LineItem.Name`), and a list of scalars is one field.
//
// The error has KindInvalid when body is not exactly one JSON object or nests
// deeper than MaxSourceDepth. Duplicate keys, invalid UTF-8 and a byte order
// mark are no errors: senders of webhooks cannot repair a body. Names that are
// empty, too long or contain U+0000, which no database text can hold, are left
// out. Time and memory are linear in the size of body.
func SourceFields(body []byte) ([]string, error) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if err := checkSourceBody(body); err != nil {
		return nil, err
	}
	w := fieldWalker{body: body, seen: map[string]bool{}, fields: []string{}}
	if !w.value(1) {
		return nil, Errorf(KindInvalid, "source_too_deep", "the body nests objects and lists deeper than %d levels; flatten it", MaxSourceDepth)
	}
	return w.fields, nil
}

func checkSourceBody(body []byte) error {
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	if len(trimmed) == 0 {
		return Errorf(KindInvalid, "source_empty", "the body is empty; send one JSON object")
	}
	if !json.Valid(body) {
		var raw json.RawMessage
		err := json.Unmarshal(body, &raw)
		fault := Errorf(KindInvalid, "source_not_json", "the body is not valid JSON; send one JSON object")
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			fault = Errorf(KindInvalid, "source_not_json", "the body is not valid JSON at byte %d; send one JSON object and nothing after it", syntax.Offset)
		}
		return fault
	}
	if trimmed[0] != '{' {
		return Errorf(KindInvalid, "source_not_object", "the body is valid JSON but not an object; send one JSON object, such as {\"Name\": \"Ada\"}")
	}
	return nil
}

// A fieldWalker goes over JSON that is known to be valid. It looks at bytes
// instead of decoding them: this runs for every accepted event, and only keys
// matter.
type fieldWalker struct {
	body   []byte
	at     int
	path   []byte // of the value at hand
	seen   map[string]bool
	fields []string
}

// value walks over one value and tells whether it kept within the depth.
func (w *fieldWalker) value(depth int) bool {
	w.skipSpace()
	switch w.body[w.at] {
	case '{':
		return depth <= MaxSourceDepth && w.object(depth)
	case '[':
		return depth <= MaxSourceDepth && w.list(depth)
	case '"':
		w.text()
	default:
		for w.at < len(w.body) && !strings.ContainsRune(",]} \t\r\n", rune(w.body[w.at])) {
			w.at++
		}
	}
	w.emit()
	return true
}

func (w *fieldWalker) object(depth int) bool {
	parent := len(w.path)
	empty := true
	for w.next('}') {
		empty = false
		key := decodeKey(w.text())
		if depth > 1 {
			w.path = append(w.path, '.')
		}
		w.path = append(w.path, key...)
		w.skipSpace()
		w.at++ // the colon
		if !w.value(depth + 1) {
			return false
		}
		w.path = w.path[:parent]
	}
	if empty {
		w.emit()
	}
	return true
}

func (w *fieldWalker) list(depth int) bool {
	empty := true
	for w.next(']') {
		empty = false
		if !w.value(depth + 1) {
			return false
		}
	}
	if empty {
		w.emit()
	}
	return true
}

// next steps over the opening bracket or a comma to the next member, or over
// the closing bracket and says that there is none.
func (w *fieldWalker) next(closing byte) bool {
	w.skipSpace()
	if w.body[w.at] != closing {
		w.at++
		w.skipSpace()
	}
	if w.body[w.at] == closing {
		w.at++
		return false
	}
	return true
}

// text steps over a string and returns it with its quotes.
func (w *fieldWalker) text() []byte {
	start := w.at
	for w.at++; w.body[w.at] != '"'; w.at++ {
		if w.body[w.at] == '\\' {
			w.at++
		}
	}
	w.at++
	return w.body[start:w.at]
}

func (w *fieldWalker) skipSpace() {
	for w.at < len(w.body) && strings.IndexByte(" \t\r\n", w.body[w.at]) >= 0 {
		w.at++
	}
}

func (w *fieldWalker) emit() {
	if len(w.path) == 0 || len(w.path) > MaxSourceFieldLength || len(w.fields) == MaxSourceFields ||
		w.seen[string(w.path)] || bytes.IndexByte(w.path, 0) >= 0 {
		return
	}
	name := string(w.path)
	w.seen[name] = true
	w.fields = append(w.fields, name)
}

// decodeKey decodes a string that is known to be valid JSON; invalid UTF-8
// becomes U+FFFD, as encoding/json does it.
func decodeKey(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return bytes.ToValidUTF8(quoted[1:len(quoted)-1], []byte("\ufffd"))
	}
	var key string
	if json.Unmarshal(quoted, &key) != nil {
		return nil
	}
	return []byte(key)
}
