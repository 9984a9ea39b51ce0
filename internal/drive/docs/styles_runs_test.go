package docs

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/wml"
)

// A paragraph is not read anew for each piece that gets a style: that must leave
// what reading it anew would have left.
func TestStylesOfOneBatchAreThoseOfManyBatches(t *testing.T) {
	t.Parallel()
	const body = `<w:p><w:r><w:t xml:space="preserve">one two </w:t><w:tab/><w:t>three</w:t><w:br/></w:r>` +
		`<w:hyperlink r:id="x"><w:r><w:rPr><w:i/></w:rPr><w:t>a link</w:t></w:r><w:r><w:t>ed text</w:t></w:r></w:hyperlink>` +
		`<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>7</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/><w:t>behind</w:t><w:noBreakHyphen/><w:t>it 𝄞 too</w:t></w:r></w:p>`
	apply := func(d *wml.Document, requests ...*gdocs.Request) {
		t.Helper()
		if _, err := Apply(d, "id", requests); err != nil {
			t.Fatal(err)
		}
	}
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		once, often := docx(t, body), docx(t, body)
		content := get(t, once).Body.Content
		start, end := content[1].StartIndex, content[1].EndIndex
		var requests []*gdocs.Request
		for range 12 {
			from := start + random.Int64N(end-start-1)
			style, fields := &gdocs.TextStyle{Bold: random.IntN(2) == 0}, "bold"
			if random.IntN(3) == 0 {
				style, fields = &gdocs.TextStyle{Link: &gdocs.Link{Url: "https://example.com/"}}, "link"
			}
			requests = append(requests, &gdocs.Request{UpdateTextStyle: &gdocs.UpdateTextStyleRequest{
				Range: &gdocs.Range{StartIndex: from, EndIndex: from + 1 + random.Int64N(end-from-1)}, TextStyle: style, Fields: fields,
			}})
		}
		apply(once, requests...)
		for _, r := range requests {
			apply(often, r)
		}
		got, _ := once.Package.Part("word/document.xml")
		want, _ := often.Package.Part("word/document.xml")
		if string(got) != string(want) {
			t.Fatalf("seed %d: in one batch\n%s\nin many\n%s", seed, got, want)
		}
	}
}

func rgb(red, green, blue float64) *gdocs.OptionalColor {
	return &gdocs.OptionalColor{Color: &gdocs.Color{RgbColor: &gdocs.RgbColor{Red: red, Green: green, Blue: blue}}}
}

// Each field of a TextStyle, given or reset (a field of the mask that the style
// leaves out), as a property of a run (ECMA-376 part 1, 17.3.2).
func TestEachFieldOfATextsStyleSetsItsProperty(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, fields string
		style          gdocs.TextStyle
		want           string
	}{
		{``, "bold", gdocs.TextStyle{Bold: true}, `<w:b w:val="1"/>`},
		{`<w:b/>`, "bold", gdocs.TextStyle{}, `<w:b w:val="0"/>`},
		{``, "italic", gdocs.TextStyle{Italic: true}, `<w:i w:val="1"/>`},
		{``, "strikethrough", gdocs.TextStyle{Strikethrough: true}, `<w:strike w:val="1"/>`},
		{``, "smallCaps", gdocs.TextStyle{SmallCaps: true}, `<w:smallCaps w:val="1"/>`},
		{`<w:smallCaps/>`, "smallCaps", gdocs.TextStyle{}, `<w:smallCaps w:val="0"/>`},
		{``, "underline", gdocs.TextStyle{Underline: true}, `<w:u w:val="single"/>`},
		{`<w:u w:val="double"/>`, "underline", gdocs.TextStyle{}, `<w:u w:val="none"/>`},
		{``, "fontSize", gdocs.TextStyle{FontSize: points(10.5)}, `<w:sz w:val="21"/><w:szCs w:val="21"/>`},
		{`<w:sz w:val="9"/><w:szCs w:val="9"/>`, "fontSize", gdocs.TextStyle{FontSize: points(10.26)}, `<w:sz w:val="21"/><w:szCs w:val="21"/>`},
		{`<w:sz w:val="9"/><w:szCs w:val="9"/>`, "fontSize", gdocs.TextStyle{}, ``},
		{``, "weightedFontFamily", gdocs.TextStyle{WeightedFontFamily: &gdocs.WeightedFontFamily{FontFamily: "Lora"}}, `<w:rFonts w:ascii="Lora" w:hAnsi="Lora"/>`},
		{`<w:rFonts w:asciiTheme="minorHAnsi"/>`, "weightedFontFamily", gdocs.TextStyle{WeightedFontFamily: &gdocs.WeightedFontFamily{FontFamily: "Lora"}}, `<w:rFonts w:ascii="Lora" w:hAnsi="Lora"/>`},
		{`<w:rFonts w:ascii="Lora"/>`, "weightedFontFamily", gdocs.TextStyle{}, ``},
		{``, "foregroundColor", gdocs.TextStyle{ForegroundColor: rgb(1, 0.5, 0)}, `<w:color w:val="FF8000"/>`},
		{`<w:color w:val="auto" w:themeColor="text1"/>`, "foregroundColor", gdocs.TextStyle{ForegroundColor: rgb(2, -1, 0)}, `<w:color w:val="FF0000"/>`},
		{`<w:color w:val="FF0000"/>`, "foregroundColor", gdocs.TextStyle{}, ``},
		{`<w:color w:val="FF0000"/>`, "foregroundColor", gdocs.TextStyle{ForegroundColor: &gdocs.OptionalColor{}}, ``},
		{`<w:highlight w:val="red"/><w:shd w:fill="00FF00"/>`, "backgroundColor", gdocs.TextStyle{BackgroundColor: rgb(0, 0, 1)}, `<w:shd w:val="clear" w:fill="0000FF"/>`},
		{`<w:highlight w:val="red"/><w:shd w:fill="00FF00"/>`, "backgroundColor", gdocs.TextStyle{}, ``},
		{``, "baselineOffset", gdocs.TextStyle{BaselineOffset: "SUPERSCRIPT"}, `<w:vertAlign w:val="superscript"/>`},
		{``, "baselineOffset", gdocs.TextStyle{BaselineOffset: "SUBSCRIPT"}, `<w:vertAlign w:val="subscript"/>`},
		{`<w:vertAlign w:val="superscript"/>`, "baselineOffset", gdocs.TextStyle{BaselineOffset: "NONE"}, ``},
		{`<w:i/>`, "bold", gdocs.TextStyle{Bold: true, Underline: true}, `<w:b w:val="1"/><w:i/>`},
	} {
		d := docx(t, `<w:p><w:r><w:rPr>`+c.before+`</w:rPr><w:t>a</w:t></w:r></w:p>`)
		apply(t, d, styleText(1, 2, &c.style, c.fields))
		run := element(t, bodyXML(t, d)).FindElement("./w:p/w:r/w:rPr")
		var got strings.Builder
		for _, e := range run.ChildElements() {
			got.WriteString(xmlOf(e))
		}
		if got.String() != c.want {
			t.Errorf("%s of %q: got %s, want %s", c.fields, c.before, got.String(), c.want)
		}
	}
}

// The order of ECMA-376 part 1, 17.3.2.28; what the schema does not name comes last.
func TestPropertiesOfARunStandInTheOrderOfTheSchema(t *testing.T) {
	t.Parallel()
	d := docx(t, `<w:p><w:r><w:rPr><w:rStyle w:val="x"/><w:emboss/><w:lang w:val="de"/><w:rPrChange/></w:rPr><w:t>a</w:t></w:r></w:p>`)
	apply(t, d, styleText(1, 2, &gdocs.TextStyle{
		Bold: true, Italic: true, Underline: true, FontSize: points(9), BaselineOffset: "SUBSCRIPT", BackgroundColor: rgb(1, 1, 1), ForegroundColor: rgb(0, 0, 0),
		WeightedFontFamily: &gdocs.WeightedFontFamily{FontFamily: "Lora"}, SmallCaps: true, Strikethrough: true,
	}, "underline,italic,baselineOffset,bold,backgroundColor,foregroundColor,fontSize,smallCaps,weightedFontFamily,strikethrough"))
	var got []string
	for _, e := range element(t, bodyXML(t, d)).FindElement("./w:p/w:r/w:rPr").ChildElements() {
		got = append(got, e.Tag)
	}
	if want := "rStyle rFonts b i smallCaps strike emboss color sz szCs u shd vertAlign lang rPrChange"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestAStyleReachesTheTextOfItsRangeAlone(t *testing.T) {
	t.Parallel()
	bold := func(body string, from, to int64) string {
		d := apply(t, docx(t, body), styleText(from, to, &gdocs.TextStyle{Bold: true}, "bold"))
		var all strings.Builder
		var walk func(content []*gdocs.StructuralElement)
		walk = func(content []*gdocs.StructuralElement) {
			for _, e := range content {
				if e.Table != nil {
					for _, r := range e.Table.TableRows {
						for _, c := range r.TableCells {
							walk(c.Content)
						}
					}
				}
				if e.Paragraph == nil {
					continue
				}
				for _, p := range e.Paragraph.Elements {
					if p.TextRun == nil {
						continue
					}
					text := strings.TrimSuffix(p.TextRun.Content, "\n")
					if p.TextRun.TextStyle.Bold {
						text = strings.ToUpper(text)
					}
					all.WriteString(text)
				}
				all.WriteString("|")
			}
		}
		walk(get(t, d).Body.Content)
		return all.String()
	}
	const mixed = `<w:p><w:r><w:t>ab</w:t><w:tab/><w:t>cd</w:t></w:r><w:r><w:t>ef</w:t></w:r></w:p>`
	for _, c := range []struct {
		body     string
		from, to int64
		want     string
	}{
		{para("abcd"), 1, 5, "ABCD|"}, {para("abcd"), 2, 4, "aBCd|"}, {para("abcd"), 1, 2, "Abcd|"}, {para("abcd"), 4, 5, "abcD|"}, {para("abcd"), 4, 6, "abcD|"},
		{para("a𝄞d"), 2, 4, "a𝄞d|"}, {para("ab") + para("cd") + para("ef"), 2, 8, "aB|CD|Ef|"},
		{mixed, 2, 5, "aB\tCd" + "ef|"}, {mixed, 3, 4, "ab\tcdef|"}, {mixed, 4, 7, "ab\tCDEf|"}, {mixed, 5, 6, "ab\tcDef|"},
		{tableXML([]string{para("ab"), para("cd")}) + para("ef"), 5, 9, "aB|Cd|ef|"},
		{`<w:p><w:hyperlink r:id="l"><w:r><w:t>ab</w:t></w:r></w:hyperlink><w:r><w:t>cd</w:t></w:r></w:p>`, 2, 4, "aBCd|"},
		{`<w:p><w:ins w:id="1"><w:r><w:t>ab</w:t></w:r></w:ins><w:r><w:t>cd</w:t></w:r></w:p>`, 1, 2, "Abcd|"},
	} {
		if got := bold(c.body, c.from, c.to); got != c.want {
			t.Errorf("%d to %d of %s: got %q, want %q", c.from, c.to, c.body, got, c.want)
		}
	}
}

// A run that is cut keeps its properties and what it holds, at both ends.
func TestACutRunKeepsWhatItHolds(t *testing.T) {
	t.Parallel()
	const (
		before = `<w:rPr><w:i/></w:rPr>`
		whole  = `<w:r>` + before + `<w:t xml:space="preserve">one two</w:t><w:tab/><w:t>three</w:t></w:r>`
	)
	run := func(content string) string { return `<w:r>` + before + content + `</w:r>` }
	text := func(s string) string { return `<w:t xml:space="preserve">` + s + `</w:t>` }
	for place, want := range map[int]string{
		0:  whole,
		3:  run(text("one")) + run(text(" two")+`<w:tab/><w:t>three</w:t>`),
		7:  run(text("one two")) + run(`<w:tab/><w:t>three</w:t>`),
		8:  run(text("one two")+`<w:tab/>`) + run(`<w:t>three</w:t>`),
		10: run(text("one two")+`<w:tab/>`+text("th")) + run(text("ree")),
		13: whole,
		99: whole,
	} {
		e := element(t, `<w:p>`+whole+`</w:p>`)
		p := &paragraph{elem: e}
		p.read()
		cutRun(p, place)
		if got := xmlOf(e); got != `<w:p>`+want+`</w:p>` {
			t.Errorf("at %d: got\n%s, want\n%s", place, got, want)
		}
		again := &paragraph{elem: e}
		again.read()
		if fmt.Sprint(p.pieces) != fmt.Sprint(again.pieces) {
			t.Errorf("at %d: the pieces are %v, those of the XML %v", place, p.pieces, again.pieces)
		}
	}
}
