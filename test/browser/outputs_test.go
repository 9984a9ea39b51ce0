package browser

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit/browser"
)

func TestOutputsAreSeenChosenAndOpenedInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	w := i.invoices(t)
	i.ask(t, "POST", w.Source.WebhookURL, `{"Name":"Ada"}`, &struct{}{})
	run := i.ended(t, w)
	at := i.origin + "/console/workflows/" + w.ID + "/"
	for screen, o := range looked(map[string]browser.Options{"light": {}, "telephone-dark": {Width: 390, Dark: true}}) {
		p := i.signIn(t, o)
		p.Visit(at + "outputs/")
		untilState(p, "tbody .pages", "drawn")
		if got := p.Evaluate(`(() => {
			const canvas = document.querySelector("tbody .pages a canvas"), pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
			return String(canvas.width > 50 && pixels.some((value, at) => at % 4 === 0 && value < 230));
		})()`); got != "true" {
			t.Errorf("%s: the picture of the first page is not there, or nothing is on it", screen)
		}
		p.Evaluate(`document.querySelector("button[data-all]").click(); ""`)
		if got := p.Evaluate(`document.querySelectorAll("input[name=id]:checked").length + " " + document.querySelectorAll("input[name=id]").length`); got != "1 1" {
			t.Errorf("%s: got %s chosen, want all", screen, got)
		}
		p.WantFit()
		wantAccessible(t, p, "outputs, "+screen)
		p.Shot("console-outputs-drawn-" + screen)
		if got := p.Evaluate(`document.querySelector("form[action$=zip]").checkValidity() + " " + new URLSearchParams(new FormData(document.querySelector("form[action$=zip]"))).toString().startsWith("id=out_")`); got != "true true" {
			t.Errorf("%s: the form asks for %s, want the chosen outputs", screen, got)
		}
		p.Await(`(async () => {
			const form = document.querySelector("form[action$=zip]"), answer = await fetch(form.action + "?" + new URLSearchParams(new FormData(form)));
			const start = new Uint8Array(await answer.arrayBuffer()).slice(0, 2);
			if (!answer.ok || String.fromCharCode(...start) !== "PK") throw new Error("the zip came as " + answer.status);
		})()`)
		p.Visit(at + "runs/" + run + "/")
		p.Evaluate(`document.querySelector(".pages").scrollIntoView(); ""`)
		untilState(p, ".pages", "drawn")
		if text := p.Text("main"); !strings.Contains(text, "Download the PDF") {
			t.Errorf("%s: got %q, want the PDF offered", screen, text)
		}
		p.WantFit()
		wantAccessible(t, p, "run, "+screen)
		p.Shot("console-run-drawn-" + screen)
	}
}
