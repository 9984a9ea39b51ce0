package api

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestADocumentIsMadeOfAnOfficeFile(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	for name, want := range map[string]string{"word/document.xml": "CLOUD_DOCS", "word/document2.xml": "CLOUD_DOCS", "ppt/presentation.xml": "CLOUD_SLIDES", "ppt/main.xml": "CLOUD_SLIDES"} {
		d := x.do(t, "POST", wf+"/documents/upload/", memory.Zip(name, ""), "Content-Type", platen.MIMEDocx).is(http.StatusCreated).object()
		if d["documentType"] != want || d["outputName"] != "W - {{Timestamp}}" || d["file"].(map[string]any)["name"] != "W - [Template]" {
			t.Errorf("%s: got %v, want %s", name, d, want)
		}
	}
	if got := x.do(t, "GET", wf+"/", "").is(200).object(); got["status"] != "COMPLETE" || len(got["documents"].([]any)) != 4 {
		t.Errorf("the workflow is %v", got)
	}
	for _, wrong := range []string{"", "{}", memory.Zip("xl/workbook.xml", "")} {
		x.do(t, "POST", wf+"/documents/upload/", wrong).problem(400, "drive_file_not_document")
	}
	x.do(t, "POST", wf+"/documents/upload/", strings.Repeat("x", uploadLimit+1)).problem(413, "body_too_large")
	x.as(t, memory.BobToken, "POST", wf+"/documents/upload/", memory.Zip("word/document.xml", "")).is(http.StatusForbidden)
	x.do(t, "DELETE", wf+"/", "").is(http.StatusNoContent)
	x.do(t, "POST", wf+"/documents/upload/", memory.Zip("word/document.xml", "")).problem(400, "workflow_archived")
}

func TestTheContentsOfATemplateAreReplaced(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	d := x.newDocument(t, wf, `{"file_id":"docs-file"}`)
	before := x.do(t, "GET", d+"/", "").is(200).object()
	docx := memory.Zip("word/document.xml", "other")
	after := x.do(t, "POST", d+"/template/", docx, "Content-Type", platen.MIMEDocx).is(200).object()
	fileID := before["file"].(map[string]any)["id"]
	if want := fmt.Sprintf("[%s %s %d]", fileID, platen.MIMEDocx, len(docx)); fmt.Sprint(x.cloud.Replaced) != want || fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("got %v and %v, want %s and the document as it was", x.cloud.Replaced, after, want)
	}
	x.do(t, "POST", d+"/template/", memory.Zip("ppt/presentation.xml", "")).problem(400, "drive_file_not_document")
	x.as(t, memory.BobToken, "POST", d+"/template/", docx).is(http.StatusForbidden)
	docx = memory.Zip("word/document.xml", "a third")
	x.cloud.Fails["ReplaceContent"] = platen.Errorf(platen.KindNotFound, "drive_file_not_found", "gone")
	x.do(t, "POST", d+"/template/", docx).problem(400, "drive_file_not_found")
	x.cloud.Fails["ReplaceContent"] = platen.Errorf(platen.KindUnavailable, "", "away")
	x.do(t, "POST", d+"/template/", docx).problem(503, "drive_unavailable")
}

func TestAFileOfCountlessPartsIsRefusedBeforeTheyAreRead(t *testing.T) {
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := range 60_000 {
		if _, err := z.CreateRaw(&zip.FileHeader{Name: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := z.Create("word/document.xml"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	x.do(t, "POST", wf+"/documents/upload/", out.String()).problem(400, "drive_file_not_document")
}

func TestWhatIsNoOfficeFileIsSaidWithItsCure(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	const ole = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"
	for body, want := range map[string]string{
		ole + "WordDocument": "old binary office format",
		ole + "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00": "password protected: remove the password",
		"%PDF-1.7":     "the file is a PDF",
		`{\rtf1 text}`: "rich text (RTF): save it as .docx",
		"text":         "save the template as one",
	} {
		if got := x.do(t, "POST", wf+"/documents/upload/", body).problem(400, "drive_file_not_document").Detail; !strings.Contains(got, want) {
			t.Errorf("%q: got %q, want %q in it", body, got, want)
		}
	}
	if got := x.do(t, "POST", wf+"/documents/upload/", strings.Repeat("x", 11<<20)).problem(413, "body_too_large").Detail; !strings.Contains(got, "10 MiB") {
		t.Errorf("got %q, want the limit in MiB", got)
	}
}

// formPart is a part of a form whose boundary is b. A part without a file name is text.
func formPart(field, filename, content string) string {
	if filename != "" {
		filename = fmt.Sprintf("; filename=%q", filename)
	}
	return fmt.Sprintf("--b\r\nContent-Disposition: form-data; name=%q%s\r\n\r\n%s\r\n", field, filename, content)
}

const (
	formType = "multipart/form-data; boundary=b"
	formEnd  = "--b--\r\n"
)

func TestAFormWithAFileIsAnUpload(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	upload := wf + "/documents/upload/"
	form := formPart("file", "invoice.docx", memory.Zip("word/document.xml", "")) + formEnd
	d := x.do(t, "POST", upload, form, "Content-Type", formType).is(http.StatusCreated).object()
	if d["documentType"] != "CLOUD_DOCS" {
		t.Errorf("got %v, want a text document", d)
	}
	changed := memory.Zip("word/document.xml", "changed")
	x.do(t, "POST", wf+"/documents/"+d["id"].(string)+"/template/", formPart("file", "invoice.docx", changed)+formEnd, "Content-Type", formType).is(http.StatusOK)
	if want := fmt.Sprintf("%s %d]", platen.MIMEDocx, len(changed)); !strings.HasSuffix(fmt.Sprint(x.cloud.Replaced), want) {
		t.Errorf("the template's content is %v, want %s", x.cloud.Replaced, want)
	}
	x.do(t, "POST", upload, zipped(t, form), "Content-Type", formType, "Content-Encoding", "gzip").is(http.StatusCreated)
	large := formPart("file", "large.docx", strings.Repeat("x", uploadLimit+1)) + formEnd
	x.do(t, "POST", upload, large, "Content-Type", formType).problem(413, "body_too_large")
}

func TestAFormThatIsNoUploadSaysWhichFieldAndTheCure(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	file := formPart("file", "letter.docx", memory.Zip("word/document.xml", ""))
	for name, c := range map[string]struct{ form, code, want string }{
		"two files":         {file + file + formEnd, "invalid_body", "file is in the form already: send one file."},
		"an unknown field":  {formPart("outputName", "", "Letter") + file + formEnd, "invalid_body", "outputName is no field of an upload, or there already: send the file, with curl by -F file=@template.docx, and settings as one JSON object in the field settings."},
		"behind the file":   {file + formPart("name", "", "Letter") + formEnd, "invalid_body", "name is no field"},
		"another name":      {formPart("upload", "letter.docx", memory.Zip("word/document.xml", "")) + formEnd, "invalid_body", "upload is no field of an upload, or there already: send the file, with curl"},
		"text, not a file":  {formPart("file", "", "letter.docx") + formEnd, "invalid_body", "file is text: send a file, with curl by -F file=@template.docx."},
		"no part":           {formEnd, "invalid_body", "file is required"},
		"a part that stops": {strings.TrimSuffix(file, "\r\n"), "body_unreadable", "form"},
		"no form":           {"PK", "body_unreadable", "form"},
		"no office file":    {formPart("file", "letter.pdf", "%PDF-1.7") + formEnd, "drive_file_not_document", `"letter.pdf" is no .docx or .pptx file: the file is a PDF`},
		"an empty file":     {formPart("file", "letter.docx", "") + formEnd, "drive_file_not_document", `"letter.docx" is empty`},
	} {
		if got := x.do(t, "POST", wf+"/documents/upload/", c.form, "Content-Type", formType).problem(400, c.code).Detail; !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q in it", name, got, c.want)
		}
	}
	if got := x.do(t, "POST", wf+"/documents/upload/", file+formEnd, "Content-Type", "multipart/form-data").problem(400, "body_unreadable").Detail; !strings.Contains(got, "boundary") {
		t.Errorf("without a boundary: got %q", got)
	}
}

func TestADocumentOfAFormHasItsSettingsFromTheStart(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	file := formPart("file", "letter.docx", memory.Zip("word/document.xml", ""))
	upload := func(settings string) answer {
		return x.do(t, "POST", wf+"/documents/upload/", formPart("settings", "", settings)+file+formEnd, "Content-Type", formType)
	}
	d := upload(`{"outputName": "A {{No}}", "createPdfCopy": true, "enablePdfPassword": true, "pdfPassword": "x"}`).is(201).object()
	if d["outputName"] != "A {{No}}" || d["createPdfCopy"] != true || d["pdfPassword"] != "x" {
		t.Errorf("got %v", d)
	}
	for settings, want := range map[string]string{
		`{"createPdfCopy": 1}`:                        "/settings/createPdfCopy",
		`{"pdf": {"profile": "PDF/A-9"}, "zebra": 1}`: "/settings/pdf/profile",
	} {
		if got := upload(settings).problem(400, "invalid_body"); got.Errors[0].Pointer != want {
			t.Errorf("%s: got %+v, want a fault at %s", settings, got.Errors, want)
		}
	}
	upload(`{`).problem(400, "malformed_json")
	upload(`{"pdf": {"profile": "PDF/A-2b"}, "enablePdfPassword": true, "createPdfCopy": true, "pdfPassword": "x"}`).is(400)
	x.do(t, "POST", wf+"/documents/"+d["id"].(string)+"/template/", formPart("settings", "", "{}")+file+formEnd, "Content-Type", formType).problem(400, "invalid_body")
	if got := x.do(t, "GET", wf+"/", "").object()["documents"].([]any); len(got) != 1 {
		t.Errorf("got %d documents, want the first alone", len(got))
	}
}
