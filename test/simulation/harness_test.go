package simulation

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// A harness is one simulated installation: the processes, and what is around them.
type harness struct {
	*scheduler
	ctx         context.Context
	config      config
	planted     planted
	store       *store
	drives      *drives
	receiver    *receiver
	server      *server
	deployment  *deployment
	processes   []*process
	over        bool
	pace        pace           // of processes that begin
	toCome      int            // acts that nobody has done yet
	putBack     bool           // Postgres has forgotten something
	cutOffSends map[string]int // attempts under way when another process took the place of theirs, by event

	pool       pool
	violations []string
	accepted   []string
	decisions  []decision // of people, that were acknowledged
	asked      []asked    // by mail
	happened   []string   // acts that belong to the installation
}

// A verdict is what came of a seed.
type verdict struct {
	violations []string
	struck     []string // what went wrong
	happened   []string // what belongs to the installation
	trace      []string
	took       []duration // by neighbours of an owner in trouble
}

// A try is a seed, and what of it is left out.
type try struct {
	seed    uint64
	planted planted
	only    map[string]bool // what may go wrong; nil: everything that the seed has
	inOrder bool
	traced  bool
	alone   bool // without the owner in trouble
}

// simulate plays a seed.
func (one try) simulate(t *testing.T) verdict {
	t.Helper()
	v := one.playOnce(t)
	if hasNeighbours(one.seed) {
		without := one
		without.alone, without.traced = true, false
		v.violations = append(v.violations, heldUp(configure(one.seed), v.took, without.playOnce(t).took)...)
	}
	return v
}

func (one try) playOnce(t *testing.T) (v verdict) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		w := one.harness(ctx)
		w.play()
		w.check()
		w.mu.Lock()
		w.over = true
		for _, p := range w.processes {
			p.dead = true
		}
		w.mu.Unlock()
		cancel()
		w.pool.close()
		v = w.verdict()
	})
	return v
}

func (one try) harness(ctx context.Context) *harness {
	c := configure(one.seed)
	if one.alone {
		c.acts = slices.DeleteFunc(c.acts, func(a act) bool { return a.by == troubled })
	}
	var tr *trace
	if one.traced {
		tr = &trace{}
	}
	w := &harness{ctx: ctx, config: c, planted: one.planted, store: newStore(), drives: newDrives(), receiver: newReceiver(), deployment: newDeployment()}
	w.scheduler = newScheduler(one.seed, newFaults(c.profile, c.outages, one.only, one.inOrder), tr)
	w.server = newServer(w)
	w.store.ahead, w.drives.lag, w.drives.trashes = c.clockAhead, c.lag, c.trashes
	w.store.notify = w.notify
	w.store.dropsFaulty, w.store.sendsFaulty, w.store.sendsAstray = one.planted.dropsFaulty, one.planted.sendsFaulty, one.planted.sendsAstray
	w.store.forgetsNext, w.store.startsAll = one.planted.forgetsNext, one.planted.startsAll
	w.store.countsTwice, w.store.losesAnswers, w.store.staysInReview, w.store.asksRefused = one.planted.countsTwice, one.planted.losesAnswers, one.planted.staysInReview, one.planted.asksRefused
	for i := range c.owners {
		w.addOwner(i)
	}
	return w
}

// addOwner makes an owner with a workflow.
func (w *harness) addOwner(i int) {
	owner, id := fmt.Sprint("usr_", i), fmt.Sprint("wfl_", i)
	row := workflowRow{ownerID: owner, url: "https://receiver.example/" + owner, ordered: w.config.ordered}
	if w.config.receivers {
		row.receivers = receiversOf(id, owner)
	}
	for j, kind := range w.config.documents[i] {
		template := w.drives.template(owner, fmt.Sprint("template-", i, "-", j), "Dear {{Name}}, see {{Missing}}"+numberSign+"{{Number invoices}}")
		var appendices []string
		if (i+j)%2 == 0 {
			appendices = []string{w.drives.template(owner, fmt.Sprint("appendix-", i, "-", j), appendixText+"{{Name}}").ID}
		}
		d := platen.Document{
			ID: fmt.Sprint("doc_", i, j), WorkflowID: id, Type: platen.TypeDocs, File: template, OutputName: "For {{Name}}", OnMissing: platen.MissingBlank, Numbers: []string{"invoices"},
			CreatePDFCopy: kind >= 1, RemoveOutput: kind >= 2, EnablePDFPassword: kind >= 3, PDFPassword: "secret",
			Appendices: appendices,
		}
		if d.CreatePDFCopy {
			d.Approval = w.config.approval(i)
		}
		if j > 0 && w.config.conditions {
			d.When = when
		}
		row.documents = append(row.documents, d)
	}
	w.store.workflows[id] = row
}

func (w *harness) spawn(task func()) { w.pool.spawn(task) }

// verdict tells what came of it, with ids that can be read.
func (w *harness) verdict() verdict {
	v := verdict{violations: w.violations, struck: w.faults.struck, happened: w.happened}
	if w.config.neighbours {
		v.took = w.neighboursTook()
	}
	if len(v.violations) == 0 && w.trace == nil {
		return v
	}
	var names []string
	for _, o := range w.store.outputs {
		name := strings.TrimPrefix(o.AutomationID, "aut_") + "-" + strings.TrimPrefix(o.DocumentID, "doc_")
		names = append(names, o.ID, "out_"+name)
		for attempt := 1; attempt <= w.store.automations[o.AutomationID].Attempt; attempt++ {
			eventID, shown := platen.DerivedID(platen.PrefixEvent, o.ID, strconv.Itoa(attempt)), fmt.Sprint("evt_", name, "-", attempt)
			names = append(names, eventID, shown)
			for _, r := range w.store.workflows[w.store.automations[o.AutomationID].WorkflowID].receivers {
				names = append(names, platen.DerivedID(platen.PrefixEvent, eventID, r.ID), shown+"-"+r.Name)
			}
		}
	}
	readable := strings.NewReplacer(names...)
	for i, line := range v.violations {
		v.violations[i] = readable.Replace(line)
	}
	if w.trace != nil {
		v.trace = w.trace.lines
		for i, line := range v.trace {
			v.trace[i] = readable.Replace(line)
		}
	}
	return v
}

// A pace is how often a process looks for something to do.
type pace struct {
	poll           time.Duration // at the queue and the outbox
	reconcileEvery time.Duration
	registers      bool // which is said every two seconds
}

func (w *harness) notify(why platen.Waking) {
	for _, p := range w.processes {
		if !p.dead && (w.config.neighbours || !w.chance("notification to ", p.name+strconv.FormatInt(int64(w.since()), 36), 0.2)) {
			p.notify(why)
		}
	}
}

// anyProcess is one of those that live; nil: none does.
func (w *harness) anyProcess(label string) *process {
	var alive []*process
	for _, p := range w.processes {
		if !p.dead {
			alive = append(alive, p)
		}
	}
	if len(alive) == 0 {
		return nil
	}
	return alive[w.below("worker for ", label, len(alive))]
}

// processNamed returns the process of a name that lives; nil: none does.
func (w *harness) processNamed(name string) *process {
	for _, p := range w.processes {
		if !p.dead && p.name == name {
			return p
		}
	}
	return nil
}

// violate notes that a promise was broken.
func (w *harness) violate(format string, args ...any) {
	broken := fmt.Sprintf(format, args...)
	if !slices.Contains(w.violations, broken) {
		w.violations = append(w.violations, broken)
		w.trace.say(w.scheduler, "!! "+broken)
	}
}

// play has everything happen that the seed has, then nothing more go wrong, until
// it is quiet.
func (w *harness) play() {
	w.mu.Lock()
	w.pace = pace{poll: w.config.poll, reconcileEvery: 31 * time.Second, registers: w.config.processes > 1}
	for i := range w.config.processes { // none where builds are rolled out
		w.begin(fmt.Sprint("w", i+1))
	}
	w.toCome = len(w.config.acts)
	for _, a := range w.config.acts {
		w.later(a.at, a.name, func() {
			w.toCome--
			switch {
			case !a.always && !w.faults.note(a.name):
			case a.always && !w.faults.keeps(a.name):
			default:
				if a.always {
					w.happened = append(w.happened, a.name)
				}
				w.trace.say(w.scheduler, a.name)
				a.do(w)
			}
		})
	}
	w.mu.Unlock()
	if w.config.rollsOut {
		w.playRollout()
		return
	}
	w.run(w.config.lasts, func() bool { return w.toCome == 0 && w.isFinished() })
	w.settle()
	w.heal()
	w.calmDown()
}

// heal has every part be well again, and all processes start again.
func (w *harness) heal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.receiver.status)
	clear(w.drives.status)
	w.trace.say(w.scheduler, "everything is well again")
	at := pace{poll: time.Minute, reconcileEvery: 2*time.Minute + time.Second}
	if w.config.expires {
		at = pace{poll: 20 * time.Minute, reconcileEvery: 20*time.Minute + time.Second}
	}
	w.replace("healed", at)
}

// replace has one process take the place of all. Events that they are sending may be
// sent once more.
func (w *harness) replace(name string, at pace) {
	for _, p := range w.processes {
		if !p.dead {
			p.dead = true
			w.cutOff(p)
			p.stop()
			w.server.crashed(p)
		}
	}
	w.pace = at
	w.begin(name)
}

// cutOff notes which events a process was sending when another one took its place.
func (w *harness) cutOff(p *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for eventID, n := range p.sending {
		if w.cutOffSends == nil {
			w.cutOffSends = map[string]int{}
		}
		w.cutOffSends[eventID] += n
	}
}

// How long it takes at most until it is quiet, and how often that is looked at.
const (
	patience  = 6 * time.Hour
	lookEvery = time.Minute
)

// calmDown waits until nothing is left to do, and until the sweeps after that
// are over. Integrators recover the events that were given up meanwhile.
func (w *harness) calmDown() {
	most, every, recovers := patience, lookEvery, 10*time.Minute
	if w.config.expires { // people do not answer in time: one of a key after the other, and once more after a restore
		most, every, recovers = patience+time.Duration(2+len(w.accepted))*(expireDays+1)*24*time.Hour, 30*lookEvery, time.Hour
	}
	for waited := time.Duration(0); waited < most; waited += every {
		w.sleep(every)
		w.mu.Lock()
		quiet := w.isFinished()
		if waited%recovers == 0 {
			w.recover()
			w.peopleFinish()
		}
		w.mu.Unlock()
		if quiet {
			break
		}
	}
	w.mu.Lock()
	w.replace("last", pace{poll: time.Hour, reconcileEvery: time.Hour})
	w.mu.Unlock()
	w.sleep(2*w.config.sweepAfter + 5*time.Minute)
}

// recover has integrators enable their endpoints and recover events.
func (w *harness) recover() {
	for _, id := range sorted(w.store.workflows) {
		w.store.enable(w.store.endpointOf(id, ""))
		for _, r := range w.store.workflows[id].receivers {
			w.store.enable(w.store.endpointOf(id, r.ID))
		}
		_ = w.store.recoverEvents(id)
	}
}
