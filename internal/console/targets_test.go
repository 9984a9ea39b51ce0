package console_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/api"
	"github.com/platenhq/platen/internal/console"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

var idOfTarget = regexp.MustCompile(`tgt_[0-9A-Za-z]+`)

func TestATargetIsAddedTestedChangedAndRemovedInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t, func(o *api.Options) {
		o.TestTarget = func(_ context.Context, to platen.Target) platen.TargetTest {
			if to.Secret != "the right one" {
				return platen.TargetTest{Err: platen.Errorf(platen.KindUnavailable, platen.CodeTargetSignInRefused, "The target takes no such password. It is tried again.")}
			}
			return platen.TargetTest{Key: "platen-test", Stored: true, Removed: true}
		}
	})
	page := strings.Replace(x.newWorkflow(t, `{"name":"W"}`), "/v0", "/console", 1) + "/"
	b := x.console(t).signIn(memory.AdaToken)
	b.get(page+"delivery/").is(200).shows("Stored elsewhere", "Store documents elsewhere, too").lacks("What was not stored")

	form := url.Values{"kind": {"s3"}, "name": {"Archive"}, "url": {"http://s3.example.com/letters"}, "path": {"Letters/{{Customer}}"}, "user": {"AKIA"}, "lockDays": {"ten"}}
	b.open("POST", page+"targets/", form).is(http.StatusBadRequest).shows("Not saved", "The number must be a whole number", `value="http://s3.example.com/letters"`)
	form.Set("lockDays", "")
	b.open("POST", page+"targets/", form).is(http.StatusBadRequest).shows("The address must begin with https://", `value="Letters/{{Customer}}"`)
	form.Set("url", "https://s3.example.com/letters")
	b.open("POST", page+"targets/", form).is(http.StatusBadRequest).shows("The secret key is required")
	form.Set("secret", "a wrong one")
	form.Set("sidecar", "on")
	to := b.open("POST", page+"targets/", form).is(http.StatusSeeOther).header.Get("Location")
	added := b.get(to).is(200).shows("The target is added.", "https://s3.example.com/letters/Letters/{{Customer}}", "with a file of JSON beside each file", "What was not stored").lacks("a wrong one")
	id := idOfTarget.FindString(added.body)

	b.open("POST", page+"targets/"+id+"/test", nil).is(200).shows("No file could be stored:", "The target takes no such password.")
	change := b.get(page + "delivery/?form=target-" + id).is(200).shows(`action="` + page + "targets/" + id + `/change"`)
	tag := change.etagOf(page + "targets/" + id + "/change")
	form = url.Values{"etag": {tag}, "name": {"Archive"}, "url": {"https://s3.example.com/letters"}, "user": {"AKIA"}, "secret": {"the right one"}, "lockMode": {"COMPLIANCE"}, "lockDays": {"3650"}}
	b.open("POST", page+"targets/"+id+"/change", form).is(http.StatusSeeOther)
	b.get(page+"delivery/?done=target&of="+id).is(200).shows("The target is saved.", "locked (<code>COMPLIANCE</code>)").lacks("Letters/{{Customer}}", "with a file of JSON")
	b.open("POST", page+"targets/"+id+"/test", nil).is(200).shows("A file was stored, and removed.")
	form.Set("name", "Another")
	b.open("POST", page+"targets/"+id+"/change", form).is(http.StatusBadRequest).shows("Somebody changed this while the page was open")

	b.open("POST", page+"targets/"+id+"/remove", url.Values{}).is(http.StatusBadRequest).shows("Tick the box first")
	to = b.open("POST", page+"targets/"+id+"/remove", url.Values{"certain": {"on"}}).is(http.StatusSeeOther).header.Get("Location")
	b.get(to).is(200).shows("The target is removed.").lacks("s3.example.com/letters")
	b.open("POST", page+"targets/tgt_nothing/test", nil).is(http.StatusNotFound)
	x.store.Scope(memory.AdaToken, "read")
	b.get(page + "delivery/").is(200).lacks(page + "targets/")
}

func TestATargetOfSFTPIsAddedWithAPrivateKey(t *testing.T) {
	t.Parallel()
	const private = "-----BEGIN OPENSSH PRIVATE KEY-----\r\nb3BlbnNzaA==\r\n-----END OPENSSH PRIVATE KEY-----\r\n"
	x := newHarness(t, func(o *api.Options) {
		o.TestTarget = func(_ context.Context, to platen.Target) platen.TargetTest {
			ok := strings.ReplaceAll(string(to.Secret), "\r", "") == strings.ReplaceAll(private, "\r", "")
			return platen.TargetTest{Key: "platen-test", Stored: ok, Removed: ok}
		}
	})
	page := strings.Replace(x.newWorkflow(t, `{"name":"W"}`), "/v0", "/console", 1) + "/"
	b := x.console(t).signIn(memory.AdaToken)
	form := url.Values{"kind": {"sftp"}, "name": {"Files"}, "url": {"sftp://files.example.com/in"}, "user": {"ada"}, "privateKey": {private}, "hostKey": {"MD5:16:27"}}
	b.open("POST", page+"targets/", form).is(http.StatusBadRequest).shows("The fingerprint must be", `value="MD5:16:27"`).lacks("b3BlbnNzaA")
	form.Set("hostKey", "SHA256:uNiVztksCsDhcc0u9e8BrCnAJoVAzoXMp1VqVgwkVCU")
	added := b.get(b.open("POST", page+"targets/", form).is(http.StatusSeeOther).header.Get("Location")).is(200).shows("The target is added.", "SFTP, as <bdi>ada</bdi>").lacks("b3BlbnNzaA")
	id := idOfTarget.FindString(added.body)
	b.open("POST", page+"targets/"+id+"/test", nil).is(200).shows("A file was stored, and removed.")
	b.get(page + "delivery/?form=target-" + id).is(200).shows(`value="SHA256:uNiVztksCsDhcc0u9e8BrCnAJoVAzoXMp1VqVgwkVCU"`)
}

func TestATargetOfAzureIsAddedWithASASToken(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	page := strings.Replace(x.newWorkflow(t, `{"name":"W"}`), "/v0", "/console", 1) + "/"
	b := x.console(t).signIn(memory.AdaToken)
	form := url.Values{"kind": {"azure"}, "name": {"Archive"}, "url": {"https://example.blob.core.windows.net/archive"}, "secret": {"c2VjcmV0"}, "lockMode": {"COMPLIANCE"}, "lockDays": {"3650"}}
	b.open("POST", page+"targets/", form).is(http.StatusBadRequest).shows("The secret key must be a SAS token").lacks("c2VjcmV0")
	form.Set("secret", "sv=2026-06-06&sr=c&sp=rcd&sig=c2VjcmV0")
	added := b.get(b.open("POST", page+"targets/", form).is(http.StatusSeeOther).header.Get("Location")).is(200).shows("The target is added.", "Azure Blob Storage", "locked (<code>COMPLIANCE</code>)").lacks("c2VjcmV0")
	id := idOfTarget.FindString(added.body)
	b.get(page+"delivery/?form=target-"+id).is(200).shows(`id="lockDays-`+id, "SAS token; empty: it stays").lacks(`id="region-`+id, `id="hostKey-`+id)
}

func TestATargetInTheDriveIsAddedByTheLinkOfItsFolder(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	x.drive.Files["folder-1"] = platen.File{ID: "folder-1", MIMEType: platen.MIMEFolder}
	page := strings.Replace(x.newWorkflow(t, `{"name":"W"}`), "/v0", "/console", 1) + "/"
	b := x.console(t).signIn(memory.AdaToken)
	form := url.Values{"kind": {"drive"}, "name": {"Copies"}, "url": {"https://drive.google.com/drive/folders/folder-2"}, "user": {"ada"}}
	b.open("POST", page+"targets/", form).is(http.StatusBadRequest).shows("The access key is not for drive")
	form.Del("user")
	b.open("POST", page+"targets/", form).is(http.StatusBadRequest).shows("The address cannot be used. The drive shows no folder of the target")
	form.Set("url", "https://drive.google.com/drive/folders/folder-1")
	added := b.get(b.open("POST", page+"targets/", form).is(http.StatusSeeOther).header.Get("Location")).is(200).shows("The target is added.", "Another folder of the drive</p>")
	id := idOfTarget.FindString(added.body)
	b.get(page+"delivery/?form=target-"+id).is(200).shows(`value="folder-1"`).lacks(`id="secret-`+id, `id="user-`+id, `id="lockDays-`+id, `id="region-`+id)
}

// What a target did not get is on Today, beside the output and in a list of its own.
func TestWhatATargetDidNotGetIsOnToday(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	page := x.withShownRun(t, platen.AutomationCompleted)
	a := &x.store.Runs.Automations[0]
	a.AcceptedAt = time.Now()
	b := x.console(t).signIn(memory.AdaToken)
	b.get("/").is(200).lacks("not stored elsewhere")
	a.Outputs[0].Placements = []platen.Placement{{PlacementKey: platen.PlacementKey{TargetID: "tgt_0000000000000001"}, TargetName: "Archive <of Kiel>", State: platen.PlacementFailed, Code: platen.CodeTargetFull, Message: "No room is left."}}
	b.get("/").is(200).shows("1 run was not stored elsewhere", "Archive &lt;of Kiel&gt; did not get it: No room is left.")
	// A target is given up after a day of tries, so the run began before yesterday.
	tried := time.Now()
	a.AcceptedAt, a.Outputs[0].Placements[0].TriedAt = tried.Add(-25*time.Hour), &tried
	b.get("/").is(200).shows("1 run was not stored elsewhere")
	tried = tried.Add(-25 * time.Hour)
	b.get("/").is(200).lacks("not stored elsewhere")
	b.get(page+"outputs/?target=FAILED").is(200).shows("not stored elsewhere", "Archive &lt;of Kiel&gt;", "Store it again")
	b.get(page+"runs/?target=FAILED").is(200).shows("not stored elsewhere", memory.AutomationID)
}

// Somebody without a drive reads so before a file is dropped, and nothing is made.
func TestWhoHasNoDriveIsToldWhomToAsk(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	var connected bool
	b := x.console(t, func(o *console.SiteOptions) {
		o.HasDrive = func(_ context.Context, userID string) (bool, error) { return connected && userID != "", nil }
	}).signIn(memory.AdaToken)
	for _, page := range []string{"/", "/console/workflows/", "/console/new-workflow"} {
		b.get(page).is(200).shows("No drive is connected for you yet", "Ask the operator", `href="/docs/production#5-the-cloud-drive"`).lacks("/console/examples/")
	}
	b.drop("/console/new-workflow", url.Values{"once": {"a"}}, "letter.docx", memory.Zip("word/document.xml", "first")).is(http.StatusBadRequest).shows("No drive is connected for you yet", "nothing was made")
	b.open("POST", "/console/examples/letter", url.Values{"once": {"b"}}).is(http.StatusSeeOther)
	if n := len(x.store.ByID); n != 0 {
		t.Errorf("got %d workflows, want none", n)
	}
	connected = true
	for _, page := range []string{"/", "/console/workflows/"} {
		b.get(page).is(200).shows("/console/examples/").lacks("No drive is connected")
	}
	b.get("/console/new-workflow").is(200).lacks("No drive is connected")
}
