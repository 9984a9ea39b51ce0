package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/platenhq/platen/internal/platen"
)

func TestHistoriesKeepCodeAndWordsOfAnErrorAlone(t *testing.T) {
	t.Parallel()
	const inside = "dial tcp 10.0.0.7:5432"
	for name, c := range map[string]struct {
		err   error
		kind  string
		retry bool
	}{
		"of ours":            {&platen.Error{Kind: platen.KindInvalid, Code: "drive_quota", Message: "The drive is full.", Err: errors.New(inside)}, "drive_quota", false},
		"of ours, too late":  {&platen.Error{Kind: platen.KindUnavailable, Code: "drive_unavailable", Message: "No answer.", Err: fmt.Errorf("%s: %w", inside, context.DeadlineExceeded)}, "drive_unavailable", true},
		"broken connection":  {&platen.Error{Kind: platen.KindForbidden, Code: platen.CodeConnectionBroken}, "drive_connection_broken", true},
		"unknown":            {errors.New(inside), "internal", true},
		"unknown, too late":  {fmt.Errorf("%s: %w", inside, context.DeadlineExceeded), "internal", true},
		"rate limited, wait": {&platen.Error{Kind: platen.KindRateLimited, Code: "drive_rate_limited", RetryAfter: time.Minute}, "drive_rate_limited", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := historyError(fmt.Errorf("copy the template: %w", c.err), false)
			var kept *temporal.ApplicationError
			if !errors.As(err, &kept) || kept.Type() != c.kind || kept.NonRetryable() == c.retry {
				t.Errorf("got %#v, want type %s, tried again: %t", err, c.kind, c.retry)
			}
			if strings.Contains(err.Error(), inside) {
				t.Errorf("the history would say %q", err)
			}
		})
	}
}

func TestACancelledStepIsTellableAsOne(t *testing.T) {
	t.Parallel()
	err := historyError(fmt.Errorf("dial tcp 10.0.0.7:5432: %w", context.Canceled), true)
	if !errors.Is(err, context.Canceled) || err.Error() != context.Canceled.Error() {
		t.Errorf("got %v, want the bare context.Canceled", err)
	}
}
