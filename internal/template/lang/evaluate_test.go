package lang_test

import (
	"fmt"
	"strings"
	"testing"
)

// The operators, strongest first: % behind a number; - before one; * /; + -; &;
// comparisons; not; and; or.
func TestStrongerOperatorsComeFirst(t *testing.T) {
	t.Parallel()
	checkValues(t, "{}", map[string]string{
		"= 1 + 2 * 3":                 "7",
		"= 2 * 3 + 1":                 "7",
		"= (1 + 2) * 3":               "9",
		"= 7 - 4 - 2":                 "1", // from the left
		"= 24 / 4 / 2":                "3",
		"= 12 / 3 * 2":                "8",
		"= 8 - 6 + 1":                 "3",
		"= 2 * 50%":                   "1",
		"= -50%":                      "-0.5",
		"= 100 + 10%":                 "100.1", // of one, not of what stands before it
		"= 50%%":                      "0.005",
		"= (1 + 1)%":                  "0.02",
		"= --1":                       "1",
		"= -+1":                       "-1",
		"= +1":                        "1",
		"= 2 - -3":                    "5",
		"= 2 * -3":                    "-6",
		"= -2 * -3":                   "6",
		`= "a" & 1 + 2`:               "a3",
		`= 1 + 2 & "a"`:               "3a",
		`= "a" & "b" = "ab"`:          "true",
		`= 1 & 2 = 12`:                "true",
		"= 1 + 1 = 2":                 "true",
		"= 2 > 1 + 1":                 "false",
		"= 1 < 2 = true":              "true", // from the left: true = true
		"= 2 = 1 + 1 and 1 = 1":       "true",
		"= not 1 = 2":                 "true", // not (1 = 2)
		"= not true or true":          "true",
		"= not (true or true)":        "false",
		"= not false and false":       "false",
		"= not not true":              "true",
		"= !false":                    "true",
		"= !true = false":             "true",
		"= true or false and false":   "true", // and before or
		"= (true or false) and false": "false",
		"= false and false or true":   "true",
		"= 1 = 1 or 1 / 0 = 1":        "true",
	})
}

func TestNotIsWeakerThanComparisonsOfWhatHasASign(t *testing.T) {
	t.Parallel()
	checkValues(t, `{"Qty": 3}`, map[string]string{
		"= not -Qty = 4": "true", // not (-Qty = 4)
		"= not -1 = -1":  "false",
		"= not +Qty = 3": "false",
		"= not !Qty":     "true",
		"= not(Qty) = 3": "false", // the function, whose value is compared
		"= NOT(Qty) & 3": "false3",
	})
}

func TestEachOperatorHasItsOtherSpellings(t *testing.T) {
	t.Parallel()
	checkValues(t, `{"A": 4, "B": 2}`, map[string]string{
		"= A == 4": "true", "= A = 4": "true", "= A != 4": "false", "= A <> 4": "false", "= A ≠ 4": "false",
		"= A <= 4": "true", "= A ≤ 4": "true", "= A >= 5": "false", "= A ≥ 5": "false", "= A < 4": "false", "= A > 4": "false",
		"= A > 3": "true", "= A < 5": "true", "= A >= 4": "true", "= A <= 3": "false",
		"= A × B": "8", "= A · B": "8", "= A ÷ B": "2", "= A − B": "2", "= A – B": "2",
		"= A = 4 && B = 2": "true", "= A = 4 && B = 3": "false", "= A = 5 || B = 2": "true", "= A = 5 || B = 3": "false",
		"= A = 4 AND B = 2": "true", "= A = 5 Or B = 2": "true", "= NOT A": "false", "= Not A = 5": "true",
	})
}

func TestComparisonsOfAnyValues(t *testing.T) {
	t.Parallel()
	const body = `{"Small": 2, "Large": "10", "Ada": "Ada", "Null": null, "Yes": true, "Due": "2026-01-31", "List": ["a", "b"]}`
	checkValues(t, body, map[string]string{
		"= Small < Large":      "true", // as numbers, which texts may be
		`= "2" < "10"`:         "true",
		`= "b" > "a"`:          "true",
		`= Ada = "ADA"`:        "true",
		`= Ada <> "ada"`:       "false",
		`= Due < "2026-02-01"`: "true",
		`= Null = 0`:           "true",
		`= Null = ""`:          "true",
		`= Null < 1`:           "true",
		`= Yes = true`:         "true",
		`= Yes = 1`:            "true",
		`= List = "a, b"`:      "true",
	})
}

// Decimals and not binary floats: 0.1 + 0.2 is 0.3.
func TestFormulasReckonWithDecimals(t *testing.T) {
	t.Parallel()
	checkValues(t, `{"Price": "19.99", "Null": null, "Yes": true, "One": ["5"]}`, map[string]string{
		"= 0.1 + 0.2":                  "0.3",
		"= 0.1 * 3":                    "0.3",
		"= 1.1 - 1":                    "0.1",
		"= Price * 3":                  "59.97",
		"= 1 / 3":                      "0.3333333333333333333333333333",
		"= 2 / 3":                      "0.6666666666666666666666666667", // rounded to 28 digits
		"= -2 / 3":                     "-0.6666666666666666666666666667",
		"= 1 / 8":                      "0.125",
		"= 1 / 3 * 3":                  "0.9999999999999999999999999999",
		"= 99999999999999999999 + 1":   "100000000000000000000",
		"= 0.00000000000000000001 * 2": "0.00000000000000000002",
		"= Null + 1":                   "1",
		"= Null * 5":                   "0",
		`= "" + 1`:                     "1",
		"= Yes + 1":                    "2",
		"= One + 1":                    "6",
		"= 0 / 5":                      "0",
		"= 1.50":                       "1.50", // as it was written
		"= 1.50 + 0":                   "1.5",
		"= -Price":                     "-19.99",
		"= Price%":                     "0.1999",
	})
}

func TestWhatCannotBeReckonedWithIsNamed(t *testing.T) {
	t.Parallel()
	const zero = "division_by_zero: The formula divides by zero."
	const body = `{"Name": "Ada", "Items": [{"Qty": 1}, {"Qty": 2}], "Null": null, "Zero": "0.00", "Customer": {"City": "Graz"}, "Tags": ["a", "b"]}`
	checkRefused(t, body, map[string]string{
		"= Name * 2":       "not_a_number: Name: this text is not a number. Write one such as 14.00.",
		"= 2 * Name":       "not_a_number: Name: this text is not a number. Write one such as 14.00.",
		"= -Name":          "not_a_number: Name: this text is not a number. Write one such as 14.00.",
		"= Name%":          "not_a_number: Name: this text is not a number. Write one such as 14.00.",
		"= Customer + 1":   "not_a_number: Customer: this value is not a number. Write one such as 14.00.",
		`= "x" + 1`:        "not_a_number: A part of the formula is not a number.",
		"= (Name & 1) + 1": "not_a_number: A part of the formula is not a number.",
		"= Items.Qty * 2":  "not_a_number: Items.Qty has several values here; SUM, MAX or another function makes one of them.",
		"= 1 + Tags":       "not_a_number: Tags has several values here; SUM, MAX or another function makes one of them.",
		"= 1 / 0":          zero,
		"= 1 / Zero":       zero,
		"= 1 / Null":       zero,
		"= 0 / 0":          zero,
		"= Customer":       "no_text: The formula gives a part of the data that has fields of its own; name one of them.",
		"= Items[0]":       "no_text: The formula gives a part of the data that has fields of its own; name one of them.",
	})
}

func TestNumbersOfAFormulaHaveAtMostTwoHundredDigits(t *testing.T) {
	t.Parallel()
	const want = "number_too_large: A number of the formula has more than 200 digits."
	nines, zeros := strings.Repeat("9", 200), strings.Repeat("0", 199)
	checkValues(t, "{}", map[string]string{
		"= " + nines + " + 0":  nines,
		"= 1" + zeros + " * 1": "1" + zeros,
		"= 0 - " + nines:       "-" + nines,
	})
	checkRefused(t, `{"Long": `+nines+`9, "Text": "`+nines+`9"}`, map[string]string{
		"= " + nines + " + 1":     want,
		"= 1" + zeros + " * 10":   want,
		"= 0 - " + nines + " - 1": want,
		"= " + nines + "9":        "number_too_large: The number " + nines + "9 is too large.",
		"= Long + 1":              "not_a_number: Long: this text is not a number. Write one such as 14.00.",
		"= Text + 1":              "not_a_number: Text: this text is not a number. Write one such as 14.00.",
	})
	checkValues(t, `{"Long": `+nines+`9}`, map[string]string{"= Long": nines + "9", "Long": nines + "9"})
}

// Without brackets, a name with a sign in it is one name where the data has a
// field of that name and not both of its parts.
func TestNamesWithSignsAreOneNameUnlessTheDataHasTheirParts(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"E-Mail": "a@b.c"}`:                    "a@b.c",
		`{"E-Mail": "a@b.c", "E": 5}`:            "a@b.c",
		`{"E-Mail": "a@b.c", "Mail": 2}`:         "a@b.c",
		`{"E-Mail": "a@b.c", "E": 5, "Mail": 2}`: "3",
		`{"e-mail": "a@b.c"}`:                    "a@b.c",
		`{"E": 5, "Mail": 2}`:                    "3",
		`{"E-Mail": null}`:                       "",
	} {
		checkValues(t, body, map[string]string{"= E-Mail": want, "= (E-Mail)": want, `= E-Mail & ""`: want})
	}
	checkValues(t, `{"A/B": 1, "A+B": 2, "A&B": 3, "A*B": 4, "Net-Price": 10, "Total Net-Price": 12}`, map[string]string{
		"= A/B": "1", "= A+B": "2", "= A&B": "3", "= A*B": "4",
		"= Total Net-Price":            "12",
		"= Net-Price > 9":              "true",
		"= ROUND(Net-Price)":           "10",
		`= IF(Net-Price, "yes", "no")`: "yes",
	})
}

func TestNamesWithSignsStandForAllItemsOfAList(t *testing.T) {
	t.Parallel()
	const body = `{"Items": [{"Net-Price": 10, "Qty": 2}, {"Net-Price": 5, "Qty": 3}], "None": []}`
	checkValues(t, body, map[string]string{
		"= Items.Net-Price":                    "10, 5",
		"= SUM(Items.Net-Price)":               "15",
		"= COUNT(Items.Net-Price)":             "2",
		"= JOIN(Items.Net-Price, \" + \")":     "10 + 5",
		"= SUM([Items.Net-Price] * Items.Qty)": "35",
		"= SUM(ROUND(Items.Net-Price))":        "15",
		"= JOIN(Items.Net-Price & \"!\")":      "10!, 5!",
		"= SUM(None.Net-Price)":                "0",
		"= None.Net-Price":                     "",
	})
	checkLines(t, body, map[string]string{
		"{{#each Items}}{{= Net-Price}};{{/each}}":                               "10;5;",
		"{{#each Items}}{{= [Items.Net-Price] * Qty}};{{/each}}":                 "20;15;",
		"{{#each Items}}{{= Net-Price}} of {{= SUM(Items.Net-Price)}};{{/each}}": "10 of 15;5 of 15;",
	})
}

func TestCountersTellWhereAnItemStands(t *testing.T) {
	t.Parallel()
	const body = `{"L": ["a", "b", "c"], "One": [1], "@index": "field"}`
	checkLines(t, body, map[string]string{
		"{{#each L}}{{@index}}/{{@count}}{{#if @first}}F{{/if}}{{#if @last}}L{{/if}} {{/each}}": "1/3F 2/3 3/3L ",
		"{{#each One}}{{@index}}/{{@count}} {{@first}} {{@last}}{{/each}}":                      "1/1 true true",
		"{{#each L}}{{= @index * 2}} {{= @INDEX = @Count}};{{/each}}":                           "2 false;4 false;6 true;",
		"{{#each L}}{{#each One}}{{@index}}{{/each}}{{@index}} {{/each}}":                       "11 12 13 ",
		"{{@index}}": "field", // outside of lists it is a name like any other
	})
}

// Two names; one is asked for twice.
func TestWhatIsMissingIsNotedOnce(t *testing.T) {
	t.Parallel()
	got := work(t, "{}", "{{= A + B + A}}{{A}}{{B}}")
	if fmt.Sprint(got.missing) != "[A B]" || got.text != "0" {
		t.Errorf("got %q missing in %q, want A and B, and the sum of nothing", got.missing, got.text)
	}
}
