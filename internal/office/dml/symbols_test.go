package dml

import (
	"strings"
	"testing"
)

// The Symbol font as Adobe encodes it, in the order of its codes from 0x21 and
// from 0xA0 (unicode.org/Public/MAPPINGS/VENDORS/ADOBE/symbol.txt).
func TestTheSymbolFontIsReadInItsEncoding(t *testing.T) {
	t.Parallel()
	for code, want := range map[rune]rune{
		0x21: '!', 0x22: '∀', 0x24: '∃', 0x27: '∋', 0x2A: '∗', 0x2D: '−', 0x30: '0', 0x39: '9', 0x40: '≅', 0x41: 'Α', 0x44: 'Δ', 0x4A: 'ϑ', 0x51: 'Θ',
		0x56: 'ς', 0x57: 'Ω', 0x5A: 'Ζ', 0x5B: '[', 0x5C: '∴', 0x5E: '⊥', 0x61: 'α', 0x62: 'β', 0x66: 'φ', 0x6A: 'ϕ', 0x6D: 'μ', 0x70: 'π', 0x76: 'ϖ', 0x7A: 'ζ', 0x7E: '∼',
		0xA0: '€', 0xA3: '≤', 0xA5: '∞', 0xA7: '♣', 0xA8: '♦', 0xA9: '♥', 0xAA: '♠', 0xAB: '↔', 0xAE: '→', 0xB0: '°', 0xB1: '±', 0xB3: '≥', 0xB4: '×', 0xB6: '∂', 0xB7: '•', 0xB8: '÷', 0xB9: '≠', 0xBB: '≈', 0xBC: '…',
		0xC5: '⊕', 0xC6: '∅', 0xC7: '∩', 0xCE: '∈', 0xD1: '∇', 0xD5: '∏', 0xD6: '√', 0xD7: '⋅', 0xDE: '⇒', 0xE0: '◊', 0xE5: '∑', 0xEF: '⎪',
		0xF1: '〉', 0xF2: '∫', 0xF3: '⌠', 0xF5: '⌡', 0xF6: '⎞', 0xF8: '⎠', 0xFB: '⎦', 0xFE: '⎭',
	} {
		for _, text := range []string{string(code), string(0xF000 + code)} {
			if got, ok := SymbolText("Symbol", text); !ok || got != string(want) {
				t.Errorf("%q (%#x): got %q, %v; want %q", text, code, got, ok, want)
			}
		}
	}
}

func TestSignsOfWingdingsAreUnicodes(t *testing.T) {
	t.Parallel()
	for family, signs := range map[string]map[rune]rune{
		"Wingdings": {
			0x22: '✂', 0x28: '☎', 0x2A: '✉', 0x36: '⌛', 0x41: '✌', 0x46: '☞', 0x4A: '☺', 0x4C: '☹', 0x4E: '☠', 0x51: '✈', 0x5B: '☯',
			0x6C: '●', 0x6E: '■', 0x6F: '□', 0x71: '❑', 0x75: '◆', 0x76: '❖', 0x7B: '❀', 0x80: '⓪', 0x81: '①', 0x8A: '⑩',
			0x9F: '•', 0xA7: '▪', 0xA8: '◻', 0xAB: '★', 0xD8: '➢', 0xDF: '←', 0xE0: '→', 0xE8: '➔', 0xF0: '⇨', 0xFB: '✗', 0xFC: '✓', 0xFD: '☒', 0xFE: '☑',
		},
		"Wingdings 2": {0x4F: '✗', 0x50: '✓', 0x52: '☑', 0x53: '☒', 0xA3: '□', 0xA2: '■', 0x97: '●'},
		"Wingdings 3": {0x66: '←', 0x67: '→', 0x68: '↑', 0x69: '↓', 0x70: '▲', 0x71: '▼', 0x7D: '▶'},
		"Webdings":    {0x61: '✓', 0x72: '✗', 0x34: '▶', 0x35: '▲', 0x36: '▼', 0x3C: '■', 0x63: '□', 0x6E: '●'},
	} {
		for code, want := range signs {
			if got, ok := SymbolText(family, string(0xF000+code)); !ok || got != string(want) {
				t.Errorf("%s %#x: got %q, %v; want %q", family, code, got, ok, want)
			}
		}
	}
}

func TestSymbolFontsAreKnownInAnyCase(t *testing.T) {
	t.Parallel()
	for _, family := range []string{"SYMBOL", "OpenSymbol", "starsymbol", "wingDings", "wingdings 2", "WINGDINGS 3", "webdings"} {
		if _, ok := SymbolText(family, "x"); !ok {
			t.Errorf("%s is not known", family)
		}
	}
	for _, family := range []string{"", "Arial", "Symbols", "Wingdings 4", " Symbol"} {
		if got, ok := SymbolText(family, "a\uF061"); ok || got != "a\uF061" {
			t.Errorf("%q: got %q, %v; want the text as it is", family, got, ok)
		}
	}
}

func TestTextInSymbolFontsKeepsWhatIsNoSign(t *testing.T) {
	t.Parallel()
	got, ok := SymbolText("Symbol", "a \uF062\uF020 – ж\n")
	if want := "α β  – ж\n"; !ok || got != want {
		t.Errorf("got %q, %v; want %q", got, ok, want)
	}
}

// A sign that is not known is a letter where its code is one, else a dot: never a
// control character, which would be drawn as an empty box.
func TestUnknownSignsAreLettersOrDots(t *testing.T) {
	t.Parallel()
	for code, want := range map[rune]string{0x41: "A", 0x7E: "~", 0x20: " ", 0x1F: "•", 0x00: "•", 0x7F: "•", 0x80: "•", 0x95: "•", 0x9F: "•", 0xA0: "•", 0xF7: "•", 0xFF: "•"} {
		if got, ok := SymbolText("Wingdings 3", string(0xF000+code)); !ok || got != want {
			t.Errorf("%#x: got %q, %v; want %q", code, got, ok, want)
		}
	}
	if got, ok := SymbolText("Webdings", "\uEFFF\uF100"); !ok || got != "\uEFFF\uF100" {
		t.Errorf("outside the fonts' own plane: got %q, %v; want them as they are", got, ok)
	}
	if got, _ := SymbolText("Wingdings", strings.Repeat("\uF0A6", 3)); got != "•••" {
		t.Errorf("got %q, want three dots", got)
	}
}
