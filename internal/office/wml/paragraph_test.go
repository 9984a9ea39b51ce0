package wml

import (
	"testing"
)

// ECMA-376 part 1, 17.3.1.33: line counts in 240ths of a line for the rule auto,
// else in twentieths of a point.
func TestAnotherRuleReadsTheInheritedLineInItsOwnUnit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		inherited, direct string
		line              float64
		rule              string
	}{
		{`w:line="240" w:lineRule="exact"`, `w:lineRule="auto"`, 1, "auto"},
		{`w:line="240" w:lineRule="exact"`, `w:lineRule="atLeast"`, 12, "atLeast"},
		{`w:line="360" w:lineRule="auto"`, `w:lineRule="exact"`, 18, "exact"},
		{`w:line="360"`, `w:lineRule="auto"`, 1.5, "auto"},
		{``, `w:lineRule="exact"`, 12, "exact"},
		{`w:line="240" w:lineRule="exact"`, `w:lineRule="nonsense"`, 12, "exact"},
		{`w:line="240" w:lineRule="exact"`, `w:before="20"`, 12, "exact"},
	} {
		styles := `<w:style w:type="paragraph" w:styleId="P"><w:pPr><w:spacing ` + c.inherited + `/></w:pPr></w:style>`
		p := firstParagraph(t, docx{styles: styles, body: para(`<w:pStyle w:val="P"/><w:spacing `+c.direct+`/>`, ``)}.read(t))
		if p.Line != c.line || p.LineRule != c.rule {
			t.Errorf("%s over %s: got %g %s, want %g %s", c.direct, c.inherited, p.Line, p.LineRule, c.line, c.rule)
		}
	}
}

// paragraphOf reads a paragraph with these properties and no styles.
func paragraphOf(t *testing.T, pPr string) ParagraphProperties {
	t.Helper()
	return firstParagraph(t, docx{body: para(pPr, ``)}.read(t)).ParagraphProperties
}

func TestEachPropertyOfAParagraphIsReadAndChangesNothingElse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pPr  string
		want func(*ParagraphProperties)
	}{
		{`<w:keepNext/>`, func(p *ParagraphProperties) { p.KeepNext = true }},
		{`<w:keepLines/>`, func(p *ParagraphProperties) { p.KeepLines = true }},
		{`<w:pageBreakBefore/>`, func(p *ParagraphProperties) { p.PageBreakBefore = true }},
		{`<w:widowControl w:val="0"/>`, func(p *ParagraphProperties) { p.WidowControl = false }},
		{`<w:contextualSpacing/>`, func(p *ParagraphProperties) { p.ContextualSpacing = true }},
		{`<w:suppressAutoHyphens/>`, func(p *ParagraphProperties) { p.SuppressHyphens = true }},
		{`<w:snapToGrid/>`, func(*ParagraphProperties) {}},
		{`<w:snapToGrid w:val="0"/>`, func(p *ParagraphProperties) { p.IsOffGrid = true }},
		{`<w:autoSpaceDE/>`, func(*ParagraphProperties) {}},
		{`<w:autoSpaceDE w:val="0"/>`, func(p *ParagraphProperties) { p.IsTight = true }},
		{`<w:overflowPunct w:val="0"/>`, func(p *ParagraphProperties) { p.KeepsPunctuation = true }},
		// Levels 0 to 8; 9 is body text (17.3.1.20).
		{`<w:outlineLvl w:val="0"/>`, func(p *ParagraphProperties) { p.Outline = 0 }},
		{`<w:outlineLvl w:val="8"/>`, func(p *ParagraphProperties) { p.Outline = 8 }},
		{`<w:outlineLvl w:val="9"/>`, func(*ParagraphProperties) {}},
		{`<w:outlineLvl w:val="-1"/>`, func(*ParagraphProperties) {}},
		{`<w:outlineLvl/>`, func(*ParagraphProperties) {}},
		{`<w:shd w:val="clear" w:fill="0000FF"/>`, func(p *ParagraphProperties) { p.Shading = rgb(0, 0, 255) }},
		{`<w:pBdr><w:top w:val="single" w:sz="8"/></w:pBdr>`, func(p *ParagraphProperties) { p.Borders.Top = &Border{Style: "single", Width: 1} }},
		{`<w:pBdr><w:left w:val="single" w:sz="8"/></w:pBdr>`, func(p *ParagraphProperties) { p.Borders.Left = &Border{Style: "single", Width: 1} }},
		{`<w:pBdr><w:start w:val="single" w:sz="8"/></w:pBdr>`, func(p *ParagraphProperties) { p.Borders.Left = &Border{Style: "single", Width: 1} }},
		{`<w:pBdr><w:bottom w:val="single" w:sz="8"/></w:pBdr>`, func(p *ParagraphProperties) { p.Borders.Bottom = &Border{Style: "single", Width: 1} }},
		{`<w:pBdr><w:right w:val="single" w:sz="8"/></w:pBdr>`, func(p *ParagraphProperties) { p.Borders.Right = &Border{Style: "single", Width: 1} }},
		{`<w:pBdr><w:end w:val="single" w:sz="8"/></w:pBdr>`, func(p *ParagraphProperties) { p.Borders.Right = &Border{Style: "single", Width: 1} }},
		{`<w:pBdr><w:between w:val="single" w:sz="8"/><w:bar w:val="single"/></w:pBdr>`, func(p *ParagraphProperties) { p.Borders.Between = &Border{Style: "single", Width: 1} }},
		{`<w:ind w:left="200" w:right="400" w:firstLine="100"/>`, func(p *ParagraphProperties) { p.Left, p.Right, p.FirstLine = 10, 20, 5 }},
		{`<w:ind w:start="200" w:end="400"/>`, func(p *ParagraphProperties) { p.Left, p.Right = 10, 20 }},
		{`<w:ind w:left="-200" w:hanging="100"/>`, func(p *ParagraphProperties) { p.Left, p.FirstLine = -10, -5 }},
		{`<w:ind w:firstLine="60" w:hanging="100"/>`, func(p *ParagraphProperties) { p.FirstLine = -5 }}, // hanging wins (17.3.1.12)
		{`<w:spacing w:before="100" w:after="200"/>`, func(p *ParagraphProperties) { p.Before, p.After = 5, 10 }},
		{`<w:spacing w:before="100" w:beforeAutospacing="1"/>`, func(p *ParagraphProperties) { p.Before, p.HasAutoBefore = 14, true }},
		{`<w:spacing w:after="100" w:afterAutospacing="true"/>`, func(p *ParagraphProperties) { p.After, p.HasAutoAfter = 14, true }},
		{`<w:spacing w:before="100" w:beforeAutospacing="0" w:afterAutospacing="off"/>`, func(p *ParagraphProperties) { p.Before = 5 }},
		{`<w:spacing w:line="360"/>`, func(p *ParagraphProperties) { p.Line = 1.5 }},
		{`<w:spacing w:line="360" w:lineRule="auto"/>`, func(p *ParagraphProperties) { p.Line = 1.5 }},
		{`<w:spacing w:line="360" w:lineRule="exact"/>`, func(p *ParagraphProperties) { p.Line, p.LineRule = 18, "exact" }},
		{`<w:spacing w:line="360" w:lineRule="atLeast"/>`, func(p *ParagraphProperties) { p.Line, p.LineRule = 18, "atLeast" }},
		{`<w:spacing w:line="-360"/>`, func(p *ParagraphProperties) { p.Line, p.LineRule = 18, "exact" }},
		{`<w:spacing w:line="0"/>`, func(*ParagraphProperties) {}},
		{`<w:spacing w:line="0" w:lineRule="exact"/>`, func(*ParagraphProperties) {}},
		{`<w14:keepNext/><w15:ind w:left="200"/><w:unknown/>`, func(*ParagraphProperties) {}},
	} {
		want := ParagraphProperties{Outline: -1, Align: "left", Line: 1, LineRule: "auto", WidowControl: true}
		c.want(&want)
		equal(t, c.pPr, paragraphOf(t, c.pPr), want)
	}
}

func TestDirectFormattingOfAParagraphSwitchesOffWhatItsStyleSwitchesOn(t *testing.T) {
	t.Parallel()
	const on = `<w:keepNext/><w:keepLines/><w:pageBreakBefore/><w:contextualSpacing/><w:suppressAutoHyphens/><w:snapToGrid w:val="0"/><w:autoSpaceDE w:val="0"/><w:bidi/>` +
		`<w:outlineLvl w:val="2"/><w:spacing w:beforeAutospacing="1" w:afterAutospacing="1"/><w:ind w:hanging="100"/>`
	const off = `<w:keepNext w:val="0"/><w:keepLines w:val="0"/><w:pageBreakBefore w:val="0"/><w:contextualSpacing w:val="0"/><w:suppressAutoHyphens w:val="0"/><w:snapToGrid/><w:autoSpaceDE/><w:bidi w:val="0"/>` +
		`<w:outlineLvl w:val="9"/><w:spacing w:beforeAutospacing="0" w:afterAutospacing="0"/><w:ind w:firstLine="0"/>`
	p := firstParagraph(t, docx{styles: `<w:style w:type="paragraph" w:styleId="P"><w:pPr>` + on + `</w:pPr></w:style>`, body: para(`<w:pStyle w:val="P"/>`+off, ``)}.read(t))
	equal(t, "paragraph", p.ParagraphProperties, ParagraphProperties{Style: "P", Outline: -1, Align: "left", Line: 1, LineRule: "auto", WidowControl: true})
}

func TestBordersOfAParagraphAreInheritedSideBySide(t *testing.T) {
	t.Parallel()
	p := firstParagraph(t, docx{
		styles: `<w:style w:type="paragraph" w:styleId="P"><w:pPr><w:pBdr><w:top w:val="single" w:sz="8"/><w:left w:val="single" w:sz="8"/></w:pBdr></w:pPr></w:style>`,
		body:   para(`<w:pStyle w:val="P"/><w:pBdr><w:top w:val="nil"/><w:right w:val="double" w:sz="16"/></w:pBdr>`, ``),
	}.read(t))
	equal(t, "borders", p.Borders, ParagraphBorders{Top: &Border{Style: "nil", Width: 0.5}, Left: &Border{Style: "single", Width: 1}, Right: &Border{Style: "double", Width: 2}})
}

// ECMA-376 part 1, 17.3.1.13 and 17.18.44; in a paragraph from right to left,
// left means the side where lines begin (17.3.1.6).
func TestEachAlignmentIsOneOfFive(t *testing.T) {
	t.Parallel()
	for jc, want := range map[string]struct{ leftToRight, rightToLeft string }{
		"": {"left", "right"}, "left": {"left", "right"}, "start": {"left", "right"}, "right": {"right", "left"}, "end": {"right", "left"},
		"center": {"center", "center"}, "both": {"both", "both"}, "distribute": {"distribute", "distribute"}, "thaiDistribute": {"both", "both"},
		"lowKashida": {"both", "both"}, "mediumKashida": {"both", "both"}, "highKashida": {"both", "both"}, "nonsense": {"left", "right"},
	} {
		property := `<w:jc w:val="` + jc + `"/>`
		if got := paragraphOf(t, property).Align; got != want.leftToRight {
			t.Errorf("%q: got %q, want %q", jc, got, want.leftToRight)
		}
		if got := paragraphOf(t, property+`<w:bidi/>`).Align; got != want.rightToLeft {
			t.Errorf("%q from right to left: got %q, want %q", jc, got, want.rightToLeft)
		}
	}
}

func TestIndentsOfAParagraphFromRightToLeftChangeSides(t *testing.T) {
	t.Parallel()
	p := paragraphOf(t, `<w:bidi/><w:ind w:left="200" w:right="400" w:hanging="100"/>`)
	if p.Left != 20 || p.Right != 10 || p.FirstLine != -5 || !p.RTL {
		t.Errorf("got left %g, right %g, first line %g; want 20, 10, -5", p.Left, p.Right, p.FirstLine)
	}
}

func TestTabsAreKeptInTheirOrderAndClearedByTheirPlace(t *testing.T) {
	t.Parallel()
	tab := func(attributes string) string { return `<w:tab ` + attributes + `/>` }
	inherited := tab(`w:val="left" w:pos="1000"`) + tab(`w:val="right" w:leader="dot" w:pos="2000"`)
	first, second := Tab{Pos: 50, Align: "left"}, Tab{Pos: 100, Align: "right", Leader: "dot"}
	for _, c := range []struct {
		what, tabs string
		want       []Tab
	}{
		{"none of its own", ``, []Tab{first, second}},
		{"one between", tab(`w:val="center" w:pos="1500"`), []Tab{first, {Pos: 75, Align: "center"}, second}},
		{"one before", tab(`w:val="decimal" w:pos="-200"`), []Tab{{Pos: -10, Align: "decimal"}, first, second}},
		{"one replaced", tab(`w:val="bar" w:pos="1000"`), []Tab{{Pos: 50, Align: "bar"}, second}},
		{"one cleared", tab(`w:val="clear" w:pos="1000"`), []Tab{second}},
		{"one cleared half a point beside it", tab(`w:val="clear" w:pos="1010"`) + tab(`w:val="clear" w:pos="1990"`), []Tab{}},
		{"one cleared too far beside it", tab(`w:val="clear" w:pos="1011"`) + tab(`w:val="clear" w:pos="1989"`), []Tab{first, second}},
		{"all cleared", tab(`w:val="clear" w:pos="1000"`) + tab(`w:val="clear" w:pos="2000"`), []Tab{}},
		{"names of older and later versions", tab(`w:val="start" w:pos="20"`) + tab(`w:val="num" w:pos="40"`) + tab(`w:pos="60"`) + tab(`w:val="end" w:pos="80"`),
			[]Tab{{Pos: 1, Align: "left"}, {Pos: 2, Align: "left"}, {Pos: 3, Align: "left"}, {Pos: 4, Align: "right"}, first, second}},
		{"no leader", tab(`w:val="left" w:leader="none" w:pos="2000"`), []Tab{first, {Pos: 100, Align: "left"}}},
		{"a leader", tab(`w:val="left" w:leader="hyphen" w:pos="2000"`), []Tab{first, {Pos: 100, Align: "left", Leader: "hyphen"}}},
		{"one without a place", tab(`w:val="left"`), []Tab{first, second}},
	} {
		d := docx{styles: `<w:style w:type="paragraph" w:styleId="P"><w:pPr><w:tabs>` + inherited + `</w:tabs></w:pPr></w:style>`,
			body: para(`<w:pStyle w:val="P"/><w:tabs>`+c.tabs+`</w:tabs>`, ``)}.read(t)
		equal(t, c.what, firstParagraph(t, d).Tabs, c.want)
	}
}

// ECMA-376 part 1, 17.3.1.11.
func TestAFrameIsReadWithItsSizePlaceAndWrap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		attributes string
		want       Frame
	}{
		{``, Frame{HAnchor: "text", VAnchor: "text"}},
		{`w:w="2000" w:h="1000" w:hRule="exact"`, Frame{HAnchor: "text", VAnchor: "text", Width: 100, Height: 50, HeightRule: "exact"}},
		{`w:x="200" w:hAnchor="page"`, Frame{HAnchor: "page", HasXAnchor: true, VAnchor: "text", X: 10, HasX: true}},
		{`w:y="0" w:vAnchor="margin"`, Frame{HAnchor: "text", VAnchor: "margin", HasY: true}},
		{`w:xAlign="center" w:yAlign="top"`, Frame{HAnchor: "text", VAnchor: "text", XAlign: "center", YAlign: "top"}},
		{`w:hSpace="180" w:vSpace="60" w:wrap="around"`, Frame{HAnchor: "text", VAnchor: "text", Around: Margins{Top: 3, Left: 9, Bottom: 3, Right: 9}, Wrap: "around"}},
		{`w:dropCap="drop" w:lines="3"`, Frame{HAnchor: "text", VAnchor: "text", DropCap: "drop", Lines: 3}},
	} {
		equal(t, c.attributes, paragraphOf(t, `<w:framePr `+c.attributes+`/>`).Frame, &c.want)
	}
}
