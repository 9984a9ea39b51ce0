package maintenance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"
)

const (
	// orphanAge is far beyond what one request of the API may take.
	orphanAge  = time.Hour
	sweepEvery = 15 * time.Minute
	// driveTimeout bounds the drive calls for one orphan: it is far more than a
	// drive needs that answers.
	driveTimeout = time.Minute
)

// sweepJob is a job whose passes go through the drives of many owners.
func sweepJob(name string, every time.Duration, sweep func(ctx context.Context, p *pass, log *slog.Logger) error) Job {
	return Job{Name: name, Every: every, Do: func(ctx context.Context, log *slog.Logger) error {
		p := newPass(driveTimeout)
		return errors.Join(sweep(ctx, p, log), p.failure())
	}}
}

// A pass goes once over orphans in the drives of many owners. A drive that does
// not answer in time is waited for once in it: what else there is of its owner
// waits for the next pass.
type pass struct {
	timeout time.Duration // for one of them
	hung    map[string]bool
	failed  int
	first   error
}

func newPass(timeout time.Duration) *pass { return &pass{timeout: timeout, hung: map[string]bool{}} }

// each does something about every entry of a list that comes in pages, in the
// drives of their owners; next returns the page behind an entry, the zero value
// to begin with.
func each[T any](ctx context.Context, p *pass, next func(ctx context.Context, after T) ([]T, error), ownerOf func(T) string, do func(ctx context.Context, one T) error) error {
	var last T
	for {
		page, err := next(ctx, last)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, one := range page {
			p.try(ctx, ownerOf(one), func(ctx context.Context) error { return do(ctx, one) })
		}
		last = page[len(page)-1]
	}
}

// try does something in the drive of an owner, unless that does not answer in
// this pass, and goes on past what fails.
func (p *pass) try(ctx context.Context, ownerID string, do func(ctx context.Context) error) {
	if p.hung[ownerID] || ctx.Err() != nil {
		return
	}
	within, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	err := do(within)
	if err == nil {
		return
	}
	if timeout, ok := errors.AsType[net.Error](err); within.Err() != nil || ok && timeout.Timeout() {
		p.hung[ownerID] = true
	}
	p.fail(err)
}

// fail notes what failed.
func (p *pass) fail(err error) {
	if p.failed++; p.first == nil {
		p.first = err
	}
}

// failure tells of the first that failed.
func (p *pass) failure() error {
	if p.failed > 1 {
		return fmt.Errorf("%d of them failed, the first: %w", p.failed, p.first)
	}
	return p.first
}
