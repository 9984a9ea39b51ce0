package api

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
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
	x.do(t, "PATCH", document+"/", `{"outputName":"Letter {{Name}}","createPdfCopy":true,"onMissing":"fail"}`).is(200)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	id := document[strings.LastIndex(document, "/")+1:]
	b := x.console(t).signIn(adaToken)
	const said = "The file of this template is gone"
	b.get(page + "template/").is(200).lacks(said)
	looked.err = gone
	b = x.console(t).signIn(adaToken) // what a page knows of a template counts for a minute
	b.get(page).is(200).shows("is gone. Runs fail until it is back.")
	b.get(page+"template/").is(200).shows(said, `<details id="form-template-`+id+`" open>`)
	b.get(page + "template/?check=" + id).is(200).shows(said)
	before := x.do(t, "GET", document+"/", "").is(200).object()
	file := before["file"].(map[string]any)["id"].(string)
	delete(x.cloud.files, file)
	x.cloud.fails["ExportOffice"] = gone
	at := page + "documents/" + id + "/template"
	b.drop(at, url.Values{}, "letter.docx", "no office file").is(http.StatusBadRequest).shows("no .docx or .pptx file")
	looked.err = nil
	b.drop(at, url.Values{}, "letter.docx", packed(t, "word/document.xml", "new")).is(http.StatusSeeOther)
	after := x.do(t, "GET", document+"/", "").is(200).object()
	if now := after["file"].(map[string]any)["id"]; now == file {
		t.Errorf("got the file %s, want a new one", now)
	}
	for _, name := range []string{"outputName", "createPdfCopy", "onMissing", "documentType"} {
		if after[name] != before[name] {
			t.Errorf("%s: got %v, want %v", name, after[name], before[name])
		}
	}
}

func TestALostTemplateGetsANewFileAndKeepsItsVersions(t *testing.T) {
	t.Parallel()
	gone := platen.Errorf(platen.KindNotFound, "drive_file_not_found", "gone")
	for name, c := range map[string]struct {
		export, file error
		code         string // empty: it is replaced
		status       int
	}{
		"gone":                      {export: gone, file: gone},
		"Google's not found":        {export: platen.Errorf(platen.KindNotFound, "", "404"), file: gone},
		"there, and not its office": {export: gone, code: "drive_file_not_found", status: 400},
		"no rights":                 {export: platen.Errorf(platen.KindForbidden, "drive_file_forbidden", "no"), file: gone, code: "drive_file_forbidden", status: 400},
		"outage":                    {export: platen.Errorf(platen.KindUnavailable, "", "down"), file: gone, code: "drive_unavailable", status: 503},
		"outage, then":              {export: gone, file: platen.Errorf(platen.KindUnavailable, "", "down"), code: "drive_file_not_found", status: 400},
		"no rights, then":           {export: gone, file: platen.Errorf(platen.KindForbidden, "drive_file_forbidden", "no"), code: "drive_file_not_found", status: 400},
		"quota":                     {export: platen.Errorf(platen.KindRateLimited, "", "slow"), file: gone, code: "drive_rate_limited", status: 503},
		"not connected":             {export: platen.Errorf(platen.KindForbidden, "drive_not_connected", "no drive"), file: gone, code: "drive_not_connected", status: 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newHarness(t)
			wf := x.newWorkflow(t, `{"name":"W"}`)
			document := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
			old := packed(t, "word/document.xml", "old")
			x.do(t, "POST", document+"/template/", old).is(200)
			version := x.do(t, "POST", document+"/versions/", `{"note":"kept"}`).is(201).object()["id"].(string)
			file := func() string {
				return x.do(t, "GET", document+"/", "").is(200).object()["file"].(map[string]any)["id"].(string)
			}
			for _, way := range []struct{ path, body string }{{"/template/", packed(t, "word/document.xml", "new")}, {"/versions/" + version + "/restore/", ""}} {
				before := file()
				if c.file == gone {
					delete(x.cloud.files, before)
				}
				made := len(x.cloud.files)
				x.cloud.fails = map[string]error{"ExportOffice": c.export}
				if c.file != nil {
					x.cloud.fails["File"] = c.file
				}
				a := x.do(t, "POST", document+way.path, way.body)
				x.cloud.fails = map[string]error{}
				if c.code != "" {
					a.problem(c.status, c.code)
					if file() != before || len(x.cloud.files) != made {
						t.Errorf("%s: another file was made", way.path)
					}
					continue
				}
				a.is(200)
				if got := a.object()["file"].(map[string]any)["id"]; got == before || got != file() || x.cloud.files[file()].ID == "" {
					t.Errorf("%s: got the file %v of %v", way.path, got, x.cloud.files)
				}
				x.do(t, "GET", document+"/versions/"+version+"/", "").is(200)
			}
		})
	}
}
