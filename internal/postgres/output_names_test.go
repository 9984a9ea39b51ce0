package postgres_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

func TestOutputsAreFoundByTheWordsOfTheirName(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	w := f.Workflow(f.User(nil))
	find := func(q platen.OutputQuery) (names []string) {
		t.Helper()
		found, err := f.Outputs.WorkflowOutputs(t.Context(), w.Owner, w.ID, q)
		f.Must(err)
		for _, o := range found {
			names = append(names, o.PDF.Name)
		}
		return names
	}
	record := func(w platen.Workflow, name string) (string, string) {
		p := f.Planned(w)
		_, _, err := f.Outputs.RecordOutput(t.Context(), p.Documents[0].OutputID, storetest.Named(name), storetest.EventFor)
		f.Must(err)
		return p.AutomationID, p.Documents[0].OutputID
	}
	const kiel, straße, injection = "Invoice_17-Kiel.pdf", "Rechnung 18 – Kiel, Große Straße.pdf", "'; DROP TABLE outputs; -- %_.pdf"
	automation, id := record(w, kiel)
	record(w, straße)
	record(w, injection)
	record(w, strings.Repeat("long ", 2000)+strings.Repeat("x", 3000)) // as a name from outside may be
	record(f.Workflow(w.Owner), "Invoice 17 Kiel.pdf")
	for asked, want := range map[string][]string{
		"kiel": {kiel, straße}, "KIEL 17": {kiel}, "17, Kiel": {kiel}, "invoice_17-kiel.pdf": {kiel}, "große": {straße}, "rechnung kiel": {straße},
		"Hamburg": nil, "kie": nil, "kiel hamburg": nil, "table DROP": {injection}, "%": nil, "'": nil, "...": nil,
	} {
		if got := find(platen.OutputQuery{Name: asked}); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", asked, got, want)
		}
	}
	if got := find(platen.OutputQuery{Name: "long"}); len(got) != 1 {
		t.Errorf("a word of a long name: got %d outputs, want 1", len(got))
	}
	if got := find(platen.OutputQuery{Name: "kiel", Page: platen.Page{Limit: 1, Newest: true}}); !slices.Equal(got, []string{straße}) {
		t.Errorf("the newest: got %q, want %q", got, straße)
	}
	if got := find(platen.OutputQuery{Name: "kiel", IDs: []string{id}}); !slices.Equal(got, []string{kiel}) {
		t.Errorf("of an id: got %q, want %q", got, kiel)
	}
	if got := find(platen.OutputQuery{Name: "kiel", States: []platen.OutputState{platen.OutputFailed}}); got != nil {
		t.Errorf("of failed ones: got %q, want none", got)
	}
	gone, idOfGone := record(w, "Kept for a while.pdf")
	for _, e := range []platen.Erasure{{AutomationID: automation}, {AutomationID: gone, By: platen.ErasedByRetention}} {
		f.Exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now(), erase_requested_at = now() WHERE id = $1`, e.AutomationID)
		f.Must(f.Automations.FinishErasure(t.Context(), e))
	}
	var left int
	f.Must(f.Owner.QueryRow(t.Context(), `SELECT count(*) FROM output_words WHERE output_id IN ($1, $2)`, id, idOfGone).Scan(&left))
	if left != 0 {
		t.Errorf("after their erasure: got %d words, want none", left)
	}
}

func TestAnOutputThatFailedIsFoundByItsNameInAllWorkflows(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	owner, stranger := f.User(nil), f.User(nil)
	w, other := f.Workflow(owner), f.Workflow(owner)
	find := func(caller platen.User, q platen.OutputQuery) (ids []string) {
		t.Helper()
		found, err := f.Outputs.CallersOutputs(t.Context(), caller, q)
		f.Must(err)
		for _, o := range found {
			ids = append(ids, o.WorkflowID+" "+o.ID)
		}
		return ids
	}
	failed, made := f.Planned(w), f.Planned(other)
	idOfFailed, idOfMade := failed.Documents[0].OutputID, made.Documents[0].OutputID
	_, err := f.Outputs.UpdateOutput(t.Context(), idOfFailed, func(o *platen.Output) error {
		_, err := o.BeginCopy(1, "Invoice 19 Jensen")
		return err
	})
	f.Must(err)
	if got := find(owner, platen.OutputQuery{Name: "jensen"}); got != nil {
		t.Errorf("one that is not made yet: got %q, want none", got)
	}
	_, _, err = f.Outputs.RecordOutput(t.Context(), idOfFailed, func(o *platen.Output) error { return o.Fail(1, "data_unusable", "No.") }, storetest.EventFor)
	f.Must(err)
	_, _, err = f.Outputs.RecordOutput(t.Context(), idOfMade, storetest.Named("Invoice 20 Jensen.pdf"), storetest.EventFor)
	f.Must(err)
	atFailed, atMade := w.ID+" "+idOfFailed, other.ID+" "+idOfMade
	for _, c := range []struct {
		query platen.OutputQuery
		want  []string
	}{
		{platen.OutputQuery{Name: "jensen"}, []string{atFailed, atMade}},
		{platen.OutputQuery{Name: "jensen 19"}, []string{atFailed}},
		{platen.OutputQuery{Name: "jensen", States: []platen.OutputState{platen.OutputDone}}, []string{atMade}},
		{platen.OutputQuery{}, []string{atFailed, atMade}},
		{platen.OutputQuery{IDs: []string{idOfMade}}, []string{atMade}},
	} {
		if got := find(owner, c.query); !slices.Equal(got, c.want) {
			t.Errorf("%+v: got %q, want %q", c.query, got, c.want)
		}
	}
	if got := find(stranger, platen.OutputQuery{Name: "jensen"}); got != nil {
		t.Errorf("of another user: got %q, want none", got)
	}
	f.Exec(`UPDATE automations SET state = 'FAILED', finished_at = now(), erase_requested_at = now() WHERE id = $1`, failed.AutomationID)
	f.Must(f.Automations.FinishErasure(t.Context(), platen.Erasure{AutomationID: failed.AutomationID}))
	if got := find(owner, platen.OutputQuery{Name: "jensen"}); !slices.Equal(got, []string{atMade}) {
		t.Errorf("after its erasure: got %q, want %q", got, atMade)
	}
	var name string
	f.Must(f.Owner.QueryRow(t.Context(), `SELECT name FROM outputs WHERE id = $1`, idOfFailed).Scan(&name))
	if name != "" {
		t.Errorf("after its erasure: got the name %q, want none", name)
	}
}
