package drive

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"

	"github.com/platenhq/platen/internal/drive/store"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/testkit"
)

func TestAFaultOfOursIsAnInternalErrorWithoutDetails(t *testing.T) {
	h := newHarness(t)
	h.formats.document.pdf = func([]byte, string) ([]byte, []render.Finding, error) { panic("secret of the document") }
	h.formats.document.text = func([]byte) (string, error) { return "", errors.New("secret of the text") }
	h.url = h.serve()
	a := h.account("Ada")
	f := a.document("letter", "hi")
	for _, target := range []string{store.PDFType, store.TextType} {
		response, answer := a.do("GET", "/drive/v3/files/"+f.Id+"/export?mimeType="+target, "", "")
		message := answer["error"].(map[string]any)["message"].(string)
		if response.StatusCode != 500 || strings.Contains(message, "secret") {
			t.Errorf("%s: got %d %q, want an internal error without details", target, response.StatusCode, message)
		}
	}
	if _, err := a.files.Get(f.Id).Do(); err != nil {
		t.Errorf("after a panic: %v", err)
	}
}

// Who gets an internal error looks for the reason in the document.
func TestADriveWhoseDatabaseIsAwayIsUnavailable(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	f := a.document("letter", "hi")
	for _, state := range []string{"53300", "57P03", "28P01"} { // too many connections, starting up, another password
		address := "postgres://platen@" + testkit.Refusing(t, "", func(int) string { return state }) + "/platen?sslmode=disable"
		away, err := pgxpool.New(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		h.pool = away
		t.Cleanup(away.Close)
		a.url = h.serve()
		for _, path := range []string{"/drive/v3/files/" + f.Id, "/v1/documents/" + f.Id} {
			response, answer := a.do("GET", path, "", "")
			got, _ := answer["error"].(map[string]any)
			if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") != "1" || got["status"] != "UNAVAILABLE" {
				t.Errorf("%s, %s: got %d %v, want 503 UNAVAILABLE with Retry-After", state, path, response.StatusCode, answer)
			}
		}
	}
}

// logBuffer is a log that tests read while servers write.
type logBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// taken returns what was logged since it was last called.
func (b *logBuffer) taken() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.text.Reset()
	return b.text.String()
}

func TestAPanicOverAFileIsAnInternalErrorOfGooglesShapeAndALineOfTheLog(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	f := a.document("letter", "hi")
	h.formats.document.pdf = func([]byte, string) ([]byte, []render.Finding, error) { panic("secret of the document") }
	h.formats.document.check = func([]byte) error { panic("secret of the document") }
	h.formats.applyDocument = func([]byte, string, []*docsapi.Request) ([]byte, []*docsapi.Response, error) {
		panic(errors.New("secret of the document"))
	}
	h.formats.getDocument = func([]byte, string, string, string, string) (*docsapi.Document, error) {
		var none []string
		return nil, errors.New(none[0])
	}
	log := &logBuffer{}
	h.log = log
	a = h.signIn(a.user, a.token, h.serve())
	const upload = "--b\r\nContent-Type: application/json\r\n\r\n{\"mimeType\":\"" + store.DocumentType + "\"}\r\n--b\r\nContent-Type: " + store.DocxType + "\r\n\r\ndoc:hi\r\n--b--\r\n"
	for name, c := range map[string]struct{ method, path, contentType, body string }{
		"export":      {"GET", "/drive/v3/files/" + f.Id + "/export?mimeType=" + store.PDFType, "", ""},
		"import":      {"POST", "/upload/drive/v3/files?uploadType=multipart", `multipart/related; boundary="b"`, upload},
		"batchUpdate": {"POST", "/v1/documents/" + f.Id + ":batchUpdate", "application/json", `{"requests":[{"insertText":{"text":"x","location":{"index":1}}}]}`},
		"get":         {"GET", "/v1/documents/" + f.Id, "", ""},
	} {
		// More often than there are turns: each is given back.
		for range 2*runtime.GOMAXPROCS(0) + 1 {
			response, answer := a.do(c.method, c.path, c.contentType, c.body)
			problem, _ := answer["error"].(map[string]any)
			if response.StatusCode != 500 || problem["code"] != 500.0 || statusOf(answer) != "INTERNAL" || strings.Contains(fmt.Sprint(answer), "secret") {
				t.Errorf("%s: got %d %v, want an internal error of Google's shape", name, response.StatusCode, answer)
			}
			logged := log.taken()
			if !strings.Contains(logged, "drive request failed") || !strings.Contains(logged, "faults_test.go") {
				t.Errorf("%s: logged %q, want where the panic was", name, logged)
			}
			if strings.Contains(logged, "secret") {
				t.Errorf("%s: the log quotes the panic, in which a document may stand", name)
			}
		}
	}
}

func TestAnExportThatTakesTooLongIsGivenUp(t *testing.T) {
	h := newHarness(t)
	stuck := make(chan struct{})
	defer close(stuck)
	h.formats.document.pdf = func([]byte, string) ([]byte, []render.Finding, error) { <-stuck; return nil, nil, nil }
	h.timeout = 50 * time.Millisecond
	h.url = h.serve()
	a := h.account("Ada")
	f := a.document("letter", "hi")
	response, answer := a.do("GET", "/drive/v3/files/"+f.Id+"/export?mimeType="+store.PDFType, "", "")
	if response.StatusCode != 503 || response.Header.Get("Retry-After") == "" {
		t.Errorf("got %d %v, want 503 with Retry-After", response.StatusCode, answer)
	}
}

func TestMetadataThatCannotBeStoredIsRefused(t *testing.T) {
	a := newHarness(t).account("Ada")
	long := strings.Repeat("x", 20_000)
	for body, reason := range map[string]string{
		`{`:                                      "parseError",
		`{"name":5}`:                             "parseError",
		`{"createdTime":"yesterday"}`:            "parseError",
		`{"name":"a\u0000b"}`:                    "invalid",
		`{"name":"` + long + `"}`:                "invalid",
		`{"description":"` + long + `"}`:         "invalid",
		`{"mimeType":"nonsense"}`:                "invalid",
		`{"id":"../x"}`:                          "invalid",
		`{"appProperties":{"":"x"}}`:             "invalid",
		`{"appProperties":{"k":"` + long + `"}}`: "invalid",
		`{"parents":["a","b"]}`:                  "multipleParentsNotAllowed",
		`{"parents":["nowhere"]}`:                "notFound",
	} {
		response, answer := a.do("POST", "/drive/v3/files", "application/json", body)
		if got := reasonOf(answer); response.StatusCode == 200 || got != reason {
			t.Errorf("%.60s: got %d %s, want %s", body, response.StatusCode, got, reason)
		}
	}
	response, answer := a.do("POST", "/drive/v3/files", "application/json", `{"description":"`+strings.Repeat("x", maxMetadata)+`"}`)
	if response.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("oversized metadata: got %d %v, want 413", response.StatusCode, answer)
	}
}

func statusOf(answer map[string]any) any {
	problem, _ := answer["error"].(map[string]any)
	return problem["status"]
}

func reasonOf(answer map[string]any) string {
	problem, _ := answer["error"].(map[string]any)
	items, _ := problem["errors"].([]any)
	if len(items) == 0 {
		return ""
	}
	return items[0].(map[string]any)["reason"].(string)
}

func TestUploadInOneBody(t *testing.T) {
	a := newHarness(t).account("Ada")
	parts := func(encoding, content string) string {
		return "--b\r\nContent-Type: application/json\r\n\r\n{\"name\":\"n\"}\r\n--b\r\nContent-Type: image/png\r\n" + encoding + "\r\n" + content + "\r\n--b--\r\n"
	}
	const related = `multipart/related; boundary="b"`
	for name, c := range map[string]struct{ query, contentType, body, want string }{
		"media":     {"media", "text/plain", "raw", "raw"},
		"multipart": {"multipart", related, parts("", "raw\r\nlines"), "raw\r\nlines"},
		"base64":    {"multipart", related, parts("Content-Transfer-Encoding: base64\r\n", base64.StdEncoding.EncodeToString([]byte("coded"))), "coded"},
	} {
		response, answer := a.do("POST", "/upload/drive/v3/files?uploadType="+c.query, c.contentType, c.body)
		if response.StatusCode != 200 {
			t.Errorf("%s: got %d %v", name, response.StatusCode, answer)
			continue
		}
		download, err := a.files.Get(answer["id"].(string)).Download()
		wantBody(t, download, err, c.want)
	}
	for name, c := range map[string]struct{ query, contentType, body string }{
		"no boundary":  {"multipart", "multipart/related", parts("", "x")},
		"no multipart": {"multipart", "text/plain", "x"},
		"one part":     {"multipart", related, "--b\r\n\r\n{}\r\n--b--\r\n"},
		"cut off":      {"multipart", related, "--b\r\n\r\n{}\r\n--b\r\n\r\nabc"},
		"not base64":   {"multipart", related, parts("Content-Transfer-Encoding: base64\r\n", "!!!")},
		"unknown type": {"chunked", "text/plain", "x"},
		"bad mask":     {"media&fields=nmae", "text/plain", "x"},
	} {
		if response, answer := a.do("POST", "/upload/drive/v3/files?uploadType="+c.query, c.contentType, c.body); response.StatusCode != 400 {
			t.Errorf("%s: got %d %v, want 400", name, response.StatusCode, answer)
		}
	}
	if list := must[*driveapi.FileList](t)(a.files.List().Do()); len(list.Files) != 3 {
		t.Errorf("got %d files, want the 3 that were uploaded whole", len(list.Files))
	}
}

func TestUploadSessionsRefuseWhatDoesNotFit(t *testing.T) {
	a := newHarness(t).account("Ada")
	begun, _ := a.do("POST", "/upload/drive/v3/files?uploadType=resumable", "application/json", `{}`, "X-Upload-Content-Length", "3")
	session := must[string](t)(func() (string, error) { l, err := begun.Location(); return l.RequestURI(), err }())
	for contentRange, body := range map[string]string{
		"bytes 0-3/3": "abc", "bytes 0-2": "abc", "0-2/3": "abc", "bytes */x": "", "bytes */3": "abc", "bytes 0-0/3": "a",
		"bytes 0-2/*": "abc", "bytes 0-3/4": "abcd", "bytes -1-1/3": "abc",
	} {
		if response, answer := a.do("PUT", session, "", body, "Content-Range", contentRange); response.StatusCode != 400 {
			t.Errorf("%s: got %d %v, want 400", contentRange, response.StatusCode, answer)
		}
	}
	if response, _ := a.do("DELETE", session, "", ""); response.StatusCode != 499 {
		t.Errorf("cancel: got %d, want Google's 499", response.StatusCode)
	}
	if response, answer := a.do("PUT", session, "", "abc"); response.StatusCode != 404 {
		t.Errorf("after cancelling: got %d %v, want 404", response.StatusCode, answer)
	}
	for _, length := range []string{"-1", "many"} {
		if response, _ := a.do("POST", "/upload/drive/v3/files?uploadType=resumable", "application/json", `{}`, "X-Upload-Content-Length", length); response.StatusCode != 400 {
			t.Errorf("length %s: got %d, want 400", length, response.StatusCode)
		}
	}
}

func TestAPublicAddressThatIsNoURLIsRefusedAtStart(t *testing.T) {
	t.Parallel()
	for _, public := range []string{"", "drive.example.com", "ftp://drive.example.com", "http://"} {
		if _, err := New(Options{PublicURL: public}); err == nil {
			t.Errorf("%q: got no error", public)
		}
	}
}

func TestSweepingEndsWithItsContext(t *testing.T) {
	h := newHarness(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.store.Sweep(ctx, slog.New(slog.DiscardHandler)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it to end", err)
	}
}
