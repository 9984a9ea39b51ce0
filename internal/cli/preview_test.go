package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// previewable has one document of each kind in the scratch workflow, if it has one.
func previewable(d *desk, workflows []object, documents []object) {
	d.answers["GET /me/"] = object{"user": object{"id": "usr_1"}}
	d.answers["GET /workflows/"] = append([]object{{"id": "wkf_other", "name": scratch, "owner": object{"id": "usr_2"}}}, workflows...)
	d.answers["POST /workflows/"] = object{"id": "wkf_1", "name": scratch, "documents": documents}
	d.answers["POST /workflows/wkf_1/documents/upload/"] = object{"id": "doc_1"}
	d.answers["POST /workflows/wkf_1/documents/doc_1/template/"] = object{"id": "doc_1"}
	d.answers["POST /workflows/wkf_1/preview/"] = object{"documents": []object{{"documentId": "doc_1", "pdf": "JVBERg==", "missingFields": []string{"Name\x1b"},
		"findings": []object{{"where": "paragraph 2", "message": "Wrong", "code": "tag_unclosed"}}}}}
}

func TestPreviewFillsATemplateOfThisMachine(t *testing.T) {
	t.Parallel()
	kept := object{"id": "wkf_1", "name": scratch, "owner": object{"id": "usr_1"}, "documents": []object{{"id": "doc_0", "documentType": "CLOUD_SLIDES"}, {"id": "doc_1", "documentType": "CLOUD_DOCS"}}}
	for name, c := range map[string]struct {
		workflows []object
		upload    string
	}{
		"the first time": {nil, "POST /workflows/wkf_1/documents/upload/"},
		"once more":      {[]object{kept}, "POST /workflows/wkf_1/documents/doc_1/template/"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := sit(t)
			var opened []string
			d.Browse = func(what string) error { opened = append(opened, what); return os.ErrNotExist }
			previewable(d, c.workflows, nil)
			dir := t.TempDir()
			file, out := filepath.Join(dir, "letter.docx"), filepath.Join(dir, "letter.preview.pdf")
			if err := os.WriteFile(file, []byte("PK"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := d.run(t.Context(), d.loggedIn("preview", file, "--data", `{"Name": 1.0}`, "--to", dir, "--open")...); err != nil {
				t.Fatal(err)
			}
			if got := string(d.bodies[c.upload]); got != "PK" {
				t.Errorf("%s got %q, want the file", c.upload, got)
			}
			if got := string(d.bodies["POST /workflows/wkf_1/preview/"]); got != `{"documentId":"doc_1","data":{"Name":1.0}}` {
				t.Errorf("previewed %s", got)
			}
			if pdf, err := os.ReadFile(out); err != nil || string(pdf) != "%PDF" {
				t.Errorf("got %q, %v", pdf, err)
			}
			want := "letter: paragraph 2: Wrong (tag_unclosed)\n" + `letter: the data has no field Name\x1b` + "\n" + out + "\n"
			if d.out.String() != want || len(opened) != 1 || !strings.Contains(d.err.String(), "Nothing here opens "+out) {
				t.Errorf("got %s%s, opened %q; want %s", d.out, d.err, opened, want)
			}
		})
	}
}

func TestPreviewFailsWhenATemplateCannotBeFilled(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.answers["POST /workflows/wkf_1/preview/"] = object{"documents": []object{{"documentId": "../doc_1"}, {"documentId": "../doc_2", "pdf": "JVBERg=="}}}
	dir := t.TempDir()
	err := d.run(t.Context(), d.loggedIn("preview", "--workflow", "wkf_1", "--data", "{}", "--to", dir)...)
	if ExitCode(err) != ExitFailed || !strings.Contains(err.Error(), "1 template cannot be filled") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "doc_2.preview.pdf")); err != nil {
		t.Error(err)
	}
	for _, args := range [][]string{{"preview", "--data", "{}"}, {"preview", "a.docx", "--workflow", "wkf_1", "--data", "{}"}, {"preview", "a.docx", "--document", "doc_1", "--data", "{}"}} {
		if err := d.run(t.Context(), d.loggedIn(args...)...); ExitCode(err) != ExitUsage {
			t.Errorf("%v: got %v, want wrong use", args, err)
		}
	}
}

// I1: who gives --data gives a file, or the object itself, and hears what is wrong with it.
func TestDataIsAFileOrTheObjectItself(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "data.json")
	if err := os.WriteFile(name, []byte("\ufeff{\"a\": 1}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{name: `{"a": 1}`, ` {"b": 2}`: ` {"b": 2}`, "-": `{"c": 3}`} {
		if got, err := ReadObject(t.Context(), strings.NewReader(`{"c": 3}`), given); err != nil || string(got) != want {
			t.Errorf("%q: got %s, %v; want %s", given, got, err, want)
		}
	}
	for given, want := range map[string]string{
		"{\n\"a\": x}": "--data: line 2, column 6", "no-such-file": "give a file with one JSON object, or the object itself", "-": "standard input: it is no JSON object",
	} {
		if _, err := ReadObject(t.Context(), strings.NewReader("[]"), given); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", given, err, want)
		}
	}
}
