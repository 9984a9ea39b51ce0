package api

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/gorilla/mux"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// maxRecovered is how many events one request recovers at most.
const maxRecovered = 10_000

func (s *server) listEvents(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	in := parametersOf(r)
	page := in.newestFirst()
	outputs := in.ids("outputId", platen.PrefixOutput)
	receivers := in.ids("receiverId", platen.PrefixReceiver)
	states := anyOf(in, "state", platen.EventPending, platen.EventDelivered, platen.EventFailed, platen.EventHeld)
	since, until := in.since(), in.until()
	test := in.test()
	if err := in.err(); err != nil {
		return err
	}
	found, err := s.Events.WorkflowEvents(r.Context(), caller(r.Context()), id, platen.EventQuery{Page: oneMore(page), States: states, OutputIDs: outputs, Receivers: receivers, Since: since, Until: until, Test: test})
	if err != nil {
		return err
	}
	position := func(e platen.Event) platen.Position { return platen.Position{CreatedAt: e.CreatedAt, ID: e.ID} }
	return writePage(s, w, r, page, found, position, event)
}

// countEvents tells how many events wait, failed or are held: how far a recovery is.
func (s *server) countEvents(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	in := parametersOf(r)
	since := in.since()
	if err := in.err(); err != nil {
		return err
	}
	n, err := s.Events.CountEvents(r.Context(), caller(r.Context()), id, since)
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, eventCountsJSON(n))
}

func (s *server) getEvent(w http.ResponseWriter, r *http.Request) error {
	return s.writeEvent(w, r, http.StatusOK)
}

// writeEvent answers with the event that the path names, and its deliveries.
func (s *server) writeEvent(w http.ResponseWriter, r *http.Request, status int) error {
	wfID, err := workflowID(r)
	if err != nil {
		return err
	}
	id, err := s.eventID(r)
	if err != nil {
		return err
	}
	e, ds, err := s.Events.WorkflowEvent(r.Context(), caller(r.Context()), wfID, id)
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, status, eventDetailJSON{event(e), orNullJSON(e.Payload), deliveries(ds)})
}

// orNullJSON is null where a payload was erased.
func orNullJSON(payload []byte) json.RawMessage {
	if len(payload) == 0 {
		return json.RawMessage("null")
	}
	return payload
}

func (s *server) redeliverEvent(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.find(r)
	if err != nil {
		return err
	}
	id, err := s.eventID(r)
	if err != nil {
		return err
	}
	if err := readNothing(r); err != nil {
		return err
	}
	if err := s.Events.RedeliverEvent(r.Context(), caller(r.Context()), wf.ID, id); err != nil {
		return err
	}
	return s.writeEvent(w, r, http.StatusAccepted)
}

func (s *server) recoverEvents(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.find(r)
	if err != nil {
		return err
	}
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return err
	}
	in, err := readRecovery(body)
	if err != nil {
		return err
	}
	var n platen.Recovery
	switch me := caller(r.Context()); {
	case in.test:
		n, err = s.Events.RecoverTestEvents(r.Context(), me, wf.ID, in.since, maxRecovered)
	case in.receiverID != nil:
		n, err = s.Events.RecoverReceiverEvents(r.Context(), me, wf.ID, *in.receiverID, in.since, maxRecovered)
	default:
		n, err = s.Events.RecoverEvents(r.Context(), me, wf.ID, in.since, maxRecovered)
	}
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusAccepted, recoveryJSON{Recovered: n.Events, Held: n.Held, More: n.Events == maxRecovered})
}

// recoveryRequest says which events are to be delivered again.
type recoveryRequest struct {
	since      time.Time
	test       bool
	receiverID *string // nil: of all, and of the outgoing webhook
}

func readRecovery(body []byte) (in recoveryRequest, err error) {
	var given *string
	var ofTests *bool
	valid := func(text string) string {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil || at.Year() < 2000 {
			return fmt.Sprintf("must be a time such as %s", platen.Timestamp(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
		}
		in.since = at
		return ""
	}
	ofReceiver := func(text string) string {
		if !platen.IsID(platen.PrefixReceiver, text) {
			return "must be the id of a receiver: " + platen.PrefixReceiver + "…"
		}
		return ""
	}
	err = decodeWith(body, members{"since": text(&given, valid), "test": flag(&ofTests), "receiverId": text(&in.receiverID, ofReceiver)}, func(d *decoder) {
		if in.test = ofTests != nil && *ofTests; in.test && in.receiverID != nil {
			d.fault("/receiverId", "goes with no test: events of tests go to the test receiver alone")
		}
	}, "since")
	return in, err
}

func (s *server) eventID(r *http.Request) (string, error) {
	id := mux.Vars(r)["event"]
	if !platen.IsID(platen.PrefixEvent, id) {
		return "", s.findBefore(r, platen.ErrEventNotFound())
	}
	edge.Note(r.Context(), slog.String("event", id))
	return id, nil
}
