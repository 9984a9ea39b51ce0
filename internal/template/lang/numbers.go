package lang

import (
	"fmt"
	"strings"

	"github.com/platenhq/platen/internal/platen"
)

// numberWord begins the name of a number: {{Number invoices}}.
const numberWord = "number "

// seriesIn returns the series that a name would mean as the name of a number. A name of
// several words, such as Number of items, is a field and nothing else.
func seriesIn(name string) (string, bool) {
	if len(name) <= len(numberWord) || !strings.EqualFold(name[:len(numberWord)], numberWord) {
		return "", false
	}
	series, ok := platen.SeriesTag(strings.ToLower(name[len(numberWord):]))
	return series, ok
}

// number is the number that a name means, of a series that the document declares. No
// field of the data takes its place: who sends events must not choose numbers.
func (b Builtins) number(name string) (string, bool) {
	if b.Number == nil {
		return "", false
	}
	series, ok := seriesIn(name)
	if !ok {
		return "", false
	}
	n, ok := b.Number(series)
	if !ok {
		return "", false
	}
	return fmt.Sprint(n), true
}

// AnySeries shows the sample number for every series.
func AnySeries(string) (int64, bool) { return platen.SampleNumber, true }

// lack notes a name without data. A number of a series that the document does not
// declare is a mistake: an invoice without its number must not be made.
func (e *Evaluator) lack(name string, scope *Scope) {
	if series, ok := seriesIn(name); ok {
		e.Report(undeclared(name, series))
		return
	}
	e.noteMissing(name, scope)
}

func undeclared(name, series string) Finding {
	return Finding{
		Code: "series_undeclared", Tag: "{{" + name + "}}",
		Message: fmt.Sprintf("The document takes no number of the series %s: add %q to its numbers, then send the event again.", series, series),
	}
}
