package slides

import (
	"strings"
	"testing"

	gslides "google.golang.org/api/slides/v1"
)

func TestNewRowsLookLikeTheRowBesideThem(t *testing.T) {
	t.Parallel()
	const id = "slide_256_9"
	table := strings.Replace(tableXML("a", "b"), `<a:r><a:t>a</a:t></a:r>`, `<a:pPr algn="r"/><a:r><a:rPr b="1"/><a:t>a</a:t></a:r>`, 1)
	d := pptx(t, table, "")
	at := func(row, column int64) *gslides.TableCellLocation {
		return &gslides.TableCellLocation{RowIndex: row, ColumnIndex: column}
	}
	_, err := Apply(d, "id", []*gslides.Request{
		{InsertTableRows: &gslides.InsertTableRowsRequest{TableObjectId: id, CellLocation: at(0, 0), InsertBelow: true, Number: 2}},
		{InsertText: &gslides.InsertTextRequest{ObjectId: id, CellLocation: at(1, 0), Text: "new"}},
		{DeleteTableRow: &gslides.DeleteTableRowRequest{TableObjectId: id, CellLocation: at(2, 0)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `<a:pPr algn="r"/><a:r><a:rPr b="1"/><a:t>new</a:t></a:r>`
	if got := slideXML(t, d); !strings.Contains(got, want) || strings.Count(got, "<a:tr ") != 2 {
		t.Errorf("got %s, want two rows, one with %s", got, want)
	}
	if _, err := Apply(pptx(t, table, ""), "id", []*gslides.Request{{InsertTableRows: &gslides.InsertTableRowsRequest{TableObjectId: id, CellLocation: at(0, 0), Number: 21}}}); err == nil {
		t.Error("21 rows at once: no error")
	}
}

func TestTextGetsAStyleOfThePresentation(t *testing.T) {
	t.Parallel()
	const id = "slide_256_2"
	model := `<a:rPr lang="de" sz="900" i="1" spc="300"/>`
	d := pptx(t, sp("2", `<a:p><a:r>`+model+`<a:t>model</a:t></a:r></a:p>`+para("plain text")), "")
	style := get(t, d).Slides[0].PageElements[0].Shape.Text.TextElements[1].TextRun.Style
	fields := "backgroundColor,baselineOffset,bold,fontFamily,fontSize,foregroundColor,italic,link,smallCaps,strikethrough,underline"
	span := func(from, to int64) *gslides.Range {
		return &gslides.Range{Type: "FIXED_RANGE", StartIndex: &from, EndIndex: &to}
	}
	_, err := Apply(d, "id", []*gslides.Request{
		{UpdateTextStyle: &gslides.UpdateTextStyleRequest{ObjectId: id, TextRange: span(8, 11), Style: style, Fields: fields}},
		{UpdateTextStyle: &gslides.UpdateTextStyleRequest{ObjectId: id, TextRange: span(12, 13), Style: &gslides.TextStyle{Bold: true}, Fields: "bold"}},
		{UpdateParagraphStyle: &gslides.UpdateParagraphStyleRequest{ObjectId: id, TextRange: span(8, 9), Style: &gslides.ParagraphStyle{Alignment: "CENTER"}, Fields: "alignment"}},
		{CreateParagraphBullets: &gslides.CreateParagraphBulletsRequest{ObjectId: id, TextRange: span(8, 9)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `<a:p><a:pPr algn="ctr"><a:buChar char="•"/></a:pPr><a:r><a:t>pl</a:t></a:r><a:r>` + model + `<a:t>ain</a:t></a:r><a:r><a:t> </a:t></a:r><a:r><a:rPr b="1"/><a:t>t</a:t></a:r><a:r><a:t>ext</a:t></a:r></a:p>`
	if got := slideXML(t, d); !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
	_, err = Apply(d, "id", []*gslides.Request{{DeleteParagraphBullets: &gslides.DeleteParagraphBulletsRequest{ObjectId: id, TextRange: span(8, 9)}}})
	if got := slideXML(t, d); err != nil || !strings.Contains(got, `<a:pPr algn="ctr"><a:buNone/></a:pPr>`) {
		t.Errorf("bullet taken away: %v, %s", err, got)
	}
}

func TestTheLastSlideCannotBeDeleted(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"slide_256", "master_slideMaster1"} {
		if _, err := Apply(pptx(t, "", ""), "id", []*gslides.Request{{DeleteObject: &gslides.DeleteObjectRequest{ObjectId: id}}}); err == nil {
			t.Errorf("%s: no error", id)
		}
	}
}

func styleText(r *gslides.Range, s *gslides.TextStyle, fields string) *gslides.Request {
	return &gslides.Request{UpdateTextStyle: &gslides.UpdateTextStyleRequest{ObjectId: box, TextRange: r, Style: s, Fields: fields}}
}

func styleParagraph(r *gslides.Range, s *gslides.ParagraphStyle, fields string) *gslides.Request {
	return &gslides.Request{UpdateParagraphStyle: &gslides.UpdateParagraphStyleRequest{ObjectId: box, TextRange: r, Style: s, Fields: fields}}
}

func paint(red, green, blue float64) *gslides.OptionalColor {
	return &gslides.OptionalColor{OpaqueColor: &gslides.OpaqueColor{RgbColor: &gslides.RgbColor{Red: red, Green: green, Blue: blue}}}
}

// Each field of a TextStyle, given or reset (a field of the mask that the style
// leaves out), as a property of a run (ECMA-376 part 1, 21.1.2.3.9).
func TestEachFieldOfATextsStyleSetsItsProperty(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, fields string
		style          gslides.TextStyle
		want           string
	}{
		{`/>`, "bold", gslides.TextStyle{Bold: true}, `b="1"/>`},
		{`b="1"/>`, "bold", gslides.TextStyle{}, `b="0"/>`},
		{`/>`, "italic", gslides.TextStyle{Italic: true}, `i="1"/>`},
		{`i="1"/>`, "italic", gslides.TextStyle{Bold: true}, `i="0"/>`},
		{`/>`, "underline", gslides.TextStyle{Underline: true}, `u="sng"/>`},
		{`u="dbl"/>`, "underline", gslides.TextStyle{}, `u="none"/>`},
		{`/>`, "strikethrough", gslides.TextStyle{Strikethrough: true}, `strike="sngStrike"/>`},
		{`strike="dblStrike"/>`, "strikethrough", gslides.TextStyle{}, `strike="noStrike"/>`},
		{`/>`, "smallCaps", gslides.TextStyle{SmallCaps: true}, `cap="small"/>`},
		{`cap="all"/>`, "smallCaps", gslides.TextStyle{}, `cap="none"/>`},
		{`/>`, "fontSize", gslides.TextStyle{FontSize: points(10.256)}, `sz="1026"/>`},
		{`sz="900"/>`, "fontSize", gslides.TextStyle{}, `sz="900"/>`},
		{`/>`, "baselineOffset", gslides.TextStyle{BaselineOffset: "SUPERSCRIPT"}, `baseline="30000"/>`},
		{`/>`, "baselineOffset", gslides.TextStyle{BaselineOffset: "SUBSCRIPT"}, `baseline="-25000"/>`},
		{`baseline="30000"/>`, "baselineOffset", gslides.TextStyle{BaselineOffset: "NONE"}, `baseline="0"/>`},
		{`/>`, "foregroundColor", gslides.TextStyle{ForegroundColor: paint(1, 0.5, 0)}, `><a:solidFill><a:srgbClr val="FF8000"/></a:solidFill></a:rPr>`},
		{`><a:solidFill><a:schemeClr val="tx1"/></a:solidFill></a:rPr>`, "foregroundColor", gslides.TextStyle{ForegroundColor: paint(0, 0, 1)}, `><a:solidFill><a:srgbClr val="0000FF"/></a:solidFill></a:rPr>`},
		{`><a:solidFill><a:schemeClr val="tx1"/></a:solidFill></a:rPr>`, "foregroundColor", gslides.TextStyle{}, `/>`},
		{`/>`, "backgroundColor", gslides.TextStyle{BackgroundColor: paint(2, -1, 0)}, `><a:highlight><a:srgbClr val="FF0000"/></a:highlight></a:rPr>`},
		{`><a:highlight><a:srgbClr val="FF0000"/></a:highlight></a:rPr>`, "backgroundColor", gslides.TextStyle{BackgroundColor: &gslides.OptionalColor{}}, `/>`},
		{`/>`, "fontFamily", gslides.TextStyle{FontFamily: "Lora"}, `><a:latin typeface="Lora"/></a:rPr>`},
		{`><a:latin typeface="Arial"/></a:rPr>`, "weightedFontFamily", gslides.TextStyle{FontFamily: "Other", WeightedFontFamily: &gslides.WeightedFontFamily{FontFamily: "Lora"}}, `><a:latin typeface="Lora"/></a:rPr>`},
		{`><a:latin typeface="Arial"/></a:rPr>`, "fontFamily", gslides.TextStyle{}, `/>`},
		{`><a:hlinkClick r:id="web"/></a:rPr>`, "link", gslides.TextStyle{}, `/>`},
		{`i="1"/>`, "bold", gslides.TextStyle{Bold: true, Underline: true}, `i="1" b="1"/>`},
	} {
		p := pptx(t, sp("2", `<a:p><a:r><a:rPr `+c.before+`<a:t>a</a:t></a:r></a:p>`), "")
		apply(t, p, styleText(wholeText(), &c.style, c.fields))
		run := parse(t, partXML(t, p, "ppt/slides/slide1.xml")).FindElement("//a:r/a:rPr")
		if got, want := strings.TrimSpace(strings.TrimPrefix(xmlOf(t, run), `<a:rPr`)), c.want; got != want {
			t.Errorf("%s of %q: got %s, want %s", c.fields, c.before, got, want)
		}
	}
}

// The order of ECMA-376 part 1, 21.1.2.3.9.
func TestPropertiesOfARunStandInTheOrderOfTheSchema(t *testing.T) {
	t.Parallel()
	p := pptx(t, sp("2", `<a:p><a:r><a:rPr><a:ln/><a:effectLst/><a:ea typeface="x"/><a:hlinkMouseOver r:id="web"/><a:extLst/></a:rPr><a:t>a</a:t></a:r></a:p>`), "")
	apply(t, p, styleText(wholeText(), &gslides.TextStyle{ForegroundColor: paint(1, 0, 0), BackgroundColor: paint(0, 1, 0), FontFamily: "Lora", Link: &gslides.Link{Url: "https://example.com/x"}},
		"link,fontFamily,backgroundColor,foregroundColor"))
	var got []string
	for _, e := range parse(t, partXML(t, p, "ppt/slides/slide1.xml")).FindElement("//a:r/a:rPr").ChildElements() {
		got = append(got, e.Tag)
	}
	if want := "ln solidFill effectLst highlight latin ea hlinkClick hlinkMouseOver extLst"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestAStyleReachesTheTextOfItsRangeAlone(t *testing.T) {
	t.Parallel()
	two := para("ab") + para("cd")
	mixed := `<a:p><a:r><a:t>ab</a:t></a:r><a:br/><a:r><a:t>cd</a:t></a:r></a:p>`
	from := func(n int64) *gslides.Range { return &gslides.Range{Type: "FROM_START_INDEX", StartIndex: &n} }
	for name, c := range map[string]struct {
		paragraphs string
		r          *gslides.Range
		want       string
	}{
		"all":                 {two, wholeText(), "<ab><cd>"},
		"a part":              {para("abcd"), textRange(1, 3), "a<bc>d"},
		"the beginning":       {para("abcd"), textRange(0, 1), "<a>bcd"},
		"the end":             {para("abcd"), textRange(3, 4), "abc<d>"},
		"with the line feed":  {para("abcd"), textRange(3, 5), "abc<d>"},
		"over two paragraphs": {two, textRange(1, 4), "a<b><c>d"},
		"from an index":       {two, from(4), "abc<d>"},
		"over a break":        {mixed, textRange(1, 4), "a<b>\v<c>d"},
		"of two units":        {para("a𝄞b"), textRange(1, 3), "a<𝄞>b"},
	} {
		p := pptx(t, sp("2", c.paragraphs), "")
		apply(t, p, styleText(c.r, &gslides.TextStyle{Bold: true}, "bold"))
		var got strings.Builder
		for _, e := range parse(t, partXML(t, p, "ppt/slides/slide1.xml")).FindElements("//a:p/*") {
			text := ""
			switch e.Tag {
			case "r":
				text = e.FindElement("./a:t").Text()
				if r := e.FindElement("./a:rPr"); r != nil && r.SelectAttrValue("b", "") == "1" {
					text = "<" + text + ">"
				}
			case "br":
				text = "\v"
			}
			got.WriteString(text)
		}
		if got.String() != c.want {
			t.Errorf("%s: got %q, want %q", name, got.String(), c.want)
		}
	}
}

func TestTextOfCellsIsStyled(t *testing.T) {
	t.Parallel()
	p := pptx(t, tableXML("a", "b"), "")
	at := &gslides.TableCellLocation{ColumnIndex: 1}
	apply(t, p,
		&gslides.Request{UpdateTextStyle: &gslides.UpdateTextStyleRequest{ObjectId: grid, CellLocation: at, TextRange: wholeText(), Style: &gslides.TextStyle{Italic: true}, Fields: "italic"}},
		&gslides.Request{UpdateParagraphStyle: &gslides.UpdateParagraphStyleRequest{ObjectId: grid, CellLocation: at, TextRange: wholeText(), Style: &gslides.ParagraphStyle{Alignment: "END"}, Fields: "alignment"}})
	cells := first(t, reread(t, p)).Table.TableRows[0].TableCells
	for i, c := range cells {
		is := i == 1
		if got := c.Text.TextElements[1].TextRun.Style.Italic; got != is {
			t.Errorf("the cell %d: got italic %t, want %t", i, got, is)
		}
		if got := c.Text.TextElements[0].ParagraphMarker.Style.Alignment == "END"; got != is {
			t.Errorf("the cell %d: got aligned %t, want %t", i, got, is)
		}
	}
}

// everyTextField and everyParagraphField are masks that mean a style as a whole.
const (
	everyTextField      = "backgroundColor,baselineOffset,bold,fontFamily,fontSize,foregroundColor,italic,link,smallCaps,strikethrough,underline"
	everyParagraphField = "alignment,direction,indentEnd,indentFirstLine,indentStart,lineSpacing,spaceAbove,spaceBelow,spacingMode"
)

func TestAStyleOfThePresentationIsGivenWithALinkOfItsOwn(t *testing.T) {
	t.Parallel()
	model := `<a:rPr lang="de" spc="300"/>`
	p := pptx(t, sp("2", `<a:p><a:r>`+model+`<a:t>model</a:t></a:r></a:p>`+para("go")), "")
	style := *first(t, p).Shape.Text.TextElements[1].TextRun.Style
	style.Link = &gslides.Link{Url: "https://example.com/elsewhere"}
	apply(t, p, styleText(textRange(6, 8), &style, everyTextField))
	p = reread(t, p)
	run := parse(t, partXML(t, p, "ppt/slides/slide1.xml")).FindElements("//a:r/a:rPr")[1]
	if run.SelectAttrValue("spc", "") != "300" || run.FindElement("./a:hlinkClick") == nil {
		t.Errorf("got %s", xmlOf(t, run))
	}
	relation := run.FindElement("./a:hlinkClick").SelectAttrValue("r:id", "")
	if r, ok := p.Package.Relationship("ppt/slides/slide1.xml", relation); !ok || r.Target != style.Link.Url || !r.External {
		t.Errorf("the link leads to %+v, want %s", r, style.Link.Url)
	}
}

func TestALinkIsChangedAndTakenAway(t *testing.T) {
	t.Parallel()
	link := func(url string) *gslides.Request {
		s := &gslides.TextStyle{}
		if url != "" {
			s.Link = &gslides.Link{Url: url}
		}
		return styleText(wholeText(), s, "link")
	}
	for name, c := range map[string]struct {
		requests []*gslides.Request
		want     string
	}{
		"made":       {[]*gslides.Request{link("https://example.com/1")}, `{"url":"https://example.com/1"}`},
		"changed":    {[]*gslides.Request{link("https://example.com/1"), link("https://example.com/2")}, `{"url":"https://example.com/2"}`},
		"taken away": {[]*gslides.Request{link("https://example.com/1"), link("")}, `null`},
	} {
		p := pptx(t, sp("2", para("a")), "")
		apply(t, p, c.requests...)
		if got := sent(t, first(t, reread(t, p)).Shape.Text.TextElements[1].TextRun.Style.Link); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestAParagraphGetsAStyleOfThePresentationOrAnAlignment(t *testing.T) {
	t.Parallel()
	model := `<a:pPr marL="12700" algn="ctr" fontAlgn="base"><a:lnSpc><a:spcPct val="150000"/></a:lnSpc></a:pPr>`
	styles := pptx(t, sp("2", `<a:p>`+model+`<a:r><a:t>model</a:t></a:r></a:p>`+para("plain")), "")
	elements := first(t, styles).Shape.Text.TextElements
	known, plain := elements[0].ParagraphMarker.Style, elements[2].ParagraphMarker.Style
	for name, c := range map[string]struct {
		before  string
		request *gslides.Request
		want    string
	}{
		"a known style":     {`<a:pPr algn="r"/>`, styleParagraph(textRange(6, 7), known, everyParagraphField), model},
		"a known one, by *": {``, styleParagraph(textRange(6, 7), known, "*"), model},
		"the plain one":     {``, styleParagraph(textRange(0, 1), plain, everyParagraphField), ``},
		"centred":           {`<a:pPr marL="5"/>`, styleParagraph(textRange(6, 7), &gslides.ParagraphStyle{Alignment: "CENTER"}, "alignment"), `<a:pPr marL="5" algn="ctr"/>`},
		"to the end":        {``, styleParagraph(textRange(6, 7), &gslides.ParagraphStyle{Alignment: "END"}, "alignment"), `<a:pPr algn="r"/>`},
		"justified":         {``, styleParagraph(textRange(6, 7), &gslides.ParagraphStyle{Alignment: "JUSTIFIED"}, "alignment"), `<a:pPr algn="just"/>`},
		"to the start":      {`<a:pPr algn="r"/>`, styleParagraph(textRange(6, 7), &gslides.ParagraphStyle{Alignment: "START"}, "alignment"), `<a:pPr algn="l"/>`},
		"to no side":        {`<a:pPr algn="r"/>`, styleParagraph(textRange(6, 7), &gslides.ParagraphStyle{}, "alignment"), `<a:pPr algn="l"/>`},
	} {
		p := pptx(t, sp("2", `<a:p>`+model+`<a:r><a:t>model</a:t></a:r></a:p><a:p>`+c.before+`<a:r><a:t>plain</a:t></a:r></a:p>`), "")
		apply(t, p, c.request)
		at := 1
		if name == "the plain one" {
			at = 0
		}
		got := ""
		if properties := parse(t, partXML(t, p, "ppt/slides/slide1.xml")).FindElements("//a:p")[at].FindElement("./a:pPr"); properties != nil {
			got = xmlOf(t, properties)
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestRequestsForStylesAreRefusedInGooglesWords(t *testing.T) {
	t.Parallel()
	bold := &gslides.TextStyle{Bold: true}
	elsewhere := styleText(wholeText(), bold, "bold")
	elsewhere.UpdateTextStyle.ObjectId = "nothing"
	alone := func(field string) string {
		return "updateParagraphStyle: This drive sets the field \"" + field + "\" of a paragraph's style only with all of a style that the presentation has."
	}
	for _, c := range []struct {
		request *gslides.Request
		want    string
	}{
		{styleText(wholeText(), bold, ""), "updateTextStyle: At least one field must be listed in fields."},
		{styleText(wholeText(), bold, "bold,colour"), `updateTextStyle: The field "colour" is not a field of the style.`},
		{styleText(wholeText(), nil, "bold"), "updateTextStyle: The text style must be specified."},
		{styleText(nil, bold, "bold"), "updateTextStyle: The text range must be specified."},
		{elsewhere, "updateTextStyle: The object (nothing) could not be found."},
		{styleText(textRange(0, 3), bold, "bold"), "updateTextStyle: The endIndex 3 should not be greater than the existing text length, 2."},
		{styleText(textRange(2, 2), bold, "bold"), "updateTextStyle: The startIndex 2 must be less than the endIndex 2."},
		{styleParagraph(wholeText(), &gslides.ParagraphStyle{}, ""), "updateParagraphStyle: At least one field must be listed in fields."},
		{styleParagraph(wholeText(), &gslides.ParagraphStyle{}, "bold"), `updateParagraphStyle: The field "bold" is not a field of the style.`},
		{styleParagraph(wholeText(), nil, "alignment"), "updateParagraphStyle: The paragraph style must be specified."},
		{styleParagraph(&gslides.Range{}, &gslides.ParagraphStyle{}, "alignment"), "updateParagraphStyle: The range type must be ALL, FROM_START_INDEX or FIXED_RANGE."},
		{styleParagraph(wholeText(), &gslides.ParagraphStyle{Alignment: "END"}, "alignment,lineSpacing"), alone("lineSpacing")},
		{styleParagraph(wholeText(), &gslides.ParagraphStyle{LineSpacing: 150}, "lineSpacing"), alone("lineSpacing")},
		{styleParagraph(wholeText(), &gslides.ParagraphStyle{LineSpacing: 123}, "*"), alone("lineSpacing")},
	} {
		if got, want := refuse(t, pptx(t, sp("2", para("a")), ""), c.request), "Invalid requests[0]."+c.want; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestParagraphsAreIndented(t *testing.T) {
	t.Parallel()
	pt := func(n float64) *gslides.Dimension { return &gslides.Dimension{Magnitude: n, Unit: "PT"} }
	for want, request := range map[string]*gslides.Request{
		`<a:pPr marL="304800"/>`:                  styleParagraph(wholeText(), &gslides.ParagraphStyle{IndentStart: pt(24)}, "indentStart"),
		`<a:pPr marL="304800" indent="-152400"/>`: styleParagraph(wholeText(), &gslides.ParagraphStyle{IndentStart: pt(24), IndentFirstLine: pt(12)}, "indentFirstLine,indentStart"),
		`<a:pPr rtl="1" marR="127000"/>`:          styleParagraph(wholeText(), &gslides.ParagraphStyle{IndentEnd: &gslides.Dimension{Magnitude: 127000, Unit: "EMU"}, Direction: "RIGHT_TO_LEFT"}, "indentEnd,direction"),
		`<a:pPr/>`:                                styleParagraph(wholeText(), &gslides.ParagraphStyle{}, "indentFirstLine,indentStart"),
	} {
		p := pptx(t, sp("2", `<a:p><a:r><a:t>a</a:t></a:r></a:p>`), "")
		apply(t, p, request)
		data, err := p.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if got := partXML(t, read(t, data), "ppt/slides/slide1.xml"); !strings.Contains(got, want) && !(want == "<a:pPr/>" && strings.Contains(got, "<a:pPr></a:pPr>")) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
