package slides

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/opc"
)

func TestGetShowsSlidesWithTheirObjects(t *testing.T) {
	t.Parallel()
	field := `<a:p><a:r><a:t>𝒳 </a:t></a:r><a:fld id="{1}" type="slidenum"><a:t>7</a:t></a:fld><a:br/><a:r><a:t>y</a:t></a:r></a:p>`
	p := pptx(t, sp("2", field+para("two"))+tableXML("c1", "c2")+group(sp("21", para("in")))+sp("2", `<a:p/>`), sp("3", para("note")))
	out := get(t, p)
	if w := out.PageSize.Width; w.Magnitude != 12192000 || w.Unit != "EMU" {
		t.Errorf("page width %v %s", w.Magnitude, w.Unit)
	}
	slide := out.Slides[0]
	var ids []string
	for _, e := range slide.PageElements {
		ids = append(ids, e.ObjectId)
	}
	if diff := cmp.Diff([]string{"slide_256_2", "slide_256_9", "slide_256_20", "slide_256_2_2"}, ids); diff != "" {
		t.Errorf("object ids (-want +got):\n%s", diff)
	}
	box := slide.PageElements[0]
	if got, want := contentOf(t, box.Shape.Text), "𝒳 <SLIDE_NUMBER>\vy\ntwo\n"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if box.Shape.ShapeType != "TEXT_BOX" || box.Description != "alt" {
		t.Errorf("shape %q, description %q", box.Shape.ShapeType, box.Description)
	}
	if tr := box.Transform; tr.TranslateX != 12700 || tr.TranslateY != 25400 || tr.ScaleX != 1 || box.Size.Height.Magnitude != 254000 {
		t.Errorf("transform %+v, size %+v", tr, box.Size.Height)
	}
	table := slide.PageElements[1].Table
	if table.Rows != 1 || table.Columns != 2 || contentOf(t, table.TableRows[0].TableCells[1].Text) != "c2\n" {
		t.Errorf("table %+v", table)
	}
	if inner := slide.PageElements[2].ElementGroup.Children; len(inner) != 1 || inner[0].ObjectId != "slide_256_21" {
		t.Errorf("group %+v", inner)
	}
	if slide.PageElements[3].Shape.Text != nil {
		t.Errorf("an empty shape has text")
	}
	notes := slide.SlideProperties.NotesPage
	if notes.ObjectId != "slide_256_notes" || contentOf(t, notes.PageElements[0].Shape.Text) != "note\n" {
		t.Errorf("notes %+v", notes)
	}
	if slide.SlideProperties.LayoutObjectId != "layout_slideLayout1" || len(out.Layouts) != 2 || len(out.Masters) != 1 {
		t.Errorf("layout %q, %d layouts, %d masters", slide.SlideProperties.LayoutObjectId, len(out.Layouts), len(out.Masters))
	}
}

func TestGetPageFindsEveryKindOfPage(t *testing.T) {
	t.Parallel()
	p := pptx(t, sp("2", para("x")), sp("3", para("note")))
	for id, kind := range map[string]string{"slide_256": "SLIDE", "slide_256_notes": "NOTES", "layout_slideLayout2": "LAYOUT", "master_slideMaster1": "MASTER"} {
		page, err := GetPage(p, id, "rev")
		if err != nil || page.PageType != kind || page.RevisionId != "rev" {
			t.Errorf("%s: got %+v, %v; want a %s", id, page, err, kind)
		}
	}
	var missing *NotFoundError
	if _, err := GetPage(p, "nope", ""); !errors.As(err, &missing) {
		t.Errorf("unknown page: got %v, want a NotFoundError", err)
	}
}

func TestApplyEditsText(t *testing.T) {
	t.Parallel()
	const box = "slide_256_2"
	insert := func(at int64, text string) *gslides.Request {
		return &gslides.Request{InsertText: &gslides.InsertTextRequest{ObjectId: box, InsertionIndex: at, Text: text}}
	}
	remove := func(r gslides.Range) *gslides.Request {
		return &gslides.Request{DeleteText: &gslides.DeleteTextRequest{ObjectId: box, TextRange: &r}}
	}
	replace := func(find, with string, pages ...string) *gslides.Request {
		return &gslides.Request{ReplaceAllText: &gslides.ReplaceAllTextRequest{ContainsText: &gslides.SubstringMatchCriteria{Text: find}, ReplaceText: with, PageObjectIds: pages}}
	}
	two := para("ab") + `<a:p><a:pPr algn="ctr"/><a:r><a:t>cd</a:t></a:r><a:endParaRPr/></a:p>`
	cases := []struct {
		name, paragraphs string
		requests         []*gslides.Request
		want             string
	}{
		{"insert", two, []*gslides.Request{insert(5, "3"), insert(3, "2"), insert(0, "1")}, "1ab\n2cd3\n"},
		{"insert paragraphs", two, []*gslides.Request{insert(1, "x\ny"), insert(3, "\v")}, "ax\n\vyb\ncd\n"},
		{"insert into nothing", `<a:p><a:endParaRPr b="1"/></a:p>`, []*gslides.Request{insert(0, "new")}, "new\n"},
		{"delete a range", two, []*gslides.Request{remove(gslides.Range{Type: "FIXED_RANGE", StartIndex: index(1), EndIndex: index(4)})}, "ad\n"},
		{"delete a line feed", two, []*gslides.Request{remove(gslides.Range{Type: "FIXED_RANGE", StartIndex: index(2), EndIndex: index(3)})}, "abcd\n"},
		{"delete from", two, []*gslides.Request{remove(gslides.Range{Type: "FROM_START_INDEX", StartIndex: index(4)})}, "ab\nc\n"},
		{"delete all and insert", two, []*gslides.Request{remove(gslides.Range{Type: "ALL"}), insert(0, "new")}, "new\n"},
		{"replace", two, []*gslides.Request{replace("AB", "{{cd}}"), replace("cd", "x")}, "{{x}}\nx\n"},
		{"replace on one page", two, []*gslides.Request{replace("ab", "x", "slide_256"), replace("cd", "y", "slide_256_notes")}, "x\ncd\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := pptx(t, sp("2", c.paragraphs), sp("3", para("cd")))
			if _, err := Apply(p, "id", c.requests); err != nil {
				t.Fatalf("Apply: %v", err)
			}
			out := get(t, reread(t, p))
			if got := contentOf(t, out.Slides[0].PageElements[0].Shape.Text); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestApplyEditsTablesAndObjects(t *testing.T) {
	t.Parallel()
	p := pptx(t, tableXML("a", "b")+group(sp("21", para("in")))+sp("2", para("x"))+
		`<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="p14">`+sp("30", para("new"))+
		`</mc:Choice><mc:Fallback>`+sp("30", para("old"))+`</mc:Fallback></mc:AlternateContent>`, "")
	responses, err := Apply(p, "id", []*gslides.Request{
		{InsertText: &gslides.InsertTextRequest{ObjectId: "slide_256_9", CellLocation: &gslides.TableCellLocation{ColumnIndex: 1}, Text: "{{b}}", InsertionIndex: 1}},
		{ReplaceAllText: &gslides.ReplaceAllTextRequest{ContainsText: &gslides.SubstringMatchCriteria{Text: "{{B}}", MatchCase: false}, ReplaceText: "!"}},
		{DeleteObject: &gslides.DeleteObjectRequest{ObjectId: "slide_256_21"}},
		{DeleteObject: &gslides.DeleteObjectRequest{ObjectId: "slide_256_30"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := responses[1].ReplaceAllText.OccurrencesChanged; n != 1 {
		t.Errorf("occurrencesChanged %d, want 1", n)
	}
	slide := get(t, reread(t, p)).Slides[0]
	if len(slide.PageElements) != 2 {
		t.Fatalf("%d objects, want 2: an empty group and both branches of an alternative go too", len(slide.PageElements))
	}
	if got := contentOf(t, slide.PageElements[0].Table.TableRows[0].TableCells[1].Text); got != "b!\n" {
		t.Errorf("cell %q, want %q", got, "b!\n")
	}
}

func TestApplyRefusesInGooglesWords(t *testing.T) {
	t.Parallel()
	insert := func(id string, at int64, text string) *gslides.Request {
		return &gslides.Request{InsertText: &gslides.InsertTextRequest{ObjectId: id, InsertionIndex: at, Text: text}}
	}
	cases := []struct {
		name    string
		request *gslides.Request
		want    string
	}{
		{"no kind", &gslides.Request{}, "Invalid requests[0]: No request set."},
		{"two kinds", &gslides.Request{DeleteObject: &gslides.DeleteObjectRequest{}, CreateSlide: &gslides.CreateSlideRequest{}}, "Only one kind of request"},
		{"unsupported", &gslides.Request{CreateVideo: &gslides.CreateVideoRequest{}}, "Invalid requests[0].createVideo: This drive does not support"},
		{"nothing to find", &gslides.Request{ReplaceAllText: &gslides.ReplaceAllTextRequest{}}, "The text to find"},
		{"unknown page", &gslides.Request{ReplaceAllText: &gslides.ReplaceAllTextRequest{ContainsText: &gslides.SubstringMatchCriteria{Text: "x"}, PageObjectIds: []string{"no"}}}, "The page (no) could not be found."},
		{"unknown object", insert("no", 0, "x"), "The object (no) could not be found."},
		{"no text in a table without a cell", insert("slide_256_9", 0, "x"), "does not allow text editing"},
		{"behind the end", insert("slide_256_2", 2, "x"), "should not be greater than the existing text length, 1."},
		{"range without a type", &gslides.Request{DeleteText: &gslides.DeleteTextRequest{ObjectId: "slide_256_2", TextRange: &gslides.Range{}}}, "The range type must be"},
		{"range too long", &gslides.Request{DeleteText: &gslides.DeleteTextRequest{ObjectId: "slide_256_2", TextRange: &gslides.Range{Type: "FIXED_RANGE", StartIndex: index(0), EndIndex: index(2)}}}, "existing text length, 1."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := Apply(pptx(t, sp("2", para("x"))+tableXML("c"), ""), "id", []*gslides.Request{c.request})
			var fault *opc.RequestError
			if !errors.As(err, &fault) || !strings.Contains(fault.Message, c.want) {
				t.Errorf("got %v, want a RequestError with %q", err, c.want)
			}
		})
	}
}

func shapeOf(inner string) string {
	return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x" title="A title" descr="A description"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr>` + inner + `</p:sp>`
}

func TestPagesSayWhatTheyAreMadeOf(t *testing.T) {
	t.Parallel()
	slide := strings.Replace(slidePart(sp("2", para("a"))), `<p:cSld>`, `<p:cSld><p:bg><p:bgPr><a:solidFill><a:srgbClr val="FF0000"><a:alpha val="50000"/></a:srgbClr></a:solidFill></p:bgPr></p:bg>`, 1)
	p := pptxWith(t, "", `<p:sp><p:nvSpPr><p:cNvPr id="3" name="i"/><p:cNvSpPr/><p:nvPr><p:ph type="sldImg"/></p:nvPr></p:nvSpPr><p:spPr/></p:sp>`+
		`<p:sp><p:nvSpPr><p:cNvPr id="4" name="n"/><p:cNvSpPr/><p:nvPr><p:ph type="body" idx="1"/></p:nvPr></p:nvSpPr><p:spPr/></p:sp>`,
		map[string]string{"ppt/slides/slide1.xml": strings.Replace(slide, `<p:sld `, `<p:sld show="0" `, 1), "ppt/slideLayouts/slideLayout2.xml": layoutOf("tx")})
	out, err := Get(p, "the-id", "A title", "r3")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sent(t, []any{out.PresentationId, out.Title, out.RevisionId, out.PageSize.Height}), `["the-id","A title","r3",{"magnitude":6858000,"unit":"EMU"}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s := out.Slides[0]
	if got, want := sent(t, s.PageProperties), `{"pageBackgroundFill":{"propertyState":"RENDERED","solidFill":{"alpha":0.5,"color":{"rgbColor":{"red":1}}}}}`; got != want {
		t.Errorf("the slide's page: got %s, want %s", got, want)
	}
	if !s.SlideProperties.IsSkipped || s.SlideProperties.LayoutObjectId != "layout_slideLayout1" || s.SlideProperties.MasterObjectId != "master_slideMaster1" || s.PageType != "SLIDE" {
		t.Errorf("got %s", sent(t, s.SlideProperties))
	}
	if n := s.SlideProperties.NotesPage; n.PageType != "NOTES" || n.NotesProperties.SpeakerNotesObjectId != "slide_256_notes_4" {
		t.Errorf("got notes %s", sent(t, n))
	}
	if got, want := sent(t, out.Layouts[1].LayoutProperties), `{"displayName":"Mine","masterObjectId":"master_slideMaster1","name":"tx"}`; got != want {
		t.Errorf("got the layout %s, want %s", got, want)
	}
	if m := out.Masters[0]; m.PageType != "MASTER" || m.MasterProperties == nil || m.LayoutProperties != nil {
		t.Errorf("got the master %s", sent(t, m))
	}
	plain := get(t, pptx(t, sp("2", para("a")), "")).Slides[0]
	if plain.SlideProperties.IsSkipped || plain.SlideProperties.NotesPage.NotesProperties.SpeakerNotesObjectId != "" {
		t.Errorf("got %s", sent(t, plain.SlideProperties))
	}
}

func TestObjectsAreShownByTheirKind(t *testing.T) {
	t.Parallel()
	frame := `<a:xfrm><a:off x="0" y="0"/><a:ext cx="127000" cy="12700"/></a:xfrm>`
	nv := func(kind string) string {
		return `<p:nv` + kind + `Pr><p:cNvPr id="2" name="x"/><p:cNv` + kind + `Pr/><p:nvPr/></p:nv` + kind + `Pr>`
	}
	for name, c := range map[string]struct{ xml, want string }{
		"a line":        {`<p:cxnSp>` + nv("CxnSp") + `<p:spPr>` + frame + `</p:spPr></p:cxnSp>`, `"line":{"lineCategory":"STRAIGHT","lineType":"STRAIGHT_LINE"}`},
		"a picture":     {`<p:pic>` + nv("Pic") + `<p:blipFill/><p:spPr>` + frame + `</p:spPr></p:pic>`, `"image":{"imageProperties":{}}`},
		"a paint":       {shapeOf(`<p:spPr>` + frame + `<a:prstGeom prst="ellipse"/><a:solidFill><a:srgbClr val="0000FF"/></a:solidFill></p:spPr>`), `"shape":{"shapeProperties":{"shapeBackgroundFill":{"propertyState":"RENDERED","solidFill":{"alpha":1,"color":{"rgbColor":{"blue":1}}}}},"shapeType":"ELLIPSE"}`},
		"a description": {shapeOf(`<p:spPr>` + frame + `</p:spPr>`), `"description":"A description"`},
		"a title":       {shapeOf(`<p:spPr>` + frame + `</p:spPr>`), `"title":"A title"`},
		"an own form":   {shapeOf(`<p:spPr>` + frame + `<a:custGeom/></p:spPr>`), `"shapeType":"CUSTOM"`},
		"a strange one": {shapeOf(`<p:spPr>` + frame + `<a:prstGeom prst="actionButtonHome"/></p:spPr>`), `"shapeType":"CUSTOM"`},
		"a rectangle":   {shapeOf(`<p:spPr>` + frame + `<a:prstGeom prst="rect"/></p:spPr>`), `"shapeType":"RECTANGLE"`},
		"a size":        {shapeOf(`<p:spPr>` + frame + `</p:spPr>`), `"size":{"height":{"magnitude":12700,"unit":"EMU"},"width":{"magnitude":127000,"unit":"EMU"}}`},
		"a link": {strings.Replace(shapeOf(`<p:spPr>`+frame+`</p:spPr>`), `descr="A description"/>`, `descr="A description"><a:hlinkClick r:id="web"/></p:cNvPr>`, 1),
			`"link":{"url":"https://example.com/"}`},
		"a placeholder": {`<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr><p:ph type="body" idx="7"/></p:nvPr></p:nvSpPr><p:spPr/></p:sp>`, `"shape":{"placeholder":{"index":7,"type":"BODY"},"shapeProperties":{},"shapeType":"TEXT_BOX"}`},
		"a chart":       {`<p:graphicFrame>` + nv("GraphicFrame") + `<p:xfrm><a:off x="0" y="0"/><a:ext cx="1" cy="1"/></p:xfrm><a:graphic><a:graphicData uri="chart"/></a:graphic></p:graphicFrame>`, `{"objectId":"slide_256_2","size"`},
	} {
		if got := sent(t, first(t, pptx(t, c.xml, ""))); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s in it", name, got, c.want)
		}
	}
}

// A group moves nothing, as its children are placed on the page (ECMA-376 part
// 1, 20.1.7.5: the children's coordinates are those of chOff and chExt).
func TestObjectsOfAGroupAreShownOnThePage(t *testing.T) {
	t.Parallel()
	p := pptx(t, strings.Replace(group(sp("3", para("a"))), `<p:grpSpPr/>`,
		`<p:grpSpPr><a:xfrm><a:off x="1000000" y="0"/><a:ext cx="254000" cy="508000"/><a:chOff x="0" y="0"/><a:chExt cx="127000" cy="254000"/></a:xfrm></p:grpSpPr>`, 1), "")
	e := first(t, p)
	if got, want := sent(t, e.Transform), `{"scaleX":1,"scaleY":1,"unit":"EMU"}`; got != want || e.Size != nil {
		t.Errorf("the group: got %s of %s, want %s", got, sent(t, e.Size), want)
	}
	inner := e.ElementGroup.Children[0]
	// At 12,700 and 25,400 of 127,000 × 254,000, doubled and moved.
	if inner.Transform.TranslateX != 1_025_400 || inner.Transform.TranslateY != 50_800 || inner.Size.Width.Magnitude != 254_000 || inner.Size.Height.Magnitude != 508_000 {
		t.Errorf("its object: got %s", sent(t, inner))
	}
}

func TestTurnsAndFlipsAreShownAsTransforms(t *testing.T) {
	t.Parallel()
	for attributes, want := range map[string]string{
		``:                          `{"scaleX":1,"scaleY":1,"translateX":100,"translateY":200,"unit":"EMU"}`,
		` rot="5400000"`:            `{"shearX":-1,"shearY":1,"translateX":1600,"translateY":-300,"unit":"EMU"}`,
		` flipH="1"`:                `{"scaleX":-1,"scaleY":1,"translateX":2100,"translateY":200,"unit":"EMU"}`,
		` flipV="1"`:                `{"scaleX":1,"scaleY":-1,"translateX":100,"translateY":1200,"unit":"EMU"}`,
		` rot="10800000"`:           `{"scaleX":-1,"scaleY":-1,"translateX":2100,"translateY":1200,"unit":"EMU"}`,
		` rot="10800000" flipV="1"`: `{"scaleX":-1,"scaleY":1,"translateX":2100,"translateY":200,"unit":"EMU"}`,
	} {
		e := first(t, pptx(t, shapeOf(`<p:spPr><a:xfrm`+attributes+`><a:off x="100" y="200"/><a:ext cx="2000" cy="1000"/></a:xfrm></p:spPr>`), ""))
		if got := sent(t, e.Transform); got != want {
			t.Errorf("%s: got %s, want %s", attributes, got, want)
		}
	}
}

func TestAPageThatIsNotThereIsNotFound(t *testing.T) {
	t.Parallel()
	_, err := GetPage(pptx(t, sp("2", para("a")), ""), box, "r1")
	var missing *NotFoundError
	if !errors.As(err, &missing) || missing.ID != box || err.Error() != "Page slide_256_2 was not found in the presentation." {
		t.Errorf("got %v", err)
	}
}
