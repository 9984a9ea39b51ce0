package simulation

import (
	"context"
	"regexp"
	"slices"
	"testing"
	"time"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/delivery"
	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/maintenance"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/rebuild"
	"github.com/platenhq/platen/worker"
)

// everything is what the product asks of its store.
type everything interface {
	activities.Plans
	activities.Automations
	activities.Outputs
	activities.ReviewStore
	activities.Receivers
	maintenance.Reviews
	delivery.Events
	delivery.Endpoints
	dispatch.Queue
	dispatch.Order
	dispatch.Workers
	dispatch.Running
	dispatch.Automations
	dispatch.Outbox
	dispatch.Endpoints
	dispatch.Deliveries
	worker.Parking
	maintenance.EndedOutputs
	rebuild.Automations
}

// planted is a bug that the simulation is to find: it changes what is around the
// product's code. The zero value plants none.
type planted struct {
	store       func(database) everything
	versions    func(worker.Versions) worker.Versions
	pinsForever bool // nothing frees a run from a build that is gone
	finishFirst bool // the automation ends before its documents are recorded
	sendsTwice  bool // each event goes out twice
	sweepsNone  bool // the sweep looks for no orphans by key
	forgetsNext bool // the end of an automation lets none of its key start
	startsAll   bool // nobody looks whether another of the key runs
	// An answer that is given again is another one; the first of two is acknowledged and not
	// stored; the automation of what was decided goes on waiting; and a run that a restore has
	// forgotten counts for more than what people refused since.
	countsTwice, losesAnswers, staysInReview, asksRefused bool
	// What a receiver would get whose condition cannot be worked out is not there, or is sent;
	// and what is for a receiver goes to the outgoing webhook.
	dropsFaulty, sendsFaulty, sendsAstray bool
	sweepsTold                            bool // the sweep takes what it finds by key for orphans, also what a restored Postgres has forgotten
}

func (p planted) database(d database) everything {
	if p.store != nil {
		return p.store(d)
	}
	return d
}

// plantedWithin is how many seeds it may take to find a planted bug.
const plantedWithin = 10_000

func TestPlantedBugsAreFound(t *testing.T) {
	for name, bug := range map[string]struct {
		planted
		breaks string            // the promise, as a regular expression
		needs  func(config) bool // seeds of other configurations cannot show it, and are not played; nil: any can
	}{
		"the intent is stored after the effect":                {planted{store: func(d database) everything { return lateIntent{d} }}, "is an orphan", nil},
		"nobody notes that an appended template is copied":     {planted{store: func(d database) everything { return silentAppendices{d} }}, `\.appendix-\d+ is an orphan`, nil},
		"an automation ends before its documents are recorded": {planted{store: func(d database) everything { return trustingEnds{d} }, finishFirst: true}, "FAILED", nil},
		"the lease of an automation never ends":                {planted{store: func(d database) everything { return endlessClaims{d} }}, "is ACCEPTED", nil},
		"the lease of an outbox command never ends":            {planted{store: func(d database) everything { return endlessCommands{d} }}, "is PENDING", nil},
		"a place at an endpoint is never given back":           {planted{store: func(d database) everything { return endlessPlaces{d} }}, "a place at .* is held", nil},
		"an attempt to deliver is not recorded":                {planted{store: func(d database) everything { return forgetfulAttempts{d} }}, "is HELD forgotten", nil},
		"every event is sent twice":                            {planted{sendsTwice: true}, "was received 2 times", nil},
		"a build is promoted on a look that failed":            {planted{versions: func(v worker.Versions) worker.Versions { return &hopeful{Versions: v} }}, "was promoted .* after a look that failed", nil},
		"a restore deletes what a receiver was told of":        {planted{sweepsTold: true}, "named the file .* which is not there any more", config.restoresPostgres},
		"after a restore nothing is swept":                     {planted{sweepsNone: true}, "is an orphan that Postgres knows of", config.restoresPostgres},
		"a run that is gone is taken for one that goes on":     {planted{store: func(d database) everything { return trustingReconciler{d} }}, "is RUNNING", nil},
		"a delivery stays with a build that is gone":           {planted{pinsForever: true}, "is PENDING", func(c config) bool { return c.pins }},
		"the end of one lets no other of its key start":        {planted{forgetsNext: true}, "is BEHIND", func(c config) bool { return c.ordered }},
		"two of one key run at once":                           {planted{startsAll: true}, "starts beside .* of its key", func(c config) bool { return c.ordered }},
		"an answer counts twice":                               {planted{countsTwice: true}, "without the approvals that it needs|before it was approved", asks},
		"an answer is acknowledged and lost":                   {planted{losesAnswers: true}, "is stored 0 times", asks},
		"what was decided goes on waiting":                     {planted{staysInReview: true}, "is REVIEW", asks},
		"what was refused after a restore is asked about":      {planted{asksRefused: true}, "is REVIEW", func(c config) bool { return c.approved && !c.expires && c.restoresPostgres() }},
		"an output leaves before it is approved":               {planted{store: func(d database) everything { return hastyReviews{d} }}, "before it was approved", asks},
		"nobody looks after what is overdue":                   {planted{store: func(d database) everything { return sleepingReviews{d} }}, "is REVIEW", func(c config) bool { return c.approved && c.expires }},
		"the data of before a correction":                      {planted{store: func(d database) everything { return staleData{d} }}, "says", asks},
		"an event of a condition that is faulty is lost":       {planted{dropsFaulty: true}, "faulty is told .*: false, want true", hasRules},
		"an event of a condition that is faulty is sent":       {planted{sendsFaulty: true}, "its condition cannot be worked out", hasRules},
		"an event goes to another receiver":                    {planted{sendsAstray: true}, "went to", hasRules},
		"runs that wait for their drive keep their places":     {planted{store: func(d database) everything { return placeHolders{d} }}, "was held up", func(c config) bool { return c.neighbours }},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := uint64(1); seed <= plantedWithin; seed++ {
				if bug.needs != nil && !bug.needs(configure(seed)) {
					continue
				}
				one := try{seed: seed, planted: bug.planted}
				v := one.simulate(t)
				if !slices.ContainsFunc(v.violations, regexp.MustCompile(bug.breaks).MatchString) {
					continue
				}
				_, short := one.shrink(t, v)
				t.Logf("seed %d: %s\nby %d faults, of %d", seed, v.violations[0], len(short.struck), len(v.struck))
				if len(short.violations) == 0 {
					t.Errorf("seed %d broke a promise, and with its faults given it does not", seed)
				}
				return
			}
			t.Errorf("none of %d seeds broke the promise %q", plantedWithin, bug.breaks)
		})
	}
}

func asks(c config) bool { return c.approved }

func hasRules(c config) bool { return c.receivers }

// hastyReviews has nobody be asked.
type hastyReviews struct{ database }

func (s hastyReviews) BeginReview(ctx context.Context, id string, _ platen.Approval, _ func(*platen.Output) error) (platen.Output, error) {
	return s.UpdateOutput(ctx, id, func(o *platen.Output) error {
		if o.State == platen.OutputPending && o.PDF != nil {
			o.Verdict = platen.VerdictApproved
		}
		return nil
	})
}

// sleepingReviews wakes nobody whose run is gone.
type sleepingReviews struct{ database }

func (sleepingReviews) WakeOverdueReviews(context.Context, time.Duration) (int, error) { return 0, nil }

// staleData has an output made of the source data, whatever somebody corrected.
type staleData struct{ database }

func (s staleData) OutputData(ctx context.Context, id, outputID string, _ int) ([]byte, error) {
	return s.database.OutputData(ctx, id, outputID, 1)
}

// lateIntent stores what a step intends when it has been done.
type lateIntent struct{ database }

func (s lateIntent) UpdateOutput(ctx context.Context, id string, change func(*platen.Output) error) (platen.Output, error) {
	return s.NoteOutput(ctx, id, change)
}

// silentAppendices notes of a template that is appended only that its copy is filled.
type silentAppendices struct{ database }

func (s silentAppendices) UpdateOutput(ctx context.Context, id string, change func(*platen.Output) error) (platen.Output, error) {
	return s.database.UpdateOutput(ctx, id, func(o *platen.Output) error {
		err := change(o)
		o.AppendixBegun = false
		return err
	})
}

// blindDrive shows every document empty.
type blindDrive struct{ driveClient }

func (blindDrive) EditDocument(_ context.Context, _ string, _ platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (int, error) {
	_, err := compose(docsDocument(""))
	return 0, err
}

const century = 100 * 365 * 24 * time.Hour

type endlessClaims struct{ database }

func (s endlessClaims) Claim(ctx context.Context, limit int, by platen.Claimer, _ time.Duration) ([]platen.Automation, platen.Occupancy, error) {
	return s.database.Claim(ctx, limit, by, century)
}

type endlessCommands struct{ database }

func (s endlessCommands) ClaimCommands(ctx context.Context, limit int, _ time.Duration) ([]platen.OutboxCommand, error) {
	return s.database.ClaimCommands(ctx, limit, century)
}

type endlessPlaces struct{ database }

func (s endlessPlaces) UpdateEndpoint(ctx context.Context, key platen.EndpointKey, change func(*platen.EndpointState, time.Time)) error {
	return s.database.UpdateEndpoint(ctx, key, func(state *platen.EndpointState, now time.Time) {
		change(state, now)
		for i := range state.InFlight {
			state.InFlight[i].Until = now.Add(century)
		}
	})
}

type forgetfulAttempts struct{ database }

func (s forgetfulAttempts) RecordDelivery(ctx context.Context, d platen.Delivery, state platen.EventState, next time.Duration) error {
	if d.Attempt == 1 {
		return s.database.HoldEvent(ctx, d.EventID, d.Attempt, "forgotten")
	}
	return s.database.RecordDelivery(ctx, d, state, next)
}

// trustingEnds ends an automation when its run says so, and ignores what is recorded.
type trustingEnds struct{ database }

func (s trustingEnds) EndAutomation(ctx context.Context, id string, attempt int) (platen.AutomationState, error) {
	return s.FailAutomation(ctx, id, attempt, "", "")
}

type trustingReconciler struct{ database }

func (s trustingReconciler) Requeue(context.Context, string, int) error { return nil }

// hopeful takes the answer of the last look that succeeded for that of one that fails.
type hopeful struct {
	worker.Versions
	builds  []worker.Build
	polling worker.Polling
}

func (h *hopeful) Look(ctx context.Context) ([]worker.Build, error) {
	builds, err := h.Versions.Look(ctx)
	if err == nil {
		h.builds = builds
	}
	if len(h.builds) == 0 {
		return nil, err
	}
	return h.builds, nil
}

func (h *hopeful) Polling(ctx context.Context) (worker.Polling, error) {
	p, err := h.Versions.Polling(ctx)
	if err == nil {
		h.polling = p
	}
	if h.polling.LastSeen == nil {
		return p, err
	}
	return h.polling, nil
}
