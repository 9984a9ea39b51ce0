package telemetry

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collected "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	v1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A receiver is a collector that keeps spans.
type receiver struct {
	mu    sync.Mutex
	spans []*v1.Span
	raw   []byte
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	var got collected.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &got)
	}
	if err != nil || request.URL.Path != "/v1/traces" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.raw = append(r.raw, body...)
	for _, of := range got.ResourceSpans {
		for _, scope := range of.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

const spanCanary = "canary-4711"

// Each program finds the trace by the automation's id alone.
func TestSpansOfAllProgramsAreOneTraceAndSayNothingThatWasSent(t *testing.T) {
	var got receiver
	server := httptest.NewServer(&got)
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	log := slog.New(slog.DiscardHandler)
	open := func(program string) *Traces {
		traces, err := OpenTraces(t.Context(), program, "v1", log)
		if err != nil || traces == nil {
			t.Fatalf("got %v, %v; want traces", traces, err)
		}
		return traces
	}
	serve, worker := open("serve"), open("worker")
	const id = "aut_4fGk2LmQx8Rt0ZbC"
	begun := time.Now()

	request := httptest.NewRequest(http.MethodPost, "/"+spanCanary, nil)
	request.Header.Set("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	serve.Caller(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, end := serve.Accept(r.Context(), id, "req_1")
		end(nil)
	})).ServeHTTP(httptest.NewRecorder(), request)
	_, end := worker.Below(t.Context(), id, "dispatch")
	end(nil)
	ctx, end := worker.Below(t.Context(), id, "CopyTemplate")
	drive := TraceDrive(roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 404}, nil
	}))
	call, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://drive/drive/v3/files/"+spanCanary+"/copy?q="+spanCanary, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = drive.RoundTrip(call)
	end(errors.New(spanCanary))
	worker.Run(t.Context(), id, 1, begun, time.Now(), "FAILED", "drive_file_not_found")
	worker.Attempt(t.Context(), id, "evt_1", 1, begun, time.Second, 500, false)
	serve.Close()
	worker.Close()

	if strings.Contains(string(got.raw), spanCanary) {
		t.Error("a span holds what was sent, or an address")
	}
	var names []string
	byID := map[string]string{"": ""}
	for _, span := range got.spans {
		byID[string(span.SpanId)] = span.Name
	}
	for _, span := range got.spans {
		names = append(names, byID[string(span.ParentSpanId)]+"/"+span.Name)
		if !slices.Equal(span.TraceId, got.spans[0].TraceId) {
			t.Errorf("%s is in another trace", span.Name)
		}
		if span.Name == "accept" && (len(span.Links) != 1 || len(span.Links[0].SpanId) != 8) {
			t.Errorf("accept: got links %v, want the caller's span", span.Links)
		}
	}
	slices.Sort(names)
	want := []string{"/accept", "CopyTemplate/drive files.copy", "accept/CopyTemplate", "accept/deliver", "accept/dispatch", "accept/run"}
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	if TraceID(id) == TraceID(id+"x") || len(TraceID(id)) != 32 {
		t.Errorf("trace id: got %s", TraceID(id))
	}
}

func TestWithoutACollectorNothingIsTraced(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
	log := slog.New(slog.DiscardHandler)
	traces, err := OpenTraces(t.Context(), "serve", "v1", log)
	if traces != nil || err != nil {
		t.Fatalf("got %v, %v", traces, err)
	}
	drive := TraceDrive(roundTrip(func(*http.Request) (*http.Response, error) { return nil, io.EOF }))
	call := httptest.NewRequest(http.MethodGet, "/drive/v3/files", nil)
	allocated := testing.AllocsPerRun(100, func() {
		ctx, end := traces.Accept(context.Background(), "aut_1", "req_1")
		_, ended := traces.Below(ctx, "aut_1", "step")
		ended(nil)
		end(nil)
		traces.Run(ctx, "aut_1", 1, time.Now(), time.Now(), "COMPLETED", "")
		_, _ = drive.RoundTrip(call)
	})
	if allocated != 0 {
		t.Errorf("it allocates %v times without a collector, want none", allocated)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	t.Setenv("OTEL_TRACES_SAMPLER_ARG", "often")
	if _, err := OpenTraces(t.Context(), "serve", "v1", log); err == nil || !strings.Contains(err.Error(), "OTEL_TRACES_SAMPLER_ARG") {
		t.Errorf("got %v, want the share refused", err)
	}
}
