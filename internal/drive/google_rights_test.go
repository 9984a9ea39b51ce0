package drive

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/googleapi"

	"github.com/platenhq/platen/internal/drive/store"
)

// serviceAccount is one of Google's, by its address.
func (h *harness) serviceAccount() *account {
	h.t.Helper()
	user, err := h.store.CreateUser(h.t.Context(), "Robot", "robot@project.iam.gserviceaccount.com")
	if err != nil {
		h.t.Fatal(err)
	}
	token, err := h.store.CreateToken(h.t.Context(), user.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.signIn(user, token, h.url)
}

func (a *account) folder(name string) string {
	a.h.t.Helper()
	f, err := a.files.Create(&driveapi.File{Name: name, MimeType: store.FolderType}).Do()
	if err != nil {
		a.h.t.Fatal(err)
	}
	return f.Id
}

func TestAServiceAccountHasNoRoomOutsideFolders(t *testing.T) {
	h := newHarness(t)
	h.likeGoogle(1)
	a := h.serviceAccount()
	folder := []string{a.folder("Shared drive")}
	root := must[*driveapi.File](t)(a.files.Get("root").Do()).Id
	plain, err := a.files.Create(&driveapi.File{Name: "in", Parents: folder}).Media(strings.NewReader("x")).Fields("id,parents").Do()
	if err != nil || !slices.Equal(plain.Parents, folder) {
		t.Fatalf("in a folder: got %+v, %v", plain, err)
	}
	copied, err := a.files.Copy(plain.Id, &driveapi.File{}).Fields("id,parents").Do()
	if err != nil || !slices.Equal(copied.Parents, folder) {
		t.Errorf("a copy, which has its source's folder: got %+v, %v", copied, err)
	}
	for name, call := range map[string]func() error{
		"an upload": func() error {
			_, err := a.files.Create(&driveapi.File{}).Media(strings.NewReader("x")).Do()
			return err
		},
		"an upload to root": func() error {
			_, err := a.files.Create(&driveapi.File{Parents: []string{root}}).Media(strings.NewReader("x")).Do()
			return err
		},
		"a document": func() error { _, err := a.files.Create(&driveapi.File{MimeType: store.DocumentType}).Do(); return err },
		"a copy out of them": func() error {
			_, err := a.files.Copy(plain.Id, &driveapi.File{Parents: []string{"root"}}).Do()
			return err
		},
		"a session": func() error {
			_, err := a.files.Create(&driveapi.File{}).Media(strings.NewReader(strings.Repeat("x", 300<<10)), googleapi.ChunkSize(256<<10)).Do()
			return err
		},
	} {
		t.Log(name)
		err := call()
		wantFault(t, err, 403, "storageQuotaExceeded")
		if !strings.Contains(err.Error(), "Service Accounts do not have storage quota.") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	_, err = a.docs.Create(&docsapi.Document{}).Do()
	wantEditorFault(t, err, 403, "PERMISSION_DENIED")
	if _, err := h.account("Ada").docs.Create(&docsapi.Document{}).Do(); err != nil {
		t.Errorf("an account of a person: %v", err)
	}
}

func TestAContentManagerTrashesAndDoesNotDelete(t *testing.T) {
	h := newHarness(t)
	h.likeGoogle(1)
	a, ada := h.serviceAccount(), h.account("Ada")
	f := must[*driveapi.File](t)(a.files.Create(&driveapi.File{Parents: []string{a.folder("Shared drive")}}).Media(strings.NewReader("x")).Fields("id,capabilities").Do())
	if f.Capabilities.CanDelete || !f.Capabilities.CanTrash {
		t.Errorf("capabilities %+v, want to trash alone", f.Capabilities)
	}
	wantFault(t, a.files.Delete(f.Id).Do(), 403, "insufficientFilePermissions")
	wantFault(t, a.files.EmptyTrash().Do(), 403, "insufficientFilePermissions")
	wantFault(t, a.files.Delete("nothing-of-that-name").Do(), 404, "notFound")
	if f := must[*driveapi.File](t)(a.files.Update(f.Id, &driveapi.File{Trashed: true}).Fields("trashed").Do()); !f.Trashed {
		t.Error("got a file that is not in the trash")
	}
	if err := ada.files.Delete(ada.text(&driveapi.File{}, "x").Id).Do(); err != nil {
		t.Errorf("an owner: %v", err)
	}
}

func TestALinkOfAFileThatIsNotSharedAsksForAnAccount(t *testing.T) {
	h := newHarness(t)
	h.likeGoogle(1)
	ada, bob := h.account("Ada"), h.account("Bob")
	f := ada.text(&driveapi.File{Name: "a.txt", MimeType: store.TextType}, "secret")
	response, body := h.openAs(http.MethodGet, f.WebViewLink, "")
	if response.StatusCode != 200 || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") || !strings.Contains(body, "Sign in") {
		t.Errorf("without a token: got %d %q, want the page to sign in", response.StatusCode, body)
	}
	if response, _ := h.openAs(http.MethodGet, f.WebViewLink, bob.token); response.StatusCode != 403 {
		t.Errorf("by another account: got %d, want 403", response.StatusCode)
	}
	if _, body := h.openAs(http.MethodGet, f.WebViewLink, ada.token); body != "secret" {
		t.Errorf("by its owner: got %q", body)
	}
	must[*driveapi.Permission](t)(ada.shares.Create(f.Id, anyone("reader")).Do())
	if _, body := h.openAs(http.MethodGet, f.WebViewLink, ""); body != "secret" {
		t.Errorf("shared with everybody: got %q", body)
	}
}

// What a service account may not do on a drive like Google's it may on our own.
func TestOurOwnDriveKnowsNoServiceAccounts(t *testing.T) {
	a := newHarness(t).serviceAccount()
	f := a.text(&driveapi.File{Name: "a.txt"}, "x")
	if err := a.files.Delete(f.Id).Do(); err != nil {
		t.Error(err)
	}
}
