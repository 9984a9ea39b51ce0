package console_test

import (
	"net/http"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestADocumentIsFoundInAllWorkflows(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.withShownRun(t, platen.AutomationCompleted)
	b := x.console(t).signIn(memory.AdaToken)
	run := wf + "runs/" + memory.AutomationID + "/"
	for _, id := range []string{memory.AutomationID, memory.DoneID, memory.EventID} {
		if a := b.get("/console/find?q=" + id).is(http.StatusSeeOther); a.header.Get("Location") != run {
			t.Errorf("%s leads to %q, want %s", id, a.header.Get("Location"), run)
		}
	}
	b.get("/console/find?q=evt_0000000000000009").is(200).shows("No workflow that was searched has anything with this id.")
	b.get("/console/find?q=A").is(200).shows(`<h2 id="found">Documents</h2>`, `href="`+run+`"><bdi class="name">A</bdi>`, `<bdi>W</bdi>`)
	b.get("/console/find").is(200).shows("Find a document").lacks("Nothing has this name")
	b.get("/console/find?q=Zorro").is(200).shows("Nothing has this name.").lacks(run)
}
