package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/platenhq/platen/internal/platen"
)

const (
	bodyLimit = 1 << 20 // bytes
	maxDepth  = 64      // objects and lists inside each other
	maxFaults = 50      // that one answer names
)

// A decoder reads one request body by a description of its members and
// collects everything that is wrong with it. The text is checked as a whole
// beforehand, so that reading it cannot fail half-way.
type decoder struct {
	tokens *jsontext.Decoder
	faults []platen.Fault
	more   int // faults beyond maxFaults
}

// A member reads one value of an object and finds it good or faulty.
type member func(d *decoder, pointer string)

// members describes an object by the names that it may have.
type members map[string]member

// decode reads a body that must be one object of these members.
func decode(body []byte, m members, required ...string) error {
	return decodeWith(body, m, nil, required...)
}

// decodeWith is decode with a look at what was read as a whole.
func decodeWith(body []byte, m members, check func(*decoder), required ...string) error {
	duplicates, err := checkText(body)
	if err != nil {
		return err
	}
	d := &decoder{tokens: jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true))}
	for _, f := range duplicates {
		d.fault(f.Pointer, "%s", f.Message)
	}
	d.object("", m, required)
	if check != nil {
		check(d)
	}
	return d.err()
}

func (d *decoder) fault(pointer, format string, args ...any) {
	if len(d.faults) == maxFaults {
		d.more++
		return
	}
	d.faults = append(d.faults, platen.Fault{Pointer: pointer, Message: fmt.Sprintf(format, args...)})
}

func (d *decoder) err() error {
	if len(d.faults) == 0 {
		return nil
	}
	e := &platen.Error{Kind: platen.KindInvalid, Code: "invalid_body", Faults: d.faults}
	switch first := d.faults[0]; {
	case len(d.faults) > 1:
		e.Message = fmt.Sprintf("The body has %d faults: see errors.", len(d.faults)+d.more)
		if d.more > 0 {
			e.Message = fmt.Sprintf("The body has %d faults: see errors for the first %d.", len(d.faults)+d.more, maxFaults)
		}
	case first.Pointer == "":
		e.Message = "The body " + strings.TrimSuffix(first.Message, ".") + "."
	default:
		e.Message = first.Pointer[1:] + " " + strings.TrimSuffix(first.Message, ".") + "."
	}
	return e
}

// object reads the value that comes next, which must be an object.
func (d *decoder) object(pointer string, m members, required []string) {
	if !d.is('{', pointer, "an object") {
		return
	}
	_, _ = d.tokens.ReadToken()
	seen := make(map[string]bool, len(m))
	for d.tokens.PeekKind() != '}' {
		token, err := d.tokens.ReadToken()
		if err != nil {
			d.fault(pointer, "could not be read")
			return
		}
		name := token.String()
		at := pointer + "/" + escape(name)
		read := m[name]
		switch {
		case seen[name]: // reported as a duplicate
			skipValue(d, at)
		case read == nil:
			if len(d.faults) < maxFaults {
				d.fault(at, "%s", describeUnknown(name, m))
			} else {
				d.more++
			}
			skipValue(d, at)
		default:
			read(d, at)
		}
		if read != nil {
			seen[name] = true
		}
	}
	_, _ = d.tokens.ReadToken()
	for _, name := range required {
		if !seen[name] {
			d.fault(pointer+"/"+name, "is required")
		}
	}
}

// is tells whether the next value has the kind, and skips it if it has not.
func (d *decoder) is(kind jsontext.Kind, pointer, wanted string) bool {
	got := d.tokens.PeekKind()
	if got == kind {
		return true
	}
	d.fault(pointer, "must be %s, not %s", wanted, kindName(got))
	skipValue(d, pointer)
	return false
}

// skipValue reads a value that has no effect: a field of the resource that
// cannot be edited.
func skipValue(d *decoder, _ string) { _ = d.tokens.SkipValue() }

// refuse makes a member that is never right; message says what is.
func refuse(message string) member {
	return func(d *decoder, pointer string) {
		d.fault(pointer, "%s", message)
		skipValue(d, pointer)
	}
}

// object reads an object; present becomes true when there was one.
func object(present *bool, m members, required ...string) member {
	return func(d *decoder, pointer string) {
		*present = d.tokens.PeekKind() == '{'
		d.object(pointer, m, required)
	}
}

// objects reads an array of objects. next describes the next one; its done is called after
// that one was read.
func objects(limit int, next func() (m members, required []string, done func())) member {
	return func(d *decoder, pointer string) {
		if !d.is('[', pointer, "a list of objects") {
			return
		}
		_, _ = d.tokens.ReadToken()
		n := 0
		for ; d.tokens.PeekKind() != ']'; n++ {
			if n >= limit {
				skipValue(d, pointer)
				continue
			}
			m, required, done := next()
			d.object(fmt.Sprintf("%s/%d", pointer, n), m, required)
			done()
		}
		_, _ = d.tokens.ReadToken()
		if n > limit {
			d.fault(pointer, "has %d entries: at most %d are allowed", n, limit)
		}
	}
}

// allowNull reads null as if the member were not there.
func allowNull(inner member) member {
	return func(d *decoder, pointer string) {
		if d.tokens.PeekKind() == 'n' {
			skipValue(d, pointer)
			return
		}
		inner(d, pointer)
	}
}

// A rule says what is wrong with a string, "" when nothing is.
type rule func(string) string

// text reads a string into dst.
func text(dst **string, valid rule) member {
	return func(d *decoder, pointer string) {
		if !d.is('"', pointer, "a string") {
			return
		}
		token, _ := d.tokens.ReadToken()
		s := token.String()
		if wrong := valid(s); wrong != "" {
			d.fault(pointer, "%s", wrong)
			return
		}
		*dst = &s
	}
}

// orNone reads a string into dst as text does; null is the empty string.
func orNone(dst **string, valid rule) member {
	read := text(dst, valid)
	return func(d *decoder, pointer string) {
		if d.tokens.PeekKind() == 'n' {
			skipValue(d, pointer)
			*dst = new(string)
			return
		}
		read(d, pointer)
	}
}

// idIn reads a string into dst as text does, and keeps of an address the id that is in it.
func idIn(dst **string, valid rule, id func(text string) string) member {
	read := text(dst, valid)
	return func(d *decoder, pointer string) {
		read(d, pointer)
		if *dst != nil {
			found := id(**dst)
			*dst = &found
		}
	}
}

// misplaced makes members of names that belong elsewhere; where says where, such as
// `into "document"`, with {} for the name.
func (m members) misplaced(where string, names ...string) {
	for _, name := range names {
		if m[name] == nil {
			m[name] = refuse("belongs " + strings.ReplaceAll(where, "{}", name))
		}
	}
}

// flag reads a boolean into dst.
func flag(dst **bool) member {
	return func(d *decoder, pointer string) {
		kind := d.tokens.PeekKind()
		if kind != 't' && kind != 'f' {
			d.is('t', pointer, "true or false")
			return
		}
		_, _ = d.tokens.ReadToken()
		b := kind == 't'
		*dst = &b
	}
}

// wholeNumber reads an integer from least to most into dst.
func wholeNumber(dst **int, least, most int) member {
	return func(d *decoder, pointer string) {
		if !d.is('0', pointer, "a number") {
			return
		}
		token, _ := d.tokens.ReadToken()
		n, err := strconv.Atoi(token.String())
		if err != nil || n < least || n > most {
			d.fault(pointer, "must be a whole number from %d to %d", least, most)
			return
		}
		*dst = &n
	}
}

// objectAsSent keeps the text of an object.
func objectAsSent(dst *[]byte) member {
	return func(d *decoder, pointer string) {
		if !d.is('{', pointer, "an object") {
			return
		}
		value, err := d.tokens.ReadValue()
		if err != nil {
			d.fault(pointer, "could not be read")
			return
		}
		*dst = bytes.Clone(value)
	}
}

// list reads an array of strings, all different.
func list(dst *[]string, limit int, valid rule) member {
	return func(d *decoder, pointer string) {
		if !d.is('[', pointer, "a list of strings") {
			return
		}
		_, _ = d.tokens.ReadToken()
		seen := map[string]bool{}
		n := 0
		for ; d.tokens.PeekKind() != ']'; n++ {
			at := fmt.Sprintf("%s/%d", pointer, n)
			var s *string
			text(&s, valid)(d, at)
			switch {
			case s == nil:
			case seen[*s]:
				d.fault(at, "is in the list already")
			default:
				seen[*s] = true
				*dst = append(*dst, *s)
			}
		}
		_, _ = d.tokens.ReadToken()
		if n > limit {
			d.fault(pointer, "has %d entries: at most %d are allowed", n, limit)
		}
	}
}

// spellings adds one member under its two names, which must agree when both
// are given.
func spellings[T comparable](m members, first, second string, dst **T, read func(**T) member) {
	for name, other := range map[string]string{first: second, second: first} {
		m[name] = func(d *decoder, pointer string) {
			var got *T
			read(&got)(d, pointer)
			switch {
			case got == nil:
			case *dst != nil && **dst != *got:
				d.fault(pointer, "is another spelling of %s and has a different value: send one of them", other)
			default:
				*dst = got
			}
		}
	}
}

// checkText checks what holds for every body: valid JSON in UTF-8, nothing
// after it, not too deep. Members that are there twice come back as faults.
func checkText(body []byte) (duplicates []platen.Fault, err error) {
	tokens := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true))
	var names []map[string]bool // of the objects that are open; nil for lists
	for {
		token, err := tokens.ReadToken()
		if err != nil {
			return nil, errMalformed(tokens, err)
		}
		switch token.Kind() {
		case '{':
			names = append(names, map[string]bool{})
		case '[':
			names = append(names, nil)
		case '}', ']':
			names = names[:len(names)-1]
		case '"':
			kind, n := tokens.StackIndex(tokens.StackDepth())
			if kind != '{' || n%2 == 0 {
				break // a value
			}
			open, name := names[len(names)-1], token.String()
			if open[name] && len(duplicates) <= maxFaults {
				duplicates = append(duplicates, platen.Fault{Pointer: cut(string(tokens.StackPointer())), Message: "is there more than once: send it once"})
			}
			open[name] = true
		}
		if len(names) > maxDepth {
			return nil, errMalformedf("The body has more than %d objects and lists inside each other. Send a flatter one.", maxDepth)
		}
		if len(names) == 0 {
			break
		}
	}
	rest := bytes.TrimLeft(body[tokens.InputOffset():], " \t\r\n")
	if len(rest) > 0 {
		return nil, errMalformedf("There is more after the JSON value, at byte %d. Send one object and nothing else.", len(body)-len(rest))
	}
	return duplicates, nil
}

func errMalformed(tokens *jsontext.Decoder, err error) error {
	var s *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF):
		return errMalformedf("The body is empty. Send a JSON object.")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errMalformedf("The JSON in the body ends too early.")
	case errors.As(err, &s):
		reason := strings.TrimPrefix(s.Err.Error(), "jsontext: ")
		return errMalformedf("The body is not valid JSON at byte %d: %s.", s.ByteOffset, reason)
	}
	return errMalformedf("The body is not valid JSON at byte %d.", tokens.InputOffset())
}

func errMalformedf(format string, args ...any) error {
	return platen.Errorf(platen.KindInvalid, "malformed_json", format, args...)
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "something else"
}

// describeUnknown names the member that was probably meant, where one is close.
func describeUnknown(name string, m members) string {
	meant := normalizeName(name)
	for known := range m {
		if normalizeName(known) == meant {
			return fmt.Sprintf("is not a field here: did you mean %s?", known)
		}
	}
	return "is not a field here: leave it out"
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

func normalizeName(name string) string { return strings.ToLower(separators.Replace(name)) }

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// escape writes a name as a token of a JSON pointer (RFC 6901).
func escape(name string) string {
	return cut(pointerEscapes.Replace(name))
}

// cut keeps what a client sent from making the answer as long.
func cut(s string) string {
	const limit = 200
	if len(s) <= limit {
		return s
	}
	n := limit
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
