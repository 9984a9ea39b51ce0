package words_test

import (
	"bufio"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"golang.org/x/text/language"

	"github.com/platenhq/platen/internal/template/words"
)

// spell writes a number as a locale with a comma, or a point, does.
func spell(number, locale string) (string, error) {
	point := "."
	if base, _, _ := strings.Cut(locale, "-"); base == "es" || base == "id" {
		point = ","
	}
	return words.Spell(decimal.RequireFromString(number), language.MustParse(locale), point)
}

// ICU 72 wrote these, by the rules that are here.
func TestNumbersHaveTheWordsThatICUGivesThem(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/icu.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	locales, lines := map[string]bool{}, bufio.NewScanner(file)
	for lines.Scan() {
		row := strings.Split(lines.Text(), "\t")
		locales[row[0]] = true
		if got, err := spell(row[1], row[0]); err != nil || got != row[2] {
			t.Errorf("%s in %s: got %q, %v; want %q", row[1], row[0], got, err, row[2])
		}
	}
	if len(locales) != 58 {
		t.Errorf("got %d locales, want 58", len(locales))
	}
}

func TestALocaleTakesTheWordsNearestToIt(t *testing.T) {
	t.Parallel()
	for locale, want := range map[string]string{
		"de": "einunddreißig", "de-AT": "einunddreißig", "de-CH": "einunddreissig", "de-LI": "einunddreißig",
		"en-IN": "thirty-one", "no": "trettién", "nb": "trettién", "nb-NO": "trettién", "nn": "trettiéin",
		"pt-AO": "trinta e um", "sr-Latn-RS": "trideset i jedan", "sr": "тридесет и један", "zh-TW": "三十一", "hr-HR": "trideset i jedan",
	} {
		if got, err := spell("31", locale); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", locale, got, err, want)
		}
	}
	for locale, want := range map[string]string{"fr-CH": "nonante-et-un", "fr-FR": "quatre-vingt-onze", "fr-CA": "quatre-vingt-onze", "zh-TW": "九十一", "pt-PT": "noventa e um"} {
		if got, err := spell("91", locale); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", locale, got, err, want)
		}
	}
}

func TestWhatHasNoWordsIsRefused(t *testing.T) {
	t.Parallel()
	for _, locale := range []string{"eu", "gl", "tlh", "und"} {
		if got, err := spell("1", locale); !errors.Is(err, words.ErrUnknownLanguage) || words.Knows(language.MustParse(locale)) {
			t.Errorf("%s: got %q, %v; want ErrUnknownLanguage", locale, got, err)
		}
	}
	for _, number := range []string{"1000000000000000000", "-1000000000000000000", "1e30", "1e200", "0.000000000000000000001"} {
		if got, err := spell(number, "en"); !errors.Is(err, words.ErrTooLarge) {
			t.Errorf("%s: got %q, %v; want ErrTooLarge", number, got, err)
		}
	}
	for _, number := range []string{"999999999999999999", "0.00000000000000000001", "1.50000000000000000000000"} {
		if got, err := spell(number, "en"); err != nil || got == "" {
			t.Errorf("%s: got %q, %v", number, got, err)
		}
	}
}

// What a language has no words for is refused, never written in digits.
func TestNoWordHasDigits(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir("cldr")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		locale, isRules := strings.CutSuffix(file.Name(), ".txt")
		if !isRules {
			continue
		}
		for number := range strings.FieldsSeq("999999999999 -999999999999 123456789012345678 1234567.891234567 0.000000001") {
			got, err := spell(number, locale)
			if err != nil && number != "1234567.891234567" && number != "0.000000001" {
				t.Errorf("%s in %s: %v", number, locale, err)
			}
			if strings.ContainsAny(got, "0123456789%<>=[]{}$#\u00ad\u200b") {
				t.Errorf("%s in %s: got %q", number, locale, got)
			}
		}
	}
}

func BenchmarkSpell(b *testing.B) {
	d, tag := decimal.RequireFromString("1234567.89"), language.MustParse("de-AT")
	for b.Loop() {
		if _, err := words.Spell(d, tag, ","); err != nil {
			b.Fatal(err)
		}
	}
}
