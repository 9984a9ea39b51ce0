package fill_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/drive/slides"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// indexes are the numbers that place a request, by the name of the object that
// holds them. Google wants the start of a range said also when it is 0
// (documents, Range.startIndex); the others may as well be.
var indexes = map[string][]string{
	"range":              {"startIndex", "endIndex"},
	"textRange":          {"startIndex", "endIndex"},
	"location":           {"index"},
	"tableStartLocation": {"index"},
	"tableCellLocation":  {"rowIndex", "columnIndex"},
	"cellLocation":       {"rowIndex", "columnIndex"},
	"insertText":         {"text"},
}

// unsaid are the places in a batch, as JSON, at which an index is left out.
func unsaid(path, name string, value any) []string {
	var all []string
	switch value := value.(type) {
	case []any:
		for i, v := range value {
			all = append(all, unsaid(fmt.Sprintf("%s[%d]", path, i), "", v)...)
		}
	case map[string]any:
		for _, want := range indexes[name] {
			if _, ok := value[want]; !ok {
				all = append(all, path+"."+want)
			}
		}
		for key, v := range value {
			all = append(all, unsaid(path+"."+key, key, v)...)
		}
	}
	slices.Sort(all)
	return all
}

// onTheWire is a batch as Google reads it.
func onTheWire(t *testing.T, requests any) any {
	t.Helper()
	body, err := json.Marshal(requests)
	if err != nil {
		t.Fatal(err)
	}
	var sent any
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	return sent
}

const startData = `{"Logo": "200x100", "Yes": true, "Name": "Ada", "Site": "https://example.com/{{x}}", "Items": [{"Name": "Bolt"}, {"Name": "Nut"}, {"Name": "Washer"}]}`

func TestRequestsAtTheStartOfAStorySaySo(t *testing.T) {
	t.Parallel()
	for _, template := range []string{
		"{{#if Yes}}yes{{/if}}", "{{#if not Yes}}no{{/if}} and", "{{#each Items}}{{Name}}, {{/each}}",
	} {
		file := docx(t, drawn("| {{Items.Name}} | {{#if Yes}}yes{{/if}}\n* {{#if Yes}}entry{{/if}}"), template, "")
		d, err := wml.ReadDocument(file)
		if err != nil {
			t.Fatal(err)
		}
		resource, err := docs.Get(d, "id", "title", "1")
		if err != nil {
			t.Fatal(err)
		}
		e := lang.NewEvaluator(parse(t, startData), lang.Builtins{})
		e.ObtainWith(obtained())
		requests, err := fill.ComposeDocument(resource, e, nonce)
		if err != nil {
			t.Fatalf("header %q: %v", template, err)
		}
		if left := unsaid("requests", "", onTheWire(t, requests)); len(left) > 0 {
			t.Errorf("header %q: these are not sent: %q", template, left)
		}
		if !slices.ContainsFunc(requests, func(r *gdocs.Request) bool {
			return r.DeleteContentRange != nil && r.DeleteContentRange.Range.SegmentId != "" && r.DeleteContentRange.Range.StartIndex == 0
		}) {
			t.Errorf("header %q: nothing is deleted at the start of a story, so this shows nothing", template)
		}
	}
}

func TestAPictureAtTheStartOfAHeaderSaysSo(t *testing.T) {
	t.Parallel()
	_, _, requests, err := composePictures(t, docx(t, "<w:p/>", "{{image Logo}}", ""))
	if err != nil {
		t.Fatal(err)
	}
	if left := unsaid("requests", "", onTheWire(t, requests)); len(requests) == 0 || len(left) > 0 {
		t.Errorf("%d requests, these are not sent: %q", len(requests), left)
	}
}

func TestRequestsAtTheStartOfAShapeSaySo(t *testing.T) {
	t.Parallel()
	p, err := pml.ReadPresentation(pptx(t, asShapes("{{#if Yes}}{{Name}}{{/if}}\n| {{Items.Name}} | {{#if Yes}}yes{{/if}}")))
	if err != nil {
		t.Fatal(err)
	}
	resource, err := slides.Get(p, "id", "title", "1")
	if err != nil {
		t.Fatal(err)
	}
	requests, err := fill.ComposePresentation(resource, lang.NewEvaluator(parse(t, startData), lang.Builtins{}), nonce)
	if err != nil {
		t.Fatal(err)
	}
	sent := onTheWire(t, requests)
	left := unsaid("requests", "", sent)
	for _, r := range sent.([]any) {
		if insert, ok := r.(map[string]any)["insertText"].(map[string]any); ok && insert["insertionIndex"] == nil {
			left = append(left, "insertText.insertionIndex")
		}
	}
	if len(requests) == 0 || len(left) > 0 {
		t.Errorf("%d requests, these are not sent: %q", len(requests), left)
	}
}
