package opc

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/beevik/etree"
)

// readGeneral reads XML as readPlain's callers do where it gives up.
func readGeneral(data []byte) (*etree.Document, error) {
	doc := etree.NewDocument()
	doc.ReadSettings = etree.ReadSettings{MaxDepth: maxDepth}
	err := doc.ReadFromBytes(data)
	doc.ReadSettings = etree.ReadSettings{}
	return doc, err
}

// samePlain fails when readPlain makes another tree than the general reader,
// or one where that finds a fault. It says whether there was a tree.
func samePlain(t *testing.T, data []byte) bool {
	t.Helper()
	got := readPlain(data)
	if got == nil {
		return false
	}
	want, err := readGeneral(data)
	if err != nil {
		t.Fatalf("a tree was made of %q, in which there is a fault: %v", data, err)
	}
	if !reflect.DeepEqual(got, want) {
		gotText, _ := got.WriteToString()
		wantText, _ := want.WriteToString()
		t.Fatalf("of %q\ngot  %q\nwant %q", data, gotText, wantText)
	}
	return true
}

func TestPlainXMLGivesTheTreeOfTheGeneralReader(t *testing.T) {
	t.Parallel()
	for _, data := range []string{
		`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\r\n" + `<w:p xmlns:w="u"><w:r w:a='1' b=""/><w:t xml:space="preserve"> a&amp;b &#x20AC;&#10; </w:t></w:p>` + "\n",
		"<a>\r\none\rtwo\n</a >",
		"<a b=\"x\r\ny&#13;z\">ü 漢</a>",
		`<a b="1" b="2" c:b="3"/>`,
		`<a><b></b><b/> text <b>]]</b></a>tail`,
		"  <a/>",
		`<a b="]]>&quot;&apos;&lt;&gt;"/>`,
		"",
	} {
		if !samePlain(t, []byte(data)) {
			t.Errorf("%q was left to the general reader", data)
		}
	}
}

func TestWhatIsNotPlainXMLIsLeftToTheGeneralReader(t *testing.T) {
	t.Parallel()
	many := "<a"
	for i := range maxPlainAttributes + 1 {
		many += " a" + strings.Repeat("b", i) + `=""`
	}
	for _, data := range []string{
		`<a`, `<a>`, `<a></b>`, `</a>`, `<a b></a>`, `<a b=1/>`, `<a b = "1"/>`, `<a b="<"/>`, `<a b="1"c="2"/>`, `<a/ >`, `<a>]]></a>`, `< a/>`,
		`<!-- c --><a/>`, `<a><![CDATA[x]]></a>`, `<?php 1?><a/>`, `<a><?xml version="1.0"?></a>`, `<?xml version="1.0"`, `<?xml version="1.1"?><a/>`, `<?xml version="1.0" encoding="latin1"?><a/>`,
		`<a>&nbsp;</a>`, `<a>&amp</a>`, `<a>&#0;</a>`, `<a>&#xD800;</a>`, `<a>&#x110000;</a>`, `<a>&#xFFFE;</a>`, `<a>&#X41;</a>`,
		"<a>\x00</a>", "<a>\x1B</a>", "<a>\xFF</a>", "<a>\uFFFE</a>", `<ä/>`, `<a:b:c/>`, `<:a/>`, `<a:/>`, `<1a/>`, `<a:1/>`,
		strings.Repeat("<a>", maxDepth) + strings.Repeat("</a>", maxDepth), many + "/>",
	} {
		if readPlain([]byte(data)) != nil {
			t.Errorf("a tree was made of %.100q", data)
		}
	}
}

func FuzzReadPlain(f *testing.F) {
	f.Add([]byte(`<?xml version="1.0"?><w:p xmlns:w="u"><w:t a='1' b="&#x41;">a&amp;b</w:t> <x/></w:p>`))
	f.Add([]byte("<a b=\"x\r\ny\">\r]]&gt;<b/></a>"))
	f.Fuzz(func(t *testing.T, data []byte) { samePlain(t, data) })
}

// Characters and references are bounded by XML 1.0, 2.2, 4.1 and 4.6.
func TestPlainXMLReadsWhatIsAtItsBounds(t *testing.T) {
	t.Parallel()
	attributes := "<a"
	for i := range maxPlainAttributes {
		attributes += fmt.Sprintf(` a%d="%d"`, i, i)
	}
	for _, data := range []string{
		attributes + "/>", strings.Repeat("<a>", maxDepth-1) + strings.Repeat("</a>", maxDepth-1),
		`<a>&#9;&#10;&#13;&#32;&#xFFFD;&#x10FFFF;&#xd7ff;&#xE000;</a>`, "<a>\t\n \uFFFD\U0010FFFF</a>",
		`<_a-b.c9 _d:_e="1"/>`, `<A:Z xmlns:A="u"></A:Z	>`, "<a\n\tb='\"'\r\n/>", `<a b="'"/>`, `<a>&amp;&lt;&gt;&quot;&apos;</a>`,
		`<?xml version="1.0" encoding="UTF-8" standalone="no"?><a/>`, `<?xml version="1.0" encoding="UTF-8"?><a/>`, `<?xml version="1.0" encoding="utf-8"?><a/>`, `<?xml version="1.0"?><a/>`,
	} {
		if !samePlain(t, []byte(data)) {
			t.Errorf("%.100q was left to the general reader", data)
		}
	}
	for _, data := range []string{
		`<a>&#31;</a>`, `<a>&#11;</a>`, `<a>&#xFFFF;</a>`, `<a>&#x10FFFF0;</a>`, `<a>&#;</a>`, `<a>&;</a>`, `<a>&#x;</a>`, `<a>&#1a;</a>`, `<a>&65;</a>`,
		"<a>\x1F</a>", "<a>\uFFFF</a>", `<-a/>`, `<.a/>`, `<a:-b/>`, `<a b="1"`, `<a b="&x;"/>`, `<a></a`, `<a></a b>`, `<a></a:b>`, `<b:a></a>`, `<a/></a>`, `<a b=`, `<a b="1" b>`, `<a =""/>`, `<a b"1"/>`,
		"<a\u00A0b=\"1\"/>",
	} {
		if readPlain([]byte(data)) != nil {
			t.Errorf("a tree was made of %q", data)
		}
	}
}
