package manifest

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/testkit/property"
)

// A file says all texts of a workflow back as they are.
func TestWhatIsWrittenIsReadAsItWas(t *testing.T) {
	t.Parallel()
	r, path := written(t, "")
	anything := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"yes", "null", "~", "1e3", "0x1f", "2026-01-01", "#ccc", "- a", "a: b", " leading", "trailing ", "\n", "a\nb\n", " a\n b", "a\n\n", "\ta\tb\n", "%x", "@a", "`a", "!a", "&a", "*a",
		"'", `"`, "${A}", "$${A}", "$$${A}", "{{Number invoices}}", "<p>a</p>\r\n", "\u2028", "\u0085a", "\ufeffx", "=", "<<", "|", ">", "?", "? a", "---", "...",
	}))
	property.Check(t, func(t *rapid.T) {
		text := func(name string) string { return anything.Draw(t, name) }
		name := rapid.StringMatching(`[^\x00-\x1f\x7f]+`).Draw(t, "name")
		w := Workflow{Settings: Settings{Color: "#cccccc", OrderedBy: text("orderedBy")}, SourceFields: []string{text("field")}, Documents: []Document{{
			Template: "a.docx", OutputName: name + text("outputName"), When: strings.TrimSpace(text("when")), OutputSharing: "anyone", OnMissing: "fail",
			Email: &client.Email{To: "a@example.com", Subject: text("subject"), Text: text("text"), Attach: "link"},
		}}}
		content, err := encode(Files{Workflows: []Entry{{Name: name, Workflow: w}}}, []map[string]bool{{}})
		if err != nil {
			t.Fatal(err)
		}
		read, err := r.parse(path, content)
		got := read.Workflows
		if err != nil || len(got) != 1 || got[0].Name != name || !reflect.DeepEqual(got[0].Workflow, w) {
			t.Fatalf("wrote\n%s\ngot %+v, %v\nwant %+v", content, got, err, w)
		}
	})
}

func TestNamesOfFilesAndVariables(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"Invoices 2027":                         {"invoices-2027", "PDF_PASSWORD_INVOICES_2027_1"},
		"../../Köln / x":                        {"köln-x", "PDF_PASSWORD_KU00D6LN_X_1"},
		"发票":                                    {"发票", "PDF_PASSWORD_U53D1U7968_1"},
		"…":                                     {"", "PDF_PASSWORD__1"},
		strings.Repeat("a", 59) + " long names": {strings.Repeat("a", 59), "PDF_PASSWORD_" + strings.Repeat("A", 59) + "_1"},
	} {
		if got := [2]string{slug(name), variable("PDF_PASSWORD", slug(name), 1)}; got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	taken, got := map[string]bool{}, ""
	for _, name := range []string{"A", "A 2", "a!", "a?"} {
		got += unused(taken, slug(name)) + " "
	}
	if want := "a a-2 a-3 a-4 "; got != want {
		t.Errorf("got %q, want %q: no two workflows have one file", got, want)
	}
}
