package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/gorilla/mux"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// Numbers keeps the series of the caller's team, or of a caller without one.
type Numbers interface {
	// AllSeries returns those that have begun, by name.
	AllSeries(ctx context.Context, caller platen.User) ([]platen.Series, error)
	// Series returns one; every name is a series.
	Series(ctx context.Context, caller platen.User, name string) (platen.Series, error)
	// SetNext has one go on at a higher number.
	SetNext(ctx context.Context, caller platen.User, name string, next int64) (platen.Series, error)
	// Drawn returns numbers that one has given or left out.
	Drawn(ctx context.Context, caller platen.User, q platen.NumberQuery) ([]platen.DrawnNumber, error)
}

type seriesJSON struct {
	Name      string  `json:"name"`
	Next      int64   `json:"next"`
	UpdatedAt *string `json:"updatedAt"`
}

func series(s platen.Series) seriesJSON {
	j := seriesJSON{Name: s.Name, Next: s.Next}
	if s.UpdatedAt != nil {
		at := platen.Timestamp(*s.UpdatedAt)
		j.UpdatedAt = &at
	}
	return j
}

type numberJSON struct {
	Series       string             `json:"series"`
	Number       int64              `json:"number"`
	UpTo         int64              `json:"upTo"`
	State        platen.NumberState `json:"state"`
	Code         *string            `json:"code"`
	AutomationID *string            `json:"automationId"`
	WorkflowID   *string            `json:"workflowId"`
	DrawnAt      string             `json:"drawnAt"`
	VoidAt       *string            `json:"voidAt"`
}

func (s *server) listSeries(w http.ResponseWriter, r *http.Request) error {
	if err := parametersOf(r).err(); err != nil {
		return err
	}
	found, err := s.Numbers.AllSeries(r.Context(), caller(r.Context()))
	if err != nil {
		return err
	}
	all := make([]seriesJSON, len(found))
	for i, one := range found {
		all[i] = series(one)
	}
	return edge.WriteJSON(w, http.StatusOK, all)
}

// seriesName is the series that the path names.
func seriesName(r *http.Request) (string, error) {
	name := mux.Vars(r)["series"]
	if !platen.IsSeries(name) {
		return "", platen.Errorf(platen.KindForbidden, "series_not_found", "There is no series %q: a name has lower-case letters, digits and _, a letter first, and %d characters at most.", cut(name), platen.MaxSeriesName)
	}
	return name, nil
}

func (s *server) getSeries(w http.ResponseWriter, r *http.Request) error {
	name, err := seriesName(r)
	if err != nil {
		return err
	}
	found, err := s.Numbers.Series(r.Context(), caller(r.Context()), name)
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, series(found))
}

// updateSeries has a series go on at a higher number.
func (s *server) updateSeries(w http.ResponseWriter, r *http.Request) error {
	name, err := seriesName(r)
	if err != nil {
		return err
	}
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return err
	}
	next, err := readSeries(body)
	if err != nil {
		return err
	}
	set, err := s.Numbers.SetNext(r.Context(), caller(r.Context()), name, next)
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, series(set))
}

// listNumbers shows what became of each number, the lowest first.
func (s *server) listNumbers(w http.ResponseWriter, r *http.Request) error {
	name, err := seriesName(r)
	if err != nil {
		return err
	}
	in := parametersOf(r)
	page := in.page()
	states := anyOf(in, "state", platen.NumberOpen, platen.NumberUsed, platen.NumberVoid)
	if page.Limit == 0 {
		page.Limit = defaultLimit
	}
	after, _ := strconv.ParseInt(strings.TrimPrefix(page.After.ID, numberPosition), 10, 64)
	if page.After.ID != "" && !strings.HasPrefix(page.After.ID, numberPosition) {
		in.fault("The parameter cursor is not one that this list gave: follow the address in the Link header, or leave it out to start from the beginning.")
	}
	if err := in.err(); err != nil {
		return err
	}
	found, err := s.Numbers.Drawn(r.Context(), caller(r.Context()), platen.NumberQuery{Series: name, After: after, States: states, Limit: oneMore(page).Limit})
	if err != nil {
		return err
	}
	position := func(n platen.DrawnNumber) platen.Position {
		return platen.Position{CreatedAt: n.DrawnAt, ID: fmt.Sprintf(numberPosition+"%016d", n.Number)}
	}
	return writePage(s, w, r, page, found, position, number)
}

// numberPosition begins the position of a number in its list.
const numberPosition = "num_"

func number(n platen.DrawnNumber) numberJSON {
	j := numberJSON{
		Series: n.Series, Number: n.Number, UpTo: n.UpTo, State: n.State, Code: orNull(n.Code),
		AutomationID: orNull(n.AutomationID), WorkflowID: orNull(n.WorkflowID), DrawnAt: platen.Timestamp(n.DrawnAt),
	}
	if n.VoidAt != nil {
		at := platen.Timestamp(*n.VoidAt)
		j.VoidAt = &at
	}
	return j
}
