package browser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
	"github.com/platenhq/platen/internal/testkit/browser"
)

// A table becomes documents: dropped, looked at, made, and downloaded. The browser keeps the
// file between the look and the press that makes them.
func TestManyAreMadeOfATableInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	var w workflow
	i.ask(t, "POST", i.origin+"/v0/workflows/", `{"name":"Letters of October"}`, &w)
	d := i.upload(t, "POST", i.origin+"/v0/workflows/"+w.ID+"/documents/upload/", rendertest.Docx{Body: rendertest.Paragraph("", "Letter to {{Name}}")}.Bytes(t))
	i.ask(t, "PATCH", i.origin+"/v0/workflows/"+w.ID+"/documents/"+d.ID+"/", `{"createPdfCopy":true,"onMissing":"fail"}`, &struct{}{})
	table := filepath.Join(t.TempDir(), "October.csv")
	if err := os.WriteFile(table, []byte("Name;Nmae;Town\nAda;;Kiel\n;Bob;Kiel\nGrace;;Kiel\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for screen, o := range looked(screens) {
		visitor{i.signIn(t, o), t, "batches-" + screen}.makesMany(i, w, table)
	}
	withoutScripts := visitor{i.signIn(t, browser.Options{}), t, "batches-plain"}
	withoutScripts.Visit(i.origin + "/console/workflows/" + w.ID + "/batches/")
	withoutScripts.Evaluate(`document.querySelector("form[data-keeps-file]").removeAttribute("data-keeps-file"); ""`)
	withoutScripts.Choose("#upload", table)
	withoutScripts.Press("main form button")
	withoutScripts.reads("main", "3 rows, 2 fine", "choose October.csv once more")
}

func (v visitor) makesMany(i installation, w workflow, table string) {
	t := v.t
	t.Helper()
	v.Visit(i.origin + "/console/workflows/" + w.ID + "/")
	v.Press(`.head a[href$="/batches/"]`)
	v.looks("batches")
	v.Drop(".drop", table)
	v.reads(".drop", "October.csv, ")
	v.Press("form[data-keeps-file] button")
	waitFor(t, v.Page, "the file is looked at", `document.querySelector("main").innerText.includes("3 rows, 2 fine")`)
	v.reads("main", "1 with a mistake", "no template asks for it", "parted by semicolons", "Make 3 documents")
	v.reads(".drop", "October.csv, ")
	v.opensForms()
	v.looks("looked-at")
	v.Press(`button[formaction]`)
	waitFor(t, v.Page, "every row has ended", `document.querySelector("main").innerText.includes("3 of 3 rows ended")`)
	v.reads("main", "completed: 2", "failed: 1", "Results as a table", "One PDF", "Retry the failed row")
	v.looks("batch")
	v.Press(`.chips a[href$="?state=FAILED"]`)
	v.reads("tbody", "3")
}
