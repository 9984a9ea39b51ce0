package api

import (
	"encoding/json"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

type eventJSON struct {
	ID           string            `json:"id"`
	Type         string            `json:"type"`
	State        platen.EventState `json:"state"`
	Held         *failureJSON      `json:"held"`
	AutomationID string            `json:"automationId"` // of a batch: of the row that ended last
	OutputID     string            `json:"outputId,omitempty"`
	BatchID      string            `json:"batchId,omitempty"`    // in place of the output's
	ReceiverID   string            `json:"receiverId,omitempty"` // not there: the outgoing webhook's or the test receiver's
	Test         bool              `json:"test"`
	CreatedAt    string            `json:"createdAt"`
	// NextAttemptAt and LastFailure are of one that is not delivered.
	NextAttemptAt *string `json:"nextAttemptAt"`
	LastFailure   *string `json:"lastFailure"`
}

type eventDetailJSON struct {
	eventJSON
	Payload    json.RawMessage `json:"payload"`
	Deliveries []deliveryJSON  `json:"deliveries"`
}

type deliveryJSON struct {
	Attempt    int     `json:"attempt"`
	At         string  `json:"at"`
	Delivered  bool    `json:"delivered"`
	Status     *int    `json:"status"` // null: no answer
	DurationMS int64   `json:"durationMs"`
	Failure    *string `json:"failure"`
	Answer     string  `json:"answer"` // its start
}

type recoveryJSON struct {
	Recovered int  `json:"recovered"`
	Held      int  `json:"held"` // of these
	More      bool `json:"more"` // there may be more: repeat the request
}

type testJSON struct {
	EventID   string `json:"eventId"`
	EventType string `json:"eventType"`
	deliveryJSON
}

// endpointJSON is what is known of the address of an outgoing webhook. It is no
// part of that: the outgoing webhook's entity tag would change with deliveries.
type endpointJSON struct {
	State        string       `json:"state"`
	Reason       *failureJSON `json:"reason"` // of DISABLED
	Places       *int         `json:"places"`
	Failures     int          `json:"failures"`
	FailingSince *string      `json:"failingSince"`
	OpenUntil    *string      `json:"restsUntil"`
	DisabledAt   *string      `json:"disabledAt"`
	HeldEvents   int          `json:"heldEvents"`
}

// eventCountsJSON is how many events are not delivered.
type eventCountsJSON struct {
	Pending int `json:"pending"`
	Failed  int `json:"failed"`
	Held    int `json:"held"`
}

func event(e platen.Event) eventJSON {
	return eventJSON{
		ID: e.ID, Type: e.Type, State: e.State, Held: failure(e.Reason, platen.MessageOfHeld(e.Reason)),
		AutomationID: e.AutomationID, OutputID: e.OutputID, BatchID: e.BatchID, ReceiverID: e.ReceiverID, Test: e.Test, CreatedAt: platen.Timestamp(e.CreatedAt),
		NextAttemptAt: moment(e.NextAt), LastFailure: orNull(e.LastFailure),
	}
}

func endpoint(e platen.EndpointState, held int, now time.Time) endpointJSON {
	out := endpointJSON{
		State: "READY", Reason: failure(e.Disabled, platen.MessageOfHeld(e.Disabled)), Failures: e.Failures,
		FailingSince: momentOf(e.FailingSince), DisabledAt: momentOf(e.DisabledAt), HeldEvents: held,
	}
	if e.Places > 0 {
		out.Places = &e.Places
	}
	switch {
	case e.Disabled != "":
		out.State = "DISABLED"
	case e.IsOpen(now):
		out.State, out.OpenUntil = "RESTING", momentOf(e.OpenUntil)
	}
	return out
}

func deliveries(ds []platen.Delivery) []deliveryJSON {
	out := make([]deliveryJSON, 0, len(ds))
	for _, d := range ds {
		out = append(out, deliveryOf(d))
	}
	return out
}

func deliveryOf(d platen.Delivery) deliveryJSON {
	out := deliveryJSON{
		Attempt:    d.Attempt,
		At:         platen.Timestamp(d.At),
		Delivered:  d.Failure == "",
		DurationMS: d.Duration.Milliseconds(),
		Failure:    orNull(d.Failure),
		Answer:     d.Answer,
	}
	if d.Status != 0 {
		out.Status = &d.Status
	}
	return out
}
