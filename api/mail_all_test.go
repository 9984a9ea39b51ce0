package api

import (
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func TestADocumentsMailBringsAllOutputsUntilItIsTakenBack(t *testing.T) {
	t.Parallel()
	x := newHarness(t, mailing)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	const of, has = `{"createPdfCopy":true,"email":{"to":"a@example.com","subject":"s","text":"t"`, `"allOutputs":true`
	d := x.newDocument(t, wf, of+`,"allOutputs":true}}`)
	if copied := x.do(t, "POST", wf+"/copy/", `{"name":"C"}`).is(201); !strings.Contains(copied.body, has) {
		t.Errorf("the copy: got %s", copied.body)
	}
	archive := x.do(t, "GET", wf+"/export/", "").is(200)
	if again := x.do(t, "POST", "/v0/workflows/import/", archive.body).is(201); !strings.Contains(again.body, has) {
		t.Errorf("the import: got %s", again.body)
	}
	x.newDocument(t, wf, `{"when":"Total > 1000"}`)
	if got := x.do(t, "PATCH", d, `{"outputName":"X"}`).is(200).body; !strings.Contains(got, has) {
		t.Errorf("another setting: got %s", got)
	}
	if got := x.do(t, "PATCH", d, of+`}}`).is(200).body; strings.Contains(got, "allOutputs") {
		t.Errorf("without it: got %s", got)
	}
	for _, value := range []string{`null`, `"yes"`, `1`} {
		if got := x.do(t, "PATCH", d, of+`,"allOutputs":`+value+`}}`).problem(400, "invalid_body").pointers(); len(got) != 1 || got[0] != "/email/allOutputs" {
			t.Errorf("%s: got faults at %v", value, got)
		}
	}
}

func TestAMailSaysWhichOutputsItBrings(t *testing.T) {
	t.Parallel()
	x := newHarness(t, mailing)
	wf, ids := x.withOutputs(t, "Letter.pdf")
	m := &platen.Mail{MailKey: platen.MailKey{OutputID: ids[0]}, State: platen.MailSent, SentAt: new(time.Now()), Outputs: []string{ids[0], "out_0123456789abcdef"}}
	x.store.Output(0).Mail = m
	if got, want := x.do(t, "GET", wf+"/outputs/", "").is(200).body, `"outputs":["`+ids[0]+`","out_0123456789abcdef"]`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
}
