package postgres_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

var twoApprove = platen.Approval{By: []string{"ada@example.com", "bob@example.com"}, RemindDays: 3, ExpireDays: 30}

// reviewed is an automation whose run has ended because its output waits for people.
func (f *harness) reviewed(owner platen.User, a platen.Approval) (w platen.Workflow, automationID, outputID string) {
	f.T.Helper()
	w = f.Workflow(owner)
	p := f.Running(w)
	automationID, outputID = p.AutomationID, p.Documents[0].OutputID
	f.review(outputID, a)
	state, err := f.Automations.EndAutomation(f.T.Context(), automationID, 1)
	f.Must(err)
	if state != platen.AutomationReview || f.State(automationID) != platen.AutomationReview {
		f.T.Fatalf("got %s and %s, want that it waits in REVIEW", state, f.State(automationID))
	}
	return w, automationID, outputID
}

// review has an output made, and wait.
func (f *harness) review(outputID string, a platen.Approval) {
	f.T.Helper()
	document := platen.Document{CreatePDFCopy: true, Approval: &a}
	o, err := f.Reviews.BeginReview(f.T.Context(), outputID, a, func(o *platen.Output) error {
		o.CopyBegun, o.FillBegun, o.FillEnded = true, true, true
		o.Copy, o.PDF = &platen.File{ID: "copy"}, &platen.File{ID: "pdf", Name: "Offer.pdf", SHA256: "abc"}
		return o.BeginReview(o.Attempt, document)
	})
	f.Must(err)
	if o.State != platen.OutputReview {
		f.T.Fatalf("got %s, want REVIEW", o.State)
	}
}

// answers adds the answer of an address.
func (f *harness) answers(owner platen.User, w platen.Workflow, outputID, address string, approves bool) (platen.Review, error) {
	return f.Reviews.Answer(f.T.Context(), owner, w.ID, outputID, 0, func(r platen.Review, now time.Time) (platen.Answer, error) {
		as, err := r.For(address, now)
		return platen.Answer{For: as.For, By: as.By, Approves: approves, Reason: map[bool]string{false: "Wrong town."}[approves], At: now}, err
	})
}

func TestAnOutputThatWaitsTakesNoPlace(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, automation, output := f.reviewed(owner, twoApprove)
	if open := f.Open(); open != 0 {
		t.Errorf("got %d open runs, want none", open)
	}
	if n := f.Count(`SELECT count(*) FROM errands WHERE kind = 'REVIEW' AND id = $1`, output); n != 1 {
		t.Errorf("got %d commands to look after it, want 1", n)
	}
	commands := f.Commands()
	if len(commands) != 1 || commands[0].Kind != platen.CommandReview || commands[0].AutomationID != automation || commands[0].WorkflowID != w.ID {
		t.Errorf("got %+v, want one to look after %s", commands, automation)
	}
	overdue, err := f.Queue.OverdueAutomations(t.Context(), 0, platen.Automation{})
	f.Must(err)
	if len(overdue) != 0 {
		t.Errorf("the reconciler looks at %v, want at nothing that waits", overdue)
	}
	found, err := f.Outputs.WorkflowOutputs(t.Context(), owner, w.ID, platen.OutputQuery{States: []platen.OutputState{platen.OutputReview}})
	f.Must(err)
	if len(found) != 1 || found[0].Review == nil || found[0].Review.SHA256 != "abc" || found[0].Review.Round != 1 {
		t.Errorf("got %+v, want the output with its review", found)
	}
}

// An output that waits has a review, whatever is cut off between: nobody would be asked about
// another, and nothing would end its wait.
func TestAnOutputWaitsWithItsReviewOrNotAtAll(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	p := f.Running(f.Workflow(f.User(nil)))
	output := p.Documents[0].OutputID
	f.Exec(`ALTER TABLE reviews RENAME TO reviews_away`)
	_, err := f.Reviews.BeginReview(t.Context(), output, twoApprove, func(o *platen.Output) error {
		o.State, o.PDF = platen.OutputReview, &platen.File{ID: "pdf", SHA256: "abc"}
		return nil
	})
	if err == nil {
		t.Fatal("the review was stored")
	}
	if n := f.Count(`SELECT count(*) FROM outputs WHERE id = $1 AND state = 'REVIEW'`, output); n != 0 {
		t.Error("the output waits, and nobody is asked")
	}
	f.Exec(`ALTER TABLE reviews_away RENAME TO reviews`)
	f.review(output, twoApprove)
}

// Programs of the release before know no verdicts: the database does.
func TestWhatWasRejectedIsNeverDone(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, _, output := f.reviewed(owner, twoApprove)
	_, err := f.answers(owner, w, output, "ada@example.com", false)
	f.Must(err)
	if _, _, err := f.Outputs.RecordOutput(t.Context(), output, storetest.Done, storetest.EventFor); err == nil {
		t.Error("a document that was rejected is DONE")
	}
	if n := f.Count(`SELECT count(*) FROM events WHERE output_id = $1`, output); n != 0 {
		t.Errorf("got %d events about it, want none", n)
	}
}

// A batch whose rows wait for people is looked at less often than one with rows to move, and
// nobody looks at the rows that wait.
func TestABatchThatWaitsForPeopleIsNotBusy(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w := f.Workflow(owner)
	b := f.store(w, 2)
	waiting := func(want int) {
		t.Helper()
		if got := f.batch(b, owner); got.InReview != want || got.SecondsLeft() != nil {
			t.Errorf("got %d in review, %v left; want %d, and that nothing else is left", got.InReview, got.SecondsLeft(), want)
		}
	}
	busy := func(when string, want bool) {
		t.Helper()
		got, err := f.Batches.MoveRows(t.Context(), 1)
		f.Must(err)
		if got != want {
			t.Errorf("%s: got %t, want %t", when, got, want)
		}
	}
	busy("with a second row", true)
	busy("with a second row", true)
	ids := f.inQueue(w)
	f.Exec(`UPDATE automations SET state = 'REVIEW' WHERE id = $1`, ids[0])
	busy("while the second goes into the queue", true)
	f.Exec(`UPDATE automations SET state = 'REVIEW' WHERE workflow_id = $1`, w.ID)
	busy("while both wait for people", false)
	waiting(2)
	f.Exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE id = $1`, ids[0])
	busy("when one ends", true)
	waiting(1)
}

// A page of outputs asks for the answers about all of them at once.
func TestAListAsksForAllAnswersAtOnce(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	db, trips := f.Counted()
	list := func(reviews int) int64 {
		t.Helper()
		for range reviews {
			w, _, output := f.reviewed(owner, twoApprove)
			_, err := f.answers(owner, w, output, "ada@example.com", true)
			f.Must(err)
		}
		before := trips.Load()
		found, err := db.Outputs.CallersOutputs(t.Context(), owner, platen.OutputQuery{})
		f.Must(err)
		for _, o := range found {
			if o.Review == nil || len(o.Review.Answers) != 1 || o.Review.Answers[0].By != "ada@example.com" {
				t.Fatalf("got %+v, want who answered", o.Review)
			}
		}
		return trips.Load() - before
	}
	list(1) // prepares the statements
	// A long answer may be read in two parts, which counts as another trip.
	if one, six := list(0), list(5); six > one+2 {
		t.Errorf("got %d round trips for one output, and %d for six", one, six)
	}
}

// Mails of earlier reminders are not kept: a wait of a year has 365 for each person.
func TestAReminderForgetsTheMailsBefore(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	_, _, output := f.reviewed(f.User(nil), twoApprove)
	f.Must(f.Reviews.NoteReviewMail(t.Context(), output, 1, "0", ""))
	f.Must(f.Reviews.NoteReviewMail(t.Context(), output, 1, "", "The mail server refused an address."))
	f.Must(f.Reviews.NoteReviewDue(t.Context(), output, 1, time.Now(), time.Time{}))
	r, mailed, err := f.Reviews.Review(t.Context(), output)
	f.Must(err)
	if len(mailed) != 1 || r.Unsent == "" {
		t.Errorf("got %q and %q, want one mail, and why the other did not go out", mailed, r.Unsent)
	}
	f.Must(f.Reviews.NoteReviewDue(t.Context(), output, 1, time.Now(), time.Now()))
	if _, mailed, err = f.Reviews.Review(t.Context(), output); err != nil || len(mailed) != 0 {
		t.Errorf("after a reminder: got %q, %v, want none", mailed, err)
	}
}

// Both of two who decide at one moment count, whatever their order.
func TestTwoWhoDecideAtOneMomentBothCount(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	for range 10 {
		w, automation, output := f.reviewed(owner, twoApprove)
		var both sync.WaitGroup
		errs := make([]error, 2)
		for i, address := range twoApprove.By {
			both.Go(func() { _, errs[i] = f.answers(owner, w, output, address, true) })
		}
		both.Wait()
		for _, err := range errs {
			f.Must(err)
		}
		if state := f.State(automation); state != platen.AutomationAccepted {
			t.Fatalf("after both: got %s, want ACCEPTED for its next attempt", state)
		}
		o, err := f.Outputs.Output(t.Context(), output)
		f.Must(err)
		if o.Verdict != platen.VerdictApproved || o.Attempt != 2 || o.State != platen.OutputPending {
			t.Errorf("got %+v, want it approved for attempt 2", o)
		}
	}
}

func TestARejectionEndsTheWait(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, automation, output := f.reviewed(owner, twoApprove)
	r, err := f.answers(owner, w, output, "Bob@example.com", false)
	f.Must(err)
	if r.Verdict != platen.VerdictRejected || f.State(automation) != platen.AutomationAccepted {
		t.Errorf("got %q and %s, want REJECTED, and that the automation goes on", r.Verdict, f.State(automation))
	}
	_, err = f.answers(owner, w, output, "ada@example.com", true)
	storetest.WantKind(t, "an approval after it", err, platen.KindInvalid, "review_ended")
	r, err = f.answers(owner, w, output, "bob@example.com", false)
	f.Must(err)
	if len(r.Answers) != 1 || r.Answers[0].Reason != "Wrong town." || r.Answers[0].By != "bob@example.com" {
		t.Errorf("got %+v, want one answer with its reason", r.Answers)
	}
	if n := f.Count(`SELECT count(*) FROM review_answers WHERE position('Wrong'::bytea IN detail) > 0 OR position('bob'::bytea IN detail) > 0`); n != 0 {
		t.Error("who rejected it, and why, can be read in the table")
	}
}

// A decision that comes while the run goes on starts the next attempt when it ends.
func TestADecisionDuringTheRunIsNotLost(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w := f.Workflow(owner)
	p := f.Running(w)
	output := p.Documents[0].OutputID
	one := twoApprove
	one.Need = 1
	f.review(output, one)
	_, err := f.answers(owner, w, output, "ada@example.com", true)
	f.Must(err)
	if state := f.State(p.AutomationID); state != platen.AutomationRunning {
		t.Errorf("during the run: got %s, want RUNNING", state)
	}
	for range 2 {
		state, err := f.Automations.EndAutomation(t.Context(), p.AutomationID, 1)
		if err != nil && !platen.IsSuperseded(err) {
			t.Fatal(err)
		}
		if err == nil && state != platen.AutomationReview || f.State(p.AutomationID) != platen.AutomationAccepted {
			t.Errorf("got %s and %s, want its next attempt", state, f.State(p.AutomationID))
		}
	}
	if n := f.Count(`SELECT attempt FROM automations WHERE id = $1`, p.AutomationID); n != 2 {
		t.Errorf("got attempt %d, want 2", n)
	}
}

func TestATimeThatIsOverEndsTheWait(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, automation, output := f.reviewed(owner, twoApprove)
	for range 2 {
		f.Must(f.Reviews.ExpireReview(t.Context(), output, 1))
	}
	o, err := f.Outputs.Output(t.Context(), output)
	f.Must(err)
	if o.Verdict != platen.VerdictExpired || f.State(automation) != platen.AutomationAccepted {
		t.Errorf("got %q and %s, want EXPIRED, and that it goes on", o.Verdict, f.State(automation))
	}
	_, err = f.answers(owner, w, output, "ada@example.com", true)
	storetest.WantKind(t, "an answer", err, platen.KindInvalid, "review_ended")
}

func TestWhatWaitsIsCancelledWithItsEvent(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, automation, output := f.reviewed(owner, twoApprove)
	_, err := f.Automations.CancelAutomation(t.Context(), owner, w.ID, automation)
	f.Must(err)
	if state := f.State(automation); state != platen.AutomationRunning {
		t.Errorf("got %s, want RUNNING, so that the reconciler ends it", state)
	}
	_, err = f.answers(owner, w, output, "ada@example.com", true)
	storetest.WantKind(t, "an answer", err, platen.KindInvalid, "output_not_in_review")
	events := 0
	state, err := f.Automations.EndAbandonedAutomation(t.Context(), automation, 0, func(_ platen.Automation, o platen.Output) (platen.Event, error) {
		events++
		return storetest.EventFor(o)
	})
	f.Must(err)
	o, err := f.Outputs.Output(t.Context(), output)
	f.Must(err)
	if state != platen.AutomationCancelled || o.State != platen.OutputFailed || o.FailureCode != platen.CodeCancelled {
		t.Errorf("got %s, and the output %s %q, want both cancelled", state, o.State, o.FailureCode)
	}
}

// A run that was cancelled while another output waits leaves the end to the reconciler.
func TestACancelledRunEndsWhatWaits(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w := f.Workflow(owner)
	p := f.Running(w)
	f.review(p.Documents[0].OutputID, twoApprove)
	_, err := f.Automations.CancelAutomation(t.Context(), owner, w.ID, p.AutomationID)
	f.Must(err)
	_, err = f.Automations.EndAutomation(t.Context(), p.AutomationID, 1)
	f.Must(err)
	if n := f.Count(`SELECT count(*) FROM automations WHERE id = $1 AND state = 'RUNNING' AND attempt = 2`, p.AutomationID); n != 1 {
		t.Error("the automation does not wait for the reconciler in its next attempt")
	}
}

func TestErasingEndsTheWaitAndForgetsWhoAnswered(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, automation, output := f.reviewed(owner, twoApprove)
	_, err := f.answers(owner, w, output, "ada@example.com", true)
	f.Must(err)
	_, err = f.Automations.EraseAutomation(t.Context(), owner, w.ID, automation)
	f.Must(err)
	_, err = f.Automations.EndAbandonedAutomation(t.Context(), automation, 0, func(_ platen.Automation, o platen.Output) (platen.Event, error) { return storetest.EventFor(o) })
	f.Must(err)
	f.Exec(`UPDATE automations SET finished_at = now() - interval '2 days' WHERE id = $1`, automation)
	_, err = f.Automations.EraseExpiredData(t.Context(), 24*time.Hour, 100)
	f.Must(err)
	found, err := f.Outputs.WorkflowOutputs(t.Context(), owner, w.ID, platen.OutputQuery{IDs: []string{output}})
	f.Must(err)
	if len(found) != 1 || found[0].Review == nil || len(found[0].Review.Answers) != 1 || found[0].Review.Answers[0].By != "" || found[0].Review.Answers[0].For != "" {
		t.Errorf("got %+v, want an answer of nobody in particular", found)
	}
}

// An archived workflow begins nothing new, and what waits goes on.
func TestWhatWaitsOutlivesItsWorkflow(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, automation, output := f.reviewed(owner, platen.Approval{By: []string{"ada@example.com"}, ExpireDays: 30})
	f.Must(f.Workflows.ArchiveWorkflow(t.Context(), owner, w.ID, func(platen.Workflow) error { return nil }))
	_, err := f.answers(owner, w, output, "ada@example.com", true)
	f.Must(err)
	if state := f.State(automation); state != platen.AutomationAccepted {
		t.Errorf("got %s, want that it goes on", state)
	}
}

func TestNobodyElseDecides(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner, mallory := f.User(nil), f.User(nil)
	w, automation, output := f.reviewed(owner, twoApprove)
	_, err := f.answers(owner, w, output, owner.Email, true)
	storetest.WantKind(t, "the owner, who was not asked", err, platen.KindForbidden, "not_an_approver")
	_, err = f.answers(mallory, w, output, "ada@example.com", true)
	if err == nil {
		t.Error("somebody of another team answered")
	}
	_, err = f.Reviews.Answer(t.Context(), owner, w.ID, output, 7, nil)
	storetest.WantKind(t, "a link of another round", err, platen.KindInvalid, "review_superseded")
	if state := f.State(automation); state != platen.AutomationReview {
		t.Errorf("got %s, want that it still waits", state)
	}
}

// A retry makes the document from the beginning, and asks again in another round.
func TestARetryAsksAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, automation, output := f.reviewed(owner, twoApprove)
	_, err := f.answers(owner, w, output, "ada@example.com", false)
	f.Must(err)
	f.Must(f.Queue.MarkStarted(t.Context(), []platen.Automation{{ID: automation, Attempt: 2}}))
	_, _, err = f.Outputs.RecordOutput(t.Context(), output, func(o *platen.Output) error { return o.Fail(2, platen.CodeApprovalRejected, "why") }, storetest.EventFor)
	f.Must(err)
	state, err := f.Automations.EndAutomation(t.Context(), automation, 2)
	f.Must(err)
	if state != platen.AutomationFailed {
		t.Fatalf("got %s, want FAILED", state)
	}
	_, err = f.Automations.RetryAutomation(t.Context(), owner, w.ID, automation)
	f.Must(err)
	o, err := f.Outputs.Output(t.Context(), output)
	f.Must(err)
	if o.Verdict != "" || o.Attempt != 3 || o.Generation != 1 || !strings.Contains(strings.Join(o.ThrownAway, " "), "copy") {
		t.Errorf("got %+v, want it made again", o)
	}
	f.review(output, twoApprove)
	r, _, err := f.Reviews.Review(t.Context(), output)
	f.Must(err)
	if r.Round != 3 || len(r.Answers) != 0 {
		t.Errorf("got round %d with %d answers, want round 3 without any", r.Round, len(r.Answers))
	}
}

func TestReviewsThatNobodyLooksAfterAreFound(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	_, _, output := f.reviewed(f.User(nil), twoApprove)
	f.Exec(`DELETE FROM errands`)
	wake := func(want int) {
		t.Helper()
		n, err := f.Reviews.WakeOverdueReviews(context.Background(), time.Hour)
		f.Must(err)
		if n != want {
			t.Errorf("got %d, want %d", n, want)
		}
	}
	wake(0)
	f.Exec(`UPDATE reviews SET next_at = now() - interval '2 hours' WHERE output_id = $1`, output)
	wake(1)
	wake(0)
	if n := f.Count(`SELECT count(*) FROM errands WHERE kind = 'REVIEW'`); n != 1 {
		t.Errorf("got %d commands, want 1", n)
	}
	// A release that left the time of an output that it cancelled.
	f.Exec(`UPDATE outputs SET state = 'FAILED' WHERE id = $1`, output)
	f.Exec(`UPDATE reviews SET next_at = now() - interval '2 hours' WHERE output_id = $1`, output)
	wake(0)
	if n := f.Count(`SELECT count(*) FROM reviews WHERE next_at IS NOT NULL`); n != 0 {
		t.Errorf("%d reviews of outputs that have ended are still due", n)
	}
}

// The next of a key waits for what waits.
func TestWhatWaitsKeepsTheTurnOfItsKey(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w := f.Workflow(owner)
	ids := f.Accept(w, 2)
	f.Exec(`UPDATE automations SET order_number = 1, order_key = '\x01' WHERE id = $1`, ids[0])
	f.Exec(`UPDATE automations SET order_number = 2, order_key = '\x01', state = 'BEHIND' WHERE id = $1`, ids[1])
	p, err := f.Plans.Plan(t.Context(), ids[0])
	f.Must(err)
	f.Must(f.Queue.MarkStarted(t.Context(), storetest.Firsts(ids[0])))
	one := twoApprove
	one.Need = 1
	f.review(p.Documents[0].OutputID, one)
	_, err = f.Automations.EndAutomation(t.Context(), ids[0], 1)
	f.Must(err)
	behind := func(when string) {
		t.Helper()
		if state := f.State(ids[1]); state != "BEHIND" {
			t.Errorf("%s: got %s, want BEHIND", when, state)
		}
	}
	behind("while the first waits")
	_, err = f.answers(owner, w, p.Documents[0].OutputID, "ada@example.com", true)
	f.Must(err)
	behind("while the first goes on")
	f.Exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE id = $1`, ids[0])
	if state := f.State(ids[1]); state != platen.AutomationAccepted {
		t.Errorf("after the first: got %s, want ACCEPTED", state)
	}
}

// Operators see how many outputs wait, for how long, and whose mails do not leave; not who is
// asked.
func TestTheOverviewHasWhatWaitsForPeople(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, _, output := f.reviewed(owner, twoApprove)
	cancelled, other, _ := f.reviewed(owner, twoApprove)
	f.Exec(`UPDATE reviews SET requested_at = now() - interval '10 days', unsent = 'no server' WHERE output_id = $1`, output)
	o, err := f.Overview(t.Context())
	f.Must(err)
	if o.Reviews != 2 || o.OldestReview < 239*time.Hour || o.OldestReview > 241*time.Hour || o.ReviewsUnsent != 1 {
		t.Errorf("got %+v, want 2 that wait, one for 10 days and without a mail", o)
	}
	_, err = f.answers(owner, w, output, "ada@example.com", false)
	f.Must(err)
	_, err = f.Automations.CancelAutomation(t.Context(), owner, cancelled.ID, other)
	f.Must(err)
	_, err = f.Automations.EndAbandonedAutomation(t.Context(), other, 0, func(_ platen.Automation, o platen.Output) (platen.Event, error) { return storetest.EventFor(o) })
	f.Must(err)
	if o, err := f.Overview(t.Context()); err != nil || o.Reviews != 0 || o.OldestReview != 0 || o.ReviewsUnsent != 0 {
		t.Errorf("got %+v (%v), want that nothing waits", o, err)
	}
}
