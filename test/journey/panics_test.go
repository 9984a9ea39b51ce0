package journey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	runs "github.com/platenhq/platen/internal/postgres/run"
	"github.com/platenhq/platen/internal/rebuild"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/worker"
)

// panicValue is in what steps of these tests panic with.
const panicValue = "Canary-Panic-1618"

// A panicDrive panics over the copy of one file.
type panicDrive struct {
	activities.Drive
	fileID string
}

func (d panicDrive) Copy(ctx context.Context, fileID, name, key string) (platen.File, error) {
	if fileID == d.fileID {
		panic(errors.New("no letter for " + panicValue))
	}
	return d.Drive.Copy(ctx, fileID, name, key)
}

// panicOutputs panic over every output that was made.
type panicOutputs struct{ activities.Outputs }

func (panicOutputs) RecordOutput(context.Context, string, func(*platen.Output) error, func(platen.Output) (platen.Event, error)) (platen.Output, string, error) {
	panic("no record of " + panicValue)
}

// A panicSender panics over every event.
type panicSender struct{}

func (panicSender) Send(context.Context, platen.Event, platen.Endpoint, int) (platen.Delivery, error) {
	panic("no address of " + panicValue)
}

// workParts are what a worker of these tests is made of.
type workParts struct {
	documents  *activities.Documents
	deliveries *activities.Deliveries
	dispatch   dispatch.Options
}

// workWith starts a worker whose parts are changed before it begins.
func (h *harness) workWith(t *testing.T, change func(*workParts)) {
	t.Helper()
	box, err := secret.ParseKeys(h.secretKeys)
	if err != nil {
		t.Fatal(err)
	}
	db, err := postgres.Open(t.Context(), h.database.Config().ConnString(), box, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	stores := runs.New(db)
	drive := cmp.Or(h.worker.DriveEndpoint, h.drive)
	connector, err := google.NewConnector(google.Options{
		Kind:          platen.DrivePlaten,
		DriveEndpoint: drive + "/drive/v3/", DocsEndpoint: drive + "/", SlidesEndpoint: drive + "/", Connections: db.Connections.DriveConnection,
	})
	if err != nil {
		t.Fatal(err)
	}
	temporal, err := client.DialContext(t.Context(), client.Options{
		HostPort: h.worker.TemporalAddress, Namespace: h.worker.TemporalNamespace, FailureConverter: worker.Failures(), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(temporal.Close)
	log := slog.New(slog.NewTextHandler(h.log, nil))
	starter := &worker.Starter{Client: temporal, Queue: h.queue}
	p := workParts{
		documents: &activities.Documents{
			Automations: db.Automations,
			Plans:       db.Plans,
			Outputs:     db.Outputs,
			Drives: func(ctx context.Context, userID string) (activities.Drive, error) {
				return connector.Drive(ctx, userID)
			},
		},
		deliveries: &activities.Deliveries{Deliverer: &delivery.Deliverer{
			Events: db.Deliveries, Endpoints: db.Endpoints,
			Sender:  delivery.NewHTTPSender(outgoing.NewClient(outgoing.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}), outgoing.Hosts{}),
			Breaker: delivery.DefaultBreaker(), Log: log,
		}},
		dispatch: dispatch.Options{
			Queue: stores.Queue, Running: stores.Queue, Automations: db.Automations, Starter: starter,
			Rebuilder: rebuild.Rebuilder{
				Automations: db.Automations, Plans: db.Plans, Outputs: db.Outputs, Parking: stores.Parking,
				Drives: func(ctx context.Context, userID string) (rebuild.Drive, error) { return connector.Drive(ctx, userID) },
			},
			Outbox: db.Outbox, Endpoints: db.Endpoints, Runs: starter, Deliveries: db.Deliveries, Log: log,
			OverdueAfter: time.Millisecond, EventOverdueAfter: time.Millisecond, ReconcileEvery: 100 * time.Millisecond,
		},
	}
	change(&p)
	work := worker.New(worker.Options{Client: temporal, Queue: h.queue, Documents: p.documents, Deliveries: p.deliveries, Log: log})
	h.parts.Start(h.parts.Running, t, "worker", func(ready func()) error {
		return worker.RunWithDispatch(h.parts.Running, work, dispatch.New(p.dispatch), ready)
	})
}

// noTrace fails when Temporal or the log has the value or the stack of a panic.
func (h *harness) noTrace(t *testing.T, id string) {
	t.Helper()
	known := h.everything(t, id)
	for what, trace := range map[string]string{"the value of the panic": panicValue, "its stack": "goroutine", "a place in the source": ".go:"} {
		if i := strings.Index(known, trace); i >= 0 {
			t.Errorf("Temporal holds %s: …%.200q", what, known[max(0, i-100):])
		}
	}
	log := h.log.String()
	if i := strings.Index(log, panicValue); i >= 0 {
		t.Errorf("the log holds the value of the panic: …%.300q", log[max(0, i-150):])
	}
	if !strings.Contains(log, "panics_test.go") {
		t.Error("the log does not say where the step panicked")
	}
}

func TestAStepThatPanicsFailsItsDocumentAlone(t *testing.T) {
	t.Parallel()
	h := open(t, options{idle: true})
	r := newReceiver(t)
	w := h.createWorkflow(t, object{"name": "Panic"})
	h.addDocument(t, w, h.write(t, "Good", "Dear {{Name}}"), nil)
	bad := h.addDocument(t, w, h.write(t, "Bad", "Dear {{Name}}"), nil)
	h.register(t, w, r)
	h.workWith(t, func(p *workParts) {
		open := p.documents.Drives
		p.documents.Drives = func(ctx context.Context, userID string) (activities.Drive, error) {
			drive, err := open(ctx, userID)
			return panicDrive{drive, bad.File.ID}, err
		}
	})
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})

	told := map[string]event{}
	for range 2 {
		e := r.next(t).event
		told[e.Type] = e
	}
	failed := told["DOCUMENT_FAILED"].Data
	if failed.DocumentID != bad.ID || failed.Error == nil || failed.Error.Code != platen.CodeInternal || failed.Error.Message == "" {
		t.Errorf("got %+v with %+v, want %s failed with code %s and words", failed, failed.Error, bad.ID, platen.CodeInternal)
	}
	if made := told["DOCUMENTS_CREATED"].Data; made.DocumentID == "" || made.DocumentID == bad.ID {
		t.Errorf("got %+v, want its neighbour made", made)
	}
	a := h.finished(t, w.ID, platen.AutomationFailed)
	h.closed(t, a.id, enums.WORKFLOW_EXECUTION_STATUS_FAILED)
	h.noTrace(t, a.id)
}

func TestARecordThatPanicsEndsItsRunAndTheAutomation(t *testing.T) {
	t.Parallel()
	h := open(t, options{idle: true})
	w := h.simple(t, nil)
	h.workWith(t, func(p *workParts) { p.documents.Outputs = panicOutputs{p.documents.Outputs} })
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})

	a := h.finished(t, w.ID, platen.AutomationFailed)
	h.closed(t, a.id, enums.WORKFLOW_EXECUTION_STATUS_FAILED)
	h.noTrace(t, a.id)
	var code string
	if err := h.database.QueryRow(t.Context(), `SELECT failure_code FROM outputs WHERE automation_id = $1`, a.id).Scan(&code); err != nil || code != "run_ended" {
		t.Errorf("output: got %q, %v, want run_ended", code, err)
	}
	if err := h.temporal.GetWorkflow(t.Context(), a.id, "").Get(t.Context(), nil); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("type: %s", platen.CodeInternal)) {
		t.Errorf("the run ended with %v, want the type %s", err, platen.CodeInternal)
	}
}

func TestADeliveryThatPanicsEndsAndHoldsItsEvent(t *testing.T) {
	t.Parallel()
	h := open(t, options{idle: true})
	w := h.simple(t, newReceiver(t))
	h.workWith(t, func(p *workParts) { p.deliveries.Deliverer.Sender = panicSender{} })
	postObject(t, w.Source.WebhookURL, object{"Name": "Ada"})

	a := h.finished(t, w.ID, platen.AutomationCompleted)
	h.noTrace(t, a.id)
	eventually(t, "the event is held", func() error {
		var id, state, reason string
		if err := h.database.QueryRow(t.Context(), `SELECT id, state, reason FROM events`).Scan(&id, &state, &reason); err != nil {
			return err
		}
		if state != "HELD" || reason != platen.CodeInternal {
			return fmt.Errorf("it is %s %s", state, reason)
		}
		h.noTrace(t, id)
		return nil
	})
}
