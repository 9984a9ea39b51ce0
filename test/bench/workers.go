package main

import (
	"context"
	"errors"
	"strconv"
)

const (
	// asFast is the part of one worker's rate that two of half its processors reach.
	asFast = 0.9
	// mostOfClaims is what the busier of two equal workers claims, in percent.
	mostOfClaims = 60
)

// measureWorkers: two workers of one processor each beside one of two, each on an
// installation of its own. They take turns, so that neither slows the other down.
func measureWorkers(ctx context.Context, b *bench) (err error) {
	one, err := b.startWorkers(ctx, 2)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, one.close(context.WithoutCancel(ctx))) }()
	two, err := b.startWorkers(ctx, 1, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, two.close(context.WithoutCancel(ctx))) }()
	b.say("sustained automations with one worker of two processors, and with two of one")
	for _, g := range []*crew{one, two} {
		if _, _, err := g.sender.saturate(ctx, inFlight, b.round, b.round); err != nil { // connections and caches
			return err
		}
	}
	var single, pair, share []float64
	for round := range 2 * b.rounds {
		turns := []func() error{
			func() error {
				rate, _, err := one.sender.saturate(ctx, inFlight, b.round, 4*b.round)
				single = append(single, rate)
				return err
			},
			func() error {
				before, err := two.claims(ctx)
				if err != nil {
					return err
				}
				rate, _, err := two.sender.saturate(ctx, inFlight, b.round, 4*b.round)
				if err != nil {
					return err
				}
				after, err := two.claims(ctx)
				pair, share = append(pair, rate), append(share, 100*busierShare(before, after))
				return err
			},
		}
		if round%2 == 1 {
			turns[0], turns[1] = turns[1], turns[0]
		}
		for _, turn := range turns {
			if err := turn(); err != nil {
				return err
			}
		}
	}
	r := b.report
	r.add("completed automations, one worker of two processors", "/s", single, note("%d in flight", inFlight))
	r.add("completed automations, two workers of one processor", "/s", pair)
	r.add("two workers ÷ one", "×", ratios(pair, single), atLeast(asFast))
	r.add("claims of the busier of two workers", "%", share, atMost(mostOfClaims))
	return errors.Join(one.failures(ctx), two.failures(ctx))
}

// A crew is a harness with workers of its own choice.
type crew struct {
	*harness
	workers []*part
}

// startWorkers starts a harness with a worker for each number of processors.
func (b *bench) startWorkers(ctx context.Context, processors ...int) (_ *crew, err error) {
	g, err := b.idle(ctx)
	if err != nil {
		return nil, err
	}
	c := &crew{harness: g}
	for _, n := range processors {
		settings := g.settings()
		settings["GOMAXPROCS"] = strconv.Itoa(n)
		p, err := b.start(ctx, partWorker, settings)
		if err != nil {
			return nil, errors.Join(err, c.close(context.WithoutCancel(ctx)))
		}
		c.workers = append(c.workers, p)
	}
	return c, nil
}

func (c *crew) close(ctx context.Context) error {
	for _, p := range c.workers {
		p.stop()
	}
	return c.harness.close(ctx)
}

// claims counts the automations that each worker claimed.
func (c *crew) claims(ctx context.Context) (map[string]int, error) {
	rows, err := c.pool.Query(ctx, `
		SELECT claimed_by, count(*)
		FROM automations
		WHERE claimed_by IS NOT NULL
		GROUP BY claimed_by`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	claims := map[string]int{}
	for rows.Next() {
		var worker string
		var n int
		if err := rows.Scan(&worker, &n); err != nil {
			return nil, err
		}
		claims[worker] = n
	}
	return claims, rows.Err()
}

// busierShare is the part of the claims between two counts that one worker made,
// the one with the most.
func busierShare(before, after map[string]int) float64 {
	most, all := 0, 0
	for worker, n := range after {
		n -= before[worker]
		most, all = max(most, n), all+n
	}
	return float64(most) / float64(all)
}
