package metafile

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

// stretched is a picture that draws a bitmap over 50 × 50 pixels of itself.
func stretched(info, bits []byte, w, h, rop int) *rendertest.EMF {
	const head = 80
	return new(rendertest.EMF).Add(emfStretchDIBits, noBounds, 10, 20, 0, 0, w, h, head, len(info), head+len(info), len(bits), 0, rop, 50, 50, info, bits)
}

func dibHeaderOf(w, h int, bits, compression int, more ...any) []byte {
	return rendertest.Fields(append([]any{40, w, h, uint16(1), uint16(bits), compression, 0, 0, 0, 0, 0}, more...)...)
}

// redGreen is a palette: blue, green, red and nothing of each.
var redGreen = []uint8{0, 0, 255, 0, 0, 255, 0, 0}

func TestBitmapsAreUnpacked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		info, bits []byte
		w, h       int
		want       []string
	}{
		"24 bits, from below": {dibHeaderOf(2, 2, 24, 0), []byte{1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0}, 2, 2, []string{"090807", "0C0B0A", "030201", "060504"}},
		"24 bits, from above": {dibHeaderOf(2, -2, 24, 0), []byte{1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0}, 2, 2, []string{"030201", "060504", "090807", "0C0B0A"}},
		"1 bit":               {dibHeaderOf(3, 1, 1, 0, redGreen), []byte{0b01000000, 0, 0, 0}, 3, 1, []string{"FF0000", "00FF00", "FF0000"}},
		"4 bits":              {dibHeaderOf(3, 1, 4, 0, redGreen), []byte{0x01, 0x10, 0, 0}, 3, 1, []string{"FF0000", "00FF00", "00FF00"}},
		"8 bits":              {dibHeaderOf(2, 1, 8, 0, redGreen), []byte{1, 0, 0, 0}, 2, 1, []string{"00FF00", "FF0000"}},
		"16 bits":             {dibHeaderOf(2, 1, 16, 0), []byte{0x00, 0x7C, 0x1F, 0x00}, 2, 1, []string{"FF0000", "0000FF"}},
		"16 bits with masks":  {dibHeaderOf(2, 1, 16, 3, 0xF800, 0x7E0, 0x1F), []byte{0x00, 0xF8, 0xE0, 0x07}, 2, 1, []string{"FF0000", "00FF00"}},
		"32 bits":             {dibHeaderOf(1, 1, 32, 0), []byte{1, 2, 3, 0}, 1, 1, []string{"030201"}},
		"8 bits in runs":      {dibHeaderOf(3, 2, 8, 1, redGreen), []byte{2, 1, 1, 0, 0, 0, 0, 3, 1, 0, 1, 0, 0, 1}, 3, 2, []string{"00FF00", "FF0000", "00FF00", "00FF00", "00FF00", "FF0000"}},
		"4 bits in runs":      {dibHeaderOf(3, 1, 4, 2, redGreen), []byte{3, 0x10, 0, 1}, 3, 1, []string{"00FF00", "FF0000", "00FF00"}},
		"in runs with a leap": {dibHeaderOf(2, 2, 8, 1, redGreen), []byte{0, 2, 1, 1, 1, 1, 0, 1}, 2, 2, []string{"000000/0", "00FF00", "000000/0", "000000/0"}},
		"of an old header":    {rendertest.Fields(12, uint16(1), uint16(1), uint16(1), uint16(1), []uint8{0, 0, 255, 0, 255, 0}), []byte{0x80, 0, 0, 0}, 1, 1, []string{"00FF00"}},
		"cut off":             {dibHeaderOf(1, 2, 24, 0), []byte{1, 2, 3, 0}, 1, 2, []string{"000000/0", "030201"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := wantDrawn(t, stretched(c.info, c.bits, c.w, c.h, rasterCopy).Bytes(100, 100), "picture 50 0 0 50 10 20")
			if got := pixels(t, r.pictures[0]); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAPartOfABitmapIsDrawn(t *testing.T) {
	t.Parallel()
	info, bits := rendertest.DIB(2, 2, [3]uint8{1}, [3]uint8{2}, [3]uint8{3}, [3]uint8{4})
	const head = 80
	draw := func(from [4]int32, size ...int) []byte {
		return new(rendertest.EMF).Add(emfStretchDIBits, noBounds, 10, 20, from, head, len(info), head+len(info), len(bits), 0, rasterCopy, size[0], size[1], info, bits).Bytes(100, 100)
	}
	for name, c := range map[string]struct {
		picture []byte
		place   string
		want    []string
	}{
		"its lower left corner": {draw([4]int32{0, 0, 1, 1}, 50, 50), "picture 50 0 0 50 10 20", []string{"000001"}},
		"its upper half":        {draw([4]int32{0, 1, 2, 1}, 50, 50), "picture 50 0 0 50 10 20", []string{"000003", "000004"}},
		"mirrored":              {draw([4]int32{0, 0, 2, 2}, -50, 50), "picture -50 0 0 50 10 20", []string{"000003", "000004", "000001", "000002"}},
		"mirrored by its part":  {draw([4]int32{2, 0, -2, 2}, 50, 50), "picture -50 0 0 50 60 20", []string{"000003", "000004", "000001", "000002"}},
		"with room beside it":   {draw([4]int32{0, 0, 4, 2}, 40, 50), "picture 20 0 0 50 10 20", []string{"000003", "000004", "000001", "000002"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := wantDrawn(t, c.picture, c.place)
			if got := pixels(t, r.pictures[0]); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// transfer is a record that copies a bitmap from 0, 0 to 10, 20.
func transfer(e *rendertest.EMF, kind uint32, rop int, info, bits []byte, w, h int) *rendertest.EMF {
	head := 100
	if kind != emfBitBlt {
		head = 108
	}
	fields := []any{noBounds, 10, 20, 50, 50, rop, 0, 0, [6]float32{1, 0, 0, 1, 0, 0}, 0, 0, head, len(info), head + len(info), len(bits)}
	if kind != emfBitBlt {
		fields = append(fields, w, h)
	}
	return e.Add(kind, append(fields, info, bits)...)
}

func TestBitmapsAreCombinedWithMasks(t *testing.T) {
	t.Parallel()
	mask, maskBits := dibHeaderOf(2, 1, 1, 0, []uint8{0, 0, 0, 0, 255, 255, 255, 0}), []byte{0x40, 0, 0, 0} // black, white
	info, bits := rendertest.DIB(2, 1, [3]uint8{1, 2, 3}, [3]uint8{0, 0, 0})
	empty := func() *rendertest.EMF { return new(rendertest.EMF) }
	alphaInfo, alphaBits := dibHeaderOf(1, 1, 32, 0), []byte{10, 20, 30, 60}
	for name, c := range map[string]struct {
		emf  *rendertest.EMF
		want []string // nil for no picture
	}{
		"a mask and a picture":     {transfer(transfer(empty(), emfStretchBlt, rasterAnd, mask, maskBits, 2, 1), emfStretchBlt, rasterPaint, info, bits, 2, 1), []string{"030201", "000000/0"}},
		"a mask alone":             {transfer(empty(), emfStretchBlt, rasterAnd, mask, maskBits, 2, 1), []string{"000000", "000000/0"}},
		"a picture that adds":      {transfer(empty(), emfStretchBlt, rasterPaint, info, bits, 2, 1), []string{"030201", "000000/0"}},
		"turned into its opposite": {transfer(empty(), emfStretchBlt, rasterNotCopy, info, bits, 2, 1), []string{"FCFDFE", "FFFFFF"}},
		"without a colour":         {transfer(empty(), emfTransparentBlt, 0x010203, info, bits, 2, 1), []string{"030201/0", "000000"}},
		"half seen through":        {transfer(empty(), emfAlphaBlend, 0x00800000, info, bits, 2, 1), []string{"030201/0.5", "000000/0.5"}},
		"seen through by itself":   {transfer(empty(), emfAlphaBlend, 0x01FF0000, alphaInfo, alphaBits, 1, 1), []string{"7F552A/0.24"}},
		"not at all":               {transfer(empty(), emfStretchBlt, rasterNothing, info, bits, 2, 1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, notes := played(t, c.emf.Bytes(100, 100))
			if len(notes) != 0 || len(r.pictures) != min(1, len(c.want)) {
				t.Fatalf("got %q and notes %q", r.lines, notes)
			}
			if c.want == nil {
				return
			}
			if got := pixels(t, r.pictures[0]); !slices.EqualFunc(got, c.want, looksLike) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// looksLike compares colours. One that nobody sees may be any.
func looksLike(got, want string) bool {
	return got == want || strings.HasSuffix(got, "/0") && strings.HasSuffix(want, "/0")
}

func TestPlacesAreFilledWithoutABitmap(t *testing.T) {
	t.Parallel()
	const place = "m10,20 l60,20 l60,70 l10,70 h"
	for rop, want := range map[int][]string{rasterBlack: {"fill 000000 " + place}, rasterWhite: {"fill FFFFFF " + place}, rasterPattern: {"fill FF0000 " + place}, rasterNothing: nil} {
		wantDrawn(t, transfer(painter(), emfBitBlt, rop, nil, nil, 0, 0).Bytes(100, 100), want...)
	}
}

func TestFilesInRecordsAreDrawnAsTheyAre(t *testing.T) {
	t.Parallel()
	file := pngOf(t, 4, 2)
	r := wantDrawn(t, stretched(dibHeaderOf(4, 2, 0, dibPNG), file, 4, 2, rasterCopy).Bytes(100, 100), "picture 50 0 0 50 10 20")
	if string(r.pictures[0][:len(file)]) != string(file) {
		t.Error("got another file than the record has")
	}
}

func TestABitmapInAParallelogram(t *testing.T) {
	t.Parallel()
	info, bits := rendertest.DIB(1, 1, [3]uint8{1, 2, 3})
	const head = 140
	e := new(rendertest.EMF).Add(emfPlgBlt, noBounds, [6]int32{10, 10, 30, 20, 10, 40}, 0, 0, 1, 1, [6]float32{1, 0, 0, 1, 0, 0}, 0, 0, head, len(info), head+len(info), len(bits), make([]byte, 28), info, bits)
	wantDrawn(t, e.Bytes(100, 100), "picture 20 10 0 30 10 10")
}

func TestBrushesThatAreNotPlain(t *testing.T) {
	t.Parallel()
	info, bits := rendertest.DIB(2, 2, [3]uint8{1}, [3]uint8{2}, [3]uint8{3}, [3]uint8{4})
	const head = 32
	pattern := new(rendertest.EMF).Add(emfCreateDIBBrush, 1, 0, head, len(info), head+len(info), len(bits), info, bits).Add(emfSelectObject, 1).Add(emfSelectObject, uint32(0x80000008))
	wantDrawn(t, pattern.Add(emfRectangle, 0, 0, 4, 2).Bytes(100, 100),
		"save", "clip even-odd m0,0 l4,0 l4,2 l0,2 h", "picture 2 0 0 2 0 0", "picture 2 0 0 2 2 0", "restore")
	hatched := new(rendertest.EMF).Add(emfCreateBrush, 1, 2, red, 4).Add(emfSelectObject, 1).Add(emfSelectObject, uint32(0x80000008))
	wantDrawn(t, hatched.Add(emfRectangle, 1, 1, 17, 9).Bytes(100, 100),
		"fill FFFFFF even-odd m1,1 l17,1 l17,9 l1,9 h", "save", "clip even-odd m1,1 l17,1 l17,9 l1,9 h",
		"stroke FF0000 1 ends 0 corners 0 m1,8 l17,8 m8,1 l8,9 m16,1 l16,9", "restore")
}

func TestGradientsOfEMFAreDrawn(t *testing.T) {
	t.Parallel()
	vertex := func(x, y int, r uint16) []any { return []any{x, y, r, uint16(0), uint16(0), uint16(0)} }
	fields := append([]any{noBounds, 2, 1, 0}, append(vertex(0, 0, 0), vertex(100, 10, 0xFF00)...)...)
	r, notes := played(t, new(rendertest.EMF).Add(emfGradientFill, append(fields, 0, 1)...).Bytes(100, 100))
	if len(notes) != 0 || len(r.lines) != 64+3 || r.lines[2][:11] != "fill 020000" || r.lines[65][:11] != "fill FD0000" {
		t.Errorf("got %q and %q, want 64 strips from black to red", r.lines, notes)
	}
}
