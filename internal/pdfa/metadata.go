package pdfa

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Namespaces of XMP and of PDF/A.
const (
	nsRDF       = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	nsXML       = "http://www.w3.org/XML/1998/namespace"
	nsMeta      = "adobe:ns:meta/"
	nsID        = "http://www.aiim.org/pdfa/ns/id/"
	nsExtension = "http://www.aiim.org/pdfa/ns/extension/"
	nsSchema    = "http://www.aiim.org/pdfa/ns/schema#"
	nsProperty  = "http://www.aiim.org/pdfa/ns/property#"
	nsType      = "http://www.aiim.org/pdfa/ns/type#"
	nsField     = "http://www.aiim.org/pdfa/ns/field#"
)

// xmpSchema has the types of properties by their names.
type xmpSchema map[string]string

var packetHead = regexp.MustCompile(`<\?xpacket\s+([^>]*)\?>`)

// metadata checks what the file says of itself, and of parts of it (6.6).
func (c *checker) metadata(root dict) {
	s := c.stream(root["Metadata"])
	if s == nil || c.name(s.dict["Type"]) != "Metadata" || c.name(s.dict["Subtype"]) != "XML" {
		c.fault("6.6.2.1", "it has no metadata")
		return
	}
	rdf := c.packet(s)
	if rdf == nil {
		return
	}
	c.extra, c.kinds = map[string]xmpSchema{}, map[string]string{}
	c.extensions(rdf)
	main := properties(rdf)
	c.identification(main)
	c.typed(main)
	mine := c.extra
	for _, n := range slices.Sorted(maps.Keys(c.places)) {
		one, ok := c.load(n).(*stream)
		if !ok || one == s || c.name(one.dict["Type"]) != "Metadata" || c.name(one.dict["Subtype"]) != "XML" {
			continue
		}
		if rdf := c.packet(one); rdf != nil {
			c.extra = map[string]xmpSchema{}
			for space, schema := range mine {
				c.extra[space] = schema
			}
			c.extensions(rdf)
			c.typed(properties(rdf))
		}
	}
}

// packet reads one, and returns its element rdf:RDF.
func (c *checker) packet(s *stream) *node {
	data, err := c.unpack(s)
	if err != nil {
		c.fault("6.6.2.1", "its metadata cannot be read")
		return nil
	}
	if found := packetHead.FindSubmatch(data); found != nil {
		if bytes.Contains(found[1], []byte("bytes=")) || bytes.Contains(found[1], []byte("encoding=")) {
			c.fault("6.6.2.1", "the head of its metadata says how they are written")
		}
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if !utf8.Valid(data) || bytes.ContainsRune(data, 0) {
		c.fault("6.6.2.1", "its metadata are not in UTF-8")
		return nil
	}
	if end := bytes.LastIndex(data, []byte("<?xpacket end")); end >= 0 {
		data = data[:end]
	}
	top, err := readXML(bytes.Trim(data, "\x00"))
	if err != nil {
		c.fault("6.6.2.1", "its metadata are no XML")
		return nil
	}
	at := top
	if meta := top.kid(nsMeta, "xmpmeta"); meta != nil {
		at = meta
	}
	rdf := at.kid(nsRDF, "RDF")
	if rdf == nil {
		c.fault("6.6.2.1", "its metadata are no XMP")
		return nil
	}
	for _, n := range rdf.kids {
		if !n.is(nsRDF, "Description") {
			c.fault("6.6.2.1", "its metadata are no XMP")
		}
	}
	return rdf
}

// properties are those that all descriptions have.
func properties(rdf *node) (all []*node) {
	for _, d := range rdf.kids {
		all = append(all, d.kids...)
	}
	return all
}

// identification checks what the file claims to be (6.6.4).
func (c *checker) identification(all []*node) {
	values := map[string]string{}
	for _, p := range all {
		if p.space != nsID {
			continue
		}
		values[p.local] = strings.TrimSpace(p.content)
		if p.prefix != "pdfaid" {
			c.fault("6.6.4", "its claim has another prefix than pdfaid")
		}
	}
	part := map[Part]string{Part2: "2", Part3: "3"}[c.part]
	switch {
	case len(values) == 0:
		c.fault("6.6.4", "it does not claim to be PDF/A")
	case values["part"] != part:
		c.fault("6.6.4", "it claims another part of the standard")
	case !slices.Contains([]string{"A", "B", "U"}, values["conformance"]):
		c.fault("6.6.4", "it claims a level that there is not")
	}
}

// items are those of a list of a kind, nil where it is none.
func (n *node) items(kind string) ([]*node, bool) {
	list := n.kid(nsRDF, kind)
	if list == nil || len(n.kids) != 1 {
		return nil, false
	}
	for _, li := range list.kids {
		if !li.is(nsRDF, "li") {
			return nil, false
		}
	}
	return list.kids, true
}

// fields are those of a structure, false where it is none.
func (n *node) fields() ([]*node, bool) {
	if d := n.kid(nsRDF, "Description"); d != nil && len(n.kids) == 1 {
		return d.kids, true
	}
	for _, k := range n.kids {
		if k.space == nsRDF {
			return nil, false
		}
	}
	return n.kids, n.isResource || len(n.kids) > 0
}

// plain is the value of a node that has qualifiers beside it (RDF/XML Syntax, rdf:value).
func (n *node) plain() *node {
	at := n
	if d := n.kid(nsRDF, "Description"); d != nil && len(n.kids) == 1 {
		at = d
	}
	if v := at.kid(nsRDF, "value"); v != nil {
		return v
	}
	return n
}

func (n *node) isText() bool { return len(n.kids) == 0 }

// typed checks that each property is one that is known, of its type (6.6.2.3.1).
func (c *checker) typed(all []*node) {
	for _, p := range all {
		if p.is(nsExtension, "schemas") || p.space == nsExtension {
			continue
		}
		schema, isKnown := schemas()[p.space]
		kind, isProperty := schema[p.local]
		if own, ok := c.extra[p.space]; ok && !isProperty {
			kind, isProperty = own[p.local]
			isKnown = true
		}
		switch {
		case !isKnown || !isProperty:
			c.fault("6.6.2.3.1", "its metadata have the property %.60s, which nothing describes", p.prefix+":"+p.local)
		case !hasType(p, kind):
			c.fault("6.6.2.3.1", "the property %.60s of its metadata is no %s", p.prefix+":"+p.local, kind)
		}
	}
}

var (
	integerForm  = regexp.MustCompile(`^[+-]?[0-9]+$`)
	realForm     = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$`)
	rationalForm = regexp.MustCompile(`^[0-9]+/[0-9]+$`)
	dateForm     = regexp.MustCompile(`^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)?)?$`)
	mimeForm     = regexp.MustCompile(`^[-\w+.]+/[-\w+.]+(\s*;.*)?$`)
)

// hasType tells whether a value is of a type of XMP, such as "bag Text" or "Dimensions".
func hasType(n *node, kind string) bool {
	n = n.plain()
	if kind == "Time" && !n.isText() {
		kind = "TimeValue"
	}
	list, of, isList := strings.Cut(kind, " ")
	if isList || kind == "lang" {
		name := map[string]string{"bag": "Bag", "seq": "Seq", "alt": "Alt", "lang": "Alt"}[list]
		items, ok := n.items(name)
		if !ok {
			return false
		}
		for _, li := range items {
			if kind == "lang" {
				if !li.isText() || li.lang == "" {
					return false
				}
			} else if !hasType(li, of) {
				return false
			}
		}
		return true
	}
	if parts, isStructure := structures[kind]; isStructure {
		fields, ok := n.fields()
		if !ok {
			return false
		}
		for _, f := range fields {
			if of, isKnown := parts[f.local]; !isKnown || !hasType(f, of) {
				return false
			}
		}
		return true
	}
	if kind == "Any" {
		return true
	}
	if !n.isText() {
		return false
	}
	v := n.content
	switch kind {
	case "Integer":
		return integerForm.MatchString(v)
	case "Real":
		return realForm.MatchString(v)
	case "Rational":
		return rationalForm.MatchString(v)
	case "Boolean":
		return v == "True" || v == "False"
	case "Date":
		return dateForm.MatchString(v)
	case "MIMEType":
		return mimeForm.MatchString(v)
	}
	return true
}

// extensions reads what describes properties that no standard knows (6.6.2.3.2 and 6.6.2.3.3).
func (c *checker) extensions(rdf *node) {
	for _, p := range properties(rdf) {
		if p.space != nsExtension {
			continue
		}
		list, ok := p.items("Bag")
		if p.local != "schemas" || !ok || p.prefix != "pdfaExtension" {
			c.fault("6.6.2.3.3", "its descriptions of properties are no list of schemas")
			continue
		}
		for _, one := range list {
			c.extension(one)
		}
	}
}

// described are the fields of a part of an extension schema; others than those that are known
// are faults.
func (c *checker) described(n *node, space, prefix string, names map[string]string, optional ...string) map[string]*node {
	fields, ok := n.fields()
	out := map[string]*node{}
	if !ok {
		c.fault("6.6.2.3.3", "a description of properties is no structure")
		return out
	}
	for _, f := range fields {
		kind, isKnown := names[f.local]
		if !isKnown || f.space != space {
			c.fault("6.6.2.3.2", "a description of properties has the field %.40s, which there is not", f.local)
			continue
		}
		out[f.local] = f
		isRight := f.isText()
		if kind == "seq" {
			_, isRight = f.items("Seq")
		}
		if !isRight {
			c.fault("6.6.2.3.3", "the field %s of a description of properties is of another type", f.local)
		}
		if f.prefix != prefix {
			c.fault("6.6.2.3.3", "the field %s of a description of properties has another prefix than %s", f.local, prefix)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(names)) {
		if out[field] == nil && !slices.Contains(optional, field) {
			c.fault("6.6.2.3.3", "a description of properties lacks the field %s", field)
		}
	}
	return out
}

func (c *checker) extension(n *node) {
	d := c.described(n, nsSchema, "pdfaSchema", map[string]string{"schema": "text", "namespaceURI": "text", "prefix": "text", "property": "seq", "valueType": "seq"}, "property", "valueType")
	kinds := c.kinds
	if list := d["valueType"]; list != nil {
		types, _ := list.items("Seq")
		for _, one := range types {
			t := c.described(one, nsType, "pdfaType", map[string]string{"type": "text", "namespaceURI": "text", "prefix": "text", "description": "text", "field": "seq"}, "field")
			if t["type"] != nil {
				kind := "Text"
				if t["field"] != nil {
					kind = "Any"
				}
				kinds[strings.TrimSpace(t["type"].content)] = kind
			}
			if t["field"] == nil {
				continue
			}
			fields, _ := t["field"].items("Seq")
			for _, f := range fields {
				of := c.described(f, nsField, "pdfaField", map[string]string{"name": "text", "valueType": "text", "description": "text"})
				if v := of["valueType"]; v != nil && typeOf(v.content, kinds) == "" {
					c.fault("6.6.2.3.3", "a field of a described type is of the type %.40s, which there is not", v.content)
				}
			}
		}
	}
	schema := xmpSchema{}
	if list := d["property"]; list != nil {
		all, _ := list.items("Seq")
		for _, one := range all {
			p := c.described(one, nsProperty, "pdfaProperty", map[string]string{"name": "text", "valueType": "text", "category": "text", "description": "text"})
			if v := p["category"]; v != nil && v.content != "external" && v.content != "internal" {
				c.fault("6.6.2.3.3", "a described property is neither external nor internal")
			}
			kind := ""
			if v := p["valueType"]; v != nil {
				if kind = typeOf(v.content, kinds); kind == "" {
					c.fault("6.6.2.3.3", "a described property is of the type %.40s, which there is not", v.content)
				}
			}
			if p["name"] != nil && kind != "" {
				schema[strings.TrimSpace(p["name"].content)] = kind
			}
		}
	}
	if space := d["namespaceURI"]; space != nil {
		if known := c.extra[space.content]; known != nil {
			for k, v := range schema {
				known[k] = v
			}
		} else {
			c.extra[space.content] = schema
		}
	}
}

var simpleTypes = []string{"Text", "URI", "URL", "Date", "Boolean", "Integer", "Real", "Rational", "MIMEType", "AgentName", "ProperName", "Locale", "GUID", "RenditionClass", "XPath", "Choice", "Any", "GPSCoordinate", "Time", "Timecode"}

// typeOf is a type as an extension schema names it, "" for one that there is not.
func typeOf(s string, own map[string]string) string {
	const longest = 200
	if s = strings.TrimSpace(s); len(s) > longest {
		return ""
	}
	lower := strings.ToLower(s)
	for _, choice := range []string{"open choice of ", "closed choice of ", "open choice", "closed choice", "choice of "} {
		if rest, ok := strings.CutPrefix(lower, choice); ok {
			if strings.TrimSpace(rest) == "" {
				return "Text"
			}
			return typeOf(s[len(s)-len(rest):], own)
		}
	}
	if lower == "lang alt" {
		return "lang"
	}
	for _, list := range []string{"bag", "seq", "alt"} {
		if lower == list {
			return list + " Any"
		}
		if rest, ok := strings.CutPrefix(lower, list+" "); ok {
			of := typeOf(s[len(s)-len(rest):], own)
			if of == "" {
				return ""
			}
			return list + " " + of
		}
	}
	if kind, ok := own[s]; ok {
		return kind
	}
	for _, one := range simpleTypes {
		if strings.EqualFold(one, s) {
			return one
		}
	}
	for one := range structures {
		if strings.EqualFold(one, s) {
			return one
		}
	}
	return ""
}
