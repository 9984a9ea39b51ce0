package locale

import (
	"strings"
	"testing"
	"time"
)

// Every block of the table can be read, with nothing left out: what a locale does not say
// itself, one that it takes after does.
func TestEveryLocaleOfTheTableIsWhole(t *testing.T) {
	t.Parallel()
	all := 0
	for name := range blocks() {
		if name == "systems" || name == "digits" || name == root {
			continue
		}
		l, err := Find(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if all++; l.digits[0] == "" || l.digits[9] == "" || l.number.point == "" || l.minGroup < 1 {
			t.Errorf("%s: got digits %q, point %q and groups from %d on", name, l.digits, l.number.point, l.minGroup)
		}
		c := l.Calendar()
		for m := time.January; m <= time.December; m++ {
			for _, beside := range []Beside{Nothing, Day, Year} {
				if got := c.Month(m, beside) + c.ShortMonth(m, beside); got == "" || strings.HasPrefix(got, "M0") {
					t.Errorf("%s: got the month %q", name, got)
				}
			}
		}
		if c.Weekday(time.Sunday) == "" || c.Weekday(time.Saturday) == "" || c.Half(false) == "" || c.Half(true) == "" {
			t.Errorf("%s: got days %q and halves of days %q", name, c.days, c.halves)
		}
	}
	if all < 765 {
		t.Errorf("got %d locales, want 765 at least", all)
	}
}

// The names that people write for a locale lead to the nearest that CLDR has.
func TestALocaleIsFoundByTheNamesThatItHas(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"de-AT": "de-AT", "de_AT": "de-AT", "DE-at": "de-AT", "de-US": "de", "de-DE": "de", "de-AT-u-co-phonebk": "de-AT",
		"no": "no", "nb": "nb", "nb-NO": "nb", "no-NO": "no", "nn-NO": "nn",
		"zh": "zh", "zh-CN": "zh", "zh-TW": "zh-Hant", "zh-HK": "zh-Hant-HK", "zh-Hant-TW": "zh-Hant", "zh-SG": "zh-Hans-SG",
		"sr": "sr", "sr-Latn": "sr-Latn", "sr-ME": "sr-Latn-ME", "sr-Latn-RS": "sr-Latn", "sr-BA": "sr-Cyrl-BA",
		"pa-PK": "pa-Arab", "uz-AF": "uz-Arab", "es-AR": "es-AR", "es-BR": "es-BR", "pt-AO": "pt-AO", "en-AT": "en-AT",
		"iw": "he", "iw-IL": "he", "in": "id", "tl": "fil", "sh": "sr-Latn", "mo": "ro-MD", "ca-valencia": "ca", "ca-ES-valencia": "ca-ES-valencia",
		"tlh": "en", "tlh-US": "en",
	} {
		l, err := Find(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := ""
		for _, block := range l.chain {
			head, body, _ := strings.Cut(block, "\n")
			if got, _, _ = strings.Cut(head, "\t"); body != "" || got == want {
				break // a block without a body stands for another
			}
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"", "!!", "deutsch-AT-x"} {
		if _, err := Find(name); err == nil {
			t.Errorf("%q: found, want an error", name)
		}
	}
}
