package docs

import (
	"slices"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"
)

// everyParagraphField is a mask that means a paragraph's style as a whole.
const everyParagraphField = "namedStyleType,alignment,direction,lineSpacing,spaceAbove,spaceBelow,indentStart,indentEnd,indentFirstLine,keepLinesTogether,keepWithNext," +
	"avoidWidowAndOrphan,shading,spacingMode,borderTop,borderBottom"

// paragraphXML is the properties that requests leave of the first paragraph.
func paragraphXML(t *testing.T, body string, requests ...*gdocs.Request) string {
	t.Helper()
	d := docx(t, body)
	apply(t, d, requests...)
	var all strings.Builder
	if properties := element(t, bodyXML(t, d)).FindElement("./w:p/w:pPr"); properties != nil {
		for _, e := range properties.ChildElements() {
			all.WriteString(xmlOf(e))
		}
	}
	return all.String()
}

// Each field of a ParagraphStyle, given or reset, as a property (ECMA-376 part
// 1, 17.3.1); lengths in twentieths of a point, line spacing in 240ths.
func TestEachFieldOfAParagraphsStyleSetsItsProperty(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, fields string
		style          gdocs.ParagraphStyle
		want           string
	}{
		{``, "alignment", gdocs.ParagraphStyle{Alignment: "START"}, `<w:jc w:val="left"/>`},
		{``, "alignment", gdocs.ParagraphStyle{Alignment: "CENTER"}, `<w:jc w:val="center"/>`},
		{``, "alignment", gdocs.ParagraphStyle{Alignment: "END"}, `<w:jc w:val="right"/>`},
		{`<w:jc w:val="center"/>`, "alignment", gdocs.ParagraphStyle{Alignment: "JUSTIFIED"}, `<w:jc w:val="both"/>`},
		{`<w:jc w:val="center"/>`, "alignment", gdocs.ParagraphStyle{}, `<w:jc w:val="left"/>`},
		{``, "spaceAbove", gdocs.ParagraphStyle{SpaceAbove: points(6.33)}, `<w:spacing w:before="127"/>`},
		{`<w:spacing w:before="5" w:after="7"/>`, "spaceBelow", gdocs.ParagraphStyle{}, `<w:spacing w:before="5" w:after="0"/>`},
		{``, "lineSpacing", gdocs.ParagraphStyle{LineSpacing: 115}, `<w:spacing w:line="276" w:lineRule="auto"/>`},
		{`<w:spacing w:line="300" w:lineRule="exact"/>`, "lineSpacing", gdocs.ParagraphStyle{LineSpacing: 100}, `<w:spacing w:line="240" w:lineRule="auto"/>`},
		{``, "indentStart", gdocs.ParagraphStyle{IndentStart: points(36)}, `<w:ind w:left="720"/>`},
		{``, "indentEnd", gdocs.ParagraphStyle{IndentEnd: points(1)}, `<w:ind w:right="20"/>`},
		{``, "indentFirstLine", gdocs.ParagraphStyle{IndentFirstLine: points(18)}, `<w:ind w:left="0" w:firstLine="360"/>`},
		{`<w:ind w:left="720"/>`, "indentFirstLine", gdocs.ParagraphStyle{IndentFirstLine: points(18)}, `<w:ind w:left="720" w:hanging="360"/>`},
		{`<w:ind w:left="720" w:hanging="100"/>`, "indentFirstLine", gdocs.ParagraphStyle{IndentFirstLine: points(36)}, `<w:ind w:left="720" w:firstLine="0"/>`},
		{`<w:ind w:start="720" w:firstLine="100"/>`, "indentFirstLine", gdocs.ParagraphStyle{}, `<w:ind w:start="720" w:left="720" w:hanging="720"/>`},
		{``, "indentFirstLine,indentStart", gdocs.ParagraphStyle{IndentStart: points(36), IndentFirstLine: points(54)}, `<w:ind w:left="720" w:firstLine="360"/>`},
		{``, "keepWithNext", gdocs.ParagraphStyle{KeepWithNext: true}, `<w:keepNext w:val="1"/>`},
		{`<w:keepLines/>`, "keepLinesTogether", gdocs.ParagraphStyle{}, `<w:keepLines w:val="0"/>`},
		{``, "pageBreakBefore", gdocs.ParagraphStyle{PageBreakBefore: true}, `<w:pageBreakBefore w:val="1"/>`},
		{``, "avoidWidowAndOrphan", gdocs.ParagraphStyle{}, `<w:widowControl w:val="0"/>`},
		{``, "direction", gdocs.ParagraphStyle{Direction: "RIGHT_TO_LEFT"}, `<w:bidi w:val="1"/>`},
		{`<w:bidi/>`, "direction", gdocs.ParagraphStyle{Direction: "LEFT_TO_RIGHT"}, `<w:bidi w:val="0"/>`},
		{`<w:shd w:val="pct10" w:fill="111111" w:themeFill="x"/>`, "shading", gdocs.ParagraphStyle{Shading: &gdocs.Shading{BackgroundColor: rgb(0, 1, 0)}}, `<w:shd w:val="clear" w:fill="00FF00"/>`},
		{`<w:shd w:val="clear" w:fill="111111"/>`, "shading", gdocs.ParagraphStyle{}, ``},
		{`<w:shd w:val="clear" w:fill="111111"/>`, "shading", gdocs.ParagraphStyle{Shading: &gdocs.Shading{}}, ``},
		{`<w:keepNext/><w:jc w:val="center"/>`, "indentEnd", gdocs.ParagraphStyle{IndentEnd: points(1)}, `<w:keepNext/><w:ind w:right="20"/><w:jc w:val="center"/>`},
	} {
		got := paragraphXML(t, `<w:p><w:pPr>`+c.before+`</w:pPr></w:p>`, styled(1, 2, &c.style, c.fields))
		if got != c.want {
			t.Errorf("%s of %q: got %s, want %s", c.fields, c.before, got, c.want)
		}
	}
}

func TestAParagraphGetsAnotherNamedStyleWithoutWhatWasSetBesideIt(t *testing.T) {
	t.Parallel()
	const before = `<w:p><w:pPr><w:pStyle w:val="Zitat"/><w:keepNext/><w:numPr><w:numId w:val="1"/></w:numPr><w:jc w:val="center"/><w:rPr><w:b/></w:rPr></w:pPr></w:p>`
	const kept = `<w:numPr><w:numId w:val="1"/></w:numPr><w:rPr><w:b/></w:rPr>`
	for name, want := range map[string]string{
		"TITLE": `<w:pStyle w:val="Titel"/>` + kept, "SUBTITLE": `<w:pStyle w:val="Untertitel"/>` + kept, "HEADING_3": `<w:pStyle w:val="berschrift3"/>` + kept, "NORMAL_TEXT": kept,
	} {
		d := docxWith(t, before, map[string]string{"styles": plainStyles})
		apply(t, d, styled(1, 2, &gdocs.ParagraphStyle{NamedStyleType: name}, "namedStyleType"))
		if got := bodyXML(t, d); !strings.Contains(got, `<w:pPr>`+want+`</w:pPr>`) {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestAParagraphOfAKnownStyleGetsAllItsProperties(t *testing.T) {
	t.Parallel()
	model := `<w:p><w:pPr><w:pStyle w:val="x"/><w:pageBreakBefore/><w:suppressLineNumbers/><w:jc w:val="center"/><w:rPr><w:b/></w:rPr></w:pPr></w:p>`
	for name, c := range map[string]struct{ before, want string }{
		"nothing before":      {``, `<w:pStyle w:val="x"/><w:suppressLineNumbers/><w:jc w:val="center"/>`},
		"others before":       {`<w:keepNext/><w:ind w:left="5"/>`, `<w:pStyle w:val="x"/><w:suppressLineNumbers/><w:jc w:val="center"/>`},
		"what stays its own":  {`<w:rPr><w:i/></w:rPr><w:pPrChange w:id="1"/>`, `<w:pStyle w:val="x"/><w:suppressLineNumbers/><w:jc w:val="center"/><w:rPr><w:i/></w:rPr><w:pPrChange w:id="1"/>`},
		"its place in a list": {`<w:numPr><w:numId w:val="3"/></w:numPr>`, `<w:pStyle w:val="x"/><w:numPr><w:numId w:val="3"/></w:numPr><w:suppressLineNumbers/><w:jc w:val="center"/>`},
	} {
		d := docx(t, model+`<w:p><w:pPr>`+c.before+`</w:pPr></w:p>`)
		style := get(t, d).Body.Content[1].Paragraph.ParagraphStyle
		apply(t, d, styled(2, 3, style, everyParagraphField))
		var got string
		if properties := element(t, bodyXML(t, d)).FindElements("./w:p/w:pPr"); len(properties) == 2 {
			for _, e := range properties[1].ChildElements() {
				got += xmlOf(e)
			}
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestAParagraphOfAKnownStyleBeginsAPageWhenItsFieldsSaySo(t *testing.T) {
	t.Parallel()
	const named = `<w:styles` + namespaces + `><w:style w:type="paragraph" w:styleId="x"><w:name w:val="x"/><w:pPr><w:pageBreakBefore/></w:pPr></w:style></w:styles>`
	for name, c := range map[string]struct{ model, before, want string }{
		"it does":                    {`<w:pageBreakBefore/><w:jc w:val="center"/>`, `<w:keepNext/>`, `<w:pageBreakBefore/><w:jc w:val="center"/>`},
		"it does no longer":          {`<w:jc w:val="center"/>`, `<w:pageBreakBefore/>`, `<w:jc w:val="center"/>`},
		"it does by its named style": {`<w:pStyle w:val="x"/>`, ``, `<w:pStyle w:val="x"/>`},
	} {
		d := docxWith(t, `<w:p><w:pPr>`+c.model+`</w:pPr></w:p><w:p><w:pPr>`+c.before+`</w:pPr></w:p>`, map[string]string{"styles": named})
		style := get(t, d).Body.Content[1].Paragraph.ParagraphStyle
		apply(t, d, styled(2, 3, style, everyParagraphField+",pageBreakBefore"))
		if got, want := bodyXML(t, d), `</w:p><w:p><w:pPr>`+c.want+`</w:pPr></w:p>`; !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestAPlainStyleTakesAllPropertiesAway(t *testing.T) {
	t.Parallel()
	d := docx(t, para("plain")+`<w:p><w:pPr><w:keepNext/><w:jc w:val="center"/></w:pPr></w:p>`)
	style := get(t, d).Body.Content[1].Paragraph.ParagraphStyle
	apply(t, d, styled(7, 8, style, everyParagraphField))
	if got := bodyXML(t, d); !strings.Contains(got, `</w:p><w:p/>`) {
		t.Errorf("got %s", got)
	}
}

// The order of ECMA-376 part 1, 17.3.1.26.
func TestNumberingStandsBehindWhatTheSchemaWantsBeforeIt(t *testing.T) {
	t.Parallel()
	for properties, want := range map[string]string{
		``:                                   `<w:numPr/>`,
		`<w:jc/>`:                            `<w:numPr/><w:jc/>`,
		`<w:pStyle/><w:spacing/>`:            `<w:pStyle/><w:numPr/><w:spacing/>`,
		`<w:keepNext/><w:widowControl/>`:     `<w:keepNext/><w:widowControl/><w:numPr/>`,
		`<w:framePr/><w:pBdr/><w:ind/>`:      `<w:framePr/><w:numPr/><w:pBdr/><w:ind/>`,
		`<w:keepLines/><w:pageBreakBefore/>`: `<w:keepLines/><w:pageBreakBefore/><w:numPr/>`,
	} {
		e := element(t, `<w:pPr>`+properties+`</w:pPr>`)
		placeNumbering(e, element(t, `<w:numPr/>`))
		got := ""
		for _, c := range e.ChildElements() {
			got += xmlOf(c)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", properties, got, want)
		}
	}
}

func TestAStyleReachesTheParagraphsThatItsRangeTouches(t *testing.T) {
	t.Parallel()
	// § a ¶ [ row cell b ¶ ] c ¶ d ¶
	body := para("a") + tableXML([]string{para("b")}) + para("c") + para("d")
	for _, c := range []struct {
		from, to int64
		want     string
	}{{1, 2, "a"}, {2, 3, "a"}, {1, 4, "a"}, {3, 7, "b"}, {2, 10, "a b c"}, {9, 11, "c"}, {10, 12, "c d"}, {12, 13, "d"}} {
		d := apply(t, docx(t, body), styled(c.from, c.to, &gdocs.ParagraphStyle{KeepWithNext: true}, "keepWithNext"))
		var got []string
		for _, p := range element(t, bodyXML(t, d)).FindElements("//w:p") {
			if p.FindElement("./w:pPr/w:keepNext") != nil {
				got = append(got, p.FindElement("./w:r/w:t").Text())
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%d to %d: got %q, want %s", c.from, c.to, got, c.want)
		}
	}
}
