package lang_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

func TestNumbersOfTextsAreReadAsTheirSignsSay(t *testing.T) {
	t.Parallel()
	const two = "?" // it can be read in two ways
	for text, want := range map[string]string{
		"14,00": "14.00", "14.00": "14.00", "14": "14", "1,5": "1.5", ",5": "0.5", ".5": "0.5", "5,": "5", "0,125": "0.125", "0.125": "0.125", "-0,125": "-0.125",
		"1.234,50": "1234.50", "1,234.50": "1234.50", "1.234.567": "1234567", "1,234,567.8": "1234567.8", "12,34,567.50": "1234567.50", "1234,567": "1234.567", "1234.567": "1234.567",
		"1 234,50": "1234.50", "1\u00a0234,567": "1234.567", "1\u202f234": "1234", "1'234.50": "1234.50", "1’234": "1234", "-3": "-3", "−3": "-3", "+3": "3", "1e5": "100000", "007": "7", " 14,00 ": "14.00",
		"1.234": two, "1,234": two, "-12,345": two, "123.456": two,
		"": "", "x": "", "14,00 €": "", "1.23.456": "", "1,2,3": "", "12 34": "", "1 2345": "", "--3": "", "12 %": "", ".": "", "1.2,3.4": "", "1,234 567": "",
		strings.Repeat("1", 300): "",
	} {
		got, reading := lang.ReadNumber(text)
		switch {
		case want == two && reading != lang.TwoNumbers, want == "" && reading != lang.NoNumber, want != "" && want != two && reading != lang.OneNumber:
			t.Errorf("%q: got the reading %d of %q, want %q", text, reading, got, want)
		case want != "" && want != two && got != want:
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// A text with a comma counts as the number that it is, in formulas, comparisons and clauses.
func TestTextsWithACommaAreNumbers(t *testing.T) {
	t.Parallel()
	const data = `{"Price": "14,00", "Low": "9,50", "Items": [{"P": "10,5"}, {"P": "9,5"}, {"P": 1}]}`
	for line, want := range map[string]string{
		`{{= CURRENCY(Price, "EUR", "de-DE")}}`:             "14,00 €",
		`{{= Price * 2}}`:                                   "28",
		`{{= SUM(Items.P)}}`:                                "21",
		`{{#if Price > 100}}much{{else}}little{{/if}}`:      "little",
		`{{#if Price > Low}}more{{else}}less{{/if}}`:        "more",
		`{{#each Items where P > 9 sort P}}{{P}} {{/each}}`: "9,5 10,5 ",
		`{{Price}}`: "14,00",
	} {
		if got := work(t, data, line); strings.ReplaceAll(got.text, "\u00a0", " ") != want || len(got.findings) > 0 {
			t.Errorf("%s: got %q, findings %q; want %q", line, got.text, got.findings, want)
		}
	}
}

// A number that could be a thousand times as much is refused where the document does not
// say which is meant.
func TestANumberThatCanBeReadInTwoWaysIsNeverGuessed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ locale, price, line, want, finding string }{
		{"", "1.234", `{{= Price * 2}}`, "2.468", ""},
		{"en-US", "1.234", `{{= Price * 2}}`, "2.468", ""},
		{"de-AT", "1.234", `{{= Price * 2}}`, "2.468", "ambiguous_number"},
		{"", "1.234", `{{= CURRENCY(Price, "EUR", "de-DE")}}`, "1,23 €", "ambiguous_number"},
		{"", "1.234", `{{= SUM(Price)}} {{= NUMBER(3, 2, "fr")}}`, "1.234 3,00", "ambiguous_number"},
		{"", "1,234", `{{= Price * 2}}`, "", "ambiguous_number"},
		{"de", "1,234", `{{= Price * 2}}`, "", "ambiguous_number"},
		{"", "1,234", `{{#if Price > 5}}much{{/if}}`, "", "ambiguous_number"},
		{"de", "1.234", `{{#if Price > 5}}much{{/if}}`, "", "ambiguous_number"},
		{"de", "1.234", `{{Price}}`, "1.234", ""},
		{"de", "1.234,00", `{{= Price * 2}}`, "2468", ""},
	} {
		e := lang.NewEvaluator(parse(t, `{"Price": "`+c.price+`"}`), lang.Builtins{Locale: c.locale})
		got := workWith(e, c.line)
		findings := ""
		for _, f := range e.Findings() {
			findings += f.Code
			if !f.Data || !f.Value || !strings.HasPrefix(f.Message, "Price: ") {
				t.Errorf("%s in %q: got %+v, want a value's mistake that names Price", c.line, c.locale, f)
			}
		}
		if findings != c.finding || c.finding == "" && strings.ReplaceAll(got.text, "\u00a0", " ") != c.want {
			t.Errorf("%s with %s in %q: got %q, findings %q; want %q, %q", c.line, c.price, c.locale, got.text, findings, c.want, c.finding)
		}
	}
}

func TestAValueThatDoesNotFitIsToldOnceWithItsPlaceAndItsCure(t *testing.T) {
	t.Parallel()
	const data = `{"Rate": "x", "Posten": [{"Preis": 1}, {"Preis": "vierzehn"}], "Orders": [{"Lines": [{"P": 1}]}, {"Lines": [{"P": 1}, {"P": "14,00 €"}]}]}`
	for line, want := range map[string][]string{
		"{{#each Posten}}{{= Preis * 2}}{{= CURRENCY(Preis, \"EUR\")}}{{/each}}{{= SUM(Posten.Preis)}}{{= SUM(Posten.Preis * 2)}}": {
			`Posten, item 2, Preis: this text is not a number. Write one such as 14.00.`, `Posten, item 2, Preis: "vierzehn" – write a number such as 14.00.`},
		"{{#each Posten}}{{= Rate * 2}}{{/each}}": {
			`Rate: this text is not a number. Write one such as 14.00.`, `Rate: "x" – write a number such as 14.00.`},
		"{{#each Posten sort Preis desc}}{{= Preis * 2}}{{/each}}": {
			`Posten, item 2, Preis: this text is not a number. Write one such as 14.00.`, `Posten, item 2, Preis: "vierzehn" – write a number such as 14.00.`},
		"{{#each Orders}}{{#each Lines}}{{= P * 2}}{{/each}}{{/each}}": {
			`Orders, item 2, Lines, item 2, P: this text is not a number. Write one such as 14.00.`, `Orders, item 2, Lines, item 2, P: "14,00 €" – write 14.00.`},
	} {
		e := evaluator(t, data)
		workWith(e, line)
		found := e.Findings()
		if len(found) != 1 || found[0].Message != want[0] || found[0].WithValue() != want[1] {
			t.Errorf("%s: got %+v, want one of %q", line, found, want)
		}
	}
}

// A wrong currency in the data is a mistake of the data, one in the template is a mistake
// of the template.
func TestArgumentsOfTheDataAreTheDatasMistakes(t *testing.T) {
	t.Parallel()
	const data = `{"Total": 5, "C": "Euro", "L": "?!", "Z": "Mars", "N": "1.5", "F": "qq", "D": "2026-01-31", "I": [{"A": 1}]}`
	for line, code := range map[string]string{
		`{{= CURRENCY(Total, C)}}`: "unknown_currency", `{{= NUMBER(Total, 2, L)}}`: "unknown_locale", `{{= DATE(D, "d", Z)}}`: "unknown_zone", `{{= DATE(D, F)}}`: "unknown_date_format", `{{= DATE(D, "d", "", L)}}`: "unknown_locale",
		`{{= ROUND(Total, N)}}`: "wrong_places", `{{= TRUNCATE(C, N)}}`: "wrong_length", `{{= PAD(C, N)}}`: "wrong_length", `{{= ADD_DAYS(D, N)}}`: "wrong_days", `{{#each I limit N}}x{{/each}}`: "wrong_limit", `{{= WORDS(Total, "ja-" & C)}}`: "unknown_locale",
	} {
		e := evaluator(t, data)
		workWith(e, line)
		if f := e.Findings(); len(f) != 1 || f[0].Code != code || !f[0].Data || !f[0].Value {
			t.Errorf("%s: got %+v, want %s of the data", line, f, code)
		}
	}
	for line, code := range map[string]string{
		`{{= CURRENCY(Total, "Euro")}}`: "unknown_currency", `{{= NUMBER(Total, 2, "?!")}}`: "unknown_locale", `{{= DATE(D, "d", "Mars")}}`: "unknown_zone", `{{= DATE(D, "qq")}}`: "unknown_date_format", `{{= ROUND(Total, 1.5)}}`: "wrong_places",
	} {
		e := evaluator(t, data)
		workWith(e, line)
		if f := e.Findings(); len(f) != 1 || f[0].Code != code || f[0].Data {
			t.Errorf("%s: got %+v, want %s of the template", line, f, code)
		}
	}
}
