package pdf

import (
	"fmt"
	"slices"
	"unicode/utf16"

	"github.com/go-text/typesetting/font"
	"github.com/signintech/gopdf"
)

// canvasFont is a face as one document uses it.
type canvasFont struct {
	face *Face
	// object is the number of the first of gopdf's objects for it.
	object int
	// runes has a character for each glyph that is used.
	runes map[uint16]rune
	// boxes has the glyphs of what is drawn as boxes.
	boxes map[rune]font.GID
}

// use returns the document's use of a face; nil is a fault that Bytes tells of.
func (c *Canvas) use(f *Face) *canvasFont {
	used, ok := c.byName[f.Name]
	if ok {
		return used
	}
	container, err := f.container()
	if err == nil {
		used = &canvasFont{face: f, object: c.pdf.GetNextObjectID(), runes: map[uint16]rune{}, boxes: map[rune]font.GID{}}
		err = c.pdf.AddTTFFontFromFontContainer(f.Name, container)
	}
	if err != nil {
		c.fail(fmt.Errorf("font %s: %w", f.Name, err))
		return nil
	}
	c.byName[f.Name], c.fonts = used, append(c.fonts, used)
	return used
}

// firstGlyph is the character that stands for glyph 0 towards gopdf, which
// wants characters: a font that it is given has a plane of Unicode for its
// glyphs, in their order.
const firstGlyph = 0x10000

// glyphString is a text as gopdf takes it.
func (u *canvasFont) glyphString(runes []rune) string {
	var shown []rune
	for _, r := range runes {
		gid, ok := u.glyph(r)
		if !ok {
			continue
		}
		shown = append(shown, firstGlyph+rune(gid))
		if _, isKnown := u.runes[uint16(gid)]; !isKnown {
			u.runes[uint16(gid)] = r
		}
	}
	return string(shown)
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

// newContainer makes what gopdf shares between documents of a face.
func (f *Face) newContainer() (*gopdf.FontContainer, error) {
	container := &gopdf.FontContainer{}
	return container, container.AddTTFFontData(f.Name, f.tables.forPDF(f.Name))
}

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
