package worker

import "time"

const (
	// absence is after how long without a poll a build counts as gone. Idle
	// workers poll again each minute.
	absence = 90 * time.Second
	// comeback is for how long after Temporal's return no build is replaced
	// because it is gone: its workers may still be connecting. A worker that starts
	// does not know when Temporal returned: it counts from its first look.
	comeback = 2 * absence
	// late is how far apart two looks may be. A process that was stopped for
	// longer does not know what happened meanwhile.
	late = 30 * time.Second
)

// presence is what a worker has seen of the workers of all builds. It goes by
// the worker's clock alone: Temporal's may differ, so its times are only compared
// with each other. It never takes what it could not see for an absence.
type presence struct {
	// since is the first of the looks that succeeded one after the other up to
	// latest. Zero: the last one failed.
	since, latest time.Time
	polls         map[string]poll
}

// A poll is the last one of a build's workers.
type poll struct {
	at       time.Time // by Temporal's clock; zero: forgotten
	received time.Time // when a look told of it first, by the worker's clock
}

// note takes in what a look that succeeded tells: when workers of each build
// last polled. Temporal keeps that for five minutes; it forgets it when it starts
// again, and when a worker stops. So a poll of a moment ago that is missing says
// that the build's workers were there just now.
func (p *presence) note(lastSeen map[string]time.Time, now time.Time) {
	if !p.since.IsZero() && now.Sub(p.latest) > late {
		p.interrupt()
	}
	if p.since.IsZero() {
		p.since = now
	}
	p.latest = now
	if p.polls == nil {
		p.polls = map[string]poll{}
	}
	for build, last := range p.polls {
		if lastSeen[build].IsZero() && !last.at.IsZero() && now.Sub(last.received) <= absence {
			p.polls[build] = poll{received: now}
		}
	}
	for build, at := range lastSeen {
		if !at.IsZero() && !at.Equal(p.polls[build].at) {
			p.polls[build] = poll{at: at, received: now}
		}
	}
}

// interrupt takes in that a look failed: absence counts from the next one on.
func (p *presence) interrupt() { p.since = time.Time{} }

// isGone tells whether no worker of a build was there for all of absence.
func (p *presence) isGone(build string, now time.Time) bool {
	if p.since.IsZero() {
		return false
	}
	last := p.since
	if received := p.polls[build].received; received.After(last) {
		last = received
	}
	return now.Sub(last) > absence
}

// isBack tells whether all workers have had the time to come back to Temporal.
func (p *presence) isBack(now time.Time) bool {
	return !p.since.IsZero() && now.Sub(p.since) > comeback
}
