package main

import (
	"context"
	"fmt"
	"math"
	"time"
)

// once is what one of many alike took, in milliseconds: of the processor, with
// everything that was started for it, and by the clock.
type once struct{ cpu, clock float64 }

// A round repeats one thing for so long, at least once, and returns the mean.
type round func(ctx context.Context, length time.Duration) (once, error)

// A comparison is a thing that we do, and what a program of other people takes
// for the same.
type comparison struct {
	name  string
	limit float64 // of the processor's time of ours, in milliseconds; 0: nothing was promised
	ours  round

	rival  string  // "" if nobody is asked
	theirs round   // nil where the rival is not installed
	least  float64 // times that we are to be faster; 0: nothing was promised
}

// compare measures both in turns, so that a ratio is one of the same moment.
func (b *bench) compare(ctx context.Context, c comparison) error {
	if _, err := c.ours(ctx, 0); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	var ours, theirs costs
	for range b.rounds {
		if err := ours.add(ctx, c.ours, b.round/4); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if c.theirs == nil {
			continue
		}
		if err := theirs.add(ctx, c.theirs, b.round/4); err != nil {
			return fmt.Errorf("%s, %s: %w", c.name, c.rival, err)
		}
	}
	b.report.costs(c.name, ours, c.limit)
	if c.rival == "" {
		return nil
	}
	name := c.name + ", " + c.rival
	if c.theirs == nil {
		b.report.absent(name, "not installed")
		return nil
	}
	b.report.costs(name, theirs, 0)
	var remarks []remark
	if c.least > 0 {
		remarks = append(remarks, atLeast(c.least))
	}
	b.report.add(name+" ÷ ours, CPU", "×", ratios(theirs.cpu, ours.cpu), remarks...)
	b.report.add(name+" ÷ ours, by the clock", "×", ratios(theirs.clock, ours.clock), remarks...)
	return nil
}

// costs are the rounds of one thing.
type costs struct{ cpu, clock []float64 }

func (c *costs) add(ctx context.Context, do round, length time.Duration) error {
	o, err := do(ctx, length)
	if err != nil {
		return err
	}
	c.cpu, c.clock = append(c.cpu, o.cpu), append(c.clock, o.clock)
	return nil
}

// costs puts both times into the report. What was promised is held against the
// processor's, which other work on the machine changes least.
func (r *report) costs(name string, c costs, limit float64) {
	var remarks []remark
	if limit > 0 {
		remarks = append(remarks, atMost(limit))
	}
	r.add(name+", CPU", "ms", c.cpu, remarks...)
	r.add(name+", by the clock", "ms", c.clock)
}

// inProcess is a round of what this process does itself, alone.
func inProcess(do func() error) round {
	return roundOf(func(context.Context) (time.Duration, error) {
		used := processorTimeHere()
		err := do()
		return processorTimeHere() - used, err
	})
}

// roundOf makes a round of what says how much of the processor's time it took.
func roundOf(do func(context.Context) (time.Duration, error)) round {
	return func(ctx context.Context, length time.Duration) (once, error) {
		var used time.Duration
		n, begun := 0, time.Now()
		for n == 0 || time.Since(begun) < length {
			if err := ctx.Err(); err != nil {
				return once{}, err
			}
			cpu, err := do(ctx)
			if err != nil {
				return once{}, err
			}
			used += cpu
			n++
		}
		return mean(used, time.Since(begun), n), nil
	}
}

// mean of n: a processor's time of zero is that of a system that does not tell.
func mean(cpu, clock time.Duration, n int) once {
	o := once{cpu: milliseconds(cpu) / float64(n), clock: milliseconds(clock) / float64(n)}
	if cpu == 0 {
		o.cpu = math.NaN()
	}
	return o
}
