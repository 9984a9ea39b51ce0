package wml

import (
	"testing"
)

func TestAStyleStandsOnThoseThatItIsBasedOn(t *testing.T) {
	t.Parallel()
	sheet := newStyleSheet(element(t, `<w:styles>`+
		`<w:style w:type="paragraph" w:styleId="C"><w:basedOn w:val="B"/></w:style>`+ // before the one that it needs
		`<w:style w:type="paragraph" w:styleId="A"><w:name w:val="The root"/></w:style>`+
		`<w:style w:type="paragraph" w:styleId="B"><w:basedOn w:val="A"/></w:style>`+
		`<w:style w:type="paragraph" w:styleId="Orphan"><w:basedOn w:val="Missing"/></w:style>`+
		`<w:style w:type="paragraph" w:styleId="Self"><w:basedOn w:val="Self"/></w:style>`+
		`<w:style w:type="paragraph" w:styleId="Loop1"><w:basedOn w:val="Loop2"/></w:style>`+
		`<w:style w:type="paragraph" w:styleId="Loop2"><w:basedOn w:val="Loop1"/></w:style>`+
		`</w:styles>`))
	for id, want := range map[string][]string{
		"A": {"A"}, "B": {"A", "B"}, "C": {"A", "B", "C"}, "Orphan": {"Orphan"}, "Self": {"Self"}, "Loop1": {"Loop2", "Loop1"}, "Loop2": {"Loop1", "Loop2"},
	} {
		var got []string
		for _, s := range sheet.styles[id].chain {
			got = append(got, s.id)
		}
		equal(t, id, got, want)
	}
	if got := sheet.styles["A"].name; got != "The root" {
		t.Errorf("name: got %q", got)
	}
}

func TestAStyleIsFoundByItsIDAndKind(t *testing.T) {
	t.Parallel()
	sheet := newStyleSheet(element(t, `<w:styles>`+
		`<w:style w:type="paragraph" w:styleId="P" w:default="1"/><w:style w:type="paragraph" w:styleId="Q" w:default="0"/>`+
		`<w:style w:type="character" w:styleId="C" w:default="1"/><w:style w:type="table" w:styleId="T"/></w:styles>`))
	name := func(s *style) string {
		if s == nil {
			return "none"
		}
		return s.id
	}
	for _, c := range []struct{ id, kind, want string }{
		{"P", "paragraph", "P"},
		{"Q", "paragraph", "Q"},
		{"missing", "paragraph", "P"},
		{"", "paragraph", "P"},
		{"C", "paragraph", "P"}, // of another kind
		{"T", "table", "T"},
		{"P", "table", "none"}, // tables have no default here
	} {
		if got := name(sheet.get(c.id, c.kind)); got != c.want {
			t.Errorf("%q among %s styles: got %s, want %s", c.id, c.kind, got, c.want)
		}
	}
	for id, want := range map[string]string{"C": "C", "missing": "none", "": "none", "P": "none"} {
		if got := name(sheet.character(id)); got != want {
			t.Errorf("character style %q: got %s, want %s", id, got, want)
		}
	}
}

func TestParagraphsWithoutAStyleTakeTheDefaultOne(t *testing.T) {
	t.Parallel()
	const styles = `<w:style w:type="paragraph" w:styleId="N" w:default="1"><w:name w:val="Normal"/><w:pPr><w:jc w:val="center"/></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 1"/></w:style>` +
		`<w:style w:type="character" w:styleId="C" w:default="1"><w:rPr><w:b/></w:rPr></w:style>`
	for _, c := range []struct{ pPr, style, name, align string }{
		{``, "N", "Normal", "center"},
		{`<w:pStyle w:val="missing"/>`, "N", "Normal", "center"},
		{`<w:pStyle w:val="H"/>`, "H", "heading 1", "left"}, // not based on it
	} {
		p := firstParagraph(t, docx{styles: styles, body: para(c.pPr, text("x"))}.read(t))
		if p.Style != c.style || p.StyleName != c.name || p.Align != c.align {
			t.Errorf("%q: got %q, %q, %s; want %q, %q, %s", c.pPr, p.Style, p.StyleName, p.Align, c.style, c.name, c.align)
		}
		if p.Runs[0].Bold {
			t.Errorf("%q: the text has the default character style", c.pPr)
		}
	}
}

func TestADefaultStyleNeedsNoID(t *testing.T) {
	t.Parallel()
	const styles = `<w:style w:type="paragraph" w:default="1"><w:pPr><w:jc w:val="center"/></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="P"/>` // based on nothing, so not on the one without an id
	d := docx{styles: styles, body: para(``, ``) + para(`<w:pStyle w:val="P"/>`, ``)}.read(t)
	p := paragraphsOf(d.Sections[0].Blocks)
	if p[0].Align != "center" || p[1].Align != "left" {
		t.Errorf("got %s and %s, want center and left", p[0].Align, p[1].Align)
	}
}

func TestADefaultTableStyleIsForTablesThatNameNone(t *testing.T) {
	t.Parallel()
	const styles = `<w:style w:type="table" w:styleId="D" w:default="1"><w:tblPr><w:jc w:val="center"/></w:tblPr></w:style>` +
		`<w:style w:type="table" w:styleId="T"><w:tblPr><w:jc w:val="right"/></w:tblPr></w:style>`
	for tblPr, want := range map[string]string{``: "D center", `<w:tblStyle w:val="T"/>`: "T right", `<w:tblStyle w:val="missing"/>`: "D center"} {
		table := firstTable(t, docx{styles: styles, body: `<w:tbl><w:tblPr>` + tblPr + `</w:tblPr><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>`}.read(t))
		if got := table.Style + " " + table.Align; got != want {
			t.Errorf("%q: got %s, want %s", tblPr, got, want)
		}
	}
}

func TestADocumentWithoutStylesIsReadAllTheSame(t *testing.T) {
	t.Parallel()
	p := firstParagraph(t, docx{body: para(`<w:pStyle w:val="H"/>`, `<w:r><w:rPr><w:rStyle w:val="C"/></w:rPr><w:t>x</w:t></w:r>`)}.read(t))
	if p.Style != "" || p.StyleName != "" || p.Text() != "x" {
		t.Errorf("got style %q named %q and text %q, want no style and x", p.Style, p.StyleName, p.Text())
	}
}
