package browser

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit/browser"
)

func TestAnImportThatIsTooLargeIsNotSentInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	p := i.signIn(t, browser.Options{})
	p.Visit(i.origin + "/console/import-workflow")
	for says, size := range map[string]int{"The file is empty. Choose another.": 0, "The file has more than 10 MiB. Choose a smaller one.": 11_000_000, "": 100} {
		p.Choose("#upload", file(t, "workflow.zip", make([]byte, size)))
		if got := p.Evaluate(`document.querySelector("#upload").validationMessage`); got != says {
			t.Errorf("%d bytes: got %q, want %q", size, got, says)
		}
	}
}

func TestATemplateThatIsGoneIsReplacedInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	at, d := i.studio(t, "Thank you.")
	i.ask(t, "PATCH", at+d.ID+"/", `{"outputName":"Order of {{Customer.Name}}","createPdfCopy":true}`, &d)
	i.deleteFile(t, at, d.ID)
	page := strings.Replace(strings.TrimSuffix(at, "documents/"), "/v0/", "/console/", 1) + "template/"
	for screen, o := range looked(map[string]browser.Options{"light": {}, "telephone-dark": {Width: 390, Dark: true}}) {
		p := i.signIn(t, o)
		p.Visit(page)
		if text := p.Text("article"); !strings.Contains(text, "The file of this template is gone") {
			t.Fatalf("%s: got %q, want that the template is gone", screen, text)
		}
		p.WantFit()
		wantAccessible(t, p, "a template that is gone, "+screen)
		p.Shot("console-gone-" + screen)
	}
	p := i.signIn(t, browser.Options{})
	p.Visit(page)
	p.Choose(`form[action$="/template"] input[type="file"]`, "../../examples/letter.docx")
	p.Press(`form[action$="/template"] button`)
	untilState(p, ".pages", "drawn")
	if text := p.Text("#documents ~ article"); !strings.Contains(text, "Order of {{Customer.Name}}") || strings.Contains(text, "gone") {
		t.Errorf("got %q, want a document of the new file with the settings of the one before", text)
	}
}
