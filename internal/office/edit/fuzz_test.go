package edit

import (
	"errors"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/blank"
	"github.com/platenhq/platen/internal/office/officetest"
	"github.com/platenhq/platen/internal/office/opc"
)

func FuzzReplaceTextInPackage(f *testing.F) {
	f.Add(officetest.Zip(f, officetest.WordParts(`<w:p><w:r><w:t>{{A}}</w:t></w:r></w:p>`, map[string]string{"header1": `<w:p/>`})))
	for _, build := range []func() ([]byte, error){blank.Document, blank.Presentation} {
		data, err := build()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := opc.ReadPackage(data)
		if err != nil {
			var fault *opc.FormatError
			if !errors.As(err, &fault) {
				t.Fatalf("got %v, want a FormatError", err)
			}
			return
		}
		if _, err := ReplaceText(p, "a", "b\n\tc", false); err != nil {
			return
		}
		out, err := p.Bytes()
		if err != nil {
			return
		}
		if _, err := opc.ReadPackage(out); err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
	})
}

// FuzzReplaceText looks for replacements that lose or invent text.
func FuzzReplaceText(f *testing.F) {
	f.Add("ab", "c{{x", "}}d", "{{x}}", "v\nw")
	f.Add("", "a", "a", "A", "")
	f.Fuzz(func(t *testing.T, one, two, three, find, with string) {
		clean := func(s string) string {
			return strings.NewReplacer("\n", "", "\v", "", "\t", "", ObjectCharacter, "").Replace(cleanText(strings.ToValidUTF8(s, "")))
		}
		one, two, three, find = clean(one), clean(two), clean(three), clean(find)
		if find == "" {
			return
		}
		word := wordFile(t, `<w:p><w:r><w:t/></w:r><w:r><w:t/></w:r><w:r><w:t/></w:r></w:p>`, nil)
		checkReplacement(t, word, document, "//w:t", []string{one, two, three}, find, with)
		slides := slideFile(t, `<p:sp><p:txBody><a:p><a:r><a:t/></a:r><a:r><a:t/></a:r><a:r><a:t/></a:r></a:p></p:txBody></p:sp>`, "")
		checkReplacement(t, slides, slide, "//a:t", []string{one, two, three}, find, with)
	})
}

// checkReplacement compares a replacement over three runs with one in a string.
func checkReplacement(t *testing.T, p *opc.Package, part, path string, runs []string, find, with string) {
	t.Helper()
	tree, err := p.XML(part)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range tree.FindElements(path) {
		e.CreateAttr("xml:space", "preserve")
		setCharData(e, runs[i])
	}
	p.Touch(part)
	p = reread(t, p)
	whole := strings.Join(texts(t, p, part), "\n")
	if _, err := ReplaceText(p, find, with, true); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(texts(t, reread(t, p), part), "\n")
	if want := strings.ReplaceAll(whole, find, cleanText(with)); got != want {
		t.Errorf("%s: %q for %q in %q\n got %q\nwant %q", part, with, find, whole, got, want)
	}
}
