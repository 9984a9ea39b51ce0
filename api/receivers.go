package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
)

// receiverJSON gets events by rules. Its secret is shown by an operation of its own.
type receiverJSON struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	WebhookURL string   `json:"webhookUrl"`
	Events     []string `json:"events"`
	When       string   `json:"when"`
	CreatedAt  string   `json:"createdAt"`
	UpdatedAt  string   `json:"updatedAt"`
	// Findings are in answers to what makes or changes it, where there are any.
	Findings []checkedJSON `json:"findings,omitempty"`
}

func receiver(r platen.Receiver) receiverJSON {
	return receiverJSON{
		ID: r.ID, Name: r.Name, WebhookURL: r.URL, Events: r.Events, When: r.When, CreatedAt: platen.Timestamp(r.CreatedAt), UpdatedAt: platen.Timestamp(r.UpdatedAt),
	}
}

func (s *server) receiverWithFindings(r platen.Receiver) receiverJSON {
	out := receiver(r)
	out.Findings = s.findingsOfAddress(r.URL)
	return out
}

// receiverPatch is what a request says of a receiver; what it leaves out stays.
type receiverPatch struct {
	name, address, when *string
	events              *[]string
}

// readReceiver reads a body; a new receiver needs a name and an address.
func (s *server) readReceiver(body []byte, isNew bool) (receiverPatch, error) {
	var in receiverPatch
	var required []string
	if isNew {
		required = []string{"name", "webhookUrl"}
	}
	types := platen.EventTypes()
	err := decodeWith(body, members{
		"id": skipValue, "findings": skipValue, "createdAt": skipValue, "updatedAt": skipValue,
		"name":       text(&in.name, line(platen.MaxWorkflowName)),
		"webhookUrl": text(&in.address, webhookURL),
		"when":       text(&in.when, short(platen.MaxTextTemplate)),
		"events": func(d *decoder, pointer string) {
			var named []string
			before := len(d.faults)
			if list(&named, len(types), oneOf(types...))(d, pointer); len(named) == 0 && len(d.faults) == before {
				d.fault(pointer, "must name at least one of %s", strings.Join(types, ", "))
			}
			in.events = &named
		},
	}, func(d *decoder) {
		if in.when != nil && s.condition != nil {
			*in.when = strings.TrimSpace(*in.when)
			if wrong := s.condition(*in.when); *in.when != "" && wrong != "" {
				d.fault("/when", "cannot be read: %s", wrong)
			}
		}
	}, required...)
	if err == nil && in.address != nil {
		err = s.notOwn(*in.address, "/webhookUrl")
	}
	return in, err
}

func (in receiverPatch) apply(r *platen.Receiver) {
	set(&r.Name, in.name)
	set(&r.URL, in.address)
	set(&r.When, in.when)
	if in.events != nil { // in one order, in which they are compared
		r.Events = slices.DeleteFunc(platen.EventTypes(), func(t string) bool { return !slices.Contains(*in.events, t) })
	}
}

// receiverID is the id in the path; what cannot be one is not looked for.
func receiverID(r *http.Request) (string, error) {
	id := mux.Vars(r)["receiver"]
	if !platen.IsID(platen.PrefixReceiver, id) {
		return "", platen.ErrReceiverNotFound()
	}
	return id, nil
}

func (s *server) findReceiver(r *http.Request) (platen.Receiver, error) {
	wfID, err := workflowID(r)
	if err != nil {
		return platen.Receiver{}, err
	}
	id, err := receiverID(r)
	if err != nil {
		return platen.Receiver{}, err
	}
	return s.Receivers.Receiver(r.Context(), caller(r.Context()), wfID, id)
}

func (s *server) listReceivers(w http.ResponseWriter, r *http.Request) error {
	id, err := workflowID(r)
	if err != nil {
		return err
	}
	found, err := s.Receivers.Receivers(r.Context(), caller(r.Context()), id)
	if err != nil {
		return err
	}
	all := make([]receiverJSON, len(found))
	for i, one := range found {
		all[i] = receiver(one)
	}
	return edge.WriteJSON(w, http.StatusOK, all)
}

func (s *server) getReceiver(w http.ResponseWriter, r *http.Request) error {
	found, err := s.findReceiver(r)
	if err != nil {
		return err
	}
	return writeTagged(w, r, http.StatusOK, receiver(found))
}

func (s *server) createReceiver(w http.ResponseWriter, r *http.Request) error {
	wf, body, err := s.readChange(r)
	if err != nil {
		return err
	}
	in, err := s.readReceiver(body, true)
	if err != nil {
		return err
	}
	made := platen.Receiver{OutgoingWebhook: newOutgoingWebhook("", s.now()), WorkflowID: wf.ID, OwnerID: wf.Owner.ID, Events: platen.EventTypes()}
	made.ID = platen.NewID(platen.PrefixReceiver)
	in.apply(&made)
	if made, err = s.Receivers.CreateReceiver(r.Context(), caller(r.Context()), made); err != nil {
		return err
	}
	return writeTold(w, r, http.StatusCreated, receiver(made), s.receiverWithFindings(made))
}

func (s *server) updateReceiver(w http.ResponseWriter, r *http.Request) error {
	wf, body, err := s.readChange(r)
	if err != nil {
		return err
	}
	id, err := receiverID(r)
	if err != nil {
		return err
	}
	in, err := s.readReceiver(body, false)
	if err != nil {
		return err
	}
	check := requireUnchanged(r)
	changed, err := s.Receivers.UpdateReceiver(r.Context(), caller(r.Context()), wf.ID, id, func(stored *platen.Receiver) error {
		if err := check(receiver(*stored)); err != nil {
			return err
		}
		in.apply(stored)
		return nil
	})
	if err == nil && in.address != nil {
		// Setting an address, even the same one, enables its endpoint.
		err = s.Receivers.EnableReceiver(r.Context(), caller(r.Context()), wf.ID, id, changed.URL)
	}
	if err != nil {
		return err
	}
	return writeTold(w, r, http.StatusOK, receiver(changed), s.receiverWithFindings(changed))
}

func (s *server) deleteReceiver(w http.ResponseWriter, r *http.Request) error {
	found, err := s.findReceiver(r)
	if err != nil {
		return err
	}
	check := requireUnchanged(r)
	err = s.Receivers.DeleteReceiver(r.Context(), caller(r.Context()), found.WorkflowID, found.ID, func(stored platen.Receiver) error {
		return check(receiver(stored))
	})
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *server) getReceiverSecret(w http.ResponseWriter, r *http.Request) error {
	found, err := s.findReceiver(r)
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, s.secret(found.OutgoingWebhook))
}

func (s *server) rotateReceiverSecret(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.findChangeable(r)
	if err != nil {
		return err
	}
	id, err := receiverID(r)
	if err != nil {
		return err
	}
	if err := readNothing(r); err != nil {
		return err
	}
	changed, err := s.Receivers.UpdateReceiver(r.Context(), caller(r.Context()), wf.ID, id, func(stored *platen.Receiver) error {
		rotate(&stored.OutgoingWebhook, s.now())
		return nil
	})
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, s.secret(changed.OutgoingWebhook))
}

func (s *server) getReceiverState(w http.ResponseWriter, r *http.Request) error {
	wfID, err := workflowID(r)
	if err != nil {
		return err
	}
	id, err := receiverID(r)
	if err != nil {
		return err
	}
	state, held, err := s.Receivers.ReceiverState(r.Context(), caller(r.Context()), wfID, id)
	if err != nil {
		return err
	}
	return edge.WriteJSON(w, http.StatusOK, endpoint(state, held, s.now()))
}

func (s *server) testReceiver(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.findChangeable(r)
	if err != nil {
		return err
	}
	found, err := s.findReceiver(r)
	if err != nil {
		return err
	}
	if err := readNothing(r); err != nil {
		return err
	}
	return s.sendTest(w, r, wf, found.OutgoingWebhook, func() error {
		return s.Receivers.EnableReceiver(r.Context(), caller(r.Context()), wf.ID, found.ID, found.URL)
	})
}

// receiversCheckJSON says how many of the last source events would have gone where.
type receiversCheckJSON struct {
	Events    int                 `json:"events"`
	Receivers []receiverCheckJSON `json:"receivers"`
}

type receiverCheckJSON struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	When    string `json:"when"`
	Sent    int    `json:"sent"`
	Skipped int    `json:"skipped"`
	Faulty  int    `json:"faulty"`
	// Unfilled are names in its condition that no event has.
	Unfilled []string `json:"unfilled"`
}

// checkReceivers works out the conditions of all receivers with the last source events, or with
// data alone. Nothing is sent.
func (s *server) checkReceivers(w http.ResponseWriter, r *http.Request) error {
	wf, err := s.find(r)
	if err != nil {
		return err
	}
	body, err := edge.ReadBody(r, bodyLimit)
	if err != nil {
		return err
	}
	in, err := readCheck(body)
	if err != nil {
		return err
	}
	if s.tags == nil || s.templates == nil {
		return platen.Errorf(platen.KindUnavailable, "check_unavailable", "Conditions cannot be checked here.")
	}
	found, err := s.Receivers.Receivers(r.Context(), caller(r.Context()), wf.ID)
	if err != nil {
		return err
	}
	fields, err := s.fieldsToCheck(r.Context(), wf, in.data)
	if err != nil {
		return err
	}
	events, err := s.pastEvents(r.Context(), wf, in.data)
	if err != nil {
		return err
	}
	var conditions []platen.Condition
	for _, one := range found {
		if one.When != "" {
			conditions = append(conditions, one.Condition())
		}
	}
	counts, err := s.templates.CountConditions(r.Context(), wf, conditions, events)
	if err != nil {
		return err
	}
	out := receiversCheckJSON{Events: len(events), Receivers: make([]receiverCheckJSON, len(found))}
	for i, one := range found {
		checked := receiverCheckJSON{ID: one.ID, Name: one.Name, When: one.When, Sent: len(events), Unfilled: []string{}}
		if one.When != "" {
			c := counts[0]
			counts = counts[1:]
			checked.Sent, checked.Skipped, checked.Faulty = c.Made, c.Skipped, c.Faulty
			for _, f := range s.tags([]string{c.Tags()}, fields) {
				if !f.Filled {
					checked.Unfilled = append(checked.Unfilled, f.Name)
				}
			}
		}
		out.Receivers[i] = checked
	}
	return edge.WriteJSON(w, http.StatusOK, out)
}
