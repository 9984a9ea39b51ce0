package console

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/inside"
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
		return view{}, &client.Error{Status: http.StatusForbidden, Code: "scope_missing", Detail: r.Text("It may read, and not send events.")}
	}
	text, made, failed := r.PostForm.Get("data"), "", error(nil)
	if problem := whyNoObject(r.Printer, text); problem != "" {
		failed = refused(problem)
	} else {
		var e SentEvent
		if e, failed = sentEvent(r.Printer, of); failed == nil {
			e.Data = []byte(text)
			made, failed = s.post(ctx, r, "POST /console/workflows/{workflow}/runs/{automation}/again", e, r.typed("once"))
		}
	}
	why, err := r.explained(failed)
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
// runs of the workflow. The audit has an entry for it, under the page's route. once is of the
// form: empty, if it has none.
func (s *site) post(ctx context.Context, r request, route string, e SentEvent, once string) (made string, err error) {
	w, err := r.api.Workflow(ctx, r.workflowID())
	if err != nil {
		return "", err
	}
	// What was changed after a form was sent is another event.
	once = fmt.Sprintf("%s-%x", cmp.Or(once, rand.Text()), sha256.Sum256(e.Data))
	requestID := fmt.Sprintf("made-%.12x", sha256.Sum256([]byte(once)))
	if e.Of != "" {
		requestID = sentAgainAs(e.Of)
	}
	at := inside.Origin + w.Source.URL[strings.LastIndex(w.Source.URL, "/"):]
	if e.Test {
		at += "/" + platen.TestSegment
	}
	sending := client.WithRequestID(client.WithIdempotencyKey(ctx, once), requestID)
	if e.Reference != "" {
		sending = client.WithReference(sending, e.Reference)
	}
	hooks := inside.Caller{API: s.Hooks, From: r.Request}.Client()
	err = hooks.Send(sending, at, e.Data)
	run := ""
	if err == nil {
		run = r.runOf(ctx, once, e.Test)
	}
	s.recordSending(ctx, r, w, route, cmp.Or(run, e.Of), requestID, err)
	switch {
	case err != nil:
		return "", err
	case run != "":
		return run + "/", nil
	case e.Test:
		return "?test=true", nil
	}
	return "", nil
}

// runOf is the run of the event that was sent under a key: a source answers nothing about
// it. Empty: it cannot be found now, and the event was taken all the same.
func (r request) runOf(ctx context.Context, key string, test bool) string {
	found, _ := r.newestRuns(ctx, r.workflowID(), 1, client.AutomationQuery{IdempotencyKey: key, Test: test})
	for _, a := range found {
		return a.ID
	}
	return ""
}

// recordSending has an entry in the audit for an event that somebody sent from a page: a
// source has none for its events. Nobody is kept from sending because that fails.
func (s *site) recordSending(ctx context.Context, r request, w client.Workflow, route, object, requestID string, failed error) {
	if s.Audit == nil {
		return
	}
	e := platen.AuditEntry{
		Actor:  platen.Actor{Kind: platen.ActorUser, ID: r.me.User.ID, TokenID: r.me.Token.ID},
		Action: route, OwnerID: w.Owner.ID, WorkflowID: w.ID, ObjectID: object, RequestID: requestID,
	}
	if w.Team != nil {
		e.TeamID = w.Team.ID
	}
	if s.Client != nil {
		e.Actor.Address = s.Client(r.Request)
	}
	ctx, act := platen.BeginAct(context.WithoutCancel(ctx), e)
	if act.Entry.Outcome = platen.AuditDone; failed != nil {
		act.Entry.Outcome = cmp.Or(client.CodeOf(failed), "internal")
	}
	if err := s.Audit.Record(ctx, act.Entry); err != nil {
		s.Log.LogAttrs(ctx, slog.LevelError, "an event that a page sent is not in the audit", slog.String("user", r.me.User.ID), slog.String("error", err.Error()))
	}
}
