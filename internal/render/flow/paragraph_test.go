package flow

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestCapitals(t *testing.T) {
	t.Parallel()
	type piece struct {
		text string
		size float64
	}
	for name, c := range map[string]struct {
		properties, text string
		want             []piece
	}{
		"all":                          {`<w:caps/>`, "aBc é", []piece{{"ABC É", 10}}},
		"switched off":                 {`<w:caps w:val="0"/>`, "aBc", []piece{{"aBc", 10}}},
		"small ones":                   {`<w:smallCaps/>`, "aBc1", []piece{{"A", 8}, {"B", 10}, {"C", 8}, {"1", 10}}},
		"all of them before small":     {`<w:caps/><w:smallCaps/>`, "aB", []piece{{"AB", 10}}},
		"a letter without a large one": {`<w:smallCaps/>`, "ª", []piece{{"ª", 10}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []piece
			for _, m := range sheetOf(t, paragraphOf("", run(c.properties, c.text))).all("text") {
				got = append(got, piece{m.text, m.size})
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// Small capitals are as wide as their size: A takes 4.8 points, B 6.
func TestSmallCapitalsAreNarrower(t *testing.T) {
	t.Parallel()
	s := sheetOf(t, paragraphOf("", run(`<w:smallCaps/>`, "aB")+run("", "x")))
	rendertest.Near(t, "the second letter", s.text(t, "B").left, 54.8, 0.02)
	rendertest.Near(t, "the text behind", s.text(t, "x").left, 60.8, 0.02)
}

func TestLettersAreSpacedAndStretched(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		properties string
		behind     float64
	}{
		"as they are":     {"", 50 + 18},
		"apart by 2":      {`<w:spacing w:val="40"/>`, 50 + 18 + 6},
		"closer by 1":     {`<w:spacing w:val="-20"/>`, 50 + 18 - 3},
		"half as wide":    {`<w:w w:val="50"/>`, 50 + 9},
		"twice as wide":   {`<w:w w:val="200"/>`, 50 + 36},
		"both":            {`<w:w w:val="200"/><w:spacing w:val="40"/>`, 50 + 36 + 6},
		"twice as large":  {`<w:sz w:val="40"/>`, 50 + 36},
		"as superscripts": {`<w:vertAlign w:val="superscript"/>`, 50 + 18*0.58},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sheetOf(t, paragraphOf("", run(c.properties, "abc")+run(`<w:color w:val="FF0000"/>`, "x")))
			rendertest.Near(t, "the text behind", s.text(t, "x").left, c.behind, 0.02)
		})
	}
}

func TestInvisibleCharactersTakeNoRoom(t *testing.T) {
	t.Parallel()
	s := sheetOf(t, paragraphOf("", run(`<w:spacing w:val="40"/>`, "a\u200Bb\u2060c")+run("", "x")))
	rendertest.Near(t, "the text behind", s.text(t, "x").left, 50+18+6, 0.02)
}

func TestBreaksInTheTextOfARun(t *testing.T) {
	t.Parallel()
	model := modelOf(t, onSquaredPaper(rendertest.Docx{Body: lines("abc")}))
	model.Sections[0].Blocks[0].(*wml.Paragraph).Runs[0].Items[0].Text = "a\vb\nc\td"
	pdf, _ := layOutModel(t, model)
	var got []string
	for _, m := range sheets(t, pdf)[0].all("text") {
		got = append(got, m.text)
	}
	s := sheets(t, pdf)[0]
	if !slices.Equal(got, []string{"a", "b", "c", "d"}) || s.text(t, "b").top != 86 || s.text(t, "c").top != 106 || s.text(t, "d").top != 106 {
		t.Errorf("got %s, want three lines, the last with a tab", formatMarks(s.all("text")))
	}
}

// AV are closer together than A and V, in Arial of 40 points by 0.0742 of the size.
func TestPairsAreKernedFromTheSizeThatIsTold(t *testing.T) {
	t.Parallel()
	arial := `<w:rFonts w:ascii="Arial" w:hAnsi="Arial"/><w:sz w:val="80"/>`
	behind := func(properties, text string) float64 {
		return sheetOf(t, paragraphOf("", run(arial+properties, text)+run(`<w:color w:val="FF0000"/>`, "x"))).text(t, "x").left
	}
	plain := behind("", "AV")
	kerned := behind(`<w:kern w:val="40"/>`, "AV")
	rendertest.Near(t, "what kerning takes away", plain-kerned, 40*152.0/2048, 0.02)
	rendertest.Near(t, "with a size that is not reached", behind(`<w:kern w:val="82"/>`, "AV"), plain, 0.001)
	rendertest.Near(t, "the very size", behind(`<w:kern w:val="80"/>`, "AV"), kerned, 0.001)
	rendertest.Near(t, "no pair", behind(`<w:kern w:val="40"/>`, "HH"), behind("", "HH"), 0.001)
	rendertest.Near(t, "stretched", behind("", "AV")*2-50-behind(`<w:w w:val="200"/><w:kern w:val="40"/>`, "AV"), 2*40*152.0/2048, 0.03)
}

func TestPairsOfTwoRunsAreKernedWhereTheirFontIsTheSame(t *testing.T) {
	t.Parallel()
	arial := `<w:rFonts w:ascii="Arial" w:hAnsi="Arial"/><w:sz w:val="80"/><w:kern w:val="40"/>`
	second := func(properties string) float64 {
		return sheetOf(t, paragraphOf("", run(arial, "A")+run(arial+properties, "V"))).text(t, "V").left
	}
	apart := second(`<w:b/>`)
	rendertest.Near(t, "another colour", apart-second(`<w:color w:val="FF0000"/>`), 40*152.0/2048, 0.02)
	rendertest.Near(t, "another size", second(`<w:sz w:val="82"/>`), apart, 0.001)
	tab := sheetOf(t, paragraphOf("", run(arial, "A")+`<w:r><w:tab/></w:r>`+run(arial, "V"))).text(t, "V").left
	rendertest.Near(t, "behind a tab", tab, 86, 0.001)
}

// A fifth of the size parts East Asian text from Latin (2 points); not from
// punctuation.
func TestEastAsianTextStandsApartFromLettersAndFigures(t *testing.T) {
	t.Parallel()
	width := func(properties, text string) float64 {
		s := sheetOf(t, paragraphOf(properties, run("", text)+run(`<w:color w:val="FF0000"/>`, "|")))
		return s.text(t, "|").left - 50
	}
	han := width("", "漢")
	for text, want := range map[string]float64{"漢a": han + 6 + 2, "a漢": han + 6 + 2, "漢1": han + 6 + 2, "漢.": han + 6, "漢漢": 2 * han, "ab": 12, "漢a漢": 2*han + 6 + 4} {
		rendertest.Near(t, text, width("", text), want, 0.02)
	}
	rendertest.Near(t, "set tightly", width(`<w:autoSpaceDE w:val="0"/>`, "漢a"), han+6, 0.02)
}

// LibreOffice takes the font that a document names, if it is there, and its lines stay
// as high where another font draws a character. In place of one that is not there
// it takes one that has the script of the text's language, with its lines.
func TestLinesOfAScriptAreAsHighAsTheFontThatIsTaken(t *testing.T) {
	t.Parallel()
	height := func(properties, text string) float64 {
		fonts, lang, _ := strings.Cut(properties, "|")
		line := paragraphOf(`<w:spacing w:line="240" w:lineRule="auto"/>`, run(`<w:rFonts w:ascii="Arial" w:hAnsi="Arial" `+fonts+`/><w:sz w:val="20"/><w:szCs w:val="20"/><w:lang `+lang+`/>`, text))
		s := sheetOf(t, line+line)
		texts := s.all("text")
		return texts[1].top - texts[0].top
	}
	const arial, dejaVu, cjk, hindi, thai = 11.5, 11.65, 14.5, 13.05, 15.1
	for _, c := range []struct {
		fonts, text string
		want        float64
	}{
		{`w:eastAsia="Arial"`, "漢", arial}, {`w:eastAsia="SimSun"`, "漢", cjk}, {`w:eastAsia="MS Mincho"`, "漢", cjk},
		{`w:eastAsia="SimSun"|w:eastAsia="ja-JP"`, "漢", cjk}, {`w:eastAsia="SimSun"|w:eastAsia="zh-Hans"`, "漢", dejaVu}, {`w:eastAsia="SimSun"|w:eastAsia="en-US"`, "漢", dejaVu},
		{`w:cs="Arial"`, "क", arial}, {`w:cs="Mangal"`, "क", hindi}, {`w:cs="Mangal"|w:bidi="hi-IN"`, "क", hindi}, {`w:cs="Mangal"|w:bidi="ar-SA"`, "क", dejaVu},
		{`w:cs="Angsana New"|w:bidi="th-TH"`, "ก", thai}, {`w:cs="Angsana New"|w:bidi="th-TH"`, "क", thai}, {`w:cs="Arial"`, "ক", arial},
	} {
		rendertest.Near(t, c.fonts+" "+c.text, height(c.fonts, c.text), c.want, 0.02)
	}
}

// What stands between East Asian characters and is of no script is of their font, as
// in LibreOffice: spaces, and in Chinese quotes, which are as wide as characters.
func TestSpacesAndQuotesAreOfTheFontOfTheScriptInFront(t *testing.T) {
	t.Parallel()
	const arial, dejaVu, cjk = 2.78, 3.18, 2.24 // a space of 10 points
	fonts := func(eastAsia string) string {
		return `<w:rFonts w:ascii="Arial" w:hAnsi="Arial" w:eastAsia="` + eastAsia + `"/>`
	}
	lang := func(eastAsia string) string { return fonts("SimSun") + `<w:lang w:eastAsia="` + eastAsia + `"/>` }
	for _, c := range []struct {
		properties, text string
		want             float64 // of what stands in front of |
	}{
		{lang(""), "字 字", 20 + cjk}, {lang(""), " 字", 10 + cjk}, {lang(""), "字 ", 10 + cjk}, {lang(""), "字\u00A0字", 20 + cjk},
		{lang("zh-Hans"), "字 字", 20 + dejaVu}, {fonts("Arial"), "字 字", 20 + arial},
		{lang(""), "字a b", 10 + 2 + 5.56 + arial + 5.56}, {lang(""), "字a 字", 10 + 2 + 5.56 + arial + 10},
		{lang("zh-CN"), "字“字”", 40}, {lang("ja-JP"), "字“字”", 20 + 2*5.18},
	} {
		s := sheetOf(t, paragraphOf("", run(`<w:sz w:val="20"/>`+c.properties, c.text)+run(`<w:color w:val="FF0000"/>`, "|")))
		rendertest.Near(t, c.properties+c.text, s.text(t, "|").left-50, c.want, 0.05)
	}
}

func TestIsHan(t *testing.T) {
	t.Parallel()
	for r, want := range map[rune]bool{'漢': true, 'あ': true, '한': true, '，': false, '。': false, 'Ａ': false, 'a': false, '1': false} {
		if got := isHan(r); got != want {
			t.Errorf("%c: got %t, want %t", r, got, want)
		}
	}
	for r, want := range map[rune]bool{'a': true, 'é': true, '1': true, 'Ж': true, '.': false, ' ': false, '漢': false, '\u2160': false} {
		if got := isWesternWord(r); got != want {
			t.Errorf("%c: got %t, want %t", r, got, want)
		}
	}
}

// A bullet, and the tab behind it, are lower than a line of Courier, 11.35 points.
func TestBulletsDoNotMakeTheirLinesHigher(t *testing.T) {
	t.Parallel()
	const single, symbol = `<w:spacing w:line="240" w:lineRule="auto"/>`, `<w:rPr><w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/></w:rPr>`
	item := paragraphOf(single, `<w:r>`+symbol+`<w:t>&#xF0B7;</w:t><w:tab/></w:r>`+run("", "item"))
	s := sheetOf(t, item+item)
	texts := s.all("text")
	rendertest.Near(t, "the second line below the first", texts[len(texts)-1].top-s.text(t, "item").top, 11.35, 0.02)
}

// A bullet of a symbol font becomes the character that it shows.
func TestSymbolFontsShowTheirCharacters(t *testing.T) {
	t.Parallel()
	auto := `<w:spacing w:line="240" w:lineRule="auto"/>`
	symbol := `<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>`
	s := sheetOf(t, paragraphOf(auto, run(symbol, "\uF0B7")+run("", "x"))+lines("below"))
	if got := s.all("text")[0].text; got != "•" {
		t.Errorf("got %q, want a bullet", got)
	}
	// It makes its line no higher.
	rendertest.Near(t, "the text", s.text(t, "x").top, 58.35, 0.02)
	rendertest.Near(t, "the line below", s.text(t, "below").top, 61.35+16, 0.02)
}

func TestHeadingsBecomeBookmarksWithTheirLabels(t *testing.T) {
	t.Parallel()
	outline := func(level string) string { return `<w:outlineLvl w:val="` + level + `"/>` }
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"a heading":                   {rendertest.Paragraph(outline("0"), "One"), []string{"One"}},
		"of the sixth level":          {rendertest.Paragraph(outline("5"), "One"), []string{"One"}},
		"none of the seventh":         {rendertest.Paragraph(outline("6"), "One"), nil},
		"body text":                   {rendertest.Paragraph(outline("9"), "One"), nil},
		"an empty one":                {rendertest.Paragraph(outline("0"), " "), nil},
		"with its label":              {rendertest.Paragraph(outline("0")+inList, "One"), []string{"1. One"}},
		"without spaces at its sides": {rendertest.Paragraph(outline("0"), "  One   two "), []string{"One two"}},
		"once, of several lines":      {brokenParagraph(outline("0"), "One two"), []string{"One two"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pdf, _ := laidOut(t, onSquaredPaper(rendertest.Docx{Body: c.body, Parts: numbering("")}))
			if got := bookmarks(t, pdf); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// bookmarks are the titles of the bookmarks of a PDF.
func bookmarks(t *testing.T, pdf []byte) []string {
	t.Helper()
	var titles []string
	for _, object := range objectsOf(t, pdf) {
		if _, rest, found := strings.Cut(object, "/Title <FEFF"); found && strings.Contains(object, "/Dest") {
			title, _, _ := strings.Cut(rest, ">")
			titles = append(titles, unicodeOf(title))
		}
	}
	slices.Sort(titles)
	return titles
}

func TestAReferenceWhoseTargetIsGoneSaysSoInTheFormatOfItsField(t *testing.T) {
	t.Parallel()
	body := paragraphOf("", `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>REF book1 \h</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>`+
		run(`<w:sz w:val="40"/>`, "Error! Reference source not found.")+`<w:r><w:fldChar w:fldCharType="end"/></w:r>`)
	s := sheetOf(t, body)
	if got := s.all("text"); got[0].text != "Error: Reference source not found" || got[0].size != 10 {
		t.Errorf("got %q of %v points, want Error: Reference source not found of 10", got[0].text, got[0].size)
	}
}
