package picture_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
	"github.com/platenhq/platen/internal/template/picture"
)

func drawn(t *testing.T, encode func(*bytes.Buffer, image.Image) error) []byte {
	t.Helper()
	p := image.NewPaletted(image.Rect(0, 0, 4, 2), color.Palette{color.White, color.Black})
	var out bytes.Buffer
	if err := encode(&out, p); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func pngOf(t *testing.T) []byte {
	return drawn(t, func(b *bytes.Buffer, p image.Image) error { return png.Encode(b, p) })
}

func TestPicturesComeFromDataAddressesAndFiles(t *testing.T) {
	t.Parallel()
	data := pngOf(t)
	encoded := base64.StdEncoding.EncodeToString(data)
	s := picture.Source{Direct: true, Fetch: func(_ context.Context, address string, _ int64) ([]byte, error) {
		if address != "https://example.com/logo" {
			t.Errorf("fetched %s", address)
		}
		return data, nil
	}}
	download := func(_ context.Context, id string) ([]byte, error) {
		if id == "1aBcD_-efgh" {
			return data, nil
		}
		return nil, platen.Errorf(platen.KindNotFound, "drive_file_not_found", "gone")
	}
	for _, source := range []string{"data:image/png;base64," + encoded, "DATA:;base64," + encoded[:20] + "\n" + encoded[20:], "https://example.com/logo", "1aBcD_-efgh"} {
		got, err := s.Obtain(t.Context(), lang.Picture{Source: source}, download)
		if want := "data:image/png;base64," + encoded; err != nil || got.URI != want || got.Width != 4 || got.Height != 2 {
			t.Errorf("%.30s: got %+v, %v", source, got, err)
		}
	}
	for name, encode := range map[string]func(*bytes.Buffer, image.Image) error{
		"image/gif":  func(b *bytes.Buffer, p image.Image) error { return gif.Encode(b, p, nil) },
		"image/jpeg": func(b *bytes.Buffer, p image.Image) error { return jpeg.Encode(b, p, nil) },
	} {
		got, err := s.Obtain(t.Context(), lang.Picture{Source: "data:;base64," + base64.StdEncoding.EncodeToString(drawn(t, encode))}, download)
		if err != nil || !strings.HasPrefix(got.URI, "data:"+name+";") {
			t.Errorf("%s: got %.40s, %v", name, got.URI, err)
		}
	}
}

func TestWhatIsNoPictureIsToldWithoutQuotingIt(t *testing.T) {
	t.Parallel()
	huge := pngOf(t)
	copy(huge[16:], "\x00\x01\x00\x00\x00\x01\x00\x00") // 65536 × 65536
	s := picture.Source{Direct: true, Fetch: func(context.Context, string, int64) ([]byte, error) {
		return nil, platen.Errorf(platen.KindInvalid, "address_unusable", "It is not public.")
	}}
	download := func(context.Context, string) ([]byte, error) {
		return nil, platen.Errorf(platen.KindForbidden, "drive_file_forbidden", "no")
	}
	for source, want := range map[string]string{
		"secret":                                      "picture_unusable",
		"../../etc/passwd":                            "picture_unusable",
		"file:///etc/secret":                          "picture_unusable",
		"secretsecret":                                "picture_unusable",
		"data:image/png,secret":                       "picture_unusable",
		"data:image/png;base64,%%":                    "picture_unusable",
		"data:image/png;base64,AAAA":                  "picture_unusable",
		"http://127.0.0.1/secret":                     "address_unusable",
		"data:;base64," + strings.Repeat("A", 24<<20): "picture_too_large",
		"data:;base64," + base64.StdEncoding.EncodeToString(huge):        "picture_unusable",
		"data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53MyI+": "picture_unusable",
	} {
		_, err := s.Obtain(t.Context(), lang.Picture{Source: source}, download)
		refused, ok := errors.AsType[*platen.Error](err)
		if !ok || refused.Kind != platen.KindInvalid || refused.Code != want && !(want == "picture_unusable" && refused.Code == "picture_too_large") || strings.Contains(refused.Message, "secret") {
			t.Errorf("%.40s: got %v, want %s", source, err, want)
		}
	}
}

func TestADriveThatIsAwayIsNoFaultOfTheData(t *testing.T) {
	t.Parallel()
	away := platen.Errorf(platen.KindUnavailable, "drive_unavailable", "away")
	_, err := picture.Source{Direct: true}.Obtain(t.Context(), lang.Picture{Source: "1aBcD_-efgh"}, func(context.Context, string) ([]byte, error) { return nil, away })
	if !errors.Is(err, away) {
		t.Errorf("got %v, want %v", err, away)
	}
}

func TestGoogleGetsAddressesOnly(t *testing.T) {
	t.Parallel()
	inline := lang.Picture{Source: "data:;base64," + base64.StdEncoding.EncodeToString(pngOf(t))}
	public := lang.Picture{Source: "https://example.com/logo.png"}
	fetch := func(context.Context, string, int64) ([]byte, error) { return pngOf(t), nil }
	without := picture.Source{Fetch: fetch}
	if got, err := without.Obtain(t.Context(), public, nil); err != nil || got.URI != public.Source {
		t.Errorf("a public picture: got %+v, %v", got, err)
	}
	for _, p := range []lang.Picture{inline, {Source: "text", Code: syntax.SymbologyQR}} {
		if _, err := without.Obtain(t.Context(), p, nil); platen.KindOf(err) != platen.KindInvalid || !strings.Contains(err.Error(), "PLATEN_PICTURES_URL") {
			t.Errorf("got %v, want a finding that names the setting", err)
		}
	}
	with := picture.Source{Fetch: fetch, Publish: func(_ context.Context, data []byte, mediaType string) (string, error) {
		return "https://api.example.com/pictures/" + mediaType, nil
	}}
	if got, err := with.Obtain(t.Context(), inline, nil); err != nil || got.URI != "https://api.example.com/pictures/image/png" {
		t.Errorf("got %+v, %v", got, err)
	}
}
