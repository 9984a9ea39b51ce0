package simulation

import (
	"cmp"
	"fmt"
	"maps"
	"time"

	enums "go.temporal.io/api/enums/v1"

	"github.com/platenhq/platen/workflows"
)

// A server is Temporal's server, as far as the product's runs need it: runs
// with histories that last, tasks that are made again when a worker dies,
// activities that are retried, and timers. How it answers starts, looks,
// cancellations and terminations is held equal to the real server by random
// operations on both.
type server struct {
	w    *harness
	runs map[string]*run // the latest by workflow id
	n    int             // of tokens, which are never given twice
}

// A run is one execution of a workflow. What it knows lasts; nothing of a
// process is in it.
type run struct {
	id, runID string
	workflow  string
	automated workflows.RunAutomationInput
	delivers  workflows.DeliverEventInput
	awaits    workflows.AwaitReviewInput
	looks     int // signals that it got
	attempt   int // in the memo
	status    enums.WorkflowExecutionStatus
	cancel    bool                  // was asked to end
	told      bool                  // said how it ends, as an attribute
	again     *workflows.Redelivery // that the delivery has not begun yet
	pinned    string                // the only build that makes its first task; empty: any does
	build     string                // that has its latest task

	records    map[string]record
	activities map[string]*scheduled
	timers     map[string]time.Time
	news       bool // something happened that no task has seen
	task       int  // token of the task under way; 0: none
	extended   time.Time
}

// A record is the result of a step, or of anything else that a history has.
type record struct {
	outcome outcome
	order   int
}

// An outcome is how a step ended.
type outcome struct {
	result       any
	code         string
	message      string
	failed       bool
	nonRetryable bool
	retryAfter   time.Duration
	timedOut     bool
	canceled     bool
}

// mayPass tells whether another attempt of a failed step may succeed.
func (o outcome) mayPass() bool { return o.failed && !o.canceled && !o.nonRetryable }

// A scheduled activity is tried until it ends.
type scheduled struct {
	order
	scheduledAt time.Time
	attempt     int32
	token       int       // of the attempt under way; 0: none
	worker      *process  // that makes it
	due         time.Time // of the next attempt
	cancel      bool
}

// An order is what a run asks for.
type order struct {
	key, name string
	preset    preset
	input     any
	owner     string
}

const (
	runAutomation = "RunAutomation"
	deliverEvent  = "DeliverEvent"
	awaitReview   = "AwaitReview"
)

func newServer(w *harness) *server { return &server{w: w, runs: map[string]*run{}} }

func (t *server) token() int {
	t.n++
	return t.n
}

// clone is a run as a backup has it.
func (r *run) clone() *run {
	c := *r
	c.records, c.timers = maps.Clone(r.records), maps.Clone(r.timers)
	c.activities = make(map[string]*scheduled, len(r.activities))
	for key, a := range r.activities {
		one := *a
		c.activities[key] = &one
	}
	return &c
}

func (t *server) backup() map[string]*run {
	kept := make(map[string]*run, len(t.runs))
	for id, r := range t.runs {
		kept[id] = r.clone()
	}
	return kept
}

// restore puts runs back; tasks under way are repeated in time.
func (t *server) restore(runs map[string]*run) {
	t.runs = make(map[string]*run, len(runs))
	maps.Copy(t.runs, runs)
	for _, id := range sorted(runs) {
		r := runs[id]
		r.task = 0
		for _, key := range sorted(r.activities) {
			r.activities[key].token = 0
			t.arm(r, r.activities[key], 0)
		}
		for _, key := range sorted(r.timers) {
			t.armTimer(r, key)
		}
		t.wake(r)
	}
}

// A start is a wish for a run.
type start struct {
	run       run
	reuse     enums.WorkflowIdReusePolicy
	terminate bool // one that is open, instead of refusing
}

// start starts a run, and tells whether one was in the way.
func (t *server) start(s start) (exists bool) {
	before := t.runs[s.run.id]
	switch {
	case before == nil:
	case before.open() && s.terminate:
		t.close(before, enums.WORKFLOW_EXECUTION_STATUS_TERMINATED)
	case before.open():
		return true
	case s.reuse == enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE:
		return true
	case s.reuse == enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY && before.status == enums.WORKFLOW_EXECUTION_STATUS_COMPLETED:
		return true
	}
	r := s.run
	r.runID = fmt.Sprint("run-", t.token())
	r.status = enums.WORKFLOW_EXECUTION_STATUS_RUNNING
	r.records, r.activities, r.timers = map[string]record{}, map[string]*scheduled{}, map[string]time.Time{}
	t.runs[r.id] = &r
	t.wake(&r)
	return false
}

func (r *run) open() bool { return r.status == enums.WORKFLOW_EXECUTION_STATUS_RUNNING }

func (r *run) isLatest(t *server) bool { return t.runs[r.id] == r }

func (t *server) close(r *run, status enums.WorkflowExecutionStatus) {
	r.status, r.task = status, 0
	for _, a := range r.activities {
		if a.token != 0 {
			t.tellCancelled(a)
		}
		a.token = 0
	}
}

// unpin has the open run of a workflow go on anywhere, and tells whether there is one.
func (t *server) unpin(id string) bool {
	r := t.runs[id]
	if r == nil || !r.open() {
		return false
	}
	r.pinned = ""
	t.wake(r)
	return true
}

// requestCancel tells whether a run is known. To ask one again, or one that has
// closed, changes nothing.
func (t *server) requestCancel(id string) bool {
	r := t.runs[id]
	if r != nil && r.open() && !r.cancel {
		r.cancel = true
		t.wake(r)
	}
	return r != nil
}

// redeliver has a delivery under way begin again, and tells whether there is one.
func (t *server) redeliver(id string, begin workflows.Redelivery) bool {
	r := t.runs[id]
	if r == nil || !r.open() || r.cancel {
		return false
	}
	r.again = &begin
	t.wake(r)
	return true
}

// look signals the run that looks after a review, and starts one where none is open.
func (t *server) look(id string, in workflows.AwaitReviewInput) {
	if r := t.runs[id]; r == nil || !r.open() {
		t.start(start{reuse: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, run: run{id: id, workflow: awaitReview, awaits: in}})
	}
	r := t.runs[id]
	r.looks++
	t.wake(r)
}

// terminate ends an open run at once.
func (t *server) terminate(id string) bool {
	r := t.runs[id]
	if r == nil || !r.open() {
		return false
	}
	t.close(r, enums.WORKFLOW_EXECUTION_STATUS_TERMINATED)
	return true
}

// reset has the latest run of a workflow begin again at its first task, in a run of its
// own, as operators and retired builds have it.
func (t *server) reset(id string) {
	r := t.runs[id]
	if r == nil {
		return
	}
	if r.open() {
		t.close(r, enums.WORKFLOW_EXECUTION_STATUS_TERMINATED)
	}
	t.start(start{reuse: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, run: run{
		id: id, workflow: r.workflow, automated: r.automated, delivers: r.delivers, awaits: r.awaits, attempt: r.attempt, cancel: r.cancel, again: r.again,
	}})
}

// taskTimeout is after how long without an answer a run goes on in another worker.
func (r *run) taskTimeout() time.Duration {
	if r.workflow == runAutomation {
		return 5 * time.Second // worker.Starter says so
	}
	return 10 * time.Second
}

// wake has a run look at what happened.
func (t *server) wake(r *run) {
	r.news = true
	if r.open() && r.task == 0 {
		t.w.later(0, "task of "+r.id, func() { t.giveTask(r) })
	}
}

// giveTask has one of the processes run a run's workflow.
func (t *server) giveTask(r *run) {
	if !r.open() || !r.isLatest(t) || r.task != 0 || !r.news {
		return
	}
	p := t.w.anyProcess("task of " + r.id)
	if p != nil && r.pinned != "" {
		p = t.w.processNamed(r.pinned)
	}
	if p == nil {
		return // the next process to start asks for it
	}
	r.build = p.name
	r.task, r.news, r.extended = t.token(), false, time.Now()
	t.watch(r, r.task)
	p.runTask(r.clone())
}

// watch takes a task away from a process that does not answer in time.
func (t *server) watch(r *run, token int) {
	left := time.Until(r.extended.Add(r.taskTimeout()))
	t.w.later(left, "task of "+r.id+" is over", func() {
		switch {
		case r.task != token || !r.isLatest(t):
		case time.Since(r.extended) < r.taskTimeout():
			t.watch(r, token)
		default:
			r.task = 0
			t.wake(r)
		}
	})
}

// giveAll is for a process that starts.
func (t *server) giveAll() {
	for _, id := range sorted(t.runs) {
		if r := t.runs[id]; r.open() {
			if r.news && r.task == 0 {
				t.wake(r)
			}
			for _, key := range sorted(r.activities) {
				if a := r.activities[key]; a.token == 0 {
					t.arm(r, a, max(0, time.Until(a.due)))
				}
			}
		}
	}
}

// An answer is the result of a task.
type answer struct {
	records  map[string]record
	orders   []order
	cancels  []string // keys of activities that are to end
	timers   map[string]time.Duration
	children []start
	state    *workflows.DeliverEventInput // where a delivery goes on; earlier records are over
	again    bool                         // it begins the redelivery that it was asked for
	looks    bool                         // at a review once more; earlier records are over
	told     bool
	closes   enums.WorkflowExecutionStatus
}

// extendTask keeps what a long task knows already, and gives it more time.
func (t *server) extendTask(id string, token int, known map[string]record) bool {
	r := t.runs[id]
	if r == nil || r.task != token {
		return false
	}
	t.keep(r, known)
	r.extended = time.Now()
	return true
}

func (t *server) keep(r *run, known map[string]record) {
	for _, key := range sorted(known) {
		if _, ok := r.records[key]; !ok {
			r.records[key] = record{outcome: known[key].outcome, order: t.token()}
		}
	}
}

// completeTask carries out what a task says. A task that is over, or one that
// ends the run without having seen everything, has said nothing.
func (t *server) completeTask(id string, token int, a answer) bool {
	r := t.runs[id]
	if r == nil || r.task != token || !r.open() {
		return false
	}
	r.task, r.pinned = 0, ""
	if a.closes != 0 && r.news {
		t.wake(r)
		return false
	}
	if a.again {
		r.again = nil
	}
	if a.state != nil {
		r.delivers = *a.state
	}
	if a.state != nil || a.looks {
		r.records, r.timers, r.activities = map[string]record{}, map[string]time.Time{}, map[string]*scheduled{}
		r.news = r.news || a.looks
	}
	t.keep(r, a.records)
	r.told = r.told || a.told
	t.carryOut(r, a)
	if a.closes != 0 {
		t.close(r, a.closes)
	} else if r.news {
		t.wake(r)
	}
	return true
}

func (t *server) carryOut(r *run, a answer) {
	for _, o := range a.orders {
		s := &scheduled{order: o, scheduledAt: time.Now(), attempt: 1, due: time.Now()}
		r.activities[o.key] = s
		t.arm(r, s, 0)
	}
	for _, key := range a.cancels {
		t.cancelActivity(r, r.activities[key])
	}
	for _, key := range sorted(a.timers) {
		r.timers[key] = time.Now().Add(a.timers[key])
		t.armTimer(r, key)
	}
	for _, child := range a.children {
		if t.w.config.pins {
			child.run.pinned = r.build
		}
		exists := t.start(child)
		r.records["child "+child.run.id] = record{outcome: outcome{failed: exists}, order: t.token()}
		t.wake(r)
	}
}

func (t *server) armTimer(r *run, key string) {
	t.w.later(max(0, time.Until(r.timers[key])), "timer of "+r.id, func() {
		at, waits := r.timers[key]
		if !waits || !r.isLatest(t) || !r.open() || time.Now().Before(at) {
			return
		}
		delete(r.timers, key)
		r.records[key] = record{order: t.token()}
		t.wake(r)
	})
}

// arm has an attempt of an activity made when it is due.
func (t *server) arm(r *run, a *scheduled, after time.Duration) {
	t.w.later(after, "activity "+a.key+" of "+r.id, func() {
		if !r.isLatest(t) || !r.open() || r.activities[a.key] != a || a.token != 0 || time.Now().Before(a.due) {
			return
		}
		p := t.w.anyProcess(fmt.Sprint("activity ", a.key, " of ", r.id, " ", a.attempt))
		if p == nil {
			return
		}
		a.token, a.worker = t.token(), p
		token := a.token
		t.w.later(a.preset.once, "time of "+a.key+" of "+r.id, func() {
			t.completeActivity(r.id, a.key, token, outcome{failed: true, timedOut: true})
		})
		p.makeAttempt(r, *a)
	})
}

// crashed repeats the attempts of a crashed process when its heartbeats are
// missed.
func (t *server) crashed(p *process) {
	for _, id := range sorted(t.runs) {
		r := t.runs[id]
		for _, key := range sorted(r.activities) {
			if a := r.activities[key]; a.worker == p && a.token != 0 {
				token := a.token
				t.w.later(heartbeat, "heartbeat of "+a.key+" of "+id, func() {
					t.completeActivity(id, key, token, outcome{failed: true, timedOut: true})
				})
			}
		}
	}
}

// completeActivity is the end of one attempt of an activity.
func (t *server) completeActivity(id, key string, token int, o outcome) bool {
	r := t.runs[id]
	if r == nil || !r.open() {
		return false
	}
	a := r.activities[key]
	if a == nil || a.token != token {
		return false
	}
	a.token = 0
	if o.mayPass() && !a.cancel {
		wait := cmp.Or(o.retryAfter, a.backoff())
		if a.preset.all == 0 || time.Since(a.scheduledAt)+wait < a.preset.all {
			a.attempt++
			a.due = time.Now().Add(wait)
			t.arm(r, a, wait)
			return true
		}
	}
	t.endActivity(r, a, o)
	return true
}

func (t *server) endActivity(r *run, a *scheduled, o outcome) {
	delete(r.activities, a.key)
	r.records[a.key] = record{outcome: o, order: t.token()}
	t.wake(r)
}

// backoff is how long it is until the next attempt.
func (a *scheduled) backoff() time.Duration {
	wait := a.preset.retry.InitialInterval
	for range a.attempt - 1 {
		if wait = time.Duration(float64(wait) * a.preset.retry.BackoffCoefficient); wait >= a.preset.retry.MaximumInterval {
			return a.preset.retry.MaximumInterval
		}
	}
	return wait
}

// cancelActivity ends an activity: at once where no attempt is under way.
func (t *server) cancelActivity(r *run, a *scheduled) {
	if a == nil || a.cancel {
		return
	}
	a.cancel = true
	if a.token == 0 {
		t.endActivity(r, a, outcome{failed: true, canceled: true})
		return
	}
	t.tellCancelled(a)
}

// tellCancelled has the worker of an attempt hear with its next heartbeat that it
// is to end.
func (t *server) tellCancelled(a *scheduled) {
	p, token := a.worker, a.token
	t.w.later(heartbeat/3, "heartbeat of "+a.key, func() { p.cancelAttempt(token) })
}
