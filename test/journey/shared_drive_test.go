package journey

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/examples"
)

var withParent = regexp.MustCompile(`"parents":\["[^"]+"\]`)

// likeSharedDrive stands before our drive and adds what Google says to a
// service account that is a member of a shared drive: it has no storage of its
// own, so what it makes must have a folder there, and it deletes nothing.
// mayTrash: it is a content manager there.
func likeSharedDrive(t *testing.T, drive string, mayTrash bool) string {
	t.Helper()
	target, err := url.Parse(drive)
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse := func(reason, message string) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			_, _ = fmt.Fprintf(w, `{"error":{"code":403,"message":%q,"errors":[{"message":%q,"domain":"global","reason":%q}]}}`, message, message, reason)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client is gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		made := r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/drive/v3/files")
		switch {
		case made && !withParent.Match(body):
			refuse("storageQuotaExceeded", "Service Accounts do not have storage quota. Leverage shared drives (https://developers.google.com/workspace/drive/api/guides/about-shareddrives), "+
				"or use OAuth delegation (http://support.google.com/a/answer/7281227) instead.")
		case r.Method == http.MethodDelete, r.Method == http.MethodPatch && !mayTrash:
			refuse("insufficientFilePermissions", "The user does not have sufficient permissions for this file.")
		default:
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// inFolder moves a file into a new folder.
func (h *harness) inFolder(t *testing.T, fileID string) (folderID string) {
	t.Helper()
	folder, err := h.files.Files.Create(&driveapi.File{Name: "Contracts", MimeType: "application/vnd.google-apps.folder"}).Context(t.Context()).Do()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.files.Files.Update(fileID, &driveapi.File{}).AddParents(folder.Id).Context(t.Context()).Do(); err != nil {
		t.Fatal(err)
	}
	return folder.Id
}

func TestAServiceAccountMakesDocumentsInASharedDrive(t *testing.T) {
	t.Parallel()
	for name, mayTrash := range map[string]bool{"a content manager": true, "a contributor": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := example(t, examples.Letter)
			h := open(t, options{between: func(drive string) string { return likeSharedDrive(t, drive, mayTrash) }})
			template := h.upload(t, e)
			folder := h.inFolder(t, template)
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
			list, err := h.files.Files.List().Q("name = 'Paper' and trashed = true").Context(t.Context()).Do()
			if err != nil || mayTrash != (len(list.Files) == 1) {
				t.Errorf("originals in the trash: %+v, %v", list.Files, err)
			}
		})
	}
}

func TestATemplateForAnAccountWithoutStorageIsRefusedWithTheCure(t *testing.T) {
	t.Parallel()
	h := open(t, options{idle: true, between: func(drive string) string { return likeSharedDrive(t, drive, true) }})
	w := h.createWorkflow(t, object{"name": "Papers"})
	var problem struct{ Code, Detail string }
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/documents/", object{}, &problem, http.StatusBadRequest)
	if problem.Code != "drive_account_without_storage" || !strings.Contains(problem.Detail, "shared drive") {
		t.Errorf("got %+v, want drive_account_without_storage with its cure", problem)
	}
}
