package metafile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestWhatIsDamagedIsDrawnAsFarAsItGoes(t *testing.T) {
	t.Parallel()
	const first = "fill FF0000 even-odd m0,0 l9,0 l9,9 l0,9 h"
	emf := painter().Add(emfRectangle, 0, 0, 9, 9).Add(emfRectangle, 1, 1, 2, 2).Bytes(100, 100)
	wmf := redArea().Add(wmfRectangle, 9, 9, 0, 0).Add(wmfRectangle, 2, 2, 1, 1).Bytes(0, 0, 100, 100)
	for name, c := range map[string]struct {
		data []byte
		note string
	}{
		"an EMF that is cut off":     {emf[:len(emf)-30], noteDamaged},
		"a WMF that is cut off":      {wmf[:len(wmf)-10], noteDamaged},
		"a record that is too short": {painter().Add(emfRectangle, 0, 0, 9, 9).Add(emfPolygon, noBounds, 9, 1).Bytes(100, 100), noteDamaged},
		"a record that nobody knows": {painter().Add(emfRectangle, 0, 0, 9, 9).Add(200).Bytes(100, 100), noteRecord},
		"a bitmap that is none":      {painter().Add(emfRectangle, 0, 0, 9, 9).Add(emfStretchDIBits, noBounds, 0, 0, 0, 0, 1, 1, 80, 4, 84, 4, 0, rasterCopy, 1, 1, 99, 99).Bytes(100, 100), noteBitmap},
		"a mix with what is behind":  {transfer(painter().Add(emfRectangle, 0, 0, 9, 9), emfBitBlt, rasterDstInvert, nil, nil, 0, 0).Bytes(100, 100), noteRaster},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, notes := played(t, c.data)
			if len(notes) != 1 || notes[0] != c.note || len(r.lines) == 0 || r.lines[0] != first {
				t.Errorf("got %q and notes %q, want %q and %q", r.lines, notes, first, c.note)
			}
		})
	}
}

func TestFloodsEndWithANote(t *testing.T) {
	t.Parallel()
	repeat := func(n int, records []byte) []byte {
		e := new(rendertest.EMF)
		whole := e.Bytes(100, 100)
		end := whole[len(whole)-20:]
		return append(append(whole[:len(whole)-20:len(whole)-20], bytes.Repeat(records, n)...), end...)
	}
	large := rendertest.Fields(40, 30000, 30000, uint16(1), uint16(8), 1, 0, 0, 0, 0, 0)
	points := make([]int32, 2*100_000)
	for name, c := range map[string]struct {
		data []byte
		note string
	}{
		"of records":  {repeat(maxRecords+1, rendertest.EMFRecord(emfSetBkMode, 1)), noteLimit},
		"of points":   {repeat(21, rendertest.EMFRecord(emfPolyline, noBounds, len(points)/2, points)), noteLimit},
		"of contexts": {repeat(maxSaved+1, rendertest.EMFRecord(emfSaveDC)), noteLimit},
		"of clips":    {repeat(maxClips+1, rendertest.EMFRecord(emfIntersectClipRect, 0, 0, 9, 9)), noteLimit},
		"of pixels":   {stretched(large, []byte{0, 1}, 9, 9, rasterCopy).Bytes(100, 100), noteBitmap},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, notes := played(t, c.data)
			if len(notes) != 1 || notes[0] != c.note {
				t.Errorf("got notes %q, want %q", notes, c.note)
			}
		})
	}
	objects := new(rendertest.EMF)
	for i := range maxObjects + 1 {
		objects.Add(emfCreatePen, i, 0, 0, 0, 0)
	}
	if _, notes := played(t, objects.Bytes(100, 100)); len(notes) != 1 || notes[0] != noteLimit {
		t.Errorf("objects: got notes %q, want %q", notes, noteLimit)
	}
}

// Where places are as far apart as steps of numbers, counting on gets nowhere.
func TestHatchesAndTilesFarAwayEnd(t *testing.T) {
	t.Parallel()
	info, bits := rendertest.DIB(2, 2, [3]uint8{1, 2, 3}, [3]uint8{1, 2, 3}, [3]uint8{1, 2, 3}, [3]uint8{1, 2, 3})
	const head = 32
	for name, brush := range map[string]func() *rendertest.EMF{
		"a hatch": func() *rendertest.EMF { return new(rendertest.EMF).Add(emfCreateBrush, 1, 2, 0x0000FF, 4) },
		"a texture": func() *rendertest.EMF {
			return new(rendertest.EMF).Add(emfCreateDIBBrush, 1, 0, head, len(info), head+len(info), len(bits), info, bits)
		},
	} {
		chosen := func() *rendertest.EMF {
			return brush().Add(emfSelectObject, 1).Add(emfSelectObject, uint32(0x80000008))
		}
		for _, at := range []int{1_000_000_000, -1_000_000_000} {
			far := chosen().Add(emfSetWorldTransform, [6]float32{1e11, 0, 0, 1e11, 0, 0}).Add(emfRectangle, at, at, at+1, at+1)
			if r, notes := played(t, far.Bytes(100, 100)); len(notes) != 0 || len(r.lines) > 1 {
				t.Errorf("%s at %v: got %q and %q, want nothing inside", name, at, r.lines, notes)
			}
		}
		r, _ := played(t, chosen().Add(emfRectangle, -1_000_000_000, -1_000_000_000, 1_000_000_000, 1_000_000_000).Bytes(100, 100))
		if len(r.lines) < 4 {
			t.Errorf("%s over all: got %q, want it inside of the box", name, r.lines)
		}
	}
}

// The calls of EMF are drawn, beside EMF+ or without it.
func TestEMFPlusAloneIsSaid(t *testing.T) {
	t.Parallel()
	const edge = "stroke 000000 0.25 m0,0 l9,0 l9,9 l0,9 h"
	for name, c := range map[string]struct {
		picture *rendertest.EMF
		notes   []string
	}{
		"EMF+ alone":              {new(rendertest.EMF).Plus(0), []string{notePlus}},
		"EMF+ and EMF":            {new(rendertest.EMF).Plus(1), nil},
		"a comment of another":    {new(rendertest.EMF).Add(emfComment, 4, []byte("GDIC")), nil},
		"a comment that is empty": {new(rendertest.EMF).Add(emfComment), nil},
	} {
		r, notes := played(t, c.picture.Add(emfRectangle, 0, 0, 9, 9).Bytes(100, 100))
		if !slices.Equal(notes, c.notes) || !slices.Contains(r.lines, edge) {
			t.Errorf("%s: got notes %q and %q, want %q and %q", name, notes, r.lines, c.notes, edge)
		}
	}
}

func TestADocumentWithoutRoomStopsAPicture(t *testing.T) {
	t.Parallel()
	r := &recorder{work: 4}
	notes, err := Play(painter().Add(emfRectangle, 0, 0, 9, 9).Add(emfRectangle, 0, 0, 9, 9).Bytes(100, 100), dml.Rect{W: 100, H: 100}, r)
	if err != nil || len(notes) != 1 || notes[0] != noteLimit || len(r.lines) != 3 {
		t.Errorf("got %q, %v and %q, want no rectangle, and %q", notes, err, r.lines, noteLimit)
	}
}

func TestPackedPicturesAreUnpackedWithinLimits(t *testing.T) {
	t.Parallel()
	pack := func(data []byte) []byte {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		_, _ = z.Write(data) // a bytes.Buffer takes everything
		_ = z.Close()
		return out.Bytes()
	}
	picture := painter().Add(emfRectangle, 0, 0, 9, 9).Bytes(100, 100)
	packed := pack(picture)
	wantDrawn(t, packed, "fill FF0000 even-odd m0,0 l9,0 l9,9 l0,9 h")
	if r, notes := played(t, packed[:len(packed)-8]); len(r.lines) == 0 || len(notes) != 0 {
		t.Errorf("without its checksum: got %q and %q", r.lines, notes)
	}
	if _, err := Play(pack([]byte(strings.Repeat("text", 100))), dml.Rect{W: 1, H: 1}, &recorder{}); !errors.Is(err, ErrFormat) {
		t.Errorf("got %v, want ErrFormat", err)
	}
}

// A picture of 10,000 records: lines, areas and words in turn.
func BenchmarkPlay(b *testing.B) {
	const records = 10_000
	e := letters(-10, 0, 0)
	for i := range records / 4 {
		e.Add(emfPolygon16, noBounds, 4, [8]int16{0, 0, 9, 0, 9, 9, 0, 9}).Add(emfMoveTo, i%100, 0).Add(emfLineTo, 9, 9)
		write(e, "word", 0)
	}
	data := e.Bytes(100, 100)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if notes, err := Play(data, dml.Rect{W: 100, H: 100}, silent{}); err != nil || len(notes) > 0 {
			b.Fatal(fmt.Sprint(err, notes))
		}
	}
}

// silent takes everything.
type silent struct{}

func (silent) Save()                           {}
func (silent) Restore()                        {}
func (silent) Clip(*Path, bool)                {}
func (silent) Fill(*Path, bool, Color)         {}
func (silent) Stroke(*Path, Stroke)            {}
func (silent) Picture([]byte, Matrix) error    { return nil }
func (silent) Text(Text)                       {}
func (silent) Metrics(Font) (float64, float64) { return 0.8, 0.2 }
func (silent) Advance(Font, rune) float64      { return 0.5 }
func (silent) Spend(int) bool                  { return true }
