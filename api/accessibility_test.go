package api

import (
	"strings"
	"testing"
)

func TestADocumentRequiresAccessibilityUntilItIsTakenBack(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	d := x.newDocument(t, wf, `{"accessibility":"require"}`)
	const has = `"accessibility":"require"`
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
	}{{`{"outputName":"X"}`, true}, {`{"accessibility":"report"}`, false}} {
		if got := x.do(t, "PATCH", d, step.body).is(200).body; strings.Contains(got, has) != step.has {
			t.Errorf("%s: got %s", step.body, got)
		}
	}
	for _, body := range []string{`{"accessibility":"required"}`, `{"accessibility":null}`, `{"accessibility":true}`} {
		if got := x.do(t, "PATCH", d, body).problem(400, "invalid_body").pointers(); len(got) != 1 || got[0] != "/accessibility" {
			t.Errorf("%s: got faults at %v", body, got)
		}
	}
}
