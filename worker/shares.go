package worker

import (
	"sync"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

// shares bound how many later attempts of one owner's steps are under way on this
// worker: a drive that hangs for minutes in each must not take all of them, nor the host
// of one workflow's pictures those of the owner's other workflows.
type shares struct {
	all int // how many attempts there may be at once

	mu       sync.Mutex
	underWay map[string]int // by owner, and by workflow
	total    int
}

// ownerShare is how many of them one owner may have while half of all are free, and how
// many more of them workflows that have none; after that everybody has one.
const ownerShare = 4

func newShares(all int) *shares { return &shares{all: all, underWay: map[string]int{}} }

// take takes one of the owner's shares for a workflow and returns the function that
// gives it back; ok is false when none is left.
func (s *shares) take(owner, workflow string) (giveBack func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	most := ownerShare
	switch {
	case 2*s.total >= s.all:
		most = 1
	case s.underWay[workflow] == 0:
		most = 2 * ownerShare
	}
	if s.underWay[owner] >= most {
		return nil, false
	}
	ids := []string{owner, workflow}
	for _, id := range ids {
		s.underWay[id]++
	}
	s.total++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.total--
		for _, id := range ids {
			if s.underWay[id]--; s.underWay[id] == 0 {
				delete(s.underWay, id)
			}
		}
	}, true
}

// noShare sends an attempt back into Temporal's queue for some seconds.
func (s *Steps) noShare() error {
	return &platen.Error{
		Kind: platen.KindRateLimited, Code: "step_waits_for_others", RetryAfter: 5*time.Second + s.jitter(10*time.Second),
		Message: "Other steps of this owner are being tried again; this one comes after them.",
	}
}
