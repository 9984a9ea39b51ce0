package lang_test

import (
	"testing"
)

const nested = `{"Name": "whole", "City": "Graz", "Items": [
	{"Name": "a", "Qty": 1, "Sub": {"V": "a1"}, "Parts": [{"No": 1, "Name": "p"}, {"No": 2}], "Tags": ["x", "y"]},
	{"Name": "b", "items": [{"Name": "inner"}], "Parts": [], "Tags": []},
	{"Qty": 3, "Parts": [{"No": 3}]}], "Others": [{"Name": "o"}], "Words": ["w"]}`

func TestAnItemWithoutAFieldOfOthersHasNothingThereByAnyOfItsNames(t *testing.T) {
	t.Parallel()
	checkLines(t, nested, map[string]string{
		"{{#each Items}}{{this.Qty}};{{/each}}":                                             "1;;3;",
		"{{#each Items}}{{this.Sub.V}};{{/each}}":                                           "a1;;;",
		"{{#each Items}}{{#each Parts}}{{Parts.Name}};{{/each}}{{/each}}":                   "p;;;",
		"{{#each Items}}{{#each Parts}}{{Items.Parts.Name}};{{/each}}{{/each}}":             "p;;;",
		"{{#each Items}}{{#each Parts}}{{this.Name}};{{/each}}{{/each}}":                    "p;;;",
		"{{#each Items}}{{#each this.Parts}}{{= DEFAULT(this.Name, 0)}};{{/each}}{{/each}}": "p;0;0;",
	})
}
