package activities

import (
	"sync"
	"time"
)

const (
	// untouchedFor is how long a copy is taken for what this process knows of it: the
	// time of a first try, in which the step after it begins.
	untouchedFor = 5 * time.Second
	// maxUntouched bounds how many are remembered.
	maxUntouched = 10_000
)

// untouchedCopies are copies that this process has just made, or found to be as
// their template, and that nobody can have begun to fill since. Of others a row may
// say less than is so: the database may have been put back to an earlier moment. The
// zero value knows none.
type untouchedCopies struct {
	mu    sync.Mutex
	since map[string]time.Time // by id
}

func (u *untouchedCopies) add(fileID string, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.since == nil || len(u.since) >= maxUntouched {
		u.since = make(map[string]time.Time)
	}
	u.since[fileID] = now
}

// take tells whether a copy is among them, and forgets it: it is about to be filled.
func (u *untouchedCopies) take(fileID string, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	since, ok := u.since[fileID]
	delete(u.since, fileID)
	return ok && now.Sub(since) <= untouchedFor
}
