package lang_test

import (
	"strings"
	"testing"
)

func TestBlocksInALineKeepOneOfTheirParts(t *testing.T) {
	t.Parallel()
	const body = `{"Yes": true, "No": false, "N": 2}`
	checkLines(t, body, map[string]string{
		"a{{#if Yes}}b{{/if}}c":                                     "abc",
		"a{{#if No}}b{{/if}}c":                                      "ac",
		"{{#if Yes}}a{{else}}b{{/if}}":                              "a",
		"{{#if No}}a{{else}}b{{/if}}":                               "b",
		"{{#if N = 1}}one{{else if N = 2}}two{{else}}many{{/if}}":   "two",
		"{{#if N = 1}}one{{else if N = 3}}three{{else}}many{{/if}}": "many",
		"{{#if N > 0}}a{{else if N > 1}}b{{/if}}":                   "a", // the first that holds
		"{{#if No}}a{{else if No}}b{{/if}}":                         "",
		"{{#if Yes}}{{#if No}}a{{else}}b{{/if}}{{else}}c{{/if}}":    "b",
		"{{#if Yes}}1{{/if}}{{#if Yes}}2{{/if}}":                    "12",
		"{{# if Yes}}a{{ / if }}":                                   "a", // a space behind the sign does no harm
		"{{#IF Yes}}a{{ELSE}}b{{/IF}}":                              "a",
		"{{#if Yes}}{{/if}}":                                        "",
		"{{#if Gone}}a{{else}}b{{/if}}":                             "b", // a condition may ask for a missing field
		"{{#if No}}{{= 1 / 0}}{{else}}not worked out{{/if}}":        "not worked out",
		"{{#if Yes}}taken{{else if 1 / 0}}not worked out{{/if}}":    "taken",
	})
}

func TestAConditionThatCannotBeWorkedOutHoldsNotAndIsAFinding(t *testing.T) {
	t.Parallel()
	got := work(t, `{"Name": "Ada"}`, "{{#if Name * 2}}a{{else if 1 / 0}}b{{else}}c{{/if}}")
	want := "not_a_number {{#if Name * 2}};division_by_zero {{else if 1 / 0}}"
	if got.text != "c" || strings.Join(got.findings, ";") != want {
		t.Errorf("got %q with findings %q, want c with the findings %q", got.text, got.findings, want)
	}
}

func TestBlocksOverListsRepeatWhatStandsInThem(t *testing.T) {
	t.Parallel()
	const body = `{"Name": "whole", "Items": [{"Name": "a", "Subs": [{"V": 1}, {"V": 2}]}, {"Name": "b", "Subs": []}, {"Name": "c", "Subs": [{"V": 3}]}],
		"Words": ["x", "y"], "None": [], "Null": null, "Grid": [[1, 2], [3]], "Customer": {"Items": [{"Name": "deep"}]}, "My List": [{"A-B": 1}]}`
	checkLines(t, body, map[string]string{
		"{{#each Items}}{{Name}};{{/each}}":                                      "a;b;c;",
		"<{{#each None}}{{Name}}{{/each}}>":                                      "<>",
		"<{{#each Null}}x{{/each}}>":                                             "<>",
		"{{#each Words}}{{this}}{{/each}}":                                       "xy",
		"{{#each items}}{{name}};{{/each}}":                                      "a;b;c;",
		"{{#each [Items]}}{{Name}}{{/each}}":                                     "abc",
		"{{#each My List}}{{A-B}}{{/each}}":                                      "1",
		"{{#each Items}}{{#each Subs}}{{Name}}{{V}};{{/each}}{{/each}}":          "a1;a2;c3;",
		"{{#each Items.Subs}}{{V}};{{/each}}":                                    "1;2;3;", // the items of all lists
		"{{#each Items}}{{#each Items.Subs}}{{V}}{{/each}};{{/each}}":            "12;;3;",
		"{{#each Items}}{{#each this.Subs}}{{this.V}}{{/each}};{{/each}}":        "12;;3;",
		"{{#each Items}}{{Items.Name}}{{this.Name}};{{/each}}":                   "aa;bb;cc;",
		"{{#each Items[0].Subs}}{{V}}{{/each}}":                                  "12",
		"{{#each Customer.Items}}{{Name}} {{Customer.Items.Name}}{{/each}}":      "deep deep",
		"{{#each Grid}}{{#each this}}{{this}},{{/each}};{{/each}}":               "1,2,;3,;",
		"{{#each Words}}{{#each Items}}{{Name}}{{/each}};{{/each}}":              "abc;abc;",
		"{{#each Items}}{{#each Items}}{{Name}}{{/each}};{{/each}}":              "abc;abc;abc;", // the list once more
		"{{#each Items}}{{#if @first}}{{Name}}{{else}},{{Name}}{{/if}}{{/each}}": "a,b,c",
		"{{#each Items}}{{#if Subs}}{{Name}}{{/if}}{{/each}}":                    "ac",
		"{{# each Words}}{{this}}{{ /each}}":                                     "xy",
	})
}

func TestAListThatIsNoneIsAFindingAndOneThatIsNotThereIsMissing(t *testing.T) {
	t.Parallel()
	got := work(t, `{"Name": "Ada", "Customer": {"City": "Graz"}, "Mixed": [{"L": [1]}, {"L": 2}]}`,
		"<{{#each Name}}a{{/each}}{{#each Customer}}b{{/each}}{{#each Gone}}c{{/each}}{{#each Mixed.L}}d{{/each}}{{#each Customer.Gone}}{{/each}}>")
	want := "not_a_list {{#each Name}};not_a_list {{#each Customer}};not_a_list {{#each Mixed.L}}"
	if got.text != "<>" || strings.Join(got.findings, ";") != want || strings.Join(got.missing, ";") != "Gone;Customer.Gone" {
		t.Errorf("got %q with findings %q and %q missing; want the findings %q, and Gone and Customer.Gone missing", got.text, got.findings, got.missing, want)
	}
}

// repeated works tags out for each item that a row of them is repeated for, and
// tells whether it is.
func repeated(t *testing.T, body string, tags ...string) (rows []string, isRepeated bool, findings int) {
	t.Helper()
	e := evaluator(t, body)
	var row []string
	line := e.ReadLine("{{" + strings.Join(tags, "}}|{{") + "}}")
	scopes, ok := e.Repeats(line.Statements(), nil)
	for _, scope := range scopes {
		row = append(row, writeSpans(line, e.Fill(line, scope, false)))
	}
	return row, ok, len(e.Findings())
}

func TestARowIsRepeatedForTheItemsOfItsList(t *testing.T) {
	t.Parallel()
	const body = `{"Name": "whole", "Items": [{"Name": "a", "Qty": 1, "Net-Price": 5}, {"Name": "b", "Qty": 2, "Net-Price": 6}], "None": [], "Words": ["x", "y"],
		"Orders": [{"No": 1, "Lines": [{"P": "A"}, {"P": "B"}]}, {"No": 2, "Lines": []}, {"No": 3, "Lines": [{"P": "C"}]}], "Customer": {"Items": [{"A": 1}]}}`
	for _, c := range []struct{ tags, want string }{
		{"Items.Name", "a;b"},
		{"Name;Items.Qty", "whole|1;whole|2"}, // a row's item does not let its fields be named alone
		{"ITEMS.name;Items.Qty", "a|1;b|2"},
		{"= Items.Qty * 2", "2;4"},
		{"= Items.Net-Price", "5;6"},
		{"= Items.Qty / SUM(Items.Qty) = 1 / 3", "true;false"},
		{"Items.Name;@index;@count", "a|1|2;b|2|2"},
		{"Orders.No;Orders.Lines.P", "1|A;1|B;3|C"},
		{"Orders.Lines.P", "A;B;C"},
		{"Orders.No", "1;2;3"},
		{"Customer.Items.A", "1"},
		{"qr Items.Name", ";"},
		{"#if Items.Qty > 1}}x{{/if", ";x"},
	} {
		rows, ok, findings := repeated(t, body, strings.Split(c.tags, ";")...)
		if got := strings.Join(rows, ";"); got != c.want || !ok || findings > 0 {
			t.Errorf("%s: got %q, repeated %v with %d findings; want %q", c.tags, got, ok, findings, c.want)
		}
	}
	if rows, ok, _ := repeated(t, body, "None.Name"); len(rows) > 0 || !ok {
		t.Errorf("an empty list: got %q, repeated %v; want no row", rows, ok)
	}
}

func TestARowOfNoListIsNotRepeated(t *testing.T) {
	t.Parallel()
	const body = `{"Name": "Ada", "Items": [{"Name": "a"}], "Words": ["x", "y"], "Customer": {"City": "Graz"}}`
	for _, tags := range []string{"Name", "Name;Customer.City", "Words", "Items[0].Name", "Items.0.Name", "= SUM(Items.Qty)", "= COUNT(Items)", "Gone", "= 1 + 1", "Timestamp", "#each Items}}{{Items.Name}}{{/each"} {
		if rows, ok, _ := repeated(t, body, strings.Split(tags, ";")...); ok || len(rows) > 0 {
			t.Errorf("%s: got %q, repeated %v; want a row like any other", tags, rows, ok)
		}
	}
	if rows, ok, _ := repeated(t, `{"Items": {"Name": "a"}, "Words": ["x"]}`, "Items.Name"); ok {
		t.Errorf("one object: got %q, want a row that is filled once", rows)
	}
}

func TestARowCanBeRepeatedForOneListOnly(t *testing.T) {
	t.Parallel()
	const body = `{"Items": [{"A": 1}, {"A": 2}], "Taxes": [{"R": 1}], "Orders": [{"X": [{"V": 1}], "Y": [{"V": 2}]}]}`
	for _, c := range []struct{ tags, want string }{
		{"Items.A;Taxes.R", "Items and of Taxes"},
		{"Taxes.R;Items.A", "Taxes and of Items"},
		{"= Items.A + Taxes.R", "Items and of Taxes"},
		{"Orders.X.V;Orders.Y.V", "Orders and of Orders.Y"},
	} {
		e := evaluator(t, body)
		line := e.ReadLine("{{" + strings.ReplaceAll(c.tags, ";", "}}{{") + "}}")
		_, ok := e.Repeats(line.Statements(), nil)
		f := e.Findings()
		if !ok || len(f) != 1 || f[0].Code != "two_lists" || !strings.Contains(f[0].Message, "names fields of "+c.want+":") || f[0].Tag != line.Statements()[0].Tag {
			t.Errorf("%s: got %+v, repeated %v; want two_lists of %s", c.tags, f, ok, c.want)
		}
	}
}
