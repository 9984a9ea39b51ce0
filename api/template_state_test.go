package api

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"testing"

	"github.com/platenhq/platen/internal/testkit/memory"
)

func hexOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// A drive like Google's gives other bytes back than it got: what was uploaded is known all
// the same, until the template is changed in the drive.
func TestATemplateThatTheDriveConvertsIsKnownByWhatWasUploaded(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	x.cloud.Converts = []byte("converted")
	wf := x.newWorkflow(t, `{"name":"W"}`)
	first, second := memory.Zip("word/document.xml", "first"), memory.Zip("word/document.xml", "second")
	id := x.do(t, "POST", wf+"/documents/upload/", first).is(201).object()["id"].(string)
	at := wf + "/documents/" + id + "/template/"
	state := func() map[string]any { return x.do(t, "GET", at, "").is(200).object() }
	if got := state(); got["uploadedSha256"] != hexOf(first) || got["sha256"] != hexOf(first+"converted") || got["documentId"] != id {
		t.Errorf("uploaded: got %v", got)
	}
	x.do(t, "POST", at, second).is(200)
	x.do(t, "POST", at, second).is(200)
	if got := state(); got["uploadedSha256"] != hexOf(second) || got["sha256"] != hexOf(second+"converted") {
		t.Errorf("replaced: got %v", got)
	}
	if n := len(x.cloud.Replaced); n != 1 {
		t.Errorf("the same content twice was written %d times, want once", n)
	}
	exported := x.do(t, "GET", wf+"/export/", "").is(200).body
	imported := x.do(t, "POST", "/v0/workflows/import/", exported).is(201).object()
	d := imported["documents"].([]any)[0].(map[string]any)["id"].(string)
	if got := x.do(t, "GET", "/v0/workflows/"+imported["id"].(string)+"/documents/"+d+"/template/", "").is(200).object(); got["uploadedSha256"] != hexOf(second+"converted") {
		t.Errorf("imported: got %v", got)
	}
	// Somebody edits it in the drive.
	file := x.do(t, "GET", wf+"/documents/"+id+"/", "").object()["file"].(map[string]any)["id"].(string)
	x.cloud.Edit(file)
	if got := state(); got["uploadedSha256"] != nil {
		t.Errorf("edited in the drive: got %v, want no hash of an upload", got)
	}
	x.do(t, "POST", at, second).is(200)
	if got := state(); got["uploadedSha256"] != hexOf(second) {
		t.Errorf("put back: got %v", got)
	}
}

func TestIfMatchKeepsATemplateThatWasReplacedMeanwhile(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	at := x.newDocument(t, wf, `{"file_id":"docs-file"}`) + "/template/"
	tag := x.do(t, "GET", at, "").is(200).header.Get("ETag")
	x.do(t, "GET", at, "", "If-None-Match", tag).is(http.StatusNotModified)
	theirs, mine := memory.Zip("word/document.xml", "theirs"), memory.Zip("word/document.xml", "mine")
	x.do(t, "POST", at, theirs, "If-Match", tag).is(200)
	x.do(t, "POST", at, mine, "If-Match", tag).problem(412, "precondition_failed")
	now := x.do(t, "GET", at, "")
	if got := now.object()["sha256"]; got != hexOf(theirs) {
		t.Errorf("got %v, want theirs", got)
	}
	x.do(t, "POST", at, mine, "If-Match", now.header.Get("ETag")).is(200)
	x.as(t, memory.BobToken, "GET", at, "").is(http.StatusForbidden)
}
