package edit

import (
	"errors"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/officetest"
	"github.com/platenhq/platen/internal/office/opc"
)

const chartTag = "{{chart L: A, B}}"

// chartPackage is a document with a chart that has this plot, and this embedded file
// beside it, if any.
func chartPackage(t *testing.T, plot, embedded string) *opc.Package {
	t.Helper()
	const kind = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	relations := ""
	if embedded != "" {
		relations = `<Relationship Id="x" Type="` + kind + `package" Target="../embeddings/Sheet1.xlsx"/>`
	}
	body := `<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:docPr id="1" name="C" descr=" ` + chartTag + ` "/><a:graphic xmlns:a="` + opc.DrawingNS + `"><a:graphicData>` +
		`<c:chart xmlns:c="` + chartNS + `" xmlns:r="` + opc.RelsNS + `" r:id="c"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
	parts := officetest.WordParts(body, nil)
	parts["word/_rels/document.xml.rels"] = officetest.RelationsStart + `<Relationship Id="c" Type="` + kind + `chart" Target="charts/chart1.xml"/></Relationships>`
	parts["word/charts/chart1.xml"] = `<c:chartSpace xmlns:c="` + chartNS + `"><c:chart><c:plotArea>` + plot + `</c:plotArea></c:chart></c:chartSpace>`
	parts["word/charts/_rels/chart1.xml.rels"] = officetest.RelationsStart + relations + `</Relationships>`
	parts["word/embeddings/Sheet1.xlsx"] = embedded
	p, err := opc.ReadPackage(officetest.Zip(t, parts))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const pointsPlot = `<c:scatterChart><c:ser><c:idx val="4"/><c:order val="4"/><c:yVal/></c:ser></c:scatterChart>`

func TestAChartWithoutAWorkbookGetsItsDataAlone(t *testing.T) {
	t.Parallel()
	for categories, x := range map[string]string{`["1","2.5"]`: "num", `["1","x"]`: "str"} {
		p := chartPackage(t, pointsPlot, "")
		n, err := FillCharts(p, chartTag, `{"categories":`+categories+`,"series":[{"name":"B","values":["7",""]},{"name":"","values":["","-1e3"]}]}`)
		if n != 1 || err != nil {
			t.Fatalf("got %d, %v", n, err)
		}
		chart, _ := p.Part("word/charts/chart1.xml")
		for _, want := range []string{
			`<c:xVal><c:` + x + `Ref><c:f>Sheet1!$A$2:$A$3</c:f>`, `<c:tx><c:strRef><c:f>Sheet1!$B$1</c:f><c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>B</c:v></c:pt></c:strCache></c:strRef></c:tx>`,
			`<c:f>Sheet1!$B$2:$B$3</c:f><c:numCache><c:formatCode>General</c:formatCode><c:ptCount val="2"/><c:pt idx="0"><c:v>7</c:v></c:pt></c:numCache>`,
			`<c:ser><c:idx val="5"/><c:order val="5"/><c:tx>`, `<c:pt idx="1"><c:v>-1e3</c:v></c:pt>`,
		} {
			if !strings.Contains(string(chart), want) {
				t.Errorf("got %s, want %s in it", chart, want)
			}
		}
		_, err = FillCharts(p, chartTag, `{"categories":[],"series":[{"values":[]}]}`)
		if fault, ok := errors.AsType[*opc.RequestError](err); !ok || !strings.Contains(fault.Message, "something that is no chart") {
			t.Errorf("filled twice: got %v", err)
		}
	}
}

func TestWhatIsNoDataOfAChartIsLeftToTexts(t *testing.T) {
	t.Parallel()
	for find, text := range map[string]string{chartTag: "plain", "chart": `{"categories":[],"series":[{"values":[]}]}`, " " + chartTag: `{"series":[]}`} {
		p := chartPackage(t, pointsPlot, "")
		if n, err := FillCharts(p, find, text); n != 0 || err != nil {
			t.Errorf("%s, %s: got %d, %v", find, text, n, err)
		}
	}
}

func TestDataThatAChartCannotTakeIsRefused(t *testing.T) {
	t.Parallel()
	const data = `{"categories":["a"],"series":[{"values":["1"]}]}`
	for name, c := range map[string]struct{ plot, embedded, data, want string }{
		"no series":     {"<c:pieChart/>", "", data, "The chart has no series whose look its data could have."},
		"an old format": {pointsPlot, "\xd0\xcf\x11\xe0", data, "The workbook of a chart cannot be read: open the chart's data in Office, and save it as .xlsx."},
		"no sheet":      {pointsPlot, string(officetest.Zip(t, officetest.WordParts("", nil))), data, "The workbook of a chart has no sheet: open the chart's data in Office, and save it once more."},
		"no number":     {pointsPlot, "", `{"categories":["a"],"series":[{"values":["x"]}]}`, "The values of a chart must be numbers."},
		"not a number":  {pointsPlot, "", `{"categories":["a"],"series":[{"values":["NaN"]}]}`, "The values of a chart must be numbers."},
		"a value less":  {pointsPlot, "", `{"categories":["a"],"series":[{"values":[]}]}`, "The series of a chart need a value for each category."},
		"too many":      {pointsPlot, "", `{"categories":["` + strings.Repeat(`","`, 1000) + `"],"series":[{}]}`, "A chart takes at most 1000 points of 20 series."},
	} {
		_, err := FillCharts(chartPackage(t, c.plot, c.embedded), chartTag, c.data)
		if fault, ok := errors.AsType[*opc.RequestError](err); !ok || fault.Message != c.want {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

func TestColumnsOfSheetsHaveLetters(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 51: "AZ", 52: "BA", 701: "ZZ", 702: "AAA"} {
		column, row := placeOf(want + "12")
		if got := columnName(n); got != want || column != n || row != 12 {
			t.Errorf("%d: got %s, and back %d in the row %d", n, got, column, row)
		}
	}
}
