#!/usr/bin/env bash
# go.temporal.io/server v1.32.1 (SDK v1.50.0): an activity that was paused past its
# deadline fails when it is unpaused, without another try.
#
# Expected: an activity is paused between two tries while somebody mends what it needs.
#   Unpaused, it is tried again at once, and its timers begin anew; the comment of the API
#   says both. Or else it times out while it is paused.
# Seen: past its ScheduleToCloseTimeout it is still listed as paused. The unpause ends it
#   with this timeout, and the body is not called. Paused for a shorter time, it is tried.
# Why it matters here: steps of ours have a ScheduleToCloseTimeout. Who pauses one to mend
#   its cause ends it by going on, and only then sees that it was too late.
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
cat > unpause_test.go <<'GO'
package look

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	sdk "go.temporal.io/sdk/workflow"
	"go.temporal.io/server/temporaltest"
)

var (
	calls  atomic.Int64
	mended atomic.Bool
)

func Step(context.Context) error {
	calls.Add(1)
	if !mended.Load() {
		return errors.New("not mended")
	}
	return nil
}

func Run(ctx sdk.Context) error {
	return sdk.ExecuteActivity(sdk.WithActivityOptions(ctx, sdk.ActivityOptions{
		ActivityID: "step", StartToCloseTimeout: time.Second, ScheduleToCloseTimeout: 8 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: 2 * time.Second},
	}), Step).Get(ctx, nil)
}

func TestUnpause(t *testing.T) {
	server := temporaltest.NewServer(temporaltest.WithT(t))
	server.NewWorker("unpause", func(r worker.Registry) { r.RegisterWorkflow(Run); r.RegisterActivity(Step) })
	c, ctx, namespace := server.GetDefaultClient(), t.Context(), server.GetDefaultNamespace()
	for _, wait := range []time.Duration{3 * time.Second, 12 * time.Second} {
		calls.Store(0)
		mended.Store(false)
		id := "paused for " + wait.String()
		run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: "unpause"}, Run)
		if err != nil {
			t.Fatal(err)
		}
		until(t, c, id, func(step *workflow.PendingActivityInfo) bool { return step.GetAttempt() == 2 })
		if _, err := c.WorkflowService().PauseActivity(ctx, &workflowservice.PauseActivityRequest{Namespace: namespace,
			Execution: &common.WorkflowExecution{WorkflowId: id}, Activity: &workflowservice.PauseActivityRequest_Id{Id: "step"}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(wait)
		mended.Store(true)
		until(t, c, id, func(step *workflow.PendingActivityInfo) bool { return step.GetState() == enums.PENDING_ACTIVITY_STATE_PAUSED })
		if _, err := c.WorkflowService().UnpauseActivity(ctx, &workflowservice.UnpauseActivityRequest{Namespace: namespace,
			Execution: &common.WorkflowExecution{WorkflowId: id}, Activity: &workflowservice.UnpauseActivityRequest_Id{Id: "step"}}); err != nil {
			t.Fatal(err)
		}
		err = run.Get(ctx, nil)
		var timeout *temporal.TimeoutError
		late := errors.As(err, &timeout)
		t.Logf("LOOK a step with 8 s, %s: called %d times, timed out: %t", id, calls.Load(), late)
		if long := wait > 8*time.Second; late != long || (calls.Load() == 1) != long || !late && err != nil {
			t.Error("LOOK this changed: ", err)
		}
	}
}

// until waits until the only activity of a run is as told.
func until(t *testing.T, c client.Client, id string, told func(*workflow.PendingActivityInfo) bool) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
		about, err := c.DescribeWorkflowExecution(t.Context(), id, "")
		if err != nil {
			t.Fatal(err)
		}
		if steps := about.GetPendingActivities(); len(steps) == 1 && told(steps[0]) {
			return
		}
	}
	t.Fatal("no such activity")
}
GO
GOFLAGS=-mod=mod go mod tidy >/dev/null 2>&1
go test -count=1 -v -timeout 8m . | grep -E 'LOOK|^(ok|FAIL|---)'
