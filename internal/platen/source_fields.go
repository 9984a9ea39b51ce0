package platen

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
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
	w := fieldWalker{body: body, names: make([]byte, 0, 512), ends: make([]int, 0, 32)}
	if w.document() {
		return w.fields(), nil
	}
	// What the walker refuses is read again, to say why.
	if err := checkSourceBody(body); err != nil {
		return nil, err
	}
	return nil, Errorf(KindInvalid, "source_too_deep", "the body nests objects and lists deeper than %d levels; flatten it", MaxSourceDepth)
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

// A fieldWalker reads one JSON object (RFC 8259) in a single pass: this runs
// for every accepted event, and only validity and keys matter. It takes what
// json.Valid takes, within MaxSourceDepth.
type fieldWalker struct {
	body  []byte
	at    int
	path  []byte          // of the value at hand
	names []byte          // those found, one after the other
	ends  []int           // of each in names
	seen  map[string]bool // nil while they are few
}

// fewFields is how many names are faster compared one by one than looked up.
const fewFields = 64

// document tells whether the body is one object and nothing else.
func (w *fieldWalker) document() bool {
	return w.peek() == '{' && w.value(1) && w.peek() == 0 && w.at == len(w.body)
}

// peek steps over white space and returns the byte there, 0 at the end.
func (w *fieldWalker) peek() byte {
	for ; w.at < len(w.body); w.at++ {
		switch c := w.body[w.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// value walks over one value and tells whether it is valid and kept within
// the depth.
func (w *fieldWalker) value(depth int) bool {
	valid := false
	switch w.peek() {
	case '{':
		return depth <= MaxSourceDepth && w.object(depth)
	case '[':
		return depth <= MaxSourceDepth && w.list(depth)
	case '"':
		_, valid = w.text()
	case 't':
		valid = w.literal("true")
	case 'f':
		valid = w.literal("false")
	case 'n':
		valid = w.literal("null")
	default:
		valid = w.number()
	}
	w.emit()
	return valid
}

func (w *fieldWalker) object(depth int) bool {
	w.at++ // the brace
	if w.peek() == '}' {
		w.at++
		w.emit()
		return true
	}
	parent := len(w.path)
	for w.peek() == '"' {
		key, ok := w.text()
		if !ok || w.peek() != ':' {
			return false
		}
		w.at++
		if depth > 1 {
			w.path = append(w.path, '.')
		}
		w.path = appendKey(w.path, key)
		if !w.value(depth + 1) {
			return false
		}
		w.path = w.path[:parent]
		if more, ok := w.next('}'); !more {
			return ok
		}
	}
	return false
}

func (w *fieldWalker) list(depth int) bool {
	w.at++ // the bracket
	if w.peek() == ']' {
		w.at++
		w.emit()
		return true
	}
	for w.value(depth + 1) {
		if more, ok := w.next(']'); !more {
			return ok
		}
	}
	return false
}

// next steps over the comma before another member, or over the closing bracket.
func (w *fieldWalker) next(closing byte) (more, ok bool) {
	c := w.peek()
	if c != ',' && c != closing {
		return false, false
	}
	w.at++
	return c == ',', true
}

// text steps over a string and returns it with its quotes.
func (w *fieldWalker) text() (quoted []byte, ok bool) {
	start := w.at
	for w.at++; ; w.at++ {
		w.at += countPlain(w.body[w.at:])
		if w.at >= len(w.body) {
			return nil, false
		}
		switch w.body[w.at] {
		case '"':
			w.at++
			return w.body[start:w.at], true
		case '\\':
			if !w.escape() {
				return nil, false
			}
		default: // a control character
			return nil, false
		}
	}
}

// countPlain returns how many bytes of a string stand for themselves.
func countPlain(text []byte) int {
	for i, c := range text {
		if c < ' ' || c == '"' || c == '\\' {
			return i
		}
	}
	return len(text)
}

// escape steps from the backslash to the last byte of its escape.
func (w *fieldWalker) escape() bool {
	w.at++
	if w.at >= len(w.body) {
		return false
	}
	switch w.body[w.at] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		digits := w.body[w.at+1:]
		w.at += 4
		return len(digits) >= 4 && isHex(digits[0]) && isHex(digits[1]) && isHex(digits[2]) && isHex(digits[3])
	}
	return false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func (w *fieldWalker) literal(text string) bool {
	ok := bytes.HasPrefix(w.body[w.at:], []byte(text))
	w.at += len(text)
	return ok
}

// number steps over what RFC 8259, section 6, calls one.
func (w *fieldWalker) number() bool {
	w.one("-")
	if !w.one("0") && !w.digits() {
		return false
	}
	if w.one(".") && !w.digits() {
		return false
	}
	if w.one("eE") {
		w.one("+-")
		return w.digits()
	}
	return true
}

// one steps over a byte if it is one of those.
func (w *fieldWalker) one(of string) bool {
	ok := w.at < len(w.body) && strings.IndexByte(of, w.body[w.at]) >= 0
	if ok {
		w.at++
	}
	return ok
}

// digits steps over digits and tells whether there were any.
func (w *fieldWalker) digits() bool {
	start := w.at
	for w.at < len(w.body) && '0' <= w.body[w.at] && w.body[w.at] <= '9' {
		w.at++
	}
	return w.at > start
}

func (w *fieldWalker) emit() {
	if len(w.path) == 0 || len(w.path) > MaxSourceFieldLength || len(w.ends) == MaxSourceFields || w.hasName() ||
		bytes.IndexByte(w.path, 0) >= 0 {
		return
	}
	w.names = append(w.names, w.path...)
	w.ends = append(w.ends, len(w.names))
	switch {
	case w.seen != nil:
		w.seen[string(w.path)] = true
	case len(w.ends) > fewFields:
		w.seen = make(map[string]bool, 2*fewFields)
		for _, name := range w.fields() {
			w.seen[name] = true
		}
	}
}

// hasName tells whether the path is among the fields already.
func (w *fieldWalker) hasName() bool {
	if w.seen != nil {
		return w.seen[string(w.path)]
	}
	begin := 0
	for _, end := range w.ends {
		if bytes.Equal(w.names[begin:end], w.path) {
			return true
		}
		begin = end
	}
	return false
}

// fields cuts all names from one text.
func (w *fieldWalker) fields() []string {
	names, begin := string(w.names), 0
	fields := make([]string, len(w.ends))
	for i, end := range w.ends {
		fields[i], begin = names[begin:end], end
	}
	return fields
}

// appendKey decodes a string that is known to be valid JSON; invalid UTF-8
// becomes U+FFFD, as encoding/json does it.
func appendKey(path, quoted []byte) []byte {
	text := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(text, '\\') < 0 {
		if utf8.Valid(text) {
			return append(path, text...)
		}
		return append(path, bytes.ToValidUTF8(text, []byte("\ufffd"))...)
	}
	var key string
	if json.Unmarshal(quoted, &key) != nil {
		return path
	}
	return append(path, key...)
}
