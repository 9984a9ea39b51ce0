package lang_test

import (
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

func TestAMissingFieldIsListedOnceWhateverItIsCalled(t *testing.T) {
	t.Parallel()
	const data = `{"Items": [{"A": 1}, {"A": 2, "B": 1, "Inner": [{"B": 1}]}]}`
	for template, want := range map[string][]string{
		"{{#each Items}}{{Quantity}}{{/each}} {{Items.Quantity}}":                           {"Items.Quantity"},
		"{{Items.Quantity}} {{#each Items}}{{Quantity}}{{= Quantity * 2}}{{/each}}":         {"Items.Quantity"},
		"{{#each Items}}{{Items.Quantity}}{{Quantity}}{{/each}}":                            {"Items.Quantity"},
		"{{#each Items}}{{Quantity}}{{/each}} {{Items.Quantity}} {{Quantity}}":              {"Quantity", "Items.Quantity"},
		"{{Quantity}} {{#each Items}}{{Quantity}}{{/each}} {{Items.Quantity}}":              {"Quantity", "Items.Quantity"},
		"{{#each Items}}{{B}}{{#if B}}{{/if}}{{/each}} {{Items.B}}":                         nil,
		"{{#each Items}}{{Quantity}}{{/each}}":                                              {"Quantity"},
		"{{#each Items}}{{#each Inner}}{{C}}{{/each}}{{/each}}{{Items.Inner.C}}":            {"Items.Inner.C"},
		"{{#each Items}}{{#each Gone}}{{C}}{{/each}}{{/each}}{{#each Items.Gone}}{{/each}}": {"Items.Gone"},
	} {
		parsed, err := lang.ParseData([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		e := lang.NewEvaluator(parsed, lang.Builtins{})
		e.Fill(e.ReadLine(template), nil, false)
		if got := e.Missing(); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", template, got, want)
		}
	}
}
