package workflows_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/temporal"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/workflows"
)

// The database was restored from a backup during the run.
func TestARunWhoseStepsWereForgottenRecordsNothingAndSaysSo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step string
		code string
	}{
		"what was filled":       {"MakePDF", platen.CodeForgotten},
		"what was made":         {"RecordOutput", platen.CodeForgotten},
		"its output":            {"FillTags", "output_not_found"},
		"its event":             {"SendEvent", "event_not_found"},
		"how the outputs ended": {"FinishAutomation", platen.CodeForgotten},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := oneDocument()
			s.fail[c.step] = []error{temporal.NewNonRetryableApplicationError("It was forgotten.", c.code, nil)}
			env := environment(s)
			outcome := ""
			env.OnUpsertTypedSearchAttributes(mock.MatchedBy(func(a temporal.SearchAttributes) bool {
				outcome, _ = a.GetKeyword(workflows.OutcomeAttribute)
				return true
			})).Return(nil)
			env.ExecuteWorkflow(workflows.RunAutomation, workflows.RunAutomationInput{AutomationID: "aut_1", Attempt: 1})
			var failure *temporal.ApplicationError
			if err := env.GetWorkflowError(); !errors.As(err, &failure) || failure.Type() != c.code {
				t.Errorf("the run ended with %v, want %s", err, c.code)
			}
			if outcome != workflows.Forgotten {
				t.Errorf("outcome: got %q, want %q", outcome, workflows.Forgotten)
			}
			if steps := s.steps(); slices.ContainsFunc(steps, func(name string) bool { return name == "RecordFailure "+c.code }) || s.count("FinishAutomation") > 0 && c.step != "FinishAutomation" {
				t.Errorf("steps: got %v, want no failure recorded, and no end", steps)
			}
		})
	}
}
