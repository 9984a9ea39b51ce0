package console

import (
	"cmp"
	"context"
	"time"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
)

// An eventWait is why an event that is under way was not delivered yet.
type eventWait struct {
	Cause string     // why the last attempt failed; empty: nothing is known of one
	State string     // of the receiver's breaker; empty: nobody knows
	Next  *time.Time // no attempt is made before; nil: nobody knows
	// MayTest reports whether the user can send a test event.
	MayTest bool
}

// waitingInWords says what an event waits for, and when it goes on.
func waitingInWords(in catalog.Printer, w eventWait) saying {
	cause := theirs(in, "", w.Cause)
	switch {
	case w.State == "DISABLED":
		return own(in.Text("Waits: nothing is sent to the receiver any more. The event is held once its attempt is due."))
	case w.State == "RESTING":
		if w.Cause == "" {
			cause = own(in.Text("the receiver failed several times in a row"))
		}
		return own(in.Text("Waits:")+" ") + cause + own("; "+in.Text("next attempt after %s, by itself.", when(w.Next)))
	case w.Cause != "":
		return own(in.Text("Waits:")+" ") + cause + own("; "+in.Text("the next attempt is made by itself."))
	}
	return own(in.Text("Waits for its turn; the attempt is made by itself."))
}

// MayGo tells whether an attempt that somebody asks for is made at once: no breaker is in
// its way.
func (w eventWait) MayGo() bool { return w.State != "RESTING" && w.State != "DISABLED" }

// fresh is how long an event without a failure is taken for one that is being sent.
const fresh = time.Minute

// explainWaits says of each event that is under way why it was not delivered yet.
func (r request) explainWaits(ctx context.Context, w client.Workflow, now time.Time, events ...*event) error {
	type standing struct {
		client.EndpointState
		last string
	}
	known := map[string]standing{} // by receiver
	for _, e := range events {
		if e.State != "PENDING" {
			continue
		}
		receiver, isKnown := known[e.ReceiverID]
		if !isKnown && !e.Test && (w.OutgoingWebhook != nil || e.ReceiverID != "") {
			var err error
			if receiver.EndpointState, receiver.last, err = r.receiverOf(ctx, e.ReceiverID); err != nil {
				return err
			}
			known[e.ReceiverID] = receiver
		}
		wait := eventWait{Cause: failureOf(e.EventDetail), MayTest: r.me.Token.Write && w.Status != "ARCHIVED"}
		if !e.Test {
			wait.State, wait.Next, wait.Cause = receiver.State, receiver.RestsUntil, cmp.Or(wait.Cause, receiver.last)
		}
		if wait.Cause != "" || !wait.MayGo() || now.Sub(e.CreatedAt) > fresh {
			e.Wait = &wait
		}
	}
	return nil
}

// receiverOf is the state of a receiver, empty for the outgoing webhook, and why the last attempt
// failed while it takes no events.
func (r request) receiverOf(ctx context.Context, receiverID string) (e client.EndpointState, last string, err error) {
	e, err = r.stateOf(ctx, r.workflowID(), receiverID)
	if isNotFound(err) { // it was taken away meanwhile
		return e, "", nil
	}
	if err != nil || e.State == "READY" && e.Failures == 0 {
		return e, "", err
	}
	waiting, err := r.waitingFor(ctx, r.workflowID(), receiverID)
	return e, lastFailure(waiting), err
}

// failureOf is why the last attempt at an event failed; empty: none did.
func failureOf(e client.EventDetail) (last string) {
	for _, d := range e.Deliveries {
		if d.Failure != nil {
			last = *d.Failure
		}
	}
	return last
}
