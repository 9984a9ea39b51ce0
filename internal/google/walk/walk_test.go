package walk_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/google/walk"
)

func paragraph(text string, more ...*docs.ParagraphElement) *docs.StructuralElement {
	return &docs.StructuralElement{Paragraph: &docs.Paragraph{Elements: append([]*docs.ParagraphElement{{TextRun: &docs.TextRun{Content: text}}}, more...)}}
}

func note(id string) *docs.ParagraphElement {
	return &docs.ParagraphElement{FootnoteReference: &docs.FootnoteReference{FootnoteId: id}}
}

// tableOf has a cell in each row.
func tableOf(cells ...[]*docs.StructuralElement) *docs.StructuralElement {
	table := &docs.Table{}
	for _, content := range cells {
		table.TableRows = append(table.TableRows, &docs.TableRow{TableCells: []*docs.TableCell{{Content: content}}})
	}
	return &docs.StructuralElement{Table: table}
}

func whole() *docs.DocumentTab {
	floating := paragraph("beside")
	floating.Paragraph.PositionedObjectIds = []string{"float", "gone"}
	return &docs.DocumentTab{
		Body: &docs.Body{Content: []*docs.StructuralElement{
			{SectionBreak: &docs.SectionBreak{}},
			paragraph("first", note("n2")),
			{TableOfContents: &docs.TableOfContents{Content: []*docs.StructuralElement{paragraph("a heading")}}},
			tableOf([]*docs.StructuralElement{paragraph("cell"), tableOf([]*docs.StructuralElement{paragraph("inner", note("n1"))}), paragraph("behind")}, []*docs.StructuralElement{paragraph("below")}),
			{SectionBreak: &docs.SectionBreak{}},
			floating,
			tableOf(),
		}},
		// The ids of a tab's headers do not tell which pages they are of; its style does.
		Headers:           map[string]docs.Header{"h3": {Content: []*docs.StructuralElement{paragraph("even")}}, "h1": {Content: []*docs.StructuralElement{paragraph("first page")}}, "h2": {Content: []*docs.StructuralElement{paragraph("others")}}},
		Footers:           map[string]docs.Footer{"f2": {Content: []*docs.StructuralElement{paragraph("even")}}, "f1": {Content: []*docs.StructuralElement{tableOf([]*docs.StructuralElement{paragraph("first page")})}}},
		Footnotes:         map[string]docs.Footnote{"n2": {Content: []*docs.StructuralElement{paragraph("note 2")}}, "n1": {Content: []*docs.StructuralElement{paragraph("note 1")}}, "box": {Content: []*docs.StructuralElement{paragraph("text box")}}},
		DocumentStyle:     &docs.DocumentStyle{FirstPageHeaderId: "h1", DefaultHeaderId: "h2", EvenPageHeaderId: "h3"},
		PositionedObjects: map[string]docs.PositionedObject{"float": {ObjectId: "float"}},
	}
}

// shownOf lists the stories of a tab, and below each its places and parts.
func shownOf(t *docs.DocumentTab) []string {
	var all []string
	kinds := map[walk.Kind]string{walk.Body: "body", walk.Header: "header", walk.Footer: "footer", walk.Footnote: "footnote", walk.Unreferenced: "unreferenced"}
	for _, s := range walk.Stories(t) {
		all = append(all, strings.TrimSpace("= "+kinds[s.Kind]+" "+s.ID))
		s.Visit(func(n walk.Node) {
			line := n.Place()
			for _, part := range n.Parts {
				switch part := part.(type) {
				case *docs.ParagraphElement:
					if part.TextRun != nil {
						line += fmt.Sprintf(" %q", part.TextRun.Content)
					} else {
						line += " note"
					}
				case *docs.PositionedObject:
					line += " floating " + part.ObjectId
				}
			}
			all = append(all, strings.TrimSpace(line))
		})
	}
	return all
}

func TestAStoryIsShownInTheOrderOfItsFilling(t *testing.T) {
	t.Parallel()
	want := []string{
		"= body",
		"behind paragraph 0",
		`paragraph 1 "first" note`,
		"table of contents",
		"table 1",
		"table 1, row 1",
		"table 1, row 1, cell 1",
		`table 1, row 1, cell 1, paragraph 1 "cell"`,
		"table 1, row 1, cell 1, table 1",
		"table 1, row 1, cell 1, table 1, row 1",
		"table 1, row 1, cell 1, table 1, row 1, cell 1",
		`table 1, row 1, cell 1, table 1, row 1, cell 1, paragraph 1 "inner" note`,
		`table 1, row 1, cell 1, paragraph 2 "behind"`,
		"table 1, row 2",
		"table 1, row 2, cell 1",
		`table 1, row 2, cell 1, paragraph 1 "below"`,
		"behind paragraph 1",
		`paragraph 2 "beside" floating float floating`,
		"table 2",
		"= header h1", `header, paragraph 1 "first page"`,
		"= header h2", `header, paragraph 1 "others"`,
		"= header h3", `header, paragraph 1 "even"`,
		"= footer f1", "footer, table 1", "footer, table 1, row 1", "footer, table 1, row 1, cell 1", `footer, table 1, row 1, cell 1, paragraph 1 "first page"`,
		"= footer f2", `footer, paragraph 1 "even"`,
		"= unreferenced box", `note or text box, paragraph 1 "text box"`,
		"= footnote n1", `note or text box, paragraph 1 "note 1"`,
		"= footnote n2", `note or text box, paragraph 1 "note 2"`,
	}
	if diff := cmp.Diff(want, shownOf(whole())); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

// An element has the fields of one kind alone.
func TestANodeSaysWhatItsElementIs(t *testing.T) {
	t.Parallel()
	got := map[string]int{}
	for _, s := range walk.Stories(whole()) {
		s.Visit(func(n walk.Node) {
			e, isElement := n.Parts[0].(*docs.StructuralElement)
			switch {
			case n.Paragraph != nil && n.Paragraph == e.Paragraph:
				got["paragraph"]++
			case n.TableOfContents != nil && n.TableOfContents == e.TableOfContents:
				got["contents"]++
			case isElement:
				got["other"]++
			default:
				got[fmt.Sprintf("%T", n.Parts[0])]++
			}
		})
	}
	want := map[string]int{"paragraph": 14, "contents": 1, "other": 6, "*docs.TableRow": 4, "*docs.TableCell": 4}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The older form shows the content of the first tab in the document itself.
func TestADocumentWithoutTabsIsOneTab(t *testing.T) {
	t.Parallel()
	w := whole()
	w.NamedStyles, w.Lists, w.InlineObjects = &docs.NamedStyles{}, map[string]docs.List{"l": {}}, map[string]docs.InlineObject{"o": {}}
	tabs := walk.Tabs(&docs.Document{
		Body: w.Body, Headers: w.Headers, Footers: w.Footers, Footnotes: w.Footnotes, DocumentStyle: w.DocumentStyle,
		NamedStyles: w.NamedStyles, Lists: w.Lists, InlineObjects: w.InlineObjects, PositionedObjects: w.PositionedObjects,
	})
	if len(tabs) != 1 || tabs[0].TabProperties != nil {
		t.Fatalf("got %d tabs, want one without properties", len(tabs))
	}
	if diff := cmp.Diff(w, tabs[0].DocumentTab); diff != "" {
		t.Errorf("tab (-want +got):\n%s", diff)
	}
	if got := shownOf(walk.Tabs(&docs.Document{})[0].DocumentTab); len(got) > 0 {
		t.Errorf("an empty document shows %q", got)
	}
}

func TestTabsComeBeforeTheirChildren(t *testing.T) {
	t.Parallel()
	tab := func(id string, children ...*docs.Tab) *docs.Tab {
		return &docs.Tab{TabProperties: &docs.TabProperties{TabId: id}, DocumentTab: &docs.DocumentTab{}, ChildTabs: children}
	}
	foreign := tab("of another kind", tab("d"))
	foreign.DocumentTab = nil
	var got []string
	for _, t := range walk.Tabs(&docs.Document{Tabs: []*docs.Tab{tab("a", tab("b", tab("c")), foreign), tab("e")}, Body: &docs.Body{}}) {
		got = append(got, t.TabProperties.TabId)
	}
	if want := []string{"a", "b", "c", "d", "e"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
