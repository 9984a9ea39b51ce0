package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/platenhq/platen/client"
)

// An api answers requests by method and path, and keeps what it was sent.
type api struct {
	*httptest.Server
	answers map[string]string
	bodies  map[string]string
	headers map[string]http.Header
	refused bool // every token is
}

func newAPI(t *testing.T) *api {
	t.Helper()
	a := &api{answers: map[string]string{}, bodies: map[string]string{}, headers: map[string]http.Header{}}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		of := r.Method + " " + r.URL.Path
		body, _ := io.ReadAll(r.Body)
		a.bodies[of], a.headers[of] = string(body), r.Header
		answer, ok := a.answers[of]
		if a.refused {
			w.WriteHeader(http.StatusForbidden)
			answer = `{"code": "token_missing", "detail": "Name an access token."}`
			_, _ = io.WriteString(w, answer)
			return
		}
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			answer = `{"code": "workflow_not_found", "detail": "There is no workflow wkf_1."}`
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(a.Close)
	letters := `{"id": "wkf_1", "name": "Letters", "status": "COMPLETE",
		"source": {"webhookUrl": "` + a.URL + `/secret", "testWebhookUrl": "` + a.URL + `/secret/test"},
		"documents": [{"id": "doc_1", "file": {"name": "Letter"}, "createPdfCopy": true}]}`
	a.answers["GET /v0/workflows/wkf_1/"], a.answers["GET /v0/workflows/"] = letters, "["+letters+"]"
	return a
}

// agent talks to the tools of a token.
func (a *api) agent(t *testing.T, token client.Token) *mcp.ClientSession {
	t.Helper()
	c, err := client.New(client.Options{Address: a.URL + "/v0", Token: "plt_test", Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	go func() { _ = New(c, token, "test").Run(t.Context(), there) }()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// use calls a tool, and returns its first text.
func use(t *testing.T, s *mcp.ClientSession, tool, arguments string) (text string, failed bool) {
	t.Helper()
	got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	first, ok := got.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("%s answered %T first, want text", tool, got.Content[0])
	}
	return first.Text, got.IsError
}

var everything = client.Token{Write: true, Personal: true}

const failedRun = `{"id": "aut_1", "workflowId": "wkf_1", "state": "FAILED", "sourceData": {"Name": "Ada Lovelace", "Price": 10.10},
	"error": {"code": "template_faulty", "message": "not a number: Ada Lovelace"},
	"findings": [{"code": "duplicate_member", "pointer": "/Ada Lovelace", "message": "twice"}],
	"outputs": [{"id": "out_1", "documentId": "doc_1", "state": "DONE", "name": "Ada's letter", "files": [{"url": "https://drive/secret"}]}]}`

// The SDK's typed handlers read numbers as float64 (v1.8.0): 10.10 would become 10.1, and
// the last digits of the other would be lost.
func TestDataStaysAsItWasWritten(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.answers["POST /secret/test"] = `{"id": "aut_1", "workflowId": "wkf_1", "state": "COMPLETED"}`
	const data = `{"Price":10.10,"Account":12345678901234567.89}`
	if text, failed := use(t, a.agent(t, everything), "start_run", `{"workflow": "Letters", "data": `+data+`}`); failed {
		t.Fatal(text)
	}
	if got := a.bodies["POST /secret/test"]; got != data {
		t.Errorf("got %s, want %s", got, data)
	}
	a.answers["GET /v0/workflows/wkf_1/automations/aut_1/"] = failedRun
	a.answers["GET /v0/workflows/wkf_1/events/"] = `[]`
	if text, _ := use(t, a.agent(t, everything), "get_run", `{"workflow": "wkf_1", "run": "aut_1"}`); !strings.Contains(text, `10.10`) {
		t.Errorf("got %s, want the price as it was sent", text)
	}
}

func TestARunIsATestUnlessItIsMeantToBeReal(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for _, at := range []string{"POST /secret/test", "POST /secret"} {
		a.answers[at] = `{"id": "aut_1", "workflowId": "wkf_1", "state": "COMPLETED"}`
	}
	reader := a.agent(t, client.Token{Personal: true})
	if text, failed := use(t, reader, "start_run", `{"workflow": "wkf_1", "data": {}}`); failed {
		t.Errorf("a test: %s", text)
	}
	text, failed := use(t, reader, "start_run", `{"workflow": "wkf_1", "data": {}, "real": true}`)
	if !failed || !strings.Contains(text, "scope write") || !strings.Contains(text, "Cure: ") {
		t.Errorf("a real run without the scope: got %s, want the scope and the cure", text)
	}
	if _, sent := a.bodies["POST /secret"]; sent {
		t.Error("a token that may only read sent a real event")
	}
	if text, failed := use(t, a.agent(t, everything), "start_run", `{"workflow": "wkf_1", "data": {"A": 1}, "real": true, "reference": "O-1", "key": "k"}`); failed {
		t.Errorf("a real run: %s", text)
	}
	h := a.headers["POST /secret"]
	if h.Get("Platen-Reference") != "O-1" || h.Get("Idempotency-Key") != "k" || !strings.HasPrefix(h.Get("X-Request-Id"), "agent-") {
		t.Errorf("got headers %v", h)
	}
}

func TestNothingPersonalIsShownWithoutItsScope(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.answers["GET /v0/workflows/wkf_1/automations/aut_1/"] = failedRun
	a.answers["GET /v0/workflows/wkf_1/events/"] = `[]`
	a.answers["GET /v0/automations/"] = "[" + failedRun + "]"
	for _, call := range [][2]string{{"get_run", `{"workflow": "wkf_1", "run": "aut_1"}`}, {"find_runs", `{}`}} {
		with, _ := use(t, a.agent(t, everything), call[0], call[1])
		without, failed := use(t, a.agent(t, client.Token{Write: true}), call[0], call[1])
		if failed || !strings.Contains(with, "Ada") {
			t.Errorf("%s with the scope: got %s", call[0], with)
		}
		if strings.Contains(without, "Ada") || strings.Contains(without, "https://drive") || !strings.Contains(without, "scope personal") {
			t.Errorf("%s without the scope: got %s", call[0], without)
		}
		if !strings.Contains(without, `"cure":`) {
			t.Errorf("%s: got %s, want the cure of template_faulty", call[0], without)
		}
	}
}

func TestWhatIsRefusedSaysWhatToDo(t *testing.T) {
	t.Parallel()
	s := newAPI(t).agent(t, everything)
	for _, c := range []struct{ tool, arguments, want string }{
		{"describe_workflow", `{"workflow": "wkf_2"}`, "Cure: "},
		{"describe_workflow", `{"workflow": "Invoices"}`, "list_workflows"},
		{"start_run", `{"workflow": "wkf_1"}`, "data is needed"},
		{"start_run", `{"workflow": "wkf_1", "date": {}}`, `unknown field "date"`},
		{"find_runs", `{"limit": 101}`, "between 1 and 100"},
		{"preview", `{"workflow": "wkf_1", "data": {}}`, "wkf_1"},
	} {
		if text, failed := use(t, s, c.tool, c.arguments); !failed || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: got %s, want %q", c.tool, c.arguments, text, c.want)
		}
	}
}

// A token for single workflows may not list all.
func TestATokenForOneWorkflowListsIt(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	delete(a.answers, "GET /v0/workflows/")
	text, failed := use(t, a.agent(t, client.Token{Write: true, WorkflowIDs: []string{"wkf_1"}}), "list_workflows", `{}`)
	if failed || !strings.Contains(text, `"wkf_1"`) {
		t.Errorf("got %s", text)
	}
}

func TestAPreviewHasThePDF(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.answers["POST /v0/workflows/wkf_1/preview/"] = `{"documents": [{"documentId": "doc_1", "outputName": "Letter", "pdf": "JVBERg==", "missingFields": ["Name"]}]}`
	got, err := a.agent(t, everything).CallTool(t.Context(), &mcp.CallToolParams{Name: "preview", Arguments: json.RawMessage(`{"workflow": "wkf_1"}`)})
	if err != nil || len(got.Content) != 2 {
		t.Fatalf("got %v, %v; want text and a file", got, err)
	}
	file, ok := got.Content[1].(*mcp.EmbeddedResource)
	if !ok || string(file.Resource.Blob) != "%PDF" || file.Resource.MIMEType != "application/pdf" {
		t.Errorf("got %+v, want the PDF", got.Content[1])
	}
}

func TestAnAgentReadsTheDocs(t *testing.T) {
	t.Parallel()
	s := newAPI(t).agent(t, everything)
	listed, err := s.ListResources(t.Context(), nil)
	if err != nil || !slices.ContainsFunc(listed.Resources, func(r *mcp.Resource) bool { return r.URI == "platen://docs/templates.md" }) {
		t.Fatalf("the page about templates is not listed: %v", err)
	}
	read, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "platen://docs/templates.md"})
	if err != nil || !strings.HasPrefix(read.Contents[0].Text, "# Templates") {
		t.Errorf("got %v, %v", read, err)
	}
}

func TestNobodyWaitsForToolsToChange(t *testing.T) {
	t.Parallel()
	has := newAPI(t).agent(t, everything).InitializeResult().Capabilities
	if has.Tools == nil || has.Tools.ListChanged || has.Resources == nil || has.Resources.ListChanged || has.Resources.Subscribe {
		t.Errorf("got tools %+v and resources %+v, want both without changes", has.Tools, has.Resources)
	}
}

func TestEveryCodeOfTheDocsHasItsMeaningAndCure(t *testing.T) {
	t.Parallel()
	if n := len(sections()); n < 250 {
		t.Errorf("found %d codes", n)
	}
	for code, s := range sections() {
		if s.Meaning == "" || s.Cure == "" {
			t.Errorf("%s: meaning %q, cure %q", code, s.Meaning, s.Cure)
		}
	}
}

func TestOverHTTPATokenIsAskedFor(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.answers["GET /v0/me/"] = `{"token": {"id": "tok_1", "write": true}}`
	h := NewHandler(Options{PublicURL: "https://platen.example/v0", Log: slog.New(slog.DiscardHandler), API: func(r *http.Request) *client.Client {
		c, err := client.New(client.Options{Address: a.URL + "/v0", Token: cmp.Or(r.Header.Get("Authorization"), "none"), Tries: 1})
		if err != nil {
			t.Error(err)
		}
		return c
	}})
	origin := ""
	ask := func(token, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, Path, strings.NewReader(body))
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Content-Type", "application/json")
		for name, value := range map[string]string{"Authorization": token, "Origin": origin} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	const list = `{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`
	a.refused = true
	if w := ask("", list); w.Code != http.StatusUnauthorized || w.Header().Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("without a token: %d, %v", w.Code, w.Header())
	}
	a.refused = false
	if w := ask("plt_x", list); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "start_run") {
		t.Errorf("with a token: %d %s", w.Code, w.Body)
	}
	if w := ask("plt_x", fmt.Sprintf(`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "preview", "arguments": {"workflow": %q}}}`, strings.Repeat("x", bodyLimit))); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a body over the limit: %d", w.Code)
	}
	if w := ask("plt_x", " \n["+list+"]"); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "invalid_body") {
		t.Errorf("several calls in a list: got %d %s, want them refused", w.Code, w.Body)
	}
	if w := ask("plt_x", " \n"+list); w.Code != http.StatusOK {
		t.Errorf("a call behind white space: %d %s", w.Code, w.Body)
	}
	for from, want := range map[string]int{
		"https://platen.example": http.StatusOK, "http://localhost:6274": http.StatusOK, "http://127.0.0.1:6274": http.StatusOK,
		"https://other.example": http.StatusForbidden, "null": http.StatusForbidden, "https://platen.example.other.example": http.StatusForbidden,
	} {
		origin = from
		if w := ask("plt_x", list); w.Code != want {
			t.Errorf("a page of %s: got %d, want %d", from, w.Code, want)
		}
	}
}
