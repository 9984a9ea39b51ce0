package activities

import (
	"sync"
	"time"
)

const (
	// recentFor is how long a file is taken for what this process knows of it: the
	// time of a first try, in which the step after it begins.
	recentFor = 5 * time.Second
	// maxRecent bounds how many are remembered.
	maxRecent = 10_000
)

// recentFiles are files that this process has just seen as the drive has them. The rows
// of others may be stale: the database may have been restored from a backup, or a
// person may have changed the file. The zero value knows none.
type recentFiles struct {
	mu    sync.Mutex
	since map[string]time.Time // by id
}

func (r *recentFiles) add(fileID string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.since == nil || len(r.since) >= maxRecent {
		r.since = make(map[string]time.Time)
	}
	r.since[fileID] = now
}

// take tells whether a file is among them, and forgets it: what is known of it is used
// once.
func (r *recentFiles) take(fileID string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	since, ok := r.since[fileID]
	delete(r.since, fileID)
	return ok && now.Sub(since) <= recentFor
}
