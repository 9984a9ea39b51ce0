package lang_test

import (
	"os"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

func TestNumbersAreWrittenInWords(t *testing.T) {
	t.Parallel()
	checkValues(t, `{"Total": "1234", "Language": "fr", "Null": null, "Blank": " ", "None": []}`, map[string]string{
		`= WORDS(Total, "de")`:      "eintausendzweihundertvierunddreißig",
		"= WORDS(Total)":            "one thousand two hundred thirty-four",
		"= WORDS(Total, Language)":  "mille deux cent trente-quatre",
		`= WORDS(71, "fr-CH")`:      "septante-et-un",
		`= WORDS(71, "fr_BE")`:      "septante-et-un",
		`= WORDS(30, "de-CH")`:      "dreissig",
		`= WORDS(-5)`:               "minus five",
		`= WORDS(0)`:                "zero",
		`= WORDS(12.50)`:            "twelve point five",
		`= WORDS("12.05", "es")`:    "doce coma cero cinco",
		`= WORDS("12.05", "es-MX")`: "doce punto cero cinco",
		`= WORDS(1000000, "pl")`:    "milion",
		`= UPPER(WORDS(7, "it"))`:   "SETTE",
		`= WORDS(TRUNC(1234.56), "de") & " " & PAD((1234.56 - TRUNC(1234.56)) * 100, 2) & "/100"`: "eintausendzweihundertvierunddreißig 56/100",
		"= WORDS(Null)": "", "= WORDS(Blank)": "", "= WORDS(None)": "",
	})
}

func TestNumbersWithoutWordsAreFindings(t *testing.T) {
	t.Parallel()
	const (
		noWords = "unknown_language: WORDS knows no words for numbers in "
		cure    = `. The docs list its languages: give it one of them, such as WORDS(Total, "en"), or write the number with NUMBER.`
		size    = "number_too_large: WORDS has no words for this number: the language counts no further, or it has too many digits behind the point. ROUND shortens it."
	)
	checkRefused(t, `{"Text": "abc", "Language": "tlh", "Items": [{"A": 1}, {"A": 2}]}`, map[string]string{
		`= WORDS(1, "eu")`:                 noWords + "eu" + cure,
		`= WORDS(Text, "gl-ES")`:           noWords + "gl-ES" + cure,
		"= WORDS(1, Language)":             "unknown_language: Language: " + strings.TrimPrefix(noWords, "unknown_language: ") + "tlh" + cure,
		`= WORDS(1, "!!")`:                 "unknown_locale: The function asks for a locale such as en-US or de-AT.",
		"= WORDS(1000000000000000000)":     size,
		"= WORDS(0.000000000000000000001)": size,
		"= WORDS(Text)":                    "not_a_number: Text: this text is not a number. Write one such as 14.00.",
		"= WORDS(Items.A)":                 "not_a_number: Items.A has several values here; SUM, MAX or another function makes one of them.",
		"= WORDS()":                        `wrong_arguments: WORDS is written WORDS(Total, "de-AT").`,
	})
}

// A locale that stands in the formula needs no data to be found wrong.
func TestACheckFindsALanguageWithoutWords(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		`{{= WORDS(Total, "eu")}}`:  "unknown_language",
		`{{= WORDS(Total, "x!")}}`:  "unknown_locale",
		`{{= WORDS(Total, "de")}}`:  "",
		"{{= WORDS(Total, Total)}}": "",
	} {
		got := ""
		for _, f := range lang.Inspect([]string{tag}, []string{"Total"}) {
			got += f.Code
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", tag, got, want)
		}
	}
}

func TestWordsKnowsEachLanguageThatIsTold(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/templates.md")
	if err != nil {
		t.Fatal(err)
	}
	_, told, _ := strings.Cut(string(page), "WORDS knows the languages below.")
	_, told, _ = strings.Cut(told, "```text\n")
	told, _, _ = strings.Cut(told, "\n```")
	languages := strings.Fields(told)
	if len(languages) < 50 {
		t.Fatalf("got the languages %q of the page, want 50 at least", languages)
	}
	e := evaluator(t, "{}")
	for _, language := range languages {
		if got := value(e, `= WORDS(3, "`+language+`")`); got == "" || got == "3" {
			t.Errorf("%s: got %q, want a word for three", language, got)
		}
	}
}
