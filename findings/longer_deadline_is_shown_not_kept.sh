#!/usr/bin/env bash
# go.temporal.io/server v1.32.1 (SDK v1.50.0): a ScheduleToCloseTimeout that is made longer
# by UpdateActivityOptions is shown from then on, and the old one holds.
#
# Expected: a step with 8 s is given an hour before they are over. It goes on to be tried;
#   or, if it was paused past the 8 s, is tried when it is unpaused, and its result counts.
# Seen: the server answers with the hour and lists it. The step gets no try past the 8 s.
#   One that was paused is called once more: it succeeds, and its run is told of a timeout
#   all the same. The server's end of tries stays where it was when the step began, and
#   the SDK drops a result that comes after the timeout that the step was scheduled with.
# Why it matters here: this is the way to give a step of ours more time while somebody
#   mends what it needs. The work is then done, and the document fails.
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
cat > longer_test.go <<'GO'
package look

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/api/activity/v1"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.temporal.io/server/temporaltest"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

var (
	calls, successes atomic.Int64
	mended           atomic.Bool
)

func Step(context.Context) error {
	calls.Add(1)
	if !mended.Load() {
		return errors.New("not mended")
	}
	successes.Add(1)
	return nil
}

func Run(ctx workflow.Context, within time.Duration) error {
	return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ActivityID: "step", StartToCloseTimeout: time.Second, ScheduleToCloseTimeout: within,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: 3 * time.Second, BackoffCoefficient: 1},
	}), Step).Get(ctx, nil)
}

func TestLonger(t *testing.T) {
	server := temporaltest.NewServer(temporaltest.WithT(t))
	server.NewWorker("longer", func(r worker.Registry) { r.RegisterWorkflow(Run); r.RegisterActivity(Step) })
	c, ctx, namespace := server.GetDefaultClient(), t.Context(), server.GetDefaultNamespace()
	for _, look := range []struct {
		name                 string
		within               time.Duration
		longer, pause, fails bool
	}{
		{"an hour from the start", time.Hour, false, false, false},
		{"an hour in place of 8 s", 8 * time.Second, true, false, true},
		{"an hour in place of 8 s, paused", 8 * time.Second, true, true, true},
	} {
		calls.Store(0)
		successes.Store(0)
		mended.Store(false)
		step := &common.WorkflowExecution{WorkflowId: look.name}
		run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: look.name, TaskQueue: "longer"}, Run, look.within)
		if err != nil {
			t.Fatal(err)
		}
		for calls.Load() == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second)
		if look.pause {
			if _, err := c.WorkflowService().PauseActivity(ctx, &workflowservice.PauseActivityRequest{Namespace: namespace,
				Execution: step, Activity: &workflowservice.PauseActivityRequest_Id{Id: "step"}}); err != nil {
				t.Fatal(err)
			}
		}
		if look.longer {
			now, err := c.WorkflowService().UpdateActivityOptions(ctx, &workflowservice.UpdateActivityOptionsRequest{Namespace: namespace,
				Execution: step, Activity: &workflowservice.UpdateActivityOptionsRequest_Id{Id: "step"},
				ActivityOptions: &activity.ActivityOptions{ScheduleToCloseTimeout: durationpb.New(time.Hour)},
				UpdateMask:      &fieldmaskpb.FieldMask{Paths: []string{"schedule_to_close_timeout"}}})
			if err != nil {
				t.Fatal(err)
			}
			if shown := now.GetActivityOptions().GetScheduleToCloseTimeout().AsDuration(); shown != time.Hour {
				t.Error("LOOK this changed: the answer says ", shown)
			}
		}
		time.Sleep(11 * time.Second) // the 8 s are over
		mended.Store(true)
		if look.pause {
			if _, err := c.WorkflowService().UnpauseActivity(ctx, &workflowservice.UnpauseActivityRequest{Namespace: namespace,
				Execution: step, Activity: &workflowservice.UnpauseActivityRequest_Id{Id: "step"}}); err != nil {
				t.Fatal(err)
			}
		}
		err = run.Get(ctx, nil)
		t.Logf("LOOK %s: the run fails: %t; calls that succeeded: %d", look.name, err != nil, successes.Load())
		succeeded := int64(1)
		if look.fails && !look.pause {
			succeeded = 0
		}
		if (err != nil) != look.fails || successes.Load() != succeeded {
			t.Error("LOOK this changed: ", err)
		}
	}
}
GO
GOFLAGS=-mod=mod go mod tidy >/dev/null 2>&1
go test -count=1 -v -timeout 8m . | grep -E 'LOOK|^(ok|FAIL|---)'
