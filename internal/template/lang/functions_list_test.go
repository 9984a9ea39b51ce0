package lang_test

import (
	"strings"
	"testing"
)

const lists = `{
	"Items": [
		{"Name": "Bolt", "Price": "0.10", "Qty": 3, "Tags": ["a", "b"]},
		{"Name": "", "Price": null, "Qty": 0, "Tags": []},
		{"Name": "Nut", "Price": 0.25, "Qty": -2, "Tags": ["c"]}],
	"Numbers": [3, "1.5", null, "", 2], "One": [7], "None": [], "Empty": [{}, null, {"A": 1}], "Words": ["b", "a"],
	"Deep": [[1, 2], [3, [4]]], "Flags": [true, false, true], "Name": "Ada", "Qty": 100, "Null": null, "Blank": ""
}`

func TestSumsTakeEveryNumber(t *testing.T) {
	t.Parallel()
	checkValues(t, lists, map[string]string{
		"= SUM(Items.Qty)":                    "1",
		"= SUM(Items.Price)":                  "0.35",
		"= SUM(Numbers)":                      "6.5",
		"= SUM(One)":                          "7",
		"= SUM(None)":                         "0",
		"= SUM(Null)":                         "0",
		"= SUM(Deep)":                         "10",
		"= SUM(Flags)":                        "2",
		"= SUM(1, 2, 3)":                      "6",
		"= SUM(Items.Qty, Qty, 0.5)":          "101.5",
		"= SUM(Items.Qty; Numbers)":           "7.5",
		"= SUM(0.1, 0.2)":                     "0.3",
		"= SUM(Items.Price * Items.Qty)":      "-0.2", // 0.3 + 0 - 0.5
		"= SUM(Items.Qty * Qty)":              "100",
		"= SUM(IF(Items.Qty > 0, 1, 0))":      "1",
		"= SUM(ROUND(Items.Price, 1))":        "0.4", // 0.1 + 0 + 0.3
		"= SUM(Items.Qty) / COUNT(Items)":     "0.3333333333333333333333333333",
		"= SUM(Items.Qty) + SUM(Numbers)":     "7.5",
		"= ROUND(SUM(Items.Price), 1)":        "0.4",
		"= SUM(SUM(Items.Qty), MAX(Numbers))": "4",
	})
}

func TestAveragesLeaveEmptyItemsOut(t *testing.T) {
	t.Parallel()
	checkValues(t, lists, map[string]string{
		"= AVERAGE(Numbers)":          "2.1666666666666666666666666667", // of 3, 1.5 and 2
		"= AVERAGE(Items.Price)":      "0.175",
		"= AVERAGE(Items.Qty)":        "0.3333333333333333333333333333",
		"= AVERAGE(One)":              "7",
		"= AVERAGE(1, 2)":             "1.5",
		"= AVERAGE(None)":             "",
		"= AVERAGE(Null)":             "",
		"= AVERAGE(Items.Qty * 2)":    "0.6666666666666666666666666667",
		"= DEFAULT(AVERAGE(None), 0)": "0",
	})
}

func TestTheSmallestAndTheLargestAreShownAsTheyWereSent(t *testing.T) {
	t.Parallel()
	checkValues(t, lists, map[string]string{
		"= MIN(Items.Qty)":   "-2",
		"= MAX(Items.Qty)":   "3",
		"= MIN(Items.Price)": "0.10",
		"= MAX(Items.Price)": "0.25",
		"= MIN(Numbers)":     "1.5",
		"= MAX(Numbers)":     "3",
		"= MIN(5, 3, 4)":     "3",
		"= MAX(5, 3, 4)":     "5",
		"= MIN(3, 5)":        "3",
		"= MAX(3, 5)":        "5",
		"= MAX(\"10\", 9)":   "10", // by size and not as texts
		"= MIN(One)":         "7",
		"= MIN(None)":        "",
		"= MAX(Null)":        "",
		"= MAX(1.0, 1.00)":   "1.0", // the first of equal ones
		"= MIN(-1, Qty)":     "-1",
	})
}

func TestOnlyWhatIsNotEmptyIsCounted(t *testing.T) {
	t.Parallel()
	checkValues(t, lists, map[string]string{
		"= COUNT(Items)":             "3",
		"= COUNT(Items.Name)":        "2",
		"= COUNT(Items.Price)":       "2",
		"= COUNT(Items.Qty)":         "3", // zero is something
		"= COUNT(Items.Tags)":        "3",
		"= COUNT(Numbers)":           "3",
		"= COUNT(Empty)":             "1",
		"= COUNT(Words)":             "2",
		"= COUNT(Flags)":             "3",
		"= COUNT(Deep)":              "4",
		"= COUNT(None)":              "0",
		"= COUNT(Null)":              "0",
		"= COUNT(Name)":              "1",
		"= COUNT(Blank)":             "0",
		"= COUNT(Items, Words)":      "5",
		"= COUNT(1, \"\", \" \", 2)": "2",
	})
}

func TestTextsAreJoinedWithoutEmptyOnes(t *testing.T) {
	t.Parallel()
	checkValues(t, lists, map[string]string{
		"= JOIN(Items.Name)":                          "Bolt, Nut",
		"= JOIN(Items.Name, \" + \")":                 "Bolt + Nut",
		"= JOIN(Items.Name, \"\")":                    "BoltNut",
		"= JOIN(Items.Tags, \"/\")":                   "a/b/c",
		"= JOIN(Numbers, \"|\")":                      "3|1.5|2",
		"= JOIN(Flags)":                               "true, false, true",
		"= JOIN(None)":                                "",
		"= JOIN(Name, \"-\")":                         "Ada",
		"= JOIN(Words, Name)":                         "bAdaa",
		"= JOIN(UPPER(Items.Name), \"-\")":            "BOLT-NUT",
		"= JOIN(Items.Name & \"=\" & Items.Qty)":      "Bolt=3, =0, Nut=-2",
		"= JOIN(IF(Items.Qty > 0, Items.Name, \"\"))": "Bolt",
		"= UPPER(JOIN(Words, \"\"))":                  "BA",
	})
}

func TestFunctionsOverListsTakeTheWholeListInsideOfItsItems(t *testing.T) {
	t.Parallel()
	checkLines(t, lists, map[string]string{
		"{{#each Items}}{{Qty}} of {{= SUM(Items.Qty)}};{{/each}}":                "3 of 1;0 of 1;-2 of 1;",
		"{{#each Items}}{{= COUNT(Items)}}{{= COUNT(Tags)}};{{/each}}":            "32;30;31;",
		"{{#each Items}}{{= JOIN(Tags, \"+\")}};{{/each}}":                        "a+b;;c;",
		"{{#each Items}}{{= Qty = MAX(Items.Qty)}};{{/each}}":                     "true;false;false;",
		"{{#each Words}}{{= JOIN(Words, \"\")}}{{this}};{{/each}}":                "bab;baa;",
		"{{#each Items}}{{#each Tags}}{{= COUNT(Items.Tags)}};{{/each}}{{/each}}": "2;2;1;",
	})
}

func TestFunctionsOverListsSayWhichValueIsNotANumber(t *testing.T) {
	t.Parallel()
	checkRefused(t, lists, map[string]string{
		"= SUM(Items.Name)":                        "not_a_number: Items, item 1, Name: this text is not a number. Write one such as 14.00.",
		"= AVERAGE(Words)":                         "not_a_number: Words: this text is not a number. Write one such as 14.00.",
		"= MIN(Name)":                              "not_a_number: Name: this text is not a number. Write one such as 14.00.",
		"= MAX(Qty, Name)":                         "not_a_number: Name: this text is not a number. Write one such as 14.00.",
		"= SUM(1, 2, Name)":                        "not_a_number: Name: this text is not a number. Write one such as 14.00.",
		"= SUM(Items.Name & \"x\")":                "not_a_number: For item 1 of Items: A part of the formula is not a number.",
		"= SUM(Items)":                             "not_a_number: Items: this value is not a number. Write one such as 14.00.",
		"= SUM(1 / 0)":                             "division_by_zero: The formula divides by zero.",
		"= AVERAGE(1 / 0)":                         "division_by_zero: The formula divides by zero.",
		"= COUNT(1 / 0)":                           "division_by_zero: The formula divides by zero.",
		"= JOIN(1 / 0)":                            "division_by_zero: The formula divides by zero.",
		"= JOIN(Words, 1 / 0)":                     "division_by_zero: The formula divides by zero.",
		"= SUM(1 / Items.Qty)":                     "division_by_zero: For item 2 of Items: The formula divides by zero.",
		"= JOIN(Words, \"-\", 1)":                  `wrong_arguments: JOIN is written JOIN(Items.Name, ", ").`,
		"= SUM()":                                  "wrong_arguments: SUM is written SUM(Items.Price).",
		"= SUM(" + strings.Repeat("1,", 30) + "1)": "wrong_arguments: SUM is written SUM(Items.Price).",
	})
	checkValues(t, "{}", map[string]string{"= SUM(" + strings.Repeat("1,", 29) + "1)": "30"})
}

// 64 KiB are 65,536 bytes: with a separator of one byte, 32,768 letters fit and
// one more does not.
func TestJoinedTextsAreBounded(t *testing.T) {
	t.Parallel()
	letters := func(n int) string { return `{"L": ["` + strings.Repeat(`x","`, n-1) + `x"]}` }
	if got := value(evaluator(t, letters(32_768)), `= JOIN(L, "-")`); len(got) != 2*32_768-1 {
		t.Errorf("got %d bytes, want %d", len(got), 2*32_768-1)
	}
	checkRefused(t, letters(32_769), map[string]string{`= JOIN(L, "-")`: "text_too_long: The formula makes a text of more than 64 KiB."})
}

func TestSumsOfTooManyDigitsAreAFinding(t *testing.T) {
	t.Parallel()
	const want = "number_too_large: A number of the formula has more than 200 digits."
	nines := strings.Repeat("9", 200)
	checkRefused(t, `{"L": [`+nines+`, `+nines+`]}`, map[string]string{"= SUM(L)": want, "= AVERAGE(L)": want})
	checkValues(t, `{"L": [`+nines+`]}`, map[string]string{"= SUM(L)": nines, "= MAX(L)": nines})
}
