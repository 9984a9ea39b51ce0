package google_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/picture"
)

func TestOurDriveCarriesOutBatches(t *testing.T) {
	t.Parallel()
	client, document, presentation := ourDrive(t, examples.Invoice)
	evaluator := func(name string) *lang.Evaluator {
		example, err := examples.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := lang.ParseData(example.Event)
		if err != nil {
			t.Fatal(err)
		}
		e := lang.NewEvaluator(data, lang.Builtins{})
		e.ObtainWith(func(p lang.Picture) (lang.Obtained, error) {
			return picture.Source{Direct: true}.Obtain(t.Context(), p, client.Download)
		})
		return e
	}
	n, err := client.EditDocument(t.Context(), document, platen.ReadWhole, func(d *docsapi.Document) ([]*docsapi.Request, error) {
		return fill.ComposeDocument(d, evaluator(examples.Invoice), platen.NewKey())
	})
	if err != nil || n == 0 {
		t.Errorf("EditDocument = %d, %v", n, err)
	}
	n, err = client.EditPresentation(t.Context(), presentation, platen.ReadWhole, func(p *slidesapi.Presentation) ([]*slidesapi.Request, error) {
		return fill.ComposePresentation(p, evaluator(examples.Offer), platen.NewKey())
	})
	if err != nil || n == 0 {
		t.Errorf("EditPresentation = %d, %v", n, err)
	}
	for fileID, mimeType := range map[string]string{document: platen.MIMEDocs, presentation: platen.MIMESlides} {
		passages, err := client.Shown(t.Context(), fileID, mimeType)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(passages, func(p string) bool { return strings.Contains(p, "{{") }) {
			t.Errorf("tags are left in %q", passages)
		}
	}
}

func TestABatchThatFailsOrIsEmptyChangesNothing(t *testing.T) {
	t.Parallel()
	client, document, presentation := ourDrive(t, examples.Letter)
	fault := errors.New("a fault")
	if n, err := client.EditDocument(t.Context(), document, platen.ReadWhole, func(*docsapi.Document) ([]*docsapi.Request, error) { return nil, fault }); n != 0 || !errors.Is(err, fault) {
		t.Errorf("EditDocument = %d, %v; want the error of composing", n, err)
	}
	if n, err := client.EditPresentation(t.Context(), presentation, platen.ReadWhole, func(*slidesapi.Presentation) ([]*slidesapi.Request, error) { return nil, nil }); n != 0 || err != nil {
		t.Errorf("EditPresentation = %d, %v; want nothing", n, err)
	}
	stale := func(d *docsapi.Document) ([]*docsapi.Request, error) {
		requests := []*docsapi.Request{{InsertText: &docsapi.InsertTextRequest{EndOfSegmentLocation: &docsapi.EndOfSegmentLocation{}, Text: "x"}}}
		_, err := client.EditDocument(t.Context(), document, platen.ReadWhole, func(*docsapi.Document) ([]*docsapi.Request, error) { return requests, nil })
		return requests, err
	}
	if _, err := client.EditDocument(t.Context(), document, platen.ReadWhole, stale); platen.KindOf(err) != platen.KindConflict {
		t.Errorf("a document that changed since it was read: %v, want KindConflict", err)
	}
}
