package wml

import (
	"strings"
	"testing"

	"github.com/beevik/etree"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/officetest"
)

const namespaces = officetest.WordNamespaces + ` ` +
	`xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
	`xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" ` +
	`xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" ` +
	`xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" ` +
	`xmlns:o="urn:schemas-microsoft-com:office:office" ` +
	`xmlns:w10="urn:schemas-microsoft-com:office:word" ` +
	`xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml" ` +
	`xmlns:wpg="http://schemas.microsoft.com/office/word/2010/wordprocessingGroup" ` +
	`xmlns:wpc="http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas"`

// docx is a small .docx: what stands inside the roots of its parts. A part
// without content is not in the file.
type docx struct {
	body, section                  string // section is inside the body's last w:sectPr
	background                     string // what stands in front of the body
	styles, lists, settings, theme string
	stories                        map[string]string // as officetest.WordParts takes them
	relations                      string            // further relationships of the main part
	parts                          map[string]string // further parts by their full names
}

func (f docx) data(t *testing.T) []byte {
	t.Helper()
	parts := officetest.WordParts("", f.stories)
	parts["word/document.xml"] = `<w:document ` + namespaces + `>` + f.background +
		`<w:body>` + f.body + `<w:sectPr>` + f.section + `</w:sectPr></w:body></w:document>`
	relations := f.relations
	for _, part := range []struct{ kind, root, content string }{
		{"styles", "w:styles", f.styles}, {"numbering", "w:numbering", f.lists}, {"settings", "w:settings", f.settings}, {"theme", "a:theme", f.theme},
	} {
		if part.content != "" {
			parts["word/"+part.kind+".xml"] = "<" + part.root + " " + namespaces + ">" + part.content + "</" + part.root + ">"
			relations += relation(part.kind, part.kind, part.kind+".xml")
		}
	}
	for name, content := range f.parts {
		parts[name] = content
	}
	const ofMain = "word/_rels/document.xml.rels"
	parts[ofMain] = strings.Replace(parts[ofMain], "</Relationships>", relations+"</Relationships>", 1)
	return officetest.Zip(t, parts)
}

func (f docx) read(t *testing.T) *Document {
	t.Helper()
	d, err := ReadDocument(f.data(t))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func relation(id, kind, target string) string {
	return `<Relationship Id="` + id + `" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/` + kind + `" Target="` + target + `"/>`
}

// relationships is the part with these of another part.
func relationships(content string) string {
	return officetest.RelationsStart + content + `</Relationships>`
}

// outside is a relationship whose target is not in the file.
func outside(id, kind, target string) string {
	return strings.Replace(relation(id, kind, target), "/>", ` TargetMode="External"/>`, 1)
}

// resolved reads a document with these styles and lists.
func resolved(t *testing.T, body, styles, lists string, stories map[string]string) *Document {
	t.Helper()
	return docx{body: body, styles: styles, lists: lists, stories: stories}.read(t)
}

func paragraphsOf(blocks []Block) []*Paragraph {
	var out []*Paragraph
	for _, b := range blocks {
		if p, ok := b.(*Paragraph); ok {
			out = append(out, p)
		}
	}
	return out
}

// shownTexts are the texts of paragraphs, behind their labels.
func shownTexts(blocks []Block) []string {
	var out []string
	for _, p := range paragraphsOf(blocks) {
		text := p.Text()
		if p.Label != nil {
			text = p.Label.Text + " " + text
		}
		out = append(out, text)
	}
	return out
}

func firstParagraph(t *testing.T, d *Document) *Paragraph {
	t.Helper()
	paragraphs := paragraphsOf(d.Sections[0].Blocks)
	if len(paragraphs) == 0 {
		t.Fatal("the document has no paragraph")
	}
	return paragraphs[0]
}

func firstRun(t *testing.T, d *Document) *Run {
	t.Helper()
	p := firstParagraph(t, d)
	if len(p.Runs) == 0 {
		t.Fatal("the first paragraph has no run")
	}
	return p.Runs[0]
}

func firstTable(t *testing.T, d *Document) *Table {
	t.Helper()
	for _, b := range d.Sections[0].Blocks {
		if table, ok := b.(*Table); ok {
			return table
		}
	}
	t.Fatal("the document has no table")
	return nil
}

func text(s string) string { return `<w:r><w:t xml:space="preserve">` + s + `</w:t></w:r>` }

func para(pPr, content string) string {
	return `<w:p><w:pPr>` + pPr + `</w:pPr>` + content + `</w:p>`
}

// element parses one element, whose prefixes need no declaration.
func element(t *testing.T, xml string) *etree.Element {
	t.Helper()
	tree := etree.NewDocument()
	if err := tree.ReadFromString(xml); err != nil {
		t.Fatalf("%s: %v", xml, err)
	}
	return tree.Root()
}

// equal compares parts of models, without the way back to their XML.
func equal(t *testing.T, subject string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreTypes(&etree.Element{}), cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", subject, diff)
	}
}

// themedResolver knows Office's own theme, and nothing else.
func themedResolver() *resolver {
	return &resolver{doc: &Document{Theme: &dml.Theme{}}}
}

func rgb(r, g, b uint8) *dml.RGB { return &dml.RGB{R: r, G: g, B: b} }
