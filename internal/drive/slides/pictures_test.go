package slides

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	gslides "google.golang.org/api/slides/v1"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/pml"
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

// wide is a GIF of three by one: the logical screen of its header says so.
const wide = "data:image/gif;base64,R0lGODlhAwABAAAAACwAAAAAAwABAAA="

func TestPicturesTakeThePlaceOfShapesWithTheirText(t *testing.T) {
	t.Parallel()
	shapes := sp("2", para("a {{Logo}}")) + sp("3", para("{{logo}}")+para("b")) + group(sp("4", para("{{Lo")+para("go}}"))+sp("5", para("{{LOGO}}"))) + tableXML("{{Logo}}")
	find := func(text string, matchCase bool, pages ...string) *gslides.Request {
		r := shapesWithImage(text, pixel)
		r.ReplaceAllShapesWithImage.ContainsText.MatchCase, r.ReplaceAllShapesWithImage.PageObjectIds = matchCase, pages
		return r
	}
	for name, c := range map[string]struct {
		request *gslides.Request
		count   int64
		want    string
	}{
		"in one case":        {find("{{Logo}}", true), 1, "slide_256_2"},
		"in any case":        {find("{{Logo}}", false), 3, "slide_256_2 slide_256_3 slide_256_5"},
		"over a line feed":   {find("Lo\ngo", true), 1, "slide_256_4"},
		"on its page":        {find("{{logo}}", true, "slide_256"), 1, "slide_256_3"},
		"on another page":    {find("{{logo}}", true, "slide_256_notes"), 0, ""},
		"of what is nowhere": {find("{{None}}", true), 0, ""},
	} {
		p := pptx(t, shapes, "")
		replies := apply(t, p, c.request)
		var got []string
		var walk func([]*gslides.PageElement)
		walk = func(all []*gslides.PageElement) {
			for _, e := range all {
				if e.Image != nil {
					got = append(got, e.ObjectId)
				}
				if e.ElementGroup != nil {
					walk(e.ElementGroup.Children)
				}
			}
		}
		walk(get(t, reread(t, p)).Slides[0].PageElements)
		if strings.Join(got, " ") != c.want || replies[0].ReplaceAllShapesWithImage.OccurrencesChanged != c.count {
			t.Errorf("%s: got %d pictures %v, want %d %s", name, replies[0].ReplaceAllShapesWithImage.OccurrencesChanged, got, c.count, c.want)
		}
	}
}

func TestAPictureOfNotesIsPutThere(t *testing.T) {
	t.Parallel()
	p := pptx(t, sp("2", para("x")), sp("4", para("x")))
	r := shapesWithImage("x", pixel)
	r.ReplaceAllShapesWithImage.PageObjectIds = []string{"slide_256_notes"}
	apply(t, p, r)
	slide := get(t, reread(t, p)).Slides[0]
	if slide.PageElements[0].Image != nil || slide.SlideProperties.NotesPage.PageElements[0].Image == nil {
		t.Errorf("got %s, and notes of %s", sent(t, slide.PageElements[0]), sent(t, slide.SlideProperties.NotesPage.PageElements[0]))
	}
}

// CENTER_INSIDE: as large as the frame allows in the picture's proportions, in
// the middle of it.
func TestAPictureStandsInTheMiddleOfItsFrame(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		f             frame
		width, height int
		want          string
	}{
		"as high as wide":    {frame{100, 200, 600, 300, nil}, 10, 10, `<a:xfrm><a:off x="250" y="200"/><a:ext cx="300" cy="300"/></a:xfrm>`},
		"wider":              {frame{0, 0, 300, 300, nil}, 30, 10, `<a:xfrm><a:off x="0" y="100"/><a:ext cx="300" cy="100"/></a:xfrm>`},
		"higher":             {frame{0, 0, 300, 300, nil}, 10, 40, `<a:xfrm><a:off x="112" y="0"/><a:ext cx="75" cy="300"/></a:xfrm>`},
		"of its proportions": {frame{5, 6, 20, 10, nil}, 2, 1, `<a:xfrm><a:off x="5" y="6"/><a:ext cx="20" cy="10"/></a:xfrm>`},
		"turned":             {frame{0, 0, 10, 10, []etree.Attr{{Key: "rot", Value: "60000"}, {Key: "flipH", Value: "1"}}}, 1, 1, `<a:xfrm rot="60000" flipH="1"><a:off x="0" y="0"/><a:ext cx="10" cy="10"/></a:xfrm>`},
	} {
		e := pictureIn(c.f, "rId9", "7", "A & B", &opc.Bitmap{Width: c.width, Height: c.height})
		got := xmlOf(t, e.FindElement("./p:spPr/a:xfrm"))
		if got = strings.Replace(got, ` xmlns:a="`+drawingNS+`"`, "", 1); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
		if own := shapeProperties(e); own.SelectAttrValue("id", "") != "7" || own.SelectAttrValue("name", "") != "A & B" {
			t.Errorf("%s: got %s", name, xmlOf(t, own))
		}
	}
}

// Without a size of its own a shape has the one that it inherits.
func TestAFrameIsTheShapesOwnOrTheOneThatItInherits(t *testing.T) {
	t.Parallel()
	shape := func(properties string) *etree.Element {
		return parse(t, `<p:sp><p:spPr>`+properties+`</p:spPr></p:sp>`)
	}
	inherited := &pml.Shape{Frame: dml.Rect{X: 1, Y: 2, W: 3, H: 4}}
	for name, c := range map[string]struct {
		properties string
		resolved   *pml.Shape
		want       string
	}{
		"its own":         {`<a:xfrm rot="5" flipV="1" other="x"><a:off x="1" y="2"/><a:ext cx="3" cy="4"/></a:xfrm>`, inherited, "1 2 3 4 rot=5 flipV=1"},
		"no numbers":      {`<a:xfrm><a:off x="a" y="-2"/><a:ext cx="" cy="4"/></a:xfrm>`, inherited, "0 -2 0 4"},
		"without a size":  {`<a:xfrm><a:off x="1" y="2"/></a:xfrm>`, inherited, "12700 25400 38100 50800"},
		"without a place": {`<a:xfrm><a:ext cx="3" cy="4"/></a:xfrm>`, inherited, "12700 25400 38100 50800"},
		"inherited":       {``, inherited, "12700 25400 38100 50800"},
		"of nobody":       {``, nil, "0 0 0 0"},
	} {
		f := frameOf(shape(c.properties), c.resolved)
		got := fmt.Sprint(f.x, f.y, f.width, f.height)
		for _, a := range f.turned {
			got += " " + a.Key + "=" + a.Value
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestAPictureTakesTheIDAndTheAlternativesOfItsShape(t *testing.T) {
	t.Parallel()
	named := `<p:sp><p:nvSpPr><p:cNvPr id="7" name="Logo"><a:extLst><a:ext uri="` + idExtension + `"><platen:object xmlns:platen="` + idNamespace + `" id="my_own_box"/></a:ext></a:extLst></p:cNvPr><p:cNvSpPr/><p:nvPr/></p:nvSpPr>` +
		`<p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="300" cy="100"/></a:xfrm></p:spPr><p:txBody><a:bodyPr/>` + para("x") + `</p:txBody></p:sp>`
	p := pptx(t, `<mc:AlternateContent><mc:Choice Requires="p14">`+sp("3", para("x"))+`</mc:Choice><mc:Fallback>`+named+`</mc:Fallback></mc:AlternateContent>`+sp("2", para("y")), "")
	apply(t, p, shapesWithImage("x", wide))
	slide := get(t, reread(t, p)).Slides[0]
	e := slide.PageElements[0]
	if got := ids(slide.PageElements); got != "my_own_box slide_256_2" || e.Image == nil || e.Size.Width.Magnitude != 300 || e.Size.Height.Magnitude != 100 {
		t.Errorf("got %s, the first %s", got, sent(t, e))
	}
	if got := slideXML(t, p); strings.Contains(got, "AlternateContent") || !strings.Contains(got, `name="Logo"`) {
		t.Errorf("got %s", got)
	}
}

func TestAPictureIsReplacedInItsFrame(t *testing.T) {
	t.Parallel()
	p := pptx(t, sp("2", para("x")), "")
	apply(t, p, shapesWithImage("x", pixel), &gslides.Request{ReplaceImage: &gslides.ReplaceImageRequest{ImageObjectId: box, Url: wide, ImageReplaceMethod: "CENTER_INSIDE"}})
	p = reread(t, p)
	// The pixel stands in the middle of 127,000 × 254,000 as a square; in that,
	// the wide picture is a third as high.
	e := first(t, p)
	if e.ObjectId != box || e.Image == nil || e.Size.Width.Magnitude != 127_000 || e.Size.Height.Magnitude != 42_333 || e.Transform.TranslateX != 12_700 {
		t.Errorf("got %s", sent(t, e))
	}
	for _, r := range p.Package.Relationships("ppt/slides/slide1.xml") {
		if r.Type == "image" && !strings.HasSuffix(r.Target, ".gif") && !strings.HasSuffix(r.Target, ".png") {
			t.Errorf("got a picture %s", r.Target)
		}
	}
}

// Without a size a new picture has that of its pixels, at 96 to the inch.
func TestANewPictureHasTheSizeOfItsPixels(t *testing.T) {
	t.Parallel()
	p := pptx(t, "", "")
	apply(t, p, &gslides.Request{CreateImage: &gslides.CreateImageRequest{ObjectId: "my_image", Url: wide, ElementProperties: &gslides.PageElementProperties{
		PageObjectId: "slide_256", Transform: &gslides.AffineTransform{ScaleX: 2, ScaleY: 2, TranslateX: 7, Unit: "EMU"},
	}}})
	e := first(t, reread(t, p))
	if e.ObjectId != "my_image" || e.Size.Width.Magnitude != 2*3*9525 || e.Size.Height.Magnitude != 2*9525 || e.Transform.TranslateX != 7 {
		t.Errorf("got %s", sent(t, e))
	}
}

func TestPicturesThatCannotBeAreRefusedInGooglesWords(t *testing.T) {
	t.Parallel()
	replace := func(id, url, method string) *gslides.Request {
		return &gslides.Request{ReplaceImage: &gslides.ReplaceImageRequest{ImageObjectId: id, Url: url, ImageReplaceMethod: method}}
	}
	cropped, regex, elsewhere := shapesWithImage("x", pixel), shapesWithImage("x", pixel), shapesWithImage("x", pixel)
	cropped.ReplaceAllShapesWithImage.ImageReplaceMethod = "CENTER_CROP"
	regex.ReplaceAllShapesWithImage.ContainsText.SearchByRegex = true
	elsewhere.ReplaceAllShapesWithImage.PageObjectIds = []string{"slide_256", "nowhere"}
	for want, request := range map[string]*gslides.Request{
		"replaceImage: This drive supports no imageReplaceMethod but CENTER_INSIDE.":                  replace(box, pixel, "CENTER_CROP"),
		"replaceImage: The object (nothing) could not be found.":                                      replace("nothing", pixel, ""),
		"replaceImage: The object (slide_256_2) is not an image.":                                     replace(box, pixel, "IMAGE_REPLACE_METHOD_UNSPECIFIED"),
		"replaceAllShapesWithImage: This drive supports no imageReplaceMethod but CENTER_INSIDE.":     cropped,
		"replaceAllShapesWithImage: This drive does not support containsText.searchByRegex.":          regex,
		"replaceAllShapesWithImage: The page (nowhere) could not be found.":                           elsewhere,
		"replaceAllShapesWithImage: The text to find (containsText.text) must not be empty.":          {ReplaceAllShapesWithImage: &gslides.ReplaceAllShapesWithImageRequest{ImageUrl: pixel}},
		"createImage: The page of the new object (elementProperties.pageObjectId) must be specified.": {CreateImage: &gslides.CreateImageRequest{Url: pixel}},
	} {
		if got := refuse(t, pptx(t, sp("2", para("x")), ""), request); got != "Invalid requests[0]."+want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for kind, request := range map[string]*gslides.Request{
		"replaceImage": replace(box, "https://example.com/x.png", ""), "createImage": {CreateImage: &gslides.CreateImageRequest{Url: "https://example.com/x.png"}},
		"replaceAllShapesWithImage": shapesWithImage("y", "https://example.com/x.png"),
	} {
		p := pptx(t, sp("2", para("x")), "")
		if got := refuse(t, p, shapesWithImage("x", pixel), request); !strings.HasPrefix(got, "Invalid requests[1]."+kind+": The image cannot be inserted: ") {
			t.Errorf("got %q, want that %s fetches nothing", got, kind)
		}
	}
}

func TestAnObjectSaysWhatItsAlternativeTextIs(t *testing.T) {
	t.Parallel()
	said := func(description, title string, force ...string) *gslides.Request {
		return &gslides.Request{UpdatePageElementAltText: &gslides.UpdatePageElementAltTextRequest{ObjectId: box, Description: description, Title: title, ForceSendFields: force}}
	}
	replaced := &gslides.Request{ReplaceImage: &gslides.ReplaceImageRequest{ImageObjectId: box, Url: wide}}
	p := pptx(t, sp("2", para("x")), "")
	apply(t, p, shapesWithImage("x", pixel))
	for _, c := range []struct {
		request *gslides.Request
		want    string
	}{
		{said("Our \"logo\"", ""), "Our \"logo\"|"}, {said("", "Logo"), "Our \"logo\"|Logo"}, {replaced, "Our \"logo\"|Logo"},
		{said("New", "", "Title"), "New|"}, {said("", "", "Description", "Title"), "|"},
	} {
		apply(t, p, c.request)
		p = reread(t, p)
		if e := first(t, p); e.Description+"|"+e.Title != c.want {
			t.Errorf("got %s|%s, want %s", e.Description, e.Title, c.want)
		}
	}
	grouped := pptx(t, group(sp("4", para("x"))), "")
	of := said("x", "")
	of.UpdatePageElementAltText.ObjectId = first(t, grouped).ObjectId
	if got := refuse(t, grouped, of); !strings.Contains(got, "is a group") {
		t.Errorf("got %s", got)
	}
	for _, r := range []*gslides.Request{said(strings.Repeat("x", maxAltText+1), ""), {UpdatePageElementAltText: &gslides.UpdatePageElementAltTextRequest{ObjectId: "nothing", Description: "x"}}} {
		refuse(t, p, r)
	}
}
