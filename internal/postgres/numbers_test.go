package postgres_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/storetest"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/program"
)

// numbering has the documents of a workflow take numbers.
func numbering(series ...string) func(*platen.Workflow) {
	return func(w *platen.Workflow) {
		for i := range w.Documents {
			w.Documents[i].Numbers = series
		}
	}
}

func (f *harness) drawn(u platen.User, series string) []platen.DrawnNumber {
	f.T.Helper()
	all, err := f.Numbers.Drawn(f.T.Context(), u, platen.NumberQuery{Series: series})
	f.Must(err)
	return all
}

func TestAutomationsOfATeamCountOnInOneSeries(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	team := f.Team("Sales")
	ada, bea := f.User(team), f.User(team)
	for i, w := range []platen.Workflow{f.Workflow(ada, numbering("invoices")), f.Workflow(bea, numbering("invoices", "letters")), f.Workflow(f.User(nil), numbering("invoices"))} {
		want := []map[string]int64{{"invoices": 1}, {"invoices": 2, "letters": 1}, {"invoices": 1}}[i]
		p := f.Planned(w)
		if diff := cmp.Diff(want, p.Numbers); diff != "" {
			t.Errorf("workflow %d (-want +got):\n%s", i, diff)
		}
		again, err := f.Another().Plans.Plan(t.Context(), p.AutomationID)
		f.Must(err)
		if diff := cmp.Diff(p, again); diff != "" {
			t.Errorf("workflow %d, the plan changed (-first +later):\n%s", i, diff)
		}
	}
	if got, err := f.Numbers.Series(t.Context(), bea, "invoices"); err != nil || got.Next != 3 {
		t.Errorf("got %+v, %v; want that it goes on at 3", got, err)
	}
	if all, err := f.Numbers.AllSeries(t.Context(), ada); err != nil || len(all) != 2 || all[0].Name != "invoices" || all[1].Name != "letters" {
		t.Errorf("got %+v, %v; want invoices and letters", all, err)
	}
}

// The row of a series is the only place at which automations wait for each other.
func TestManyDrawAtOnceWithoutAGapOrADouble(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(f.Team("Sales"))
	one, other := f.Workflow(u, numbering("invoices", "letters")), f.Workflow(u, numbering("letters", "invoices"))
	ids := append(f.Accept(one, 40), f.Accept(other, 40)...)
	processes := []*postgres.DB{f.DB.DB, f.Another().DB}
	var drawing sync.WaitGroup
	for i, id := range ids {
		for _, db := range processes {
			drawing.Go(func() {
				if _, err := db.Plans.Plan(t.Context(), id); err != nil {
					t.Errorf("automation %d: %v", i, err)
				}
			})
		}
	}
	drawing.Wait()
	for _, series := range []string{"invoices", "letters"} {
		f.requireWhole(u, series, len(ids))
	}
}

// requireWhole wants so many numbers, each of one automation, from 1.
func (f *harness) requireWhole(u platen.User, series string, n int) {
	f.T.Helper()
	all, automations := f.drawn(u, series), map[string]bool{}
	for i, d := range all {
		if d.Number != int64(i+1) || d.UpTo != d.Number || automations[d.AutomationID] {
			f.T.Fatalf("%s: number %d is %+v; want each of one automation, without a gap", series, i+1, d)
		}
		automations[d.AutomationID] = true
	}
	if len(all) != n {
		f.T.Errorf("%s: got %d numbers, want %d", series, len(all), n)
	}
}

func TestATransactionThatEndsWithoutItsPlanKeepsNoNumber(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	w := f.Workflow(u, numbering("invoices"))
	ids := f.Accept(w, 2)
	// The plan is refused after the number was drawn.
	f.Exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.automation_id = '` + ids[0] + `' THEN RAISE EXCEPTION 'refused'; END IF; RETURN NEW; END $$`)
	f.Exec(`CREATE TRIGGER refuse BEFORE INSERT ON plans FOR EACH ROW EXECUTE FUNCTION refuse()`)
	if _, err := f.Plans.Plan(t.Context(), ids[0]); err == nil {
		t.Fatal("the plan was pinned")
	}
	p, err := f.Plans.Plan(t.Context(), ids[1])
	if err != nil || p.Numbers["invoices"] != 1 {
		t.Errorf("got %v, %v; want number 1, which the first did not keep", p.Numbers, err)
	}
}

func TestARetryKeepsItsNumber(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	p := f.Retried(f.Workflow(u, numbering("invoices")))
	again, err := f.Plans.Plan(t.Context(), p.AutomationID)
	f.Must(err)
	if again.Attempt != 2 || again.Numbers["invoices"] != 1 || len(f.drawn(u, "invoices")) != 1 {
		t.Errorf("got attempt %d with %v; want the second with number 1", again.Attempt, again.Numbers)
	}
}

func TestEachNumberSaysWhatBecameOfIt(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(f.Team("Sales"))
	w := f.Workflow(u, numbering("invoices"))
	open, made, failed, cancelled, erased := f.Running(w), f.Running(w), f.Running(w), f.Running(w), f.Running(w)
	end := func(p platen.Plan, change func(*platen.Output) error) {
		_, _, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, change, storetest.EventFor)
		f.Must(err)
		_, err = f.Automations.EndAutomation(t.Context(), p.AutomationID, 1)
		f.Must(err)
	}
	failing := func(code string) func(*platen.Output) error {
		return func(o *platen.Output) error { o.State, o.FailureCode = platen.OutputFailed, code; return nil }
	}
	end(made, storetest.Done)
	end(failed, failing("template_faulty"))
	_, err := f.Automations.CancelAutomation(t.Context(), u, w.ID, cancelled.AutomationID)
	f.Must(err)
	end(cancelled, failing(platen.CodeCancelled))
	end(erased, failing("data_unusable"))
	before := f.drawn(u, "invoices")
	for _, p := range []platen.Plan{made, erased} { // outputs go, and what became of the numbers stays
		f.Must(f.Automations.FinishErasure(t.Context(), platen.Erasure{AutomationID: p.AutomationID, By: platen.ErasedByRetention}))
	}
	for i, all := range [][]platen.DrawnNumber{before, f.drawn(u, "invoices")} {
		var got []string
		for _, n := range all {
			if n.WorkflowID != w.ID || (n.VoidAt != nil) != (n.State == platen.NumberVoid) {
				t.Errorf("got %+v; want its workflow, and when it is void since", n)
			}
			got = append(got, fmt.Sprint(n.Number, " ", n.State, " ", n.Code))
		}
		if diff := cmp.Diff([]string{"1 OPEN ", "2 USED ", "3 VOID template_faulty", "4 VOID cancelled", "5 VOID data_unusable"}, got); diff != "" {
			t.Errorf("list %d (-want +got):\n%s", i, diff)
		}
	}
	_, err = f.Automations.RetryAutomation(t.Context(), u, w.ID, failed.AutomationID)
	f.Must(err)
	void, err := f.Numbers.Drawn(t.Context(), u, platen.NumberQuery{Series: "invoices", States: []platen.NumberState{platen.NumberVoid}, After: 3, Limit: 1})
	if err != nil || len(void) != 1 || void[0].Number != 4 || void[0].AutomationID != cancelled.AutomationID {
		t.Errorf("got %+v, %v; want number 4", void, err)
	}
	if all := f.drawn(u, "invoices"); all[2].State != platen.NumberOpen {
		t.Errorf("after a retry: got %+v; want that number 3 is open again", all[2])
	}
	_ = open
}

func TestASeriesGoesOnAtAHigherNumberAndListsWhatItLeftOut(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	w := f.Workflow(u, numbering("invoices"))
	next := func(n int64) error { _, err := f.Numbers.SetNext(t.Context(), u, "invoices", n); return err }
	f.Must(next(1001))
	f.Must(next(1000)) // nothing was drawn yet
	if p := f.Planned(w); p.Numbers["invoices"] != 1000 {
		t.Fatalf("got %v, want 1000", p.Numbers)
	}
	storetest.WantKind(t, "a number that was given", next(1000), platen.KindInvalid, "number_given")
	f.Must(next(1001))
	f.Must(next(1011))
	if p := f.Planned(w); p.Numbers["invoices"] != 1011 {
		t.Errorf("got %v, want 1011", p.Numbers)
	}
	var got []string
	for _, n := range f.drawn(u, "invoices") {
		got = append(got, fmt.Sprint(n.Number, "–", n.UpTo, " ", n.State, " ", n.Code))
	}
	if diff := cmp.Diff([]string{"1000–1000 OPEN ", "1001–1010 VOID number_skipped", "1011–1011 OPEN "}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestASeriesOfAYearBeginsAtOneInTheNext(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	vienna, err := time.LoadLocation("Europe/Vienna")
	f.Must(err)
	f.Plans.Zone = vienna
	w := f.Workflow(u, numbering("invoices@year"))
	ids := f.Accept(w, 3)
	for i, at := range []string{"2026-12-31T22:59:59Z", "2026-12-31T23:00:00Z", "2027-06-01T00:00:00Z"} { // Vienna is an hour ahead
		f.Exec(`UPDATE automations SET accepted_at = $1 WHERE id = $2`, at, ids[i])
		p, err := f.Plans.Plan(t.Context(), ids[i])
		if n, ok := p.Number(p.Documents[0].Document, "invoices"); err != nil || !ok || n != []int64{1, 1, 2}[i] {
			t.Errorf("%s: got %d (%v), %v", at, n, p.Numbers, err)
		}
	}
	if a, b := len(f.drawn(u, "invoices@2026")), len(f.drawn(u, "invoices@2027")); a != 1 || b != 2 {
		t.Errorf("got %d numbers of 2026 and %d of 2027, want 1 and 2", a, b)
	}
}

// Who waits for a series takes no connection that others need.
func TestTeamsDoNotWaitForEachOthersSeries(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	busy, calm := f.User(f.Team("Busy")), f.User(f.Team("Calm"))
	w := f.Workflow(busy, numbering("invoices"))
	ids := f.Accept(w, 2*postgres.DefaultMaxConns)
	f.Must(func() error { _, err := f.Numbers.SetNext(t.Context(), busy, "invoices", 1); return err }())
	tx, err := f.Owner.Begin(t.Context())
	f.Must(err)
	_, err = tx.Exec(t.Context(), `SELECT FROM number_series WHERE holder_id = $1 FOR UPDATE`, busy.Team.ID)
	f.Must(err)
	var waiting sync.WaitGroup
	for _, id := range ids {
		waiting.Go(func() {
			if _, err := f.Plans.Plan(t.Context(), id); err != nil {
				t.Errorf("Plan: %v", err)
			}
		})
	}
	f.Must(program.Within(time.Minute, func() error {
		if n := f.Count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`); n != 1 {
			return fmt.Errorf("%d wait at the row, want 1", n)
		}
		return nil
	}))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	other := f.Workflow(calm, numbering("invoices"))
	if p, err := f.Plans.Plan(ctx, f.Accept(other, 1)[0]); err != nil || p.Numbers["invoices"] != 1 {
		t.Errorf("the other team: got %v, %v; want number 1 at once", p.Numbers, err)
	}
	f.Must(tx.Rollback(t.Context()))
	waiting.Wait()
	f.requireWhole(busy, "invoices", len(ids))
}

// TestNumbersUnderFaults draws many numbers while connections are cut off in the middle
// of what they do. PLATEN_NUMBERS says how many; `make numbers` draws a million.
func TestNumbersUnderFaults(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	most := int(testkit.Number(t, "PLATEN_NUMBERS", 300))
	u := f.User(f.Team("Sales"))
	w := f.Workflow(u, numbering("invoices"))
	const drawers, batch = 8, 1000
	processes := []*postgres.DB{f.DB.DB, f.Another().DB}
	ended, stop := make(chan struct{}), make(chan struct{})
	cuts := 0
	go func() {
		defer close(ended)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				n, err := f.cut()
				if err != nil {
					t.Errorf("cut a connection off: %v", err)
					return
				}
				cuts += n
			}
		}
	}()
	retried := 0
	for from := 0; from < most; from += batch {
		ids := f.accepted(w, min(batch, most-from))
		retried += f.drawAll(processes, ids, drawers)
	}
	close(stop)
	<-ended
	var numbers, automations, least, highest, plans int
	f.Must(f.Owner.QueryRow(t.Context(), `SELECT count(*), count(DISTINCT automation_id), min(number), max(number) FROM numbers WHERE holder_id = $1`, u.Team.ID).Scan(&numbers, &automations, &least, &highest))
	f.Must(f.Owner.QueryRow(t.Context(), `SELECT count(*) FROM plans p JOIN numbers n ON n.automation_id = p.automation_id AND n.number = (p.plan->'numbers'->>'invoices')::bigint`).Scan(&plans))
	if numbers != most || automations != most || least != 1 || highest != most || plans != most {
		t.Errorf("%d numbers from %d to %d of %d automations, %d of them in plans; want %d from 1, without a gap or a double", numbers, least, highest, automations, plans, most)
	}
	t.Logf("%d numbers, %d connections cut off, %d draws repeated for it", numbers, cuts, retried)
}

// cut ends the transactions of some backends that draw at this moment.
func (f *harness) cut() (n int, err error) {
	err = f.Owner.QueryRow(f.T.Context(), `
		SELECT count(pg_terminate_backend(pid))
		FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL AND random() < 0.1
			AND (query LIKE '%number_series%' OR query ILIKE 'commit%' OR query LIKE '%INSERT INTO plans%')`).Scan(&n)
	return n, err
}

// accepted stores automations at once.
func (f *harness) accepted(w platen.Workflow, n int) []string {
	f.T.Helper()
	ids := make([]string, n)
	rows := make([][]any, n)
	for i := range ids {
		ids[i] = platen.NewID(platen.PrefixAutomation)
		rows[i] = []any{ids[i], w.ID, w.Source.ID, w.Owner.ID, w.Team.ID, "RUNNING", "", time.Now(), []byte(`{}`), ""}
	}
	_, err := f.Owner.CopyFrom(f.T.Context(), pgx.Identifier{"automations"}, []string{"id", "workflow_id", "source_id", "owner_id", "team_id", "state", "reason", "accepted_at", "body", "request_id"}, pgx.CopyFromRows(rows))
	f.Must(err)
	return ids
}

// drawAll pins the plans of automations, each until it is pinned, and returns how often
// one was tried again.
func (f *harness) drawAll(processes []*postgres.DB, ids []string, drawers int) (retried int) {
	f.T.Helper()
	var drawing sync.WaitGroup
	again := make([]int, drawers)
	for i, part := range slices.Collect(slices.Chunk(ids, (len(ids)+drawers-1)/drawers)) {
		drawing.Go(func() {
			for _, id := range part {
				for tries := 0; ; tries++ {
					db := processes[rand.IntN(len(processes))]
					p, err := db.Plans.Plan(f.T.Context(), id)
					if err == nil && p.Numbers["invoices"] > 0 {
						again[i] += tries
						break
					}
					if err == nil || tries == 100 || f.T.Context().Err() != nil {
						f.T.Errorf("automation %s has %v after %d tries: %v", id, p.Numbers, tries, err)
						return
					}
				}
			}
		})
	}
	drawing.Wait()
	for _, n := range again {
		retried += n
	}
	return retried
}

func TestATestDrawsNoNumber(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	w := f.Workflow(u, numbering("invoices"))
	id := f.Accept(w, 1)[0]
	f.Exec(`UPDATE automations SET test = true WHERE id = $1`, id)
	p, err := f.Plans.Plan(t.Context(), id)
	f.Must(err)
	if n, ok := p.Number(p.Documents[0].Document, "invoices"); !p.Test || n != platen.SampleNumber || !ok || len(f.drawn(u, "invoices")) > 0 {
		t.Errorf("got %d, %v, and %d numbers drawn; want 0, and none", n, ok, len(f.drawn(u, "invoices")))
	}
}
