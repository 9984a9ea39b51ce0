package pml

import (
	"archive/zip"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/officetest"
	"github.com/platenhq/platen/internal/office/opc"
)

// deck is a presentation of one slide with its layout, master and theme. What is
// empty is there without shapes.
type deck struct {
	main                  string            // in p:presentation, behind the list of slides
	slide, layout, master string            // whole elements: see page
	theme                 string            // in a:themeElements
	tableStyles           string            // in a:tblStyleLst
	parts                 map[string]string // further ones by their whole names
	relations             string            // further ones of the slide: see relation
}

// page is a slide, a layout or a master with attributes, a background, shapes and
// what stands behind them.
func page(tag, attributes, background, shapes, more string) string {
	return `<p:` + tag + ` ` + officetest.SlideNamespaces + ` ` + attributes + `><p:cSld>` + background + `<p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/></p:nvGrpSpPr><p:grpSpPr/>` + shapes + `</p:spTree></p:cSld>` + more + `</p:` + tag + `>`
}

func sld(shapes string) string    { return page("sld", "", "", shapes, "") }
func layout(shapes string) string { return page("sldLayout", "", "", shapes, "") }
func master(shapes string) string { return page("sldMaster", "", "", shapes, "") }

// relation is one relationship; the target of an internal one begins with a slash.
func relation(id, kind, target string) string {
	mode := ""
	if target[0] != '/' {
		mode = ` TargetMode="External"`
	}
	return `<Relationship Id="` + id + `" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/` + kind + `" Target="` + target + `"` + mode + `/>`
}

func relations(list string) string { return officetest.RelationsStart + list + `</Relationships>` }

// The parts of a deck.
const (
	mainPart   = "ppt/presentation.xml"
	slidePart  = "ppt/slides/slide1.xml"
	layoutPart = "ppt/slideLayouts/slideLayout1.xml"
	masterPart = "ppt/slideMasters/slideMaster1.xml"
	themePart  = "ppt/theme/theme1.xml"
)

const slideList = `<p:sldIdLst><p:sldId id="256" r:id="s1"/></p:sldIdLst>`

func (k deck) files() map[string]string {
	or := func(s, absent string) string {
		if s == "" {
			return absent
		}
		return s
	}
	files := map[string]string{
		"[Content_Types].xml":              officetest.TypesStart + `<Override PartName="/` + mainPart + `" ContentType="` + officetest.SlidesMain + `"/></Types>`,
		"_rels/.rels":                      relations(relation("m", "officeDocument", "/"+mainPart)),
		mainPart:                           `<p:presentation ` + officetest.SlideNamespaces + `>` + slideList + k.main + `</p:presentation>`,
		"ppt/_rels/presentation.xml.rels":  relations(relation("s1", "slide", "/"+slidePart) + relation("t", "tableStyles", "/ppt/tableStyles.xml")),
		"ppt/tableStyles.xml":              `<a:tblStyleLst ` + officetest.SlideNamespaces + `>` + k.tableStyles + `</a:tblStyleLst>`,
		slidePart:                          or(k.slide, sld("")),
		"ppt/slides/_rels/slide1.xml.rels": relations(relation("l", "slideLayout", "/"+layoutPart) + k.relations),
		layoutPart:                         or(k.layout, layout("")),
		"ppt/slideLayouts/_rels/slideLayout1.xml.rels": relations(relation("m", "slideMaster", "/"+masterPart)),
		masterPart: or(k.master, master("")),
		"ppt/slideMasters/_rels/slideMaster1.xml.rels": relations(relation("t", "theme", "/"+themePart)),
		themePart: `<a:theme ` + officetest.SlideNamespaces + `><a:themeElements>` + k.theme + `</a:themeElements></a:theme>`,
	}
	maps.Copy(files, k.parts)
	return files
}

func (k deck) open(t *testing.T) *opc.Package {
	t.Helper()
	p, err := opc.ReadPackage(officetest.Pack(t, zip.Store, k.files()))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (k deck) read(t *testing.T) *Presentation {
	t.Helper()
	pres, err := ResolvePresentation(k.open(t))
	if err != nil {
		t.Fatal(err)
	}
	return pres
}

// first is the first shape of the deck's slide.
func (k deck) first(t *testing.T) *Shape {
	t.Helper()
	shapes := k.read(t).Slides[0].Shapes
	if len(shapes) == 0 {
		t.Fatal("the slide has no shape")
	}
	return shapes[0]
}

// sp is a p:sp with a p:nvPr, properties and what stands behind them.
func sp(nvPr, spPr, more string) string {
	return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Box"/><p:cNvSpPr/><p:nvPr>` + nvPr + `</p:nvPr></p:nvSpPr><p:spPr>` + spPr + `</p:spPr>` + more + `</p:sp>`
}

// named is a plain shape of that name.
func named(name string) string {
	return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="` + name + `"/><p:nvPr/></p:nvSpPr><p:spPr/></p:sp>`
}

func names(shapes []*Shape) []string {
	var out []string
	for _, s := range shapes {
		out = append(out, s.Name)
	}
	return out
}

// frame is an a:xfrm at a place in points.
func frame(x, y, w, h int) string { return turned("", x, y, w, h) }

// turned is a frame with attributes.
func turned(attributes string, x, y, w, h int) string {
	return fmt.Sprintf(`<a:xfrm %s><a:off x="%d" y="%d"/><a:ext cx="%d" cy="%d"/></a:xfrm>`, attributes, x*dml.EMUPerPoint, y*dml.EMUPerPoint, w*dml.EMUPerPoint, h*dml.EMUPerPoint)
}

// solid is a fill by a colour in hexadecimal digits.
func solid(color string) string {
	return `<a:solidFill><a:srgbClr val="` + color + `"/></a:solidFill>`
}

// Colours that many tests use.
var (
	red   = dml.RGB{R: 255}
	green = dml.RGB{G: 255}
	blue  = dml.RGB{B: 255}
	white = dml.RGB{R: 255, G: 255, B: 255}
)

// wantColor wants a fill by one colour.
func wantColor(t *testing.T, what string, got *dml.ShapeFill, want dml.RGB) {
	t.Helper()
	if got == nil || got.Kind != dml.FillSolid || got.Color != want {
		t.Errorf("%s: got the fill %+v, want %v", what, got, want)
	}
}

// wantNoFill wants nothing to be painted.
func wantNoFill(t *testing.T, what string, got *dml.ShapeFill) {
	t.Helper()
	if got != nil && got.Kind != dml.FillNone {
		t.Errorf("%s: got the fill %+v, want none", what, got)
	}
}

// graphicFrame is a p:graphicFrame with a p:xfrm's content and an a:graphic's.
func graphicFrame(xfrm, graphic string) string {
	return `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="7" name="x"/></p:nvGraphicFramePr><p:xfrm>` + xfrm + `</p:xfrm><a:graphic>` + graphic + `</a:graphic></p:graphicFrame>`
}

// themedStyles are a fill and a line of a theme, in the colour of the reference.
const themedStyles = `<a:fmtScheme name="x"><a:fillStyleLst><a:solidFill><a:schemeClr val="phClr"/></a:solidFill></a:fillStyleLst><a:lnStyleLst><a:ln w="38100"><a:solidFill><a:schemeClr val="phClr"/></a:solidFill></a:ln></a:lnStyleLst></a:fmtScheme>`

// group is a p:grpSp with properties and shapes.
func group(grpSpPr, shapes string) string {
	return `<p:grpSp><p:nvGrpSpPr><p:cNvPr id="3" name="G"/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr>` + grpSpPr + `</p:grpSpPr>` + shapes + `</p:grpSp>`
}

// groupFrame is the a:xfrm of a group at a place of a size, for children of a
// size that begin at a place. All are points.
func groupFrame(x, y, w, h, childX, childY, childW, childH int) string {
	inner := strings.NewReplacer("a:off", "a:chOff", "a:ext", "a:chExt").Replace(frame(childX, childY, childW, childH))
	inner = inner[strings.Index(inner, "<a:chOff"):]
	return strings.Replace(frame(x, y, w, h), "</a:xfrm>", inner, 1)
}

// level is the first level of a list of styles: a size in points.
func level(size int) string {
	return fmt.Sprintf(`<a:lvl1pPr><a:defRPr sz="%d00"/></a:lvl1pPr>`, size)
}

// table is a shape with an a:tbl: its properties, the widths of its columns in
// points and its rows.
func table(tblPr string, columns []int, rows ...string) string {
	grid := ""
	for _, w := range columns {
		grid += fmt.Sprintf(`<a:gridCol w="%d"/>`, w*dml.EMUPerPoint)
	}
	return graphicFrame("", `<a:graphicData uri="x/table"><a:tbl>`+tblPr+`<a:tblGrid>`+grid+`</a:tblGrid>`+strings.Join(rows, "")+`</a:tbl></a:graphicData>`)
}

// tr is a row of that many points, tc a cell with attributes and properties.
func tr(height int, cells ...string) string {
	return fmt.Sprintf(`<a:tr h="%d">`, height*dml.EMUPerPoint) + strings.Join(cells, "") + `</a:tr>`
}

func tc(attributes, tcPr string) string {
	return `<a:tc ` + attributes + `><a:txBody><a:bodyPr/><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody>` + tcPr + `</a:tc>`
}

// cellOf reads the only cell of a table with properties.
func cellOf(t *testing.T, k deck, tblPr, attributes, tcPr string) *SlideCell {
	t.Helper()
	k.slide = sld(table(tblPr, []int{10}, tr(10, tc(attributes, tcPr))))
	return k.first(t).Table.Rows[0].Cells[0]
}

// parse reads one element.
func parse(t *testing.T, source string) *etree.Element {
	t.Helper()
	doc := etree.NewDocument()
	if err := doc.ReadFromString(source); err != nil {
		t.Fatalf("parse %s: %v", source, err)
	}
	return doc.Root()
}
