package slides

import (
	"fmt"
	"strings"
	"testing"

	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/pml"
)

func createSlide(id string, r *gslides.LayoutReference, mappings ...*gslides.LayoutPlaceholderIdMapping) *gslides.Request {
	return &gslides.Request{CreateSlide: &gslides.CreateSlideRequest{ObjectId: id, SlideLayoutReference: r, PlaceholderIdMappings: mappings}}
}

func mapping(kind string, index int64, id string) *gslides.LayoutPlaceholderIdMapping {
	return &gslides.LayoutPlaceholderIdMapping{LayoutPlaceholder: &gslides.Placeholder{Type: kind, Index: index}, ObjectId: id}
}

// layoutOf is a layout of a type, with a title, a body, a second body and what
// stands at the foot of a slide.
func layoutOf(kind string) string {
	place := func(id, ph string) string {
		return `<p:sp><p:nvSpPr><p:cNvPr id="` + id + `" name="Place ` + id + `"/><p:cNvSpPr/><p:nvPr><p:ph ` + ph + `/></p:nvPr></p:nvSpPr><p:spPr/></p:sp>`
	}
	return `<p:sldLayout` + rootNamespaces + ` type="` + kind + `"><p:cSld name="Mine"><p:spTree>` +
		place("2", `type="title"`) + place("3", `type="body" idx="1"`) + place("4", `type="body" idx="13"`) +
		place("5", `type="dt" idx="10"`) + place("6", `type="ftr" idx="11"`) + place("7", `type="sldNum" idx="12"`) + sp("8", para("decor")) +
		`</p:spTree></p:cSld></p:sldLayout>`
}

func withLayout(t *testing.T, kind string) *pml.Presentation {
	t.Helper()
	return pptxWith(t, sp("2", para("a")), "", map[string]string{"ppt/slideLayouts/slideLayout2.xml": layoutOf(kind)})
}

// CreateSlideRequest, PredefinedLayout; the types of layouts in a file are those
// of ECMA-376 part 1, 19.7.15.
func TestPredefinedLayoutsAreFoundByTheirTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ predefined, kind string }{
		{"TITLE", "title"}, {"TITLE_AND_BODY", "obj"}, {"TITLE_AND_BODY", "tx"}, {"TITLE_AND_TWO_COLUMNS", "twoObj"}, {"TITLE_AND_TWO_COLUMNS", "twoColTx"},
		{"TITLE_ONLY", "titleOnly"}, {"SECTION_HEADER", "secHead"}, {"CAPTION_ONLY", "picTx"}, {"CAPTION_ONLY", "objTx"},
	} {
		p := withLayout(t, c.kind)
		apply(t, p, createSlide("new_one", &gslides.LayoutReference{PredefinedLayout: c.predefined}))
		if got := get(t, reread(t, p)).Slides[1].SlideProperties.LayoutObjectId; got != "layout_slideLayout2" {
			t.Errorf("%s of %s: got the layout %q", c.predefined, c.kind, got)
		}
		other := createSlide("new_one", &gslides.LayoutReference{PredefinedLayout: "MAIN_POINT"})
		if got := refuse(t, withLayout(t, c.kind), other); got != "Invalid requests[0].createSlide: The predefined layout (MAIN_POINT) is not present in the current master." {
			t.Errorf("%s: got %q", c.kind, got)
		}
	}
}

func TestASlideWithoutAWishIsBlankOrHasTheFewestPlaces(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ one, two, want string }{
		"a blank one":         {layoutOf("tx"), strings.Replace(layoutOf("blank"), "Mine", "x", 1), "layout_slideLayout2"},
		"the fewest places":   {layoutOf("tx"), `<p:sldLayout` + rootNamespaces + `><p:cSld><p:spTree/></p:cSld></p:sldLayout>`, "layout_slideLayout2"},
		"the first of equals": {layoutOf("tx"), layoutOf("obj"), "layout_slideLayout1"},
	} {
		p := pptxWith(t, "", "", map[string]string{"ppt/slideLayouts/slideLayout1.xml": c.one, "ppt/slideLayouts/slideLayout2.xml": c.two})
		apply(t, p, createSlide("new_one", nil))
		if got := get(t, reread(t, p)).Slides[1].SlideProperties.LayoutObjectId; got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestANewSlideHasAnEmptyObjectForEachPlaceOfItsLayout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mappings []*gslides.LayoutPlaceholderIdMapping
		want     string
	}{
		"without ids":            {nil, "new_one_2=TITLE/0 new_one_3=BODY/1 new_one_4=BODY/13"},
		"by type":                {[]*gslides.LayoutPlaceholderIdMapping{mapping("TITLE", 0, "the_title"), nil}, "the_title=TITLE/0 new_one_3=BODY/1 new_one_4=BODY/13"},
		"by type and index":      {[]*gslides.LayoutPlaceholderIdMapping{mapping("BODY", 13, "second"), mapping("BODY", 1, "first_one")}, "new_one_2=TITLE/0 first_one=BODY/1 second=BODY/13"},
		"by the layout's object": {[]*gslides.LayoutPlaceholderIdMapping{{LayoutPlaceholderObjectId: "layout_slideLayout2_4", ObjectId: "second"}}, "new_one_2=TITLE/0 new_one_3=BODY/1 second=BODY/13"},
	} {
		p := withLayout(t, "tx")
		apply(t, p, createSlide("new_one", &gslides.LayoutReference{LayoutId: "layout_slideLayout2"}, c.mappings...))
		var got []string
		for _, e := range get(t, reread(t, p)).Slides[1].PageElements {
			got = append(got, fmt.Sprintf("%s=%s/%d", e.ObjectId, e.Shape.Placeholder.Type, e.Shape.Placeholder.Index))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %s, want %s", name, strings.Join(got, " "), c.want)
		}
	}
	p := withLayout(t, "tx")
	apply(t, p, createSlide("new_one", &gslides.LayoutReference{LayoutId: "layout_slideLayout2"}, mapping("TITLE", 0, "the_title")), insertInto("the_title", 0, "Hello"))
	p = reread(t, p)
	wantSketch(t, p, "slide_256: slide_256_2=a", "new_one: the_title=Hello new_one_3= new_one_4=")
	if got := partXML(t, p, "ppt/slides/slide2.xml"); !strings.Contains(got, `name="Place 2"`) || !strings.Contains(got, `<a:spLocks noGrp="1"/>`) || !strings.Contains(got, `</p:nvSpPr><p:spPr/><p:txBody>`) {
		t.Errorf("got %s", got)
	}
}

func TestSlidesThatCannotBeMadeAreRefused(t *testing.T) {
	t.Parallel()
	layout := &gslides.LayoutReference{LayoutId: "layout_slideLayout2"}
	at := func(index int64) *gslides.Request {
		return &gslides.Request{CreateSlide: &gslides.CreateSlideRequest{InsertionIndex: index}}
	}
	for name, c := range map[string]struct {
		request *gslides.Request
		want    string
	}{
		"behind the end":      {at(2), "The insertion index 2 must be at most the number of slides, 1."},
		"before the first":    {at(-1), "The insertion index -1 must be at most the number of slides, 1."},
		"an unknown layout":   {createSlide("", &gslides.LayoutReference{LayoutId: "slide_256"}), "The layout (slide_256) could not be found."},
		"an id in use":        {createSlide(box, nil), "The object ID (slide_256_2) should be unique among all pages and page elements in the presentation."},
		"no such place":       {createSlide("new_one", layout, mapping("BODY", 2, "the_body")), "The layout placeholder for the object ID (the_body) could not be found."},
		"a place of the foot": {createSlide("new_one", layout, mapping("DATE_AND_TIME", 10, "the_date")), "The layout placeholder for the object ID (the_date) could not be found."},
		"no place":            {createSlide("new_one", layout, &gslides.LayoutPlaceholderIdMapping{ObjectId: "the_body"}), "The layout placeholder for the object ID (the_body) could not be found."},
		"a place twice":       {createSlide("new_one", layout, mapping("TITLE", 0, "one_title"), mapping("TITLE", 0, "two_title")), "The layout placeholder for the object ID (two_title) could not be found."},
		"one id for two":      {createSlide("new_one", layout, mapping("TITLE", 0, "the_title"), mapping("BODY", 1, "the_title")), "The object ID (the_title) should be unique among all pages and page elements in the presentation."},
		"an id too short":     {createSlide("new_one", layout, mapping("TITLE", 0, "t")), "The object ID (t) must have 5 to 50 characters, the first of them a letter, a digit or _, the others also - or :."},
	} {
		if got := refuse(t, withLayout(t, "tx"), c.request); got != "Invalid requests[0].createSlide: "+c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestRequestsMakeABoundedNumberOfSlides(t *testing.T) {
	t.Parallel()
	d, err := open(pptx(t, "", ""))
	if err != nil {
		t.Fatal(err)
	}
	b := &batch{deck: d}
	for len(d.slides) < maxSlides {
		d.slides = append(d.slides, d.slides[0])
	}
	_, err = b.createSlide(&gslides.CreateSlideRequest{}, fmt.Errorf)
	if err == nil || err.Error() != "A presentation may have at most 1000 slides." {
		t.Errorf("got %v", err)
	}
	d.slides = d.slides[1:]
	if _, err := b.createSlide(&gslides.CreateSlideRequest{}, fmt.Errorf); err != nil {
		t.Errorf("the last that may be: got %v", err)
	}
}

// Numbers of slides begin behind 255 (ECMA-376 part 1, 19.7.13).
func TestANewSlideTakesTheNumberBehindTheHighest(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{"256": "slide_257", "300": "slide_301", "12": "slide_256"} {
		p := pptx(t, "", "")
		p.Package.SetPart("ppt/presentation.xml", "", []byte(strings.Replace(partXML(t, p, "ppt/presentation.xml"), `id="256"`, `id="`+before+`"`, 1)))
		if got := apply(t, reread(t, p), createSlide("", nil))[0].CreateSlide.ObjectId; got != want {
			t.Errorf("behind %s: got %s, want %s", before, got, want)
		}
	}
}

func TestAPartIsNamedByTheFirstFreeNumber(t *testing.T) {
	t.Parallel()
	p := pptxWith(t, "", "", map[string]string{"ppt/slides/slide3.xml": slidePart("")})
	apply(t, p, createSlide("new_one", nil), createSlide("new_two", nil))
	for _, part := range []string{"ppt/slides/slide2.xml", "ppt/slides/slide4.xml"} {
		if !p.Package.Has(part) || p.Package.ContentType(part) != slideType {
			t.Errorf("%s: got the type %q", part, p.Package.ContentType(part))
		}
	}
	if got, want := relationsPart("ppt/slides/slide2.xml"), "ppt/slides/_rels/slide2.xml.rels"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
