package fill

import (
	"fmt"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
)

// Decide leaves out of a plan what its conditions skip for an event. Numbers are drawn
// later: no condition knows them. A condition that cannot be worked out is KindInvalid
// with code "condition_faulty": nothing is left out by mistake.
func Decide(p *platen.Plan, event []byte, zone *time.Location) error {
	data, err := lang.ParseData(event)
	if err != nil {
		return fmt.Errorf("parse the source data of %s: %w", p.AutomationID, err)
	}
	builtins := lang.Builtins{AcceptedAt: p.AcceptedAt, Zone: zone, AutomationID: p.AutomationID, WorkflowName: p.WorkflowName, Locale: p.Locale}
	return p.Decide(func(d platen.Document, field, when string) (bool, error) {
		holds, wrong := lang.Condition(when, data, builtins)
		if wrong != nil {
			return false, platen.Errorf(platen.KindInvalid, "condition_faulty", "The condition %s of document %s cannot be worked out: %s", field, d.ID, wrong.Message)
		}
		return holds, nil
	})
}
