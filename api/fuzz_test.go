package api

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// A fuzzed is a harness that is replaced after so many requests, so that what
// they leave behind does not slow down those that follow.
type fuzzed struct {
	*harness
	left  int
	known map[string]bool // codes that the documentation has
	names *strings.Replacer
}

const requestsOfARig = 5000

var documentedCode = regexp.MustCompile("(?m)^### `([a-z0-9_]+)`$")

func newFuzzed(f *testing.F) *fuzzed {
	f.Helper()
	raw, err := os.ReadFile("../docs/errors.md")
	if err != nil {
		f.Fatal(err)
	}
	x := &fuzzed{known: map[string]bool{}}
	for _, found := range documentedCode.FindAllSubmatch(raw, -1) {
		x.known[string(found[1])] = true
	}
	if len(x.known) < 50 {
		f.Fatalf("found %d codes in the documentation", len(x.known))
	}
	return x
}

// fresh leaves a harness with a workflow that has one of everything. Targets name
// its ids by placeholders.
func (x *fuzzed) fresh(t *testing.T) {
	t.Helper()
	if x.left--; x.left > 0 {
		return
	}
	x.left = requestsOfARig
	x.harness = newHarness(t, func(o *Options) {
		o.Log = slog.New(slog.DiscardHandler)
		o.Tags = func([]string, []string) []TagFinding { return nil }
		o.Templates = &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`)}}
		o.PreviewRate = edge.Rate{PerSecond: 1_000_000}
		o.Preview = http.NotFoundHandler()
	})
	wf := x.withRun(t, platen.AutomationFailed)
	doc := x.newDocument(t, wf, "")
	x.names = strings.NewReplacer("{workflow}", wf[strings.LastIndexByte(wf, '/')+1:], "{document}", doc[strings.LastIndexByte(doc, '/')+1:],
		"{automation}", memory.AutomationID, "{event}", memory.EventID, "{token}", memory.AdaToken)
}

// send has a request answered and checks what is true of every answer: no
// fault of ours, and a refusal is a whole problem with a documented code.
func (x *fuzzed) send(t *testing.T, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	x.handler.ServeHTTP(w, r)
	if id := w.Header().Get("X-Request-Id"); id == "" || strings.ContainsFunc(id, func(c rune) bool { return c <= ' ' || c > '~' }) {
		t.Errorf("X-Request-Id: got %q", id)
	}
	switch {
	case w.Code >= 200 && w.Code < 300, w.Code == http.StatusNotModified:
	case w.Code >= 400 && w.Code < 500:
		if !strings.HasPrefix(r.URL.Path, "/preview/") { // not the API's own
			x.wholeProblem(t, r, w)
		}
	default:
		t.Errorf("%s %q: got %d: %s", r.Method, r.URL.Path, w.Code, w.Body)
	}
	return w
}

func (x *fuzzed) wholeProblem(t *testing.T, r *http.Request, w *httptest.ResponseRecorder) {
	t.Helper()
	var p problemJSON
	d := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil || w.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("%s %q: %d is no problem: %v: %s", r.Method, r.URL.Path, w.Code, err, w.Body)
		return
	}
	replayed := w.Header().Get("Idempotent-Replayed") != "" // the body has the id of the first request
	if !x.known[p.Code] || p.Type != "urn:platen:problem:"+p.Code || p.Status != w.Code || p.Title == "" || p.Detail == "" ||
		p.RequestID != w.Header().Get("X-Request-Id") && !replayed || !utf8.Valid(w.Body.Bytes()) {
		t.Errorf("%s %q: the problem is not whole, or its code not documented: %s", r.Method, r.URL.Path, w.Body)
	}
	for _, fault := range p.Errors {
		if fault.Detail == "" || fault.Pointer != "" && fault.Pointer[0] != '/' {
			t.Errorf("%s %q: fault %+v", r.Method, r.URL.Path, fault)
		}
	}
}

// FuzzBodies sends a body to everything that reads one: as it is, as if it
// were gzip, or packed with gzip.
func FuzzBodies(f *testing.F) {
	for _, body := range []string{``, `{}`, `{"name":"A"}`, `{"name":1,"source":{"sourceFields":["a",{}]}}`, `[[[`, "\xff", `{"a":1,"a":2}`,
		`{"name":"A","document":{"fileId":"docs-file","file_id":null}}`, `{"createPDFCopy":true,"createPdfCopy":0}`,
		`{"outputName":"{{A}}","pdfPassword":"\u0000","enablePdfPreventCopy":true}`, `{"webhookUrl":"https://user@example.com:99999/%zz"}`,
		`{"since":"2026-01-02T03:04:05+00:00"}`, "\x1f\x8b\x08\x00", `{"name":"\ud800"}`, `{"a/b~c":[{"` + strings.Repeat("é", 200) + `":1}]}`} {
		for how := range uint8(3) {
			f.Add([]byte(body), how)
		}
	}
	x := newFuzzed(f)
	f.Fuzz(func(t *testing.T, body []byte, how uint8) {
		header := http.Header{"Authorization": {memory.AdaToken}}
		switch how % 3 {
		case 1:
			header.Set("Content-Encoding", "gzip")
		case 2:
			header.Set("Content-Encoding", "gzip")
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			_, _ = z.Write(body)
			_ = z.Close()
			body = packed.Bytes()
		}
		x.fresh(t)
		for _, c := range [][2]string{
			{"POST", "/v0/workflows"}, {"PATCH", "/v0/workflows/{workflow}"},
			{"POST", "/v0/workflows/{workflow}/documents"}, {"PATCH", "/v0/workflows/{workflow}/documents/{document}"},
			{"POST", "/v0/workflows/{workflow}/documents/{document}/check"}, {"POST", "/v0/workflows/{workflow}/preview"},
			{"POST", "/v0/workflows/{workflow}/documents/{document}/preview-url/rotate"},
			{"PATCH", "/v0/workflows/{workflow}/outgoing-webhooks"}, {"POST", "/v0/workflows/{workflow}/outgoing-webhooks/test"},
			{"POST", "/v0/workflows/{workflow}/events/recover"}, {"POST", "/v0/workflows/{workflow}/automations/{automation}/cancel"},
		} {
			r := httptest.NewRequest(c[0], x.names.Replace(c[1]), bytes.NewReader(body))
			r.Header = header.Clone()
			x.send(t, r)
		}
	})
}

// FuzzRoutes sends requests for a target as a client may write it after its
// method, with credentials and without.
func FuzzRoutes(f *testing.F) {
	for _, target := range []string{"/", "/v0", "/v0/workflows/?limit=1&cursor=x&status=COMPLETE", "/v0/workflows/{workflow}/", "/v0/workflows/{workflow}/source",
		"/v0/workflows/{workflow}/documents/{document}/", "/v0/workflows/{workflow}/documents/{document}/check", "/v0/workflows/{workflow}/outgoing-webhook/secret/rotate/",
		"/v0/workflows/{workflow}/outgoing-webhooks/test", "/v0/workflows/{workflow}/automations/{automation}/retry/", "/v0/workflows/{workflow}/outputs?state=DONE",
		"/v0/workflows/{workflow}/events/{event}/redeliver", "/v0/workflows/{workflow}/events/recover", "/../v0//%2e", "/v0/workflows/%00/%ff%2f", "/healthz/", "/readyz",
		"/openapi.json", "/docs/contract", "/preview/doc_1", "http://api.test/v0/workflows", "*", "/v0/workflows;x=1/?limit=%zz"} {
		f.Add("GET", target)
		f.Add("POST", target)
	}
	f.Add("OPTIONS", "*")
	f.Add("PATCH", "/v0/workflows/{workflow}")
	f.Add("DELETE", "/v0/workflows/{workflow}/documents/{document}")
	f.Add("CONNECT", "api.test:443")
	x := newFuzzed(f)
	f.Fuzz(func(t *testing.T, method, target string) {
		x.fresh(t)
		for _, credentials := range []string{"Authorization: " + memory.AdaToken + "\r\n", ""} {
			r := read(method + " " + x.names.Replace(target) + " HTTP/1.1\r\nHost: api.test\r\n" + credentials + "\r\n")
			if r == nil {
				return // a server answers this before any handler
			}
			w := x.send(t, r)
			if credentials == "" && strings.HasPrefix(r.URL.Path, "/v0/") && r.Method != http.MethodOptions && w.Code != http.StatusForbidden {
				t.Errorf("%s %q without credentials: got %d", r.Method, r.URL.Path, w.Code)
			}
		}
	})
}

// FuzzHeaders sends requests with a block of header lines.
func FuzzHeaders(f *testing.F) {
	f.Add("Authorization: Bearer {token}\r\nIf-Match: \"x\", W/\"y\"\r\nIdempotency-Key: key\r\nX-Request-Id: req-1", `{"name":"B"}`)
	f.Add("If-Match: *\r\nIf-None-Match: *\r\nContent-Encoding: identity\r\nX-Request-Id: "+strings.Repeat("r", 200), `{}`)
	f.Add("Authorization: plt_\r\nAuthorization: {token}", ``)
	f.Add("If-None-Match: \",\",,W/\r\nIf-Match: \"\r\nIdempotency-Key: \r\nX-Request-Id: \xff", `{"webhookUrl":"https://example.com"}`)
	f.Add("Idempotency-Key: "+strings.Repeat("k", 300)+"\r\nContent-Encoding: br, gzip", `[]`)
	f.Add("Content-Length: 3\r\nExpect: 100-continue", `{"name":"B"}`)
	f.Add("Transfer-Encoding: chunked\r\nContent-Encoding: x-gzip", "2\r\n{}\r\n0\r\n\r\n")
	f.Add("Range: bytes=0-1\r\nAccept: text/html\r\nX-HTTP-Method-Override: DELETE\r\nX-Forwarded-For: 1.2.3.4\r\nOrigin: null", `{}`)
	x := newFuzzed(f)
	f.Fuzz(func(t *testing.T, block, body string) {
		x.fresh(t)
		for _, line := range []string{"GET /v0/workflows/{workflow}", "HEAD /v0/workflows", "PATCH /v0/workflows/{workflow}", "POST /v0/workflows", "POST /v0/workflows/{workflow}/documents",
			"DELETE /v0/workflows/{workflow}/documents/doc_0000000000000001", "GET /v0/nothing", "GET /openapi.json"} {
			head := x.names.Replace(line) + " HTTP/1.1\r\nHost: api.test\r\n" + x.names.Replace(block)
			r := read(head + "\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
			if r == nil { // the block may say itself how long the body is
				r = read(head + "\r\n\r\n" + body)
			}
			if r == nil {
				continue
			}
			if r.Header["Authorization"] == nil {
				r.Header.Set("Authorization", memory.AdaToken)
			}
			x.send(t, r)
		}
	})
}

// read reads a request as a server does, nil where it is none.
func read(text string) *http.Request {
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
	if err != nil {
		return nil
	}
	return r
}
