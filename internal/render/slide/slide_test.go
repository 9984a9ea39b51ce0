package slide

import (
	"math"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestADiagramWithoutALookShowsItsTexts(t *testing.T) {
	t.Parallel()
	point := func(id, text string) string {
		return `<dgm:pt modelId="` + id + `"><dgm:t><a:bodyPr/><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></dgm:t></dgm:pt>`
	}
	link := func(from, to, order string) string {
		return `<dgm:cxn modelId="c` + from + to + `" srcId="` + from + `" destId="` + to + `" srcOrd="` + order + `"/>`
	}
	model := `<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst><dgm:pt modelId="0" type="doc"/>` +
		point("1", "Harbour") + point("2", "Quay") + point("3", "Dock") + `</dgm:ptLst><dgm:cxnLst>` + link("0", "1", "0") + link("1", "3", "1") + link("1", "2", "0") + link("3", "1", "0") + `</dgm:cxnLst></dgm:dataModel>`
	pdf, findings := slideWith(t, func(p *opc.Package, slide string) string {
		const part = "/ppt/diagrams/data1.xml"
		p.SetPart(part, "application/xml", []byte(model))
		id, err := p.Relate(slide, "diagramData", part, false)
		if err != nil {
			t.Fatal(err)
		}
		return `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="D"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="1270000" y="1270000"/><a:ext cx="5080000" cy="2540000"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/diagram"><dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="` + id + `"/></a:graphicData></a:graphic></p:graphicFrame>`
	})
	at := words(t, pdf)
	if at["Harbour"][1] == 0 || at["Harbour"][1] >= at["Quay"][1] || at["Quay"][0] >= at["Dock"][0] || at["Quay"][1] != at["Dock"][1] {
		t.Errorf("the texts stand at %v, want Harbour above Quay and Dock side by side", at)
	}
	if len(findings) != 1 || !strings.Contains(findings[0].Message, "plain boxes") {
		t.Errorf("findings: %v", findings)
	}
}

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

func words(t *testing.T, pdf []byte) map[string][2]float64 {
	t.Helper()
	out := map[string][2]float64{}
	for _, line := range strings.Split(rendertest.Tool(t, pdf, "pdftotext", "-bbox", "FILE", "-"), "\n") {
		if _, rest, ok := strings.Cut(line, `<word xMin="`); ok {
			x, rest, _ := strings.Cut(rest, `"`)
			_, rest, _ = strings.Cut(rest, `yMax="`)
			y, rest, _ := strings.Cut(rest, `"`)
			_, rest, _ = strings.Cut(rest, `>`)
			word, _, _ := strings.Cut(rest, `<`)
			out[word] = [2]float64{rendertest.ParseFloat(t, x), rendertest.ParseFloat(t, y)}
		}
	}
	return out
}

func TestSlideTextBreaksInsideItsShape(t *testing.T) {
	t.Parallel()
	pdf, findings := slide(t, rendertest.Box(100, 50, 120, 200, "rect", `<a:p><a:r><a:rPr sz="2000"/><a:t>first words that need several lines last</a:t></a:r></a:p>`))
	if len(findings) != 0 {
		t.Errorf("findings: %v", findings)
	}
	at := words(t, pdf)
	first, last := at["first"], at["last"]
	if math.Abs(first[0]-100) > 1 {
		t.Errorf("text begins at %.1f, want 100", first[0])
	}
	if down := last[1] - first[1]; math.Abs(math.Mod(down, 24)) > 0.1 || down < 24 {
		t.Errorf("the last line is %.2f below the first, want a multiple of 24", down)
	}
}

func TestSlideListsAreNumbered(t *testing.T) {
	t.Parallel()
	item := func(level, text string) string {
		return `<a:p><a:pPr marL="342900" indent="-342900" lvl="` + level + `"><a:buAutoNum type="arabicPeriod" startAt="3"/></a:pPr><a:r><a:t>` + text + `</a:t></a:r></a:p>`
	}
	pdf, _ := slide(t, rendertest.Box(100, 50, 300, 200, "rect", item("0", "one")+item("1", "inner")+item("0", "two")))
	if got := strings.Fields(rendertest.Tool(t, pdf, "pdftotext", "-layout", "FILE", "-")); strings.Join(got, " ") != "3. one 3. inner 4. two" {
		t.Errorf("got %q", got)
	}
}

func TestSlideReportsWhatItCannotDraw(t *testing.T) {
	t.Parallel()
	_, findings := slide(t, rendertest.Box(0, 0, 100, 50, "rect", `<a:p><a:r><a:t>漢</a:t></a:r></a:p>`)+
		`<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="C"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="100" cy="100"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"/></a:graphic></p:graphicFrame>`)
	var codes []string
	for _, f := range findings {
		codes = append(codes, f.Code)
	}
	if got, want := strings.Join(codes, " "), render.FindingGlyph+" "+render.FindingDrawing; got != want {
		t.Errorf("findings are %q, want %q", got, want)
	}
}

func TestSlideWithoutRoomForTextStillEnds(t *testing.T) {
	t.Parallel()
	pdf, _ := slide(t, rendertest.Box(10, 10, 0, 0, "rect", `<a:p><a:r><a:t>a b</a:t></a:r><a:br/></a:p><a:p/>`))
	rendertest.Tool(t, pdf, "qpdf", "--check", "FILE")
}

func TestSlideWithAbsurdNumbersEnds(t *testing.T) {
	t.Parallel()
	for _, attrs := range []string{`<a:lnSpc><a:spcPts val="-999999"/></a:lnSpc>`, `<a:lnSpc><a:spcPct val="99999999999"/></a:lnSpc>`, `<a:spcBef><a:spcPts val="-2147483648"/></a:spcBef>`} {
		body := `<a:p><a:pPr marL="-99999999" indent="99999999999">` + attrs + `</a:pPr><a:r><a:rPr sz="400000" spc="-400000" baseline="-2147483648"/><a:t>a b c</a:t></a:r></a:p>`
		shrinking := strings.Replace(rendertest.Box(10, 10, 100, 5, "rect", body+body), `bIns="0"/>`, `bIns="0"><a:normAutofit fontScale="1"/></a:bodyPr>`, 1)
		pdf, _ := slide(t, shrinking)
		rendertest.Tool(t, pdf, "qpdf", "--check", "FILE")
	}
}
