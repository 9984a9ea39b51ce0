package pdf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

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

func TestPagesAreCountedAndHaveTheirOwnSizes(t *testing.T) {
	t.Parallel()
	c := NewCanvas("", "")
	if c.Pages() != 0 {
		t.Errorf("got %d pages, want none", c.Pages())
	}
	for i, size := range [][2]float64{{595, 842}, {300.5, 200.25}} {
		c.AddPage(size[0], size[1])
		if c.Pages() != i+1 {
			t.Errorf("got %d pages, want %d", c.Pages(), i+1)
		}
	}
	if got, want := matching(`/MediaBox \[([\d. ]+)\]`, string(finished(t, c))), []string{"0 0 595.00 842.00", "0 0 300.50 200.25"}; !slices.Equal(got, want) {
		t.Errorf("got pages %q, want %q", got, want)
	}
}

func TestEverySaveHasItsRestoreOnItsPage(t *testing.T) {
	t.Parallel()
	for _, want := range []struct {
		what  string
		draw  func(c *Canvas)
		lines []string
	}{
		{"nothing", func(*Canvas) {}, []string{}},
		{"a pair", func(c *Canvas) { c.Save(); c.Restore() }, []string{"q", "Q"}},
		{"a Restore too many", func(c *Canvas) { c.Restore(); c.Save(); c.Restore(); c.Restore() }, []string{"q", "Q"}},
		{"two that are left open", func(c *Canvas) { c.Save(); c.Save() }, []string{"q", "q", "Q", "Q"}},
	} {
		c := newPage()
		want.draw(c)
		c.AddPage(200, 100)
		want.draw(c)
		for i, got := range contents(t, c) {
			if !slices.Equal(got, want.lines) {
				t.Errorf("%s: page %d is %q, want %q", want.what, i, got, want.lines)
			}
		}
	}
}

func TestARotationIsClockwiseAroundItsPoint(t *testing.T) {
	t.Parallel()
	c := NewCanvas("", "")
	c.AddPage(200, 200)
	c.Rotate(90, 100, 50)
	c.FillRect(100, 45, 60, 10, red) // to the right, so that it is below now
	c.Restore()
	c.Rotate(-30, 100, 150)
	c.FillRect(100, 148, 60, 4, blue) // 30° upwards: at 50 points' distance it is 25 higher
	c.Restore()
	c.FillRect(10, 10, 20, 20, green)
	page := rendertest.Paint(t, finished(t, c))
	for _, want := range []struct {
		x, y  float64
		color dml.RGB
	}{{100, 100, red}, {140, 50, white}, {100 + 50*math.Sqrt(3)/2, 125, blue}, {150, 150, white}, {20, 20, green}} {
		if got := page.Color(want.x, want.y); got != want.color {
			t.Errorf("(%v, %v) is %v, want %v", want.x, want.y, got, want.color)
		}
	}
}

func TestAClipEndsWithItsRestore(t *testing.T) {
	t.Parallel()
	c := newPage()
	c.Save()
	c.ClipRect(10, 10, 20, 20)
	c.FillRect(0, 0, 100, 100, red)
	c.Restore()
	c.FillRect(150, 50, 10, 10, red)
	page := rendertest.Paint(t, finished(t, c))
	for _, want := range []struct {
		x, y    float64
		isWhite bool
	}{{20, 20, false}, {5, 20, true}, {35, 20, true}, {20, 35, true}, {155, 55, false}} {
		if got := page.White(want.x, want.y); got != want.isWhite {
			t.Errorf("(%v, %v) is white: %v, want %v", want.x, want.y, got, want.isWhite)
		}
	}
}

// ISO 32000-1, 12.5.6.5: the rectangle of a link counts from the page's lower left corner.
func TestALinkCoversItsRectangleOnAPageOfAnyHeight(t *testing.T) {
	t.Parallel()
	for height, want := range map[float64]string{100: "10.00 40.00 40.00 80.00", 842: "10.00 782.00 40.00 822.00", 2000: "10.00 1940.00 40.00 1980.00"} {
		c := NewCanvas("", "")
		c.AddPage(200, height)
		c.LinkURL(10, 20, 30, 40, "https://example.com")
		c.LinkAnchor(10, 20, 30, 40, "here")
		c.Anchor("here", 0)
		if got := matching(`/Subtype /Link /Rect \[([-\d. ]+)\]`, string(finished(t, c))); !slices.Equal(got, []string{want, want}) {
			t.Errorf("height %v: got links at %q, want two at %q", height, got, want)
		}
	}
}

func TestALinkNeedsAPlaceAndATarget(t *testing.T) {
	t.Parallel()
	for what, link := range map[string]func(c *Canvas, w, h float64, to string){
		"address": func(c *Canvas, w, h float64, to string) { c.LinkURL(10, 20, w, h, to) },
		"anchor":  func(c *Canvas, w, h float64, to string) { c.LinkAnchor(10, 20, w, h, to) },
	} {
		c := NewCanvas("", "")
		link(c, 30, 40, "x") // no page yet
		c.AddPage(200, 100)
		for _, size := range [][2]float64{{0, 40}, {-1, 40}, {30, 0}, {30, -1}} {
			link(c, size[0], size[1], "x")
		}
		link(c, 30, 40, "")
		if n := bytes.Count(finished(t, c), []byte("/Link")); n != 0 {
			t.Errorf("%s: got %d links, want none", what, n)
		}
	}
}

// RFC 3986 has ASCII only, ISO 32000-1, 7.3.4.2 wants parentheses escaped.
func TestAnAddressIsWrittenInASCII(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://example.com/a?b=c#d": "https://example.com/a?b=c#d",
		"a b":                         "a%20b",
		"ä€":                          "%C3%A4%E2%82%AC",
		"a\x1F\x20!~\x7F":             "a%1F%20!~%7F",
		"a(1)":                        `a\(1\)`,
		`a\b`:                         `a\\b`,
	} {
		c := newPage()
		c.LinkURL(0, 0, 10, 10, address)
		if got := matching(`/URI \((.*)\)>>`, string(finished(t, c))); !slices.Equal(got, []string{want}) {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
	}
}

func TestALinkLeadsToTheFirstAnchorOfItsName(t *testing.T) {
	t.Parallel()
	c := newPage()
	c.LinkAnchor(0, 0, 10, 10, "there")
	c.Text(0, 50, "text", EmbeddedFonts().Face("Arial", false, false), 30, red) // its size must not matter
	c.AddPage(200, 300)
	c.Anchor("", 10)
	c.Anchor("there", 120)
	c.AddPage(200, 100)
	c.Anchor("there", 10)
	file := finished(t, c)
	// From the bottom of the second page.
	if got, want := matching(`/Dest \[([^\]]+)\]`, string(file)), []string{fmt.Sprintf("%d 0 R /XYZ 0 180.00 null", c.pages[1].object)}; !slices.Equal(got, want) {
		t.Errorf("got links to %q, want %q", got, want)
	}
}

func TestALinkToNowhereIsNone(t *testing.T) {
	t.Parallel()
	c := newPage()
	c.LinkAnchor(10, 20, 30, 40, "nowhere")
	if file := string(finished(t, c)); strings.Contains(file, "/Link") || strings.Contains(file, "/Annots") {
		t.Errorf("got %q, want no link", file)
	}
}

func TestNumbersOfFilesAreKeptInBounds(t *testing.T) {
	t.Parallel()
	for _, want := range []struct{ v, got float64 }{
		{5, 5}, {2, 2}, {8, 8}, {1, 2}, {9, 8}, {math.Inf(1), 8}, {math.Inf(-1), 2}, {math.NaN(), 2},
	} {
		if got := Clamp(want.v, 2, 8); got != want.got {
			t.Errorf("%v: got %v, want %v", want.v, got, want.got)
		}
	}
}
