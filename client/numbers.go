package client

import (
	"context"
	"iter"
	"net/url"
	"time"
)

// A Series is one of numbers without gaps.
type Series struct {
	Name      string     `json:"name"`
	Next      int        `json:"next"`      // what the next automation gets
	UpdatedAt *time.Time `json:"updatedAt"` // nil: nothing was drawn, and nobody has set Next
}

// A SeriesChange sets what a series goes on at.
type SeriesChange struct {
	Next int `json:"next"`
}

// A DrawnNumber is a number of a series, or several in a row that were left out.
type DrawnNumber struct {
	Series       string     `json:"series"`
	Number       int        `json:"number"`
	UpTo         int        `json:"upTo"`  // the last of several; Number where it is one
	State        string     `json:"state"` // OPEN, USED, VOID
	Code         *string    `json:"code"`  // why it is VOID
	AutomationID *string    `json:"automationId"`
	WorkflowID   *string    `json:"workflowId"`
	DrawnAt      time.Time  `json:"drawnAt"`
	VoidAt       *time.Time `json:"voidAt"`
}

// A NumberQuery says which numbers a list is to hold.
type NumberQuery struct {
	States []string
}

func seriesPath(name string) string { return "/series/" + url.PathEscape(name) + "/" }

// AllSeries reads the series that have begun.
func (c *Client) AllSeries(ctx context.Context) ([]Series, error) {
	return get[[]Series](ctx, c, "/series/")
}

// Series reads one. Every name is a series, which begins at 1.
func (c *Client) Series(ctx context.Context, name string) (Series, error) {
	return get[Series](ctx, c, seriesPath(name))
}

// SetNextNumber has a series go on at a higher number; those between are VOID. A number
// that it has given has the code number_given.
func (c *Client) SetNextNumber(ctx context.Context, name string, in SeriesChange) (Series, error) {
	return patch[Series](ctx, c, seriesPath(name), in)
}

// Numbers lists what became of each number of a series, the lowest first.
func (c *Client) Numbers(ctx context.Context, series string, q NumberQuery) iter.Seq2[DrawnNumber, error] {
	return list[DrawnNumber](ctx, c, seriesPath(series)+"numbers/", values("state", q.States))
}
