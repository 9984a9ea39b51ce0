package maintenance

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

type sweptAudit struct{ kept []time.Duration }

func (s *sweptAudit) Sweep(_ context.Context, kept time.Duration) (int64, error) {
	s.kept = append(s.kept, kept)
	return 3, nil
}

func TestTheAuditIsSweptUnlessItIsKeptForEver(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	audit := &sweptAudit{}
	for _, kept := range []time.Duration{0, 720 * time.Hour} {
		if err := SweepAudit(audit, kept).Do(t.Context(), slog.New(slog.NewJSONHandler(&log, nil))); err != nil {
			t.Fatal(err)
		}
	}
	if len(audit.kept) != 1 || audit.kept[0] != 720*time.Hour || !strings.Contains(log.String(), `"entries":3`) {
		t.Errorf("swept for %v, log %s; want once, for 720 h, with its count", audit.kept, log.String())
	}
}

func TestTokensThatEndSoonAreWarnedOfWithTheirIds(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	end := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	job := WarnOfTokens(func(_ context.Context, within time.Duration) ([]EndingToken, error) {
		if within != platen.TokenWarning {
			t.Errorf("asked for those within %s, want %s", within, platen.TokenWarning)
		}
		return []EndingToken{{ID: "tok_1", UserID: "usr_1", ExpiresAt: end}}, nil
	})
	if err := job.Do(t.Context(), slog.New(slog.NewJSONHandler(&log, nil))); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"WARN"`, `"token":"tok_1"`, `"user":"usr_1"`, `"expires":"2026-05-06T07:08:09Z"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("log: got %s, want %s", log.String(), want)
		}
	}
}
