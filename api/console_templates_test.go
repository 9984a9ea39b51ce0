package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/platenhq/platen"
)

// Files that templates cannot be made of, and templates whose file is gone.

func TestAnEmptyFileIsRefused(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(adaToken)
	const empty = `role="alert" id="fault-`
	b.drop("/console/new-workflow", url.Values{"name": {"Letters"}, "once": {"one"}}, "letter.docx", "").is(http.StatusBadRequest).
		shows(empty+`upload">The file is empty. Choose another.`, `value="Letters"`)
	b.drop("/console/new-workflow", url.Values{"once": {"two"}}, "letter.docx", "").is(http.StatusBadRequest).
		shows("The file is empty. Choose another.", `value="letter"`)
	if n := len(x.store.workflows); n != 0 {
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
		if got := x.do(t, "POST", at, "").problem(400, "drive_file_not_document").Detail; got != "The body is empty: send the bytes of a .docx or .pptx file." {
			t.Errorf("%s: got %q", at, got)
		}
	}
}

func TestAFileThatIsTooLargeLeavesTheForm(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(adaToken)
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

func TestAMistakeInJSONHasItsPlace(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(adaToken)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	document := strings.Replace(x.newDocument(t, wf, `{"file_id":"docs-file"}`), "/v0", "/console", 1)
	for data, want := range map[string]string{
		"{\n  \"Name\": \"Ada\",\n  \"Größe\": 1,\n}": "The data is not JSON at line 4, column 1: “}” cannot stand here.",
		`{"Größe": Ada}`:           "The data is not JSON at line 1, column 11: “A” cannot stand here.",
		"{\r\n\"Name\": 'Ada'}":    "The data is not JSON at line 2, column 9: “&#39;” cannot stand here.",
		`{"Name": "Ada"`:           "The data is not JSON: it ends too early, at line 1, column 15. A bracket or a quotation mark is not closed.",
		`{"Name": "Ada"} {`:        "The data is not JSON at line 1, column 17: “{” cannot stand here.",
		`["Ada"]`:                  "The data is JSON, but no object: put it between { and }, with a name for each value.",
		"{\"Name\": \"a\nb\"}":     "The data is not JSON at line 1, column 12: a line break cannot stand here.",
		"{\"Name\": \"a\u00a0\",}": "The data is not JSON at line 1, column 15: “}” cannot stand here.",
	} {
		b.open("POST", document+"/sample", url.Values{"data": {data}}).is(http.StatusBadRequest).shows(want)
		b.open("POST", document+"/check", url.Values{"data": {data}}).is(200).shows(want)
	}
}

func TestATemplateThatIsGoneIsReplacedWithItsSettings(t *testing.T) {
	t.Parallel()
	gone := platen.Errorf(platen.KindNotFound, "drive_file_not_found", "gone")
	looked := &templates{checked: platen.TemplateCheck{Schema: []byte(`{}`)}}
	x := newHarness(t, func(o *Options) {
		o.Tags = func([]string, []string) []TagFinding { return nil }
		o.Templates = looked
	})
	wf := x.newWorkflow(t, `{"name":"W"}`)
	document := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	x.do(t, "PATCH", document+"/", `{"outputName":"Letter {{Name}}","createPdfCopy":true,"removeOutput":true,"enablePdfPassword":true,"pdfPassword":"open-{{Name}}","onMissing":"fail","outputFolder":"Letters","numbers":["letters"]}`).is(200)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	id := document[strings.LastIndex(document, "/")+1:]
	b := x.console(t).signIn(adaToken)
	const said = "The file of this template is gone"
	b.get(page).is(200).lacks(said)
	looked.err = gone
	b.get(page).is(200).shows(said, `name="instead" value="on"`, `<details id="form-template-`+id+`" open>`)
	b.get(page + "?check=" + id).is(200).shows(said)
	x.cloud.fails["ExportOffice"] = gone
	at := page + "documents/" + id + "/template"
	b.attach(at, packed(t, "word/document.xml", "new")).is(http.StatusBadRequest).shows(said, `name="instead" value="on"`)
	if got := x.do(t, "POST", document+"/template/", packed(t, "word/document.xml", "new")).problem(400, "drive_file_not_found").Detail; !strings.Contains(got, "remove this document") {
		t.Errorf("the API says %q, want what to do", got)
	}
	b.drop(at, url.Values{"instead": {"on"}}, "letter.docx", "no office file").is(http.StatusBadRequest).shows("no .docx or .pptx file")
	looked.err = nil
	to := b.drop(at, url.Values{"instead": {"on"}}, "letter.docx", packed(t, "word/document.xml", "new")).is(http.StatusSeeOther).header.Get("Location")
	documents := x.do(t, "GET", wf+"/", "").is(200).object()["documents"].([]any)
	if len(documents) != 1 {
		t.Fatalf("got %v, want the new document alone", documents)
	}
	d := documents[0].(map[string]any)
	if d["id"] == id || !strings.Contains(to, d["id"].(string)) {
		t.Errorf("got %s and %s, want a new document and its page", d["id"], to)
	}
	got := x.do(t, "GET", wf+"/documents/"+d["id"].(string)+"/", "").is(200).object()
	want := `Letter {{Name}} true true true open-{{Name}} fail Letters [letters]`
	if now := fmt.Sprint(got["outputName"], " ", got["createPdfCopy"], " ", got["removeOutput"], " ", got["enablePdfPassword"], " ", got["pdfPassword"], " ", got["onMissing"], " ", got["outputFolder"], " ", got["numbers"]); now != want {
		t.Errorf("got %s, want %s", now, want)
	}
}
