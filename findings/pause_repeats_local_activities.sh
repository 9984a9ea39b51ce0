#!/usr/bin/env bash
# go.temporal.io/server v1.32.1 (SDK v1.50.0), frontend.WorkflowPauseEnabled on: a run
# that is paused repeats the local activities that it has finished.
#
# Expected: PauseWorkflowExecution lets the task that a worker has in hand complete; the
#   comment of the API says so. Local activities that are done by then stay done.
# Seen: a task that runs local activities reports in before its timeout and asks for
#   more time. The server refuses this report of a paused run, and the task is lost with
#   all results in it. Unpaused, the run does every local activity of the task again.
# Why it matters here: the first try of each step of our runs is a local activity. Pausing
#   a run in Temporal does finished steps again, so each must be safe to repeat.
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
cat > pause_test.go <<'GO'
package look

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/temporal"
	"go.temporal.io/server/temporaltest"
)

var short, long atomic.Int64

func Short(context.Context) error { short.Add(1); return nil }

// Long goes on for twice the timeout of the workflow task.
func Long(context.Context) error { long.Add(1); time.Sleep(4 * time.Second); return nil }

func Run(ctx workflow.Context) error {
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: time.Minute})
	if err := workflow.ExecuteLocalActivity(ctx, Short).Get(ctx, nil); err != nil {
		return err
	}
	return workflow.ExecuteLocalActivity(ctx, Long).Get(ctx, nil)
}

func TestPause(t *testing.T) {
	server := temporaltest.NewServer(temporaltest.WithT(t), temporaltest.WithBaseServerOptions(temporal.WithDynamicConfigClient(
		dynamicconfig.StaticClient{dynamicconfig.WorkflowPauseEnabled.Key(): true})))
	server.NewWorker("pause", func(r worker.Registry) { r.RegisterWorkflow(Run) })
	c, ctx := server.GetDefaultClient(), t.Context()
	times := map[bool][2]int64{}
	for _, pause := range []bool{false, true} {
		id := map[bool]string{false: "left alone", true: "paused"}[pause]
		short.Store(0)
		long.Store(0)
		run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: "pause", WorkflowTaskTimeout: 2 * time.Second}, Run)
		if err != nil {
			t.Fatal(err)
		}
		if pause {
			for long.Load() == 0 {
				time.Sleep(10 * time.Millisecond)
			}
			if _, err := c.WorkflowService().PauseWorkflowExecution(ctx, &workflowservice.PauseWorkflowExecutionRequest{
				Namespace: server.GetDefaultNamespace(), WorkflowId: id, RunId: run.GetRunID(), Reason: "look", RequestId: "pause"}); err != nil {
				t.Fatal(err)
			}
			t.Log("LOOK the task of the paused run:", ended(t, c, id))
			if _, err := c.WorkflowService().UnpauseWorkflowExecution(ctx, &workflowservice.UnpauseWorkflowExecutionRequest{
				Namespace: server.GetDefaultNamespace(), WorkflowId: id, RunId: run.GetRunID(), Reason: "look", RequestId: "unpause"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := run.Get(ctx, nil); err != nil {
			t.Fatal(err)
		}
		times[pause] = [2]int64{short.Load(), long.Load()}
		t.Logf("LOOK a run %s: Short was done %d times, Long %d times", id, short.Load(), long.Load())
	}
	if times[false] != [2]int64{1, 1} || times[true] != [2]int64{2, 2} {
		t.Error("LOOK this changed")
	}
}

// ended waits until a task of the run has ended, and says how.
func ended(t *testing.T, c client.Client, id string) string {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < 30*time.Second; time.Sleep(100 * time.Millisecond) {
		events := c.GetWorkflowHistory(t.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			event, err := events.Next()
			if err != nil {
				t.Fatal(err)
			}
			if failed := event.GetWorkflowTaskFailedEventAttributes(); failed != nil {
				return "failed, " + failed.GetFailure().GetMessage()
			}
			if event.GetEventType() == enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED || event.GetEventType() == enums.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT {
				return event.GetEventType().String()
			}
		}
	}
	t.Fatal("no task ended")
	return ""
}
GO
GOFLAGS=-mod=mod go mod tidy >/dev/null 2>&1
go test -count=1 -v -timeout 8m . | grep -E 'LOOK|^(ok|FAIL|---)'
