package docs

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/opc"
)

// pixel is a PNG of one.
const pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func insertPicture(index int64, segment, uri string, size *gdocs.Size) *gdocs.Request {
	return &gdocs.Request{InsertInlineImage: &gdocs.InsertInlineImageRequest{
		Location: &gdocs.Location{Index: index, SegmentId: segment}, Uri: uri, ObjectSize: size,
	}}
}

func length(points float64) *gdocs.Dimension { return &gdocs.Dimension{Magnitude: points, Unit: "PT"} }

func TestApplyInsertsPictures(t *testing.T) {
	t.Parallel()
	d := docx(t, para("ab")+para("c"))
	requests := []*gdocs.Request{
		insertPicture(4, "", pixel, &gdocs.Size{Width: length(30)}),
		insertPicture(2, "", pixel, &gdocs.Size{Width: length(20), Height: length(10)}),
		insertPicture(0, "kix.header1", "data:image/png;sha256=6b7fa434f92a8b80aab02d9bf1a12e49ffcae424e4013a1c4f68b67e3d2bbcd0;base64,", nil),
	}
	responses, err := Apply(d, "id", requests)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, r := range responses {
		ids[r.InsertInlineImage.ObjectId] = true
	}
	if len(ids) != len(requests) || ids[""] {
		t.Errorf("got the ids %v, want one for each picture", ids)
	}
	d = reread(t, d)
	got := get(t, d)
	var sizes []string
	for _, e := range got.Body.Content {
		if e.Paragraph == nil {
			continue
		}
		for _, r := range e.Paragraph.Elements {
			if r.InlineObjectElement != nil {
				size := got.InlineObjects[r.InlineObjectElement.InlineObjectId].InlineObjectProperties.EmbeddedObject.Size
				sizes = append(sizes, fmt.Sprintf("%g×%g", size.Width.Magnitude, size.Height.Magnitude))
			}
		}
	}
	if want := "20×10 30×30"; strings.Join(sizes, " ") != want {
		t.Errorf("got pictures of %v, want %s", sizes, want)
	}
	if n := len(got.Headers["kix.header1"].Content[0].Paragraph.Elements); n < 2 {
		t.Errorf("got %d elements in the header, want a picture and text", n)
	}
	media := 0
	for _, part := range []string{"word/document.xml", "word/header1.xml"} {
		for _, r := range d.Package.Relationships(part) {
			if r.Type == "image" {
				media++
				if d.Package.ContentType(r.Target) != "image/png" {
					t.Errorf("%s has the type %q", r.Target, d.Package.ContentType(r.Target))
				}
			}
		}
	}
	if media != 2 {
		t.Errorf("got %d relationships to the picture, want one for each part", media)
	}
}

func TestApplyFetchesNothingAndRefusesWhatIsNoPicture(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*gdocs.Request{
		"an address":             insertPicture(1, "", "https://example.com/logo.png", nil),
		"an address of our own":  insertPicture(1, "", "http://127.0.0.1:8080/", nil),
		"a file":                 insertPicture(1, "", "file:///etc/passwd", nil),
		"nothing":                insertPicture(1, "", "", nil),
		"a vector":               insertPicture(1, "", "data:image/svg+xml;base64,PHN2Zy8+", nil),
		"a text":                 insertPicture(1, "", "data:text/plain;base64,YQ==", nil),
		"no base64":              insertPicture(1, "", "data:image/png;base64,!", nil),
		"a size of nothing":      insertPicture(1, "", pixel, &gdocs.Size{Width: length(0)}),
		"a size beyond anything": insertPicture(1, "", pixel, &gdocs.Size{Width: length(1e9)}),
		"another unit":           insertPicture(1, "", pixel, &gdocs.Size{Width: &gdocs.Dimension{Magnitude: 1, Unit: "EMU"}}),
		"a footnote":             insertPicture(0, "kix.footnote2", pixel, nil),
		"behind the end":         insertPicture(99, "", pixel, nil),
		"no place":               {InsertInlineImage: &gdocs.InsertInlineImageRequest{Uri: pixel}},
	} {
		_, err := Apply(docx(t, para("ab")), "id", []*gdocs.Request{r})
		if _, ok := errors.AsType[*opc.RequestError](err); !ok || !strings.Contains(err.Error(), "Invalid requests[0].insertInlineImage: ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
