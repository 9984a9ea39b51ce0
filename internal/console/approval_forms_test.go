package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestAnApprovalIsSetInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"W"}`)
	page := strings.Replace(wf, "/v0", "/console", 1) + "/"
	document := x.do(t, "POST", wf+"/documents/upload/", memory.Zip("word/document.xml", "first")).is(201).object()["id"].(string)
	b := x.console(t).signIn(memory.AdaToken)
	b.get(page + "delivery/").is(200).shows("Have each output approved before it leaves")
	form := url.Values{"by": {"lead@example.com, finance@example.com"}, "need": {"1"}, "when": {"Total > 10000"}, "remindDays": {"3"}, "expireDays": {"30"}, "deputies": {"lead@example.com = deputy@example.com"}}
	b.open("POST", page+"documents/"+document+"/approval", form).is(http.StatusBadRequest).shows("createPdfCopy")
	x.do(t, "PATCH", wf+"/documents/"+document+"/", `{"createPdfCopy":true}`).is(200)
	b.open("POST", page+"documents/"+document+"/approval", form).is(http.StatusSeeOther)
	b.get(page+"delivery/").is(200).shows("Change who approves each output", "lead@example.com, finance@example.com", "lead@example.com = deputy@example.com")
	form.Set("need", "3")
	b.open("POST", page+"documents/"+document+"/approval", form).is(http.StatusBadRequest).shows("The number must be from 1 to 2")
	b.open("POST", page+"documents/"+document+"/approval/remove", url.Values{}).is(http.StatusSeeOther)
	b.get(page + "delivery/").is(200).shows("Have each output approved before it leaves")
}
