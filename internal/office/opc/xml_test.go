package opc

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestXMLReadsUTF16(t *testing.T) {
	t.Parallel()
	source := append([]byte("\xFF\xFE"), utf16le(`<?xml version="1.0" encoding="UTF-16"?><a>ä𝒳</a>`)...)
	tree, err := parseXML("x.xml", source)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := must(tree.WriteToString()), `<?xml version="1.0" encoding="UTF-8"?><a>ä𝒳</a>`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	hidden := append([]byte("\xFF\xFE"), utf16le(`<!DOCTYPE a><a/>`)...)
	if _, err := parseXML("x.xml", hidden); err == nil {
		t.Error("a document type in UTF-16 was accepted")
	}
}

func TestXMLIsReadInEachEncodingOfOPC(t *testing.T) {
	t.Parallel()
	bigEndian := func(s string) []byte {
		out := []byte("\xFE\xFF")
		for _, u := range utf16.Encode([]rune(s)) {
			out = binary.BigEndian.AppendUint16(out, u)
		}
		return out
	}
	littleEndian := func(s string) []byte { return append([]byte("\xFF\xFE"), utf16le(s)...) }
	const declared = `<?xml version="1.0" encoding="utf-16" standalone="yes"?><a>€𝒳</a>`
	const want = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><a>€𝒳</a>`
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"little-endian":                {littleEndian(declared), want},
		"big-endian":                   {bigEndian(declared), want},
		"an odd byte at the end":       {append(littleEndian(`<a/>`), 0), `<a/>`},
		"UTF-8 with a byte order mark": {[]byte("\xEF\xBB\xBF<a>€</a>"), `<a>€</a>`},
		"UTF-8":                        {[]byte(want), want},
		"another instruction":          {[]byte(`<?other encoding="utf-16"?><a/>`), `<?other encoding="utf-16"?><a/>`},
	} {
		tree, err := parseXML("x.xml", c.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := must(tree.WriteToString()); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// A carriage return, a tab or a line feed that was written as a reference would
// be lost or changed otherwise (XML 1.0, 2.11 and 3.3.3).
func TestXMLIsWrittenAsItReads(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`<a b="&lt;&amp;&quot;&#xA;&#x9;&#xD;">&lt;a&gt; &amp; "b"&#xD;</a>`, `<a> <b/> </a>`, "<a>\n\t<b/>\n</a>", `<a><!--c--><?i x?><b/></a>`,
	} {
		tree, err := parseXML("x.xml", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := must(tree.WriteToString()); got != text {
			t.Errorf("got %s, want %s", got, text)
		}
	}
}

func TestXMLNestsAsDeepAsTheLimit(t *testing.T) {
	t.Parallel()
	nested := func(depth int) []byte {
		return []byte(strings.Repeat("<a>", depth) + strings.Repeat("</a>", depth))
	}
	for _, depth := range []int{255, 256} {
		if _, err := parseXML("x.xml", nested(depth)); err != nil {
			t.Errorf("%d elements deep: got %v, want no error", depth, err)
		}
	}
	_, err := parseXML("x.xml", nested(257))
	wantFormatError(t, err, "x.xml is nested too deeply")
}

func TestXMLIsCountedBeforeItIsParsed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]xmlSize{
		``:                                    {0, 0},
		`<a/>`:                                {1, 1},
		`<a b="1" c="2"><d></d>text=</a>`:     {2, 7}, // four tags, and three times "="
		`<a><b/><!-- no element, yet --></a>`: {3, 4},
	} {
		if got, err := scanXML("x.xml", []byte(text)); err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v", text, got, err, want)
		}
	}
	for size, want := range map[xmlSize]bool{
		{maxElements, maxNodes}: false, {maxElements + 1, 0}: true, {0, maxNodes + 1}: true,
	} {
		if got := size.isTooLarge(); got != want {
			t.Errorf("%+v is too large: %t, want %t", size, got, want)
		}
	}
	_, err := parseXML("x.xml", []byte("<a>"+strings.Repeat("<a/>", maxElements)+"</a>"))
	wantFormatError(t, err, "x.xml has too many elements")
	for _, text := range []string{`<!ENTITY a "b"><a/>`, `<a><!-- <!DOCTYPE --></a>`} {
		size, err := scanXML("x.xml", []byte(text))
		wantFormatError(t, err, "x.xml declares a document type")
		if size != (xmlSize{}) {
			t.Errorf("%s: got the size %+v, want none", text, size)
		}
	}
}

func TestXMLThatIsDamagedNamesItsPart(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`<a`: "word/x.xml is not valid XML", `<a>&nbsp;</a>`: "word/x.xml is not valid XML", ``: "word/x.xml is empty", `<?xml version="1.0"?>`: "word/x.xml is empty",
	} {
		tree, err := parseXML("word/x.xml", []byte(text))
		wantFormatError(t, err, want)
		if tree != nil {
			t.Errorf("%q: got a tree with its error", text)
		}
	}
}
