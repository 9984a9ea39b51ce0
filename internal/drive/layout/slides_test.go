package layout

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/drive/office"
)

// slide lays out a presentation of one slide with the given shapes.
func slide(t *testing.T, shapes string) ([]byte, []Finding) {
	t.Helper()
	return slideWith(t, func(*office.Package, string) string { return shapes })
}

// slideWith is slide for shapes that need other parts of the file.
func slideWith(t *testing.T, shapes func(p *office.Package, slide string) string) ([]byte, []Finding) {
	t.Helper()
	pdf, findings, err := Presentation(Fonts(), presentationWith(t, shapes), "Test")
	if err != nil {
		t.Fatal(err)
	}
	return pdf, findings
}

// presentationWith is a presentation of one slide with the given shapes.
func presentationWith(t *testing.T, shapes func(p *office.Package, slide string) string) *office.Presentation {
	t.Helper()
	data, err := office.NewPresentation()
	if err != nil {
		t.Fatal(err)
	}
	p, err := office.ReadPackage(data)
	if err != nil {
		t.Fatal(err)
	}
	first, err := office.ResolvePresentation(p)
	if err != nil {
		t.Fatal(err)
	}
	part := first.Slides[0].Part
	p.SetPart(part, p.ContentType(part), []byte(`<p:sld xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>`+shapes(p, part)+`</p:spTree></p:cSld></p:sld>`))
	pres, err := office.ResolvePresentation(p)
	if err != nil {
		t.Fatal(err)
	}
	return pres
}

func box(x, y, w, h int, geometry, body string) string {
	emu := func(n int) string { return strconv.Itoa(n * 12700) }
	return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Box"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="` + emu(x) + `" y="` + emu(y) + `"/><a:ext cx="` + emu(w) + `" cy="` + emu(h) + `"/></a:xfrm><a:prstGeom prst="` + geometry + `"/></p:spPr><p:txBody><a:bodyPr lIns="0" tIns="0" rIns="0" bIns="0"/>` + body + `</p:txBody></p:sp>`
}

func words(t *testing.T, pdf []byte) map[string][2]float64 {
	t.Helper()
	out := map[string][2]float64{}
	for _, line := range strings.Split(tool(t, pdf, "pdftotext", "-bbox", "FILE", "-"), "\n") {
		if _, rest, ok := strings.Cut(line, `<word xMin="`); ok {
			x, rest, _ := strings.Cut(rest, `"`)
			_, rest, _ = strings.Cut(rest, `yMax="`)
			y, rest, _ := strings.Cut(rest, `"`)
			_, rest, _ = strings.Cut(rest, `>`)
			word, _, _ := strings.Cut(rest, `<`)
			out[word] = [2]float64{parseFloat(t, x), parseFloat(t, y)}
		}
	}
	return out
}

func TestSlideTextBreaksInsideItsShape(t *testing.T) {
	t.Parallel()
	pdf, findings := slide(t, box(100, 50, 120, 200, "rect", `<a:p><a:r><a:rPr sz="2000"/><a:t>first words that need several lines last</a:t></a:r></a:p>`))
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
	pdf, _ := slide(t, box(100, 50, 300, 200, "rect", item("0", "one")+item("1", "inner")+item("0", "two")))
	if got := strings.Fields(tool(t, pdf, "pdftotext", "-layout", "FILE", "-")); strings.Join(got, " ") != "3. one 3. inner 4. two" {
		t.Errorf("got %q", got)
	}
}

func TestSlideReportsWhatItCannotDraw(t *testing.T) {
	t.Parallel()
	_, findings := slide(t, box(0, 0, 100, 50, "rect", `<a:p><a:r><a:t>漢</a:t></a:r></a:p>`)+
		`<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="C"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="100" cy="100"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"/></a:graphic></p:graphicFrame>`)
	var codes []string
	for _, f := range findings {
		codes = append(codes, f.Code)
	}
	if got, want := strings.Join(codes, " "), FindingGlyph+" "+FindingDrawing; got != want {
		t.Errorf("findings are %q, want %q", got, want)
	}
}

func TestPresetsStayNearTheirBox(t *testing.T) {
	t.Parallel()
	names := strings.Fields("rect roundRect ellipse triangle rtTriangle diamond parallelogram trapezoid pentagon hexagon octagon plus donut frame can cube pie heart " +
		"snip1Rect round2SameRect flowChartMerge flowChartTerminator flowChartDocument rightArrow leftArrow upArrow downArrow leftRightArrow homePlate chevron bentUpArrow bentArrow " +
		"star4 star5 star8 line bentConnector3 curvedConnector3 leftBrace rightBracket arc")
	for _, name := range names {
		o, known := shapeOutline(office.Geometry{Preset: name}, 200, 100)
		if !known || len(o.contours) == 0 {
			t.Errorf("%s is not drawn", name)
		}
		for _, c := range o.contours {
			for _, p := range c.points {
				if math.IsNaN(p.X) || math.IsNaN(p.Y) || p.X < -20 || p.X > 220 || p.Y < -30 || p.Y > 130 {
					t.Errorf("%s has a point at %v", name, p)
				}
			}
		}
	}
	for _, name := range append(names, "wedgeRectCallout", "wedgeEllipseCallout", "noSuchShape") { // no box at all is no reason to fail
		shapeOutline(office.Geometry{Preset: name, Adjust: map[string]float64{"adj": -1e12, "adj1": 1e12, "adj2": 5}}, 0, 0)
	}
}

func TestSlideWithoutRoomForTextStillEnds(t *testing.T) {
	t.Parallel()
	pdf, _ := slide(t, box(10, 10, 0, 0, "rect", `<a:p><a:r><a:t>a b</a:t></a:r><a:br/></a:p><a:p/>`))
	tool(t, pdf, "qpdf", "--check", "FILE")
}

func TestSlideWithAbsurdNumbersEnds(t *testing.T) {
	t.Parallel()
	for _, attrs := range []string{`<a:lnSpc><a:spcPts val="-999999"/></a:lnSpc>`, `<a:lnSpc><a:spcPct val="99999999999"/></a:lnSpc>`, `<a:spcBef><a:spcPts val="-2147483648"/></a:spcBef>`} {
		body := `<a:p><a:pPr marL="-99999999" indent="99999999999">` + attrs + `</a:pPr><a:r><a:rPr sz="400000" spc="-400000" baseline="-2147483648"/><a:t>a b c</a:t></a:r></a:p>`
		shrinking := strings.Replace(box(10, 10, 100, 5, "rect", body+body), `bIns="0"/>`, `bIns="0"><a:normAutofit fontScale="1"/></a:bodyPr>`, 1)
		pdf, _ := slide(t, shrinking)
		tool(t, pdf, "qpdf", "--check", "FILE")
	}
}
