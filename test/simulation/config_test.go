package simulation

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/platen"
)

// A config is what a seed has: how large its installation is, what happens in it, and
// what goes wrong.
type config struct {
	owners            int
	documents         [][]int // of each owner: 0 plain, 1 with a PDF, 2 and the original removed, 3 and encrypted
	processes         int
	places            platen.Places
	carries           int
	breaker           delivery.Breaker
	schedule          []time.Duration
	poll              time.Duration
	eventOverdueAfter time.Duration
	sweepAfter        time.Duration
	lasts             time.Duration // what goes wrong
	clockAhead        time.Duration // of the store
	lag               time.Duration // of the drives' lists
	trashes           bool
	profile           profile
	outages           []outage
	acts              []act
	rollsOut          bool // it is about builds
	pins              bool // each life of a process is a build, and Temporal pins what a run starts to it
	neighbours        bool // it is about owners beside one in trouble
	ordered           bool // its workflows have an order
	approved          bool // people approve its PDFs
	expires           bool // and do not finish
	conditions        bool // second documents are made of some events alone
	receivers         bool // its workflows have receivers by rules
}

// An act is something that somebody does.
type act struct {
	at     time.Duration
	name   string
	by     string // owner, where it is about one
	always bool   // it belongs to the installation, and is never left out
	do     func(w *harness)
}

// A generator gives the random numbers of a seed, in order.
type generator struct {
	seed uint64
	n    int
}

func (d *generator) below(n int) int {
	d.n++
	return int(draw(d.seed, "config ", strconv.Itoa(d.n)) % uint64(n))
}

func (d *generator) duration(least, most time.Duration) time.Duration {
	return least + time.Duration(d.below(1000))*(most-least)/1000
}

func configure(seed uint64) config {
	d := &generator{seed: seed}
	c := config{
		owners: 1 + d.below(3), processes: 1 + d.below(2),
		schedule:          []time.Duration{0, 5 * time.Second, 30 * time.Second, 2 * time.Minute, 5 * time.Minute},
		poll:              []time.Duration{4 * time.Second, 8 * time.Second, 15 * time.Second}[d.below(3)],
		eventOverdueAfter: []time.Duration{90 * time.Second, 15 * time.Minute}[d.below(2)],
		sweepAfter:        []time.Duration{5 * time.Minute, 20 * time.Minute}[d.below(2)],
		lasts:             d.duration(20*time.Second, 150*time.Second),
		lag:               []time.Duration{0, 0, 5 * time.Second, 2 * time.Minute}[d.below(4)],
		trashes:           d.below(2) == 0,
	}
	if d.below(4) == 0 {
		c.clockAhead = d.duration(-2*time.Minute, 2*time.Minute)
	}
	c.carries = 1 + d.below(4)
	c.places = platen.Places{Parked: 1 + d.below(4), OwnerParked: 1 + d.below(3)}
	if d.below(2) == 0 {
		c.places = platen.PlacesFor(1+d.below(4), c.places.Parked, c.places.OwnerParked)
	}
	c.breaker = delivery.Breaker{
		InFlight: 1 + d.below(4), Failures: 2 + d.below(4), CoolDown: 10 * time.Second, MaxCoolDown: 5 * time.Minute, DisableAfter: 30 * time.Minute, Lease: delivery.LeaseFor(attemptTimeout),
	}.WithDefaults()
	for range c.owners {
		var kinds []int
		for range 1 + d.below(3)/2 {
			kinds = append(kinds, d.below(4))
		}
		c.documents = append(c.documents, kinds)
	}
	c.profile = profileOf(d)
	c.pins, c.ordered, c.approved, c.conditions, c.receivers = pins(seed), hasOrder(seed), asksPeople(seed), hasConditions(seed), hasReceivers(seed)
	if rollsOut(seed) {
		c.rollsOut, c.processes = true, 0
		c.rollOut(d)
		return c
	}
	if hasNeighbours(seed) {
		c.haveNeighbours(d)
		return c
	}
	c.happen(d)
	return c
}

// profileOf draws what goes wrong with calls: nothing, one part, or everything.
func profileOf(d *generator) profile {
	p := profile{parts: map[part]float64{}, latency: map[part]time.Duration{}}
	rates := []float64{0, 0.01, 0.03, 0.1, 0.25}
	switch parts := []part{partStore, partDrive, partTemporal, partReceiver}; d.below(6) {
	case 0: // nothing
	case 1, 2:
		p.parts[parts[d.below(len(parts))]] = rates[1+d.below(4)]
	default:
		for _, one := range parts {
			p.parts[one] = rates[d.below(4)]
		}
	}
	p.crashes = []float64{0, 0, 0.003, 0.01, 0.03}[d.below(5)]
	if d.below(2) == 0 {
		p.latency = map[part]time.Duration{
			partStore: 20 * time.Millisecond, partTemporal: 50 * time.Millisecond,
			partDrive: []time.Duration{200 * time.Millisecond, 2 * time.Second}[d.below(2)], partReceiver: []time.Duration{100 * time.Millisecond, 5 * time.Second}[d.below(2)],
		}
	}
	return p
}

// happen draws what somebody does, and outages.
func (c *config) happen(d *generator) {
	automations := 1 + d.below(1+d.below(5))
	for i := range automations {
		c.isAccepted(d, c.lasts/2, fmt.Sprint("aut_", i+1), d.below(c.owners))
	}
	for range d.below(4) {
		c.happensToRun(d, fmt.Sprint("aut_", 1+d.below(automations)))
	}
	if d.below(3) == 0 {
		c.receiverAnswers(d)
	}
	if d.below(4) == 0 {
		c.driveDies(d)
	}
	for range d.below(3) * d.below(2) {
		c.goesAway(d)
	}
	switch forgets := d.below(16); {
	case forgets < 2:
		c.temporalForgets(d)
	case forgets < 6:
		c.postgresForgets(d)
	}
	if c.approved {
		c.expires = d.below(6) == 0
		c.peopleDecide(d, automations)
	}
	if c.receivers {
		c.furtherReceiverFails(d)
	}
}

// isAccepted has an automation be accepted for the workflow of an owner.
func (c *config) isAccepted(d *generator, until time.Duration, id string, owner int) {
	workflow := fmt.Sprint("wfl_", owner)
	c.act(d, 0, until, fmt.Sprintf("%s is accepted for %s", id, workflow), func(w *harness) {
		w.accepted = append(w.accepted, id)
		w.store.accept(id, workflow, fmt.Appendf(nil, `{"Name": "%s {{Name}}", "Key": %d}`, id, draw(d.seed, "key ", id)%2))
	})
	last := &c.acts[len(c.acts)-1]
	last.by, last.always = fmt.Sprint("usr_", owner), true
}

func (c *config) act(d *generator, from, to time.Duration, name string, do func(w *harness)) {
	c.actAt(d.duration(from, to), name, do)
}

func (c *config) actAt(at time.Duration, name string, do func(w *harness)) {
	c.acts = append(c.acts, act{at: at, name: fmt.Sprintf("%d: %s", len(c.acts)+1, name), do: do})
}

// happensToRun draws what an integrator or an operator does about an automation.
func (c *config) happensToRun(d *generator, id string) {
	switch d.below(7) {
	case 6:
		c.act(d, 0, c.lasts, "the run of "+id+" is reset", func(w *harness) { w.server.reset(id) })
	case 0:
		c.act(d, 0, c.lasts, id+" is cancelled", func(w *harness) { _ = w.store.cancel(id) })
	case 1, 2:
		c.act(d, c.lasts/3, c.lasts, id+" is retried", func(w *harness) { _ = w.store.retry(id) })
	case 3:
		c.act(d, 0, c.lasts, "the run of "+id+" is terminated", func(w *harness) { w.server.terminate(id) })
	case 4:
		c.act(d, c.lasts/3, c.lasts, "the events of "+id+" are redelivered", func(w *harness) {
			for _, e := range w.store.eventsOf(id) {
				_ = w.store.redeliverEvent(e.ID)
			}
		})
	case 5:
		c.act(d, c.lasts/3, c.lasts, "the deliveries of "+id+" are cancelled in Temporal", func(w *harness) {
			for _, e := range w.store.eventsOf(id) {
				w.server.requestCancel(e.ID)
			}
		})
	}
}

// receiverAnswers has the receiver of an owner answer otherwise for a time.
func (c *config) receiverAnswers(d *generator) {
	url := fmt.Sprint("https://receiver.example/usr_", d.below(c.owners))
	status := []int{http.StatusInternalServerError, http.StatusTooManyRequests, http.StatusGone, http.StatusServiceUnavailable, hangs}[d.below(5)]
	c.act(d, 0, c.lasts/2, url+describe(status), func(w *harness) { w.receiver.status[url] = status })
	c.act(d, c.lasts/2, c.lasts, url+" takes events", func(w *harness) { delete(w.receiver.status, url) })
}

// driveDies has the drive of an owner answer 500, or nothing, for a time.
func (c *config) driveDies(d *generator) {
	owner := fmt.Sprint("usr_", d.below(c.owners))
	status := []int{http.StatusInternalServerError, hangs}[d.below(2)]
	c.act(d, 0, c.lasts/2, "the drive of "+owner+describe(status), func(w *harness) { w.drives.status[owner] = status })
	c.act(d, c.lasts/2, c.lasts, "the drive of "+owner+" is well", func(w *harness) { delete(w.drives.status, owner) })
}

// goesAway has a part not answer for a time: all, or one process.
func (c *config) goesAway(d *generator) {
	of := []part{partStore, partTemporal, partDrive, partReceiver}[d.below(4)]
	from := d.duration(0, c.lasts)
	o := outage{of: of, from: from, to: from + d.duration(time.Second, time.Minute)}
	if d.below(2) == 0 {
		o.for_ = fmt.Sprint("w", 1+d.below(c.processes))
	}
	o.name = fmt.Sprintf("%s is away for %s from %v to %v", of, o.for_, o.from, o.to)
	c.outages = append(c.outages, o)
}

// temporalForgets has Temporal's database be emptied, or put back.
func (c *config) temporalForgets(d *generator) {
	if d.below(2) == 0 {
		c.act(d, c.lasts/4, c.lasts, "Temporal's database is emptied", func(w *harness) { w.server.restore(map[string]*run{}) })
		return
	}
	var kept map[string]*run
	c.act(d, 0, c.lasts/2, "Temporal's database is backed up", func(w *harness) { kept = w.server.backup() })
	c.acts[len(c.acts)-1].always = true
	c.act(d, c.lasts/2, c.lasts, "Temporal's database is put back", func(w *harness) { w.server.restore(kept) })
}

const nameOfRestore = "Postgres' database is put back"

// restoresPostgres tells whether Postgres is put back.
func (c config) restoresPostgres() bool {
	return slices.ContainsFunc(c.acts, func(a act) bool { return strings.HasSuffix(a.name, nameOfRestore) })
}

// postgresForgets has Postgres be put back to an earlier moment. What was accepted
// since then is lost with it. The programs are stopped before, and what they had asked
// of the drive has landed, as docs/restore.md has operators do it.
func (c *config) postgresForgets(d *generator) {
	var kept tables
	c.act(d, 0, c.lasts/2, "Postgres' database is backed up", func(w *harness) { kept = w.store.backup() })
	c.acts[len(c.acts)-1].always = true
	c.act(d, c.lasts/2, c.lasts, nameOfRestore, func(w *harness) {
		if kept.automations == nil {
			return // the backup is left out
		}
		for _, p := range w.processes {
			p.crash()
		}
		w.scheduler.land(partDrive)
		w.store.tables = kept.backup()
		w.accepted = slices.DeleteFunc(w.accepted, func(id string) bool {
			_, known := kept.automations[id]
			return !known
		})
		w.putBack = true
	})
}
