package flow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// rendered lays a document out and reads its words back with an independent reader.
func rendered(t *testing.T, d rendertest.Docx) ([]rendertest.Word, []render.Finding) {
	t.Helper()
	pdf, findings := laidOut(t, d)
	return rendertest.Words(t, pdf), findings
}

// laidOut lays a document out.
func laidOut(t *testing.T, d rendertest.Docx) ([]byte, []render.Finding) {
	t.Helper()
	return layOutModel(t, modelOf(t, d))
}

func layOutModel(t *testing.T, model *wml.Document) ([]byte, []render.Finding) {
	t.Helper()
	pdf, findings, err := Document(pdf.EmbeddedFonts(), model, "test")
	if err != nil {
		t.Fatal(err)
	}
	return pdf, findings
}

func modelOf(t *testing.T, d rendertest.Docx) *wml.Document {
	t.Helper()
	model, err := wml.ReadDocument(d.Bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// paintedDocument lays a document out and paints its first page.
func paintedDocument(t *testing.T, d rendertest.Docx) (rendertest.Pixels, []render.Finding) {
	t.Helper()
	pdf, findings := laidOut(t, d)
	return rendertest.Paint(t, pdf), findings
}

// Most tests lay out squared paper, on which every place can be computed: a page
// of 300 × 300 points with margins of 50, whose letters are 6 points wide (those
// of Courier New at 10 points) and whose lines are 20 points high, their
// baselines 16 below their tops. It holds 10 lines of 33 letters; the baselines
// are 66, 86 … 246.
const letter = 6.0

const squaredPage = `<w:pgSz w:w="6000" w:h="6000"/><w:pgMar w:top="1000" w:right="1000" w:bottom="1000" w:left="1000" w:header="200" w:footer="200"/>`

const courier = `<w:rFonts w:ascii="Courier New" w:hAnsi="Courier New"/>`

const squaredStyle = `<w:style w:type="paragraph" w:default="1" w:styleId="Squared"><w:name w:val="Normal"/><w:pPr><w:widowControl w:val="0"/><w:spacing w:line="400" w:lineRule="exact"/></w:pPr><w:rPr>` + courier + `</w:rPr></w:style>`

// onSquaredPaper puts a document on squared paper.
func onSquaredPaper(d rendertest.Docx) rendertest.Docx {
	d.Styles, d.Section = squaredStyle+d.Styles, d.Section+squaredPage
	return d
}

// pages lays a document out on squared paper.
func pages(t *testing.T, d rendertest.Docx) []sheet {
	t.Helper()
	pdf, _ := laidOut(t, onSquaredPaper(d))
	return sheets(t, pdf)
}

// sheetOf is the first of the pages of a body on squared paper.
func sheetOf(t *testing.T, body string) sheet {
	t.Helper()
	return pages(t, rendertest.Docx{Body: body})[0]
}

// places says where the texts of a document on squared paper stand, without the spaces at
// their ends, in the order in which they are drawn: "1: 50,66 text" is one on the first page, 50 points
// from the left, its baseline 66 from the top.
func places(t *testing.T, d rendertest.Docx) []string {
	t.Helper()
	var all []string
	for i, s := range pages(t, d) {
		for _, m := range s.all("text") {
			all = append(all, fmt.Sprintf("%d: %.0f,%.0f %s", i+1, m.left, m.top, m.text))
		}
	}
	return all
}

// wantPlaces wants the texts of a document at these places.
func wantPlaces(t *testing.T, d rendertest.Docx, want ...string) {
	t.Helper()
	if got := places(t, d); !slices.Equal(got, want) {
		t.Errorf("got the texts\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// lines is a paragraph for each of the words of a text.
func lines(words string) string { return linesOf("", words) }

func linesOf(properties, words string) string {
	var body strings.Builder
	for _, word := range strings.Fields(words) {
		body.WriteString(rendertest.Paragraph(properties, word))
	}
	return body.String()
}

// run is a w:r of a text.
func run(properties, text string) string {
	return `<w:r><w:rPr>` + properties + `</w:rPr><w:t xml:space="preserve">` + text + `</w:t></w:r>`
}

// paragraphOf is a w:p of any content.
func paragraphOf(properties, content string) string {
	return `<w:p><w:pPr>` + properties + `</w:pPr>` + content + `</w:p>`
}

// wantPages wants the words of a document on squared paper on these pages, which
// are parted by " | ".
func wantPages(t *testing.T, d rendertest.Docx, want string) {
	t.Helper()
	var got []string
	for _, s := range pages(t, d) {
		var words []string
		for _, m := range s.all("text") {
			words = append(words, strings.TrimSpace(m.text))
		}
		got = append(got, strings.Join(words, " "))
	}
	if strings.Join(got, " | ") != want {
		t.Errorf("got the pages\n  %s\nwant\n  %s", strings.Join(got, " | "), want)
	}
}

// inList puts a paragraph into the list that numbering defines.
const inList = `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>`

// numbering is a part with one list, "1.", "2." …, and more of its level.
func numbering(level string) map[string]string {
	return map[string]string{"numbering.xml": `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/>` + level +
		`</w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`}
}

// drawingOf is the first drawing of a document.
func drawingOf(t *testing.T, d *wml.Document) *wml.Drawing {
	t.Helper()
	for _, b := range d.Sections[0].Blocks {
		for _, r := range b.(*wml.Paragraph).Runs {
			for i := range r.Items {
				if r.Items[i].Drawing != nil {
					return r.Items[i].Drawing
				}
			}
		}
	}
	t.Fatal("no drawing")
	return nil
}

// brokenParagraph is one with a line for each of its words.
func brokenParagraph(properties, words string) string {
	return paragraphOf(properties, strings.Join(runs(words), `<w:r><w:br/></w:r>`))
}

func runs(words string) []string {
	var all []string
	for _, word := range strings.Fields(words) {
		all = append(all, run("", word))
	}
	return all
}

func rowOf(properties string, cells ...string) string {
	return `<w:tr><w:trPr>` + properties + `</w:trPr><w:tc>` + strings.Join(cells, `</w:tc><w:tc>`) + `</w:tc></w:tr>`
}

func tableOf(rows ...string) string {
	return `<w:tbl><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid>` + strings.Join(rows, "") + `</w:tbl>`
}

func cell(properties, text string) string {
	return `<w:tc><w:tcPr>` + properties + `</w:tcPr>` + rendertest.Paragraph("", text) + `</w:tc>`
}

func mergedCell(kind, text string) string { return cell(`<w:vMerge w:val="`+kind+`"/>`, text) }

// sectionEnd is a paragraph that ends a section on squared paper.
func sectionEnd(properties string) string {
	return `<w:p><w:pPr><w:sectPr>` + properties + squaredPage + `</w:sectPr></w:pPr></w:p>`
}

// Two columns of 80 points with 40 between them begin at 50 and 170.
const twoColumns = `<w:cols w:num="2" w:space="800"/>`

const continuous = `<w:type w:val="continuous"/>`

func header(kind, id string) string {
	return `<w:headerReference w:type="` + kind + `" r:id="` + id + `"/>`
}

func footer(kind, id string) string {
	return `<w:footerReference w:type="` + kind + `" r:id="` + id + `"/>`
}

const noteReference = `<w:r><w:footnoteReference w:id="2"/></w:r>`

// note is a part with one footnote.
func note(content string) map[string]string {
	return map[string]string{"footnotes.xml": `<w:footnote w:id="2">` + content + `</w:footnote>`}
}

func pageField(name string) string {
	return `<w:fldSimple w:instr=" ` + name + ` "><w:r><w:t>99</w:t></w:r></w:fldSimple>`
}

// borderedTable is one of columns of 100 points with these borders of its own.
func borderedTable(borders string, rows ...string) string {
	all := `<w:tbl><w:tblPr><w:tblBorders>` + borders + `</w:tblBorders></w:tblPr><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid>`
	for _, row := range rows {
		all += `<w:tr>` + row + `</w:tr>`
	}
	return all + `</w:tbl>`
}

// border is a line of sz eighths of a point.
func border(side, sz string) string {
	return `<w:` + side + ` w:val="single" w:sz="` + sz + `" w:color="FF0000"/>`
}

func redLine(x1, y1, x2, y2, width float64) mark {
	return drawnLine(x1, y1, x2, y2, width).colored(red)
}

func shading(color string) string { return `<w:shd w:val="clear" w:fill="` + color + `"/>` }
