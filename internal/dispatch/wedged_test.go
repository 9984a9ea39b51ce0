package dispatch_test

import (
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/dispatch"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/telemetry"
)

// Supervisors restart a program that fails /livez. Nothing else ends a wedge.
func TestAWorkerWhoseDispatchIsWedgedFailsLivez(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	var seconds atomic.Int64
	pulse := telemetry.NewPulse(time.Minute, func() time.Time { return time.Unix(seconds.Load(), 0) })
	shown := telemetry.New("v1")
	shown.CheckLive("dispatch", pulse.Err)
	server := httptest.NewServer(shown.Handler())
	defer server.Close()
	livez := func() error { return telemetry.Ask(t.Context(), server.URL+"/livez") }

	var wedged atomic.Bool
	inside, release := make(chan struct{}), make(chan struct{})
	stop := f.run(dispatch.Options{
		Poll: time.Millisecond, Turned: pulse.Beat,
		Starter: starter{start: nil, look: func(string) (dispatch.Run, error) {
			return dispatch.Run{}, platen.Errorf(platen.KindUnavailable, "", "away")
		}},
		Takes: func() bool {
			if wedged.CompareAndSwap(true, false) {
				close(inside)
				<-release
			}
			return true
		},
	})
	seconds.Store(3600)
	f.eventually("dispatch turns, and the program lives", func() bool { return livez() == nil })
	wedged.Store(true)
	<-inside
	seconds.Add(61)
	if err := livez(); err == nil || !strings.Contains(err.Error(), "dispatch: it has stood still for 1m1s") {
		t.Errorf("wedged for a minute: got %v, want /livez to say so", err)
	}
	close(release)
	f.eventually("it turns again", func() bool { return livez() == nil })
	stop()
}
