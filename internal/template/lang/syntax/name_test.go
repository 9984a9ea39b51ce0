package syntax

import (
	"testing"
)

func TestFieldsAreNamedUpToALimit(t *testing.T) {
	t.Parallel()
	names := []string{"Name", `Size "L"`, "Total"}
	for most, want := range map[int]string{0: " and 3 more", 2: `"Name", "Size \"L\"" and 1 more`, 1: `"Name" and 2 more`, 3: `"Name", "Size \"L\"", "Total"`, 9: `"Name", "Size \"L\"", "Total"`} {
		if got := Quote(names, most); got != want {
			t.Errorf("at most %d: got %s, want %s", most, got, want)
		}
	}
}

func TestNamesAreComparedInOneForm(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"":                          "",
		" \t\n ":                    "",
		"A":                         "A",
		"  A   B  ":                 "A B",
		"A\u00a0B\u2003C\u202fD\vE": "A B C D E",
		"A\nB\r\nC":                 "A B C",
		"A\u200bB\u200c\u200dC":     "ABC",
		"A\u200eB\u200fC":           "ABC", // direction marks
		"A\u202aB\u202eC":           "ABC",
		"A\u2060B\u2064C":           "ABC",
		"A\u2066B\u2069C":           "ABC",
		"A\u00adB\ufeffC\u180eD":    "ABCD",
		"A\u0007B\u0000C\u009fD":    "ABCD",
		"\u200b A \u200b B \u200b":  "A B",
		"‘A’ ‚B‛ C′ D´":             "'A' 'B' C' D'",
		"“A” „B‟ C″":                `"A" "B" C"`,
		"A\u2010B\u2011C":           "A-B-C",
		"A–B—C−D":                   "A–B—C−D", // dashes and minus signs are others
		"E\u0301":                   "É",
		"E\u200b\u0301":             "É", // what stood between letter and accent is gone
		"ﬁ":                         "ﬁ", // no compatibility forms
		"Ａ":                         "Ａ",
		"a.b[0]":                    "a.b[0]",
	} {
		if got := Canonical(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
