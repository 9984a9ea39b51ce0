package browser

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/testkit/browser"
)

// cutTexts are the texts of ours that the page does not show whole. Names and data may be
// shortened.
const cutTexts = `[...document.querySelectorAll("body *")].filter((e) => {
	const style = getComputedStyle(e);
	return e.offsetParent && !e.closest(".unseen, .hidden, .name, bdi, pre, code, svg") &&
		[...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim()) &&
		(style.overflowX === "hidden" || style.overflowX === "clip") && e.scrollWidth > e.clientWidth + 1;
}).map((e) => e.textContent.trim()).join(" | ")`

// englishTexts are the texts of a page in another language that nobody translated: they have
// words that it lacks, and are neither data nor marked as English.
const englishTexts = `(() => {
	const found = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const n = walk.currentNode;
		if (/\b(the|is|are|and|of|not|this|with|were|that|which|until|nothing|its?)\b/i.test(n.data) && !n.parentElement.closest("[lang=en], bdi, pre, code, script, .name")) found.push(n.data.trim());
	}
	return found.join(" | ");
})()`

// Every page of the console is whole on a telephone, in each language.
func TestPagesAreWholeInEachLanguageInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	w := i.invoices(t)
	i.ask(t, "POST", w.Source.WebhookURL, `{"Name":"Ada"}`, &struct{}{})
	run := i.ended(t, w)
	at := "/console/workflows/" + w.ID + "/"
	for _, language := range catalog.Languages() {
		v := visitor{i.signIn(t, browser.Options{Width: 390, Language: language}), t, "telephone-" + language}
		for name, path := range map[string]string{
			"today": "/", "workflows": "/console/workflows/", "new-workflow": "/console/new-workflow", "import": "/console/import-workflow", "find": "/console/find?q=Kiel", "series": "/console/series/", "usage": "/console/usage/",
			"overview": at, "documents": at + "outputs/", "runs": at + "runs/", "batches": at + "batches/", "template": at + "template/", "data": at + "data/", "delivery": at + "delivery/", "events": at + "events/", "settings": at + "settings/",
			"run": at + "runs/" + run + "/?data=shown",
		} {
			v.Visit(i.origin + path)
			v.Evaluate(`for (const d of document.querySelectorAll("details")) d.open = true; ""`)
			v.WantFit()
			if cut := v.Evaluate(cutTexts); cut != "" {
				t.Errorf("%s in %s: cut at 390 px: %s", name, language, cut)
			}
			if left := v.Evaluate(englishTexts); language != "en" && left != "" {
				t.Errorf("%s in %s: not translated: %s", name, language, left)
			}
			if lang := v.Evaluate(`document.documentElement.lang`); lang != language {
				t.Errorf("%s: got lang %q, want %s", name, lang, language)
			}
			v.Shot("language-" + name + "-" + language)
		}
		if strings.Contains(v.Evaluate(`document.title`), "{") {
			t.Errorf("%s: the title has a place without its value", language)
		}
	}
}

// The language that somebody chooses below the account stays.
func TestALanguageIsChosenInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	v := visitor{i.signIn(t, browser.Options{}), t, "light"}
	v.Visit(i.origin + "/console/workflows/")
	v.Evaluate(`document.querySelector(".languages").open = true; ""`)
	v.Press(`.languages button[value=es]`)
	v.reads("h1", "Flujos")
	v.Visit(i.origin + "/")
	v.reads("h1", "Hoy")
	v.looks("language-chosen")
}
