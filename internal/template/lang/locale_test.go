package lang_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

// thin is the space that CLDR groups digits with in French.
const thin = "\u202f"

// From CLDR: numbers/symbols and the grouping of numbers/decimalFormats.
func TestDigitsAreGroupedAsTheLocaleGroupsThem(t *testing.T) {
	t.Parallel()
	for locale, want := range map[string]string{
		"en":    "1,234,567.5",
		"en-US": "1,234,567.5",
		"en_GB": "1,234,567.5",
		"en-IN": "12,34,567.5",
		"hi":    "12,34,567.5",
		"de":    "1.234.567,5",
		"de-AT": "1" + noBreak + "234" + noBreak + "567,5",
		"de-CH": "1'234'567.5",
		"nl":    "1.234.567,5",
		"it":    "1.234.567,5",
		"pt-BR": "1.234.567,5",
		"tr":    "1.234.567,5",
		"ja":    "1,234,567.5",
		"sv":    "1" + noBreak + "234" + noBreak + "567,5",
		"ru":    "1" + noBreak + "234" + noBreak + "567,5",
		"fa":    "۱٬۲۳۴٬۵۶۷٫۵",
	} {
		checkValues(t, "{}", map[string]string{`= NUMBER(1234567.5, 1, "` + locale + `")`: want})
	}
}

func TestGroupsBeginWhereTheNumberIsLongEnough(t *testing.T) {
	t.Parallel()
	for number, want := range map[string][2]string{
		"1":          {"1", "1"},
		"123":        {"123", "123"},
		"1234":       {"1,234", "1,234"},
		"12345":      {"12,345", "12,345"},
		"123456":     {"123,456", "1,23,456"},
		"1234567":    {"1,234,567", "12,34,567"},
		"12345678":   {"12,345,678", "1,23,45,678"},
		"123456789":  {"123,456,789", "12,34,56,789"},
		"1000000000": {"1,000,000,000", "1,00,00,00,000"},
	} {
		checkValues(t, "{}", map[string]string{
			"= NUMBER(" + number + ")":             want[0],
			"= NUMBER(" + number + `, 0, "en-IN")`: want[1],
			"= NUMBER(-" + number + ")":            "-" + want[0],
			"= NUMBER(" + number + ".25, 2)":       want[0] + ".25",
		})
	}
}

// No digit is lost on the way of a binary float, which keeps 15 to 17.
func TestLongNumbersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("123456789", 5)
	checkValues(t, `{"V": `+digits+`.0123456789}`, map[string]string{
		`= NUMBER(V, 10, "en")`:          strings.Repeat(",123,456,789", 5)[1:] + ".0123456789",
		`= CURRENCY(V, "EUR", "de", 10)`: strings.Repeat(".123.456.789", 5)[1:] + ",0123456789" + noBreak + "€",
	})
}

// From CLDR: numbers/currencyFormats, the standard pattern of these locales.
func TestTheSignOfACurrencyStandsWhereTheLocaleHasIt(t *testing.T) {
	t.Parallel()
	for locale, want := range map[string][2]string{ // 1234.5 and -5
		"en-US": {"€1,234.50", "-€5.00"},
		"en-GB": {"€1,234.50", "-€5.00"},
		"en-DE": {"€1,234.50", "-€5.00"}, // as the European Union writes English
		"de-DE": {"1.234,50" + noBreak + "€", "-5,00" + noBreak + "€"},
		"de-AT": {"€" + noBreak + "1.234,50", "-€" + noBreak + "5,00"},
		"it-IT": {"1234,50" + noBreak + "€", "-5,00" + noBreak + "€"},
		"ru-RU": {"1" + noBreak + "234,50" + noBreak + "€", "-5,00" + noBreak + "€"},
		"ja-JP": {"€1,234.50", "-€5.00"},
		"nl-NL": {"€" + noBreak + "1.234,50", "€" + noBreak + "-5,00"},
		"pt-BR": {"€" + noBreak + "1.234,50", "-€" + noBreak + "5,00"},
		"pt-PT": {"", "-5,00" + noBreak + "€"},
		"es-MX": {"EUR" + noBreak + "1,234.50", "-EUR" + noBreak + "5.00"}, // it has no sign for the euro
		"tr-TR": {"€1.234,50", "-€5,00"},
		"hi-IN": {"€1,234.50", "-€5.00"},
	} {
		cases := map[string]string{fmt.Sprintf(`= CURRENCY(-5, "EUR", "%s")`, locale): want[1]}
		if want[0] != "" {
			cases[fmt.Sprintf(`= CURRENCY(1234.5, "EUR", "%s")`, locale)] = want[0]
		}
		checkValues(t, "{}", cases)
	}
}

func TestCurrenciesHaveTheSignOfTheLocale(t *testing.T) {
	t.Parallel()
	checkValues(t, "{}", map[string]string{
		`= CURRENCY(1, "USD", "en-US")`: "$1.00",
		`= CURRENCY(1, "USD", "de-DE")`: "1,00" + noBreak + "$",
		`= CURRENCY(1, "BRL", "pt-BR")`: "R$" + noBreak + "1,00",
		`= CURRENCY(1, "CHF", "de-DE")`: "1,00" + noBreak + "CHF",
		`= CURRENCY(1, "GBP", "en-GB")`: "£1.00",
		`= CURRENCY(1, "INR", "hi-IN")`: "₹1.00",
		`= CURRENCY(1, "TRY", "tr-TR")`: "₺1,00",
	})
}

// A locale that a formula names wins over that of the workflow.
func TestFunctionsWithoutALocaleTakeTheWorkflows(t *testing.T) {
	t.Parallel()
	data := parse(t, `{"Total": 1234.5, "Due": "2026-01-31"}`)
	of := func(locale, text string) string {
		got, missing := lang.Expand(text, data, lang.Builtins{Locale: locale})
		if len(missing) > 0 {
			t.Errorf("%s in %s: missing %q", text, locale, missing)
		}
		return got
	}
	const own = `{{= NUMBER(Total, 2, "en")}} {{= DATE(Due, "MMMM", "", "fr")}} {{= WORDS(7, "it")}}`
	for locale, want := range map[string]string{
		"":      "1,234.50 €1,234.50 50% January two",
		"de":    "1.234,50 1.234,50" + noBreak + "€ 50" + noBreak + "% Januar zwei",
		"de-AT": "1" + noBreak + "234,50 €" + noBreak + "1.234,50 50" + noBreak + "% Jänner zwei",
		"pl":    "1234,50 1234,50" + noBreak + "€ 50% styczeń dwa",
	} {
		got := of(locale, `{{= NUMBER(Total, 2)}} {{= CURRENCY(Total, "EUR")}} {{= PERCENT(0.5)}} {{= DATE(Due, "MMMM")}} {{= WORDS(2)}}`)
		if got != want {
			t.Errorf("%s: got %q, want %q", locale, got, want)
		}
		if got := of(locale, own); got != "1,234.50 janvier sette" {
			t.Errorf("%s: got %q, want the formula's own locale", locale, got)
		}
	}
}

func TestALocaleIsReadOnceForEachDocument(t *testing.T) {
	t.Parallel()
	e := evaluator(t, `{"Items": [{"V": 1000}, {"V": 2000}]}`)
	got := workWith(e, `{{#each Items}}{{= NUMBER(V, 0, "de")}} {{= NUMBER(V)}} {{= PERCENT(V, 0, "de")}};{{/each}}`)
	want := "1.000 1,000 100.000" + noBreak + "%;2.000 2,000 200.000" + noBreak + "%;"
	if got.text != want || len(got.findings) > 0 {
		t.Errorf("got %q with findings %q, want %q", got.text, got.findings, want)
	}
}

// From CLDR 48: what a locale says of amounts alone, of a region alone, or of small
// numbers alone.
func TestAmountsFollowTheRegion(t *testing.T) {
	t.Parallel()
	checkValues(t, "{}", map[string]string{
		`= CURRENCY(1234.5, "EUR", "de-AT")`: "€" + noBreak + "1.234,50",
		`= CURRENCY(1234.5, "CHF", "fr-CH")`: "1" + thin + "234.50" + noBreak + "CHF",
		`= CURRENCY(1234.5, "EUR", "fr-FR")`: "1" + thin + "234,50" + noBreak + "€",
		`= CURRENCY(1234.5, "ARS", "es-AR")`: "$" + noBreak + "1.234,50",
		`= CURRENCY(-1234.5, "NOK", "no")`:   "\u22121" + noBreak + "234,50" + noBreak + "kr",
		`= CURRENCY(1234.5, "RSD", "sr")`:    "1.234,50" + noBreak + "RSD",
		`= CURRENCY(1234.5, "PLN", "pl")`:    "1234,50" + noBreak + "zł",
		`= CURRENCY(12345.5, "PLN", "pl")`:   "12" + noBreak + "345,50" + noBreak + "zł",
		`= CURRENCY(1.5, "XCG", "nl-CW")`:    "Cg." + noBreak + "1,50",
		`= CURRENCY(1.5, "ZWG", "en-ZW")`:    "ZWG" + noBreak + "1.50",
		`= CURRENCY(1234.5, "EGP", "ar-EG")`: "\u200f١٬٢٣٤٫٥٠" + noBreak + "ج.م.\u200f",
		`= CURRENCY(1234.5, "TWD", "zh-TW")`: "$1,234.50",
		`= CURRENCY(1234.5, "EUR", "de-US")`: "1.234,50" + noBreak + "€", // no region of CLDR's: as the language
		`= NUMBER(1234.5, 2, "no")`:          "1" + noBreak + "234,50",
		`= NUMBER(1234.5, 2, "es-ES")`:       "1234,50",
		`= NUMBER(1234.5, 2, "es-AR")`:       "1.234,50",
		`= NUMBER(1234.5, 2, "ar-EG")`:       "١٬٢٣٤٫٥٠",
		`= NUMBER(1, 0, "ar-EG-u-nu-latn")`:  "1",
		`= NUMBER(-1, 0, "sv")`:              "\u22121",
		`= PERCENT(-0.5, 0, "he")`:           "\u200e-50%",
		`= NUMBER(1234.5, 2, "sr-ME")`:       "1.234,50",
		`= NUMBER(1234.5, 2, "iw")`:          "1,234.50",
	})
}
