package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestTheConsoleShowsAndDownloadsOutputs(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf, ids := x.withOutputs(t, "Invoice <17>.pdf", "Secret.pdf", "Letter", "Gone.pdf")
	x.output(1).PDF.Properties = map[string]string{platen.PropertyProtection: string(platen.ProtectionPassword)}
	x.output(0).MissingFields = []string{"City"}
	x.output(0).Findings = []platen.Finding{{Code: "missing_glyph", Message: "No font has “日”."}}
	delete(x.cloud.files, "file"+ids[3])
	at := "/console" + strings.TrimPrefix(wf, "/v0") + "/outputs/"
	b := x.console(t).signIn(adaToken)
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
	b.get(at + noOutput + "/pdf").is(404)
	b.get(at + "out_short/pdf").is(404)
	names, _ := b.get(at + "zip?id=" + ids[0] + "&id=" + ids[3]).is(200).zipped()
	if strings.Join(names, ",") != "Invoice _17_.pdf,errors.txt" {
		t.Errorf("zip: got %q", names)
	}
	b.get(at + "zip").is(400).shows("Choose at least one output.")
	run := b.get("/console" + strings.TrimPrefix(wf, "/v0") + "/runs/" + autID + "/").is(200)
	run.shows(`id="finding-1"`, `id="finding-2"`, `data-pdf="`+at+ids[0]+`/pdf" data-marks="[{&#34;text&#34;:&#34;日&#34;,&#34;label&#34;:&#34;1&#34;`, `{{City}}`)
	if a := x.console(t).get(at + ids[0] + "/pdf"); a.status != http.StatusSeeOther || strings.Contains(a.body, "%PDF") {
		t.Errorf("without a session: got %d %q, want the sign-in", a.status, a.body)
	}
	stranger := x.console(t).signIn(bobToken)
	stranger.get(at + ids[0] + "/pdf").is(404)
	stranger.get(at + "zip?id=" + ids[0]).is(404)
}
