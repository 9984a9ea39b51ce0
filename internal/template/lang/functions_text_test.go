package lang_test

import (
	"strings"
	"testing"
)

const texts = `{"Name": "ada LOVELACE", "Odd": "  a\t b \n c  ", "Null": null, "Number": 12.50, "Yes": true, "Words": ["new", "old"], "Street": "straße",
	"Huge": 1e64, "Five": "5"}`

// A text that a formula makes has at most 64 KiB, which are 65,536 bytes.
func TestTextsThatFormulasMakeAreBounded(t *testing.T) {
	t.Parallel()
	const half = 32 << 10
	body := `{"Half": "` + strings.Repeat("x", half) + `", "More": "` + strings.Repeat("x", half+1) + `", "Spaces": "` + strings.Repeat("  x", half) + `"}`
	for formula, want := range map[string]int{
		"Half & Half":               2 * half,
		"CONCAT(Half, Half)":        2 * half,
		`REPLACE("aa", "a", Half)`:  2 * half,
		`REPLACE(Spaces, "  ", "")`: half,
		`REPLACE(Half, "x", "yz")`:  2 * half,
	} {
		e := evaluator(t, body)
		if got := len(value(e, "= "+formula)); got != want || len(e.Findings()) > 0 {
			t.Errorf("%s: got %d bytes with findings %v, want %d", formula, got, e.Findings(), want)
		}
	}
	const tooLong = "text_too_long: The formula makes a text of more than 64 KiB."
	checkRefused(t, body, map[string]string{
		"= Half & More":               tooLong,
		"= CONCAT(More, Half)":        tooLong,
		"= CONCAT(Half, Half, 1)":     tooLong,
		`= REPLACE("aab", "a", Half)`: tooLong,
		`= REPLACE(More, "x", "yz")`:  tooLong,
	})
}
