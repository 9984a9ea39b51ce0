package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/cover"
)

// A judge tries mutants, a bounded number at once.
type judge struct {
	options
	seats    chan struct{}
	temp     string
	patience time.Duration // with tests, beside four times what they take without a mutant
}

func newJudge(o options) (*judge, error) {
	temp, err := os.MkdirTemp("", "platen-mutants-*")
	if err != nil {
		return nil, err
	}
	return &judge{options: o, seats: make(chan struct{}, o.Parallel), temp: temp, patience: 10 * time.Second}, nil
}

func (j *judge) close() { _ = os.RemoveAll(j.temp) }

// An outcome is what became of a mutant.
type outcome string

const (
	killed     outcome = "killed"
	outOfTime  outcome = "out of time" // killed, too
	survived   outcome = "survived"
	notReached outcome = "not reached" // survived, too
)

// A result is a mutant with its outcome.
type result struct {
	mutant
	outcome outcome
}

func (r result) isKilled() bool { return r.outcome == killed || r.outcome == outOfTime }

// judgeAll returns the verdicts on packages, in their order, and prints each when
// it is there.
func (j *judge) judgeAll(ctx context.Context, packages []goPackage, to io.Writer) ([]verdict, error) {
	verdicts := make([]verdict, len(packages))
	var printing sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	for i, p := range packages {
		group.Go(func() error {
			v, err := j.judge(ctx, p, filepath.Join(j.temp, strconv.Itoa(i)))
			if err != nil {
				return err
			}
			printing.Lock()
			defer printing.Unlock()
			v.print(to)
			verdicts[i] = v
			return nil
		})
	}
	return verdicts, group.Wait()
}

// judge plants mutants into one package until there are as many as were asked
// for, or the places run out.
func (j *judge) judge(ctx context.Context, p goPackage, temp string) (verdict, error) {
	v := verdict{goPackage: p}
	places, err := findPlaces(p.Dir, p.GoFiles)
	if err != nil {
		return v, err
	}
	v.places = len(places)
	p.shuffle(places, j.Seed)
	clean, err := j.runClean(ctx, p, temp)
	if err != nil {
		return v, err
	}
	v.clean = clean.took
	for next := 0; len(v.results) < j.Places && next < len(places); {
		batch := places[next:min(next+j.Places-len(v.results), len(places))]
		next += len(batch)
		results := make([]*result, len(batch))
		group, ctx := errgroup.WithContext(ctx)
		for i, at := range batch {
			group.Go(func() (err error) {
				results[i], err = j.try(ctx, p, at, clean, filepath.Join(temp, strconv.Itoa(next+i)))
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return v, err
		}
		for _, r := range results {
			if r != nil {
				v.results = append(v.results, *r)
			}
		}
	}
	// Tests that now fail without a mutant have judged nothing.
	if _, err := j.runClean(ctx, p, temp); err != nil {
		return v, err
	}
	return v, nil
}

// A cleanRun is what the tests do with the code as it is.
type cleanRun struct {
	took    time.Duration
	reached *coverage
}

// limit is how long tests may take with a mutant: there are others beside it,
// and loops that never end.
func (j *judge) limit(c cleanRun) time.Duration { return j.patience + 4*c.took }

// runClean runs the tests of the package as it is; its error says that they
// fail.
func (j *judge) runClean(ctx context.Context, p goPackage, temp string) (cleanRun, error) {
	if err := j.sit(ctx); err != nil {
		return cleanRun{}, err
	}
	defer j.rise()
	if !p.hasTests() {
		return cleanRun{reached: &coverage{}}, nil
	}
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return cleanRun{}, err
	}
	binary, profile := filepath.Join(temp, "clean.test"), filepath.Join(temp, "cover.out")
	if out, err := build(ctx, p, "test", "-c", "-cover", "-o", binary); err != nil {
		return cleanRun{}, fmt.Errorf("%s: build its tests: %w\n%s", p.name(), err, out)
	}
	began := time.Now()
	const most = 20 * time.Minute
	if out, err := runTests(ctx, p, binary, most, "-test.coverprofile="+profile); err != nil {
		return cleanRun{}, fmt.Errorf("%s: its tests fail without a mutant: %w\n%s", p.name(), err, tail(out))
	}
	took := time.Since(began)
	profiles, err := cover.ParseProfiles(profile)
	if err != nil {
		return cleanRun{}, fmt.Errorf("%s: read what its tests reach: %w", p.name(), err)
	}
	return cleanRun{took, newCoverage(profiles)}, nil
}

// try plants the first mutant of a place that compiles, and runs the tests; nil:
// none does.
func (j *judge) try(ctx context.Context, p goPackage, at place, clean cleanRun, temp string) (*result, error) {
	if err := j.sit(ctx); err != nil {
		return nil, err
	}
	defer j.rise()
	defer os.RemoveAll(temp)
	for _, m := range at {
		overlay, err := writeOverlay(m, temp)
		if err != nil {
			return nil, err
		}
		if !clean.reached.has(m.reached) {
			if _, err := build(ctx, p, "build", "-o", os.DevNull, "-overlay", overlay); err == nil {
				return &result{m, notReached}, nil
			}
			continue
		}
		binary := filepath.Join(temp, "mutant.test")
		if _, err := build(ctx, p, "test", "-c", "-o", binary, "-overlay", overlay); err != nil {
			continue
		}
		_, err = runTests(ctx, p, binary, j.limit(clean))
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, context.DeadlineExceeded):
			return &result{m, outOfTime}, nil
		case err != nil:
			return &result{m, killed}, nil
		}
		return &result{m, survived}, nil
	}
	return nil, ctx.Err()
}

// sit waits for a seat; rise leaves it to the next.
func (j *judge) sit(ctx context.Context) error {
	select {
	case j.seats <- struct{}{}:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (j *judge) rise() { <-j.seats }
