package chaos

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// A fault is one kind of misfortune. It returns when it is over; what follows
// from it may go on.
type fault struct {
	kind string
	// place is what suffers: one fault at a time there. Empty: everything, and
	// no other fault is under way meanwhile.
	place string
	bring func(ctx context.Context, f *fate) error
}

// A fate is what one fault is brought with.
type fate struct {
	service  *service
	receiver *receiver
	load     *load
	random   *rand.Rand // the fault's own, so that it does not depend on others
}

// errMissed says that a fault met nobody, so it does not count.
var errMissed = errors.New("met nobody")

// between returns a span from the schedule's generator.
func (f *fate) between(least, most time.Duration) time.Duration {
	return least + time.Duration(f.random.Int64N(int64(most-least)))
}

// freeze is how long something stands still: seldom for long.
func (f *fate) freeze() time.Duration {
	part := f.random.Float64()
	return time.Second + time.Duration(part*part*part*float64(19*time.Second))
}

// deck is every kind of fault, in groups of its own.
func deck() []fault {
	var all []fault
	for _, name := range []string{"serve", "worker-1", "worker-2", "drive"} {
		all = append(all, killing(name), freezing(name))
	}
	all = append(all, temporalFaults()...)
	all = append(all, postgresFaults()...)
	for _, where := range places() {
		all = append(all, fault{kind: "death " + where, place: "places", bring: func(_ context.Context, f *fate) error { return f.die(where) }})
	}
	for _, what := range []string{driveBusy, driveBroken, driveLimited, driveSilent, driveStale} {
		all = append(all, fault{kind: what, place: "proxy", bring: func(_ context.Context, f *fate) error {
			return f.misbehave(&f.service.proxy.misbehaviour, what, 1+f.random.IntN(3), f.between(time.Second, 3*time.Second))
		}})
	}
	for _, what := range []string{
		receiverBroken, receiverHangs, receiverSlow, receiverRedirect, receiverEndless, receiverBomb, receiverPutsOff,
	} {
		all = append(all, fault{kind: what, place: "receiver", bring: func(_ context.Context, f *fate) error {
			return f.misbehave(&f.receiver.misbehaviour, what, 1+f.random.IntN(2), f.between(time.Second, 3*time.Second))
		}})
	}
	return all
}

// killing takes a program away at work: its Postgres is slow for a moment
// before, so that more is under way than acceptance in a millisecond leaves.
func killing(name string) fault {
	return fault{kind: "SIGKILL " + name, place: name, bring: func(_ context.Context, f *fate) error {
		slow, span := f.between(100*time.Millisecond, 300*time.Millisecond), f.between(400*time.Millisecond, 900*time.Millisecond)
		w := map[string]*wire{"serve": f.service.servePG, "drive": f.service.drivePG}[name]
		if w == nil {
			w = f.service.workPG
		}
		w.latency.Add(int64(slow))
		time.Sleep(span)
		killed := f.service.processes[name].kill(0)
		w.latency.Add(-int64(slow))
		if !killed {
			return errMissed
		}
		return nil
	}}
}

func freezing(name string) fault {
	return fault{kind: "SIGSTOP " + name, place: name, bring: func(_ context.Context, f *fate) error {
		return f.stand(f.service.processes[name])
	}}
}

// stand stops a process for a while.
func (f *fate) stand(p *process) error {
	span := f.freeze()
	if !p.signal(syscall.SIGSTOP) {
		return errMissed
	}
	time.Sleep(span)
	p.signal(syscall.SIGCONT)
	return nil
}

// temporalFaults: a minute without Temporal, at 1:10, because a start takes
// seconds.
func temporalFaults() []fault {
	return []fault{
		{kind: "SIGKILL Temporal, gone for a while", place: "temporal", bring: func(_ context.Context, f *fate) error {
			return f.service.conductor.kill(f.between(time.Second, 8*time.Second))
		}},
		{kind: "SIGSTOP Temporal", place: "temporal", bring: func(_ context.Context, f *fate) error { return f.stand(f.service.conductor.process) }},
		{kind: "Temporal connections reset", place: "temporal", bring: func(_ context.Context, f *fate) error {
			if f.service.temporal.reset() == 0 {
				return errMissed
			}
			return nil
		}},
		{kind: "Temporal unreachable", place: "temporal", bring: func(_ context.Context, f *fate) error {
			f.service.temporal.hole.Store(true)
			time.Sleep(f.between(time.Second, 4*time.Second))
			f.service.temporal.hole.Store(false)
			return nil
		}},
	}
}

func postgresFaults() []fault {
	return []fault{
		{kind: "SIGKILL Postgres", bring: func(_ context.Context, f *fate) error { return f.service.crash() }},
		{kind: "Postgres' disk full", bring: func(ctx context.Context, f *fate) error { return f.fillDisk(ctx) }},
		{kind: "Postgres frozen", bring: func(_ context.Context, f *fate) error { return f.freezePostgres() }},
		{kind: "Postgres backend SIGKILL", bring: func(ctx context.Context, f *fate) error { return f.crashPostgres(ctx) }},
		{kind: "Postgres backends terminated", place: "postgres", bring: func(ctx context.Context, f *fate) error { return f.terminate(ctx) }},
		{kind: "Postgres connections exhausted", bring: func(ctx context.Context, f *fate) error { return f.hog(ctx) }},
		{kind: "Postgres connections reset", place: "postgres", bring: func(_ context.Context, f *fate) error {
			if f.wire().reset() == 0 {
				return errMissed
			}
			return nil
		}},
		{kind: "Postgres answers lost, then reset", place: "postgres", bring: func(_ context.Context, f *fate) error {
			w := f.wire()
			w.deaf.Store(true)
			time.Sleep(f.between(100*time.Millisecond, 400*time.Millisecond))
			broken := w.reset()
			w.deaf.Store(false)
			if broken == 0 {
				return errMissed
			}
			return nil
		}},
		{kind: "Postgres unreachable", place: "postgres", bring: func(_ context.Context, f *fate) error {
			w := f.wire()
			w.hole.Store(true)
			time.Sleep(f.between(time.Second, 4*time.Second))
			w.hole.Store(false)
			return nil
		}},
		{kind: "Postgres slow", place: "postgres", bring: func(_ context.Context, f *fate) error {
			w := f.wire()
			slow := int64(f.between(20*time.Millisecond, 200*time.Millisecond))
			w.latency.Add(slow)
			time.Sleep(f.between(time.Second, 3*time.Second))
			w.latency.Add(-slow)
			return nil
		}},
	}
}

// wire chooses whose way to Postgres suffers.
func (f *fate) wire() *wire {
	return []*wire{f.service.servePG, f.service.workPG, f.service.drivePG}[f.random.IntN(3)]
}

func (f *fate) misbehave(m *misbehaviour, what string, every int, span time.Duration) error {
	m.begin(what, span, every)
	time.Sleep(span)
	if m.end() == 0 {
		return errMissed
	}
	return nil
}

func (f *fate) freezePostgres() error {
	span := f.freeze()
	family, err := f.service.family()
	if err != nil {
		return err
	}
	for _, pid := range family {
		_ = syscall.Kill(pid, syscall.SIGSTOP) // it may have ended meanwhile
	}
	time.Sleep(span)
	for _, pid := range family {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	return nil
}

// crashPostgres kills one backend of the service: Postgres then ends all
// others and recovers from its log, as after a crash.
func (f *fate) crashPostgres(ctx context.Context) error {
	conn, err := f.service.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var pid int
	err = conn.QueryRow(ctx, `
		SELECT pid
		FROM pg_stat_activity
		WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
		ORDER BY state = 'active' DESC, pid
		LIMIT 1`).Scan(&pid)
	if errors.Is(err, pgx.ErrNoRows) {
		return errMissed
	}
	if err != nil {
		return err
	}
	return syscall.Kill(pid, syscall.SIGKILL)
}

func (f *fate) terminate(ctx context.Context) error {
	conn, err := f.service.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var ended int
	err = conn.QueryRow(ctx, `
		SELECT count(pg_terminate_backend(pid))
		FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()`).Scan(&ended)
	if err == nil && ended == 0 {
		return errMissed
	}
	return err
}

// hog takes every connection that Postgres has left, for a while.
func (f *fate) hog(ctx context.Context) error {
	var hogs sync.WaitGroup
	exhausted, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	for range 10 {
		hogs.Go(func() {
			for range 100 {
				c, err := f.service.connect(ctx)
				if err != nil {
					once.Do(func() { close(exhausted) })
					break
				}
				defer c.Close(ctx)
			}
			<-release
		})
	}
	span, unlucky := f.between(time.Second, 3*time.Second), f.wire()
	defer hogs.Wait()
	defer close(release)
	select {
	case <-exhausted:
	case <-time.After(startLimit):
		return errors.New("1000 connections did not exhaust Postgres")
	}
	// What is reset now cannot come back as long as nothing is free.
	unlucky.reset()
	time.Sleep(span)
	return nil
}
