package fill_test

import (
	"context"
	"slices"
	"testing"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

// A shelf holds documents by their ids.
type shelf struct {
	fill.Drive
	documents map[string]*docs.Document
}

func (s shelf) EditDocument(_ context.Context, fileID string, _ platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (int, error) {
	d, ok := s.documents[fileID]
	if !ok {
		return 0, platen.Errorf(platen.KindNotFound, "drive_file_not_found", "no file %s", fileID)
	}
	_, err := compose(d)
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

func TestACopyIsUntouchedFilledOrUnclear(t *testing.T) {
	t.Parallel()
	s := shelf{documents: map[string]*docs.Document{
		"template":  said("r1", "kix.a", "{{Company}}", "Dear {{Name}}\n"),
		"untouched": said("r7", "kix.b", "{{Company}}", "Dear {{Name}}\n"),
		"filled":    said("r8", "kix.b", "Acme", "Dear {{Name}} Ada\n"),
		"half":      said("r8", "kix.b", "{{Company}}", "Dear {{Name}} Ada\n"),
		"changed":   said("r8", "kix.b", "Acme", "Good day, {{Name}} Ada\n"),
		"static":    said("r1", "kix.a", "Acme", "Dear all\n"),
		"its copy":  said("r2", "kix.c", "Acme", "Dear all\n"),
	}}
	for _, c := range []struct {
		template, copied string
		want             fill.Content
	}{
		{"template", "untouched", fill.Untouched}, {"template", "filled", fill.Filled}, {"template", "half", fill.Unclear},
		{"template", "changed", fill.Unclear}, {"static", "its copy", fill.Filled}, {"gone", "untouched", fill.Unclear},
	} {
		f, err := fill.New(platen.Document{File: platen.File{ID: c.template}}, []byte(`{"Company":"Acme","Name":"{{Name}} Ada"}`), lang.Builtins{})
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := f.Examine(t.Context(), s, platen.File{ID: c.copied}); err != nil || got != c.want {
			t.Errorf("%s beside %s: got %d, %v; want %d", c.copied, c.template, got, err, c.want)
		}
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
