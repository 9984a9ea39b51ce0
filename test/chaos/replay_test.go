package chaos

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"

	"go.temporal.io/api/common/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	temporallog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	sdk "go.temporal.io/sdk/workflow"
	"golang.org/x/sync/errgroup"

	"github.com/platenhq/platen/workflows"
)

// replayed is how many histories are replayed at most: those of a long run are
// thousands, most of one shape.
const replayed = 1500

// begun is how many events a history has at least once a worker has done anything: a
// run that was ended before has nothing to replay.
const begun = 3

// A run is one of Temporal's, with all of its events.
type run struct {
	*common.WorkflowExecution
	history *historypb.History
}

// checkHistories replays the histories that workers recorded in Temporal under
// the workflows' code. Any program may have been killed, frozen or cut off
// between two events.
func (w *witness) checkHistories(runs []run) {
	w.t.Helper()
	random := rand.New(rand.NewPCG(w.seed, 3))
	chosen := slices.Clone(runs)
	random.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	quiet := temporallog.NewStructuredLogger(slog.New(slog.DiscardHandler))
	for _, one := range chosen[:min(len(chosen), replayed)] {
		if len(one.history.Events) < begun {
			continue
		}
		replayer := worker.NewWorkflowReplayer()
		replayer.RegisterWorkflowWithOptions(workflows.RunAutomation, sdk.RegisterOptions{Name: "RunAutomation"})
		replayer.RegisterWorkflow(workflows.DeliverEvent)
		replayer.RegisterWorkflow(workflows.DeliverMail)
		replayer.RegisterWorkflow(workflows.AwaitReview)
		if err := replayer.ReplayWorkflowHistory(quiet, one.history); err != nil {
			w.fault("replay", "run %s of %s does not replay: %v", one.RunId, one.WorkflowId, err)
		}
		w.counts["replayed"]++
	}
}

// runs returns every run of this test with its events as Temporal stores them;
// nothing in them is encoded by a codec.
func (w *witness) runs(ctx context.Context) []run {
	w.t.Helper()
	var all []run
	var page []byte
	for {
		listed, err := w.temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
			PageSize: 500, NextPageToken: page, Query: "TaskQueue = '" + queue + "'",
		})
		if err != nil {
			w.t.Fatalf("list the runs: %v", err)
		}
		for _, info := range listed.Executions {
			all = append(all, run{info.Execution, &historypb.History{}})
		}
		if page = listed.NextPageToken; len(page) == 0 {
			break
		}
	}
	var reading errgroup.Group
	reading.SetLimit(8)
	for _, one := range all {
		reading.Go(func() error {
			events := w.temporal.GetWorkflowHistory(ctx, one.WorkflowId, one.RunId, false, 1)
			for events.HasNext() {
				event, err := events.Next()
				if err != nil {
					return err
				}
				one.history.Events = append(one.history.Events, event)
			}
			return nil
		})
	}
	if err := reading.Wait(); err != nil {
		w.t.Fatalf("read the histories: %v", err)
	}
	return all
}
