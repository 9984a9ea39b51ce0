package slides

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/officetest"
)

func duplicate(id string, ids map[string]string) *gslides.Request {
	return &gslides.Request{DuplicateObject: &gslides.DuplicateObjectRequest{ObjectId: id, ObjectIds: ids}}
}

func TestACopyOfAnObjectStandsBehindIt(t *testing.T) {
	t.Parallel()
	shapes := sp("2", para("a")) + group(sp("3", para("b"))+sp("4", para("c"))) + tableXML("x")
	for name, c := range map[string]struct {
		request  *gslides.Request
		id, want string
	}{
		"a shape":           {duplicate(box, nil), "slide_256_21", "slide_256_2 slide_256_21 slide_256_20[slide_256_3 slide_256_4] slide_256_9"},
		"under an id":       {duplicate(box, map[string]string{box: "my_copy"}), "my_copy", "slide_256_2 my_copy slide_256_20[slide_256_3 slide_256_4] slide_256_9"},
		"in a group":        {duplicate("slide_256_3", nil), "slide_256_21", "slide_256_2 slide_256_20[slide_256_3 slide_256_21 slide_256_4] slide_256_9"},
		"a group":           {duplicate("slide_256_20", nil), "slide_256_21", "slide_256_2 slide_256_20[slide_256_3 slide_256_4] slide_256_21[slide_256_22 slide_256_23] slide_256_9"},
		"a group with ids":  {duplicate("slide_256_20", map[string]string{"slide_256_4": "inner_c", "slide_256_20": "group_b"}), "group_b", "slide_256_2 slide_256_20[slide_256_3 slide_256_4] group_b[slide_256_22 inner_c] slide_256_9"},
		"a table":           {duplicate("slide_256_9", nil), "slide_256_21", "slide_256_2 slide_256_20[slide_256_3 slide_256_4] slide_256_9 slide_256_21"},
		"with an empty one": {duplicate(box, map[string]string{box: ""}), "slide_256_21", "slide_256_2 slide_256_21 slide_256_20[slide_256_3 slide_256_4] slide_256_9"},
	} {
		p := pptx(t, shapes, "")
		replies := apply(t, p, c.request)
		if got := ids(get(t, reread(t, p)).Slides[0].PageElements); got != c.want || replies[0].DuplicateObject.ObjectId != c.id {
			t.Errorf("%s: got %s and the id %s, want %s and %s", name, got, replies[0].DuplicateObject.ObjectId, c.want, c.id)
		}
	}
}

func TestACopyOfAnAlternativeStandsBehindAllOfIt(t *testing.T) {
	t.Parallel()
	p := pptx(t, `<mc:AlternateContent><mc:Choice Requires="p14">`+sp("2", para("new"))+`</mc:Choice><mc:Fallback>`+sp("2", para("old"))+`</mc:Fallback></mc:AlternateContent>`+sp("4", para("c")), "")
	apply(t, p, duplicate(box, nil), insertInto("slide_256_5", 0, "copy of "))
	wantSketch(t, p, "slide_256: slide_256_2=old slide_256_5=copy of old slide_256_4=c")
}

func TestACopyIsEditedByItself(t *testing.T) {
	t.Parallel()
	p := pptx(t, sp("2", para("a")), "")
	apply(t, p, duplicate(box, map[string]string{box: "copy_one"}), duplicate("copy_one", map[string]string{"copy_one": "copy_two"}),
		insertInto("copy_one", 0, "1"), insertInto("copy_two", 0, "2"), insertInto(box, 0, "0"), deleteObject("copy_one"))
	wantSketch(t, p, "slide_256: slide_256_2=0a copy_two=2a")
}

func TestACopiedSlideHasAllButWhatBelongsToOneSlideAlone(t *testing.T) {
	t.Parallel()
	relations := slideRelations + `<Relationship Id="c" Type="` + relationKind + `chart" Target="../charts/chart1.xml"/>` +
		`<Relationship Id="m" Type="` + relationKind + `comments" Target="../comments/comment1.xml"/>`
	p := pptxWith(t, sp("2", para("a")), sp("3", para("note")), map[string]string{
		"ppt/slides/_rels/slide1.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + relations + `</Relationships>`,
		"ppt/charts/chart1.xml":            `<c:chartSpace xmlns:c="c"/>`,
		"ppt/charts/_rels/chart1.xml.rels": officetest.RelationsStart + `<Relationship Id="x" Type="` + relationKind + `package" Target="../embeddings/Sheet1.xlsx"/><Relationship Id="i" Type="` + relationKind + `image" Target="../media/i.png"/></Relationships>`,
		"ppt/embeddings/Sheet1.xlsx":       "a workbook",
		"ppt/media/i.png":                  "a picture",
		"ppt/comments/comment1.xml":        `<p:cmLst xmlns:p="p"/>`,
		"ppt/notesSlides/_rels/notesSlide1.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<Relationship Id="s" Type="` + relationKind + `slide" Target="../slides/slide1.xml"/><Relationship Id="t" Type="` + relationKind + `theme" Target="../theme/theme1.xml"/></Relationships>`,
	})
	apply(t, p, duplicate("slide_256", map[string]string{"slide_256": "the_copy", box: "the_box"}))
	p = reread(t, p)
	wantSketch(t, p, "slide_256: slide_256_2=a", "the_copy: the_box=a")
	targets := func(part string) string {
		var all []string
		for _, r := range p.Package.Relationships(part) {
			all = append(all, r.Type+"="+r.Target)
		}
		slices.Sort(all)
		return strings.Join(all, " ")
	}
	if got, want := targets("ppt/slides/slide2.xml"), "chart=ppt/charts/chart2.xml hyperlink=https://example.com/ notesSlide=ppt/notesSlides/notesSlide2.xml slideLayout=ppt/slideLayouts/slideLayout1.xml"; got != want {
		t.Errorf("the copy leads to %s, want %s", got, want)
	}
	// What somebody changes in a chart of the copy is not changed in the original.
	if got, want := targets("ppt/charts/chart2.xml"), "image=ppt/media/i.png package=ppt/embeddings/Sheet2.xlsx"; got != want {
		t.Errorf("its chart leads to %s, want %s", got, want)
	}
	if got, want := targets("ppt/notesSlides/notesSlide2.xml"), "slide=ppt/slides/slide2.xml theme=ppt/theme/theme1.xml"; got != want {
		t.Errorf("its notes lead to %s, want %s", got, want)
	}
	if got, want := p.Package.ContentType("ppt/slides/slide2.xml"), slideType; got != want {
		t.Errorf("got the type %s, want %s", got, want)
	}
	if got, want := p.Package.ContentType("ppt/notesSlides/notesSlide2.xml"), notesType; got != want {
		t.Errorf("got the type %s, want %s", got, want)
	}
	// The id is kept with the properties of the tree, which come first in it
	// (ECMA-376 part 1, 19.3.1.45), also where the original has none.
	if got, want := partXML(t, p, "ppt/slides/slide2.xml"), `<p:spTree><p:nvGrpSpPr><p:cNvPr`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
	// Notes of the copy are its own.
	apply(t, p, insertInto("the_copy_notes_3", 0, "new "))
	doc := get(t, reread(t, p))
	for i, want := range []string{"note\n", "new note\n"} {
		if got := contentOf(t, doc.Slides[i].SlideProperties.NotesPage.PageElements[0].Shape.Text); got != want {
			t.Errorf("notes of the slide %d: got %q, want %q", i, got, want)
		}
	}
}

func TestACopyShowsEditsOfTheSameBatch(t *testing.T) {
	t.Parallel()
	p := pptx(t, sp("2", para("a")), "")
	apply(t, p, insertInto(box, 1, "b"), duplicate("slide_256", nil), insertInto(box, 2, "c"))
	wantSketch(t, p, "slide_256: slide_256_2=abc", "slide_257: slide_257_2=ab")
}

func TestCopiesThatCannotBeMadeAreRefused(t *testing.T) {
	t.Parallel()
	const taken = "The object ID (%) should be unique among all pages and page elements in the presentation."
	for name, c := range map[string]struct {
		request *gslides.Request
		want    string
	}{
		"of nothing":          {duplicate("nothing", nil), "The object (nothing) could not be found."},
		"of a layout":         {duplicate("layout_slideLayout1", nil), "This drive duplicates no pages but slides."},
		"of a master":         {duplicate("master_slideMaster1", nil), "This drive duplicates no pages but slides."},
		"of notes":            {duplicate("slide_256_notes", nil), "This drive duplicates no pages but slides."},
		"an id for another":   {duplicate(box, map[string]string{"slide_256_3": "new_id"}), "The object (slide_256_3) in objectIds is not part of what is duplicated."},
		"for nothing":         {duplicate(box, map[string]string{"nothing": "new_id"}), "The object (nothing) in objectIds is not part of what is duplicated."},
		"for notes":           {duplicate("slide_256", map[string]string{"slide_256_notes": "new_id"}), "The object (slide_256_notes) in objectIds is not part of what is duplicated."},
		"a short id":          {duplicate(box, map[string]string{box: "x"}), "The object ID (x) must have 5 to 50 characters, the first of them a letter, a digit or _, the others also - or :."},
		"an id in use":        {duplicate(box, map[string]string{box: "slide_256_3"}), strings.Replace(taken, "%", "slide_256_3", 1)},
		"its own id":          {duplicate(box, map[string]string{box: box}), strings.Replace(taken, "%", box, 1)},
		"one id for two":      {duplicate("slide_256", map[string]string{box: "new_id", "slide_256_3": "new_id"}), strings.Replace(taken, "%", "new_id", 1)},
		"the first of faults": {duplicate(box, map[string]string{"a_first": "new_id", "b_second": "x", box: "slide_256_3"}), "The object (a_first) in objectIds is not part of what is duplicated."},
	} {
		if got := refuse(t, pptx(t, sp("2", para("a"))+sp("3", para("b")), sp("4", para("c"))), c.request); got != "Invalid requests[0].duplicateObject: "+c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestCopiesCountAgainstTheElementsThatABatchMayAdd(t *testing.T) {
	t.Parallel()
	for id, what := range map[string]string{box: "an object", "slide_256": "a slide"} {
		for _, room := range []int{1000, 5} {
			d, err := open(pptx(t, sp("2", para("a")), ""))
			if err != nil {
				t.Fatal(err)
			}
			b := &batch{deck: d, spent: maxNewElements - room}
			_, err = b.duplicateObject(&gslides.DuplicateObjectRequest{ObjectId: id}, fmt.Errorf)
			if (err == nil) != (room == 1000) || err != nil && err.Error() != "The requests of one batch may add at most 300000 elements to the file." {
				t.Errorf("%s with room for %d elements: got %v", what, room, err)
			}
		}
	}
}
