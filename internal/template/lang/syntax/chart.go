package syntax

import "strings"

// ChartWord begins the tag of a chart.
const ChartWord = "chart"

// MaxChartSeries is how many series a chart is given at most.
const MaxChartSeries = 20

// A Column is what a chart shows of each item.
type Column struct {
	By   Expr
	Text string // as the tag has it
}

// readChart reads what stands behind chart: a list with its clauses, and behind a colon
// the category and the values of its items.
func (r *Reader) readChart(rest string) *Statement {
	list, columns, ok := cutColon(rest)
	if !ok {
		return &Statement{Kind: Faulty, Mistake: mistakef("chart_incomplete", "{{chart}} names a list, and behind a colon the category and the values: {{chart Items: Name, Qty}}.")}
	}
	s := r.readEach(list)
	if s.Kind == Faulty {
		return s
	}
	s.Kind = Chart
	p := &formulaParser{lexer: lexer{text: columns}, functions: r.functions}
	for p.advance(); ; p.advance() {
		start := p.token.start
		by, err := p.parseLevel(0)
		if err != nil {
			return &Statement{Kind: Faulty, Mistake: err}
		}
		s.Columns = append(s.Columns, Column{By: by, Text: strings.TrimSpace(columns[start:p.last])})
		if p.token.kind == endToken {
			break
		}
		if p.token.kind != operatorToken || p.token.text != "," && p.token.text != ";" {
			return &Statement{Kind: Faulty, Mistake: p.explainToken()}
		}
	}
	switch {
	case len(s.Columns) < 2:
		return &Statement{Kind: Faulty, Mistake: mistakef("chart_incomplete", "Behind the category of a chart stand the values of its series: {{chart Items: Name, Qty}}.")}
	case len(s.Columns)-1 > MaxChartSeries:
		return &Statement{Kind: Faulty, Mistake: mistakef("chart_too_large", "A chart takes at most %d series, and this one names %d.", MaxChartSeries, len(s.Columns)-1)}
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

// ColumnNames are the names that the columns of a Chart look up in each item.
func (s *Statement) ColumnNames(isName func(*Binary) bool) []string {
	var names []string
	for _, c := range s.Columns {
		names = NamesIn(c.By, true, isName, names)
	}
	return names
}
