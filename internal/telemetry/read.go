package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/platenhq/platen/internal/platen"
)

// A collector reads metrics when they are asked for. It describes none beforehand, so
// that several may add series of one metric.
type collector func(send func(name string, kind prometheus.ValueType, value float64, labels ...string))

type registered struct {
	m    *Metrics
	read collector
}

// Describe sends nothing: the collector is unchecked.
func (registered) Describe(chan<- *prometheus.Desc) {}

// Collect sends what is there now.
func (r registered) Collect(to chan<- prometheus.Metric) {
	r.read(func(name string, kind prometheus.ValueType, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(r.m.described[name], kind, value, labels...)
	})
}

func (m *Metrics) read(c collector) {
	if m != nil {
		m.registry.MustRegister(registered{m, c})
	}
}

// WatchPool has the connections of a pool counted under a name.
func (m *Metrics) WatchPool(name string, pool *pgxpool.Pool) {
	m.read(func(send func(string, prometheus.ValueType, float64, ...string)) {
		s := pool.Stat()
		send("platen_postgres_connections", prometheus.GaugeValue, float64(s.AcquiredConns()), name, "acquired")
		send("platen_postgres_connections", prometheus.GaugeValue, float64(s.IdleConns()), name, "idle")
		send("platen_postgres_connections_max", prometheus.GaugeValue, float64(s.MaxConns()), name)
		send("platen_postgres_acquires_total", prometheus.CounterValue, float64(s.AcquireCount()), name)
		send("platen_postgres_acquire_wait_seconds_total", prometheus.CounterValue, s.AcquireDuration().Seconds(), name)
	})
}

// WatchCache has the lookups of a cache counted under a name.
func (m *Metrics) WatchCache(name string, lookups func() (hits, misses uint64)) {
	m.read(func(send func(string, prometheus.ValueType, float64, ...string)) {
		hits, misses := lookups()
		send("platen_cache_requests_total", prometheus.CounterValue, float64(hits), name, "hit")
		send("platen_cache_requests_total", prometheus.CounterValue, float64(misses), name, "miss")
	})
}

const (
	// overviewEvery is how often the installation's numbers are read at most.
	overviewEvery   = 15 * time.Second
	overviewTimeout = 5 * time.Second
)

// WatchInstallation has the numbers of the whole installation read when somebody asks
// for metrics, every 15 s at most, until stop. Each worker reports the same: take the
// largest, not the sum.
func (m *Metrics) WatchInstallation(overview func(context.Context) (platen.Overview, error)) (stop func()) {
	var mu sync.Mutex
	var last platen.Overview
	var err error
	var until time.Time
	var stopped bool
	m.read(func(send func(string, prometheus.ValueType, float64, ...string)) {
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			return
		}
		if now := time.Now(); !now.Before(until) {
			ctx, cancel := context.WithTimeout(context.Background(), overviewTimeout)
			defer cancel()
			last, err = overview(ctx)
			until = now.Add(overviewEvery)
		}
		gauge := func(name string, value float64, labels ...string) {
			send(name, prometheus.GaugeValue, value, labels...)
		}
		if err != nil {
			gauge("platen_overview_up", 0)
			return
		}
		gauge("platen_overview_up", 1)
		m.sendOverview(last, gauge)
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
	}
}

func (m *Metrics) sendOverview(o platen.Overview, gauge func(name string, value float64, labels ...string)) {
	var oldestData time.Duration
	if o.OldestData != nil {
		oldestData = time.Since(*o.OldestData)
	}
	for name, value := range map[string]float64{
		"platen_backlog_automations": float64(o.Backlog), "platen_backlog_paused": float64(o.Paused), "platen_backlog_oldest_age_seconds": o.OldestAge.Seconds(), "platen_backlog_behind": float64(o.Behind),
		"platen_backlog_behind_oldest_age_seconds": o.OldestBehind.Seconds(), "platen_batches_behind": float64(o.BatchesBehind),
		"platen_reviews_waiting": float64(o.Reviews), "platen_reviews_oldest_age_seconds": o.OldestReview.Seconds(), "platen_reviews_unsent": float64(o.ReviewsUnsent),
		"platen_runs_open": float64(o.Open), "platen_runs_carried": float64(o.Carried), "platen_workers": float64(o.Workers),
		"platen_events_overdue": float64(o.EventsOverdue), "platen_erasures_waiting": float64(o.Erasures), "platen_mails_unsent": float64(o.MailsFailed), "platen_placements_failed": float64(o.NotStored), "platen_schedules_failed": float64(o.NotStarted), "platen_mail_senders_failing": float64(o.SendersFailing), "platen_tokens_ending": float64(o.TokensEnding), "platen_source_data_oldest_age_seconds": oldestData.Seconds(),
	} {
		gauge(name, value)
	}
	gauge("platen_events", float64(o.EventsPending), "PENDING")
	gauge("platen_events", float64(o.EventsHeld), "HELD")
	parked := map[string]int{}
	for code, n := range o.Parked {
		parked[m.known(code)] += n
	}
	for name, values := range map[string]map[string]int{
		"platen_runs_parked": parked, "platen_endpoints": o.Endpoints, "platen_quota_used": o.QuotaUsed,
	} {
		for label, value := range values {
			gauge(name, float64(value), label)
		}
	}
}

// QuotaLimits says what a minute may use of the project's quotas; 0: without limit.
func (m *Metrics) QuotaLimits(limits map[string]int) {
	m.read(func(send func(string, prometheus.ValueType, float64, ...string)) {
		for quota, limit := range limits {
			if limit > 0 {
				send("platen_quota_limit", prometheus.GaugeValue, float64(limit), quota)
			}
		}
	})
}
