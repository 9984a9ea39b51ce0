package telemetry

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Traces sends spans to a collector. All spans of an automation are one trace, which
// every program finds by the automation's id: nothing is carried between them. A nil
// one sends nothing.
type Traces struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	sampler  sdk.Sampler
}

// TraceID is the id of the trace of an automation.
func TraceID(automationID string) string { return traceOf(automationID).String() }

func traceOf(automationID string) trace.TraceID {
	sum := sha256.Sum256([]byte("platen trace " + automationID))
	return trace.TraceID(sum[:16])
}

// spanOf is the id of the first span of an automation, below which other programs hang
// theirs.
func spanOf(automationID string) trace.SpanID {
	sum := sha256.Sum256([]byte("platen span " + automationID))
	return trace.SpanID(sum[:8])
}

// OpenTraces returns what sends the spans of a program where OpenTelemetry's variables
// name a collector (OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT),
// and nil where none does. OTEL_TRACES_SAMPLER_ARG is the share of automations that is
// traced, 1 without it; all programs choose the same ones.
func OpenTraces(ctx context.Context, program, version string, log *slog.Logger) (*Traces, error) {
	if !exported(signalTraces) {
		return nil, nil
	}
	share := 1.0
	if text := os.Getenv("OTEL_TRACES_SAMPLER_ARG"); text != "" {
		var err error
		if share, err = strconv.ParseFloat(text, 64); err != nil || share < 0 || share > 1 {
			return nil, fmt.Errorf("OTEL_TRACES_SAMPLER_ARG %q: give a share from 0 to 1, such as 0.1", text)
		}
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("send traces (OTEL_EXPORTER_OTLP_ENDPOINT): %w", err)
	}
	logExports(log)
	return newTraces(share, sdk.WithBatcher(exporter), sdk.WithResource(programAttributes(program, version))), nil
}

func newTraces(share float64, options ...sdk.TracerProviderOption) *Traces {
	sampler := sdk.TraceIDRatioBased(share)
	options = append(options, sdk.WithSampler(sampler), sdk.WithIDGenerator(chosenIDs{}))
	provider := sdk.NewTracerProvider(options...)
	return &Traces{provider, provider.Tracer("github.com/platenhq/platen/internal/platen"), sampler}
}

// ID is the id of the trace of an automation, and empty where it is not sent.
func (t *Traces) ID(automationID string) string {
	if t == nil || t.sampler.ShouldSample(sdk.SamplingParameters{TraceID: traceOf(automationID)}).Decision != sdk.RecordAndSample {
		return ""
	}
	return TraceID(automationID)
}

// sentTrace is the id of the trace that ctx has a span of, and empty where it is not
// sent.
func sentTrace(ctx context.Context) string {
	if of := trace.SpanContextFromContext(ctx); of.IsSampled() {
		return of.TraceID().String()
	}
	return ""
}

// flushTimeout is how long a program that ends waits for the collector.
const flushTimeout = 3 * time.Second

// Close sends what was not sent yet.
func (t *Traces) Close() {
	if t != nil {
		ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
		defer cancel()
		_ = t.provider.Shutdown(ctx) // the error handler logs it
	}
}

// Caller takes the traceparent of requests, for the span of what they bring.
func (t *Traces) Caller(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))))
	})
}

// Accept begins the trace of an automation: its first span, linked to the caller's.
func (t *Traces) Accept(ctx context.Context, automationID, requestID string) (context.Context, func(error)) {
	if t == nil {
		return ctx, func(error) {}
	}
	options := []trace.SpanStartOption{
		trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("platen.automation", automationID), attribute.String("platen.request", requestID)),
	}
	if caller := trace.SpanContextFromContext(ctx); caller.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: caller}))
	}
	ctx = context.WithValue(ctx, chosenKey{}, chosen{traceOf(automationID), spanOf(automationID)})
	ctx, span := t.tracer.Start(ctx, "accept", options...)
	return ctx, func(err error) { end(span, err) }
}

// Batches returns a context for a statement that stores what several spans wait for. It
// hangs below the first of them, and the others are linked to that one. nil where t is nil.
func (t *Traces) Batches() func(ctx context.Context, callers []context.Context) context.Context {
	if t == nil {
		return nil
	}
	return batch
}

func batch(ctx context.Context, callers []context.Context) context.Context {
	var first trace.Span
	for _, caller := range callers {
		switch span := trace.SpanFromContext(caller); {
		case !span.IsRecording():
		case first == nil:
			first = span
		default:
			span.AddLink(trace.Link{SpanContext: first.SpanContext()})
		}
	}
	if first == nil {
		return ctx
	}
	return trace.ContextWithSpan(ctx, first)
}

// Below begins a span of an automation below its first one.
func (t *Traces) Below(ctx context.Context, automationID, name string) (context.Context, func(error)) {
	if t == nil {
		return ctx, func(error) {}
	}
	ctx, span := t.tracer.Start(remote(ctx, automationID), name, trace.WithAttributes(attribute.String("platen.automation", automationID)))
	return ctx, func(err error) { end(span, err) }
}

// Run tells of a run that ended, in a state and with a code where it failed.
func (t *Traces) Run(ctx context.Context, automationID string, attempt int, begun, ended time.Time, state, code string) {
	if t == nil || begun.IsZero() {
		return
	}
	_, span := t.tracer.Start(remote(ctx, automationID), "run", trace.WithTimestamp(begun), trace.WithAttributes(
		attribute.String("platen.automation", automationID), attribute.Int("platen.attempt", attempt), attribute.String("platen.state", state)))
	if code != "" {
		span.SetStatus(codes.Error, code)
	}
	span.End(trace.WithTimestamp(ended))
}

// Within begins a span of an automation, unless ctx has one of it.
func (t *Traces) Within(ctx context.Context, automationID, name string) (context.Context, func(error)) {
	if trace.SpanContextFromContext(ctx).TraceID() == traceOf(automationID) {
		return ctx, func(error) {}
	}
	return t.Below(ctx, automationID, name)
}

// Send begins the span of an attempt to deliver an event, which the function that it
// returns ends; status 0: there was no answer.
func (t *Traces) Send(ctx context.Context, automationID, eventID string, attempt int) (context.Context, func(status int, delivered bool)) {
	if trace.SpanContextFromContext(ctx).TraceID() != traceOf(automationID) {
		ctx = remote(ctx, automationID)
	}
	ctx, span := t.tracer.Start(ctx, "deliver", trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("platen.automation", automationID), attribute.String("platen.event", eventID), attribute.Int("platen.attempt", attempt)))
	return ctx, func(status int, delivered bool) {
		span.SetAttributes(attribute.Int("http.response.status_code", status))
		if !delivered {
			span.SetStatus(codes.Error, "not delivered")
		}
		span.End()
	}
}

// remote is ctx below the first span of an automation, which another program may have
// made.
func remote(ctx context.Context, automationID string) context.Context {
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: traceOf(automationID), SpanID: spanOf(automationID), TraceFlags: trace.FlagsSampled, Remote: true,
	}))
}

// end ends a span. What an error says may quote what was sent; its class does not.
func end(span trace.Span, err error) {
	if err != nil {
		span.SetStatus(codes.Error, "failed")
	}
	span.End()
}

// TraceDrive has each call of a transport to the cloud drive be a span below that of
// the step that makes it, under Google's name of the call.
func TraceDrive(next http.RoundTripper) http.RoundTripper { return tracedDrive{next} }

type tracedDrive struct{ next http.RoundTripper }

func (d tracedDrive) RoundTrip(r *http.Request) (*http.Response, error) {
	step := trace.SpanFromContext(r.Context())
	if !step.IsRecording() {
		return d.next.RoundTrip(r)
	}
	_, span := step.TracerProvider().Tracer("github.com/platenhq/platen/internal/platen").Start(r.Context(), "drive "+Operation(r.Method, r.URL.Path), trace.WithSpanKind(trace.SpanKindClient))
	response, err := d.next.RoundTrip(r)
	if err == nil {
		span.SetAttributes(attribute.Int("http.response.status_code", response.StatusCode))
		if response.StatusCode >= 400 {
			span.SetStatus(codes.Error, "refused")
		}
	}
	end(span, err)
	return response, err
}
