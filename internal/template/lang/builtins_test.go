package lang_test

import (
	"testing"
	"time"

	"github.com/platenhq/platen/internal/template/lang"
)

func TestBuiltInNamesAreFoundInAnyCaseAndInFormulas(t *testing.T) {
	t.Parallel()
	checkLines(t, "{}", map[string]string{
		"{{Timestamp}}":                           "2026-01-02 15.04.05",
		"{{TIMESTAMP}}":                           "2026-01-02 15.04.05",
		"{{Automation ID}}":                       "aut_1",
		"{{automation id}}":                       "aut_1",
		"{{Workflow Name}}":                       "Invoices",
		"{{workflow name}}":                       "Invoices",
		"{{ Workflow  Name }}":                    "Invoices",
		"{{= Timestamp}}":                         "2026-01-02 15.04.05",
		`{{= DATE(timestamp, "d.M.yyyy HH:mm")}}`: "2.1.2026 15:04",
		"{{= UPPER([Workflow Name])}}":            "INVOICES",
		"{{#if Automation ID}}yes{{/if}}":         "yes",
		`{{qr Automation ID}}`:                    "",
	})
	if got := work(t, "{}", "{{Time stamp}}{{AutomationID}}{{Workflow}}{{= Timestamp.Year}}").missing; len(got) != 4 {
		t.Errorf("other names: got %q missing, want all four", got)
	}
}

// A field of exactly the name first, then the built-in, then a field in another
// case.
func TestAFieldOfExactlyTheSameNameTakesPrecedenceOverABuiltIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, exact, other string }{
		{`{"Timestamp": "mine"}`, "mine", "mine"},
		{`{"timestamp": "mine"}`, "2026-01-02 15.04.05", "mine"},
		{`{"TIMESTAMP": "mine"}`, "2026-01-02 15.04.05", "mine"},
		{`{"Time": "mine"}`, "2026-01-02 15.04.05", "2026-01-02 15.04.05"},
	} {
		checkValues(t, c.body, map[string]string{"Timestamp": c.exact, "= Timestamp": c.exact, "timestamp": c.other, "= timestamp": c.other})
	}
	checkLines(t, `{"Items": [{"Timestamp": "item"}, {}]}`, map[string]string{"{{#each Items}}{{Timestamp}};{{/each}}": "item;;"})
}

func TestTimestampsAreSafeInFileNames(t *testing.T) {
	t.Parallel()
	vienna, err := time.LoadLocation("Europe/Vienna")
	if err != nil {
		t.Fatal(err)
	}
	builtins := lang.Builtins{AcceptedAt: time.Date(2026, 7, 31, 23, 59, 1, 999, time.UTC), Zone: vienna}
	if got, _ := lang.ExpandName("{{Timestamp}}", nil, builtins); got != "2026-08-01 01.59.01" {
		t.Errorf("got %q, want the time in Vienna, 2026-08-01 01.59.01", got)
	}
}
