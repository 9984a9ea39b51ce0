package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/secret"
)

const (
	// dueEvents of each receiver that does not take them.
	dueEvents = 1000
	// quietRate is that of the tenant whose latency is measured, per second:
	// low enough that a busy machine keeps up.
	quietRate = 2
	// noSlower is how much slower that may be beside the others.
	noSlower = 2
)

// A trouble is a receiver that takes events until it is broken, and then none.
type trouble struct {
	name     string
	answer   http.HandlerFunc // when it is broken
	broken   atomic.Bool
	attempts atomic.Int64
	now      atomic.Int64 // attempts under way
	most     atomic.Int64
	server   *http.Server
	url      string
	job      job
	token    string
}

func (t *trouble) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !t.broken.Load() {
		return
	}
	t.attempts.Add(1)
	n := t.now.Add(1)
	defer t.now.Add(-1)
	for most := t.most.Load(); n > most && !t.most.CompareAndSwap(most, n); most = t.most.Load() {
	}
	t.answer(w, r)
}

// hang waits until the sender gives up, which shows when its body is read.
func hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func break500(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }

// measureNeighbours: what one tenant feels of others whose receivers, drives or
// pictures' hosts are broken.
func measureNeighbours(ctx context.Context, b *bench) error {
	if err := measureReceivers(ctx, b); err != nil {
		return err
	}
	return measureOutages(ctx, b)
}

// measureReceivers: receivers hang or answer 500, with many events due at once.
func measureReceivers(ctx context.Context, b *bench) (err error) {
	g, err := b.startHarness(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close(context.WithoutCancel(ctx))) }()
	troubles := []*trouble{{name: "hangs", answer: hang}, {name: "answers 500", answer: break500}}
	for _, t := range troubles {
		if err := t.open(ctx, g); err != nil {
			return err
		}
		defer func() { _ = t.server.Close() }()
	}
	if _, err := g.sender.oneByOne(ctx, 20); err != nil { // connections and caches
		return err
	}
	length := 50 * b.round // as long as all of them take to come due
	b.say("event to event of one tenant, %d per second for %v, undisturbed", quietRate, length)
	before, err := g.calm(ctx, length)
	if err != nil {
		return err
	}
	b.say("the same beside %d events that come due for a receiver that hangs, and as many for one that answers 500", dueEvents)
	for _, t := range troubles {
		if err := t.recover(ctx, g); err != nil {
			return err
		}
	}
	during, err := g.calm(ctx, length)
	if err != nil {
		return err
	}
	b.say("the same while these wait")
	beside, err := g.calm(ctx, length)
	if err != nil {
		return err
	}
	return g.reportNeighbours(ctx, troubles, before, during, beside)
}

// A phase is the load of the tenant that is looked at, and what all parts of the
// service used for it and for everybody else.
type phase struct {
	load
	used time.Duration
}

func (g *harness) calm(ctx context.Context, length time.Duration) (phase, error) {
	before, err := g.account(ctx)
	if err != nil {
		return phase{}, err
	}
	l, err := g.sender.openLoop(ctx, quietRate, length)
	if err != nil {
		return phase{}, err
	}
	after, err := g.account(ctx)
	p := phase{load: l}
	for _, used := range after.since(before) {
		p.used += used
	}
	return p, err
}

// cores is how many processors were busy with the service.
func (p phase) cores() float64 { return p.used.Seconds() / p.took.Seconds() }

func (g *harness) reportNeighbours(ctx context.Context, troubles []*trouble, before, during, beside phase) error {
	r := g.bench.report
	for _, p := range []struct {
		name string
		phase
	}{{"undisturbed", before}, {"as the others' events come due", during}, {"while they wait", beside}} {
		p99 := quantile(p.latencies, 0.99)
		r.one("event to event, p50, "+p.name, "ms", quantile(p.latencies, 0.5), note("%d events", len(p.latencies)))
		r.one("event to event, p99, "+p.name, "ms", p99)
		r.one("processors busy with all of it, "+p.name, "", p.cores())
		if p.name != "undisturbed" {
			r.one("p99 "+p.name+" ÷ undisturbed", "×", p99/quantile(before.latencies, 0.99), atMost(noSlower))
		}
	}
	if extra := during.cores() - before.cores(); extra > 0 {
		r.one("CPU per event that comes due and has to wait", "ms", extra*during.took.Seconds()*1000/(2*dueEvents))
	}
	for _, t := range troubles {
		r.one("attempts at the receiver that "+t.name, "", float64(t.attempts.Load()))
		r.one("attempts in flight there at once", "", float64(t.most.Load()), atMost(4))
		var waiting int
		err := g.pool.QueryRow(ctx, `
			SELECT count(*)
			FROM events
			WHERE workflow_id = @workflow_id AND state = 'PENDING'`, pgx.NamedArgs{"workflow_id": t.job.workflowID}).Scan(&waiting)
		if err != nil {
			return err
		}
		r.one("events that still wait for it", "", float64(waiting), note("of %d; none is given up", dueEvents))
	}
	return nil
}

// open makes the receiver with a tenant of its own, one automation of it, and
// out of that as many as will be due, whose events have FAILED.
func (t *trouble) open(ctx context.Context, g *harness) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	t.url = address(l)
	t.server = &http.Server{Handler: t, ReadHeaderTimeout: answerLimit}
	go func() { _ = t.server.Serve(l) }() // ends by Close
	tenant := *g.instance
	if err := tenant.moveIn(ctx, fmt.Sprintf("trouble-%d@bench.example", l.Addr().(*net.TCPAddr).Port)); err != nil {
		return err
	}
	t.token = tenant.token
	if t.job, err = tenant.newJob(ctx, t.url); err != nil {
		return err
	}
	body, err := letterEvent(0, bodySize)
	if err != nil {
		return err
	}
	if err := post(ctx, g.sender.client, t.job.source, body); err != nil {
		return err
	}
	for waited := time.Now(); ; {
		var done bool
		err := g.pool.QueryRow(ctx, `
			SELECT EXISTS (
				SELECT
				FROM events e
				JOIN automations a ON a.id = e.automation_id
				WHERE e.workflow_id = @workflow_id AND e.state = 'DELIVERED' AND a.state = 'COMPLETED' -- else its copies would count as open
			)`,
			pgx.NamedArgs{"workflow_id": t.job.workflowID}).Scan(&done)
		if err != nil || done {
			t.broken.Store(true)
			return errors.Join(err, t.multiply(ctx, g))
		}
		if time.Since(waited) > eventLimit {
			return fmt.Errorf("no first event for the receiver that %s within %v", t.name, eventLimit)
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// multiply makes copies of the tenant's one automation, whose data they share.
func (t *trouble) multiply(ctx context.Context, g *harness) error {
	keys, err := t.sealKeys(ctx, g)
	if err != nil {
		return fmt.Errorf("seal the data keys of copies: %w", err)
	}
	for _, statement := range []string{`
		INSERT INTO automations
		SELECT (jsonb_populate_record(a, jsonb_build_object('id', left(a.id, 8) || lpad(n::text, 12, '0'), 'data_key', (@keys::bytea[])[n]))).*
		FROM automations a, generate_series(1, @n::integer) n
		WHERE a.workflow_id = @workflow_id`, `
		INSERT INTO outputs
		SELECT (jsonb_populate_record(o, jsonb_build_object('id', left(o.id, 8) || lpad(n::text, 12, '0'),
			'automation_id', left(o.automation_id, 8) || lpad(n::text, 12, '0')))).*
		FROM outputs o, generate_series(1, @n::integer) n
		WHERE o.id IN (SELECT output_id FROM events WHERE workflow_id = @workflow_id)`, `
		INSERT INTO events
		SELECT (jsonb_populate_record(e, jsonb_build_object('id', left(e.id, 8) || lpad(n::text, 12, '0'), 'state', 'FAILED',
			'automation_id', left(e.automation_id, 8) || lpad(n::text, 12, '0'), 'output_id', left(e.output_id, 8) || lpad(n::text, 12, '0')))).*
		FROM events e, generate_series(1, @n::integer) n
		WHERE e.workflow_id = @workflow_id`,
	} {
		if _, err := g.pool.Exec(ctx, statement, pgx.NamedArgs{"workflow_id": t.job.workflowID, "n": dueEvents, "keys": keys}); err != nil {
			return fmt.Errorf("multiply an automation: %w", err)
		}
	}
	return nil
}

// sealKeys returns the data key of the automation, sealed for each of its copies.
func (t *trouble) sealKeys(ctx context.Context, g *harness) ([][]byte, error) {
	box, err := secret.ParseKeys(g.secretKeys)
	if err != nil {
		return nil, err
	}
	var id string
	var sealed []byte
	err = g.pool.QueryRow(ctx, `
		SELECT id, data_key
		FROM automations
		WHERE workflow_id = @workflow_id`, pgx.NamedArgs{"workflow_id": t.job.workflowID}).Scan(&id, &sealed)
	if err != nil {
		return nil, err
	}
	key, err := box.Open(sealed, []byte("automations.data_key:"+id))
	if err != nil {
		return nil, err
	}
	keys := make([][]byte, dueEvents)
	for i := range keys {
		if keys[i], err = box.Seal(key, fmt.Appendf(nil, "automations.data_key:%s%012d", id[:8], i+1)); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// recover makes all of them due, as an integrator does.
func (t *trouble) recover(ctx context.Context, g *harness) error {
	var made struct {
		Recovered int `json:"recovered"`
	}
	body := map[string]any{"since": "2026-01-01T00:00:00Z"}
	if err := g.call(ctx, http.MethodPost, "/workflows/"+t.job.workflowID+"/events/recover/", t.token, body, &made); err != nil {
		return err
	}
	if made.Recovered != dueEvents {
		return fmt.Errorf("%d events came due, want %d", made.Recovered, dueEvents)
	}
	return nil
}
