package console

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

const seriesPath = "/console/series/"

// isSkipped tells of numbers that somebody left out.
func isSkipped(n client.DrawnNumber) bool {
	return n.AutomationID == nil && n.Code != nil && *n.Code == platen.CodeNumberSkipped
}

type numbersPage struct {
	Series      client.Series
	Rows        []client.DrawnNumber
	State, Next string // what is chosen, and the address of the next page
	First       bool
	// Typed is the number that was refused, Problem and Faults why.
	Typed   string
	Problem saying
	Faults  faults
}

// Fault is what is wrong with a field; id is that of the field.
func (p numbersPage) Fault(field, id string) besideField {
	return besideField{ID: "fault-" + id, Text: p.Faults[field]}
}

// Value is what the field for the next number shows.
func (p numbersPage) Value() string {
	if p.Problem != "" || len(p.Faults) > 0 {
		return p.Typed
	}
	return strconv.Itoa(p.Series.Next)
}

// routeSeries are the pages of the caller's series and usage.
func (s *site) routeSeries(mux *http.ServeMux) {
	mux.HandleFunc("GET "+usagePath+"{$}", s.page("usage", s.usage))
	mux.HandleFunc("GET "+seriesPath+"{$}", s.page("series", s.allSeries))
	mux.HandleFunc("GET "+seriesPath+"{series}/{$}", s.page("numbers", s.numbers))
	mux.HandleFunc("POST "+seriesPath+"{series}/{$}", s.page("numbers", s.setNext))
}

// seriesPage is where a series is shown that a document names: one that begins again each
// year is several.
func seriesPage(declared string) string {
	if strings.Contains(declared, "@") {
		return seriesPath
	}
	return seriesPath + declared + "/"
}

func (s *site) allSeries(ctx context.Context, r request) (view, error) {
	all, err := r.api.AllSeries(ctx)
	return view{Title: r.Text("Series of numbers"), Page: all}, err
}

// numbers shows what became of the numbers of a series, the lowest first.
func (s *site) numbers(ctx context.Context, r request) (view, error) {
	asked := r.URL.Query()
	p := numbersPage{State: asked.Get("state"), First: asked.Get("cursor") == ""}
	err := r.readNumbers(ctx, &p, asked.Get("cursor"))
	return view{Title: r.Text("Numbers of %s", p.Series.Name), Page: p}, err
}

// onNumbersPage is how many numbers a page has.
const onNumbersPage = 100

func (r request) readNumbers(ctx context.Context, p *numbersPage, cursor string) error {
	name := r.PathValue("series")
	if !platen.IsSeries(name) {
		return errNoPage
	}
	var err error
	if p.Series, err = r.api.Series(ctx, name); err != nil {
		return err
	}
	page := client.Page{Limit: onNumbersPage, Cursor: cursor}
	p.Rows, err = client.Collect(r.api.Numbers(client.WithPage(ctx, &page), name, client.NumberQuery{States: some(p.State)}))
	if next := nextPage(page, "state", p.State); next != "" {
		p.Next = seriesPage(name) + next
	}
	return err
}

// setNext has a series go on at a higher number.
func (s *site) setNext(ctx context.Context, r request) (view, error) {
	name := r.PathValue("series")
	if !platen.IsSeries(name) {
		return view{}, errNoPage
	}
	next, failed := strconv.Atoi(r.typed("next"))
	if failed != nil {
		failed = refused(r.Text("Type in a whole number."))
	} else {
		_, failed = r.api.SetNextNumber(ctx, name, client.SeriesChange{Next: next})
	}
	if failed == nil {
		return view{to: seriesPath + name + "/"}, nil
	}
	p := numbersPage{First: true, Typed: r.typed("next")}
	var err error
	if p.Faults, p.Problem, err = r.explainForm(failed); err != nil {
		return view{}, err
	}
	err = r.readNumbers(ctx, &p, "")
	return view{Title: r.Text("Numbers of %s", name), Page: p, status: http.StatusBadRequest}, err
}
