// Package abuse tests bin/platen from outside, under attackers who have some credentials
// and under floods of clients that have none: no internal error, nothing of others in an
// answer, small processes, and an honest tenant who is answered and waits no longer than
// before.
//
// It knows the programs' settings, and what they serve over HTTP. Limits of a single
// request belong in the tests of the packages that have them.
package abuse

import (
	"strconv"
	"testing"

	"github.com/platenhq/platen/internal/testkit/installation"
)

const (
	// most is how much memory a process may have had at its largest.
	most = 400 << 20
	// limit is how many requests in a second each token, source address and account
	// of the drive has: the API's default, for all of them.
	limit = 50
)

// A service is serve, worker and drive, each a process of its own.
type service struct {
	*installation.Installation
	api, hooks, drive string // host:port
}

func newService(t *testing.T) *service {
	t.Helper()
	i := installation.New(t, installation.Options{Name: "attack", Settings: []string{
		"PLATEN_LOG_LEVEL=error", "PLATEN_SOURCE_RATE_LIMIT=" + strconv.Itoa(limit), "PLATEN_DRIVE_RATE_LIMIT=" + strconv.Itoa(limit),
	}})
	i.Migrate(t)
	i.Start(t, "drive", "serve", "worker")
	return reach(i)
}

// reach is an installation that another process has started.
func reach(i *installation.Installation) *service {
	return &service{i, installation.Host(i.API[0]), installation.Host(i.Hooks[0]), installation.Host(i.Drive[0])}
}

func (s *service) onAPI() string   { return s.api }
func (s *service) onHooks() string { return s.hooks }
func (s *service) onDrive() string { return s.drive }
