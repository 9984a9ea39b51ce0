package rich

import (
	"strconv"
	"strings"
)

// Numeral writes a number as the attribute type of HTML names it: 1, a, A, i or I. What these
// cannot write is in digits.
func Numeral(n int, f byte) string {
	switch {
	case n < 1 || n > 3999 || f == 0 || f == '1':
		return strconv.Itoa(n)
	case f == 'a' || f == 'A':
		text := ""
		for ; n > 0; n = (n - 1) / 26 {
			text = string(rune('a'+(n-1)%26)) + text
		}
		if f == 'A' {
			return strings.ToUpper(text)
		}
		return text
	}
	var b strings.Builder
	for _, step := range []struct {
		value int
		sign  string
	}{{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"}, {50, "l"}, {40, "xl"}, {10, "x"}, {9, "ix"}, {5, "v"}, {4, "iv"}, {1, "i"}} {
		for ; n >= step.value; n -= step.value {
			b.WriteString(step.sign)
		}
	}
	if f == 'I' {
		return strings.ToUpper(b.String())
	}
	return b.String()
}
