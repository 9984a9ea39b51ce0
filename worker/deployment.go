package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	common "go.temporal.io/api/common/v1"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/worker"

	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/platen"
)

// A Deployment is the worker deployment that the workers of one queue make up,
// in Temporal's words: each build of the program is a version of it, one of
// them is current and takes new runs and deliveries, the others end the runs
// that they began. Its name is that of the queue.
type Deployment struct {
	Client    client.Client
	Namespace string
	Queue     string // empty: DefaultQueue
}

func (d Deployment) name() string {
	if d.Queue == "" {
		return DefaultQueue
	}
	return d.Queue
}

func (d Deployment) version(build string) sdk.WorkerDeploymentVersion {
	return sdk.WorkerDeploymentVersion{DeploymentName: d.name(), BuildID: build}
}

// BuildState says what a build is to its deployment.
type BuildState string

const (
	// BuildNew was never current: it gets nothing to do.
	BuildNew BuildState = "new"
	// BuildCurrent takes what is new.
	BuildCurrent BuildState = "current"
	// BuildRamping takes a share of what is new; nothing of ours sets it.
	BuildRamping BuildState = "ramping"
	// BuildDraining was current; runs may be pinned to it.
	BuildDraining BuildState = "draining"
	// BuildDrained has none left; its workers may go.
	BuildDrained BuildState = "drained"
)

// A Build is one version of a deployment.
type Build struct {
	ID        string
	State     BuildState
	FirstSeen time.Time
	LastSeen  time.Time // of its workers, by Temporal's clock; zero: not in the last minutes
	OpenRuns  int64     // that nobody but its workers carries on
}

// Builds returns those that Temporal knows, the latest first. A deployment
// that no worker has registered has none.
func (d Deployment) Builds(ctx context.Context) ([]Build, error) {
	builds, err := d.Look(ctx)
	if err != nil {
		return nil, err
	}
	for i := range builds {
		counted, err := d.Client.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: d.Namespace, Query: d.queryPinned(builds[i].ID)})
		if err != nil {
			return nil, fmt.Errorf("count runs of build %s: %w", builds[i].ID, err)
		}
		builds[i].OpenRuns = counted.GetCount()
	}
	return builds, nil
}

// Look is Builds without the count of open runs, which costs a query for each.
func (d Deployment) Look(ctx context.Context) ([]Build, error) {
	described, err := d.Client.WorkerDeploymentClient().GetHandle(d.name()).Describe(ctx, client.WorkerDeploymentDescribeOptions{})
	var unknown *serviceerror.NotFound
	if errors.As(err, &unknown) {
		return nil, nil
	}
	if err != nil {
		return nil, d.fault("describe", err)
	}
	polling, err := d.Polling(ctx)
	if err != nil {
		return nil, err
	}
	routing := described.Info.RoutingConfig
	var builds []Build
	for _, v := range described.Info.VersionSummaries {
		b := Build{ID: v.Version.BuildID, State: BuildNew, FirstSeen: v.CreateTime, LastSeen: polling.LastSeen[v.Version.BuildID]}
		switch {
		case routing.CurrentVersion != nil && routing.CurrentVersion.BuildID == b.ID:
			b.State = BuildCurrent
		case routing.RampingVersion != nil && routing.RampingVersion.BuildID == b.ID:
			b.State = BuildRamping
		case v.DrainageStatus == client.WorkerDeploymentVersionDrainageStatusDraining:
			b.State = BuildDraining
		case v.DrainageStatus == client.WorkerDeploymentVersionDrainageStatusDrained:
			b.State = BuildDrained
		}
		builds = append(builds, b)
	}
	slices.SortFunc(builds, func(a, b Build) int { return b.FirstSeen.Compare(a.FirstSeen) })
	return builds, nil
}

// A Polling is what the queue of a deployment tells of its workers.
type Polling struct {
	// Current and Ramping are builds; both lag a little behind Look.
	Current, Ramping string
	// LastSeen is when a worker of each build last polled, by Temporal's clock.
	// Builds that have not polled for some minutes are not in it.
	LastSeen map[string]time.Time
}

// Polling returns what the queue tells of its workers. It costs less than Look.
func (d Deployment) Polling(ctx context.Context) (Polling, error) {
	described, err := d.Client.DescribeTaskQueue(ctx, d.name(), enums.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return Polling{}, fmt.Errorf("describe the queue %s: %w", d.name(), err)
	}
	v := described.GetVersioningInfo()
	p := Polling{
		Current:  v.GetCurrentDeploymentVersion().GetBuildId(),
		Ramping:  v.GetRampingDeploymentVersion().GetBuildId(),
		LastSeen: map[string]time.Time{},
	}
	for _, poller := range described.GetPollers() {
		build, at := poller.GetDeploymentOptions().GetBuildId(), poller.GetLastAccessTime().AsTime()
		if at.After(p.LastSeen[build]) {
			p.LastSeen[build] = at
		}
	}
	return p, nil
}

// ErrUnknownBuild says that no worker of a build has polled yet.
var ErrUnknownBuild = errors.New("no worker of this build has polled all queues yet")

// ErrManaged says that the deployment has a manager in Temporal, who alone may promote
// builds (temporal worker deployment manager-identity set).
var ErrManaged = errors.New("the deployment has a manager, who alone promotes builds")

// Promote makes a build the current one: it gets new runs, and deliveries that
// go on. Runs that another build began stay with its workers. Promoting the
// current build changes nothing.
//
// ErrUnknownBuild: it has not polled all queues; ErrManaged: it is another's to promote.
func (d Deployment) Promote(ctx context.Context, build string) error {
	handle := d.Client.WorkerDeploymentClient().GetHandle(d.name())
	_, err := handle.SetCurrentVersion(ctx, client.WorkerDeploymentSetCurrentVersionOptions{BuildID: build})
	switch {
	case err == nil:
		return nil
	case is[*serviceerror.NotFound](err):
		return fmt.Errorf("promote build %s: %w: %w", build, ErrUnknownBuild, err)
	case is[*serviceerror.FailedPrecondition](err):
		// One error for queues that no worker of the build has polled, and for a manager.
		described, look := handle.Describe(ctx, client.WorkerDeploymentDescribeOptions{})
		if look == nil && described.Info.ManagerIdentity != "" {
			return fmt.Errorf("promote build %s: %w: %q: %w", build, ErrManaged, described.Info.ManagerIdentity, err)
		}
		return fmt.Errorf("promote build %s: %w: %w", build, ErrUnknownBuild, err)
	}
	return d.fault("promote build "+build+" of", err)
}

// PromoteWithin is Promote, tried again while Temporal does not answer in its time, for so
// long at most.
func (d Deployment) PromoteWithin(ctx context.Context, build string, limit time.Duration) error {
	end := time.Now().Add(limit)
	for {
		err := d.Promote(ctx, build)
		if err == nil || errors.Is(err, ErrUnknownBuild) || errors.Is(err, ErrManaged) || platen.KindOf(failure(err)) != platen.KindUnavailable {
			return err
		}
		if time.Now().After(end) || !sleep(ctx, startAgain) {
			return err
		}
	}
}

func (d Deployment) fault(doing string, err error) error {
	var old *serviceerror.Unimplemented
	if errors.As(err, &old) {
		return fmt.Errorf("%s the deployment %s: this Temporal has no worker deployments, which came with 1.28; take a later one, or run workers with --build-id='': %w", doing, d.name(), err)
	}
	return fmt.Errorf("%s the deployment %s: %w", doing, d.name(), err)
}

// queryPinned finds the open runs that only a build's workers carry on, those that
// somebody paused in Temporal included. Deliveries are not pinned, but for one without a
// first task that a Temporal before 1.32 pinned to the build of the run that began it.
func (d Deployment) queryPinned(build string) string {
	return fmt.Sprintf("TemporalWorkerDeploymentVersion = '%s:%s' AND TemporalWorkflowVersioningBehavior = 'Pinned' AND CloseTime IS NULL",
		strings.ReplaceAll(d.name(), "'", "''"), strings.ReplaceAll(build, "'", "''"))
}

// Retire resets the open runs of a build to their first task, on the current one, and tells
// how many: each starts at its first step, and finds what was made already, as
// after a crash. A run that has not done its first task is not reset: it goes to the
// current build. Retire is for builds whose workers are gone for good; runs of
// workers that live would be made by two at once for a moment, which costs
// work and harms nothing.
func (d Deployment) Retire(ctx context.Context, build string) (int, error) {
	n := 0
	done := map[string]bool{}
	for {
		found, err := d.Client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Namespace: d.Namespace, Query: d.queryPinned(build), PageSize: 100})
		if err != nil {
			return n, fmt.Errorf("list runs of build %s: %w", build, err)
		}
		before := len(done)
		for _, e := range found.GetExecutions() {
			id, runID := e.GetExecution().GetWorkflowId(), e.GetExecution().GetRunId()
			if done[runID] {
				continue // what is listed lags behind
			}
			done[runID] = true
			ok, err := d.reset(ctx, id, runID, build)
			if err != nil {
				return n, fmt.Errorf("reset %s: %w", id, err)
			}
			if ok {
				n++
			}
		}
		if len(done) == before {
			return n, nil
		}
	}
}

// reset resets a run to its first task, before which nothing was done. One without a first
// task is unpinned. One that has ended is left as it is.
func (d Deployment) reset(ctx context.Context, id, runID, build string) (bool, error) {
	described, err := d.Client.DescribeWorkflowExecution(ctx, id, runID)
	if err == nil && stateOf(described.GetWorkflowExecutionInfo().GetStatus()) != dispatch.RunOpen {
		return false, nil // Temporal would begin it again
	}
	task := int64(0)
	if err == nil {
		task, err = d.firstTask(ctx, id, runID)
	}
	switch {
	case err != nil:
	case task == 0:
		err = unpin(ctx, d.Client, id, runID)
	default:
		_, err = d.Client.ResetWorkflowExecution(ctx, &workflowservice.ResetWorkflowExecutionRequest{
			Namespace:                 d.Namespace,
			WorkflowExecution:         &common.WorkflowExecution{WorkflowId: id, RunId: runID},
			Reason:                    "no worker of build " + build + " is left: the run is reset and starts from its first task on the current build",
			WorkflowTaskFinishEventId: task,
			RequestId:                 "retire " + runID, // a second worker that does the same resets nothing
		})
	}
	if is[*serviceerror.NotFound](err) {
		return false, nil // it has ended
	}
	return err == nil, err
}

// firstTask returns the event with which the first task of a run was done; 0: none was.
func (d Deployment) firstTask(ctx context.Context, id, runID string) (int64, error) {
	events := d.Client.GetWorkflowHistory(ctx, id, runID, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		if err != nil {
			return 0, err
		}
		if e.GetEventType() == enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			return e.GetEventId(), nil
		}
	}
	return 0, nil
}

// unpin has a run go to the current build, now and later. It is for runs that have not
// done their first task, and for deliveries: their code fits any build.
func unpin(ctx context.Context, c client.Client, id, runID string) error {
	_, err := c.UpdateWorkflowExecutionOptions(ctx, client.UpdateWorkflowExecutionOptionsRequest{
		WorkflowId: id, RunId: runID,
		WorkflowExecutionOptionsChanges: client.WorkflowExecutionOptionsChanges{
			VersioningOverride: &client.VersioningOverrideChange{Value: &client.AutoUpgradeVersioningOverride{}},
		},
	})
	return err
}

// findCurrent returns the build that is current, and which is ramping.
func findCurrent(builds []Build) (now, ramping string) {
	for _, b := range builds {
		switch b.State {
		case BuildCurrent:
			now = b.ID
		case BuildRamping:
			ramping = b.ID
		case BuildNew, BuildDraining, BuildDrained:
		}
	}
	return now, ramping
}

// byID indexes builds.
func byID(builds []Build) map[string]Build {
	return maps.Collect(func(yield func(string, Build) bool) {
		for _, b := range builds {
			if !yield(b.ID, b) {
				return
			}
		}
	})
}
