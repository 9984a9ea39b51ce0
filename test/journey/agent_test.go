package journey

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/platenhq/platen/client"
)

// withToken sends an access token with each request.
type withToken string

func (t withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(t))
	return http.DefaultTransport.RoundTrip(r)
}

// tools returns what calls a tool at an address, and reads its answer into what into points to.
func tools(t *testing.T, address, token string) func(tool string, arguments, into any) {
	t.Helper()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "journey", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: withToken(token)}, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return func(tool string, arguments, into any) {
		t.Helper()
		got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			t.Fatalf("%s: %v", tool, err)
		}
		text, err := json.Marshal(got.StructuredContent)
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil || got.IsError {
			said, _ := json.Marshal(got.Content) // it came as JSON
			t.Fatalf("%s: %v, %s", tool, err, said)
		}
	}
}

// An agent that knows nothing but the address and a token makes a document, of which the
// receiver is told.
func TestAnAgentDoesTheMainJob(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	c, err := client.New(client.Options{Address: h.api, Token: h.token})
	if err != nil {
		t.Fatal(err)
	}
	done := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var verifier *client.Verifier
	received := make(chan client.SignedEvent, 8)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		e, err := verifier.Verify(r.Header, body)
		if err != nil {
			t.Error(err)
		}
		received <- e
	}))
	t.Cleanup(receiver.Close)
	w, err := c.CreateWorkflow(t.Context(), client.NewWorkflow{Name: "Letters"})
	done(err)
	_, err = c.CreateDocument(t.Context(), w.ID, client.AddedDocument{FileID: h.write(t, "Letter", "For {{Name}}: {{Price}}")})
	done(err)
	_, err = c.CreateOutgoingWebhook(t.Context(), w.ID, receiver.URL)
	done(err)
	secret, err := c.SigningSecret(t.Context(), w.ID)
	done(err)
	verifier, err = client.NewVerifier(secret.Secret)
	done(err)

	use := tools(t, strings.TrimSuffix(h.api, "/v0")+"/mcp", h.token)
	var listed struct {
		Workflows []struct{ ID, Name string }
	}
	use("list_workflows", struct{}{}, &listed)
	if len(listed.Workflows) != 1 || listed.Workflows[0].Name != "Letters" {
		t.Fatalf("got %+v", listed)
	}
	of := map[string]any{"workflow": listed.Workflows[0].ID}
	var described struct {
		Data []struct {
			Schema struct{ Properties map[string]any }
		}
	}
	use("describe_workflow", of, &described)
	if len(described.Data) != 1 || described.Data[0].Schema.Properties["Name"] == nil {
		t.Fatalf("got %+v, want a schema with Name", described)
	}
	of["data"] = json.RawMessage(`{"Name": "Ada", "Price": 10.10}`)
	var previewed struct{ Documents []struct{ Made bool } }
	use("preview", of, &previewed)
	if len(previewed.Documents) != 1 || !previewed.Documents[0].Made {
		t.Fatalf("got %+v", previewed)
	}
	of["real"], of["key"] = true, "order-17"
	var run struct {
		ID, State string
		Documents []struct {
			Name  string
			Links []string
		}
	}
	for range 2 { // one run
		use("start_run", of, &run)
	}
	if run.State != "COMPLETED" || len(run.Documents) != 1 || len(run.Documents[0].Links) == 0 {
		t.Fatalf("got %+v", run)
	}
	select {
	case e := <-received:
		if e.Type != client.DocumentsCreated {
			t.Errorf("got %+v", e)
		}
	case <-time.After(patience):
		t.Fatal("no event came")
	}
	var shown struct{ Events []struct{ ID string } }
	use("get_run", map[string]any{"workflow": w.ID, "run": run.ID}, &shown)
	if len(shown.Events) != 1 {
		t.Fatalf("got %+v, want one event", shown)
	}
	var again struct{ ID string }
	use("redeliver_event", map[string]any{"workflow": w.ID, "event": shown.Events[0].ID}, &again)
	agents, others := 0, 0
	for e, err := range c.Audit(t.Context(), client.AuditQuery{}) {
		done(err)
		if e.Actor.Agent {
			agents++
		} else {
			others++
		}
	}
	if agents != 1 || others == 0 {
		t.Errorf("%d entries of the audit are an agent's, %d others'; want 1 and those of the setup", agents, others)
	}
}
