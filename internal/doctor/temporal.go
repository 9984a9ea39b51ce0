package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	taskqueue "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/platenhq/platen/worker"
)

const temporal = "temporal"

// leastRetention is how long a namespace has to keep closed runs.
const leastRetention = 72 * time.Hour

// temporal looks at the server, the namespace and the workers that poll.
func (e *examination) temporal(ctx context.Context) {
	opened, err := limited(ctx, e.Limit, e.Temporal)
	if err != nil {
		e.add(Finding{temporal, "server", Failure, "Temporal cannot be used: " + sentence(err), temporalCure(err)})
		return
	}
	defer opened.Close()
	for subject, check := range map[string]func(context.Context, client.Client) (Finding, error){
		"server": e.temporalServer, "namespace": e.namespace, "fairness": e.fairness, "search attributes": e.searchAttributes, "workers": e.workers,
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
	return Finding{Status: OK, Message: "Temporal " + version + "."}, nil
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

func (e *examination) workers(ctx context.Context, c client.Client) (Finding, error) {
	described, err := c.WorkflowService().DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
		Namespace: e.Settings.TemporalNamespace, TaskQueue: &taskqueue.TaskQueue{Name: e.Settings.Queue}, TaskQueueType: enums.TASK_QUEUE_TYPE_WORKFLOW,
	})
	if _, ok := errors.AsType[*serviceerror.NamespaceNotFound](err); err != nil && !ok {
		return Finding{}, err
	}
	n := len(described.GetPollers())
	if n == 0 {
		return Finding{
			Status: Warning, Message: "No worker has polled the queue " + e.Settings.Queue + " in the last minutes.",
			Cure: "Start 'platen worker' with the same PLATEN_TEMPORAL_NAMESPACE and PLATEN_QUEUE, and read its log if it runs.",
		}, nil
	}
	return Finding{Status: OK, Message: fmt.Sprintf("Pollers of the queue %s: %d.", e.Settings.Queue, n)}, nil
}
