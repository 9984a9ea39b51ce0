package google_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/platenhq/platen/internal/google"
	"github.com/platenhq/platen/internal/platen"
)

// atOnce makes a hundred calls at once and returns how many came to an error.
func atOnce(t *testing.T, client *google.Client) int {
	t.Helper()
	var failed atomic.Int32
	var calls sync.WaitGroup
	for range 100 {
		calls.Go(func() {
			if _, err := client.File(t.Context(), "x"); err != nil {
				failed.Add(1)
			}
		})
	}
	calls.Wait()
	return int(failed.Load())
}

// A service account is answered invalid_grant also when the clock is wrong, so it is
// asked for again.
func TestAWithdrawnRefreshTokenIsToldOnceAndAServiceAccountIsAskedForAgain(t *testing.T) {
	t.Parallel()
	for kind, c := range map[platen.ConnectionKind]struct {
		secret      string
		told, asked int32
	}{
		platen.ConnectionRefreshToken:   {"refresh", 1, 1},
		platen.ConnectionServiceAccount: {string(serviceKey(t)), 0, 3},
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			var asked, told atomic.Int32
			connection := platen.DriveConnection{Kind: kind, Secret: platen.Secret(c.secret), Subject: "ada@example.com"}
			client := open(t, func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				answer(w, 400, `{"error":"invalid_grant","error_description":"Token has been expired or revoked."}`)
			}, connection, google.Options{OAuthClientID: "id", Withdrawn: func(_ context.Context, userID string, of platen.DriveConnection, reason string) {
				told.Add(1)
				if userID != "usr_1" || of != connection || reason != "invalid_grant: Token has been expired or revoked." {
					t.Errorf("told of %s, %s: %s", userID, of.Kind, reason)
				}
			}})
			for range 3 {
				_, err := client.File(t.Context(), "x")
				if e, ok := errors.AsType[*platen.Error](err); !ok || e.Code != platen.CodeConnectionBroken {
					t.Errorf("got %v, want %s", err, platen.CodeConnectionBroken)
				}
			}
			if told.Load() != c.told || asked.Load() != c.asked {
				t.Errorf("told %d times after asking %d times, want %d after %d", told.Load(), asked.Load(), c.told, c.asked)
			}
		})
	}
}

func TestACallDoesNotWaitForARefreshLongerThanItMay(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}), make(chan struct{})
	client := open(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			close(begun)
			<-goOn
			answer(w, 200, `{"access_token":"access","token_type":"Bearer","expires_in":3600}`)
			return
		}
		answer(w, 200, `{"id":"x"}`)
	}, platen.DriveConnection{Kind: platen.ConnectionRefreshToken, Secret: "refresh"}, google.Options{OAuthClientID: "id"})
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() {
		_, err := client.File(ctx, "x")
		first <- err
	}()
	<-begun
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the call that was given up: got %v, want context.Canceled", err)
	}
	close(goOn)
	if _, err := client.File(t.Context(), "x"); err != nil {
		t.Errorf("the call after it: got %v, want the token of the same refresh", err)
	}
}

func TestAHundredCallsAtOnceRefreshOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		failed int
	}{
		"given":     {200, `{"access_token":"access","token_type":"Bearer","expires_in":3600}`, 0},
		"withdrawn": {400, `{"error":"invalid_grant"}`, 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			client := open(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/token" {
					asked.Add(1)
					answer(w, c.status, c.body)
					return
				}
				answer(w, 200, `{"id":"x"}`)
			}, platen.DriveConnection{Kind: platen.ConnectionRefreshToken, Secret: "refresh"}, google.Options{OAuthClientID: "id"})
			if failed := atOnce(t, client); failed != c.failed || asked.Load() != 1 {
				t.Errorf("%d of 100 calls failed after %d refreshes, want %d after one", failed, asked.Load(), c.failed)
			}
		})
	}
}
