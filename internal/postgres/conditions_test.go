package postgres_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// deciding has conditions hold that the event of an automation names.
func (f *harness) deciding() {
	f.Plans.Decide = func(p *platen.Plan, event []byte) error {
		return p.Decide(func(_ platen.Document, c platen.Condition) (bool, error) {
			if c.When == "faulty" {
				return false, platen.Errorf(platen.KindInvalid, "condition_faulty", "it cannot be worked out")
			}
			return strings.Contains(string(event), c.When), nil
		})
	}
}

// conditional is a workflow with a document of each of these conditions.
func (f *harness) conditional(conditions ...string) platen.Workflow {
	return f.Workflow(f.User(nil), func(w *platen.Workflow) {
		w.Documents = nil
		for _, when := range conditions {
			d := storetest.NewDocument(w.ID, storetest.Now())
			d.When, d.Email, d.Numbers = when, nil, []string{"invoices"}
			w.Documents = append(w.Documents, d)
		}
	})
}

func TestWhatConditionsSkipIsPinnedAndListed(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.deciding()
	w := f.conditional("large", "", "small")
	e := storetest.Event(w)
	e.Body = []byte(`{"a": "small"}`)
	f.Must(storetest.Send(t.Context(), f.DB.DB, e))
	p, err := f.Plans.Plan(t.Context(), e.AutomationID)
	f.Must(err)
	want := []platen.Skipped{{DocumentID: w.Documents[0].ID, Part: platen.PartDocument, When: "large"}}
	if len(p.Documents) != 2 || !slices.Equal(p.Skipped, want) || len(p.Numbers) != 1 {
		t.Errorf("got %d documents, skipped %v, numbers %v; want two and %v", len(p.Documents), p.Skipped, p.Numbers, want)
	}
	// A condition that somebody changes later counts for later automations.
	_, err = f.Documents.UpdateDocument(t.Context(), w.Owner, w.ID, w.Documents[0].ID, func(d *platen.Document) error { d.When = ""; return nil })
	f.Must(err)
	again, err := f.Another().Plans.Plan(t.Context(), e.AutomationID)
	f.Must(err)
	if len(again.Documents) != 2 || !slices.Equal(again.Skipped, want) {
		t.Errorf("again: got %d documents and %v, want what was pinned", len(again.Documents), again.Skipped)
	}
	a := f.Automation(w, e.AutomationID)
	if len(a.Outputs) != 2 || !slices.Equal(a.Skipped, want) {
		t.Errorf("the automation: got %d outputs and %v", len(a.Outputs), a.Skipped)
	}
}

func TestAnAutomationOfWhichAllIsSkippedCompletes(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.deciding()
	w := f.conditional("large", "huge")
	id := f.Accept(w, 1)[0]
	for range 2 {
		p, err := f.Plans.Plan(t.Context(), id)
		f.Must(err)
		if len(p.Documents) != 0 || len(p.Skipped) != 2 || len(p.Numbers) != 0 {
			t.Errorf("got %+v, want nothing but what is skipped", p)
		}
	}
	state, err := f.Automations.EndAutomation(t.Context(), id, 1)
	f.Must(err)
	if a := f.Automation(w, id); state != platen.AutomationCompleted || a.State != platen.AutomationCompleted || len(a.Skipped) != 2 || a.Failure != "" {
		t.Errorf("got %s and %+v, want COMPLETED", state, a)
	}
	if n := f.Count(`SELECT count(*) FROM numbers`); n != 0 {
		t.Errorf("%d numbers were drawn for nothing", n)
	}
}

func TestAConditionThatCannotBeWorkedOutSkipsNothing(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.deciding()
	w := f.conditional("", "faulty")
	id := f.Accept(w, 1)[0]
	_, err := f.Plans.Plan(t.Context(), id)
	storetest.WantKind(t, "a faulty condition", err, platen.KindInvalid, "condition_faulty")
	f.Plans.Decide = nil
	if _, err := f.Plans.Plan(t.Context(), id); err == nil || errors.As(err, new(*platen.Error)) {
		t.Errorf("without anybody who decides: got %v, want an error of ours", err)
	}
	if n := f.Count(`SELECT count(*) FROM plans`); n != 0 {
		t.Errorf("%d plans are pinned", n)
	}
}

func TestTheLatestEventsAreThoseOfTheWorkflowThatAreThere(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	w, other := f.Workflow(u), f.Workflow(u)
	f.Accept(other, 1)
	ids := f.Accept(w, 5)
	f.Exec(`UPDATE automations SET test = true WHERE id = $1`, ids[0])
	f.Exec(`UPDATE automations SET state = 'SKIPPED', reason = 'KEY_REUSED', finished_at = now() WHERE id = $1`, ids[1])
	_, err := f.Automations.EraseAutomation(t.Context(), u, w.ID, ids[2])
	f.Must(err)
	look := func(most, size int) (found []string) {
		t.Helper()
		events, err := f.Another().Automations.LatestEvents(t.Context(), w.ID, most, size)
		f.Must(err)
		for _, e := range events {
			body, err := f.Automations.SourceData(t.Context(), e.AutomationID)
			f.Must(err)
			if string(e.Body) != string(body) || e.AcceptedAt.IsZero() {
				t.Errorf("%s: got %q of %s, want its data", e.AutomationID, e.Body, e.AcceptedAt)
			}
			found = append(found, e.AutomationID)
		}
		return found
	}
	var size int
	f.Must(f.Owner.QueryRow(t.Context(), `SELECT octet_length(body) FROM automations WHERE id = $1`, ids[4]).Scan(&size))
	for want, got := range map[string][]string{
		ids[4] + " " + ids[3]: look(10, 1<<20),
		ids[4]:                look(1, 1<<20),
		ids[4] + "":           look(10, size),
		"":                    look(10, size-1),
	} {
		if strings.Join(got, " ") != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}
