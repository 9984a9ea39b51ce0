package slides

import (
	"fmt"
	"strings"
	"testing"

	gslides "google.golang.org/api/slides/v1"
)

// Google's rule for ids: 5 to 50 characters of [a-zA-Z0-9_-:], the first of
// them a word character.
func TestIDsThatMayBeGiven(t *testing.T) {
	t.Parallel()
	const want = ") must have 5 to 50 characters, the first of them a letter, a digit or _, the others also - or :."
	for id, ok := range map[string]bool{
		"abcde": true, "_a-:9": true, "00000": true, strings.Repeat("a", 50): true,
		"abcd": false, strings.Repeat("a", 51): false, "-abcd": false, ":abcd": false, "ab cd": false, "abc.d": false, "abcdé": false, "abcde\n": false,
	} {
		request := &gslides.Request{CreateSlide: &gslides.CreateSlideRequest{ObjectId: id}}
		if ok {
			if got := apply(t, pptx(t, "", ""), request)[0].CreateSlide.ObjectId; got != id {
				t.Errorf("%q: got %q", id, got)
			}
		} else if got := refuse(t, pptx(t, "", ""), request); got != "Invalid requests[0].createSlide: The object ID ("+fmt.Sprintf("%.60s", id)+want {
			t.Errorf("%q: got %q", id, got)
		}
	}
}

func TestAnIDIsGivenOnceInThePresentation(t *testing.T) {
	t.Parallel()
	for _, id := range []string{box, "slide_256", "slide_256_3", "slide_256_notes", "slide_256_notes_4", "layout_slideLayout1", "master_slideMaster1", "new_one"} {
		p := pptx(t, sp("2", para("a"))+group(sp("3", para("b"))), sp("4", para("c")))
		got := refuse(t, p,
			&gslides.Request{CreateShape: &gslides.CreateShapeRequest{ObjectId: "new_one", ShapeType: "CLOUD", ElementProperties: onPage("slide_256", 0, 0, 1, 1)}},
			&gslides.Request{CreateShape: &gslides.CreateShapeRequest{ObjectId: id, ShapeType: "CLOUD", ElementProperties: onPage("slide_256", 0, 0, 1, 1)}})
		if want := "Invalid requests[1].createShape: The object ID (" + id + ") should be unique among all pages and page elements in the presentation."; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAnIDIsKeptBesideTheExtensionsOfOthers(t *testing.T) {
	t.Parallel()
	const (
		other = `<a:ext uri="{OTHER}"><x/></a:ext>`
		ours  = `<a:ext uri="` + idExtension + `"><platen:object xmlns:platen="` + idNamespace + `" id="new_id"/></a:ext>`
		list  = `<a:extLst xmlns:a="` + drawingNS + `">`
	)
	for name, c := range map[string]struct{ before, id, want string }{
		"into nothing":            {``, "new_id", list + ours + `</a:extLst>`},
		"beside another":          {`<a:extLst>` + other + `</a:extLst>`, "new_id", `<a:extLst>` + other + ours + `</a:extLst>`},
		"in the place of one":     {`<a:extLst>` + strings.Replace(ours, "new_id", "old_id", 1) + other + `</a:extLst>`, "new_id", `<a:extLst>` + other + ours + `</a:extLst>`},
		"forgotten":               {`<a:extLst>` + ours + `</a:extLst>`, "", ``},
		"forgotten beside others": {`<a:extLst>` + other + ours + `</a:extLst>`, "", `<a:extLst>` + other + `</a:extLst>`},
		"nothing to forget":       {`<a:hlinkClick/>`, "", `<a:hlinkClick/>`},
	} {
		e := parse(t, `<p:cNvPr>`+c.before+`</p:cNvPr>`)
		setOwnID(e, c.id)
		got := strings.TrimSuffix(strings.TrimPrefix(xmlOf(t, e), `<p:cNvPr>`), `</p:cNvPr>`)
		if c.want == "" && got != `<p:cNvPr/>` || c.want != "" && got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
		if got := ownID(e); got != c.id {
			t.Errorf("%s: got the id %q, want %q", name, got, c.id)
		}
	}
	setOwnID(nil, "new_id")
	if got := ownID(nil); got != "" {
		t.Errorf("without properties: got %q", got)
	}
}

func TestShapesTakeNumbersThatNoShapeOfThePageHas(t *testing.T) {
	t.Parallel()
	p := &page{root: parse(t, `<p:sld><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1"/></p:nvGrpSpPr><p:grpSp><p:x><p:cNvPr id="17"/></p:x></p:grpSp><p:y><p:cNvPr id="no"/></p:y><p:notCNvPr id="90"/></p:spTree></p:cSld></p:sld>`)}
	for want := int64(18); want < 21; want++ {
		if got := p.freeShape(); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
	if got := (&page{root: parse(t, `<p:sld/>`)}).freeShape(); got != 2 {
		t.Errorf("on an empty page: got %d, want 2, behind the tree's own", got)
	}
}

func TestABatchAddsABoundedNumberOfElements(t *testing.T) {
	t.Parallel()
	b := &batch{}
	if err := b.spend(maxNewElements, fmt.Errorf); err != nil {
		t.Errorf("all at once: %v", err)
	}
	if err := b.spend(1, fmt.Errorf); err == nil || err.Error() != "The requests of one batch may add at most 300000 elements to the file." {
		t.Errorf("one more: got %v", err)
	}
	if got := sizeOf(parse(t, `<a><b><c/>text<c/></b><d/></a>`)); got != 5 {
		t.Errorf("got %d elements, want 5", got)
	}
}
