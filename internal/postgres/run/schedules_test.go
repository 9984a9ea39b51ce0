package run_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// scheduled makes a schedule of a workflow whose moment, a minute ago, is due.
func (f *harness) scheduled(w platen.Workflow, changes ...func(*platen.Schedule)) platen.Schedule {
	f.T.Helper()
	s := platen.Schedule{ID: platen.NewID(platen.PrefixSchedule), WorkflowID: w.ID, Cron: "* * * * *", TimeZone: "UTC", Data: []byte(`{"Name":"Ada"}`)}
	s.Name = "Nightly " + s.ID
	for _, change := range changes {
		change(&s)
	}
	made, err := f.Schedules.CreateSchedule(f.T.Context(), w.Owner, s)
	f.Must(err)
	f.Exec(`UPDATE schedules SET next_at = date_trunc('minute', now()) - interval '1 minute', try_at = date_trunc('minute', now()) - interval '1 minute' WHERE id = $1`, s.ID)
	return made
}

func (f *harness) due(most, share int) []platen.DueSchedule {
	f.T.Helper()
	due, err := f.Moments.ClaimSchedules(f.T.Context(), most, share, time.Minute)
	f.Must(err)
	return due
}

// only is the one schedule that is due.
func (f *harness) only() platen.DueSchedule {
	f.T.Helper()
	due := f.due(10, 10)
	if len(due) != 1 {
		f.T.Fatalf("%d schedules are due, want one", len(due))
	}
	return due[0]
}

func (f *harness) accepts(due platen.DueSchedule, events ...string) {
	f.T.Helper()
	bodies := make([][]byte, len(events))
	for i, e := range events {
		bodies[i] = []byte(e)
	}
	f.acceptsAt(due, due.NextAt, due.NextAt.Add(time.Hour), bodies...)
}

func (f *harness) acceptsAt(due platen.DueSchedule, at, next time.Time, events ...[]byte) *platen.ScheduleOutcome {
	f.T.Helper()
	outcome, err := f.Moments.AcceptMoment(f.T.Context(), due, at, next, events)
	f.Must(err)
	return outcome
}

func (f *harness) settles(due platen.DueSchedule, next, retry time.Time, outcome *platen.ScheduleOutcome) (held bool) {
	f.T.Helper()
	held, err := f.Moments.SettleMoment(f.T.Context(), due, next, retry, outcome)
	f.Must(err)
	return held
}

func (f *harness) automations(w platen.Workflow) int {
	f.T.Helper()
	return f.Count(`SELECT count(*) FROM automations WHERE workflow_id = $1`, w.ID)
}

func TestAMomentOfAScheduleCountsOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	s := f.scheduled(w)
	due := f.only()
	if due.ID != s.ID || due.Attempts != 1 || due.Off || string(due.Data) != `{"Name":"Ada"}` {
		t.Fatalf("got %+v", due)
	}
	if again := f.due(10, 10); len(again) != 0 {
		t.Errorf("%d schedules are due while one is leased, want none", len(again))
	}
	var both sync.WaitGroup
	for range 2 { // the lease has run out, and another worker carried it out as well
		both.Go(func() { f.accepts(due, `{"Name":"Ada"}`, `{"Name":"Bob"}`) })
	}
	both.Wait()
	f.accepts(due, `{"Name":"Cyd"}`)
	if got := f.automations(w); got != 2 {
		t.Errorf("got %d automations, want 2", got)
	}
	first := f.stored(platen.ScheduledAutomation(s.ID, due.NextAt, 0))
	if first.State != platen.AutomationAccepted || first.Reference != s.Name || first.Test {
		t.Errorf("got %+v", first)
	}
	got, err := f.Schedules.Schedule(t.Context(), w.Owner, w.ID, s.ID)
	f.Must(err)
	if got.Last == nil || got.Last.State != platen.ScheduleDone || got.Last.Events != 2 || !got.Last.At.Equal(due.NextAt) || !got.NextAt.Equal(due.NextAt.Add(time.Hour)) {
		t.Errorf("got %+v, last %+v", got, got.Last)
	}
	read, err := f.Workflows.Workflow(t.Context(), w.Owner, w.ID)
	f.Must(err)
	if strings.Join(read.Source.Fields, " ") != "Name" {
		t.Errorf("the source has the fields %v, want those of the last event", read.Source.Fields)
	}
}

// The database was put back to a moment before: what it forgot is made once more, under the
// same id.
func TestAMomentHasTheSameAutomationAfterARestore(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	s := f.scheduled(w)
	due := f.only()
	f.accepts(due, `{"Name":"Ada"}`)
	f.Exec(`UPDATE schedules SET next_at = $2, try_at = $2, leased_until = NULL WHERE id = $1`, s.ID, due.NextAt)
	f.accepts(f.only(), `{"Name":"Ada"}`)
	if got := f.automations(w); got != 1 {
		t.Errorf("got %d automations, want 1", got)
	}
}

func TestAScheduleThatWasChangedMeanwhileStartsNothing(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(f *harness, s platen.Schedule, owner platen.User){
		"changed": func(f *harness, s platen.Schedule, owner platen.User) {
			_, err := f.Schedules.UpdateSchedule(f.T.Context(), owner, s.WorkflowID, s.ID, func(s *platen.Schedule) error { s.Name = "Another"; return nil })
			f.Must(err)
		},
		"paused": func(f *harness, s platen.Schedule, owner platen.User) {
			_, err := f.Schedules.UpdateSchedule(f.T.Context(), owner, s.WorkflowID, s.ID, func(s *platen.Schedule) error { s.Paused = true; return nil })
			f.Must(err)
		},
		"deleted": func(f *harness, s platen.Schedule, owner platen.User) {
			f.Must(f.Schedules.DeleteSchedule(f.T.Context(), owner, s.WorkflowID, s.ID, func(platen.Schedule) error { return nil }))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			w := f.Workflow(f.User(nil))
			s := f.scheduled(w)
			due := f.only()
			change(f, s, w.Owner)
			f.accepts(due, `{"Name":"Ada"}`)
			if got := f.automations(w); got != 0 {
				t.Errorf("got %d automations, want none", got)
			}
			if left := f.due(10, 10); len(left) != 0 != (name == "changed") {
				t.Errorf("%d are due after that", len(left))
			}
		})
	}
}

func TestNothingIsStartedForArchivedWorkflowsAndDisabledOwners(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	archived, disabled := f.Workflow(f.User(nil)), f.Workflow(f.User(nil))
	f.scheduled(archived)
	f.scheduled(disabled)
	f.Must(f.Workflows.ArchiveWorkflow(t.Context(), archived.Owner, archived.ID, nil))
	f.Exec(`UPDATE users SET disabled_at = now() WHERE id = $1`, disabled.Owner.ID)
	due := f.due(10, 10)
	if len(due) != 2 || !due[0].Off || !due[1].Off {
		t.Fatalf("got %+v, want both off", due)
	}
	for _, one := range due {
		f.settles(one, time.Now().Add(time.Hour), time.Time{}, nil)
	}
	if left := f.due(10, 10); len(left) != 0 {
		t.Errorf("%d are due, want none", len(left))
	}
}

func TestOneOwnerLeavesRoomForSchedulesOfOthers(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	rich, poor := f.Workflow(f.User(nil)), f.Workflow(f.User(nil))
	for range 5 {
		f.scheduled(rich)
	}
	f.scheduled(poor)
	of := map[string]int{}
	for _, one := range f.due(3, 2) {
		of[one.WorkflowID]++
	}
	if of[rich.ID] != 2 || of[poor.ID] != 1 {
		t.Errorf("got %v, want 2 and 1", of)
	}
	if more := f.due(10, 2); len(more) != 0 {
		t.Errorf("%d more are claimed while 2 of their owner are carried out, want none", len(more))
	}
}

func TestARunThatSomebodyAsksForTakesNoMoment(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	s := f.scheduled(w, func(s *platen.Schedule) { s.Test = true })
	_, err := f.Schedules.UpdateSchedule(t.Context(), w.Owner, w.ID, s.ID, func(s *platen.Schedule) error { s.Paused = true; return nil })
	f.Must(err)
	asked, err := f.Schedules.RunSchedule(t.Context(), w.Owner, w.ID, s.ID)
	f.Must(err)
	again, err := f.Schedules.RunSchedule(t.Context(), w.Owner, w.ID, s.ID)
	if f.Must(err); asked.RequestedAt == nil || !again.RequestedAt.Equal(*asked.RequestedAt) {
		t.Fatalf("asked at %v, then at %v", asked.RequestedAt, again.RequestedAt)
	}
	due := f.only()
	f.settles(due, time.Time{}, time.Now().Add(-time.Second), &platen.ScheduleOutcome{At: *due.RequestedAt, State: platen.ScheduleRetry, Code: "x", Message: "X."})
	due = f.only()
	if due.Attempts != 2 || due.Last.State != platen.ScheduleRetry || due.Last.RetryAt == nil || due.Last.RetryAt.After(time.Now()) {
		t.Errorf("got %d attempts and %+v", due.Attempts, due.Last)
	}
	f.acceptsAt(due, *due.RequestedAt, time.Now().Add(time.Hour), []byte(`{"Name":"Ada"}`))
	if got := f.stored(platen.ScheduledAutomation(s.ID, *due.RequestedAt, 0)); !got.Test {
		t.Errorf("got %+v, want a test", got)
	}
	after, err := f.Schedules.Schedule(t.Context(), w.Owner, w.ID, s.ID)
	if f.Must(err); after.RequestedAt != nil || !after.NextAt.Equal(again.NextAt) || len(f.due(10, 10)) != 0 {
		t.Errorf("got %+v, want it to rest until its next moment", after)
	}
}

// Thousands of schedules of one owner that are due keep nobody else's waiting.
func TestManySchedulesOfOneOwnerLeaveATurnToOthers(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	many, one := f.Workflow(f.User(nil)), f.Workflow(f.User(nil))
	f.scheduled(many)
	f.Exec(`
		INSERT INTO schedules (id, workflow_id, name, cron, time_zone, data, next_at, try_at, created_at, updated_at)
		SELECT 'sch_many' || n, s.workflow_id, 'many ' || n, s.cron, s.time_zone, NULL, s.next_at - interval '1 hour', s.next_at - interval '1 hour', s.created_at, s.updated_at
		FROM schedules s
		CROSS JOIN generate_series(1, 12000) n`)
	other := f.scheduled(one)
	due := f.due(5, 4)
	if !slices.ContainsFunc(due, func(d platen.DueSchedule) bool { return d.ID == other.ID }) || len(due) != 5 {
		t.Errorf("%d schedules are claimed, and the one of the other owner is not among them", len(due))
	}
}

// A worker whose lease has run out says nothing of the moment, and is told so.
func TestAMomentOfAnotherWorkerIsLeftToIt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.scheduled(f.Workflow(f.User(nil)))
	due := f.only()
	f.Exec(`UPDATE schedules SET leased_until = now() - interval '1 second'`)
	again := f.only()
	failed := &platen.ScheduleOutcome{At: due.NextAt, State: platen.ScheduleFailed, Code: platen.CodeScheduleRefused, Message: "No."}
	if f.settles(due, due.NextAt.Add(time.Hour), time.Time{}, failed) {
		t.Error("the first worker settled the moment of the second")
	}
	if !f.settles(again, again.NextAt.Add(time.Hour), time.Time{}, failed) {
		t.Error("the second worker did not hold its moment")
	}
	if got := f.acceptsAt(again, again.NextAt, again.NextAt.Add(time.Hour), []byte(`{}`)); got != nil {
		t.Errorf("a moment that is over: got %+v, want nothing said", got)
	}
}

// Nothing is made of events of a workflow without documents, and the schedule says so.
func TestAMomentOfAWorkflowWithoutDocumentsSaysThatNothingIsMade(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	s := f.scheduled(w)
	f.Exec(`UPDATE workflows SET status = 'INCOMPLETE' WHERE id = $1`, w.ID)
	due := f.only()
	if got := f.acceptsAt(due, due.NextAt, due.NextAt.Add(time.Hour), []byte(`{"Name":"Ada"}`)); got == nil || got.State != platen.ScheduleDone || got.Code != "workflow_incomplete" {
		t.Errorf("got %+v", got)
	}
	after, err := f.Schedules.Schedule(t.Context(), w.Owner, w.ID, s.ID)
	if f.Must(err); after.Last == nil || after.Last.Code != "workflow_incomplete" || after.Last.Events != 1 || !strings.Contains(after.Last.Message, "no template document") {
		t.Errorf("got %+v", after.Last)
	}
}

func TestAMomentKeepsToTheLimitOfTheOwner(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	f.scheduled(w)
	f.Exec(`INSERT INTO usage_limits (owner_id, documents) VALUES ($1, 1)`, w.Owner.ID)
	due := f.only()
	_, err := f.Moments.AcceptMoment(t.Context(), due, due.NextAt, due.NextAt.Add(time.Hour), [][]byte{[]byte(`{"Name":"Ada"}`), []byte(`{"Name":"Bob"}`)})
	storetest.WantKind(t, "two events with room for one", err, platen.KindRateLimited, "usage_limit_reached")
	if got := f.automations(w); got != 0 {
		t.Errorf("got %d automations, want none", got)
	}
	f.accepts(due, `{"Name":"Ada"}`)
	if got := f.automations(w); got != 1 {
		t.Errorf("got %d automations, want 1", got)
	}
}

// Keys that seal a schedule are changed as all others are.
func TestWhatASchedulesRowSealsIsKnown(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.scheduled(f.Workflow(f.User(nil)))
	found := 0
	for _, c := range postgres.SealedColumns {
		if c.Table == "schedules" {
			found++
		}
	}
	if found != 2 {
		t.Errorf("%d columns of schedules are sealed, want 2", found)
	}
	f.Must(f.CheckSecrets(t.Context()))
}

func TestSchedulesOfAllWorkflowsAreListedByWhatBecameOfThem(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, archived := f.Workflow(owner), f.Workflow(owner)
	ends := func(w platen.Workflow, state platen.ScheduleState) string {
		s := f.scheduled(w)
		due := f.only()
		f.settles(due, due.NextAt.Add(time.Hour), time.Time{}, &platen.ScheduleOutcome{At: due.NextAt, State: state, Code: platen.CodeScheduleRefused, Message: "No."})
		return s.ID
	}
	ends(f.Workflow(f.User(nil)), platen.ScheduleFailed)
	ends(archived, platen.ScheduleFailed)
	f.Exec(`UPDATE workflows SET status = 'ARCHIVED' WHERE id = $1`, archived.ID)
	first, second := ends(w, platen.ScheduleFailed), ends(w, platen.ScheduleDone)
	third := ends(w, platen.ScheduleFailed)
	lists := func(q platen.ScheduleQuery, want ...string) {
		t.Helper()
		found, err := f.Schedules.CallersSchedules(t.Context(), owner, q)
		f.Must(err)
		var got []string
		for _, s := range found {
			got = append(got, s.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: got %v, want %v", q, got, want)
		}
	}
	lists(platen.ScheduleQuery{}, first, second, third)
	failed := platen.ScheduleQuery{States: []platen.ScheduleState{platen.ScheduleFailed}, Page: platen.Page{Limit: 1}}
	lists(failed, first)
	read, err := f.Schedules.Schedule(t.Context(), owner, w.ID, first)
	f.Must(err)
	failed.Page.After = read.Position()
	lists(failed, third)
	o, err := f.Overview(t.Context())
	f.Must(err)
	if o.NotStarted != 4 {
		t.Errorf("%d schedules failed of the installation, want 4", o.NotStarted)
	}
}

// A worker that stood still settles nothing of what another one has taken since.
func TestALateWorkerSettlesNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	s := f.scheduled(w)
	late := f.only()
	f.Exec(`UPDATE schedules SET leased_until = now() - interval '1 second' WHERE id = $1`, s.ID)
	due := f.only()
	f.settles(late, late.NextAt.Add(time.Hour), time.Time{}, &platen.ScheduleOutcome{At: late.NextAt, State: platen.ScheduleFailed})
	f.accepts(due, `{"Name":"Ada"}`)
	if got := f.automations(w); got != 1 {
		t.Errorf("got %d automations, want 1", got)
	}
}

// A run that is asked for during a moment has a lease of its own.
func TestARunThatIsAskedForMeanwhileKeepsItsLease(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	s := f.scheduled(w)
	moment := f.only()
	_, err := f.Schedules.RunSchedule(t.Context(), w.Owner, w.ID, s.ID)
	f.Must(err)
	asked := f.only()
	f.accepts(moment, `{"Name":"Ada"}`)
	if again := f.due(10, 10); len(again) != 0 {
		t.Errorf("%d are due while the run is leased, want none", len(again))
	}
	f.acceptsAt(asked, *asked.RequestedAt, moment.NextAt.Add(time.Hour), []byte(`{"Name":"Bob"}`))
	if got := f.automations(w); got != 2 {
		t.Errorf("got %d automations, want 2", got)
	}
}

func TestAWorkflowThatWasArchivedMeanwhileStartsNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	f.scheduled(w)
	due := f.only()
	f.Must(f.Workflows.ArchiveWorkflow(t.Context(), w.Owner, w.ID, nil))
	f.accepts(due, `{"Name":"Ada"}`)
	if got := f.automations(w); got != 0 {
		t.Errorf("got %d automations, want none", got)
	}
}

// A schedule that no key opens any more holds up no other.
func TestAScheduleThatDoesNotOpenHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	bad, good := f.scheduled(f.Workflow(f.User(nil))), f.scheduled(f.Workflow(f.User(nil)))
	f.Exec(`UPDATE schedules SET data = 'nothing' WHERE id = $1`, bad.ID)
	due, err := f.Moments.ClaimSchedules(t.Context(), 10, 10, time.Minute)
	if err == nil || !strings.Contains(err.Error(), bad.ID) || len(due) != 1 || due[0].ID != good.ID {
		t.Errorf("got %+v, %v; want the one that opens, and an error about the other", due, err)
	}
}

func TestSchedulesOfArchivedWorkflowsAreRemoved(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	s, kept := f.scheduled(w), f.scheduled(w)
	f.Must(f.Workflows.ArchiveWorkflow(t.Context(), w.Owner, w.ID, nil))
	f.Must(f.Schedules.DeleteSchedule(t.Context(), w.Owner, w.ID, s.ID, func(platen.Schedule) error { return nil }))
	f.Must(f.Users.DeleteUser(t.Context(), w.Owner.ID))
	if left := f.Count(`SELECT count(*) FROM schedules WHERE id = ANY ($1)`, []string{s.ID, kept.ID}); left != 0 {
		t.Errorf("%d schedules are left of a user who was deleted, want none", left)
	}
}
