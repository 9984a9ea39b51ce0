package api

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// matching are names as the programs look them up.
func matching(o *Options) {
	o.Tags = func(texts, fields []string) (found []TagFinding) {
		for _, f := range lang.MatchNames(texts, fields) {
			found = append(found, TagFinding(f))
		}
		return found
	}
}

func TestARunSaysWhatMissingFieldsWereProbablyMeantToBe(t *testing.T) {
	t.Parallel()
	x := newHarness(t, matching)
	wf := x.withRun(t, platen.AutomationCompleted)
	x.store.Runs.Data = []byte(`{"name":"Ada","note":"","line_items":[{"price":1,"qty":2},{"price":1}],"ship":{"city":"Rom","address":{"street":"x"}}}`)
	for _, c := range []struct {
		missing string
		want    []string // nil: the data has the field
	}{
		{"line_items.prise", []string{"line_items.price"}},
		{"prise", []string{"line_items.price"}}, // in a block over line_items
		{"lineItems.price", []string{"line_items.price"}},
		{"line_items.qty", nil}, // one item lacks it
		{"note", nil},           // it is empty
		{"Nmae", []string{}},
		{"ship.city", nil},
		{"ship.adress.street", []string{"ship.address.street"}},
		{"vat_id", []string{}},
	} {
		x.store.Runs.Automations[0].Outputs[0].MissingFields = []string{c.missing}
		x.store.Runs.Automations[0].Outputs[1].MissingFields = nil
		var got automationDetailJSON
		if err := json.Unmarshal([]byte(x.do(t, "GET", wf+"/automations/"+memory.AutomationID+"/", "").is(200).body), &got); err != nil {
			t.Fatal(err)
		}
		want := []unknownFieldJSON{}
		if c.want != nil {
			want = append(want, unknownFieldJSON{c.missing, c.want})
		}
		if !reflect.DeepEqual(got.UnknownFields, want) {
			t.Errorf("%s: got %v, want %v", c.missing, got.UnknownFields, want)
		}
	}
	at := time.Now()
	x.store.Runs.Automations[0].DataErasedAt = &at
	if got := x.do(t, "GET", wf+"/automations/"+memory.AutomationID+"/", "").is(200).object()["unknownFields"]; !reflect.DeepEqual(got, []any{}) {
		t.Errorf("of erased data: got %v, want none", got)
	}
}
