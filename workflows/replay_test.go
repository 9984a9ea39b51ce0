package workflows_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	temporallog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/platenhq/platen/workflows"
)

// recorded are the histories in testdata, by name. `make histories` records
// them from runs on a real stack, one for each shape that runs take.
func recorded(t *testing.T) map[string]*historypb.History {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*historypb.History{}
	for _, path := range paths {
		all[strings.TrimSuffix(filepath.Base(path), ".json")] = read(t, path)
	}
	return all
}

func read(t *testing.T, path string) *historypb.History {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	history := &historypb.History{}
	options := temporalproto.CustomJSONUnmarshalOptions{Metadata: map[string]any{commonpb.EnablePayloadShorthandMetadataKey: true}}
	if err := options.Unmarshal(raw, history); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return history
}

// quiet keeps what the replayer logs about a replay that is meant to fail.
func quiet() temporallog.Logger {
	return temporallog.NewStructuredLogger(slog.New(slog.DiscardHandler))
}

func replay(t *testing.T, run any, history *historypb.History) error {
	t.Helper()
	replayer := worker.NewWorkflowReplayer()
	replayer.RegisterWorkflowWithOptions(run, workflow.RegisterOptions{Name: "RunAutomation"})
	replayer.RegisterWorkflow(workflows.DeliverEvent)
	replayer.RegisterWorkflow(workflows.DeliverMail)
	replayer.RegisterWorkflow(workflows.AwaitReview)
	return replayer.ReplayWorkflowHistory(quiet(), history)
}

func TestRunsThatAreUnderWayGoOnUnderThisCode(t *testing.T) {
	t.Parallel()
	for name, history := range recorded(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := replay(t, workflows.RunAutomation, history); err != nil {
				t.Errorf("%v\nruns that began before this change would stop here: give the change a version by workflow.GetVersion", err)
			}
		})
	}
}

// What is above must be able to fail.
func TestACommandMoreOrLessStopsARun(t *testing.T) {
	t.Parallel()
	for name, changed := range map[string]func(workflow.Context, workflows.RunAutomationInput) error{
		"a timer before": func(ctx workflow.Context, in workflows.RunAutomationInput) error {
			if err := workflow.Sleep(ctx, 1); err != nil {
				return err
			}
			return workflows.RunAutomation(ctx, in)
		},
		"an activity after": func(ctx workflow.Context, in workflows.RunAutomationInput) error {
			if err := workflows.RunAutomation(ctx, in); err != nil {
				return err
			}
			return workflow.ExecuteActivity(ctx, "More").Get(ctx, nil)
		},
		"nothing done": func(workflow.Context, workflows.RunAutomationInput) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			history := read(t, "testdata/run-step-retried.json") // each its own: a replay writes into it
			if err := replay(t, changed, history); err == nil {
				t.Error("the changed workflow replays: the test above says nothing")
			}
		})
	}
}

// shapes are what must have a history. Those of releases that are in use
// stand beside them under names of their own.
func TestEveryShapeHasAHistory(t *testing.T) {
	t.Parallel()
	all := recorded(t)
	for _, name := range []string{
		"run-with-everything", "run-without-pdf", "run-without-webhook", "run-two-documents", "run-to-receivers", "run-missing-field",
		"run-document-failed", "run-step-retried", "run-failed-before-retry", "run-retried", "run-forgotten", "run-without-template", "run-first-delivery-failed",
		"run-cancelled-before-copy", "run-cancelled-during-copy", "run-cancelled-between-documents", "run-cancelled-while-a-retry-waits", "run-cancelled-during-delivery",
		"deliver-after-retries", "deliver-given-up", "deliver-again", "deliver-again-while-it-waits", "deliver-after-a-rest", "deliver-cancelled",
		"run-mailed", "run-mailed-together", "run-appended", "run-first-mail-failed", "mail-after-a-retry",
	} {
		if all[name] == nil {
			t.Errorf("no history %s: `make histories` records it", name)
			continue
		}
		kind := all[name].Events[0].GetWorkflowExecutionStartedEventAttributes().GetWorkflowType().GetName()
		prefix, _, _ := strings.Cut(name, "-")
		want := map[string]string{"run": "RunAutomation", "deliver": "DeliverEvent", "mail": "DeliverMail"}[prefix]
		if kind != want {
			t.Errorf("%s: got a history of %s, want one of %s", name, kind, want)
		}
	}
}
