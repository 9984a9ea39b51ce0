package pdf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func finished(t *testing.T, c *Canvas) []byte {
	t.Helper()
	pdf, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return pdf
}

// drawEverything uses each kind of call once.
func drawEverything(t *testing.T) []byte {
	t.Helper()
	c := NewCanvas("Angebot für Ada 😀", "de-DE")
	red := dml.RGB{R: 200}
	c.AddPage(595, 842)
	c.TextWith(50, 100, "Wave AVATAR “quoted” ½ ✓ Ж € é", EmbeddedFonts().Face("Calibri", false, false), 14, red, TextOptions{Kern: true})
	c.TextWith(50, 130, "spaced", EmbeddedFonts().Face("Arial", true, false), 12, red, TextOptions{CharSpacing: 2})
	c.StrokeLine(50, 140, 200, 140, Stroke{Color: red, Width: 1, Dash: []float64{4, 2}})
	c.Polygon(Ellipse(50, 150, 80, 40), &Fill{Color: red, Transparency: 0.5}, &Stroke{Width: 2})
	c.Polyline([]Point{{10, 10}, {20, 30}, {40, 10}}, Stroke{Width: 1})
	c.Rotate(30, 300, 300)
	c.Text(300, 300, "turned", EmbeddedFonts().Face("Cambria", false, true), 12, red)
	c.Restore()
	c.Save()
	c.ClipRect(0, 0, 100, 100)
	c.FillRect(0, 0, 300, 300, red)
	c.Restore()
	for _, alpha := range []uint8{255, 100} {
		if err := c.Image(rendertest.SamplePNG(t, alpha), 50, 400, 80, 80, ImageOptions{Left: 0.25, FlipH: true}); err != nil {
			t.Fatal(err)
		}
	}
	c.LinkURL(50, 90, 100, 14, "https://example.com/a b(1)")
	c.LinkAnchor(50, 110, 100, 14, "later")
	c.LinkAnchor(50, 130, 100, 14, "never")
	c.Outline("One", 0, 0)
	c.Outline("Below", 1, 100)
	c.AddPage(400, 300)
	c.Anchor("later", 50)
	c.Outline("Two", 0, 0)
	return finished(t, c)
}

func TestCanvasWritesAFileThatOthersAccept(t *testing.T) {
	t.Parallel()
	pdf := drawEverything(t)
	if out := rendertest.Tool(t, pdf, "qpdf", "--check", "FILE"); strings.Contains(out, "WARNING") {
		t.Errorf("qpdf is not content:\n%s", out)
	}
	info := rendertest.Tool(t, pdf, "pdfinfo", "FILE")
	for _, want := range []string{"Angebot für Ada 😀", "Pages:           2"} {
		if !strings.Contains(info, want) {
			t.Errorf("pdfinfo does not say %q:\n%s", want, info)
		}
	}
	text := rendertest.Tool(t, pdf, "pdftotext", "-layout", "FILE", "-")
	if want := "Wave AVATAR “quoted” ½ ✓ Ж € é"; !strings.Contains(text, want) {
		t.Errorf("text is %q, want %q in it", text, want)
	}
}

func TestCanvasGivesTheSameBytesForTheSameCalls(t *testing.T) {
	t.Parallel()
	if !bytes.Equal(drawEverything(t), drawEverything(t)) {
		t.Error("two runs differ")
	}
}

func TestCanvasesWorkSideBySide(t *testing.T) {
	t.Parallel()
	want := drawEverything(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if !bytes.Equal(drawEverything(t), want) {
				t.Error("a canvas beside others draws something else")
			}
		})
	}
	all.Wait()
}

func TestCanvasEmbedsOnlyTheFontsThatItUses(t *testing.T) {
	t.Parallel()
	c := NewCanvas("", "")
	c.AddPage(200, 200)
	c.Text(10, 50, "serif", EmbeddedFonts().Face("Times New Roman", false, false), 12, dml.RGB{})
	out := rendertest.Tool(t, finished(t, c), "pdffonts", "FILE")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 3 || !strings.Contains(lines[2], "LiberationSerif") || !strings.Contains(lines[2], "yes") {
		t.Errorf("fonts are:\n%s\nwant LiberationSerif alone, embedded", out)
	}
}

func TestCanvasStoresARepeatedPictureOnce(t *testing.T) {
	t.Parallel()
	c := NewCanvas("", "")
	logo := rendertest.SamplePNG(t, 255)
	for range 3 {
		c.AddPage(200, 200)
		if err := c.Image(logo, 10, 10, 50, 50, ImageOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := bytes.Count(finished(t, c), []byte("/Subtype /Image")); n != 1 {
		t.Errorf("the picture is stored %d times, want once", n)
	}
}

func TestATransparentPictureIsStoredWithItsMask(t *testing.T) {
	t.Parallel()
	c := NewCanvas("", "")
	for range 2 {
		c.AddPage(200, 200)
		for _, alpha := range []uint8{100, 255} {
			if err := c.Image(rendertest.SamplePNG(t, alpha), 10, 10, 50, 50, ImageOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	pdf := finished(t, c)
	if n := bytes.Count(pdf, []byte("/Subtype /Image")); n != 3 {
		t.Errorf("the file has %d pictures, want two and a mask", n)
	}
	list := rendertest.Tool(t, pdf, "pdfimages", "-list", "FILE")
	if n := strings.Count(list, "smask"); n != 2 {
		t.Errorf("%d of four drawings have a mask, want two:\n%s", n, list)
	}
}

func TestPicturesWithAnEmptyPieceAreDrawnWhole(t *testing.T) {
	t.Parallel()
	plain := rendertest.SamplePNG(t, 255)
	at := bytes.Index(plain, []byte("IDAT")) - 4
	empty := append([]byte("\x00\x00\x00\x00IDAT"), 0x35, 0xAF, 0x06, 0x1E) // with its checksum
	split := slices.Concat(plain[:at], empty, plain[at:])
	if !plainPNG(plain) || plainPNG(split) {
		t.Errorf("a picture is passed on as it is: %v, with an empty piece: %v, want true, false", plainPNG(plain), plainPNG(split))
	}
	if got := preparePicture(split); got.err != nil {
		t.Error(got.err)
	}
}

func TestCanvasRefusesPicturesThatItCannotDraw(t *testing.T) {
	t.Parallel()
	flood := rendertest.SamplePNG(t, 255) // claims 100,000 × 100,000 pixels
	binary.BigEndian.PutUint32(flood[16:], 100_000)
	binary.BigEndian.PutUint32(flood[20:], 100_000)
	binary.BigEndian.PutUint32(flood[29:], crc32.ChecksumIEEE(flood[12:29]))
	short := rendertest.SamplePNG(t, 255)
	for name, data := range map[string][]byte{
		"nothing": nil, "text": []byte("no picture"), "pixel flood": flood, "cut off": short[:len(short)/2],
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := NewCanvas("", "")
			c.AddPage(100, 100)
			if err := c.Image(data, 0, 0, 50, 50, ImageOptions{}); !errors.Is(err, ErrPicture) {
				t.Errorf("got %v, want ErrPicture", err)
			}
			rendertest.Tool(t, finished(t, c), "qpdf", "--check", "FILE")
		})
	}
}

func TestCanvasWithoutPagesIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := NewCanvas("", "").Bytes(); err == nil {
		t.Error("got no error, want one")
	}
}

func TestTextStandsWhereTheFontPutsIt(t *testing.T) {
	t.Parallel()
	c := NewCanvas("", "")
	c.AddPage(600, 200)
	f, long := EmbeddedFonts().Face("Calibri", false, false), "Donaudampfschifffahrtsgesellschaftskapitän"
	c.Text(20, 100, long+" end", f, 20, dml.RGB{})
	out := rendertest.Tool(t, finished(t, c), "pdftotext", "-bbox", "FILE", "-")
	m := regexp.MustCompile(`xMin="([\d.]+)"[^>]*>end<`).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("the last word is not there:\n%s", out)
	}
	want := 20 + Measure(long+" ", f, 20, TextOptions{})
	if got := rendertest.ParseFloat(t, m[1]); got < want-0.1 || got > want+0.1 {
		t.Errorf("the last word begins at %.2f, want %.2f", got, want)
	}
}
