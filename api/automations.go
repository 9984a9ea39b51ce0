package api

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

func (s *server) listAutomations(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	return s.writeAutomations(w, r, func(q platen.AutomationQuery) ([]platen.Automation, error) {
		return s.Automations.WorkflowAutomations(r.Context(), caller(r.Context()), id, q)
	})
}

// listCallersAutomations is listAutomations over all of the caller's workflows.
func (s *server) listCallersAutomations(w http.ResponseWriter, r *http.Request) error {
	return s.writeAutomations(w, r, func(q platen.AutomationQuery) ([]platen.Automation, error) {
		return s.Automations.CallersAutomations(r.Context(), caller(r.Context()), q)
	})
}

// countAutomations counts those of all of the caller's workflows by hour or day.
func (s *server) countAutomations(w http.ResponseWriter, r *http.Request) error {
	return s.writeCounts(w, r, "")
}

// failuresSince is how far back failures are listed without a time.
const failuresSince = 7 * 24 * time.Hour

// listFailures tells why automations of the caller's workflows failed.
func (s *server) listFailures(w http.ResponseWriter, r *http.Request) error {
	in := parametersOf(r)
	since := in.since()
	if err := in.err(); err != nil {
		return err
	}
	if oldest := s.clock().Add(-failuresSince); since.Before(oldest) {
		since = oldest
	}
	causes, err := s.Automations.Failures(r.Context(), caller(r.Context()), since)
	if err != nil {
		return err
	}
	out := make([]failureCauseJSON, len(causes))
	for i, c := range causes {
		out[i] = failureCauseJSON{WorkflowID: c.WorkflowID, Open: c.Open, Cured: c.Cured, Newest: make([]automationJSON, len(c.Newest))}
		for n, a := range c.Newest {
			out[i].Newest[n] = s.automation(a)
		}
	}
	return edge.WriteJSON(w, http.StatusOK, out)
}

// countWorkflowAutomations is countAutomations of one workflow.
func (s *server) countWorkflowAutomations(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	return s.writeCounts(w, r, id)
}

// writeCounts counts the automations of a workflow; empty: of all.
func (s *server) writeCounts(w http.ResponseWriter, r *http.Request, workflowID string) error {
	in := parametersOf(r)
	each, _ := in.one("each")
	now := s.clock().UTC()
	spans := platen.Spans{Each: time.Hour, Number: 48}
	spans.From = now.Truncate(time.Hour).Add(-47 * time.Hour)
	switch each {
	case "", "hour":
	case "day":
		spans = platen.Spans{From: now.Truncate(24*time.Hour).AddDate(0, 0, -29), Each: 24 * time.Hour, Number: 30}
	default:
		in.fault("The parameter each must be one of hour, day.")
	}
	if err := in.err(); err != nil {
		return err
	}
	counted, err := s.Automations.CountAutomations(r.Context(), caller(r.Context()), workflowID, spans)
	if err != nil {
		return err
	}
	out := make([]automationCountJSON, len(counted))
	for i, n := range counted {
		out[i] = automationCountJSON{From: platen.Timestamp(n.From), Accepted: n.Accepted, Failed: n.Failed}
	}
	return edge.WriteJSON(w, http.StatusOK, out)
}

func (s *server) writeAutomations(w http.ResponseWriter, r *http.Request, read func(platen.AutomationQuery) ([]platen.Automation, error)) error {
	in := parametersOf(r)
	page := in.newestFirst()
	states := anyOf(in, "state", platen.AutomationAccepted, platen.AutomationRunning, platen.AutomationReview, platen.AutomationCompleted,
		platen.AutomationFailed, platen.AutomationSkipped, platen.AutomationCancelled)
	since, until, test, mails, placements := in.since(), in.until(), in.test(), in.mails(), in.placements()
	requestID, eventKey := in.named()
	batch := in.batch()
	reference, given := in.one("reference")
	if given && !platen.IsReference(reference) {
		in.fault("The parameter reference must be 1 to %d printable characters.", platen.MaxReference)
	}
	if err := in.err(); err != nil {
		return err
	}
	found, err := read(platen.AutomationQuery{Page: oneMore(page), States: states, Since: since, Until: until, Test: test, Mails: mails, Placements: placements, RequestID: requestID, EventKey: eventKey, Reference: reference, Batch: batch})
	if err != nil {
		return err
	}
	return writePage(s, w, r, page, found, automationPosition, s.automation)
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
	data, findings, err := s.sourceData(r.Context(), a)
	if err != nil {
		return err
	}
	for _, o := range a.Outputs {
		for _, f := range o.Findings {
			findings = append(findings, findingJSON{Code: f.Code, Message: f.Message, OutputID: o.ID})
		}
	}
	out := automationDetailJSON{automationJSON: s.automation(a), SourceData: data, Findings: findings}
	out.UnknownFields, err = s.unknownFields(out.MissingFields, data)
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, out)
}

const (
	// maxUnknown is how many missing fields are looked for in the source data.
	maxUnknown = 50
	// maxLists is how many objects in the data a name is taken to be a part of.
	maxLists = 50
)

// unknownFields are those of the missing fields that the source data has nowhere. A block
// over a list names the fields of an item alone, so a name is also looked for below each
// object of the data.
func (s *server) unknownFields(missing []string, data json.RawMessage) ([]unknownFieldJSON, error) {
	out := []unknownFieldJSON{}
	if s.tags == nil || len(missing) == 0 || string(data) == "null" {
		return out, nil
	}
	fields, err := platen.SourceFields(data)
	if err != nil {
		return nil, err
	}
	for _, name := range missing[:min(len(missing), maxUnknown)] {
		found := s.tags([]string{"{{" + name + "}}"}, fields)
		if len(found) > 0 && found[0].Filled {
			continue // an item of a list lacks it, or its value is empty
		}
		unknown := unknownFieldJSON{Name: name, Nearest: []string{}}
		for _, f := range found {
			unknown.Nearest = append(unknown.Nearest, f.Nearest...)
		}
		for _, parent := range parentsOf(fields) {
			if len(unknown.Nearest) > 0 {
				break
			}
			for _, f := range s.tags([]string{"{{" + parent + "." + name + "}}"}, fields) {
				unknown.Nearest = slices.DeleteFunc(append(unknown.Nearest, f.Nearest...), func(near string) bool { return !strings.HasPrefix(near, parent+".") })
			}
		}
		out = append(out, unknown)
	}
	return out, nil
}

// parentsOf are the objects that fields are parts of, each once.
func parentsOf(fields []string) (all []string) {
	for _, name := range fields {
		at := strings.LastIndexByte(name, '.')
		if at > 0 && len(all) < maxLists && !slices.Contains(all, name[:at]) {
			all = append(all, name[:at])
		}
	}
	return all
}

// sourceData is what an automation was started with; null once it was erased, also
// while this process still remembers it.
func (s *server) sourceData(ctx context.Context, a platen.Automation) (json.RawMessage, []findingJSON, error) {
	if a.DataErasedAt != nil || a.EraseRequestedAt != nil {
		return json.RawMessage("null"), []findingJSON{}, nil
	}
	body, err := s.Automations.SourceData(ctx, a.ID)
	if platen.IsDataErased(err) { // meanwhile
		return json.RawMessage("null"), []findingJSON{}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return readSourceData(body)
}

// changeAutomation asks something of an automation and answers 202 with it as
// it stands now: what was asked for happens after the answer, unless the request prefers
// to wait.
func (s *server) changeAutomation(change automationChange) edge.HandlerFunc {
	return s.answerChange(change, s.waitsFor)
}

// noteOfAutomation is changeAutomation of what is noted beside the automation: there is
// nothing to wait for.
func (s *server) noteOfAutomation(change automationChange) edge.HandlerFunc {
	return s.answerChange(change, func(w http.ResponseWriter, _ *http.Request, a platen.Automation) error {
		return edge.WriteJSON(w, http.StatusOK, s.automation(a))
	})
}

type automationChange func(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error)

// answerChange changes an automation, and answers with what it is then.
func (s *server) answerChange(change automationChange, answer func(http.ResponseWriter, *http.Request, platen.Automation) error) edge.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		wfID, err := workflowID(r)
		if err != nil {
			return err
		}
		id, err := s.automationID(r)
		if err != nil {
			return err
		}
		// Authorize first: other callers must not learn about faults of the body.
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
		return answer(w, r, a)
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
	return s.writeOutputs(w, r, func(q platen.OutputQuery) ([]platen.Output, error) {
		return s.Outputs.WorkflowOutputs(r.Context(), caller(r.Context()), id, q)
	})
}

// listCallersOutputs is listOutputs over all of the caller's workflows.
func (s *server) listCallersOutputs(w http.ResponseWriter, r *http.Request) error {
	return s.writeOutputs(w, r, func(q platen.OutputQuery) ([]platen.Output, error) {
		return s.Outputs.CallersOutputs(r.Context(), caller(r.Context()), q)
	})
}

func (s *server) writeOutputs(w http.ResponseWriter, r *http.Request, read func(platen.OutputQuery) ([]platen.Output, error)) error {
	in := parametersOf(r)
	page := in.newestFirst()
	states := anyOf(in, "state", platen.OutputPending, platen.OutputReview, platen.OutputDone, platen.OutputFailed)
	ids, since, until := in.ids("id", platen.PrefixOutput), in.since(), in.until()
	name, test, mails, placements, batch := in.name(), in.test(), in.mails(), in.placements(), in.batch()
	if err := in.err(); err != nil {
		return err
	}
	found, err := read(platen.OutputQuery{Batch: batch, Page: oneMore(page), States: states, IDs: ids, Since: since, Until: until, Name: name, Test: test, Mails: mails, Placements: placements})
	if err != nil {
		return err
	}
	position := func(o platen.Output) platen.Position { return platen.Position{CreatedAt: o.CreatedAt, ID: o.ID} }
	return writePage(s, w, r, page, found, position, output)
}

// readNothing accepts a body that is empty or {}.
func readNothing(r *http.Request) error {
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil || len(body) == 0 {
		return err
	}
	return decode(body, members{})
}
