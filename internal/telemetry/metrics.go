// Package telemetry is what operators see of a program from outside: its metrics,
// its traces, and whether it lives and is ready. Those who do the work tell it what
// happened; it decides nothing.
//
// No label and no attribute may hold what a tenant can choose: ids, addresses,
// names and values do not belong here. Logs are package slog's, numbers for
// integrators package api's.
package telemetry

import (
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/platenhq/platen/internal/platen"
)

// A Kind says how a metric is to be read.
type Kind string

// The kinds of metrics.
const (
	Counter   Kind = "counter"   // only grows; read its rate
	Gauge     Kind = "gauge"     // what is now
	Histogram Kind = "histogram" // of durations or sizes; read its quantiles
)

// A Definition is one metric of ours. Names follow Prometheus: base units, and
// _total for counters.
type Definition struct {
	Name    string
	Kind    Kind
	Labels  []string
	Help    string
	buckets []float64
}

// Limits of histograms, in seconds: from what our own drive takes to what waits do.
var (
	quick = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
	slow  = []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15, 60, 300, 1800, 7200, 43200, 259200}
	sizes = []float64{1, 2, 5, 10, 25, 50, 100, 250, 500}
)

// Definitions returns every metric of ours, in the order of docs/metrics.md. Beside
// them are those of Go's runtime, of the process (go_, process_), and of Temporal's
// SDK (temporal_).
func Definitions() []Definition {
	return []Definition{
		{"platen_build_info", Gauge, []string{"version"}, "1 for the program that runs.", nil},
		{"platen_http_requests_total", Counter, []string{"host", "route", "method", "status"}, "Requests that were answered. host is api, hooks or drive.", nil},
		{"platen_http_request_duration_seconds", Histogram, []string{"host", "route"}, "Time to answer a request.", quick},
		{"platen_events_accepted_total", Counter, nil, "Source events that were stored, or were stored before under the same key.", nil},
		{"platen_batch_events", Histogram, nil, "Source events that one statement stored.", sizes},
		{"platen_batch_wait_seconds", Histogram, nil, "Time that the first event of a batch waited to be written.", quick},
		{"platen_batch_write_seconds", Histogram, nil, "Time to write a batch.", quick},
		{"platen_automations_ended_total", Counter, []string{"state", "code"}, "Automations that ended, by state and failure code.", nil},
		{"platen_automation_queue_wait_seconds", Histogram, nil, "From acceptance to the start of the run, of automations with one attempt.", slow},
		{"platen_automation_duration_seconds", Histogram, []string{"state"}, "From acceptance to the end of the automation.", slow},
		{"platen_document_duration_seconds", Histogram, nil, "From acceptance to the event that tells of the output. Counted with the first attempt to deliver that event: an output whose event nobody tries to deliver is not counted.", slow},
		{"platen_delivery_duration_seconds", Histogram, nil, "From acceptance to the delivery of the event.", slow},
		{"platen_delivery_attempts_total", Counter, []string{"outcome"}, "Attempts to deliver: delivered, 3xx, 4xx, 5xx, or no_answer.", nil},
		{"platen_delivery_attempt_duration_seconds", Histogram, nil, "Time of one attempt to deliver.", quick},
		{"platen_mails_total", Counter, []string{"kind", "state", "code"}, "Attempts to send a mail of a kind (output or notice): SENT, PARTLY_SENT, PENDING when it is tried again, FAILED or BOUNCED, and the code of the failure.", nil},
		{"platen_bounces_total", Counter, []string{"outcome"}, "Messages that were handed over about mails that came back: BOUNCED, KNOWN for one that came twice, or IGNORED for what is about no mail or no failure.", nil},
		{"platen_mail_send_duration_seconds", Histogram, nil, "Time that the mail server took for one attempt.", slow},
		{"platen_drive_calls_total", Counter, []string{"operation", "outcome"}, "Calls to the cloud drive. outcome is ok, the HTTP status, or no_answer.", nil},
		{"platen_drive_call_duration_seconds", Histogram, []string{"operation"}, "Time of one call to the cloud drive.", quick},
		{"platen_postgres_connections", Gauge, []string{"pool", "state"}, "Connections of a pool: acquired or idle.", nil},
		{"platen_postgres_connections_max", Gauge, []string{"pool"}, "Most connections of a pool.", nil},
		{"platen_postgres_acquires_total", Counter, []string{"pool"}, "Connections that were asked of a pool.", nil},
		{"platen_postgres_acquire_wait_seconds_total", Counter, []string{"pool"}, "Time that was waited for connections of a pool.", nil},
		{"platen_cache_requests_total", Counter, []string{"cache", "result"}, "Lookups in a cache: hit or miss.", nil},
		{"platen_backlog_automations", Gauge, nil, "Automations that are accepted and not started. The installation's.", nil},
		{"platen_backlog_paused", Gauge, nil, "Those of them that an operator paused. The installation's.", nil},
		{"platen_backlog_oldest_age_seconds", Gauge, nil, "Age of the oldest of them that is not paused. The installation's.", nil},
		{"platen_backlog_behind", Gauge, nil, "Automations that wait for another of their key, and are no part of the backlog. The installation's.", nil},
		{"platen_backlog_behind_oldest_age_seconds", Gauge, nil, "Age of the oldest of them. The installation's.", nil},
		{"platen_batches_behind", Gauge, nil, "Batches with rows among the first 10,000 of them. The installation's.", nil},
		{"platen_reviews_waiting", Gauge, nil, "Outputs in REVIEW, which wait for people who approve them, counted up to 100,000. The installation's.", nil},
		{"platen_reviews_oldest_age_seconds", Gauge, nil, "For how long the oldest of them has waited in its round. The installation's.", nil},
		{"platen_reviews_unsent", Gauge, nil, "Those of them whose last mail to approvers did not go out. The installation's.", nil},
		{"platen_runs_open", Gauge, nil, "Runs that take a place. The installation's.", nil},
		{"platen_runs_carried", Gauge, nil, "Places that all workers offer together. The installation's.", nil},
		{"platen_runs_parked", Gauge, []string{"code"}, "Runs that wait for something outside, by what they wait for. The installation's.", nil},
		{"platen_workers", Gauge, nil, "Workers that said a word within ten seconds. The installation's.", nil},
		{"platen_events", Gauge, []string{"state"}, "Events that are PENDING or HELD. The installation's.", nil},
		{"platen_events_overdue", Gauge, nil, "PENDING events whose next attempt was due more than 15 minutes ago. The installation's.", nil},
		{"platen_endpoints", Gauge, []string{"breaker"}, "Endpoints by the state of their breaker: closed, failing, open, half_open or disabled. The installation's.", nil},
		{"platen_quota_used", Gauge, []string{"quota"}, "What the last minute used of the project's quotas at Google. The installation's.", nil},
		{"platen_quota_limit", Gauge, []string{"quota"}, "What a minute may use of the project's quotas at Google.", nil},
		{"platen_erasures_waiting", Gauge, nil, "Automations that wait to be erased. The installation's.", nil},
		{"platen_placements_total", Counter, []string{"state", "code"}, "Attempts to store an output at a target: STORED, NOT_STORED, PENDING when it is tried again, or FAILED, and the code of the failure.", nil},
		{"platen_schedule_moments_total", Counter, []string{"state", "code"}, "Attempts to carry out a moment of a schedule: DONE, RETRY when it is tried again, or FAILED, and the code of the failure.", nil},
		{"platen_schedules_failed", Gauge, nil, "Schedules whose last moment started nothing, of the last 24 hours, without those of tests. The installation's.", nil},
		{"platen_mail_senders_failing", Gauge, nil, "Mail senders of owners at whose server the last attempt failed. The installation's.", nil},
		{"platen_placements_failed", Gauge, nil, "Outputs that a target did not get, of the last 24 hours. The installation's.", nil},
		{"platen_mails_unsent", Gauge, nil, "Mails with outputs that did not reach all of their recipients, of the last 24 hours. The installation's.", nil},
		{"platen_tokens_ending", Gauge, nil, "Access tokens that were used and end within a week. The installation's.", nil},
		{"platen_source_data_oldest_age_seconds", Gauge, nil, "How long ago the oldest automation ended whose source data is kept; 0: none is. The installation's.", nil},
		{"platen_overview_up", Gauge, nil, "1 when the installation's numbers could be read.", nil},
	}
}

// mostCodes bounds the distinct failure codes. All are our constants, and there are
// fewer.
const mostCodes = 200

// Metrics are those of one program. All methods may be called on a nil Metrics, which
// counts nothing, and at any time.
type Metrics struct {
	registry   *prometheus.Registry
	counters   map[string]*prometheus.CounterVec
	gauges     map[string]*prometheus.GaugeVec
	histograms map[string]*prometheus.HistogramVec
	described  map[string]*prometheus.Desc // of what is read when it is asked for

	temporal *temporalVectors

	mu    sync.Mutex
	codes map[string]bool
	drive map[driveCall]driveSeries
}

// read are the metrics that are read when they are asked for.
var read = map[string]bool{
	"platen_postgres_connections": true, "platen_postgres_connections_max": true, "platen_postgres_acquires_total": true, "platen_postgres_acquire_wait_seconds_total": true,
	"platen_cache_requests_total": true,
	"platen_backlog_automations":  true, "platen_backlog_paused": true, "platen_backlog_oldest_age_seconds": true, "platen_backlog_behind": true, "platen_backlog_behind_oldest_age_seconds": true, "platen_batches_behind": true,
	"platen_reviews_waiting": true, "platen_reviews_oldest_age_seconds": true, "platen_reviews_unsent": true, "platen_runs_open": true, "platen_runs_carried": true, "platen_runs_parked": true,
	"platen_workers": true, "platen_events": true, "platen_events_overdue": true, "platen_endpoints": true, "platen_quota_used": true, "platen_quota_limit": true, "platen_erasures_waiting": true, "platen_mails_unsent": true, "platen_placements_failed": true, "platen_schedules_failed": true, "platen_mail_senders_failing": true, "platen_tokens_ending": true, "platen_source_data_oldest_age_seconds": true, "platen_overview_up": true,
}

// NewMetrics returns metrics that have counted nothing.
func NewMetrics(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(), codes: map[string]bool{}, drive: map[driveCall]driveSeries{},
		counters: map[string]*prometheus.CounterVec{}, gauges: map[string]*prometheus.GaugeVec{},
		histograms: map[string]*prometheus.HistogramVec{}, described: map[string]*prometheus.Desc{},
	}
	m.temporal = newTemporalVectors(m.registry)
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, d := range Definitions() {
		switch {
		case read[d.Name]:
			m.described[d.Name] = prometheus.NewDesc(d.Name, d.Help, d.Labels, nil)
		case d.Kind == Counter:
			m.counters[d.Name] = prometheus.NewCounterVec(prometheus.CounterOpts{Name: d.Name, Help: d.Help}, d.Labels)
			m.registry.MustRegister(m.counters[d.Name])
		case d.Kind == Gauge:
			m.gauges[d.Name] = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: d.Name, Help: d.Help}, d.Labels)
			m.registry.MustRegister(m.gauges[d.Name])
		default:
			m.histograms[d.Name] = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: d.Name, Help: d.Help, Buckets: d.buckets}, d.Labels)
			m.registry.MustRegister(m.histograms[d.Name])
		}
	}
	m.gauges["platen_build_info"].WithLabelValues(version).Set(1)
	return m
}

func (m *Metrics) observe(name string, took time.Duration, labels ...string) {
	m.histograms[name].WithLabelValues(labels...).Observe(max(took, 0).Seconds())
}

// observeTraced observes, and keeps the trace as the exemplar of its bucket; empty:
// there is none.
func (m *Metrics) observeTraced(name, trace string, took time.Duration, labels ...string) {
	exemplify(m.histograms[name].WithLabelValues(labels...), trace, took)
}

func exemplify(o prometheus.Observer, trace string, took time.Duration) {
	seconds := max(took, 0).Seconds()
	if with, ok := o.(prometheus.ExemplarObserver); ok && trace != "" {
		with.ObserveWithExemplar(seconds, prometheus.Labels{"trace_id": trace})
		return
	}
	o.Observe(seconds)
}

// Answered counts a request that a host answered. route is the pattern that matched;
// empty: none did.
func (m *Metrics) Answered(host, route, method string, status int, took time.Duration) {
	if m == nil {
		return
	}
	m.counters["platen_http_requests_total"].WithLabelValues(host, route, knownMethod(method), strconv.Itoa(status)).Inc()
	m.observe("platen_http_request_duration_seconds", took, host, route)
}

func knownMethod(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return method
	}
	return "other"
}

// Stored counts a batch of source events that was stored.
func (m *Metrics) Stored(events int, waited, took time.Duration) {
	if m == nil {
		return
	}
	m.counters["platen_events_accepted_total"].WithLabelValues().Add(float64(events))
	m.histograms["platen_batch_events"].WithLabelValues().Observe(float64(events))
	m.observe("platen_batch_wait_seconds", waited)
	m.observe("platen_batch_write_seconds", took)
}

// Ended counts an automation that ended and is no test. trace is the id of its trace where it is sent
// (Traces.ID).
func (m *Metrics) Ended(e platen.Ending, trace string) {
	if m == nil || e.Test {
		return
	}
	state := string(e.State)
	m.counters["platen_automations_ended_total"].WithLabelValues(state, m.known(e.Code)).Inc()
	m.observeTraced("platen_automation_duration_seconds", trace, e.FinishedAt.Sub(e.AcceptedAt), state)
	if !e.StartedAt.IsZero() && e.Attempt <= 1 { // later ones waited for a retry, or for people
		m.observeTraced("platen_automation_queue_wait_seconds", trace, e.StartedAt.Sub(e.AcceptedAt))
	}
}

// The kinds of mails.
const (
	MailOfOutput = "output"
	MailOfNotice = "notice" // to an owner
)

// Mailed counts an attempt to send a mail, or that it was given up. code is why it was not
// sent.
func (m *Metrics) Mailed(kind string, state platen.MailState, code string) {
	if m == nil {
		return
	}
	m.counters["platen_mails_total"].WithLabelValues(kind, string(state), m.known(code)).Inc()
}

// Placed counts an attempt to store an output at a target, or that it was given up. code is
// why it was not stored.
func (m *Metrics) Placed(state platen.PlacementState, code string) {
	if m == nil {
		return
	}
	m.counters["platen_placements_total"].WithLabelValues(string(state), m.known(code)).Inc()
}

// Carried counts an attempt to carry out a moment of a schedule. code is why its events were
// not accepted.
func (m *Metrics) Carried(state platen.ScheduleState, code string) {
	if m == nil {
		return
	}
	m.counters["platen_schedule_moments_total"].WithLabelValues(string(state), m.known(code)).Inc()
}

// Returned counts a message about a mail that came back, by what became of it.
func (m *Metrics) Returned(outcome string) {
	if m == nil {
		return
	}
	m.counters["platen_bounces_total"].WithLabelValues(outcome).Inc()
}

// Posted counts what the mail server took for one attempt.
func (m *Metrics) Posted(took time.Duration) {
	if m == nil {
		return
	}
	m.observe("platen_mail_send_duration_seconds", took)
}

// known is a code, or "other" where there are more than a program can have.
func (m *Metrics) known(code string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.codes) < mostCodes {
		m.codes[code] = true
	}
	if !m.codes[code] {
		return "other"
	}
	return code
}

// Attempted counts an attempt to deliver an event that is no test's; the first one also counts the output
// that the event tells of. trace is the id of the automation's trace where it is sent.
func (m *Metrics) Attempted(e platen.Event, d platen.Delivery, trace string) {
	if m == nil || e.Test {
		return
	}
	if d.Attempt == 1 {
		m.observeTraced("platen_document_duration_seconds", trace, e.CreatedAt.Sub(e.AcceptedAt))
	}
	outcome := "no_answer"
	switch {
	case d.Failure == "":
		outcome = "delivered"
		m.observeTraced("platen_delivery_duration_seconds", trace, d.At.Add(d.Duration).Sub(e.AcceptedAt))
	case d.Status >= 300 && d.Status < 600:
		outcome = strconv.Itoa(d.Status/100) + "xx"
	}
	m.counters["platen_delivery_attempts_total"].WithLabelValues(outcome).Inc()
	m.observeTraced("platen_delivery_attempt_duration_seconds", trace, d.Duration)
}
