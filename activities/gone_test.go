package activities_test

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// A blind drive does not find the file that it is to edit or to make a PDF of.
type blind struct {
	*harness
	copies  int
	gone    bool // and the file is removed indeed
	toEdits bool
}

// CopyProtected makes the copies of a document whose PDF is encrypted.
func (b *blind) CopyProtected(ctx context.Context, fileID, name, key string) (platen.File, error) {
	b.copies++
	return b.harness.CopyProtected(ctx, fileID, name, key)
}

func (b *blind) find(fileID string) error {
	if b.gone {
		delete(b.files, fileID)
	}
	if b.copies > 50 {
		return errors.New("the step copies without end")
	}
	return platen.Errorf(platen.KindNotFound, "drive_file_not_found", "no file %s", fileID)
}

func (b *blind) EditDocument(ctx context.Context, fileID string, read platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (int, error) {
	if b.toEdits {
		return 0, b.find(fileID)
	}
	return b.harness.EditDocument(ctx, fileID, read, compose)
}

func (b *blind) ExportPDFWithFindings(_ context.Context, fileID string) ([]byte, []platen.Finding, error) {
	return nil, nil, b.find(fileID)
}

func TestACopyThatIsNotFoundIsMadeAgainOnceATryAndOnlyIfItIsGone(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]struct {
		gone, toEdits bool
		code          string
		copies        int // after two tries
	}{
		"shown, and not exported":   {code: "drive_fault", copies: 1},
		"shown, and not edited":     {toEdits: true, code: "drive_fault", copies: 1},
		"gone before its PDF":       {gone: true, code: "copy_gone", copies: 2},
		"gone before it was filled": {gone: true, toEdits: true, code: "copy_gone", copies: 2},
	} {
		b := &blind{harness: newHarness(document(), `{"Name":"Ada"}`), gone: s.gone, toEdits: s.toEdits}
		d := b.documents()
		d.Drives = func(context.Context, string) (activities.Drive, error) { return b, nil }
		for range 2 {
			_, err := d.MakePDF(t.Context(), step)
			if e, ok := errors.AsType[*platen.Error](err); !ok || e.Code != s.code || !activities.Retryable(e.Kind) {
				t.Errorf("%s: got %v, want %s, which is tried again", name, err, s.code)
			}
		}
		if b.copies != s.copies {
			t.Errorf("%s: got %d copies, want %d", name, b.copies, s.copies)
		}
	}
}

// An execution that does not find its copy throws nothing away that another one has
// got further with.
func TestACopyIsNotThrownAwayWhenAnotherExecutionIsAhead(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]func(*platen.Output){
		"its PDF is there":        func(o *platen.Output) { o.PDF = &platen.File{ID: "pdf"} },
		"its PDF is on its way":   func(o *platen.Output) { o.PDFID, o.PDFHashes = "pdf", []string{"hash"} },
		"its original is removed": func(o *platen.Output) { o.Removed = true },
		"it has another copy":     func(o *platen.Output) { o.Copy = &platen.File{ID: "another"} },
		"it has ended":            func(o *platen.Output) { o.State = platen.OutputFailed },
	} {
		b := &blind{harness: newHarness(document(), `{"Name":"Ada"}`), gone: true}
		d := b.documents()
		d.Drives = func(context.Context, string) (activities.Drive, error) { return b, nil }
		if _, err := d.FillTags(t.Context(), step); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		o := b.known()
		o.FillEnded = true
		ahead(&o)
		b.set(o)
		_, err := d.MakePDF(t.Context(), step)
		if e, ok := errors.AsType[*platen.Error](err); !ok || e.Code == "copy_gone" {
			t.Errorf("%s: got %v, want that another execution is ahead", name, err)
		}
		if after := b.known(); len(after.ThrownAway) > 0 || after.Generation != 0 || b.copies != 1 {
			t.Errorf("%s: got %d copies, generation %d and %q thrown away, want the one copy left alone", name, b.copies, after.Generation, after.ThrownAway)
		}
	}
}
