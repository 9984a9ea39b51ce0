package console

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

// sendAgain sends the data of a run, as it was changed in its form, to the workflow's
// source, which treats it as the event of any sender. It starts a run of its own, which is
// a test if that one was.
func (s *site) sendAgain(ctx context.Context, r request) (view, error) {
	of, err := r.api.Automation(ctx, r.workflowID(), r.runID())
	if err != nil {
		return view{}, err
	}
	if !r.me.Token.Write {
		return view{}, &client.Error{Status: http.StatusForbidden, Code: "scope_missing", Detail: "It may read, and not send events."}
	}
	text, made, failed := r.PostForm.Get("data"), "", error(nil)
	if problem := whyNoObject(text); problem != "" {
		failed = refused(problem)
	} else {
		var e SentEvent
		if e, failed = sentEvent(of); failed == nil {
			e.Data = []byte(text)
			made, failed = s.post(ctx, r, e, r.typed("once"))
		}
	}
	why, err := explained(failed)
	if err != nil {
		return view{}, err
	}
	if why == "" {
		return view{to: "/console" + r.workflowPath() + "/runs/" + made}, nil
	}
	v, err := s.run(ctx, r)
	if p, ok := v.Page.(runPage); ok {
		p.Again, p.AgainProblem = text, why
		v.Page, v.Live, v.status = p, "", http.StatusBadRequest
	}
	return v, err
}

// post sends an event to the source of the workflow, and returns where its run is below the
// runs of the workflow. once is of the form: empty, if it has none.
func (s *site) post(ctx context.Context, r request, e SentEvent, once string) (made string, err error) {
	w, err := r.api.Workflow(ctx, r.workflowID())
	if err != nil {
		return "", err
	}
	// What was changed after a form was sent is another event.
	once = fmt.Sprintf("%s-%x", cmp.Or(once, rand.Text()), sha256.Sum256(e.Data))
	// The run is found by the id of its request: a source answers nothing about it.
	requestID := fmt.Sprintf("again-%.12x", sha256.Sum256([]byte(once)))
	at := insideOrigin + w.Source.URL[strings.LastIndex(w.Source.URL, "/"):]
	if e.Test {
		at += "/" + platen.TestSegment
	}
	sending := client.WithRequestID(client.WithIdempotencyKey(ctx, once), requestID)
	if e.Reference != "" {
		sending = client.WithReference(sending, e.Reference)
	}
	hooks := inside{api: s.Hooks, from: r.Request}.client()
	if err := hooks.Send(sending, at, e.Data); err != nil {
		return "", err
	}
	return r.runOf(ctx, requestID, e.Test), nil
}

// runOf is the run that a request made; the list of runs where it is not among the newest,
// or where they cannot be listed.
func (r request) runOf(ctx context.Context, requestID string, test bool) string {
	newest, _ := client.Collect(r.api.Automations(client.WithPage(ctx, &client.Page{Limit: 100}), r.workflowID(), client.AutomationQuery{Newest: true, Test: test}))
	for _, a := range newest { // none where they could not be listed: the event was taken all the same
		if a.RequestID == requestID {
			return a.ID + "/"
		}
	}
	if test {
		return "?test=true"
	}
	return ""
}
