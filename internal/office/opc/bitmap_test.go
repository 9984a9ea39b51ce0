package opc

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"reflect"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/officetest"
)

func TestAPictureIsReadAgainByItsSHA256(t *testing.T) {
	t.Parallel()
	const pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	const sum = "6b7fa434f92a8b80aab02d9bf1a12e49ffcae424e4013a1c4f68b67e3d2bbcd0"
	const again = "data:image/png;sha256=" + sum + ";base64,"
	var b Bitmaps
	if _, err := b.Read(again); err == nil || !strings.Contains(err.Error(), "came before") {
		t.Errorf("before the picture: got %v, want an error", err)
	}
	first, err := b.Read(pixel)
	if err != nil {
		t.Fatal(err)
	}
	if first.sum != sum {
		t.Fatalf("got the SHA-256 %s, want %s", first.sum, sum)
	}
	for _, uri := range []string{again, strings.ToUpper(again)} {
		if got, err := b.Read(uri); err != nil || got != first {
			t.Errorf("%s: got %p, %v, want %p", uri, got, err, first)
		}
	}
	for _, uri := range []string{"data:image/png;base64,", "data:image/png;sha256=00;base64,", "data:text/plain;sha256=" + sum + ";base64,"} {
		if _, err := b.Read(uri); err == nil {
			t.Errorf("%s: got no error", uri)
		}
	}
	long := "data:image/png;sha256=" + strings.Repeat("0", 200) + ";base64,"
	if _, err := b.Read(long); err == nil || !strings.Contains(err.Error(), "not a PNG") {
		t.Errorf("a URI that is too long for a SHA-256: got %v, want it read as a picture", err)
	}
}

// picture is the data URI of a picture of that size.
func picture(t *testing.T, format string, width, height int) string {
	t.Helper()
	var out bytes.Buffer
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black, color.White})
	var err error
	switch format {
	case "png":
		err = png.Encode(&out, img)
	case "jpeg":
		err = jpeg.Encode(&out, img, nil)
	case "gif":
		err = gif.Encode(&out, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dataURI(out.Bytes())
}

// dataURI declares any data as a PNG.
func dataURI(data []byte) string {
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)
}

// screen is what of a GIF says how large it is: its header (GIF89a, 17 and 18).
func screen(width, height uint16) []byte {
	header := binary.LittleEndian.AppendUint16([]byte("GIF89a"), width)
	return append(binary.LittleEndian.AppendUint16(header, height), 0, 0, 0)
}

func TestABitmapIsWhatItsBytesSayAndNotItsURI(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"png", "jpeg", "gif"} {
		uri := picture(t, format, 3, 2)
		for _, spelled := range []string{uri, strings.Replace(uri, "data:image/png;base64", "DATA:Image/X;BASE64", 1)} {
			b, err := ReadBitmap(spelled)
			if err != nil {
				t.Errorf("%.30s: %v", spelled, err)
				continue
			}
			if b.Width != 3 || b.Height != 2 || b.format != format || dataURI(b.data) != uri || b.sum != fmt.Sprintf("%x", sha256.Sum256(b.data)) {
				t.Errorf("%.30s: got %d × %d, %s of %s; want 3 × 2, %s", spelled, b.Width, b.Height, b.format, b.sum, format)
			}
		}
	}
}

func TestAPictureHasTheAlternativeTextOfEachOfItsPlaces(t *testing.T) {
	t.Parallel()
	uri := picture(t, "png", 3, 2)
	read, err := ReadBitmap(uri)
	if err != nil {
		t.Fatal(err)
	}
	again := "data:image/png;sha256=" + read.sum + ";base64,"
	var batch Bitmaps
	for _, c := range []struct{ uri, parameter, want string }{
		{uri, "", ""}, {uri, ";alt=Our%20logo%2C%20%22%3B%F0%9F%94%A9", `Our logo, ";🔩`}, {again, "", ""}, {again, ";alt=" + strings.Repeat("%C3%BC", 1000), strings.Repeat("ü", 1000)}, {again, ";alt=", ""},
	} {
		got, err := batch.Read(strings.Replace(c.uri, "data:image/png", "data:image/png"+c.parameter, 1))
		if err != nil || got.Alt != c.want || got.sum != read.sum {
			t.Errorf("%.40s: got %+v, %v; want the text %.40s", c.parameter, got, err, c.want)
		}
	}
}

func TestPicturesThatAreRefused(t *testing.T) {
	t.Parallel()
	letters := func(n int) string { return "data:image/png;base64," + strings.Repeat("A", n) }
	most := base64.StdEncoding.EncodedLen(16 << 20)
	for _, c := range []struct{ name, uri, want string }{
		{"an address", "https://example.com/a.png", "fetches nothing"},
		{"an address with a comma", "https://example.com/a,b.png;base64,", "fetches nothing"},
		{"nothing", "", "fetches nothing"},
		{"no data", "data:image/png;base64", "fetches nothing"},
		{"not base64", "data:image/png,abc", "fetches nothing"},
		{"not a picture by its type", "data:text/plain;base64,YQ==", "fetches nothing"},
		{"broken base64", "data:image/png;base64,a=b", "is not base64"},
		{"base64 of addresses", "data:image/png;base64,-_-_", "is not base64"},
		{"text", "data:image/png;base64,YQ==", "not a PNG, JPEG or GIF"},
		{"no bytes", "data:image/png;base64,", "not a PNG, JPEG or GIF"},
		{"16 MiB of zeros", letters(most), "not a PNG, JPEG or GIF"},
		{"more than 16 MiB", letters(most + 1), "larger than 16 MiB"},
		{"a text that is not escaped", "data:image/png;alt=5%;base64,YQ==", "its alternative text is not escaped"},
		{"a text of 1,001 characters", "data:image/png;alt=" + strings.Repeat("%C3%BC", 1001) + ";base64,YQ==", "longer than 1000 characters"},
		{"without width", dataURI(screen(0, 9)), "has no pixels"},
		{"without height", dataURI(screen(9, 0)), "has no pixels"},
		{"25,005,000 pixels", dataURI(screen(5000, 5001)), "more than 25 million"},
	} {
		if got, err := new(Bitmaps).Read(c.uri); err == nil || !strings.Contains(err.Error(), c.want) || got != nil {
			t.Errorf("%s: got %v, %v; want an error with %q", c.name, got, err, c.want)
		}
	}
	if b, err := ReadBitmap(dataURI(screen(5000, 5000))); err != nil || b.Width != 5000 {
		t.Errorf("25 million pixels: got %v, want no error", err)
	}
}

func TestAPictureIsStoredOnceForAllItsPlaces(t *testing.T) {
	t.Parallel()
	p := read(t, officetest.Zip(t, officetest.WordParts(`<w:p/>`, map[string]string{"header1": `<w:p/>`})))
	b, err := ReadBitmap(picture(t, "gif", 2, 2))
	if err != nil {
		t.Fatal(err)
	}
	add := func(part string) string {
		id, err := p.AddBitmap(part, b)
		if err != nil {
			t.Fatalf("%s: %v", part, err)
		}
		return id
	}
	first, again, inHeader := add(mainPart), add(mainPart), add("word/header1.xml")
	if first != again {
		t.Errorf("got the ids %s and %s, want one", first, again)
	}
	p = reread(t, p)
	want := "word/media/platen-" + b.sum + ".gif"
	for part, id := range map[string]string{mainPart: first, "word/header1.xml": inHeader} {
		if r, ok := p.Relationship(part, id); !ok || r.Type != "image" || r.Target != want || r.External {
			t.Errorf("%s: got %+v, %t; want the image %s", part, r, ok, want)
		}
	}
	if got := content(t, p, want); got != string(b.data) {
		t.Errorf("got %d bytes, want those of the picture, %d", len(got), len(b.data))
	}
	if got := p.ContentType(want); got != "image/gif" {
		t.Errorf("got the content type %q, want image/gif", got)
	}
	if got := p.ContentType("word/_rels/header1.xml.rels"); got != "application/vnd.openxmlformats-package.relationships+xml" {
		t.Errorf("got the content type %q for relationships", got)
	}
}

func TestRelateReusesARelationshipOfTheSameKindAndTarget(t *testing.T) {
	t.Parallel()
	const image = `Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" `
	p := document(t, relations(`<Relationship Id="rId1" `+image+`Target="media/a.png"/><Relationship Id="rId3" `+image+`Target="https://example.com/a.png" TargetMode="External"/>`))
	cases := []struct {
		name, kind, target string
		external           bool
		want               string
	}{
		{"the same part", "image", "/word/media/a.png", false, "rId1"},
		{"the same address", "image", "https://example.com/a.png", true, "rId3"},
		{"another kind", "hyperlink", "https://example.com/a.png", true, "rId4"}, // the third, but rId3 is taken
		{"another target", "image", "/word/media/b.png", false, "rId5"},          // the fourth, but rId4 is taken
		{"an address like the part", "image", "word/media/a.png", true, "rId6"},
		{"a new one again", "image", "/word/media/b.png", false, "rId5"},
	}
	for _, c := range cases {
		got, err := p.Relate(mainPart, c.kind, c.target, c.external)
		if err != nil || got != c.want {
			t.Errorf("%s: got %q, %v; want %q", c.name, got, err, c.want)
		}
	}
	want := []Relationship{
		{"rId1", "image", "word/media/a.png", false}, {"rId3", "image", "https://example.com/a.png", true}, {"rId4", "hyperlink", "https://example.com/a.png", true},
		{"rId5", "image", "word/media/b.png", false}, {"rId6", "image", "word/media/a.png", true},
	}
	if got := reread(t, p).Relationships(mainPart); !reflect.DeepEqual(got, want) {
		t.Errorf("written:\n got %+v\nwant %+v", got, want)
	}
}

func TestRelateWritesInTheNamespaceOfTheFile(t *testing.T) {
	t.Parallel()
	p := document(t, map[string]string{"word/_rels/document.xml.rels": `<q:Relationships xmlns:q="http://schemas.openxmlformats.org/package/2006/relationships"/>`})
	if _, err := p.Relate("/"+mainPart, "hyperlink", "https://example.com/", true); err != nil {
		t.Fatal(err)
	}
	want := `<q:Relationships xmlns:q="http://schemas.openxmlformats.org/package/2006/relationships"><q:Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" ` +
		`Target="https://example.com/" TargetMode="External"/></q:Relationships>`
	if got := content(t, p, "word/_rels/document.xml.rels"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRelateTellsThatRelationshipsCannotBeRead(t *testing.T) {
	t.Parallel()
	p := document(t, map[string]string{"word/_rels/document.xml.rels": "<Relationships>"})
	id, err := p.Relate(mainPart, "image", "/word/a.png", false)
	wantFormatError(t, err, "document.xml.rels is not valid XML")
	if id != "" {
		t.Errorf("got the id %q, want none", id)
	}
}
