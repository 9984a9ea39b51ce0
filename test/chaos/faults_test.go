package chaos

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// A fault is one kind of misfortune. It returns when it is over; what follows
// from it may go on.
type fault struct {
	kind string
	// places are what suffers: one fault at a time there. None: everything, and
	// no other fault is under way meanwhile.
	places []string
	// cutsOff: a worker that has sent an event may be kept from recording it.
	cutsOff bool
	inject  func(ctx context.Context, f *faultRun) error
}

// A faultRun is one fault that is injected, with what it needs.
type faultRun struct {
	*harness
	random *rand.Rand // the fault's own, so that it does not depend on others
	// from is when it struck, where that is later than its beginning.
	from time.Time
	// elsewhere: it struck none of those who deliver.
	elsewhere bool
}

// errMissed says that a fault met nobody, so it does not count.
var errMissed = errors.New("met nobody")

// between returns a span from the schedule's generator.
func (f *faultRun) between(least, most time.Duration) time.Duration {
	return least + time.Duration(f.random.Int64N(int64(most-least)))
}

// freeze is how long something stands still: seldom for long.
func (f *faultRun) freeze() time.Duration {
	part := f.random.Float64()
	return time.Second + time.Duration(part*part*part*float64(19*time.Second))
}

// allFaults is every kind of fault, in groups of its own.
func allFaults() []fault {
	var all []fault
	for _, name := range []string{"serve", "worker-1", "worker-2", "drive"} {
		all = append(all, killing(name), freezing(name))
	}
	for _, name := range []string{"worker-1", "worker-2"} {
		all = append(all, stalling(name), forgetting(name), skewing(name))
	}
	all = append(all, temporalFaults()...)
	all = append(all, operations()...)
	all = append(all, fault{kind: "Postgres put back to a base backup", cutsOff: true, inject: func(ctx context.Context, f *faultRun) error { return f.rewindPostgres(ctx) }})
	all = append(all, fault{kind: "a rollout with Temporal away", places: []string{"temporal", "worker-1", "worker-2"}, cutsOff: true, inject: func(ctx context.Context, f *faultRun) error {
		return f.rollOut(ctx, f.between(3*time.Second, 6*time.Second))
	}})
	all = append(all, postgresFaults()...)
	for _, where := range places() {
		all = append(all, fault{kind: "death " + where, places: []string{"places"}, cutsOff: !strings.HasSuffix(where, " accept"), inject: func(_ context.Context, f *faultRun) error { return f.die(where) }})
	}
	for _, what := range []string{driveBusy, driveBroken, driveLimited, driveSilent, driveStale} {
		all = append(all, fault{kind: what, places: []string{"proxy"}, inject: func(_ context.Context, f *faultRun) error {
			return f.misbehave(&f.service.proxy.misbehaviour, what, 1+f.random.IntN(3), f.between(time.Second, 3*time.Second))
		}})
	}
	for _, name := range []string{"Dora", "Eli"} {
		all = append(all, fault{kind: "drive of " + name + " dead", places: []string{"drive of " + name}, inject: func(_ context.Context, f *faultRun) error {
			return f.killDrive(name)
		}})
	}
	for _, what := range []string{
		receiverBroken, receiverHangs, receiverSlow, receiverRedirect, receiverEndless, receiverBomb, receiverPutsOff,
	} {
		all = append(all, fault{kind: what, places: []string{"receiver"}, inject: func(_ context.Context, f *faultRun) error {
			return f.misbehave(&f.receiver.misbehaviour, what, 1+f.random.IntN(2), f.between(time.Second, 3*time.Second))
		}})
	}
	return all
}

// killDrive has the drive of one owner hang or answer 500.
func (f *faultRun) killDrive(name string) error {
	i := slices.IndexFunc(f.service.owners, func(o *owner) bool { return o.name == name })
	one := f.service.owners[i]
	if !f.service.proxy.die(one, []string{driveHangs, driveBroken}[f.random.IntN(2)]) {
		return errMissed
	}
	time.Sleep(f.between(4*time.Second, 10*time.Second))
	if f.service.proxy.cure(one) == 0 {
		return errMissed
	}
	return nil
}

// delivers tells whether a program sends events.
func delivers(name string) bool { return strings.HasPrefix(name, "worker-") }

// burden makes a program's Postgres slow for a moment, so that more is under
// way than acceptance in a millisecond leaves, and then does something to it.
func (f *faultRun) burden(name string, then func(p *process) bool) error {
	slow, span := f.between(100*time.Millisecond, 300*time.Millisecond), f.between(400*time.Millisecond, 900*time.Millisecond)
	w := map[string]*wire{"serve": f.service.servePG, "drive": f.service.drivePG}[name]
	if w == nil {
		w = f.service.workPG
	}
	w.latency.Add(int64(slow))
	time.Sleep(span)
	done := then(f.service.processes[name])
	w.latency.Add(-int64(slow))
	if !done {
		return errMissed
	}
	return nil
}

// killing takes a program away at work.
func killing(name string) fault {
	return fault{kind: "SIGKILL " + name, places: []string{name}, cutsOff: delivers(name), inject: func(_ context.Context, f *faultRun) error {
		return f.burden(name, func(p *process) bool { return p.kill(0) })
	}}
}

// stalling stops a worker at work for longer than its runs are left to it: the
// timeout of a workflow task is 5 s. Others go on with them, and then it does.
func stalling(name string) fault {
	return fault{kind: "SIGSTOP " + name + " past the workflow task's timeout", places: []string{name}, cutsOff: true, inject: func(_ context.Context, f *faultRun) error {
		stopped := func(p *process) bool { return p.signal(syscall.SIGSTOP) }
		if err := f.burden(name, stopped); err != nil {
			return err
		}
		time.Sleep(f.between(6*time.Second, 9*time.Second))
		f.service.processes[name].signal(syscall.SIGCONT)
		return nil
	}}
}

// forgetting has a worker keep one run in memory, so that each of the others
// is replayed for every task of it.
func forgetting(name string) fault {
	return fault{kind: "sticky cache of one in " + name, places: []string{name}, cutsOff: true, inject: func(_ context.Context, f *faultRun) error {
		return f.lifeWith(f.service.processes[name], "PLATEN_FAILPOINT_CACHE", "1")
	}}
}

// skewing starts a worker whose time of day is two minutes off.
func skewing(name string) fault {
	return fault{kind: "clock of " + name + " two minutes off", places: []string{name}, cutsOff: true, inject: func(_ context.Context, f *faultRun) error {
		if f.service.skewed == "" {
			return errMissed
		}
		return f.lifeWith(f.service.processes[name], skewVariable, []string{"2m", "-2m"}[f.random.IntN(2)])
	}}
}

// lifeWith gives a program one life with a setting, for some seconds.
func (f *faultRun) lifeWith(p *process, setting, value string) error {
	p.set(setting, value)
	killed := p.kill(0)
	if killed {
		time.Sleep(f.between(6*time.Second, 10*time.Second)) // a start is a part of it
	}
	p.set(setting, "")
	if !killed {
		return errMissed
	}
	return p.killNow()
}

func freezing(name string) fault {
	return fault{kind: "SIGSTOP " + name, places: []string{name}, cutsOff: delivers(name), inject: func(_ context.Context, f *faultRun) error {
		return f.stand(f.service.processes[name])
	}}
}

// stand stops a process for a while.
func (f *faultRun) stand(p *process) error {
	span := f.freeze()
	if !p.signal(syscall.SIGSTOP) {
		return errMissed
	}
	time.Sleep(span)
	p.signal(syscall.SIGCONT)
	return nil
}

func postgresFaults() []fault {
	return []fault{
		{kind: "SIGKILL Postgres", cutsOff: true, inject: func(_ context.Context, f *faultRun) error { return f.service.crash() }},
		{kind: "Postgres' disk full", cutsOff: true, inject: func(ctx context.Context, f *faultRun) error { return f.fillDisk(ctx) }},
		{kind: "Postgres frozen", cutsOff: true, inject: func(_ context.Context, f *faultRun) error { return f.freezePostgres() }},
		{kind: "Postgres backend SIGKILL", cutsOff: true, inject: func(ctx context.Context, f *faultRun) error { return f.crashPostgres(ctx) }},
		{kind: "Postgres backends terminated", places: []string{"postgres"}, cutsOff: true, inject: func(ctx context.Context, f *faultRun) error { return f.terminate(ctx) }},
		{kind: "Postgres connections exhausted", cutsOff: true, inject: func(ctx context.Context, f *faultRun) error { return f.hog(ctx) }},
		{kind: "Postgres connections reset", places: []string{"postgres"}, cutsOff: true, inject: func(_ context.Context, f *faultRun) error {
			if f.wire().reset() == 0 {
				return errMissed
			}
			return nil
		}},
		{kind: "Postgres answers lost, then reset", places: []string{"postgres"}, cutsOff: true, inject: func(_ context.Context, f *faultRun) error {
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
		{kind: "Postgres unreachable", places: []string{"postgres"}, cutsOff: true, inject: func(_ context.Context, f *faultRun) error {
			w := f.wire()
			w.hole.Store(true)
			time.Sleep(f.between(time.Second, 4*time.Second))
			w.hole.Store(false)
			return nil
		}},
		{kind: "Postgres slow", places: []string{"postgres"}, inject: func(_ context.Context, f *faultRun) error {
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
func (f *faultRun) wire() *wire {
	chosen := []*wire{f.service.servePG, f.service.workPG, f.service.drivePG}[f.random.IntN(3)]
	f.elsewhere = chosen != f.service.workPG
	return chosen
}

func (f *faultRun) misbehave(m *misbehaviour, what string, every int, span time.Duration) error {
	m.begin(what, span, every)
	time.Sleep(span)
	if m.end() == 0 {
		return errMissed
	}
	return nil
}

func (f *faultRun) freezePostgres() error {
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
func (f *faultRun) crashPostgres(ctx context.Context) error {
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

func (f *faultRun) terminate(ctx context.Context) error {
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
func (f *faultRun) hog(ctx context.Context) error {
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
	length, unlucky := f.between(time.Second, 3*time.Second), f.wire()
	f.elsewhere = false // new connections fail meanwhile, in every program
	defer hogs.Wait()
	defer close(release)
	select {
	case <-exhausted:
	case <-time.After(startLimit):
		return errors.New("1000 connections did not exhaust Postgres")
	}
	// What is reset now cannot come back as long as nothing is free.
	unlucky.reset()
	time.Sleep(length)
	return nil
}
