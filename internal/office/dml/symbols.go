package dml

import (
	"strings"
)

// SymbolText turns text set in a symbol font (Symbol, Wingdings and their kin,
// whose characters stand at U+F000 and on or at their plain codes) into the
// Unicode characters that look the same. ok is false for any other font; then
// the text stays as it is.
func SymbolText(family, text string) (converted string, ok bool) {
	table := symbolTable(family)
	if table == nil {
		return text, false
	}
	return strings.Map(func(r rune) rune {
		code := r
		if r >= 0xF000 && r <= 0xF0FF {
			code = r - 0xF000
		}
		if to, found := table[code]; found {
			return to
		}
		if r >= 0xF000 && r <= 0xF0FF {
			if code >= 0x7F || code < 0x20 { // no letter of ASCII
				return '•'
			}
			return code
		}
		return r
	}, text), true
}

func symbolTable(family string) map[rune]rune {
	switch strings.ToLower(family) {
	case "symbol", "opensymbol", "starsymbol":
		return symbolRunes()
	case "wingdings":
		return wingdingsRunes()
	case "wingdings 2":
		return map[rune]rune{0x50: '✓', 0x4F: '✗', 0x52: '☑', 0x53: '☒', 0x54: '☒', 0xA3: '□', 0x96: '•', 0x97: '●', 0x98: '·', 0xA2: '■', 0xA4: '▣', 0xAE: '◆', 0xAF: '◇'}
	case "wingdings 3":
		return map[rune]rune{0x7D: '▶', 0x7C: '◀', 0x70: '▲', 0x71: '▼', 0x75: '▶', 0x74: '◀', 0x84: '▸', 0xCA: '⮚', 0x22: '➢', 0x67: '→', 0x66: '←', 0x68: '↑', 0x69: '↓'}
	case "webdings":
		return map[rune]rune{0x61: '✓', 0x72: '✗', 0x34: '▶', 0x33: '◀', 0x35: '▲', 0x36: '▼', 0x3C: '■', 0x63: '□', 0x6E: '●', 0x3D: '●'}
	}
	return nil
}

// symbolRunes is the Adobe Symbol encoding.
func symbolRunes() map[rune]rune {
	const from, to = 0x21, "!∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
	m := make(map[rune]rune, 192)
	at := rune(from)
	for _, r := range to {
		m[at] = r
		at++
	}
	at = 0xA0
	for _, r := range "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪" {
		m[at] = r
		at++
	}
	at = 0xF1 // 0xF0 is a company's mark
	for _, r := range "〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭" {
		m[at] = r
		at++
	}
	return m
}

func wingdingsRunes() map[rune]rune {
	return map[rune]rune{
		0x21: '✏', 0x22: '✂', 0x23: '✁', 0x28: '☎', 0x29: '✆', 0x2A: '✉', 0x36: '⌛', 0x37: '⌨', 0x3E: '✇', 0x3F: '✍', 0x41: '✌', 0x45: '☜', 0x46: '☞', 0x47: '☝', 0x48: '☟',
		0x4A: '☺', 0x4B: '☻', 0x4C: '☹', 0x4D: '✹', 0x4E: '☠', 0x4F: '⚐', 0x51: '✈', 0x52: '☼', 0x54: '❄', 0x55: '✝', 0x56: '✞', 0x58: '✠', 0x59: '✡', 0x5A: '☪', 0x5B: '☯',
		0x6C: '●', 0x6D: '❍', 0x6E: '■', 0x6F: '□', 0x70: '❐', 0x71: '❑', 0x72: '❒', 0x73: '⬧', 0x74: '⧫', 0x75: '◆', 0x76: '❖', 0x77: '⬥', 0x78: '⌧', 0x79: '⮹', 0x7A: '⌘',
		0x7B: '❀', 0x7C: '✿', 0x7D: '❝', 0x7E: '❞', 0x80: '⓪', 0x81: '①', 0x82: '②', 0x83: '③', 0x84: '④', 0x85: '⑤', 0x86: '⑥', 0x87: '⑦', 0x88: '⑧', 0x89: '⑨', 0x8A: '⑩',
		0x9E: '·', 0x9F: '•', 0xA0: '▪', 0xA1: '○', 0xA2: '○', 0xA4: '◉', 0xA5: '◎', 0xA7: '▪', 0xA8: '◻', 0xAA: '✦', 0xAB: '★', 0xAC: '✶', 0xAD: '✴', 0xAE: '✹', 0xAF: '✵',
		0xB1: '⌖', 0xB2: '◇', 0xB6: '✰', 0xC3: '❧', 0xD5: '⌫', 0xD6: '⌦', 0xD8: '➢', 0xDC: '➲', 0xDF: '←', 0xE0: '→', 0xE1: '↑', 0xE2: '↓', 0xE8: '➔', 0xEF: '⇦', 0xF0: '⇨',
		0xF1: '⇧', 0xF2: '⇩', 0xFB: '✗', 0xFC: '✓', 0xFD: '☒', 0xFE: '☑',
	}
}
