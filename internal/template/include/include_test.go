package include_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	drivedocs "github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/office/merge"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/include"
	"github.com/platenhq/platen/internal/template/lang"
)

// A shelf is a drive of files in folders, by their ids.
type shelf struct {
	files    map[string]platen.File
	contents map[string][]byte
	stores   int
	refuse   error // of a store
}

func (s *shelf) File(_ context.Context, id string) (platen.File, error) {
	if f, ok := s.files[id]; ok {
		return f, nil
	}
	return platen.File{}, platen.Errorf(platen.KindNotFound, "drive_file_not_found", "none")
}

func (s *shelf) find(parent, name, mime string) (all []platen.File) {
	for _, f := range s.files {
		if f.Parent == parent && f.Name == name && (mime == "") == (f.MIMEType != platen.MIMEFolder) {
			all = append(all, f)
		}
	}
	return all
}

func (s *shelf) FindFolders(_ context.Context, parent, name string) ([]platen.File, error) {
	return s.find(parent, name, platen.MIMEFolder), nil
}

func (s *shelf) FindFiles(_ context.Context, parent, name string) ([]platen.File, error) {
	if len(name) > 1500 { // as servers refuse addresses that are longer than any
		return nil, platen.Errorf(platen.KindUnavailable, "drive_fault", "The drive answered 414.")
	}
	return s.find(parent, name, ""), nil
}

func (s *shelf) ExportOffice(_ context.Context, id, _ string) ([]byte, error) {
	return s.contents[id], nil
}

func (s *shelf) Download(_ context.Context, id string) ([]byte, error) { return s.contents[id], nil }

func (s *shelf) ReplaceContent(_ context.Context, id, _ string, content []byte) (platen.File, error) {
	if s.refuse != nil {
		return platen.File{}, s.refuse
	}
	s.stores++
	s.contents[id] = content
	return s.files[id], nil
}

func (s *shelf) EditDocument(_ context.Context, id string, _ platen.Reading, compose func(*docs.Document) ([]*docs.Request, error)) (int, error) {
	d, err := wml.ReadDocument(s.contents[id])
	if err != nil {
		return 0, err
	}
	shown, err := drivedocs.Get(d, id, "t", "1")
	if err != nil {
		return 0, err
	}
	requests, err := compose(shown)
	if err != nil || len(requests) == 0 {
		return 0, err
	}
	if _, err := drivedocs.Apply(d, id, requests); err != nil {
		return 0, err
	}
	s.contents[id], err = d.Bytes()
	return len(requests), err
}

func (s *shelf) EditPresentation(context.Context, string, platen.Reading, func(*slides.Presentation) ([]*slides.Request, error)) (int, error) {
	return 0, nil
}

func docx(t testing.TB, text string, more ...[2]string) []byte {
	t.Helper()
	var out, body bytes.Buffer
	for line := range strings.SplitSeq(text, "\n") {
		body.WriteString(`<w:p><w:r><w:t xml:space="preserve">` + strings.ReplaceAll(line, `"`, "&quot;") + `</w:t></w:r></w:p>`)
	}
	z := zip.NewWriter(&out)
	for _, part := range append([][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="d" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` + body.String() + `<w:sectPr/></w:body></w:document>`},
	}, more...) {
		w, err := z.Create(part[0])
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write([]byte(part[1]))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// shelve makes a drive with a template, a copy of it, and a folder of clauses.
func shelve(t testing.TB, template string, clauses map[string]string) *shelf {
	t.Helper()
	s := &shelf{files: map[string]platen.File{"folder": {ID: "folder", Name: "Clauses", MIMEType: platen.MIMEFolder, Parent: "root"}}, contents: map[string][]byte{}}
	add := func(id, name, parent, text string) {
		s.files[id] = platen.File{ID: id, Name: name, Parent: parent, MIMEType: platen.MIMEDocs}
		s.contents[id] = docx(t, text)
	}
	add("template", "Contract", "root", template)
	add("copy", "Contract of Ada", "outputs", template)
	for name, text := range clauses {
		add("clause-"+name, name, "folder", text)
	}
	return s
}

func (s *shelf) fill(t testing.TB, data string) (string, fill.Outcome, error) {
	t.Helper()
	f, err := fill.New(platen.Document{File: platen.File{ID: "template"}, OutputName: "x"}, []byte(data), lang.Builtins{})
	if err != nil {
		t.Fatal(err)
	}
	f.Include = include.Of(s, s, "template")
	out, err := f.Fill(t.Context(), s, s.files["copy"], nil)
	p, failed := opc.ReadPackage(s.contents["copy"])
	if failed != nil {
		t.Fatal(failed)
	}
	texts, failed := merge.Texts(p)
	if failed != nil {
		t.Fatal(failed)
	}
	return strings.Join(texts, "|"), out, err
}

const event = `{"Name": "Ada", "Export": false, "Clauses": ["clause-Payment", "Clauses/Law"], "One": "Clauses/Law", "None": [], "Items": [{"A": "Bolt"}, {"A": "Nut"}]}`

func TestDocumentsAreIncludedAndFilled(t *testing.T) {
	t.Parallel()
	clauses := map[string]string{
		"Payment": "{{Name}} pays.\n{{#if Export}}\nAbroad.\n{{/if}}", "Law": "Law of {{Name}}.", "Both": "Both:\n{{include \"Payment\"}}\n{{include \"Law\"}}",
		"Parts": "{{#each Items}}\n{{A}}\n{{/each}}",
	}
	for template, want := range map[string]string{
		"a\n{{include \"Clauses/Payment\"}}\nb":                           "a|Ada pays.|b",
		"{{include Clauses}}\nend":                                        "Ada pays.|Law of Ada.|end",
		"{{include One}}\n{{include \"clause-Law\"}}":                     "Law of Ada.|Law of Ada.",
		"a\n{{include None}}\n{{include Missing}}\nb":                     "a|b",
		"{{include \"Clauses/Both\"}}\n{{include \"Clauses/Law\"}}":       "Both:|Ada pays.|Law of Ada.|Law of Ada.",
		"{{#if Export}}\n{{include \"Clauses/Law\"}}\n{{/if}}\nend":       "end",
		"{{#each Items}}\n{{A}}:\n{{include \"Clauses/Law\"}}\n{{/each}}": "Bolt:|Law of Ada.|Nut:|Law of Ada.",
		"{{include \"Clauses/Parts\"}}":                                   "Bolt|Nut",
	} {
		s := shelve(t, template, clauses)
		got, _, err := s.fill(t, event)
		if got = strings.Trim(got, "|"); err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", template, got, err, want)
		}
	}
}

func TestWhatCannotBeIncludedFailsWithItsNameAndPlace(t *testing.T) {
	t.Parallel()
	deep := map[string]string{"D0": "end", "Loop": "{{include \"Again\"}}", "Again": "{{include \"Loop\"}}", "Lost": "{{include \"Nowhere\"}}"}
	for _, n := range []string{"1", "2", "3", "4", "5", "6"} {
		deep["D"+n] = "{{include \"D" + string(n[0]-1) + "\"}}"
	}
	for template, want := range map[string]string{
		"{{include \"Nowhere\"}}":               `include_not_found: {{include "Nowhere"}}, in "Contract": there is no such document`,
		"{{include \"Clauses/Lost\"}}":          `include_not_found: {{include "Nowhere"}}, in "Lost": there is no such document`,
		"{{include \"../Clauses/Law\"}}":        `include_not_found`,
		"{{include \"Clauses/Loop\"}}":          `include_loop: {{include "Loop"}}: the document includes itself: Loop → Again → Loop.`,
		"{{include \"Contract\"}}":              `include_loop`,
		"{{include \"Clauses/D6\"}}":            `include_too_many`,
		"{{include Many}}":                      `include_too_many`,
		"a {{include \"Clauses/D0\"}}":          `template_faulty: The template cannot be filled. {{include "Clauses/D0"}}: Another document takes the place of a paragraph`,
		"{{#each L}}\n{{include A}}\n{{/each}}": `template_faulty`,
	} {
		s := shelve(t, template, deep)
		before := s.contents["copy"]
		_, _, err := s.fill(t, `{"L": [{"A": "x"}], "Many": [`+strings.TrimSuffix(strings.Repeat(`"Clauses/D0",`, 101), ",")+`]}`)
		failed := ""
		if e, ok := errors.AsType[*platen.Error](err); ok {
			failed = e.Code + ": " + e.Message
		}
		if !strings.Contains(failed, strings.SplitN(want, ": ", 2)[0]) || platen.KindOf(err) != platen.KindInvalid {
			t.Errorf("%s: got %s, want %s", template, failed, want)
		}
		if parts := strings.SplitN(want, ": ", 2); len(parts) == 2 && !strings.Contains(failed, parts[1]) {
			t.Errorf("%s: got %s, want %s", template, failed, want)
		}
		if !bytes.Equal(before, s.contents["copy"]) {
			t.Errorf("%s: the copy has changed", template)
		}
	}
}

// A name that the data does not have is a missing field, as that of any other tag, and one
// that is longer than any is that of no document.
func TestNamesOfTheDataAreFieldsLikeOthers(t *testing.T) {
	t.Parallel()
	s := shelve(t, "{{include Annex}}\n{{Town}}", nil)
	_, out, err := s.fill(t, `{"Name": "Ada"}`)
	if want := []string{"Annex", "Town"}; err != nil || !slices.Equal(out.Missing, want) {
		t.Errorf("got %v missing, %v; want %v", out.Missing, err, want)
	}
	s = shelve(t, "{{include Annex}}", nil)
	if _, _, err = s.fill(t, `{"Annex": "`+strings.Repeat("a", 2000)+`"}`); platen.KindOf(err) != platen.KindInvalid {
		t.Errorf("a long name: got %v, want KindInvalid", err)
	}
}

// Nothing is stored before the fill may begin, and a copy that was stored is filled by the
// next try.
func TestIncludesAreSafeToRunTwice(t *testing.T) {
	t.Parallel()
	s := shelve(t, "{{include \"Clauses/Law\"}}\n{{Name}}", map[string]string{"Law": "Law of {{Name}}."})
	before := s.contents["copy"]
	s.refuse = platen.Errorf(platen.KindUnavailable, "drive_fault", "The drive answered 503.")
	if _, _, err := s.fill(t, event); platen.KindOf(err) != platen.KindUnavailable || !bytes.Equal(before, s.contents["copy"]) {
		t.Fatalf("a drive that refuses: got %v", err)
	}
	s.refuse = nil
	store, err := include.Of(s, s, "template")(t.Context(), s.files["copy"], func(text string) (fill.Choice, bool, error) {
		return fill.Choice{Tag: text, Names: []string{"Clauses/Law"}}, strings.Contains(text, "include"), nil
	})
	if err != nil || store(t.Context()) != nil {
		t.Fatal(err)
	}
	got, _, err := s.fill(t, event) // the worker died behind the store
	if err != nil || got != "Law of Ada.|Ada" || s.stores != 1 {
		t.Errorf("got %s, %v after %d stores", got, err, s.stores)
	}
}

// failsWith tells that a template is not filled, with a code and words of its cause.
func (s *shelf) failsWith(t *testing.T, what, data, code, words string) {
	t.Helper()
	_, _, err := s.fill(t, data)
	e, ok := errors.AsType[*platen.Error](err)
	if !ok || e.Kind != platen.KindInvalid || e.Code != code || !strings.Contains(e.Message, words) {
		t.Errorf("%s: got %v, want %s: %s", what, err, code, words)
	}
}

// Documents in documents count as often as they are put in: a few tags would make millions of
// paragraphs otherwise.
func TestWhatIsIncludedManyTimesIsCountedManyTimes(t *testing.T) {
	t.Parallel()
	ten := func(name string) string { return strings.Repeat("{{include \""+name+"\"}}\n", 10) }
	s := shelve(t, "{{include \"Clauses/D3\"}}", map[string]string{"D0": "end", "D1": ten("D0"), "D2": ten("D1"), "D3": ten("D2")})
	s.failsWith(t, "ten of ten of ten", "{}", "include_too_many", "at most 100 others")
	s = shelve(t, strings.Repeat("{{include \"Clauses/Long\"}}\n", 20), map[string]string{"Long": strings.Repeat("x", 1<<20)})
	s.failsWith(t, "a long one twenty times", "{}", "include_too_many", "16 MiB of text")
	// How deep they are does not depend on what was read before.
	chain := map[string]string{"D0": "end", "D1": "{{include \"D0\"}}", "D2": "{{include \"D1\"}}", "D3": "{{include \"D2\"}}", "E1": "{{include \"D3\"}}", "E2": "{{include \"E1\"}}"}
	s = shelve(t, "{{include \"Clauses/D3\"}}\n{{include \"Clauses/E2\"}}", chain)
	s.failsWith(t, "six deep behind four deep", "{}", "include_too_many", "5 deep")
	s = shelve(t, "{{include \"Clauses/D3\"}}\n{{include \"Clauses/E1\"}}", chain)
	if got, _, err := s.fill(t, "{}"); err != nil || got != "end|end" {
		t.Errorf("five deep: got %s, %v", got, err)
	}
}

// The tags of all documents share one budget.
func TestTagsOfIncludedDocumentsAreBounded(t *testing.T) {
	t.Parallel()
	costly := strings.Repeat("{{include IF(SUM(N) = 0, \"x\", \"\")}}\n", 300)
	s := shelve(t, "{{include \"Clauses/Costly\"}}", map[string]string{"Costly": costly})
	s.failsWith(t, "three hundred sums", `{"N": [`+strings.TrimSuffix(strings.Repeat("1,", 10_000), ",")+`]}`, "template_too_costly", "")
}

func TestANameThatSeveralFilesHaveIsRefused(t *testing.T) {
	t.Parallel()
	s := shelve(t, "{{include \"Clauses/Law\"}}", map[string]string{"Law": "new"})
	s.files["old"] = platen.File{ID: "old", Name: "Law", Parent: "folder", MIMEType: platen.MIMEDocs}
	s.failsWith(t, "two files", "{}", "include_ambiguous", `{{include "Clauses/Law"}}, in "Contract"`)
	delete(s.files, "old")
	s.files["folder2"] = platen.File{ID: "folder2", Name: "Clauses", Parent: "root", MIMEType: platen.MIMEFolder}
	s.failsWith(t, "two folders", "{}", "include_ambiguous", "several files or folders")
}

// A file with damage that shows when it is put in is no fault that time cures.
func TestADamagedDocumentIsRefused(t *testing.T) {
	t.Parallel()
	s := shelve(t, "{{include \"Clauses/Law\"}}", map[string]string{"Law": "x"})
	s.contents["clause-Law"] = docx(t, "x",
		[2]string{"word/_rels/document.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`},
		[2]string{"word/styles.xml", `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style></w:styles>`})
	s.failsWith(t, "damaged styles", "{}", "include_unusable", "is not valid XML")
}
