package chart_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/flow"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// withChart is a document with one chart of 300 by 200 points.
func withChart(chart string) rendertest.Docx {
	return rendertest.Docx{
		Body:  `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="3810000" cy="2540000"/><wp:docPr id="1" name="Chart"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="chart1"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`,
		Parts: map[string]string{"chart1.xml": `<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart">` + chart + `</c:chart>`},
	}
}

// rendered draws a document and reads its words back with an independent reader.
func rendered(t *testing.T, d rendertest.Docx) ([]rendertest.Word, []render.Finding) {
	t.Helper()
	model, err := wml.ReadDocument(d.Bytes(t))
	if err != nil {
		t.Fatal(err)
	}
	file, findings, err := flow.Document(pdf.EmbeddedFonts(), model, "test")
	if err != nil {
		t.Fatal(err)
	}
	return rendertest.Words(t, file), findings
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
		rendertest.Find(t, words, want)
	}
	if a, b := rendertest.Find(t, words, "29%"), rendertest.Find(t, words, "12%"); a.Base >= b.Base {
		t.Errorf("the label of the higher column is at %.1f, that of the lower one at %.1f", a.Base, b.Base)
	}
	if top, low := rendertest.Find(t, words, "0.3"), rendertest.Find(t, words, "0.0"); top.Base >= low.Base {
		t.Errorf("the scale has 0.3 at %.1f and 0.0 at %.1f", top.Base, low.Base)
	}
}

func TestPiesShowShares(t *testing.T) {
	t.Parallel()
	labels := `<c:dLbls><c:showCatName val="1"/><c:showPercent val="1"/></c:dLbls>`
	words, _ := rendered(t, withChart(`<c:plotArea><c:pieChart><c:varyColors val="1"/>`+chartSeries("Share", labels, "3", "1")+`</c:pieChart></c:plotArea>`))
	for _, want := range []string{"BerthA", "75%", "BerthB", "25%"} {
		rendertest.Find(t, words, want)
	}
}

func TestWhatAChartLacksIsReported(t *testing.T) {
	t.Parallel()
	for chart, want := range map[string]string{
		`<c:plotArea><c:inventedChart>` + chartSeries("x", "", "1") + `</c:inventedChart></c:plotArea>`:        "a kind that cannot be drawn",
		`<c:view3D/><c:plotArea><c:line3DChart>` + chartSeries("x", "", "1") + `</c:line3DChart></c:plotArea>`: "drawn flat",
		`<c:title/>`: "not drawn",
		// A pie takes the whole area, and bars need it.
		`<c:plotArea><c:pieChart>` + chartSeries("x", "", "1") + `</c:pieChart><c:barChart>` + chartSeries("y", "", "2") + `</c:barChart></c:plotArea>`: "a part of a chart",
		`<c:plotArea><c:barChart>` + chartSeries("x", "", "1") + `</c:barChart><c:pieChart>` + chartSeries("y", "", "2") + `</c:pieChart></c:plotArea>`: "a part of a chart",
	} {
		_, findings := rendered(t, withChart(chart))
		if len(findings) != 1 || findings[0].Code != render.FindingDrawing || !strings.Contains(findings[0].Message, want) {
			t.Errorf("%s: got %v, want %q", chart, findings, want)
		}
	}
}

func TestAPlotThatIsLeftOutShapesNothing(t *testing.T) {
	t.Parallel()
	bars := `<c:barChart>` + chartSeries("Bars", "", "2") + `</c:barChart>`
	pie := `<c:pieChart>` + chartSeries("Pie", "", "900") + `</c:pieChart>`
	const axes = `<c:catAx><c:axId val="1"/></c:catAx><c:valAx><c:axId val="2"/></c:valAx>`
	alone, _ := rendered(t, withChart(`<c:plotArea>`+bars+axes+`</c:plotArea><c:legend/>`))
	beside, _ := rendered(t, withChart(`<c:plotArea>`+bars+pie+axes+`</c:plotArea><c:legend/>`))
	if !slices.Equal(alone, beside) {
		t.Errorf("bars beside a pie have the words %v, want those of the bars alone: %v", beside, alone)
	}
}

func TestChartsWithAbsurdNumbersEnd(t *testing.T) {
	t.Parallel()
	for _, values := range [][]string{{"1e308", "-1e308"}, {"NaN", "Inf"}, {"1e-300", "0"}, {"0", "0"}, {"-5", "-5"}, {}} {
		for _, kind := range []string{"bar", "line", "area", "pie", "doughnut", "scatter", "bubble", "radar", "stock"} {
			for _, more := range []string{"", `<c:hiLowLines/><c:upDownBars/><c:radarStyle val="filled"/>`, `<c:grouping val="percentStacked"/><c:gapWidth val="-5"/><c:overlap val="99999"/>`} {
				scale := `<c:valAx><c:axId val="2"/><c:scaling><c:max val="1e-9"/><c:min val="1e9"/></c:scaling><c:majorUnit val="1e-300"/></c:valAx>`
				rendered(t, withChart(`<c:plotArea><c:layout><c:manualLayout><c:xMode val="edge"/><c:x val="9"/><c:y val="-9"/><c:w val="1e9"/><c:h val="1"/></c:manualLayout></c:layout><c:`+kind+`Chart>`+more+
					chartSeries("x", `<c:dLbls><c:showVal val="1"/></c:dLbls><c:errBars><c:errValType val="stdErr"/></c:errBars>`, values...)+`</c:`+kind+`Chart>`+scale+`</c:plotArea><c:legend/>`))
			}
		}
	}
}
