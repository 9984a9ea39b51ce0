package lang_test

import (
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

func TestWordsThatNoTagBeginsWithAreToldWithWhatWasMeant(t *testing.T) {
	t.Parallel()
	fields := []string{"Link", "Photo", "Due", "Total", "Customer.Name", "Picture Name", "Image 2"}
	for _, c := range []struct {
		text, code, nearest string
		unknown             bool // also where nothing is known of the source
	}{
		{"{{qrcode Link}}", "unknown_word", "{{qr Link}}", true},
		{"{{QR-Code Link 30mm}}", "unknown_word", "{{qr Link 30mm}}", true},
		{"{{imgae Photo}}", "unknown_word", "{{image Photo}}", true},
		{"{{img Photo 40mm}}", "unknown_word", "{{image Photo 40mm}}", true},
		{"{{imag Photo}}", "unknown_word", "{{image Photo}}", false},
		{"{{picture Photo}}", "unknown_word", "{{image Photo}}", false},
		{"{{barcode Link}}", "unknown_word", "{{code128 Link}}", false},
		{"{{EAN Link}}", "unknown_word", "{{ean13 Link}}", false},
		{"{{GS1-128 Link}}", "unknown_field", "", false}, // a Code 128 of a tag is none
		{"{{lnik Link}}", "unknown_word", "{{link Link}}", true},
		{`{{formatDate Due "d.M.yyyy"}}`, "unknown_word", `{{= DATE(Due, "d.M.yyyy")}}`, true},
		{`{{formatDate(Due, "d.M.yyyy")}}`, "unknown_word", `{{= DATE(Due, "d.M.yyyy")}}`, true},
		{"{{formatDate Due}}", "unknown_word", "{{= DATE(Due)}}", true},
		{"{{uppercase Customer.Name}}", "unknown_word", "{{= UPPER(Customer.Name)}}", true},
		{"{{Sum(Total)}}", "unknown_word", "{{= SUM(Total)}}", true},
		{"{{image Photo 30 miles}}", "picture_size", "{{image Photo 30mm}}", true},
		{"{{image Photo 30 mm}}", "picture_size", "{{image Photo 30mm}}", true},
		{"{{image Photo 30px}}", "picture_size", "{{image Photo 30mm}}", true},
		{"{{qr Link 3.5 cm}}", "picture_size", "{{qr Link 3.5cm}}", true},
		{"{{image Photo 30}}", "picture_size", "{{image Photo 30mm}}", false},
		{`{{Salutation or "Dear Sir or Madam"}}`, "unknown_word", `{{= DEFAULT(Salutation, "Dear Sir or Madam")}}`, true},
		{`{{Salutation || 'Dear Sir or Madam'}}`, "unknown_word", `{{= DEFAULT(Salutation, "Dear Sir or Madam")}}`, true},
		{`{{Salutation ?? "Dear Sir or Madam"}}`, "unknown_word", `{{= DEFAULT(Salutation, "Dear Sir or Madam")}}`, true},
		{`{{Salutation | default: “Dear Sir or Madam”}}`, "unknown_word", `{{= DEFAULT(Salutation, "Dear Sir or Madam")}}`, true},
		{`{{Customer.Name|default("n/a")}}`, "unknown_word", `{{= DEFAULT(Customer.Name, "n/a")}}`, true},
		{`{{Salutation | default: "Dear ""Sir"""}}`, "unknown_word", `{{= DEFAULT(Salutation, "Dear ""Sir""")}}`, true},
		{"{{Number of days | default: 3}}", "unknown_word", "{{= DEFAULT(Number of days, 3)}}", true},
		{"{{Customer.Name | upper}}", "unknown_word", "{{= UPPER(Customer.Name)}}", true},
		{"{{default Salutation \"Dear Sir\"}}", "unknown_word", `{{= DEFAULT(Salutation, "Dear Sir")}}`, true},
		{"{{#if Total}}a{{#else}}b{{/if}}", "unknown_block", "{{else}}", true},
		{"{{#if Total}}a{{#elseif Due}}b{{/if}}", "unknown_block", "{{else if Due}}", true},
		{"{{#if Total}}a{{# else if Due}}b{{/if}}", "unknown_block", "{{else if Due}}", true},
		{"{{#if Total}}a{{else}}b{{/else}}{{/if}}", "unknown_block", "{{/if}}", true},
		// Names that nothing is known of may be names.
		{"{{Name or company}}", "unknown_field", "", false},
		{"{{Yes | No}}", "unknown_field", "", false},
		{"{{Links Place}}", "unknown_field", "", false},
		{"{{Picture Place}}", "unknown_field", "", false},
		{"{{Upper Floor}}", "unknown_field", "", false},
		{"{{Date of birth}}", "unknown_field", "", false},
		{"{{Total (net)}}", "unknown_field", "", false},
		// And these are.
		{"{{Picture Name}} {{image Image 2}} {{image Photo 30mm}} {{image Picture Name}}", "", "", false},
	} {
		for _, known := range [][]string{fields, nil} {
			got, nearest := "", ""
			for _, f := range lang.Inspect([]string{c.text}, known) {
				if known == nil && f.Code == "unknown_field" {
					continue // as a check leaves it out
				}
				if got = f.Code; len(f.Nearest) > 0 && c.code != "unknown_field" {
					nearest = f.Nearest[0]
				}
				if f.Message == "" || f.Tag == "" {
					t.Errorf("%s: it says nothing: %+v", c.text, f)
				}
			}
			want, wantNearest := c.code, c.nearest
			if known == nil && !c.unknown {
				want, wantNearest = "", ""
			}
			if got != want || nearest != wantNearest {
				t.Errorf("%s, fields %v: got %s %s, want %s %s", c.text, known != nil, got, nearest, want, wantNearest)
			}
		}
	}
}
