package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A person is found in what senders sent, in tests too, wherever it stands and however it
// is written; what is erased is counted.
func TestSearchFindsAPersonInTheDataOfEachRun(t *testing.T) {
	t.Parallel()
	d := sit(t)
	of := "GET /workflows/wkf_1/automations/"
	run := func(id string, data any) object {
		a := object{"id": id, "workflowId": "wkf_1", "state": "COMPLETED", "acceptedAt": "2026-11-27T08:00:00Z", "sourceData": data}
		d.answers[of+id+"/"] = a
		return a
	}
	all := []object{
		run("aut_1", object{"Customer": object{"E-Mail": "ADA@example.com"}, "Lines": []object{{"For": "Bea"}, {"For": "ada@example.com, Graz"}}}),
		run("aut_2", object{"Customer": "Bea"}),
		run("aut_3", nil),
		run("aut_4", object{"Straße": "STRASSE 4"}),
		run("aut_5", object{"Customer No": 4711}),
	}
	d.answers["GET /automations/"], d.answers[of] = all, all
	for _, c := range []struct{ text, want string }{
		{"ada@example.com", "aut_1 Customer.E-Mail, Lines[1].For"},
		{"Straße", "aut_4 Straße"},
		{"4711", "aut_5 Customer No"},
		{"nobody", ""},
	} {
		d.out.b.Reset()
		d.err.b.Reset()
		if err := d.run(t.Context(), d.loggedIn("automations", "search", c.text, "--json")...); err != nil {
			t.Fatal(err)
		}
		if got := d.out.String(); (c.want == "") != (got == "") || !strings.Contains(got, strings.Split(c.want, " ")[0]) {
			t.Errorf("%s: got %s, want %s", c.text, got, c.want)
		}
		// Each stands in both lists of this API, that of tests too.
		if !strings.Contains(d.err.String(), "Searched 10 automations; the data of 2 is kept no longer.") {
			t.Errorf("%s: got %s", c.text, d.err)
		}
	}
	d.out.b.Reset()
	if err := d.run(t.Context(), d.loggedIn("automations", "search", "ada@example.com", "--workflow", "wkf_1")...); err != nil || !strings.Contains(d.out.String(), "Customer.E-Mail, Lines[1].For") {
		t.Errorf("got %v and\n%s", err, d.out)
	}
	if err := d.run(t.Context(), d.loggedIn("automations", "search", " a ")...); ExitCode(err) != ExitUsage {
		t.Errorf("two letters are the least: got %v", err)
	}
}

func TestEraseAsksOnceAndErasesEach(t *testing.T) {
	t.Parallel()
	d := sit(t)
	of := "DELETE /workflows/wkf_1/automations/"
	for _, id := range []string{"aut_1", "aut_2"} {
		d.answers[of+id+"/"] = object{"id": id, "erasure": object{"requestedAt": "2026-11-27T08:00:00Z"}}
	}
	erase := d.loggedIn("automations", "erase", "wkf_1", "aut_1", "aut_2")
	if err := d.run(t.Context(), erase...); ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), "--yes") {
		t.Errorf("without a terminal: got %v, want that --yes is asked for", err)
	}
	questions := 0
	answer := "no"
	d.Ask = func(_ context.Context, question string, hidden bool) (string, error) {
		questions++
		if hidden || !strings.Contains(question, "2 automations") {
			t.Errorf("got the question %q", question)
		}
		return answer, nil
	}
	if err := d.run(t.Context(), erase...); err == nil || len(d.bodies) > 0 {
		t.Errorf("no: got %v, and asked %v", err, d.asked)
	}
	answer = "yes"
	if err := d.run(t.Context(), erase...); err != nil || questions != 2 {
		t.Errorf("yes: got %v after %d questions", err, questions)
	}
	if err := d.run(t.Context(), append(erase, "--yes")...); err != nil || questions != 2 || strings.Count(d.out.String(), "aut_2") != 2 {
		t.Errorf("--yes: got %v, %d questions, %s", err, questions, d.out)
	}
}

// The service says how long to wait where a token asks too often.
func TestSearchWaitsWhereItAsksTooOften(t *testing.T) {
	t.Parallel()
	d := sit(t)
	asked := 0
	d.answers["GET /automations/"] = []object{{"id": "aut_1", "workflowId": "wkf_1"}}
	d.answers["GET /workflows/wkf_1/automations/aut_1/"] = func() any {
		if asked++; asked == 1 {
			return refusal{429, "1"}
		}
		return object{"id": "aut_1", "workflowId": "wkf_1", "sourceData": object{"Name": "Ada"}}
	}
	if err := d.run(t.Context(), d.loggedIn("automations", "search", "ada")...); err != nil || !strings.Contains(d.out.String(), "aut_1") {
		t.Errorf("got %v and %s", err, d.out)
	}
}

// What is handed out is what is held: data, PDFs, events. Then all of it is erased.
func TestSearchSavesAndErasesWhatItFinds(t *testing.T) {
	t.Parallel()
	d := sit(t)
	of := "/workflows/wkf_1/"
	outputs := []object{
		{"id": "out_1", "state": "DONE", "files": []object{{"name": "Offer for Ada.pdf"}}},
		{"id": "out_2", "state": "DONE"}, {"id": "out_3", "state": "FAILED"},
	}
	run := object{"id": "aut_1", "workflowId": "wkf_1", "state": "FAILED", "sourceData": nil, "outputs": outputs}
	d.answers["GET /automations/"] = func() any {
		if slices.Contains(d.asked[:len(d.asked)-1], "GET /automations/") {
			return []object{} // no tests
		}
		return []object{run}
	}
	d.answers["GET "+of+"automations/aut_1/"] = run
	d.answers["GET "+of+"outputs/out_1/pdf/"] = []byte("%PDF-1")
	refused := false
	d.answers["GET "+of+"events/"] = func() any {
		if !refused {
			refused = true
			return refusal{429, "1"}
		}
		return []object{{"id": "evt_1"}}
	}
	d.answers["GET "+of+"events/evt_1/"] = object{"id": "evt_1", "payload": "{}"}
	d.answers["DELETE "+of+"automations/aut_1/"] = object{"id": "aut_1"}
	to := t.TempDir()
	if err := d.run(t.Context(), d.loggedIn("automations", "search", "ada", "--to", to, "--erase", "--yes")...); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"run.json": `"aut_1"`, "events.json": `"payload"`, "out_1.pdf": "%PDF-1"} {
		if raw, err := os.ReadFile(filepath.Join(to, "aut_1", file)); err != nil || !strings.Contains(string(raw), want) {
			t.Errorf("%s: got %s, %v", file, raw, err)
		}
	}
	if said := d.out.String(); !strings.Contains(said, "the name of Offer for Ada.pdf") || !strings.Contains(said, "aut_1 is being erased.") || !slices.Contains(d.asked, "DELETE "+of+"automations/aut_1/") {
		t.Errorf("got %s", said)
	}
	if said := d.err.String(); !strings.Contains(said, "out_2 of aut_1 is not saved") || strings.Contains(said, "out_3") {
		t.Errorf("got %s, want that out_2 could not be read", said)
	}
}

// Why nothing went out is said where the run is looked at.
func TestShowPrintsWhoApprovedAndWhoRejected(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.answers["GET /workflows/wkf_1/automations/aut_1/"] = object{"id": "aut_1", "outputs": []object{{"id": "out_1", "state": "FAILED", "review": object{
		"by": []string{"ada@example.com", "bob@example.com"}, "needed": 2, "verdict": "REJECTED", "unsent": "No mail server is set.",
		"answers": []object{{"by": "ada@example.com", "approves": true}, {"by": "bob@example.com", "approves": false, "reason": "The price is wrong"}},
	}}}}
	if err := d.run(t.Context(), d.loggedIn("automations", "show", "wkf_1", "aut_1")...); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"REJECTED: 2 of ada@example.com, bob@example.com", "approved", "rejected: The price is wrong", "No mail server is set."} {
		if !strings.Contains(d.out.String(), want) {
			t.Errorf("got %s, want %s", d.out, want)
		}
	}
}

func TestShowPrintsTheDataAlone(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.answers["GET /workflows/wkf_1/automations/aut_1/"] = object{"id": "aut_1", "sourceData": object{"Total": 1.5}}
	d.answers["GET /workflows/wkf_1/automations/aut_2/"] = object{"id": "aut_2", "sourceData": nil}
	if err := d.run(t.Context(), d.loggedIn("automations", "show", "wkf_1", "aut_1", "--data")...); err != nil || strings.TrimSpace(d.out.String()) != `{"Total":1.5}` {
		t.Errorf("got %s, %v", d.out, err)
	}
	if err := d.run(t.Context(), d.loggedIn("automations", "show", "wkf_1", "aut_2", "--data")...); err == nil {
		t.Error("it has no data any more, and nothing was said")
	}
}
