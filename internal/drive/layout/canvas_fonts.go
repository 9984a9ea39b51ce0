package layout

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unicode/utf16"
)

// canvasFont is a face as one document uses it.
type canvasFont struct {
	face *Face
	name string // by which pages name it
	// runes has a character for each glyph that is used.
	runes map[uint16]rune
}

// fontProgram is the part of a font that is embedded (FontFile2).
type fontProgram struct {
	data   []byte // compressed
	length int    // uncompressed
}

func (p fontProgram) size() int { return len(p.data) }

// font returns the document's use of a face.
func (c *Canvas) font(f *Face) *canvasFont {
	used, ok := c.byFace[f]
	if !ok {
		used = &canvasFont{face: f, name: fmt.Sprintf("/F%d", len(c.fonts)+1), runes: map[uint16]rune{}}
		c.byFace[f], c.fonts = used, append(c.fonts, used)
	}
	return used
}

func (u *canvasFont) use(gid uint16, r rune) {
	if _, known := u.runes[gid]; !known {
		u.runes[gid] = r
	}
}

// glyphs are those that are used, in their order.
func (u *canvasFont) glyphs() []uint16 {
	gids := make([]uint16, 0, len(u.runes))
	for gid := range u.runes {
		gids = append(gids, gid)
	}
	slices.Sort(gids)
	return gids
}

// embedded are the glyphs that are embedded. Of Basic Latin and of the letters
// of Latin-1 it is all when it is one: what is embedded depends on a document's
// values as little as can be, so that the next document finds it made.
func (u *canvasFont) embedded() []uint16 {
	gids := u.glyphs()
	for _, block := range u.face.blocks {
		if slices.ContainsFunc(block, func(gid uint16) bool { _, used := u.runes[gid]; return used }) {
			gids = append(gids, block...)
		}
	}
	slices.Sort(gids)
	return slices.Compact(gids)
}

func (u *canvasFont) program() fontProgram {
	raw := u.face.tables.subset(u.embedded())
	return fontProgram{data: deflated(raw), length: len(raw)}
}

// blocksOf returns the glyphs that are embedded together.
func blocksOf(f *Face) [][]uint16 {
	var blocks [][]uint16
	for _, block := range [][2]rune{{' ', '~'}, {'\u00C0', '\u00FF'}} {
		var gids []uint16
		for r := block[0]; r <= block[1]; r++ {
			if gid, ok := f.glyph(r); ok && gid <= math.MaxUint16 {
				gids = append(gids, uint16(gid))
			}
		}
		blocks = append(blocks, gids)
	}
	return blocks
}

// writeFont writes a composite font (ISO 32000-1, 9.7) whose characters are the
// glyphs' own numbers.
func (w *pdfWriter) writeFont(at int, u *canvasFont) {
	descendant, descriptor, unicode, file := at+1, at+2, at+3, at+4
	f := u.face
	w.object(at, "/Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R", f.Name, descendant, unicode)
	widths := []byte{}
	for _, gid := range u.glyphs() {
		widths = fmt.Appendf(widths, "%d[%d]", gid, int(f.advances[gid]*1000))
	}
	w.object(descendant, "/Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>> /CIDToGIDMap /Identity /FontDescriptor %d 0 R /W [%s]",
		f.Name, descriptor, widths)
	w.object(descriptor, "/Type /FontDescriptor /FontName /%s %s /StemV 0 /FontFile2 %d 0 R", f.Name, f.tables.descriptor(), file)
	w.stream(unicode, "/Filter /FlateDecode", deflatedQuickly(u.toUnicode()))
	gids := u.embedded()
	key := make([]byte, 0, len(f.Name)+2*len(gids))
	key = append(key, f.Name...)
	for _, gid := range gids {
		key = binary.BigEndian.AppendUint16(key, gid)
	}
	program := shared().fonts.get(string(key), u)
	w.stream(file, fmt.Sprintf("/Filter /FlateDecode /Length1 %d", program.length), program.data)
}

// fontObjects is how many objects writeFont writes.
const fontObjects = 5

// toUnicode says which characters the glyphs stand for (ISO 32000-1, 9.10.3).
func (u *canvasFont) toUnicode() []byte {
	out := []byte("/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n" +
		"/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000><FFFF>\nendcodespacerange\n")
	const most = 100 // in one list
	for list := range slices.Chunk(u.glyphs(), most) {
		out = fmt.Appendf(out, "%d beginbfchar\n", len(list))
		for _, gid := range list {
			out = fmt.Appendf(out, "<%04X><", gid)
			for _, unit := range utf16.Encode([]rune{u.runes[gid]}) {
				out = fmt.Appendf(out, "%04X", unit)
			}
			out = append(out, ">\n"...)
		}
		out = append(out, "endbfchar\n"...)
	}
	return append(out, "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"...)
}
