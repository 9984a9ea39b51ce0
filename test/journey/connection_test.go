package journey

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
)

// soon is within what a run goes on whose owner has connected: the two seconds for
// which workers remember a connection, and what a busy machine takes.
const soon = 30 * time.Second

func TestARunGoesOnAtOnceWhenItsOwnerConnectsTheDriveAgain(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	template, _ := h.uploadToFolder(t, example(t, examples.Letter))
	w := h.createWorkflow(t, object{"name": "Letters"})
	h.addDocument(t, w, template, object{"outputName": "Letter"})
	r := newReceiver(t)
	h.register(t, w, r)
	admin, err := app.OpenAdmin(t.Context(), config.Database{DatabaseURL: h.database.Config().ConnString()}, config.Secrets{SecretKeys: platen.Secret(h.secretKeys)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(admin.Close)
	connect := func(token string) {
		t.Helper()
		if err := admin.ConnectUser(t.Context(), email, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(token)}); err != nil {
			t.Fatal(err)
		}
	}
	connect("a token that the drive does not know")

	post(t, w.Source.WebhookURL, example(t, examples.Letter).Event, http.StatusOK)
	eventually(t, "the automation waits for the connection", func() error {
		all := h.automations(t, w.ID)
		if len(all) != 1 {
			return fmt.Errorf("got %v", all)
		}
		var run struct {
			WaitingFor []struct {
				Code  string
				Tries int
			}
		}
		h.call(t, http.MethodGet, "/workflows/"+w.ID+"/automations/"+all[0].id+"/", nil, &run, http.StatusOK)
		// From its second try on the run looks by itself once a minute.
		if len(run.WaitingFor) != 1 || run.WaitingFor[0].Code != platen.CodeConnectionBroken || run.WaitingFor[0].Tries < 2 {
			return fmt.Errorf("waits for %v in state %s, want %s after two tries", run.WaitingFor, all[0].state, platen.CodeConnectionBroken)
		}
		return nil
	})
	connect(h.driveToken)
	connected := time.Now()
	if got := r.next(t).event; len(got.Data.Documents) != 1 {
		t.Errorf("the event %s has the documents %v, want one", got.Type, got.Data.Documents)
	}
	if took := time.Since(connected); took > soon {
		t.Errorf("the run went on %v after its owner had connected, want within %v", took.Round(time.Second), soon)
	}
	h.finished(t, w.ID, platen.AutomationCompleted)
}
