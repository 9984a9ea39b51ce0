package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Telemetry is what one program shows to its operators. A nil one shows nothing.
type Telemetry struct {
	Metrics *Metrics

	mu          sync.Mutex
	live, ready []check
}

type check struct {
	name string
	do   func(context.Context) error
}

// New returns what a program of this version shows.
func New(version string) *Telemetry { return &Telemetry{Metrics: NewMetrics(version)} }

// Counts returns the metrics; nil where t is nil.
func (t *Telemetry) Counts() *Metrics {
	if t == nil {
		return nil
	}
	return t.Metrics
}

// CheckLive has /livez ask whether a part still moves. Its error says what stands
// still; a program that fails here should be started again.
func (t *Telemetry) CheckLive(part string, do func(context.Context) error) {
	if t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.live = append(t.live, check{part, do})
	}
}

// CheckReady has /readyz ask whether the program can work now. Its error says what it
// waits for.
func (t *Telemetry) CheckReady(part string, do func(context.Context) error) {
	if t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ready = append(t.ready, check{part, do})
	}
}

// Starting has /readyz refuse until started is called: a part that starts has no checks
// yet that could fail. Calling it again for a part changes nothing.
func (t *Telemetry) Starting(part string) (started func()) {
	if t == nil {
		return func() {}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	same := func(c check) bool { return c.name == part }
	if !slices.ContainsFunc(t.ready, same) {
		t.ready = append(t.ready, check{part, func(context.Context) error { return errors.New("it has not started yet") }})
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ready = slices.DeleteFunc(t.ready, same)
	}
}

// checkTimeout bounds all checks of one answer together.
const checkTimeout = 3 * time.Second

// Handler answers /metrics, /livez and /readyz.
func (t *Telemetry) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(t.Metrics.registry, promhttp.HandlerOpts{EnableOpenMetrics: true, ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4, Timeout: 10 * time.Second}))
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, r *http.Request) { t.answer(w, r, t.checks(&t.live)) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) { t.answer(w, r, t.checks(&t.ready)) })
	return mux
}

func (t *Telemetry) checks(of *[]check) []check {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]check(nil), *of...)
}

// Health is the answer of /livez and /readyz: each part is "ok", or what is wrong
// with it.
type Health struct {
	Status string            `json:"status"` // ok or failing
	Checks map[string]string `json:"checks"`
}

func (t *Telemetry) answer(w http.ResponseWriter, r *http.Request, checks []check) {
	ctx, cancel := context.WithTimeout(r.Context(), checkTimeout)
	defer cancel()
	health, status := Health{"ok", map[string]string{}}, http.StatusOK
	for _, c := range checks {
		health.Checks[c.name] = "ok"
		if err := c.do(ctx); err != nil {
			health.Status, health.Checks[c.name], status = "failing", err.Error(), http.StatusServiceUnavailable
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(health)
}

// Serve answers on the listener until the stop that it returns is called.
func (t *Telemetry) Serve(l net.Listener) (stop func()) {
	server := &http.Server{Handler: t.Handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(l)
	}()
	return func() {
		_ = server.Close()
		<-ended
	}
}

// A Pulse tells whether a loop still turns.
type Pulse struct {
	most time.Duration
	now  func() time.Time

	mu   sync.Mutex
	last time.Time
}

// NewPulse returns the pulse of a loop that turns at least once in most; now nil is
// time.Now. It counts from here.
func NewPulse(most time.Duration, now func() time.Time) *Pulse {
	if now == nil {
		now = time.Now
	}
	return &Pulse{most: most, now: now, last: now()}
}

// Beat says that the loop turned.
func (p *Pulse) Beat() {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.last = p.now()
	}
}

// Err says for how long the loop has stood still, when that is too long.
func (p *Pulse) Err(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if still := p.now().Sub(p.last); still > p.most {
		return fmt.Errorf("it has stood still for %v, and turns every %v", still.Round(time.Second), p.most)
	}
	return nil
}

// Ask asks /livez or /readyz at an address, as a container's health check does. The
// error says what is wrong.
func Ask(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*checkTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	var health Health
	if json.NewDecoder(http.MaxBytesReader(nil, response.Body, 1<<20)).Decode(&health) != nil || len(health.Checks) == 0 {
		return fmt.Errorf("%s answered %d", address, response.StatusCode)
	}
	var all []error
	for part, said := range health.Checks {
		if said != "ok" {
			all = append(all, fmt.Errorf("%s: %s", part, said))
		}
	}
	return errors.Join(all...)
}
