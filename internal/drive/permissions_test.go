package drive

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/drive/store"
)

func anyone(role string) *driveapi.Permission {
	return &driveapi.Permission{Type: "anyone", Role: role}
}

// open fetches an address of the drive without a token.
func (h *harness) open(address string) (int, string) {
	h.t.Helper()
	response, err := http.Get(address)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func TestAFileIsOpenToAnyoneWithItsIDWhileItIsShared(t *testing.T) {
	h := newHarness(t)
	ada, bob := h.account("Ada"), h.account("Bob")
	f := ada.text(&driveapi.File{Name: "a.txt"}, "hello")
	byID := h.url + "/open?id=" + f.Id
	if code, _ := h.open(byID); code != 404 {
		t.Errorf("before: got %d, want 404", code)
	}
	_, err := bob.files.Get(f.Id).Do()
	wantFault(t, err, 404, "notFound")

	p := must[*driveapi.Permission](t)(ada.shares.Create(f.Id, anyone("reader")).Fields("*").Do())
	if p.Id != anyoneID || p.Role != "reader" || p.Type != "anyone" {
		t.Errorf("got %+v", p)
	}
	if code, body := h.open(byID); code != 200 || body != "hello" {
		t.Errorf("shared: got %d %q", code, body)
	}
	mine := must[*driveapi.File](t)(ada.files.Get(f.Id).Fields("*").Do())
	if !mine.Shared || !slices.Equal(mine.PermissionIds, []string{ada.user.ID, anyoneID}) || len(mine.Permissions) != 2 {
		t.Errorf("the owner sees %v %v", mine.Shared, mine.PermissionIds)
	}
	theirs := must[*driveapi.File](t)(bob.files.Get(f.Id).Fields("*").Do())
	if theirs.OwnedByMe || theirs.Capabilities.CanEdit || theirs.Capabilities.CanShare || !theirs.Capabilities.CanDownload ||
		theirs.Owners[0].EmailAddress != ada.user.Email || theirs.Owners[0].Me || len(theirs.Permissions) != 0 || len(theirs.Parents) != 0 {
		t.Errorf("a reader sees %+v %+v", theirs, theirs.Capabilities)
	}
	if strings.Contains(theirs.WebViewLink, "/d/") {
		t.Errorf("a reader sees the secret address %s", theirs.WebViewLink)
	}
	response, err := bob.files.Get(f.Id).Download()
	wantBody(t, response, err, "hello")
	copied := must[*driveapi.File](t)(bob.files.Copy(f.Id, &driveapi.File{Name: "mine"}).Fields("*").Do())
	if !copied.OwnedByMe || copied.Shared || len(copied.Parents) != 1 {
		t.Errorf("a reader's copy: %+v", copied)
	}

	if err := ada.shares.Delete(f.Id, anyoneID).Do(); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{byID, mine.WebViewLink} {
		if code, _ := h.open(address); code != 404 {
			t.Errorf("after the end of sharing: got %d, want 404", code)
		}
	}
	_, err = bob.files.Get(f.Id).Do()
	wantFault(t, err, 404, "notFound")
}

func TestReadersChangeNothingAndWritersTheContentAlone(t *testing.T) {
	h := newHarness(t)
	ada, bob := h.account("Ada"), h.account("Bob")
	d := ada.document("letter", "hi")
	change := map[string]func() error{
		"name": func() error { _, err := bob.files.Update(d.Id, &driveapi.File{Name: "x"}).Do(); return err },
		"text": func() error {
			_, err := bob.docs.BatchUpdate(d.Id, batchOf("", replaceAll("hi", "ho"))).Do()
			return err
		},
		"bytes": func() error {
			_, err := bob.files.Update(d.Id, nil).Media(strings.NewReader("doc:x")).Do()
			return err
		},
	}
	ownersAlone := map[string]func() error{
		"trash": func() error { _, err := bob.files.Update(d.Id, &driveapi.File{Trashed: true}).Do(); return err },
		"app properties": func() error {
			_, err := bob.files.Update(d.Id, &driveapi.File{AppProperties: map[string]string{"k": "v"}}).Do()
			return err
		},
		"app properties with bytes": func() error {
			_, err := bob.files.Update(d.Id, &driveapi.File{AppProperties: map[string]string{"k": "v"}}).Media(strings.NewReader("doc:x")).Do()
			return err
		},
		"move":    func() error { _, err := bob.files.Update(d.Id, nil).AddParents("root").Do(); return err },
		"delete":  func() error { return bob.files.Delete(d.Id).Do() },
		"share":   func() error { _, err := bob.shares.Create(d.Id, anyone("writer")).Do(); return err },
		"list":    func() error { _, err := bob.shares.List(d.Id).Do(); return err },
		"unshare": func() error { return bob.shares.Delete(d.Id, anyoneID).Do() },
	}
	must[*driveapi.Permission](t)(ada.shares.Create(d.Id, anyone("reader")).Do())
	must[*docsapi.Document](t)(bob.docs.Get(d.Id).Do())
	for name, do := range change {
		t.Log(name)
		if name == "text" {
			wantEditorFault(t, do(), 403, "PERMISSION_DENIED")
		} else {
			wantFault(t, do(), 403, "insufficientFilePermissions")
		}
	}
	must[*driveapi.Permission](t)(ada.shares.Update(d.Id, anyoneID, &driveapi.Permission{Role: "writer"}).Do())
	for name, do := range change {
		if err := do(); err != nil {
			t.Errorf("a writer changes the %s: %v", name, err)
		}
	}
	for name, do := range ownersAlone {
		t.Log(name)
		wantFault(t, do(), 403, "insufficientFilePermissions")
	}
}

func TestAppPropertiesStayWithTheOwner(t *testing.T) {
	h := newHarness(t)
	ada, bob := h.account("Ada"), h.account("Bob")
	private := map[string]string{"secret": "1"}
	f := ada.text(&driveapi.File{Name: "a.txt", AppProperties: private, Properties: map[string]string{"open": "2"}}, "hello")
	must[*driveapi.Permission](t)(ada.shares.Create(f.Id, anyone("writer")).Do())

	read := must[*driveapi.File](t)(bob.files.Get(f.Id).Fields("*").Do())
	changed := must[*driveapi.File](t)(bob.files.Update(f.Id, &driveapi.File{Name: "b.txt"}).Fields("*").Do())
	copied := must[*driveapi.File](t)(bob.files.Copy(f.Id, &driveapi.File{AppProperties: map[string]string{"own": "3"}}).Fields("*").Do())
	if len(read.AppProperties) != 0 || len(changed.AppProperties) != 0 {
		t.Errorf("a writer sees %v and, after a change, %v; want nothing", read.AppProperties, changed.AppProperties)
	}
	if len(copied.AppProperties) != 1 || copied.AppProperties["own"] != "3" {
		t.Errorf("a writer's copy has %v, want its own alone", copied.AppProperties)
	}
	if read.Properties["open"] != "2" || copied.Properties["open"] != "2" {
		t.Errorf("a writer sees the properties %v, and %v in a copy; want them", read.Properties, copied.Properties)
	}
	mine := must[*driveapi.File](t)(ada.files.Get(f.Id).Fields("appProperties").Do())
	if !maps.Equal(mine.AppProperties, private) {
		t.Errorf("the owner sees %v, want %v", mine.AppProperties, private)
	}
}

func TestSharingSaysWhatItDoesNotServe(t *testing.T) {
	h := newHarness(t)
	ada := h.account("Ada")
	f := ada.text(&driveapi.File{Name: "a.txt"}, "x")
	folder := must[*driveapi.File](t)(ada.files.Create(&driveapi.File{Name: "d", MimeType: store.FolderType}).Do())
	for _, c := range []struct {
		file       string
		permission *driveapi.Permission
		code       int
		reason     string
	}{
		{f.Id, &driveapi.Permission{Role: "reader"}, 400, "required"},
		{f.Id, &driveapi.Permission{Type: "anyone"}, 400, "required"},
		{f.Id, &driveapi.Permission{Type: "user", Role: "reader", EmailAddress: "bob@example.com"}, 400, "invalidSharingRequest"},
		{f.Id, &driveapi.Permission{Type: "anyone", Role: "reader", AllowFileDiscovery: true}, 400, "invalidSharingRequest"},
		{f.Id, anyone("organizer"), 400, "invalid"},
		{f.Id, anyone("owner"), 403, "invalidSharingRequest"},
		{folder.Id, anyone("reader"), 403, "invalidSharingRequest"},
		{"nothing-of-that-id", anyone("reader"), 404, "notFound"},
	} {
		_, err := ada.shares.Create(c.file, c.permission).Do()
		t.Log(c)
		wantFault(t, err, c.code, c.reason)
	}
	wantFault(t, ada.shares.Delete(f.Id, anyoneID).Do(), 404, "notFound")
	wantFault(t, ada.shares.Delete(f.Id, ada.user.ID).Do(), 403, "cannotRemoveOwner")
	list := must[*driveapi.PermissionList](t)(ada.shares.List(f.Id).Do())
	if len(list.Permissions) != 1 || list.Permissions[0].Id != ada.user.ID || list.Permissions[0].Role != "owner" {
		t.Errorf("got %+v, want the owner's", list.Permissions)
	}
	got := must[*driveapi.Permission](t)(ada.shares.Get(f.Id, ada.user.ID).Fields("emailAddress").Do())
	if got.EmailAddress != ada.user.Email {
		t.Errorf("got %s", got.EmailAddress)
	}
}

func TestADownloadOperationEndsWithAnAddress(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	f, d := a.text(&driveapi.File{Name: "a.txt"}, "hello"), a.document("letter", "hi")
	for _, c := range []struct{ file, mimeType, want string }{
		{f.Id, "", "hello"}, {d.Id, "", "doc:hi"}, {d.Id, store.TextType, "hi"},
	} {
		begun := must[*driveapi.Operation](t)(a.files.Download(c.file).MimeType(c.mimeType).Do())
		_, answer := a.do("GET", "/drive/v3/operations/"+begun.Name, "", "")
		address, _ := answer["response"].(map[string]any)["downloadUri"].(string)
		response, err := a.http.Get(address)
		wantBody(t, response, err, c.want)
	}
	for _, bad := range []string{f.Id + "/download?mimeType=application/pdf", d.Id + "/download?mimeType=image/png", "root/download", f.Id + "/download?revisionId=1"} {
		response, answer := a.do("POST", "/drive/v3/files/"+bad, "", "")
		if response.StatusCode/100 != 4 {
			t.Errorf("%s: got %d %v", bad, response.StatusCode, answer)
		}
	}
	if response, _ := a.do("GET", fmt.Sprintf("/drive/v3/operations/%s", "x"), "", ""); response.StatusCode != 404 {
		t.Errorf("an unknown operation: got %d, want 404", response.StatusCode)
	}
}
