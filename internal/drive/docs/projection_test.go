package docs

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	gdocs "google.golang.org/api/docs/v1"
)

// sent is what a client gets of a part of an answer.
func sent(t *testing.T, resource any) string {
	t.Helper()
	data, err := json.Marshal(resource)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// plainStyles turn off what Word's defaults would add to text.
const plainStyles = `<w:styles` + namespaces + `><w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Arial"/><w:sz w:val="20"/></w:rPr></w:rPrDefault></w:docDefaults>` +
	`<w:style w:type="paragraph" w:default="1" w:styleId="Standard"><w:name w:val="Normal"/></w:style>` +
	`<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>` +
	`<w:style w:type="paragraph" w:styleId="Untertitel"><w:name w:val="Subtitle"/></w:style>` +
	`<w:style w:type="paragraph" w:styleId="berschrift3"><w:name w:val="heading 3"/></w:style>` +
	`<w:style w:type="paragraph" w:styleId="berschrift7"><w:name w:val="heading 7"/></w:style>` +
	`<w:style w:type="paragraph" w:styleId="Zitat"><w:name w:val="Quote"/></w:style></w:styles>`

func styledDocument(t *testing.T, body string) *gdocs.Document {
	t.Helper()
	return get(t, docxWith(t, body+`<w:sectPr/>`, map[string]string{"styles": plainStyles}))
}

// The properties of runs (ECMA-376 part 1, 17.3.2) in the fields of TextStyle.
func TestTextIsShownWithItsProperties(t *testing.T) {
	t.Parallel()
	const (
		font  = `"weightedFontFamily":{"fontFamily":"Arial","weight":400}}`
		plain = `"fontSize":{"magnitude":10,"unit":"PT"},` + font
		red   = `{"color":{"rgbColor":{"red":1}}}`
	)
	for properties, want := range map[string]string{
		``:                                   `{` + plain,
		`<w:i/><w:smallCaps/>`:               `{` + `"fontSize":{"magnitude":10,"unit":"PT"},"italic":true,"smallCaps":true,` + font,
		`<w:b/>`:                             `{"bold":true,"fontSize":{"magnitude":10,"unit":"PT"},"weightedFontFamily":{"fontFamily":"Arial","weight":700}}`,
		`<w:b w:val="0"/>`:                   `{` + plain,
		`<w:strike/>`:                        `{"fontSize":{"magnitude":10,"unit":"PT"},"strikethrough":true,` + font,
		`<w:dstrike/>`:                       `{"fontSize":{"magnitude":10,"unit":"PT"},"strikethrough":true,` + font,
		`<w:u w:val="double"/>`:              `{"fontSize":{"magnitude":10,"unit":"PT"},"underline":true,` + font,
		`<w:u w:val="none"/>`:                `{` + plain,
		`<w:sz w:val="25"/>`:                 `{"fontSize":{"magnitude":12.5,"unit":"PT"},` + font,
		`<w:color w:val="FF0000"/>`:          `{"fontSize":{"magnitude":10,"unit":"PT"},"foregroundColor":` + red + `,` + font,
		`<w:highlight w:val="red"/>`:         `{"backgroundColor":` + red + `,` + plain,
		`<w:shd w:fill="FF0000"/>`:           `{"backgroundColor":` + red + `,` + plain,
		`<w:vertAlign w:val="superscript"/>`: `{"baselineOffset":"SUPERSCRIPT",` + plain,
		`<w:vertAlign w:val="subscript"/>`:   `{"baselineOffset":"SUBSCRIPT",` + plain,
		`<w:highlight w:val="red"/><w:shd w:fill="00FF00"/>`: `{"backgroundColor":` + red + `,` + plain,
	} {
		doc := styledDocument(t, `<w:p><w:r><w:rPr>`+properties+`</w:rPr><w:t>a</w:t></w:r></w:p>`)
		style := doc.Body.Content[1].Paragraph.Elements[0].TextRun.TextStyle
		style.FontSize = points(style.FontSize.Magnitude) // without the mark of a variant
		if diff := cmp.Diff(want, sent(t, style)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", properties, diff)
		}
	}
}

func TestLinksAreShownByWhereTheyLead(t *testing.T) {
	t.Parallel()
	doc := get(t, docx(t, `<w:p><w:hyperlink r:id="l"><w:r><w:t>out</w:t></w:r></w:hyperlink><w:hyperlink w:anchor="mark"><w:r><w:t>in</w:t></w:r></w:hyperlink><w:r><w:t>none</w:t></w:r></w:p>`))
	var got []string
	for _, e := range doc.Body.Content[1].Paragraph.Elements {
		got = append(got, e.TextRun.Content+" "+sent(t, e.TextRun.TextStyle.Link))
	}
	if want := "out {\"url\":\"https://example.com/\"}|in {\"bookmarkId\":\"mark\"}|none\n null"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", strings.Join(got, "|"), want)
	}
}

// The line feed looks like the text before it, unless that is a link; alone it
// looks like the paragraph's mark.
func TestALineFeedIsShownInTheStyleOfTheTextBeforeIt(t *testing.T) {
	t.Parallel()
	mark := `<w:pPr><w:rPr><w:i/></w:rPr></w:pPr>`
	for name, c := range map[string]struct {
		paragraph    string
		runs         int
		bold, italic bool
	}{
		"behind text":   {mark + `<w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r>`, 1, true, false},
		"alone":         {mark, 1, false, true},
		"behind a link": {mark + `<w:hyperlink r:id="l"><w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r></w:hyperlink>`, 2, false, true},
		"behind a note": {mark + `<w:r><w:rPr><w:b/></w:rPr><w:footnoteReference w:id="2"/></w:r>`, 2, false, true},
	} {
		elements := get(t, docx(t, `<w:p>`+c.paragraph+`</w:p>`)).Body.Content[1].Paragraph.Elements
		last := elements[len(elements)-1].TextRun
		if len(elements) != c.runs || last.TextStyle.Bold != c.bold || last.TextStyle.Italic != c.italic {
			t.Errorf("%s: got %d elements and a line feed of %+v", name, len(elements), last.TextStyle)
		}
	}
}

// The properties of paragraphs (ECMA-376 part 1, 17.3.1) in the fields of
// ParagraphStyle: points of their twentieths, the first line from the margin.
func TestParagraphsAreShownWithTheirProperties(t *testing.T) {
	t.Parallel()
	zero := map[string]any{"unit": "PT"}
	pt := func(n float64) map[string]any { return map[string]any{"magnitude": n, "unit": "PT"} }
	with := func(changes map[string]any) map[string]any {
		all := map[string]any{
			"alignment": "START", "direction": "LEFT_TO_RIGHT", "namedStyleType": "NORMAL_TEXT", "lineSpacing": 100.0, "avoidWidowAndOrphan": true,
			"indentStart": zero, "indentEnd": zero, "indentFirstLine": zero, "spaceAbove": zero, "spaceBelow": zero,
		}
		for key, value := range changes {
			if all[key] = value; value == nil {
				delete(all, key)
			}
		}
		return all
	}
	for properties, want := range map[string]map[string]any{
		``:                       with(nil),
		`<w:jc w:val="right"/>`:  with(map[string]any{"alignment": "END"}),
		`<w:jc w:val="center"/>`: with(map[string]any{"alignment": "CENTER"}),
		`<w:jc w:val="both"/>`:   with(map[string]any{"alignment": "JUSTIFIED"}),
		`<w:ind w:left="720" w:firstLine="360"/>`:                      with(map[string]any{"indentStart": pt(36), "indentFirstLine": pt(54)}),
		`<w:ind w:left="720" w:hanging="360" w:right="100"/>`:          with(map[string]any{"indentStart": pt(36), "indentFirstLine": pt(18), "indentEnd": pt(5)}),
		`<w:bidi/><w:ind w:left="720" w:right="100" w:hanging="360"/>`: with(map[string]any{"direction": "RIGHT_TO_LEFT", "indentStart": pt(36), "indentFirstLine": pt(18), "indentEnd": pt(5)}),
		`<w:spacing w:before="120" w:after="7"/>`:                      with(map[string]any{"spaceAbove": pt(6), "spaceBelow": pt(0.35)}),
		`<w:spacing w:line="288"/>`:                                    with(map[string]any{"lineSpacing": 120.0}),
		`<w:spacing w:line="360" w:lineRule="auto"/>`:                  with(map[string]any{"lineSpacing": 150.0}),
		`<w:spacing w:line="300" w:lineRule="exact"/>`:                 with(map[string]any{"lineSpacing": nil}),
		`<w:keepNext/><w:keepLines/><w:widowControl w:val="0"/>`:       with(map[string]any{"keepWithNext": true, "keepLinesTogether": true, "avoidWidowAndOrphan": nil}),
		`<w:pageBreakBefore/>`:                                         with(map[string]any{"pageBreakBefore": true}),
		`<w:shd w:val="clear" w:fill="0000FF"/>`:                       with(map[string]any{"shading": map[string]any{"backgroundColor": map[string]any{"color": map[string]any{"rgbColor": map[string]any{"blue": 1.0}}}}}),
		`<w:pStyle w:val="Titel"/>`:                                    with(map[string]any{"namedStyleType": "TITLE"}),
		`<w:pStyle w:val="Untertitel"/>`:                               with(map[string]any{"namedStyleType": "SUBTITLE"}),
		`<w:pStyle w:val="berschrift3"/>`:                              with(map[string]any{"namedStyleType": "HEADING_3", "headingId": "h.1"}),
		`<w:pStyle w:val="berschrift7"/>`:                              with(nil),
		`<w:pStyle w:val="Zitat"/>`:                                    with(nil),
	} {
		doc := styledDocument(t, `<w:p><w:pPr>`+properties+`</w:pPr></w:p>`)
		var got map[string]any
		style := doc.Body.Content[1].Paragraph.ParagraphStyle
		style.SpaceAbove = points(style.SpaceAbove.Magnitude) // without the mark of a variant
		if err := json.Unmarshal([]byte(sent(t, style)), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", properties, diff)
		}
	}
}

// ParagraphStyle.alignment: START is the side where the text begins.
func TestAlignmentFollowsTheDirection(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		align string
		rtl   bool
		want  string
	}{
		{"left", false, "START"}, {"right", false, "END"}, {"", false, "START"},
		{"right", true, "START"}, {"left", true, "END"}, {"", true, "END"},
		{"center", true, "CENTER"}, {"both", true, "JUSTIFIED"},
	} {
		if got := alignment(c.align, c.rtl); got != c.want {
			t.Errorf("%q with right to left %t: got %s, want %s", c.align, c.rtl, got, c.want)
		}
	}
}

func TestListsAreShownWithTheLevelsThatAreUsed(t *testing.T) {
	t.Parallel()
	numbering := `<w:numbering` + namespaces + `><w:abstractNum w:abstractNumId="1">` +
		`<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/><w:pPr><w:ind w:left="720" w:hanging="360"/></w:pPr><w:rPr><w:b/></w:rPr></w:lvl>` +
		`<w:lvl w:ilvl="2"><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/><w:pPr><w:ind w:left="1440"/></w:pPr></w:lvl></w:abstractNum>` +
		`<w:num w:numId="5"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="6"><w:abstractNumId w:val="1"/></w:num></w:numbering>`
	doc := get(t, docxWith(t, entry("5", "0", "a")+entry("5", "2", "b")+entry("5", "0", "c")+entry("6", "0", "d")+para("e"), map[string]string{"numbering": numbering}))
	var bullets []string
	for _, e := range doc.Body.Content[1:] {
		if b := e.Paragraph.Bullet; b != nil {
			bullets = append(bullets, b.ListId+sent(t, b.NestingLevel)+sent(t, b.TextStyle.Bold))
		}
	}
	if got, want := strings.Join(bullets, " "), "kix.list50true kix.list52false kix.list50true kix.list60true"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := `{"nestingLevels":[` +
		`{"bulletAlignment":"START","glyphFormat":"%0.","glyphType":"DECIMAL","indentFirstLine":{"magnitude":18,"unit":"PT"},"indentStart":{"magnitude":36,"unit":"PT"},"startNumber":1},` +
		`{"bulletAlignment":"START"},` +
		`{"bulletAlignment":"START","glyphFormat":"%2","glyphSymbol":"•","indentFirstLine":{"magnitude":72,"unit":"PT"},"indentStart":{"magnitude":72,"unit":"PT"}}]}`
	if diff := cmp.Diff(want, sent(t, doc.Lists["kix.list5"].ListProperties)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := len(doc.Lists["kix.list6"].ListProperties.NestingLevels); len(doc.Lists) != 2 || n != 1 {
		t.Errorf("got %d lists, the second with %d levels", len(doc.Lists), n)
	}
}

func TestTablesAreShownWithTheirSpansAndProperties(t *testing.T) {
	t.Parallel()
	cell := func(properties string) string { return `<w:tc><w:tcPr>` + properties + `</w:tcPr><w:p/></w:tc>` }
	merge, begin := `<w:vMerge/>`, `<w:vMerge w:val="restart"/>`
	table := get(t, docx(t, `<w:tbl><w:tblPr><w:tblCellMar><w:left w:w="200" w:type="dxa"/><w:right w:w="40" w:type="dxa"/></w:tblCellMar></w:tblPr>`+
		`<w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="2000"/><w:gridCol w:w="500"/></w:tblGrid>`+
		`<w:tr><w:trPr><w:tblHeader/><w:trHeight w:val="400"/></w:trPr>`+cell(begin+`<w:vAlign w:val="center"/>`)+cell(`<w:gridSpan w:val="2"/><w:shd w:val="clear" w:fill="FF0000"/>`)+`</w:tr>`+
		`<w:tr><w:trPr><w:cantSplit/></w:trPr>`+cell(merge)+cell(begin)+cell(`<w:vAlign w:val="bottom"/>`)+`</w:tr>`+
		`<w:tr>`+cell(merge)+cell(merge)+cell(begin)+`</w:tr></w:tbl>`+para("z"))).Body.Content[1].Table
	var got []string
	for _, r := range table.TableRows {
		for _, c := range r.TableCells {
			s := c.TableCellStyle
			got = append(got, sent(t, []any{s.RowSpan, s.ColumnSpan, s.ContentAlignment}))
		}
	}
	want := `[3,1,"MIDDLE"] [1,2,"TOP"] [1,1,"TOP"] [1,1,"TOP"] [2,1,"TOP"] [1,1,"BOTTOM"] [1,1,"TOP"] [1,1,"TOP"] [1,1,"TOP"]`
	if strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
	if table.Rows != 3 || table.Columns != 3 {
		t.Errorf("got %d × %d, want 3 × 3", table.Rows, table.Columns)
	}
	if got, want := sent(t, table.TableStyle), `{"tableColumnProperties":[{"width":{"magnitude":50,"unit":"PT"},"widthType":"FIXED_WIDTH"},{"width":{"magnitude":100,"unit":"PT"},"widthType":"FIXED_WIDTH"},{"width":{"magnitude":25,"unit":"PT"},"widthType":"FIXED_WIDTH"}]}`; got != want {
		t.Errorf("got columns %s, want %s", got, want)
	}
	first, second := table.TableRows[0].TableRowStyle, table.TableRows[1].TableRowStyle
	if !first.TableHeader || first.PreventOverflow || first.MinRowHeight.Magnitude != 20 || second.TableHeader || !second.PreventOverflow || second.MinRowHeight.Magnitude != 0 {
		t.Errorf("got rows of %s and %s", sent(t, first), sent(t, second))
	}
	style := table.TableRows[0].TableCells[1].TableCellStyle
	if style.PaddingLeft.Magnitude != 10 || style.PaddingRight.Magnitude != 2 || style.PaddingTop.Magnitude != 0 || style.BackgroundColor.Color.RgbColor.Red != 1 || table.TableRows[0].TableCells[0].TableCellStyle.BackgroundColor != nil {
		t.Errorf("got a cell of %s", sent(t, style))
	}
}

func TestSectionsAreShownWithTheirPage(t *testing.T) {
	t.Parallel()
	story := func(tag, text string) string { return `<w:` + tag + namespaces + `>` + para(text) + `</w:` + tag + `>` }
	reference := func(kind, of, id string) string {
		return `<w:` + kind + `Reference w:type="` + of + `" r:id="` + id + `"/>`
	}
	section := func(inner string) string { return `<w:p><w:pPr><w:sectPr>` + inner + `</w:sectPr></w:pPr></w:p>` }
	doc := get(t, docxWith(t,
		section(reference("header", "default", "header1")+reference("header", "first", "header2")+reference("footer", "default", "footer3")+reference("footer", "even", "footer4")+
			`<w:pgSz w:w="12240" w:h="15840"/><w:pgMar w:top="100" w:right="200" w:bottom="300" w:left="400" w:header="500" w:footer="600"/><w:titlePg/>`)+
			section(`<w:type w:val="continuous"/><w:pgNumType w:start="7"/><w:bidi/>`)+section(`<w:type w:val="oddPage"/>`)+para("last")+`<w:sectPr/>`,
		map[string]string{
			"header2": story("hdr", "first"), "footer3": story("ftr", "foot"), "footer4": story("ftr", "even"),
			"settings": `<w:settings` + namespaces + `><w:evenAndOddHeaders/></w:settings>`,
		}))
	var sections []*gdocs.SectionStyle
	for _, e := range doc.Body.Content {
		if e.SectionBreak != nil {
			sections = append(sections, e.SectionBreak.SectionStyle)
		}
	}
	if len(sections) != 4 {
		t.Fatalf("got %d sections, want 4", len(sections))
	}
	want := `{"columnSeparatorStyle":"NONE","contentDirection":"LEFT_TO_RIGHT","defaultFooterId":"kix.footer3","defaultHeaderId":"kix.header1","evenPageFooterId":"kix.footer4","firstPageHeaderId":"kix.header2",` +
		`"marginBottom":{"magnitude":15,"unit":"PT"},"marginFooter":{"magnitude":30,"unit":"PT"},"marginHeader":{"magnitude":25,"unit":"PT"},"marginLeft":{"magnitude":20,"unit":"PT"},` +
		`"marginRight":{"magnitude":10,"unit":"PT"},"marginTop":{"magnitude":5,"unit":"PT"},"sectionType":"CONTINUOUS","useFirstPageHeaderFooter":true}`
	if diff := cmp.Diff(want, sent(t, sections[0])); diff != "" {
		t.Errorf("the first section (-want +got):\n%s", diff)
	}
	for i, want := range []string{"CONTINUOUS", "CONTINUOUS", "NEXT_PAGE", "NEXT_PAGE"} {
		if got := sections[i].SectionType; got != want {
			t.Errorf("the section %d: got %s, want %s", i, got, want)
		}
	}
	if s := sections[1]; s.PageNumberStart != 7 || s.ContentDirection != "RIGHT_TO_LEFT" || s.UseFirstPageHeaderFooter {
		t.Errorf("the second section: got %s", sent(t, s))
	}
	// The document's style is the page of its first section.
	s := doc.DocumentStyle
	if got, want := sent(t, s.PageSize), `{"height":{"magnitude":792,"unit":"PT"},"width":{"magnitude":612,"unit":"PT"}}`; got != want {
		t.Errorf("got the page %s, want %s", got, want)
	}
	if s.PageNumberStart != 1 || !s.UseEvenPageHeaderFooter || !s.UseFirstPageHeaderFooter || !s.UseCustomHeaderFooterMargins || s.MarginFooter.Magnitude != 30 || s.MarginTop.Magnitude != 5 ||
		s.MarginRight.Magnitude != 10 || s.MarginBottom.Magnitude != 15 || s.MarginLeft.Magnitude != 20 || s.MarginHeader.Magnitude != 25 {
		t.Errorf("got the document's style %s", sent(t, s))
	}
	if s.DefaultHeaderId != "kix.header1" || s.FirstPageHeaderId != "kix.header2" || s.EvenPageHeaderId != "" || s.DefaultFooterId != "kix.footer3" || s.EvenPageFooterId != "kix.footer4" || s.FirstPageFooterId != "" {
		t.Errorf("got the document's style %s", sent(t, s))
	}
}

func TestTheBackgroundOfTheDocumentIsShown(t *testing.T) {
	t.Parallel()
	if got := sent(t, get(t, docx(t, para("a"))).DocumentStyle.Background); got != `{"color":{}}` {
		t.Errorf("none: got %s", got)
	}
	d := read(t, pack(t, `<w:document`+namespaces+`><w:background w:color="00FF00"/><w:body><w:p/></w:body></w:document>`, map[string]string{
		"settings": `<w:settings` + namespaces + `><w:displayBackgroundShape/></w:settings>`,
	}))
	if got, want := sent(t, get(t, d).DocumentStyle.Background), `{"color":{"color":{"rgbColor":{"green":1}}}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTheNamesOfStylesAreGooglesAsFarAsTheFileHasThem(t *testing.T) {
	t.Parallel()
	var got []string
	for _, s := range get(t, docx(t, para("a"))).NamedStyles.Styles {
		if s.ParagraphStyle.NamedStyleType != s.NamedStyleType {
			t.Errorf("the style %s is one of %s", s.NamedStyleType, s.ParagraphStyle.NamedStyleType)
		}
		got = append(got, s.NamedStyleType)
	}
	if want := "NORMAL_TEXT"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestAnAnswerSaysWhichDocumentItIsOf(t *testing.T) {
	t.Parallel()
	doc, err := Get(docx(t, para("a")), "the-id", "A title", "r7")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join([]string{doc.DocumentId, doc.Title, doc.RevisionId, doc.SuggestionsViewMode}, " "); got != "the-id A title r7 SUGGESTIONS_INLINE" {
		t.Errorf("got %q", got)
	}
	if doc.Lists != nil || doc.InlineObjects != nil || doc.NamedRanges != nil || doc.Footers != nil {
		t.Errorf("got %s, want nothing of what the document has not", sent(t, doc))
	}
}

// What Google's interface has no element for is U+E907; notes count through
// the document, whichever their kind.
func TestObjectsInTheLineAreShown(t *testing.T) {
	t.Parallel()
	picture := `<w:drawing><wp:inline><wp:extent cx="127000" cy="63500"/><wp:docPr id="1" name="x" descr="A logo"/>` +
		`</wp:inline></w:drawing>`
	doc := get(t, docxWith(t, `<w:p><w:r><w:rPr><w:b/></w:rPr><w:sym w:font="Wingdings" w:char="F04A"/>`+picture+`<w:endnoteReference w:id="3"/><w:footnoteReference w:id="2"/><w:br w:type="column"/></w:r><m:oMath/></w:p>`,
		map[string]string{"endnotes": `<w:endnotes` + namespaces + `><w:endnote w:id="3"><w:p/></w:endnote></w:endnotes>`}))
	elements := doc.Body.Content[1].Paragraph.Elements
	if len(elements) != 7 {
		t.Fatalf("got %s", sent(t, elements))
	}
	if r := elements[0].TextRun; r.Content != "\uE907" || !r.TextStyle.Bold {
		t.Errorf("a symbol: got %q of %+v", r.Content, r.TextStyle)
	}
	for i, want := range map[int]string{2: "kix.endnote3 1", 3: "kix.footnote2 2"} {
		if r := elements[i].FootnoteReference; r.FootnoteId+" "+r.FootnoteNumber != want || !r.TextStyle.Bold {
			t.Errorf("a note: got %s, want %s in bold", sent(t, r), want)
		}
	}
	if elements[4].ColumnBreak == nil || !elements[4].ColumnBreak.TextStyle.Bold || elements[5].Equation == nil {
		t.Errorf("a column break and an equation: got %s", sent(t, elements[4:6]))
	}
	object := doc.InlineObjects[elements[1].InlineObjectElement.InlineObjectId]
	if got, want := sent(t, object.InlineObjectProperties.EmbeddedObject), `{"description":"A logo","size":{"height":{"magnitude":5,"unit":"PT"},"width":{"magnitude":10,"unit":"PT"}}}`; got != want || object.ObjectId != elements[1].InlineObjectElement.InlineObjectId {
		t.Errorf("a drawing: got %s of %s, want %s", got, object.ObjectId, want)
	}
}

// pixelPart is the part that the pixel is put into.
const pixelPart = "word/media/platen-6b7fa434f92a8b80aab02d9bf1a12e49ffcae424e4013a1c4f68b67e3d2bbcd0.png"

func TestAPictureIsShownAsOne(t *testing.T) {
	t.Parallel()
	for id, o := range get(t, apply(t, docx(t, para("a")), insertPicture(1, "", pixel, nil))).InlineObjects {
		if got, want := sent(t, o.InlineObjectProperties.EmbeddedObject), `{"imageProperties":{"contentUri":"`+pixelPart+`"},"size":{"height":{"magnitude":0.75,"unit":"PT"},"width":{"magnitude":0.75,"unit":"PT"}}}`; got != want {
			t.Errorf("%s: got %s, want %s", id, got, want)
		}
	}
}

// A floating picture takes no index; the paragraph that it is anchored in names it.
func TestAFloatingPictureIsShownBesideItsParagraph(t *testing.T) {
	t.Parallel()
	for wrap, want := range map[string]string{
		`<wp:wrapSquare/>`: "WRAP_TEXT", `<wp:wrapTopAndBottom/>`: "BREAK_LEFT_RIGHT", `<wp:wrapNone/>`: "IN_FRONT_OF_TEXT",
	} {
		d := apply(t, docx(t, para("ab")+para("c")), insertPicture(2, "", pixel, nil))
		tree, err := d.Package.XML("word/document.xml")
		if err != nil {
			t.Fatal(err)
		}
		picture := tree.FindElement("//wp:inline")
		picture.Tag = "anchor"
		offset := `<wp:positionH xmlns:wp="x" relativeFrom="column"><wp:posOffset>127000</wp:posOffset></wp:positionH>`
		for _, xml := range []string{strings.ReplaceAll(offset, "H", "V"), offset} {
			picture.InsertChildAt(0, element(t, xml))
		}
		picture.AddChild(element(t, wrap))
		d.Package.Touch("word/document.xml")
		doc := get(t, reread(t, d))
		if got := outline(doc.Body.Content); got != "§ab¶c¶" {
			t.Errorf("%s: got %q", want, got)
		}
		ids := doc.Body.Content[1].Paragraph.PositionedObjectIds
		if len(ids) != 1 || len(doc.PositionedObjects) != 1 || doc.Body.Content[2].Paragraph.PositionedObjectIds != nil {
			t.Fatalf("%s: got %q of %d, want the one of the first paragraph", want, ids, len(doc.PositionedObjects))
		}
		got := sent(t, doc.PositionedObjects[ids[0]].PositionedObjectProperties)
		if want := `{"embeddedObject":{"imageProperties":{"contentUri":"` + pixelPart + `"},"size":{"height":{"magnitude":0.75,"unit":"PT"},"width":{"magnitude":0.75,"unit":"PT"}}},` +
			`"positioning":{"layout":"` + want + `","leftOffset":{"magnitude":10,"unit":"PT"},"topOffset":{"magnitude":10,"unit":"PT"}}}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A list's levels have the indents of its entries, from the side where the text
// begins.
func TestALevelIsIndentedFromTheSideWhereItsTextBegins(t *testing.T) {
	t.Parallel()
	body := `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr><w:bidi/><w:ind w:left="720" w:hanging="360"/></w:pPr></w:p>`
	doc := get(t, docxWith(t, body, map[string]string{"numbering": twoLists}))
	level := doc.Lists["kix.list2"].ListProperties.NestingLevels[0]
	if level.IndentStart.Magnitude != 36 || level.IndentFirstLine.Magnitude != 18 {
		t.Errorf("got %v with its first line at %v, want 36 and 18", level.IndentStart.Magnitude, level.IndentFirstLine.Magnitude)
	}
}
