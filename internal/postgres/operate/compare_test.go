package operate_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestTheLatestOutputsOfEachDocumentAreListed(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	u := f.User(nil)
	w := f.Workflow(u)
	var made []string // the newest first
	for i := range 4 {
		o := f.Planned(w).Documents[0].OutputID
		if i < 3 {
			f.Exec(`UPDATE outputs SET state = 'DONE' WHERE id = $1`, o)
			made = append([]string{o}, made...)
		}
	}
	other := f.Workflow(f.User(nil), func(w *platen.Workflow) { w.Name = "Offers" })
	f.Exec(`UPDATE outputs SET state = 'DONE' WHERE id = $1`, f.Planned(other).Documents[0].OutputID)
	archived := f.Workflow(u)
	f.Exec(`UPDATE outputs SET state = 'DONE' WHERE id = $1`, f.Planned(archived).Documents[0].OutputID)
	f.Exec(`UPDATE workflows SET status = 'ARCHIVED' WHERE id = $1`, archived.ID)
	for name, c := range map[string]struct {
		q    platen.LatestOutputQuery
		want int
	}{
		"two of each document": {platen.LatestOutputQuery{Last: 2, Limit: 9}, 3}, "one owner, by address": {platen.LatestOutputQuery{Last: 9, Limit: 9, Owner: strings.ToUpper(u.Email)}, 3},
		"one owner, by id": {platen.LatestOutputQuery{Last: 9, Limit: 9, Owner: u.ID}, 3}, "one workflow": {platen.LatestOutputQuery{Last: 9, Limit: 9, Workflow: other.ID}, 1},
		"as many as asked for": {platen.LatestOutputQuery{Last: 9, Limit: 2}, 2}, "nobody": {platen.LatestOutputQuery{Last: 9, Limit: 9, Owner: "nobody"}, 0},
	} {
		got, err := f.Automations.LatestOutputs(t.Context(), c.q)
		if err != nil || len(got) != c.want {
			t.Errorf("%s: got %+v, %v; want %d", name, got, err, c.want)
		}
		if c.want > 1 && (got[0].ID != made[0] || got[1].ID != made[1] || got[0].Workflow != w.Name || got[0].DocumentID != w.Documents[0].ID) {
			t.Errorf("%s: got %+v, want %v in front", name, got, made[:2])
		}
	}
}

func TestAStoredPlanIsReadAndNotPinned(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	id := f.Accept(w, 1)[0]
	if got, err := f.Plans.StoredPlan(t.Context(), id); err != nil || len(got.Documents) != 0 || f.Count(`SELECT count(*) FROM plans`) != 0 {
		t.Errorf("before a run: got %+v, %v; want none", got, err)
	}
	want, err := f.Plans.Plan(t.Context(), id)
	f.Must(err)
	if got, err := f.Plans.StoredPlan(t.Context(), id); err != nil || len(got.Documents) != 1 || got.Documents[0].OutputID != want.Documents[0].OutputID {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	_, err = f.Plans.StoredPlan(t.Context(), "aut_none")
	storetest.WantKind(t, "no automation", err, platen.KindNotFound, "automation_not_found")
}
