package opc

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/beevik/etree"
)

// maxPlainAttributes is how many attributes an element of plain XML has at
// most: each is looked for among those before it.
const maxPlainAttributes = 64

// readPlain reads XML that is written as office programs write it: elements,
// attributes and text, in UTF-8. That is nearly all there is, and this takes
// a third of what encoding/xml takes for it. It returns the same tree as the
// general reader, or nil for all other XML, faults included, which is left to
// the general reader.
func readPlain(data []byte) *etree.Document {
	if !hasPlainCharacters(data) {
		return nil
	}
	doc := etree.NewDocument()
	r := plainReader{rest: string(data), open: []openElement{{Element: &doc.Element}}}
	if !r.readDeclaration(doc) {
		return nil
	}
	for r.rest != "" {
		if !r.readText() || r.rest != "" && !r.readTag() {
			return nil
		}
	}
	if len(r.open) != 1 {
		return nil
	}
	return doc
}

// hasPlainCharacters says whether all is text that XML allows (XML 1.0, 2.2).
func hasPlainCharacters(data []byte) bool {
	for _, b := range data {
		if b < ' ' && b != '\n' && b != '\t' && b != '\r' {
			return false
		}
	}
	return utf8.Valid(data) && !bytes.Contains(data, []byte("\uFFFE")) && !bytes.Contains(data, []byte("\uFFFF"))
}

type plainReader struct {
	rest string
	open []openElement // the document, and the elements that have not ended
}

type openElement struct {
	*etree.Element
	name string // with its prefix
}

// readDeclaration reads the XML declaration, if there is one.
func (r *plainReader) readDeclaration(doc *etree.Document) bool {
	const begin, end = "<?xml ", "?>"
	if !strings.HasPrefix(r.rest, begin) {
		return true
	}
	content, rest, ended := strings.Cut(r.rest[len(begin):], end)
	switch content {
	case `version="1.0" encoding="UTF-8" standalone="yes"`, `version="1.0" encoding="UTF-8" standalone="no"`, `version="1.0" encoding="UTF-8"`,
		`version="1.0" encoding="utf-8"`, `version="1.0"`:
	default:
		return false
	}
	doc.CreateProcInst("xml", content)
	r.rest = rest
	return ended
}

// readText reads up to the next tag, or to the end.
func (r *plainReader) readText() bool {
	at := strings.IndexByte(r.rest, '<')
	if at < 0 {
		at = len(r.rest)
	}
	if at == 0 {
		return true
	}
	raw := r.rest[:at]
	r.rest = r.rest[at:]
	if strings.Contains(raw, "]]>") {
		return false
	}
	text, ok := plainText(raw)
	if !ok {
		return false
	}
	// SetData sees whether it is nothing but space.
	r.open[len(r.open)-1].CreateText("").SetData(text)
	return true
}

// readTag reads what begins with "<".
func (r *plainReader) readTag() bool {
	r.rest = r.rest[1:]
	if strings.HasPrefix(r.rest, "/") {
		return r.readEnd()
	}
	name, ok := r.readName()
	if !ok || len(r.open) >= maxDepth {
		return false
	}
	e := r.open[len(r.open)-1].CreateElement(name)
	if end := strings.IndexByte(r.rest, '>'); end > 0 {
		e.Attr = make([]etree.Attr, 0, min(maxPlainAttributes, strings.Count(r.rest[:end], "=")))
	}
	for {
		isSpaced := r.skipSpace()
		switch {
		case strings.HasPrefix(r.rest, ">"):
			r.rest = r.rest[1:]
			r.open = append(r.open, openElement{e, name})
			return true
		case strings.HasPrefix(r.rest, "/>"):
			r.rest = r.rest[2:]
			return true
		case !isSpaced || len(e.Attr) == maxPlainAttributes || !r.readAttribute(e):
			return false
		}
	}
}

func (r *plainReader) readEnd() bool {
	r.rest = r.rest[1:]
	name, ok := r.readName()
	last := r.open[len(r.open)-1]
	if !ok || len(r.open) == 1 || name != last.name {
		return false
	}
	r.open = r.open[:len(r.open)-1]
	r.skipSpace()
	if !strings.HasPrefix(r.rest, ">") {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

func (r *plainReader) readAttribute(e *etree.Element) bool {
	name, ok := r.readName()
	if !ok || len(r.rest) < 2 || r.rest[0] != '=' || r.rest[1] != '"' && r.rest[1] != '\'' {
		return false
	}
	raw, rest, ended := strings.Cut(r.rest[2:], r.rest[1:2])
	if !ended || strings.IndexByte(raw, '<') >= 0 {
		return false
	}
	value, ok := plainText(raw)
	if !ok {
		return false
	}
	e.CreateAttr(name, value)
	r.rest = rest
	return true
}

// readName reads a name of ASCII letters, with or without a prefix.
func (r *plainReader) readName() (string, bool) {
	n, hasColon, isFirst := 0, false, true
	for ; n < len(r.rest); n++ {
		b := r.rest[n]
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b == '_':
			isFirst = false
		case b >= '0' && b <= '9', b == '-', b == '.':
			if isFirst {
				return "", false
			}
		case b == ':':
			if isFirst || hasColon {
				return "", false
			}
			hasColon, isFirst = true, true
		case b >= utf8.RuneSelf:
			return "", false
		default:
			name := r.rest[:n]
			r.rest = r.rest[n:]
			return name, !isFirst
		}
	}
	return "", false
}

// skipSpace skips white space, and says whether there was any.
func (r *plainReader) skipSpace() bool {
	trimmed := strings.TrimLeft(r.rest, " \n\t\r")
	isSpaced := len(trimmed) < len(r.rest)
	r.rest = trimmed
	return isSpaced
}

// plainText resolves the references in a text, and makes its line ends one
// character each (XML 1.0, 2.11).
func plainText(raw string) (string, bool) {
	if strings.IndexByte(raw, '\r') >= 0 {
		raw = strings.ReplaceAll(strings.ReplaceAll(raw, "\r\n", "\n"), "\r", "\n")
	}
	at := strings.IndexByte(raw, '&')
	if at < 0 {
		return raw, true
	}
	var b strings.Builder
	b.Grow(len(raw))
	for ; at >= 0; at = strings.IndexByte(raw, '&') {
		b.WriteString(raw[:at])
		name, rest, ended := strings.Cut(raw[at+1:], ";")
		character, known := plainReference(name)
		if !ended || !known {
			return "", false
		}
		b.WriteRune(character)
		raw = rest
	}
	b.WriteString(raw)
	return b.String(), true
}

func plainReference(name string) (rune, bool) {
	switch name {
	case "amp":
		return '&', true
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	digits, ok := strings.CutPrefix(name, "#")
	base := 10
	if hexadecimal, is := strings.CutPrefix(digits, "x"); is {
		digits, base = hexadecimal, 16
	}
	n, err := strconv.ParseUint(digits, base, 21)
	if !ok || err != nil || n < ' ' && n != '\n' && n != '\t' && n != '\r' || !utf8.ValidRune(rune(n)) || n == 0xFFFE || n == 0xFFFF {
		return 0, false
	}
	return rune(n), true
}
