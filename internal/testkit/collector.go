package testkit

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collected "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	v1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A Collector is an OTLP receiver that keeps the spans that it is sent.
type Collector struct {
	URL string

	mu    sync.Mutex
	spans []Span
	raw   []byte
}

// A Span is one that a program sent.
type Span struct {
	*v1.Span
	Program string // service.name
}

// NewCollector starts one; it ends with the test.
func NewCollector(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

// ServeHTTP takes an export of spans.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var got collected.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &got)
	}
	if err != nil || r.URL.Path != "/v1/traces" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw = append(c.raw, body...)
	for _, of := range got.ResourceSpans {
		program := ""
		for _, a := range of.Resource.GetAttributes() {
			if a.Key == "service.name" {
				program = a.Value.GetStringValue()
			}
		}
		for _, scope := range of.ScopeSpans {
			for _, span := range scope.Spans {
				c.spans = append(c.spans, Span{span, program})
			}
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
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
