#!/usr/bin/env bash
# go.temporal.io/server v1.32.1 (SDK v1.50.0): a reset run does not take over the child
# that the run before it started, and the child's own id stands in its way.
#
# Expected: a run that started an abandoned child is reset to its first workflow task.
#   The child still runs, so the new run finds it and goes on with it.
# Seen: the child is left alone, and the new run starts it a second time under the same
#   id. That fails with ChildWorkflowExecutionAlreadyStartedError, and a run that returns
#   this error fails with it.
# Why it matters here: a run of a build that is gone is reset so that it goes on elsewhere.
#   "Already started" has to count as started there, or a document that is made fails.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
cat > go.mod <<'MOD'
module look

go 1.26

require (
	go.temporal.io/api v1.63.5
	go.temporal.io/sdk v1.50.0
	go.temporal.io/server v1.32.1
	google.golang.org/protobuf v1.36.12
)
MOD
cat > reset_test.go <<'GO'
package look

import (
	"errors"
	"testing"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.temporal.io/server/temporaltest"
)

func Child(ctx workflow.Context) error {
	workflow.GetSignalChannel(ctx, "end").Receive(ctx, nil)
	return nil
}

// Parent says how the start of its child ended, then waits to be ended itself.
func Parent(ctx workflow.Context) (string, error) {
	ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID:        "the-child",
		ParentClosePolicy: enums.PARENT_CLOSE_POLICY_ABANDON,
	})
	var told string
	err := workflow.ExecuteChildWorkflow(ctx, Child).GetChildWorkflowExecution().Get(ctx, nil)
	var already *temporal.ChildWorkflowExecutionAlreadyStartedError
	switch {
	case err == nil:
		told = "started"
	case errors.As(err, &already):
		told = "already started"
	default:
		told = err.Error()
	}
	workflow.GetSignalChannel(ctx, "end").Receive(ctx, nil)
	return told, nil
}

func TestReset(t *testing.T) {
	server := temporaltest.NewServer(temporaltest.WithT(t))
	server.NewWorker("reset", func(r worker.Registry) { r.RegisterWorkflow(Parent); r.RegisterWorkflow(Child) })
	c, ctx := server.GetDefaultClient(), t.Context()

	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "the-parent", TaskQueue: "reset"}, Parent)
	if err != nil {
		t.Fatal(err)
	}
	child := running(t, c, "the-child")
	again, err := c.ResetWorkflowExecution(ctx, &workflowservice.ResetWorkflowExecutionRequest{
		Namespace:                 server.GetDefaultNamespace(),
		WorkflowExecution:         &common.WorkflowExecution{WorkflowId: run.GetID(), RunId: run.GetRunID()},
		Reason:                    "look",
		WorkflowTaskFinishEventId: 4,
		RequestId:                 "look",
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SignalWorkflow(ctx, "the-parent", again.RunId, "end", nil); err != nil {
		t.Fatal(err)
	}
	var told string
	if err := c.GetWorkflow(ctx, "the-parent", again.RunId).Get(ctx, &told); err != nil {
		t.Fatal(err)
	}
	same := running(t, c, "the-child") == child
	t.Logf("LOOK the reset run's child: %s; the first child still runs: %t", told, same)
	if told != "already started" || !same {
		t.Error("LOOK this changed")
	}
}

// running waits until a run of the id is open, and returns its run id.
func running(t *testing.T, c client.Client, id string) string {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < 20*time.Second; {
		about, err := c.DescribeWorkflowExecution(t.Context(), id, "")
		if err == nil && about.WorkflowExecutionInfo.Status == enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
			return about.WorkflowExecutionInfo.Execution.RunId
		}
	}
	t.Fatal("no open run of ", id)
	return ""
}
GO
GOFLAGS=-mod=mod go mod tidy >/dev/null 2>&1
go test -count=1 -v -timeout 8m . | grep -E 'LOOK|^(ok|FAIL|---)'
