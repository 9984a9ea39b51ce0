package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOutputsAreSavedAloneOrAsAZip(t *testing.T) {
	t.Parallel()
	d, dir := sit(t), t.TempDir()
	d.answers["GET /workflows/wkf_1/outputs/out_1/pdf/"] = []byte("%PDF of one")
	d.answers["GET /workflows/wkf_1/outputs/zip/"] = []byte("PK of two")
	d.answers["GET /workflows/wkf_1/outputs/out_1/einvoice/"] = []byte("<invoice/>")
	for want, args := range map[string][]string{
		"%PDF of one": {"outputs", "get", "wkf_1", "out_1", "--to", filepath.Join(dir, "a.pdf")},
		"<invoice/>":  {"outputs", "get", "wkf_1", "out_1", "--einvoice", "--to", filepath.Join(dir, "a.xml")},
		"PK of two":   {"outputs", "get", "wkf_1", "out_1", "out_2", "--to", filepath.Join(dir, "b.zip")},
	} {
		if err := d.run(t.Context(), d.loggedIn(args...)...); err != nil {
			t.Fatal(err)
		}
		to := args[len(args)-1]
		if got, err := os.ReadFile(to); err != nil || string(got) != want || !strings.Contains(d.out.String(), to+"\n") {
			t.Errorf("%v: got %q, %v, and printed %q; want %q in the file that is named", args, got, err, d.out, want)
		}
	}
	d.answers["GET /workflows/wkf_1/outputs/"] = []object{{"id": "out_1", "state": "DONE", "files": []object{{"name": "Invoice\x1b.pdf"}}}}
	if err := d.run(t.Context(), d.loggedIn("outputs", "list", "wkf_1")...); err != nil || !strings.Contains(d.out.String(), `Invoice\x1b.pdf`) {
		t.Errorf("got %s, %v", d.out, err)
	}
}
