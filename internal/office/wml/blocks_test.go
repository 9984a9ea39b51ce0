package wml

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/opc"
)

func TestBlocksAreFoundInsideControlsAndAcceptedInsertions(t *testing.T) {
	t.Parallel()
	p := func(name string) string { return `<w:p>` + text(name) + `</w:p>` }
	d := docx{body: `<w:sdt><w:sdtPr><w:p>` + text("property") + `</w:p></w:sdtPr><w:sdtContent>` + p("control") + `</w:sdtContent></w:sdt>` +
		`<w:customXml>` + p("custom") + `</w:customXml>` +
		`<w:smartTag>` + p("smart") + `</w:smartTag>` +
		`<w:ins>` + p("inserted") + `</w:ins>` +
		`<w:moveTo>` + p("moved here") + `</w:moveTo>` +
		`<w:del>` + p("deleted") + `</w:del>` +
		`<w:moveFrom>` + p("moved away") + `</w:moveFrom>` +
		`<w:sdt><w:sdtContent><w:sdt><w:sdtContent>` + p("twice") + `</w:sdtContent></w:sdt></w:sdtContent></w:sdt>` +
		`<w:sdt/>` + p("last")}.read(t)
	equal(t, "texts", shownTexts(d.Sections[0].Blocks), []string{"control", "custom", "smart", "inserted", "moved here", "twice", "last"})
}

// ECMA-376 part 1, 17.17.2.1: an altChunk is another file, to be imported.
func TestAnImportedFileIsToldAsLeftOut(t *testing.T) {
	t.Parallel()
	d := docx{body: `<w:p>` + text("before") + `</w:p><w:altChunk r:id="chunk"/><w:p>` + text("behind") + `</w:p>`}.read(t)
	equal(t, "texts", shownTexts(d.Sections[0].Blocks), []string{"before", "behind"})
	if !d.IsTruncated {
		t.Error("the document does not say that something was left out")
	}
}

// ECMA-376 part 1, 17.13.5.15: a deleted mark joins the paragraph with the next;
// one without text of its own is gone.
func TestAParagraphWhoseMarkWasDeletedIsGoneUnlessTextIsLeft(t *testing.T) {
	t.Parallel()
	mark := func(change string) string { return `<w:rPr>` + change + `</w:rPr>` }
	for _, c := range []struct {
		what, xml string
		want      []string
	}{
		{"deleted, empty", para(mark(`<w:del/>`), ``), nil},
		{"moved away, empty", para(mark(`<w:moveFrom/>`), ``), nil},
		{"deleted, with deleted text", para(mark(`<w:del/>`), `<w:del><w:r><w:delText>x</w:delText></w:r></w:del>`), nil},
		{"deleted, with text left", para(mark(`<w:del/>`), text("left")), []string{"left"}},
		{"inserted, empty", para(mark(`<w:ins/>`), ``), []string{""}},
		{"formatted, empty", para(mark(`<w:b/>`), ``), []string{""}},
		{"plain, empty", para(``, ``), []string{""}},
		{"no properties", `<w:p/>`, []string{""}},
	} {
		equal(t, c.what, shownTexts(docx{body: c.xml}.read(t).Sections[0].Blocks), c.want)
	}
}

func TestTheParagraphMarkHasAFormatOfItsOwn(t *testing.T) {
	t.Parallel()
	p := firstParagraph(t, docx{
		styles: `<w:style w:type="paragraph" w:styleId="P"><w:rPr><w:i/><w:sz w:val="30"/></w:rPr></w:style>` +
			`<w:style w:type="character" w:styleId="C"><w:rPr><w:caps/></w:rPr></w:style>`,
		body: para(`<w:pStyle w:val="P"/><w:rPr><w:rStyle w:val="C"/><w:sz w:val="40"/></w:rPr>`, text("x")),
	}.read(t))
	if m := p.Mark; !m.Italic || !m.Caps || m.Size != 20 {
		t.Errorf("mark: got italic %t, caps %t, %g points; want those of its styles, and its own 20 points", m.Italic, m.Caps, m.Size)
	}
	if r := p.Runs[0]; r.Caps || r.Size != 15 {
		t.Errorf("text: got caps %t, %g points; want none of the mark's format", r.Caps, r.Size)
	}
}

func TestAParagraphSaysWhetherItEndsASection(t *testing.T) {
	t.Parallel()
	d := docx{body: para(`<w:sectPr/>`, text("ends")) + para(``, text("goes on"))}.read(t)
	var got []bool
	for _, s := range d.Sections {
		for _, p := range paragraphsOf(s.Blocks) {
			got = append(got, p.EndsSection)
		}
	}
	equal(t, "ends a section", got, []bool{true, false})
}

// lists with one level each: id, what stands inside the level.
func oneLevel(id, level string) string {
	return `<w:abstractNum w:abstractNumId="a` + id + `"><w:lvl w:ilvl="0"><w:start w:val="1"/>` + level + `</w:lvl></w:abstractNum>` +
		`<w:num w:numId="` + id + `"><w:abstractNumId w:val="a` + id + `"/></w:num>`
}

func inList(id string) string {
	return `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="` + id + `"/></w:numPr>`
}

func TestALabelHasTheMarksFormatWithTheLevelsOverIt(t *testing.T) {
	t.Parallel()
	p := firstParagraph(t, docx{
		lists: oneLevel("5", `<w:suff w:val="space"/><w:lvlText w:val="%1."/><w:lvlJc w:val="right"/><w:rPr><w:color w:val="FF0000"/><w:sz w:val="40"/></w:rPr>`),
		body:  para(inList("5")+`<w:rPr><w:b/><w:u w:val="single"/><w:sz w:val="30"/></w:rPr>`, text("x")),
	}.read(t))
	l := p.Label
	if l == nil {
		t.Fatal("the paragraph has no label")
	}
	if !l.Bold || l.Size != 20 || l.Color == nil || *l.Color != *rgb(255, 0, 0) {
		t.Errorf("format: got bold %t, %g points, colour %v; want bold as the mark, 20 points and red as the level", l.Bold, l.Size, l.Color)
	}
	if l.Underline != "" {
		t.Errorf("underline: got %q, want none, because Word does not carry the mark's over", l.Underline)
	}
	if p.Mark.Underline != "single" {
		t.Errorf("the mark's own underline: got %q, want single", p.Mark.Underline)
	}
	if l.Text != "1." || l.Suffix != "space" || l.Align != "right" || l.NumID != "5" || l.Level != 0 {
		t.Errorf("got %q, suffix %q, align %q, list %q, level %d; want 1., space, right, 5, 0", l.Text, l.Suffix, l.Align, l.NumID, l.Level)
	}
}

func TestALevelMayUnderlineItsLabel(t *testing.T) {
	t.Parallel()
	p := firstParagraph(t, docx{
		lists: oneLevel("1", `<w:lvlText w:val="%1."/><w:rPr><w:u w:val="double"/></w:rPr>`),
		body:  para(inList("1"), text("x")),
	}.read(t))
	if got := p.Label.Underline; got != "double" {
		t.Errorf("underline: got %q, want the level's own", got)
	}
}

func TestBulletsOfSymbolFontsBecomeTheCharactersThatTheyShow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ what, format, lvlText, font, want string }{
		{"Symbol's bullet", "bullet", "&#xF0B7;", "Symbol", "•"},
		{"a square of Wingdings", "bullet", "&#xF0A7;", "Wingdings", "▪"},
		{"a square of Wingdings at its plain code", "bullet", "&#xA7;", "Wingdings", "▪"},
		{"a private character in a font of letters", "bullet", "&#xF0B7;", "Arial", "•"},
		{"the first private character", "bullet", "&#xF000;", "Arial", "•"},
		{"a character of a font of letters", "bullet", "o", "Courier New", "o"},
		{"a dash", "bullet", "–", "Arial", "–"},
		{"a Greek letter of Symbol as a number", "decimal", "a%1", "Symbol", "α1"},
		{"a private character as a number", "decimal", "&#xF0B7;", "Arial", "\uF0B7"},
		{"nothing", "bullet", "", "Symbol", ""},
	} {
		p := firstParagraph(t, docx{
			lists: oneLevel("1", `<w:numFmt w:val="`+c.format+`"/><w:lvlText w:val="`+c.lvlText+`"/><w:rPr><w:rFonts w:ascii="`+c.font+`" w:hAnsi="`+c.font+`"/></w:rPr>`),
			body:  para(inList("1"), text("x")),
		}.read(t))
		if p.Label == nil {
			t.Errorf("%s: no label", c.what)
		} else if p.Label.Text != c.want {
			t.Errorf("%s: got %q, want %q", c.what, p.Label.Text, c.want)
		}
	}
}

func TestALevelThatShowsNothingGivesNoLabel(t *testing.T) {
	t.Parallel()
	read := func(level string) *Label {
		return firstParagraph(t, docx{lists: oneLevel("1", level), body: para(inList("1"), text("x"))}.read(t)).Label
	}
	if got := read(`<w:numFmt w:val="none"/><w:lvlText w:val=""/>`); got != nil {
		t.Errorf("neither number nor text: got the label %q", got.Text)
	}
	if got := read(`<w:numFmt w:val="none"/><w:lvlText w:val="Note:"/>`); got == nil || got.Text != "Note:" {
		t.Errorf("text without a number: got %v, want Note:", got)
	}
	if got := read(`<w:numFmt w:val="decimal"/><w:lvlText w:val=""/>`); got == nil || got.Text != "" {
		t.Errorf("a number that is not shown: got %v, want an empty label that takes its room", got)
	}
}

func TestAHiddenEmptyParagraphIsNotCounted(t *testing.T) {
	t.Parallel()
	hidden := `<w:rPr><w:vanish/></w:rPr>`
	d := docx{
		lists: oneLevel("1", `<w:lvlText w:val="%1."/>`),
		body:  para(inList("1"), text("a")) + para(inList("1")+hidden, ``) + para(inList("1")+hidden, text("b")) + para(inList("1"), ``),
	}.read(t)
	equal(t, "labels and texts", shownTexts(d.Sections[0].Blocks), []string{"1. a", "", "2. b", "3. "})
}

func TestNestingIsFollowedAsDeepAsTheLimitAndToldBeyond(t *testing.T) {
	t.Parallel()
	// The body is one step, each customXml another, and the paragraph's own content the last.
	nested := func(n int) *Document {
		return docx{body: strings.Repeat(`<w:customXml>`, n) + `<w:p>` + text("deep") + `</w:p>` + strings.Repeat(`</w:customXml>`, n)}.read(t)
	}
	d := nested(opc.MaxNesting - 2)
	equal(t, "texts at the limit", shownTexts(d.Sections[0].Blocks), []string{"deep"})
	if d.IsTruncated {
		t.Error("at the limit: told as left out")
	}
	d = nested(opc.MaxNesting)
	equal(t, "texts beyond the limit", shownTexts(d.Sections[0].Blocks), []string{})
	if !d.IsTruncated {
		t.Error("beyond the limit: not told as left out")
	}
}

func TestContentOfAParagraphBeyondTheLimitIsTold(t *testing.T) {
	t.Parallel()
	nested := func(n int) *Document {
		return docx{body: `<w:p>` + strings.Repeat(`<w:ins>`, n) + text("deep") + strings.Repeat(`</w:ins>`, n) + `</w:p>`}.read(t)
	}
	d := nested(opc.MaxNesting - 2)
	equal(t, "texts at the limit", shownTexts(d.Sections[0].Blocks), []string{"deep"})
	if d.IsTruncated {
		t.Error("at the limit: told as left out")
	}
	d = nested(opc.MaxNesting - 1)
	equal(t, "texts beyond the limit", shownTexts(d.Sections[0].Blocks), []string{""})
	if !d.IsTruncated {
		t.Error("beyond the limit: not told as left out")
	}
}

func TestWhatStandsWhereNoProgramOfOfficePutsItIsReadInItsPlace(t *testing.T) {
	t.Parallel()
	p := func(content string) string { return `<w:p>` + content + `</w:p>` }
	table := `<w:tbl><w:tr><w:tc>` + p(text("in a cell")) + `</w:tc></w:tr></w:tbl>`
	for _, c := range []struct {
		what, xml string
		want      []string
	}{
		{"a paragraph in a paragraph", p(text("a") + p(text("b")) + text("c")), []string{"a", "b", "c"}},
		{"a paragraph alone in a paragraph", p(p(text("b"))), []string{"b"}},
		{"a control in a paragraph", p(text("a") + `<w:sdt><w:sdtContent>` + p(text("b")) + p(text("c")) + `</w:sdtContent></w:sdt>` + text("d")), []string{"a", "b", "c", "d"}},
		{"paragraphs in each other", p(text("a") + p(text("b")+p(text("c"))+text("d")) + text("e")), []string{"a", "b", "c", "d", "e"}},
		{"a deleted paragraph in a paragraph", p(text("a") + `<w:del>` + p(text("b")) + `</w:del>`), []string{"a"}},
		{"an unknown block of runs", `<w:p2>` + text("a") + `</w:p2>` + p(text("b")), []string{"a", "b"}},
		{"an unknown block of paragraphs", `<w:part>` + p(text("a")) + p(text("b")) + `</w:part>`, []string{"a", "b"}},
		{"an unknown element in a paragraph", p(text("a") + `<w:mark>` + text("b") + `</w:mark>`), []string{"ab"}},
		{"an ignorable element", `<x:part xmlns:x="urn:x" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="x">` + p(text("a")) + `</x:part>` + p(text("b")), []string{"b"}},
		{"a deleted run in a paragraph", p(`<w:moveFrom>` + text("a") + `</w:moveFrom>` + text("b")), []string{"b"}},
	} {
		d := docx{body: c.xml}.read(t)
		equal(t, c.what, shownTexts(d.Sections[0].Blocks), c.want)
		equal(t, c.what+": lacks text", d.LacksText, false)
	}
	blocks := docx{body: p(text("a") + table + text("b"))}.read(t).Sections[0].Blocks
	if len(blocks) != 3 || shownTexts(blocks[:1])[0] != "a" || shownTexts(blocks[2:])[0] != "b" {
		t.Fatalf("a table in a paragraph: got %d blocks, want text, table, text", len(blocks))
	}
	if _, isTable := blocks[1].(*Table); !isTable {
		t.Errorf("a table in a paragraph: got %T", blocks[1])
	}
}

func TestTextOutsideOfRunsIsToldAsLeftOut(t *testing.T) {
	t.Parallel()
	for _, xml := range []string{`<w:q><w:t>a</w:t></w:q>`, `<w:p><w:q><w:t>a</w:t></w:q></w:p>`} {
		equal(t, xml, docx{body: xml}.read(t).LacksText, true)
	}
}

func TestASectionEndsBehindWhatStandsInItsLastParagraph(t *testing.T) {
	t.Parallel()
	d := docx{body: para(`<w:sectPr/>`, text("a")+`<w:p>`+text("b")+`</w:p>`) + `<w:p>` + text("c") + `</w:p>`}.read(t)
	equal(t, "sections", len(d.Sections), 2)
	equal(t, "texts", shownTexts(d.Sections[0].Blocks), []string{"a", "b", ""})
	equal(t, "texts of the next", shownTexts(d.Sections[1].Blocks), []string{"c"})
}

func TestEveryBodyOfADocumentIsRead(t *testing.T) {
	t.Parallel()
	p := func(name string) string { return `<w:p>` + text(name) + `</w:p>` }
	d := docx{body: p("a") + `</w:body><w:body>` + p("b") + `<w:sectPr/></w:body><w:body>` + p("c")}.read(t)
	equal(t, "sections", len(d.Sections), 2)
	equal(t, "texts", shownTexts(d.Sections[0].Blocks), []string{"a", "b"})
	equal(t, "texts of the last", shownTexts(d.Sections[1].Blocks), []string{"c"})
}
