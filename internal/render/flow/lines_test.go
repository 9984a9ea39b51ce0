package flow

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func underlined(content string) string {
	return `<w:r><w:rPr><w:u w:val="single"/></w:rPr>` + content + `</w:r>`
}

// firstLine is the top of a page's text.
const firstLine = 72

const twentySpaces = `<w:t xml:space="preserve">                    </w:t>`

// People sign on what is underlined at the end of a line. How far it is drawn
// is what LibreOffice 7.4 makes of the same paragraphs.
func TestUnderlinesReachToTheEndOfTrailingTabsAndSpaces(t *testing.T) {
	t.Parallel()
	const space, wide = 2.78, textRight - textLeft // a space is one of 10 point Arial
	left := `<w:tabs><w:tab w:val="left" w:pos="3000"/></w:tabs>`
	for name, c := range map[string]struct {
		properties, content string
		from, to            float64
	}{
		"a tab":                        {left, underlined(`<w:tab/>`), 0, 150},
		"a tab to the right":           {`<w:tabs><w:tab w:val="right" w:pos="6000"/></w:tabs>`, underlined(`<w:tab/>`), 0, 300},
		"a tab behind text":            {left, `<w:r><w:t>Name</w:t></w:r>` + underlined(`<w:tab/>`), 0, 150},
		"a tab and a bookmark":         {left, underlined(`<w:tab/>`) + `<w:bookmarkStart w:id="0" w:name="here"/>`, 0, 150},
		"spaces":                       {"", underlined(twentySpaces), 0, 20 * space},
		"spaces before a break":        {"", underlined(twentySpaces+`<w:br/>`) + `<w:r><w:t>next</w:t></w:r>`, 0, 20 * space},
		"a tab and spaces":             {left, underlined(`<w:tab/>` + twentySpaces), 0, 150 + 20*space},
		"more spaces than fit":         {`<w:ind w:right="7000"/>`, underlined(twentySpaces + twentySpaces + twentySpaces), 0, wide - 350},
		"a tab of a line at the right": {`<w:jc w:val="right"/>` + left, underlined(`<w:tab/>`), wide - 150, wide},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, _ := paintedDocument(t, rendertest.Docx{Body: `<w:p><w:pPr>` + c.properties + `</w:pPr>` + c.content + `</w:p>`})
			from, to := page.Extent(firstLine, firstLine+arialLine)
			rendertest.Near(t, "the ink begins", from, textLeft+c.from, 1.5)
			rendertest.Near(t, "the ink ends", to, textLeft+c.to, 1.5)
		})
	}
}

func TestUnderlinesOfTrailingTabsAreDrawnInCells(t *testing.T) {
	t.Parallel()
	page, _ := paintedDocument(t, rendertest.Docx{Body: `<w:tbl><w:tblPr><w:tblCellMar><w:left w:w="0" w:type="dxa"/></w:tblCellMar></w:tblPr>` + gridOfThree +
		`<w:tr><w:tc><w:p><w:pPr><w:tabs><w:tab w:val="left" w:pos="1600"/></w:tabs></w:pPr>` + underlined(`<w:tab/>`) + `</w:p></w:tc></w:tr></w:tbl>`})
	from, to := page.Extent(firstLine, firstLine+arialLine)
	rendertest.Near(t, "the length of the line", to-from, 80, 1.5)
}

func TestSpacesWithoutAnUnderlineLeaveNoInk(t *testing.T) {
	t.Parallel()
	page, _ := paintedDocument(t, rendertest.Docx{Body: rendertest.Paragraph("", "                    ")})
	if from, to := page.Extent(firstLine, firstLine+2*arialLine); from >= 0 {
		t.Errorf("there is ink from %.1f to %.1f", from, to)
	}
}

func TestALineEndsBehindTheLastWordThatFits(t *testing.T) {
	t.Parallel()
	x := strings.Repeat("x", 40)
	for name, c := range map[string]struct {
		properties, text string
		want             []string
	}{
		"33 letters fit":                  {"", "aaaaaaaaa bbbbbbbbb ccccccccc ddd", []string{"1: 50,66 aaaaaaaaa bbbbbbbbb ccccccccc ddd"}},
		"34 do not":                       {"", "aaaaaaaaa bbbbbbbbb ccccccccc dddd", []string{"1: 50,66 aaaaaaaaa bbbbbbbbb ccccccccc", "1: 50,86 dddd"}},
		"spaces hang over the end":        {"", "aaaaaaaaa bbbbbbbbb ccccccccc ddd     e", []string{"1: 50,66 aaaaaaaaa bbbbbbbbb ccccccccc ddd", "1: 50,86 e"}},
		"spaces at the beginning stand":   {"", "  a", []string{"1: 50,66   a"}},
		"a long word is cut":              {"", x, []string{"1: 50,66 " + x[:33], "1: 50,86 " + x[33:]}},
		"behind a word it is not":         {"", "a " + x[:33], []string{"1: 50,66 a", "1: 50,86 " + x[:33]}},
		"a soft hyphen shows at the end":  {"", x[:30] + "\u00ADyyyyyy", []string{"1: 50,66 " + x[:30] + "-", "1: 50,86 yyyyyy"}},
		"a soft hyphen inside does not":   {"", "xxx\u00ADyyy", []string{"1: 50,66 xxxyyy"}},
		"a soft hyphen behind all":        {"", "xxx\u00AD", []string{"1: 50,66 xxx"}},
		"half a point less than fits":     {`<w:ind w:right="50"/>`, x[:33], []string{"1: 50,66 " + x[:32], "1: 50,86 x"}},
		"indents on both sides":           {`<w:ind w:left="400" w:right="600"/>`, "aaaaaaaaa bbbbbbbbb ccccc ddd", []string{"1: 70,66 aaaaaaaaa bbbbbbbbb ccccc", "1: 70,86 ddd"}},
		"one letter more than they leave": {`<w:ind w:left="400" w:right="600"/>`, "aaaaaaaaa bbbbbbbbb cccccc ddd", []string{"1: 70,66 aaaaaaaaa bbbbbbbbb", "1: 70,86 cccccc ddd"}},
		"the first line's indent":         {`<w:ind w:left="400" w:firstLine="240"/>`, "aaaaaaaaaaaaaaaaaaaaaaaaaaa bb", []string{"1: 82,66 aaaaaaaaaaaaaaaaaaaaaaaaaaa", "1: 70,86 bb"}},
		"a hanging indent":                {`<w:ind w:left="400" w:hanging="240"/>`, "aaaaaaaaaaaaaaaaaaaaaaaaaaa bb ccc", []string{"1: 58,66 aaaaaaaaaaaaaaaaaaaaaaaaaaa bb", "1: 70,86 ccc"}},
		"no room at all":                  {`<w:ind w:left="4000"/>`, "ab", []string{"1: 250,66 a", "1: 250,86 b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: rendertest.Paragraph(c.properties, c.text)}, c.want...)
		})
	}
}

// A line of three words of nine letters is 174 points long; 26 are left.
func TestAJustifiedLineSpreadsWhatIsLeftOverItsSpaces(t *testing.T) {
	t.Parallel()
	const long = "aaaaaaaaa bbbbbbbbb ccccccccc dddddddddd"
	endedBy := func(br string) string {
		return paragraphOf(`<w:jc w:val="both"/>`, run("", "aaa bbb")+`<w:r>`+br+`</w:r>`+run("", "ccc"))
	}
	for name, c := range map[string]struct {
		body, settings string
		want           []string
	}{
		"all lines but the last": {rendertest.Paragraph(`<w:jc w:val="both"/>`, long), "", []string{"1: 50,66 aaaaaaaaa", "1: 123,66 bbbbbbbbb", "1: 196,66 ccccccccc", "1: 50,86 dddddddddd"}},
		// ECMA-376 part 1, 17.18.44: between letters as between words, and in each line.
		"distributed":                    {rendertest.Paragraph(`<w:jc w:val="distribute"/>`, "abc"), "", []string{"1: 50,66 a", "1: 147,66 b", "1: 244,66 c"}},
		"distributed behind a tab":       {paragraphOf(`<w:jc w:val="distribute"/>`, run("", "ab")+`<w:r><w:tab/></w:r>`+run("", "cd")), "", []string{"1: 50,66 ab", "1: 86,66 c", "1: 244,66 d"}},
		"distributed before a break":     {paragraphOf(`<w:jc w:val="distribute"/>`, run("", "ab")+`<w:r><w:br/></w:r>`+run("", "c")), "", []string{"1: 50,66 a", "1: 244,66 b", "1: 50,86 c"}},
		"a Thai one is not distributed":  {rendertest.Paragraph(`<w:jc w:val="thaiDistribute"/>`, "abc"), "", []string{"1: 50,66 abc"}},
		"a line before a break":          {endedBy(`<w:br/>`), "", []string{"1: 50,66 aaa", "1: 232,66 bbb", "1: 50,86 ccc"}},
		"unless the document forbids it": {endedBy(`<w:br/>`), `<w:compat><w:doNotExpandShiftReturn/></w:compat>`, []string{"1: 50,66 aaa bbb", "1: 50,86 ccc"}},
		"none before a page break":       {endedBy(`<w:br w:type="page"/>`), "", []string{"1: 50,66 aaa bbb", "2: 50,66 ccc"}},
		"none before a column break":     {endedBy(`<w:br w:type="column"/>`), "", []string{"1: 50,66 aaa bbb", "2: 50,66 ccc"}},
		"a line of one word":             {paragraphOf(`<w:jc w:val="both"/>`, run("", "aaa")+`<w:r><w:br/></w:r>`+run("", "b")), "", []string{"1: 50,66 aaa", "1: 50,86 b"}},
		"spaces that do not break":       {paragraphOf(`<w:jc w:val="both"/>`, run("", "aaa\u00A0bbb")+`<w:r><w:br/></w:r>`+run("", "c")), "", []string{"1: 50,66 aaa\u00A0", "1: 232,66 bbb", "1: 50,86 c"}},
		"only behind the last tab":       {paragraphOf(`<w:jc w:val="both"/>`, run("", "aa bb")+`<w:r><w:tab/></w:r>`+run("", "cc dd")+`<w:r><w:br/></w:r>`+run("", "e")), "", []string{"1: 50,66 aa bb", "1: 86,66 cc", "1: 238,66 dd", "1: 50,86 e"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: c.body, Settings: c.settings}, c.want...)
		})
	}
}

// ECMA-376 part 1, 17.3.1.21: punctuation may hang over the end of a line. Which,
// depends on the language, as in LibreOffice.
func TestPunctuationOfEastAsianTextHangsOverTheEndOfALine(t *testing.T) {
	t.Parallel()
	const room = 20 // characters of 10 points
	full := strings.Repeat("漢", room)
	for _, c := range []struct {
		properties, lang, text string
		want                   int // characters of the first line
	}{
		{"", "zh-CN", full + "，字", room + 1}, {"", "zh-CN", full + "。", room + 1}, {"", "zh-CN", full + "；字", room + 1}, {"", "zh-CN", full + "）字", room - 1},
		{"", "ja-JP", full + "、字", room + 1}, {"", "ja-JP", full + "；字", room - 1}, {"", "zh-CN", full + "，，字", room - 1}, {"", "zh-Hans", full + "，字", room - 1},
		{`<w:overflowPunct w:val="0"/>`, "zh-CN", full + "，字", room - 1},
		{`<w:jc w:val="both"/>`, "zh-CN", full + "，字", room + 1}, {`<w:jc w:val="both"/>`, "zh-CN", strings.Repeat("漢", room-1) + "a，字", room + 1},
	} {
		s := sheetOf(t, paragraphOf(c.properties, run(`<w:sz w:val="20"/><w:lang w:eastAsia="`+c.lang+`"/>`, c.text)))
		first := 0
		texts := s.all("text")
		for _, m := range texts {
			if m.top == texts[0].top {
				first += len([]rune(m.text))
			}
		}
		if first != c.want {
			t.Errorf("%s %s %s: the first line has %d characters, want %d", c.properties, c.lang, c.text, first, c.want)
		}
	}
}

func TestEastAsianCharactersStretchExceptAtTheEnd(t *testing.T) {
	t.Parallel()
	glyphs := []glyph{{r: '漢'}, {r: 'a'}, {r: ' '}, {r: '\u00A0'}, {r: objectRune, object: &object{kind: wml.TabItem}}, {r: '字'}}
	for i, want := range []bool{true, false, true, true, false, false} {
		if got := stretches(glyphs, i, len(glyphs)); got != want {
			t.Errorf("%d, %q: got %t, want %t", i, glyphs[i].r, got, want)
		}
	}
}

func TestTrailingSpacesDoNotMoveAlignedText(t *testing.T) {
	t.Parallel()
	for align, want := range map[string]string{
		"left": "1: 50,66 word", "start": "1: 50,66 word", "right": "1: 226,66 word", "end": "1: 226,66 word", "center": "1: 138,66 word", "nonsense": "1: 50,66 word",
	} {
		wantPlaces(t, rendertest.Docx{Body: rendertest.Paragraph(`<w:jc w:val="`+align+`"/>`, "word   ")}, want)
	}
}

// A line of 10 point Courier is 11.35 points high: 8.35 (1705 of 2048 parts of
// the size, in whole twentieths) above its baseline, 3 (615) below.
func TestTheBaselineOfALineDependsOnItsSpacing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spacing       string
		first, second float64
	}{
		"single":                  {`w:line="240" w:lineRule="auto"`, 58.35, 69.7},
		"double":                  {`w:line="480" w:lineRule="auto"`, 58.35, 50 + 11.35 + 11.35 + 8.35},
		"half, first line":        {`w:line="120" w:lineRule="auto"`, 50 + 0.8*11.35/2, 50 + 11.35/2 + 8.35 - 11.35/2},
		"exact":                   {`w:line="400" w:lineRule="exact"`, 66, 86},
		"exact, by a minus":       {`w:line="-400"`, 66, 86},
		"at least, and more":      {`w:line="600" w:lineRule="atLeast"`, 50 + 30 - 3, 50 + 60 - 3},
		"at least, and no more":   {`w:line="100" w:lineRule="atLeast"`, 58.35, 69.7},
		"at least what it is":     {`w:line="227" w:lineRule="atLeast"`, 58.35, 69.7},
		"one and a half, rounded": {`w:line="360" w:lineRule="auto"`, 58.35, 50 + 11.35 + 5.7 + 8.35},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sheetOf(t, paragraphOf(`<w:spacing `+c.spacing+`/>`, run("", "one")+`<w:r><w:br/></w:r>`+run("", "two")))
			rendertest.Near(t, "the first baseline", s.text(t, "one").top, c.first, 0.02)
			rendertest.Near(t, "the second baseline", s.text(t, "two").top, c.second, 0.02)
		})
	}
}

func TestProportionalSpacingOpensRoomBelowTheParagraph(t *testing.T) {
	t.Parallel()
	double := `<w:spacing w:line="480" w:lineRule="auto"/>`
	s := sheetOf(t, rendertest.Paragraph(double, "one")+rendertest.Paragraph(double, "two")+rendertest.Paragraph("", "three"))
	// The first line of a paragraph has no room above it of its own.
	rendertest.Near(t, "the next paragraph", s.text(t, "two").top, 50+2*11.35+8.35, 0.02)
	rendertest.Near(t, "one with exact lines", s.text(t, "three").top, 50+4*11.35+16, 0.02)
}

func TestTheHighestLetterSetsTheLine(t *testing.T) {
	t.Parallel()
	auto := `<w:spacing w:line="240" w:lineRule="auto"/>`
	s := sheetOf(t, paragraphOf(auto, run("", "small")+run(`<w:sz w:val="40"/>`, "LARGE"))+rendertest.Paragraph(auto, "next"))
	// Courier of 20 points has 16.65 above its baseline and 6 below.
	rendertest.Near(t, "the small letters", s.text(t, "small").top, 66.65, 0.02)
	rendertest.Near(t, "the large letters", s.text(t, "LARGE").top, 66.65, 0.02)
	rendertest.Near(t, "the next line", s.text(t, "next").top, 50+22.65+8.35, 0.02)
}

func TestTheMarkGivesAnEmptyParagraphItsHeight(t *testing.T) {
	t.Parallel()
	auto := `<w:spacing w:line="240" w:lineRule="auto"/>`
	for properties, want := range map[string]float64{"": 11.35, `<w:rPr><w:sz w:val="40"/></w:rPr>`: 22.65} {
		s := sheetOf(t, paragraphOf(auto+properties, "")+rendertest.Paragraph("", "below"))
		rendertest.Near(t, "the line below", s.text(t, "below").top, 50+want+16, 0.02)
	}
}

func TestALineBreakAtTheEndOpensAnEmptyLine(t *testing.T) {
	t.Parallel()
	wantPlaces(t, rendertest.Docx{Body: paragraphOf("", run("", "one")+`<w:r><w:br/></w:r>`) + lines("two")}, "1: 50,66 one", "1: 50,106 two")
	wantPlaces(t, rendertest.Docx{Body: paragraphOf("", run("", "one")+`<w:r><w:br/><w:br/></w:r>`+run("", "two"))}, "1: 50,66 one", "1: 50,106 two")
	wantPlaces(t, rendertest.Docx{Body: paragraphOf("", run("", "one")+`<w:r><w:cr/></w:r>`+run("", "two"))}, "1: 50,66 one", "1: 50,86 two")
}

// What a list's label stands at is its first line's indent; behind it comes a
// tab to the left indent, a space, or nothing (ECMA-376 part 1, 17.9.28).
func TestAListLabelStandsAtItsIndent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		level string
		want  []string
	}{
		"left":                    {`<w:pPr><w:ind w:left="600" w:hanging="300"/></w:pPr>`, []string{"1: 65,66 1.", "1: 80,66 text"}},
		"right":                   {`<w:lvlJc w:val="right"/><w:pPr><w:ind w:left="600" w:hanging="300"/></w:pPr>`, []string{"1: 53,66 1.", "1: 80,66 text"}},
		"centred":                 {`<w:lvlJc w:val="center"/><w:pPr><w:ind w:left="600" w:hanging="300"/></w:pPr>`, []string{"1: 59,66 1.", "1: 80,66 text"}},
		"a space behind":          {`<w:suff w:val="space"/><w:pPr><w:ind w:left="600" w:hanging="300"/></w:pPr>`, []string{"1: 65,66 1.", "1: 83,66 text"}},
		"nothing behind":          {`<w:suff w:val="nothing"/><w:pPr><w:ind w:left="600" w:hanging="300"/></w:pPr>`, []string{"1: 65,66 1.", "1: 77,66 text"}},
		"right, a space behind":   {`<w:suff w:val="space"/><w:lvlJc w:val="right"/><w:pPr><w:ind w:left="600" w:hanging="300"/></w:pPr>`, []string{"1: 53,66 1.", "1: 71,66 text"}},
		"centred, nothing behind": {`<w:suff w:val="nothing"/><w:lvlJc w:val="center"/><w:pPr><w:ind w:left="600" w:hanging="300"/></w:pPr>`, []string{"1: 59,66 1.", "1: 71,66 text"}},
		"wider than its room":     {`<w:pPr><w:ind w:left="600" w:hanging="100"/></w:pPr>`, []string{"1: 75,66 1.", "1: 122,66 text"}},
		"a tab stop of the level": {`<w:pPr><w:tabs><w:tab w:val="num" w:pos="800"/></w:tabs><w:ind w:left="0" w:firstLine="300"/></w:pPr>`, []string{"1: 65,66 1.", "1: 90,66 text"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: rendertest.Paragraph(inList, "text"), Parts: numbering(c.level)}, c.want...)
		})
	}
}

func TestTheLinesOfAnItemStandUnderItsText(t *testing.T) {
	t.Parallel()
	wantPlaces(t, rendertest.Docx{Body: rendertest.Paragraph(inList, "aaaaaaaaaaaaaaaaaaaaaaaaaaaa bb"), Parts: numbering(`<w:pPr><w:ind w:left="600" w:hanging="300"/></w:pPr>`)},
		"1: 65,66 1.", "1: 80,66 aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "1: 80,86 bb")
}
