package slides

import (
	"encoding/json"
	"testing"

	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/pml"
)

// FuzzBatchUpdate carries out requests on a presentation with all kinds of
// objects: they are refused, or leave a file that can be read, in which every
// object has an id of its own.
func FuzzBatchUpdate(f *testing.F) {
	for _, seed := range []string{
		`[{"replaceAllText":{"containsText":{"text":"{{Name}}"},"replaceText":"x\ny","pageObjectIds":["slide_256"]}}]`,
		`[{"insertText":{"objectId":"slide_256_2","text":"a\nb","insertionIndex":2}},{"deleteText":{"objectId":"slide_256_2","textRange":{"type":"ALL"}}}]`,
		`[{"deleteText":{"objectId":"slide_256_9","cellLocation":{"rowIndex":0,"columnIndex":1},"textRange":{"type":"FIXED_RANGE","startIndex":0,"endIndex":1}}}]`,
		`[{"duplicateObject":{"objectId":"slide_256","objectIds":{"slide_256":"copy_1","slide_256_2":"box_1"}}},{"deleteObject":{"objectId":"slide_256"}},{"insertText":{"objectId":"box_1","text":"z"}}]`,
		`[{"duplicateObject":{"objectId":"slide_256_20"}},{"deleteObject":{"objectId":"slide_256_3"}}]`,
		`[{"createSlide":{"objectId":"new_one","slideLayoutReference":{"predefinedLayout":"BLANK"}}},{"createShape":{"shapeType":"ELLIPSE","elementProperties":{"pageObjectId":"new_one","transform":{"scaleX":2,"scaleY":1,"translateX":3,"unit":"PT"}}}}]`,
		`[{"createTable":{"objectId":"table_1","rows":2,"columns":2,"elementProperties":{"pageObjectId":"slide_256"}}},{"insertTableRows":{"tableObjectId":"table_1","cellLocation":{"rowIndex":1},"number":3,"insertBelow":true}},{"deleteTableRow":{"tableObjectId":"table_1","cellLocation":{}}}]`,
		`[{"updatePageElementTransform":{"objectId":"slide_256_2","applyMode":"RELATIVE","transform":{"scaleX":-1,"scaleY":1e3,"translateX":1,"unit":"EMU"}}}]`,
		`[{"updateTextStyle":{"objectId":"slide_256_2","textRange":{"type":"ALL"},"style":{"bold":true,"link":{"url":"https://example.com"}},"fields":"bold,link"}}]`,
		`[{"updateParagraphStyle":{"objectId":"slide_256_2","textRange":{"type":"ALL"},"style":{"alignment":"CENTER"},"fields":"*"}},{"createParagraphBullets":{"objectId":"slide_256_2","textRange":{"type":"ALL"}}}]`,
		`[{"duplicateObject":{"objectId":"slide_256","objectIds":{"slide_256":"copy_1"}}},{"updateSlidesPosition":{"slideObjectIds":["copy_1"],"insertionIndex":0}},{"updateSlidesPosition":{"slideObjectIds":["copy_1","slide_256"],"insertionIndex":1}}]`,
		`[null,{}]`, `[{"mergeTableCells":{"objectId":"slide_256_9","tableRange":{"location":{},"rowSpan":1,"columnSpan":2}}}]`,
		`[{"replaceAllShapesWithImage":{"imageUrl":"data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=","containsText":{"text":"Name"}}}]`,
	} {
		f.Add(seed)
	}
	original, err := pptx(f, sp("2", para("Dear {{Name}}")+para("b𝒳"))+group(sp("3", para("in")))+tableXML("x", "y"), sp("2", para("note"))).Bytes()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var requests []*gslides.Request
		if json.Unmarshal([]byte(text), &requests) != nil || len(requests) > 100 {
			return
		}
		p, err := pml.ReadPresentation(original)
		if err != nil {
			t.Fatal(err)
		}
		answers, err := Apply(p, "id", requests)
		if err != nil {
			return
		}
		if len(answers) != len(requests) {
			t.Fatalf("%d answers to %d requests", len(answers), len(requests))
		}
		seen := map[string]bool{}
		once := func(id string) {
			if id == "" || seen[id] {
				t.Errorf("the id %q is there twice", id)
			}
			seen[id] = true
		}
		var walk func([]*gslides.PageElement)
		walk = func(elements []*gslides.PageElement) {
			for _, e := range elements {
				once(e.ObjectId)
				if e.Shape != nil {
					contentOf(t, e.Shape.Text)
				}
				if e.ElementGroup != nil {
					walk(e.ElementGroup.Children)
				}
			}
		}
		for _, s := range get(t, reread(t, p)).Slides {
			once(s.ObjectId)
			walk(s.PageElements)
			if n := s.SlideProperties.NotesPage; n != nil {
				once(n.ObjectId)
				walk(n.PageElements)
			}
		}
	})
}
