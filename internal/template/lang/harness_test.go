package lang_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// order is the data of most tests.
const order = `{
	"Name": "ada lovelace", "Unit Price": "12.50", "Qty": 3, "Rate": 0.2, "Big": 1234567.891, "None": null, "Blank": "", "Zero": 0,
	"Paid": true, "Open": "false", "E-Mail": "a@b.c", "Net": 10, "Tax": 2, "Net-Tax": 99, "Due": "2026-01-31", "At": "2026-01-31T23:30:00Z",
	"Size (cm)": 7, "=odd": "field", "#if x": "kept", "No. of pages": 12, "Customer's No": 5, "Huge": 1e999, "Text": "abc",
	"Items": [
		{"Name": "Bolt", "Price": "0.10", "Qty": 3, "Rate": 20},
		{"Name": "Nut", "Price": "0.20", "Qty": 1, "Rate": 10},
		{"Name": "Washer", "Price": null, "Qty": 100, "Rate": 20}],
	"Empty": [], "Tags": ["x", "y"], "Orders": [{"No": 1, "Lines": [{"A": 1}, {"A": 2}]}, {"No": 2, "Lines": [{"A": 3}]}],
	"Customer": {"City": "Graz"}
}`

func parse(t interface{ Fatalf(string, ...any) }, body string) *lang.Data {
	data, err := lang.ParseData([]byte(body))
	if err != nil {
		t.Fatalf("ParseData(%s): %v", body, err)
	}
	return data
}

func evaluator(t interface{ Fatalf(string, ...any) }, body string) *lang.Evaluator {
	return lang.NewEvaluator(parse(t, body), lang.Builtins{AcceptedAt: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC), AutomationID: "aut_1", WorkflowName: "Invoices"})
}

func value(e *lang.Evaluator, tag string) string {
	tags := syntax.Parse("{{" + tag + "}}")
	if len(tags) != 1 {
		return "no tag"
	}
	return e.Text(e.Read(tags[0]), nil)
}

func read(e *lang.Evaluator, tag string) *syntax.Statement {
	return e.Read(syntax.Parse("{{" + tag + "}}")[0])
}

// A workedLine is a line of a template, worked out.
type workedLine struct {
	text     string   // with links as text<address> and pictures as [address]
	findings []string // codes and tags
	missing  []string
}

// work fills a line as a document is filled.
func work(t *testing.T, body, template string) workedLine {
	t.Helper()
	return workWith(evaluator(t, body), template)
}

func workWith(e *lang.Evaluator, template string) workedLine {
	line := e.ReadLine(template)
	text := writeSpans(line, e.Fill(line, nil, false))
	var findings []string
	for _, f := range e.Findings() {
		findings = append(findings, f.Code+" "+f.Tag)
	}
	return workedLine{text, findings, e.Missing()}
}

func writeSpans(line *lang.Line, spans []lang.Span) string {
	var b strings.Builder
	for _, s := range spans {
		switch {
		case s.Picture != nil:
			b.WriteString("[" + s.Picture.URI + "]")
		case !s.Value:
			b.WriteString(line.Text[s.Start:s.End])
		default:
			b.WriteString(s.Text)
		}
		if s.Link != "" {
			b.WriteString("<" + s.Link + ">")
		}
	}
	return b.String()
}

// checkLines fills lines in which nothing is wrong or missing.
func checkLines(t *testing.T, body string, cases map[string]string) {
	t.Helper()
	for line, want := range cases {
		got := work(t, body, line)
		if got.text != want || len(got.findings) > 0 || len(got.missing) > 0 {
			t.Errorf("%s: got %q with findings %q, missing %q; want %q", line, got.text, got.findings, got.missing, want)
		}
	}
}

// checkValues works tags out in which nothing is wrong or missing.
func checkValues(t *testing.T, body string, cases map[string]string) {
	t.Helper()
	for tag, want := range cases {
		e := evaluator(t, body)
		if got := value(e, tag); got != want || len(e.Findings()) > 0 || len(e.Missing()) > 0 {
			t.Errorf("{{%s}}: got %q with findings %+v, missing %q; want %q", tag, got, e.Findings(), e.Missing(), want)
		}
	}
}

// checkRefused works tags out that leave nothing but one finding, written as
// its code and its message.
func checkRefused(t *testing.T, body string, cases map[string]string) {
	t.Helper()
	for tag, want := range cases {
		e := evaluator(t, body)
		text := value(e, tag)
		var got []string
		for _, f := range e.Findings() {
			got = append(got, f.Code+": "+f.Message)
		}
		if text != "" || !slices.Equal(got, []string{want}) {
			t.Errorf("{{%s}}: got %q with findings %q; want the finding %q", tag, text, got, want)
		}
	}
}
