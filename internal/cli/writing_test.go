package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// What cannot be written is refused before the service is asked for it, and folders are made.
func TestThePlaceOfAFileIsTriedBeforeTheServiceWorks(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"preview", "--workflow", "wkf_1", "--data", "{}", "--to", filepath.Join(file, "x")},
		{"outputs", "get", "wkf_1", "out_1", "--to", filepath.Join(file, "x.pdf")},
		{"outputs", "get", "wkf_1", "out_1", "--to", filepath.Dir(file)},
		{"workflows", "export", "wkf_1", "--to", filepath.Join(file, "x.zip")},
		{"documents", "restore", "wkf_1", "doc_1", "1", "--to", filepath.Join(file, "x.docx")},
		{"automations", "search", "ada", "--to", filepath.Join(file, "x")},
	} {
		d := sit(t)
		if err := d.run(t.Context(), d.loggedIn(args...)...); err == nil || len(d.asked) > 0 {
			t.Errorf("%q: got %v after %q, want a refusal before anything is asked", args, err, d.asked)
		}
	}
	d := sit(t)
	d.answers["GET /workflows/wkf_1/export/"] = []byte("PK zip")
	made := filepath.Join(t.TempDir(), "a", "b", "w.zip")
	if err := d.run(t.Context(), d.loggedIn("workflows", "export", "wkf_1", "--to", made)...); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(made); err != nil || string(content) != "PK zip" {
		t.Errorf("got %q, %v", content, err)
	}
}
