// Package flood tests bin/platen from outside, under clients that send what
// they can: its processes stay small, and honest callers are answered.
//
// It knows the programs' settings, and what they serve over HTTP. Limits of a
// single request belong in the tests of the packages that have them.
package flood

import (
	"strconv"
	"testing"

	"github.com/platenhq/platen/internal/testkit/installation"
)

// most is how much memory a process may have had at its largest.
const most = 400 << 20

// A service is serve and drive with one user.
type service struct {
	*installation.Installation
	token, driveToken string
}

func newService(t *testing.T) *service {
	t.Helper()
	i := installation.New(t, installation.Options{Name: "flood", Settings: []string{
		"PLATEN_LOG_LEVEL=warn",
		// As large as an operator may let events be.
		"PLATEN_HOOKS_BODY_LIMIT=" + strconv.Itoa(32<<20),
	}})
	i.Migrate(t)
	s := &service{Installation: i}
	s.token, s.driveToken = i.Enroll(t, "Ada Lovelace", "ada@flood.example")
	i.Start(t, "drive", "serve")
	return s
}

func (s *service) onHooks() string { return installation.Host(s.Hooks[0]) }
func (s *service) onAPI() string   { return installation.Host(s.API[0]) }
func (s *service) onDrive() string { return installation.Host(s.Drive[0]) }
