package api

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestAppendicesAreAbsentUntilTheyAreSetAndStayInTheirOrder(t *testing.T) {
	t.Parallel()
	x, wf, d := withTemplates(t, &memory.Templates{})
	for _, step := range []struct{ body, want string }{
		{`{}`, "<nil>"},
		{`{"appendices":["pdf-file","https://docs.google.com/presentation/d/slides-file/edit"]}`, "[pdf-file slides-file]"},
		{`{"outputName":"x"}`, "[pdf-file slides-file]"},
		{`{"appendices":["slides-file","pdf-file"]}`, "[slides-file pdf-file]"},
		{`{"appendices":[]}`, "<nil>"},
	} {
		if got := fmt.Sprint(x.do(t, "PATCH", d, step.body).is(200).object()["appendices"]); got != step.want {
			t.Errorf("%s: got %s, want %s", step.body, got, step.want)
		}
	}
	if got := x.do(t, "POST", wf+"/documents/", `{"file_id":"docs-file","appendices":["pdf-file"]}`).is(201).object()["appendices"]; fmt.Sprint(got) != "[pdf-file]" {
		t.Errorf("a new document: got %v", got)
	}
	whole := x.do(t, "POST", "/v0/workflows/", `{"name":"W","document":{"fileId":"docs-file","appendices":["pdf-file"]}}`).is(201)
	if !strings.Contains(whole.body, `"appendices":["pdf-file"]`) {
		t.Errorf("a new workflow: got %s", whole.body)
	}
}

func TestAnAppendixThatCannotBeIsRefusedWithTheCure(t *testing.T) {
	t.Parallel()
	x, wf, d := withTemplates(t, &memory.Templates{})
	x.cloud.Files["picture"] = platen.File{ID: "picture", MIMEType: "image/png"}
	x.cloud.Files["large"] = platen.File{ID: "large", MIMEType: platen.MIMEPDF, Size: platen.MaxAppendedSize + 1}
	for body, want := range map[string]struct{ code, pointer, cure string }{
		`{"appendices":"pdf-file"}`:                                             {"invalid_body", "/appendices", "a list"},
		`{"appendices":null}`:                                                   {"invalid_body", "/appendices", "a list"},
		`{"appendices":["a","b","c","d","e","f"]}`:                              {"invalid_body", "/appendices", "at most 5"},
		`{"appendices":[""]}`:                                                   {"invalid_body", "/appendices/0", "leave the entry out"},
		`{"appendices":["Terms of 2026.pdf"]}`:                                  {"invalid_body", "/appendices/0", "not its name"},
		`{"appendices":["pdf-file","pdf-file"]}`:                                {"invalid_body", "/appendices/1", "already"},
		`{"appendices":["pdf-file","https://drive.test/file/d/pdf-file/view"]}`: {"invalid_body", "/appendices/1", "already"},
		`{"appendices":["pdf-file","nowhere"]}`:                                 {"drive_file_not_found", "/appendices/1", "share the file with your account"},
		`{"appendices":["trashed-file"]}`:                                       {"drive_file_trashed", "/appendices/0", "restore it"},
		`{"appendices":["picture"]}`:                                            {"appendix_type_unsupported", "/appendices/0", "choose a PDF"},
		`{"appendices":["large"]}`:                                              {"appendix_too_large", "/appendices/0", "make it smaller"},
	} {
		p := x.do(t, "PATCH", d, body).problem(400, want.code)
		if got := p.pointers(); len(got) != 1 || got[0] != want.pointer || !strings.Contains(p.Errors[0].Detail, want.cure) {
			t.Errorf("%s: got %+v, want %q at %s", body, p, want.cure, want.pointer)
		}
	}
	p := x.do(t, "POST", "/v0/workflows/", `{"name":"W","document":{"fileId":"docs-file","appendices":["nowhere"]}}`).problem(400, "drive_file_not_found")
	if got := p.pointers(); len(got) != 1 || got[0] != "/document/appendices/0" {
		t.Errorf("a new workflow: got %v", got)
	}
	if got := x.do(t, "GET", wf+"/documents/", "").is(200).entries(); len(got) != 1 {
		t.Errorf("got %d documents, want none made of what was refused", len(got))
	}
}

// Bob and Cyd are a team. A user must be able to open the files that they name: the
// output shows their content.
func TestNobodyAppendsAFileThatTheyCannotOpen(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := "/v0/workflows/" + x.as(t, memory.BobToken, "POST", "/v0/workflows/", `{"name":"W"}`).is(201).object()["id"].(string)
	d := wf + "/documents/" + x.as(t, memory.BobToken, "POST", wf+"/documents/", `{"file_id":"docs-file","appendices":["pdf-file"]}`).is(201).object()["id"].(string)
	cyds := &memory.Drive{Fails: map[string]error{}, Files: map[string]platen.File{"cyds-file": {ID: "cyds-file", MIMEType: platen.MIMEPDF}}}
	x.others["usr_00000000000003"] = cyds
	p := x.as(t, memory.CydToken, "PATCH", d, `{"appendices":["slides-file"]}`).problem(400, "drive_file_not_found")
	if got := p.pointers(); len(got) != 1 || got[0] != "/appendices/0" {
		t.Errorf("a file of the owner's: got %v", p)
	}
	p = x.as(t, memory.CydToken, "PATCH", d, `{"appendices":["cyds-file"]}`).problem(400, "drive_file_forbidden")
	if !strings.Contains(p.Detail, "share it with the owner") {
		t.Errorf("a file of a member's: got %v", p)
	}
	read := x.as(t, memory.CydToken, "GET", d, "").is(200)
	x.as(t, memory.CydToken, "PATCH", d, read.body).is(200) // what was read can be sent back
}

func TestACopyOfAWorkflowHasItsAppendicesIfWhoCopiesItCanOpenThem(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := "/v0/workflows/" + x.as(t, memory.BobToken, "POST", "/v0/workflows/", `{"name":"W"}`).is(201).object()["id"].(string)
	x.as(t, memory.BobToken, "POST", wf+"/documents/", `{"file_id":"docs-file","appendices":["pdf-file"]}`).is(201)
	copied := x.as(t, memory.BobToken, "POST", wf+"/copy/", `{"name":"C"}`).is(201)
	if !strings.Contains(copied.body, `"appendices":["pdf-file"]`) {
		t.Errorf("got %s", copied.body)
	}
	shared := maps.Clone(x.cloud.Files)
	delete(shared, "pdf-file")
	x.others["usr_00000000000003"] = &memory.Drive{Fails: map[string]error{}, Files: shared}
	p := x.as(t, memory.CydToken, "POST", wf+"/copy/", `{"name":"C"}`).problem(400, "drive_file_not_found")
	if !strings.Contains(p.Detail, "name the file pdf-file") || !strings.Contains(p.Detail, "empty appendices") {
		t.Errorf("got %s, want the file and the cure", p.Detail)
	}
	if file := x.as(t, memory.BobToken, "GET", wf+"/export/", "").is(200); strings.Contains(file.body, "pdf-file") {
		t.Error("the export names a file of one drive")
	}
}

func TestAppendicesWithoutAPDFAreAFinding(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) {
		o.Templates = &memory.Templates{Checked: platen.TemplateCheck{Schema: []byte(`{}`), AppendedTexts: []string{"Hours of {{Name}}"}}}
		o.Tags = func(texts, _ []string) []TagFinding {
			if len(texts) > 0 && strings.Contains(texts[0], "Hours") {
				return []TagFinding{{Name: "Name", Filled: true}}
			}
			return nil
		}
	})
	d := x.newDocument(t, x.newWorkflow(t, `{"name":"W"}`), `{"file_id":"docs-file"}`)
	for body, want := range map[string]bool{`{"appendices":["pdf-file"],"createPdfCopy":false}`: true, `{"appendices":["pdf-file"],"createPdfCopy":true}`: false} {
		if got := strings.Contains(x.do(t, "PATCH", d, body).is(200).body, `"appends_nothing"`); got != want {
			t.Errorf("%s: got a finding %t, want %t", body, got, want)
		}
	}
	if got := fmt.Sprint(x.do(t, "POST", d+"/check/", `{}`).is(200).object()["tags"]); got != "[map[filled:true in:[appendices] name:Name nearest:[]]]" {
		t.Errorf("tags: got %s", got)
	}
}
