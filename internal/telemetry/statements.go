package telemetry

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Statements makes each statement on a connection to Postgres a child span of its
// caller's (pgx.ConnConfig.Tracer). A statement outside of a span makes none, because
// polling is no part of an automation. nil if t is nil.
//
// Names and attributes are those of OpenTelemetry's semantic conventions for databases.
// The text of the statement and its parameters are not among them.
func (t *Traces) Statements() pgx.QueryTracer {
	if t == nil {
		return nil
	}
	return &tracedStatements{tracer: t.tracer, known: map[string]statement{}}
}

type tracedStatements struct {
	tracer trace.Tracer

	mu    sync.RWMutex
	known map[string]statement // by text
}

// A statement is what a span says of it.
type statement struct {
	summary string
	options trace.SpanStartEventOption
}

// mostStatements bounds what is remembered; ours are constants, a few hundred.
const mostStatements = 1000

type statementKey struct{}

// TraceQueryStart begins the span of a statement.
func (s *tracedStatements) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx
	}
	of := s.statement(conn, data.SQL)
	_, span := s.tracer.Start(ctx, of.summary, trace.WithSpanKind(trace.SpanKindClient), of.options)
	return context.WithValue(ctx, statementKey{}, span)
}

// TraceQueryEnd ends it. The words of an error may quote a value; its SQLSTATE does not.
func (s *tracedStatements) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	span, ok := ctx.Value(statementKey{}).(trace.Span)
	if !ok {
		return
	}
	if refused, ok := errors.AsType[*pgconn.PgError](data.Err); ok {
		span.SetAttributes(attribute.String("db.response.status_code", refused.Code))
	}
	if data.Err != nil {
		span.SetStatus(codes.Error, "failed")
	}
	span.End()
}

func (s *tracedStatements) statement(conn *pgx.Conn, text string) statement {
	s.mu.RLock()
	known, ok := s.known[text]
	s.mu.RUnlock()
	if ok {
		return known
	}
	summary := summarize(text)
	attributes := []attribute.KeyValue{
		attribute.String("db.system.name", "postgresql"), attribute.String("db.query.summary", summary),
	}
	if conn != nil {
		attributes = append(attributes, attribute.String("db.namespace", conn.Config().Database))
	}
	if parts := strings.Fields(summary); len(parts) <= 2 {
		for i, name := range []string{"db.operation.name", "db.collection.name"}[:len(parts)] {
			attributes = append(attributes, attribute.String(name, parts[i]))
		}
	}
	known = statement{summary, trace.WithAttributes(attributes...)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) < mostStatements {
		s.known[text] = known
	}
	return known
}

var (
	statementToken = regexp.MustCompile(`--[^\n]*|'[^']*'|[a-zA-Z_][\w.]*|[^\s\w]`)
	aName          = regexp.MustCompile(`^[a-z_][\w.]*$`)
)

// summarize lists the operations of a statement, each with its tables, in their order,
// as db.query.summary has it: "INSERT outputs UPDATE automations". Keywords are in
// capitals, as ours are. What WITH names and functions that return rows are no tables.
func summarize(text string) string {
	tokens := slices.DeleteFunc(statementToken.FindAllString(text, -1), func(t string) bool { return strings.HasPrefix(t, "--") })
	at := func(i int) string {
		if i < 0 || i >= len(tokens) {
			return ""
		}
		return tokens[i]
	}
	var parts []string
	operation, written := "", ""
	inside := map[string]bool{} // what WITH names
	for i, token := range tokens {
		switch {
		case token == "AS" && aName.MatchString(at(i-1)) && (at(i+1) == "(" || at(i+2) == "("):
			inside[at(i-1)] = true
		case token == "UPDATE" && slices.Contains([]string{"FOR", "KEY", "DO"}, at(i-1)):
		case slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE"}, token):
			operation = token
		}
		opens := token == "FROM" && at(i-1) != "DISTINCT" || token == "JOIN" || token == "INTO" || token == "UPDATE" && operation == token
		table := at(i + 1)
		if !opens || !aName.MatchString(table) || at(i+2) == "(" && token != "INTO" || inside[table] || operation == "" {
			continue
		}
		if slices.Contains(parts, table) && written == operation {
			continue
		}
		if written != operation {
			parts, written = append(parts, operation), operation
		}
		parts = append(parts, table)
	}
	if len(parts) == 0 && len(tokens) > 0 {
		return strings.ToUpper(strings.Trim(tokens[0], ";"))
	}
	return strings.Join(parts, " ")
}
