package google_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/drivetest"
)

// listed are the names of the files of a folder, and whether they are all.
func listed(t *testing.T, client *google.Client, folder string, most int) (names string, complete bool) {
	t.Helper()
	complete, err := client.ListFolder(t.Context(), folder, most, func(files []platen.File) error {
		for _, f := range files {
			names += f.Name + " "
			if f.ID == "" || f.CreatedAt.IsZero() || f.ModifiedAt.IsZero() {
				t.Errorf("got %+v", f)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, complete
}

func TestAFolderIsListedWithoutItsFoldersAndTrash(t *testing.T) {
	t.Parallel()
	served := drivetest.Serve(t)
	put := func(name, parent, kind string) string {
		t.Helper()
		f := &driveapi.File{Name: name, MimeType: kind}
		if parent != "" {
			f.Parents = []string{parent}
		}
		call := served.Files.Create(f)
		if kind == "" {
			call = call.Media(bytes.NewReader([]byte("{}")))
		}
		made, err := call.Context(t.Context()).Do()
		if err != nil {
			t.Fatal(err)
		}
		return made.Id
	}
	folder := put("Inbox", "", platen.MIMEFolder)
	put("deep.json", put("Below", folder, platen.MIMEFolder), "")
	put("elsewhere.json", "", "")
	id, trashed := put("a.json", folder, ""), put("b.json", folder, "")
	put("c.csv", folder, "")
	if _, err := served.Files.Update(trashed, &driveapi.File{Trashed: true}).Context(t.Context()).Do(); err != nil {
		t.Fatal(err)
	}
	if names, complete := listed(t, served.Client, folder, 100); names != "c.csv a.json " || !complete {
		t.Errorf("got %q, all: %v", names, complete)
	}
	body, err := served.Client.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = body.Close() }()
	if got, err := io.ReadAll(body); err != nil || string(got) != "{}" {
		t.Errorf("got %s, %v", got, err)
	}
	for name, id := range map[string]string{"nothing": "nothing", "a file": id} {
		_, err := served.Client.ListFolder(t.Context(), id, 100, func([]platen.File) error { return nil })
		if platen.KindOf(err) != platen.KindNotFound {
			t.Errorf("the folder is %s: got %v", name, err)
		}
	}
	if _, err := served.Client.Open(t.Context(), "nothing"); platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("got %v", err)
	}
}

func TestAFolderOfASharedDriveIsListedInIt(t *testing.T) {
	t.Parallel()
	incomplete := "false"
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		switch {
		case r.URL.Path == "/drive/v3/files/inbox":
			answer(w, 200, `{"mimeType":"application/vnd.google-apps.folder","driveId":"drive-1"}`)
			return
		case q.Get("corpora") != "drive" || q.Get("driveId") != "drive-1" || q.Get("includeItemsFromAllDrives") != "true" || q.Get("supportsAllDrives") != "true" || q.Get("pageSize") != "1000":
			t.Errorf("asked %s", r.URL)
		case !strings.Contains(q.Get("q"), "'inbox' in parents") || q.Get("orderBy") != "createdTime desc":
			t.Errorf("asked for %s in the order %s", q.Get("q"), q.Get("orderBy"))
		}
		next := `,"nextPageToken":"2"`
		if q.Get("pageToken") == "2" {
			next = ""
		}
		answer(w, 200, fmt.Sprintf(`{"incompleteSearch":%s,"files":[{"id":"f","name":"a%s","createdTime":"2026-11-30T12:00:00Z","modifiedTime":"2026-11-30T12:00:00Z","size":"2"}]%s}`, incomplete, q.Get("pageToken"), next))
	})
	if names, complete := listed(t, client, "inbox", 100); names != "a a2 " || !complete {
		t.Errorf("got %q, all: %v", names, complete)
	}
	if names, complete := listed(t, client, "inbox", 1); names != "a " || complete {
		t.Errorf("one of two: got %q, all: %v", names, complete)
	}
	incomplete = "true"
	if _, complete := listed(t, client, "inbox", 100); complete {
		t.Error("Google did not look everywhere, and these are said to be all")
	}
	enough := errors.New("enough")
	if _, err := client.ListFolder(t.Context(), "inbox", 100, func([]platen.File) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("got %v, want the error of the page", err)
	}
}

// A download that breaks off is not the end of a file.
func TestAFileThatBreaksOffIsUnavailable(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte(`{"a":`))
	})
	body, err := client.Open(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = body.Close() }()
	if _, err := io.ReadAll(body); platen.KindOf(err) != platen.KindUnavailable {
		t.Errorf("got %v", err)
	}
}

// By its key a file is known that Platen made, and that starts nothing.
func TestAListHasTheKeysOfFiles(t *testing.T) {
	t.Parallel()
	served := drivetest.Serve(t)
	folder, err := served.Files.Create(&driveapi.File{Name: "Inbox", MimeType: platen.MIMEFolder}).Context(t.Context()).Do()
	if err != nil {
		t.Fatal(err)
	}
	made := &driveapi.File{Name: "a.json", Parents: []string{folder.Id}, AppProperties: map[string]string{platen.PropertyKey: "out_1.tgt_1"}}
	if _, err := served.Files.Create(made).Media(bytes.NewReader([]byte("{}"))).Context(t.Context()).Do(); err != nil {
		t.Fatal(err)
	}
	var key string
	_, err = served.Client.ListFolder(t.Context(), folder.Id, 100, func(files []platen.File) error {
		for _, f := range files {
			key += f.Properties[platen.PropertyKey]
		}
		return nil
	})
	if err != nil || key != "out_1.tgt_1" {
		t.Errorf("got %q and %v, want the key", key, err)
	}
}
