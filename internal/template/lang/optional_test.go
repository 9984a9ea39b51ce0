package lang_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

// A name that stands in a condition, or in the branch that asks for it, may be meant so.
func TestANameThatOnlyConditionsAskForIsANote(t *testing.T) {
	t.Parallel()
	fields := []string{"customer.name", "Items.Name"}
	for line, want := range map[string]string{
		"{{#if customer.company}}Firma {{customer.company}}{{else}}Dear{{/if}}":                  "note note",
		"{{#if customer.company}}x{{/if}}":                                                       "note",
		"{{#if not customer.company}}x{{else if vip}}{{vip}}{{/if}}":                             "note note note",
		"{{#if customer.billing}}{{customer.billing.city}}{{/if}}":                               "note note",
		"{{#if Paid}}{{#each Items}}{{Name}}{{#if Note}}{{Note}}{{/if}}{{/each}}{{/if}}":         "note note note",
		"{{= DEFAULT(customer.company, customer.name)}}":                                         "note",
		`{{= IF(customer.company, "Firma " & customer.company, customer.name)}}`:                 "note note",
		"{{#if customer.company}}{{= UPPER(customer.company)}}{{link customer.company}}x{{/if}}": "note note note",
		"{{#if Extras}}{{#each Extras}}{{Price}}{{/each}}{{/if}}":                                "note note",
		"{{customer.company}}":                                         "mistake",
		"{{#if customer.company}}{{customer.vat}}{{/if}}":              "note mistake",
		"{{#if customer.company}}x{{else}}{{customer.company}}{{/if}}": "note mistake",
		"{{#if customer.company}}x{{/if}}{{customer.company}}":         "note mistake",
		`{{= IF(customer.name, customer.company, "")}}`:                "mistake",
		`{{= DEFAULT(customer.name, customer.company)}}`:               "mistake",
		"{{#each Items where Qty > 1}}{{Name}}{{/each}}":               "mistake",
		"{{#each Items sort Qty}}{{Name}}{{/each}}":                    "mistake",
	} {
		var got []string
		for _, f := range lang.Inspect([]string{line}, fields) {
			if f.Code != "unknown_field" {
				t.Errorf("%s: got %+v", line, f)
			}
			got = append(got, map[bool]string{true: "note", false: "mistake"}[f.Note])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", line, strings.Join(got, " "), want)
		}
	}
	for line, want := range map[string]bool{"{{#if A}}{{A}}{{/if}}": true, "{{#if A}}{{A}}{{/if}}{{A}}": false, "{{A}}{{#if A}}{{/if}}": false} {
		if got := lang.MatchNames([]string{line}, fields); len(got) != 1 || got[0].Optional != want {
			t.Errorf("%s: got %+v, want optional: %v", line, got, want)
		}
	}
}

// The place of a finding is known to the character, also where its tag stands twice.
func TestAFindingSaysWhereInItsSurroundingsItBegins(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{Kunde}} und {{Kunde}":                       "{{Kunde}",
		"  Für die Bäckerei Busse, Straße 1: {{Kunde}": "{{Kunde}",
		"{{Kunde}": "{{Kunde}",
		strings.Repeat("ä", 100) + " }} " + strings.Repeat("x", 100): "}}",
	} {
		f := lang.Inspect([]string{text}, []string{"Kunde"})
		if len(f) != 1 {
			t.Fatalf("%s: got %+v", text, f)
		}
		if p := f[0].Place; !strings.HasPrefix(string([]rune(p.Around)[p.At:]), want) || !strings.HasPrefix(text[p.Offset:], want) {
			t.Errorf("%s: got %d of %q", text, p.At, p.Around)
		}
	}
}
