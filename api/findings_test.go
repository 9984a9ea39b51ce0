package api

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/outgoing"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

// mistaken finds one mistake in every template.
func mistaken() *memory.Templates {
	return &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`), Findings: []platen.TemplateFinding{{Where: "paragraph 1", Tag: "{{Nam}}", Code: "unknown_field", Message: "The source has no field Nam."}}}}
}

// codesOf are the codes of the findings in an answer, or why there are none.
func codesOf(o map[string]any) string {
	list, ok := o["findings"].([]any)
	if !ok {
		why, _ := o["unchecked"].(map[string]any)
		return fmt.Sprintf("%v %v", o["findings"], why["code"])
	}
	codes := []string{}
	for _, f := range list {
		f := f.(map[string]any)
		codes = append(codes, fmt.Sprint(f["where"], ":", f["code"]))
	}
	return fmt.Sprint(codes)
}

func TestWhatMakesOrChangesADocumentAnswersItsFindings(t *testing.T) {
	t.Parallel()
	x, wf, d := withTemplates(t, mistaken())
	const want = "[paragraph 1:unknown_field]"
	docx := memory.Zip("word/document.xml", "")
	for what, a := range map[string]map[string]any{
		"a document":              x.do(t, "POST", wf+"/documents/", `{"file_id":"docs-file"}`).is(201).object(),
		"an upload":               x.do(t, "POST", wf+"/documents/upload/", docx).is(201).object(),
		"another content":         x.do(t, "POST", d+"/template/", docx).is(200).object(),
		"a change":                x.do(t, "PATCH", d+"/", `{"outputName":"B"}`).is(200).object(),
		"a workflow with its own": x.do(t, "POST", "/v0/workflows/", `{"name":"W","document":{"fileId":"docs-file"}}`).is(201).object()["documents"].([]any)[0].(map[string]any),
	} {
		if got := codesOf(a); got != want {
			t.Errorf("%s: got %s, want %s", what, got, want)
		}
	}
	if a := x.do(t, "GET", d+"/", "").is(200).object(); a["findings"] != nil {
		t.Errorf("what is read has findings: %v", a["findings"])
	}
	set := `{"createPdfCopy":false,"enablePdfPassword":true,"pdfPassword":"x","outputName":"B"}`
	if got := codesOf(x.do(t, "PATCH", d+"/", set).is(200).object()); got != "[paragraph 1:unknown_field enablePdfPassword:encrypts_nothing]" {
		t.Errorf("a password without a PDF: got %s", got)
	}
}

// All answers say the same of settings as the check of the document.
func TestAllAnswersSayWhatIsWrongWithAMailOfAllOutputs(t *testing.T) {
	t.Parallel()
	x, wf, other := withTemplates(t, &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`)}}, mailing)
	x.do(t, "PATCH", other+"/", `{"createPdfCopy":false}`).is(200)
	const set = `"createPdfCopy":true,"outputName":"{{A","email":{"to":"a@example.com","subject":"s","text":"t","allOutputs":true}`
	made := x.do(t, "POST", wf+"/documents/", `{"file_id":"docs-file",`+set+`}`).is(201).object()
	d := wf + "/documents/" + made["id"].(string)
	for what, a := range map[string]map[string]any{
		"a document": made,
		"a change":   x.do(t, "PATCH", d+"/", `{`+set+`}`).is(200).object(),
		"a template": x.do(t, "POST", d+"/template/", memory.Zip("word/document.xml", "")).is(200).object(),
	} {
		if got, want := codesOf(a), "[email:email_without_pdf]"; got != want {
			t.Errorf("%s: got %s, want %s", what, got, want)
		}
	}
	checked := x.do(t, "POST", d+"/check/", `{}`).is(200).object()
	if got := fmt.Sprint(checked["faults"]); !strings.Contains(got, "outputName") || !strings.Contains(got, "makes no PDF") {
		t.Errorf("the check: got %s", got)
	}
}

// A tag stands for the resource: what was found about it is no part of it.
func TestFindingsAreNoPartOfADocumentAndItsTag(t *testing.T) {
	t.Parallel()
	x, wf, _ := withTemplates(t, mistaken())
	made := x.do(t, "POST", wf+"/documents/", `{"file_id":"docs-file"}`).is(201)
	d := wf + "/documents/" + made.object()["id"].(string)
	if got, want := made.header.Get("ETag"), x.do(t, "GET", d+"/", "").header.Get("ETag"); got != want {
		t.Errorf("tag of what was made: got %s, want %s", got, want)
	}
	changed := x.do(t, "PATCH", d+"/", made.body, "If-Match", made.header.Get("ETag")).is(200) // what was read can be sent back
	if got, want := changed.header.Get("ETag"), x.do(t, "GET", d+"/", "").header.Get("ETag"); got != want {
		t.Errorf("tag of what was changed: got %s, want %s", got, want)
	}
	whole := x.do(t, "POST", "/v0/workflows/", `{"name":"W","document":{"fileId":"docs-file"}}`).is(201)
	if got, want := whole.header.Get("ETag"), x.do(t, "GET", "/v0/workflows/"+whole.object()["id"].(string)+"/", "").header.Get("ETag"); got != want {
		t.Errorf("tag of a new workflow: got %s, want %s", got, want)
	}
}

// slow looks at templates until nobody waits any more.
type slow struct{ *memory.Templates }

func (slow) CheckTemplate(ctx context.Context, _ platen.Workflow, _ platen.Document, _ []string, _ []byte) (platen.TemplateCheck, error) {
	<-ctx.Done()
	return platen.TemplateCheck{}, ctx.Err()
}

func TestACheckThatCannotBeMadeFailsNothing(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		looked Templates
		want   string
	}{
		"a drive that does not answer": {&memory.Templates{Err: &platen.Error{Kind: platen.KindUnavailable, Message: "away"}}, "<nil> drive_unavailable"},
		"a drive without quota":        {&memory.Templates{Err: &platen.Error{Kind: platen.KindRateLimited, Message: "wait"}}, "<nil> drive_rate_limited"},
		"too many at once":             {&memory.Templates{Err: &platen.Error{Kind: platen.KindRateLimited, Code: "preview_busy", Message: "wait"}}, "<nil> preview_busy"},
		"a fault of ours":              {&memory.Templates{Err: fmt.Errorf("broken")}, "<nil> internal_error"},
		"a slow drive":                 {slow{}, "<nil> drive_timeout"},
	} {
		x := newHarness(t, func(o *Options) {
			o.Tags = func([]string, []string) []TagFinding { return nil }
			o.Templates, o.FindingsTimeout = c.looked, 20*time.Millisecond
		})
		wf := x.newWorkflow(t, `{"name":"W"}`)
		a := x.do(t, "POST", wf+"/documents/", `{"file_id":"docs-file"}`).is(201).object()
		if got := codesOf(a); got != c.want {
			t.Errorf("%s: got %s, want %s", what, got, c.want)
		}
		if why := a["unchecked"].(map[string]any); why["message"] == "" || why["message"] == "broken" {
			t.Errorf("%s: it says %v", what, why["message"])
		}
	}
}

// A check reads the template: a user who changes documents in a loop must not use up the
// read quota of the drive.
func TestChangesWithoutEndAreNotAllChecked(t *testing.T) {
	t.Parallel()
	looked := mistaken()
	x, _, d := withTemplates(t, looked)
	got := ""
	for range 30 {
		if got = codesOf(x.do(t, "PATCH", d+"/", `{"outputName":"B"}`).is(200).object()); got == "<nil> check_too_often" {
			return
		}
	}
	t.Errorf("the thirtieth change at once: got %s, want check_too_often", got)
}

func TestAPrivateReceiverIsToldOf(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) {
		o.PrivateReceiver = func(address string) bool { return outgoing.IsPrivate(address, nil) }
	})
	wf := x.newWorkflow(t, `{"name":"W"}`)
	for address, want := range map[string]string{
		"http://10.1.2.3/events": "[webhookUrl:receiver_private]", "http://127.0.0.1:9000/": "[webhookUrl:receiver_private]",
		"http://[::1]/": "[webhookUrl:receiver_private]", "http://localhost:9000/": "[webhookUrl:receiver_private]", "http://app.localhost./": "[webhookUrl:receiver_private]",
		"https://example.com/": "<nil> <nil>", "http://8.8.8.8/": "<nil> <nil>",
	} {
		method, status := "PATCH", 200
		if x.do(t, "GET", wf+"/outgoing-webhooks/", "").status != 200 {
			method, status = "POST", 201
		}
		made := x.do(t, method, wf+"/outgoing-webhooks/", `{"webhookUrl":"`+address+`"}`).is(status)
		if got := codesOf(made.object()); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
		if got, want := made.header.Get("ETag"), x.do(t, "GET", wf+"/outgoing-webhooks/", "").header.Get("ETag"); got != want {
			t.Errorf("%s: tag: got %s, want %s", address, got, want)
		}
		a := x.do(t, "POST", "/v0/workflows/", `{"name":"W","outgoingWebhook":{"webhookUrl":"`+address+`"}}`).is(201).object()
		if got := codesOf(a["outgoingWebhook"].(map[string]any)); got != want {
			t.Errorf("%s, with its workflow: got %s, want %s", address, got, want)
		}
	}
}
