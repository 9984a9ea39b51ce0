package lang

import (
	"strings"
	"testing"
)

func TestAKeyIsTheTextOfItsFormula(t *testing.T) {
	t.Parallel()
	data, err := ParseData([]byte(`{"Customer": {"Number": 17}, "As Text": " 17 ", "List": ["a", "b"], "Large": 12345678901234567890, "Zero": 0, "Yes": true}`))
	if err != nil {
		t.Fatal(err)
	}
	for formula, want := range map[string]string{
		"Customer.Number":              "17",
		"As Text":                      "17",
		"Large":                        "12345678901234567890",
		"Zero":                         "0",
		"Yes":                          "true",
		"List":                         "a, b",
		"Nowhere":                      "",
		`Customer.Number & "/" & Zero`: "17/0",
		`IF(Nowhere, Nowhere, "none")`: "none",
	} {
		got, wrong := Key(formula, data, Builtins{})
		if got != want || wrong != nil {
			t.Errorf("%s: got %q and %v, want %q", formula, got, wrong, want)
		}
	}
	for formula, want := range map[string]string{"Customer": "no_text", "List * 2": "", "Customer.Number +": "", "{{Customer.Number}}": "formula_unexpected", "": ""} {
		if got, wrong := Key(formula, data, Builtins{}); wrong == nil || got != "" || !strings.Contains(wrong.Code, want) {
			t.Errorf("%s: got %q and %v, want a finding %s", formula, got, wrong, want)
		}
	}
	for formula, reads := range map[string]bool{"Customer.Number": true, "UPPER(Name)": true, "Name +": false, "{{Name}}": false, "NOSUCH(Name)": false, "/if": false} {
		if wrong := CheckKey(formula); (wrong == nil) != reads {
			t.Errorf("%s: got %v, want that it reads: %v", formula, wrong, reads)
		}
	}
}
