package browser

import (
	"os"
	"testing"

	"github.com/platenhq/platen/internal/testkit/browser"
)

// Whoever changed a template sees in the pages what changed.
func TestAVersionIsComparedWithTheTemplateInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	var w workflow
	i.ask(t, "POST", i.origin+"/v0/workflows/", `{"name":"Letters"}`, &w)
	at := i.origin + "/v0/workflows/" + w.ID + "/documents/"
	read := func(lines ...string) []byte {
		content, err := os.ReadFile(letter(t, "letter.docx", lines...))
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	d := i.upload(t, "POST", at+"upload/", read("Dear {{Name}},", "your berth is number {{Berth}}.", "Kind regards"))
	i.upload(t, "POST", at+d.ID+"/template/", read("Dear {{Name}},", "your new berth is number {{Berth}}.", "Sincerely"))
	for screen, o := range looked(map[string]browser.Options{"light": {}, "telephone-dark": {Width: 390, Dark: true}}) {
		v := visitor{i.signIn(t, o), t, screen}
		v.Visit(i.origin + "/console/workflows/" + w.ID + "/template/")
		v.opensForms()
		v.Press(`a[href$="/compare"]`)
		v.Evaluate(`document.querySelector("[data-against]").scrollIntoView(); ""`)
		waitFor(t, v.Page, "what differs", `document.querySelector("[data-compared]")?.dataset.compared > 0`)
		v.reads("#differences", "Words that one of them lacks: 4.")
		if got := v.Evaluate(`document.querySelectorAll("#pages-before .pages-mark").length + " " + document.querySelectorAll("[data-against] .pages-mark").length`); got != "1 2" {
			t.Errorf("%s: %s places are outlined, want 1 and 2", screen, got)
		}
		v.looks("compared")
		v.Evaluate(`document.getElementById("pages-before").dataset.state = "failed"; delete document.querySelector("[data-against]").dataset.compared; dispatchEvent(new Event("pages")); ""`)
		v.reads("#differences", "One of the two cannot be shown, so they are not compared.")
	}
}
