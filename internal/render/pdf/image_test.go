package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// corners are the colours of a rectangle of 40 × 40 points, a fifth inside its
// corners: upper left, upper right, lower left, lower right.
func corners(page rendertest.Pixels, x, y float64) [4]dml.RGB {
	return [4]dml.RGB{page.Color(x+8, y+8), page.Color(x+32, y+8), page.Color(x+8, y+32), page.Color(x+32, y+32)}
}

func TestAPictureFillsItsRectangleMirroredAndCut(t *testing.T) {
	t.Parallel()
	black := dml.RGB{}
	cases := []struct {
		what    string
		opts    ImageOptions
		corners [4]dml.RGB
	}{
		{"as it is", ImageOptions{}, [4]dml.RGB{red, green, blue, black}},
		{"mirrored", ImageOptions{FlipH: true}, [4]dml.RGB{green, red, black, blue}},
		{"upside down", ImageOptions{FlipV: true}, [4]dml.RGB{blue, black, red, green}},
		{"turned", ImageOptions{FlipH: true, FlipV: true}, [4]dml.RGB{black, blue, green, red}},
		{"without its left half", ImageOptions{Left: 0.5}, [4]dml.RGB{green, green, black, black}},
		{"without its right half", ImageOptions{Right: 0.5}, [4]dml.RGB{red, red, blue, blue}},
		{"without its upper half", ImageOptions{Top: 0.5}, [4]dml.RGB{blue, black, blue, black}},
		{"without its lower half", ImageOptions{Bottom: 0.5}, [4]dml.RGB{red, green, red, green}},
		{"its lower right quarter", ImageOptions{Left: 0.5, Top: 0.5}, [4]dml.RGB{black, black, black, black}},
		{"without its left half, mirrored", ImageOptions{Left: 0.5, FlipH: true}, [4]dml.RGB{green, green, black, black}},
		{"without its upper half, upside down", ImageOptions{Top: 0.5, FlipV: true}, [4]dml.RGB{blue, black, blue, black}},
		{"a quarter of its left, mirrored", ImageOptions{Left: 0.25, FlipH: true}, [4]dml.RGB{green, red, black, blue}},
		{"with as much room at its left and above", ImageOptions{Left: -1, Top: -1}, [4]dml.RGB{white, white, white, black}},
		{"with as much room at its right and below", ImageOptions{Right: -1, Bottom: -1}, [4]dml.RGB{red, white, white, white}},
		{"half see-through", ImageOptions{Transparency: 0.6}, [4]dml.RGB{{R: 255, G: 153, B: 153}, {R: 153, G: 255, B: 153}, {R: 153, G: 153, B: 255}, {R: 153, G: 153, B: 153}}},
		{"not seen", ImageOptions{Transparency: 1}, [4]dml.RGB{white, white, white, white}},
		{"cut away", ImageOptions{Left: 0.5, Right: 0.5}, [4]dml.RGB{white, white, white, white}},
		{"cut away below", ImageOptions{Top: 0.7, Bottom: 0.4}, [4]dml.RGB{white, white, white, white}},
	}
	c := NewCanvas("", "")
	c.AddPage(400, 400)
	place := func(i int) (x, y float64) { return float64(i%5)*80 + 20, float64(i/5)*80 + 20 }
	for i, want := range cases {
		x, y := place(i)
		if err := c.Image(pngOf(t, quarters()), x, y, 40, 40, want.opts); err != nil {
			t.Errorf("%s: %v", want.what, err)
		}
	}
	page := rendertest.Paint(t, finished(t, c))
	for i, want := range cases {
		x, y := place(i)
		if got := corners(page, x, y); got != want.corners {
			t.Errorf("%s: got %v, want %v", want.what, got, want.corners)
		}
		for _, outside := range []Point{{x - 4, y + 20}, {x + 44, y + 20}, {x + 20, y - 4}, {x + 20, y + 44}} {
			if !page.White(outside.X, outside.Y) {
				t.Errorf("%s: there is ink beside it, at %v", want.what, outside)
			}
		}
	}
}

func TestAPictureWithoutARectangleIsNotDrawn(t *testing.T) {
	t.Parallel()
	c := NewCanvas("", "")
	draw := func(w, h float64) {
		if err := c.Image([]byte("not even read"), 10, 10, w, h, ImageOptions{}); err != nil {
			t.Errorf("%v × %v: got %v, want no error", w, h, err)
		}
	}
	draw(10, 10) // no page yet
	c.AddPage(200, 100)
	draw(0, 10)
	draw(10, 0)
	draw(-1, 10)
	draw(10, -1)
	if got := content(t, c); len(got) != 0 {
		t.Errorf("got %q, want nothing", got)
	}
}

func TestOnlyACutPictureIsClipped(t *testing.T) {
	t.Parallel()
	for opts, isClipped := range map[ImageOptions]bool{
		{}: false, {Left: 0.1}: true, {Top: 0.1}: true, {Right: 0.1}: true, {Bottom: 0.1}: true, {Left: -0.1, Top: -0.1, Right: -0.1, Bottom: -0.1}: false,
	} {
		c := newPage()
		if err := c.Image(pngOf(t, quarters()), 10, 10, 10, 10, opts); err != nil {
			t.Fatal(err)
		}
		lines := content(t, c)
		if got := len(ending(lines, " h W n")) == 1; got != isClipped {
			t.Errorf("%v: clipped: %v, want %v", opts, got, isClipped)
		}
		saves, restores := 0, 0
		for _, line := range lines {
			if line == "q" {
				saves++
			}
			if line == "Q" {
				restores++
			}
		}
		if saves != restores {
			t.Errorf("%v: %d times q, %d times Q", opts, saves, restores)
		}
	}
}

func TestAPictureThatFailedFailsAgain(t *testing.T) {
	t.Parallel()
	c := newPage()
	for range 2 {
		if err := c.Image([]byte("no picture"), 10, 10, 10, 10, ImageOptions{}); !errors.Is(err, ErrPicture) {
			t.Errorf("got %v, want ErrPicture", err)
		}
	}
}

func TestThePicturesOfAFileMayNotHoldTooManyPixels(t *testing.T) {
	t.Parallel()
	for spare, isDrawn := range map[int]bool{0: true, -1: false} {
		c := newPage()
		c.pixels = maxUnpacked - 400 - spare
		draw := func() error { return c.Image(pngOf(t, quarters()), 10, 10, 10, 10, ImageOptions{}) }
		if err := draw(); (err == nil) != isDrawn || err != nil && !strings.Contains(err.Error(), "more than 100 million pixels in all") {
			t.Errorf("with %d pixels to spare: got %v, want it drawn: %v", spare, err, isDrawn)
		}
		if err := draw(); (err == nil) != isDrawn { // it counts once
			t.Errorf("with %d pixels to spare: got %v the second time, want it drawn: %v", spare, err, isDrawn)
		}
		// A JPEG is passed on as it is.
		if err := c.Image(jpegOf(t, quarters()), 10, 10, 10, 10, ImageOptions{}); err != nil {
			t.Errorf("got %v of a JPEG, want no error", err)
		}
	}
}

func TestAMaskBelongsToItsPictureWhereverItStands(t *testing.T) {
	t.Parallel()
	c := newPage()
	for _, alpha := range []uint8{255, 100, 50} {
		img := quarters()
		for i := 3; i < len(img.Pix); i += 4 {
			img.Pix[i] = alpha
		}
		for range 2 {
			if err := c.Image(pngOf(t, img), 10, 10, 10, 10, ImageOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	file := finished(t, c)
	objects := objectsOf(t, file)
	masks := matching(`/SMask (\d+) 0 R`, string(file))
	if len(masks) != 2 {
		t.Fatalf("got masks %q, want two", masks)
	}
	for i, alpha := range []byte{100, 50} {
		var number int
		if _, err := fmt.Sscan(masks[i], &number); err != nil {
			t.Fatal(err)
		}
		mask := objects[number-1]
		if want := "/Width 20 /Height 20 /ColorSpace /DeviceGray /BitsPerComponent 8 "; !bytes.Contains(mask, []byte(want)) {
			t.Errorf("mask %d is %.200q, want %q in it", i, mask, want)
		}
		if got, want := inflated(t, streamOf(mask)), bytes.Repeat([]byte{alpha}, 400); !bytes.Equal(got, want) {
			t.Errorf("mask %d: got %v, want 400 times %d", i, got, alpha)
		}
	}
}

func TestTheSizeOfAPictureIsReadWithoutItsPixels(t *testing.T) {
	t.Parallel()
	wide := pngOf(t, image.NewGray(image.Rect(0, 0, 30, 7)))
	for what, want := range map[string]struct {
		data []byte
		w, h int
	}{
		"a PNG": {wide, 30, 7}, "the head of a PNG": {wide[:33], 30, 7}, "a JPEG": {jpegOf(t, quarters()), 20, 20}, "no picture": {[]byte("no picture"), 0, 0}, "nothing": {nil, 0, 0},
	} {
		if w, h := ImageSize(want.data); w != want.w || h != want.h {
			t.Errorf("%s: got %d × %d, want %d × %d", what, w, h, want.w, want.h)
		}
	}
}

func TestPicturesOfEveryFormatAreSeen(t *testing.T) {
	t.Parallel()
	c := NewCanvas("", "")
	c.AddPage(400, 100)
	formats := []string{"png", "jpeg", "gif", "bmp", "tiff"}
	for i, format := range formats {
		if err := c.Image(encoded(t, format, quarters()), float64(i)*60, 20, 40, 40, ImageOptions{}); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
	page := rendertest.Paint(t, finished(t, c))
	for i, format := range formats {
		for j, want := range [4]dml.RGB{red, green, blue, {}} {
			const lost = 12 // of 255, by JPEG
			got := corners(page, float64(i)*60, 20)[j]
			if !isAlike(got, want, lost) {
				t.Errorf("%s: corner %d is %v, want %v", format, j, got, want)
			}
		}
	}
}

func isAlike(a, b dml.RGB, by int) bool {
	far := func(x, y uint8) bool { return int(x)-int(y) > by || int(y)-int(x) > by }
	return !far(a.R, b.R) && !far(a.G, b.G) && !far(a.B, b.B)
}
