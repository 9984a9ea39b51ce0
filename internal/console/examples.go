package console

import (
	"context"
	"net/http"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/examples"
)

// An offeredExample is a workflow that is made with one press.
type offeredExample struct{ Name, Title, Text, Icon, Color string }

// offered are the examples of a first visit.
var offered = []offeredExample{
	{examples.Invoice, say("Invoice"), say("A table of items, sums and dates, in Word"), "receipt", "#2f52cf"},
	{examples.Letter, say("Letter"), say("A letter with an address and a condition, in Word"), "mail", "#b4530b"},
	{examples.Offer, say("Offer"), say("Slides with prices, in PowerPoint"), "presentation", "#8a3fb0"},
}

// makeExample makes a workflow of an example and its first document, and leads to its run.
func (s *site) makeExample(ctx context.Context, r request) (string, error) {
	var of *offeredExample
	for i := range offered {
		if offered[i].Name == r.PathValue("example") {
			of = &offered[i]
		}
	}
	if of == nil {
		return "", errNoPage
	}
	if lacks, err := s.lacksDrive(ctx, r); err != nil || lacks {
		return "/", err // which says why
	}
	e, err := examples.Get(of.Name)
	if err != nil {
		return "", err
	}
	made, err := r.api.CreateWorkflow(client.WithIdempotencyKey(ctx, r.typed("once")), client.NewWorkflow{Name: r.Text("Example: %s", r.Text(of.Title)), Icon: of.Icon, Color: of.Color})
	if err != nil {
		return "", err
	}
	if _, err := r.firstTemplate(ctx, made.ID, e.Template); err != nil {
		return "", err
	}
	if s.Hooks == nil {
		return tabPath(made.ID, tabOverview), nil
	}
	r.SetPathValue("workflow", made.ID)
	run, err := s.post(ctx, r, "POST /console/examples/{example}", SentEvent{Data: e.Event}, r.typed("once"))
	return tabPath(made.ID, "runs") + run, err
}

// routeExamples are the forms of examples.
func (s *site) routeExamples(mux *http.ServeMux) {
	mux.HandleFunc("POST /console/examples/{example}", s.change(s.makeExample))
}
