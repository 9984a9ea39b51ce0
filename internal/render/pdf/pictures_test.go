package pdf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

func jpegOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	return encoded(t, "jpeg", img)
}

// encoded is a picture as a file.
func encoded(t *testing.T, format string, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	err := map[string]func() error{
		"png":  func() error { return png.Encode(&out, img) },
		"jpeg": func() error { return jpeg.Encode(&out, img, &jpeg.Options{Quality: 100}) },
		"gif":  func() error { return gif.Encode(&out, img, nil) },
		"bmp":  func() error { return bmp.Encode(&out, img) },
		"tiff": func() error { return tiff.Encode(&out, img, nil) },
	}[format]()
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// claiming is the head of a PNG that claims a size; its pixels are missing.
func claiming(w, h uint32, depth, kind byte) []byte {
	head := binary.BigEndian.AppendUint32([]byte("IHDR"), w)
	head = append(binary.BigEndian.AppendUint32(head, h), depth, kind, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0D"), head...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(head))
}

// Kinds of PNG.
const gray, truecolor, grayAlpha, truecolorAlpha = 0, 2, 4, 6

func TestPicturesThatClaimTooMuchAreRefusedBeforeTheyAreUnpacked(t *testing.T) {
	t.Parallel()
	const size = " pixels"
	for _, want := range []struct {
		what string
		data []byte
		why  string
	}{
		{"more pixels than may be", claiming(50_000_001, 1, 8, gray), size},
		{"higher than wide", claiming(1, 50_000_001, 8, gray), size},
		{"as many pixels as one may unpack", claiming(26_214_400, 1, 8, truecolor), "unexpected EOF"},
		{"one more", claiming(26_214_401, 1, 8, truecolor), size},
		{"as many deep ones", claiming(13_107_200, 1, 16, truecolorAlpha), "unexpected EOF"},
		{"one more", claiming(13_107_201, 1, 16, truecolorAlpha), size},
		{"a file of too many bytes", make([]byte, maxImageBytes+1), "33554433 bytes, more than 33554432"},
		{"a file of as many bytes as may be", make([]byte, maxImageBytes), "unknown format"},
	} {
		got := preparePicture(want.data)
		if !errors.Is(got.err, ErrPicture) || !strings.HasSuffix(got.err.Error(), want.why) {
			t.Errorf("%s: got %v, want ErrPicture, %s", want.what, got.err, want.why)
		}
	}
}

func TestWhatMustBeUnpackedIsKnownFromTheHead(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]struct {
		data   []byte
		pixels int
	}{
		"a PNG":                  {claiming(300, 200, 8, gray), 60_000},
		"as many as may be":      {claiming(50_000_000, 1, 8, gray), 50_000_000},
		"one that is not opened": {claiming(50_000_001, 1, 8, gray), 0},
		"a GIF":                  {encoded(t, "gif", quarters()), 400},
		"a JPEG":                 {jpegOf(t, quarters()), 0},
		"no picture":             {[]byte("no picture"), 0},
	} {
		if got := unpackedPixels(want.data); got != want.pixels {
			t.Errorf("%s: got %d pixels, want %d", what, got, want.pixels)
		}
	}
}

func TestDeepPixelsTakeTwiceTheRoom(t *testing.T) {
	t.Parallel()
	for model, want := range map[color.Model]int{
		color.NRGBA64Model: 8, color.RGBA64Model: 8, color.Gray16Model: 8, color.NRGBAModel: 4, color.GrayModel: 4, color.YCbCrModel: 4,
	} {
		if got := bytesPerPixel(model); got != want {
			t.Errorf("%T: got %d bytes, want %d", model, got, want)
		}
	}
}

func TestFilesThatAPDFCanHoldArePassedOn(t *testing.T) {
	t.Parallel()
	opaque := image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.Black, color.White})
	clear := image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.Transparent, color.White})
	rgb := image.NewRGBA(image.Rect(0, 0, 4, 4))
	for i := range rgb.Pix {
		rgb.Pix[i] = 0xFF
	}
	interlaced := pngOf(t, image.NewGray(image.Rect(0, 0, 1, 1))) // of one pixel, which interlacing leaves alone
	interlaced[28] = 1
	binary.BigEndian.PutUint32(interlaced[29:], crc32.ChecksumIEEE(interlaced[12:29]))
	for what, want := range map[string]struct {
		data     []byte
		isPassed bool
	}{
		"a grey JPEG":                 {jpegOf(t, image.NewGray(image.Rect(0, 0, 4, 4))), true},
		"a JPEG in colour":            {jpegOf(t, quarters()), true},
		"a grey PNG":                  {pngOf(t, image.NewGray(image.Rect(0, 0, 4, 4))), true},
		"a PNG in colour":             {pngOf(t, rgb), true},
		"a PNG with a palette":        {pngOf(t, opaque), true},
		"a PNG with a clear colour":   {pngOf(t, clear), false},
		"a PNG with an alpha channel": {pngOf(t, &image.NRGBA{Pix: make([]byte, 4*16), Stride: 16, Rect: image.Rect(0, 0, 4, 4)}), false},
		"a grey PNG of 16 bits":       {pngOf(t, image.NewGray16(image.Rect(0, 0, 4, 4))), false},
		"a PNG of 16 bits":            {pngOf(t, image.NewRGBA64(image.Rect(0, 0, 4, 4))), false},
		"an interlaced PNG":           {interlaced, false},
		"a GIF":                       {encoded(t, "gif", quarters()), false},
		"a BMP":                       {encoded(t, "bmp", quarters()), false},
		"a TIFF":                      {encoded(t, "tiff", quarters()), false},
	} {
		got := preparePicture(want.data)
		if got.err != nil {
			t.Errorf("%s: %v", what, got.err)
			continue
		}
		if isPassed := bytes.Equal(got.pixels, want.data) || bytes.Contains(want.data, got.pixels); isPassed != want.isPassed {
			t.Errorf("%s is passed on as it is: %v, want %v", what, isPassed, want.isPassed)
		}
		if want.isPassed && got.mask != nil {
			t.Errorf("%s has a mask", what)
		}
	}
}

func TestAHeadThatIsCutOffIsNoPlainPNG(t *testing.T) {
	t.Parallel()
	whole := pngOf(t, image.NewGray(image.Rect(0, 0, 4, 4)))
	for length, want := range map[int]bool{len(whole): true, 29: true, 28: false, 0: false} {
		if got := plainPNG(whole[:length]); got != want {
			t.Errorf("%d bytes: got %v, want %v", length, got, want)
		}
	}
}

func TestOtherFilesAreUnpackedToOpaqueColoursAndAMask(t *testing.T) {
	t.Parallel()
	opaque := func(c color.Color) color.Color {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		n.A = 255
		return n
	}
	clear := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	for i := range 6 {
		clear.SetNRGBA(i%3, i/3, color.NRGBA{R: uint8(40 * i), G: 7, B: 9, A: uint8(50 * i)})
	}
	deep := image.NewNRGBA64(image.Rect(0, 0, 3, 2))
	for i := range 6 {
		deep.SetNRGBA64(i%3, i/3, color.NRGBA64{R: uint16(40*i) << 8, G: 7<<8 | 0xFF, B: 9 << 8, A: uint16(50*i) << 8})
	}
	palette := image.NewPaletted(image.Rect(0, 0, 2, 1), color.Palette{color.NRGBA{R: 10, A: 128}, color.NRGBA{G: 20, A: 255}})
	palette.SetColorIndex(1, 0, 1)
	solid := image.NewPaletted(image.Rect(0, 0, 2, 1), color.Palette{color.NRGBA{R: 10, A: 255}, color.NRGBA{G: 20, A: 255}})
	solid.SetColorIndex(1, 0, 1)
	for _, want := range []struct {
		what string
		data []byte
		img  image.Image
		mask []byte
	}{
		{"eight bits", pngOf(t, clear), clear, []byte{0, 50, 100, 150, 200, 250}},
		{"sixteen bits", pngOf(t, deep), clear, []byte{0, 50, 100, 150, 200, 250}},
		{"a palette", pngOf(t, palette), palette, []byte{128, 255}},
		{"a GIF", encoded(t, "gif", solid), solid, nil},
		{"a TIFF", encoded(t, "tiff", quarters()), quarters(), nil},
		{"a BMP", encoded(t, "bmp", quarters()), quarters(), nil},
		{"deep grey", pngOf(t, image.NewGray16(image.Rect(0, 0, 3, 2))), image.NewGray16(image.Rect(0, 0, 3, 2)), nil},
	} {
		got := preparePicture(want.data)
		if got.err != nil {
			t.Errorf("%s: %v", want.what, got.err)
			continue
		}
		bounds := want.img.Bounds()
		if got.w != bounds.Dx() || got.h != bounds.Dy() {
			t.Errorf("%s: got %d × %d pixels, want %v", want.what, got.w, got.h, bounds)
		}
		img, err := png.Decode(bytes.NewReader(asPNG(t, got)))
		if err != nil {
			t.Errorf("%s: %v", want.what, err)
			continue
		}
		for y := range bounds.Dy() {
			for x := range bounds.Dx() {
				if got, wanted := opaque(img.At(x, y)), opaque(want.img.At(x, y)); got != wanted {
					t.Errorf("%s: (%d, %d) is %v, want %v", want.what, x, y, got, wanted)
				}
				if _, _, _, a := img.At(x, y).RGBA(); a != 0xFFFF {
					t.Errorf("%s: (%d, %d) is not opaque", want.what, x, y)
				}
			}
		}
		if (got.mask == nil) != (want.mask == nil) || want.mask != nil && !bytes.Equal(inflated(t, got.mask), want.mask) {
			t.Errorf("%s: its mask is %v, want %v", want.what, got.mask, want.mask)
		}
	}
}

// asPNG is a prepared picture without its mask as a PNG, whose filters and compression a
// PDF has, too.
func asPNG(t *testing.T, p preparedPicture) []byte {
	t.Helper()
	kinds := map[string]byte{"1": gray, "3": truecolor}
	colors := matching(`^/ColorSpace /Device\w+ /BitsPerComponent 8 /Filter /FlateDecode /DecodeParms <</Predictor 15 /Colors (\d) /BitsPerComponent 8 /Columns \d+>>$`, p.format)
	if len(colors) != 1 {
		t.Fatalf("the picture's format is %q", p.format)
	}
	out := claiming(uint32(p.w), uint32(p.h), 8, kinds[colors[0]])
	for _, chunk := range []struct {
		name string
		data []byte
	}{{"IDAT", p.pixels}, {"IEND", nil}} {
		named := append([]byte(chunk.name), chunk.data...)
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(chunk.data))), named...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(named))
	}
	return out
}

func TestAPartOfAPictureIsCopiedFromItsPlace(t *testing.T) {
	t.Parallel()
	deep := image.NewNRGBA64(image.Rect(0, 0, 20, 20))
	for y := range 20 {
		for x := range 20 {
			deep.Set(x, y, quarters().At(x, y))
		}
	}
	part := image.Rect(8, 8, 12, 12) // two pixels of each quarter each way
	for what, src := range map[string]image.Image{"eight bits": quarters().SubImage(part), "sixteen bits": deep.SubImage(part)} {
		flat, alpha := flatten(src)
		if alpha != nil || flat.Bounds() != image.Rect(0, 0, 4, 4) {
			t.Errorf("%s: got %v with the opacity %v, want 4 × 4 opaque pixels", what, flat.Bounds(), alpha)
		}
		for at, want := range map[image.Point]color.NRGBA{{X: 1, Y: 1}: {R: 255, A: 255}, {X: 2, Y: 1}: {G: 255, A: 255}, {X: 1, Y: 2}: {B: 255, A: 255}, {X: 2, Y: 2}: {A: 255}} {
			if got := flat.At(at.X, at.Y); got != want {
				t.Errorf("%s: %v is %v, want %v", what, at, got, want)
			}
		}
	}
}
