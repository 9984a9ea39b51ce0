package slides

import (
	"errors"
	"strings"
	"testing"

	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/opc"
)

func TestApplyPutsPicturesIntoThePlaceOfShapes(t *testing.T) {
	t.Parallel()
	p := pptx(t, sp("2", para("{{Logo}}"))+group(sp("3", para("a {{Logo}} b")))+sp("4", para("{{logo}}")), para("{{Logo}}"))
	before := get(t, p)
	responses, err := Apply(p, "id", []*gslides.Request{shapesWithImage("{{Logo}}", pixel), shapesWithImage("{{Gone}}", "data:image/png;sha256=6b7fa434f92a8b80aab02d9bf1a12e49ffcae424e4013a1c4f68b67e3d2bbcd0;base64,")})
	if err != nil {
		t.Fatal(err)
	}
	if n := responses[0].ReplaceAllShapesWithImage.OccurrencesChanged; n != 2 {
		t.Errorf("got %d shapes replaced, want 2", n)
	}
	if n := responses[1].ReplaceAllShapesWithImage.OccurrencesChanged; n != 0 {
		t.Errorf("got %d shapes replaced without the text, want none", n)
	}
	after := get(t, reread(t, p))
	if got, want := after.Slides[0].PageElements[0].ObjectId, before.Slides[0].PageElements[0].ObjectId; got != want || after.Slides[0].PageElements[0].Image == nil {
		t.Errorf("the first object is %s, %+v; want a picture with the id %s", got, after.Slides[0].PageElements[0], want)
	}
	if inner := after.Slides[0].PageElements[1].ElementGroup.Children; len(inner) != 1 || inner[0].Image == nil {
		t.Errorf("in the group stands %+v, want a picture", inner)
	}
	if after.Slides[0].PageElements[2].Shape == nil {
		t.Error("a shape whose text differs in case went, too")
	}
	created, err := Apply(p, "id", []*gslides.Request{{CreateImage: &gslides.CreateImageRequest{Url: pixel, ElementProperties: &gslides.PageElementProperties{
		PageObjectId: after.Slides[0].ObjectId,
		Size:         &gslides.Size{Width: &gslides.Dimension{Magnitude: 100, Unit: "PT"}, Height: &gslides.Dimension{Magnitude: 50, Unit: "PT"}},
		Transform:    &gslides.AffineTransform{ScaleX: 1, ScaleY: 1, TranslateX: 12700, TranslateY: 0, Unit: "EMU"},
	}}}})
	if err != nil {
		t.Fatalf("createImage: %v", err)
	}
	elements := get(t, reread(t, p)).Slides[0].PageElements
	if last := elements[len(elements)-1]; last.ObjectId != created[0].CreateImage.ObjectId || last.Image == nil || last.Size.Width.Magnitude != 50*12700 || last.Transform.TranslateX != 26*12700 {
		t.Errorf("createImage made %+v of %+v at %+v, want a square in the middle of its frame", last, last.Size, last.Transform)
	}
	again := &gslides.Request{ReplaceImage: &gslides.ReplaceImageRequest{ImageObjectId: after.Slides[0].PageElements[0].ObjectId, Url: pixel}}
	if _, err := Apply(p, "id", []*gslides.Request{again}); err != nil {
		t.Errorf("replaceImage: %v", err)
	}
}

func TestApplyFetchesNothing(t *testing.T) {
	t.Parallel()
	cropped := shapesWithImage("x", pixel)
	cropped.ReplaceAllShapesWithImage.ImageReplaceMethod = "CENTER_CROP"
	elsewhere := shapesWithImage("x", pixel)
	elsewhere.ReplaceAllShapesWithImage.PageObjectIds = []string{"nowhere"}
	for name, r := range map[string]*gslides.Request{
		"an address":     shapesWithImage("x", "https://example.com/logo.png"),
		"no text":        shapesWithImage("", pixel),
		"no picture":     shapesWithImage("x", "data:image/png;base64,AAAA"),
		"another method": cropped,
		"another page":   elsewhere,
		"of no object":   {ReplaceImage: &gslides.ReplaceImageRequest{ImageObjectId: "nothing", Url: pixel}},
	} {
		_, err := Apply(pptx(t, sp("2", para("x")), ""), "id", []*gslides.Request{r})
		if _, ok := errors.AsType[*opc.RequestError](err); !ok || !strings.Contains(err.Error(), "Invalid requests[0].") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
