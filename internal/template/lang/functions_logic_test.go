package lang_test

import (
	"testing"
)

const flags = `{"Yes": true, "No": false, "Null": null, "Blank": "", "Zero": 0, "Qty": 3, "Name": "Ada", "Off": "false", "Nil": "0", "None": [], "Some": [0]}`

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
