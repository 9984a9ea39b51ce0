package fill

import (
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
)

// Key is what the formula of an order gives for an event. One that cannot be worked out is
// KindInvalid with platen.CodeOrderFaulty: events that came later do not wait for it.
func Key(formula string, e platen.OrderedEvent, zone *time.Location) (string, error) {
	data, err := lang.ParseData(e.Body)
	if err != nil {
		return "", faulty(err.Error())
	}
	key, wrong := lang.Key(formula, data, lang.Builtins{AcceptedAt: e.AcceptedAt, Zone: zone, AutomationID: e.AutomationID, WorkflowName: e.WorkflowName, Locale: e.Locale})
	if wrong != nil {
		return "", faulty(wrong.Message)
	}
	return key, nil
}

func faulty(why string) error {
	return platen.Errorf(platen.KindInvalid, platen.CodeOrderFaulty, "The workflow's orderedBy cannot be worked out for this event: %s", why)
}
