package opc

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/officetest"
)

func TestBytesKeepsUntouchedEntriesAsTheyAre(t *testing.T) {
	t.Parallel()
	parts := with("word/media/image 1.png", "not really a picture")
	parts["word/_rels/document.xml.rels"] = officetest.RelationsStart +
		`<Relationship Id="i" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/image" Target="media/image%201.png"/>` +
		`<Relationship Id="l" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" Target="https://example.com/a" TargetMode="External"/></Relationships>`
	data := officetest.Zip(t, parts)
	p := read(t, data)
	if same, err := p.Bytes(); err != nil || len(rawEntries(t, same)) != len(parts) {
		t.Fatalf("Bytes: %d entries, %v", len(rawEntries(t, same)), err)
	}
	if r, ok := p.Relationship("word/document.xml", "i"); !ok || r.Type != "image" || r.Target != "word/media/image 1.png" {
		t.Errorf("image relationship: %+v, %v", r, ok)
	}
	if r, _ := p.Relationship("/word/document.xml", "l"); !r.External || r.Target != "https://example.com/a" {
		t.Errorf("link relationship: %+v", r)
	}
	tree, err := p.XML("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	tree.FindElement("//w:p").CreateElement("w:r")
	p.SetPart("word/new.xml", "application/x-new+xml", []byte("<new/>"))
	untouched, _ := p.Bytes()
	if bytes.Contains(rawEntries(t, untouched)["word/document.xml"], []byte("w:r")) {
		t.Error("an edit without Touch was written")
	}
	p.Touch("word/document.xml")
	first, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := p.Bytes(); !bytes.Equal(first, again) {
		t.Error("the same package gives other bytes the second time")
	}
	before, after := rawEntries(t, data), rawEntries(t, first)
	for name := range before {
		changed := name == "word/document.xml" || name == contentTypesPart
		if got := !bytes.Equal(before[name], after[name]); got != changed {
			t.Errorf("%s: changed %v, want %v", name, got, changed)
		}
	}
	q := read(t, first)
	if got := q.ContentType("word/new.xml"); got != "application/x-new+xml" {
		t.Errorf("content type %q", got)
	}
	if got, _ := q.Part("WORD/New.xml"); string(got) != "<new/>" {
		t.Errorf("new part %q", got)
	}
	if got := q.ContentType("word/document.xml"); got != officetest.WordMain {
		t.Errorf("content type of the main part %q", got)
	}
}

func TestPartsAreFoundWithoutRegardToCaseOrSlash(t *testing.T) {
	t.Parallel()
	p := document(t, map[string]string{"word/Media/A.bin": "abc"})
	for _, name := range []string{"word/Media/A.bin", "/word/Media/A.bin", "WORD/media/a.BIN"} {
		if got, ok := p.Part(name); !p.Has(name) || !ok || string(got) != "abc" {
			t.Errorf("%s: got %q, %t; want abc", name, got, ok)
		}
	}
	if got, ok := p.Part("word/media/b.bin"); ok || p.Has("word/media/b.bin") {
		t.Errorf("a part that is not there: got %q", got)
	}
	_, err := p.XML("word/b.xml")
	wantFormatError(t, err, "incomplete: word/b.xml is missing")
}

func TestATreeIsSharedByAllWhoAskForIt(t *testing.T) {
	t.Parallel()
	p := document(t, nil)
	tree, err := p.XML(mainPart)
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.XML("/WORD/document.xml")
	if err != nil || again != tree {
		t.Errorf("got %p, %v the second time, want %p", again, err, tree)
	}
	if view, err := p.View(mainPart); err != nil || view != tree {
		t.Errorf("got %p, %v for reading, want %p", view, err, tree)
	}
}

func TestTouchDoesNothingForAPartThatNobodyRead(t *testing.T) {
	t.Parallel()
	const styles = `<w:styles  xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"></w:styles>`
	p := document(t, map[string]string{"word/styles.xml": styles})
	p.Touch("word/styles.xml")
	p.Touch("word/none.xml")
	if got := content(t, reread(t, p), "word/styles.xml"); got != styles {
		t.Errorf("got %q, want %q", got, styles)
	}
}

func TestPartGivesEditsOnceTheyAreTouched(t *testing.T) {
	t.Parallel()
	p := document(t, map[string]string{"word/styles.xml": "<a/>"})
	tree, err := p.XML("word/styles.xml")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"<a><b/></a>", "<a><b/><b/></a>"} {
		before := content(t, p, "word/styles.xml")
		tree.Root().CreateElement("b")
		if got := content(t, p, "word/styles.xml"); got != before {
			t.Errorf("edit %d without Touch: got %q, want %q", i, got, before)
		}
		p.Touch("word/styles.xml")
		if got := content(t, p, "word/styles.xml"); got != want {
			t.Errorf("edit %d: got %q, want %q", i, got, want)
		}
	}
	if got, want := content(t, reread(t, p), "word/styles.xml"), "<a><b/><b/></a>"; got != want {
		t.Errorf("written: got %q, want %q", got, want)
	}
}

func TestSetPartCutsOffTheTreeOfWhatItReplaces(t *testing.T) {
	t.Parallel()
	p := document(t, map[string]string{"word/styles.xml": "<a/>"})
	old, err := p.XML("word/styles.xml")
	if err != nil {
		t.Fatal(err)
	}
	old.Root().CreateElement("b")
	p.Touch("word/styles.xml")
	p.SetPart("/word/STYLES.xml", "", []byte("<new/>"))
	p.Touch("word/styles.xml")
	if got := content(t, p, "word/styles.xml"); got != "<new/>" {
		t.Errorf("got %q, want <new/>", got)
	}
	if tree, err := p.XML("word/styles.xml"); err != nil || tree == old || tree.Root().Tag != "new" {
		t.Errorf("got the tree of what was there before (%v)", err)
	}
	if written := rawEntries(t, bytesOf(t, p)); len(written) != len(officetest.WordParts("", nil))+1 {
		t.Errorf("got %d entries, want no more than before", len(written))
	}
}

func TestSetPartWithoutBytesMakesAnEmptyPart(t *testing.T) {
	t.Parallel()
	p := document(t, nil)
	p.SetPart("/word/new.bin", "", nil)
	if got := content(t, reread(t, p), "word/new.bin"); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
}

func TestSetPartOfRelationshipsChangesThem(t *testing.T) {
	t.Parallel()
	p := document(t, nil)
	if got := p.Relationships(mainPart); len(got) != 0 {
		t.Fatalf("got %v, want none", got)
	}
	p.SetPart("word/_rels/document.xml.rels", "", []byte(relations(`<Relationship Id="i" Type="x/image" Target="a.png"/>`)["word/_rels/document.xml.rels"]))
	if got, ok := p.Relationship(mainPart, "i"); !ok || got.Target != "word/a.png" {
		t.Errorf("got %+v, %t; want one to word/a.png", got, ok)
	}
}

// An override for a part wins over the default of its extension, in any order
// (ECMA-376 part 2, 7.2.3.3).
func TestTheContentTypeOfAPartIsItsOverrideOrItsExtensions(t *testing.T) {
	t.Parallel()
	p := document(t, map[string]string{"[Content_Types].xml": `<ct:Types xmlns:ct="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<ct:Override PartName="/word/a.xml" ContentType="x/own"/><ct:Default Extension="XML" ContentType="x/default"/><ct:Default Extension="png" ContentType="image/png"/>` +
		`<ct:Other PartName="/word/c.xml" Extension="jpg" ContentType="x/other"/></ct:Types>`})
	for name, want := range map[string]string{
		"word/a.xml": "x/own", "WORD/A.XML": "x/own", "word/b.xml": "x/default", "word/c.xml": "x/default", "a.PNG": "image/png",
		"a.jpg": "", "xml": "", "": "",
	} {
		if got := p.ContentType(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	p.SetPart("word/a.xml", "x/other", []byte("<a/>"))
	p.SetPart("word/b.xml", "x/default", []byte("<a/>"))
	p.SetPart("word/d.bin", "x/bytes", nil)
	p.SetPart("word/e.bin", "", nil)
	want := `<ct:Types xmlns:ct="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<ct:Override PartName="/word/a.xml" ContentType="x/other"/><ct:Default Extension="XML" ContentType="x/default"/><ct:Default Extension="png" ContentType="image/png"/>` +
		`<ct:Other PartName="/word/c.xml" Extension="jpg" ContentType="x/other"/><ct:Override PartName="/word/d.bin" ContentType="x/bytes"/></ct:Types>`
	if got := content(t, reread(t, p), contentTypesPart); got != want {
		t.Errorf("declared:\n got %s\nwant %s", got, want)
	}
}

func TestWithoutReadableContentTypesNothingHasOne(t *testing.T) {
	t.Parallel()
	p := document(t, nil)
	p.SetPart(contentTypesPart, "", []byte("<Types"))
	p.SetPart("word/new.bin", "x/bytes", []byte("new"))
	if got := p.ContentType("word/new.bin"); got != "" || content(t, p, "word/new.bin") != "new" || content(t, p, contentTypesPart) != "<Types" {
		t.Errorf("got the type %q, want none, and both parts as they were set", got)
	}
}

func TestClonesAreEditedApart(t *testing.T) {
	t.Parallel()
	const styles = "word/styles.xml"
	data := officetest.Zip(t, with(styles, "<a/>"))
	original := read(t, data)
	shared, err := original.XML(styles)
	if err != nil {
		t.Fatal(err)
	}
	one, two := original.Clone(), original.Clone()
	for _, clone := range []*Package{one, two} {
		if view, err := clone.View(styles); err != nil || view != shared {
			t.Errorf("a clone reads the tree %p, %v; want the one that is parsed, %p", view, err, shared)
		}
	}
	tree, err := one.XML(styles)
	if err != nil || tree == shared {
		t.Fatalf("a clone edits the shared tree %p (%v)", tree, err)
	}
	tree.Root().CreateElement("b")
	one.Touch(styles)
	if view, err := one.View(styles); err != nil || view != tree {
		t.Errorf("after an edit a clone reads %p, %v; want its own tree %p", view, err, tree)
	}
	two.Touch(styles)
	two.SetPart("word/_rels/document.xml.rels", "", []byte(officetest.RelationsStart+`<Relationship Id="i" Type="x/image" Target="a.png"/></Relationships>`))
	two.SetPart("word/new.bin", "", []byte("new"))
	if got := content(t, one, styles); got != "<a><b/></a>" {
		t.Errorf("the clone that was edited has %q, want <a><b/></a>", got)
	}
	if got := content(t, two, styles); got != "<a/>" {
		t.Errorf("the other clone has %q, want <a/>", got)
	}
	if got := one.Relationships(mainPart); len(got) != 0 || one.Has("word/new.bin") {
		t.Errorf("a clone has the new parts of another: %v", got)
	}
	third := original.Clone()
	written, err := third.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range rawEntries(t, data) {
		if got := rawEntries(t, written)[name]; !bytes.Equal(got, want) {
			t.Errorf("%s of a clone that nobody edited: got %q, want %q", name, got, want)
		}
	}
}

func TestUnpackStopsAtItsLimit(t *testing.T) {
	t.Parallel()
	picture := strings.Repeat("p", 1000)
	cases := []struct {
		name  string
		limit int
		want  int // bytes more in memory
	}{
		{"room for none", 9, 0},
		{"room for the small one", 10, 10},
		{"almost room for a large one", 999, 10},
		{"room for one", 1000, 1000},
		{"room for the first and the small one", 1999, 1010},
		{"room for all", 2010, 2010},
	}
	for _, c := range cases {
		p := document(t, map[string]string{"word/a.png": picture, "word/b.png": picture, "word/c.png": strings.Repeat("c", 10)})
		before := p.Size()
		p.Unpack(c.limit)
		if got := p.Size() - before; got != c.want {
			t.Errorf("%s: got %d bytes, want %d", c.name, got, c.want)
		}
	}
}

func TestUnpackLeavesWhatIsDamaged(t *testing.T) {
	t.Parallel()
	p := read(t, claiming(t, claim{name: "a.bin", packed: []byte("abc"), size: 5}, claim{name: "b.bin", packed: []byte("abc"), size: 4}))
	before := p.Size()
	p.Unpack(1 << 20)
	if got := p.Size(); got != before {
		t.Errorf("got %d bytes more, want none", got-before)
	}
	if _, ok := p.Part("a.bin"); ok {
		t.Error("a damaged part can be read")
	}
}

// Trees take about six times the bytes that they are read from.
func TestTheSizeOfAPackageGrowsWithWhatIsParsed(t *testing.T) {
	t.Parallel()
	styles := "<a>" + strings.Repeat("<b/>", 20) + "</a>"
	p := document(t, map[string]string{"word/styles.xml": styles})
	before := p.Size()
	if _, err := p.XML("word/styles.xml"); err != nil {
		t.Fatal(err)
	}
	if got, want := p.Size()-before, 6*len(styles); got != want {
		t.Errorf("a tree of %d bytes: got %d, want %d", len(styles), got, want)
	}
	if got, want := p.Clone().Size(), p.Size(); got != want {
		t.Errorf("a clone: got %d, want %d", got, want)
	}
	before = p.Size()
	p.SetPart("word/new.bin", "", make([]byte, 100))
	if got, want := p.Size()-before, 256+100; got != want {
		t.Errorf("a new part of 100 bytes: got %d, want %d", got, want)
	}
	if got := (&Package{}).Size(); got != 0 {
		t.Errorf("nothing: got %d, want 0", got)
	}
	packed := func(size int) int {
		return read(t, officetest.Pack(t, zip.Store, with("a.bin", strings.Repeat("x", size)))).Size()
	}
	if got := packed(700) - packed(300); got != 400 {
		t.Errorf("400 packed bytes more: got %d", got)
	}
}
