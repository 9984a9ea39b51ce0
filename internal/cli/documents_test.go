package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/client"
)

func TestADocumentsSettingsAreChangedByTheirNames(t *testing.T) {
	t.Parallel()
	const at = "/workflows/wkf_1/documents/doc_1/"
	for _, c := range []struct{ args, want string }{
		{"--name|Invoice {{No}}", `{"outputName":"Invoice {{No}}"}`},
		{"--password|{{Pin}}|--pdf|--remove-original|--prevent-copy", `{"createPdfCopy":true,"removeOutput":true,"enablePdfPassword":true,"pdfPassword":"{{Pin}}","enablePdfPreventCopy":true}`},
		{"--profile|PDF/A-3b", `{"pdf":{"profile":"PDF/A-3b"}}`},
		{"--profile|none", `{"pdf":null}`},
		{"--no-einvoice", `{"einvoice":null}`},
		{"--accessibility|require", `{"accessibility":"require"}`},
		{"--seal", `{"seal":true}`},
		{"--no-seal", `{"seal":false}`},
		{"--password|", `{"enablePdfPassword":false,"pdfPassword":""}`},
		{"--no-pdf|--no-remove-original", `{"createPdfCopy":false,"removeOutput":false}`},
		{"--on-missing|fail|--sharing|domain", `{"onMissing":"fail","outputSharing":"domain"}`},
		{"--folder|Invoices/{{Year}}|--folder-id|fld", `{"outputFolder":"Invoices/{{Year}}","outputFolderId":"fld"}`},
		{"--folder|", `{"outputFolder":""}`},
		{"--mail-to|{{Mail}}", `{"email":{"to":"{{Mail}}","subject":"Old","text":"Hello"}}`},
		{"--mail-subject|New|--mail-attach|link", `{"email":{"to":"a@example.com","subject":"New","text":"Hello","attach":"link"}}`},
		{"--mail-cc|b@example.com|--mail-bcc|c@example.com|--mail-reply-to|{{Clerk}}", `{"email":{"to":"a@example.com","cc":"b@example.com","bcc":"c@example.com","replyTo":"{{Clerk}}","subject":"Old","text":"Hello"}}`},
		{"--mail-attach|office|--mail-link-days|30", `{"email":{"to":"a@example.com","subject":"Old","text":"Hello","attach":"office","linkDays":30}}`},
		{"--mail-all-outputs", `{"email":{"to":"a@example.com","subject":"Old","text":"Hello","allOutputs":true}}`},
		{"--mail-to|", `{"email":null}`},
		{"--number|invoices|--number|offers", `{"numbers":["invoices","offers"]}`},
		{"--no-numbers|--no-appendices", `{"numbers":[],"appendices":[]}`},
		{"--append|file-1", `{"appendices":["file-1"]}`},
	} {
		d := sit(t)
		d.answers["GET "+at] = object{"id": "doc_1", "email": object{"to": "a@example.com", "subject": "Old", "text": "Hello"}}
		d.answers["PATCH "+at] = object{"id": "doc_1", "findings": []client.TemplateFinding{{Where: "outputName", Message: "Odd.", Severity: client.SeverityNote}}}
		err := d.run(t.Context(), d.loggedIn(append([]string{"documents", "update", "wkf_1", "doc_1"}, strings.Split(c.args, "|")...)...)...)
		if got := string(d.bodies["PATCH "+at]); err != nil || got != c.want || !strings.Contains(d.out.String(), "doc_1 is changed") || !strings.Contains(d.err.String(), "note: outputName: Odd.") {
			t.Errorf("%s: %v, %q, %q; sent %s, want %s", c.args, err, d.out, d.err, got, c.want)
		}
	}
	for args, says := range map[string]string{"": "name a setting", "--on-missing|none": "must be one of", "--name|a|--no-numbers|--number|x": "together"} {
		d := sit(t)
		all := []string{"documents", "update", "wkf_1", "doc_1"}
		if args != "" {
			all = append(all, strings.Split(args, "|")...)
		}
		if err := d.run(t.Context(), d.loggedIn(all...)...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: got %v, want an error that says %q", args, err, says)
		}
	}
}

func TestAnEInvoiceIsProposedAndSetFromAFile(t *testing.T) {
	t.Parallel()
	const at = "/workflows/wkf_1/documents/doc_1/"
	const setting = `{"syntax":"CII","profile":"XRECHNUNG","map":{"BT-1":"{{No}}"}}`
	d := sit(t)
	d.answers["POST "+at+"einvoice/propose/"] = object{"einvoice": json.RawMessage(setting), "open": []object{{"term": "BT-27", "name": "Seller name"}}}
	if err := d.run(t.Context(), d.loggedIn("documents", "propose-einvoice", "wkf_1", "doc_1", "--profile", "XRECHNUNG")...); err != nil || !strings.Contains(d.err.String(), "open: BT-27 (Seller name)") {
		t.Fatalf("got %v, %s", err, d.err)
	}
	if got := string(d.bodies["POST "+at+"einvoice/propose/"]); got != `{"profile":"XRECHNUNG"}` {
		t.Errorf("sent %s", got)
	}
	file := filepath.Join(t.TempDir(), "einvoice.json")
	if err := os.WriteFile(file, []byte(d.out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	d.answers["PATCH "+at] = object{"id": "doc_1"}
	if err := d.run(t.Context(), d.loggedIn("documents", "update", "wkf_1", "doc_1", "--einvoice", file)...); err != nil {
		t.Fatal(err)
	}
	if got := string(d.bodies["PATCH "+at]); got != `{"einvoice":`+setting+`}` {
		t.Errorf("sent %s, want %s", got, setting)
	}
	if err := os.WriteFile(file, []byte(`{"syntax":"CII","mapping":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.run(t.Context(), d.loggedIn("documents", "update", "wkf_1", "doc_1", "--einvoice", file)...); err == nil || !strings.Contains(err.Error(), "mapping") || !strings.Contains(err.Error(), "write one JSON object") {
		t.Errorf("another file: got %v", err)
	}
}

func TestATagOfAnotherSystemIsNamedWhereATemplateIsAdded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "letter.docx")
	if err := os.WriteFile(file, []byte("PK"), 0o600); err != nil {
		t.Fatal(err)
	}
	document := object{"id": "doc_1", "findings": []client.TemplateFinding{{Where: "paragraph 2", Tag: "«Total»", Message: "This is a merge field.", Nearest: []string{"{{Total}}"}}}}
	d := sit(t)
	d.answers["POST /workflows/"], d.answers["GET /workflows/wkf_1/"] = object{"id": "wkf_1"}, object{"id": "wkf_1"}
	d.answers["POST /workflows/wkf_1/documents/upload/"] = document
	for _, command := range [][]string{{"workflows", "create", "Letter", "--file", file}, {"documents", "create", "wkf_1", file}} {
		before := len(d.err.String())
		if err := d.run(t.Context(), d.loggedIn(command...)...); err != nil {
			t.Fatal(err)
		}
		if got, want := d.err.String()[before:], "warning: paragraph 2: «Total»: This is a merge field. Did you mean {{Total}}?\n"; !strings.HasPrefix(got, want) {
			t.Errorf("%q: warned %q, want %q", command, got, want)
		}
	}
}
