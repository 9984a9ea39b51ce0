package slide

import (
	"regexp"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
	"github.com/platenhq/platen/internal/render/shape"
)

// slide lays out a presentation of one slide with the given shapes.
func slide(t *testing.T, shapes string) ([]byte, []render.Finding) {
	t.Helper()
	return slideWith(t, func(*opc.Package, string) string { return shapes })
}

// slideWith is slide for shapes that need other parts of the file.
func slideWith(t *testing.T, shapes func(p *opc.Package, slide string) string) ([]byte, []render.Finding) {
	t.Helper()
	pdf, findings, err := Presentation(pdf.EmbeddedFonts(), rendertest.PresentationWith(t, shapes), "Test")
	if err != nil {
		t.Fatal(err)
	}
	return pdf, findings
}

var (
	red  = dml.RGB{R: 255}
	blue = dml.RGB{B: 255}
)

// near is how far a place on a page may be from where it is wanted.
const near = rendertest.Precision

func solid(c dml.RGB) *dml.ShapeFill { return &dml.ShapeFill{Kind: dml.FillSolid, Color: c, Alpha: 1} }

func stroke(c dml.RGB) *dml.ShapeLine { return &dml.ShapeLine{Width: 1, Color: c, Alpha: 1} }

// run is text of 10 points, which reach 10 points above the baseline and 2 below.
func run(text string) *dml.TextRun {
	return &dml.TextRun{Text: text, Font: "Arial", Size: 10, Alpha: 1}
}

func lineBreak() *dml.TextRun {
	r := run("")
	r.IsBreak = true
	return r
}

func paragraph(runs ...*dml.TextRun) *dml.TextParagraph {
	return &dml.TextParagraph{Align: "l", Runs: runs, End: *run("")}
}

func body(paragraphs ...*dml.TextParagraph) *dml.TextBody {
	return &dml.TextBody{Anchor: "t", Paragraphs: paragraphs}
}

// wide is how wide a text of run is.
func wide(text string) float64 {
	return pdf.Measure(text, pdf.EmbeddedFonts().Face("Arial", false, false), 10, pdf.TextOptions{Kern: true})
}

// printer is on slide 7.
func printer() *slidePrinter {
	c := pdf.NewCanvas("", "")
	c.Begin(nil, pdf.Tag{Role: pdf.Document})
	return &slidePrinter{Painter: shape.Painter{Canvas: c, Fonts: pdf.EmbeddedFonts(), Findings: &render.Findings{}, Unit: "slide", Number: 7}, fonts: pdf.EmbeddedFonts(), pres: &pml.Presentation{Width: 600, Height: 400}}
}

// drawnBy reads what a printer draws on one page.
func drawnBy(t *testing.T, pr *slidePrinter, draw func()) []rendertest.Mark {
	t.Helper()
	return rendertest.Drawn(t, fileBy(t, pr, draw))[0]
}

func fileBy(t *testing.T, pr *slidePrinter, draw func()) []byte {
	t.Helper()
	pr.Canvas.AddPage(600, 400)
	draw()
	file, err := pr.Canvas.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// drawnShapes reads what shapes draw.
func drawnShapes(t *testing.T, shapes ...*pml.Shape) []rendertest.Mark {
	t.Helper()
	pr := printer()
	return drawnBy(t, pr, func() { pr.slide(&pml.Slide{Number: 7, Shapes: shapes}) })
}

var linkPattern = regexp.MustCompile(`/Subtype /Link /Rect \[([^\]]*)\].*?/URI \(([^)]*)\)`)

// links are the addresses that a page leads to, each with its rectangle in the
// page's own coordinates, which begin at its lower left corner.
func links(file []byte) []string {
	var all []string
	for _, m := range linkPattern.FindAllStringSubmatch(string(file), -1) {
		all = append(all, m[2]+" "+m[1])
	}
	return all
}
