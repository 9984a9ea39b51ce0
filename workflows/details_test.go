package workflows_test

import (
	"strings"
	"testing"
	"time"

	sdkpb "go.temporal.io/api/sdk/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/platenhq/platen/activities"
	"github.com/platenhq/platen/workflows"
)

func TestARunSaysInTemporalWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	away := temporal.NewApplicationErrorWithOptions("The drive does not answer.", "drive_unavailable", temporal.ApplicationErrorOptions{NextRetryDelay: time.Hour})
	s := &script{plan: activities.LoadPlanResult{OwnerID: "usr_1", Documents: []activities.DocumentSteps{{OutputID: "out_1", DocumentID: "doc_1", MakePDF: true}}},
		fail: map[string][]error{"MakePDF": {away, away}}}
	env := environment(s)
	details := func() string {
		t.Helper()
		answer, err := env.QueryWorkflow("__temporal_workflow_metadata")
		if err != nil {
			t.Fatalf("query: %v", err)
		}
		var metadata sdkpb.WorkflowMetadata
		if err := answer.Get(&metadata); err != nil {
			t.Fatalf("read the answer: %v", err)
		}
		return metadata.GetCurrentDetails()
	}
	var during string
	env.RegisterDelayedCallback(func() { during = details() }, time.Minute)
	env.ExecuteWorkflow(workflows.RunAutomation, workflows.RunAutomationInput{AutomationID: "aut_1", Attempt: 1})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if want := "- make the PDF · doc_1: The drive does not answer. (drive_unavailable)"; !strings.Contains(during, want) {
		t.Errorf("while it waits: got %q, want a line %q", during, want)
	}
	if after := details(); after != "" {
		t.Errorf("at its end: got %q, want nothing", after)
	}
}
