package lang_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

func TestFieldsThatNoTemplateAsksForAreNamed(t *testing.T) {
	t.Parallel()
	asked := lang.ReadRequirements([]string{"{{Name}} {{Customer}} {{No}} {{#each Items}}{{Text}}{{/each}} {{Timestamp}}"})
	for fields, want := range map[string]string{
		"Name NAME name":                         "[]", // each of them alone would fill it
		"Customer.City.Zip Customers Items.Text": "[{Customers [Customer]}]",
		"Noo Items.Colour":                       "[{Noo [No]} {Items.Colour []}]",
		"Timestamp":                              "[{Timestamp []}]",
	} {
		if got := fmt.Sprint(lang.Unused(asked, strings.Fields(fields))); got != want {
			t.Errorf("%s: got %s, want %s", fields, got, want)
		}
	}
}

// A name that is asked for again and again is one. Of 2,000 different ones the rest is not
// known, so that no field is said to be unused.
func TestOfATemplateThatAsksForTooMuchNoFieldIsUnused(t *testing.T) {
	t.Parallel()
	again := lang.ReadRequirements([]string{strings.Repeat("{{Name}}", 3000) + "{{Last}}"})
	if got := lang.Unused(again, []string{"Last", "Other"}); len(got) != 1 || got[0].Field != "Other" {
		t.Errorf("one name many times: got %v, want Other alone", got)
	}
	var b strings.Builder
	for i := range 2100 {
		fmt.Fprintf(&b, "{{n%d}}", i)
	}
	if got := lang.Unused(lang.ReadRequirements([]string{b.String()}), []string{"n2050", "Other"}); got != nil {
		t.Errorf("too many names: got %v, want nothing", got)
	}
}
