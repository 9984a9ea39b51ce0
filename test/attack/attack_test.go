package attack

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit"
)

const (
	requestsVariable, seedVariable = "PLATEN_ATTACK_REQUESTS", "PLATEN_ATTACK_SEED"
	// short is how many requests the attackers make together in the short form, as fast
	// as they can.
	short = 800
	// slower is how much longer the honest tenant may wait, as a ratio of 99th
	// percentiles. The short form has too few events to judge it.
	slower = 2
	// every is the time between two of its events, and calm for how long it is alone.
	every = 300 * time.Millisecond
	calm  = 2 * time.Minute
)

func TestAttackersGetNothingOfOthersNoInternalErrorAndNobodyWaitsForThem(t *testing.T) {
	s := newService(t)
	h := newHonest(t, s)
	isLong := os.Getenv(requestsVariable) != ""
	requests, pace, alone := int(testkit.Number(t, requestsVariable, short)), 0, 3*time.Second
	if isLong {
		pace, alone = limit*6/5, calm // somewhat more than the limits
	}
	g := newSiege(testkit.Number(t, seedVariable, 1), pace)

	ctx, cancel := context.WithTimeout(t.Context(), alone)
	defer cancel()
	before, next := h.lives(t, ctx, every, 1)
	all := attackers(t, s, h)
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	go func() {
		defer cancel()
		g.lay(ctx, all, requests/len(all))
	}()
	during, _ := h.lives(t, ctx, every, next)

	g.tell(t, all)
	for _, of := range []struct {
		what          string
		before, after []time.Duration
	}{{"answered", before.answered, during.answered}, {"delivered", before.delivered, during.delivered}} {
		was, is := percentile99(of.before), percentile99(of.after)
		t.Logf("the honest tenant's events are %s within %v alone and %v besieged (99th percentile of %d and %d)", of.what, was, is, len(of.before), len(of.after))
		if isLong && is > slower*was {
			t.Errorf("%s: that is more than %d times as long", of.what, slower)
		}
	}
	h.stillHas(t)
	s.staySmall(t)
}

// plain answers as a service without faults does.
func plain(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		w.WriteHeader(http.StatusNotFound)
	}
}

func TestTheJudgeSeesAFaultAmongThousandsOfAnswers(t *testing.T) {
	t.Parallel()
	for name, planted := range map[string]http.HandlerFunc{
		"was answered 500": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"was answered 508": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusLoopDetected) },
		"was answered 503 without Retry-After": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
		},
		"was answered with what is the honest tenant's": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprintf(w, `{"error":"%s has no such file"}`, canary)
		},
		"honest tenant's": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Location", "/"+canary) },
		"": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery == "n=333" {
				planted(w, r)
				return
			}
			plain(w, r)
		}))
		t.Cleanup(server.Close)
		all := []attacker{{name: "a client", shoot: func(r *dice) shot {
			return shot{method: pick(r, http.MethodGet, http.MethodPost), url: fmt.Sprintf("%s/?n=%d", server.URL, r.IntN(500)), header: http.Header{}}
		}}}
		g := newSiege(1, 0)
		g.lay(t.Context(), all, 3000)
		if found := strings.Join(g.faults, "\n"); name == "" && found != "" || !strings.Contains(found, name) || name != "" && !strings.Contains(found, "n=333") {
			t.Errorf("%q: found %q", name, found)
		}
	}
}
