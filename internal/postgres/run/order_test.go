package run_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/postgres/run"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// byField is an order whose formula is the name of a field; "faulty" cannot be worked out.
func byField(formula string, e platen.OrderedEvent) (string, error) {
	var data map[string]string
	if err := json.Unmarshal(e.Body, &data); err != nil {
		return "", err
	}
	if data[formula] == "faulty" {
		return "", platen.Errorf(platen.KindInvalid, platen.CodeOrderFaulty, "it cannot be worked out")
	}
	return data[formula], nil
}

// ordered is a workflow with an order by the field k.
func (f *harness) ordered() platen.Workflow {
	f.Order.Key = byField
	return f.Workflow(f.User(nil), func(w *platen.Workflow) { w.OrderedBy = "k" })
}

func keyed(w platen.Workflow, key string) platen.SourceEvent {
	e := storetest.Event(w)
	e.Body = fmt.Appendf(nil, `{"k": %q}`, key)
	return e
}

// sendKeyed accepts an event of each key and returns the ids of their automations.
func (f *harness) sendKeyed(w platen.Workflow, keys ...string) (ids []string) {
	f.T.Helper()
	var events []platen.SourceEvent
	for _, key := range keys {
		e := keyed(w, key)
		events, ids = append(events, e), append(ids, e.AutomationID)
	}
	f.Must(storetest.Send(f.T.Context(), f.DB.DB, events...))
	return ids
}

func (f *harness) arrange() {
	f.T.Helper()
	for more := true; more; {
		var err error
		more, err = f.Order.Arrange(f.T.Context())
		f.Must(err)
	}
}

// start claims all that may start, has it run, and returns the ids in the order of their
// acceptance.
func (f *harness) start() []string {
	f.T.Helper()
	f.noPause()
	claimed := f.Claim(100, 1000)
	f.Must(f.Queue.MarkStarted(f.T.Context(), claimed))
	return storetest.IDs(claimed)
}

func (f *harness) fail(id string) {
	f.T.Helper()
	_, err := f.Automations.FailAutomation(f.T.Context(), id, 0, "c", "m")
	f.Must(err)
}

func (f *harness) wantStarts(what string, want ...string) {
	f.T.Helper()
	if got := f.start(); !slices.Equal(got, want) {
		f.T.Errorf("%s: %v started, want %v", what, got, want)
	}
}

func TestAutomationsOfAKeyStartOneAfterTheOther(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.ordered()
	a := f.sendKeyed(w, "one", "two", "one", "one")
	f.wantStarts("before keys are worked out")
	f.arrange()
	f.wantStarts("the first of each key", a[0], a[1])
	f.wantStarts("while they run")
	f.fail(a[1])
	f.wantStarts("another key")
	f.fail(a[0]) // a failure holds up none
	f.wantStarts("behind a failure", a[2])
	late := f.sendKeyed(w, "one", "two")
	f.arrange()
	f.wantStarts("a key that was over", late[1])
	_, err := f.Automations.CancelAutomation(t.Context(), w.Owner, w.ID, a[3]) // one that waits
	f.Must(err)
	f.wantStarts("while another runs")
	f.fail(a[2])
	f.wantStarts("behind one that was cancelled", late[0])
}

func TestAnAutomationBehindSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.ordered()
	a := f.sendKeyed(w, "one", "one", "one")
	if got := f.Automation(w, a[1]); got.State != platen.AutomationAccepted || len(got.Waits) != 0 {
		t.Errorf("before its key is known: got %s with %v", got.State, got.Waits)
	}
	f.arrange()
	found, err := f.Automations.WorkflowAutomations(t.Context(), w.Owner, w.ID, platen.AutomationQuery{States: []platen.AutomationState{platen.AutomationAccepted}})
	f.Must(err)
	if len(found) != 3 {
		t.Fatalf("a list of those that are accepted has %d, want 3", len(found))
	}
	for i, got := range found {
		var want []platen.Wait
		if i > 0 {
			want = []platen.Wait{platen.BehindWait(a[0], got.AcceptedAt)}
		}
		if got.State != platen.AutomationAccepted || fmt.Sprint(got.Waits) != fmt.Sprint(want) {
			t.Errorf("%d: got %s with %v, want %v", i, got.State, got.Waits, want)
		}
	}
	ended, err := f.Automations.Ended(t.Context(), a)
	f.Must(err)
	if len(ended) != 0 {
		t.Errorf("%v count as ended", ended)
	}
}

func TestARetryTakesItsPlaceByWhenItsEventWasAccepted(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.ordered()
	a := f.sendKeyed(w, "one", "one", "one")
	f.arrange()
	f.wantStarts("the first", a[0])
	f.fail(a[0])
	f.wantStarts("the second", a[1])
	retry := func() {
		t.Helper()
		_, err := f.Automations.RetryAutomation(t.Context(), w.Owner, w.ID, a[0])
		f.Must(err)
	}
	retry()
	f.wantStarts("a retry beside one that runs")
	f.fail(a[1])
	f.wantStarts("a retry before one that came later", a[0])
	f.fail(a[0])
	f.wantStarts("the last", a[2])
	f.fail(a[2])
	retry()
	f.wantStarts("a retry alone", a[0])
}

func TestAnEventWithoutAKeyThatCanBeWorkedOutFailsAlone(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.ordered()
	a := f.sendKeyed(w, "faulty", "one", "faulty", "one")
	f.arrange()
	for _, id := range []string{a[0], a[2]} {
		if got := f.Automation(w, id); got.State != platen.AutomationFailed || got.FailureCode != platen.CodeOrderFaulty || got.Failure == "" {
			t.Errorf("got %s, %s: %q; want it FAILED with the reason", got.State, got.FailureCode, got.Failure)
		}
	}
	f.wantStarts("beside a faulty one", a[1])
	// Once the formula is right, a retry works the key out.
	f.Order.Key = func(string, platen.OrderedEvent) (string, error) { return "one", nil }
	_, err := f.Automations.RetryAutomation(t.Context(), w.Owner, w.ID, a[0])
	f.Must(err)
	f.arrange()
	f.wantStarts("behind one that runs")
	f.fail(a[1])
	f.wantStarts("in its place", a[0])
}

func TestEventsWithoutAKeyHaveOneTogetherAndTestsTheirOwn(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.ordered()
	other := f.Workflow(w.Owner, func(w *platen.Workflow) { w.OrderedBy = "k" })
	trial := keyed(w, "")
	trial.Test = true
	f.Must(storetest.Send(t.Context(), f.DB.DB, trial))
	a, b := f.sendKeyed(w, "", ""), f.sendKeyed(other, "")
	f.arrange()
	f.wantStarts("a test, and the first of each workflow", trial.AutomationID, a[0], b[0])
}

func TestWithoutItsOrderAWorkflowStartsAllThatHaveNoKey(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.ordered()
	a := f.sendKeyed(w, "one", "one")
	f.arrange()
	later := f.sendKeyed(w, "one", "one")
	_, err := f.Workflows.UpdateWorkflow(t.Context(), w.Owner, w.ID, func(w *platen.Workflow) error { w.OrderedBy = ""; return nil })
	f.Must(err)
	f.arrange()
	f.wantStarts("those without a key, beside the first with one", a[0], later[0], later[1])
	now := f.sendKeyed(w, "one")
	f.wantStarts("an event from now on", now[0])
	f.fail(a[0])
	f.wantStarts("what had a key keeps its place", a[1])
}

func TestAWorkflowWhoseEventsCannotBeReadHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w, other := f.ordered(), f.ordered()
	f.sendKeyed(w, "one")
	b := f.sendKeyed(other, "one")
	f.Exec(`UPDATE automations SET body = '\x00' WHERE workflow_id = $1`, w.ID)
	if _, err := f.Order.Arrange(t.Context()); err == nil || !strings.Contains(err.Error(), w.ID) {
		t.Errorf("got %v, want an error about %s", err, w.ID)
	}
	f.wantStarts("the other workflow", b[0])
}

func TestErasureTakesTheKey(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.ordered()
	a := f.sendKeyed(w, "one", "one")
	f.arrange()
	f.start()
	f.fail(a[0])
	for _, id := range a {
		_, err := f.Automations.EraseAutomation(t.Context(), w.Owner, w.ID, id)
		f.Must(err)
		f.Must(f.Automations.EraseData(t.Context(), id))
	}
	if n := f.Count(`SELECT count(*) FROM automations WHERE order_key IS NOT NULL`); n != 0 {
		t.Errorf("%d keys are left", n)
	}
}

// Each automation that ends lets the next of its key start, however many wait behind it.
func TestTheNextOfALongQueueIsFoundAtOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.ordered()
	f.sendKeyed(w, "one")
	f.arrange()
	f.Exec(`INSERT INTO automations (id, workflow_id, source_id, owner_id, state, body, request_id, accepted_at, order_number, order_key)
		SELECT 'aut_' || i, workflow_id, source_id, owner_id, 'BEHIND', '', '', accepted_at, nextval('automation_order'), order_key
		FROM automations, generate_series(1, 10000) i`)
	head := f.start()[0]
	tx, err := f.Owner.Begin(t.Context())
	f.Must(err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	read := func() (n int) {
		t.Helper()
		f.Must(tx.QueryRow(t.Context(), `SELECT pg_stat_get_xact_tuples_returned(c.oid) + pg_stat_get_xact_tuples_fetched(c.oid) + (
			SELECT sum(pg_stat_get_xact_tuples_returned(indexrelid)) FROM pg_index WHERE indrelid = c.oid) FROM pg_class c WHERE oid = 'automations'::regclass`).Scan(&n))
		return n
	}
	before := read()
	_, err = tx.Exec(t.Context(), `UPDATE automations SET state = 'CANCELLED', finished_at = now() WHERE id = $1`, head)
	f.Must(err)
	if n := read() - before; n > 30 {
		t.Errorf("the end of one read %d rows and entries of indexes", n)
	}
	f.Must(tx.Commit(t.Context()))
	f.wantStarts("the second", "aut_1")
}

// A history says what happened to an event of the property below, by a counter that orders
// all of it.
type history struct {
	key                string
	begun, accepted    int64 // before it was sent, and when it was answered
	started, cancelled bool
}

// TestNothingThatHappensAtOnceBreaksAnOrder has several programs accept, start, end, cancel
// and retry automations of few keys at once.
func TestNothingThatHappensAtOnceBreaksAnOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			p := &orderProperty{harness: f, w: f.ordered(), events: map[string]*history{}, running: map[string]string{}}
			p.play(seed)
		})
	}
}

type orderProperty struct {
	*harness
	w platen.Workflow

	// starting is held by who starts some, so that nobody cancels what is not noted yet.
	starting sync.Mutex

	mu      sync.Mutex
	clock   int64
	events  map[string]*history
	running map[string]string // by key
	open    []string          // ids that were started and not ended
	failed  []string
}

const orderedEvents = 150

func (p *orderProperty) play(seed uint64) {
	sending, all := sync.WaitGroup{}, sync.WaitGroup{}
	sent := make(chan struct{})
	for i := range 3 {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		b := p.Batcher(accept.BatcherOptions{})
		sending.Go(func() {
			for range orderedEvents / 3 {
				p.send(b, fmt.Sprint("key ", random.IntN(4)))
			}
		})
	}
	go func() {
		sending.Wait()
		close(sent)
	}()
	deadline := time.Now().Add(time.Minute)
	for i := range 4 {
		random := rand.New(rand.NewPCG(seed, uint64(10+i)))
		db := run.New(p.Another().DB)
		db.Order.Key = byField
		all.Go(func() {
			for !p.isOver(sent) && p.T.Context().Err() == nil {
				if time.Now().After(deadline) {
					p.T.Errorf("it did not end: %s", p.left())
					return
				}
				p.do(db, random)
			}
		})
	}
	all.Wait()
	if left := p.left(); left != "" {
		p.T.Errorf("when all is over: %s", left)
	}
}

func (p *orderProperty) run(sql string, args ...any) {
	if _, err := p.Owner.Exec(p.T.Context(), sql, args...); err != nil {
		p.T.Errorf("%s: %v", sql, err)
	}
}

func (p *orderProperty) tick() int64 {
	p.clock++
	return p.clock
}

func (p *orderProperty) send(b *accept.Batcher, key string) {
	e, h := keyed(p.w, key), &history{key: key}
	p.mu.Lock()
	h.begun = p.tick()
	p.events[e.AutomationID] = h
	p.mu.Unlock()
	if err := b.Accept(p.T.Context(), e); err != nil {
		p.T.Errorf("accept: %v", err)
	}
	p.mu.Lock()
	h.accepted = p.tick()
	p.mu.Unlock()
}

// do is what one program does next.
func (p *orderProperty) do(db *run.DB, random *rand.Rand) {
	ctx := p.T.Context()
	switch n := random.IntN(20); {
	case n < 5:
		if _, err := db.Order.Arrange(ctx); err != nil {
			p.T.Errorf("arrange: %v", err)
		}
	case n < 10:
		p.startSome(db)
	case n < 17:
		if id := p.take(&p.open, random); id != "" {
			p.end(db, random, id)
		}
	case n < 18:
		p.cancelSome(db, random)
	default:
		if id := p.take(&p.failed, random); id != "" {
			_, err := db.Automations.RetryAutomation(ctx, p.w.Owner, p.w.ID, id)
			if err != nil {
				p.T.Errorf("retry: %v", err)
			}
		}
	}
}

func (p *orderProperty) take(from *[]string, random *rand.Rand) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(*from) == 0 {
		return ""
	}
	i := random.IntN(len(*from))
	id := (*from)[i]
	*from = slices.Delete(*from, i, i+1)
	return id
}

// startSome claims what may start, and sees that it may.
func (p *orderProperty) startSome(db *run.DB) {
	ctx := p.T.Context()
	p.starting.Lock()
	defer p.starting.Unlock()
	p.run(`UPDATE workflow_turns SET paused_until = NULL, alone_until = NULL`)
	claimed, _, err := db.Queue.Claim(ctx, 10, storetest.AnyOwner(100), time.Minute)
	if err != nil {
		p.T.Errorf("claim: %v", err)
		return
	}
	p.mu.Lock()
	for _, a := range claimed {
		h := p.events[a.ID]
		if other := p.running[h.key]; other != "" {
			p.T.Errorf("%s starts while %s runs, both of %s", a.ID, other, h.key)
		}
		p.running[h.key] = a.ID
		for id, before := range p.events {
			if a.Attempt == 1 && before.key == h.key && before.accepted > 0 && before.accepted < h.begun && !before.started && !before.cancelled {
				p.T.Errorf("%s starts before %s, which was accepted earlier", a.ID, id)
			}
		}
		h.started = true
	}
	p.mu.Unlock()
	if err := db.Queue.MarkStarted(ctx, claimed); err != nil {
		p.T.Errorf("mark: %v", err)
	}
	p.mu.Lock()
	p.open = append(p.open, storetest.IDs(claimed)...)
	p.mu.Unlock()
}

// end ends a run in one of the ways in which runs end.
func (p *orderProperty) end(db *run.DB, random *rand.Rand, id string) {
	ctx := p.T.Context()
	p.mu.Lock()
	delete(p.running, p.events[id].key) // before the next of the key may start
	p.mu.Unlock()
	var err error
	switch random.IntN(4) {
	case 0:
		if _, err = db.Automations.FailAutomation(ctx, id, 0, "c", "m"); err == nil && random.IntN(3) == 0 {
			p.mu.Lock()
			p.failed = append(p.failed, id)
			p.mu.Unlock()
		}
	case 1:
		if _, err = db.Automations.CancelAutomation(ctx, p.w.Owner, p.w.ID, id); err == nil {
			_, err = db.Automations.EndAutomation(ctx, id, 0)
		}
	case 2:
		_, err = db.Automations.EraseAutomation(ctx, p.w.Owner, p.w.ID, id)
		if err == nil {
			_, err = db.Automations.EndAutomation(ctx, id, 0)
		}
	default:
		p.run(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE id = $1`, id)
	}
	if err != nil {
		p.T.Errorf("end %s: %v", id, err)
	}
}

// cancelSome cancels an automation that waits.
func (p *orderProperty) cancelSome(db *run.DB, random *rand.Rand) {
	p.starting.Lock()
	defer p.starting.Unlock()
	p.mu.Lock()
	var waiting []string
	for id, h := range p.events {
		if h.accepted > 0 && !h.started && !h.cancelled {
			waiting = append(waiting, id)
		}
	}
	if len(waiting) == 0 {
		p.mu.Unlock()
		return
	}
	slices.Sort(waiting)
	id := waiting[random.IntN(len(waiting))]
	p.events[id].cancelled = true // the start of another does not prove an order any more
	p.mu.Unlock()
	if _, err := db.Automations.CancelAutomation(p.T.Context(), p.w.Owner, p.w.ID, id); err != nil && storetest.CodeOf(err) != "automation_ended" {
		p.T.Errorf("cancel: %v", err)
	}
}

// isOver tells whether all was sent and has ended.
func (p *orderProperty) isOver(sent chan struct{}) bool {
	select {
	case <-sent:
		p.mu.Lock()
		retries := len(p.failed)
		p.mu.Unlock()
		return retries == 0 && p.left() == ""
	default:
		return false
	}
}

// left says what has not ended; empty: all has.
func (p *orderProperty) left() string {
	var text string
	err := p.Owner.QueryRow(context.WithoutCancel(p.T.Context()), `
		SELECT coalesce(string_agg(id || ' is ' || state || coalesce(' with the key ' || encode(order_key, 'hex'), ''), ', '), '')
		FROM automations
		WHERE finished_at IS NULL`).Scan(&text)
	if err != nil {
		return err.Error()
	}
	return text
}
