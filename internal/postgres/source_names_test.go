package postgres_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// send accepts events with these lists of fields, each in a batch of its own.
func (f *harness) send(w platen.Workflow, lists ...[]string) {
	f.T.Helper()
	for _, names := range lists {
		f.Must(storetest.Send(f.T.Context(), f.DB.DB, storetest.Event(w, names...)))
		f.Exec(`UPDATE source_names SET seen_at = seen_at - interval '2 minutes'`)
	}
}

func (f *harness) seen(w platen.Workflow) (names []string) {
	f.T.Helper()
	all, err := f.Sources.SeenFields(f.T.Context(), w.ID)
	f.Must(err)
	for _, s := range all {
		names = append(names, fmt.Sprintf("%s %d %v", s.Name, s.Lists, s.SeenAt.IsZero()))
	}
	return names
}

func TestOneBadEventTakesNoNameOutOfTheHistory(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner := f.User(nil)
	good, bad := []string{"Name", "Items.Price"}, []string{"nmae"}
	w := f.Workflow(owner)
	f.send(w, good, good, good)
	if n := f.Count(`SELECT count(*) FROM source_names`); n != 0 {
		t.Errorf("events that are alike: got %d names kept, want none written", n)
	}
	f.send(w, bad)
	if got, want := f.seen(w), []string{"nmae 0 true", "Items.Price 1 false", "Name 1 false"}; !slices.Equal(got, want) {
		t.Errorf("after a bad event: got %q, want %q", got, want)
	}
	if got := f.Fields(w); !slices.Equal(got, bad) {
		t.Errorf("sourceFields: got %q, want those of the last event", got)
	}
	f.send(w, good, bad, good)
	if got, want := f.seen(w), []string{"Name 2 true", "Items.Price 2 true", "nmae 2 false"}; !slices.Equal(got, want) {
		t.Errorf("in turns: got %q, want %q", got, want)
	}

	given := f.Workflow(owner, func(w *platen.Workflow) { w.Source.Fields, w.Source.FieldsGiven = []string{"Given"}, true })
	f.send(given, good, bad)
	if got, want := f.seen(given), []string{"nmae 0 true", "Items.Price 1 false", "Name 1 false"}; !slices.Equal(got, want) {
		t.Errorf("of a source with given fields: got %q, want %q", got, want)
	}
	if got := f.Fields(given); !slices.Equal(got, []string{"Given"}) {
		t.Errorf("given fields: got %q", got)
	}
}

func TestTheHistoryOfFieldsIsBounded(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	names := func(prefix string, n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint(prefix, i))
		}
		return list
	}
	f.send(w, names("a", 300), names("b", 300), names("c", 700))
	if n := f.Count(`SELECT count(*) FROM source_names`); n != platen.MaxSeenFields {
		t.Errorf("got %d names, want the last %d", n, platen.MaxSeenFields)
	}
	if n := f.Count(`SELECT count(*) FROM source_names WHERE name LIKE 'b%'`); n != 300 {
		t.Errorf("got %d names of the later list, want all 300", n)
	}
	f.send(w, names("d", 1))
	f.Exec(`UPDATE source_names SET seen_at = now()`)
	f.send(w, names("e", 1)) // 500 came within the minute
	if n := f.Count(`SELECT count(*) FROM source_names WHERE name LIKE 'd%'`); n != 0 {
		t.Errorf("a sender with values as names: got %d more, want none within the minute", n)
	}
}

func TestTheHistoryOfFieldsEndsWithTheWorkflowAndIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	f, serve := walled(t)
	ada, eve := f.User(nil), f.User(nil)
	w := f.Workflow(ada)
	f.send(w, []string{"A"}, []string{"B"})
	as := func(u platen.User) ([]platen.SeenField, error) {
		return serve.Sources.SeenFields(platen.WithCaller(t.Context(), u), w.ID)
	}
	if got, err := as(ada); err != nil || len(got) != 2 || got[1].Name != "A" || time.Since(got[1].SeenAt) > time.Hour {
		t.Errorf("the owner: got %v, %v", got, err)
	}
	_, err := as(eve)
	storetest.WantKind(t, "another tenant", err, platen.KindNotFound, "workflow_not_found")
	f.Must(serve.Workflows.ArchiveWorkflow(platen.WithCaller(t.Context(), ada), ada, w.ID, nil))
	if n := f.Count(`SELECT count(*) FROM source_names`); n != 0 {
		t.Errorf("got %d names after the workflow was archived, want none", n)
	}
}
