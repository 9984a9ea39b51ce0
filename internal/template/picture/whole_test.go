package picture_test

import (
	"bytes"
	"context"
	"encoding/base64"
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

	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/picture"
)

func inline(data []byte) lang.Picture {
	return lang.Picture{Source: "data:;base64," + base64.StdEncoding.EncodeToString(data)}
}

// refusal is the message about a picture; empty when it is taken.
func refusal(t *testing.T, p lang.Picture) string {
	t.Helper()
	_, err := picture.Source{Direct: true}.Obtain(t.Context(), p, nil)
	if err == nil {
		return ""
	}
	refused, ok := errors.AsType[*platen.Error](err)
	if !ok || refused.Kind != platen.KindInvalid {
		t.Fatalf("got %v, want a mistake of the data", err)
	}
	return refused.Code + ": " + refused.Message
}

// sized is a PNG whose header says a size.
func sized(t *testing.T, width, height uint32) []byte {
	data := pngOf(t)
	binary.BigEndian.PutUint32(data[16:], width)
	binary.BigEndian.PutUint32(data[20:], height)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

func TestPicturesOfNoUseOnAPageAreRefusedWithTheirSize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		width, height uint32
		want          string
	}{
		{20_000, 1_000, ""},
		{1, 1_000, ""},
		{1, 20_000_000, "picture_too_large: The picture has 1 × 20000000 pixels: a side may have 20000."},
		{1, 1_001, "picture_too_large: The picture has 1 × 1001 pixels: a side may be 1000 times as long as the other."},
		{6_000, 5_000, "picture_too_large: The picture has 6000 × 5000 pixels, more than 25 million."},
	} {
		if got := refusal(t, inline(sized(t, c.width, c.height))); got != c.want {
			t.Errorf("%d × %d: got %q, want %q", c.width, c.height, got, c.want)
		}
	}
}

func TestDamagedPicturesAreRefused(t *testing.T) {
	t.Parallel()
	p := image.NewPaletted(image.Rect(0, 0, 40, 30), color.Palette{color.White, color.Black, color.Transparent})
	for i := range p.Pix {
		p.Pix[i] = uint8(i * i % 3)
	}
	for format, encode := range map[string]func(*bytes.Buffer) error{
		"png":  func(b *bytes.Buffer) error { return png.Encode(b, p) },
		"jpeg": func(b *bytes.Buffer) error { return jpeg.Encode(b, p, nil) },
		"gif": func(b *bytes.Buffer) error {
			return gif.EncodeAll(b, &gif.GIF{Image: []*image.Paletted{p, p}, Delay: []int{1, 1}})
		},
	} {
		var out bytes.Buffer
		if err := encode(&out); err != nil {
			t.Fatal(err)
		}
		data := out.Bytes()
		if got := refusal(t, inline(data)); got != "" {
			t.Errorf("%s: got %q, want it taken", format, got)
		}
		if got := refusal(t, inline(append(bytes.Clone(data), "behind the end"...))); got != "" {
			t.Errorf("%s with something behind it: got %q, want it taken", format, got)
		}
		for cut := 1; cut < len(data); cut++ {
			cutOff := data[:cut]
			got := refusal(t, inline(cutOff))
			// As much as shows the first image is enough.
			if _, _, err := image.Decode(bytes.NewReader(cutOff)); err != nil && !strings.HasPrefix(got, "picture_unusable: ") {
				t.Fatalf("%s of %d bytes, of which %d: got %q, want it refused", format, len(data), cut, got)
			}
			if cut == len(data)*2/3 && format != "gif" && !strings.Contains(got, "damaged or cut off") {
				t.Errorf("%s: got %q, want it called damaged or cut off", format, got)
			}
		}
	}
	data := pngOf(t)
	data[len(data)-20] ^= 1
	if got := refusal(t, inline(data)); !strings.Contains(got, "damaged") {
		t.Errorf("a flipped bit: got %q", got)
	}
}

func TestWhatIsNoPictureIsCalledWhatItIs(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		"<!DOCTYPE html><html>sign in": "is not a PNG, JPEG, GIF, WebP, BMP or TIFF, but text/html.",
		"%PDF-1.7":                     "is not a PNG, JPEG, GIF, WebP, BMP or TIFF, but application/pdf.",
		"RIFF\x00\x00\x00\x00WEBPVP8 ": "The picture is damaged or cut off: it cannot be read to its end.",
		"\x00\x01\x02":                 "is not a PNG, JPEG, GIF, WebP, BMP or TIFF.",
		"":                             "is not a PNG, JPEG, GIF, WebP, BMP or TIFF.",
	} {
		if got := refusal(t, inline([]byte(data))); !strings.HasSuffix(got, want) {
			t.Errorf("%q: got %q, want %q", data, got, want)
		}
	}
}

func TestNoMoreIsReadThanTheDocumentHasRoomFor(t *testing.T) {
	t.Parallel()
	data := pngOf(t)
	room := int64(len(data)) - 1
	read := int64(0)
	s := picture.Source{Fetch: func(_ context.Context, _ string, limit int64) ([]byte, error) {
		read = limit
		return nil, platen.Errorf(platen.KindTooLarge, "address_too_large", "It goes on.")
	}, Publish: func(context.Context, []byte, string) (string, error) {
		t.Error("a picture was published for which there is no room")
		return "", nil
	}}
	download := func(context.Context, string) ([]byte, error) { return data, nil }
	for _, source := range []string{inline(data).Source, "https://example.com/logo", "1aBcD_-efgh"} {
		if _, err := s.Obtain(t.Context(), lang.Picture{Source: source, Limit: room}, download); platen.KindOf(err) != platen.KindTooLarge {
			t.Errorf("%.30s: got %v, want KindTooLarge", source, err)
		}
	}
	if read != room {
		t.Errorf("fetched %d bytes, want %d", read, room)
	}
	_, err := s.Obtain(t.Context(), lang.Picture{Source: "https://example.com/logo"}, download)
	if refused, ok := errors.AsType[*platen.Error](err); !ok || refused.Code != "picture_too_large" || read != picture.MaxBytes {
		t.Errorf("without a limit of the document's: got %v and %d bytes, want picture_too_large and %d", err, read, picture.MaxBytes)
	}
	got, err := picture.Source{Direct: true}.Obtain(t.Context(), lang.Picture{Source: inline(data).Source, Limit: room + 1}, nil)
	if err != nil || got.Bytes != int64(len(data)) {
		t.Errorf("with room: got %+v, %v, want %d bytes", got, err, len(data))
	}
}

func TestFilesThatAreNoPicturesAreToldApart(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"drive_file_without_content": "a document of the drive's own kind",
		"drive_file_not_found":       "has no file with this id",
		"drive_file_forbidden":       "does not let this service read",
	} {
		_, err := picture.Source{Direct: true}.Obtain(t.Context(), lang.Picture{Source: "1aBcD_-efgh"}, func(context.Context, string) ([]byte, error) {
			return nil, platen.Errorf(platen.KindForbidden, code, "as the drive says it")
		})
		if platen.KindOf(err) != platen.KindInvalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want that it %s", code, err, want)
		}
	}
	broken := platen.Errorf(platen.KindForbidden, "drive_connection_broken", "connect the drive again")
	if _, err := (picture.Source{}).Obtain(t.Context(), lang.Picture{Source: "1aBcD_-efgh"}, func(context.Context, string) ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want what is wrong with the connection", err)
	}
}

func TestOurDriveTakesEveryPictureThatIsSentToIt(t *testing.T) {
	t.Parallel()
	if picture.MaxBytes > opc.MaxPicture || picture.MaxPixels > opc.MaxPixels || picture.MaxSide > opc.MaxPixels {
		t.Errorf("pictures may have %d bytes and %d pixels, our drive takes %d and %d", picture.MaxBytes, picture.MaxPixels, opc.MaxPicture, opc.MaxPixels)
	}
}
