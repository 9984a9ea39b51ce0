package officetest_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/office/officetest"
	"github.com/platenhq/platen/internal/office/opc"
)

func TestPartsArePackedInTheOrderOfTheirNames(t *testing.T) {
	t.Parallel()
	parts := map[string]string{"c.xml": "<c/>", "a/b.xml": "<b/>", "a/a.xml": "", "[x].xml": "<x/>"}
	for method, packed := range map[uint16][]byte{zip.Deflate: officetest.Zip(t, parts), zip.Store: officetest.Pack(t, zip.Store, parts)} {
		archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range archive.File {
			names = append(names, f.Name)
			if f.Method != method {
				t.Errorf("%s is packed by method %d, want %d", f.Name, f.Method, method)
			}
			if got := read(t, f); got != parts[f.Name] {
				t.Errorf("%s holds %q, want %q", f.Name, got, parts[f.Name])
			}
		}
		if want := []string{"[x].xml", "a/a.xml", "a/b.xml", "c.xml"}; !slices.Equal(names, want) {
			t.Errorf("got the parts %q, want %q", names, want)
		}
	}
}

func read(t *testing.T, f *zip.File) string {
	t.Helper()
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestDocumentsHaveABodyAndStories(t *testing.T) {
	t.Parallel()
	p, err := opc.ReadPackage(officetest.Zip(t, officetest.WordParts(`<w:p id="1"/>`, map[string]string{"header1": "<w:p/>", "footer22": "", "footnotes": "", "endnotes": ""})))
	if err != nil {
		t.Fatal(err)
	}
	main := p.MainPart()
	if got := p.ContentType(main); main != "word/document.xml" || got != officetest.WordMain {
		t.Errorf("the main part is %s of type %s, want word/document.xml of %s", main, got, officetest.WordMain)
	}
	doc, err := p.XML(main)
	if err != nil {
		t.Fatal(err)
	}
	if doc.FindElement("/document/body/p[@id='1']") == nil || doc.FindElement("/document/body/sectPr") == nil {
		t.Error("the body lacks the paragraph or the section")
	}
	for id, want := range map[string][3]string{"header1": {"header", "hdr", "p"}, "footer22": {"footer", "ftr", ""}, "footnotes": {"footnotes", "footnotes", ""}, "endnotes": {"endnotes", "endnotes", ""}} {
		rel, ok := p.Relationship(main, id)
		if !ok || rel.Type != want[0] || rel.Target != "word/"+id+".xml" {
			t.Errorf("%s: got the relationship %+v, want one of type %s", id, rel, want[0])
			continue
		}
		story, err := p.XML(rel.Target)
		if err != nil {
			t.Fatal(err)
		}
		if root := story.Root(); root.Tag != want[1] || root.Space != "w" || (root.SelectElement("p") != nil) != (want[2] != "") {
			t.Errorf("%s: the root is %s with %d elements, want %s", id, root.Tag, len(root.ChildElements()), want[1])
		}
	}
}

// failing is a test that notes what ended it.
type failing struct {
	testing.TB
	because string
}

func (f *failing) Helper() {}

func (f *failing) Fatal(args ...any) {
	f.because = fmt.Sprint(args...)
	runtime.Goexit()
}

func TestWhatCannotBePackedEndsTheTest(t *testing.T) {
	t.Parallel()
	for name, pack := range map[string]func(testing.TB){
		"an unknown method":      func(t testing.TB) { officetest.Pack(t, 99, map[string]string{"a.xml": "<a/>"}) },
		"a folder with contents": func(t testing.TB) { officetest.Pack(t, zip.Store, map[string]string{"a/": "<a/>"}) },
	} {
		inner := &failing{}
		done := make(chan struct{})
		go func() {
			defer close(done)
			pack(inner)
		}()
		if <-done; inner.because == "" {
			t.Errorf("%s was packed", name)
		}
	}
}
