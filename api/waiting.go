package api

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// Ends tells when automations have ended.
type Ends interface {
	// Wait waits until one has, at most so long. Key is whose place it takes among those
	// that wait. Not kept: it did not wait that long.
	Wait(ctx context.Context, key, automationID string, most time.Duration) (ended, kept bool)
}

// Senders answers senders of source events that prefer to wait for the end of the
// automation (RFC 7240, section 4.3). All fields are required.
type Senders struct {
	// Find says which automation an accepted event has.
	Find        func(ctx context.Context, event platen.SourceEvent) (platen.Accepted, error)
	Automations interface {
		WorkflowAutomation(ctx context.Context, caller platen.User, workflowID, automationID string) (platen.Automation, error)
	}
	Ends Ends
	// PublicURL is the base of the API as clients see it; it ends in /v0.
	PublicURL string
}

// Answers of accepted events ask the database for so long. Thousands who wait may be answered
// at one moment, such as by the end of a batch: their reads take turns.
const (
	findTimeout   = 5 * time.Second
	answerTimeout = 15 * time.Second
)

// Answer answers the sender of an event with its automation. Where that cannot be read
// it writes nothing: the event is accepted all the same.
func (s Senders) Answer(w http.ResponseWriter, r *http.Request, event platen.SourceEvent, wait time.Duration) (answered bool) {
	ctx, cancel := context.WithTimeout(r.Context(), findTimeout)
	defer cancel()
	accepted, err := s.Find(ctx, event)
	if err != nil {
		edge.Note(r.Context(), slog.String("unanswered", err.Error()))
		return false
	}
	return s.wait(w, r, accepted, wait)
}

// wait holds nothing of the event.
func (s Senders) wait(w http.ResponseWriter, r *http.Request, accepted platen.Accepted, wait time.Duration) (answered bool) {
	edge.Wait(w, r, wait)
	ended, kept := s.Ends.Wait(r.Context(), accepted.WorkflowID, accepted.AutomationID, wait)
	owner := platen.User{ID: accepted.OwnerID}
	ctx, cancel := context.WithTimeout(platen.WithCaller(r.Context(), owner), answerTimeout)
	defer cancel()
	a, err := s.Automations.WorkflowAutomation(ctx, owner, accepted.WorkflowID, accepted.AutomationID)
	if err != nil {
		edge.Note(r.Context(), slog.String("unanswered", err.Error()))
		return false
	}
	edge.Note(r.Context(), slog.String("automation", a.ID))
	var senders server // whom nothing says where Temporal is
	return writeWaited(w, s.PublicURL, a, senders.automation(a), wait, ended, kept) == nil
}

// waitsFor answers with an automation that a request changed, after its end where the
// request prefers to wait.
func (s *server) waitsFor(w http.ResponseWriter, r *http.Request, a platen.Automation) error {
	wait, asked := edge.PreferredWait(r.Header)
	if !asked || s.ends == nil {
		return edge.WriteJSON(w, http.StatusAccepted, s.automation(a))
	}
	edge.Wait(w, r, wait)
	ended, kept := s.ends.Wait(r.Context(), a.WorkflowID, a.ID, wait)
	if now, err := s.Automations.WorkflowAutomation(r.Context(), caller(r.Context()), a.WorkflowID, a.ID); err == nil {
		a = now
	}
	return writeWaited(w, s.origin+"/v0", a, s.automation(a), wait, ended, kept)
}

// writeWaited answers 200 with an automation that has ended, else 202 with where it is
// found later. A preference that was not kept is not said to be applied.
func writeWaited(w http.ResponseWriter, base string, a platen.Automation, shown automationJSON, wait time.Duration, ended, kept bool) error {
	status := http.StatusAccepted
	if ended || a.Ended() {
		status = http.StatusOK
	} else {
		w.Header().Set("Location", fmt.Sprintf("%s/workflows/%s/automations/%s/", strings.TrimRight(base, "/"), a.WorkflowID, a.ID))
	}
	if kept || status == http.StatusOK {
		w.Header().Set("Preference-Applied", fmt.Sprintf("wait=%d", int(wait/time.Second)))
	}
	return edge.WriteJSON(w, status, shown)
}
