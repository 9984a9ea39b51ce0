package shape

import (
	"errors"
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// leftRed is a metafile of 100 × 100 pixels: its left half is red, its right
// half blue, and a word stands in it.
func leftRed() []byte {
	brush := func(e *rendertest.EMF, handle, color int) *rendertest.EMF {
		return e.Add(39, handle, 0, color, 0).Add(37, handle)
	}
	e := new(rendertest.EMF).Add(37, uint32(0x80000008))
	brush(e, 1, 0x0000FF).Add(43, 0, 0, 50, 100)
	brush(e, 2, 0xFF0000).Add(43, 50, 0, 100, 100)
	e.Add(18, 1).Add(84, 0, 0, -1, -1, 1, float32(1), float32(1), 10, 60, 4, 76, 0, 0, 0, -1, -1, 0, "Word")
	return e.Bytes(100, 100)
}

func drawnImage(t *testing.T, data []byte, box dml.Rect, opts pdf.ImageOptions) ([]rendertest.Mark, []render.Finding) {
	t.Helper()
	c, findings := pdf.NewCanvas("", ""), &render.Findings{}
	c.AddPage(200, 200)
	p := &Painter{Canvas: c, Fonts: pdf.EmbeddedFonts(), Findings: findings, Unit: "slide", Number: 3}
	if err := p.Image(data, box, opts); err != nil {
		t.Fatal(err)
	}
	file, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return rendertest.Drawn(t, file)[0], findings.All()
}

func TestAMetafileIsDrawnAsAreasAndText(t *testing.T) {
	t.Parallel()
	red, blue := dml.RGB{R: 255}, dml.RGB{B: 255}
	for name, c := range map[string]struct {
		opts      pdf.ImageOptions
		red, blue dml.Rect
	}{
		"whole":           {pdf.ImageOptions{}, dml.Rect{X: 20, Y: 40, W: 50, H: 100}, dml.Rect{X: 70, Y: 40, W: 50, H: 100}},
		"mirrored":        {pdf.ImageOptions{FlipH: true}, dml.Rect{X: 70, Y: 40, W: 50, H: 100}, dml.Rect{X: 20, Y: 40, W: 50, H: 100}},
		"cut at its left": {pdf.ImageOptions{Left: 0.5}, dml.Rect{X: -80, Y: 40, W: 100, H: 100}, dml.Rect{X: 20, Y: 40, W: 100, H: 100}},
		"cut below":       {pdf.ImageOptions{Bottom: 0.5}, dml.Rect{X: 20, Y: 40, W: 50, H: 200}, dml.Rect{X: 70, Y: 40, W: 50, H: 200}},
	} {
		marks, findings := drawnImage(t, leftRed(), dml.Rect{X: 20, Y: 40, W: 100, H: 100}, c.opts)
		if len(findings) != 0 {
			t.Errorf("%s: got findings %v, want none", name, findings)
		}
		rendertest.WantRects(t, name+": red", rendertest.Areas(marks, red), c.red)
		rendertest.WantRects(t, name+": blue", rendertest.Areas(marks, blue), c.blue)
		if got := rendertest.Texts(marks); !slices.Equal(got, []string{"Word"}) {
			t.Errorf("%s: got texts %q, want Word", name, got)
		}
		if clip := marks[0]; clip.Kind != rendertest.MarkClip || clip.Box() != (dml.Rect{X: 20, Y: 40, W: 100, H: 100}) {
			t.Errorf("%s: got %v first, want a clip to the box", name, clip)
		}
	}
}

// A bitmap of 1,200 × 1,200 pixels costs a fiftieth of what a PDF may hold: it is
// unpacked once for a hundred pages.
func TestAMetafileOfAHeaderIsPlayedOnce(t *testing.T) {
	t.Parallel()
	const side, pages, head = 1200, 100, 80
	info, bits := rendertest.DIB(side, side, make([][3]uint8, side*side)...)
	data := new(rendertest.EMF).Add(81, 0, 0, -1, -1, 0, 0, 0, 0, side, side, head, len(info), head+len(info), len(bits), 0, 0xCC0020, 100, 100, info, bits).Bytes(100, 100)
	c, findings := pdf.NewCanvas("", ""), &render.Findings{}
	p := &Painter{Canvas: c, Fonts: pdf.EmbeddedFonts(), Metafiles: Metafiles{}, Findings: findings, Unit: "page"}
	for range pages {
		c.AddPage(200, 200)
		if err := p.Image(data, dml.Rect{X: 10, Y: 20, W: 100, H: 100}, pdf.ImageOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	file, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	all := rendertest.Drawn(t, file)
	if got := findings.All(); len(got) != 0 || c.Full() {
		t.Errorf("got %v, full: %v; want room for all", got, c.Full())
	}
	for i, marks := range all {
		if last := marks[len(marks)-1]; last.Kind != rendertest.MarkPicture || last.X[0] != 10 || last.Y[1] != 20 {
			t.Fatalf("page %d: got %+v, want a picture at 10, 20", i+1, last)
		}
	}
	if recordings := len(p.Metafiles); recordings != 1 {
		t.Errorf("got %d recordings, want 1", recordings)
	}
}

func TestAMetafileCanBeSeenThrough(t *testing.T) {
	t.Parallel()
	marks, _ := drawnImage(t, leftRed(), dml.Rect{W: 100, H: 100}, pdf.ImageOptions{Transparency: 0.25})
	for _, m := range marks {
		if m.Kind == rendertest.MarkArea && m.Alpha != 0.75 {
			t.Errorf("got an opacity of %v, want 0.75", m.Alpha)
		}
	}
}

func TestADamagedMetafileIsDrawnAsFarAsItGoesAndTold(t *testing.T) {
	t.Parallel()
	whole := leftRed()
	marks, findings := drawnImage(t, whole[:len(whole)-150], dml.Rect{W: 100, H: 100}, pdf.ImageOptions{})
	if len(rendertest.Areas(marks, dml.RGB{R: 255})) != 1 {
		t.Error("got no red area, want what stands before the damage")
	}
	want := []render.Finding{{Code: render.FindingDrawing, Message: "a metafile (WMF, EMF) is damaged and drawn as far as it goes: slide 3"}}
	if !slices.Equal(findings, want) {
		t.Errorf("got %v, want %v", findings, want)
	}
}

func TestWhatOnlyLooksLikeAMetafileIsNoPicture(t *testing.T) {
	t.Parallel()
	p := &Painter{Canvas: pdf.NewCanvas("", ""), Fonts: pdf.EmbeddedFonts(), Findings: &render.Findings{}}
	p.Canvas.AddPage(10, 10)
	if err := p.Image([]byte("\x01\x00\x09\x00"), dml.Rect{W: 5, H: 5}, pdf.ImageOptions{}); !errors.Is(err, pdf.ErrPicture) {
		t.Errorf("got %v, want ErrPicture", err)
	}
}

// A metafile of 10,000 records becomes a page.
func BenchmarkMetafile(b *testing.B) {
	const records = 10_000
	e := new(rendertest.EMF)
	for i := range records / 4 {
		e.Add(86, 0, 0, -1, -1, 4, [8]int16{0, 0, 9, 0, 9, 9, 0, 9}).Add(27, i%100, 0).Add(54, 9, 9).
			Add(84, 0, 0, -1, -1, 1, float32(1), float32(1), i%100, 60, 4, 76, 0, 0, 0, -1, -1, 0, "Word")
	}
	data := e.Bytes(100, 100)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		c := pdf.NewCanvas("", "")
		c.AddPage(200, 200)
		p := &Painter{Canvas: c, Fonts: pdf.EmbeddedFonts(), Findings: &render.Findings{}}
		if err := p.Image(data, dml.Rect{W: 100, H: 100}, pdf.ImageOptions{}); err != nil {
			b.Fatal(err)
		}
		if _, err := c.Bytes(); err != nil {
			b.Fatal(err)
		}
	}
}
