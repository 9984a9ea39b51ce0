package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Ago is how long ago something was, at most.
type Ago time.Duration

// UnmarshalText reads a span, or the moment (RFC 3339) that it began.
func (a *Ago) UnmarshalText(text []byte) error {
	d, ok := Span(string(text))
	if at, err := time.Parse(time.RFC3339, string(text)); err == nil {
		d = time.Since(at)
		ok = d > 0
	}
	if !ok {
		return fmt.Errorf("%q is neither a time back from now nor one in the past; give one such as 7d, 12h or 2026-01-02T03:04:05Z", text)
	}
	*a = Ago(d)
	return nil
}

// time is when that was; without one it is zero.
func (a Ago) time() time.Time {
	if a == 0 {
		return time.Time{}
	}
	return time.Now().Add(-time.Duration(a))
}

// Span reads a time of more than nothing: hours and less as Go writes them, or days, a
// hundred years at most.
func Span(text string) (d time.Duration, ok bool) {
	d, err := time.ParseDuration(text)
	if days, found := strings.CutSuffix(text, "d"); found && err != nil {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(min(n, 36500)) * 24 * time.Hour
	}
	return d, err == nil && d > 0
}
