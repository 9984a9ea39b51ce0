package platen

import (
	"time"
	"unicode/utf8"
)

// Places bound how many runs are under way over all workers, so that no owner
// takes the places of others.
type Places struct {
	Open      int // runs that are open at once
	OwnerOpen int // open runs of one owner; the rest is for owners who have none open
	// Parked is how many runs may be parked; from there on, owners with parked
	// ones share that number equally.
	Parked int
	// OwnerParked is how many runs of one owner may be parked, or open once one is parked.
	// From there on, workflows with parked ones share that number equally.
	OwnerParked int
}

// WorkflowOpen is how many open runs one workflow has at most while its owner uses
// another: three quarters of the owner's places.
func (p Places) WorkflowOpen() int { return max(1, p.OwnerOpen*3/4) }

// FirstWorkflows is how many workflows of an owner start a run at once when nothing is
// known of the owner.
const FirstWorkflows = 4

// Defaults of how many runs may be parked: each costs the worker and Temporal a little
// memory, and an attempt every five minutes.
const (
	DefaultParked      = 1000
	DefaultOwnerParked = 100
)

// PlacesFor divides open places: one owner has three quarters at most.
func PlacesFor(open, parked, ownerParked int) Places {
	return Places{Open: open, OwnerOpen: max(1, open*3/4), Parked: parked, OwnerParked: ownerParked}
}

// A Claimer is a worker that claims automations.
type Claimer struct {
	Worker  string // its id, which no other worker has or had
	Carries int    // open runs that it takes itself
	// Most bounds what all workers have together. Open 0: what they carry.
	Most Places
	// Crowded: ingest is loaded; only a third of the open places, and of what the
	// worker carries, may be taken then.
	Crowded bool
}

// Others are the workers beside a claimer.
type Others struct {
	Workers int
	Carried int // open runs that they take
}

// Occupancy returns what a claimer sees when open runs are open over all workers, own
// of them claimed by it.
func (c Claimer) Occupancy(open, own int, others Others) Occupancy {
	o := Occupancy{
		Open: open, Own: own, Workers: 1 + others.Workers, Carried: c.Carries + others.Carried,
		Most: c.Most, MostOwn: c.Carries,
	}
	if o.Most.Open == 0 || o.Most.Open > o.Carried {
		o.Most = PlacesFor(o.Carried, c.Most.Parked, c.Most.OwnerParked)
	}
	if c.Crowded {
		o.Most = PlacesFor(max(1, o.Most.Open/3), c.Most.Parked, c.Most.OwnerParked)
		o.MostOwn = max(1, o.MostOwn/3)
	}
	return o
}

// An Occupancy is how many runs are open, and how many may be.
type Occupancy struct {
	Open    int // over all workers
	Own     int // of the claimer
	Workers int // that are there, with the claimer
	Carried int // open runs that these take together
	Most    Places
	MostOwn int // open runs of the claimer
}

// Room is how many more runs the claimer may open.
func (o Occupancy) Room() int { return max(0, min(o.Most.Open-o.Open, o.MostOwn-o.Own)) }

// IsTight tells whether places are left at most for owners who have no run open.
func (o Occupancy) IsTight() bool { return o.Room() == 0 || o.Open >= o.Most.OwnerOpen }

// A PauseScope is what a pause holds.
type PauseScope string

// The scopes of a pause.
const (
	PauseAll      PauseScope = "all"
	PauseTeam     PauseScope = "team"
	PauseUser     PauseScope = "user" // what the user accepted as owner, for any team
	PauseWorkflow PauseScope = "workflow"
)

// CodePaused is the code of the Wait of an automation that does not start because an
// operator paused it.
const CodePaused = "paused"

// MaxPauseReason is the longest reason of a pause, in characters.
const MaxPauseReason = 200

// A Pause keeps automations from starting until an operator resumes them. Source events
// are accepted meanwhile, what has started goes on, and events are delivered.
type Pause struct {
	Scope  PauseScope
	ID     string // of the team, the user or the workflow; empty: all
	Reason string // users read it
	By     string // the operator's account; empty where it is not read
	Since  time.Time
}

// Check tells of a reason that is too long.
func (p Pause) Check() error {
	if utf8.RuneCountInString(p.Reason) > MaxPauseReason {
		return Errorf(KindInvalid, "reason_too_long", "the reason has more than %d characters", MaxPauseReason)
	}
	return nil
}

// Wait is what waitingFor says of an automation that the pause holds.
func (p Pause) Wait() Wait {
	what := map[PauseScope]string{
		PauseAll: "The operator has paused all automations", PauseTeam: "The operator has paused the automations of the team",
		PauseUser: "The operator has paused the automations of the workflow's owner", PauseWorkflow: "The operator has paused the workflow",
	}[p.Scope]
	if p.Reason != "" {
		what += " (" + p.Reason + ")"
	}
	return Wait{Step: "start", Code: CodePaused, Message: what + ". The automation starts when it is resumed; nothing is lost.", Since: p.Since}
}
