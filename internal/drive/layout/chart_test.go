package layout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/drive/office"
)

// withChart is a document with one chart of 300 by 200 points.
func withChart(chart string) docx {
	return docx{
		body:  `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="3810000" cy="2540000"/><wp:docPr id="1" name="Chart"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="chart1"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`,
		parts: map[string]string{"chart1.xml": `<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart">` + chart + `</c:chart>`},
	}
}

func chartSeries(name, more string, values ...string) string {
	cats, vals := "", ""
	for i, v := range values {
		cats += fmt.Sprintf(`<c:pt idx="%d"><c:v>Berth%c</c:v></c:pt>`, i, 'A'+i)
		vals += fmt.Sprintf(`<c:pt idx="%d"><c:v>%s</c:v></c:pt>`, i, v)
	}
	return `<c:ser><c:idx val="0"/><c:tx><c:v>` + name + `</c:v></c:tx>` + more + fmt.Sprintf(`<c:cat><c:strRef><c:strCache><c:ptCount val="%d"/>`, len(values)) + cats + `</c:strCache></c:strRef></c:cat>` +
		fmt.Sprintf(`<c:val><c:numRef><c:numCache><c:formatCode>0%%</c:formatCode><c:ptCount val="%d"/>`, len(values)) + vals + `</c:numCache></c:numRef></c:val></c:ser>`
}

const chartAxes = `<c:catAx><c:axId val="1"/></c:catAx><c:valAx><c:axId val="2"/><c:numFmt formatCode="0.0" sourceLinked="0"/></c:valAx>`

func TestBarsShowNamesScaleAndValues(t *testing.T) {
	t.Parallel()
	labels := `<c:dLbls><c:showVal val="1"/></c:dLbls>`
	words, findings := rendered(t, withChart(`<c:title><c:tx><c:rich><a:p><a:r><a:t>Occupied</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:barDir val="col"/>`+
		chartSeries("Summer", labels, "0.29", "0.12")+`<c:axId val="1"/><c:axId val="2"/></c:barChart>`+chartAxes+`</c:plotArea><c:legend><c:legendPos val="r"/></c:legend>`))
	if len(findings) > 0 {
		t.Errorf("findings: %v", findings)
	}
	for _, want := range []string{"Occupied", "BerthA", "BerthB", "0.0", "0.3", "29%", "12%", "Summer"} {
		find(t, words, want)
	}
	if a, b := find(t, words, "29%"), find(t, words, "12%"); a.base >= b.base {
		t.Errorf("the label of the higher column is at %.1f, that of the lower one at %.1f", a.base, b.base)
	}
	if top, low := find(t, words, "0.3"), find(t, words, "0.0"); top.base >= low.base {
		t.Errorf("the scale has 0.3 at %.1f and 0.0 at %.1f", top.base, low.base)
	}
}

func TestPiesShowShares(t *testing.T) {
	t.Parallel()
	labels := `<c:dLbls><c:showCatName val="1"/><c:showPercent val="1"/></c:dLbls>`
	words, _ := rendered(t, withChart(`<c:plotArea><c:pieChart><c:varyColors val="1"/>`+chartSeries("Share", labels, "3", "1")+`</c:pieChart></c:plotArea>`))
	for _, want := range []string{"BerthA", "75%", "BerthB", "25%"} {
		find(t, words, want)
	}
}

func TestWhatAChartLacksIsReported(t *testing.T) {
	t.Parallel()
	for chart, want := range map[string]string{
		`<c:plotArea><c:radarChart>` + chartSeries("x", "", "1") + `</c:radarChart></c:plotArea>`:            "a kind that cannot be drawn",
		`<c:view3D/><c:plotArea><c:bar3DChart>` + chartSeries("x", "", "1") + `</c:bar3DChart></c:plotArea>`: "drawn flat",
		`<c:title/>`: "not drawn",
	} {
		_, findings := rendered(t, withChart(chart))
		if len(findings) != 1 || findings[0].Code != FindingDrawing || !strings.Contains(findings[0].Message, want) {
			t.Errorf("%s: got %v, want %q", chart, findings, want)
		}
	}
}

func TestChartsWithAbsurdNumbersEnd(t *testing.T) {
	t.Parallel()
	for _, values := range [][]string{{"1e308", "-1e308"}, {"NaN", "Inf"}, {"1e-300", "0"}, {"0", "0"}, {"-5", "-5"}, {}} {
		for _, kind := range []string{"bar", "line", "area", "pie", "doughnut", "scatter"} {
			for _, more := range []string{"", `<c:grouping val="percentStacked"/><c:gapWidth val="-5"/><c:overlap val="99999"/>`} {
				scale := `<c:valAx><c:axId val="2"/><c:scaling><c:max val="1e-9"/><c:min val="1e9"/></c:scaling><c:majorUnit val="1e-300"/></c:valAx>`
				rendered(t, withChart(`<c:plotArea><c:layout><c:manualLayout><c:xMode val="edge"/><c:x val="9"/><c:y val="-9"/><c:w val="1e9"/><c:h val="1"/></c:manualLayout></c:layout><c:`+kind+`Chart>`+more+
					chartSeries("x", `<c:dLbls><c:showVal val="1"/></c:dLbls>`, values...)+`</c:`+kind+`Chart>`+scale+`</c:plotArea><c:legend/>`))
			}
		}
	}
}

func TestScalesAreRound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ low, high, wantLow, wantHigh, wantStep float64 }{
		{0, 0.29, 0, 0.35, 0.05}, {0, 59, 0, 70, 10}, {14.2, 21.3, 0, 25, 5}, {-2.1, 3.3, -3, 4, 1}, {0, 0, 0, 1.2, 0.2},
	} {
		s := niceScale(c.low, c.high, &office.ChartAxis{})
		near(t, "low", s.low, c.wantLow, 1e-9)
		near(t, "high", s.high, c.wantHigh, 1e-9)
		near(t, "step", s.step, c.wantStep, 1e-9)
	}
}

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
	pdf, findings := slideWith(t, func(p *office.Package, slide string) string {
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
