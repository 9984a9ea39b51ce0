package google_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/drivetest"
)

func TestEveryCallReachesSharedDrives(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if query.Get("supportsAllDrives") != "true" && !strings.HasSuffix(r.URL.Path, "/export") {
			t.Errorf("%s %s says nothing of shared drives", r.Method, r.URL)
		}
		if r.Method == http.MethodGet && r.URL.Path == "/drive/v3/files" {
			if query.Get("includeItemsFromAllDrives") != "true" || query.Get("corpora") != "allDrives" {
				t.Errorf("files are looked for in %q alone", query.Get("corpora"))
			}
			answer(w, 200, `{"files":[]}`)
			return
		}
		answer(w, 200, `{"id":"x"}`)
	})
	pdf := platen.File{ID: "f", Name: "n", MIMEType: platen.MIMEPDF, Parent: "folder"}
	for name, call := range map[string]func() error{
		"CopyWithID":   func() error { _, err := client.CopyWithID(t.Context(), "x", pdf); return err },
		"FolderToFill": func() error { _, err := client.FolderToFill(t.Context(), "x"); return err },
		"File":         func() error { _, err := client.File(t.Context(), "x"); return err },
		"Copy":         func() error { _, err := client.Copy(t.Context(), "x", "n", "k"); return err },
		"CreateBlank":  func() error { _, err := client.CreateBlank(t.Context(), "n", platen.MIMEDocs, "k"); return err },
		"CreateFrom": func() error {
			_, err := client.CreateFrom(t.Context(), "n", platen.MIMEDocs, "k", platen.MIMEDocx, []byte("content"))
			return err
		},
		"ReplaceContent": func() error {
			_, err := client.ReplaceContent(t.Context(), "x", platen.MIMEDocx, []byte("content"))
			return err
		},
		"FindByKey": func() error { _, err := client.FindByKey(t.Context(), "k"); return err },
		"Upload":    func() error { _, err := client.Upload(t.Context(), pdf, []byte(wholePDF)); return err },
		"Download":  func() error { _, err := client.Download(t.Context(), "x"); return err },
		"Delete":    func() error { return client.Delete(t.Context(), "x") },
		"Trash":     func() error { return client.Trash(t.Context(), "x") },
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnUploadNamesItsFolder(t *testing.T) {
	t.Parallel()
	for size, folder := range map[int]string{1000: "", 1001: "folder", 6 << 20: "folder"} {
		var sent string
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if r.URL.Path != "/session" {
				sent = string(body[:min(len(body), 2000)])
				w.Header().Set("Location", "http://"+r.Host+"/session")
			} else if strings.HasSuffix(r.Header.Get("Content-Range"), "/*") {
				w.Header().Set("X-Http-Status-Code-Override", "308")
				w.WriteHeader(200)
				return
			}
			answer(w, 200, `{"id":"f","parents":["folder"]}`)
		})
		file, err := client.Upload(t.Context(), platen.File{ID: "f", Name: "n", MIMEType: platen.MIMEPDF, Parent: folder}, make([]byte, size))
		if err != nil || file.Parent != "folder" {
			t.Errorf("%d bytes: got %+v, %v; want it in the folder", size, file, err)
		}
		if got := strings.Contains(sent, `"parents":["folder"]`); got != (folder != "") || folder == "" && strings.Contains(sent, "parents") {
			t.Errorf("%d bytes into %q: sent %.300q", size, folder, sent)
		}
	}
}

func TestAnAccountWithoutStorageIsToldTheCure(t *testing.T) {
	t.Parallel()
	for message, code := range map[string]string{
		"Service Accounts do not have storage quota. Leverage shared drives (https://developers.google.com/workspace/drive/api/guides/about-shareddrives), " +
			"or use OAuth delegation (http://support.google.com/a/answer/7281227) instead.": "drive_account_without_storage",
		"The user's Drive storage quota has been exceeded.": "drive_quota",
	} {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, 403, fault(403, "storageQuotaExceeded", message))
		})
		_, err := client.Copy(t.Context(), "x", "n", "k")
		e, ok := errors.AsType[*platen.Error](err)
		if !ok || e.Code != code || e.Kind != platen.KindInvalid {
			t.Errorf("%.30q: got %v, want %s", message, err, code)
		}
		if code == "drive_account_without_storage" && (!strings.Contains(e.Message, "shared drive") || !strings.Contains(e.Message, "delegat")) {
			t.Errorf("the message names no cure: %s", e.Message)
		}
	}
}

func TestOurDriveKeepsCopiesAndPDFsInTheFolderOfTheirTemplate(t *testing.T) {
	t.Parallel()
	served := drivetest.Serve(t)
	client, files, document := served.Client, served.Files, convert(t, served, examples.Letter)
	folder, err := files.Create(&driveapi.File{Name: "Contracts", MimeType: "application/vnd.google-apps.folder"}).Context(t.Context()).Do()
	if err != nil {
		t.Fatal(err)
	}
	before, err := client.File(t.Context(), document)
	if err != nil || before.Parent == "" {
		t.Fatalf("the template is in %q, %v", before.Parent, err)
	}
	if _, err := files.Update(document, &driveapi.File{}).AddParents(folder.Id).RemoveParents(before.Parent).Context(t.Context()).Do(); err != nil {
		t.Fatal(err)
	}
	copied, err := client.Copy(t.Context(), document, "A copy", "out_1.0")
	if err != nil || copied.Parent != folder.Id {
		t.Fatalf("the copy is in %q, %v; want the folder of its template", copied.Parent, err)
	}
	found, err := client.FindByKey(t.Context(), "out_1.0")
	if err != nil || len(found) != 1 || found[0].Parent != folder.Id {
		t.Errorf("FindByKey = %+v, %v; want the copy, in its folder", found, err)
	}
	for parent, want := range map[string]string{copied.Parent: folder.Id, "": before.Parent} {
		id, err := client.NewFileID(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Upload(t.Context(), platen.File{ID: id, Name: "A copy.pdf", Parent: parent, MIMEType: platen.MIMEPDF}, []byte(wholePDF)); err != nil {
			t.Fatal(err)
		}
		stored, err := files.Get(id).Fields("parents").Context(t.Context()).Do()
		if err != nil || !slices.Equal(stored.Parents, []string{want}) {
			t.Errorf("a PDF for %q is in %q, %v; want %q", parent, stored.Parents, err, want)
		}
	}
}

// sharedDrive answers as a shared drive does to somebody who may add and edit:
// it deletes nothing, and trashes where that is allowed.
type sharedDrive struct {
	mayTrash bool

	mu    sync.Mutex
	calls []string
}

func (d *sharedDrive) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	d.mu.Lock()
	d.calls = append(d.calls, strings.TrimSpace(r.Method+" "+string(body)))
	d.mu.Unlock()
	if r.Method == http.MethodPatch && d.mayTrash {
		answer(w, 200, `{"id":"x"}`)
		return
	}
	answer(w, 403, fault(403, "insufficientFilePermissions", "The user does not have sufficient permissions for this file."))
}

func TestAListOfFilesWithAKeyIsNotReadForEver(t *testing.T) {
	t.Parallel()
	var pages atomic.Int32
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		pages.Add(1)
		answer(w, 200, `{"nextPageToken":"more","files":[`+strings.Repeat(`{"id":"x"},`, 99)+`{"id":"x"}]}`)
	})
	found, err := client.FindByKey(t.Context(), "out_1")
	if err != nil || len(found) != 1000 || pages.Load() != 10 {
		t.Errorf("got %d files of %d pages, %v; want 1000 of 10", len(found), pages.Load(), err)
	}
}

func TestWhatMayNotBeDeletedIsTrashed(t *testing.T) {
	t.Parallel()
	d := &sharedDrive{mayTrash: true}
	if err := serve(t, d.ServeHTTP).Delete(t.Context(), "x"); err != nil {
		t.Errorf("Delete: %v", err)
	}
	if want := []string{"DELETE", `PATCH {"trashed":true}`}; !slices.Equal(d.calls, want) {
		t.Errorf("the drive was asked %q, want %q", d.calls, want)
	}
}

func TestWhatMayNeitherBeDeletedNorTrashedIsKept(t *testing.T) {
	t.Parallel()
	d := &sharedDrive{}
	client := serve(t, d.ServeHTTP)
	for name, err := range map[string]error{"Delete": client.Delete(t.Context(), "x"), "Trash": client.Trash(t.Context(), "x")} {
		e, ok := errors.AsType[*platen.Error](err)
		if !ok || e.Code != platen.CodeFileKept || e.Kind != platen.KindForbidden {
			t.Errorf("%s: got %v, want %s", name, err, platen.CodeFileKept)
		}
	}
}

func TestARefusalThatIsNotAboutTheFileIsNoReasonToTrashIt(t *testing.T) {
	t.Parallel()
	for reason, code := range map[string]string{
		"rateLimitExceeded": "drive_rate_limited", "accessNotConfigured": "drive_api_disabled", "insufficientScopes": "drive_connection_broken",
	} {
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodDelete {
				t.Errorf("%s: the drive was asked %s", reason, r.Method)
			}
			answer(w, 403, fault(403, reason, "m"))
		})
		e, ok := errors.AsType[*platen.Error](client.Delete(t.Context(), "x"))
		if !ok || e.Code != code {
			t.Errorf("%s: got %v, want %s", reason, e, code)
		}
	}
}

func TestAFolderThatTheAccountMayOnlyReadIsForbidden(t *testing.T) {
	t.Parallel()
	for answered, code := range map[string]string{
		`{"id":"x","mimeType":"application/vnd.google-apps.folder","capabilities":{"canAddChildren":true}}`:  "",
		`{"id":"x","mimeType":"application/vnd.google-apps.folder","capabilities":{"canAddChildren":false}}`: "drive_file_forbidden",
		`{"id":"x","mimeType":"application/pdf"}`:                                                            "", // who asked sees that it is none
	} {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, answered) })
		f, err := client.FolderToFill(t.Context(), "x")
		e, _ := errors.AsType[*platen.Error](err)
		if (e == nil) != (code == "") || e != nil && e.Code != code || e == nil && f.ID != "x" {
			t.Errorf("%s: got %+v, %v, want %q", answered, f, err, code)
		}
	}
}
