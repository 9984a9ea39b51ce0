package journey

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/oauth2"
	docsapi "google.golang.org/api/docs/v1"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/option"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/platen"
)

// neighbour is another user of the harness, with a drive account of their own.
func (h *harness) neighbour(t *testing.T, name string) *harness {
	t.Helper()
	ctx := t.Context()
	admin, err := app.OpenAdmin(ctx, config.Database{DatabaseURL: h.database.Config().ConnString()}, config.Secrets{SecretKeys: platen.Secret(h.secretKeys)})
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	n := &harness{api: h.api, hooks: h.hooks, drive: h.drive, queue: h.queue, secretKeys: h.secretKeys, database: h.database, temporal: h.temporal, log: h.log}
	address := name + "@journey.example"
	n.ownerID, err = admin.CreateUser(ctx, name, address, "")
	must(err)
	n.token, err = admin.CreateToken(ctx, address, "journey", 0)
	must(err)
	n.driveToken, err = admin.CreateDriveToken(ctx, name, address)
	must(err)
	must(admin.ConnectUser(ctx, address, platen.DriveConnection{Kind: platen.ConnectionToken, Secret: platen.Secret(n.driveToken)}))
	authorized := option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: n.driveToken}))
	n.files, err = driveapi.NewService(ctx, authorized, option.WithEndpoint(h.drive+"/drive/v3/"))
	must(err)
	n.docs, err = docsapi.NewService(ctx, authorized, option.WithEndpoint(h.drive+"/"))
	must(err)
	return n
}

// A troubled receiver takes no event. It counts the attempts.
type troubled struct {
	url            string
	attempts       atomic.Int32
	inFlight, most atomic.Int32
}

func newTroubled(t *testing.T, answer func(w http.ResponseWriter, r *http.Request)) *troubled {
	t.Helper()
	x := &troubled{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		x.attempts.Add(1)
		n := x.inFlight.Add(1)
		defer x.inFlight.Add(-1)
		for most := x.most.Load(); n > most && !x.most.CompareAndSwap(most, n); most = x.most.Load() {
		}
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	x.url = server.URL
	return x
}

func TestReceiversThatHangOrFailSlowNobodyElse(t *testing.T) {
	const due = 30
	h := open(t, options{idle: true})
	h.worker.WorkerOpen = config.Of[config.OpenRuns](8) // a receiver that hangs must not hold them all
	// A rest is longer than the test.
	h.worker.EndpointRest, h.worker.DeliveryTimeout = waits(t, "5m,1h"), config.Of(15*time.Second)
	hangs := newTroubled(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	fails := newTroubled(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	var troubles []workflow
	for name, x := range map[string]*troubled{"hanging": hangs, "failing": fails} {
		n := h.neighbour(t, name)
		w := n.simple(t, nil)
		n.call(t, http.MethodPost, "/workflows/"+w.ID+"/outgoing-webhooks/", object{"webhookUrl": x.url}, nil, http.StatusCreated)
		troubles = append(troubles, w)
		for range due {
			postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})
		}
	}
	r := newReceiver(t)
	w := h.simple(t, r)
	h.work(t)
	for range 10 {
		postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})
		r.next(t)
	}
	for _, w := range troubles {
		eventually(t, "every document of the others is made", func() error {
			var ended int
			err := h.database.QueryRow(t.Context(), `SELECT count(*) FROM automations WHERE workflow_id = $1 AND state = 'COMPLETED'`, w.ID).Scan(&ended)
			if err == nil && ended != due {
				err = fmt.Errorf("got %d, want %d", ended, due)
			}
			return err
		})
		if got := h.events(t, w.ID); len(got) != due || slices.ContainsFunc(got, func(e string) bool { return e != "DOCUMENTS_CREATED PENDING" }) {
			t.Errorf("events of the others: got %q, want all of them waiting", got)
		}
	}
	for name, x := range map[string]*troubled{"hangs": hangs, "fails": fails} {
		if most, attempts := x.most.Load(), x.attempts.Load(); most > 4 || attempts > 5+3 || attempts == 0 {
			t.Errorf("the receiver that %s: got %d attempts, %d at once; want at most 8, at most 4 at once", name, attempts, most)
		}
	}
}

func TestAReceiverThatGetsManyAtOnceAndThenHangsSlowsNobodyElse(t *testing.T) {
	const due = 40
	h := open(t, options{idle: true})
	h.worker.WorkerOpen = config.Of[config.OpenRuns](16)
	h.worker.EndpointRest, h.worker.DeliveryTimeout = waits(t, "5m,1h"), config.Of(15*time.Second)
	var spoiled atomic.Bool
	var ended atomic.Int32
	x := newTroubled(t, func(_ http.ResponseWriter, r *http.Request) {
		if spoiled.Load() {
			<-r.Context().Done()
			ended.Add(1)
			return
		}
		time.Sleep(500 * time.Millisecond) // how long it takes to answer
	})
	n := h.neighbour(t, "spoiled")
	theirs := n.simple(t, nil)
	n.call(t, http.MethodPost, "/workflows/"+theirs.ID+"/outgoing-webhooks/", object{"webhookUrl": x.url}, nil, http.StatusCreated)
	r := newReceiver(t)
	ours := h.simple(t, r)
	h.work(t)
	// It gets more places while two of its answers are under way: a slow machine takes longer.
	events := 0
	eventually(t, "their receiver got more than 4 at once", func() error {
		if most := x.most.Load(); most > 4 {
			return nil
		}
		if got := int(x.attempts.Load()); got < events {
			return fmt.Errorf("got %d events, want %d", got, events)
		}
		for range 40 {
			postObject(t, theirs.Source.WebhookURL, object{"Name": "Bob"})
		}
		events += 40
		return fmt.Errorf("got %d at once", x.most.Load())
	})
	eventually(t, "their receiver took all events", func() error {
		if got := int(x.attempts.Load()); got < events {
			return fmt.Errorf("got %d, want %d", got, events)
		}
		return nil
	})
	if most := x.most.Load(); most > 32 {
		t.Errorf("their receiver, while it answered quickly, got %d at once, want 32 at most", most)
	}
	spoiled.Store(true)
	for range due {
		postObject(t, theirs.Source.WebhookURL, object{"Name": "Bob"})
	}
	eventually(t, "their receiver hangs", func() error {
		if got := x.inFlight.Load(); got < 4 {
			return fmt.Errorf("got %d attempts under way, want 4 or more", got)
		}
		return nil
	})
	// On a slow machine one of theirs may end meanwhile: an event that waits for it always does.
	waited := 0
	for range 3 {
		before := ended.Load()
		postObject(t, ours.Source.WebhookURL, object{"Name": "Ada"})
		r.next(t)
		if ended.Load() != before {
			waited++
		}
	}
	if waited == 3 {
		t.Error("our events waited for theirs: before each of three, an attempt that hangs for 15 s had ended")
	}
	eventually(t, "every document of theirs is made", func() error {
		var made int
		err := h.database.QueryRow(t.Context(), `SELECT count(*) FROM automations WHERE workflow_id = $1 AND state = 'COMPLETED'`, theirs.ID).Scan(&made)
		if err == nil && made != events+due {
			err = fmt.Errorf("got %d, want %d", made, events+due)
		}
		return err
	})
}

func TestEventsOfAReceiverThatIsGoneAreHeldAndRecovered(t *testing.T) {
	t.Parallel()
	h := open(t, options{})
	r := newReceiver(t, http.StatusGone)
	w := h.simple(t, r)
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})
	r.next(t)
	eventually(t, "the address disabled", func() error { return h.endpoint(t, w, "DISABLED", "endpoint_gone", 0) })
	postObject(t, w.Source.WebhookURL, object{"Name": "Bob"})
	eventually(t, "the next event held", func() error { return h.endpoint(t, w, "DISABLED", "endpoint_gone", 1) })
	r.quiet(t)
	if got, want := h.events(t, w.ID), []string{"DOCUMENTS_CREATED FAILED", "DOCUMENTS_CREATED HELD"}; !slices.Equal(got, want) {
		t.Errorf("events: got %q, want %q", got, want)
	}
	var shown []struct {
		Held *struct {
			Code string `json:"code"`
		} `json:"held"`
	}
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/automations/", nil, &shown, http.StatusOK)
	if len(shown) != 2 || shown[0].Held != nil || shown[1].Held == nil || shown[1].Held.Code != "endpoint_gone" {
		t.Errorf("automations: got %+v, want the second with the reason", shown)
	}
	since := object{"since": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)}
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/events/recover/", since, nil, http.StatusBadRequest)
	h.call(t, http.MethodPatch, "/workflows/"+w.ID+"/outgoing-webhooks/", object{"webhookUrl": r.url}, nil, http.StatusOK)
	if err := h.endpoint(t, w, "READY", "", 1); err != nil {
		t.Error(err)
	}
	var recovered struct{ Recovered, Held int }
	h.call(t, http.MethodPost, "/workflows/"+w.ID+"/events/recover/", since, &recovered, http.StatusAccepted)
	if recovered.Recovered != 2 || recovered.Held != 1 {
		t.Errorf("got %+v, want two recovered, one of them held", recovered)
	}
	r.next(t)
	r.next(t)
	eventually(t, "both delivered", func() error {
		if got, want := h.events(t, w.ID), []string{"DOCUMENTS_CREATED DELIVERED", "DOCUMENTS_CREATED DELIVERED"}; !slices.Equal(got, want) {
			return fmt.Errorf("got %q", got)
		}
		return nil
	})
}

// endpoint tells whether the state of the address is shown so.
func (h *harness) endpoint(t *testing.T, w workflow, state, code string, held int) error {
	t.Helper()
	var got struct {
		State      string
		Reason     *struct{ Code string }
		HeldEvents int
	}
	h.call(t, http.MethodGet, "/workflows/"+w.ID+"/outgoing-webhooks/state/", nil, &got, http.StatusOK)
	reason := ""
	if got.Reason != nil {
		reason = got.Reason.Code
	}
	if got.State != state || reason != code || got.HeldEvents != held {
		return fmt.Errorf("got %+v with reason %q, want %s with %q and %d held", got, reason, state, code, held)
	}
	return nil
}
