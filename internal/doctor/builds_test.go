package doctor

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/worker"
)

func TestBuildsThatLeftRunsBehindAreNamed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	got := leftBehind([]worker.Build{
		{ID: "current", OpenRuns: 9, LastSeen: now},
		{ID: "draining", OpenRuns: 3, LastSeen: now.Add(-time.Minute)},
		{ID: "stopped", OpenRuns: 2, LastSeen: now.Add(-2 * time.Minute)},
		{ID: "forgotten", OpenRuns: 1},
		{ID: "drained"},
	})
	if want := []string{"stopped (2)", "forgotten (1)"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := leftBehind(nil); got != nil {
		t.Errorf("without builds: got %q, want none", got)
	}
}

// A reporting Temporal has no builds, and reports problems of so many runs.
type reporting struct {
	client.Client
	runs int64
	err  error
}

func (r reporting) WorkerDeploymentClient() client.WorkerDeploymentClient { return noBuilds{} }

func (r reporting) CountWorkflow(context.Context, *workflowservice.CountWorkflowExecutionsRequest) (*workflowservice.CountWorkflowExecutionsResponse, error) {
	return &workflowservice.CountWorkflowExecutionsResponse{Count: r.runs}, r.err
}

type noBuilds struct {
	client.WorkerDeploymentClient
}

func (noBuilds) GetHandle(string) client.WorkerDeploymentHandle { return noDeployment{} }

type noDeployment struct{ client.WorkerDeploymentHandle }

func (noDeployment) Describe(context.Context, client.WorkerDeploymentDescribeOptions) (client.WorkerDeploymentDescribeResponse, error) {
	return client.WorkerDeploymentDescribeResponse{}, serviceerror.NewNotFound("no deployment")
}

func TestRunsWhoseCodeFailsAreCounted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		server reporting
		want   Status
		word   string
		fails  bool
	}{
		"none":                    {reporting{}, OK, "No open run", false},
		"two":                     {reporting{runs: 2}, Warning, "again and again: 2.", false},
		"an older Temporal":       {reporting{err: serviceerror.NewInvalidArgument("unknown attribute")}, OK, "No open run", false},
		"a Temporal that is away": {reporting{err: serviceerror.NewUnavailable("away")}, "", "", true},
	} {
		f, err := (&examination{Options: Options{Settings: config.Defaults[config.Doctor]()}}).runs(t.Context(), c.server)
		if (err != nil) != c.fails || f.Status != c.want || !strings.Contains(f.Message, c.word) || (f.Status == Warning) != (f.Cure != "") {
			t.Errorf("%s: got %+v, %v; want %q, %q", name, f, err, c.want, c.word)
		}
	}
}
