package lang_test

import (
	"strings"
	"testing"
)

const nested = `{"Name": "whole", "City": "Graz", "Items": [
	{"Name": "a", "Qty": 1, "Sub": {"V": "a1"}, "Parts": [{"No": 1, "Name": "p"}, {"No": 2}], "Tags": ["x", "y"]},
	{"Name": "b", "items": [{"Name": "inner"}], "Parts": [], "Tags": []},
	{"Qty": 3, "Parts": [{"No": 3}]}], "Others": [{"Name": "o"}], "Words": ["w"]}`

// The innermost item first, the whole of the data last.
func TestNamesAreLookedForFromTheInnermostItemOut(t *testing.T) {
	t.Parallel()
	checkLines(t, nested, map[string]string{
		"{{#each Items}}{{Name}};{{/each}}":                                               "a;b;whole;", // an item without one leaves the whole's
		"{{#each Items}}{{City}};{{/each}}":                                               "Graz;Graz;Graz;",
		"{{#each Items}}{{Items.Name}};{{/each}}":                                         "a;b;;", // but a path is the item's
		"{{#each Items}}{{Qty}};{{/each}}":                                                "1;;3;", // other items have it
		"{{#each Items}}{{Sub.V}};{{/each}}":                                              "a1;;;",
		"{{#each Items}}{{Items.Sub.V}};{{/each}}":                                        "a1;;;",
		"{{#each Items}}{{#each Parts}}{{No}}{{Qty}}{{City}};{{/each}}{{/each}}":          "11Graz;21Graz;33Graz;",
		"{{#each Items}}{{#each Parts}}{{Name}};{{/each}}{{/each}}":                       "p;a;whole;",
		"{{#each Items}}{{#each Parts}}{{Items.Name}};{{/each}}{{/each}}":                 "a;a;;",
		"{{#each Items}}{{#each Parts}}{{Parts.No}}{{Items.Parts.No}}{{/each}};{{/each}}": "1122;;33;",
		"{{#each Items}}{{#each Others}}{{Name}}{{Items.Name}};{{/each}}{{/each}}":        "oa;ob;o;",
		"{{#each Items}}{{Items[0].Name}}{{Items.1.Name}};{{/each}}":                      "ab;ab;ab;", // a number means the whole list
		"{{#each Items}}{{Tags}};{{/each}}":                                               "x, y;;;",
		"{{#each Items}}{{Tags[0]}};{{/each}}":                                            "x;;;",
		"{{#each Items}}{{Others.Name}};{{/each}}":                                        "o;o;o;",
		"{{#each Words}}{{Words}}{{this}}{{Name}}{{/each}}":                               "wwwhole",
	})
}

func TestNamesInItemsAreFoundInAnyCase(t *testing.T) {
	t.Parallel()
	checkLines(t, nested, map[string]string{
		"{{#each items}}{{NAME}};{{/each}}":                             "a;b;whole;",
		"{{#each ITEMS}}{{items.name}};{{/each}}":                       "a;b;;",
		"{{#each Items}}{{ITEMS.NAME}};{{/each}}":                       "a;b;;",
		"{{#each items}}{{#each PARTS}}{{parts.NO}}{{/each}};{{/each}}": "12;;3;",
		"{{#each Items}}{{= SUM(ITEMS.QTY)}};{{/each}}":                 "4;4;4;",
	})
	rows, ok, _ := repeated(t, nested, "ITEMS.NAME", "items.qty")
	if got := strings.Join(rows, ";"); got != "a|1;b|;|3" || !ok {
		t.Errorf("a row: got %q, %v; want a|1;b|;|3", got, ok)
	}
}

// An item whose own field is called like the list around it.
func TestAFieldOfTheItemComesBeforeTheListOfItsName(t *testing.T) {
	t.Parallel()
	const body = `{"A": [{"A": 1, "B": 5}, {"A": 2, "B": 6}], "Lines": [{"Lines": [{"V": 1}, {"V": 2}]}]}`
	checkLines(t, body, map[string]string{
		"{{#each A}}{{A.A}}{{A.B}};{{/each}}":                         "15;26;",
		"{{#each A}}{{this.A}};{{/each}}":                             "1;2;",
		"{{#each Lines}}{{#each Lines.Lines}}{{V}}{{/each}}{{/each}}": "12",
		"{{#each Lines.Lines}}{{V}}{{Lines.Lines.V}};{{/each}}":       "11;22;",
	})
}

func TestWhatNoItemHasIsMissing(t *testing.T) {
	t.Parallel()
	const body = `{"Items": [{"Qty": 1, "Sub": {"V": 1}, "Parts": [{"No": 1}, {"No": 2}]}, {"Name": "b"}], "Words": ["w"]}`
	for line, want := range map[string]string{
		"{{#each Items}}{{Gone}}{{/each}}":                                       "Gone",
		"{{#each Items}}{{Items.Gone}}{{/each}}":                                 "Items.Gone",
		"{{#each Items}}{{this.Gone}}{{/each}}":                                  "this.Gone",
		"{{#each Items}}{{#each Parts}}{{Gone}}{{Items.Gone}}{{/each}}{{/each}}": "Gone Items.Gone",
		"{{#each Items}}{{Sub.Gone}}{{/each}}":                                   "Sub.Gone",
		"{{#each Items}}{{Qty}}{{Sub.V}}{{/each}}":                               "",
		"{{#each Items}}{{Sub}}{{/each}}":                                        "Sub", // an object has no value
		"{{#each Words}}{{this.A}}{{/each}}":                                     "this.A",
		"{{this}}{{@index}}":                                                     "this @index", // no item is around
		"{{#each Items}}{{@gone}}{{/each}}":                                      "@gone",
	} {
		got := work(t, body, line)
		if strings.Join(got.missing, " ") != want || len(got.findings) > 0 {
			t.Errorf("%s: got %q missing with findings %q, want %q", line, got.missing, got.findings, want)
		}
	}
}

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

// A row's items are named by the path of their list; those of a block also
// alone. Both may stand around each other.
func TestBlocksInRowsSeeTheRowsItem(t *testing.T) {
	t.Parallel()
	rows, ok, findings := repeated(t, nested, "Items.Name", "Name", "#each Items.Parts}}{{No}}{{Items.Name}}{{Name}},{{/each")
	if got, want := strings.Join(rows, ";"), "a|whole|1ap,2awhole,;b|whole|;|whole|3whole,"; got != want || !ok || findings > 0 {
		t.Errorf("got %q, %v with %d findings; want %q", got, ok, findings, want)
	}
	checkLines(t, nested, map[string]string{
		"{{#each Items}}{{= SUM(Parts.No)}} {{= SUM(Items.Parts.No)}} {{= COUNT(Items)}};{{/each}}": "3 3 3;0 0 3;3 3 3;",
		"{{#each Items}}{{= SUM(Parts.No * Qty)}};{{/each}}":                                        "3;0;9;",
	})
}
