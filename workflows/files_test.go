package workflows_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/workflows"
)

// targets stands in for what stores outputs at targets.
func (s *script) targets(env *testsuite.TestWorkflowEnvironment) {
	var t *activities.Targets
	env.RegisterActivity(t)
	env.OnActivity(t.StoreFiles, mock.Anything, mock.Anything).Return(func(context.Context, activities.FilesInput) (activities.FilesResult, error) {
		return activities.FilesResult{State: platen.PlacementStored}, s.note("StoreFiles")
	})
	env.OnActivity(t.GiveUpFiles, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.FilesFailure) error {
		return s.note("GiveUpFiles " + in.Code)
	})
}

var filesOfOne = workflows.DeliverFilesInput{Step: activities.Step{AutomationID: "aut_1", OutputID: "out_1"}, Owner: "usr_1", TargetID: "tgt_1"}

func TestFilesAreTriedUntilTheTargetHasThem(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	away := temporal.NewApplicationError("The target is away.", platen.CodeTargetUnavailable)
	s.fail["StoreFiles"] = []error{away, away}
	env := environment(s)
	env.ExecuteWorkflow(workflows.DeliverFiles, filesOfOne)
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"StoreFiles", "StoreFiles", "StoreFiles"}; !slices.Equal(s.steps(), want) {
		t.Errorf("steps: got %v, want %v", s.steps(), want)
	}
}

func TestATargetIsGivenUpAfterADay(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.fail["StoreFiles"] = always(temporal.NewApplicationError("The target is away.", platen.CodeTargetUnavailable))
	env := environment(s)
	var within time.Duration
	env.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
		if info.ActivityType.Name == "StoreFiles" {
			within = info.ScheduleToCloseTimeout
		}
	})
	env.ExecuteWorkflow(workflows.DeliverFiles, filesOfOne)
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if s.count("GiveUpFiles "+platen.CodeTargetUnavailable) != 1 || within != 24*time.Hour {
		t.Errorf("got %v, %v for all attempts; want the target given up after a day", s.steps(), within)
	}
}

// A large batch takes longer than a day: what waited for its turn had no attempt yet.
func TestWhatWaitsForItsTurnIsNotGivenUp(t *testing.T) {
	t.Parallel()
	s := oneDocument()
	s.fail["StoreFiles"] = always(temporal.NewApplicationError("Others come first.", platen.CodeTargetTurn))
	env := environment(s)
	env.ExecuteWorkflow(workflows.DeliverFiles, filesOfOne)
	if err := env.GetWorkflowError(); !workflow.IsContinueAsNewError(err) || s.count("GiveUpFiles "+platen.CodeTargetTurn) != 0 {
		t.Errorf("got %v after %v, want another day", err, s.steps())
	}
}
