package wml

import (
	"testing"
)

func TestAPlainParagraphHasTheStandardsDefaults(t *testing.T) {
	t.Parallel()
	p := firstParagraph(t, docx{body: `<w:p>` + text("x") + `</w:p>`}.read(t))
	equal(t, "paragraph", p.ParagraphProperties, ParagraphProperties{Outline: -1, Align: "left", Line: 1, LineRule: "auto", WidowControl: true})
	plain := RunProperties{Fonts: Fonts{ASCII: "Times New Roman", HighANSI: "Times New Roman"}, Size: 10, Scale: 1}
	equal(t, "text", p.Runs[0].RunProperties, plain)
	equal(t, "mark", p.Mark, plain)
}

// ECMA-376 part 1, 17.7.2: defaults, table, numbering, paragraph, character,
// direct formatting; each layer over the one before it.
func TestALayerOfFormattingWinsOverTheWeakerOnes(t *testing.T) {
	t.Parallel()
	const defaults = `<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="20"/><w:color w:val="010000"/></w:rPr></w:rPrDefault>` +
		`<w:pPrDefault><w:pPr><w:spacing w:before="20" w:after="20"/></w:pPr></w:pPrDefault></w:docDefaults>`
	const table = `<w:style w:type="table" w:styleId="T"><w:pPr><w:spacing w:before="40"/></w:pPr><w:rPr><w:color w:val="020000"/></w:rPr></w:style>`
	const paragraph = `<w:style w:type="paragraph" w:styleId="P"><w:pPr><w:spacing w:before="60"/></w:pPr><w:rPr><w:color w:val="030000"/></w:rPr></w:style>`
	const character = `<w:style w:type="character" w:styleId="C"><w:rPr><w:color w:val="040000"/></w:rPr></w:style>`
	inTable := func(p string) string {
		return `<w:tbl><w:tblPr><w:tblStyle w:val="T"/></w:tblPr><w:tr><w:tc>` + p + `</w:tc></w:tr></w:tbl>`
	}
	run := func(rPr string) string { return `<w:r><w:rPr>` + rPr + `</w:rPr><w:t>x</w:t></w:r>` }
	for _, c := range []struct {
		what, body string
		before     float64
		red        uint8
	}{
		{"defaults", para(``, run(``)), 1, 1},
		{"table style", inTable(para(``, run(``))), 2, 2},
		{"paragraph style", inTable(para(`<w:pStyle w:val="P"/>`, run(``))), 3, 3},
		{"character style", inTable(para(`<w:pStyle w:val="P"/>`, run(`<w:rStyle w:val="C"/>`))), 3, 4},
		{"direct", inTable(para(`<w:pStyle w:val="P"/><w:spacing w:before="100"/>`, run(`<w:rStyle w:val="C"/><w:color w:val="050000"/>`))), 5, 5},
		{"direct, in front of its style", para(``, run(`<w:color w:val="050000"/><w:rStyle w:val="C"/>`)), 1, 5},
	} {
		d := docx{styles: defaults + table + paragraph + character, body: c.body}.read(t)
		blocks := d.Sections[0].Blocks
		if table, ok := blocks[0].(*Table); ok {
			blocks = table.Rows[0].Cells[0].Blocks
		}
		p := paragraphsOf(blocks)[0]
		if got := p.Runs[0].Color; p.Before != c.before || got == nil || got.R != c.red {
			t.Errorf("%s: got %g points before and colour %v, want %g and red %d", c.what, p.Before, got, c.before, c.red)
		}
		if p.After != 1 || p.Runs[0].Size != 10 {
			t.Errorf("%s: got %g points behind and size %g, want the 1 and 10 of the defaults, which nothing else names", c.what, p.After, p.Runs[0].Size)
		}
	}
}

// Apple Pages writes an empty framePr into the defaults.
func TestAFrameInTheDefaultsPutsNothingIntoAFrame(t *testing.T) {
	t.Parallel()
	const styles = `<w:docDefaults><w:pPrDefault><w:pPr><w:framePr w:w="2000"/></w:pPr></w:pPrDefault></w:docDefaults>` +
		`<w:style w:type="paragraph" w:styleId="P"><w:pPr><w:framePr w:w="4000"/></w:pPr></w:style>`
	d := docx{styles: styles, body: para(``, ``) + para(`<w:pStyle w:val="P"/>`, ``)}.read(t)
	p := paragraphsOf(d.Sections[0].Blocks)
	if p[0].Frame != nil {
		t.Errorf("plain paragraph: got %+v, want no frame", p[0].Frame)
	}
	if p[1].Frame == nil || p[1].Frame.Width != 200 {
		t.Errorf("paragraph of a style with a frame: got %+v, want one of 200 points", p[1].Frame)
	}
}

func TestParagraphsOfOneStyleDoNotShareWhatIsTheirOwn(t *testing.T) {
	t.Parallel()
	const styles = `<w:style w:type="paragraph" w:styleId="P"><w:pPr><w:ind w:left="200"/><w:tabs><w:tab w:pos="400"/><w:tab w:pos="600"/></w:tabs></w:pPr></w:style>`
	d := docx{styles: styles, body: para(`<w:pStyle w:val="P"/><w:bidi/><w:tabs><w:tab w:val="clear" w:pos="400"/></w:tabs>`, ``) + para(`<w:pStyle w:val="P"/>`, ``)}.read(t)
	p := paragraphsOf(d.Sections[0].Blocks)
	equal(t, "tabs of the first", p[0].Tabs, []Tab{{Pos: 30, Align: "left"}})
	equal(t, "tabs of the second", p[1].Tabs, []Tab{{Pos: 20, Align: "left"}, {Pos: 30, Align: "left"}})
	if p[1].RTL || p[1].Left != 10 || p[1].Right != 0 {
		t.Errorf("second: got right-to-left %t, indents %g and %g; want the style's 10 at the left", p[1].RTL, p[1].Left, p[1].Right)
	}
}

func TestThePlaceOfAListIsTheNearestThatIsNamed(t *testing.T) {
	t.Parallel()
	lists := abstract("a", level(0, "decimal", "a%1", "")+level(1, "decimal", "b%2", "")+level(2, "decimal", "c%3", "")) + num("1", "a", "") +
		abstract("z", level(0, "decimal", "z%1", "")) + num("2", "z", "")
	const styles = `<w:style w:type="paragraph" w:styleId="Root"><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Heir"><w:basedOn w:val="Root"/></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Other"><w:basedOn w:val="Root"/><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Deeper"><w:basedOn w:val="Root"/><w:pPr><w:numPr><w:ilvl w:val="2"/></w:numPr></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Out"><w:basedOn w:val="Root"/><w:pPr><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr></w:style>`
	for _, c := range []struct{ what, pPr, want string }{
		{"the style's", `<w:pStyle w:val="Root"/>`, "b1"},
		{"that of the style below", `<w:pStyle w:val="Heir"/>`, "b1"},
		{"another list than the style below", `<w:pStyle w:val="Other"/>`, "z1"},
		{"another level than the style below", `<w:pStyle w:val="Deeper"/>`, "c1"},
		{"none, unlike the style below", `<w:pStyle w:val="Out"/>`, ""},
		{"direct", `<w:pStyle w:val="Root"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr>`, "z1"},
		{"a direct level of the style's list", `<w:pStyle w:val="Root"/><w:numPr><w:ilvl w:val="0"/></w:numPr>`, "a1"},
		{"a direct list at the style's level", `<w:pStyle w:val="Out"/><w:numPr><w:numId w:val="1"/></w:numPr>`, "b1"},
		{"directly none", `<w:pStyle w:val="Root"/><w:numPr><w:numId w:val="0"/></w:numPr>`, ""},
		{"an empty numPr", `<w:pStyle w:val="Root"/><w:numPr/>`, "b1"},
	} {
		got := ""
		if l := firstParagraph(t, docx{styles: styles, lists: lists, body: para(c.pPr, text("x"))}.read(t)).Label; l != nil {
			got = l.Text
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

// ECMA-376 part 1, 17.9.23: a level that names a paragraph style applies to
// its paragraphs, even if the style names another.
func TestALevelThatNamesAStyleIsTheLevelOfItsParagraphs(t *testing.T) {
	t.Parallel()
	lists := abstract("a", level(0, "decimal", "first", `<w:pStyle w:val="H1"/>`)+level(1, "decimal", "second", `<w:pStyle w:val="H2"/>`)+level(2, "decimal", "third", "")) + num("1", "a", "")
	const styles = `<w:style w:type="paragraph" w:styleId="H1"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="H2"><w:basedOn w:val="H1"/></w:style>` +
		`<w:style w:type="paragraph" w:styleId="H2x"><w:basedOn w:val="H2"/></w:style>`
	for pPr, want := range map[string]string{
		`<w:pStyle w:val="H1"/>`:  "first",
		`<w:pStyle w:val="H2"/>`:  "second",
		`<w:pStyle w:val="H2x"/>`: "second", // that of the nearest style below
		`<w:pStyle w:val="H2"/><w:numPr><w:ilvl w:val="2"/></w:numPr>`: "third",
	} {
		equal(t, pPr, shownTexts(docx{styles: styles, lists: lists, body: para(pPr, text("x"))}.read(t).Sections[0].Blocks), []string{want + " x"})
	}
}

// The level's indent is over that of the styles below
// the one that names the list, under that one's own and under direct indents.
func TestTheIndentOfAListStandsBetweenThoseOfTheStylesAroundIt(t *testing.T) {
	t.Parallel()
	lists := abstract("a", level(0, "decimal", "%1", `<w:pPr><w:ind w:left="200" w:hanging="100"/></w:pPr>`)) + num("1", "a", "")
	const inList = `<w:numPr><w:numId w:val="1"/></w:numPr>`
	const styles = `<w:style w:type="paragraph" w:styleId="Plain"><w:pPr><w:ind w:left="400"/></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Bare"><w:pPr>` + inList + `</w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Below"><w:basedOn w:val="Plain"/><w:pPr>` + inList + `</w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Names"><w:pPr>` + inList + `<w:ind w:left="600"/></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Above"><w:basedOn w:val="Bare"/><w:pPr><w:ind w:left="800"/></w:pPr></w:style>`
	for _, c := range []struct {
		what, pPr       string
		left, firstLine float64
	}{
		{"a style without a list", `<w:pStyle w:val="Plain"/>`, 20, 0},
		{"a list without a style", inList, 10, -5},
		{"a style with an indent, and a list of the paragraph", `<w:pStyle w:val="Plain"/>` + inList, 10, -5},
		{"a style that names the list", `<w:pStyle w:val="Bare"/>`, 10, -5},
		{"a style that names the list, over one with an indent", `<w:pStyle w:val="Below"/>`, 10, -5},
		{"a style that names the list and an indent", `<w:pStyle w:val="Names"/>`, 30, -5},
		{"a style with an indent, over one that names the list", `<w:pStyle w:val="Above"/>`, 40, -5},
		{"an indent of the paragraph", `<w:pStyle w:val="Names"/><w:ind w:left="1000" w:firstLine="20"/>`, 50, 1},
	} {
		p := firstParagraph(t, docx{styles: styles, lists: lists, body: para(c.pPr, text("x"))}.read(t))
		if p.Left != c.left || p.FirstLine != c.firstLine {
			t.Errorf("%s: got %g and %g, want %g and %g", c.what, p.Left, p.FirstLine, c.left, c.firstLine)
		}
	}
}

func TestAParagraphNamesItsListAndLevel(t *testing.T) {
	t.Parallel()
	lists := abstract("a", level(0, "decimal", "%1", "")+level(1, "decimal", "%2", "")) + num("3", "a", "")
	p := firstParagraph(t, docx{lists: lists, body: listed("3", "1", "x")}.read(t))
	if p.NumID != "3" || p.Level != 1 {
		t.Errorf("got list %q, level %d; want 3 and 1", p.NumID, p.Level)
	}
	p = firstParagraph(t, docx{lists: lists, body: listed("4", "1", "x")}.read(t))
	if p.NumID != "" || p.Level != 0 {
		t.Errorf("a list that is not there: got list %q, level %d; want none", p.NumID, p.Level)
	}
}

// LibreOffice takes from the style what the paragraph does not say of its frame.
func TestAFrameTakesTheRestFromItsStyle(t *testing.T) {
	t.Parallel()
	const styles = `<w:style w:type="paragraph" w:styleId="F"><w:pPr><w:framePr w:w="4000" w:h="2000" w:hRule="exact" w:hSpace="400" w:vSpace="200" w:wrap="notBeside" w:hAnchor="margin" w:xAlign="center" w:y="246"/></w:pPr></w:style>`
	style := Frame{Width: 200, Height: 100, HeightRule: "exact", Around: Margins{Left: 20, Right: 20, Top: 10, Bottom: 10}, Wrap: "notBeside", HAnchor: "margin", VAnchor: "text", HasXAnchor: true, XAlign: "center", Y: 12.3, HasY: true}
	moved, wide := style, style
	moved.X, moved.HasX, moved.XAlign, moved.HAnchor = 50, true, "", "page"
	wide.Width, wide.Around.Top, wide.Around.Bottom = 300, 0, 0
	for attributes, want := range map[string]Frame{"": style, `w:x="1000" w:hAnchor="page"`: moved, `w:w="6000" w:vSpace="0"`: wide} {
		pPr := `<w:pStyle w:val="F"/>`
		if attributes != "" {
			pPr += `<w:framePr ` + attributes + `/>`
		}
		d := docx{styles: styles, body: `<w:p><w:pPr>` + pPr + `</w:pPr></w:p>`}.read(t)
		equal(t, attributes, firstParagraph(t, d).Frame, &want)
	}
}

// Word takes a default paragraph style of 12 points, or at the left, as one that does not say it:
// in a table with a style its own or the document's defaults count ([MS-DOCX], compatSetting,
// overrideTableStyleFontSizeAndJustification).
func TestADefaultStyleOfTwelvePointsYieldsToATable(t *testing.T) {
	t.Parallel()
	const override = `<w:compat><w:compatSetting w:name="overrideTableStyleFontSizeAndJustification" w:val="1"/></w:compat>`
	defaults := `<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>`
	normal := func(size string) string {
		return `<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:pPr><w:jc w:val="left"/></w:pPr><w:rPr><w:sz w:val="` + size + `"/></w:rPr></w:style>`
	}
	const tables = `<w:style w:type="table" w:default="1" w:styleId="D"/><w:style w:type="table" w:styleId="T"/>` +
		`<w:style w:type="table" w:styleId="S"><w:pPr><w:jc w:val="center"/></w:pPr><w:rPr><w:sz w:val="18"/></w:rPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="H"><w:basedOn w:val="N"/><w:rPr><w:sz w:val="24"/></w:rPr></w:style>`
	for _, c := range []struct {
		what, settings, normal, table, pPr, rPr string
		size                                    float64
		align                                   string
	}{
		{"12 points", "", "24", "T", "", "", 11, "left"},
		{"10 points", "", "20", "T", "", "", 10, "left"},
		{"14 points", "", "28", "T", "", "", 14, "left"},
		{"the table's own", "", "24", "S", "", "", 9, "center"},
		{"a table without a style", "", "24", "", "", "", 12, "left"},
		{"a style that is not there", "", "24", "X", "", "", 12, "left"},
		{"with the setting", override, "24", "S", "", "", 12, "left"},
		{"a style based on it", "", "24", "T", `<w:pStyle w:val="H"/>`, "", 12, "left"},
		{"a run's own", "", "24", "T", "", `<w:rPr><w:sz w:val="24"/></w:rPr>`, 12, "left"},
		{"a paragraph's own side", "", "24", "S", `<w:jc w:val="left"/>`, "", 9, "left"},
	} {
		d := docx{settings: c.settings, styles: defaults + normal(c.normal) + tables,
			body: `<w:tbl><w:tblPr><w:tblStyle w:val="` + c.table + `"/></w:tblPr><w:tr><w:tc>` + para(c.pPr, `<w:r>`+c.rPr+`<w:t>x</w:t></w:r>`) + `</w:tc></w:tr></w:tbl>`}.read(t)
		p := paragraphsOf(firstTable(t, d).Rows[0].Cells[0].Blocks)[0]
		if got := p.Runs[0].Size; got != c.size || p.Align != c.align {
			t.Errorf("%s: got %g points and %s, want %g and %s", c.what, got, p.Align, c.size, c.align)
		}
	}
}
