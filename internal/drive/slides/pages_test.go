package slides

import (
	"strings"
	"testing"

	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/pml"
)

// sectioned is a presentation of one slide, 256, in a section.
func sectioned(t *testing.T) *pml.Presentation {
	t.Helper()
	p := pptx(t, sp("2", para("a")), "")
	main := partXML(t, p, "ppt/presentation.xml")
	section := `<p:extLst><p:ext uri="{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"><p14:sectionLst xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main">` +
		`<p14:section name="One" id="{1}"><p14:sldIdLst><p14:sldId id="256"/></p14:sldIdLst></p14:section></p14:sectionLst></p:ext></p:extLst></p:presentation>`
	p.Package.SetPart("ppt/presentation.xml", "", []byte(strings.Replace(main, "</p:presentation>", section, 1)))
	return reread(t, p)
}

// listed writes the slides of the list of all, and of the sections.
func listed(t *testing.T, p *pml.Presentation) string {
	t.Helper()
	root := parse(t, partXML(t, p, "ppt/presentation.xml"))
	var all []string
	for _, e := range root.FindElements("./p:sldIdLst/p:sldId") {
		all = append(all, e.SelectAttrValue("id", ""))
	}
	all = append(all, "|")
	for _, e := range root.FindElements("//p14:sldId") {
		all = append(all, e.SelectAttrValue("id", ""))
	}
	return strings.Join(all, " ")
}

func TestSlidesComeAndGoInTheSectionOfTheirNeighbour(t *testing.T) {
	t.Parallel()
	create := func(at int64) *gslides.Request {
		return &gslides.Request{CreateSlide: &gslides.CreateSlideRequest{InsertionIndex: at, ForceSendFields: []string{"InsertionIndex"}}}
	}
	for name, c := range map[string]struct {
		requests []*gslides.Request
		want     string
	}{
		"one behind another":  {[]*gslides.Request{create(1)}, "256 257 | 256 257"},
		"one between":         {[]*gslides.Request{create(1), create(1)}, "256 258 257 | 256 258 257"},
		"a copy":              {[]*gslides.Request{create(1), {DuplicateObject: &gslides.DuplicateObjectRequest{ObjectId: "slide_256"}}}, "256 258 257 | 256 258 257"},
		"one before all":      {[]*gslides.Request{create(0)}, "257 256 | 256"},
		"deleted":             {[]*gslides.Request{create(1), deleteObject("slide_256")}, "257 | 257"},
		"made and deleted":    {[]*gslides.Request{create(1), deleteObject("slide_257")}, "256 | 256"},
		"a number used again": {[]*gslides.Request{create(1), deleteObject("slide_257"), create(1)}, "256 257 | 256 257"},
	} {
		p := sectioned(t)
		apply(t, p, c.requests...)
		if got := listed(t, p); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
		reread(t, p)
	}
}

func TestNothingLeadsToADeletedSlide(t *testing.T) {
	t.Parallel()
	p := sectioned(t)
	apply(t, p, &gslides.Request{DuplicateObject: &gslides.DuplicateObjectRequest{ObjectId: "slide_256", ObjectIds: map[string]string{"slide_256": "the_copy"}}})
	p = reread(t, p)
	const main = "ppt/presentation.xml"
	before := len(p.Package.Relationships(main))
	apply(t, p, deleteObject("slide_256"))
	p = reread(t, p)
	for _, r := range p.Package.Relationships(main) {
		if r.Target == "ppt/slides/slide1.xml" {
			t.Errorf("the relationship %s still does", r.ID)
		}
	}
	if got := len(p.Package.Relationships(main)); got != before-1 {
		t.Errorf("got %d relationships, want %d", got, before-1)
	}
	wantSketch(t, p, "the_copy: the_copy_2=a")
	for id, want := range map[string]string{
		"the_copy":            "The last slide of a presentation cannot be deleted.",
		"the_copy_notes":      "This drive deletes no pages but slides.",
		"layout_slideLayout1": "This drive deletes no pages but slides.",
		"master_slideMaster1": "This drive deletes no pages but slides.",
		"slide_256":           "The object (slide_256) could not be found.",
	} {
		if got := refuse(t, reread(t, p), deleteObject(id)); got != "Invalid requests[0].deleteObject: "+want {
			t.Errorf("%s: got %q, want %q", id, got, want)
		}
	}
}
