package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/platenhq/platen/worker"
)

const temporal = "temporal"

// leastRetention is how long a namespace has to keep closed runs.
const leastRetention = 72 * time.Hour

// temporal looks at the server and the namespace.
func (e *examination) temporal(ctx context.Context) {
	opened, err := limited(ctx, e.Limit, e.Temporal)
	if err != nil {
		e.add(Finding{temporal, "server", Failure, "Temporal cannot be used: " + sentence(err), temporalCure(err)})
		return
	}
	defer opened.Close()
	for subject, check := range map[string]func(context.Context, client.Client) (Finding, error){
		"server": e.temporalServer, "namespace": e.namespace, "fairness": e.fairness, "search attributes": e.searchAttributes, "runs": e.runs,
	} {
		f, err := limited(ctx, e.Limit, func(ctx context.Context) (Finding, error) { return check(ctx, opened) })
		if err != nil {
			f = Finding{Status: Failure, Message: sentence(err), Cure: temporalCure(err)}
		}
		f.Area, f.Subject = temporal, subject
		e.add(f)
	}
}

func temporalCure(err error) string {
	if _, ok := errors.AsType[*serviceerror.PermissionDenied](err); ok {
		return "Correct PLATEN_TEMPORAL_API_KEY, and let its account use the namespace."
	}
	return "Start Temporal, or correct PLATEN_TEMPORAL_ADDRESS and PLATEN_TEMPORAL_TLS; look at the firewall between them."
}

func (e *examination) temporalServer(ctx context.Context, c client.Client) (Finding, error) {
	info, err := c.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		return Finding{}, err
	}
	version := info.GetServerVersion()
	if worker.HasVersioning.After(version) {
		return Finding{
			Status: Warning, Message: "Temporal " + version + " has no worker versioning.",
			Cure: "Update Temporal to " + worker.HasVersioning.String() + " or later, or run workers with PLATEN_BUILD_ID=''.",
		}, nil
	}
	return Finding{Status: OK, Message: "Temporal " + version + " at " + e.Settings.TemporalAddress + "."}, nil
}

// fairness looks at whether the server can take turns between owners.
func (e *examination) fairness(ctx context.Context, c client.Client) (Finding, error) {
	info, err := c.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		return Finding{}, err
	}
	if version := info.GetServerVersion(); worker.HasFairness.After(version) {
		return Finding{
			Status: Warning, Message: "Temporal " + version + " takes no turns between users: steps of one with many go ahead of others'.",
			Cure: "Update Temporal to " + worker.HasFairness.String() + " or later, and set matching.enableFairness.",
		}, nil
	}
	return Finding{Status: OK, Message: "Temporal can take turns between users. Whether it does (matching.enableFairness) it tells nobody."}, nil
}

func (e *examination) namespace(ctx context.Context, c client.Client) (Finding, error) {
	name := e.Settings.TemporalNamespace
	described, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: name})
	if _, ok := errors.AsType[*serviceerror.NamespaceNotFound](err); ok {
		return Finding{Status: Failure, Message: "Temporal has no namespace " + name + ".", Cure: "temporal operator namespace create --namespace " + name + " --retention 72h"}, nil
	}
	if err != nil {
		return Finding{}, err
	}
	if kept := described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration(); kept < leastRetention {
		return Finding{
			Status: Warning, Message: fmt.Sprintf("The namespace %s keeps closed runs for %v.", name, kept),
			Cure: "temporal operator namespace update --namespace " + name + " --retention 72h",
		}, nil
	}
	return Finding{Status: OK, Message: "The namespace " + name + " is there and keeps closed runs for three days or more."}, nil
}

func (e *examination) searchAttributes(ctx context.Context, c client.Client) (Finding, error) {
	if e.Settings.TemporalSkipAttributes.Value() {
		return Finding{Status: OK, Message: "PLATEN_TEMPORAL_SKIP_ATTRIBUTES is on: nobody looks whether the namespace has them."}, nil
	}
	missing, err := worker.MissingSearchAttributes(ctx, c, e.Settings.TemporalNamespace)
	if _, ok := errors.AsType[*serviceerror.NamespaceNotFound](err); ok {
		return Finding{Status: Failure, Message: "There is no namespace to have them.", Cure: "Create the namespace."}, nil
	}
	if err != nil {
		return Finding{}, err
	}
	if len(missing) > 0 {
		return Finding{
			Status: Warning, Message: "The namespace lacks " + strings.Join(missing, ", ") + ".",
			Cure: "Start a worker, which adds them; where it may not, add them by hand, type Keyword.",
		}, nil
	}
	return Finding{Status: OK, Message: "The namespace has all that runs are found by."}, nil
}

// runs looks for open runs that nobody carries on: those that are left to a build without
// workers, and those whose code fails again and again, as Temporal reports it.
func (e *examination) runs(ctx context.Context, c client.Client) (Finding, error) {
	builds, err := worker.Deployment{Client: c, Namespace: e.Settings.TemporalNamespace, Queue: e.Settings.Queue}.Builds(ctx)
	if _, old := errors.AsType[*serviceerror.Unimplemented](err); err != nil && !old && !isNoNamespace(err) {
		return Finding{}, err
	}
	if left := leftBehind(builds); len(left) > 0 {
		return Finding{
			Status: Warning, Message: "Open runs are left to builds without workers: " + strings.Join(left, ", ") + ".",
			Cure: "Start a worker of the current build, which takes them over within three minutes; or take them over now: platen deployment retire <build>",
		}, nil
	}
	failing, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
		Namespace: e.Settings.TemporalNamespace,
		Query:     fmt.Sprintf("TaskQueue = '%s' AND TemporalReportedProblems IS NOT NULL AND CloseTime IS NULL", strings.ReplaceAll(e.Settings.Queue, "'", "''")),
	})
	// An older Temporal reports no problems, and does not know the attribute.
	if _, old := errors.AsType[*serviceerror.InvalidArgument](err); err != nil && !old && !isNoNamespace(err) {
		return Finding{}, err
	}
	if n := failing.GetCount(); n > 0 {
		return Finding{
			Status: Warning, Message: fmt.Sprintf("Runs whose code fails again and again: %d.", n),
			Cure: "Read the logs of the workers. List them: temporal workflow list --query 'TemporalReportedProblems IS NOT NULL'. After a bad update, roll back: platen deployment promote <build before>",
		}, nil
	}
	return Finding{Status: OK, Message: "No open run is left to a build without workers, or fails again and again."}, nil
}

// unseen is after how long without a poll no worker of a build is left: idle workers poll
// each minute.
const unseen = 90 * time.Second

// leftBehind are the builds that have open runs and no workers, with how many runs. Polls
// are compared with the latest of any build: all are by Temporal's clock.
func leftBehind(builds []worker.Build) []string {
	var latest time.Time
	for _, b := range builds {
		if b.LastSeen.After(latest) {
			latest = b.LastSeen
		}
	}
	var left []string
	for _, b := range builds {
		if b.OpenRuns > 0 && (b.LastSeen.IsZero() || latest.Sub(b.LastSeen) > unseen) {
			left = append(left, fmt.Sprintf("%s (%d)", b.ID, b.OpenRuns))
		}
	}
	return left
}

func isNoNamespace(err error) bool {
	_, none := errors.AsType[*serviceerror.NamespaceNotFound](err)
	return none
}
