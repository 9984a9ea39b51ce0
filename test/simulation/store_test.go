package simulation

import (
	"maps"
	"slices"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// A store is Postgres as the product's interfaces show it: tables in memory, one
// transaction at a time, and a clock. It is held equal to package postgres by
// random operations on both. What it says of rows is said there.
type store struct {
	tables
	// ahead is how far its clock is ahead of those of the processes.
	ahead time.Duration
	// fixed is the time of operations that are compared; zero: it is now.
	fixed  time.Time
	notify func(platen.Waking) // of LISTEN and NOTIFY
	// Bugs that are planted: see planted.
	forgetsNext, startsAll                                bool
	countsTwice, losesAnswers, staysInReview, asksRefused bool
	dropsFaulty, sendsFaulty, sendsAstray                 bool
	asked                                                 map[string]bool // events that somebody had delivered again
	writes                                                int             // how many transactions wrote an output
}

// tables are what a backup holds. A row is replaced, never written into.
type tables struct {
	automations map[string]automationRow
	plans       map[string]platen.Plan
	outputs     map[string]outputRow
	events      map[string]eventRow
	deliveries  map[deliveryKey]platen.Delivery
	commands    map[commandKey]commandRow
	turns       map[string]turnRow // of owners and of workflows
	endpoints   map[platen.EndpointKey]platen.EndpointState
	workflows   map[string]workflowRow
	workers     map[string]workerRow
	pauses      map[pauseKey]bool
	numbers     map[string]int64 // by automation; of the series of its owner
	series      map[string]int64 // what the next automation of an owner gets
	places      int              // that were given in orders
	reviews     map[reviewKey]reviewRow
	corrections map[string]correction // by output
}

type automationRow struct {
	platen.Automation
	body        []byte
	leasedUntil time.Time // zero: null
	notBefore   time.Time
	claimedBy   string
	waits       map[string]platen.Wait // by subject
	place       place
}

type outputRow struct {
	platen.Output
	sweptAt   time.Time
	writtenBy int // the transaction
}

type eventRow struct {
	platen.Event
	attempt        int // of the automation
	attemptsBefore int
	nextAt         time.Time // zero: null
}

type deliveryKey struct {
	eventID string
	attempt int
}

type commandKey struct {
	kind platen.CommandKind
	id   string
}

type commandRow struct {
	version     int
	requestedAt time.Time
	leasedUntil time.Time
}

// A turnRow is what is known of an owner or a workflow.
type turnRow struct {
	servedAt     time.Time
	served, held int
	// Of an owner: the workflow that was served last, and when another was.
	workflowID string
	otherAt    time.Time
	// Of a workflow.
	pausedUntil, aloneUntil time.Time
}

type workerRow struct {
	carries int
	seenAt  time.Time
}

// A workflowRow is a workflow with its documents, and where its events go.
type workflowRow struct {
	ownerID   string
	documents []platen.Document
	url       string // empty: no outgoing webhook
	receivers []platen.Receiver
	ordered   bool // its automations have an order
}

func newStore() *store {
	return &store{asked: map[string]bool{}, tables: tables{
		automations: map[string]automationRow{}, plans: map[string]platen.Plan{}, outputs: map[string]outputRow{},
		events: map[string]eventRow{}, deliveries: map[deliveryKey]platen.Delivery{}, commands: map[commandKey]commandRow{},
		turns: map[string]turnRow{}, endpoints: map[platen.EndpointKey]platen.EndpointState{}, workflows: map[string]workflowRow{}, workers: map[string]workerRow{}, pauses: map[pauseKey]bool{},
		numbers: map[string]int64{}, series: map[string]int64{}, reviews: map[reviewKey]reviewRow{}, corrections: map[string]correction{},
	}}
}

// backup is the tables as they are.
func (t tables) backup() tables {
	return tables{
		automations: maps.Clone(t.automations), plans: maps.Clone(t.plans), outputs: maps.Clone(t.outputs),
		events: maps.Clone(t.events), deliveries: maps.Clone(t.deliveries), commands: maps.Clone(t.commands),
		turns: maps.Clone(t.turns), endpoints: maps.Clone(t.endpoints), workflows: maps.Clone(t.workflows), workers: maps.Clone(t.workers), pauses: maps.Clone(t.pauses),
		numbers: maps.Clone(t.numbers), series: maps.Clone(t.series), places: t.places,
		reviews: maps.Clone(t.reviews), corrections: maps.Clone(t.corrections),
	}
}

// now is cut to what Postgres stores.
func (s *store) now() time.Time {
	if !s.fixed.IsZero() {
		return s.fixed
	}
	return time.Now().UTC().Add(s.ahead).Truncate(time.Microsecond)
}

func (s *store) automation(id string) (automationRow, error) {
	a, ok := s.automations[id]
	if !ok {
		return a, platen.Errorf(platen.KindNotFound, "automation_not_found", "there is no automation %s", id)
	}
	return a, nil
}

func (s *store) output(id string) (outputRow, error) {
	o, ok := s.outputs[id]
	if !ok {
		return o, platen.Errorf(platen.KindNotFound, "output_not_found", "there is no output %s", id)
	}
	return o, nil
}

func (s *store) event(id string) (eventRow, error) {
	e, ok := s.events[id]
	if !ok {
		return e, platen.Errorf(platen.KindNotFound, "event_not_found", "there is no event %s", id)
	}
	return e, nil
}

// outputsOf are the outputs of an automation in the order of their ids.
func (s *store) outputsOf(automationID string) []outputRow {
	var found []outputRow
	for _, id := range sorted(s.outputs) {
		if o := s.outputs[id]; o.AutomationID == automationID {
			found = append(found, o)
		}
	}
	return found
}

// eventsOf are those of an automation in the order of their ids.
func (s *store) eventsOf(automationID string) []eventRow {
	var found []eventRow
	for _, id := range sorted(s.events) {
		if e := s.events[id]; e.AutomationID == automationID {
			found = append(found, e)
		}
	}
	return found
}

// attempts is the number of the last attempt to deliver an event.
func (s *store) attempts(eventID string) int {
	last := 0
	for key := range s.deliveries {
		if key.eventID == eventID {
			last = max(last, key.attempt)
		}
	}
	return last
}

// endpointOf is where the events of a workflow for a receiver go; the zero key: nowhere.
func (s *store) endpointOf(workflowID, receiverID string) platen.EndpointKey {
	w := s.workflows[workflowID]
	if receiverID != "" && !s.sendsAstray {
		r, _ := s.further(workflowID, receiverID)
		w.url = r.URL
	}
	if w.url == "" {
		return platen.EndpointKey{}
	}
	return platen.EndpointKey{OwnerID: w.ownerID, URL: w.url}
}

// accept stores an accepted event.
func (s *store) accept(id, workflowID string, body []byte) {
	if _, ok := s.automations[id]; ok {
		return
	}
	a := automationRow{body: body, Automation: platen.Automation{
		ID: id, WorkflowID: workflowID, OwnerID: s.workflows[workflowID].ownerID, State: platen.AutomationAccepted, Attempt: 1, AcceptedAt: s.now(),
	}}
	if s.workflows[workflowID].ordered {
		s.places++
		a.State, a.place.number = stateBehind, s.places
	}
	s.automations[id] = a
	s.wake(platen.Waking{Ordered: a.place.number > 0})
}

func (s *store) wake(why platen.Waking) {
	if s.notify != nil {
		s.notify(why)
	}
}

// shown is an automation as it is returned.
func (a automationRow) shown() platen.Automation {
	one := a.Automation
	if one.State == stateBehind {
		one.State = platen.AutomationAccepted
	}
	for _, subject := range sorted(a.waits) {
		w := a.waits[subject]
		w.Subject, w.Beside = subject, 0
		one.Waits = append(one.Waits, w)
	}
	return one
}

// isOpen tells whether it takes a place.
func (a automationRow) isOpen(now time.Time) bool {
	return a.State == platen.AutomationRunning && a.ParkedAt == nil || a.leasedUntil.After(now)
}

// isParked tells whether it counts as parked.
func (a automationRow) isParked(now time.Time) bool {
	return (a.State == platen.AutomationRunning || a.leasedUntil.After(now)) && a.ParkedAt != nil
}

// byAge has the rows of automations in the order of their acceptance.
func (s *store) byAge() []automationRow {
	return slices.SortedFunc(maps.Values(s.automations), func(a, b automationRow) int {
		if c := a.AcceptedAt.Compare(b.AcceptedAt); c != 0 {
			return c
		}
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
}
