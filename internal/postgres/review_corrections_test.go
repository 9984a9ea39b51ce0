package postgres_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// corrects has the data of an output corrected by an address.
func (f *harness) corrects(owner platen.User, w platen.Workflow, outputID, address string, round int, data string) ([]string, error) {
	ctx, _ := storetest.Acting(f.T.Context(), owner, "correct")
	return f.Reviews.Correct(ctx, owner, w.ID, outputID, round, []byte(data), func(_ platen.Review, now time.Time) (platen.ReviewCorrection, error) {
		return platen.ReviewCorrection{By: address, At: now, UserID: owner.ID}, nil
	})
}

// Who corrects the data of what waits has it made again, and all are asked once more.
func TestACorrectionAsksAllAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, automation, output := f.reviewed(owner, twoApprove)
	sent, err := f.Automations.SourceData(t.Context(), automation)
	f.Must(err)
	_, err = f.answers(owner, w, output, "ada@example.com", true)
	f.Must(err)
	fields, err := f.corrects(owner, w, output, "Bob@example.com", 1, `{"Corrected": "`+storetest.Canary+`"}`)
	f.Must(err)
	if !slices.Contains(fields, "Corrected") {
		t.Errorf("got %v, want the field that is new", fields)
	}
	o, err := f.Outputs.Output(t.Context(), output)
	f.Must(err)
	if o.State != platen.OutputPending || o.Attempt != 2 || o.Generation != 1 || o.PDF != nil || !slices.Contains(o.ThrownAway, "copy") || f.State(automation) != platen.AutomationAccepted {
		t.Errorf("got %+v and %s, want it made again by the next attempt", o, f.State(automation))
	}
	for attempt, want := range []string{`{"Corrected": "` + storetest.Canary + `"}`, string(sent), `{"Corrected": "` + storetest.Canary + `"}`} {
		got, err := f.Another().Automations.OutputData(t.Context(), automation, output, attempt)
		f.Must(err)
		if string(got) != want {
			t.Errorf("attempt %d is made of %s, want %s", attempt, got, want)
		}
	}
	_, err = f.answers(owner, w, output, "bob@example.com", true)
	storetest.WantKind(t, "an answer about what is made again", err, platen.KindInvalid, "review_ended")
	f.Exec(`UPDATE automations SET state = 'RUNNING' WHERE id = $1`, automation)
	f.review(output, twoApprove)
	r, _, err := f.Reviews.Review(t.Context(), output)
	f.Must(err)
	if r.Round != 2 || len(r.Answers) != 0 || r.Verdict != "" || r.Correction == nil || r.Correction.By != "Bob@example.com" || !slices.Equal(r.Correction.Fields, fields) {
		t.Errorf("got %+v, want a round without answers that says who corrected what", r)
	}
	found, err := f.Outputs.WorkflowOutputs(t.Context(), owner, w.ID, platen.OutputQuery{IDs: []string{output}})
	f.Must(err)
	if len(found) != 1 || found[0].Review.Correction == nil {
		t.Errorf("got %+v, want the correction in lists", found)
	}
	if n := f.Count(`SELECT count(*) FROM audit WHERE object_id = $1 AND outcome = 'done' AND fields = $2`, output, fields); n != 1 {
		t.Errorf("the audit has %d entries with the fields, want 1", n)
	}
	if n := f.Count(`SELECT count(*) FROM review_corrections WHERE position('`+storetest.Canary+`'::bytea IN body) > 0 OR position('ob@example'::bytea IN detail) > 0`) + f.Count(`SELECT count(*) FROM audit WHERE audit::text LIKE '%`+storetest.Canary+`%'`); n != 0 {
		t.Error("what was corrected can be read in a table")
	}
}

// A restore may have forgotten that people let the document out and that its receiver was told.
// Temporal has the run of that; then the correction must not throw the files away.
func TestACorrectionOfWhatARestoreForgotKeepsTheFilesThatWereTold(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, automation, output := f.reviewed(owner, twoApprove)
	_, err := f.corrects(owner, w, output, "Bob@example.com", 1, `{"Corrected": "yes"}`)
	f.Must(err)
	ok, err := f.Automations.TakeOver(t.Context(), automation, platen.LatestRun{Attempt: 2, Completed: true})
	if err != nil || !ok {
		t.Fatalf("got %v, %v; want the run that the restore forgot taken over", ok, err)
	}
	f.Must(f.Automations.MakeAgain(t.Context(), automation, 2))
	o, err := f.Outputs.Output(t.Context(), output)
	if err != nil || o.State != platen.OutputPending || !o.KeepsFiles || len(o.ThrownAway) != 0 {
		t.Errorf("got %+v, %v; want it made again beside the files of before", o, err)
	}
}

// The same of what people still look at when the run that let it out is found: however it ends,
// no file of it is thrown away.
func TestWhatIsReviewedAgainAfterARestoreKeepsTheFilesThatWereTold(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(f *harness, owner platen.User, w platen.Workflow, automation, output string) error{
		"corrected": func(f *harness, owner platen.User, w platen.Workflow, _, output string) error {
			_, err := f.corrects(owner, w, output, "Bob@example.com", 1, `{"Corrected": "yes"}`)
			return err
		},
		"cancelled": func(f *harness, _ platen.User, _ platen.Workflow, automation, _ string) error {
			_, err := f.Automations.EndAbandonedAutomation(t.Context(), automation, 2, func(_ platen.Automation, o platen.Output) (platen.Event, error) { return storetest.EventFor(o) })
			return err
		},
	} {
		f := newHarness(t)
		owner := f.User(nil)
		w, automation, output := f.reviewed(owner, twoApprove)
		f.Exec(`UPDATE automations SET state = 'RUNNING' WHERE id = $1`, automation) // another output of it is made
		ok, err := f.Automations.TakeOver(t.Context(), automation, platen.LatestRun{Attempt: 2, Completed: true, Cancelled: name == "cancelled"})
		if err != nil || !ok {
			t.Fatalf("%s: got %v, %v; want the run taken over", name, ok, err)
		}
		f.Must(end(f, owner, w, automation, output))
		o, err := f.Outputs.Output(t.Context(), output)
		if err != nil || o.State == platen.OutputReview || !o.KeepsFiles || o.Copy != nil || o.PDFID != "" || len(o.ThrownAway) != 0 {
			t.Errorf("%s: got %+v, %v; want no file to throw away", name, o, err)
		}
	}
}

// A correction needs a round that waits, its approver, and a change.
func TestACorrectionIsRefused(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, automation, output := f.reviewed(owner, twoApprove)
	same, err := f.Automations.SourceData(t.Context(), automation)
	f.Must(err)
	for _, c := range []struct {
		what, address string
		round         int
		data          string
		kind          platen.Kind
		code          string
	}{
		{"another round", "ada@example.com", 2, `{}`, platen.KindInvalid, "review_superseded"},
		{"somebody else", owner.Email, 1, `{"A": 1}`, platen.KindForbidden, "not_an_approver"},
		{"the same data", "ada@example.com", 1, string(same), platen.KindInvalid, "nothing_corrected"},
	} {
		_, err := f.corrects(owner, w, output, c.address, c.round, c.data)
		storetest.WantKind(t, c.what, err, c.kind, c.code)
	}
	_, err = f.corrects(f.User(nil), w, output, "ada@example.com", 0, `{"A": 1}`)
	if platen.KindOf(err) != platen.KindNotFound {
		t.Errorf("another tenant: got %v, want that there is no such workflow", err)
	}
	f.Exec(`INSERT INTO review_corrections (output_id, round, body, detail, user_id) SELECT $1, -n, '', '', '' FROM generate_series(1, 49) n`, output)
	_, err = f.corrects(owner, w, output, "ada@example.com", 0, `{"A": 1}`)
	f.Must(err)
	f.Exec(`UPDATE automations SET state = 'RUNNING' WHERE id = $1`, automation)
	f.review(output, twoApprove)
	_, err = f.corrects(owner, w, output, "ada@example.com", 0, `{"A": 2}`)
	storetest.WantKind(t, "the 51st", err, platen.KindInvalid, "too_many_corrections")
	f.Exec(`UPDATE reviews SET expires_at = now() WHERE output_id = $1`, output)
	_, err = f.corrects(owner, w, output, "ada@example.com", 0, `{"A": 3}`)
	storetest.WantKind(t, "after its time", err, platen.KindInvalid, "review_ended")
}

// What was typed in wrong may be corrected once more: a retry alone would fail in the same way
// each time, and the number of the run would be lost with it.
func TestWhatCannotBeMadeOfACorrectionIsCorrectedAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, automation, output := f.reviewed(owner, twoApprove)
	_, err := f.corrects(owner, w, output, "ada@example.com", 1, `{"Total": "much", "Name": "Ada"}`)
	f.Must(err)
	f.Exec(`UPDATE automations SET state = 'RUNNING' WHERE id = $1`, automation)
	_, err = f.corrects(owner, w, output, "ada@example.com", 1, `{"Total": 1, "Name": "Ada"}`)
	storetest.WantKind(t, "while it is made", err, platen.KindInvalid, "review_ended")
	_, err = f.Automations.FailAutomation(t.Context(), automation, 2, "data_unusable", "Total is no number.")
	f.Must(err)
	_, err = f.corrects(owner, w, output, owner.Email, 1, `{"Total": 1, "Name": "Ada"}`)
	storetest.WantKind(t, "by somebody else", err, platen.KindForbidden, "not_an_approver")
	fields, err := f.corrects(owner, w, output, "ada@example.com", 1, `{"Total": 1, "Name": "Ada"}`)
	f.Must(err)
	if !slices.Equal(fields, []string{"Total"}) {
		t.Errorf("got %v, want what differs from the last correction", fields)
	}
	o, err := f.Outputs.Output(t.Context(), output)
	f.Must(err)
	if o.State != platen.OutputPending || o.Attempt != 3 || f.State(automation) != platen.AutomationAccepted {
		t.Errorf("got %+v and %s, want it made again by the next attempt", o, f.State(automation))
	}
	f.Exec(`UPDATE automations SET state = 'RUNNING' WHERE id = $1`, automation)
	f.review(output, twoApprove)
	r, _, err := f.Reviews.Review(t.Context(), output)
	f.Must(err)
	if r.Round != 3 || !slices.Contains(r.Correction.Fields, "Name") || !slices.Contains(r.Correction.Fields, "Total") {
		t.Errorf("got %+v, want all that differs from what was seen in the round before", r.Correction)
	}
}

// The database holds no U+0000, and data may.
func TestAFieldOfAnyNameIsCorrected(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, _, output := f.reviewed(owner, twoApprove)
	_, err := f.corrects(owner, w, output, "ada@example.com", 1, `{"a\u0000b": 1}`)
	f.Must(err)
}

// Of a correction and the last approval at one moment one counts, and the other is refused.
func TestACorrectionAndADecisionAtOneMomentAreOne(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	one := twoApprove
	one.Need = 1
	for range 10 {
		w, automation, output := f.reviewed(owner, one)
		var both sync.WaitGroup
		var decided, corrected error
		both.Go(func() { _, decided = f.answers(owner, w, output, "ada@example.com", true) })
		both.Go(func() { _, corrected = f.corrects(owner, w, output, "bob@example.com", 1, `{"A": 1}`) })
		both.Wait()
		if (decided == nil) == (corrected == nil) {
			t.Fatalf("got %v and %v, want one of both", decided, corrected)
		}
		o, err := f.Outputs.Output(t.Context(), output)
		f.Must(err)
		if want := map[bool]platen.Verdict{true: platen.VerdictApproved}[decided == nil]; o.Verdict != want || o.Attempt != 2 || f.Count(`SELECT attempt FROM automations WHERE id = $1`, automation) != 2 {
			t.Errorf("got %+v, want verdict %q in attempt 2", o, want)
		}
		if n := f.Count(`SELECT count(*) FROM review_corrections WHERE output_id = $1`, output); (n == 1) != (corrected == nil) {
			t.Errorf("got %d corrections, and %v", n, corrected)
		}
	}
}

// A correction goes with the source data.
func TestErasingForgetsCorrections(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	w, automation, output := f.reviewed(owner, twoApprove)
	_, err := f.corrects(owner, w, output, "ada@example.com", 0, `{"A": 1}`)
	f.Must(err)
	f.Exec(`UPDATE automations SET state = 'FAILED', finished_at = now() - interval '2 days' WHERE id = $1`, automation)
	_, err = f.Automations.EraseExpiredData(t.Context(), 24*time.Hour, 100)
	f.Must(err)
	if n := f.Count(`SELECT count(*) FROM review_corrections WHERE body = '' AND detail = ''`); n != 1 {
		t.Error("the correction stays")
	}
	if _, err := f.Another().Automations.OutputData(t.Context(), automation, output, 0); !platen.IsDataErased(err) {
		t.Errorf("got %v, want that it is erased", err)
	}
	if found, err := f.Outputs.WorkflowOutputs(t.Context(), owner, w.ID, platen.OutputQuery{IDs: []string{output}}); err != nil || len(found) != 1 {
		t.Errorf("got %v (%v), want the output without who corrected it", found, err)
	}
}
