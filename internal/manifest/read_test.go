package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// written writes a file and the templates beside it, and returns a reader and its path.
func written(t *testing.T, content string, env ...string) (Reader, string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"platen.yaml": content, "a.docx": "PK\x03\x04 a", "b.pptx": "PK\x03\x04 b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	known := map[string]string{}
	for i := 0; i < len(env); i += 2 {
		known[env[i]] = env[i+1]
	}
	return Reader{Getenv: func(name string) (string, bool) { v, ok := known[name]; return v, ok }}, filepath.Join(dir, "platen.yaml")
}

func TestEachMistakeOfAFileIsNamedWithItsPlaceAndCure(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"":                          "the file is empty",
		"version: [1":               "platen.yaml: line 1: did not find expected ',' or ']'",
		"workflows: {}":             "1:1: version must be there and be 1, as in 'version: 1'",
		"version: 2\nworkflows: {}": "1:10: version must be there and be 1",
		"version: 1":                "1:1: workflows is required",
		"version: 1\nworkflow: {}":  "2:1: workflow is no field here: did you mean workflows?",
		"version: 1\nsenders: {A: {form: a@example.com}}":                                                   "2:15: senders.A.form is no field here: leave it out; there are from, host",
		"version: 1\nsenders: {A: {port: x}}":                                                               "2:21: senders.A.port must be a whole number",
		"version: 1\nworkflows: []":                                                                         "2:12: workflows must have members",
		"version: 1\nworkflows: {}\n---\nversion: 1":                                                        "more than one YAML document",
		"version: 1\nworkflows:\n  A: {}\n  A: {}":                                                          "4:3: workflows.A is there already, on line 3",
		"version: 1\nworkflows:\n  A:\n    lokale: de":                                                      "4:5: workflows.A.lokale is no field here: did you mean locale?",
		"version: 1\nworkflows:\n  A:\n    zebra: 1":                                                        "4:5: workflows.A.zebra is no field here: leave it out; there are color, icon,",
		"version: 1\nworkflows:\n  A:\n    color: #cccccc":                                                  "4:11: workflows.A.color has no value: write one, or leave it out; a text that begins with # needs quotes",
		"version: 1\nworkflows:\n  A:\n    locale: 17":                                                      `4:13: workflows.A.locale must be text: write it in quotes, as in "17"`,
		"version: 1\nworkflows:\n  A:\n    locale: [de]":                                                    "4:13: workflows.A.locale must be one value, and no list",
		"version: 1\nworkflows:\n  A:\n    documents: {}":                                                   "4:16: workflows.A.documents must be a list",
		"version: 1\nworkflows:\n  A:\n    documents:\n    - when: Total":                                   "5:7: workflows.A.documents[0].template is required",
		"version: 1\nworkflows:\n  A:\n    documents:\n    - template: c.docx":                              "5:17: workflows.A.documents[0].template: open ",
		"version: 1\nworkflows:\n  A:\n    documents:\n    - template: platen.yaml":                         "5:17: workflows.A.documents[0].template: must end in .docx or .pptx",
		"version: 1\nworkflows:\n  A:\n    documents:\n    - {template: a.docx, createPdfCopy: x}":          "5:41: workflows.A.documents[0].createPdfCopy must be true or false",
		"version: 1\nworkflows:\n  A:\n    documents:\n    - {template: a.docx, email: {linkDays: a}}":      "5:44: workflows.A.documents[0].email.linkDays must be a whole number",
		"version: 1\nworkflows:\n  A:\n    documents:\n    - {template: a.docx, einvoice: {map: 1}}":        "5:42: workflows.A.documents[0].einvoice.map must be members",
		"version: 1\nworkflows:\n  A:\n    targets:\n    - {name: B}\n    - {name: B}":                      "6:14: workflows.A.targets[1].name is that of targets[0], too",
		"version: 1\nworkflows:\n  A:\n    schedules:\n    - cron: 0 6 1 * *":                               "5:7: workflows.A.schedules[0].name is required",
		"version: 1\nworkflows:\n  A:\n    locale: ${NOT_SET}":                                              "4:13: workflows.A.locale needs the variable NOT_SET, which the environment does not have: set it, or write $${NOT_SET}",
		"version: 1\nworkflows:\n  A: &a {locale: de}\n  B:\n    <<: *a":                                    "5:5: workflows.B has a merge key",
		"version: 1\nx: &x [a, a, a, a, a, a, a, a, a]\ny: &y [*x, *x]\nworkflows: {A: {sourceFields: *y}}": "2:1: x is no field here",
	} {
		r, path := written(t, content)
		_, err := r.Read([]string{path})
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), path+":", ""), want) && !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\ngot  %v\nwant %s", content, err, want)
		}
	}
}

func TestAllMistakesComeAtOnce(t *testing.T) {
	t.Parallel()
	r, path := written(t, "version: 1\nworkflows:\n  A: {locale: 1, icon: 2}\n  B: {colour: x}")
	_, err := r.Read([]string{path})
	if got := strings.Count(fmt.Sprint(err), "\n") + 1; got != 3 || !strings.Contains(fmt.Sprint(err), "did you mean color?") {
		t.Errorf("got %d mistakes, want 3: %v", got, err)
	}
}

func TestAliasesAreBounded(t *testing.T) {
	t.Parallel()
	content := "version: 1\nworkflows:\n  A:\n    documents:\n    - template: a.docx\n      einvoice:\n        map:\n          a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 12; i++ {
		content += fmt.Sprintf("          a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	for _, content := range []string{
		content,
		"version: 1\nworkflows: {A: {documents: [{template: a.docx, einvoice: {map: {a: " + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}}}]}}",
		"version: 1\nworkflows: {A: {documents: [{template: a.docx, einvoice: {map: {a: &a [*a]}}}]}}",
	} {
		r, path := written(t, content)
		if _, err := r.Read([]string{path}); err == nil || !strings.Contains(err.Error(), "use fewer aliases") || strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("got %.300v, want it said once", err)
		}
	}
}

func TestAValueOfTheEnvironmentIsInNoMessage(t *testing.T) {
	t.Parallel()
	r, path := written(t, "version: 1\nworkflows: {A: {documents: [{template: '${TOKEN}/a.docx'}]}}", "TOKEN", "plt_secret")
	_, err := r.Read([]string{path})
	if text := fmt.Sprint(err); strings.Contains(text, "plt_secret") || !strings.Contains(text, "documents[0].template: open the file that the environment names: no such file") {
		t.Errorf("got %s", text)
	}
	r, path = written(t, "version: 1\nworkflows: {A: {documents: [{template: '${NAME}.docx'}]}}", "NAME", "a")
	files, err := r.Read([]string{path})
	read := files.Workflows
	if err != nil || strings.Contains(read[0].template(0), "a.docx") {
		t.Errorf("got %v, %v", read, err)
	}
}

// The end of a folded line and what stands around a formula change nothing.
func TestWhiteSpaceAroundAFormulaIsNone(t *testing.T) {
	t.Parallel()
	r, path := written(t, `version: 1
workflows:
  A:
    documents:
      - template: a.docx
        when: >
          Total > 0
          and Paid
        appendicesWhen: ' A '
        email: {to: a@example.com, subject: S, when: " B"}
        approval: {by: [a@example.com], when: "C "}
`)
	files, err := r.Read([]string{path})
	read := files.Workflows
	if err != nil {
		t.Fatal(err)
	}
	d := read[0].Documents[0]
	if got, want := []string{d.When, d.AppendicesWhen, d.Email.When, d.Approval.When}, []string{"Total > 0 and Paid", "A", "B", "C"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReferencesAreOfTheEnvironment(t *testing.T) {
	t.Parallel()
	r, path := written(t, `version: 1
workflows:
  A:
    orderedBy: ${A}-$${A}-${{Total}}-$A
    outgoingWebhook: &hook {webhookUrl: "https://${HOST}/x"}
    documents:
      - {template: a.docx, approval: {by: [a@example.com], need: all}, pdf: {profile: PDF/A-2b}}
      - template: b.pptx
        email: {to: "{{Mail}}", subject: S}
        einvoice: {syntax: CII, profile: EN16931, map: {BT-1: "{{No}}", BG-25: {each: Items, n: 1.50}}}
  B:
    outgoingWebhook: *hook
  C:
`, "A", "value", "HOST", "example.com")
	files, err := r.Read([]string{path})
	read := files.Workflows
	if err != nil || len(read) != 3 {
		t.Fatalf("got %d workflows, %v", len(read), err)
	}
	a := read[0]
	if want := "value-${A}-${{Total}}-$A"; a.OrderedBy != want || a.OutgoingWebhook.URL != "https://example.com/x" || read[1].OutgoingWebhook.URL != "https://example.com/x" {
		t.Errorf("got %q and %+v, want %q", a.OrderedBy, a.OutgoingWebhook, want)
	}
	if !a.secrets["/orderedBy"] || !a.secrets["/outgoingWebhook/webhookUrl"] || a.secrets["/documents/0/template"] {
		t.Errorf("secrets: got %v", a.secrets)
	}
	d := a.Documents[0]
	if d.OutputName != "A - {{Timestamp}}" || *d.Approval.RemindDays != 3 || d.Approval.ExpireDays != 30 || a.Documents[1].Email.Attach != "pdf" {
		t.Errorf("defaults: got %+v", d)
	}
	if got, want := string(a.Documents[1].EInvoice.Map), `{"BG-25":{"each":"Items","n":1.50},"BT-1":"{{No}}"}`; got != want {
		t.Errorf("map: got %s, want %s", got, want)
	}
	if string(a.Templates[0]) != "PK\x03\x04 a" || len(a.Templates) != 2 {
		t.Errorf("templates: got %q", a.Templates)
	}
}

// A file with senders alone is one, and a password is a secret wherever it came from.
func TestMailSendersAreRead(t *testing.T) {
	t.Parallel()
	r, path := written(t, `version: 1
senders:
  Accounting: {from: a@example.com, host: mail.example.com, user: a, password: "${PASSWORD}"}
  Sales: {from: s@example.com, host: mail.example.com, security: TLS}
`, "PASSWORD", "p/w")
	files, err := r.Read([]string{path})
	if err != nil || len(files.Senders) != 2 || len(files.Workflows) != 0 {
		t.Fatalf("got %+v, %v", files, err)
	}
	want := SenderSettings{From: "a@example.com", Host: "mail.example.com", Port: 587, Security: "STARTTLS", User: "a", Password: "p/w"}
	if got := files.Senders[0]; got.Name != "Accounting" || got.Settings != want || !got.isSecret("/password") {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := files.Senders[1].Settings.Port; got != 465 {
		t.Errorf("got port %d, want that of TLS", got)
	}
	content, err := encode(files, nil)
	if err != nil || !strings.Contains(string(content), "senders:\n  Accounting:\n") {
		t.Errorf("got %s, %v", content, err)
	}
}
