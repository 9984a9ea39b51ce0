package chaos

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
)

// A rule is a further receiver of a workflow, which gets the events for which its condition
// is true.
type rule struct {
	name, id string
	keys     keys
	above    byte // the Key of an event has to be greater
}

// tell makes receivers by rules: one for some events, and one for none.
func (i *integrator) tell(t *testing.T, w *workflow, receiverURL string) {
	t.Helper()
	for _, r := range []*rule{{name: w.name + "-some", above: 0}, {name: w.name + "-none", above: 2}} {
		path := "/workflows/" + w.id + "/receivers/"
		var made struct {
			ID string `json:"id"`
		}
		i.call(t, w.owner, http.MethodPost, path, object{"name": r.name, "webhookUrl": receiverURL + "/" + r.name, "when": "Key > " + strconv.Itoa(int(r.above))}, &made)
		r.id = made.ID
		var secret json.RawMessage
		i.call(t, w.owner, http.MethodGet, path+r.id+"/secret/", nil, &secret)
		r.keys.learn(secret)
		w.rules = append(w.rules, r)
	}
}

// keyOf is the Key of an event.
func keyOf(id string) byte { return id[len(id)-1] % 3 }

// receiver returns the place and the keys of a receiver by its id; empty: the outgoing webhook.
func (w *workflow) receiver(id string) (place string, signers *keys) {
	for _, r := range w.rules {
		if r.id == id {
			return r.name, &r.keys
		}
	}
	return w.name, &w.keys
}

// checkRules: an output has events for the receivers whose condition is true, and for no other.
func (w *witness) checkRules(o outputRow, about map[string]int) {
	w.t.Helper()
	for _, r := range w.workflow(o.WorkflowID).rules {
		got, meant := about[o.ID+r.id], keyOf(o.Chaos) > r.above
		switch {
		case meant && got == 0:
			w.fault("lost", "output %s of %s has no event for %s", o.ID, o.Chaos, r.name)
		case !meant && got > 0:
			w.fault("stray", "output %s of %s has %d events for %s, whose condition is false", o.ID, o.Chaos, got, r.name)
		case got > o.Attempt:
			w.fault("duplicated", "output %s of %s has %d events for %s, want at most %d", o.ID, o.Chaos, got, r.name, o.Attempt)
		}
		w.counts["events by rules"] += got
	}
}
