package pdfa

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
)

// node is an element of XML. An attribute that says something is one, too.
type node struct {
	space, local, prefix string
	kids                 []*node
	content              string
	written              []byte // content as it is read
	isResource           bool   // rdf:parseType="Resource"
	lang                 string
	uri                  string // rdf:resource
}

func (n *node) is(space, local string) bool { return n.space == space && n.local == local }

func (n *node) kid(space, local string) *node {
	for _, k := range n.kids {
		if k.is(space, local) {
			return k
		}
	}
	return nil
}

var errNoXML = errors.New("no XML")

// readXML reads elements with the prefixes of their names.
func readXML(data []byte) (*node, error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	root := &node{}
	r := xmlReader{open: []*node{root}, prefixes: []map[string]string{{"xml": nsXML}}}
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || len(r.open) > 60 {
			return nil, errNoXML
		}
		at := r.open[len(r.open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			n, err := r.start(t)
			if err != nil {
				return nil, err
			}
			at.kids = append(at.kids, n)
		case xml.EndElement:
			if len(r.open) < 2 || at.prefix != t.Name.Space || at.local != t.Name.Local {
				return nil, errNoXML
			}
			at.content, at.written = string(at.written), nil
			r.open, r.prefixes = r.open[:len(r.open)-1], r.prefixes[:len(r.prefixes)-1]
		case xml.CharData:
			at.written = append(at.written, t...)
		}
	}
	if len(r.open) != 1 {
		return nil, errNoXML
	}
	return root, nil
}

// An xmlReader has the elements that are open, and the name spaces of prefixes in each.
type xmlReader struct {
	open     []*node
	prefixes []map[string]string
	nodes    int
}

func (r *xmlReader) resolve(prefix string) (space string, isKnown bool) {
	for _, own := range slices.Backward(r.prefixes) {
		if space, ok := own[prefix]; ok {
			return space, true
		}
	}
	return "", prefix == ""
}

// start opens an element.
func (r *xmlReader) start(t xml.StartElement) (*node, error) {
	own := map[string]string{}
	for _, a := range t.Attr {
		if a.Name.Space == "xmlns" {
			own[a.Name.Local] = a.Value
		} else if a.Name.Space == "" && a.Name.Local == "xmlns" {
			own[""] = a.Value
		}
	}
	r.prefixes = append(r.prefixes, own)
	const mostNodes = 200_000
	if r.nodes += 1 + len(t.Attr); r.nodes > mostNodes {
		return nil, errNoXML
	}
	n := &node{prefix: t.Name.Space, local: t.Name.Local}
	var ok bool
	if n.space, ok = r.resolve(t.Name.Space); !ok {
		return nil, errNoXML
	}
	for _, a := range t.Attr {
		space, isKnown := r.resolve(a.Name.Space)
		switch {
		case a.Name.Space == "xmlns", a.Name.Local == "xmlns" && a.Name.Space == "":
		case !isKnown:
			return nil, errNoXML
		case space == nsRDF && a.Name.Local == "parseType":
			n.isResource = a.Value == "Resource"
		case space == nsXML:
			n.lang = a.Value
		case space == nsRDF && a.Name.Local == "resource":
			n.uri = a.Value
		case space == nsRDF, a.Name.Space == "":
		default:
			n.kids = append(n.kids, &node{space: space, local: a.Name.Local, prefix: a.Name.Space, content: a.Value})
		}
	}
	r.open = append(r.open, n)
	return n, nil
}
