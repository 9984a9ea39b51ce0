package syntax

import (
	"strings"
	"testing"
)

func readNumber(t *testing.T, text string) Number {
	t.Helper()
	n, ok := ParseNumber(text)
	if !ok {
		t.Fatalf("parseNumber(%q): no number", text)
	}
	return n
}

func TestNumbersAreReadAsJSONAndSpreadsheetsWriteThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "1": "1", "-1": "-1", "+1": "1", "1.50": "1.5", ".5": "0.5", " 2 ": "2", "1e3": "1000", "1E-3": "0.001", "-0": "0", "007": "7",
		strings.Repeat("9", MaxDigits): strings.Repeat("9", MaxDigits),
	} {
		if n, ok := ParseNumber(text); !ok || n.Decimal.String() != want || n.text != strings.TrimSpace(text) {
			t.Errorf("%q: got %s written %q, %v; want %s", text, n.Decimal, n.text, ok, want)
		}
	}
	for _, text := range []string{
		"", " ", "x", "1x", "1,5", "1.2.3", "--1", "0x10", "1_000", "Inf", "NaN", "1p3", "1 2", "1e", "1e201", "1e-201", "½",
		strings.Repeat("9", MaxDigits+1), "0." + strings.Repeat("1", MaxDigits),
	} {
		if n, ok := ParseNumber(text); ok {
			t.Errorf("%q: got %s, want no number", text, n)
		}
	}
}

func TestANumberIsShownAsItWasWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"1.50": "1.50", "1e3": "1e3", " 007 ": "007"} {
		if got := readNumber(t, text).String(); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	if got := NewNumber(readNumber(t, "1.50").Decimal).String(); got != "1.5" {
		t.Errorf("worked out: got %s, want 1.5", got)
	}
}
