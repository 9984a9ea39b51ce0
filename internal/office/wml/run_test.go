package wml

import (
	"testing"
)

// runOf reads a run with these properties in a document with this theme.
func runOf(t *testing.T, theme, rPr string) RunProperties {
	t.Helper()
	return firstRun(t, docx{theme: theme, body: `<w:p><w:r><w:rPr>` + rPr + `</w:rPr><w:t>x</w:t></w:r></w:p>`}.read(t)).RunProperties
}

func TestEachPropertyOfARunIsReadAndChangesNothingElse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rPr  string
		want func(*RunProperties)
	}{
		{`<w:b/>`, func(p *RunProperties) { p.Bold = true }},
		{`<w:i/>`, func(p *RunProperties) { p.Italic = true }},
		{`<w:caps/>`, func(p *RunProperties) { p.Caps = true }},
		{`<w:smallCaps/>`, func(p *RunProperties) { p.SmallCaps = true }},
		{`<w:strike/>`, func(p *RunProperties) { p.Strike = true }},
		{`<w:dstrike/>`, func(p *RunProperties) { p.DoubleStrike = true }},
		{`<w:rtl/>`, func(p *RunProperties) { p.RTL = true }},
		{`<w:cs/>`, func(p *RunProperties) { p.CS = true }},
		{`<w:rFonts w:ascii="A" w:hAnsi="H" w:eastAsia="E" w:cs="C" w:hint="eastAsia"/>`, func(p *RunProperties) {
			p.Fonts = Fonts{ASCII: "A", HighANSI: "H", EastAsia: "E", ComplexScript: "C", Hint: "eastAsia"}
		}},
		{`<w:rFonts w:hAnsi="H"/>`, func(p *RunProperties) { p.Fonts.HighANSI = "H" }},
		{`<w:rFonts w:ascii=""/>`, func(*RunProperties) {}},
		{`<w:color w:val="FF0000"/>`, func(p *RunProperties) { p.Color = rgb(255, 0, 0) }},
		{`<w:u w:val="wave" w:color="00FF00"/>`, func(p *RunProperties) { p.Underline, p.UnderlineColor = "wave", rgb(0, 255, 0) }},
		{`<w:u w:val="none"/>`, func(*RunProperties) {}},
		{`<w:highlight w:val="yellow"/>`, func(p *RunProperties) { p.Highlight = rgb(255, 255, 0) }},
		{`<w:highlight w:val="none"/>`, func(*RunProperties) {}},
		{`<w:shd w:val="clear" w:fill="0000FF"/>`, func(p *RunProperties) { p.Shading = rgb(0, 0, 255) }},
		{`<w:bdr w:val="single" w:sz="8" w:space="1"/>`, func(p *RunProperties) { p.Border = &Border{Style: "single", Width: 1, Space: 1} }},
		{`<w:vertAlign w:val="superscript"/>`, func(p *RunProperties) { p.VertAlign = "superscript" }},
		{`<w:vertAlign w:val="baseline"/>`, func(*RunProperties) {}},
		{`<w:lang w:val="de-DE" w:eastAsia="ja-JP"/>`, func(p *RunProperties) { p.Lang, p.EastAsianLang = "de-DE", "ja-JP" }},
		{`<w:lang w:bidi="hi-IN"/>`, func(p *RunProperties) { p.ComplexLang = "hi-IN" }},
		{`<w:rStyle w:val="Strong"/>`, func(p *RunProperties) { p.Style = "Strong" }},
		{`<w14:b/><w14:color w:val="FF0000"/><w15:sz w:val="48"/>`, func(*RunProperties) {}},
		{`<w:bCs/>`, func(p *RunProperties) { p.Complex.Bold = true }},
		{`<w:iCs/>`, func(p *RunProperties) { p.Complex.Italic = true }},
		{`<w:szCs w:val="48"/>`, func(p *RunProperties) { p.Complex.Size = 24 }},
		{`<w:szCs w:val="0"/><w:unknown w:val="1"/>`, func(*RunProperties) {}},
		// Half points (17.3.2.38), up to Word's 1,638 points.
		{`<w:sz w:val="25"/>`, func(p *RunProperties) { p.Size = 12.5 }},
		{`<w:sz w:val="14pt"/>`, func(p *RunProperties) { p.Size = 14 }},
		{`<w:sz w:val="3276"/>`, func(p *RunProperties) { p.Size = 1638 }},
		{`<w:sz w:val="3277"/>`, func(*RunProperties) {}},
		{`<w:sz w:val="0"/>`, func(*RunProperties) {}},
		{`<w:sz w:val="-20"/>`, func(*RunProperties) {}},
		{`<w:sz w:val="big"/>`, func(*RunProperties) {}},
		{`<w:position w:val="6"/>`, func(p *RunProperties) { p.Raise = 3 }},
		{`<w:position w:val="-6"/>`, func(p *RunProperties) { p.Raise = -3 }},
		{`<w:kern w:val="28"/>`, func(p *RunProperties) { p.KernFrom = 14 }},
		// Twentieths of a point.
		{`<w:spacing w:val="-10"/>`, func(p *RunProperties) { p.Spacing = -0.5 }},
		{`<w:spacing w:before="10"/>`, func(*RunProperties) {}},
		// Per cent, from 1 to 600 (17.18.95).
		{`<w:w w:val="150"/>`, func(p *RunProperties) { p.Scale = 1.5 }},
		{`<w:w w:val="1"/>`, func(p *RunProperties) { p.Scale = 0.01 }},
		{`<w:w w:val="600"/>`, func(p *RunProperties) { p.Scale = 6 }},
		{`<w:w w:val="0"/>`, func(*RunProperties) {}},
		{`<w:w w:val="601"/>`, func(*RunProperties) {}},
	} {
		want := RunProperties{Fonts: Fonts{ASCII: "Times New Roman", HighANSI: "Times New Roman"}, Size: 10, Scale: 1}
		c.want(&want)
		equal(t, c.rPr, runOf(t, "", c.rPr), want)
	}
}

func TestDirectFormattingSwitchesOffWhatAStyleSwitchesOn(t *testing.T) {
	t.Parallel()
	const on = `<w:b/><w:i/><w:caps/><w:smallCaps/><w:strike/><w:dstrike/><w:rtl/><w:cs/><w:u w:val="single" w:color="FF0000"/>` +
		`<w:color w:val="FF0000"/><w:highlight w:val="red"/><w:shd w:val="clear" w:fill="FF0000"/><w:vertAlign w:val="subscript"/><w:position w:val="4"/><w:kern w:val="2"/>`
	const off = `<w:b w:val="0"/><w:i w:val="false"/><w:caps w:val="off"/><w:smallCaps w:val="0"/><w:strike w:val="0"/><w:dstrike w:val="0"/><w:rtl w:val="0"/><w:cs w:val="0"/><w:u w:val="none"/>` +
		`<w:color w:val="auto"/><w:highlight w:val="none"/><w:shd w:val="clear" w:fill="auto"/><w:vertAlign w:val="baseline"/><w:position w:val="0"/><w:kern w:val="0"/>`
	p := firstRun(t, docx{
		styles: `<w:style w:type="paragraph" w:styleId="P"><w:rPr>` + on + `</w:rPr></w:style>`,
		body:   para(`<w:pStyle w:val="P"/>`, `<w:r><w:rPr>`+off+`</w:rPr><w:t>x</w:t></w:r>`),
	}.read(t)).RunProperties
	equal(t, "run", p, RunProperties{Fonts: Fonts{ASCII: "Times New Roman", HighANSI: "Times New Roman"}, Size: 10, Scale: 1})
}

func TestHiddenTextIsLeftOutAndShownWhereItIsSwitchedOn(t *testing.T) {
	t.Parallel()
	d := docx{
		styles: `<w:style w:type="paragraph" w:styleId="P"><w:rPr><w:vanish/></w:rPr></w:style>`,
		body:   para(`<w:pStyle w:val="P"/>`, text("hidden")+`<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>shown</w:t></w:r>`),
	}.read(t)
	equal(t, "texts", shownTexts(d.Sections[0].Blocks), []string{"shown"})
}

// ECMA-376 part 1, 17.3.2.26: a theme's font wins over the name beside it. Most
// themes name Latin fonts only.
func TestAFontOfTheThemeWinsOverTheNameBesideIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rFonts string
		want   Fonts
	}{
		{`w:asciiTheme="majorHAnsi" w:hAnsiTheme="minorHAnsi"`, Fonts{ASCII: "Head", HighANSI: "Text"}},
		{`w:asciiTheme="minorAscii" w:hAnsiTheme="majorAscii"`, Fonts{ASCII: "Text", HighANSI: "Head"}},
		{`w:ascii="Arial" w:asciiTheme="minorHAnsi" w:hAnsi="Arial"`, Fonts{ASCII: "Text", HighANSI: "Arial"}},
		{`w:eastAsia="Batang" w:eastAsiaTheme="minorEastAsia" w:cs="Arial" w:cstheme="minorBidi"`, Fonts{ASCII: "Times New Roman", HighANSI: "Times New Roman", EastAsia: "Batang", ComplexScript: "Arial"}},
		{`w:eastAsiaTheme="majorHAnsi" w:cstheme="majorHAnsi"`, Fonts{ASCII: "Times New Roman", HighANSI: "Times New Roman", EastAsia: "Head", ComplexScript: "Head"}},
	} {
		equal(t, c.rFonts, runOf(t, scheme, `<w:rFonts `+c.rFonts+`/>`).Fonts, c.want)
	}
	got := runOf(t, "", `<w:rFonts w:ascii="Arial" w:asciiTheme="minorHAnsi"/>`).Fonts.ASCII
	if got != "Arial" {
		t.Errorf("a document without a theme: got %q, want the name beside it", got)
	}
}

// ECMA-376 part 1, 17.3.2.26: which of the four fonts a character takes.
func TestEachCharacterTakesTheFontOfItsScript(t *testing.T) {
	t.Parallel()
	all := Fonts{ASCII: "ascii", HighANSI: "high", EastAsia: "east", ComplexScript: "complex"}
	latin := Fonts{ASCII: "ascii", HighANSI: "high"}
	for _, c := range []struct {
		what string
		p    RunProperties
		char rune
		want string
	}{
		{"a Latin letter", RunProperties{Fonts: all}, 'a', "ascii"},
		{"the last of ASCII", RunProperties{Fonts: all}, 0x7F, "ascii"},
		{"the first behind it", RunProperties{Fonts: all}, 0x80, "high"},
		{"an umlaut", RunProperties{Fonts: all}, 'ä', "high"},
		{"Cyrillic", RunProperties{Fonts: all}, 'ж', "high"},
		{"a Latin letter in complex script", RunProperties{Fonts: all, CS: true}, 'a', "complex"},
		{"a Latin letter in a run from right to left", RunProperties{Fonts: all, RTL: true}, 'a', "complex"},
		{"the same without such a font", RunProperties{Fonts: latin, CS: true}, 'a', "ascii"},
		{"Arabic", RunProperties{Fonts: all}, 'ع', "complex"},
		{"Hebrew", RunProperties{Fonts: all}, 'א', "complex"},
		{"Thai", RunProperties{Fonts: all}, 'ก', "complex"},
		{"Devanagari", RunProperties{Fonts: all}, 'अ', "complex"},
		{"Syriac", RunProperties{Fonts: all}, 'ܐ', "complex"},
		{"Bengali", RunProperties{Fonts: all}, 'ক', "complex"},
		{"Khmer", RunProperties{Fonts: all}, 'ក', "complex"},
		{"Hebrew without such a font", RunProperties{Fonts: latin}, 'א', "high"},
		{"Han", RunProperties{Fonts: all}, '漢', "east"},
		{"Han without such a font", RunProperties{Fonts: latin}, '漢', "high"},
		{"an umlaut, with a font for ASCII only", RunProperties{Fonts: Fonts{ASCII: "ascii"}}, 'ä', "ascii"},
		{"an umlaut, with no font", RunProperties{}, 'ä', ""},
	} {
		if got := c.p.Font(c.char); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

// The blocks of Unicode from Hangul Jamo to the CJK extensions of the third plane.
func TestEastAsianIsWhatStandsInItsBlocksOfUnicode(t *testing.T) {
	t.Parallel()
	for _, block := range []struct {
		name        string
		first, last rune
	}{
		{"Hangul Jamo", 0x1100, 0x11FF},
		{"CJK radicals to Yi", 0x2E80, 0xA4CF},
		{"Hangul syllables", 0xAC00, 0xD7FF},
		{"CJK compatibility", 0xF900, 0xFAFF},
		{"CJK compatibility forms", 0xFE30, 0xFE4F},
		{"half and full width forms", 0xFF00, 0xFFEF},
		{"supplementary ideographs", 0x20000, 0x3FFFF},
	} {
		for char, want := range map[rune]bool{block.first - 1: false, block.first: true, block.last: true, block.last + 1: false} {
			if got := isEastAsian(char); got != want {
				t.Errorf("%s: U+%04X: got %t, want %t", block.name, char, got, want)
			}
		}
	}
}

// ECMA-376 part 1, 17.3.2.19: from the named size on.
func TestPairsAreKernedFromASizeOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, size float64
		want       bool
	}{{0, 12, false}, {14, 13.5, false}, {14, 14, true}, {14, 20, true}} {
		p := RunProperties{KernFrom: c.from, Size: c.size}
		if got := p.IsKerned(); got != c.want {
			t.Errorf("from %g points at %g: got %t, want %t", c.from, c.size, got, c.want)
		}
	}
}

func TestACharacterStyleBringsThoseThatItIsBasedOn(t *testing.T) {
	t.Parallel()
	const styles = `<w:style w:type="character" w:styleId="Below"><w:rPr><w:i/><w:sz w:val="30"/></w:rPr></w:style>` +
		`<w:style w:type="character" w:styleId="C"><w:basedOn w:val="Below"/><w:rPr><w:sz w:val="40"/></w:rPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="P"><w:rPr><w:b/></w:rPr></w:style>`
	read := func(id string) RunProperties {
		return firstRun(t, docx{styles: styles, body: `<w:p><w:r><w:rPr><w:rStyle w:val="` + id + `"/></w:rPr><w:t>x</w:t></w:r></w:p>`}.read(t)).RunProperties
	}
	if p := read("C"); !p.Italic || p.Size != 20 || p.Style != "C" {
		t.Errorf("got italic %t, %g points, style %q; want italic, 20 points, C", p.Italic, p.Size, p.Style)
	}
	if p := read("P"); p.Bold {
		t.Error("a paragraph style was taken for a character style")
	}
}
