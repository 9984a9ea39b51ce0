package wml

import (
	"fmt"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
)

// itemsOf are all items of a document's first paragraph.
func itemsOf(t *testing.T, d *Document) []Item {
	t.Helper()
	var out []Item
	for _, r := range firstParagraph(t, d).Runs {
		out = append(out, r.Items...)
	}
	return out
}

func TestEachElementOfARunIsAnItem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		xml  string
		want []Item
	}{
		{`<w:t>x</w:t>`, []Item{{Kind: TextItem, Text: "x"}}},
		{`<w:t/>`, nil},
		{`<w:tab/>`, []Item{{Kind: TabItem}}},
		{`<w:ptab w:alignment="right"/>`, []Item{{Kind: PositionTabItem, Text: "right"}}},
		{`<w:br/>`, []Item{{Kind: BreakItem}}},
		{`<w:br w:type="textWrapping"/>`, []Item{{Kind: BreakItem}}},
		{`<w:br w:type="page"/>`, []Item{{Kind: PageBreakItem}}},
		{`<w:br w:type="column"/>`, []Item{{Kind: ColumnBreakItem}}},
		{`<w:cr/>`, []Item{{Kind: BreakItem}}},
		{`<w:noBreakHyphen/>`, []Item{{Kind: NonBreakingItem, Text: "\u2011"}}},
		{`<w:softHyphen/>`, []Item{{Kind: TextItem, Text: "\u00AD"}}},
		{`<w:pgNum/>`, []Item{{Kind: PageFieldItem, Text: "1"}}},
		{`<w:footnoteReference w:id="2"/>`, []Item{{Kind: FootnoteItem, Text: "1", NoteID: "2"}}},
		{`<w:endnoteReference w:id="2"/>`, []Item{{Kind: EndnoteItem, Text: "i", NoteID: "2"}}},
		{`<w:footnoteRef/>`, []Item{{Kind: NoteNumberItem}}}, // no note around it
		{`<w:lastRenderedPageBreak/><w:annotationRef/><w:delText>x</w:delText>`, nil},
		{`<w:t>a</w:t><w:tab/><w:t>b</w:t>`, []Item{{Text: "a"}, {Kind: TabItem}, {Text: "b"}}},
	} {
		equal(t, c.xml, itemsOf(t, docx{body: `<w:p><w:r>` + c.xml + `</w:r></w:p>`}.read(t)), c.want)
	}
}

func TestARunWithoutContentIsNoRun(t *testing.T) {
	t.Parallel()
	p := firstParagraph(t, docx{body: `<w:p><w:r><w:rPr><w:b/></w:rPr></w:r><w:r/>` + text("x") + `</w:p>`}.read(t))
	if len(p.Runs) != 1 {
		t.Errorf("got %d runs, want the one with text", len(p.Runs))
	}
}

// ECMA-376 part 1, 17.3.3.31 and XML 1.0, 2.10: white space at the ends counts
// where xml:space says preserve; a line end is a space.
func TestWhiteSpaceAtTheEndsCountsOnlyWhereItIsPreserved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ xml, want string }{
		{`<w:t> a  b </w:t>`, "a  b"},
		{"<w:t>\ta\t</w:t>", "a"},
		{`<w:t xml:space="preserve"> a </w:t>`, " a "},
		{`<w:t xml:space="default"> a </w:t>`, "a"},
		{"<w:t xml:space=\"preserve\">a\nb\r\nc&#13;d</w:t>", "a b c d"},
		{"<w:t>a&#13;&#10;b</w:t>", "a b"},
		{"<w:t>\na\n</w:t>", "a"},
		{`<w:t>&#160;a</w:t>`, "\u00A0a"},
	} {
		if got := readText(element(t, c.xml)); got != c.want {
			t.Errorf("%q: got %q, want %q", c.xml, got, c.want)
		}
	}
}

func TestRunsAreFoundInsideWhatMarksThem(t *testing.T) {
	t.Parallel()
	d := docx{body: `<w:p>` +
		`<w:ins>` + text("a") + `</w:ins><w:moveTo>` + text("b") + `</w:moveTo><w:smartTag>` + text("c") + `</w:smartTag><w:customXml>` + text("d") + `</w:customXml>` +
		`<w:dir w:val="rtl">` + text("e") + `</w:dir><w:bdo w:val="rtl">` + text("f") + `</w:bdo><w:hyperlink>` + text("g") + `</w:hyperlink>` +
		`<w:sdt><w:sdtPr>` + text("no") + `</w:sdtPr><w:sdtContent>` + text("h") + `</w:sdtContent></w:sdt><w:fldSimple w:instr="DATE">` + text("i") + `</w:fldSimple>` +
		`<w:del>` + text("no") + `</w:del><w:moveFrom>` + text("no") + `</w:moveFrom><w:proofErr/><w:sdt/>` +
		`<w:ins><w:hyperlink><w:smartTag>` + text("j") + `</w:smartTag></w:hyperlink></w:ins></w:p>`}.read(t)
	equal(t, "text", shownTexts(d.Sections[0].Blocks), []string{"abcdefghij"})
}

// ECMA-376 part 1, 17.16.22: r:id names an address, anchor a place in it, or in
// this document.
func TestHyperlinksLeadToAddressesAndBookmarks(t *testing.T) {
	t.Parallel()
	relations := outside("web", "hyperlink", "https://example.com/") + relation("inside", "hyperlink", "document.xml")
	for _, c := range []struct{ attributes, url, bookmark string }{
		{`r:id="web"`, "https://example.com/", ""},
		{`r:id="web" w:anchor="part"`, "https://example.com/#part", "part"},
		{`w:anchor="part"`, "", "part"},
		{`r:id="inside"`, "", ""},
		{`r:id="missing" w:anchor="part"`, "", "part"},
		{``, "", ""},
	} {
		d := docx{relations: relations, body: `<w:p><w:hyperlink ` + c.attributes + `><w:ins>` + text("x") + `</w:ins></w:hyperlink>` + text("behind") + `</w:p>`}.read(t)
		runs := firstParagraph(t, d).Runs
		if l := runs[0].Link; l == nil || l.URL != c.url || l.Bookmark != c.bookmark || l.Elem.Tag != "hyperlink" {
			t.Errorf("%s: got %+v, want address %q and bookmark %q", c.attributes, l, c.url, c.bookmark)
		}
		if runs[1].Link != nil {
			t.Errorf("%s: the text behind it is a link, too", c.attributes)
		}
	}
}

func TestABookmarkIsAnItemWithItsName(t *testing.T) {
	t.Parallel()
	d := docx{body: `<w:p>` + text("a") + `<w:bookmarkStart w:id="0" w:name="part"/>` + text("b") + `<w:bookmarkEnd w:id="0"/><w:bookmarkStart w:id="1"/></w:p>`}.read(t)
	equal(t, "items", itemsOf(t, d), []Item{{Text: "a"}, {Kind: BookmarkItem, Text: "part"}, {Text: "b"}})
}

func TestAFormulaIsAnItemWithItsText(t *testing.T) {
	t.Parallel()
	d := docx{body: `<w:p>` + text("a") + `<m:oMathPara><m:oMath><m:f><m:num><m:r><m:t>x</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></m:oMathPara>` +
		`<m:oMath><m:r><w:rPr><w:sz w:val="40"/></w:rPr><m:t>y</m:t></m:r></m:oMath><m:oMath/></w:p>`}.read(t)
	var got []string
	for _, r := range firstParagraph(t, d).Runs {
		kind := "text "
		if f := r.Items[0].Formula; f != nil {
			kind = fmt.Sprintf("formula %t %s %.0f ", f.IsDisplayed, f.Align, f.Size())
		}
		got = append(got, kind+r.Items[0].Text)
	}
	equal(t, "runs", got, []string{"text a", "formula true center 10 x/2", "formula false  20 y"})
	equal(t, "losses", d.Losses, []dml.Loss{})
}

// ECMA-376 part 1, 17.3.3.30.
func TestASymbolIsARunOfItsOwn(t *testing.T) {
	t.Parallel()
	symbol := func(attributes string) string { return `<w:sym ` + attributes + `/>` }
	for _, c := range []struct{ what, xml, text, font string }{
		{"of a font whose symbols Unicode has", symbol(`w:font="Wingdings" w:char="F0FC"`), "✓", "Times New Roman"},
		{"of another font", symbol(`w:font="Icons" w:char="0041"`), "A", "Icons"},
		{"without a font", symbol(`w:char="263A"`), "☺", "Times New Roman"},
		{"the last character of Unicode", symbol(`w:char="10FFFF"`), "\U0010FFFF", "Times New Roman"},
	} {
		d := docx{body: `<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t>` + c.xml + `<w:t>z</w:t></w:r></w:p>`}.read(t)
		runs := firstParagraph(t, d).Runs
		if len(runs) != 3 {
			t.Errorf("%s: got %d runs, want three", c.what, len(runs))
			continue
		}
		for i, want := range []struct{ text, font string }{{"a", "Times New Roman"}, {c.text, c.font}, {"z", "Times New Roman"}} {
			r := runs[i]
			if len(r.Items) != 1 || r.Items[0].Text != want.text || r.Fonts.ASCII != want.font || r.Fonts.HighANSI != want.font || !r.Bold {
				t.Errorf("%s: run %d: got %+v in %+v, want %q in %s, and bold", c.what, i, r.Items, r.Fonts, want.text, want.font)
			}
		}
		if c.font == "Icons" && (runs[1].Fonts.EastAsia != "Icons" || runs[1].Fonts.ComplexScript != "Icons") {
			t.Errorf("%s: got %+v, want one font for all scripts", c.what, runs[1].Fonts)
		}
	}
}

func TestASymbolWithoutACharacterIsNothing(t *testing.T) {
	t.Parallel()
	for _, attributes := range []string{``, `w:char=""`, `w:char="0"`, `w:char="110000"`, `w:char="xyz"`, `w:char="-1"`} {
		d := docx{body: `<w:p><w:r><w:t>a</w:t><w:sym w:font="Wingdings" ` + attributes + `/><w:t>z</w:t></w:r></w:p>`}.read(t)
		runs := firstParagraph(t, d).Runs
		if len(runs) != 1 || firstParagraph(t, d).Text() != "az" {
			t.Errorf("%q: got %d runs with %q, want one with az", attributes, len(runs), firstParagraph(t, d).Text())
		}
	}
}

func TestASymbolAtTheStartOfARunLeavesNoEmptyRunBefore(t *testing.T) {
	t.Parallel()
	d := docx{body: `<w:p><w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r></w:p>`}.read(t)
	if runs := firstParagraph(t, d).Runs; len(runs) != 1 {
		t.Errorf("got %d runs, want the symbol's", len(runs))
	}
}

func TestASimpleFieldMayHoldTheEndOfAnotherField(t *testing.T) {
	t.Parallel()
	const end = `<w:r><w:fldChar w:fldCharType="end"/></w:r>`
	const begin = `<w:r><w:fldChar w:fldCharType="begin"/></w:r>`
	for _, c := range []struct {
		what, xml string
		want      string
	}{
		{"an end too many", `<w:fldSimple w:instr="DATE">` + end + text("a") + `</w:fldSimple>` + text("b"), "ab"},
		{"two ends too many", `<w:fldSimple w:instr="DATE">` + end + end + `</w:fldSimple>` + text("b"), "b"},
		{"a field that is never ended", `<w:fldSimple w:instr="DATE">` + begin + text("a") + `</w:fldSimple>` + text("b"), "b"},
	} {
		if got := firstParagraph(t, docx{body: `<w:p>` + c.xml + `</w:p>`}.read(t)).Text(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

func TestSimpleFieldsShowLivePagesOrTheirLastResult(t *testing.T) {
	t.Parallel()
	field := func(instruction, content string) string {
		return `<w:fldSimple w:instr="` + instruction + `">` + content + `</w:fldSimple>`
	}
	for _, c := range []struct {
		xml  string
		want []Item
	}{
		{field(" PAGE ", text("3")), []Item{{Kind: PageFieldItem, Text: "3"}}},
		{field(`PAGE \* MERGEFORMAT`, text("3")+text("4")), []Item{{Kind: PageFieldItem, Text: "3"}}},
		{field("numpages", text("9")), []Item{{Kind: PageCountItem, Text: "9"}}},
		{field("SECTIONPAGES", ``), []Item{{Kind: SectionCountItem}}},
		{field("PAGEREF x", text("7")), []Item{{Text: "7"}}},
		{field("", text("7")), []Item{{Text: "7"}}},
		{field("PAGE", text("3")) + text("behind"), []Item{{Kind: PageFieldItem, Text: "3"}, {Text: "behind"}}},
	} {
		equal(t, c.xml, itemsOf(t, docx{body: `<w:p>` + c.xml + `</w:p>`}.read(t)), c.want)
	}
}

func TestASimpleFieldOfAHyperlinkIsALink(t *testing.T) {
	t.Parallel()
	d := docx{body: `<w:p><w:fldSimple w:instr="HYPERLINK &quot;https://example.com&quot;">` + text("x") + `</w:fldSimple></w:p>`}.read(t)
	if l := firstRun(t, d).Link; l == nil || l.URL != "https://example.com" {
		t.Errorf("got %+v, want https://example.com", l)
	}
}
