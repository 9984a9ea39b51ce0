package activities_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/activities"
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

// The run may have begun on an earlier release, whose copies are open to
// everybody who knows their address.
func TestAnOpenCopyOfAnEarlierReleaseIsProtectedBeforeTheNextStep(t *testing.T) {
	t.Parallel()
	for done := 1; done <= 2; done++ {
		w := &watched{harness: newHarness(document(), `{"Name":"Ada"}`)}
		for i, s := range steps(w.documents())[:done] {
			if err := s(t.Context()); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
		}
		o := w.known()
		unprotected := *o.Copy
		unprotected.Properties = map[string]string{platen.PropertyKey: o.CopyKey()}
		o.Copy = &unprotected
		w.set(o)
		w.seen = nil
		w.files[o.Copy.ID] = stored{File: unprotected, content: w.files[o.Copy.ID].content}

		if err := steps(w.documents())[done](t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(w.seen), []string{"", "[fill credentials]", "[export credentials]"}[done]; got != want {
			t.Errorf("after %d steps: got %s, want %s", done, got, want)
		}
		if got := w.known().Copy.Protection(); got != platen.ProtectionCredentials {
			t.Errorf("after %d steps the output says %q, want credentials", done, got)
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
