package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/secret"
	"github.com/platenhq/platen/internal/testkit/program"
)

// A witness checks everything when it is quiet, and counts the broken promises.
type witness struct {
	t             *testing.T
	service       *service
	integrator    *integrator
	receiver      *receiver
	load          *load
	db            *pgx.Conn
	store         *postgres.DB // opens what is encrypted
	temporal      client.Client
	seed          uint64
	timeline      *timeline
	interventions *interventions

	found  map[string]int         // faults by kind: lost, duplicated, stray, …
	stored map[string]int         // automations by the id that was sent
	counts map[string]int         // what there is
	causes map[string]int         // of repeated deliveries
	taken  map[string][]time.Time // events, by when a receiver took them
	// goroutines of each program, after the load and of a fresh one
	goroutines string
}

// toldOf bounds how many faults of one kind are reported one by one.
const toldOf = 5

func (h *harness) witness() *witness {
	h.t.Helper()
	t, s := h.t, h.service
	w := &witness{t: t, service: s, integrator: h.integrator, receiver: h.receiver, load: h.load, seed: h.seed, timeline: h.timeline, interventions: h.interventions, found: map[string]int{}, causes: map[string]int{}, stored: map[string]int{}, counts: map[string]int{}}
	eventually(t, "Postgres after the faults", startLimit, func() (err error) {
		w.db, err = s.connect(t.Context())
		return err
	})
	t.Cleanup(func() { _ = w.db.Close(context.Background()) })
	box, err := secret.ParseKeys(s.secretKeys)
	if err != nil {
		t.Fatal(err)
	}
	if w.store, err = postgres.Open(t.Context(), w.db.Config().ConnString(), box, postgres.Options{AllowUnsafeDurability: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.store.Close)
	eventually(t, "Temporal after the faults", startLimit, func() (err error) {
		w.temporal, err = client.DialContext(t.Context(), client.Options{
			HostPort: s.temporalInstance.stack.TemporalAddress, Namespace: s.temporalInstance.stack.TemporalNamespace, Logger: slog.New(slog.DiscardHandler),
		})
		return err
	})
	t.Cleanup(w.temporal.Close)
	return w
}

func (w *witness) fault(kind, format string, args ...any) {
	w.t.Helper()
	w.found[kind]++
	if w.found[kind] <= toldOf {
		w.t.Errorf("%s: %s", kind, fmt.Sprintf(format, args...))
	}
}

// awaitQuiet waits until nothing is left to do, in Postgres and in Temporal.
func (w *witness) awaitQuiet(limit time.Duration) {
	w.t.Helper()
	limit += 4 * w.service.lag // sweeps come after the lists
	err := program.Within(limit, func() error { return w.backlog(w.t.Context()) })
	if err != nil {
		w.fault("backlog", "after %v: %v", limit, err)
	}
}

func (w *witness) backlog(ctx context.Context) error {
	var automations, outputs, events, mails, commands, unswept int
	err := w.db.QueryRow(ctx, `
		SELECT (SELECT count(*) FROM automations WHERE finished_at IS NULL),
			(SELECT count(*) FROM outputs WHERE state = 'PENDING'),
			(SELECT count(*) FROM events WHERE state = 'PENDING'),
			(SELECT count(*) FROM mails WHERE state = 'PENDING'),
			(SELECT count(*) FROM errands),
			(SELECT count(*) FROM outputs WHERE (repeated OR state = 'FAILED' AND copy_begun) AND swept_at IS NULL)`).
		Scan(&automations, &outputs, &events, &mails, &commands, &unswept)
	if err != nil {
		return err
	}
	if automations+outputs+events+mails+commands+unswept > 0 {
		return fmt.Errorf("%d automations, %d outputs, %d events, %d mails and %d commands are not done, %d outputs not looked through",
			automations, outputs, events, mails, commands, unswept)
	}
	open, err := w.temporal.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
		Query: fmt.Sprintf("TaskQueue = '%s' AND ExecutionStatus = '%s'", queue, enums.WORKFLOW_EXECUTION_STATUS_RUNNING),
	})
	if err != nil {
		return err
	}
	if open.Count > 0 {
		return fmt.Errorf("%d runs are open", open.Count)
	}
	return nil
}

func (w *witness) check() {
	w.t.Helper()
	ctx := w.t.Context()
	w.checkEvents(ctx)
	w.checkStates(ctx)
	w.checkNumbers(ctx)
	w.checkOrder(ctx)
	files := w.checkDrive(ctx)
	w.checkContents(ctx, files)
	w.checkDeliveries(ctx)
	w.checkReviews(ctx, files)
	w.checkMails(ctx)
	runs := w.runs(ctx)
	w.checkHistories(runs)
	w.checkSecrets(runs)
	w.checkProcesses()
	w.checkRollouts(ctx)
	w.checkSignatures()
	w.checkConnections(ctx)
	w.checkGoroutines()
}

// chaosID is the id that was sent in an automation's source data, which is stored
// encrypted.
func (w *witness) chaosID(ctx context.Context, automationID string) string {
	w.t.Helper()
	body, err := w.store.Automations.SourceData(ctx, automationID)
	if err != nil {
		w.t.Fatal(err)
	}
	var event struct {
		ID string `json:"Chaos Id"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		w.fault("lost", "a stored body is not what was sent: %v", err)
	}
	return event.ID
}

// checkEvents: acknowledged ⊆ stored ⊆ sent.
func (w *witness) checkEvents(ctx context.Context) {
	w.t.Helper()
	rows, err := w.db.Query(ctx, `SELECT id FROM automations`)
	if err != nil {
		w.t.Fatal(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		w.t.Fatal(err)
	}
	for _, id := range ids {
		w.stored[w.chaosID(ctx, id)]++
	}
	w.checkLedger()
	w.counts["stored"] = len(ids)
	for answer, n := range w.load.strange {
		w.fault("answer", "%d senders were answered %s", n, answer)
	}
}

// checkLedger holds what is stored against what was sent. What was accepted
// after a backup may be gone when that was put back.
func (w *witness) checkLedger() {
	w.t.Helper()
	known := map[string]bool{}
	for _, s := range w.load.ledger {
		known[s.id] = true
		least, most := s.acks, s.posts
		if s.keyed { // repeats count once
			least, most = min(least, 1), min(most, 1)
		}
		if s.acks > 0 && w.timeline.forgot(s.ackedAt, 0) {
			least = 0
		}
		switch got := w.stored[s.id]; {
		case got < least:
			w.fault("lost", "%s: acknowledged %d times, stored %d", s.id, s.acks, got)
		case got > most:
			w.fault("duplicated", "%s: sent %d times, stored %d (keyed: %v)", s.id, s.posts, got, s.keyed)
		}
		w.counts["sent"]++
		w.counts["requests"] += s.posts
		w.counts["acknowledged"] += min(s.acks, 1)
	}
	for id := range w.stored {
		if !known[id] {
			w.fault("stray", "%q is stored and was never sent", id)
		}
	}
}

// checkStates: each automation ended once, with every document made, but for
// those that somebody cancelled. None of the faults is a reason to give a
// document up.
func (w *witness) checkStates(ctx context.Context) {
	w.t.Helper()
	rows, err := w.db.Query(ctx, `
		SELECT a.id, a.state, a.reason, coalesce(string_agg(o.failure_code || ' ' || o.failure, '; ') FILTER (WHERE o.failure <> ''), '')
		FROM automations a
		LEFT JOIN outputs o ON o.automation_id = a.id
		GROUP BY a.id
		HAVING (a.state <> 'COMPLETED' OR a.finished_at IS NULL) AND NOT coalesce(a.state = 'FAILED' AND bool_or(o.verdict = 'REJECTED'), false)`)
	if err != nil {
		w.t.Fatal(err)
	}
	type other struct{ ID, State, Reason, Failures string }
	others, err := pgx.CollectRows(rows, pgx.RowToStructByPos[other])
	if err != nil {
		w.t.Fatal(err)
	}
	for _, o := range others {
		if o.State == "CANCELLED" && w.interventions.endOf(o.ID) != "" {
			w.counts["cancelled"]++
			continue
		}
		w.fault("state", "automation %s is %s (%s %s), want COMPLETED", o.ID, o.State, o.Reason, o.Failures)
	}
	for _, one := range w.integrator.workflows {
		var automations, outputs int
		err := w.db.QueryRow(ctx, `
			SELECT count(DISTINCT a.id), count(o.id)
			FROM automations a
			LEFT JOIN outputs o ON o.automation_id = a.id AND o.state = 'DONE'
			WHERE a.workflow_id = $1 AND a.state <> 'CANCELLED' AND NOT EXISTS (SELECT FROM outputs r WHERE r.automation_id = a.id AND r.verdict = 'REJECTED')`, one.id).Scan(&automations, &outputs)
		if err != nil {
			w.t.Fatal(err)
		}
		if want := automations * len(one.documents); outputs != want {
			w.fault("output", "workflow %s: %d outputs of %d automations, want %d", one.name, outputs, automations, want)
		}
		w.counts["outputs"] += outputs
	}
}

// checkProcesses: nobody but a fault ends a program.
func (w *witness) checkProcesses() {
	w.t.Helper()
	for name, p := range w.service.processes {
		for _, last := range p.ownEnds() {
			w.fault("ended", "%s ended by itself; its last words: %s", name, last)
		}
	}
}

// report prints what there was, which faults there were and what was wrong.
func (w *witness) report(faults map[string]int) {
	w.t.Helper()
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "\n  "+format, args...) }
	line("sent %d events in %d requests, acknowledged %d, ambiguous requests %d (answered 503: %d), stored %d",
		w.counts["sent"], w.counts["requests"], w.counts["acknowledged"], w.load.unclear, w.load.later, w.counts["stored"])
	line("outputs %d, PDFs %d, of which read %d (%d that a fault had touched), originals read %d, events %d, deliveries %d of %d attempts, repeats %d",
		w.counts["outputs"], w.counts["PDFs"], w.counts["PDFs read"], w.counts["touched"], w.counts["originals read"],
		w.counts["events"], w.counts["taken"], w.counts["attempts"], w.counts["repeats"])
	for _, kind := range slices.Sorted(maps.Keys(w.causes)) {
		line("repeats by %s: %d", kind, w.causes[kind])
	}
	line("numbers drawn %d, void %d", w.counts["numbers"], w.counts["void numbers"])
	line("events by rules %d, reviews decided %d, mails %d", w.counts["events by rules"], w.counts["reviews"], w.counts["mails"])
	line("histories replayed %d", w.counts["replayed"])
	line("signatures verified %d by Go, %d by npm; backends of Postgres in the end %d; goroutines %s",
		w.counts["attempts"], w.counts["signatures"], w.counts["backends"], w.goroutines)
	line("automations that operators had ended and that were retried in the end %d, cancelled %d", w.counts["retried"], w.counts["cancelled"])
	line("events that a receiver had refused for good %d, held after that %d, all delivered when it had moved", w.counts["failed"], w.counts["held"])
	line("after restores: attempts of events that were taken back %d, or recorded with other bytes %d; files that stay in drives %d",
		w.counts["taken back"], w.counts["rewritten"], w.counts["kept"])
	line("lost %d, duplicated %d, stray %d", w.found["lost"], w.found["duplicated"], w.found["stray"])
	for _, kind := range slices.Sorted(maps.Keys(w.found)) {
		line("%s: %d", kind, w.found[kind])
	}
	total := 0
	for _, n := range faults {
		total += n
	}
	line("faults %d:", total)
	for _, kind := range slices.Sorted(maps.Keys(faults)) {
		line("  %2d  %s", faults[kind], kind)
	}
	w.t.Log(b.String())
}
