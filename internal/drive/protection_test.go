package drive

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/drive/store"
)

var askingForCredentials = map[string]string{"platenProtection": "credentials"}

// openAs fetches an address of the drive with a token; empty: with none.
func (h *harness) openAs(method, address, token string) (*http.Response, string) {
	h.t.Helper()
	request, err := http.NewRequestWithContext(h.t.Context(), method, address, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return response, string(body)
}

func TestAProtectedFileOpensAtNoAddressWithoutCredentials(t *testing.T) {
	h := newHarness(t)
	ada, bob := h.account("Ada"), h.account("Bob")
	template := ada.document("template", "hi {{Name}}")
	copied := must[*driveapi.File](t)(ada.files.Copy(template.Id, &driveapi.File{Name: "letter", AppProperties: askingForCredentials}).Fields("*").Do())
	key := strings.TrimPrefix(copied.WebViewLink, h.url)

	for _, address := range []string{
		copied.WebViewLink, copied.WebViewLink + "?download=1", copied.WebViewLink + "?download=office", h.url + key + "?access_token=" + "x",
		copied.ExportLinks[store.PDFType], h.url + "/drive/v3/files/" + copied.Id + "?alt=media", h.url + "/download/drive/v3/files/" + copied.Id,
		h.url + "/v1/documents/" + copied.Id, h.url + "/open?id=" + copied.Id,
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			response, body := h.openAs(method, address, "")
			if response.StatusCode != 401 && response.StatusCode != 404 || strings.Contains(body, "hi ") {
				t.Errorf("%s %s without credentials: got %d %.40q, want 401 or 404", method, strings.TrimPrefix(address, h.url), response.StatusCode, body)
			}
		}
	}
	response, body := h.openAs(http.MethodGet, copied.WebViewLink, "")
	if got := response.Header.Get("WWW-Authenticate"); response.StatusCode != 401 || !strings.HasPrefix(got, "Bearer") || !strings.Contains(body, "Authorization: Bearer") {
		t.Errorf("got %d, WWW-Authenticate %q, %s; want a 401 that says what to send", response.StatusCode, got, body)
	}
	if response, _ := h.openAs(http.MethodGet, copied.WebViewLink, "drv_nobody"); response.StatusCode != 401 {
		t.Errorf("with a token of nobody: got %d, want 401", response.StatusCode)
	}
	if response, _ := h.openAs(http.MethodGet, copied.WebViewLink, bob.token); response.StatusCode != 403 {
		t.Errorf("with a token of another account: got %d, want 403", response.StatusCode)
	}
	if response, body := h.openAs(http.MethodGet, copied.WebViewLink, ada.token); response.StatusCode != 200 || body != "%PDF letter|hi {{Name}}" {
		t.Errorf("with the owner's token: got %d %q, want the PDF", response.StatusCode, body)
	}
	if code, _ := h.open(template.WebViewLink); code != 200 {
		t.Errorf("the file that it is a copy of: got %d, want 200", code)
	}
}

func TestAnOwnerProtectsAFileAndGivesItFreeAgain(t *testing.T) {
	h := newHarness(t)
	ada := h.account("Ada")
	f := ada.text(&driveapi.File{Name: "a.txt"}, "hello")
	address := must[*driveapi.File](t)(ada.files.Get(f.Id).Fields("webViewLink").Do()).WebViewLink
	step := func(what string, want int) {
		t.Helper()
		if code, _ := h.open(address); code != want {
			t.Errorf("%s: got %d, want %d", what, code, want)
		}
	}
	step("as it was made", 200)
	must[*driveapi.File](t)(ada.files.Update(f.Id, &driveapi.File{AppProperties: askingForCredentials}).Do())
	step("protected", 401)
	must[*driveapi.Permission](t)(ada.shares.Create(f.Id, anyone("reader")).Do())
	step("shared with everybody by its owner", 200)
	if err := ada.shares.Delete(f.Id, anyoneID).Do(); err != nil {
		t.Fatal(err)
	}
	address = must[*driveapi.File](t)(ada.files.Get(f.Id).Fields("webViewLink").Do()).WebViewLink
	step("no longer shared", 401)
	must[*driveapi.File](t)(ada.files.Update(f.Id, &driveapi.File{AppProperties: map[string]string{"platenProtection": "none"}}).Do())
	step("not protected any more", 200)
}

// A copy keeps the protection unless the request says otherwise.
func TestACopyOfAProtectedFileIsProtectedUnlessItIsToldOtherwise(t *testing.T) {
	h := newHarness(t)
	ada := h.account("Ada")
	f := ada.document("letter", "hi")
	must[*driveapi.File](t)(ada.files.Update(f.Id, &driveapi.File{AppProperties: askingForCredentials}).Do())
	for want, properties := range map[int]map[string]string{401: nil, 200: {"platenProtection": "none"}} {
		copied := must[*driveapi.File](t)(ada.files.Copy(f.Id, &driveapi.File{AppProperties: properties}).Fields("webViewLink").Do())
		if code, _ := h.open(copied.WebViewLink); code != want {
			t.Errorf("a copy with the properties %v: got %d, want %d", properties, code, want)
		}
	}
}

func TestAPublicAddressEndsWithItsLifetime(t *testing.T) {
	h := newHarness(t)
	h.server.linkLifetime = time.Hour
	ada := h.account("Ada")
	young, old, shared := ada.text(&driveapi.File{Name: "a.txt"}, "hello"), ada.text(&driveapi.File{Name: "b.txt"}, "hello"), ada.text(&driveapi.File{Name: "c.txt"}, "hello")
	must[*driveapi.Permission](t)(ada.shares.Create(shared.Id, anyone("reader")).Do())
	if _, err := h.pool.Exec(t.Context(), `UPDATE drive.files SET created_at = now() - interval '61 minutes' WHERE id = ANY ($1)`, []string{old.Id, shared.Id}); err != nil {
		t.Fatal(err)
	}
	link := func(id string) string {
		return must[*driveapi.File](t)(ada.files.Get(id).Fields("webViewLink").Do()).WebViewLink
	}
	for address, want := range map[string]int{link(young.Id): 200, link(old.Id): 404, h.url + "/open?id=" + shared.Id: 200} {
		if code, _ := h.open(address); code != want {
			t.Errorf("%s: got %d, want %d", address, code, want)
		}
	}
	response, err := ada.files.Get(old.Id).Download()
	wantBody(t, response, err, "hello")
}
