package activities_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
)

// A superseded harness is one whose process remembers an older row of the output once
// its PDF is uploaded: another execution of an earlier step has put it there.
type superseded struct {
	*harness
	outputs *memory
	older   map[string]remembered
	trashed []string
}

func (o *superseded) documents() *activities.Documents {
	d := o.harness.documents()
	d.Outputs, d.Drives = o.outputs, func(context.Context, string) (activities.Drive, error) { return o, nil }
	return d
}

// rows are what the process remembers.
func (o *superseded) rows() map[string]remembered {
	rows := map[string]remembered{}
	for id, row := range o.outputs.rows {
		rows[id] = remembered{version: row.version, o: clone(row.o)}
	}
	return rows
}

func (o *superseded) Upload(ctx context.Context, file platen.File, data []byte) (platen.File, error) {
	stored, err := o.harness.Upload(ctx, file, data)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.outputs.rows = o.older
	return stored, err
}

func (o *superseded) Trash(ctx context.Context, fileID string) error {
	o.trashed = append(o.trashed, fileID)
	return o.harness.Trash(ctx, fileID)
}

// A PDF that was just uploaded is the output's if the stored row says so, even when the
// process remembers an older row.
func TestAPDFIsNotTrashedByWhatAProcessRemembers(t *testing.T) {
	t.Parallel()
	for known := range 3 { // steps that the older row knows of
		t.Run(fmt.Sprintf("after %d steps", known), func(t *testing.T) {
			t.Parallel()
			w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
			o := &superseded{harness: w, outputs: w.process()}
			for i, s := range steps(o.documents()) {
				if i == known {
					o.older = o.rows()
				}
				if err := s(t.Context()); err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
			}
			checkOneOutput(t, w)
			if len(o.trashed) > 0 {
				t.Errorf("%v was trashed, want nothing to be", o.trashed)
			}
		})
	}
}

// A PDF that was trashed by the time that another execution finds it is not the
// output's; another one is made.
func TestATrashedPDFIsNotTakenOver(t *testing.T) {
	t.Parallel()
	w := newHarness(document(), `{"Name":"Ada {{Name}}"}`)
	all := steps(w.documents())
	for i, s := range all[:3] {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	// Uploaded, and trashed before anybody noted that it was.
	row := w.known()
	pdf := w.files[row.PDF.ID]
	pdf.Trashed = true
	w.files[pdf.ID] = pdf
	row.PDF = nil
	w.set(row)
	w.die()
	again := steps(w.documents())
	for i, s := range again {
		err := s(t.Context())
		for tries := 0; err != nil && platen.KindOf(err) == platen.KindConflict && tries < 3; tries++ {
			err = s(t.Context())
		}
		if err != nil {
			t.Fatalf("step %d, again: %v", i, err)
		}
	}
	delete(w.files, pdf.ID)
	checkOneOutput(t, w)
}

// An execution that remembers no upload makes the same PDF again, and finds its id
// taken by the trashed one, whose bytes are the same where there is no password.
func TestATrashedPDFWithTheSameBytesIsNotTheOutputs(t *testing.T) {
	t.Parallel()
	plain := document()
	plain.EnablePDFPassword, plain.PDFPassword = false, ""
	w := newHarness(plain, `{"Name":"Ada"}`)
	for i, s := range steps(w.documents())[:3] {
		if err := s(t.Context()); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	row := w.known()
	pdf := w.files[row.PDF.ID]
	hash := sha256.Sum256([]byte(pdf.content))
	pdf.Trashed, pdf.SHA256 = true, hex.EncodeToString(hash[:])
	w.files[pdf.ID] = pdf
	row.PDF, row.PDFHashes = nil, nil
	w.set(row)
	w.die()
	for i, s := range steps(w.documents())[:3] {
		err := s(t.Context())
		for tries := 0; err != nil && platen.KindOf(err) == platen.KindConflict && tries < 3; tries++ {
			err = s(t.Context())
		}
		if err != nil {
			t.Fatalf("step %d, again: %v", i, err)
		}
	}
	if o := w.known(); o.PDF == nil || o.PDF.ID == pdf.ID {
		t.Errorf("got the PDF %v, want another one than the trashed %s", o.PDF, pdf.ID)
	}
}
