package picture_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/picture"
)

// corners are the colours of a picture of 64 × 32 pixels, from the upper left clockwise.
var corners = [4]color.RGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 0, 255}}

func cornered() *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, 64, 32))
	for y := range 32 {
		for x := range 64 {
			p.SetRGBA(x, y, corners[[2][2]int{{0, 1}, {3, 2}}[y/16][x/32]])
		}
	}
	return p
}

// stored is the picture as a camera stores it that was held as an orientation says: shown
// by its EXIF it is the one above.
func stored(o int) *image.RGBA {
	shown := cornered()
	w, h := 64, 32
	if o >= 5 {
		w, h = 32, 64
	}
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			// Where the rows and columns of what is stored are shown (CIPA DC-008, 4.6.4).
			at := [9]image.Point{
				1: {x, y}, 2: {63 - x, y}, 3: {63 - x, 31 - y}, 4: {x, 31 - y},
				5: {y, x}, 6: {63 - y, x}, 7: {63 - y, 31 - x}, 8: {y, 31 - x},
			}[o]
			p.SetRGBA(x, y, shown.RGBAAt(at.X, at.Y))
		}
	}
	return p
}

// exif is a directory with an orientation, behind another entry.
func exif(order binary.AppendByteOrder, o int) []byte {
	mark := "II*\x00"
	if order.String() == "BigEndian" {
		mark = "MM\x00*"
	}
	b := order.AppendUint32([]byte(mark), 8)
	b = order.AppendUint16(b, 2)
	b = append(order.AppendUint32(order.AppendUint16(order.AppendUint16(b, 0x0100), 4), 1), 0, 0, 0, 64)
	b = order.AppendUint16(order.AppendUint32(order.AppendUint16(order.AppendUint16(b, 0x0112), 3), 1), uint16(o))
	return append(b, 0, 0, 0, 0, 0, 0)
}

func jpegOf(t *testing.T, p image.Image, segments ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, p, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	out := append([]byte(nil), b.Bytes()[:2]...)
	for _, s := range segments { // each begins with its marker
		out = append(out, 0xff, s[0])
		out = append(binary.BigEndian.AppendUint16(out, uint16(len(s)+1)), s[1:]...)
	}
	return append(out, b.Bytes()[2:]...)
}

func obtain(t *testing.T, data []byte) (image.Image, string, lang.Obtained) {
	t.Helper()
	got, err := picture.Source{Direct: true, Redrawing: make(chan struct{}, 1)}.Obtain(t.Context(), inline(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	head, text, _ := strings.Cut(got.URI, ";base64,")
	out, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := image.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	return p, strings.TrimPrefix(head, "data:"), got
}

func checkUpright(t *testing.T, what string, data []byte, mediaType string) {
	t.Helper()
	p, of, got := obtain(t, data)
	if of != mediaType || got.Width != 64 || got.Height != 32 || p.Bounds().Size() != image.Pt(64, 32) {
		t.Fatalf("%s: got %s of %d × %d with %v, want %s of 64 × 32", what, of, got.Width, got.Height, p.Bounds(), mediaType)
	}
	for i, at := range []image.Point{{8, 8}, {56, 8}, {56, 24}, {8, 24}} {
		r, g, b, _ := p.At(at.X, at.Y).RGBA()
		want := corners[i]
		for j, c := range []uint32{r, g, b} {
			if w := int([]uint8{want.R, want.G, want.B}[j]); int(c>>8)-w > 12 || w-int(c>>8) > 12 {
				t.Errorf("%s: got the colour %d, %d, %d in corner %d, want %v", what, r>>8, g>>8, b>>8, i, want)
				break
			}
		}
	}
}

// Telephones store what their sensor saw, and say how they were held.
func TestAPhotoStandsUprightAsItsEXIFSays(t *testing.T) {
	t.Parallel()
	for o := 1; o <= 8; o++ {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			checkUpright(t, fmt.Sprintf("JPEG, orientation %d, %v", o, order), jpegOf(t, stored(o), "\xe0JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00", "\xe1Exif\x00\x00"+string(exif(order, o))), "image/jpeg")
		}
	}
	for o := 2; o <= 8; o++ {
		var b bytes.Buffer
		if err := png.Encode(&b, stored(o)); err != nil {
			t.Fatal(err)
		}
		chunk := append([]byte("eXIf"), exif(binary.BigEndian, o)...)
		chunk = binary.BigEndian.AppendUint32(append(binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-4)), chunk...), crc32.ChecksumIEEE(chunk))
		data := append(append(append([]byte(nil), b.Bytes()[:33]...), chunk...), b.Bytes()[33:]...) // behind IHDR
		checkUpright(t, fmt.Sprintf("PNG, orientation %d", o), data, "image/png")
	}
	gray := image.NewGray(image.Rect(0, 0, 8, 4))
	if p, _, got := obtain(t, jpegOf(t, gray, "\xe1Exif\x00\x00"+string(exif(binary.LittleEndian, 6)))); got.Width != 4 || got.Height != 8 || p.Bounds().Dx() != 4 {
		t.Errorf("a photo in grey: got %d × %d, want 4 × 8", got.Width, got.Height)
	}
}

func TestAPhotoThatIsTurnedKeepsItsColours(t *testing.T) {
	t.Parallel()
	const profile = "\xe2ICC_PROFILE\x00\x01\x01a profile"
	_, _, got := obtain(t, jpegOf(t, stored(6), profile, "\xe1Exif\x00\x00"+string(exif(binary.LittleEndian, 6))))
	out, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(got.URI, "data:image/jpeg;base64,"))
	if !bytes.Contains(out, []byte(profile[1:])) || bytes.Contains(out, []byte("Exif")) {
		t.Errorf("got %.60q, want the profile, and no orientation", out)
	}
}

// What says nothing, or what makes no sense, stays byte for byte.
func TestPicturesThatStandUprightStayAsTheyAre(t *testing.T) {
	t.Parallel()
	whole := string(exif(binary.LittleEndian, 1))
	for _, segment := range []string{
		"", whole, string(exif(binary.LittleEndian, 9)), string(exif(binary.LittleEndian, 0)), whole[:9], whole[:12], "II*\x00\xff\xff\xff\xff", "XX", "MM\x00*",
		"II*\x00\x08\x00\x00\x00\xff\xff", strings.Replace(string(exif(binary.LittleEndian, 6)), "\x03\x00\x01", "\x04\x00\x01", 1),
	} {
		data := jpegOf(t, cornered(), "\xe1Exif\x00\x00"+segment)
		got, err := picture.Source{Direct: true}.Obtain(t.Context(), inline(data), nil)
		if want := "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(data); err != nil || got.URI != want {
			t.Errorf("EXIF %.20q: it was changed, or %v", segment, err)
		}
	}
}

// webpOf is a WebP of 4 × 2 pixels without loss, all of one colour.
const webpOf = "UklGRhwAAABXRUJQVlA4TBAAAAAvA0AAAAcQ/Y/+ByKi/wEA"

func TestOtherFormatsBecomeThoseThatDocumentsShow(t *testing.T) {
	t.Parallel()
	for name, encode := range map[string]func(*bytes.Buffer) error{
		"BMP":  func(b *bytes.Buffer) error { return bmp.Encode(b, cornered()) },
		"TIFF": func(b *bytes.Buffer) error { return tiff.Encode(b, cornered(), nil) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		checkUpright(t, name, b.Bytes(), "image/png")
	}
	data, err := base64.StdEncoding.DecodeString(webpOf)
	if err != nil {
		t.Fatal(err)
	}
	if p, of, got := obtain(t, data); of != "image/png" || got.Width != 4 || got.Height != 2 || p.Bounds().Dx() != 4 {
		t.Errorf("WebP: got %s of %d × %d", of, got.Width, got.Height)
	}
	for source, want := range map[string]string{
		string(data[:len(data)-6]):                         "picture_unusable: The picture cannot be read to its end: it is damaged, or written in a rare way. Send it as PNG or JPEG.",
		"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic": "picture_unusable: What the field leads to is not a PNG, JPEG, GIF, WebP, BMP or TIFF, but HEIC. Send it as JPEG, which telephones offer when a photo is shared.",
		"\x00\x00\x00\x18ftypavif\x00\x00\x00\x00mif1avif": "picture_unusable: What the field leads to is not a PNG, JPEG, GIF, WebP, BMP or TIFF, but AVIF. Send it as PNG or JPEG.",
	} {
		if got := refusal(t, inline([]byte(source))); got != want {
			t.Errorf("%.20q: got %s, want %s", source, got, want)
		}
	}
	google := picture.Source{Fetch: func(context.Context, string, int64) ([]byte, error) { return data, nil }}
	if _, err := google.Obtain(t.Context(), lang.Picture{Source: "https://example.com/logo.webp"}, nil); err == nil || !strings.Contains(err.Error(), "Google takes PNG, JPEG and GIF alone") {
		t.Errorf("a WebP at an address for Google: got %v", err)
	}
}
