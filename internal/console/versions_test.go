package console_test

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

var versionFile = regexp.MustCompile(`href="([^"]+/versions/ver_[^"]+/file)"`)

func TestVersionsAreKeptListedDownloadedAndPutBackInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	id := x.do(t, "POST", wf+"/documents/upload/", memory.Zip("word/document.xml", "first")).is(201).object()["id"].(string)
	b := x.console(t).signIn(memory.AdaToken)
	page := "/console/" + strings.TrimPrefix(wf, "/v0/") + "/"
	at := page + "documents/" + id + "/"
	b.whole(page).shows("Versions of the template", "None yet", "Keep this version")
	b.open("POST", at+"versions/", url.Values{"note": {"<b>signed</b>"}}).is(http.StatusSeeOther)
	b.whole(page).shows("kept on purpose", "&lt;b&gt;signed&lt;/b&gt;", "Put back").lacks("<b>signed")
	b.open("POST", at+"versions/", url.Values{"note": {strings.Repeat("x", 201)}}).is(http.StatusBadRequest).shows("The note has 201 characters")
	x.do(t, "POST", wf+"/documents/"+id+"/template/", memory.Zip("word/document.xml", "second")).is(200)
	found := versionFile.FindStringSubmatch(b.whole(page).body)
	if found == nil {
		t.Fatal("the page has no link to the file of a version")
	}
	file := b.get(found[1]).is(200)
	if file.body != memory.Zip("word/document.xml", "first") || file.header.Get("Content-Type") != platen.MIMEDocx || !strings.HasPrefix(file.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("downloaded %d bytes with %v", len(file.body), file.header)
	}
	b.open("POST", strings.TrimSuffix(found[1], "file")+"restore", nil).is(http.StatusSeeOther)
	b.whole(page).shows("before a version was put back")
	for _, c := range x.drive.Contents {
		if string(c) != memory.Zip("word/document.xml", "first") {
			t.Error("the template does not say what the version says")
		}
	}
	x.drive.Fails["ReplaceContent"] = platen.Errorf(platen.KindUnavailable, "", "away")
	x.do(t, "POST", wf+"/documents/"+id+"/template/", memory.Zip("word/document.xml", "third")).is(503)
	b.open("POST", at+"versions/ver_00000000000000/restore", nil).is(http.StatusNotFound)
	b.get(at + "versions/ver_00000000000000/file").is(http.StatusNotFound)
	b.get(at + "versions/x/file").is(http.StatusNotFound)
	x.console(t).signIn(memory.BobToken).get(found[1]).is(http.StatusNotFound)
}

func TestAWorkflowIsCopiedExportedAndImportedInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W","document":{"fileId":"docs-file"},"outgoingWebhook":{"webhookUrl":"https://receiver.test/x"}}`)
	b := x.console(t).signIn(memory.AdaToken)
	page := "/console/" + strings.TrimPrefix(wf, "/v0/") + "/"
	b.whole(page).shows("Copy it", "Export it to another installation", "to the same receiver")
	b.open("POST", page+"copy", url.Values{"name": {strings.Repeat("x", 201)}}).is(http.StatusBadRequest).shows("The name has 201 characters")
	form := url.Values{"name": {"Second"}, "once": {"a key of the page"}, "outgoingWebhook": {"on"}}
	made := b.open("POST", page+"copy", form).is(http.StatusSeeOther).header.Get("Location")
	if again := b.open("POST", page+"copy", form).is(http.StatusSeeOther).header.Get("Location"); again != made {
		t.Errorf("sent twice: got %s and %s", made, again)
	}
	b.get(made).is(200).shows("Second", "https://receiver.test/x")
	file := b.get(page + "export").is(200)
	if file.header.Get("Content-Type") != "application/zip" {
		t.Errorf("exported as %v", file.header)
	}
	b.get("/console/workflows/").is(200).shows("/console/import-workflow")
	b.get("/console/import-workflow").is(200).shows("Import a workflow", `name="once"`)
	b.drop("/console/import-workflow", nil, "", "").is(http.StatusBadRequest).shows("Choose a .zip file first")
	b.attach("/console/import-workflow", "text").is(http.StatusBadRequest).shows("no zip file")
	to := b.attach("/console/import-workflow", file.body).is(http.StatusSeeOther).header.Get("Location")
	b.whole(to).shows("No outgoing webhook is set")
	x.console(t).signIn(memory.BobToken).get(page + "export").is(http.StatusNotFound)
}

func TestAVersionIsShownBesideTheTemplate(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	document := x.do(t, "POST", wf+"/documents/upload/", memory.Zip("word/document.xml", "first")).is(201).object()["id"].(string)
	version := x.do(t, "POST", wf+"/documents/"+document+"/versions/", "").is(201).object()["id"].(string)
	at := page + "documents/" + document + "/versions/" + version
	x.console(t).signIn(memory.AdaToken).get(page + "template/").is(200).lacks(at + "/compare")
	var asked string
	var fails, tooMany error
	keys := map[[32]byte]bool{} // of the limit
	b := x.console(t, func(o *console.SiteOptions) {
		o.PagesLimit = func(_ http.Header, key [32]byte) error { keys[key] = true; return tooMany }
		o.Pages = func(ctx context.Context, ownerID string, read func(context.Context) (platen.DocumentType, []byte, error)) ([]byte, error) {
			kind, content, err := read(ctx)
			asked = ownerID + " " + string(kind)
			return []byte("%PDF of " + strconv.Itoa(len(content))), cmp.Or(err, fails)
		}
	}).signIn(memory.AdaToken)
	b.get(page + "template/").is(200).shows(at + "/compare")
	b.get(at+"/compare").is(200).shows("Version 1 beside the template", `data-pdf="`+at+`/pages"`, `data-against="pages-before"`)
	if a := b.get(at + "/pages").is(200).shows("%PDF of "); a.header.Get("Content-Type") != platen.MIMEPDF || asked != x.ada().ID+" "+string(platen.TypeDocs) {
		t.Errorf("got %q of %s", a.header.Get("Content-Type"), asked)
	}
	fails = platen.Errorf(platen.KindRateLimited, "preview_busy", "As many as this service does.")
	b.get(at + "/pages").is(http.StatusServiceUnavailable).shows("The drive is busy")
	tooMany = platen.Errorf(platen.KindRateLimited, "rate_limited", "Too many requests.")
	b.get(at+"/pages").is(http.StatusTooManyRequests).shows("Too much at once", "Wait a few seconds")
	tooMany = nil
	if n := len(keys); n != 1 {
		t.Errorf("one user has %d limits for one document, want one", n)
	}
	b.signIn(memory.BobToken).get(at + "/pages").is(http.StatusNotFound)
	if n := len(keys); n != 2 {
		t.Errorf("two users share a limit: got %d, want one each", n)
	}
	b.signIn(memory.AdaToken)
	for _, part := range []string{"/compare", "/pages"} {
		b.get(strings.Replace(at, version, "ver_0000000000000000", 1) + part).is(http.StatusNotFound)
	}
}
