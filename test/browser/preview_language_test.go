package browser

import (
	"testing"

	"github.com/platenhq/platen/internal/catalog"
	"github.com/platenhq/platen/internal/testkit/browser"
)

// A template is filled on a telephone, in each language.
func TestATemplateIsFilledInEachLanguageInChromium(t *testing.T) {
	t.Parallel()
	i := install(t)
	_, d := i.studio(t, "Dear {{= SUMM(1)}}, thank you.")
	_, right := i.studio(t, "Thank you.")
	for _, language := range catalog.Languages() {
		says := catalog.In(language).Text
		v := visitor{browser.Open(t, browser.Options{Hosts: []string{i.host}, Width: 390, Language: language}), t, "telephone"}
		v.Visit(d.PreviewURL)
		v.reads("#result", says("Mistakes in the template", 1))
		v.looks("preview-mistake-" + language)
		v.Visit(right.PreviewURL)
		v.reads("h2", says("Fill in"))
		typed(v.Page, "f.Customer.Name", "Ada "+language)
		filled(t, v.Page, "Ada "+language)
		v.reads("#state", says("Filled."))
		v.looks("preview-" + language)
	}
}
