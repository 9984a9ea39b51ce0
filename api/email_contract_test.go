package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// The conformance suite judges answers of an installation without a mail server: those
// about emails are judged here.
func TestAnswersAboutEmailsFitTheContract(t *testing.T) {
	t.Parallel()
	raw, err := ordered{contractOf(t)}.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	contract, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource("openapi.json", contract); err != nil {
		t.Fatal(err)
	}
	fits := func(schema, body string) {
		t.Helper()
		compiled, err := compiler.Compile("openapi.json#/components/schemas/" + schema)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
		if err == nil {
			err = compiled.Validate(answer)
		}
		if err != nil {
			t.Errorf("%s does not fit: %v\n%s", schema, err, body)
		}
	}
	x, _, d := withTemplates(t, &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`)}}, mailing)
	fits("Document", x.do(t, "PATCH", d, `{"outputFolder":"{{A","email":{"to":"{{Email}}","subject":"s","text":"t {{"}}`).is(http.StatusOK).body)
	checked := x.do(t, "POST", d+"/check/", `{}`).is(http.StatusOK)
	fits("DocumentCheck", checked.body)
	for _, want := range []string{`"in":"email"`, `"in":"outputFolder"`} {
		if !strings.Contains(checked.body, want) {
			t.Errorf("got %s, want %s in it", checked.body, want)
		}
	}
	at := time.Now()
	for _, m := range []platen.Mail{{State: platen.MailFailed, Code: platen.CodeEmailUnset, Message: "No."}, {State: platen.MailSent, Recipients: 1, Attempts: 2, TriedAt: &at, SentAt: &at}} {
		o := output(platen.Output{ID: "out_0123456789abcdef", WorkflowID: "wkf_0123456789abcdef", AutomationID: "aut_0123456789abcdef", DocumentID: "doc_0123456789abcdef", State: platen.OutputDone, Mail: &m})
		body, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		fits("Output", string(body))
	}
}
