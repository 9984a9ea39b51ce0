package pdf

import (
	"encoding/binary"
	"math"
	"slices"
)

// scriptFont is an embedded font of one script, for characters that the usual
// fonts and those that were added lack. It has one weight and no slope: bold
// letters are drawn with a line around them, sloped ones are slanted.
type scriptFont struct {
	name   string // of its file
	blocks []block
	// isEastAsian fonts have lines as high as those of Noto Sans CJK, so that a
	// document keeps its pages when that font is added.
	isEastAsian bool
}

// block is a range of characters, both ends included.
type block struct{ first, last rune }

var (
	eastAsian = []block{{0x2010, 0x27BF}, {0x2E80, 0x9FFF}, {0xF900, 0xFAFF}, {0xFE10, 0xFE4F}, {0xFF00, 0xFFEF}, {0x1F100, 0x1F2FF}, {0x20000, 0x3FFFF}}
	// pictographs have their digits and signs of a keycap in DejaVu Sans.
	pictographs = []block{{0x200D, 0x200D}, {0x203C, 0x203C}, {0x2049, 0x2049}, {0x20E3, 0x20E3}, {0x2139, 0x2BFF}, {0x3030, 0x303D}, {0x3297, 0x3299}, {0x1F000, 0x1FAFF}, {0xE0020, 0xE007F}}
)

// scriptFonts come in the order in which a character is looked for.
var scriptFonts = []scriptFont{
	{name: "NotoSansArmenian-Regular", blocks: []block{{0x0530, 0x058F}, {0xFB13, 0xFB17}}},
	{name: "NotoSansSyriac-Regular", blocks: []block{{0x0700, 0x074F}, {0x0860, 0x086F}}},
	{name: "NotoSansThaana-Regular", blocks: []block{{0x0780, 0x07BF}}},
	{name: "NotoSansDevanagari-Regular", blocks: []block{{0x0900, 0x097F}, {0x1CD0, 0x1CFF}, {0xA830, 0xA839}, {0xA8E0, 0xA8FF}}},
	{name: "NotoSansBengali-Regular", blocks: []block{{0x0980, 0x09FF}}},
	{name: "NotoSansGurmukhi-Regular", blocks: []block{{0x0A00, 0x0A7F}}},
	{name: "NotoSansGujarati-Regular", blocks: []block{{0x0A80, 0x0AFF}}},
	{name: "NotoSansOriya-Regular", blocks: []block{{0x0B00, 0x0B7F}}},
	{name: "NotoSansTamil-Regular", blocks: []block{{0x0B80, 0x0BFF}, {0x11FC0, 0x11FFF}}},
	{name: "NotoSansTelugu-Regular", blocks: []block{{0x0C00, 0x0C7F}}},
	{name: "NotoSansKannada-Regular", blocks: []block{{0x0C80, 0x0CFF}}},
	{name: "NotoSansMalayalam-Regular", blocks: []block{{0x0D00, 0x0D7F}}},
	{name: "NotoSansSinhala-Regular", blocks: []block{{0x0D80, 0x0DFF}, {0x111E0, 0x111FF}}},
	{name: "NotoSansThai-Regular", blocks: []block{{0x0E00, 0x0E7F}}},
	{name: "NotoSansLao-Regular", blocks: []block{{0x0E80, 0x0EFF}}},
	{name: "NotoSerifTibetan-Regular", blocks: []block{{0x0F00, 0x0FFF}}},
	{name: "NotoSansMyanmar-Regular", blocks: []block{{0x1000, 0x109F}, {0xA9E0, 0xA9FF}, {0xAA60, 0xAA7F}}},
	{name: "NotoSansGeorgian-Regular", blocks: []block{{0x10A0, 0x10FF}, {0x1C90, 0x1CBF}, {0x2D00, 0x2D2F}}},
	{name: "NotoSansEthiopic-Regular", blocks: []block{{0x1200, 0x139F}, {0x2D80, 0x2DDF}, {0xAB00, 0xAB2F}}},
	{name: "NotoSansCherokee-Regular", blocks: []block{{0x13A0, 0x13FF}, {0xAB70, 0xABBF}}},
	{name: "NotoSansCanadianAboriginal-Regular", blocks: []block{{0x1400, 0x167F}, {0x18B0, 0x18FF}}},
	{name: "NotoSansKhmer-Regular", blocks: []block{{0x1780, 0x17FF}, {0x19E0, 0x19FF}}},
	{name: "NotoSansMongolian-Regular", blocks: []block{{0x1800, 0x18AF}, {0x11660, 0x1167F}}},
	{name: "NotoSansBalinese-Regular", blocks: []block{{0x1B00, 0x1B7F}}},
	{name: "NotoSansSundanese-Regular", blocks: []block{{0x1B80, 0x1BBF}, {0x1CC0, 0x1CCF}}},
	{name: "NotoSansOlChiki-Regular", blocks: []block{{0x1C50, 0x1C7F}}},
	{name: "NotoSansJavanese-Regular", blocks: []block{{0xA980, 0xA9DF}}},
	{name: "NotoSansMeeteiMayek-Regular", blocks: []block{{0xAAE0, 0xAAFF}, {0xABC0, 0xABFF}}},
	{name: "NotoSansYi-Regular", blocks: []block{{0xA000, 0xA4CF}}},
	{name: "NotoSansAdlam-Regular", blocks: []block{{0x1E900, 0x1E95F}}},
	{name: "DroidSansFallback-Hangul", blocks: []block{{0x1100, 0x11FF}, {0x3130, 0x318F}, {0x3200, 0x327F}, {0xA960, 0xA97F}, {0xAC00, 0xD7FF}}, isEastAsian: true},
	{name: "DroidSansFallbackFull", blocks: eastAsian, isEastAsian: true},
	{name: "NotoSansJP-Supplement", blocks: eastAsian, isEastAsian: true},
	{name: "NotoSansTC-Supplement", blocks: eastAsian, isEastAsian: true},
	{name: emojiFont, blocks: pictographs},
	{name: formulaFont, blocks: []block{{0x2100, 0x214F}, {0x27C0, 0x27FF}, {0x2900, 0x2AFF}, {0x1D400, 0x1D7FF}}},
}

const (
	emojiFont   = "NotoEmoji-Regular"
	formulaFont = "STIXTwoMath-Formulas"
)

// FormulaFace is the face with the signs of formulas, upright and of usual weight.
func (s *FontSet) FormulaFace() *Face {
	f := s.scripts[faceKey{formulaFont, false, false}]
	f.ready()
	return f
}

// Growing are the signs of which the face of formulas has larger or wider forms: those for
// brackets, roots, sums and integrals first, then those for what stands over and under others.
const Growing = "()[]{}|‖⌈⌉⌊⌋⟨⟩⟦⟧√∑∏∐∫∬∭∮∯∰∱∲∳⋀⋁⋂⋃⨀⨁⨂⨃⨄⨅⨆⨌⏞⏟⏜⏝\u0302\u0303\u030C\u20D7"

// Grown is the n-th larger form of a sign, from 1 on: a character of the private use area, under
// which the face of formulas has it. It is false where there is none.
func (f *Face) Grown(r rune, n int) (rune, bool) {
	const first, forms = 0xF0000, 16
	at := 0
	for _, sign := range Growing {
		if sign == r {
			grown := rune(first + at*forms + n)
			return grown, n < forms && f.Has(grown)
		}
		at++
	}
	return 0, false
}

// chineseQuotes has the quotes and dots of Chinese, which are as wide as its characters.
var chineseQuotes = scriptFont{name: "NotoSansSC-Supplement", isEastAsian: true}

// ChineseQuotes is the face that has a quote, or dots, of Chinese; nil for other
// characters.
func (s *FontSet) ChineseQuotes(r rune, bold, italic bool) *Face {
	f := s.scripts[faceKey{chineseQuotes.name, bold, italic}]
	f.ready()
	if !f.Has(r) {
		return nil
	}
	return f
}

func (s *scriptFont) mayHave(r rune) bool { return isIn(r, s.blocks) }

func isIn(r rune, blocks []block) bool {
	return slices.ContainsFunc(blocks, func(b block) bool { return r >= b.first && r <= b.last })
}

// onlyInScripts are characters that the usual fonts have none of, so that none of
// these is read for them.
var onlyInScripts = []block{
	{0x0900, 0x0DFF}, {0x0E01, 0x0E3E}, {0x0E40, 0x0E7F}, {0x0F00, 0x109F}, {0x1100, 0x139F}, {0x1780, 0x18AF}, {0x3040, 0x4DBF}, {0x4E00, 0x9FFF},
	{0xA000, 0xA4CF}, {0xAC00, 0xD7FF}, {0xF900, 0xFAFF}, {0xFF00, 0xFFEF}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFF},
}

func isOnlyInScripts(r rune) bool { return r >= onlyInScripts[0].first && isIn(r, onlyInScripts) }

// What Noto Sans CJK asks of a line, and how wide its space is, in em.
const (
	eastAsianAscent  = 1.16
	eastAsianDescent = 0.288
	eastAsianSpace   = 0.224
)

// setEastAsian gives an East Asian font the lines and the space of Noto Sans CJK.
func (f *Face) setEastAsian() {
	f.ascent, f.descent, f.lineGap = eastAsianAscent, eastAsianDescent, 0
	gid, ok := f.glyph(' ')
	hmtx, at := slices.Clone(f.tables.tables["hmtx"]), 4*int(gid)
	if !ok || int(gid) >= f.tables.metrics() {
		return
	}
	width := math.Round(eastAsianSpace * float64(f.tables.em()))
	binary.BigEndian.PutUint16(hmtx[at:], uint16(width))
	f.tables.tables["hmtx"], f.advances[gid] = hmtx, width/float64(f.tables.em())
}

// addScripts adds the fonts of single scripts. None is read before a character asks
// for it.
func (s *FontSet) addScripts() {
	for i := range len(scriptFonts) + 1 {
		font := &chineseQuotes
		if i < len(scriptFonts) {
			font = &scriptFonts[i]
		}
		load := builtIn("scripts/" + font.name)
		for style := range 4 {
			f := &Face{Name: font.name, Family: font.name, set: s, isBold: style&1 != 0, isItalic: style&2 != 0, script: font, load: load}
			f.isEmboldened, f.isSlanted = f.isBold, f.isItalic && font.name != emojiFont
			f.Name += []string{"", "-Bold", "-Italic", "-BoldItalic"}[style]
			s.scripts[faceKey{font.name, f.isBold, f.isItalic}] = f
		}
	}
}

// scriptFallback is the embedded font of a script that has the character, or nil.
func (s *FontSet) scriptFallback(r rune, bold, italic bool) *Face {
	for i := range scriptFonts {
		font := &scriptFonts[i]
		if !font.mayHave(r) {
			continue
		}
		f := s.scripts[faceKey{font.name, bold, italic}]
		f.ready()
		if f.Has(r) {
			return f
		}
	}
	return nil
}

// FaceBehind is FaceFor for a character behind one that another face draws. Joiners
// and parts of Korean syllables, which shaping makes one with what is in front of
// them, stay in its font. Signs of many scripts, such as the danda of India, stay in it,
// too.
func FaceBehind(before, f *Face, r rune) (*Face, rune) {
	const firstVowel, lastEnd = 0x1160, 0x11FF
	switch {
	case before == nil || before.script == nil:
	case Invisible(r), r >= firstVowel && r <= lastEnd, !f.Has(r) && before.Has(r):
		return before, r
	}
	return FaceFor(f, r)
}

// withoutOutlines is the font without what draws its glyphs. The parser would read
// all 28,000 of an East Asian font for a page that shows forty.
func (f *glyphTables) withoutOutlines() []byte {
	var tables []table
	for tag, data := range f.tables {
		if tag != "glyf" && tag != "loca" {
			tables = append(tables, table{tag, data})
		}
	}
	return writeTables(tables)
}
