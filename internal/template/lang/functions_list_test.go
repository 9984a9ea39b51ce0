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

func TestFunctionsOverListsSayWhichValueIsNotANumber(t *testing.T) {
	t.Parallel()
	checkRefused(t, lists, map[string]string{
		"= SUM(Items.Name)":                        "not_a_number: The value of Items.Name is not a number.",
		"= AVERAGE(Words)":                         "not_a_number: The value of Words is not a number.",
		"= MIN(Name)":                              "not_a_number: The value of Name is not a number.",
		"= MAX(Qty, Name)":                         "not_a_number: The value of Name is not a number.",
		"= SUM(1, 2, Name)":                        "not_a_number: The value of Name is not a number.",
		"= SUM(Items.Name & \"x\")":                "not_a_number: A part of the formula is not a number.",
		"= SUM(Items)":                             "not_a_number: The value of Items is not a number.",
		"= SUM(1 / 0)":                             "division_by_zero: The formula divides by zero.",
		"= AVERAGE(1 / 0)":                         "division_by_zero: The formula divides by zero.",
		"= COUNT(1 / 0)":                           "division_by_zero: The formula divides by zero.",
		"= JOIN(1 / 0)":                            "division_by_zero: The formula divides by zero.",
		"= JOIN(Words, 1 / 0)":                     "division_by_zero: The formula divides by zero.",
		"= SUM(1 / Items.Qty)":                     "division_by_zero: The formula divides by zero.",
		"= JOIN(Words, \"-\", 1)":                  `wrong_arguments: JOIN is written JOIN(Items.Name, ", ").`,
		"= SUM()":                                  "wrong_arguments: SUM is written SUM(Items.Price).",
		"= SUM(" + strings.Repeat("1,", 30) + "1)": "wrong_arguments: SUM is written SUM(Items.Price).",
	})
	checkValues(t, "{}", map[string]string{"= SUM(" + strings.Repeat("1,", 29) + "1)": "30"})
}
