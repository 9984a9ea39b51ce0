package fill_test

import (
	"context"
	"slices"
	"testing"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/internal/template/fill"
)

// A shelf holds documents by their ids.
type shelf struct {
	fill.Drive
	documents map[string]*docs.Document
}

func (s shelf) EditDocument(_ context.Context, fileID string, _ platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (int, error) {
	_, err := compose(s.documents[fileID])
	return 0, err
}

func said(revision, header, inHeader, inBody string) *docs.Document {
	text := func(content string) []*docs.StructuralElement {
		return []*docs.StructuralElement{{Paragraph: &docs.Paragraph{Elements: []*docs.ParagraphElement{{TextRun: &docs.TextRun{Content: content}}}}}}
	}
	return &docs.Document{
		RevisionId: revision, Body: &docs.Body{Content: text(inBody)},
		Headers: map[string]docs.Header{header: {Content: text(inHeader)}},
	}
}

func TestTextsAreThoseOfTheTemplateUntilSomethingIsFilled(t *testing.T) {
	t.Parallel()
	s := shelf{documents: map[string]*docs.Document{
		"template": said("r1", "kix.a", "{{Company}}", "Dear {{Name}}\n"),
		"copy":     said("r7", "kix.b", "{{Company}}", "Dear {{Name}}\n"),
		"body":     said("r8", "kix.b", "{{Company}}", "Dear Ada\n"),
		"header":   said("r8", "kix.b", "Acme", "Dear {{Name}}\n"),
	}}
	read := func(id string) []string {
		t.Helper()
		texts, err := fill.Texts(t.Context(), s, platen.File{ID: id, MIMEType: platen.MIMEDocs})
		if err != nil || len(texts) != 2 {
			t.Fatalf("%s: got %q, %v; want two texts", id, texts, err)
		}
		return texts
	}
	template := read("template")
	for id, want := range map[string]bool{"copy": true, "body": false, "header": false} {
		if got := slices.Equal(template, read(id)); got != want {
			t.Errorf("%s: as the template: %t, want %t", id, got, want)
		}
	}
}
