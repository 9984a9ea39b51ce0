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
