package telemetry

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.temporal.io/sdk/client"
)

// temporalLabels are the tags of Temporal's SDK that are kept. All have few values:
// names of queues, workflows, activities and calls, which are ours.
var temporalLabels = []string{"operation", "task_queue", "worker_type", "poller_type", "workflow_type", "activity_type", "status_code"}

// Temporal is where Temporal's SDK counts (client.Options.MetricsHandler); nil where m
// is nil.
func (m *Metrics) Temporal() client.MetricsHandler {
	if m == nil {
		return nil
	}
	return temporalMetrics{m.temporal, [7]string{}}
}

func newTemporalVectors(r *prometheus.Registry) *temporalVectors {
	return &temporalVectors{registry: r, counters: map[string]*prometheus.CounterVec{}, gauges: map[string]*prometheus.GaugeVec{}, timers: map[string]*prometheus.HistogramVec{}}
}

// temporalVectors are what the SDK asked for so far; its names are constants.
type temporalVectors struct {
	registry *prometheus.Registry

	mu       sync.Mutex
	counters map[string]*prometheus.CounterVec
	gauges   map[string]*prometheus.GaugeVec
	timers   map[string]*prometheus.HistogramVec
}

type temporalMetrics struct {
	*temporalVectors
	tags [7]string // by temporalLabels
}

// WithTags returns a handler for metrics with these tags beside its own.
func (t temporalMetrics) WithTags(tags map[string]string) client.MetricsHandler {
	for i, label := range temporalLabels {
		if value, ok := tags[label]; ok && value != "none" {
			t.tags[i] = value
		}
	}
	return t
}

func vector[V prometheus.Collector](t *temporalVectors, of map[string]V, name string, build func() V) V {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ok := of[name]
	if !ok {
		v = build()
		of[name] = v
		t.registry.MustRegister(v)
	}
	return v
}

const temporalHelp = "Of Temporal's SDK; see https://docs.temporal.io/references/sdk-metrics."

// Counter counts.
func (t temporalMetrics) Counter(name string) client.MetricsCounter {
	return temporalCounter{vector(t.temporalVectors, t.counters, name, func() *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name + "_total", Help: temporalHelp}, temporalLabels)
	}).WithLabelValues(t.tags[:]...)}
}

// Gauge says what is now.
func (t temporalMetrics) Gauge(name string) client.MetricsGauge {
	return temporalGauge{vector(t.temporalVectors, t.gauges, name, func() *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: temporalHelp}, temporalLabels)
	}).WithLabelValues(t.tags[:]...)}
}

// Timer records durations.
func (t temporalMetrics) Timer(name string) client.MetricsTimer {
	return temporalTimer{vector(t.temporalVectors, t.timers, name, func() *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name + "_seconds", Help: temporalHelp, Buckets: quick}, temporalLabels)
	}).WithLabelValues(t.tags[:]...)}
}

type (
	temporalCounter struct{ prometheus.Counter }
	temporalGauge   struct{ prometheus.Gauge }
	temporalTimer   struct{ prometheus.Observer }
)

func (c temporalCounter) Inc(n int64)             { c.Add(float64(n)) }
func (g temporalGauge) Update(v float64)          { g.Set(v) }
func (t temporalTimer) Record(took time.Duration) { t.Observe(took.Seconds()) }
