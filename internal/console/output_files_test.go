package console_test

import (
	"archive/zip"
	"net/http"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestTheConsoleShowsAndDownloadsOutputs(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf, ids := x.withOutputs(t, "Invoice <17>.pdf", "Secret.pdf", "Letter", "Gone.pdf")
	x.store.Output(1).PDF.Properties = map[string]string{platen.PropertyProtection: string(platen.ProtectionPassword)}
	x.store.Output(0).MissingFields = []string{"City"}
	x.store.Output(0).Findings = []platen.Finding{{Code: "missing_glyph", Message: "No font has “日”."}}
	delete(x.drive.Files, "file"+ids[3])
	at := "/console" + strings.TrimPrefix(wf, "/v0") + "/outputs/"
	b := x.console(t).signIn(memory.AdaToken)
	page := b.get(at).is(200)
	page.shows(`data-pdf="`+at+ids[0]+`/pdf"`, `Invoice &lt;17&gt;.pdf`, `name="id" value="`+ids[2]+`"`, `href="`+at+ids[1]+`/pdf?download"`, `action="`+at+`zip"`)
	for _, id := range ids[1:3] {
		if strings.Contains(page.body, `data-pdf="`+at+id) {
			t.Errorf("%s is drawn: it is encrypted, or would be exported each time", id)
		}
	}
	file := b.get(at + ids[0] + "/pdf").is(200)
	if file.body != "%PDF stored Invoice <17>.pdf" || file.header.Get("Content-Type") != "application/pdf" || !strings.HasPrefix(file.header.Get("Content-Disposition"), "inline") || file.header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("got %q with %v", file.body, file.header)
	}
	b.open("GET", at+ids[0]+"/pdf", nil, "If-None-Match", file.header.Get("ETag")).is(http.StatusNotModified)
	if got := b.get(at + ids[2] + "/pdf?download").is(200).header.Get("Content-Disposition"); got != "attachment; filename=Letter.pdf" {
		t.Errorf("download: got %q", got)
	}
	b.get(at + ids[3] + "/pdf").is(400).shows("not in the drive any more")
	b.get(at + "out_00000000000099" + "/pdf").is(404)
	b.get(at + "out_short/pdf").is(404)
	archive := b.get(at + "zip?id=" + ids[0] + "&id=" + ids[3]).is(200).body
	z, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	if len(z.File) != 2 || z.File[0].Name != "Invoice _17_.pdf" || z.File[1].Name != "errors.txt" {
		t.Errorf("zip: got %+v", z.File)
	}
	b.get(at + "zip").is(400).shows("Choose at least one output.")
	run := b.get("/console" + strings.TrimPrefix(wf, "/v0") + "/runs/" + memory.AutomationID + "/").is(200)
	run.shows(`id="finding-1"`, `id="finding-2"`, `data-pdf="`+at+ids[0]+`/pdf" data-marks="[{&#34;text&#34;:&#34;日&#34;,&#34;label&#34;:&#34;1&#34;`, `{{City}}`)
	if a := x.console(t).get(at + ids[0] + "/pdf"); a.status != http.StatusSeeOther || strings.Contains(a.body, "%PDF") {
		t.Errorf("without a session: got %d %q, want the sign-in", a.status, a.body)
	}
	stranger := x.console(t).signIn(memory.BobToken)
	stranger.get(at + ids[0] + "/pdf").is(404)
	stranger.get(at + "zip?id=" + ids[0]).is(404)
}

func TestARunLeadsToTheXMLOfItsEInvoice(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf, ids := x.withOutputs(t, "Invoice.pdf")
	at := "/console" + strings.TrimPrefix(wf, "/v0")
	b := x.console(t).signIn(memory.AdaToken)
	link := `href="` + at + "/outputs/" + ids[0] + `/einvoice?download"`
	b.get(at + "/runs/" + memory.AutomationID + "/").is(200).lacks(link)
	for _, w := range x.store.ByID {
		for i := range w.Documents {
			x.store.Output(0).DocumentID = w.Documents[i].ID
			w.Documents[i].EInvoice = &platen.EInvoice{Syntax: platen.InvoiceCII, Profile: platen.InvoiceEN16931, Map: "{}"}
		}
	}
	b.get(at+"/runs/"+memory.AutomationID+"/").is(200).shows(link, "Download the e-invoice (XML)")
}

func ownDrive(o *console.SiteOptions) { o.OwnDrive = true }

func TestATemplateAndAnOriginalCanBeLookedAtAndDownloaded(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withShownRun(t, platen.AutomationCompleted)
	for _, w := range x.store.ByID {
		w.Documents[0].File.URL = "https://drive.test/d/key"
	}
	x.store.Output(0).Removed, x.store.Output(0).Copy = false, &platen.File{ID: "f2", Name: "A", URL: "https://drive.test/open?id=f2", MIMEType: platen.MIMEDocs}
	b := x.console(t, ownDrive).signIn(memory.AdaToken)
	b.get(wf+"template/").is(200).shows(`href="https://drive.test/d/key">Look at the template as a PDF</a>`, `href="https://drive.test/d/key?download=office">Download the template</a>`)
	for _, page := range []string{wf + "outputs/", wf + "runs/" + memory.AutomationID + "/"} {
		a := b.get(page).is(200).shows(`href="https://drive.test/open?download=office&amp;id=f2">Download the original</a>`, "original, shown as a PDF")
		if n := strings.Count(a.body, "Download the original"); n != 1 {
			t.Errorf("%s: %d files can be downloaded as originals, want one: a PDF is none", page, n)
		}
	}
	x.store.Output(0).Copy.Properties = map[string]string{platen.PropertyProtection: string(platen.ProtectionCredentials)}
	b.get(wf + "outputs/").is(200).shows("original, shown as a PDF, asks for credentials").lacks("Download the original")
	google := x.console(t).signIn(memory.AdaToken)
	google.get(wf + "template/").is(200).shows("Open the template in Google").lacks("download=office")
	google.get(wf + "outputs/").is(200).shows("original, opens in Google").lacks("download=office")
}

func TestAZipOfNothingComesBackToTheList(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf, ids := x.withOutputs(t, "A.pdf", "B.pdf")
	at := "/console" + strings.TrimPrefix(wf, "/v0") + "/outputs/"
	b := x.console(t).signIn(memory.AdaToken)
	b.get(at + "?q=A&state=DONE").is(200).shows(`<input type="hidden" name="state" value="DONE"><input type="hidden" name="q" value="A">`)
	b.get(at+"zip?q=A&state=DONE").is(400).shows(`role="alert" tabindex="-1" autofocus>Choose at least one output.`, ids[0], `value="A"`).lacks("parameter", ids[1])
}
