package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestAnEmptyFileIsRefused(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(memory.AdaToken)
	const empty = `role="alert" id="fault-`
	b.drop("/console/new-workflow", url.Values{"name": {"Letters"}, "once": {"one"}}, "letter.docx", "").is(http.StatusBadRequest).
		shows(empty+`upload">The file is empty. Choose another.`, `value="Letters"`)
	b.drop("/console/new-workflow", url.Values{"once": {"two"}}, "letter.docx", "").is(http.StatusBadRequest).
		shows("The file is empty. Choose another.", `value="letter"`)
	if n := len(x.store.ByID); n != 0 {
		t.Errorf("got %d workflows of an empty file, want none", n)
	}
	wf := x.newWorkflow(t, `{"name":"W"}`)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	b.attach(page+"documents/", "").is(http.StatusBadRequest).shows(empty + `upload">The file is empty. Choose another.`)
	b.attach("/console/import-workflow", "").is(http.StatusBadRequest).shows("The file is empty. Choose another.")
	if documents := x.do(t, "GET", wf+"/", "").is(200).object()["documents"].([]any); len(documents) != 0 {
		t.Errorf("got %v of an empty file, want no document", documents)
	}
	document := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	id := document[strings.LastIndex(document, "/")+1:]
	b.attach(page+"documents/"+id+"/template", "").is(http.StatusBadRequest).shows(empty + "template-" + id + `">The file is empty. Choose another.`)
	b.drop(page+"documents/"+id+"/template", nil, "", "").is(http.StatusBadRequest).shows("Choose a .docx or .pptx file first.")
	for _, at := range []string{wf + "/documents/upload/", document + "/template/"} {
		x.do(t, "POST", at, "").problem(400, "drive_file_not_document").shows("The body is empty: send the bytes of a .docx or .pptx file.")
	}
}

func TestAFileThatIsTooLargeLeavesTheForm(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(memory.AdaToken)
	large := strings.Repeat("x", 11<<20)
	const want = "The file has more than 10 MiB. Choose a smaller one."
	b.drop("/console/new-workflow", url.Values{"name": {"Letters"}, "receiver": {"https://example.com/events"}, "once": {"one"}}, "letter.docx", large).is(http.StatusBadRequest).
		shows(`role="alert" id="fault-upload">`+want, `value="Letters"`, `value="https://example.com/events"`)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	document := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	id := document[strings.LastIndex(document, "/")+1:]
	b.attach(page+"documents/", large).is(http.StatusBadRequest).shows(want)
	b.attach(page+"documents/"+id+"/template", large).is(http.StatusBadRequest).shows(want)
	b.attach("/console/import-workflow", large).is(http.StatusBadRequest).shows(want)
	b.open("POST", page+"name", url.Values{"name": {strings.Repeat("x", 2<<20)}}).is(http.StatusBadRequest).
		shows("What was typed in has more than 1 MiB").lacks("10 MiB, or")
}
