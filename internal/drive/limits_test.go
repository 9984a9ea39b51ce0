package drive

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	docsapi "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/drive/store"
)

func TestAnAccountWithTooManyRequestsUnderWayIsRefusedAndOthersAreNot(t *testing.T) {
	h := newHarness(t)
	begun, end := make(chan struct{}), make(chan struct{})
	h.exporter = exporter(func(context.Context, []byte, string) ([]byte, error) {
		begun <- struct{}{}
		<-end
		return []byte("%PDF"), nil
	})
	h.limits = Limits{AtOnce: 1}
	h.url = h.serve()
	busy, calm := h.account("Busy"), h.account("Calm")
	d := busy.document("letter", "hi")
	exported := make(chan error, 1)
	go func() {
		_, err := busy.files.Export(d.Id, store.PDFType).Download()
		exported <- err
	}()
	<-begun
	for path, want := range map[string]string{
		"/drive/v3/about?fields=user": `"reason":"userRateLimitExceeded"`,
		"/v1/documents/" + d.Id:       `"reason":"RATE_LIMIT_EXCEEDED"`,
		"/upload/drive/v3/files":      `"status":"RESOURCE_EXHAUSTED"`,
	} {
		method := "GET"
		if strings.HasPrefix(path, "/upload") {
			method = "POST"
		}
		code, header, body := busy.raw(method, path)
		if code != http.StatusTooManyRequests || header.Get("Retry-After") != "1" || !strings.Contains(body, want) {
			t.Errorf("%s: got %d, Retry-After %q and %s, want 429, 1 and %s", path, code, header.Get("Retry-After"), body, want)
		}
	}
	if _, err := calm.about.Get().Fields("user").Do(); err != nil {
		t.Errorf("another account: %v", err)
	}
	close(end)
	if err := <-exported; err != nil {
		t.Errorf("the request that was under way: %v", err)
	}
	if code, _, body := busy.raw("GET", "/drive/v3/about?fields=user"); code != http.StatusOK {
		t.Errorf("afterwards: got %d %s, want 200", code, body)
	}
}

// raw makes a request with neither Google's client nor a body.
func (a *account) raw(method, path string) (code int, header http.Header, body string) {
	a.h.t.Helper()
	r, err := http.NewRequest(method, a.url+path, nil)
	if err != nil {
		a.h.t.Fatal(err)
	}
	response, err := a.http.Do(r)
	if err != nil {
		a.h.t.Fatal(err)
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	if err != nil {
		a.h.t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(said)
}

func TestAnUploadSessionCountsForItsAccount(t *testing.T) {
	h := newHarness(t)
	h.limits = Limits{AtOnce: 1, PerSecond: 2}
	h.url = h.serve()
	now := time.Now()
	h.server.limiter.now = func() time.Time { return now }
	a := h.account("Ada")
	_, header, _ := a.raw("POST", "/upload/drive/v3/files?uploadType=resumable")
	session := strings.TrimPrefix(header.Get("Location"), a.url)
	if code, _, body := a.raw("PUT", session); code != http.StatusOK {
		t.Fatalf("the upload: got %d %s", code, body)
	}
	code, header, _ := a.raw("PUT", session)
	if code != http.StatusTooManyRequests || header.Get("Retry-After") != "1" {
		t.Errorf("the third request in a second: got %d and Retry-After %q, want 429 and 1", code, header.Get("Retry-After"))
	}
	// The one that was refused is not under way.
	now = now.Add(time.Second / 2)
	if code, _, body := a.raw("GET", "/drive/v3/about?fields=user"); code != http.StatusOK {
		t.Errorf("half a second later: got %d %s, want 200", code, body)
	}
}

func TestWithoutLimitsNobodyIsRefused(t *testing.T) {
	h := newHarness(t)
	a := h.account("Ada")
	for range 20 {
		if _, err := a.docs.Create(&docsapi.Document{Title: "a"}).Do(); err != nil {
			t.Fatal(err)
		}
	}
}
