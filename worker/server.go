package worker

import (
	"context"
	"fmt"
	"log/slog"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// A Release of Temporal's server.
type Release struct{ Major, Minor int }

// The releases from which on Temporal has what runs use
// (https://github.com/temporalio/temporal/releases).
var (
	HasVersioning = Release{1, 28} // builds of workers, each with its runs
	HasFairness   = Release{1, 29} // turns between owners in a queue
)

// After tells whether a server's version, such as 1.28.0, is before the release. One that
// cannot be read is not: Temporal Cloud may say what it likes.
func (r Release) After(version string) bool {
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil {
		return false
	}
	return major < r.Major || major == r.Major && minor < r.Minor
}

// String is the release as Temporal writes it.
func (r Release) String() string { return fmt.Sprintf("%d.%d", r.Major, r.Minor) }

// WarnOfServer logs what a Temporal lacks that runs go on without. Whether a server that
// has fairness uses it (matching.enableFairness) it tells nobody.
func WarnOfServer(ctx context.Context, c client.Client, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, attributesTimeout)
	defer cancel()
	info, err := c.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		return // what follows says it
	}
	if version := info.GetServerVersion(); HasFairness.After(version) {
		log.Warn("this Temporal takes no turns between users: steps of one with many go ahead of others'", "version", version, "cure", "update Temporal to "+HasFairness.String()+" or later, and set matching.enableFairness")
	}
}
