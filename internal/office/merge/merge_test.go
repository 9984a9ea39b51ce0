package merge_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/merge"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/wml"
)

const (
	kind   = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	wordML = `application/vnd.openxmlformats-officedocument.wordprocessingml.`
	spaces = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
)

// A file is a small .docx: its body, styles, lists, notes, and further relationships.
type file struct{ body, styles, lists, notes, header, relations string }

func (f file) zip(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	add := func(name, content string) {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write([]byte(content))
	}
	override := func(part, what string) string {
		return `<Override PartName="/word/` + part + `.xml" ContentType="` + wordML + what + `+xml"/>`
	}
	add("[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>`+
		override("document", "document.main")+override("styles", "styles")+override("numbering", "numbering")+override("footnotes", "footnotes")+override("header1", "header")+`</Types>`)
	add("_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="d" Type="`+kind+`officeDocument" Target="word/document.xml"/></Relationships>`)
	relations := f.relations
	part := func(id, what, content string) {
		if content != "" {
			relations += `<Relationship Id="` + id + `" Type="` + kind + what + `" Target="` + map[string]string{"header": "header1"}[what] + map[bool]string{true: what}[what != "header"] + `.xml"/>`
		}
	}
	part("s", "styles", f.styles)
	part("n", "numbering", f.lists)
	part("f", "footnotes", f.notes)
	part("h", "header", f.header)
	add("word/document.xml", `<w:document`+spaces+`><w:body>`+f.body+`<w:sectPr/></w:body></w:document>`)
	add("word/_rels/document.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`+relations+`</Relationships>`)
	for name, content := range map[string]string{"styles": f.styles, "numbering": f.lists, "footnotes": f.notes} {
		if content != "" {
			add("word/"+name+".xml", `<w:`+name+spaces+`>`+content+`</w:`+name+`>`)
		}
	}
	if f.header != "" {
		add("word/header1.xml", `<w:hdr`+spaces+`>`+f.header+`</w:hdr>`)
	}
	add("word/media/image1.png", "picture of "+f.body[:min(len(f.body), 40)])
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func (f file) open(t testing.TB) *opc.Package {
	t.Helper()
	p, err := opc.ReadPackage(f.zip(t))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func para(text string, properties ...string) string {
	return `<w:p><w:pPr>` + strings.Join(properties, "") + `</w:pPr><w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
}

func style(id, name, more string) string {
	return `<w:style w:type="paragraph" w:styleId="` + id + `"><w:name w:val="` + name + `"/>` + more + `</w:style>`
}

// merged puts files in the place of the paragraph @, and reads the result.
func merged(t testing.TB, into file, files ...file) (*opc.Package, string) {
	t.Helper()
	p := into.open(t)
	var sources []merge.Source
	for i, f := range files {
		sources = append(sources, merge.Source{Name: fmt.Sprintf("Clause%d", i+1), Package: f.open(t)})
	}
	if _, err := merge.Into(p, func(text string) ([]merge.Source, bool, error) { return sources, text == "@", nil }); err != nil {
		t.Fatal(err)
	}
	written, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wml.ReadDocument(written); err != nil {
		t.Fatalf("read what was merged: %v", err)
	}
	if p, err = opc.ReadPackage(written); err != nil {
		t.Fatal(err)
	}
	main, _ := p.Part(p.MainPart())
	return p, string(main)
}

func partOf(t testing.TB, p *opc.Package, name string) string {
	t.Helper()
	data, ok := p.Part(name)
	if !ok {
		t.Fatalf("no part %s", name)
	}
	return string(data)
}

func texts(t testing.TB, p *opc.Package) string {
	t.Helper()
	all, err := merge.Texts(p)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "|")
}

func TestFilesTakeThePlaceOfParagraphs(t *testing.T) {
	t.Parallel()
	table := `<w:tbl><w:tr><w:tc>` + para("@") + `</w:tc></w:tr></w:tbl>`
	p, _ := merged(t, file{body: para("a") + para("@") + para("b") + table, header: para("@")},
		file{body: para("one") + para("two")}, file{body: `<w:tbl><w:tr><w:tc>` + para("three") + `</w:tc></w:tr></w:tbl><w:p/>`})
	if got, want := texts(t, p), "a|one|two|three||b|one|two|three||one|two|three|"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	p, _ = merged(t, file{body: para("a") + para("@") + table})
	if got, want := texts(t, p), "a|"; got != want {
		t.Errorf("of no files: got %s, want %s", got, want)
	}
}

func TestEqualStylesAreKeptAndOthersRenamed(t *testing.T) {
	t.Parallel()
	p, main := merged(t,
		file{body: para("@"), styles: style("H1", "heading 1", `<w:rPr><w:b/></w:rPr>`) + style("Own", "Clause", `<w:rPr><w:i/></w:rPr>`)},
		file{body: para("a", `<w:pStyle w:val="Heading1"/>`) + para("b", `<w:pStyle w:val="C"/>`) + para("c", `<w:pStyle w:val="New"/>`),
			styles: style("Heading1", "heading 1", `<w:qFormat/><w:rPr><w:b/></w:rPr>`) + style("C", "Clause", `<w:rPr><w:u w:val="single"/></w:rPr>`) + style("New", "New", `<w:basedOn w:val="C"/>`)})
	for _, want := range []string{`<w:pStyle w:val="H1"/>`, `<w:pStyle w:val="C-1"/>`, `<w:pStyle w:val="New"/>`} {
		if !strings.Contains(main, want) {
			t.Errorf("got %s without %s", main, want)
		}
	}
	styles := partOf(t, p, "word/styles.xml")
	for _, want := range []string{`<w:name w:val="Clause (Clause1)"/><w:rPr><w:u w:val="single"/></w:rPr>`, `<w:name w:val="New"/><w:basedOn w:val="C-1"/>`, `w:styleId="Own"><w:name w:val="Clause"/><w:rPr><w:i/></w:rPr>`} {
		if !strings.Contains(styles, want) {
			t.Errorf("got %s without %s", styles, want)
		}
	}
	if strings.Count(styles, "heading 1") != 1 {
		t.Errorf("got %s with two headings", styles)
	}
}

func TestParagraphsKeepTheDefaultsOfTheirFile(t *testing.T) {
	t.Parallel()
	normal := `<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>`
	defaults := func(size string) string {
		return `<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="` + size + `"/></w:rPr></w:rPrDefault></w:docDefaults>`
	}
	p, main := merged(t, file{body: para("@"), styles: defaults("20") + normal}, file{body: para("a"), styles: defaults("28") + normal})
	if !strings.Contains(main, `<w:pStyle w:val="Normal-1"/>`) || !strings.Contains(partOf(t, p, "word/styles.xml"), `w:customStyle="1"><w:name w:val="Normal (Clause1)"/><w:rPr><w:sz w:val="28"/></w:rPr>`) {
		t.Errorf("got %s with %s", main, partOf(t, p, "word/styles.xml"))
	}
	_, main = merged(t, file{body: para("@"), styles: defaults("20") + normal}, file{body: para("a"), styles: defaults("20") + normal})
	if strings.Contains(main, "pStyle") {
		t.Errorf("of equal defaults: got %s", main)
	}
}

func TestListsOfEachCopyBeginAgain(t *testing.T) {
	t.Parallel()
	lists := `<w:abstractNum w:abstractNumId="0"><w:nsid w:val="11111111"/><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`
	entry := para("x", `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>`)
	clause := file{body: entry + entry, lists: lists}
	p, main := merged(t, file{body: entry + para("@"), lists: lists}, clause, clause)
	for id, want := range map[string]int{"1": 1, "2": 2, "3": 2} {
		if got := strings.Count(main, `<w:numId w:val="`+id+`"/>`); got != want {
			t.Errorf("list %s: got %d entries, want %d in %s", id, got, want, main)
		}
	}
	if got := partOf(t, p, "word/numbering.xml"); strings.Count(got, "11111111") != 1 || strings.Count(got, "<w:abstractNum ") != 3 {
		t.Errorf("got %s", got)
	}
}

func TestPicturesLinksNotesAndBookmarksComeAlong(t *testing.T) {
	t.Parallel()
	relations := `<Relationship Id="p" Type="` + kind + `image" Target="media/image1.png"/><Relationship Id="l" Type="` + kind + `hyperlink" Target="https://example.com/" TargetMode="External"/>`
	note := `<w:footnote w:id="2">` + para("said") + `</w:footnote>`
	clause := file{
		body:      `<w:p><w:bookmarkStart w:id="0" w:name="here"/><w:bookmarkEnd w:id="0"/><w:hyperlink r:id="l"><w:r><w:t>link</w:t></w:r></w:hyperlink><w:hyperlink w:anchor="here"/><w:r><w:pict r:id="p"/></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`,
		relations: relations, notes: note,
	}
	p, main := merged(t, file{body: `<w:p><w:bookmarkStart w:id="7" w:name="here"/><w:bookmarkEnd w:id="7"/></w:p>` + para("@"), relations: relations, notes: note}, clause)
	for _, want := range []string{`w:id="8" w:name="here_1"`, `w:anchor="here_1"`, `<w:bookmarkEnd w:id="8"/>`, `<w:footnoteReference w:id="3"/>`} {
		if !strings.Contains(main, want) {
			t.Errorf("got %s without %s", main, want)
		}
	}
	if got := partOf(t, p, "word/footnotes.xml"); strings.Count(got, "said") != 2 {
		t.Errorf("got %s", got)
	}
	if got := partOf(t, p, "word/media/image2.png"); !strings.HasPrefix(got, "picture of <w:p><w:bookmarkStart w:id=\"0\"") {
		t.Errorf("got the picture %q", got)
	}
	if _, main = merged(t, file{body: para("x"), header: para("@")}, clause); strings.Contains(main, "footnoteReference") {
		t.Errorf("a note of a header: got %s", main)
	}
}

func TestASectionOfAFileIsAPageBreak(t *testing.T) {
	t.Parallel()
	_, main := merged(t, file{body: para("a") + para("@")}, file{body: para("b", `<w:sectPr><w:pgSz w:w="100"/></w:sectPr>`) + para("c")})
	if strings.Contains(main, "pgSz") || !strings.Contains(main, `<w:pPr><w:pageBreakBefore/></w:pPr><w:r><w:t xml:space="preserve">c<`) {
		t.Errorf("got %s", main)
	}
}

// All parts that nothing is put into stay as they were.
func TestTheRestOfTheFileStaysByteForByte(t *testing.T) {
	t.Parallel()
	into := file{body: para("a") + para("@"), header: para("head"), notes: `<w:footnote w:id="2">` + para("n") + `</w:footnote>`}
	before := into.open(t)
	after, _ := merged(t, into, file{body: para("x")})
	for _, part := range []string{"word/header1.xml", "word/footnotes.xml", "word/media/image1.png", "_rels/.rels"} {
		if partOf(t, before, part) != partOf(t, after, part) {
			t.Errorf("%s has changed", part)
		}
	}
	first, _ := into.open(t).Bytes()
	one, _ := after.Bytes()
	again, _ := merged(t, into, file{body: para("x")})
	two, _ := again.Bytes()
	if !bytes.Equal(one, two) || bytes.Equal(one, first) {
		t.Error("the same files gave other bytes")
	}
}

// Fields lead to the bookmarks of their own file, however they are written.
func TestFieldsLeadToBookmarksByTheirNewNames(t *testing.T) {
	t.Parallel()
	marked := `<w:p><w:bookmarkStart w:id="1" w:name="Sum"/><w:r><w:t>x</w:t></w:r><w:bookmarkEnd w:id="1"/></w:p>`
	fields := `<w:p><w:fldSimple w:instr=" REF Sum \h "><w:r><w:t>x</w:t></w:r></w:fldSimple><w:r><w:instrText> HYPERLINK \l "Sum" </w:instrText></w:r></w:p>`
	_, main := merged(t, file{body: marked + para("@")}, file{body: marked + fields})
	for _, want := range []string{` REF Sum_1 `, `"Sum_1"`} {
		if !strings.Contains(strings.ReplaceAll(main, "&quot;", `"`), want) {
			t.Errorf("got %s, want %s in it", main, want)
		}
	}
}
