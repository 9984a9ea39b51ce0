package render_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/beevik/etree"
	"pgregory.net/rapid"

	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/flow"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
	"github.com/platenhq/platen/internal/render/slide"
	"github.com/platenhq/platen/internal/testkit/property"
)

// examples are the files that come with the project, and a document with what
// those do not have.
func examples(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{"sample.docx": rendertest.SampleDocument(t), "shapes.docx": rendertest.Docx{Body: shapedBody}.Bytes(t)}
	for _, name := range []string{"invoice.docx", "letter.docx", "offer.pptx"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "examples", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	return files
}

// shapedBody has a shape with text, a group, VML, a formula and a frame.
const shapedBody = `<w:p><w:r><w:drawing><wp:anchor distT="0" behindDoc="0"><wp:positionH relativeFrom="page"><wp:posOffset>1000000</wp:posOffset></wp:positionH><wp:positionV relativeFrom="paragraph"><wp:align>top</wp:align></wp:positionV><wp:extent cx="1000000" cy="500000"/><wp:wrapSquare wrapText="bothSides"/><a:graphic><a:graphicData><wps:wsp><wps:spPr><a:xfrm rot="60000"><a:off x="0" y="0"/><a:ext cx="1000000" cy="500000"/></a:xfrm><a:prstGeom prst="ellipse"/><a:gradFill><a:gsLst><a:gs pos="0"><a:srgbClr val="FF0000"/></a:gs><a:gs pos="100000"><a:srgbClr val="00FF00"/></a:gs></a:gsLst></a:gradFill><a:ln w="12700"><a:solidFill><a:srgbClr val="000000"/></a:solidFill></a:ln></wps:spPr><wps:txbx><w:txbxContent><w:p><w:r><w:t>inside</w:t></w:r></w:p></w:txbxContent></wps:txbx><wps:bodyPr lIns="0" anchor="ctr"/></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></w:r></w:p>` +
	`<w:p><w:r><w:pict><v:group style="width:100pt;height:50pt" coordsize="100,50"><v:rect style="left:0;top:0;width:50;height:25" fillcolor="red"><v:textbox inset="0,0,0,0"><w:txbxContent><w:p><w:r><w:t>vml</w:t></w:r></w:p></w:txbxContent></v:textbox></v:rect></v:group></w:pict></w:r></w:p>` +
	`<w:p><w:pPr><w:framePr w:w="2000" w:wrap="around" w:vAnchor="text" w:hAnchor="margin" w:xAlign="center" w:y="1"/><w:tabs><w:tab w:val="right" w:pos="4000"/></w:tabs></w:pPr><w:r><w:t>framed</w:t><w:tab/></w:r></w:p>` +
	`<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>NUMPAGES</w:instrText><w:fldChar w:fldCharType="separate"/><w:t>1</w:t><w:fldChar w:fldCharType="end"/></w:r><m:oMath><m:r><m:t>x+1</m:t></m:r></m:oMath></w:p>`

// Programs put mc:AlternateContent around what other programs may not know;
// readers must see through it wherever it stands (ECMA-376 part 3, 7.5).
func TestAlternateContentAroundAnyElementChangesNothing(t *testing.T) {
	t.Parallel()
	files := examples(t)
	names := make([]string, 0, len(files))
	plain := map[string][]byte{}
	for name, data := range files {
		names = append(names, name)
		p, err := opc.ReadPackage(data)
		if err != nil {
			t.Fatal(err)
		}
		if plain[name], err = convert(p, name); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(names)
	property.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "file")
		p, err := opc.ReadPackage(files[name])
		if err != nil {
			t.Fatal(err)
		}
		part := rapid.SampledFrom(contentParts(t, files[name])).Draw(t, "part")
		tree, err := p.XML(part)
		if err != nil {
			t.Fatal(err)
		}
		elements := descendants(tree.Root(), nil)
		if len(elements) == 0 {
			return
		}
		wrap(rapid.SampledFrom(elements).Draw(t, "element"))
		pdf, err := convert(p, name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(pdf, plain[name]) {
			t.Fatalf("%s: the pages of %s changed", part, name)
		}
	})
}

func convert(p *opc.Package, name string) ([]byte, error) {
	if strings.HasSuffix(name, ".pptx") {
		pres, err := pml.ResolvePresentation(p)
		if err != nil {
			return nil, err
		}
		pdf, _, err := slide.Presentation(pdf.EmbeddedFonts(), pres, name)
		return pdf, err
	}
	d, err := wml.Resolve(p)
	if err != nil {
		return nil, err
	}
	pdf, _, err := flow.Document(pdf.EmbeddedFonts(), d, name)
	return pdf, err
}

// contentParts are the parts that conversions read, relations left out.
func contentParts(t *rapid.T, file []byte) []string {
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, ".xml") && !strings.HasPrefix(f.Name, "[") && !strings.HasPrefix(f.Name, "docProps/") && !strings.HasPrefix(f.Name, "customXml/") {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return names
}

func descendants(e *etree.Element, into []*etree.Element) []*etree.Element {
	for _, c := range e.ChildElements() {
		into = descendants(c, append(into, c))
	}
	return into
}

// wrap puts an element into the fallback of a choice that nobody understands,
// as PowerPoint for Mac does with pictures.
func wrap(e *etree.Element) {
	parent, at := e.Parent(), e.Index()
	parent.RemoveChildAt(at)
	around := etree.NewElement("mc:AlternateContent")
	around.CreateElement("mc:Choice").CreateAttr("Requires", "ma")
	around.CreateElement("mc:Fallback").AddChild(e)
	parent.InsertChildAt(at, around)
}
