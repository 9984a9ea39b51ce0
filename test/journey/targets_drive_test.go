package journey

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"testing"

	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/platen"
)

// stored returns the output of a workflow once its targets have it.
func (h *harness) stored(t *testing.T, w workflow, n int) (all []client.Output) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d outputs at their target", n), func() error {
		all = nil
		for o, err := range h.client(t).Outputs(t.Context(), w.ID, client.OutputQuery{Placed: []string{"STORED", "FAILED"}}) {
			if err != nil {
				return err
			}
			all = append(all, o)
		}
		if len(all) != n {
			return fmt.Errorf("%d have it", len(all))
		}
		return nil
	})
	return all
}

// In our drive, and in one like Google's: a folder of a shared drive, with lists that lag.
func TestOutputsAlsoGoToAnotherFolderOfTheDrive(t *testing.T) {
	t.Parallel()
	for name, likeGoogle := range map[string]bool{"our drive": false, "a drive like Google's": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := example(t, examples.Letter)
			h := open(t, options{likeGoogle: likeGoogle})
			template, top := h.uploadToFolder(t, e)
			archive, err := h.files.Files.Create(&driveapi.File{Name: "Archive", MimeType: platen.MIMEFolder, Parents: []string{top}}).Context(t.Context()).Do()
			if err != nil {
				t.Fatal(err)
			}
			w := h.createWorkflow(t, object{"name": "Papers"})
			h.addDocument(t, w, template, object{"outputName": "Paper {{Automation ID}}", "createPdfCopy": true, "removeOutput": true})
			c := h.client(t)
			at, err := c.CreateTarget(t.Context(), w.ID, client.TargetChange{
				Kind: "drive", Name: new("Archive"), URL: new("https://drive.google.com/drive/folders/" + archive.Id), Path: new("Customers/No {{Customer Number}}"), Sidecar: new(true),
			})
			if err != nil {
				t.Fatal(err)
			}
			if tested, err := c.TestTarget(t.Context(), w.ID, at.ID); err != nil || !tested.Removed || tested.Error != nil {
				t.Errorf("a test: got %+v, %v", tested, err)
			}
			// Two events at the same time, whose folders are the same.
			post(t, w.Source.WebhookURL, e.Event, http.StatusOK)
			post(t, w.Source.WebhookURL, e.Event, http.StatusOK)
			parents := map[string]bool{}
			for _, o := range h.stored(t, w, 2) {
				p := o.Targets[0]
				if p.State != "STORED" || len(p.Files) != 2 || p.Files[0].Kind != "pdf" || p.Files[1].Kind != "metadata" {
					t.Fatalf("the output has %+v, %v", p, p.Error)
				}
				for _, r := range p.Files {
					f, err := h.files.Files.Get(*r.Version).Fields("name,parents,sha256Checksum,size").Context(t.Context()).Do()
					if err != nil || f.Sha256Checksum != r.SHA256 || int(f.Size) != r.Bytes || path.Base(r.Key) != f.Name {
						t.Errorf("of the receipt %+v the drive has %+v, %v", r, f, err)
						continue
					}
					parents[f.Parents[0]] = true
				}
				if *p.Files[0].Version == o.Files[0].ID {
					t.Errorf("the copy is the output's own file %s", o.Files[0].ID)
				}
			}
			if len(parents) != 1 {
				t.Fatalf("the files are in the folders %v, want them in one", parents)
			}
			for inner := range parents {
				outer := h.parentOf(t, inner)
				if got := h.parentOf(t, outer); got != archive.Id {
					t.Errorf("the folders are in %s, want them in the target's", got)
				}
				eventually(t, "the files in a list that lags", func() error {
					list, err := h.files.Files.List().Q("'" + inner + "' in parents and trashed = false").Context(t.Context()).Do()
					if err == nil && len(list.Files) != 4 {
						err = fmt.Errorf("the folder has %d files, want two PDFs and what is beside them", len(list.Files))
					}
					return err
				})
			}
			h.storedAgain(t, w, at.ID)
		})
	}
}

// storedAgain has an output stored again: first what the target has, then what was trashed.
func (h *harness) storedAgain(t *testing.T, w workflow, target string) {
	t.Helper()
	c := h.client(t)
	o := h.stored(t, w, 2)[0]
	before := o.Targets[0].Files
	for _, trash := range []bool{false, true} {
		if trash {
			if _, err := h.files.Files.Update(*before[0].Version, &driveapi.File{Trashed: true}).Context(t.Context()).Do(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.StoreOutput(t.Context(), w.ID, o.ID, target); err != nil {
			t.Fatal(err)
		}
		all := h.stored(t, w, 2)
		now := all[slices.IndexFunc(all, func(one client.Output) bool { return one.ID == o.ID })].Targets[0]
		if len(now.Files) != 2 || now.State != "STORED" {
			t.Fatalf("stored again, trashed: %v: got %+v", trash, now)
		}
		for _, r := range now.Files {
			is := slices.IndexFunc(before, func(b client.Receipt) bool { return b.Kind == r.Kind })
			if same := *r.Version == *before[is].Version; same == (trash && r.Kind == "pdf") || r.SHA256 != before[is].SHA256 {
				t.Errorf("stored again, trashed: %v: got %+v, before %+v", trash, r, before[is])
			}
		}
	}
}

// A workflow stores in the drive of its owner: a folder of somebody else's is none.
func TestATargetReachesNoFolderOfAnotherOwner(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	theirs := h.neighbour(t, "Bob")
	folder, err := theirs.files.Files.Create(&driveapi.File{Name: "Bob's", MimeType: platen.MIMEFolder}).Context(t.Context()).Do()
	if err != nil {
		t.Fatal(err)
	}
	w := h.createWorkflow(t, object{"name": "Papers"})
	_, err = h.client(t).CreateTarget(t.Context(), w.ID, client.TargetChange{Kind: "drive", Name: new("Archive"), URL: &folder.Id})
	if e, ok := errors.AsType[*client.Error](err); !ok || e.Code != platen.CodeTargetNotFound {
		t.Errorf("a folder that the owner cannot see: got %v, want %s", err, platen.CodeTargetNotFound)
	}
}
