package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"

	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/trace"
)

// The signals that OpenTelemetry's variables tell apart.
const (
	signalMetrics = "METRICS"
	signalTraces  = "TRACES"
)

// exported says whether OpenTelemetry's variables name a collector for a signal
// (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
// OTEL_SDK_DISABLED=true turns all off, OTEL_METRICS_EXPORTER=none and
// OTEL_TRACES_EXPORTER=none one of them.
func exported(signal string) bool {
	return !strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") && os.Getenv("OTEL_"+signal+"_EXPORTER") != "none" &&
		(os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != "")
}

// MetricsExported says whether OpenTelemetry's variables name a collector of metrics:
// OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_METRICS_ENDPOINT.
func MetricsExported() bool { return exported(signalMetrics) }

// ExportMetrics sends the metrics of /metrics to the collector that OpenTelemetry's
// variables name, over OTLP, each OTEL_METRIC_EXPORT_INTERVAL (ms; a minute without it)
// and once more at stop. It does nothing where they name none. Sums count from the
// program's start on: the registry is Prometheus'.
func (t *Telemetry) ExportMetrics(ctx context.Context, program, version string, log *slog.Logger) (stop func(), err error) {
	if t == nil || !MetricsExported() {
		return func() {}, nil
	}
	exporter, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("send metrics (OTEL_EXPORTER_OTLP_ENDPOINT): %w", err)
	}
	logExports(log)
	reader := sdkmetric.NewPeriodicReader(exporter, sdkmetric.WithProducer(binaryTraces{bridge.NewMetricProducer(bridge.WithGatherer(t.Metrics.registry))}))
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader), sdkmetric.WithResource(programAttributes(program, version)))
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			otel.Handle(err)
		}
	}, nil
}

// binaryTraces makes 16 bytes of the ids of traces in exemplars, as OTLP wants them
// (opentelemetry.proto.metrics.v1.Exemplar). The bridge leaves Prometheus' 32 digits.
type binaryTraces struct{ sdkmetric.Producer }

// Produce returns what the bridge does.
func (p binaryTraces) Produce(ctx context.Context) ([]metricdata.ScopeMetrics, error) {
	scopes, err := p.Producer.Produce(ctx)
	for _, scope := range scopes {
		for _, m := range scope.Metrics {
			histogram, ok := m.Data.(metricdata.Histogram[float64])
			if !ok {
				continue
			}
			for _, point := range histogram.DataPoints {
				for i, e := range point.Exemplars {
					id, err := trace.TraceIDFromHex(string(e.TraceID))
					if err == nil {
						point.Exemplars[i].TraceID = id[:]
					}
				}
			}
		}
	}
	return scopes, err
}

// logExports has what could not be sent logged: the library's own handler writes lines
// that are no JSON.
func logExports(log *slog.Logger) {
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("telemetry is not sent", "error", err) }))
}

// programAttributes tell programs apart, and two workers from each other. What
// OTEL_RESOURCE_ATTRIBUTES says is added.
func programAttributes(program, version string) *resource.Resource {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return resource.NewSchemaless(
		attribute.String("service.name", "platen-"+program), attribute.String("service.version", version),
		attribute.String("service.instance.id", fmt.Sprintf("%s/%d", host, os.Getpid())),
	)
}
