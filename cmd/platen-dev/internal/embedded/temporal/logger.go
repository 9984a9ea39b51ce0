package temporal

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/log/tag"
)

// logger gives Temporal's log to slog. alarm hears about what ends the program.
type logger struct {
	slog  *slog.Logger
	alarm io.Writer
}

var (
	_ log.Logger      = logger{}
	_ log.WithLogger  = logger{}
	_ log.SLogWrapper = logger{}
)

func (l logger) Debug(msg string, tags ...tag.Tag) { l.write(slog.LevelDebug, msg, tags) }
func (l logger) Info(msg string, tags ...tag.Tag)  { l.write(slog.LevelInfo, msg, tags) }
func (l logger) Warn(msg string, tags ...tag.Tag)  { l.write(slog.LevelWarn, msg, tags) }
func (l logger) Error(msg string, tags ...tag.Tag) { l.write(slog.LevelError, msg, tags) }

// DPanic panics in Temporal's own development only.
func (l logger) DPanic(msg string, tags ...tag.Tag) { l.write(slog.LevelError, msg, tags) }

func (l logger) Panic(msg string, tags ...tag.Tag) {
	l.write(slog.LevelError, msg, tags)
	panic("temporal: " + msg)
}

// Fatal must not return: its callers go on as if it never did.
func (l logger) Fatal(msg string, tags ...tag.Tag) {
	l.write(slog.LevelError, msg, tags)
	fmt.Fprintln(l.alarm, "Temporal cannot go on:", msg, attributes(tags))
	os.Exit(1)
}

// With returns a logger that adds tags to every line.
func (l logger) With(tags ...tag.Tag) log.Logger {
	return logger{slog.New(l.slog.Handler().WithAttrs(attributes(tags))), l.alarm}
}

// SLog is what Temporal's inner SDK clients log to.
func (l logger) SLog() *slog.Logger { return l.slog }

func (l logger) write(level slog.Level, msg string, tags []tag.Tag) {
	ctx := context.Background() // the interface has none
	if l.slog.Enabled(ctx, level) {
		l.slog.LogAttrs(ctx, level, msg, attributes(tags)...)
	}
}

func attributes(tags []tag.Tag) []slog.Attr {
	attrs := make([]slog.Attr, 0, len(tags))
	for _, t := range tags {
		// ZapTag.Value picks one of several fields at random for an error.
		if z, ok := t.(tag.ZapTag); ok {
			if err, ok := z.Field().Interface.(error); ok {
				attrs = append(attrs, slog.String(t.Key(), err.Error()))
				continue
			}
		}
		attrs = append(attrs, slog.Any(t.Key(), t.Value()))
	}
	return attrs
}
