#!/usr/bin/env bash
# go.temporal.io/server v1.32.1 (SDK v1.50.0): an update begins a run that waits for its
# time, and a signal does not.
#
# Expected: a run between two tries of its RetryPolicy, or before the next time of its
#   CronSchedule, takes messages and keeps its time. A signal does just that.
# Seen: an update starts the first task at once, and the whole body of the workflow runs
#   with it: the next try before its backoff, the run of the cron weeks early. The cron
#   then runs at its own time, too.
# Why it matters here: an update reads like a question with an answer. Deliveries of ours
#   take updates, so their runs have neither a retry policy nor a cron schedule.
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
cat > update_test.go <<'GO'
package look

import (
	"errors"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.temporal.io/server/temporaltest"
)

// Job answers updates, fails the first try if told to, and says that its body ran.
func Job(ctx workflow.Context, fail bool) (string, error) {
	err := workflow.SetUpdateHandler(ctx, "ask", func(workflow.Context) (string, error) { return "answer", nil })
	if err != nil {
		return "", err
	}
	if fail && workflow.GetInfo(ctx).Attempt == 1 {
		return "", errors.New("the first try")
	}
	return "the body ran", nil
}

func TestUpdate(t *testing.T) {
	server := temporaltest.NewServer(temporaltest.WithT(t))
	server.NewWorker("update", func(r worker.Registry) { r.RegisterWorkflow(Job) })
	c, ctx := server.GetDefaultClient(), t.Context()
	cron := time.Now().UTC().AddDate(0, 0, 20).Format("0 0 2 1 *") // midnight of that day of that month
	for name, options := range map[string]client.StartWorkflowOptions{
		"retry": {RetryPolicy: &temporal.RetryPolicy{InitialInterval: 480 * time.Hour}},
		"cron":  {CronSchedule: cron},
	} {
		options.ID, options.TaskQueue = name, "update"
		if _, err := c.ExecuteWorkflow(ctx, options, Job, name == "retry"); err != nil {
			t.Fatal(err)
		}
		waiting, planned := next(t, c, name)
		if err := c.SignalWorkflow(ctx, name, waiting, "note", nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		signalled := begun(t, c, name, waiting)
		asked, err := c.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: name, RunID: waiting, UpdateName: "ask", WaitForStage: client.WorkflowUpdateStageCompleted})
		if err != nil {
			t.Fatal(err)
		}
		var answer string
		if err := asked.Get(ctx, &answer); err != nil {
			t.Fatal(err)
		}
		updated := begun(t, c, name, waiting)
		t.Logf("LOOK %s: begun 3 s after a signal: %t; at the answer of an update: %t", name, signalled, updated)
		if signalled || !updated {
			t.Error("LOOK this changed")
		}
		if name == "cron" {
			_, again := next(t, c, name)
			t.Logf("LOOK cron: its next run is planned for the same time: %t", again.Equal(planned))
			if !again.Equal(planned) {
				t.Error("LOOK this changed")
			}
		}
	}
}

// next waits until the newest run is one that waits weeks for its first task, and returns
// its id and when it is to begin.
func next(t *testing.T, c client.Client, id string) (run string, at time.Time) {
	t.Helper()
	for since := time.Now(); time.Since(since) < 20*time.Second; time.Sleep(50 * time.Millisecond) {
		about, err := c.DescribeWorkflowExecution(t.Context(), id, "")
		if err != nil {
			t.Fatal(err)
		}
		info := about.GetWorkflowExecutionInfo()
		open := info.GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING
		if at := info.GetExecutionTime().AsTime(); open && time.Until(at) > 24*time.Hour {
			return info.GetExecution().GetRunId(), at.Truncate(time.Minute)
		}
	}
	t.Fatal("no run waits")
	return "", time.Time{}
}

// begun says whether the body of a run has had its turn.
func begun(t *testing.T, c client.Client, id, run string) bool {
	t.Helper()
	events := c.GetWorkflowHistory(t.Context(), id, run, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		switch event.GetEventType() {
		case enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED, enums.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW:
			return true
		}
	}
	return false
}
GO
GOFLAGS=-mod=mod go mod tidy >/dev/null 2>&1
go test -count=1 -v -timeout 8m . | grep -E 'LOOK|^(ok|FAIL|---)'
