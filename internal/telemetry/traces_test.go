package telemetry

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/platenhq/platen/internal/testkit"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

const spanCanary = "canary-4711"

// Each program finds the trace by the automation's id alone.
func TestSpansOfAllProgramsAreOneTraceAndSayNothingThatWasSent(t *testing.T) {
	got := testkit.NewCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", got.URL)
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
		_, end := serve.Accept(r.Context(), "aut_another", "req_2")
		first, ended := serve.Accept(r.Context(), id, "req_1")
		other, ends := serve.Accept(r.Context(), "aut_other", "req_3")
		say(serve.Batches()(t.Context(), []context.Context{t.Context(), first, other}), serve, "INSERT INTO automations")
		ends(nil)
		ended(nil)
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
	within, ended := worker.Within(ctx, id, "not again")
	_, sent := worker.Send(within, id, "evt_1", 1)
	sent(500, false)
	ended(nil)
	say(ctx, worker, "UPDATE outputs SET url = '"+spanCanary+"'")
	say(t.Context(), worker, "SELECT id FROM automations") // looks for work
	end(errors.New(spanCanary))
	later, end := worker.Within(t.Context(), id, "SendEvent")
	_, sent = worker.Send(later, id, "evt_1", 2)
	sent(200, true)
	end(nil)
	worker.Run(t.Context(), id, 1, begun, time.Now(), "FAILED", "drive_file_not_found")
	serve.Close()
	worker.Close()

	if strings.Contains(got.Raw(), spanCanary) {
		t.Error("a span holds what was sent, or an address")
	}
	var names []string
	byID := map[string]string{"": ""}
	of := raw(t, TraceID(id))
	for _, span := range got.Spans("") {
		byID[string(span.SpanId)] = span.Name
	}
	for _, span := range got.Spans("") {
		if !slices.Equal(span.TraceId, of) {
			if span.Name != "accept" {
				t.Errorf("%s is in another trace", span.Name)
			}
			if slices.Equal(span.TraceId, raw(t, TraceID("aut_other"))) && (len(span.Links) != 2 || !slices.Equal(span.Links[1].TraceId, of)) {
				t.Errorf("another of the batch: got links %v, want the caller's span and the first of the batch", span.Links)
			}
			continue
		}
		names = append(names, byID[string(span.ParentSpanId)]+"/"+span.Name)
		if span.Name == "accept" && (len(span.Links) != 1 || len(span.Links[0].SpanId) != 8) {
			t.Errorf("accept: got links %v, want the caller's span", span.Links)
		}
	}
	slices.Sort(names)
	want := []string{
		"/accept", "CopyTemplate/UPDATE outputs", "CopyTemplate/deliver", "CopyTemplate/drive files.copy", "SendEvent/deliver",
		"accept/CopyTemplate", "accept/INSERT automations", "accept/SendEvent", "accept/dispatch", "accept/run",
	}
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	if TraceID(id) == TraceID(id+"x") || len(TraceID(id)) != 32 {
		t.Errorf("trace id: got %s", TraceID(id))
	}
}

// raw is an id as spans have it.
func raw(t *testing.T, id string) []byte {
	t.Helper()
	bytes, err := hex.DecodeString(id)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// say makes a statement whose parameter and whose error hold the canary.
func say(ctx context.Context, traces *Traces, text string) {
	statements := traces.Statements()
	ctx = statements.TraceQueryStart(ctx, nil, pgx.TraceQueryStartData{SQL: text, Args: []any{spanCanary}})
	statements.TraceQueryEnd(ctx, nil, pgx.TraceQueryEndData{Err: &pgconn.PgError{Code: "23505", Message: spanCanary, Detail: spanCanary}})
}

func TestWithoutACollectorNothingIsTraced(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
	log := slog.New(slog.DiscardHandler)
	traces, err := OpenTraces(t.Context(), "serve", "v1", log)
	if traces != nil || err != nil {
		t.Fatalf("got %v, %v", traces, err)
	}
	if traces.Statements() != nil || traces.Batches() != nil {
		t.Error("statements are traced for nobody")
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
