package worker

import (
	"sync"
	"time"

	"github.com/platenhq/platen"
)

// shares bound how many later attempts of one owner's steps are under way on this
// worker: a drive that hangs for minutes in each must not take all of them.
type shares struct {
	all int // how many attempts there may be at once

	mu       sync.Mutex
	underWay map[string]int // by owner
	total    int
}

// ownerShare is how many of them one owner may have while half of all are free;
// after that everybody has one.
const ownerShare = 4

func newShares(all int) *shares { return &shares{all: all, underWay: map[string]int{}} }

// take takes a share of the owner's and returns what gives it back; ok is false
// when the owner has no more.
func (s *shares) take(owner string) (giveBack func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	most := ownerShare
	if 2*s.total >= s.all {
		most = 1
	}
	if s.underWay[owner] >= most {
		return nil, false
	}
	s.underWay[owner]++
	s.total++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.total--
		if s.underWay[owner]--; s.underWay[owner] == 0 {
			delete(s.underWay, owner)
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
