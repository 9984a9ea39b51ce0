package edit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/opc"
)

// chartNS is the namespace of charts (ECMA-376 part 1, 21.2).
const chartNS = "http://schemas.openxmlformats.org/drawingml/2006/chart"

// Bounds of what a chart is given: 1,000 points of 20 series are drawn at most.
const (
	maxChartPoints = 1000
	maxChartSeries = 20
)

// chartData is what a chart is to show: a category for each point, and the values of
// each series; an empty value is a gap.
type chartData struct {
	Categories []string `json:"categories"`
	Series     []struct {
		Name   string   `json:"name"`
		Values []string `json:"values"`
	} `json:"series"`
}

// readChartData reads what takes the place of the tag of a chart; nil where it is no data.
func readChartData(tag, text string) (*chartData, error) {
	if !strings.HasPrefix(tag, "{{") || !strings.HasPrefix(text, "{") {
		return nil, nil
	}
	var data chartData
	if json.Unmarshal([]byte(text), &data) != nil || len(data.Series) == 0 {
		return nil, nil
	}
	if len(data.Series) > maxChartSeries || len(data.Categories) > maxChartPoints {
		return nil, &opc.RequestError{Message: fmt.Sprintf("A chart takes at most %d points of %d series.", maxChartPoints, maxChartSeries)}
	}
	for _, s := range data.Series {
		if len(s.Values) != len(data.Categories) {
			return nil, &opc.RequestError{Message: "The series of a chart need a value for each category."}
		}
		for _, v := range s.Values {
			if _, err := strconv.ParseFloat(v, 64); v != "" && (err != nil || strings.Trim(v, "+-.0123456789eE") != "") {
				return nil, &opc.RequestError{Message: "The values of a chart must be numbers."}
			}
		}
	}
	return &data, nil
}

// FillCharts gives the charts whose description is a tag their data, with their
// workbooks, in the parts given or, without any, in all stories. It returns their number,
// 0 where the text is no data of a chart. The error is a *opc.RequestError where no chart
// says so, or one cannot take the data.
func FillCharts(p *opc.Package, tag, text string, parts ...string) (int, error) {
	data, err := readChartData(tag, text)
	if data == nil || err != nil {
		return 0, err
	}
	count := 0
	for _, part := range StoryParts(p) {
		if len(parts) > 0 && !slices.Contains(parts, part) {
			continue
		}
		tree, err := p.XML(part)
		if err != nil {
			return count, err
		}
		for _, found := range chartsSaying(tree.Root(), tag, nil) {
			relation, ok := p.Relationship(part, found.relation)
			if !ok || relation.External || !p.Has(relation.Target) {
				continue
			}
			if err := fillChart(p, relation.Target, data); err != nil {
				return count, err
			}
			found.describe(data)
			p.Touch(part)
			count++
		}
	}
	if count == 0 {
		return 0, &opc.RequestError{Message: "The tag of a chart stands in the description of something that is no chart: write it into that of a chart."}
	}
	return count, nil
}

// saidChart is a chart with the properties that describe it.
type saidChart struct {
	properties *etree.Element
	relation   string
}

// chartsSaying finds the charts below an element whose description or title is a tag.
func chartsSaying(e *etree.Element, tag string, into []saidChart) []saidChart {
	for _, c := range e.ChildElements() {
		var properties *etree.Element
		switch c.Tag {
		case "inline", "anchor":
			properties = childNamed(c, "wp", "docPr")
		case "graphicFrame":
			properties = childNamed(childNamed(c, "p", "nvGraphicFramePr"), "p", "cNvPr")
		}
		if properties == nil {
			into = chartsSaying(c, tag, into)
			continue
		}
		says := func(key string) bool { return strings.TrimSpace(properties.SelectAttrValue(key, "")) == tag }
		if chart := c.FindElement(".//c:chart"); chart != nil && (says("descr") || says("title")) {
			for _, a := range chart.Attr {
				if a.Key == "id" {
					into = append(into, saidChart{properties, a.Value})
				}
			}
		}
	}
	return into
}

// maxDescription is how many bytes of its values a chart is described by.
const maxDescription = 1000

// describe puts the values into the place of the tag, for who cannot see the chart.
func (c saidChart) describe(data *chartData) {
	var b strings.Builder
	for i, category := range data.Categories {
		var values []string
		for _, s := range data.Series {
			values = append(values, s.Values[i])
		}
		text := strings.ReplaceAll(cleanText(category), "\v", " ") + ": " + strings.Join(values, ", ")
		if b.Len()+len(text) > maxDescription {
			b.WriteString(" …")
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(text)
	}
	c.properties.RemoveAttr("title")
	c.properties.CreateAttr("descr", b.String())
}

// fillChart writes data into the part of a chart and into its workbook.
func fillChart(p *opc.Package, part string, data *chartData) error {
	tree, err := p.XML(part)
	if err != nil {
		return err
	}
	all := seriesOf(tree.Root())
	if len(all) == 0 {
		return &opc.RequestError{Message: "The chart has no series whose look its data could have."}
	}
	before := len(all)
	all = resizeSeries(all, len(data.Series))
	sheet := sheetOf(tree.Root())
	names := nameSeries(all, data)
	for i, s := range all {
		s.fill(sheet, i, names[i], data)
	}
	p.Touch(part)
	return fillWorkbook(p, part, sheet, names, before, data)
}

// nameSeries are the names of the series in the chart, or of the data where it has none,
// each once: columns of a table in a sheet have names of their own.
func nameSeries(all []chartSeries, data *chartData) []string {
	names := make([]string, len(all))
	taken := map[string]bool{}
	for i, s := range all {
		base := s.name()
		if base == "" {
			base = data.Series[i].Name
		}
		names[i] = base
		for n := 2; taken[strings.ToLower(names[i])] || names[i] == ""; n++ {
			names[i] = fmt.Sprintf("%s %d", base, n)
		}
		taken[strings.ToLower(names[i])] = true
	}
	return names
}

// A chartSeries is a c:ser.
type chartSeries struct{ elem *etree.Element }

// seriesOf are the series of all plots of a chart, in their order.
func seriesOf(root *etree.Element) []chartSeries {
	var all []chartSeries
	for _, e := range root.FindElements("./c:chart/c:plotArea/*/c:ser") {
		all = append(all, chartSeries{e})
	}
	return all
}

// resizeSeries takes series away, or adds some that look as the program colours them.
func resizeSeries(all []chartSeries, count int) []chartSeries {
	for len(all) > count {
		gone := all[len(all)-1].elem
		gone.Parent().RemoveChild(gone)
		all = all[:len(all)-1]
	}
	next := 0
	for _, s := range all {
		for _, tag := range []string{"idx", "order"} {
			if n, err := strconv.Atoi(valueOf(childNamed(s.elem, "c", tag))); err == nil {
				next = max(next, n+1)
			}
		}
	}
	for len(all) < count {
		last := all[len(all)-1].elem
		fresh := last.Copy()
		for _, tag := range []string{"tx", "spPr", "dPt", "dLbls", "marker", "extLst"} {
			for _, e := range fresh.SelectElements("c:" + tag) {
				fresh.RemoveChild(e)
			}
		}
		for _, tag := range []string{"idx", "order"} {
			if e := childNamed(fresh, "c", tag); e != nil {
				e.CreateAttr("val", strconv.Itoa(next))
			}
		}
		next++
		last.Parent().InsertChildAt(last.Index()+1, fresh)
		all = append(all, chartSeries{fresh})
	}
	return all
}

func valueOf(e *etree.Element) string {
	if e == nil {
		return ""
	}
	return e.SelectAttrValue("val", "")
}

// sheetOf is the sheet that the formulas of a chart name, as a formula writes it.
func sheetOf(root *etree.Element) string {
	for _, f := range root.FindElements(".//c:f") {
		if at := strings.LastIndex(f.Text(), "!"); at > 0 {
			return f.Text()[:at]
		}
	}
	return "Sheet1"
}

// name is what the chart of the template calls a series.
func (s chartSeries) name() string {
	tx := childNamed(s.elem, "c", "tx")
	if tx == nil {
		return ""
	}
	if v := tx.FindElement(".//c:v"); v != nil {
		return v.Text()
	}
	return ""
}

// fill writes the values of a series with the places in the sheet that they come from.
func (s chartSeries) fill(sheet string, i int, name string, data *chartData) {
	column := columnName(i + 1)
	last := max(len(data.Categories), 1) + 1
	s.setName(fmt.Sprintf("%s!$%s$1", sheet, column), name)
	category, value := "cat", "val"
	if childNamed(s.elem, "c", "yVal") != nil {
		category, value = "xVal", "yVal"
	}
	values := s.reference(value, "")
	format := "General"
	if f := values.FindElement(".//c:formatCode"); f != nil {
		format = f.Text()
	}
	writeCache(values, "num", fmt.Sprintf("%s!$%s$2:$%s$%d", sheet, column, column, last), format, data.Series[i].Values)
	kind := "str"
	if category == "xVal" && areNumbers(data.Categories) {
		kind = "num"
	}
	writeCache(s.reference(category, value), kind, fmt.Sprintf("%s!$A$2:$A$%d", sheet, last), "General", data.Categories)
	for _, e := range append(s.elem.SelectElements("c:dPt"), s.elem.FindElements("./c:dLbls/c:dLbl")...) {
		// What was said of single points is none of points that are gone.
		if n, err := strconv.Atoi(valueOf(childNamed(e, "c", "idx"))); err != nil || n >= len(data.Categories) {
			e.Parent().RemoveChild(e)
		}
	}
}

// reference is the element of the categories or values, made before another one where
// there is none.
func (s chartSeries) reference(tag, before string) *etree.Element {
	if e := childNamed(s.elem, "c", tag); e != nil {
		return e
	}
	e := etree.NewElement("c:" + tag)
	at := len(s.elem.Child)
	if next := childNamed(s.elem, "c", before); next != nil {
		at = next.Index()
	}
	s.elem.InsertChildAt(at, e)
	return e
}

// setName says where the name of a series stands. A name that the chart itself has
// goes into the sheet.
func (s chartSeries) setName(formula, name string) {
	tx := childNamed(s.elem, "c", "tx")
	if tx == nil {
		tx = etree.NewElement("c:tx")
		at := 0
		for _, tag := range []string{"idx", "order"} {
			if e := childNamed(s.elem, "c", tag); e != nil {
				at = e.Index() + 1
			}
		}
		s.elem.InsertChildAt(at, tx)
	}
	detach(tx)
	reference := tx.CreateElement("c:strRef")
	reference.CreateElement("c:f").SetText(formula)
	cache := reference.CreateElement("c:strCache")
	cache.CreateElement("c:ptCount").CreateAttr("val", "1")
	point := cache.CreateElement("c:pt")
	point.CreateAttr("idx", "0")
	point.CreateElement("c:v").SetText(cleanText(name))
}

// writeCache writes texts or numbers with the formula that they come from.
func writeCache(e *etree.Element, kind, formula, format string, values []string) {
	detach(e)
	reference := e.CreateElement("c:" + kind + "Ref")
	reference.CreateElement("c:f").SetText(formula)
	cache := reference.CreateElement("c:" + kind + "Cache")
	if kind == "num" {
		cache.CreateElement("c:formatCode").SetText(format)
	}
	cache.CreateElement("c:ptCount").CreateAttr("val", strconv.Itoa(len(values)))
	for i, v := range values {
		if v == "" {
			continue // a gap
		}
		point := cache.CreateElement("c:pt")
		point.CreateAttr("idx", strconv.Itoa(i))
		point.CreateElement("c:v").SetText(strings.ReplaceAll(cleanText(v), "\v", "\n"))
	}
}

func areNumbers(texts []string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool {
		_, err := strconv.ParseFloat(text, 64)
		return err != nil
	})
}

// columnName is the name of a column of a sheet, from 0: A, B and so on, AA behind Z.
func columnName(n int) string {
	name := ""
	for n++; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}

// TaggedText is the text of a chart's titles where there are tags in it: Google's
// interface has no place for it, and so it stands for the chart's own title.
func TaggedText(lines []string) string {
	text := strings.Join(lines, "\n")
	if !strings.Contains(text, "{{") {
		return ""
	}
	return text
}
