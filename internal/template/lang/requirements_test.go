package lang_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

// toldAsk writes an ask on one line: required names end with !, lists with [],
// numbers with #, and what is shown itself with *.
func toldAsk(a *lang.Requirement) string {
	var b strings.Builder
	b.WriteString(a.Name)
	for _, mark := range []struct {
		is   bool
		text string
	}{{a.Required, "!"}, {a.List, "[]"}, {a.Number, "#"}, {a.Shown, "*"}} {
		if mark.is {
			b.WriteString(mark.text)
		}
	}
	if len(a.Parts) > 0 {
		var parts []string
		for _, p := range a.Parts {
			parts = append(parts, toldAsk(p))
		}
		b.WriteString("(" + strings.Join(parts, " ") + ")")
	}
	return b.String()
}

func TestAsksTellsWhatDataATemplateNeeds(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, want string
		texts      []string
	}{
		{"fields and objects", "(Name!* Customer!(Address!(City!*)))", []string{"{{Name}} {{name}} {{Customer.Address.City}} {{Timestamp}} {{workflow name}}"}},
		{"what only conditions ask for is not required", "(Paid A* B* Total#*)", []string{"{{#if Paid}}{{A}}{{/if}}{{= IF(B, Total * 2, 1)}}"}},
		{"blocks", "(Name!* Orders![](No!* Lines![](Part!*)))", []string{"{{Name}}{{#each Orders}}", "{{No}} {{Name}} {{@index}}", "{{#each Lines}}{{Part}}{{/each}}{{/each}}"}},
		{"the items of a list of values", "(Tags![]*)", []string{"{{#each Tags}}{{this}}{{/each}}"}},
		{"indexes", "(Items![](Name!*))", []string{"{{Items[0].Name}} {{Items.1.Name}}"}},
		{"rows may be lists", "(Items!(Name!* Price!#*))", []string{"{{Items.Name}}", "{{= SUM(Items.Price)}}"}},
		{"a list that is counted", "(Items![](Name!*))", []string{"{{= COUNT(Items)}} {{Items.Name}}"}},
		{"pictures and links", "(Logo!* Url!* Label!*)", []string{`{{image Logo 30mm}} {{link Url, Label}}`}},
		{"mistakes ask for nothing", "", []string{"{{= SUMM(A)}} {{#section}} {{/each}} {{a..b}}"}},
	}
	for _, c := range cases {
		if got := toldAsk(lang.ReadRequirements(c.texts)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
