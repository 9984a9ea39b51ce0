package journey

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/platen"
)

// folders returns the ids of the live folders of a name in a folder.
func (h *harness) folders(t *testing.T, parentID, name string) []string {
	t.Helper()
	var ids []string
	list, err := h.files.Files.List().Q(fmt.Sprintf("name = '%s' and '%s' in parents and mimeType = '%s' and trashed = false", name, parentID, platen.MIMEFolder)).
		Context(t.Context()).Do()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list.Files {
		ids = append(ids, f.Id)
	}
	return ids
}

// parentOf returns the folder that a file is in.
func (h *harness) parentOf(t *testing.T, fileID string) string {
	t.Helper()
	f, err := h.files.Files.Get(fileID).Fields("parents").Context(t.Context()).Do()
	if err != nil || len(f.Parents) != 1 {
		t.Fatalf("folder of %s: got %+v, %v", fileID, f, err)
	}
	return f.Parents[0]
}

// On the drive like Google's the template's folder is as one of a shared drive, and lists
// lag behind.
func TestOutputsOfOneCustomerGoIntoOneFolderThatIsMadeForThem(t *testing.T) {
	t.Parallel()
	for name, likeGoogle := range map[string]bool{"our drive": false, "a drive like Google's": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := example(t, examples.Letter)
			h := open(t, options{likeGoogle: likeGoogle})
			template, top := h.uploadToFolder(t, e)
			w := h.createWorkflow(t, object{"name": "Papers"})
			h.addDocument(t, w, template, object{"outputName": "Paper", "createPdfCopy": true, "outputFolder": "Customers/No {{Customer Number}}"})
			h.addDocument(t, w, template, object{"outputName": "Note", "createPdfCopy": true, "removeOutput": true, "outputFolder": "Customers/No {{Customer Number}}"})
			r := newReceiver(t)
			h.register(t, w, r)
			// Two events at the same time, of two documents each.
			post(t, w.Source.WebhookURL, e.Event, http.StatusOK)
			post(t, w.Source.WebhookURL, e.Event, http.StatusOK)

			parents := map[string][]string{}
			for range 4 {
				got := r.next(t).event
				if got.Type != "DOCUMENTS_CREATED" {
					t.Fatalf("got %+v, want DOCUMENTS_CREATED", got)
				}
				for _, d := range got.Data.Documents {
					parent := h.parentOf(t, d.ID)
					parents[parent] = append(parents[parent], d.Name)
				}
			}
			if len(parents) != 1 {
				t.Fatalf("outputs are in the folders %v, want them in one", parents)
			}
			for inner, names := range parents {
				slices.Sort(names)
				if want := []string{"Note.pdf", "Note.pdf", "Paper", "Paper", "Paper.pdf", "Paper.pdf"}; !slices.Equal(names, want) {
					t.Errorf("in the folder: got %q, want %q", names, want)
				}
				outer := h.parentOf(t, inner)
				if got := h.parentOf(t, outer); got != top {
					t.Errorf("the outer folder is in %s, want it in that of the template, %s", got, top)
				}
				eventually(t, "the folders in a list that lags", func() error {
					if got := h.folders(t, top, "Customers"); !slices.Equal(got, []string{outer}) {
						return fmt.Errorf("folders Customers: got %q, want one, %s", got, outer)
					}
					if got := h.folders(t, outer, "No C-1042"); !slices.Equal(got, []string{inner}) {
						return fmt.Errorf("folders No C-1042: got %q, want one, %s", got, inner)
					}
					return nil
				})
			}
		})
	}
}
