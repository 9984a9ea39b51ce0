package operator

import (
	"strings"
	"testing"
	"time"
)

func TestSinceIsTheSameForEveryCommand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"7d": 7 * 24 * time.Hour, "12h": 12 * time.Hour, "90m": 90 * time.Minute,
		time.Now().Add(-3 * time.Hour).Format(time.RFC3339): 3 * time.Hour,
	} {
		var got ago
		if err := got.UnmarshalText([]byte(text)); err != nil || (time.Duration(got)-want).Abs() > time.Minute {
			t.Errorf("%s: got %v and %v, want %v", text, time.Duration(got), err, want)
		}
	}
	for _, text := range []string{"", "never", "0s", "-1h", "0d", "2026-01-02", "7 days", time.Now().Add(time.Hour).Format(time.RFC3339)} {
		var got ago
		if err := got.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "such as 7d") {
			t.Errorf("%q: got %v and %v, want an error that shows what to give", text, time.Duration(got), err)
		}
	}
}
