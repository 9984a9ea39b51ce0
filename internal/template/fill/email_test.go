package fill_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

func letterOf(t *testing.T, email platen.Email, data string) (platen.Letter, *fill.Refusal) {
	t.Helper()
	f, err := fill.New(platen.Document{ID: "doc_1", Email: &email}, []byte(data), lang.Builtins{})
	if err != nil {
		t.Fatal(err)
	}
	return f.Letter()
}

func TestALetterIsFilledWithTheData(t *testing.T) {
	t.Parallel()
	got, refusal := letterOf(t, platen.Email{
		To: "{{Email}}, archive@example.com", Subject: "Invoice {{Number}}",
		Text: "Dear {{Name}},\n\n{{#each Items}}- {{What}}\n{{/each}}\nThank you.\n",
	}, `{"Email": " ada@example.org ", "Number": 17, "Name": "Ada\r\nLovelace\u0007", "Items": [{"What": "Tea"}, {"What": "Cake"}]}`)
	if refusal != nil {
		t.Fatal(refusal.Err(nil))
	}
	if !slices.Equal(got.To, []string{"ada@example.org", "archive@example.com"}) || got.Subject != "Invoice 17" {
		t.Errorf("got %q, %q", got.To, got.Subject)
	}
	if want := "Dear Ada\nLovelace,\n\n- Tea\n- Cake\n\nThank you.\n"; got.Text != want {
		t.Errorf("got the text %q, want %q", got.Text, want)
	}
}

func TestASubjectHasOneLineOf200Characters(t *testing.T) {
	t.Parallel()
	got, refusal := letterOf(t, platen.Email{To: "a@example.com", Subject: "{{S}}"}, `{"S": "x\r\nBcc: eve@example.org\u2028\u0000`+strings.Repeat("ä", 300)+`"}`)
	if refusal != nil {
		t.Fatal(refusal.Err(nil))
	}
	if n := len([]rune(got.Subject)); n != platen.MaxEmailSubject || strings.ContainsAny(got.Subject, "\r\n\u2028\x00") {
		t.Errorf("got %d characters: %q", n, got.Subject)
	}
}

func TestNoValueAddsARecipient(t *testing.T) {
	t.Parallel()
	for data, code := range map[string]string{
		`{"Email": "ada@example.org"}`:                         "",
		`{"Email": "ada@example.org, eve@example.org"}`:        "email_address_invalid",
		`{"Email": "ada@example.org\r\nBcc: eve@example.org"}`: "email_address_invalid",
		`{"Email": ["ada@example.org", "eve@example.org"]}`:    "email_address_invalid",
		`{"Email": "Ada <ada@example.org>"}`:                   "email_address_invalid",
		`{"Email": "nobody"}`:                                  "email_address_invalid",
		`{"Email": ""}`:                                        "email_field_missing",
		`{"Email": null}`:                                      "email_field_missing",
		`{"Mail": "ada@example.org"}`:                          "email_field_missing",
	} {
		_, refusal := letterOf(t, platen.Email{To: "{{Email}}", Subject: "s", Text: "t"}, data)
		if got := codeOf(refusal); got != code {
			t.Errorf("%s: got the code %q, want %q", data, got, code)
		}
	}
	many := strings.TrimSuffix(strings.Repeat("a@example.com,", platen.MaxEmailRecipients+1), ",")
	if _, refusal := letterOf(t, platen.Email{To: many}, `{}`); codeOf(refusal) != "email_recipients" {
		t.Errorf("too many: got %q", codeOf(refusal))
	}
}

func TestAMailThatCouldNotBeSentIsForetold(t *testing.T) {
	t.Parallel()
	f, err := fill.New(platen.Document{ID: "doc_1", Email: &platen.Email{To: "{{Email}}"}}, []byte(`{}`), lang.Builtins{})
	if err != nil {
		t.Fatal(err)
	}
	all := f.Refusals(nil)
	if len(all) != 1 || all[0].Finding().Where != fill.EmailField || all[0].Finding().Code != "email_field_missing" {
		t.Errorf("got %+v, want that the mail misses its address", all)
	}
}

func codeOf(r *fill.Refusal) string {
	if r == nil {
		return ""
	}
	return r.Code
}
