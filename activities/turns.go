package activities

import "sync"

// turns are what one process has under way, by owner or by target. The zero value is ready.
type turns struct {
	mu       sync.Mutex
	underWay map[string]int
}

// take takes one of most places; not ok: others have all of them.
func (t *turns) take(of string, most int) (giveBack func(), ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.underWay[of] >= most {
		return nil, false
	}
	if t.underWay == nil {
		t.underWay = map[string]int{}
	}
	t.underWay[of]++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.underWay[of]--; t.underWay[of] == 0 {
			delete(t.underWay, of)
		}
	}, true
}
