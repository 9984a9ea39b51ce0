package dml

import (
	"testing"
)

func TestNumberFormats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n            int
		format, want string
	}{{4, "upperRoman", "IV"}, {1999, "lowerRoman", "mcmxcix"}, {27, "upperLetter", "AA"}, {3, "ordinal", "3rd"}, {11, "ordinal", "11th"}, {5, "decimalZero", "05"}, {12, "unheard-of", "12"}} {
		if got := FormatNumber(c.n, c.format); got != c.want {
			t.Errorf("FormatNumber(%d, %q) = %q, want %q", c.n, c.format, got, c.want)
		}
	}
}
