package opc

import "testing"

func TestXMLUsesCustomaryPrefixes(t *testing.T) {
	t.Parallel()
	const (
		w  = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
		mc = "http://schemas.openxmlformats.org/markup-compatibility/2006"
	)
	cases := []struct{ name, in, want string }{
		{"generated names", `<ns0:a xmlns:ns0="` + w + `"><ns0:b ns0:val="1"/></ns0:a>`, `<w:a xmlns:w="` + w + `"><w:b w:val="1"/></w:a>`},
		{"default namespace", `<a xmlns="` + w + `" xmlns:w="` + w + `"><b w:val="1" id="2"/></a>`, `<w:a xmlns:w="` + w + `"><w:b w:val="1" id="2"/></w:a>`},
		{"foreign default inside", `<x:a xmlns:x="` + w + `"><b xmlns="urn:b"><c/></b><x:d/></x:a>`, `<w:a xmlns:w="` + w + `"><b xmlns="urn:b"><c/></b><w:d/></w:a>`},
		{"a customary prefix for something else", `<w:a xmlns:w="urn:w"><w:b/></w:a>`, `<other-w:a xmlns:other-w="urn:w"><other-w:b/></other-w:a>`},
		{"lists of prefixes", `<x:a xmlns:x="` + w + `" xmlns:y="` + mc + `" xmlns:w14="urn:n" y:Ignorable="w14 z"><y:Choice Requires="w14"/></x:a>`,
			`<w:a xmlns:w="` + w + `" xmlns:mc="` + mc + `" xmlns:other-w14="urn:n" mc:Ignorable="other-w14 z"><mc:Choice Requires="other-w14"/></w:a>`},
		{"nothing to do", `<w:a xmlns:w="` + w + `"><a:b xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"/></w:a>`, ""},
	}
	for _, c := range cases {
		tree, err := parseXML("x.xml", []byte(c.in))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if c.want == "" {
			c.want = c.in
		}
		if got, _ := tree.WriteToString(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// The namespaces are those of ECMA-376 (transitional), ISO/IEC 29500 (strict) and
// of Microsoft's extensions ([MS-DOCX] 2.1, [MS-ODRAWXML] 2.1).
func TestEachNamespaceHasOneCustomaryPrefix(t *testing.T) {
	t.Parallel()
	const transitional, strict, microsoft = "http://schemas.openxmlformats.org/", "http://purl.oclc.org/ooxml/", "http://schemas.microsoft.com/office/"
	for namespace, prefix := range map[string]string{
		transitional + "wordprocessingml/2006/main":               "w",
		strict + "wordprocessingml/main":                          "w",
		transitional + "drawingml/2006/main":                      "a",
		strict + "drawingml/main":                                 "a",
		transitional + "presentationml/2006/main":                 "p",
		strict + "presentationml/main":                            "p",
		transitional + "officeDocument/2006/relationships":        "r",
		strict + "officeDocument/relationships":                   "r",
		transitional + "drawingml/2006/wordprocessingDrawing":     "wp",
		strict + "drawingml/wordprocessingDrawing":                "wp",
		transitional + "drawingml/2006/picture":                   "pic",
		strict + "drawingml/picture":                              "pic",
		transitional + "drawingml/2006/chart":                     "c",
		strict + "drawingml/chart":                                "c",
		transitional + "officeDocument/2006/math":                 "m",
		strict + "officeDocument/math":                            "m",
		transitional + "markup-compatibility/2006":                "mc",
		"urn:schemas-microsoft-com:vml":                           "v",
		"urn:schemas-microsoft-com:office:office":                 "o",
		microsoft + "word/2010/wordprocessingShape":               "wps",
		microsoft + "word/2010/wordprocessingGroup":               "wpg",
		microsoft + "word/2010/wordprocessingCanvas":              "wpc",
		microsoft + "word/2010/wordml":                            "w14",
		microsoft + "word/2010/wordprocessingDrawing":             "wp14",
		microsoft + "drawing/2010/main":                           "a14",
		"http://schemas.openxmlformats.org/wordprocessingml/main": "generated",
	} {
		for in, want := range map[string]string{
			`<generated:b xmlns:generated="` + namespace + `" generated:c="1"/>`:      `<` + prefix + `:b xmlns:` + prefix + `="` + namespace + `" ` + prefix + `:c="1"/>`,
			`<other:b xmlns:other="urn:x" xmlns:` + prefix + `="` + namespace + `"/>`: `<other:b xmlns:other="urn:x" xmlns:` + prefix + `="` + namespace + `"/>`,
		} {
			if got := rewritten(t, in); got != want {
				t.Errorf("%s:\n got %s\nwant %s", namespace, got, want)
			}
		}
		if prefix == "generated" {
			continue
		}
		in, want := `<`+prefix+`:b xmlns:`+prefix+`="urn:x"/>`, `<other-`+prefix+`:b xmlns:other-`+prefix+`="urn:x"/>`
		if got := rewritten(t, in); got != want {
			t.Errorf("%s for something else:\n got %s\nwant %s", prefix, got, want)
		}
	}
}

// rewritten is XML as it is written after it was read.
func rewritten(t *testing.T, text string) string {
	t.Helper()
	tree, err := parseXML("x.xml", []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return must(tree.WriteToString())
}

func TestPrefixesAreRenamedWhereTheyAreDeclared(t *testing.T) {
	t.Parallel()
	const w, mc = `"http://schemas.openxmlformats.org/wordprocessingml/2006/main"`, `"http://schemas.openxmlformats.org/markup-compatibility/2006"`
	for _, c := range []struct{ name, in, want string }{
		{"inside their element alone", `<a><x:b xmlns:x=` + w + `><x:c/></x:b><x:d xmlns:x="urn:x"/></a>`, `<a><w:b xmlns:w=` + w + `><w:c/></w:b><x:d xmlns:x="urn:x"/></a>`},
		{"until they are declared again", `<x:a xmlns:x=` + w + `><x:b xmlns:x="urn:x"/><x:c/></x:a>`, `<w:a xmlns:w=` + w + `><x:b xmlns:x="urn:x"/><w:c/></w:a>`},
		{"two for one namespace", `<x:a xmlns:x=` + w + ` xmlns:y=` + w + `><y:b x:c="1" y:d="2"/></x:a>`, `<w:a xmlns:w=` + w + `><w:b w:c="1" w:d="2"/></w:a>`},
		{"not attributes without one", `<x:a xmlns:x=` + w + ` val="1" x:val="2"/>`, `<w:a xmlns:w=` + w + ` val="1" w:val="2"/>`},
		{"not xml:space", `<x:a xmlns:x=` + w + ` xml:space="preserve"/>`, `<w:a xmlns:w=` + w + ` xml:space="preserve"/>`},
		{"a default namespace that is not known", `<a xmlns="urn:x"><b/></a>`, `<a xmlns="urn:x"><b/></a>`},
		{"what must be understood", `<a xmlns:w="urn:x" xmlns:mc=` + mc + ` mc:MustUnderstand=" w  y "/>`, `<a xmlns:other-w="urn:x" xmlns:mc=` + mc + ` mc:MustUnderstand="other-w y"/>`},
		{"no other list", `<a xmlns:w="urn:x" xmlns:mc=` + mc + ` Ignorable="w" mc:PreserveElements="w"><mc:Fallback Requires="w"/><b Requires="w"/><mc:Choice Other="w"/></a>`,
			`<a xmlns:other-w="urn:x" xmlns:mc=` + mc + ` Ignorable="w" mc:PreserveElements="w"><mc:Fallback Requires="w"/><b Requires="w"/><mc:Choice Other="w"/></a>`},
	} {
		if got := rewritten(t, c.in); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
		if again := rewritten(t, c.want); again != c.want {
			t.Errorf("%s: read once more it is %s", c.name, again)
		}
	}
}
