package drive

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/intake"
)

// notComing is a body that has not arrived yet: reading it would block.
type notComing struct{ t *testing.T }

func (b notComing) Read([]byte) (int, error) {
	b.t.Error("the body is read")
	return 0, io.ErrUnexpectedEOF
}

// answerTo has a server on h's database answer one request.
func (h *harness) answerTo(o Options, r *http.Request) (int, map[string]any) {
	h.t.Helper()
	o.Store, o.PublicURL, o.Log = h.store, "http://drive.example.com", slog.New(slog.NewTextHandler(testWriter{h.t}, nil))
	server, err := newServer(o, h.formats)
	if err != nil {
		h.t.Fatal(err)
	}
	rec := httptest.NewRecorder()
	server.ServeHTTP(rec, r)
	var answer map[string]any
	if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil {
		h.t.Fatalf("got %d %q", rec.Code, rec.Body)
	}
	if rec.Code == http.StatusServiceUnavailable && rec.Header().Get("Retry-After") == "" {
		h.t.Error("503 without Retry-After")
	}
	return rec.Code, answer
}

func messageOf(answer map[string]any) string {
	e, _ := answer["error"].(map[string]any)
	message, _ := e["message"].(string)
	return message
}

func TestAnUploadToASessionThatIsNotTheCallersIsRefusedBeforeItsBodyIsRead(t *testing.T) {
	h := newHarness(t)
	ada, bob := h.account("Ada"), h.account("Bob")
	begin := func() string {
		begun, _ := ada.do("POST", "/upload/drive/v3/files?uploadType=resumable", "application/json", `{}`)
		_, path, _ := strings.Cut(begun.Header.Get("Location"), ada.url)
		return path
	}
	kept := begin()
	if _, err := h.store.RevokeTokens(context.Background(), ada.user.ID); err != nil {
		t.Fatal(err)
	}
	revoked := kept
	token, err := h.store.CreateToken(context.Background(), ada.user.ID)
	if err != nil {
		t.Fatal(err)
	}
	ada = h.signIn(ada.user, token, h.url)
	kept = begin()
	for name, c := range map[string]struct {
		path, token string
		want        int
	}{
		"unknown":                             {"/upload/drive/v3/files?upload_id=none", "", 404},
		"another user's":                      {kept, bob.token, 404},
		"one's own with a wrong token":        {kept, "drv_wrong", 401},
		"begun with tokens that were revoked": {revoked, "", 404},
	} {
		r := httptest.NewRequest("PUT", c.path, notComing{t})
		r.ContentLength = store.MaxContent
		if c.token != "" {
			r.Header.Set("Authorization", "Bearer "+c.token)
		}
		if code, answer := h.answerTo(Options{}, r); code != c.want {
			t.Errorf("%s: got %d %v, want %d", name, code, answer, c.want)
		}
	}
	if response, answer := ada.do("PUT", kept, "text/plain", "abc"); response.StatusCode != 200 {
		t.Errorf("one's own: got %d %v, want 200", response.StatusCode, answer)
	}
}

func TestABatchWithTooManyElementsIsRefusedAsSoonAsTheyHaveCome(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	f := a.document("letter", "hi")
	for name, c := range map[string]struct{ path, body, want string }{
		"requests":                 {"/v1/documents/" + f.Id + ":batchUpdate", `{"requests":[` + strings.Repeat("{},", 60_000), "'requests': a batch may have at most 50000"},
		"requests of slides":       {"/v1/presentations/" + f.Id + ":batchUpdate", `{"requests":[` + strings.Repeat("{},", 60_000), "'requests': a batch may have at most 50000"},
		"elements of a request":    {"/v1/documents/" + f.Id + ":batchUpdate", `{"requests":[{"x":[` + strings.Repeat("{},", 300_000), "objects and lists would take more than 64 MiB"},
		"elements of a document":   {"/v1/documents", `{"body":{"content":[` + strings.Repeat("{},", 70_000), "objects and lists would take more than 16 MiB"},
		"elements of metadata":     {"/drive/v3/files", `{"x":[` + strings.Repeat("0,", 80_000), "objects and lists would take more than 2 MiB"},
		"slides of a presentation": {"/v1/presentations", `{"slides":[` + strings.Repeat("{},", 70_000), "objects and lists would take more than 16 MiB"},
	} {
		// Much more is to come, and nobody asks for it.
		r := httptest.NewRequest("POST", c.path, io.MultiReader(strings.NewReader(c.body), notComing{t}))
		r.Header.Set("Authorization", "Bearer "+a.token)
		if code, answer := h.answerTo(Options{}, r); code != 400 || !strings.Contains(messageOf(answer), c.want) {
			t.Errorf("%s: got %d %.200v, want 400 %s", name, code, answer, c.want)
		}
	}
}

func TestABodyThatMakesAFileHasAtMostOneMebibyte(t *testing.T) {
	a := newHarness(t).account("Ada")
	for _, path := range []string{"/v1/documents", "/v1/presentations", "/drive/v3/files"} {
		response, answer := a.do("POST", path, "application/json", `{"title":"A"}`+strings.Repeat(" ", 1<<20))
		if response.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(messageOf(answer), "1048576 bytes") {
			t.Errorf("%s: got %d %v, want 413", path, response.StatusCode, answer)
		}
	}
}

func TestABatchOfAsManyRequestsAsItMayHaveIsCarriedOut(t *testing.T) {
	a := newHarness(t).account("Ada")
	f := a.document("letter", "hi")
	one := `{"insertText":{"location":{"index":1}}}`
	body := `{"requests":[` + strings.Repeat(one+",", batchLimits.requests-1) + one + `]}`
	if response, answer := a.do("POST", "/v1/documents/"+f.Id+":batchUpdate", "application/json", body); response.StatusCode != 200 {
		t.Errorf("got %d %.200v, want 200", response.StatusCode, answer)
	}
}

func TestACensusCountsWhatIsOutsideOfTexts(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		requests int
		decoded  int64
	}{
		``:                                 {0, 0},
		`{"requests":[{}]}`:                {0, sizeOfObject + sizeOfRequest},
		`{"requests":[{},{"a":{}}]}`:       {1, 2*sizeOfObject + 2*sizeOfRequest + sizeOfElement},
		`{"requests":["{},\\","\"{,"]}`:    {1, sizeOfObject + sizeOfElement},
		`{"requests":[{"a":"\\\"{},{}"}]}`: {0, sizeOfObject + sizeOfRequest},
	} {
		for _, chunk := range []int{1, 2, 3, 1000} { // where the pieces end makes no difference
			c := census{limits: batchLimits, from: strings.NewReader(body)}
			var err error
			for p := make([]byte, chunk); err == nil; {
				_, err = c.Read(p)
			}
			if err != io.EOF || c.requests != want.requests || c.decoded != want.decoded {
				t.Errorf("%s by %d: got %d, %d and %v, want %+v", body, chunk, c.requests, c.decoded, err, want)
			}
		}
	}
}

func TestWithoutRoomABodyIs503(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	begun, _ := a.do("POST", "/upload/drive/v3/files?uploadType=resumable", "application/json", `{}`)
	_, session, _ := strings.Cut(begun.Header.Get("Location"), a.url)
	for _, c := range []struct{ method, path, contentType string }{
		{"POST", "/drive/v3/files", ""},
		{"POST", "/v1/documents", ""},
		{"POST", "/v1/documents/x:batchUpdate", ""},
		{"POST", "/upload/drive/v3/files?uploadType=media", ""},
		{"PUT", session, ""},
		{"POST", "/token", "application/x-www-form-urlencoded"},
		{"POST", "/revoke", "application/x-www-form-urlencoded"},
	} {
		r := httptest.NewRequest(c.method, c.path, notComing{t})
		r.Header.Set("Authorization", "Bearer "+a.token)
		r.Header.Set("Content-Type", c.contentType)
		r.ContentLength = 50_000
		none := intake.NewBudget(intake.Limits{Bytes: 10, Caller: 10, Unauthenticated: 10})
		if code, answer := h.answerTo(Options{Bodies: none}, r); code != 503 || statusOf(answer) != "UNAVAILABLE" {
			t.Errorf("%s %s: got %d %v, want 503 UNAVAILABLE", c.method, c.path, code, answer)
		}
	}
}

func TestAMultipartBodyIsHeldInNoMoreThanItsParts(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	const head = "--x\r\n\r\n{}\r\n--x\r\n"
	for name, c := range map[string]struct {
		body string
		want int
	}{
		"two parts":                   {head + "\r\n" + strings.Repeat("a", 300_000) + "\r\n--x--\r\n", 200},
		"parts without end":           {strings.Repeat("--x\r\n\r\n{}\r\n", 100_000), 200}, // the second is the content
		"content that is broken off":  {head + "\r\n" + strings.Repeat("a", 300_000), 400},
		"a header without end":        {head + strings.Repeat("A: b\r\n", 100_000), 400},
		"no first part":               {strings.Repeat("a", 1_000_000), 400},
		"metadata of many elements":   {"--x\r\n\r\n[" + strings.Repeat("{},", 20_000) + "{}]\r\n--x\r\n\r\na\r\n--x--\r\n", 400},
		"metadata of more than 1 MiB": {"--x\r\n\r\n{}" + strings.Repeat(" ", 1<<20) + "\r\n--x\r\n\r\na\r\n--x--\r\n", 413},
	} {
		r := httptest.NewRequest("POST", "/upload/drive/v3/files?uploadType=multipart", strings.NewReader(c.body))
		r.Header.Set("Authorization", "Bearer "+a.token)
		r.Header.Set("Content-Type", "multipart/related; boundary=x")
		bodies := intake.NewBudget(intake.Limits{Bytes: 3 << 20, Caller: 3 << 20})
		if code, answer := h.answerTo(Options{Bodies: bodies}, r); code != c.want {
			t.Errorf("%s: got %d %v, want %d", name, code, answer, c.want)
		}
	}
}

// Google's client for Go closes the multipart body when the content fails, and then
// breaks the request off.
func TestARequestThatIsBrokenOffBehindItsPartsStoresNothing(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	body := io.MultiReader(strings.NewReader("--x\r\n\r\n{}\r\n--x\r\n\r\na\r\n--x--\r\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	r := httptest.NewRequest("POST", "/upload/drive/v3/files?uploadType=multipart", body)
	r.Header.Set("Authorization", "Bearer "+a.token)
	r.Header.Set("Content-Type", "multipart/related; boundary=x")
	if code, answer := h.answerTo(Options{}, r); code != 400 {
		t.Errorf("got %d %v, want 400", code, answer)
	}
	if files := must[*driveapi.FileList](t)(a.files.List().Do()).Files; len(files) != 0 {
		t.Errorf("got %d files, want none", len(files))
	}
}

func TestAQueryHasAtMost200Parameters(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	for n, want := range map[int]int{maxParameters: 200, maxParameters + 1: 400} {
		r := httptest.NewRequest("GET", "/drive/v3/about?fields=user"+strings.Repeat("&x=1", n-1), nil)
		r.Header.Set("Authorization", "Bearer "+a.token)
		if code, answer := h.answerTo(Options{}, r); code != want {
			t.Errorf("%d parameters: got %d %v, want %d", n, code, answer, want)
		}
	}
}
