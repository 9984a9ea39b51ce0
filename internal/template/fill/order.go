package fill

import (
	"fmt"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
)

// Key is what the formula of an order gives for an event. One that cannot be worked out is
// KindInvalid with platen.CodeOrderFaulty.
func Key(formula string, e platen.OrderedEvent, zone *time.Location) (string, error) {
	data, err := lang.ParseData(e.Body)
	if err != nil {
		return "", fmt.Errorf("parse the source data of %s: %w", e.AutomationID, err)
	}
	key, wrong := lang.Key(formula, data, lang.Builtins{AcceptedAt: e.AcceptedAt, Zone: zone, AutomationID: e.AutomationID, WorkflowName: e.WorkflowName, Locale: e.Locale})
	if wrong != nil {
		return "", platen.Errorf(platen.KindInvalid, platen.CodeOrderFaulty, "The workflow's orderedBy cannot be worked out for this event: %s", wrong.Message)
	}
	return key, nil
}
