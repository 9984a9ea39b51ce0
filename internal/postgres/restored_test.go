package postgres_test

import (
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// stands is how an automation with one document stands.
type stands struct {
	state      platen.AutomationState
	attempt    int
	output     platen.OutputState
	generation int
	keeps      bool
}

func (f *harness) stands(p platen.Plan) stands {
	f.T.Helper()
	a, err := f.Automations.Automation(f.T.Context(), p.AutomationID)
	f.Must(err)
	o, err := f.Outputs.Output(f.T.Context(), p.Documents[0].OutputID)
	f.Must(err)
	return stands{a.State, a.Attempt, o.State, o.Generation, o.KeepsFiles}
}

func (f *harness) record(p platen.Plan, change func(*platen.Output) error) {
	f.T.Helper()
	_, _, err := f.Outputs.RecordOutput(f.T.Context(), p.Documents[0].OutputID, change, storetest.EventFor)
	f.Must(err)
	_, err = f.Automations.EndAutomation(f.T.Context(), p.AutomationID, 0)
	f.Must(err)
}

func TestTheAttemptThatTemporalKnowsIsTakenOver(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	const (
		accepted, running, completed, ended = platen.AutomationAccepted, platen.AutomationRunning, platen.AutomationCompleted, platen.AutomationFailed
		pending                             = platen.OutputPending
	)
	for name, c := range map[string]struct {
		become func(platen.Plan) // from an automation that waits
		run    platen.LatestRun
		want   stands
	}{
		"one that waits":                      {func(platen.Plan) {}, platen.LatestRun{Attempt: 1, Completed: true}, stands{running, 1, pending, 0, false}},
		"one that runs":                       {func(p platen.Plan) { f.Must(f.Queue.MarkStarted(t.Context(), storetest.Firsts(p.AutomationID))) }, platen.LatestRun{Attempt: 1}, stands{running, 1, pending, 0, false}},
		"one that was retried since":          {func(platen.Plan) {}, platen.LatestRun{Attempt: 3, Open: true}, stands{running, 3, pending, 0, false}},
		"a failure that was retried since":    {func(p platen.Plan) { f.record(p, storetest.Failed) }, platen.LatestRun{Attempt: 2}, stands{running, 2, pending, 1, true}},
		"a failure of a run that completed":   {func(p platen.Plan) { f.record(p, storetest.Failed) }, platen.LatestRun{Attempt: 1, Completed: true}, stands{running, 1, pending, 1, true}},
		"a failure as Temporal knows it":      {func(p platen.Plan) { f.record(p, storetest.Failed) }, platen.LatestRun{Attempt: 1}, stands{ended, 1, platen.OutputFailed, 0, false}},
		"one that completed":                  {func(p platen.Plan) { f.record(p, storetest.Done) }, platen.LatestRun{Attempt: 1, Completed: true}, stands{completed, 1, platen.OutputDone, 0, false}},
		"a later attempt than Temporal knows": {func(p platen.Plan) { f.Exec(`UPDATE automations SET attempt = 2 WHERE id = $1`, p.AutomationID) }, platen.LatestRun{Attempt: 1, Completed: true}, stands{accepted, 2, pending, 0, false}},
	} {
		p := f.Planned(w)
		c.become(p)
		before := f.stands(p)
		for range 2 {
			ok, err := f.Automations.TakeOver(t.Context(), p.AutomationID, c.run)
			if got := f.stands(p); err != nil || got != c.want || !ok && got != before {
				t.Errorf("%s: got %+v, %t, %v; want %+v", name, got, ok, err, c.want)
			}
		}
	}
	_, err := f.Automations.TakeOver(t.Context(), "aut_none", platen.LatestRun{Attempt: 1})
	storetest.WantKind(t, "none", err, platen.KindNotFound, "automation_not_found")
}

// What people refused after a restore stays refused, although a run that the store has
// forgotten let it out. A retry that the store has forgotten asks them again.
func TestWhatPeopleRefusedIsNotTakenOver(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil), func(w *platen.Workflow) {
		w.Documents = append(w.Documents, storetest.NewDocument(w.ID, storetest.Now()))
	})
	refused := func(v platen.Verdict) func(*platen.Output) error {
		return func(o *platen.Output) error {
			code, message, _ := v.Failure()
			o.Verdict = v
			return o.Fail(0, code, message)
		}
	}
	const failed, pending, done = platen.OutputFailed, platen.OutputPending, platen.OutputDone
	completed, retried, likewise := platen.LatestRun{Attempt: 1, Completed: true}, platen.LatestRun{Attempt: 2, Open: true}, platen.LatestRun{Attempt: 2}
	for name, c := range map[string]struct {
		first, second func(*platen.Output) error // ends an output; nil: it is not made yet
		run           platen.LatestRun
		sweeps        bool // what the sweep is told: nothing failed but by people
		want          [2]platen.OutputState
	}{
		"rejected, and it completed":          {refused(platen.VerdictRejected), storetest.Done, completed, true, [2]platen.OutputState{failed, done}},
		"expired, and it completed":           {refused(platen.VerdictExpired), storetest.Done, completed, true, [2]platen.OutputState{failed, done}},
		"both, and it completed":              {refused(platen.VerdictExpired), refused(platen.VerdictRejected), completed, true, [2]platen.OutputState{failed, failed}},
		"one alone, and it completed":         {refused(platen.VerdictRejected), storetest.Failed, completed, false, [2]platen.OutputState{failed, pending}},
		"rejected, and retried":               {refused(platen.VerdictRejected), storetest.Done, retried, true, [2]platen.OutputState{pending, done}},
		"rejected, and its run failed by it":  {refused(platen.VerdictRejected), storetest.Done, likewise, true, [2]platen.OutputState{failed, done}},
		"rejected, and the other was decided": {refused(platen.VerdictRejected), nil, likewise, false, [2]platen.OutputState{failed, pending}},
	} {
		p := f.Planned(w)
		for i, end := range []func(*platen.Output) error{c.first, c.second} {
			if end == nil {
				continue
			}
			_, _, err := f.Outputs.RecordOutput(t.Context(), p.Documents[i].OutputID, end, storetest.EventFor)
			f.Must(err)
		}
		if c.second != nil {
			_, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 1)
			f.Must(err)
		}
		f.Exec(`UPDATE outputs SET repeated = true WHERE id = $1`, p.Documents[0].OutputID)
		unswept, err := f.Outputs.UnsweptOutputs(t.Context(), 0, platen.EndedOutput{})
		f.Must(err)
		for _, o := range unswept {
			if o.OutputID == p.Documents[0].OutputID && o.Automation.Refused != c.sweeps {
				t.Errorf("%s: the sweep is told that people refused it: %t, want %t", name, o.Automation.Refused, c.sweeps)
			}
		}
		ok, err := f.Automations.TakeOver(t.Context(), p.AutomationID, c.run)
		var got [2]platen.OutputState
		for i := range got {
			o, unread := f.Outputs.Output(t.Context(), p.Documents[i].OutputID)
			f.Must(unread)
			got[i] = o.State
		}
		if taken := got[0] == pending || got[1] == pending; err != nil || ok != taken || got != c.want {
			t.Errorf("%s: got %v, taken over %t, %v; want %v", name, got, ok, err, c.want)
		}
	}
}

func TestACancelledRunThatWasForgottenIsTakenOverAsCancelled(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	p := f.Running(f.Workflow(f.User(nil)))
	ok, err := f.Automations.TakeOver(t.Context(), p.AutomationID, platen.LatestRun{Attempt: 1, Cancelled: true})
	f.Must(err)
	state, err := f.Automations.EndAbandonedAutomation(t.Context(), p.AutomationID, 1, func(_ platen.Automation, o platen.Output) (platen.Event, error) { return storetest.EventFor(o) })
	if !ok || err != nil || state != platen.AutomationCancelled {
		t.Errorf("got %t, %s, %v; want it CANCELLED", ok, state, err)
	}
}

// A lost run is begun as the next attempt, which tells as of the attempt before what it
// makes: that is how it is found to have been told.
func TestWhatARunHasToldStaysOfItsAttempt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	for isOpen, want := range map[bool]int{false: 1, true: 2} {
		p := f.Planned(w)
		if _, err := f.Automations.TakeOver(t.Context(), p.AutomationID, platen.LatestRun{Attempt: 2, Open: isOpen}); err != nil {
			t.Fatal(err)
		}
		if o, err := f.Outputs.Output(t.Context(), p.Documents[0].OutputID); err != nil || o.Attempt != want {
			t.Errorf("the run is open %t: the output is of attempt %d, %v; want %d", isOpen, o.Attempt, err, want)
		}
	}
}

// What was told of the attempt that failed is not told again under the same id.
func TestAFailureOfARunThatCompletedIsMadeGoodInALaterAttempt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	p := f.Planned(f.Workflow(f.User(nil)))
	f.record(p, storetest.Failed)
	_, err := f.Automations.TakeOver(t.Context(), p.AutomationID, platen.LatestRun{Attempt: 1, Completed: true})
	f.Must(err)
	_, event, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Done, storetest.EventFor)
	if o, unread := f.Outputs.Output(t.Context(), p.Documents[0].OutputID); err != nil || unread != nil || event == "" || o.Attempt != 2 {
		t.Errorf("got event %q, %v, of %+v, %v; want one of attempt 2", event, err, o, unread)
	}
}

func TestWhatIsMadeAgainWaitsAsTheNextAttemptAndKeepsItsFiles(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil), func(w *platen.Workflow) {
		w.Documents = append(w.Documents, storetest.NewDocument(w.ID, storetest.Now()))
	})
	p := f.Running(w)
	_, _, err := f.Outputs.RecordOutput(t.Context(), p.Documents[1].OutputID, storetest.Done, storetest.EventFor)
	f.Must(err)
	_, err = f.Outputs.UpdateOutput(t.Context(), p.Documents[0].OutputID, func(o *platen.Output) error {
		o.CopyBegun, o.FillBegun, o.Copy = true, true, &platen.File{ID: "copy"}
		return nil
	})
	f.Must(err)
	for range 2 {
		f.Must(f.Automations.MakeAgain(t.Context(), p.AutomationID, 1))
	}
	if got, want := f.stands(p), (stands{platen.AutomationAccepted, 2, platen.OutputPending, 1, true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	o, err := f.Outputs.Output(t.Context(), p.Documents[0].OutputID)
	if err != nil || o.CopyBegun || o.Copy != nil || o.FillBegun || o.Attempt != 2 {
		t.Errorf("got %+v, %v; want it as before its first step, in attempt 2", o, err)
	}
	if o, err := f.Outputs.Output(t.Context(), p.Documents[1].OutputID); err != nil || o.State != platen.OutputDone || o.Attempt != 1 {
		t.Errorf("the one that was made: got %+v, %v; want it kept", o, err)
	}
}

func TestAnEndThatFindsThatThePlanWasForgottenChangesNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	id := f.Accept(f.Workflow(f.User(nil)), 1)[0]
	if state, err := f.Automations.EndAutomation(t.Context(), id, 1); !platen.IsForgotten(err) {
		t.Errorf("got %s, %v; want that it was forgotten", state, err)
	}
	if a, err := f.Automations.Automation(t.Context(), id); err != nil || a.State != platen.AutomationAccepted || a.FinishedAt != nil {
		t.Errorf("got %+v, %v; want it as it was accepted", a, err)
	}
}

func TestAnEndThatFindsOutputsWhoseEndWasForgottenChangesNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	p := f.Running(f.Workflow(f.User(nil)))
	if state, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 1); !platen.IsForgotten(err) {
		t.Errorf("got %s, %v; want that it was forgotten", state, err)
	}
	if got, want := f.stands(p), (stands{platen.AutomationRunning, 1, platen.OutputPending, 0, false}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Its row goes on with it: a row that stayed FAILED could be corrected, and made twice.
func TestTheRowOfAFailureThatIsTakenOverGoesOn(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	b := f.store(w, 1)
	f.move(4)
	id := f.inQueue(w)[0]
	f.endRows(w, storetest.Failed, id)
	f.move(4)
	if ok, err := f.Automations.TakeOver(t.Context(), id, platen.LatestRun{Attempt: 2, Open: true}); err != nil || !ok {
		t.Fatalf("got %v and %v, want it taken over", ok, err)
	}
	if got := f.batch(b, w.Owner); got.State != platen.BatchRunning || got.Counts[platen.RowRunning] != 1 {
		t.Errorf("got %+v, want the batch to go on with the row", got)
	}
}
