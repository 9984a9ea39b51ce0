package journey

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/platen"
)

// withoutTrash stands before the drive and says what Google says to a contributor of a
// shared drive, who trashes nothing.
func withoutTrash(t *testing.T, drive string) string {
	t.Helper()
	target, err := url.Parse(drive)
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			const message = "The user does not have sufficient permissions for this file."
			_, _ = io.WriteString(w, `{"error":{"code":403,"message":"`+message+`","errors":[{"message":"`+message+`","domain":"global","reason":"insufficientFilePermissions"}]}}`)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// uploadToFolder uploads an example into a new folder, which on a drive like Google's
// is as a shared drive to a service account.
func (h *harness) uploadToFolder(t *testing.T, e examples.Example) (fileID, folderID string) {
	t.Helper()
	folder, err := h.files.Files.Create(&driveapi.File{Name: "Contracts", MimeType: "application/vnd.google-apps.folder"}).Context(t.Context()).Do()
	if err != nil {
		t.Fatal(err)
	}
	file, err := h.files.Files.Create(&driveapi.File{Name: e.Title, MimeType: e.MIMEType, Parents: []string{folder.Id}}).Context(t.Context()).
		Media(bytes.NewReader(e.Template)).Fields("id").Do()
	if err != nil {
		t.Fatalf("upload %s: %v", e.Name, err)
	}
	return file.Id, folder.Id
}

// The drive is like Google's: in seconds, within quotas, with lists that lag.
func TestAServiceAccountMakesDocumentsInASharedDrive(t *testing.T) {
	t.Parallel()
	for name, mayTrash := range map[string]bool{"a content manager": true, "a contributor": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := example(t, examples.Letter)
			o := options{likeGoogle: true}
			if !mayTrash {
				o.between = func(drive string) string { return withoutTrash(t, drive) }
			}
			h := open(t, o)
			template, folder := h.uploadToFolder(t, e)
			w := h.createWorkflow(t, object{"name": "Papers"})
			h.addDocument(t, w, template, object{"outputName": "Paper", "createPdfCopy": true, "removeOutput": true})
			r := newReceiver(t)
			h.register(t, w, r)
			post(t, w.Source.WebhookURL, e.Event, http.StatusOK)
			got := r.next(t).event
			h.finished(t, w.ID, platen.AutomationCompleted)

			want := []string{"Paper.pdf"}
			if !mayTrash {
				want = append(want, "Paper")
			}
			var names []string
			for _, d := range got.Data.Documents {
				names = append(names, d.Name)
				f, err := h.files.Files.Get(d.ID).Fields("parents,trashed").Context(t.Context()).Do()
				if err != nil || f.Trashed || !slices.Equal(f.Parents, []string{folder}) {
					t.Errorf("%s: got %+v, %v; want it in the template's folder %s", d.Name, f, err, folder)
				}
			}
			if !slices.Equal(names, want) {
				t.Errorf("the event %s names %q, want %q", got.Type, names, want)
			}
			var run struct {
				Outputs []struct{ Findings []struct{ Code string } }
			}
			h.call(t, http.MethodGet, "/workflows/"+w.ID+"/automations/"+got.Data.AutomationID+"/", nil, &run, http.StatusOK)
			if len(run.Outputs) != 1 || mayTrash != (len(run.Outputs[0].Findings) == 0) || !mayTrash && run.Outputs[0].Findings[0].Code != platen.CodeFileKept {
				t.Errorf("outputs %+v, want a finding that the original stays exactly where it has to", run.Outputs)
			}
			want = nil
			if mayTrash {
				want = []string{"Paper"}
			}
			eventually(t, "what is in the trash, in a list that lags", func() error {
				list, err := h.files.Files.List().Q("trashed = true").Context(t.Context()).Do()
				if err != nil {
					return err
				}
				names = nil
				for _, f := range list.Files {
					names = append(names, f.Name)
				}
				if !slices.Equal(names, want) {
					return fmt.Errorf("got %q, want %q", names, want)
				}
				return nil
			})
		})
	}
}

func TestATemplateForAnAccountWithoutStorageIsRefusedWithTheCure(t *testing.T) {
	t.Parallel()
	h := open(t, options{idle: true, likeGoogle: true})
	w := h.createWorkflow(t, object{"name": "Papers"})
	var problem struct{ Code, Detail string }
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/documents/", object{}, &problem, http.StatusBadRequest)
	if problem.Code != "drive_account_without_storage" || !strings.Contains(problem.Detail, "shared drive") {
		t.Errorf("got %+v, want drive_account_without_storage with its cure", problem)
	}
}
