package lang

import "strings"

const (
	// ChartWord begins the tag of a chart.
	ChartWord = "chart"
	// MaxChartPoints and MaxChartSeries are how many points and series a chart is
	// given at most.
	MaxChartPoints = 1000
	MaxChartSeries = 20
)

// A column is what a chart shows of each item.
type column struct {
	by   expr
	text string // as the tag has it
}

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

// readChart reads what stands behind chart: a list with its clauses, and behind a colon
// the category and the values of its items.
func (e *Evaluator) readChart(rest string) *Statement {
	list, columns, ok := cutColon(rest)
	if !ok {
		return &Statement{Kind: Faulty, finding: findingf("chart_incomplete", "{{chart}} names a list, and behind a colon the category and the values: {{chart Items: Name, Qty}}.")}
	}
	s := e.readEach(list)
	if s.Kind == Faulty {
		return s
	}
	s.Kind = Chart
	p := &formulaParser{lexer: lexer{text: columns}, functions: e.allFunctions()}
	for p.advance(); ; p.advance() {
		start := p.token.start
		by, err := p.parseLevel(0)
		if err != nil {
			return &Statement{Kind: Faulty, finding: err}
		}
		s.columns = append(s.columns, column{by: by, text: strings.TrimSpace(columns[start:p.last])})
		if p.token.kind == endToken {
			break
		}
		if p.token.kind != operatorToken || p.token.text != "," && p.token.text != ";" {
			return &Statement{Kind: Faulty, finding: p.explainToken()}
		}
	}
	switch {
	case len(s.columns) < 2:
		return &Statement{Kind: Faulty, finding: findingf("chart_incomplete", "Behind the category of a chart stand the values of its series: {{chart Items: Name, Qty}}.")}
	case len(s.columns)-1 > MaxChartSeries:
		return &Statement{Kind: Faulty, finding: findingf("chart_too_large", "A chart takes at most %d series, and this one names %d.", MaxChartSeries, len(s.columns)-1)}
	}
	return s
}

// cutColon parts a text at the first colon that stands in no quotes or brackets.
func cutColon(text string) (before, behind string, ok bool) {
	until := ""
	for i, c := range text {
		switch {
		case until != "":
			if strings.ContainsRune(until, c) {
				until = ""
			}
		case c == '"' || c == '\'':
			until = string(c)
		case closingQuotes(c) != "":
			until = closingQuotes(c)
		case c == '[':
			until = "]"
		case c == ':':
			return strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:]), true
		}
	}
	return text, "", false
}

// Chart works the tag of a chart out. It is nil where there is nothing to show, which has
// been noted.
func (e *Evaluator) Chart(s *Statement, scope *Scope) *ChartData {
	if s.Kind != Chart {
		e.report(s, s.finding)
		return nil
	}
	items := e.Items(s, scope)
	if len(items) > MaxChartPoints {
		e.report(s, dataFindingf("chart_too_large", "The list %s has %d items, and a chart takes at most %d: send fewer, or limit the list.", items[0].List(), len(items), MaxChartPoints))
		return nil
	}
	data := &ChartData{Categories: make([]string, len(items)), Series: make([]ChartSeries, len(s.columns)-1)}
	for i, c := range s.columns[1:] {
		data.Series[i] = ChartSeries{Name: c.text, Values: make([]string, len(items))}
	}
	for i, item := range items {
		for j, c := range s.columns {
			if e.TooMuch() {
				return nil
			}
			v, err := env{e: e, scope: item}.eval(c.by)
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
func (in env) readPoint(c column, v value, isNumber bool) (string, *Finding) {
	if many, is := v.(values); is && len(many) == 1 {
		v = many[0]
	}
	switch v := v.(type) {
	case *object:
		return "", valueFindingf("chart_value", "%s has fields of its own: a chart takes one value of each item.", c.text)
	case values:
		if len(v) > 1 {
			return "", valueFindingf("chart_value", "%s has several values: a chart takes one value of each item, such as SUM(%s).", c.text, c.text)
		}
		return "", nil
	}
	if !isNumber || isEmpty(v) {
		return textOf(v), nil
	}
	n, err := in.toNumber(c.by, v)
	if err != nil {
		return "", err
	}
	return n.Decimal.String(), nil
}

// columnNames are the names that the columns of a Chart look up in each item.
func (s *Statement) columnNames(isName func(*binary) bool) []string {
	var names []string
	for _, c := range s.columns {
		names = namesIn(c.by, true, isName, names)
	}
	return names
}

// readColumns notes what a Chart asks of the items of its list.
func (in *requirementReader) readColumns(s *Statement, sure bool) {
	in.lists, in.groups = append(in.lists, in.findPath(s.name)), append(in.groups, s.groupName())
	for i, c := range s.columns {
		in.readFormula(c.by, use{shown: true, required: sure, number: i > 0})
	}
	in.lists, in.groups = in.lists[:len(in.lists)-1], in.groups[:len(in.groups)-1]
}
