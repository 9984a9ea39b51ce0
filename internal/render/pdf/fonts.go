package pdf

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"
)

// canvasFont is a face as one document uses it: a font of the glyphs that are
// drawn, which have codes from 1 on in the order of their first use.
type canvasFont struct {
	face *Face
	// number is its place among the document's fonts, from 1 on; object is the number of
	// the first of its objects.
	number, object int
	// codes are by glyph; those of boxes, by character; those of glyphs that shaping
	// made stand in shaped.
	codes  map[uint32]uint16
	shaped map[textGlyph]uint16
	// glyphs and texts have, for each code from 1 on, its glyph of the face and the
	// characters that it was first used for.
	glyphs []uint16
	texts  []string
	// wholes are the glyphs that are made of several, by code; wholeCodes their codes by
	// what they are made of.
	wholes     map[uint16]wholeGlyph
	wholeCodes map[string]uint16
}

// wholeGlyph is a glyph made of several of a face. Lengths are in units of the font.
type wholeGlyph struct {
	parts   []glyphPart
	advance int
}

// glyphPart is one of them, moved to the right and upwards.
type glyphPart struct {
	gid  uint16
	x, y int16
}

// textGlyph is a glyph with the characters that it stands for.
type textGlyph struct {
	gid  uint16
	text string
}

// maxCodes is how many glyphs a TrueType font can have beside the one in place of
// those that are missing. No face has more; boxes beyond it share the last code.
const maxCodes = math.MaxUint16 - 1

// fontObjects is how many objects a font has: what refers to it, the font with its
// widths, its description, its file, and the characters of its codes.
const fontObjects = 5

// use returns the document's use of a face.
func (c *Canvas) use(f *Face) *canvasFont {
	used, ok := c.byName[f.Name]
	if !ok {
		used = &canvasFont{face: f, number: len(c.fonts) + 1, object: c.file.reserve(fontObjects), codes: map[uint32]uint16{}, shaped: map[textGlyph]uint16{}}
		c.byName[f.Name], c.fonts = used, append(c.fonts, used)
	}
	return used
}

// codesOf are the codes of a text, without what the face lacks.
func (u *canvasFont) codesOf(runes []rune) []uint16 {
	codes := make([]uint16, 0, len(runes))
	for _, r := range runes {
		if gid, ok := u.face.glyph(r); ok {
			codes = append(codes, u.runeCode(uint16(gid), r))
		}
	}
	return codes
}

// runeCode is the code of a character's glyph, or of its box: if it has none yet,
// the next.
func (u *canvasFont) runeCode(gid uint16, r rune) uint16 {
	key := uint32(gid)
	if u.face.isBoxes {
		key = uint32(r)
	}
	code, isKnown := u.codes[key]
	if !isKnown {
		code = u.add(gid, string(r))
		u.codes[key] = code
	}
	return code
}

// code is the code of a glyph that stands for a text.
func (u *canvasFont) code(gid uint16, text string) uint16 {
	key := textGlyph{gid, text}
	code, isKnown := u.shaped[key]
	if !isKnown {
		code = u.add(gid, text)
		u.shaped[key] = code
	}
	return code
}

// wholeCode is the code of a cluster that is drawn as one glyph.
func (u *canvasFont) wholeCode(c *Cluster) uint16 {
	em := float64(u.face.tables.em())
	whole := wholeGlyph{advance: int(math.Round(c.Advance * em))}
	for _, g := range c.glyphs {
		whole.parts = append(whole.parts, glyphPart{g.gid, int16(math.Round(g.x * em)), int16(math.Round(g.y * em))})
	}
	key := fmt.Sprint(c.whole, whole)
	code, isKnown := u.wholeCodes[key]
	if !isKnown {
		if u.wholes == nil {
			u.wholes, u.wholeCodes = map[uint16]wholeGlyph{}, map[string]uint16{}
		}
		code = u.add(whole.parts[0].gid, c.whole)
		u.wholes[code], u.wholeCodes[key] = whole, code
	}
	return code
}

// width is a code's advance as a PDF has it: in thousandths of an em, cut off.
func (u *canvasFont) width(code uint16) int {
	if whole, ok := u.wholes[code]; ok {
		return max(0, whole.advance) * 1000 / u.face.tables.em()
	}
	return u.face.tables.width(u.glyphs[code-1])
}

func (u *canvasFont) add(gid uint16, text string) (code uint16) {
	if len(u.glyphs) == maxCodes {
		return maxCodes
	}
	u.glyphs, u.texts = append(u.glyphs, gid), append(u.texts, text)
	return uint16(len(u.glyphs))
}

// widths says how wide codes are (ISO 32000-1, 9.7.4.3): as TextStretched counts.
func (u *canvasFont) widths() []byte {
	out := []byte("/W [1 [")
	for i := range u.glyphs {
		out = append(strconv.AppendInt(out, int64(u.width(uint16(i+1))), 10), ' ')
	}
	return append(out, "]]"...)
}

// store writes a font as a subset of its face (ISO 32000-1, 9.7 and 9.8).
func (u *canvasFont) store(file *objects) {
	name, outlines := u.face.Name, u.face.tables.subset(u.glyphs, u.wholes)
	font, described, outline, unicode := u.object+1, u.object+2, u.object+3, u.object+4
	file.set(u.object, dictionary("/Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R", name, font, unicode))
	file.set(font, dictionary("/Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>> /CIDToGIDMap /Identity /FontDescriptor %d 0 R %s",
		name, described, u.widths()))
	file.set(described, dictionary("/Type /FontDescriptor /FontName /%s %s /FontFile2 %d 0 R", name, u.face.tables.description(), outline))
	file.set(outline, stream(fmt.Sprintf("/Filter /FlateDecode /Length1 %d", len(outlines)), compressQuickly(outlines)))
	file.set(unicode, stream("/Filter /FlateDecode", compressQuickly(u.toUnicode())))
}

// toUnicode says which characters codes stand for (ISO 32000-1, 9.10.3).
func (u *canvasFont) toUnicode() []byte {
	out := []byte("/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n" +
		"/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000><FFFF>\nendcodespacerange\n")
	const most = 100 // in one list
	var codes []int
	for i, text := range u.texts {
		if text != "" { // else a mark, found with the letter that it stands on
			codes = append(codes, i+1)
		}
	}
	for list := range slices.Chunk(codes, most) {
		out = fmt.Appendf(out, "%d beginbfchar\n", len(list))
		for _, code := range list {
			out = fmt.Appendf(out, "<%04X><", code)
			for _, unit := range utf16.Encode([]rune(u.texts[code-1])) {
				out = fmt.Appendf(out, "%04X", unit)
			}
			out = append(out, ">\n"...)
		}
		out = append(out, "endbfchar\n"...)
	}
	return append(out, "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"...)
}
