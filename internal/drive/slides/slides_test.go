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
