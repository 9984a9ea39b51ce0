package testkit

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collectedmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collected "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	v1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A Collector is an OTLP receiver that keeps the spans and metrics that it is sent.
type Collector struct {
	URL string

	mu      sync.Mutex
	spans   []Span
	metrics map[string]map[string]*metrics.Metric // by program and name, as sent last
	raw     []byte
}

// A Span is one that a program sent.
type Span struct {
	*v1.Span
	Program string // service.name
}

// NewCollector starts one; it ends with the test.
func NewCollector(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{metrics: map[string]map[string]*metrics.Metric{}}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

// ServeHTTP takes an export of spans or of metrics.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil:
	case r.URL.Path == "/v1/traces":
		err = c.takeSpans(body)
	case r.URL.Path == "/v1/metrics":
		err = c.takeMetrics(body)
	default:
		err = errors.New("neither traces nor metrics")
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.raw = append(c.raw, body...)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (c *Collector) takeSpans(body []byte) error {
	var got collected.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &got); err != nil {
		return err
	}
	for _, of := range got.ResourceSpans {
		for _, scope := range of.ScopeSpans {
			for _, span := range scope.Spans {
				c.spans = append(c.spans, Span{span, program(of.Resource)})
			}
		}
	}
	return nil
}

func (c *Collector) takeMetrics(body []byte) error {
	var got collectedmetrics.ExportMetricsServiceRequest
	if err := proto.Unmarshal(body, &got); err != nil {
		return err
	}
	for _, of := range got.ResourceMetrics {
		name := program(of.Resource)
		if c.metrics[name] == nil {
			c.metrics[name] = map[string]*metrics.Metric{}
		}
		for _, scope := range of.ScopeMetrics {
			for _, m := range scope.Metrics {
				c.metrics[name][m.Name] = m
			}
		}
	}
	return nil
}

func program(of *resource.Resource) string {
	for _, a := range of.GetAttributes() {
		if a.Key == "service.name" {
			return a.Value.GetStringValue()
		}
	}
	return ""
}

// Metrics are those that a program (service.name) sent last, by name.
func (c *Collector) Metrics(program string) map[string]*metrics.Metric {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.metrics[program])
}

// Raw is all that came, byte for byte.
func (c *Collector) Raw() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.raw)
}

// Spans are those of a trace, in the order in which they began; of every trace where id
// is empty.
func (c *Collector) Spans(traceID string) []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := slices.DeleteFunc(slices.Clone(c.spans), func(s Span) bool { return traceID != "" && hex.EncodeToString(s.TraceId) != traceID })
	slices.SortStableFunc(of, func(a, b Span) int { return cmp.Compare(a.StartTimeUnixNano, b.StartTimeUnixNano) })
	return of
}

// Tree draws a trace: each span below the one that made it, with its milliseconds.
func (c *Collector) Tree(traceID string) string {
	spans := c.Spans(traceID)
	below, known := map[string][]Span{}, map[string]bool{"": true}
	for _, s := range spans {
		below[string(s.ParentSpanId)], known[string(s.SpanId)] = append(below[string(s.ParentSpanId)], s), true
	}
	for parent, lost := range below {
		if !known[parent] {
			below[""] = append(below[""], lost...)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "trace %s, %d spans\n", traceID, len(spans))
	var draw func(of, indent string)
	draw = func(of, indent string) {
		for i, s := range below[of] {
			branch, next := "├─ ", "│  "
			if i == len(below[of])-1 {
				branch, next = "└─ ", "   "
			}
			fmt.Fprintf(&b, "%s%-*s %8.1f ms  %s", indent+branch, max(0, 64-len([]rune(indent))), s.Name, float64(s.EndTimeUnixNano-s.StartTimeUnixNano)/1e6, s.Program)
			if s.Status.GetCode() == v1.Status_STATUS_CODE_ERROR {
				fmt.Fprintf(&b, "  %s", s.Status.Message)
			}
			for _, link := range s.Links {
				fmt.Fprintf(&b, "  linked to trace %x", link.TraceId)
			}
			b.WriteString("\n")
			draw(string(s.SpanId), indent+next)
		}
	}
	draw("", "")
	return b.String()
}
