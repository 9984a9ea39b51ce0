package pdf

import (
	"encoding/binary"
	"slices"

	"github.com/go-text/typesetting/font"

	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/linebreak"
)

// What no font has is drawn as an empty box, as office suites draw it, in a
// font made of nothing else. Each character gets a box of its own: the PDF then
// says which one it is, so that it is found, copied and read aloud as it should.

// Advances of boxes, in em: East Asian characters and emoji are as wide as high.
const (
	boxWide   = 1.0
	boxNarrow = 0.6
)

// boxUpem is the em of the fonts of boxes.
const boxUpem = 1000

// newBoxes makes a font of boxes. It has the metrics of the usual East Asian
// fonts, so that adding one of them moves little.
func newBoxes(set *FontSet, name string, advance float64) *Face {
	f := &Face{Name: name, Family: name, set: set, isBoxes: true, advances: []float64{advance, advance}, ascent: eastAsianAscent, descent: eastAsianDescent,
		underline: [2]float64{0.125, 0.05}, strike: [2]float64{0.3, 0.05}, kerns: kernTable{pairs: map[[2]font.GID]float64{}}}
	f.once.Do(func() {})
	f.tables = boxTables(advance)
	return f
}

// missing is the face that draws a character which no font has.
func (s *FontSet) missing(r rune) *Face {
	if linebreak.IsIdeographic(r) || r >= 0x1F000 && r <= 0x1FAFF {
		return s.wideBoxes()
	}
	return s.narrowBoxes()
}

// boxTables are the tables of a font of two glyphs, both boxes.
func boxTables(advance float64) *glyphTables {
	const glyphs = 2
	u16 := binary.BigEndian.AppendUint16
	width := uint16(advance * boxUpem)
	head := make([]byte, 54)
	binary.BigEndian.PutUint32(head, 0x00010000)
	binary.BigEndian.PutUint32(head[12:], 0x5F0F3CF5)
	binary.BigEndian.PutUint16(head[18:], boxUpem)
	for i, v := range []uint16{0, 0, width, boxTop} { // the bounds of all glyphs
		binary.BigEndian.PutUint16(head[36+2*i:], v)
	}
	binary.BigEndian.PutUint16(head[50:], 1)
	hhea := make([]byte, 36)
	binary.BigEndian.PutUint32(hhea, 0x00010000)
	for i, v := range []uint16{880, 65536 - 120, 0, width} {
		binary.BigEndian.PutUint16(hhea[4+2*i:], v)
	}
	binary.BigEndian.PutUint16(hhea[34:], 1)
	maxp := make([]byte, 32)
	for i, v := range []uint16{1, 0, glyphs, 8, 2, 0, 0, 2} {
		binary.BigEndian.PutUint16(maxp[2*i:], v)
	}
	os2, post := make([]byte, 96), make([]byte, 32)
	binary.BigEndian.PutUint16(os2[4:], 400)
	for i, v := range []uint16{880, 65536 - 120, 0, 880, 120} {
		binary.BigEndian.PutUint16(os2[68+2*i:], v)
	}
	binary.BigEndian.PutUint16(os2[88:], boxTop) // the height of capitals
	binary.BigEndian.PutUint32(post, 0x00030000)
	hmtx := u16(nil, width) // of all glyphs; then how far from its left each outline begins
	for range glyphs {
		hmtx = u16(hmtx, boxMargin)
	}
	box := boxOutline(int16(width))
	return &glyphTables{
		tables: map[string][]byte{"head": head, "hhea": hhea, "maxp": maxp, "OS/2": os2, "post": post, "hmtx": hmtx},
		count:  glyphs,
		loca:   []int{0, len(box), 2 * len(box)},
		glyf:   slices.Concat(box, box),
	}
}

// boxTop is how high a box is, boxMargin what is free at its left and right.
const (
	boxTop    = 700
	boxMargin = 60
)

// boxOutline is a frame (OpenType, glyf table: a simple glyph of two contours).
func boxOutline(width int16) []byte {
	const line = 40
	right := width - boxMargin
	var b []byte
	for _, v := range []int16{2, boxMargin, 0, right, boxTop, 3, 7, 0} {
		b = binary.BigEndian.AppendUint16(b, uint16(v))
	}
	const onCurve = 1
	for range 8 {
		b = append(b, onCurve)
	}
	xs := []int16{boxMargin, boxMargin, right, right, boxMargin + line, right - line, right - line, boxMargin + line}
	ys := []int16{0, boxTop, boxTop, 0, line, line, boxTop - line, boxTop - line}
	for _, coordinates := range [][]int16{xs, ys} {
		last := int16(0)
		for _, v := range coordinates {
			b = binary.BigEndian.AppendUint16(b, uint16(v-last))
			last = v
		}
	}
	return pad(b)
}

// Report reports a character that no font has.
func (f *Face) Report(findings *render.Findings, r rune) {
	if r < 0x300 || Invisible(r) {
		return
	}
	if drawn, _ := FaceFor(f, r); drawn.isBoxes {
		findings.Character(render.FindingGlyph, "no font here has these characters, so that an empty box stands for each", r)
	}
}

// ReportUnshaped reports a character, of a text whose letters stand at given places,
// that should change with its neighbours.
func ReportUnshaped(findings *render.Findings, r rune) {
	if NeedsShaping(r) && !Invisible(r) {
		findings.Character(render.FindingShaping, "letters that should join or change places are drawn one by one in a metafile or in WordArt", r)
	}
}

// FaceFor finds the face that draws a rune: the wanted one, a fallback, or the
// boxes that stand for what no font has.
func FaceFor(f *Face, r rune) (*Face, rune) {
	if f.Has(r) {
		return f, r
	}
	if plain, ok := plainRune(r); ok && f.Has(plain) {
		return f, plain
	}
	if other := f.set.Fallback(r, f.isBold, f.isItalic); other != nil {
		return other, r
	}
	return f.set.missing(r), r
}

// plainRune maps characters that differ from a common one only in how lines break.
func plainRune(r rune) (rune, bool) {
	switch r {
	case '\u00A0', '\u2007', '\u202F', '\t', '\v', '\n', '\r':
		return ' ', true
	case '\u2010', '\u2011':
		return '-', true
	}
	return 0, false
}

// Invisible reports runes that take no room: soft hyphens, joiners, marks of direction.
func Invisible(r rune) bool {
	switch {
	case r == '\u00AD', r >= '\u200B' && r <= '\u200F', r >= '\u202A' && r <= '\u202E', r >= '\u2060' && r <= '\u2064', r == '\uFEFF', r >= '\uFE00' && r <= '\uFE0F':
		return true
	case r < ' ' && r != '\t' && r != '\v' && r != '\n':
		return true
	}
	return false
}

// SymbolFamily has the characters that symbol fonts are converted to.
const SymbolFamily = dejaVuSans
