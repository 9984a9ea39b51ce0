package einvoice

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html/charset"
)

// Limits of a document that is read. An invoice may carry attachments of some megabytes.
const (
	MaxBytes    = 64 << 20
	maxDepth    = 64
	maxElements = 500_000
)

// An element is one of the XML tree. Its name has the usual prefix of its namespace, as
// in cbc:ID, whichever prefix the document has for it.
type element struct {
	name     string
	attrs    []attr
	text     string
	children []*element
}

type attr struct{ name, value string }

// A vocabulary is a namespace, and the prefix that our names have for it.
type vocabulary struct{ prefix, namespace string }

var (
	ciiVocabulary = []vocabulary{
		{"rsm", "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"},
		{"qdt", "urn:un:unece:uncefact:data:standard:QualifiedDataType:100"},
		{"ram", "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"},
		{"udt", "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100"},
	}
	ublVocabulary = []vocabulary{
		{"cac", "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"},
		{"cbc", "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"},
	}
	ublInvoice    = vocabulary{"ubl", "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"}
	ublCreditNote = vocabulary{"cn", "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2"}
)

// prefixes has the prefix of each namespace. Elements of other namespaces are extensions,
// which are passed over.
var prefixes = func() map[string]string {
	all := map[string]string{}
	for _, v := range append(append([]vocabulary{ublInvoice, ublCreditNote}, ciiVocabulary...), ublVocabulary...) {
		all[v.namespace] = v.prefix
	}
	return all
}()

// parse reads a document into a tree. It refuses what an invoice has no use for and an
// attacker has: document types, and more bytes, depth or elements than the limits.
func parse(document []byte) (*element, error) {
	if len(document) > MaxBytes {
		return nil, fmt.Errorf("the document is larger than %d MB", MaxBytes>>20)
	}
	d := xml.NewDecoder(bytes.NewReader(document))
	d.CharsetReader = charset.NewReaderLabel
	type started struct {
		*element
		text []byte
	}
	var root *element
	var open []started
	elements := 0
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && root != nil:
			return root, nil
		case errors.Is(err, io.EOF):
			return nil, errors.New("the document has no element")
		case err != nil:
			return nil, fmt.Errorf("the document is no well-formed XML: %w", err)
		}
		switch token := token.(type) {
		case xml.Directive:
			return nil, errors.New("the document has a document type, which no invoice needs")
		case xml.StartElement:
			if elements++; elements > maxElements {
				return nil, fmt.Errorf("the document has more than %d elements", maxElements)
			}
			if len(open) == 0 && root != nil {
				return nil, errors.New("the document is no well-formed XML: it has more than one element at its top")
			}
			if len(open) == maxDepth {
				return nil, fmt.Errorf("the document has elements in more than %d others", maxDepth)
			}
			prefix, known := prefixes[token.Name.Space]
			if !known && root != nil {
				if err := skip(d, &elements); err != nil {
					return nil, err
				}
				continue
			}
			e := &element{name: prefix + ":" + token.Name.Local}
			for _, a := range token.Attr {
				if a.Name.Space == "" && a.Name.Local != "xmlns" {
					e.attrs = append(e.attrs, attr{a.Name.Local, a.Value})
				}
			}
			if len(open) > 0 {
				parent := open[len(open)-1].element
				parent.children = append(parent.children, e)
			} else {
				root = e
			}
			open = append(open, started{element: e})
		case xml.EndElement:
			last := open[len(open)-1]
			last.element.text = string(last.text)
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				last := &open[len(open)-1]
				last.text = append(last.text, token...)
			}
		}
	}
}

// skip passes over an element of another namespace within the same limits.
func skip(d *xml.Decoder, elements *int) error {
	for depth := 1; depth > 0; {
		token, err := d.Token()
		if err != nil {
			return fmt.Errorf("the document is no well-formed XML: %w", err)
		}
		switch token.(type) {
		case xml.Directive:
			return errors.New("the document has a document type, which no invoice needs")
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return fmt.Errorf("the document has elements in more than %d others", maxDepth)
			}
			if *elements++; *elements > maxElements {
				return fmt.Errorf("the document has more than %d elements", maxElements)
			}
		case xml.EndElement:
			depth--
		}
	}
	return nil
}

// child is the first child of a name, or nil.
func (e *element) child(name string) *element {
	if e == nil {
		return nil
	}
	for _, c := range e.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

// attr is the value of an attribute, empty without it.
func (e *element) attr(name string) string {
	for _, a := range e.attrs {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

func (e *element) empty() bool { return e.text == "" && len(e.children) == 0 && len(e.attrs) == 0 }

var (
	escapeText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#xD;")
	escapeAttr = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "&#xA;", "\r", "&#xD;", "\t", "&#x9;")
)

// write appends the element, indented by two spaces a level.
func (e *element) write(b *bytes.Buffer, depth int, namespaces []vocabulary) {
	indent := strings.Repeat("  ", depth)
	b.WriteString(indent + "<" + e.name)
	for _, v := range namespaces {
		b.WriteString("\n" + indent + "    xmlns:" + v.prefix + `="` + v.namespace + `"`)
	}
	for _, a := range e.attrs {
		b.WriteString(" " + a.name + `="` + escapeAttr.Replace(a.value) + `"`)
	}
	if len(e.children) == 0 {
		b.WriteString(">" + escapeText.Replace(xmlText(e.text)) + "</" + e.name + ">\n")
		return
	}
	b.WriteString(">\n")
	for _, c := range e.children {
		c.write(b, depth+1, nil)
	}
	b.WriteString(indent + "</" + e.name + ">\n")
}

// xmlText is a text without the characters that XML 1.0 cannot have.
func xmlText(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r != 0xFFFE && r != 0xFFFF {
			return r
		}
		return -1
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
