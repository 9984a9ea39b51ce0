package lang

import (
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// MaxChartPoints is how many points a chart is given at most.
const MaxChartPoints = 1000

// A ChartData is the data for the tag of a chart: a category for each item, and the
// values of each series. A value that is not there is an empty text.
type ChartData struct {
	Categories []string      `json:"categories"`
	Series     []ChartSeries `json:"series"`
}

// ChartSeries is a row of values, decimal numbers, with a name for where the chart of the
// template has none.
type ChartSeries struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// Chart works the tag of a chart out. It is nil where there is nothing to show, which has
// been noted.
func (e *Evaluator) Chart(s *syntax.Statement, scope *Scope) *ChartData {
	if s.Kind != syntax.Chart {
		e.report(s, findingOf(s.Mistake))
		return nil
	}
	items := e.Items(s, scope)
	if len(items) > MaxChartPoints {
		e.report(s, dataFindingf("chart_too_large", "The list %s has %d items, and a chart takes at most %d: send fewer, or limit the list.", items[0].List(), len(items), MaxChartPoints))
		return nil
	}
	data := &ChartData{Categories: make([]string, len(items)), Series: make([]ChartSeries, len(s.Columns)-1)}
	for i, c := range s.Columns[1:] {
		data.Series[i] = ChartSeries{Name: c.Text, Values: make([]string, len(items))}
	}
	for i, item := range items {
		for j, c := range s.Columns {
			if e.TooMuch() {
				return nil
			}
			v, err := env{e: e, scope: item}.eval(c.By)
			text := ""
			if err == nil {
				text, err = env{e: e, scope: item}.readPoint(c, v, j > 0)
			}
			if err != nil {
				e.reportOf(s, item, err)
				continue
			}
			e.steps, e.written = e.steps+1, e.written+len(text)
			if j == 0 {
				data.Categories[i] = documentText(text)
			} else {
				data.Series[j-1].Values[i] = text
			}
		}
	}
	return data
}

// readPoint is a value as a chart has it.
func (in env) readPoint(c syntax.Column, v value, isNumber bool) (string, *Finding) {
	if many, is := v.(values); is && len(many) == 1 {
		v = many[0]
	}
	switch v := v.(type) {
	case *object:
		return "", valueFindingf("chart_value", "%s has fields of its own: a chart takes one value of each item.", c.Text)
	case values:
		if len(v) > 1 {
			return "", valueFindingf("chart_value", "%s has several values: a chart takes one value of each item, such as SUM(%s).", c.Text, c.Text)
		}
		return "", nil
	}
	if !isNumber || isEmpty(v) {
		return textOf(v), nil
	}
	n, err := in.toNumber(c.By, v)
	if err != nil {
		return "", err
	}
	return n.Decimal.String(), nil
}

// readColumns notes what a Chart asks of the items of its list.
func (in *requirementReader) readColumns(s *syntax.Statement, sure bool) {
	in.lists, in.groups = append(in.lists, in.findPath(s.Name)), append(in.groups, s.GroupName())
	for i, c := range s.Columns {
		in.readFormula(c.By, use{shown: true, required: sure, number: i > 0})
	}
	in.lists, in.groups = in.lists[:len(in.lists)-1], in.groups[:len(in.groups)-1]
}
