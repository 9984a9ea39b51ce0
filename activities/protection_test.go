package activities_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// watched notes what protects a copy whenever somebody fills it or looks at it.
type watched struct {
	*harness
	seen []string
}

func (w *watched) documents() *activities.Documents {
	d := w.harness.documents()
	d.Drives = func(context.Context, string) (activities.Drive, error) { return w, nil }
	return d
}

func (w *watched) note(call, fileID string) {
	w.seen = append(w.seen, call+" "+string(w.files[fileID].Protection()))
}

func (w *watched) EditDocument(ctx context.Context, fileID string, read platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (int, error) {
	return w.harness.EditDocument(ctx, fileID, read, func(d *docs.Document) ([]*docs.Request, error) {
		requests, err := compose(d)
		if len(requests) > 0 {
			w.note("fill", fileID)
		}
		return requests, err
	})
}

func (w *watched) ExportPDFWithFindings(ctx context.Context, fileID string) ([]byte, []platen.Finding, error) {
	w.note("export", fileID)
	return w.harness.ExportPDFWithFindings(ctx, fileID)
}

func TestACopyAsksForCredentialsBeforeItIsFilledWhereItsDocumentEncrypts(t *testing.T) {
	t.Parallel()
	for _, encrypts := range []bool{true, false} {
		doc := document()
		doc.EnablePDFPassword = encrypts
		want := "[fill none export none]"
		if encrypts {
			want = "[fill credentials export credentials]"
		}
		w := &watched{harness: newHarness(doc, `{"Name":"Ada"}`)}
		for i, s := range steps(w.documents()) {
			if err := s(t.Context()); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
		}
		if got := fmt.Sprint(w.seen); got != want {
			t.Errorf("encryption %t: got %s, want %s", encrypts, got, want)
		}
	}
}

func TestAnEventSaysWhichFileIsWhichAndWhatItAsksFor(t *testing.T) {
	t.Parallel()
	doc := document()
	doc.RemoveOutput = false
	w := newHarness(doc, `{"Name":"Ada"}`)
	for i, s := range steps(w.documents()) {
		if i == 3 {
			continue // the original stays
		}
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	var body struct {
		Data struct {
			Documents []struct{ Kind, Protection string }
		}
	}
	if err := json.Unmarshal(w.events["out_1"].Payload, &body); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(body.Data.Documents), "[{pdf password} {original credentials}]"; got != want {
		t.Errorf("files in the event: got %s, want %s", got, want)
	}
}
