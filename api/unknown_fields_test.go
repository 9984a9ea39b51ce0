package api

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
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
	x.store.runs.data = []byte(`{"name":"Ada","note":"","line_items":[{"price":1,"qty":2},{"price":1}],"ship":{"city":"Rom","address":{"street":"x"}}}`)
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
		x.store.runs.automations[0].Outputs[0].MissingFields = []string{c.missing}
		x.store.runs.automations[0].Outputs[1].MissingFields = nil
		var got automationDetailJSON
		if err := json.Unmarshal([]byte(x.do(t, "GET", wf+"/automations/"+autID+"/", "").is(200).body), &got); err != nil {
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
	x.store.runs.automations[0].DataErasedAt = &at
	if got := x.do(t, "GET", wf+"/automations/"+autID+"/", "").is(200).object()["unknownFields"]; !reflect.DeepEqual(got, []any{}) {
		t.Errorf("of erased data: got %v, want none", got)
	}
}

func TestAMisspeltTagIsFoundByTheNextEvent(t *testing.T) {
	t.Parallel()
	x := newHarness(t, matching)
	wf := x.withRun(t, platen.AutomationCompleted)
	x.store.runs.data = []byte(`{"line_items":[{"price":1}]}`)
	documents := x.do(t, "GET", wf+"/", "").is(200).object()["documents"].([]any)
	a := &x.store.runs.automations[0]
	a.Outputs = a.Outputs[:1]
	a.Outputs[0].ID = "out_00000000000001"
	a.Outputs[0].DocumentID, a.Outputs[0].MissingFields = documents[0].(map[string]any)["id"].(string), []string{"line_items.prise"}
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	b := x.console(t, func(o *console.SiteOptions) { o.Now = func() time.Time { return a.AcceptedAt.Add(time.Hour) } }).signIn(adaToken)
	const meant = "did you mean <code>line_items.price</code>?"
	found := "<code>line_items.prise</code>: no such field in the last event; " + meant
	b.get(page).is(200).shows(found, "runs/"+autID+"/")
	b.get(page + "runs/" + autID + "/").is(200).shows("<code>line_items.prise</code> (no such field in the event; " + meant)
	b.get("/").is(200).shows("1 output made with empty fields", `href="#empty"`, "Made with empty fields in the last 24 hours", "1 field empty")

	// A newer run that is still under way says nothing, and neither hides the finding.
	newer := *a
	newer.ID, newer.State, newer.Outputs, newer.FinishedAt = "aut_00000000000009", platen.AutomationRunning, nil, nil
	x.store.runs.automations = append([]platen.Automation{newer}, *a)
	b.get(page).is(200).shows(found)
	x.store.runs.automations = x.store.runs.automations[1:]

	a = &x.store.runs.automations[0]
	a.Outputs[0].MissingFields = nil
	b.get(page).is(200).lacks("no such field")
	b.get("/").is(200).lacks("empty fields")
}
