package opc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf16"

	"github.com/beevik/etree"
)

const (
	maxDepth = 256 // nested elements; tables in tables in text boxes reach about 60
	// Of all parts together. A busy page of a real document has about 1,500
	// elements, and each takes some hundred bytes once it is read.
	maxElements = 500_000
	maxNodes    = 1_500_000 // tags and attributes
)

// xmlSize is how much there is in XML, at most.
type xmlSize struct{ elements, nodes int }

func (s xmlSize) isTooLarge() bool { return s.elements > maxElements || s.nodes > maxNodes }

// scanXML refuses what must not reach the parser.
func scanXML(name string, data []byte) (xmlSize, error) {
	// Neither can stand in well-formed text: "<" is always escaped there. In a
	// comment or CDATA section they could, and no office program writes them.
	if bytes.Contains(data, []byte("<!DOCTYPE")) || bytes.Contains(data, []byte("<!ENTITY")) {
		return xmlSize{}, &FormatError{Message: "the file is not safe to open: " + Printable(name) + " declares a document type"}
	}
	tags := bytes.Count(data, []byte("<"))
	return xmlSize{elements: tags - bytes.Count(data, []byte("</")), nodes: tags + bytes.Count(data, []byte("="))}, nil
}

// parseXML reads a part that passed scanXML. Entities other than the five of
// XML itself are errors of the decoder.
func parseXML(name string, data []byte) (*etree.Document, error) {
	data = utf8From(data)
	size, err := scanXML(name, data)
	if err != nil {
		return nil, err
	}
	if size.isTooLarge() {
		return nil, &FormatError{Message: "the part " + Printable(name) + " has too many elements"}
	}
	tree := readPlain(data)
	if tree == nil {
		tree = etree.NewDocument()
		tree.ReadSettings = etree.ReadSettings{MaxDepth: maxDepth}
		err = tree.ReadFromBytes(data)
	}
	tree.WriteSettings = etree.WriteSettings{CanonicalText: true, CanonicalAttrVal: true}
	switch {
	case errors.Is(err, etree.ErrMaxDepth):
		return nil, &FormatError{Message: "the part " + Printable(name) + " is nested too deeply", Err: err}
	case err != nil:
		return nil, &FormatError{Message: "the file is damaged: " + Printable(name) + " is not valid XML", Err: err}
	case tree.Root() == nil:
		return nil, &FormatError{Message: "the file is damaged: " + Printable(name) + " is empty"}
	}
	declareUTF8(tree)
	useCustomaryPrefixes(tree.Root(), nil)
	holdOnlyText(tree.Root())
	return tree, nil
}

// utf8From converts UTF-16, the other encoding that OPC allows, and drops a
// byte order mark.
func utf8From(data []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte("\xEF\xBB\xBF")):
		return data[3:]
	case bytes.HasPrefix(data, []byte("\xFF\xFE")):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte("\xFE\xFF")):
		order = binary.BigEndian
	default:
		return data
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i+1 < len(data); i += 2 {
		units = append(units, order.Uint16(data[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}

// declareUTF8 corrects the XML declaration of what was UTF-16: we write UTF-8.
func declareUTF8(tree *etree.Document) {
	for _, t := range tree.Child {
		if d, ok := t.(*etree.ProcInst); ok && d.Target == "xml" {
			if lower := strings.ToLower(d.Inst); strings.Contains(lower, "utf-16") {
				at := strings.Index(lower, "utf-16")
				d.Inst = d.Inst[:at] + "UTF-8" + d.Inst[at+len("utf-16"):]
			}
		}
	}
}
