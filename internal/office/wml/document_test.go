package wml

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/officetest"
	"github.com/platenhq/platen/internal/office/opc"
)

func TestRunFormattingIsLaidOverInTheStandardsOrder(t *testing.T) {
	t.Parallel()
	styles := `<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Arial" w:hAnsi="Arial"/><w:sz w:val="20"/></w:rPr></w:rPrDefault></w:docDefaults>` +
		`<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/><w:rPr><w:i/></w:rPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="H"><w:basedOn w:val="N"/><w:rPr><w:b/><w:sz w:val="30"/></w:rPr></w:style>` +
		`<w:style w:type="character" w:styleId="C"><w:rPr><w:color w:val="FF0000"/><w:sz w:val="40"/></w:rPr></w:style>`
	d := resolved(t, `<w:p><w:pPr><w:pStyle w:val="H"/></w:pPr><w:r><w:t>plain</w:t></w:r>`+
		`<w:r><w:rPr><w:rStyle w:val="C"/><w:b w:val="0"/></w:rPr><w:t>styled</w:t></w:r></w:p>`, styles, "", nil)
	runs := paragraphsOf(d.Sections[0].Blocks)[0].Runs
	if r := runs[0]; !r.Bold || !r.Italic || r.Size != 15 || r.Fonts.ASCII != "Arial" || r.Color != nil {
		t.Errorf("paragraph style: got %+v, want bold italic 15 pt Arial", r.RunProperties)
	}
	if r := runs[1]; r.Bold || r.Size != 20 || r.Color == nil || *r.Color != (dml.RGB{R: 255}) {
		t.Errorf("character style: got %+v, want 20 pt red and not bold", r.RunProperties)
	}
}

const threeLevels = `<w:abstractNum w:abstractNumId="0">` +
	`<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/><w:pPr><w:ind w:left="720" w:hanging="360"/></w:pPr></w:lvl>` +
	`<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1%2)"/></w:lvl>` +
	`<w:lvl w:ilvl="2"><w:numFmt w:val="bullet"/><w:lvlText w:val="&#xF0B7;"/><w:rPr><w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/></w:rPr></w:lvl></w:abstractNum>` +
	`<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>`

func listed(id, level, text string) string {
	return `<w:p><w:pPr><w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + id + `"/></w:numPr></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
}

func TestListsCountAndTheirSymbolsBecomeUnicode(t *testing.T) {
	t.Parallel()
	d := resolved(t, listed("1", "0", "a")+listed("1", "1", "b")+listed("1", "1", "c")+listed("1", "0", "d")+listed("1", "1", "e")+listed("1", "2", "f")+listed("2", "0", "g")+listed("0", "0", "none"),
		"", threeLevels, nil)
	want := []string{"1. a", "1a) b", "1b) c", "2. d", "2a) e", "• f", "7. g", "none"}
	if diff := cmp.Diff(want, shownTexts(d.Sections[0].Blocks)); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if p := paragraphsOf(d.Sections[0].Blocks)[0]; p.Left != 36 || p.FirstLine != -18 {
		t.Errorf("indent: got %g %g, want the level's 36 and -18", p.Left, p.FirstLine)
	}
}

func TestTrackedChangesAreShownAsAccepted(t *testing.T) {
	t.Parallel()
	d := resolved(t, `<w:p><w:r><w:t xml:space="preserve">stays </w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>`+
		`<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:del><w:r><w:delText>whole</w:delText></w:r></w:del></w:p>`, "", "", nil)
	if diff := cmp.Diff([]string{"stays new"}, shownTexts(d.Sections[0].Blocks)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestOfAlternativesTheOneWeUnderstandIsShown(t *testing.T) {
	t.Parallel()
	d := resolved(t, `<w:p><w:r><mc:AlternateContent><mc:Choice Requires="future"><w:t>future</w:t></mc:Choice><mc:Fallback><w:t>now</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>`, "", "", nil)
	if diff := cmp.Diff([]string{"now"}, shownTexts(d.Sections[0].Blocks)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestPageFieldsAreLiveAndOthersShowTheirResult(t *testing.T) {
	t.Parallel()
	field := func(instr, result string) string {
		return `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>` + instr + `</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>` + result + `</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`
	}
	d := resolved(t, `<w:p>`+field("PAGE", "3")+field("DATE", "today")+field(`HYPERLINK "https://example.com" \l "part"`, "link")+`</w:p>`, "", "", nil)
	var kinds []ItemKind
	var url string
	for _, r := range paragraphsOf(d.Sections[0].Blocks)[0].Runs {
		for _, item := range r.Items {
			kinds = append(kinds, item.Kind)
			if r.Link != nil {
				url = r.Link.URL
			}
		}
	}
	if diff := cmp.Diff([]ItemKind{PageFieldItem, TextItem, TextItem}, kinds); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	if url != "https://example.com#part" {
		t.Errorf("link: got %q", url)
	}
}

func TestSectionsInheritHeaders(t *testing.T) {
	t.Parallel()
	d := resolved(t, `<w:p><w:pPr><w:sectPr><w:headerReference w:type="default" r:id="header1"/><w:pgSz w:w="10000" w:h="20000"/></w:sectPr></w:pPr></w:p><w:p/>`, "", "",
		map[string]string{"header1": `<w:p><w:r><w:t>head</w:t></w:r></w:p>`})
	if len(d.Sections) != 2 || d.Sections[0].Width != 500 || d.Sections[0].Height != 1000 {
		t.Fatalf("got %d sections, first %+v, want two, the first 500 by 1000", len(d.Sections), d.Sections[0])
	}
	h := d.Sections[1].Headers["default"]
	if h == nil || h.Part != "word/header1.xml" || shownTexts(h.Blocks)[0] != "head" {
		t.Errorf("header of the second section: got %+v, want the first one's", h)
	}
}

func TestTableStylesReachTheCellsTheyAreFor(t *testing.T) {
	t.Parallel()
	styles := `<w:style w:type="table" w:styleId="T"><w:tblPr><w:tblStyleRowBandSize w:val="1"/><w:tblBorders><w:top w:val="single" w:sz="8"/><w:insideH w:val="dotted" w:sz="4"/></w:tblBorders></w:tblPr>` +
		`<w:tblStylePr w:type="firstRow"><w:rPr><w:b/></w:rPr><w:tcPr><w:shd w:val="clear" w:fill="112233"/></w:tcPr></w:tblStylePr>` +
		`<w:tblStylePr w:type="band2Horz"><w:tcPr><w:shd w:val="clear" w:fill="EEEEEE"/></w:tcPr></w:tblStylePr></w:style>`
	row := `<w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr>`
	d := resolved(t, `<w:tbl><w:tblPr><w:tblStyle w:val="T"/><w:tblLook w:val="0020"/></w:tblPr>`+strings.Repeat(row, 3)+`</w:tbl>`, styles, "", nil)
	table := d.Sections[0].Blocks[0].(*Table)
	var shades []string
	for _, r := range table.Rows {
		c := r.Cells[0]
		shade := "none"
		if c.Shading != nil {
			shade = string([]byte{"0123456789ABCDEF"[c.Shading.R>>4]})
		}
		shades = append(shades, shade+c.Borders.Top.Style)
	}
	if diff := cmp.Diff([]string{"1single", "nonedotted", "Edotted"}, shades); diff != "" {
		t.Errorf("shading and upper borders (-want +got):\n%s", diff)
	}
	if c := table.Rows[0].Cells[1]; c.Column != 2 {
		t.Errorf("cell behind one that spans two begins at column %d, want 2", c.Column)
	}
	if r := paragraphsOf(table.Rows[0].Cells[0].Blocks)[0].Runs[0]; !r.Bold {
		t.Error("text of the first row is not bold")
	}
}

func TestEditsOfTheXMLShowInTheNextModel(t *testing.T) {
	t.Parallel()
	d := resolved(t, `<w:p><w:r><w:t>before</w:t></w:r></w:p>`, "", "", nil)
	paragraphsOf(d.Sections[0].Blocks)[0].Runs[0].Items[0].Elem.SetText("after")
	d.Package.Touch(d.Package.MainPart())
	again, err := Resolve(d.Package)
	if err != nil {
		t.Fatal(err)
	}
	if got := shownTexts(again.Sections[0].Blocks)[0]; got != "after" {
		t.Errorf("got %q, want %q", got, "after")
	}
}

func TestHostileNestingIsCutOff(t *testing.T) {
	t.Parallel()
	const deep = 50
	body := strings.Repeat(`<w:tbl><w:tr><w:tc>`, deep) + `<w:p/>` + strings.Repeat(`</w:tc></w:tr></w:tbl>`, deep)
	if d := resolved(t, body, "", "", nil); !d.IsTruncated {
		t.Error("nesting of 50 tables was not reported")
	}
	loop := `<w:style w:type="paragraph" w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:type="paragraph" w:styleId="B"><w:basedOn w:val="A"/></w:style>`
	resolved(t, `<w:p><w:pPr><w:pStyle w:val="A"/></w:pPr></w:p>`, loop, "", nil)
}

func TestTextOfAParagraphHasItsTabsAndLineBreaksButNotItsLabel(t *testing.T) {
	t.Parallel()
	d := resolved(t, listed("1", "0", "a")+`<w:p><w:r><w:t>b</w:t><w:tab/><w:t>c</w:t><w:br/><w:t>d</w:t><w:cr/><w:noBreakHyphen/></w:r><w:r><w:t>e</w:t></w:r></w:p>`, "", threeLevels, nil)
	var got []string
	for _, p := range paragraphsOf(d.Sections[0].Blocks) {
		got = append(got, p.Text())
	}
	equal(t, "texts", got, []string{"a", "b\tc\nd\n\u2011e"})
}

func TestBlocksLeadBackToTheirXML(t *testing.T) {
	t.Parallel()
	d := resolved(t, `<w:p w:rsidR="paragraph"/><w:tbl w:rsidR="table"><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>`, "", "", nil)
	var got []string
	for _, b := range d.Sections[0].Blocks {
		got = append(got, b.Element().Tag+" "+b.Element().SelectAttrValue("w:rsidR", ""))
	}
	equal(t, "elements", got, []string{"p paragraph", "tbl table"})
}

func TestAFileThatIsNoDocumentIsRefused(t *testing.T) {
	t.Parallel()
	main := func(content string) []byte {
		return docx{parts: map[string]string{"word/document.xml": content}}.data(t)
	}
	for _, c := range []struct {
		what string
		data []byte
		want string
	}{
		{"no zip", []byte("plain text"), ""},
		{"no body", main(`<w:document ` + namespaces + `><w:background/></w:document>`), "this is not a document: its main part holds no text"},
		{"an empty main part", main(``), "word/document.xml"},
		{"a main part that is cut off", main(`<w:document ` + namespaces + `><w:body>`), "word/document.xml"},
		{"no main part", docx{parts: map[string]string{"_rels/.rels": officetest.RelationsStart + `</Relationships>`}}.data(t), ""},
	} {
		d, err := ReadDocument(c.data)
		var format *opc.FormatError
		if d != nil || !errors.As(err, &format) {
			t.Errorf("%s: got %v and error %v, want a FormatError", c.what, d, err)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %q, want it to say %q", c.what, err, c.want)
		}
	}
}

func TestADamagedPartBesideTheTextMakesTheDocumentUnreadable(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"styles", "numbering", "settings", "theme"} {
		data := docx{body: `<w:p/>`, relations: relation("x", kind, kind+".xml"), parts: map[string]string{"word/" + kind + ".xml": `<w:broken`}}.data(t)
		if _, err := ReadDocument(data); err == nil || !strings.Contains(err.Error(), "read "+kind) {
			t.Errorf("%s: got error %v, want one that names what was read", kind, err)
		}
	}
}

func TestRelationshipsThatLeadNowhereAreLeftAside(t *testing.T) {
	t.Parallel()
	relations := ""
	for _, kind := range []string{"styles", "numbering", "settings", "theme", "footnotes", "endnotes"} {
		relations += relation("missing-"+kind, kind, "missing-"+kind+".xml") + outside("outside-"+kind, kind, "https://example.com/"+kind)
	}
	d := docx{body: `<w:p>` + text("here") + `</w:p>`, relations: relations}.read(t)
	equal(t, "text", shownTexts(d.Sections[0].Blocks), []string{"here"})
	if d.Theme != nil || d.IsTruncated || len(d.Footnotes)+len(d.Endnotes) > 0 {
		t.Errorf("got theme %v, truncated %t, %d footnotes and %d endnotes; want none of them", d.Theme, d.IsTruncated, len(d.Footnotes), len(d.Endnotes))
	}
}

// ECMA-376 part 1, 17.2.1, and w:displayBackgroundShape.
func TestTheColourOfThePageCountsOnlyWhereTheSettingsShowIt(t *testing.T) {
	t.Parallel()
	const shown = `<w:displayBackgroundShape/>`
	for _, c := range []struct {
		what, background, settings string
		want                       *dml.RGB
	}{
		{"shown", `<w:background w:color="102030"/>`, shown, rgb(0x10, 0x20, 0x30)},
		{"not shown", `<w:background w:color="102030"/>`, "", nil},
		{"switched off", `<w:background w:color="102030"/>`, `<w:displayBackgroundShape w:val="0"/>`, nil},
		{"automatic", `<w:background w:color="auto"/>`, shown, nil},
		{"none", ``, shown, nil},
		{"of the theme", `<w:background w:color="102030" w:themeColor="accent1"/>`, shown, rgb(1, 2, 3)},
	} {
		d := docx{background: c.background, settings: c.settings, theme: scheme}.read(t)
		equal(t, c.what, d.Background, c.want)
	}
}

// scheme is a theme with a colour and two fonts of its own.
const scheme = `<a:themeElements><a:clrScheme name="x"><a:accent1><a:srgbClr val="010203"/></a:accent1></a:clrScheme>` +
	`<a:fontScheme name="x"><a:majorFont><a:latin typeface="Head"/></a:majorFont><a:minorFont><a:latin typeface="Text"/></a:minorFont></a:fontScheme></a:themeElements>`

func TestEachSettingIsReadAndChangesNothingElse(t *testing.T) {
	t.Parallel()
	// Half an inch, and the layout of Word 2007 where nothing is said (w:defaultTabStop, compatibilityMode of [MS-DOCX]).
	plain := Settings{DefaultTab: 36, CompatMode: 12}
	for _, c := range []struct {
		xml  string
		want func(*Settings)
	}{
		{`<w:zoom/>`, func(*Settings) {}},
		{`<w:defaultTabStop w:val="1440"/>`, func(s *Settings) { s.DefaultTab = 72 }},
		{`<w:defaultTabStop w:val="0"/>`, func(*Settings) {}},
		{`<w:defaultTabStop w:val="-20"/>`, func(*Settings) {}},
		{`<w:evenAndOddHeaders/>`, func(s *Settings) { s.EvenAndOdd = true }},
		{`<w:evenAndOddHeaders w:val="false"/>`, func(*Settings) {}},
		{`<w:mirrorMargins/>`, func(s *Settings) { s.MirrorMargins = true }},
		{`<w:gutterAtTop w:val="1"/>`, func(s *Settings) { s.GutterAtTop = true }},
		{`<w:displayBackgroundShape/>`, func(s *Settings) { s.ShowsBackground = true }},
		{`<w:themeFontLang w:val="de-DE"/>`, func(s *Settings) { s.Language = "de-DE" }},
		{`<w:compat/>`, func(*Settings) {}},
		{`<w:compat><w:doNotUseHTMLParagraphAutoSpacing/></w:compat>`, func(s *Settings) { s.SumsSpacing = true }},
		{`<w:compat><w:doNotUseHTMLParagraphAutoSpacing w:val="0"/></w:compat>`, func(*Settings) {}},
		{`<w:compat><w:doNotExpandShiftReturn/></w:compat>`, func(s *Settings) { s.KeepsReturnsUnexpanded = true }},
		{`<w:compat><w:compatSetting w:name="compatibilityMode" w:val="15"/></w:compat>`, func(s *Settings) { s.CompatMode = 15 }},
		{`<w:compat><w:compatSetting w:name="compatibilityMode" w:val="new"/></w:compat>`, func(*Settings) {}},
		{`<w:compat><w:compatSetting w:name="overrideTableStyleFontSizeAndJustification" w:val="1"/></w:compat>`, func(s *Settings) { s.StylesOverrideTables = true }},
		{`<w:compat><w:compatSetting w:name="overrideTableStyleFontSizeAndJustification" w:val="0"/></w:compat>`, func(*Settings) {}},
		{`<w:compat><w:compatSetting w:name="differentiateMultirowTableHeaders" w:val="1"/></w:compat>`, func(*Settings) {}},
		{`<w:compat><w:noColumnBalance/></w:compat>`, func(s *Settings) { s.FillsColumns = true }},
		{`<w:doNotExpandShiftReturn/>`, func(*Settings) {}}, // counts inside w:compat only
	} {
		want := plain
		c.want(&want)
		equal(t, c.xml, docx{settings: c.xml}.read(t).Settings, want)
	}
	equal(t, "without a part of settings", docx{}.read(t).Settings, plain)
}

func TestANoteIsLookedUpAmongItsKind(t *testing.T) {
	t.Parallel()
	foot, end := &Note{}, &Note{}
	d := &Document{Footnotes: map[string]*Note{"1": foot}, Endnotes: map[string]*Note{"1": end}}
	if d.Note(FootnoteItem, "1") != foot {
		t.Error("footnote 1: got another note")
	}
	if d.Note(EndnoteItem, "1") != end {
		t.Error("endnote 1: got another note")
	}
	if got := d.Note(FootnoteItem, "2"); got != nil {
		t.Errorf("footnote 2, which is not there: got %v", got)
	}
}

func TestAnEditedDocumentIsWrittenWithItsEdits(t *testing.T) {
	t.Parallel()
	d := resolved(t, `<w:p>`+text("before")+`</w:p>`, "", "", nil)
	firstRun(t, d).Items[0].Elem.SetText("after")
	d.Package.Touch(d.Package.MainPart())
	data, err := d.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadDocument(data)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "texts of the file that was written", shownTexts(again.Sections[0].Blocks), []string{"after"})
}

func TestWhatIsLeftOutOfTheTextIsTold(t *testing.T) {
	t.Parallel()
	const ink = `<w:r><w:contentPart/></w:r>`
	d := resolved(t, `<w:p>`+ink+ink+`</w:p>`, "", "", nil)
	equal(t, "losses, each once", d.Losses, []dml.Loss{dml.LossInk})
	if d := resolved(t, `<w:p>`+text("plain")+`</w:p>`, "", "", nil); len(d.Losses) > 0 || d.IsTruncated {
		t.Errorf("plain text: got losses %q and truncated %t", d.Losses, d.IsTruncated)
	}
}
