package api

import (
	"strings"
	"testing"
)

func TestADocumentIsSealedUntilThatIsTakenBack(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) { o.Seals = true })
	wf := x.newWorkflow(t, `{"name":"W"}`)
	d := x.newDocument(t, wf, `{"seal":true}`)
	const has = `"seal":true`
	if copied := x.do(t, "POST", wf+"/copy/", `{"name":"C"}`).is(201); !strings.Contains(copied.body, has) {
		t.Errorf("the copy: got %s", copied.body)
	}
	archive := x.do(t, "GET", wf+"/export/", "").is(200)
	if again := x.do(t, "POST", "/v0/workflows/import/", archive.body).is(201); !strings.Contains(again.body, has) {
		t.Errorf("the import: got %s", again.body)
	}
	for _, step := range []struct {
		body string
		has  bool
	}{{`{"outputName":"X"}`, true}, {`{"seal":false}`, false}} {
		if got := x.do(t, "PATCH", d, step.body).is(200).body; strings.Contains(got, has) != step.has {
			t.Errorf("%s: got %s", step.body, got)
		}
	}
	for _, body := range []string{`{"seal":"yes"}`, `{"seal":null}`, `{"seal":1}`} {
		if got := x.do(t, "PATCH", d, body).problem(400, "invalid_body").pointers(); len(got) != 1 || got[0] != "/seal" {
			t.Errorf("%s: got faults at %v", body, got)
		}
	}
	without := newHarness(t)
	refused := without.do(t, "POST", "/v0/workflows/import/", archive.body)
	if refused.problem(400, "seal_not_configured"); !strings.Contains(refused.body, "PLATEN_SEAL_CERTIFICATE_FILE") {
		t.Errorf("the import without a certificate: got %s", refused.body)
	}
}

func TestAnInstallationWithoutACertificateRefusesSeals(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	d := x.newDocument(t, wf, `{"seal":false}`)
	x.do(t, "PATCH", d, `{"seal":true}`).problem(400, "seal_not_configured")
	x.do(t, "POST", wf+"/documents/", `{"file_id":"docs-file","seal":true}`).problem(400, "seal_not_configured")
	x.do(t, "POST", "/v0/workflows/", `{"name":"W","document":{"fileId":"docs-file","seal":true}}`).problem(400, "seal_not_configured")
}
