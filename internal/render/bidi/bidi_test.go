package bidi_test

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/render/bidi"
)

// Latin capitals of a case stand for Hebrew letters, * for an Arabic digit.
func TestTextStandsInVisualOrder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		isRTL bool
		want  string
	}{
		{"abc def", false, "abc def"},
		{"ABC", false, "CBA"},
		{"he said ABC DEF.", false, "he said FED CBA."},
		{"ABC DEF.", true, ".FED CBA"},
		{"ABC 123 DEF", false, "FED 123 CBA"},
		{"ABC 123 DEF", true, "FED 123 CBA"},
		{"ABC 123abc", false, "123 CBAabc"},
		{"ABC 1,234.50 abc", false, "1,234.50 CBA abc"},
		{"abc 123 DEF", false, "abc 123 FED"},
		{"abc ** DEF", false, "abc FED **"},
		{"ABC abc 12 DEF", true, "FED abc 12 CBA"},
		{"(ABC) abc", true, "abc (CBA)"},
		{"12 ABC", true, "CBA 12"},
		{"ABC - 12", true, "12 - CBA"},
	} {
		runes := []rune(test.text)
		for i, r := range runes {
			switch {
			case r >= 'A' && r <= 'Z':
				runes[i] = 'א' + r - 'A'
			case r == '*':
				runes[i] = '٣'
			}
		}
		levels := bidi.Levels(runes, test.isRTL)
		base := uint8(0)
		if test.isRTL {
			base = 1
		}
		bidi.EndSpaces(levels, runes, base)
		var got []rune
		for _, i := range bidi.Order(levels) {
			r := []rune(test.text)[i]
			if levels[i]%2 == 1 { // brackets are mirrored
				if at := slices.Index([]rune("()"), r); at >= 0 {
					r = []rune(")(")[at]
				}
			}
			got = append(got, r)
		}
		if string(got) != test.want {
			t.Errorf("%q (right to left: %v): got %q, want %q", test.text, test.isRTL, string(got), test.want)
		}
	}
}

func TestOnlySomeCharactersTurnText(t *testing.T) {
	t.Parallel()
	for r, want := range map[rune]bool{'a': false, 'é': false, '…': false, '“': false, '中': false, 'ह': false, 'א': true, 'م': true, '\u200F': true, '\u202B': true, '\u2067': true, 'ﷺ': true} {
		if got := bidi.MayTurn(r); got != want {
			t.Errorf("%U: got %v, want %v", r, got, want)
		}
	}
}

func TestLongTextsTakeNoTimeOfTheirSquare(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("\u2067", 500_000), strings.Repeat("(א)", 200_000)} {
		began := cpu(t)
		levels := bidi.Levels([]rune(text), true)
		if used := cpu(t) - began; used > 20*time.Second || len(levels) != len([]rune(text)) {
			t.Errorf("%d characters took %v, want seconds", len(levels), used)
		}
	}
}

// cpu is the processor's time of this program: the clock says nothing on a busy machine.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
