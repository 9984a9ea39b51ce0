package api

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/gorilla/mux"

	"github.com/platenhq/platen"
	"github.com/platenhq/platen/api/edge"
)

func (s *server) listAutomations(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	in := parametersOf(r)
	page := in.page()
	states := anyOf(in, "state", platen.AutomationAccepted, platen.AutomationRunning, platen.AutomationCompleted,
		platen.AutomationFailed, platen.AutomationSkipped, platen.AutomationCancelled)
	if err := in.err(); err != nil {
		return err
	}
	found, err := s.Automations.WorkflowAutomations(r.Context(), caller(r.Context()), id, platen.AutomationQuery{Page: oneMore(page), States: states})
	if err != nil {
		return err
	}
	return writePage(s, w, r, page, found, automationPosition, s.automation, "state")
}

func automationPosition(a platen.Automation) platen.Position {
	return platen.Position{CreatedAt: a.AcceptedAt, ID: a.ID}
}

// getAutomation shows beside the automation what it was started with, which
// its list leaves out.
func (s *server) getAutomation(w http.ResponseWriter, r *http.Request) error {
	wfID, err := workflowID(r)
	if err != nil {
		return err
	}
	id, err := s.automationID(r)
	if err != nil {
		return err
	}
	a, err := s.Automations.WorkflowAutomation(r.Context(), caller(r.Context()), wfID, id)
	if err != nil {
		return err
	}
	body, err := s.Automations.SourceData(r.Context(), a.ID)
	if err != nil {
		return err
	}
	data, findings, err := readSourceData(body)
	if err != nil {
		return err
	}
	for _, o := range a.Outputs {
		for _, f := range o.Findings {
			findings = append(findings, findingJSON{Code: f.Code, Message: f.Message, OutputID: o.ID})
		}
	}
	return edge.WriteJSON(w, http.StatusOK, automationDetailJSON{s.automation(a), data, findings})
}

// changeAutomation asks something of an automation and answers 202 with it as
// it stands now: what was asked for happens after the answer.
func (s *server) changeAutomation(change func(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error)) edge.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		wfID, err := workflowID(r)
		if err != nil {
			return err
		}
		id, err := s.automationID(r)
		if err != nil {
			return err
		}
		// Whoever may not use the workflow learns nothing of the body's faults.
		if _, err := s.Automations.WorkflowAutomation(r.Context(), caller(r.Context()), wfID, id); err != nil {
			return err
		}
		if err := readNothing(r); err != nil {
			return err
		}
		a, err := change(r.Context(), caller(r.Context()), wfID, id)
		if err != nil {
			return err
		}
		return edge.WriteJSON(w, http.StatusAccepted, s.automation(a))
	}
}

func (s *server) automationID(r *http.Request) (string, error) {
	id := mux.Vars(r)["automation"]
	if !platen.IsID(platen.PrefixAutomation, id) {
		return "", s.findBefore(r, platen.ErrAutomationNotFound())
	}
	edge.Note(r.Context(), slog.String("automation", id))
	return id, nil
}

func (s *server) listOutputs(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	in := parametersOf(r)
	page := in.page()
	states := anyOf(in, "state", platen.OutputPending, platen.OutputDone, platen.OutputFailed)
	if err := in.err(); err != nil {
		return err
	}
	found, err := s.Outputs.WorkflowOutputs(r.Context(), caller(r.Context()), id, platen.OutputQuery{Page: oneMore(page), States: states})
	if err != nil {
		return err
	}
	position := func(o platen.Output) platen.Position { return platen.Position{CreatedAt: o.CreatedAt, ID: o.ID} }
	return writePage(s, w, r, page, found, position, output, "state")
}

// readNothing accepts a body that is empty or {}.
func readNothing(r *http.Request) error {
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil || len(body) == 0 {
		return err
	}
	return decode(body, members{})
}
