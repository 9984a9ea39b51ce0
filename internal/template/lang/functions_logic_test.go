package lang_test

import (
	"slices"
	"testing"
)

const flags = `{"Yes": true, "No": false, "Null": null, "Blank": "", "Zero": 0, "Qty": 3, "Name": "Ada", "Off": "false", "Nil": "0", "None": [], "Some": [0]}`

func TestIfTakesOneOfItsParts(t *testing.T) {
	t.Parallel()
	checkValues(t, flags, map[string]string{
		`= IF(Yes, "a", "b")`:                        "a",
		`= IF(No, "a", "b")`:                         "b",
		`= IF(Yes, "a")`:                             "a",
		`= IF(No, "a")`:                              "",
		`= IF(Qty > 2, Qty * 2, 0)`:                  "6",
		`= IF(Qty < 2, 0, Name)`:                     "Ada",
		`= IF(Nowhere, 1, 2)`:                        "2",
		`= IF(IF(Yes, No, Yes), 1, IF(Yes, 2, 3))`:   "2",
		`= IF(Yes, Null, 1)`:                         "",
		`= IF(No, 1 / 0, "not worked out")`:          "not worked out",
		`= IF(Yes, "not worked out", 1 / 0)`:         "not worked out",
		`= 1 + IF(No, 1)`:                            "1",
		`= IF(Name = "ada" and not No, "yes", "no")`: "yes",
	})
	checkRefused(t, flags, map[string]string{
		`= IF(1 / 0, 1, 2)`: "division_by_zero: The formula divides by zero.",
		`= IF(Yes)`:         `wrong_arguments: IF is written IF(Total > 100, "much", "little").`,
		`= IF(1, 2, 3, 4)`:  `wrong_arguments: IF is written IF(Total > 100, "much", "little").`,
	})
}

// What a condition does not hold for; it holds for everything else.
func TestConditionsTakeAllValuesForTrueOrFalse(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"Yes": true, "No": false, "Null": false, "Blank": false, "Zero": false, "Qty": true, "Name": true, "Off": false, "Nil": false,
		"None": false, "Some": true, `" "`: false, `"FALSE"`: false, `" 0 "`: false, `"no"`: true, "0.00": false, "-1": true, "0.001": true, `"0.0"`: true,
	} {
		yes, no := "true", "false"
		if !want {
			yes, no = no, yes
		}
		checkValues(t, flags, map[string]string{
			"= AND(" + name + ")": yes, "= OR(" + name + ")": yes, "= NOT(" + name + ")": no, "= not " + name: no,
			"= " + name + " and true": yes, "= false or " + name: yes, "= IF(" + name + ", true, false)": yes,
		})
	}
}

func TestAndOrAndNotGoOnOnlyAsFarAsTheyMust(t *testing.T) {
	t.Parallel()
	checkValues(t, flags, map[string]string{
		"= AND(Yes, Qty, Name)":         "true",
		"= AND(Yes, No, Yes)":           "false",
		"= AND(No, 1 / 0)":              "false",
		"= OR(No, Zero, Null)":          "false",
		"= OR(No, Qty)":                 "true",
		"= OR(Yes, 1 / 0)":              "true",
		"= NOT(NOT(Yes))":               "true",
		"= and(yes, or(no, yes))":       "true",
		"= No and 1 / 0":                "false",
		"= Yes or 1 / 0":                "true",
		"= AND(Qty > 1, Qty < 3)":       "false",
		"= OR(Qty > 3, Name = \"ADA\")": "true",
	})
	const want = "division_by_zero: The formula divides by zero."
	checkRefused(t, flags, map[string]string{
		"= AND(Yes, 1 / 0)": want, "= OR(No, 1 / 0)": want, "= Yes and 1 / 0": want, "= No or 1 / 0": want, "= NOT(1 / 0)": want, "= not 1 / 0": want,
	})
}

func TestDefaultStandsForWhatIsEmpty(t *testing.T) {
	t.Parallel()
	checkValues(t, flags, map[string]string{
		`= DEFAULT(Name, "nobody")`:                "Ada",
		`= DEFAULT(Null, "nobody")`:                "nobody",
		`= DEFAULT(Blank, "nobody")`:               "nobody",
		`= DEFAULT(" ", "nobody")`:                 "nobody",
		`= DEFAULT(None, "nobody")`:                "nobody",
		`= DEFAULT(Nowhere, "nobody")`:             "nobody",
		`= DEFAULT(Zero, 5)`:                       "0", // zero and false are something
		`= DEFAULT(No, 5)`:                         "false",
		`= DEFAULT(Null, DEFAULT(Blank, "third"))`: "third",
		`= DEFAULT(Name, 1 / 0)`:                   "Ada",
		`= UPPER(DEFAULT(Null, Name))`:             "ADA",
	})
	checkRefused(t, flags, map[string]string{
		`= DEFAULT(1 / 0, "x")`:  "division_by_zero: The formula divides by zero.",
		`= DEFAULT(Null, 1 / 0)`: "division_by_zero: The formula divides by zero.",
		`= DEFAULT(Name)`:        `wrong_arguments: DEFAULT is written DEFAULT(Name, "nobody").`,
	})
}

// A condition may ask for a field that the sender left out; what is shown may
// not be missing.
func TestOnlyConditionsAskForFieldsThatAreNotThere(t *testing.T) {
	t.Parallel()
	for formula, want := range map[string][]string{
		`IF(A, 1, 2)`:           nil,
		`IF(A > 1 and B, 1, 2)`: nil,
		`IF(UPPER(A), 1, 2)`:    nil,
		`DEFAULT(A, 1)`:         nil,
		`IF(Yes, A, B)`:         {"A"}, // the part that is taken
		`IF(No, A, B)`:          {"B"},
		`DEFAULT(A, B)`:         {"B"},
		`A & B`:                 {"A", "B"},
		`NOT(A)`:                {"A"},
		`A and B`:               {"A"},
		`A or B`:                {"A", "B"},
		`UPPER(DEFAULT(A, B))`:  {"B"},
		`SUM(A.B)`:              {"A.B"},
	} {
		if got := work(t, flags, "{{= "+formula+"}}").missing; !slices.Equal(got, want) {
			t.Errorf("%s: got %q missing, want %q", formula, got, want)
		}
	}
}
