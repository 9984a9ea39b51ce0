package pdfa

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"unicode/utf8"
)

var head = regexp.MustCompile(`^%PDF-1\.[0-7](?:\r\n|\r|\n)%[\x80-\xff]{4}`)

// frame checks what stands around objects.
func (c *checker) frame() {
	begin := c.data[:min(len(c.data), 32)]
	latin := make([]rune, len(begin)) // a byte a character, for the expression
	for i, b := range begin {
		latin[i] = rune(b)
	}
	if !head.MatchString(string(latin)) {
		c.fault("6.1.2", "it does not begin with %%PDF-1.n and a comment of four bytes that are no ASCII")
	}
	if at := bytes.LastIndex(c.data, []byte("%%EOF")); at >= 0 {
		switch string(c.data[at+5:]) {
		case "", "\n", "\r", "\r\n":
		default:
			c.fault("6.1.3", "something stands behind its end")
		}
	}
	if id := c.array(c.trailer["ID"]); len(id) == 0 || c.text(id[0]) == "" {
		c.fault("6.1.3", "it has no ID")
	}
	if c.trailer["Encrypt"] != nil {
		c.fault("6.1.3", "it is encrypted")
	}
	for _, at := range c.tables {
		rest := c.data[at+len("xref"):]
		switch {
		case bytes.HasPrefix(rest, []byte("\r\n")):
			rest = rest[2:]
		case bytes.HasPrefix(rest, []byte("\n")), bytes.HasPrefix(rest, []byte("\r")):
			rest = rest[1:]
		default:
			rest = nil
		}
		if len(rest) == 0 || rest[0] < '0' || rest[0] > '9' {
			c.fault("6.1.4", "xref and the line behind it do not follow each other")
		}
	}
}

// atom checks strings, names and numbers (6.1.6, 6.1.13).
func (c *checker) atom(o any) {
	switch o := o.(type) {
	case text:
		if o.isOdd {
			c.fault("6.1.6", "a string in hexadecimal digits has an odd number of them")
		}
		if o.isForeign {
			c.fault("6.1.6", "a string in hexadecimal digits has others in it")
		}
		if len(o.value) > 32767 {
			c.fault("6.1.13", "a string has more than 32767 bytes")
		}
	case name:
		if len(o) > 127 {
			c.fault("6.1.13", "a name has more than 127 bytes")
		}
	case number:
		v := max(o.value, -o.value)
		switch {
		case o.isInteger && (o.value > 2147483647 || o.value < -2147483648):
			c.fault("6.1.13", "an integer has more than 32 bits")
		case !o.isInteger && (v > 3.403e38 || v != 0 && v < 1.175e-38):
			c.fault("6.1.13", "a number is too large or too small")
		}
	}
}

// everyObject reads all objects, and checks how they are written.
func (c *checker) everyObject() {
	if len(c.places) > 8388607 {
		c.fault("6.1.13", "it has more than 8388607 objects")
	}
	for _, n := range slices.Sorted(maps.Keys(c.places)) {
		at := c.places[n]
		o := c.load(n)
		if at.in == 0 && at.offset >= 0 && at.offset < len(c.data) {
			c.written(n, at, o)
		}
		if s, ok := o.(*stream); ok {
			c.streamWritten(s)
		}
		c.generic(o, 0)
	}
}

var objectHead = regexp.MustCompile(`^\d+[ \r\n\t\f\x00]\d+[ \r\n\t\f\x00]obj[\r\n]`)

// written checks the spaces around an object (6.1.9).
func (c *checker) written(n int, at place, o any) {
	for at.offset < len(c.data) && isSpace(c.data[at.offset]) {
		at.offset++
	}
	rest := c.data[at.offset:]
	ok := objectHead.Match(rest[:min(len(rest), 40)])
	if at.offset > 0 {
		before := c.data[at.offset-1]
		ok = ok && (before == '\n' || before == '\r')
	}
	p := &parser{data: c.data, at: at.offset}
	defer func() { c.readOn(p.at - at.offset) }()
	if s, isStream := o.(*stream); isStream {
		p.at = s.begin
		if end := bytes.Index(c.data[p.at+len(s.raw):], []byte("endstream")); end >= 0 {
			p.at += len(s.raw) + end + len("endstream")
		} else {
			c.readOn(len(c.data) - p.at)
		}
	} else {
		p.token()
		p.token()
		if p.token() != keyword("obj") {
			return // none: a place that leads elsewhere
		}
		p.object()
	}
	p.skip()
	if !bytes.HasPrefix(c.data[p.at:], []byte("endobj")) {
		ok = false
	} else {
		before, after := c.data[p.at-1], p.peek(len("endobj"))
		ok = ok && (before == '\n' || before == '\r') && (after == '\n' || after == '\r')
	}
	if !ok {
		c.fault("6.1.9", "object %d is not written with the spaces that it needs", n)
	}
}

// filters are those of ISO 32000-1, table 6, but for LZW.
var filters = []name{"ASCIIHexDecode", "ASCII85Decode", "FlateDecode", "RunLengthDecode", "CCITTFaxDecode", "JBIG2Decode", "DCTDecode", "JPXDecode"}

// streamWritten checks how a stream is written (6.1.7).
func (c *checker) streamWritten(s *stream) {
	begin := s.begin
	switch {
	case bytes.HasPrefix(c.data[begin:], []byte("\r\n")):
		begin += 2
	case bytes.HasPrefix(c.data[begin:], []byte("\n")):
		begin++
	default:
		c.fault("6.1.7", "the word stream of object %d does not end its line", s.number)
		begin++
	}
	length, isLength := c.get(s.dict["Length"]).(number)
	end := begin + int(length.value)
	if !isLength || end < begin || end > len(c.data) {
		c.fault("6.1.7", "the stream of object %d has another length than it says", s.number)
	} else if rest := c.data[end:]; !bytes.HasPrefix(rest, []byte("\nendstream")) && !bytes.HasPrefix(rest, []byte("\r\nendstream")) && !bytes.HasPrefix(rest, []byte("\rendstream")) {
		c.fault("6.1.7", "the stream of object %d has another length than it says", s.number)
	}
	for _, key := range []name{"F", "FFilter", "FDecodeParms"} {
		if s.dict[key] != nil {
			c.fault("6.1.7", "the stream of object %d is in another file", s.number)
		}
	}
	parameters := c.list(s.dict["DecodeParms"])
	for i, filter := range c.list(s.dict["Filter"]) {
		n := c.name(filter)
		isIdentity := n == "Crypt" && i < len(parameters) && c.name(c.dict(parameters[i])["Name"]) == "Identity"
		if !slices.Contains(filters, n) && !isIdentity {
			c.fault("6.1.7", "a stream is packed by %s", n)
		}
	}
}

// generic checks what counts for an object wherever it stands.
func (c *checker) generic(o any, depth int) {
	if depth > maxDepth {
		return
	}
	switch o := o.(type) {
	case array:
		for _, one := range o {
			c.generic(one, depth+1)
		}
	case *stream:
		c.generic(o.dict, depth+1)
	case dict:
		for _, one := range o {
			c.generic(one, depth+1)
		}
		files := c.list(o["AF"])
		if !c.spend(len(files)) {
			return
		}
		for _, one := range files {
			if r, ok := one.(reference); ok {
				c.associated[r.number] = true
			}
		}
		switch {
		case c.name(o["Type"]) == "StructElem" && o["S"] != nil:
			c.readable("the type of an element", string(c.name(o["S"])))
		case c.name(o["Type"]) == "Font" || c.name(o["Type"]) == "FontDescriptor":
			c.readable("the name of a font", string(c.name(o["BaseFont"])))
			c.readable("the name of a font", string(c.name(o["FontName"])))
		}
	}
}

func (c *checker) readable(what, s string) {
	if !utf8.ValidString(s) {
		c.fault("6.1.8", "%s is no UTF-8", what)
	}
}
