package api

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func (a answer) entries() []map[string]any {
	a.t.Helper()
	var v []map[string]any
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		a.t.Fatalf("body is no list: %v: %s", err, a.body)
	}
	return v
}

func TestAReplacementKeepsWhatTheTemplateSaidAndItCanBePutBack(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	first, second := memory.Zip("word/document.xml", "first"), memory.Zip("word/document.xml", "second")
	d := wf + "/documents/" + x.do(t, "POST", wf+"/documents/upload/", first).is(201).object()["id"].(string)
	if got := x.do(t, "GET", d+"/versions/", "").is(200).entries(); len(got) != 0 {
		t.Fatalf("a new template has versions: %v", got)
	}
	x.do(t, "POST", d+"/template/", second).is(200)
	x.do(t, "POST", d+"/template/", second).is(200) // a repeat keeps nothing
	all := x.do(t, "GET", d+"/versions/", "").is(200).entries()
	if len(all) != 1 || all[0]["number"] != 1.0 || all[0]["cause"] != "REPLACED" || all[0]["createdBy"].(map[string]any)["name"] != "Ada" {
		t.Fatalf("after a replacement: got %v, want one version of Ada's", all)
	}
	at := d + "/versions/" + all[0]["id"].(string)
	file := x.do(t, "GET", at+"/file/", "").is(200)
	if file.body != first || file.header.Get("Content-Type") != platen.MIMEDocx || !strings.HasPrefix(file.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("the file of the version: got %d bytes as %v, want what the template said first", len(file.body), file.header)
	}
	x.do(t, "POST", at+"/restore/", "", "Idempotency-Key", "back").is(200)
	if got := x.do(t, "POST", at+"/restore/", "", "Idempotency-Key", "back").is(200); got.header.Get("Idempotent-Replayed") == "" {
		t.Error("a repeat of putting back did something")
	}
	fileID := x.do(t, "GET", d+"/", "").is(200).object()["file"].(map[string]any)["id"].(string)
	if got := string(x.cloud.Contents[fileID]); got != first {
		t.Error("the template does not say what the version says")
	}
	all = x.do(t, "GET", d+"/versions/", "").is(200).entries()
	if len(all) != 2 || all[1]["cause"] != "RESTORED" {
		t.Fatalf("after a version was put back: got %v, want what was there as a version", all)
	}
	if got := x.do(t, "GET", d+"/versions/"+all[1]["id"].(string)+"/file/", "").is(200).body; got != second {
		t.Error("what was there before is lost")
	}
}

func TestAVersionIsKeptOnPurposeOnce(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	d := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	kept := x.do(t, "POST", d+"/versions/", `{"note":"signed"}`).is(201)
	if v := kept.object(); v["cause"] != "KEPT" || v["note"] != "signed" || v["number"] != 1.0 {
		t.Errorf("got %v", v)
	}
	again := x.do(t, "POST", d+"/versions/", "").is(200).object()
	if again["id"] != kept.object()["id"] {
		t.Errorf("the same contents are kept twice: %v", again)
	}
	one := d + "/versions/" + again["id"].(string) + "/"
	got := x.do(t, "GET", one, "").is(200)
	x.do(t, "GET", one, "", "If-None-Match", got.header.Get("ETag")).is(304)
	if p := x.do(t, "POST", d+"/versions/", `{"nte":"x","note":"`+strings.Repeat("x", 201)+`"}`).problem(400, "invalid_body"); !slices.Equal(p.pointers(), []string{"/nte", "/note"}) {
		t.Errorf("pointers: %v", p.pointers())
	}
	x.do(t, "GET", d+"/versions/ver_00000000000000/", "").problem(403, "version_not_found")
	x.do(t, "GET", d+"/versions/x/file/", "").problem(403, "version_not_found")
	for _, path := range []string{"/versions/", "/versions/" + again["id"].(string) + "/", "/versions/" + again["id"].(string) + "/file/"} {
		x.as(t, memory.BobToken, "GET", d+path, "").problem(403, "workflow_not_found")
	}
	x.as(t, memory.BobToken, "POST", one+"restore/", "").problem(403, "workflow_not_found")
	x.as(t, memory.BobToken, "POST", d+"/versions/", "").problem(403, "workflow_not_found")
	x.do(t, "DELETE", wf+"/", "").is(204)
	x.do(t, "POST", one+"restore/", "").problem(400, "workflow_archived")
	x.do(t, "POST", d+"/versions/", "").problem(400, "workflow_archived")
	x.do(t, "GET", one+"file/", "").is(200)
}

// The current content is stored as a version before the drive replaces it.
func TestADriveThatGoesAwayInTheMiddleOfAReplacementLosesNothing(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	first, second := memory.Zip("word/document.xml", "first"), memory.Zip("word/document.xml", "second")
	d := wf + "/documents/" + x.do(t, "POST", wf+"/documents/upload/", first).is(201).object()["id"].(string)
	x.cloud.Fails["ExportOffice"] = platen.Errorf(platen.KindUnavailable, "", "away")
	x.do(t, "POST", d+"/template/", second).problem(503, "drive_unavailable")
	if got := x.do(t, "GET", d+"/versions/", "").is(200).entries(); len(x.cloud.Replaced) != 0 || len(got) != 0 {
		t.Fatalf("what could not be kept was replaced: %v", got)
	}
	delete(x.cloud.Fails, "ExportOffice")
	x.cloud.Fails["ReplaceContent"] = platen.Errorf(platen.KindUnavailable, "", "away")
	x.do(t, "POST", d+"/template/", second).problem(503, "drive_unavailable")
	x.do(t, "POST", d+"/template/", second).problem(503, "drive_unavailable")
	delete(x.cloud.Fails, "ReplaceContent")
	x.do(t, "POST", d+"/template/", second).is(200)
	all := x.do(t, "GET", d+"/versions/", "").is(200).entries()
	if len(all) != 1 {
		t.Fatalf("after two attempts that failed: got %v, want one version", all)
	}
	if got := x.do(t, "GET", d+"/versions/"+all[0]["id"].(string)+"/file/", "").is(200).body; got != first {
		t.Error("what the template said is lost")
	}
	x.cloud.Fails["ExportOffice"] = platen.Errorf(platen.KindTooLarge, "drive_export_too_large", "10 MB")
	x.do(t, "POST", d+"/template/", first).problem(400, "version_too_large")
}

func TestTwoChangesOfATemplateDoNotRunAtOnce(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	d := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	var within answer
	x.cloud.During = func() {
		x.cloud.During = nil
		within = x.do(t, "POST", d+"/template/", memory.Zip("word/document.xml", "other"))
	}
	x.do(t, "POST", d+"/template/", memory.Zip("word/document.xml", "one")).is(200)
	within.problem(503, "template_busy")
	if within.header.Get("Retry-After") == "" {
		t.Error("the second is not told when to try again")
	}
	x.do(t, "POST", d+"/template/", memory.Zip("word/document.xml", "other")).is(200)
}

func TestAMemberOfTheTeamReadsVersionsOnlyOfTemplatesThatTheyMayOpen(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	id := x.as(t, memory.BobToken, "POST", "/v0/workflows/", `{"name":"W","document":{"fileId":"docs-file"}}`).is(201).object()["id"].(string)
	d := x.as(t, memory.BobToken, "GET", "/v0/workflows/"+id+"/documents/", "").is(200).entries()[0]["id"].(string)
	at := "/v0/workflows/" + id + "/documents/" + d + "/versions/"
	v := x.as(t, memory.CydToken, "POST", at, "").is(201).object()["id"].(string)
	x.as(t, memory.CydToken, "GET", at+v+"/file/", "").is(200)
	x.others["usr_00000000000003"] = &memory.Drive{Fails: map[string]error{"File": platen.Errorf(platen.KindNotFound, "", "not yours")}}
	x.as(t, memory.CydToken, "GET", at+v+"/file/", "").problem(400, "drive_file_not_found")
	x.as(t, memory.BobToken, "GET", at+v+"/file/", "").is(200)
}

func TestACopyOfAWorkflowHasItsDocumentsAndSharesNothingSecret(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W","color":"#123456","icon":"Mail","locale":"de-AT","source":{"sourceFields":["A"]},"document":{"fileId":"docs-file","pdfPassword":"x-{{A}}","outputName":"{{A}}"},"outgoingWebhook":{"webhookUrl":"https://receiver.test/x"}}`)
	x.newDocument(t, wf, `{"file_id":"slides-file","createPdfCopy":true,"onMissing":"fail"}`)
	from := x.do(t, "GET", wf+"/", "").is(200).object()
	made := x.do(t, "POST", wf+"/copy/", `{"name":"Second"}`, "Idempotency-Key", "copy").is(201)
	if again := x.do(t, "POST", wf+"/copy/", `{"name":"Second"}`, "Idempotency-Key", "copy").is(201); again.body != made.body {
		t.Error("a repeat made another copy")
	}
	got := made.object()
	for _, same := range []string{"color", "icon", "locale", "status", "autoCreate"} {
		if got[same] != from[same] {
			t.Errorf("%s: got %v, want %v", same, got[same], from[same])
		}
	}
	if got["name"] != "Second" || got["outgoingWebhook"] != nil || got["source"].(map[string]any)["webhookUrl"] == from["source"].(map[string]any)["webhookUrl"] {
		t.Errorf("got %v", got)
	}
	copies, originals := got["documents"].([]any), from["documents"].([]any)
	if len(copies) != 2 {
		t.Fatalf("documents: got %v", copies)
	}
	for i := range copies {
		a, b := copies[i].(map[string]any), originals[i].(map[string]any)
		for _, same := range []string{"documentType", "outputName", "pdfPassword", "createPdfCopy", "onMissing"} {
			if a[same] != b[same] {
				t.Errorf("document %d, %s: got %v, want %v", i, same, a[same], b[same])
			}
		}
		if a["id"] == b["id"] || a["file"].(map[string]any)["id"] == b["file"].(map[string]any)["id"] {
			t.Errorf("document %d is the same one: %v", i, a)
		}
	}
	to := x.do(t, "POST", wf+"/copy/", `{"name":"Third","outgoingWebhook":true}`).is(201).object()
	at := "/v0/workflows/" + to["id"].(string)
	if to["outgoingWebhook"].(map[string]any)["webhookUrl"] != "https://receiver.test/x" ||
		x.do(t, "GET", at+"/outgoing-webhooks/secret/", "").is(200).object()["secret"] == x.do(t, "GET", wf+"/outgoing-webhooks/secret/", "").is(200).object()["secret"] {
		t.Errorf("the receiver of the copy: %v", to["outgoingWebhook"])
	}
	x.do(t, "POST", at+"/copy/", `{}`).problem(400, "invalid_body")
	x.as(t, memory.BobToken, "POST", wf+"/copy/", `{"name":"Stolen"}`).problem(403, "workflow_not_found")
	x.do(t, "DELETE", at+"/", "").is(204)
	x.do(t, "POST", at+"/copy/", `{"name":"Fourth"}`).problem(400, "workflow_archived")
}

func TestACopyThatFailsInTheMiddleLeavesNothing(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W","document":{"fileId":"docs-file"}}`)
	d := x.newDocument(t, wf, `{"file_id":"slides-file"}`)
	before, noted := len(x.cloud.Copies), len(x.store.Noted)
	file := x.do(t, "GET", d+"/", "").is(200).object()["file"].(map[string]any)["id"].(string)
	gone := x.cloud.Files[file]
	gone.Trashed = true
	x.cloud.Files[file] = gone
	p := x.do(t, "POST", wf+"/copy/", `{"name":"Second"}`).problem(400, "drive_file_trashed")
	if !strings.Contains(p.Detail, d[strings.LastIndex(d, "/")+1:]) {
		t.Errorf("the answer does not name the document: %s", p.Detail)
	}
	if got := x.cloud.Copies[before:]; len(got) != 1 || !slices.Contains(x.cloud.Trashed, got[0].ID) {
		t.Errorf("copies that stay: %v, trashed: %v", got, x.cloud.Trashed)
	}
	if got := x.store.Noted[noted:]; len(got) != 1 {
		t.Errorf("noted before they were made: %v, want the first", got)
	}
	if got := x.do(t, "GET", "/v0/workflows/", "").is(200).entries(); len(got) != 1 {
		t.Errorf("there are %d workflows, want the one", len(got))
	}
}

func TestATokenForOneWorkflowCopiesAndImportsNone(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	id := wf[strings.LastIndex(wf, "/")+1:]
	x.store.Scope(memory.AdaToken, "write,workflow:"+id)
	x.do(t, "POST", wf+"/copy/", `{"name":"Second"}`).problem(403, "scope_missing")
	x.do(t, "POST", "/v0/workflows/import/", memory.Zip("workflow.json", "{}")).problem(403, "scope_missing")
	x.do(t, "GET", wf+"/export/", "").is(200)
	x.store.Scope(memory.AdaToken, "read")
	x.do(t, "POST", wf+"/copy/", `{"name":"Second"}`).problem(403, "scope_missing")
	x.do(t, "GET", wf+"/export/", "").is(200)
}

// exported reads an export: workflow.json without what differs, and the templates.
func exported(t *testing.T, body string) (described map[string]any, templates map[string]string) {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	templates = map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		var content bytes.Buffer
		if _, err := content.ReadFrom(r); err != nil {
			t.Fatal(err)
		}
		if f.Name != "workflow.json" {
			templates[f.Name] = content.String()
		} else if err := json.Unmarshal(content.Bytes(), &described); err != nil {
			t.Fatal(err)
		}
	}
	delete(described, "exportedAt")
	return described, templates
}

func TestAWorkflowGoesToAnotherInstallationAndIsTheSameThere(t *testing.T) {
	t.Parallel()
	x, other := newHarness(t), newHarness(t)
	wf := x.newWorkflow(t, `{"name":"Rechnungen – ä","color":"#123456","icon":"Mail","locale":"de-AT","source":{"sourceFields":["A","B.C"]},"outgoingWebhook":{"webhookUrl":"https://receiver.test/secret"}}`)
	first := wf + "/documents/" + x.do(t, "POST", wf+"/documents/upload/", memory.Zip("word/document.xml", "Dear {{A}}")).is(201).object()["id"].(string)
	x.do(t, "PATCH", first+"/", `{"outputName":"{{A}}","createPdfCopy":true,"removeOutput":true,"enablePdfPassword":true,"pdfPassword":"x-{{A}}","enablePdfPreventCopy":true,"onMissing":"fail","outputFolder":"Out/{{A}}","outputFolderId":"folder-1","outputSharing":"anyone","numbers":["invoices"]}`).is(200)
	second := wf + "/documents/" + x.do(t, "POST", wf+"/documents/upload/", memory.Zip("ppt/presentation.xml", "Hello")).is(201).object()["id"].(string)
	x.do(t, "PATCH", second+"/", `{"enablePdfPassword":true,"pdfPassword":"a literal secret"}`).is(200)
	file := x.do(t, "GET", wf+"/export/", "").is(200)
	if file.header.Get("Content-Type") != "application/zip" || file.header.Get("Cache-Control") != "no-store" {
		t.Errorf("header of the export: %v", file.header)
	}
	for _, secret := range []string{"a literal secret", "receiver.test", "hooks.test", "folder-1", "usr_", "wkf_", "doc_", "owc_", "src_"} {
		if described, _ := json.Marshal(first0(exported(t, file.body))); strings.Contains(string(described), secret) {
			t.Errorf("the export holds %q", secret)
		}
	}
	made := other.do(t, "POST", "/v0/workflows/import/", file.body, "Content-Type", "application/zip", "Idempotency-Key", "import").is(201)
	if again := other.do(t, "POST", "/v0/workflows/import/", file.body, "Content-Type", "application/zip", "Idempotency-Key", "import").is(201); again.body != made.body {
		t.Error("a repeat imported another workflow")
	}
	at := "/v0/workflows/" + made.object()["id"].(string)
	if got := made.object(); got["status"] != "COMPLETE" || got["locale"] != "de-AT" || got["outgoingWebhook"] != nil {
		t.Errorf("imported: %v", got)
	}
	want, wantTemplates := exported(t, file.body)
	got, gotTemplates := exported(t, other.do(t, "GET", at+"/export/", "").is(200).body)
	if fmt.Sprint(got) != fmt.Sprint(want) || fmt.Sprint(gotTemplates) != fmt.Sprint(wantTemplates) {
		t.Errorf("an export of the import:\ngot  %v\nwant %v", got, want)
	}
	if d := made.object()["documents"].([]any)[1].(map[string]any); d["enablePdfPassword"] != true || d["pdfPassword"] != "" {
		t.Errorf("a document whose password stayed behind: %v, want one that asks for a password and has none", d)
	}
}

func first0(described map[string]any, _ map[string]string) map[string]any { return described }

func TestAnImportSaysWhatIsWrongWithTheFileAndWhere(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	whole := func(documents string) string {
		return `{"format":"platen-workflow","version":1,"exportedAt":"x","workflow":{"name":"W"},"documents":[` + documents + `]}`
	}
	one := whole(`{"template":"templates/1.docx"}`)
	said := memory.Zip("word/document.xml", "x")
	var encrypted = strings.Replace(memory.Zip("workflow.json", one, "templates/1.docx", said), "PK\x01\x02", "PK\x01\x03", 1)
	for name, c := range map[string]struct{ body, says, pointer string }{
		"nothing":            {"", "no zip file", ""},
		"no zip file":        {"{}", "no zip file", ""},
		"cut off":            {memory.Zip("workflow.json", one)[:40], "no zip file", ""},
		"a comment":          {memory.Zip("workflow.json", one) + "x", "no zip file", ""},
		"a broken directory": {encrypted, "no zip file", ""},
		"no workflow.json":   {memory.Zip("templates/1.docx", said), "has no workflow.json", ""},
		"a path":             {memory.Zip("workflow.json", one, "../../etc/passwd", "x"), `entry "../../etc/passwd"`, ""},
		"a path in templates": {memory.Zip("workflow.json", one, "templates/../1.docx", said),
			`entry "templates/../1.docx"`, ""},
		"a folder":         {memory.Zip("workflow.json", one, "templates/", ""), `entry "templates/"`, ""},
		"twice":            {memory.Zip("workflow.json", one, "workflow.json", one), "workflow.json more than once", ""},
		"no such template": {memory.Zip("workflow.json", one), "documents/0/template", ""},
		"one for two":      {memory.Zip("workflow.json", whole(`{"template":"templates/1.docx"},{"template":"templates/1.docx"}`), "templates/1.docx", said), "documents/1/template", ""},
		"one too many":     {memory.Zip("workflow.json", whole(""), "templates/1.docx", said), "names no template templates/1.docx", ""},
		"no office file":   {memory.Zip("workflow.json", one, "templates/1.docx", "text"), "emplates/1.docx is no", ""},
		"another version":  {memory.Zip("workflow.json", strings.Replace(one, `"version":1`, `"version":2,"more":{}`, 1)), "has the version 2", ""},
		"another format":   {memory.Zip("workflow.json", strings.Replace(one, "platen-", "other-", 1)), "format must be platen-workflow", "/format"},
		"an unknown field": {memory.Zip("workflow.json", whole(`{"template":"templates/1.docx","outputNme":"x"}`), "templates/1.docx", said), "documents/0/outputNme", "/documents/0/outputNme"},
		"a file's id":      {memory.Zip("workflow.json", whole(`{"template":"templates/1.docx","file":{"id":"x"}}`), "templates/1.docx", said), "documents/0/file", "/documents/0/file"},
		"a wrong type":     {memory.Zip("workflow.json", whole(`7`)), "documents/0 must be an object", "/documents/0"},
		"no name":          {memory.Zip("workflow.json", strings.Replace(whole(""), `{"name":"W"}`, `{}`, 1)), "workflow/name is required", "/workflow/name"},
		"no JSON":          {memory.Zip("workflow.json", "{"), "In workflow.json: The JSON", ""},
	} {
		p := x.do(t, "POST", "/v0/workflows/import/", c.body).problem(400, "import_invalid")
		if !strings.Contains(p.Detail, c.says) || c.pointer != "" && !slices.Contains(p.pointers(), c.pointer) {
			t.Errorf("%s: got %q and %v, want %q and %q", name, p.Detail, p.pointers(), c.says, c.pointer)
		}
	}
	if len(x.cloud.Copies) != 0 || len(x.store.ByID) != 0 {
		t.Errorf("of files with mistakes %d templates and %d workflows were made", len(x.cloud.Copies), len(x.store.ByID))
	}
}

// A file that is small where it is sent and large where it is unpacked is refused by what
// comes out of it, not by what it says of itself.
func TestAnImportIsBounded(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	zeros := strings.Repeat("\x00", uploadLimit+1)
	bomb := memory.Zip("workflow.json", "{}", "templates/1.docx", zeros)
	p := x.do(t, "POST", "/v0/workflows/import/", bomb).problem(400, "import_invalid")
	if len(bomb) > 100<<10 || !strings.Contains(p.Detail, "emplates/1.docx in the zip file is too large") {
		t.Errorf("%d bytes: %s", len(bomb), p.Detail)
	}
	half := strings.Repeat("\x00", 8<<20)
	x.do(t, "POST", "/v0/workflows/import/", memory.Zip("workflow.json", "{}", "templates/1.docx", half, "templates/2.docx", half+"\x00")).problem(400, "import_invalid")
	x.do(t, "POST", "/v0/workflows/import/", memory.Zip("workflow.json", strings.Repeat(" ", bodyLimit+1))).problem(400, "import_invalid")
	var many []string
	for i := range 22 {
		many = append(many, fmt.Sprintf("templates/%d.docx", i), "x")
	}
	if p := x.do(t, "POST", "/v0/workflows/import/", memory.Zip(many...)).problem(400, "import_invalid"); !strings.Contains(p.Detail, "22 entries") {
		t.Error(p.Detail)
	}
	x.do(t, "POST", "/v0/workflows/import/", strings.Repeat("x", importLimit+1)).problem(http.StatusRequestEntityTooLarge, "body_too_large")
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
			old := memory.Zip("word/document.xml", "old")
			x.do(t, "POST", document+"/template/", old).is(200)
			version := x.do(t, "POST", document+"/versions/", `{"note":"kept"}`).is(201).object()["id"].(string)
			file := func() string {
				return x.do(t, "GET", document+"/", "").is(200).object()["file"].(map[string]any)["id"].(string)
			}
			for _, way := range []struct{ path, body string }{{"/template/", memory.Zip("word/document.xml", "new")}, {"/versions/" + version + "/restore/", ""}} {
				before := file()
				if c.file == gone {
					delete(x.cloud.Files, before)
				}
				made := len(x.cloud.Files)
				x.cloud.Fails = map[string]error{"ExportOffice": c.export}
				if c.file != nil {
					x.cloud.Fails["File"] = c.file
				}
				a := x.do(t, "POST", document+way.path, way.body)
				x.cloud.Fails = map[string]error{}
				if c.code != "" {
					a.problem(c.status, c.code)
					if file() != before || len(x.cloud.Files) != made {
						t.Errorf("%s: another file was made", way.path)
					}
					continue
				}
				a.is(200)
				if got := a.object()["file"].(map[string]any)["id"]; got == before || got != file() || x.cloud.Files[file()].ID == "" {
					t.Errorf("%s: got the file %v of %v", way.path, got, x.cloud.Files)
				}
				x.do(t, "GET", document+"/versions/"+version+"/", "").is(200)
			}
		})
	}
}
