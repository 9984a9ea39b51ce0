package wml

import (
	"testing"
)

// complexField is a field of several runs; each run has these properties.
func complexField(rPr, instruction, result string) string {
	run := func(content string) string { return `<w:r><w:rPr>` + rPr + `</w:rPr>` + content + `</w:r>` }
	return run(`<w:fldChar w:fldCharType="begin"/>`) + run(`<w:instrText xml:space="preserve"> `+instruction+` </w:instrText>`) +
		run(`<w:fldChar w:fldCharType="separate"/>`) + run(`<w:t>`+result+`</w:t>`) + run(`<w:fldChar w:fldCharType="end"/>`)
}

// ECMA-376 part 1, 17.16.5.25: the address is the field's argument; \l, \o and
// \t have arguments of their own, \m and \n have none.
func TestHyperlinkFieldsLeadToTheirAddressOrBookmark(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ instruction, url, bookmark string }{
		{`HYPERLINK "https://example.com"`, "https://example.com", ""},
		{`HYPERLINK https://example.com`, "https://example.com", ""},
		{`hyperlink “https://example.com”`, "https://example.com", ""},
		{`HYPERLINK "https://example.com" \l "part"`, "https://example.com#part", "part"},
		{`HYPERLINK \l "part"`, "", "part"},
		{`HYPERLINK \l "part" \o "Go there"`, "", "part"},
		{`HYPERLINK \o "Go there" \l "part"`, "", "part"},
		{`HYPERLINK \l "part" \t "_blank"`, "", "part"},
		{`HYPERLINK \n \l "part" \m`, "", "part"},
		{`HYPERLINK "https://example.com" \o "a tip" \t "_blank"`, "https://example.com", ""},
		{`HYPERLINK \t "_blank" "https://example.com"`, "https://example.com", ""},
		{`HYPERLINK "file:///C:/My Documents/a.pdf"`, "file:///C:/My Documents/a.pdf", ""},
		{`HYPERLINK \l "part" \* MERGEFORMAT`, "", "part"},
		{`HYPERLINK"https://example.com"\l"part"`, "https://example.com#part", "part"},
		{`HYPERLINK "https://example.com`, "https://example.com", ""},
		{`HYPERLINK "https://example.com" second`, "https://example.com", ""},
	} {
		d := docx{body: `<w:p>` + complexField("", c.instruction, "x") + text("behind") + `</w:p>`}.read(t)
		runs := firstParagraph(t, d).Runs
		if l := runs[0].Link; l == nil || l.URL != c.url || l.Bookmark != c.bookmark {
			t.Errorf("%s: got %+v, want address %q and bookmark %q", c.instruction, l, c.url, c.bookmark)
		}
		if l := runs[1].Link; l != nil {
			t.Errorf("%s: the text behind the field leads to %+v", c.instruction, l)
		}
	}
}

func TestHyperlinkFieldsWithoutAnAddressLeadNowhere(t *testing.T) {
	t.Parallel()
	for _, instruction := range []string{`HYPERLINK`, `HYPERLINK ""`, `HYPERLINK \l`, `HYPERLINK \o "tip"`, `HYPERLINK \n`} {
		r := firstRun(t, docx{body: `<w:p>` + complexField("", instruction, "x") + `</w:p>`}.read(t))
		if r.Link != nil {
			t.Errorf("%s: got %+v, want no link", instruction, r.Link)
		}
	}
}

func TestHiddenFieldsShowNothing(t *testing.T) {
	t.Parallel()
	const vanish = `<w:vanish/>`
	for what, xml := range map[string]string{
		"a page number":              complexField(vanish, "PAGE", "3"),
		"a page number, not updated": `<w:r><w:rPr>` + vanish + `</w:rPr><w:fldChar w:fldCharType="begin"/><w:instrText>PAGE</w:instrText><w:fldChar w:fldCharType="end"/></w:r>`,
		"a simple page number":       `<w:fldSimple w:instr="PAGE"><w:r><w:rPr>` + vanish + `</w:rPr><w:t>3</w:t></w:r></w:fldSimple>`,
		"a date":                     complexField(vanish, "DATE", "today"),
		"a check box":                `<w:r><w:rPr>` + vanish + `</w:rPr><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox/></w:ffData></w:fldChar><w:fldChar w:fldCharType="end"/></w:r>`,
	} {
		for _, r := range firstParagraph(t, docx{body: `<w:p>` + xml + `</w:p>`}.read(t)).Runs {
			for _, item := range r.Items {
				t.Errorf("%s: got an item of kind %d with text %q, want nothing", what, item.Kind, item.Text)
			}
		}
	}
}
