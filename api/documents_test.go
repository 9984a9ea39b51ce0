package api

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestADocumentFromAFileHasTheDefaultsAndMakesTheWorkflowComplete(t *testing.T) {
	t.Parallel()
	for _, spelling := range []string{"file_id", "fileId"} {
		x := newHarness(t)
		path := x.newWorkflow(t, `{"name":"Invoices"}`)
		got := x.do(t, "POST", path+"/documents/", `{"`+spelling+`":"docs-file"}`).is(http.StatusCreated).object()
		id := got["id"].(string)
		if !platen.IsID(platen.PrefixDocument, id) {
			t.Errorf("id: got %q, want doc_…", id)
		}
		if x.cloud.Copies[0].Properties[platen.PropertyKey] != id {
			t.Errorf("the copy's key: got %v, want %s", x.cloud.Copies[0].Properties, id)
		}
		preview, err := url.Parse(got["previewUrl"].(string))
		if err != nil || preview.Host != "api.test" || preview.Path != "/preview/"+id || preview.Query().Get("sig") == "" {
			t.Errorf("previewUrl: got %v", got["previewUrl"])
		}
		delete(got, "previewUrl")
		delete(got, "id")
		want := map[string]any{
			"documentType": "CLOUD_DOCS",
			"file": map[string]any{"id": "copy-of-" + id, "name": "Invoices - [Template]",
				"url": "https://drive.test/" + id, "mimeType": platen.MIMEDocs},
			"outputName": "Invoices - {{Timestamp}}", "createPdfCopy": false, "removeOutput": false,
			"enablePdfPassword": false, "pdfPassword": "", "pdfPasswordPreventCopy": false, "onMissing": "blank",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: document (-want +got):\n%s", spelling, diff)
		}
		if got := x.do(t, "GET", path+"/", "").object()["status"]; got != "COMPLETE" {
			t.Errorf("workflow status: got %v, want COMPLETE", got)
		}
	}
}

func TestAnEmptyBodyMakesABlankDocument(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "{}", " {} "} {
		x := newHarness(t)
		path := x.newWorkflow(t, `{"name":"A"}`)
		got := x.do(t, "POST", path+"/documents/", body).is(http.StatusCreated).object()
		if got["documentType"] != "CLOUD_DOCS" || x.cloud.Copies[0].MIMEType != platen.MIMEDocs {
			t.Errorf("body %q: got %v", body, got)
		}
	}
}

func TestWhatADocumentIsMadeOfIsCheckedAtTheDrive(t *testing.T) {
	t.Parallel()
	forbidden := platen.Errorf(platen.KindForbidden, "", "no")
	for name, c := range map[string]struct {
		file, fails string
		err         error
		status      int
		code        string
		located     bool
	}{
		"unknown":               {file: "nowhere", status: 400, code: "drive_file_not_found", located: true},
		"not a document":        {file: "pdf-file", status: 400, code: "drive_file_not_document", located: true},
		"in the trash":          {file: "trashed-file", status: 400, code: "drive_file_trashed", located: true},
		"not to be read":        {file: "docs-file", fails: "File", err: forbidden, status: 400, code: "drive_file_forbidden", located: true},
		"not to be copied":      {file: "docs-file", fails: "Copy", err: forbidden, status: 400, code: "drive_file_forbidden", located: true},
		"a fault of its own":    {file: "docs-file", fails: "Copy", err: platen.Errorf(platen.KindInvalid, "drive_full", "full"), status: 400, code: "drive_full", located: true},
		"no connection":         {file: "docs-file", fails: "open", err: platen.Errorf(platen.KindForbidden, "drive_not_connected", "connect it"), status: 403, code: "drive_not_connected"},
		"connection broken":     {file: "docs-file", fails: "Copy", err: platen.Errorf(platen.KindForbidden, "drive_connection_broken", "connect it again"), status: 403, code: "drive_connection_broken"},
		"too large":             {file: "docs-file", fails: "Copy", err: platen.Errorf(platen.KindTooLarge, "drive_file_too_large", "too large"), status: 400, code: "drive_file_too_large", located: true},
		"changed meanwhile":     {file: "docs-file", fails: "Copy", err: platen.Errorf(platen.KindConflict, "", "changed"), status: 503, code: "drive_busy"},
		"database away":         {file: "docs-file", fails: "open", err: platen.Errorf(platen.KindUnavailable, "database_unavailable", "away"), status: 503, code: "database_unavailable"},
		"drive away":            {file: "docs-file", fails: "Copy", err: platen.Errorf(platen.KindUnavailable, "", "away"), status: 503, code: "drive_unavailable"},
		"drive asks for a rest": {file: "docs-file", fails: "File", err: &platen.Error{Kind: platen.KindRateLimited, RetryAfter: 42 * time.Second}, status: 503, code: "drive_rate_limited"},
		"our fault":             {file: "docs-file", fails: "Copy", err: errors.New("bug"), status: 500, code: "internal_error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newHarness(t)
			path := x.newWorkflow(t, `{"name":"A"}`)
			x.cloud.Fails[c.fails] = c.err
			a := x.do(t, "POST", path+"/documents/", `{"file_id":"`+c.file+`"}`)
			p := a.problem(c.status, c.code)
			if c.located && !slices.Equal(p.pointers(), []string{"/file_id"}) {
				t.Errorf("pointers: got %v, want [/file_id]", p.pointers())
			}
			if c.status == 503 && a.header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
			if c.code == "drive_rate_limited" && a.header.Get("Retry-After") != "42" {
				t.Errorf("Retry-After: got %q, want 42", a.header.Get("Retry-After"))
			}
			if got := strings.TrimSpace(x.do(t, "GET", path+"/documents/", "").is(200).body); got != "[]" {
				t.Errorf("documents afterwards: got %s, want []", got)
			}
		})
	}
}

func TestADriveThatDoesNotAnswerIsA503(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *Options) { o.DriveTimeout = time.Millisecond })
	path := x.newWorkflow(t, `{"name":"A"}`)
	x.cloud.Hang = true
	a := x.do(t, "POST", path+"/documents/", `{"file_id":"docs-file"}`)
	a.problem(503, "drive_timeout")
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

func TestATeamMembersFileIsCopiedInTheDriveOfTheWorkflowsOwner(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := "/v0/workflows/" + x.as(t, memory.BobToken, "POST", "/v0/workflows/", `{"name":"T"}`).is(201).object()["id"].(string)
	cyds := &memory.Drive{Files: map[string]platen.File{
		"shared": {ID: "shared", MIMEType: platen.MIMEDocs}, "docs-file": {ID: "docs-file", MIMEType: platen.MIMEDocs}}}
	x.others["usr_00000000000003"] = cyds

	x.as(t, memory.CydToken, "POST", wf+"/documents/", `{"file_id":"docs-file"}`).is(201)
	x.as(t, memory.CydToken, "POST", wf+"/documents/", ``).is(201)
	if len(x.cloud.Copies) != 2 || len(cyds.Copies) != 0 {
		t.Errorf("copies: got %d with the owner and %d with the member, want 2 and 0", len(x.cloud.Copies), len(cyds.Copies))
	}
	p := x.as(t, memory.CydToken, "POST", wf+"/documents/", `{"file_id":"shared"}`).problem(400, "drive_file_forbidden")
	if !strings.Contains(p.Detail, "owner") {
		t.Errorf("a file that the owner cannot open: got %q", p.Detail)
	}
	x.as(t, memory.CydToken, "POST", wf+"/documents/", `{"file_id":"slides-file"}`).problem(400, "drive_file_not_found")
}

func TestUpdateDocumentTakesBothSpellingsOfEachFlag(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	doc := x.newDocument(t, x.newWorkflow(t, `{"name":"A"}`), "")
	for body, field := range map[string]string{
		`{"createPdfCopy":true}`:                      "createPdfCopy",
		`{"createPDFCopy":true}`:                      "createPdfCopy",
		`{"removeOutput":true}`:                       "removeOutput",
		`{"enablePdfPassword":true}`:                  "enablePdfPassword",
		`{"pdfPasswordPreventCopy":true}`:             "pdfPasswordPreventCopy",
		`{"enablePdfPreventCopy":true}`:               "pdfPasswordPreventCopy",
		`{"createPdfCopy":true,"createPDFCopy":true}`: "createPdfCopy",
	} {
		if got := x.do(t, "PATCH", doc+"/", body).is(200).object()[field]; got != true {
			t.Errorf("%s: %s: got %v, want true", body, field, got)
		}
		x.do(t, "PATCH", doc+"/", `{"`+field+`":false}`).is(200)
	}
	p := x.do(t, "PATCH", doc+"/", `{"createPdfCopy":true,"createPDFCopy":false}`).problem(400, "invalid_body")
	if got := p.pointers(); !slices.Equal(got, []string{"/createPDFCopy"}) {
		t.Errorf("two spellings, two values: pointers: got %v", got)
	}
}

func TestUpdateDocumentIgnoresWhatCannotBeEdited(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	doc := x.newDocument(t, x.newWorkflow(t, `{"name":"A"}`), "")
	before := x.do(t, "GET", doc+"/", "").is(200)
	want := before.object()
	want["outputName"], want["pdfPassword"] = "Offer {{No}}", "{{Birthday}}"
	body := strings.NewReplacer(`A - {{Timestamp}}`, `Offer {{No}}`, `"pdfPassword":""`, `"pdfPassword":"{{Birthday}}"`,
		`"mimeType":"`, `"mimeType":"x`).Replace(before.body)
	got := x.do(t, "PATCH", doc+"/", body).is(200).object()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, x.do(t, "GET", doc+"/", "").object()); diff != "" {
		t.Errorf("document read later (-want +got):\n%s", diff)
	}
}

func TestANewDocumentTakesItsEditableFieldsToo(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	got := x.do(t, "POST", x.newWorkflow(t, `{"name":"A"}`)+"/documents/", `{"createPDFCopy":true,"outputName":"X"}`).is(201).object()
	if got["createPdfCopy"] != true || got["outputName"] != "X" {
		t.Errorf("got %v", got)
	}
}

func TestWhoeverMayNotSeeAWorkflowLearnsNothingOfItsParts(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	mine := x.newWorkflow(t, `{"name":"A"}`)
	for _, c := range []struct{ method, path, code string }{
		{"GET", "/documents/1", "document_not_found"},
		{"PATCH", "/documents/1", "document_not_found"},
		{"DELETE", "/documents/1", "document_not_found"},
		{"POST", "/documents/doc_0000000000000001/check", "document_not_found"},
		{"GET", "/automations/1", "automation_not_found"},
		{"POST", "/automations/1/retry", "automation_not_found"},
		{"GET", "/events/1", "event_not_found"},
		{"POST", "/events/1/redeliver", "event_not_found"},
	} {
		x.do(t, c.method, mine+c.path, "").problem(403, c.code)
		x.do(t, c.method, "/v0/workflows/wkf_0000000000000001"+c.path, "").problem(403, "workflow_not_found")
		x.do(t, c.method, "/v0/workflows/1"+c.path, "").problem(403, "workflow_not_found")
	}
}
