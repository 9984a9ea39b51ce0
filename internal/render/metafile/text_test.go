package metafile

import (
	"testing"
	"unicode/utf16"

	"github.com/platenhq/platen/internal/render/rendertest"
)

// letters is a picture that writes in a font of a height, through which nothing
// shines.
func letters(height, width, escapement int, style ...uint8) *rendertest.EMF {
	style = append(style, make([]uint8, 8-len(style))...) // italic, underlined, struck through, character set
	return new(rendertest.EMF).Add(emfCreateFont, 1, height, width, escapement, 0, 400, style, "Arial", make([]byte, 54)).Add(emfSelectObject, 1).Add(emfSetBkMode, 1).Add(emfSetTextAlign, alignBaseline)
}

// write writes a text at 10, 20; its letters are as wide as told.
func write(e *rendertest.EMF, text string, options int, dx ...int32) *rendertest.EMF {
	const head = 76
	n := len(utf16.Encode([]rune(text)))
	offset := 0
	if len(dx) > 0 {
		offset = head + 2*n + 2*n%4
	}
	if 2*n%4 != 0 {
		return e.Add(emfExtTextOutW, noBounds, 1, float32(1), float32(1), 10, 20, n, head, options, [4]int32{1, 2, 3, 4}, offset, text, uint16(0), dx)
	}
	return e.Add(emfExtTextOutW, noBounds, 1, float32(1), float32(1), 10, 20, n, head, options, [4]int32{1, 2, 3, 4}, offset, text, dx)
}

func TestTextOfEMFIsDrawn(t *testing.T) {
	t.Parallel()
	const plain = ` "ab" 0,5 at 1 0 0 1 10 20 in Arial`
	for name, c := range map[string]struct {
		emf  *rendertest.EMF
		want []string
	}{
		"by the height of letters": {write(letters(-10, 0, 0), "ab", 0), []string{"text 000000 10" + plain}},
		"by the height of lines":   {write(letters(10, 0, 0), "ab", 0), []string{"text 000000 10" + plain}},
		"at places":                {write(letters(-10, 0, 0), "abc", 0, 7, 8, 9), []string{`text 000000 10 "abc" 0,7,15 at 1 0 0 1 10 20 in Arial`}},
		"in pairs":                 {write(letters(-10, 0, 0), "ab", textPairs, 7, 1, 8, 2), []string{`text 000000 10 "ab" 0,7 at 1 0 0 1 10 20 in Arial`}},
		"wider":                    {write(letters(-10, 10, 0), "ab", 0), []string{`text 000000 10 "ab" 0,10 at 1 0 0 1 10 20 in Arial stretch 2`}},
		"upwards":                  {write(letters(-10, 0, 900), "ab", 0), []string{`text 000000 10 "ab" 0,5 at 0 -1 1 0 10 20 in Arial`}},
		"in a turned world":        {write(letters(-10, 0, 0).Add(emfSetWorldTransform, [6]float32{0, 1, -1, 0, 50, 0}), "ab", 0), []string{`text 000000 10 "ab" 0,5 at 0 1 -1 0 30 10 in Arial`}},
		"where y grows upwards":    {write(letters(-10, 0, 0).Add(emfSetMapMode, 8).Add(emfSetWindowExt, 1, -1).Add(emfSetViewportOrg, 0, 50), "ab", 0), []string{`text 000000 10 "ab" 0,5 at 1 0 0 1 10 30 in Arial`}},
		"below its place":          {write(letters(-10, 0, 0).Add(emfSetTextAlign, 0), "ab", 0), []string{`text 000000 10 "ab" 0,5 at 1 0 0 1 10 28 in Arial`}},
		"above its place":          {write(letters(-10, 0, 0).Add(emfSetTextAlign, alignBottom), "ab", 0), []string{`text 000000 10 "ab" 0,5 at 1 0 0 1 10 18 in Arial`}},
		"left of its place":        {write(letters(-10, 0, 0).Add(emfSetTextAlign, alignBaseline|alignRight), "ab", 0), []string{`text 000000 10 "ab" 0,5 at 1 0 0 1 0 20 in Arial`}},
		"around its place":         {write(letters(-10, 0, 0).Add(emfSetTextAlign, alignBaseline|alignCenter), "ab", 0), []string{`text 000000 10 "ab" 0,5 at 1 0 0 1 5 20 in Arial`}},
		"behind each other": {write(write(letters(-10, 0, 0).Add(emfSetTextAlign, alignBaseline|alignUpdate).Add(emfMoveTo, 1, 2), "ab", 0), "ab", 0),
			[]string{`text 000000 10 "ab" 0,5 at 1 0 0 1 1 2 in Arial`, `text 000000 10 "ab" 0,5 at 1 0 0 1 11 2 in Arial`}},
		"in colour":           {write(letters(-10, 0, 0).Add(emfSetTextColor, blue), "ab", 0), []string{"text 0000FF 10" + plain}},
		"on a ground":         {write(letters(-10, 0, 0).Add(emfSetBkMode, 2).Add(emfSetBkColor, green), "ab", 0), []string{"fill 00FF00 m10,12 l20,12 l20,22 l10,22 h", "text 000000 10" + plain}},
		"on a rectangle":      {write(letters(-10, 0, 0).Add(emfSetBkColor, green), "ab", textOpaque), []string{"fill 00FF00 m1,2 l3,2 l3,4 l1,4 h", "text 000000 10" + plain}},
		"only a rectangle":    {write(letters(-10, 0, 0).Add(emfSetBkColor, green), "", textOpaque), []string{"fill 00FF00 m1,2 l3,2 l3,4 l1,4 h"}},
		"cut to a rectangle":  {write(letters(-10, 0, 0), "ab", textClipped), []string{"save", "clip m1,2 l3,2 l3,4 l1,4 h", "text 000000 10" + plain, "restore"}},
		"slanted, with lines": {write(letters(-10, 0, 0, 1, 1, 1), "ab", 0), []string{"text 000000 10" + plain + " italic", "fill 000000 m10,21 l20,21 l20,21.6 l10,21.6 h", "fill 000000 m10,17.2 l20,17.2 l20,17.8 l10,17.8 h"}},
		"numbers of glyphs":   {write(letters(-10, 0, 0), "\x24\x25", textGlyphs), []string{`text 000000 10 "AB" 0,5 at 1 0 0 1 10 20 in Arial`}},
		"two units for one":   {write(letters(-10, 0, 0), "😀", 0), []string{`text 000000 10 "😀" 0 at 1 0 0 1 10 20 in Arial`}},
		"in bytes of Russian": {letters(-10, 0, 0, 0, 0, 0, 204).Add(emfExtTextOutA, noBounds, 1, float32(1), float32(1), 10, 20, 2, 76, 0, noBounds, 0, []byte{0xC4, 0xE0}),
			[]string{`text 000000 10 "Да" 0,5 at 1 0 0 1 10 20 in Arial`}},
		"in bytes of Japanese": {letters(-10, 0, 0, 0, 0, 0, 128).Add(emfExtTextOutA, noBounds, 1, float32(1), float32(1), 10, 20, 3, 76, 0, noBounds, 80, []byte{0x93, 0xFA, 'a', 0}, 4, 4, 5),
			[]string{`text 000000 10 "日a" 0,8 at 1 0 0 1 10 20 in Arial`}},
		"several":  {letters(-10, 0, 0).Add(emfPolyTextOutW, noBounds, 1, float32(1), float32(1), 1, 10, 20, 2, 80, 0, noBounds, 0, "ab"), []string{"text 000000 10" + plain}},
		"in short": {letters(-10, 0, 0).Add(emfSmallTextOut, 10, 20, 2, textNoRect|textSmall, 1, float32(1), float32(1), []byte("ab")), []string{"text 000000 10" + plain}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantDrawn(t, c.emf.Bytes(100, 100), c.want...)
		})
	}
}

func TestGlyphsThatNobodyKnowsAreTold(t *testing.T) {
	t.Parallel()
	_, notes := played(t, write(letters(-10, 0, 0), "\u0400\u0401", textGlyphs).Bytes(100, 100))
	if len(notes) != 1 || notes[0] != noteGlyphs {
		t.Errorf("got %q, want %q", notes, noteGlyphs)
	}
}

func TestTextIsStretchedWithThePicture(t *testing.T) {
	t.Parallel()
	wantDrawn(t, write(letters(-10, 0, 0), "ab", 0).Bytes(50, 100), `text 000000 10 "ab" 0,10 at 1 0 0 1 20 20 in Arial stretch 2`)
}
