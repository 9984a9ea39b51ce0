// Package probe answers probes of readiness, which anybody may send, at the
// cost of one check every few seconds.
//
// It knows neither what is checked nor how an answer is written: both are the
// business of the host.
package probe

import (
	"context"
	"time"
)

const (
	// timeout is shorter than the usual patience of a probe.
	timeout = 2 * time.Second
	// keptGood and keptBad are how long an answer serves those who ask after
	// it: one that was bad is asked for again sooner, so that a program is used
	// as soon as it can be.
	keptGood = 2 * time.Second
	keptBad  = time.Second
)

// A Probe keeps the last answer of a check. Those who ask while a check is
// under way wait for its answer.
type Probe struct {
	check func(context.Context) error

	turn  chan struct{} // guards the fields below
	until time.Time
	err   error
}

// New returns a Probe that has not checked yet.
func New(check func(context.Context) error) *Probe {
	return &Probe{check: check, turn: make(chan struct{}, 1)}
}

// Err is what the check says, or said up to two seconds ago. A check has two
// seconds, and goes on when the one who asked first goes away.
func (p *Probe) Err(ctx context.Context) error {
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	if time.Now().Before(p.until) {
		return p.err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	p.err = p.check(ctx)
	kept := keptGood
	if p.err != nil {
		kept = keptBad
	}
	p.until = time.Now().Add(kept)
	return p.err
}
