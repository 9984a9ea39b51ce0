package telemetry

import (
	"context"
	"encoding/binary"
	"math/rand/v2"

	"go.opentelemetry.io/otel/trace"
)

type (
	chosenKey struct{}
	// A chosen is what the next span is to be called by.
	chosen struct {
		trace trace.TraceID
		span  trace.SpanID
	}
)

// chosenIDs are the ids that a context chooses, else random ones.
type chosenIDs struct{}

func (chosenIDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	c, _ := ctx.Value(chosenKey{}).(chosen)
	if !c.trace.IsValid() {
		c.trace = randomTrace()
	}
	if !c.span.IsValid() {
		c.span = randomSpan()
	}
	return c.trace, c.span
}

func (g chosenIDs) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	if c, _ := ctx.Value(chosenKey{}).(chosen); c.span.IsValid() && !trace.SpanFromContext(ctx).IsRecording() {
		return c.span
	}
	return randomSpan()
}

func randomTrace() (id trace.TraceID) {
	for !id.IsValid() {
		binary.NativeEndian.PutUint64(id[:8], rand.Uint64())
		binary.NativeEndian.PutUint64(id[8:], rand.Uint64())
	}
	return id
}

func randomSpan() (id trace.SpanID) {
	for !id.IsValid() {
		binary.NativeEndian.PutUint64(id[:], rand.Uint64())
	}
	return id
}
