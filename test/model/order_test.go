package model

import "github.com/platenhq/platen/internal/platen"

// A turn is the place of an automation among those of its key.
type turn struct {
	ordered bool   // its workflow had an order when its event came
	behind  bool   // it waits for its key to be worked out, or for another of its key
	key     string // empty: it is not known
}

// arrange does what a worker does for automations whose keys are not known yet.
func (w *model) arrange() {
	for more := true; more; {
		var err error
		more, err = w.order.Arrange(w.t.Context())
		w.must(err)
	}
	w.t.Logf("keys are worked out")
	for _, one := range w.workflows {
		for _, a := range one.automations {
			switch {
			case !a.turn.behind || a.turn.key != "":
			case one.orderedBy == "": // any more
				a.turn = turn{}
			default:
				a.turn.key = "key " + one.orderedBy // no event has a field of these formulas
				one.startNext(a.turn)
			}
		}
	}
}

// mayStart tells of one that waits for its turn as any other, or runs.
func (a *automation) mayStart() bool {
	return (a.state == "ACCEPTED" || a.state == "RUNNING" || a.state == "REVIEW") && !a.turn.behind
}

// startNext has the first of a key start if none may, or runs.
func (one *workflow) startNext(of turn) {
	if of.key == "" || one.firstOf(of.key) != nil {
		return
	}
	for _, a := range one.automations {
		if a.turn.behind && a.turn.key == of.key {
			a.turn.behind = false
			return
		}
	}
}

// firstOf is the automation that others of its key wait for; nil: there is none.
func (one *workflow) firstOf(key string) *automation {
	for _, a := range one.automations {
		if a.turn.key == key && a.mayStart() {
			return a
		}
	}
	return nil
}

// waitsOf is what an automation waits for. No step of a run waits here.
func (one *workflow) waitsOf(a *automation) []any {
	if !a.turn.behind || a.turn.key == "" {
		return []any{}
	}
	before := one.firstOf(a.turn.key)
	return []any{object{
		"code": platen.CodeBehind, "message": matches(".+" + before.id + ".+"), "step": "start", "automationId": before.id,
		"outputId": nil, "eventId": nil, "since": matches(timestamp), "tries": 0.0, "until": nil,
	}}
}
