package simulation

import (
	"cmp"
	"container/heap"
	"time"
)

// An alarm is something to do at a time.
type alarm struct {
	at time.Time
	n  int // the first of those at the same time was set first
	do func()
}

type alarms []alarm

func (a alarms) Len() int { return len(a) }
func (a alarms) Less(i, j int) bool {
	return cmp.Or(a[i].at.Compare(a[j].at), cmp.Compare(a[i].n, a[j].n)) < 0
}
func (a alarms) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *alarms) Push(x any)   { *a = append(*a, x.(alarm)) }
func (a *alarms) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

// after has the scheduler do something in a while; the caller holds mu.
func (s *scheduler) after(d time.Duration, do func()) {
	s.set++
	heap.Push(&s.alarms, alarm{time.Now().Add(d), s.set, do})
	s.signal()
}

// ring does what it is time for, and returns how long it is until the next alarm,
// at most until the simulation is so old.
func (s *scheduler) ring(until time.Duration) time.Duration {
	now := time.Now()
	for len(s.alarms) > 0 && !s.alarms[0].at.After(now) {
		heap.Pop(&s.alarms).(alarm).do()
	}
	next := until - now.Sub(s.started)
	if len(s.alarms) > 0 {
		next = min(next, s.alarms[0].at.Sub(now))
	}
	return next
}

// rest waits until something is pending, or so long. The caller holds mu.
func (s *scheduler) rest(d time.Duration) {
	s.rests = true
	s.timer.Reset(d)
	s.mu.Unlock()
	select {
	case <-s.wake:
		s.timer.Stop()
		s.mu.Lock()
	case <-s.timer.C:
		s.mu.Lock()
		if !s.rests {
			<-s.wake
		}
		s.rests = false
	}
}

// signal ends the scheduler's rest; the caller holds mu.
func (s *scheduler) signal() {
	if s.rests {
		s.rests = false
		s.wake <- struct{}{}
	}
}
