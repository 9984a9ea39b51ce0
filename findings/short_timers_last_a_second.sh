#!/usr/bin/env bash
# go.temporal.io/server v1.32.1 (SDK v1.50.0): a timer below a second takes a whole one.
#
# Expected: workflow.Sleep(50 ms), ten times in a row, ends after about half a second:
#   50 ms for the timer and some 10 ms for each workflow task.
# Seen: nearly ten seconds. The server looks for timers that are due at most once a
#   second when a new one is near (history.timerProcessorMaxTimeShift is 1 s), so each
#   short timer waits for the next look. 2.5 s takes 2.5 s: only short ones suffer.
# Why it matters here: a workflow that polls every 200 ms is five times slower than it
#   reads. Waits that have to be short belong into a local activity.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
cat > go.mod <<'MOD'
module look

go 1.26

require (
	go.temporal.io/sdk v1.50.0
	go.temporal.io/server v1.32.1
)
MOD
cat > timers_test.go <<'GO'
package look

import (
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.temporal.io/server/temporaltest"
)

const times = 10

func Sleeper(ctx workflow.Context, each time.Duration) error {
	for range times {
		if err := workflow.Sleep(ctx, each); err != nil {
			return err
		}
	}
	return nil
}

func TestTimers(t *testing.T) {
	server := temporaltest.NewServer(temporaltest.WithT(t))
	server.NewWorker("timers", func(r worker.Registry) { r.RegisterWorkflow(Sleeper) })
	for _, each := range []time.Duration{50 * time.Millisecond, 300 * time.Millisecond} {
		begun := time.Now()
		run, err := server.GetDefaultClient().ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{TaskQueue: "timers"}, Sleeper, each)
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Get(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		mean := time.Since(begun) / times
		t.Logf("Sleep(%s), %d times: %s each", each, times, mean.Round(10*time.Millisecond))
		if mean < 700*time.Millisecond {
			t.Errorf("a timer of %s no longer takes about a second", each)
		}
	}
}
GO
GOFLAGS=-mod=mod go mod tidy >/dev/null 2>&1
go test -count=1 -v -timeout 8m . | grep -E "Sleep[(]|no longer|^(ok|FAIL|---)"
