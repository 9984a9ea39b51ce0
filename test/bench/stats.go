package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// A spread is what several rounds of one measurement came to.
type spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

func spreadOf(rounds []float64) spread {
	if len(rounds) == 0 {
		return spread{Median: math.NaN(), Min: math.NaN(), Max: math.NaN()}
	}
	sorted := slices.Sorted(slices.Values(rounds))
	return spread{Median: sorted[len(sorted)/2], Min: sorted[0], Max: sorted[len(sorted)-1]}
}

// ratios divides round by round: what was measured side by side was slowed
// down alike.
func ratios(a, b []float64) []float64 {
	all := make([]float64, 0, len(a))
	for i := range min(len(a), len(b)) {
		all = append(all, a[i]/b[i])
	}
	return all
}

// quantile of latencies, in milliseconds; q from 0 to 1.
func quantile(latencies []time.Duration, q float64) float64 {
	if len(latencies) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(latencies))
	return milliseconds(sorted[min(len(sorted)-1, int(q*float64(len(sorted))))])
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// A series collects the rounds of one load.
type series struct {
	rate, p50, p99 []float64
}

func (s *series) add(l load) {
	s.rate = append(s.rate, l.rate())
	s.p50 = append(s.p50, quantile(l.latencies, 0.50))
	s.p99 = append(s.p99, quantile(l.latencies, 0.99))
}

// ratioOf divides a quantile of a by that of b, latencies in the order in which
// they were measured. Min and Max hold 95 of 100 ratios that other draws of the
// same latencies give. Neighbours in time are drawn together, because a
// disturbance of one slows the next one down, too.
func ratioOf(q float64, a, b []time.Duration) spread {
	const draws, block = 1000, 10
	random := rand.New(rand.NewPCG(1, 2)) // the same figures for the same latencies
	draw := func(from []time.Duration) []time.Duration {
		drawn := make([]time.Duration, 0, len(from)+block)
		for len(drawn) < len(from) {
			at := random.IntN(max(1, len(from)-block+1))
			drawn = append(drawn, from[at:min(at+block, len(from))]...)
		}
		return drawn
	}
	ratios := make([]float64, draws)
	for n := range ratios {
		ratios[n] = quantile(draw(a), q) / quantile(draw(b), q)
	}
	slices.Sort(ratios)
	return spread{Median: quantile(a, q) / quantile(b, q), Min: ratios[draws*25/1000], Max: ratios[draws*975/1000]}
}
