package fill_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
)

const (
	chartML  = `http://schemas.openxmlformats.org/drawingml/2006/chart`
	relation = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	kindOf   = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
)

// chartXML is a bar chart of two series with three points.
func chartXML(plot string) string {
	series := func(i int, name string) string {
		column := string(rune('B' + i))
		return fmt.Sprintf(`<c:ser><c:idx val="%[1]d"/><c:order val="%[1]d"/><c:tx><c:strRef><c:f>'My data'!$%[3]s$1</c:f><c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>%[2]s</c:v></c:pt></c:strCache></c:strRef></c:tx>`+
			`<c:spPr><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill></c:spPr><c:dPt><c:idx val="2"/><c:spPr/></c:dPt>`+
			`<c:cat><c:strRef><c:f>'My data'!$A$2:$A$4</c:f><c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>old</c:v></c:pt></c:strCache></c:strRef></c:cat>`+
			`<c:val><c:numRef><c:f>'My data'!$%[3]s$2:$%[3]s$4</c:f><c:numCache><c:formatCode>0.00</c:formatCode><c:ptCount val="1"/><c:pt idx="0"><c:v>1</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>`, i, name, column)
	}
	return `<c:chartSpace xmlns:c="` + chartML + `" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><c:chart><c:plotArea><c:` + plot + `>` +
		series(0, "First") + series(1, "Second") + `<c:axId val="1"/><c:axId val="2"/></c:` + plot + `><c:catAx><c:axId val="1"/></c:catAx><c:valAx><c:axId val="2"/></c:valAx></c:plotArea></c:chart><c:externalData r:id="x"/></c:chartSpace>`
}

// workbook is what Office embeds beside a chart, with a table over its data.
func workbook(t *testing.T) []byte {
	const main = ` xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	return zipped(t, [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/worksheets/sheet2.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/tables/table1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml"/></Types>`},
		{"_rels/.rels", relation + `<Relationship Id="d" Type="` + kindOf + `officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook` + main + `><sheets><sheet name="Other" sheetId="1" r:id="o"/><sheet name="My data" sheetId="2" r:id="m"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", relation + `<Relationship Id="o" Type="` + kindOf + `worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="m" Type="` + kindOf + `worksheet" Target="worksheets/sheet2.xml"/></Relationships>`},
		{"xl/worksheets/sheet1.xml", `<worksheet` + main + `><sheetData/></worksheet>`},
		{"xl/worksheets/sheet2.xml", `<worksheet` + main + `><dimension ref="A1:E5"/><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Part</t></is></c><c r="B1" t="inlineStr"><is><t>First</t></is></c><c r="C1" t="inlineStr"><is><t>Second</t></is></c></row>` +
			`<row r="2"><c r="A2" t="inlineStr"><is><t>old</t></is></c><c r="B2"><v>1</v></c><c r="C2"><v>1</v></c><c r="E2"><v>99</v></c></row><row r="5"><c r="B5"><v>7</v></c></row></sheetData><tableParts count="1"><tablePart r:id="t"/></tableParts></worksheet>`},
		{"xl/worksheets/_rels/sheet2.xml.rels", relation + `<Relationship Id="t" Type="` + kindOf + `table" Target="../tables/table1.xml"/></Relationships>`},
		{"xl/tables/table1.xml", `<table` + main + ` id="1" name="T" displayName="T" ref="A1:C5"><autoFilter ref="A1:C5"/><tableColumns count="3"><tableColumn id="1" name="Part"/><tableColumn id="2" name="First"/><tableColumn id="3" name="Second"/></tableColumns></table>`},
	})
}

// withChart puts a chart into a file beside what is there, in the folder of its parts.
func withChart(t *testing.T, file []byte, folder, part, find, drawing, chart string) []byte {
	t.Helper()
	p, err := opc.ReadPackage(file)
	if err != nil {
		t.Fatal(err)
	}
	p.SetPart(folder+"/charts/chart1.xml", "application/vnd.openxmlformats-officedocument.drawingml.chart+xml", []byte(chart))
	p.SetPart(folder+"/charts/_rels/chart1.xml.rels", "", []byte(relation+`<Relationship Id="x" Type="`+kindOf+`package" Target="../embeddings/Sheet1.xlsx"/></Relationships>`))
	p.SetPart(folder+"/embeddings/Sheet1.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", workbook(t))
	id, err := p.Relate(part, "chart", "/"+folder+"/charts/chart1.xml", false)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := p.Part(part)
	p.SetPart(part, "", []byte(strings.Replace(string(text), find, strings.ReplaceAll(drawing, "CHART", `<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="`+chartML+`"><c:chart xmlns:c="`+chartML+`" r:id="`+id+`"/></a:graphicData></a:graphic>`)+find, 1)))
	out, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// chartDocx is a document with a chart that has a description, in the line or floating.
func chartDocx(t *testing.T, description, chart, kind string) []byte {
	t.Helper()
	const wp = ` xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"`
	place := `<wp:extent cx="3810000" cy="2540000"/>`
	if kind == "anchor" {
		place = `<wp:positionH relativeFrom="column"><wp:posOffset>0</wp:posOffset></wp:positionH><wp:positionV relativeFrom="paragraph"><wp:posOffset>0</wp:posOffset></wp:positionV>` + place + `<wp:wrapNone/>`
	}
	drawing := `<w:p><w:r><w:t>see {{Name}} </w:t></w:r><w:r><w:drawing><wp:` + kind + wp + `>` + place + `<wp:docPr id="7" name="Chart" descr="` + strings.ReplaceAll(escape.Replace(description), `"`, "&quot;") + `"/>CHART</wp:` + kind + `></w:drawing></w:r></w:p>`
	return withChart(t, docx(t, "", "", ""), "word", "word/document.xml", "<w:sectPr>", drawing, chart)
}

// chartPptx is a deck whose first slide has a chart.
func chartPptx(t *testing.T, description, chart string, deck ...[]string) []byte {
	t.Helper()
	frame := `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="40" name="Chart" descr="` + strings.ReplaceAll(escape.Replace(description), `"`, "&quot;") + `"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="1000000" cy="1000000"/></p:xfrm>CHART</p:graphicFrame>`
	return withChart(t, pptx(t, deck...), "ppt", "ppt/slides/slide1.xml", "</p:spTree>", frame, chart)
}

// shownChart is a chart as the rows of a table: names of series, and a row for each point.
func shownChart(c *dml.Chart) string {
	if c == nil {
		return "no chart"
	}
	head := "|"
	rows := make([]string, len(c.Categories))
	for i, name := range c.Categories {
		rows[i] = "| " + name
	}
	for _, plot := range c.Plots {
		for _, s := range plot.Series {
			head += " | " + s.Name
			for i := range rows {
				if v := s.Values[i]; math.IsNaN(v) {
					rows[i] += " |"
				} else {
					rows[i] += fmt.Sprintf(" | %v", v)
				}
			}
		}
	}
	return strings.Join(append([]string{head}, rows...), "\n")
}

// chartsOf are the charts of a filled document.
func chartsOf(t *testing.T, file []byte, data string) (charts []string, d *wml.Document, err error) {
	t.Helper()
	written, _, err := filledFile(t, file, data)
	if err != nil {
		return nil, nil, err
	}
	if d, err = wml.ReadDocument(written); err != nil {
		t.Fatal(err)
	}
	for _, b := range d.Sections[0].Blocks {
		if p, ok := b.(*wml.Paragraph); ok {
			for _, r := range p.Runs {
				for _, item := range r.Items {
					if item.Drawing != nil {
						charts = append(charts, shownChart(item.Drawing.Chart))
					}
				}
			}
		}
	}
	return charts, d, nil
}

const chartEvent = `{"Name": "Ada", "Items": [{"Name": "Bolt", "Qty": 3, "Price": "0.10"}, {"Name": "Nut & Co", "Qty": 10.25, "Price": ""}, {"Name": "Washer", "Qty": -1, "Price": 12345678901234567890.5}],
	"None": [], "Bad": [{"Name": "a", "Qty": "many"}], "Orders": [{"No": 1, "Lines": [{"Part": "A", "Qty": 1}]}, {"No": 2, "Lines": [{"Part": "B", "Qty": 2}, {"Part": "C", "Qty": 3}]}]}`

func TestChartsShowTheDataOfTheEvent(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"{{chart Items: Name, Qty, Price}}":                                     "| | First | Second\n| Bolt | 3 | 0.1\n| Nut & Co | 10.25 |\n| Washer | -1 | 1.2345678901234567e+19",
		"{{chart Items where Qty > 0 sort Qty desc limit 5: Name, Qty}}":        "| | First\n| Nut & Co | 10.25\n| Bolt | 3",
		"{{ chart Items : UPPER(Name); Qty * 2; 1; [Qty] }}":                    "| | First | Second | [Qty]\n| BOLT | 6 | 1 | 3\n| NUT & CO | 20.5 | 1 | 10.25\n| WASHER | -2 | 1 | -1",
		`{{chart Items: Name & ": " & @index, SUM(Items.Qty)}}`:                 "| | First\n| Bolt: 1 | 12.25\n| Nut & Co: 2 | 12.25\n| Washer: 3 | 12.25",
		"{{chart None: Name, Qty}}":                                             "| | First",
		"{{chart Items group Qty > 0: @key, COUNT(Items), AVERAGE(Items.Qty)}}": "| | First | Second\n| true | 2 | 6.625\n| false | 1 | -1",
	} {
		for _, kind := range []string{"inline", "anchor"} {
			got, _, err := chartsOf(t, chartDocx(t, tag, chartXML("barChart"), kind), chartEvent)
			if err != nil || len(got) != 1 || got[0] != want {
				t.Errorf("%s, %s: got\n%s, %v\nwant\n%s", tag, kind, strings.Join(got, "\n"), err, want)
			}
		}
		for _, plot := range []string{"pieChart", "lineChart", "areaChart"} {
			got, _, err := chartsOf(t, chartDocx(t, tag, chartXML(plot), "inline"), chartEvent)
			if err != nil || len(got) != 1 || got[0] != want {
				t.Errorf("%s, %s: got\n%s, %v\nwant\n%s", tag, plot, strings.Join(got, "\n"), err, want)
			}
		}
	}
}

// Who edits the data in Office sees what the chart shows.
func TestTheWorkbookOfAChartHasItsData(t *testing.T) {
	t.Parallel()
	_, d, err := chartsOf(t, chartDocx(t, "{{chart Items: Name, Qty, Price, 7}}", chartXML("barChart"), "inline"), chartEvent)
	if err != nil {
		t.Fatal(err)
	}
	content, _ := d.Package.Part("word/embeddings/Sheet1.xlsx")
	book, err := opc.ReadPackage(content)
	if err != nil {
		t.Fatal(err)
	}
	sheet, _ := book.Part("xl/worksheets/sheet2.xml")
	const text = ` t="inlineStr"><is><t xml:space="preserve">`
	want := `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Part</t></is></c><c r="B1"` + text + `First</t></is></c><c r="C1"` + text + `Second</t></is></c><c r="D1"` + text + `7</t></is></c></row>` +
		`<row r="2"><c r="A2"` + text + `Bolt</t></is></c><c r="B2"><v>3</v></c><c r="C2"><v>0.1</v></c><c r="D2"><v>7</v></c><c r="E2"><v>99</v></c></row>` +
		`<row r="3"><c r="A3"` + text + `Nut &amp; Co</t></is></c><c r="B3"><v>10.25</v></c><c r="D3"><v>7</v></c></row>` +
		`<row r="4"><c r="A4"` + text + `Washer</t></is></c><c r="B4"><v>-1</v></c><c r="C4"><v>12345678901234567890.5</v></c><c r="D4"><v>7</v></c></row></sheetData>`
	if !strings.Contains(string(sheet), want) {
		t.Errorf("got %s\nwant %s in it", sheet, want)
	}
	table, _ := book.Part("xl/tables/table1.xml")
	if want := `ref="A1:D4"><autoFilter ref="A1:D4"/><tableColumns count="4"><tableColumn id="1" name="Part"/><tableColumn id="2" name="First"/><tableColumn id="3" name="Second"/><tableColumn id="4" name="7"/></tableColumns>`; !strings.Contains(string(table), want) {
		t.Errorf("got %s, want %s in it", table, want)
	}
	chart, _ := d.Package.Part("word/charts/chart1.xml")
	for _, want := range []string{`<c:f>'My data'!$A$2:$A$4</c:f>`, `<c:f>'My data'!$D$2:$D$4</c:f>`, `<c:f>'My data'!$D$1</c:f>`, `<c:v>12345678901234567890.5</c:v>`, `<c:formatCode>0.00</c:formatCode>`} {
		if !strings.Contains(string(chart), want) {
			t.Errorf("got %s, want %s in it", chart, want)
		}
	}
	body, _ := d.Package.Part("word/document.xml")
	if want := `descr="Bolt: 3, 0.1, 7; Nut &amp; Co: 10.25, , 7; Washer: -1, 12345678901234567890.5, 7"`; !strings.Contains(string(body), want) {
		t.Errorf("got %s, want %s in it", body, want)
	}
}

func TestChartsOfSlidesShowTheDataOfTheirItem(t *testing.T) {
	t.Parallel()
	_, p, err := filledSlides(t, chartPptx(t, "{{chart Lines: Part, Qty}}", chartXML("barChart"), []string{"{{#each Orders}}", "order {{No}}", "{{/each}}"}), chartEvent)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Slides {
		for _, shape := range s.Shapes {
			if shape.Chart != nil {
				got = append(got, shownChart(shape.Chart))
			}
		}
	}
	if want := "| | First\n| A | 1\n--\n| | First\n| B | 2\n| C | 3"; strings.Join(got, "\n--\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n--\n"), want)
	}
}

// chartsOfBoth are what a chart of a document and of a presentation show.
func chartsOfBoth(t *testing.T, tag, data string) map[string]string {
	t.Helper()
	charts, _, err := chartsOf(t, chartDocx(t, tag, chartXML("barChart"), "inline"), data)
	if err != nil {
		t.Fatal(err)
	}
	_, p, err := filledSlides(t, chartPptx(t, tag, chartXML("barChart"), []string{"a"}), data)
	if err != nil {
		t.Fatal(err)
	}
	shapes := p.Slides[0].Shapes
	return map[string]string{"document": charts[0], "presentation": shownChart(shapes[len(shapes)-1].Chart)}
}

func TestChartsThatCannotBeFilledAreFindings(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"{{chart Items}}":                                          "chart_incomplete",
		"{{chart Items: Name}}":                                    "chart_incomplete",
		"{{chart Items: Name, SUMM(Qty)}}":                         "unknown_function",
		"{{chart Name: Name, 1}}":                                  "not_a_list",
		"{{chart Bad: Name, Qty}}":                                 "not_a_number",
		"{{chart Orders: No, Lines.Qty}}":                          "chart_value",
		"{{chart Items where: Name, Qty}}":                         "clause_incomplete",
		"{{chart Items: Name, " + strings.Repeat("1,", 20) + "1}}": "chart_too_large",
	} {
		d, err := wml.ReadDocument(chartDocx(t, tag, chartXML("barChart"), "inline"))
		if err != nil {
			t.Fatal(err)
		}
		resource, err := docs.Get(d, "id", "title", "1")
		if err != nil {
			t.Fatal(err)
		}
		e := lang.NewEvaluator(parse(t, chartEvent), lang.Builtins{})
		if _, err := fill.ComposeDocument(resource, e, nonce); err == nil || len(e.Findings()) == 0 || e.Findings()[0].Code != want {
			t.Errorf("%s: got %v, %v; want %s", tag, e.Findings(), err, want)
		}
	}
	_, e, err := fillDocument(t, docx(t, drawn("{{chart Items: Name, Qty}}"), "", ""), chartEvent)
	if err == nil || e.Findings()[0].Code != "chart_in_text" {
		t.Errorf("in a text: got %v", err)
	}
	_, _, err = fillDocument(t, chartDocx(t, "{{chart Items: N, N}}", chartXML("barChart"), "inline"), `{"Items":`+items(1_001, `{"N":#}`)+`}`)
	wantFailure(t, err, "chart_too_large", "The list Items has 1001 items, and a chart takes at most 1000")
}

// Google shows charts as pictures, or linked to sheets.
func TestChartsOfGoogleAreAFinding(t *testing.T) {
	t.Parallel()
	d, err := wml.ReadDocument(chartDocx(t, "{{chart Items: Name, Qty}}", chartXML("barChart"), "inline"))
	if err != nil {
		t.Fatal(err)
	}
	resource, err := docs.Get(d, "id", "title", "1")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range resource.InlineObjects {
		o.InlineObjectProperties.EmbeddedObject.ImageProperties = &gdocs.ImageProperties{}
	}
	_, err = fill.ComposeDocument(resource, lang.NewEvaluator(parse(t, chartEvent), lang.Builtins{}), nonce)
	wantFailure(t, err, "template_faulty", "Google lets no program change its data")
}

func TestChartsOfTheSameTagShowTheSameData(t *testing.T) {
	t.Parallel()
	d, err := wml.ReadDocument(chartDocx(t, "{{chart Lines: Part, Qty}}", chartXML("barChart"), "inline"))
	if err != nil {
		t.Fatal(err)
	}
	compose := func(second string) (int, error) {
		resource, err := docs.Get(d, "id", "title", "1")
		if err != nil {
			t.Fatal(err)
		}
		chart := resource.Body.Content[1]
		tag := func(text string) *gdocs.StructuralElement {
			return &gdocs.StructuralElement{Paragraph: &gdocs.Paragraph{Elements: []*gdocs.ParagraphElement{{TextRun: &gdocs.TextRun{Content: text + "\n"}}}}}
		}
		resource.Body.Content = []*gdocs.StructuralElement{tag("{{#each Orders limit 1}}"), chart, tag("{{/each}}"), tag(second), chart, tag("{{/each}}")}
		requests, err := fill.ComposeDocument(resource, lang.NewEvaluator(parse(t, chartEvent), lang.Builtins{}), nonce)
		n := 0
		for _, r := range requests {
			if r.ReplaceAllText != nil && strings.HasPrefix(r.ReplaceAllText.ContainsText.Text, "{{chart") {
				n++
			}
		}
		return n, err
	}
	if n, err := compose("{{#each Orders where No = 1}}"); n != 1 || err != nil {
		t.Errorf("the same data: got %d requests, %v", n, err)
	}
	_, err = compose("{{#each Orders where No = 2}}")
	wantFailure(t, err, "template_faulty", "Two charts have this tag and would show different data")
}

// titled gives a chart a title and a title of its axis.
func titled(chart, title, axis string) string {
	rich := func(text string) string {
		return `<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></c:rich></c:tx></c:title>`
	}
	return strings.Replace(strings.Replace(chart, "<c:plotArea>", rich(title)+"<c:plotArea>", 1), `<c:valAx><c:axId val="2"/>`, `<c:valAx><c:axId val="2"/>`+rich(axis), 1)
}

func TestTitlesOfChartsAreFilled(t *testing.T) {
	t.Parallel()
	chart := titled(chartXML("barChart"), "Sales of {{Name}}", "{{= COUNT(Items)}} pieces")
	_, d, err := chartsOf(t, chartDocx(t, "{{chart Items: Name, Qty}}", chart, "inline"), chartEvent)
	if err != nil {
		t.Fatal(err)
	}
	part, _ := d.Package.Part("word/charts/chart1.xml")
	if got := string(part); !strings.Contains(got, "<a:t>Sales of Ada</a:t>") || !strings.Contains(got, "<a:t>3 pieces</a:t>") {
		t.Errorf("got %s", got)
	}
	_, p, err := filledSlides(t, chartPptx(t, "{{chart Lines: Part, Qty}}", titled(chartXML("barChart"), "Order {{No}} of {{Name}}", "pieces"), []string{"{{#each Orders}}", "{{No}}", "{{/each}}"}), chartEvent)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Slides {
		for _, shape := range s.Shapes {
			if shape.Chart != nil {
				got = append(got, strings.Join(shape.Chart.Texts(), ", "))
			}
		}
	}
	if want := "Order 1 of Ada, pieces; Order 2 of Ada, pieces"; strings.Join(got, "; ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
