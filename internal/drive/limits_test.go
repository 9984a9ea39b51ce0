package drive

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	docsapi "google.golang.org/api/docs/v1"
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
		_, err := busy.files.Export(d.Id, pdfType).Download()
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
	h.limits = Limits{PerSecond: 2}
	h.url = h.serve()
	now := time.Now()
	h.server.limiter.now = func() time.Time { return now }
	a := h.account("Ada")
	_, header, _ := a.raw("POST", "/upload/drive/v3/files?uploadType=resumable")
	session := strings.TrimPrefix(header.Get("Location"), a.url)
	if code, _, body := a.raw("PUT", session); code != http.StatusOK {
		t.Fatalf("the upload: got %d %s", code, body)
	}
	if code, _, _ := a.raw("PUT", session); code != http.StatusTooManyRequests {
		t.Errorf("the third request in a second: got %d, want 429", code)
	}
}

func TestAnAccountGetsItsRequestsBackInTime(t *testing.T) {
	t.Parallel()
	now := time.Now()
	l := newLimiter(Limits{PerSecond: 10})
	l.now = func() time.Time { return now }
	ask := func(account string) error {
		leave, err := l.enter(account, httptest.NewRequest("GET", "/drive/v3/files", nil))
		if err == nil {
			leave()
		}
		return err
	}
	for i := range 10 {
		if err := ask("a"); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
	}
	if ask("a") == nil {
		t.Error("the eleventh request at once: got no error, want a refusal")
	}
	if err := ask("b"); err != nil {
		t.Errorf("another account: %v", err)
	}
	if now = now.Add(100 * time.Millisecond); ask("a") != nil || ask("a") == nil {
		t.Error("a tenth of a second later: want one request taken and the next refused")
	}
	if now = now.Add(2 * time.Minute); ask("b") != nil || len(l.using) != 1 {
		t.Errorf("two minutes later: %d accounts are known, want the one that asks", len(l.using))
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
