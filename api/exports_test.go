package api

import (
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestAnExportIsCalledLikeItsWorkflowAndDated(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	wf := x.newWorkflow(t, `{"name":"Rechnungen Köln/17"}`)
	x.do(t, "POST", wf+"/documents/upload/", memory.Zip("word/document.xml", "first")).is(201)
	a := x.do(t, "GET", wf+"/export/", "").is(200)
	if got, want := a.header.Get("Content-Disposition"), "attachment; filename*=utf-8''Rechnungen%20K%C3%B6ln_17%202026-01-02.zip"; got != want {
		t.Errorf("the file is called %q, want %q", got, want)
	}
	for _, f := range a.archive().File {
		if got := f.Modified.UTC().Format(time.DateTime); got != "2026-01-02 03:04:05" {
			t.Errorf("%s is of %s, want the time of the export", f.Name, got)
		}
	}
}
