package fill_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

func begin(t *testing.T, d platen.Document, event string) *fill.Filling {
	t.Helper()
	f, err := fill.New(d, []byte(event), lang.Builtins{WorkflowName: "Flow"})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A rule fails a run and is foretold under one code, in words of their own.
func TestARefusalIsAFailureAndAFinding(t *testing.T) {
	t.Parallel()
	missing := platen.Document{ID: "doc_1", OnMissing: platen.MissingFail}
	password := func(template string) platen.Document {
		return platen.Document{ID: "doc_1", CreatePDFCopy: true, EnablePDFPassword: true, PDFPassword: template}
	}
	for name, c := range map[string]struct {
		document                      platen.Document
		event                         string
		code, where, failed, foretold string
	}{
		"missing fields": {missing, `{}`, "fields_missing", "",
			`The source data did not have "A", "B", and the document doc_1 is not to be made without.`, `it does not have "A", "B", and onMissing of the document is fail.`},
		"no password": {password(""), `{}`, "pdf_password_empty", fill.PasswordField,
			"The PDF password of document doc_1 comes to nothing.", "the PDF password comes to nothing."},
		"a tag that is not closed": {password("x-{{Pin"), `{"Pin": "1"}`, "pdf_password_unclosed", fill.PasswordField,
			"has a tag that is not closed: every PDF would have the same one.", "a tag of the PDF password is not closed."},
		"a gap in it": {password("x{{Pin}}"), `{"Pin": null}`, "pdf_password_field_missing", fill.PasswordField,
			`names a field for which the source data has no value.`, `it has no value for "Pin", which the PDF password needs.`},
		"a value that nobody sees": {password("PIN-{{Pin}}"), `{"Pin": "\u200b"}`, "pdf_password_field_missing", fill.PasswordField,
			`names a field for which the source data has no value.`, `it has no value for "Pin", which the PDF password needs.`},
		"too long": {password("{{Pin}}"), `{"Pin": "` + strings.Repeat("x", 128) + `"}`, "pdf_password_too_long", fill.PasswordField,
			"The PDF password has 128 bytes", "An automation with this data would fail. The PDF password has 128 bytes"},
	} {
		refusals := begin(t, c.document, c.event).Refusals([]string{"A", "B"})
		if len(refusals) != 1 {
			t.Fatalf("%s: got %d refusals, want one", name, len(refusals))
		}
		refused, ok := errors.AsType[*platen.Error](refusals[0].Err([]string{"A", "B"}))
		if !ok || refused.Kind != platen.KindInvalid || refused.Code != c.code || !strings.Contains(refused.Message, c.failed) {
			t.Errorf("%s: a run fails with %+v, want %s: %s", name, refused, c.code, c.failed)
		}
		if f := refusals[0].Finding(); f.Code != c.code || f.Where != c.where || !strings.Contains(f.Message, c.foretold) {
			t.Errorf("%s: foretold as %+v, want %s: %s", name, f, c.code, c.foretold)
		}
	}
}

// The event names what the template misses: where the password needs the same field, the
// failure names it, too.
func TestAMissingFieldOfThePasswordIsNamedWhereTheEventNamesIt(t *testing.T) {
	t.Parallel()
	_, refusal := begin(t, platen.Document{ID: "doc_1", EnablePDFPassword: true, PDFPassword: "x{{Pin}}"}, `{}`).Password()
	for _, c := range []struct {
		told  []string
		named bool
	}{{[]string{"Pin"}, true}, {[]string{"Name"}, false}, {nil, false}} {
		if err := refusal.Err(c.told); strings.Contains(err.Error(), `"Pin"`) != c.named {
			t.Errorf("with the missing fields %q: got %v", c.told, err)
		}
	}
}

func TestNothingIsRefusedThatADocumentDoesNotAskFor(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]platen.Document{
		"fields that may be missing": {OnMissing: platen.MissingBlank},
		"a password without a PDF":   {EnablePDFPassword: true},
		"a PDF without a password":   {CreatePDFCopy: true, PDFPassword: "{{Pin}}"},
		"a password that is whole":   {CreatePDFCopy: true, EnablePDFPassword: true, PDFPassword: "{{Workflow Name}}"},
	} {
		if refusals := begin(t, d, `{}`).Refusals([]string{"A"}); len(refusals) > 0 {
			t.Errorf("%s: got %+v", name, refusals[0])
		}
	}
	if password, refusal := begin(t, platen.Document{EnablePDFPassword: true, PDFPassword: "a{{Pin}}"}, `{"Pin": 7}`).Password(); password != "a7" || refusal != nil {
		t.Errorf("got %q, %+v; want a7", password, refusal)
	}
}

func TestAValueThatDoesNotFitIsToldApartFromAFaultyTemplate(t *testing.T) {
	t.Parallel()
	const event = `{"Name":"Ada","Zero":0,"Items":[{"Price":2},{"Price":"two"},{"Price":3}]}`
	for text, want := range map[string]string{
		"{{= Name * 2}}":                          `data_unusable: The template cannot be filled with this data. Name: this text is not a number. Write one such as 14.00.`,
		"{{= 1 / Zero}}":                          `data_unusable: The template cannot be filled with this data. {{= 1 / Zero}}: The formula divides by zero.`,
		"{{= DATE(Name)}}":                        `data_unusable: The template cannot be filled with this data. Name: this is not a date. Write one such as 2026-01-31 or 2026-01-31T15:04:05Z.`,
		"{{#each Items}}{{= Price * 2}}{{/each}}": `data_unusable: The template cannot be filled with this data. Items, item 2, Price: this text is not a number. Write one such as 14.00.`,
		"{{#each Items}}{{#if Price * 2 > 1}}a{{/if}}{{/each}}":                                         `data_unusable: The template cannot be filled with this data. Items, item 2, Price: this text is not a number. Write one such as 14.00.`,
		"{{= SUM(Items.Price * 2)}}":                                                                    `data_unusable: The template cannot be filled with this data. Items, item 2, Price: this text is not a number. Write one such as 14.00.`,
		"{{qr GIROCODE(\"Shop\", \"DE89370400440532013000\", SUM(line_items.price * line_items.qty))}}": `code_unusable: The template cannot be filled with this data. It does not have "line_items". {{qr GIROCODE("Shop", "DE89370400440532013000", SUM(line_items.price * line_items.qty))}}: The amount of a payment is from 0.01 to 999999999.99.`,
		"{{= CURRENCY(2, Name)}}":                                                                       `data_unusable: The template cannot be filled with this data. Name: CURRENCY asks for a currency such as EUR.`,
		"{{= CURRENCY(Zero, \"Euro\")}}":                                                                `template_faulty: The template cannot be filled. {{= CURRENCY(Zero, "Euro")}}: CURRENCY asks for a currency such as EUR.`,
		"{{#each Name}}a{{/each}}":                                                                      `data_unusable: The template cannot be filled with this data. {{#each Name}}: Name is not a list.`,
		`{{= "a" * 2}}`:                                                                                 `template_faulty: The template cannot be filled. {{= "a" * 2}}: A part of the formula is not a number.`,
		"{{= 1 / 0}}":                                                                                   `template_faulty: The template cannot be filled. {{= 1 / 0}}: The formula divides by zero.`,
		"{{= Name * 2}}{{= SUMM(Zero)}}":                                                                `template_faulty: The template cannot be filled. Name: this text is not a number. Write one such as 14.00. {{= SUMM(Zero)}}: There is no function SUMM. For a field with parentheses in its name write brackets around it. Did you mean SUM?`,
	} {
		e := begin(t, platen.Document{ID: "doc_1"}, event).Evaluator()
		e.Fill(e.ReadLine(text), nil, false)
		refused, ok := errors.AsType[*platen.Error](fill.FindingsError(e.Findings(), e.Absent()))
		if !ok || refused.Code+": "+refused.Message != want {
			t.Errorf("%s: got %+v, want %s", text, refused, want)
		}
	}
}

// The forms of the console refuse the settings that no data makes good, and no others.
func TestSettingsByWhichEveryOutputFailsAreRefusedWithAnyData(t *testing.T) {
	t.Parallel()
	for _, password := range []string{"", " ", "open", "{{Pin}}", "{{Pin", "{{Pin}} {{"} {
		for n := range 4 {
			d := platen.Document{CreatePDFCopy: n&1 > 0, EnablePDFPassword: n&2 > 0, PDFPassword: password}
			got := slices.ContainsFunc(d.SettingFindings(), func(f platen.SettingFinding) bool { return f.Fails })
			refusals := begin(t, d, `{"Pin": 1}`).Refusals(nil)
			if want := len(refusals) > 0; got != want {
				t.Errorf("password %q, PDF %t, encrypted %t: got %t, want %t", password, d.CreatePDFCopy, d.EnablePDFPassword, got, want)
			}
		}
	}
}
