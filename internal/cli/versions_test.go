package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVersionsAreListedKeptAndPutBackByTheirNumber(t *testing.T) {
	t.Parallel()
	d := sit(t)
	const at = "/workflows/wkf_1/documents/doc_1/versions/"
	d.answers["GET "+at] = []object{
		{"id": "ver_1", "number": 4, "cause": "REPLACED", "size": 48213, "createdAt": "2026-01-04T10:20:30Z", "createdBy": object{"email": "ada@example.com"}},
		{"id": "ver_2", "number": 5, "cause": "KEPT", "note": "signed\x1b[31m", "createdAt": "2026-01-05T10:20:30Z", "createdBy": nil},
	}
	d.answers["POST "+at] = object{"id": "ver_3", "number": 6}
	d.answers["POST "+at+"ver_1/restore/"] = object{"id": "doc_1"}
	d.answers["GET "+at+"ver_2/"] = object{"id": "ver_2", "number": 5}
	d.answers["GET "+at+"ver_2/file/"] = []byte("PK content")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"documents", "versions", "wkf_1", "doc_1"}, "ada@example.com"},
		{[]string{"documents", "keep", "wkf_1", "doc_1", "--note", "as it is"}, "ver_3 is version 6 of doc_1."},
		{[]string{"documents", "restore", "wkf_1", "doc_1", "4"}, "doc_1 has the template of version 4."},
		{[]string{"documents", "restore", "wkf_1", "doc_1", "ver_2", "--to", "-"}, "PK content"},
	} {
		if err := d.run(t.Context(), d.loggedIn(c.args...)...); err != nil || !strings.Contains(d.out.String(), c.says) {
			t.Errorf("%s: %v: %q, want %q", strings.Join(c.args, " "), err, d.out, c.says)
		}
	}
	if strings.Contains(d.out.String(), "\x1b[31m") {
		t.Error("a note changes the colours of the terminal")
	}
	if got := string(d.bodies["POST "+at]); got != `{"note":"as it is"}` {
		t.Errorf("kept with %s", got)
	}
	for version, says := range map[string]string{"9": "has no version 9", "newest": "by its number"} {
		if err := d.run(t.Context(), d.loggedIn("documents", "restore", "wkf_1", "doc_1", version)...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("version %s: got %v, want %q", version, err, says)
		}
	}
}

func TestAWorkflowIsCopiedExportedAndImported(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.answers["POST /workflows/wkf_1/copy/"] = object{"id": "wkf_2"}
	d.answers["GET /workflows/wkf_1/export/"] = []byte("PK zip")
	d.answers["POST /workflows/import/"] = object{"id": "wkf_3", "name": "Bills"}
	d.answers["GET /workflows/"] = []object{{"id": "wkf_1", "name": "Bills", "status": "COMPLETE"}, {"id": "wkf_3", "name": "Bills", "status": "COMPLETE"}}
	file := filepath.Join(t.TempDir(), "new", "workflow.zip")
	for _, args := range [][]string{
		{"workflows", "copy", "wkf_1", "Second", "--webhook"},
		{"workflows", "export", "wkf_1", "--to", file},
		{"workflows", "import", file},
	} {
		if err := d.run(t.Context(), d.loggedIn(args...)...); err != nil {
			t.Fatalf("%s: %v", strings.Join(args, " "), err)
		}
	}
	if said := d.err.String(); !strings.Contains(said, "wkf_1 has the name Bills, too") {
		t.Errorf("said %q, want that there are two of the name", said)
	}
	if content, err := os.ReadFile(file); err != nil || string(content) != "PK zip" {
		t.Errorf("exported %q, %v", content, err)
	}
	if got := d.out.String(); got != "wkf_2\nwkf_3\n" {
		t.Errorf("printed %q, want the ids", got)
	}
	if got := string(d.bodies["POST /workflows/wkf_1/copy/"]); got != `{"name":"Second","outgoingWebhook":true}` {
		t.Errorf("asked for a copy with %s", got)
	}
	if got := string(d.bodies["POST /workflows/import/"]); got != "PK zip" || d.headers["POST /workflows/import/"].Get("Idempotency-Key") == "" {
		t.Errorf("imported %q with %v", got, d.headers["POST /workflows/import/"])
	}
}
