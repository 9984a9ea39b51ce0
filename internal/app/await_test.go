package app

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/api/serviceerror"

	"github.com/platenhq/platen/internal/platen"
)

// answersAt answers from a moment on and fails until then.
func answersAt(moment time.Duration, with error) func(context.Context) (string, error) {
	began := time.Now()
	return func(context.Context) (string, error) {
		if time.Since(began) < moment {
			return "", with
		}
		return "open", nil
	}
}

func TestAProgramWaitsAtStartForWhatIsAway(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"Postgres": platen.Errorf(platen.KindUnavailable, "database_unavailable", "away"),
		"Temporal": serviceerror.NewUnavailable("away"),
	} {
		synctest.Test(t, func(t *testing.T) {
			opened, err := await(t.Context(), time.Minute, slog.New(slog.DiscardHandler), name, answersAt(40*time.Second, err))
			if opened != "open" || err != nil {
				t.Errorf("%s: got %q, %v; want it opened", name, opened, err)
			}
		})
	}
}

func TestWaitingAtStartHasItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cause := serviceerror.NewUnavailable("away")
		began := time.Now()
		_, err := await(t.Context(), time.Minute, slog.New(slog.DiscardHandler), "Temporal", answersAt(time.Hour, cause))
		if !errors.Is(err, cause) {
			t.Errorf("got %v, want the cause", err)
		}
		if took := time.Since(began); took < time.Minute || took > 66*time.Second {
			t.Errorf("gave up after %v, want a minute", took)
		}
	})
}

func TestWhatDoesNotPassByItselfIsToldAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := await(t.Context(), time.Minute, slog.New(slog.DiscardHandler), "Postgres", answersAt(time.Hour, errors.New("wrong password")))
		if err == nil || time.Since(began) > 0 {
			t.Errorf("got %v after %v, want the error at once", err, time.Since(began))
		}
	})
}
