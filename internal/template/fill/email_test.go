package fill_test

import (
	"fmt"
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
	many := addressesOf("a", platen.MaxEmailRecipients+1)
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

func TestFurtherRecipientsAreFilledIn(t *testing.T) {
	t.Parallel()
	email := platen.Email{
		To: "{{Email}}", CC: "{{Accountant}}, ADA@example.org", BCC: "archive@example.com,{{Accountant}}", ReplyTo: "{{Clerk}}, office@example.com", Subject: "s",
	}
	got, refusal := letterOf(t, email, `{"Email": "ada@example.org", "Accountant": "eve@example.org", "Clerk": "carl@example.com"}`)
	if refusal != nil {
		t.Fatal(refusal.Err(nil))
	}
	if fmt.Sprint(got.To, got.CC, got.BCC, got.ReplyTo) != "[ada@example.org] [eve@example.org] [archive@example.com] [carl@example.com office@example.com]" {
		t.Errorf("got To %q, Cc %q, Bcc %q, Reply-To %q, want each address once", got.To, got.CC, got.BCC, got.ReplyTo)
	}
	if got, refusal = letterOf(t, email, `{"Email": "ada@example.org", "Clerk": ""}`); refusal != nil || len(got.CC) > 0 || fmt.Sprint(got.BCC, got.ReplyTo) != "[archive@example.com] [office@example.com]" {
		t.Errorf("without values: got %+v, %v, want them left out", got, refusal)
	}
	for _, field := range []string{"Accountant", "Clerk"} {
		for _, value := range []string{"a@example.org,b@example.org", `a@example.org\r\nBcc: eve@example.org`, "nobody"} {
			if _, refusal := letterOf(t, email, `{"Email": "ada@example.org", "`+field+`": "`+value+`"}`); codeOf(refusal) != "email_address_invalid" {
				t.Errorf("%s %q: got the code %q", field, value, codeOf(refusal))
			}
		}
	}
	many := platen.Email{To: "a@example.com", CC: addressesOf("c", 5), BCC: addressesOf("b", 5)}
	if _, refusal := letterOf(t, many, `{}`); codeOf(refusal) != "email_recipients" {
		t.Errorf("eleven: got the code %q", codeOf(refusal))
	}
}

// addressesOf are so many addresses.
func addressesOf(name string, n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("%s%d@example.com", name, i))
	}
	return strings.Join(all, ",")
}

func TestAMailInHTMLEscapesItsValues(t *testing.T) {
	t.Parallel()
	email := platen.Email{To: "a@example.com", Subject: "s", HTML: `<p title="{{Name}}">Dear {{Name}},</p><table>{{#each Items}}<tr><td>{{What}}</td><td>{{= CURRENCY(Price, "CHF")}}</td></tr>{{/each}}</table><a href="{{Link}}">x</a>`}
	f, err := fill.New(platen.Document{ID: "doc_1", Email: &email}, []byte(`{"Name": "<script>\" onload=\"x\nAda</p>", "Items": [{"What": "Tea & <b>Cake</b>", "Price": 1234.5}], "Link": "javascript:alert(1)"}`), lang.Builtins{Locale: "de-CH"})
	if err != nil {
		t.Fatal(err)
	}
	got, refusal := f.Letter()
	if refusal != nil {
		t.Fatal(refusal.Err(nil))
	}
	for _, want := range []string{`<html lang="de-CH">`, "<p title=\"&lt;script&gt;&#34; onload=&#34;x&lt;br&gt;\nAda&lt;/p&gt;\">Dear &lt;script&gt;&#34; onload=&#34;x<br/>\nAda&lt;/p&gt;,</p>", "<td>Tea &amp; &lt;b&gt;Cake&lt;/b&gt;</td><td>CHF\u00a01&#39;234.50</td>", "<a>x</a>"} {
		if !strings.Contains(got.HTML, want) {
			t.Errorf("got %s, want %s in it", got.HTML, want)
		}
	}
	if want := "Dear <script>\" onload=\"x\nAda</p>,\n\nTea & <b>Cake</b>  CHF\u00a01'234.50\n\nx\n"; got.Text != want {
		t.Errorf("got the text %q, want %q", got.Text, want)
	}
	linked := fill.WithLink(got, platen.File{Name: "Invoice.pdf", URL: "https://drive.example.com/1"})
	if !strings.Contains(linked.HTML, `<a href="https://drive.example.com/1">Invoice.pdf</a>`) || !strings.HasSuffix(linked.Text, "\n\nInvoice.pdf\nhttps://drive.example.com/1\n") {
		t.Errorf("got %+v, want the link at both ends", linked)
	}
	email.Text = "Dear {{Name}}"
	long := `{"Name": "Ada", "Items": [` + strings.TrimSuffix(strings.Repeat(`{"What": "`+strings.Repeat("x", 1000)+`"},`, 70), ",") + `]}`
	if _, refusal := letterOf(t, email, long); codeOf(refusal) != "email_html_too_long" {
		t.Errorf("a long one: got the code %q", codeOf(refusal))
	}
	if got, refusal := letterOf(t, email, `{"Name": "Ada"}`); refusal != nil || got.Text != "Dear Ada" {
		t.Errorf("got the text %q, want that of the document", got.Text)
	}
}
