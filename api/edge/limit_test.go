package edge

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
)

func TestALimiterSaysWhatIsLeft(t *testing.T) {
	t.Parallel()
	for _, burst := range []int{3, 0} { // 0: as many as in a second
		clock := time.Unix(1000, 0)
		l := NewLimiter(Rate{PerSecond: 3, Burst: burst}, func() time.Time { return clock })
		for _, want := range []string{"2 of 3, all after 1 ", "1 of 3, all after 1 ", "0 of 3, all after 1 ", "0 of 3, all after 1 rate_limited 333.333333ms"} {
			h := http.Header{}
			got := ""
			if refused, ok := errors.AsType[*platen.Error](l.Take(h, [32]byte{})); ok {
				got = refused.Code + " " + refused.RetryAfter.String()
			}
			if got = fmt.Sprintf("%s of %s, all after %s %s", h.Get("RateLimit-Remaining"), h.Get("RateLimit-Limit"), h.Get("RateLimit-Reset"), got); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
}

func TestNoRateIsNoLimit(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	if err := NewLimiter(Rate{}, nil).Take(h, [32]byte{}); err != nil || len(h) != 0 {
		t.Errorf("got %v and %v, want nothing", err, h)
	}
}
