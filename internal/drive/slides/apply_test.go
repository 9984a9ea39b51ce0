package slides

import (
	"strings"
	"testing"

	gslides "google.golang.org/api/slides/v1"
)

func deleteObject(id string) *gslides.Request {
	return &gslides.Request{DeleteObject: &gslides.DeleteObjectRequest{ObjectId: id}}
}

func TestEveryRequestHasItsReply(t *testing.T) {
	t.Parallel()
	p := pptx(t, sp("2", para("abc"))+tableXML("x"), "")
	at := &gslides.TableCellLocation{}
	replies := apply(t, p,
		insertInto(box, 0, "x"), deleteFrom(box, textRange(0, 1)),
		&gslides.Request{ReplaceAllText: &gslides.ReplaceAllTextRequest{ContainsText: &gslides.SubstringMatchCriteria{Text: "abc"}, ReplaceText: "abc"}},
		&gslides.Request{InsertTableRows: &gslides.InsertTableRowsRequest{TableObjectId: "slide_256_9", CellLocation: at, Number: 1}},
		&gslides.Request{CreateSlide: &gslides.CreateSlideRequest{ObjectId: "slide_b"}},
		&gslides.Request{CreateShape: &gslides.CreateShapeRequest{ObjectId: "shape_b", ShapeType: "CLOUD", ElementProperties: onPage("slide_b", 0, 0, 1, 1)}},
		&gslides.Request{CreateTable: &gslides.CreateTableRequest{ObjectId: "table_b", Rows: 1, Columns: 1, ElementProperties: onPage("slide_b", 0, 0, 1, 1)}},
		&gslides.Request{CreateImage: &gslides.CreateImageRequest{ObjectId: "image_b", Url: pixel, ElementProperties: onPage("slide_b", 0, 0, 1, 1)}},
		&gslides.Request{DuplicateObject: &gslides.DuplicateObjectRequest{ObjectId: "shape_b", ObjectIds: map[string]string{"shape_b": "shape_c"}}},
		shapesWithImage("abc", pixel),
	)
	var got []string
	for _, r := range replies {
		got = append(got, sent(t, r))
	}
	want := `{} {} {"replaceAllText":{"occurrencesChanged":1}} {} {"createSlide":{"objectId":"slide_b"}} {"createShape":{"objectId":"shape_b"}} {"createTable":{"objectId":"table_b"}} ` +
		`{"createImage":{"objectId":"image_b"}} {"duplicateObject":{"objectId":"shape_c"}} {"replaceAllShapesWithImage":{"occurrencesChanged":1}}`
	if strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
}

func TestKindsThatThisDriveDoesNotServeAreRefusedByTheirName(t *testing.T) {
	t.Parallel()
	for want, request := range map[string]*gslides.Request{
		"createLine":                      {CreateLine: &gslides.CreateLineRequest{}},
		"createSheetsChart":               {CreateSheetsChart: &gslides.CreateSheetsChartRequest{}},
		"deleteTableColumn":               {DeleteTableColumn: &gslides.DeleteTableColumnRequest{}},
		"groupObjects":                    {GroupObjects: &gslides.GroupObjectsRequest{}},
		"insertTableColumns":              {InsertTableColumns: &gslides.InsertTableColumnsRequest{}},
		"updatePageProperties":            {UpdatePageProperties: &gslides.UpdatePagePropertiesRequest{}},
		"updateShapeProperties":           {UpdateShapeProperties: &gslides.UpdateShapePropertiesRequest{}},
		"updateTableCellProperties":       {UpdateTableCellProperties: &gslides.UpdateTableCellPropertiesRequest{}},
		"updatePageElementsZOrder":        {UpdatePageElementsZOrder: &gslides.UpdatePageElementsZOrderRequest{}},
		"replaceAllShapesWithSheetsChart": {ReplaceAllShapesWithSheetsChart: &gslides.ReplaceAllShapesWithSheetsChartRequest{}},
	} {
		if got := refuse(t, pptx(t, "", ""), request); got != "Invalid requests[0]."+want+": This drive does not support this kind of request." {
			t.Errorf("%s: got %q", want, got)
		}
	}
}

func TestTextIsReplacedOnThePagesThatTheRequestNames(t *testing.T) {
	t.Parallel()
	replace := func(find, with string, matchCase bool, pages ...string) *gslides.Request {
		return &gslides.Request{ReplaceAllText: &gslides.ReplaceAllTextRequest{ContainsText: &gslides.SubstringMatchCriteria{Text: find, MatchCase: matchCase}, ReplaceText: with, PageObjectIds: pages}}
	}
	for name, c := range map[string]struct {
		request *gslides.Request
		count   int64
		want    string
	}{
		"on all":           {replace("ab", "x", false), 3, "x x\n|x\n"},
		"in one case":      {replace("AB", "x", true), 1, "ab x\n|ab\n"},
		"on the slide":     {replace("ab", "x", false, "slide_256"), 2, "x x\n|ab\n"},
		"on its notes":     {replace("ab", "x", false, "slide_256_notes"), 1, "ab AB\n|x\n"},
		"on both":          {replace("ab", "", true, "slide_256_notes", "slide_256"), 2, " AB\n|"},
		"on a layout":      {replace("ab", "x", false, "layout_slideLayout2"), 0, "ab AB\n|ab\n"},
		"what is stripped": {replace("ab", "\ue001", true, "slide_256"), 1, " AB\n|ab\n"},
	} {
		p := pptx(t, sp("2", para("ab AB")), sp("3", para("ab")))
		replies := apply(t, p, c.request)
		slide := get(t, reread(t, p)).Slides[0]
		got := contentOf(t, slide.PageElements[0].Shape.Text) + "|" + contentOf(t, slide.SlideProperties.NotesPage.PageElements[0].Shape.Text)
		if got != c.want || replies[0].ReplaceAllText.OccurrencesChanged != c.count {
			t.Errorf("%s: got %q after %d changes, want %q after %d", name, got, replies[0].ReplaceAllText.OccurrencesChanged, c.want, c.count)
		}
	}
	for want, r := range map[string]*gslides.ReplaceAllTextRequest{
		"The text to find (containsText.text) must not be empty.": {ContainsText: &gslides.SubstringMatchCriteria{}},
		"This drive does not support containsText.searchByRegex.": {ContainsText: &gslides.SubstringMatchCriteria{Text: "a", SearchByRegex: true}},
		"The page (slide_256_2) could not be found.":              {ContainsText: &gslides.SubstringMatchCriteria{Text: "a"}, PageObjectIds: []string{"slide_256", box}},
	} {
		if got := refuse(t, pptx(t, sp("2", para("a")), ""), &gslides.Request{ReplaceAllText: r}); got != "Invalid requests[0].replaceAllText: "+want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestEditsOfOneTextAndReplacementsSeeEachOther(t *testing.T) {
	t.Parallel()
	replace := func(find, with string) *gslides.Request {
		return &gslides.Request{ReplaceAllText: &gslides.ReplaceAllTextRequest{ContainsText: &gslides.SubstringMatchCriteria{Text: find}, ReplaceText: with}}
	}
	p := pptx(t, sp("2", para("one")), "")
	apply(t, p, replace("one", "two"), insertInto(box, 3, "!"), replace("two!", "three"), deleteFrom(box, textRange(0, 2)), replace("ree", "end"))
	if got := contentOf(t, first(t, reread(t, p)).Shape.Text); got != "end\n" {
		t.Errorf("got %q", got)
	}
}

func TestADeletedObjectLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shapes, id, want string
	}{
		"a shape":                   {sp("2", para("a")) + sp("3", para("b")), box, "slide_256_3"},
		"in a group":                {group(sp("2", para("a")) + sp("3", para("b"))), box, "slide_256_20[slide_256_3]"},
		"the last of a group":       {sp("4", para("c")) + group(sp("2", para("a"))), box, "slide_256_4"},
		"the last of nested groups": {sp("4", para("c")) + group(group(sp("2", para("a")))), box, "slide_256_4"},
		"a group":                   {sp("4", para("c")) + group(sp("2", para("a"))), "slide_256_20", "slide_256_4"},
		"a table":                   {tableXML("a") + sp("2", para("b")), "slide_256_9", box},
		"of an alternative":         {sp("4", para("c")) + `<mc:AlternateContent><mc:Choice Requires="p14">` + sp("2", para("new")) + `</mc:Choice><mc:Fallback>` + sp("2", para("old")) + `</mc:Fallback></mc:AlternateContent>`, box, "slide_256_4"},
		"an alternative in a group": {sp("4", para("c")) + group(`<mc:AlternateContent><mc:Choice Requires="p14">`+sp("2", para("new"))+`</mc:Choice></mc:AlternateContent>`), box, "slide_256_4"},
	} {
		p := pptx(t, c.shapes, "")
		apply(t, p, deleteObject(c.id))
		if got := ids(get(t, reread(t, p)).Slides[0].PageElements); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
		if got := slideXML(t, p); strings.Contains(got, "AlternateContent") || strings.Contains(c.want, "20") != strings.Contains(got, "grpSp>") {
			t.Errorf("%s: got %s", name, got)
		}
		if got := refuse(t, p, deleteObject(c.id)); got != "Invalid requests[0].deleteObject: The object ("+c.id+") could not be found." {
			t.Errorf("%s, deleted again: got %q", name, got)
		}
	}
}

// PowerPoint repairs a file with an animation of a missing object.
func TestAnimationsOfADeletedObjectStop(t *testing.T) {
	t.Parallel()
	timing := `<p:timing><p:tnLst><p:par><p:spTgt spid="2"/></p:par></p:tnLst></p:timing>`
	slide := `<p:sld` + rootNamespaces + `><p:cSld><p:spTree>` + sp("2", para("a")) + sp("3", para("b")) + `</p:spTree></p:cSld>` + timing + `</p:sld>`
	for id, want := range map[string]bool{"slide_256_2": false, "slide_256_3": true} {
		p := pptxWith(t, "", "", map[string]string{"ppt/slides/slide1.xml": slide})
		apply(t, p, deleteObject(id))
		if got := strings.Contains(slideXML(t, p), "<p:timing>"); got != want {
			t.Errorf("without %s: got animations %t, want %t", id, got, want)
		}
	}
}
