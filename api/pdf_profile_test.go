package api

import (
	"strings"
	"testing"
)

func TestADocumentHasAProfileUntilItIsTakenAway(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	d := x.newDocument(t, wf, `{"pdf":{"profile":"PDF/A-3b"}}`)
	const has = `"pdf":{"profile":"PDF/A-3b"}`
	for _, step := range []struct {
		body string
		has  bool
	}{{`{"outputName":"X"}`, true}, {`{"pdf":null}`, false}, {`{"pdf":{"profile":"PDF/A-3b"},"enablePdfPassword":false}`, true}} {
		if got := x.do(t, "PATCH", d, step.body).is(200).body; strings.Contains(got, has) != step.has {
			t.Errorf("%s: got %s", step.body, got)
		}
	}
	read := x.do(t, "GET", d, "").is(200)
	x.do(t, "PATCH", d, read.body).is(200) // what was read can be sent back
	if copied := x.do(t, "POST", wf+"/copy/", `{"name":"C"}`).is(201); !strings.Contains(copied.body, has) {
		t.Errorf("the copy: got %s", copied.body)
	}
	archive := x.do(t, "GET", wf+"/export/", "").is(200)
	if again := x.do(t, "POST", "/v0/workflows/import/", archive.body).is(201); !strings.Contains(again.body, has) {
		t.Errorf("the import: got %s", again.body)
	}
	for body, pointer := range map[string]string{
		`{"pdf":{"profile":"PDF/A-1b"}}`: "/pdf/profile", `{"pdf":{}}`: "/pdf/profile", `{"pdf":"PDF/A-2b"}`: "/pdf", `{"pdf":{"profile":null}}`: "/pdf/profile", `{"pdf":{"profile":"PDF/A-2b","level":"b"}}`: "/pdf/level",
	} {
		if got := x.do(t, "PATCH", d, body).problem(400, "invalid_body").pointers(); len(got) != 1 || got[0] != pointer {
			t.Errorf("%s: got faults at %v, want %s", body, got, pointer)
		}
	}
}

// A profile and a password exclude each other, whichever came first.
func TestAProfileAndAPasswordAreRefusedTogether(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	const both, profile, password = `{"pdf":{"profile":"PDF/A-2b"},"enablePdfPassword":true}`, `{"pdf":{"profile":"PDF/A-2b"}}`, `{"enablePdfPassword":true,"pdfPassword":"x"}`
	archived, locked := x.newDocument(t, wf, profile), x.newDocument(t, wf, password)
	for what, c := range map[string]struct{ method, path, body string }{
		"a new document":       {"POST", wf + "/documents/", both},
		"a new workflow":       {"POST", "/v0/workflows/", `{"name":"W","document":` + both + `}`},
		"one request":          {"PATCH", x.newDocument(t, wf, `{}`), both},
		"a password behind it": {"PATCH", archived, `{"enablePdfPassword":true}`},
		"a profile behind it":  {"PATCH", locked, profile},
	} {
		p := x.do(t, c.method, c.path, c.body).problem(400, "pdf_profile_encrypted")
		if !strings.Contains(p.Detail, "PDF/A-2b") || !strings.Contains(p.Detail, `"pdf": null`) {
			t.Errorf("%s: got %q, want the profile and the cure", what, p.Detail)
		}
	}
	x.do(t, "PATCH", locked, `{"pdf":{"profile":"PDF/A-2b"},"enablePdfPassword":false}`).is(200)
	x.do(t, "PATCH", archived, `{"pdf":null,"enablePdfPassword":true,"pdfPassword":"x"}`).is(200)
	if archived == locked {
		t.Fatal("the documents are one")
	}
}
