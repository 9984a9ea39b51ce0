package fill

import (
	"fmt"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
)

// CodeConditionFaulty is the code of an automation with a condition that cannot be worked out.
const CodeConditionFaulty = "condition_faulty"

// Decide leaves out of a plan what its conditions skip for an event. Numbers are drawn
// later: no condition knows them. A condition that cannot be worked out is KindInvalid
// with CodeConditionFaulty: nothing is left out by mistake.
func Decide(p *platen.Plan, event []byte, zone *time.Location) error {
	data, err := lang.ParseData(event)
	if err != nil {
		return fmt.Errorf("parse the source data of %s: %w", p.AutomationID, err)
	}
	builtins := lang.Builtins{AcceptedAt: p.AcceptedAt, Zone: zone, AutomationID: p.AutomationID, WorkflowName: p.WorkflowName, Locale: p.Locale}
	return p.Decide(func(d platen.Document, c platen.Condition) (bool, error) {
		holds, wrong := Holds(c, data, builtins)
		if wrong != nil {
			return false, platen.Errorf(platen.KindInvalid, CodeConditionFaulty, "The condition %s of document %s cannot be worked out: %s", c.Setting, d.ID, wrong.Message)
		}
		return holds, nil
	})
}

// Holds tells whether a condition is true of an event. Nothing goes out without approval because
// the event lacks what its condition asks for.
func Holds(c platen.Condition, data *lang.Data, builtins lang.Builtins) (bool, *lang.Finding) {
	if c.Part == platen.PartApproval {
		return lang.CautiousCondition(c.When, data, builtins)
	}
	return lang.Condition(c.When, data, builtins)
}
