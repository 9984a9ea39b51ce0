package journey

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/platenhq/platen/client"
)

// The Go client does the main job against the service, by its own types alone.
func TestTheGoClientDoesTheMainJob(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	c, err := client.New(client.Options{Address: h.api, Token: h.token})
	if err != nil {
		t.Fatal(err)
	}
	received := make(chan client.SignedEvent, 8)
	var verifier *client.Verifier
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
	done := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := c.CreateWorkflow(t.Context(), client.NewWorkflow{Name: "From Go"})
	done(err)
	d, err := c.CreateDocument(t.Context(), w.ID, client.AddedDocument{FileID: h.write(t, "Letter", "For {{Name}}")})
	done(err)
	_, err = c.CreateOutgoingWebhook(t.Context(), w.ID, receiver.URL)
	done(err)
	secret, err := c.SigningSecret(t.Context(), w.ID)
	done(err)
	verifier, err = client.NewVerifier(secret.Secret)
	done(err)
	once := client.WithIdempotencyKey(t.Context(), "order-17")
	for range 2 {
		done(c.Send(once, w.Source.URL, map[string]string{"Name": "Ada"}))
	}
	select {
	case e := <-received:
		if e.Type != client.DocumentsCreated || e.Data.DocumentID != d.ID {
			t.Errorf("got %+v", e)
		}
	case <-time.After(patience):
		t.Fatal("no event came")
	}
	made, err := client.Collect(c.Automations(t.Context(), w.ID, client.AutomationQuery{Newest: true}))
	if err != nil || len(made) != 1 {
		t.Errorf("got %d automations, %v; want one for one key", len(made), err)
	}
	if _, err := c.Workflow(t.Context(), "wkf_00000000000000"); client.CodeOf(err) != "workflow_not_found" {
		t.Errorf("an unknown workflow: got %v", err)
	}
}
