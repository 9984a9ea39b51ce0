package lang_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

const stock = `{"Rate": 0.2, "Top": 2, "Least": 5,
	"Items": [
		{"Name": "bolt", "Qty": 3, "Rate": 20, "Made": {"In": "AT"}, "Tags": ["x"]},
		{"Name": "Nut", "Qty": 10, "Rate": 10, "Made": {"In": "DE"}, "Tags": []},
		{"Name": "äther", "Qty": "7", "Rate": "20.0", "Made": {"In": "AT"}},
		{"Name": "Zinc", "Qty": null, "Rate": 10, "Made": {"In": "at"}, "Extra": "e"}],
	"Orders": [{"No": 1, "Lines": [{"Part": "A", "N": 1}, {"Part": "B", "N": 2}, {"Part": "A", "N": 4}]}, {"No": 2, "Lines": [{"Part": "C", "N": 8}]}],
	"Words": ["pear", "Apple", "fig", "apple"], "Where": [{"Sort": 1, "Limit": 2}], "My where": [1]}`

func TestClausesChooseAndOrderTheItemsOfABlock(t *testing.T) {
	t.Parallel()
	checkLines(t, stock, map[string]string{
		"{{#each Items where Qty > 5}}{{Name}};{{/each}}":                                           "Nut;äther;",
		"{{#each Items where Qty > Least and Rate = 20}}{{@index}} of {{@count}} {{/each}}":         "1 of 1 ",
		"{{#each Items where Extra}}{{Name}}{{/each}}":                                              "Zinc", // a condition may ask for a missing field
		"<{{#each Items where Qty > 99}}x{{/each}}>":                                                "<>",
		"{{#each Items where this.Qty > 5 where Name <> \"Nut\"}}{{Name}}{{/each}}":                 "äther",
		"{{#each Items sort Name}}{{Name}};{{/each}}":                                               "äther;bolt;Nut;Zinc;",
		"{{#each Items sort Name desc}}{{Name}};{{/each}}":                                          "Zinc;Nut;bolt;äther;",
		"{{#each Items SORT Qty ASC}}{{Name}};{{/each}}":                                            "bolt;äther;Nut;Zinc;", // what is empty is last
		"{{#each Items sort Qty desc}}{{Name}};{{/each}}":                                           "Nut;äther;bolt;Zinc;",
		"{{#each Items sort Rate, Name desc}}{{Name}};{{/each}}":                                    "Zinc;Nut;bolt;äther;",
		"{{#each Words sort this}}{{this}} {{/each}}":                                               "Apple apple fig pear ", // alike: as sent
		"{{#each Items sort Qty desc limit 2}}{{Name}};{{/each}}":                                   "Nut;äther;",
		"{{#each Items limit Top}}{{Name}}{{#if not @last}}, {{/if}}{{/each}}":                      "bolt, Nut",
		"<{{#each Items limit 0}}{{Name}}{{/each}}>":                                                "<>",
		"{{#each Items limit 99}}{{Name}};{{/each}}":                                                "bolt;Nut;äther;Zinc;",
		"{{#each Orders}}{{No}}:{{#each Lines where N > 1 sort N desc}}{{Part}}{{/each}} {{/each}}": "1:AB 2:C ",
		"{{#each Orders.Lines sort N desc limit 3}}{{Part}}{{/each}}":                               "CAB",
		"{{#each Items where [Name] = \"Nut\"}}{{Items.Name}} {{= SUM(Items.Qty)}}{{/each}}":        "Nut 20", // a function over lists takes all items
		"{{#each Where where [Sort] = 1 limit 1}}{{Limit}}{{/each}}":                                "2",
		"{{#each [My where] limit 1}}{{this}}{{/each}}{{#each My where}}{{this}}{{/each}}":          "11",
	})
}

func TestGroupsHaveTheItemsThatShareAValue(t *testing.T) {
	t.Parallel()
	checkLines(t, stock, map[string]string{
		"{{#each Items group Rate}}{{@key}}:{{#each Items}} {{Name}}{{/each}};{{/each}}":                                                     "20: bolt äther;10: Nut Zinc;",
		"{{#each items group rate}}{{@key}}={{= SUM(Items.Qty)}}/{{= COUNT(Items)}};{{/each}}":                                               "20=10/2;10=10/2;",
		"{{#each Items group Made.In}}{{Made.In}}{{@index}}/{{@count}} {{/each}}":                                                            "AT1/2 DE2/2 ", // fields are those of the first
		"{{#each Items group Rate}}{{Rate}} {{Name}}: {{= JOIN(Items.Name, \"+\")}};{{/each}}":                                               "20 bolt: bolt+äther;10 Nut: Nut+Zinc;",
		"{{#each Items group Rate where COUNT(Items) > 1 sort @key limit 1}}{{@key}}{{/each}}":                                               "10",
		"{{#each Items where Qty > 5 group Rate}}{{@key}}{{#each Items}}{{Name}}{{/each}};{{/each}}":                                         "10Nut;20.0äther;",
		"{{#each Items group Rate}}{{#each Items sort Name desc limit 1}}{{@key}} {{Items.Name}} {{= SUM(Items.Qty)}};{{/each}}{{/each}}":    "20 bolt 10;10 Zinc 10;",
		"{{#each Orders}}{{#each Lines group Part}}{{No}}{{@key}}{{= SUM(Lines.N)}}{{#each Orders.Lines}}.{{N}}{{/each}} {{/each}}{{/each}}": "1A5.1.4 1B2.2 2C8.8 ",
		"{{#each Orders.Lines group Part}}{{@key}}{{= SUM(Orders.Lines.N)}} {{/each}}":                                                       "A5 B2 C8 ",
		"{{#each Words group this}}{{@key}}{{= COUNT(Words)}} {{/each}}":                                                                     "pear1 Apple2 fig1 ",
		"{{#each Items group Rate}}{{#each Items}}{{Extra}}{{/each}}{{/each}}":                                                               "e", // the others' is empty, not missing
		"{{#each Items group UPPER(Made.In)}}{{@key}}{{#each Items group Rate}}-{{@key}}{{#each Items}}{{Name}}{{/each}}{{/each}} {{/each}}": "AT-20boltäther-10Zinc DE-10Nut ",
	})
}

func TestClausesThatCannotBeReadAreFindings(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"{{#each Items where}}":               "clause_incomplete",
		"{{#each Items sort Name desc desc}}": "clause_unexpected",
		"{{#each Items sort}}":                "clause_incomplete",
		"{{#each Items limit 2 3}}":           "clause_unexpected",
		"{{#each Items where Qty >}}":         "formula_incomplete",
		"{{#each Items group SUMM(Qty)}}":     "unknown_function",
		"{{#each Items limit 1 limit 1 limit 1 limit 1 limit 1 limit 1 limit 1 limit 1 limit 1}}": "too_many_clauses",
	} {
		e := evaluator(t, stock)
		e.Text(read(e, strings.Trim(line, "{}")), nil)
		if got := e.Findings(); len(got) != 1 || got[0].Code != want || got[0].Message == "" {
			t.Errorf("%s: got %+v, want %s", line, got, want)
		}
	}
}

func TestClausesThatCannotBeWorkedOutLeaveNothingAndAreFindings(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"{{#each Items limit Name}}x{{/each}}":     "wrong_limit: Name: limit takes a whole number from 0 on, such as limit 10.",
		"{{#each Items limit 0 - 1}}x{{/each}}":    "wrong_limit: limit takes a whole number from 0 on, such as limit 10.",
		"{{#each Items limit 1.5}}x{{/each}}":      "wrong_limit: limit takes a whole number from 0 on, such as limit 10.",
		"{{#each Items group Made}}x{{/each}}":     "wrong_clause: group takes a single value of each item, such as group Country: this one has several, or fields of its own.",
		"{{#each Items sort Made}}x{{/each}}":      "wrong_clause: sort takes a single value of each item, such as sort Name: this one has several, or fields of its own.",
		"{{#each Items where Name * 2}}x{{/each}}": "not_a_number: Name: this text is not a number. Write one such as 14.00.",
		"{{#each Rate where Name = 2}}x{{/each}}":  "not_a_list: Rate is not a list.",
	} {
		e := evaluator(t, stock)
		got := workWith(e, line)
		var findings []string
		for _, f := range e.Findings() {
			findings = append(findings, f.Code+": "+f.Message)
		}
		if got.text != "" || !slices.Equal(findings, []string{want}) {
			t.Errorf("%s: got %q with %q, want %q", line, got.text, findings, want)
		}
	}
}

func TestSortingAndGroupingLongTextsIsBounded(t *testing.T) {
	t.Parallel()
	outer := strings.Repeat("1,", 2000) + "1"
	inner := strings.Repeat(`"`+strings.Repeat("ä", 5000)+`",`, 100) + `"a"`
	for _, word := range []string{"sort", "group"} {
		e := evaluator(t, `{"A": [`+outer+`], "B": [`+inner+`]}`)
		workWith(e, "{{#each A}}{{#each B "+word+" this limit 0}}{{/each}}{{/each}}")
		if got := e.Findings(); len(got) == 0 || got[0].Code != "template_too_costly" {
			t.Errorf("%s: got %+v, want template_too_costly", word, got)
		}
	}
}

func TestInspectLooksUpTheNamesOfClauses(t *testing.T) {
	t.Parallel()
	fields := []string{"Items.Name", "Items.Qty", "Orders.Lines.N", "Orders.No", "Top"}
	for text, want := range map[string]string{
		"{{#each Items where Qty > 1 sort Name group Qty limit Top}}{{@key}}{{#each Items}}{{Name}}{{/each}}{{/each}}":   "",
		"{{#each Orders}}{{#each Lines group N}}{{No}}{{#each Lines}}{{N}}{{/each}}{{= SUM(Lines.N)}}{{/each}}{{/each}}": "",
		"{{#each Items where Qtty > 1}}{{/each}}": "unknown_field",
		"{{#each Items sort Nme}}{{/each}}":       "unknown_field",
		"{{#each Itms group Name}}{{/each}}":      "unknown_field",
		"{{#each Items filter Qty > 1}}{{/each}}": "unknown_field",
		"{{#each Items order by Qty}}{{/each}}":   "unknown_field",
	} {
		got := ""
		for _, f := range lang.Inspect([]string{text}, fields) {
			if got == "" {
				got = strings.TrimSpace(f.Code + " " + strings.Join(f.Nearest[:min(1, len(f.Nearest))], ""))
			}
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestClausesAskForTheirFieldsAndDoNotRequireThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{#each Items where Qty * 1 > 2 sort Made.In limit Top}}{{Name}}{{/each}}":                                   "(Items![](Qty# Made(In) Name!*) Top)",
		"{{#each Items group Rate}}{{@key}}{{#each Items}}{{Name}}{{/each}}{{/each}}":                                 "(Items![](Rate Name!*))",
		"{{#each Orders}}{{#each Lines group N}}{{#each Lines}}{{Part}}{{/each}}{{= SUM(Lines.V)}}{{/each}}{{/each}}": "(Orders![](Lines![](N Part!* V!#*)))",
	} {
		if got := writeRequirement(lang.ReadRequirements([]string{text})); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
