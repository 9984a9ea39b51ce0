package docs

import (
	"errors"
	"fmt"
	"math"
	"slices"
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

func TestAPictureKeepsItsProportionsWhereOneSideIsGiven(t *testing.T) {
	t.Parallel()
	emu := &gdocs.Dimension{Magnitude: 1, Unit: "EMU"}
	for name, c := range map[string]struct {
		size          *gdocs.Size
		width, height float64
	}{
		"no size":        {nil, 300, 150}, // 400 × 200 pixels, at 96 to the inch of 72 points
		"an empty size":  {&gdocs.Size{}, 300, 150},
		"a width":        {&gdocs.Size{Width: length(10)}, 10, 5},
		"a height":       {&gdocs.Size{Height: length(10)}, 20, 10},
		"both":           {&gdocs.Size{Width: length(10), Height: length(30)}, 10, 30},
		"the greatest":   {&gdocs.Size{Width: length(maxSide)}, maxSide, maxSide / 2},
		"beyond by half": {&gdocs.Size{Height: length(maxSide)}, maxSide, maxSide},
	} {
		width, height, err := pictureSize(c.size, &opc.Bitmap{Width: 400, Height: 200}, fmt.Errorf)
		if err != nil || width != c.width || height != c.height {
			t.Errorf("%s: got %v × %v, %v; want %v × %v", name, width, height, err, c.width, c.height)
		}
	}
	for name, size := range map[string]*gdocs.Size{
		"nothing":           {Width: length(0)},
		"less than nothing": {Height: length(-1)},
		"too much":          {Width: length(maxSide + 1)},
		"no number":         {Height: length(math.NaN())},
		"another unit":      {Width: emu},
		"no unit":           {Width: &gdocs.Dimension{Magnitude: 1}},
		"one of two":        {Width: length(1), Height: emu},
	} {
		_, _, err := pictureSize(size, &opc.Bitmap{Width: 1, Height: 1}, fmt.Errorf)
		if err == nil || err.Error() != "The object size must be in PT, more than 0 and at most 100000." {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Word repairs a file in which two drawings have one number.
func TestPicturesTakeNumbersThatNoDrawingOfAnyStoryHas(t *testing.T) {
	t.Parallel()
	drawing := func(id string) string {
		return `<w:p><w:r><w:drawing><wp:inline><wp:docPr id="` + id + `" name="x"/></wp:inline></w:drawing></w:r></w:p>`
	}
	d := docxWith(t, drawing("3")+tableXML([]string{drawing("12")})+drawing("none")+para("a"), map[string]string{
		"header1": `<w:hdr` + namespaces + `>` + drawing("40") + `</w:hdr>`,
	})
	apply(t, d, insertPicture(1, "", pixel, nil), insertPicture(1, "", pixel, nil))
	var got []string
	for _, e := range element(t, partXML(t, d, "word/document.xml")).FindElements("//wp:docPr") {
		got = append(got, e.SelectAttrValue("id", ""))
	}
	slices.Sort(got)
	if want := "12 3 41 42 none"; strings.Join(got, " ") != want {
		t.Errorf("got the numbers %v, want %s", got, want)
	}
}

func TestAPictureStandsBetweenTheTextAroundIt(t *testing.T) {
	t.Parallel()
	for at, want := range map[int64]string{1: "§<object>ab¶", 2: "§a<object>b¶", 3: "§ab<object>¶"} {
		if got := applyTo(t, para("ab"), insertPicture(at, "", pixel, nil)); got != want {
			t.Errorf("at %d: got %q, want %q", at, got, want)
		}
	}
	if got := applyTo(t, para("ab"), insertPicture(2, "", pixel, nil), insertAt(3, "-"), deleteRange(2, 3)); got != "§a-b¶" {
		t.Errorf("deleted again: got %q", got)
	}
}

func TestPicturesThatCannotBeInsertedAreRefusedInGooglesWords(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]*gdocs.Request{
		"Inline images cannot be inserted inside a footnote.":                    insertPicture(0, "kix.endnote3", pixel, nil),
		"The insertion location must be specified.":                              {InsertInlineImage: &gdocs.InsertInlineImageRequest{Uri: pixel}},
		"Index 99 must be less than the end index of the referenced segment, 3.": insertPicture(99, "", pixel, nil),
		"The object size must be in PT, more than 0 and at most 100000.":         insertPicture(1, "", pixel, &gdocs.Size{Height: length(-1)}),
		"Segment with ID kix.textbox9 was not found.":                            insertPicture(1, "kix.textbox9", pixel, nil),
	} {
		d := docxWith(t, para("a"), map[string]string{"endnotes": `<w:endnotes` + namespaces + `><w:endnote w:id="3">` + para("e") + `</w:endnote></w:endnotes>`})
		if got := refuse(t, d, r); got != "Invalid requests[0].insertInlineImage: "+want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// The answer to a request names the picture that documents.get lists, and that
// says where its pixels are.
func TestAPictureHasOneIDAndAPart(t *testing.T) {
	t.Parallel()
	d := docx(t, para("ab"))
	var answered []string
	for range 2 {
		responses, err := Apply(d, "id", []*gdocs.Request{insertPicture(1, "", pixel, nil)})
		if err != nil {
			t.Fatal(err)
		}
		answered = append(answered, responses[0].InsertInlineImage.ObjectId)
		d = reread(t, d)
	}
	doc := get(t, d)
	for _, id := range answered {
		object, ok := doc.InlineObjects[id]
		if !ok {
			t.Errorf("the answer names %s; got the objects %v", id, doc.InlineObjects)
			continue
		}
		part := object.InlineObjectProperties.EmbeddedObject.ImageProperties.ContentUri
		if d.Package.ContentType(part) != "image/png" {
			t.Errorf("%s: got the part %q, want that of a PNG", id, part)
		}
	}
	// Word and copies of rows give one number to several drawings.
	twice := `<w:p>` + strings.Repeat(inlinePicture("7"), 2) + `</w:p>`
	if n := len(get(t, docx(t, twice)).InlineObjects); n != 2 {
		t.Errorf("drawings of one number: got %d objects, want 2", n)
	}
}

// inlinePicture is a run with a drawing of that number.
func inlinePicture(number string) string {
	return `<w:r><w:drawing><wp:inline><wp:extent cx="12700" cy="12700"/><wp:docPr id="` + number + `" name="x"/></wp:inline></w:drawing></w:r>`
}
