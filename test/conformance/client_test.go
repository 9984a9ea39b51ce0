package conformance

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// A client is a user of the API. Every answer that it gets is held against the
// contract.
type client struct {
	stack             *harness
	id, name, email   string
	token, driveToken string
}

type object = map[string]any

// answer is a response whose body was read.
type answer struct {
	t      testing.TB
	call   string
	status int
	header http.Header
	body   []byte
}

// do sends a request to the API. body is a string that is sent as it is, nil
// for none, or anything else as JSON. path begins behind /v0.
func (c client) do(t testing.TB, method, path string, body any, header ...string) answer {
	t.Helper()
	base := c.stack.api
	if c.stack.proxies.api != "" && c.stack.contract.knows(method, path) && passesProxy(t, body) {
		base = c.stack.proxies.api
	}
	request := newRequest(t, method, base+path, body)
	if c.token != "" {
		request.Header.Set("Authorization", c.token)
	}
	a := c.stack.send(t, request, header)
	a.call = method + " " + path
	c.stack.contract.check(t, method, path, a)
	return a
}

// post sends source data to an address, as any sender does: without credentials.
func (s *harness) post(t testing.TB, address string, body any, header ...string) answer {
	t.Helper()
	path := strings.TrimPrefix(address, s.hooks)
	if path == address {
		t.Fatalf("the source's address %s is not on the host of source addresses %s", address, s.hooks)
	}
	if s.proxies.hooks != "" && passesProxy(t, body) {
		address = s.proxies.hooks + path
	}
	a := s.send(t, newRequest(t, http.MethodPost, address, body), header)
	a.call = "POST to a source address"
	s.contract.check(t, http.MethodPost, path, a)
	return a
}

func newRequest(t testing.TB, method, address string, body any) *http.Request {
	t.Helper()
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(b)
	default:
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, address, content)
	if err != nil {
		t.Fatal(err)
	}
	if content != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return request
}

func (s *harness) send(t testing.TB, request *http.Request, header []string) answer {
	t.Helper()
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	client := http.Client{Timeout: patience}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	s.proxies.check(t, request, response)
	return answer{t: t, status: response.StatusCode, header: response.Header, body: body}
}

func (a answer) is(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: got %d, want %d: %.600s", a.call, a.status, status, a.body)
	}
	return a
}

// object reads the body, which must be one JSON object.
func (a answer) object() object {
	a.t.Helper()
	var v object
	a.read(&v)
	dropFindings(v)
	return v
}

// dropFindings takes out of a document, or of those of a workflow, what was found about it
// when it was made or changed: what is read has none.
func dropFindings(v object) {
	if v["previewUrl"] != nil {
		delete(v, "findings")
		delete(v, "unchecked")
	}
	all, _ := v["documents"].([]any)
	for _, d := range all {
		if d, ok := d.(object); ok {
			dropFindings(d)
		}
	}
}

func (a answer) list() []object {
	a.t.Helper()
	v := []object(nil)
	a.read(&v)
	if v == nil {
		a.t.Fatalf("%s: got null, want a list", a.call)
	}
	return v
}

func (a answer) read(v any) {
	a.t.Helper()
	if got := a.header.Get("Content-Type"); got != "application/json" && got != "application/problem+json" {
		a.t.Errorf("%s: Content-Type: got %q, want JSON", a.call, got)
	}
	if err := json.Unmarshal(a.body, v); err != nil {
		a.t.Fatalf("%s: %v: %.600s", a.call, err, a.body)
	}
}

// refused checks that the answer is an error of this status, with the reason
// text of section 7, and returns its code.
func (a answer) refused(status int) string {
	a.t.Helper()
	reason := map[int]string{400: "Bad Request", 403: "Unauthorised", 404: "Not Found"}[status]
	v := a.is(status).object()
	if v["title"] != reason || v["status"] != float64(status) {
		a.t.Errorf("%s: got title %v and status %v, want %s and %d", a.call, v["title"], v["status"], reason, status)
	}
	code, _ := v["code"].(string)
	if code == "" || v["detail"] == "" {
		a.t.Errorf("%s: the error says too little: %s", a.call, a.body)
	}
	return code
}

// field checks one field of an object.
func field(t testing.TB, o object, name string, want any) {
	t.Helper()
	got, ok := o[name]
	if !ok {
		t.Errorf("%s: is not there", name)
		return
	}
	// Both as JSON: what is equal there is equal to a client.
	g, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	w, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(g, w) {
		t.Errorf("%s: got %s, want %s", name, g, w)
	}
}

func text(t testing.TB, o object, name string) string {
	t.Helper()
	s, ok := o[name].(string)
	if !ok {
		t.Fatalf("%s: got %v, want a string", name, o[name])
	}
	return s
}

func inner(t testing.TB, o object, name string) object {
	t.Helper()
	v, ok := o[name].(object)
	if !ok {
		t.Fatalf("%s: got %v, want an object", name, o[name])
	}
	return v
}

// workflow makes one and returns it.
func (c client) workflow(t testing.TB, body object) object {
	t.Helper()
	return c.do(t, "POST", "/workflows/", body).is(http.StatusCreated).object()
}

// path of a workflow, with the slash at its end.
func path(t testing.TB, workflow object, rest ...string) string {
	t.Helper()
	p := "/workflows/" + text(t, workflow, "id") + "/"
	for _, r := range rest {
		p += r + "/"
	}
	return p
}

func (c client) document(t testing.TB, workflow, body object) object {
	t.Helper()
	return c.do(t, "POST", path(t, workflow, "documents"), body).is(http.StatusCreated).object()
}

func (c client) again(t testing.TB, workflow object) object {
	t.Helper()
	return c.do(t, "GET", path(t, workflow), nil).is(http.StatusOK).object()
}

func (c client) patch(t testing.TB, p string, body object) object {
	t.Helper()
	return c.do(t, "PATCH", p, body).is(http.StatusOK).object()
}

func source(t testing.TB, workflow object) string {
	t.Helper()
	return text(t, inner(t, workflow, "source"), "webhookUrl")
}
