#!/usr/bin/env bash
# go.temporal.io/server v1.32.1 (SDK v1.50.0), SQLite store, frontend.WorkflowPauseEnabled on:
# the list of closed runs has a paused run, and the list of open runs does not.
#
# Expected: a paused run is open. It has no close time, keeps its id taken, and goes on
#   when it is unpaused. ListOpenWorkflowExecutions has it, ListClosedWorkflowExecutions
#   does not.
# Seen: the reverse. Both lists ask for the status, and take "Running" for open and all
#   else for closed. "CloseTime IS NULL" in a list query is right.
# Why it matters here: whoever waits until no run is open before he stops a build, or
#   removes what is in the closed list, takes a run that waits for an operator with it.
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
cat > lists_test.go <<'GO'
package look

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	sdk "go.temporal.io/sdk/workflow"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/temporal"
	"go.temporal.io/server/temporaltest"
)

func Run(ctx sdk.Context) error {
	sdk.GetSignalChannel(ctx, "end").Receive(ctx, nil)
	return nil
}

func TestLists(t *testing.T) {
	server := temporaltest.NewServer(temporaltest.WithT(t), temporaltest.WithBaseServerOptions(temporal.WithDynamicConfigClient(
		dynamicconfig.StaticClient{dynamicconfig.WorkflowPauseEnabled.Key(): true})))
	server.NewWorker("lists", func(r worker.Registry) { r.RegisterWorkflow(Run) })
	c, ctx, namespace := server.GetDefaultClient(), t.Context(), server.GetDefaultNamespace()
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "paused", TaskQueue: "lists"}, Run)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "running", TaskQueue: "lists"}, Run); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WorkflowService().PauseWorkflowExecution(ctx, &workflowservice.PauseWorkflowExecutionRequest{
		Namespace: namespace, WorkflowId: "paused", RunId: run.GetRunID(), Reason: "look", RequestId: "pause"}); err != nil {
		t.Fatal(err)
	}
	asQuery := func(query string) string {
		list, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query})
		return names(t, list.GetExecutions(), err)
	}
	for begun := time.Now(); asQuery("ExecutionStatus = 'Paused'") != "[paused]" || asQuery("ExecutionStatus = 'Running'") != "[running]"; time.Sleep(100 * time.Millisecond) {
		if time.Since(begun) > 30*time.Second {
			t.Fatal("the list does not have the runs")
		}
	}
	open, err := c.ListOpenWorkflow(ctx, &workflowservice.ListOpenWorkflowExecutionsRequest{Namespace: namespace})
	opened := names(t, open.GetExecutions(), err)
	closed, err := c.ListClosedWorkflow(ctx, &workflowservice.ListClosedWorkflowExecutionsRequest{Namespace: namespace})
	ended := names(t, closed.GetExecutions(), err)
	t.Logf("LOOK open: %s, closed: %s, CloseTime IS NULL: %s", opened, ended, asQuery("CloseTime IS NULL"))
	if opened != "[running]" || ended != "[paused]" {
		t.Error("LOOK this changed")
	}
}

func names(t *testing.T, runs []*workflow.WorkflowExecutionInfo, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, run := range runs {
		ids = append(ids, run.GetExecution().GetWorkflowId())
	}
	slices.Sort(ids)
	return fmt.Sprint(ids)
}
GO
GOFLAGS=-mod=mod go mod tidy >/dev/null 2>&1
go test -count=1 -v -timeout 8m . | grep -E 'LOOK|^(ok|FAIL|---)'
