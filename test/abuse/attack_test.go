package abuse

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/installation"
)

const (
	requestsVariable, seedVariable = "PLATEN_ATTACK_REQUESTS", "PLATEN_ATTACK_SEED"
	// planVariable has the plan of the attackers' process.
	planVariable = "PLATEN_ATTACK_PLAN"
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
	if plan := os.Getenv(planVariable); plan != "" {
		besiege(t, plan)
		return
	}
	s := newService(t)
	h := newHonest(t, s)
	isLong := os.Getenv(requestsVariable) != ""
	alone := 3 * time.Second
	if isLong {
		alone = calm
	}
	ctx, cancel := context.WithTimeout(t.Context(), alone)
	defer cancel()
	before, next := h.lives(t, ctx, every, 1)
	attackers := h.attackers(t)
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	go func() {
		defer cancel()
		out, err := attackers.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Errorf("the attackers: %v", err)
		}
	}()
	during, _ := h.lives(t, ctx, every, next)

	for _, of := range []struct {
		what          string
		before, after []time.Duration
	}{{"answered", before.answered, during.answered}, {"delivered", before.delivered, during.delivered}} {
		was, is := percentile(99, of.before), percentile(99, of.after)
		t.Logf("the honest tenant's events are %s within %v alone and %v besieged (99th percentile of %d and %d; half of them within %v and %v)",
			of.what, was, is, len(of.before), len(of.after), percentile(50, of.before), percentile(50, of.after))
		if isLong && is > slower*was {
			t.Errorf("%s: that is more than %d times as long", of.what, slower)
		}
	}
	h.stillHas(t)
	s.StaySmall(t, most)
}

// A plan is what the attackers know of the service, and of the honest tenant.
type plan struct {
	Installation                         *installation.Installation
	Workflow, Document, File, Automation string
}

// attackers are a process of their own: theirs are other machines. Where waits are
// bounded it has the lowest priority, and costs the service no time.
func (h *honest) attackers(t *testing.T) *exec.Cmd {
	t.Helper()
	raw, err := json.Marshal(plan{h.Installation, h.workflow, h.document, h.file, h.automation(t)})
	if err != nil {
		t.Fatal(err)
	}
	priority := "0"
	if os.Getenv(requestsVariable) != "" {
		priority = "19"
	}
	c := exec.CommandContext(t.Context(), "nice", "-n", priority, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=0")
	c.Env = append(os.Environ(), planVariable+"="+string(raw))
	return c
}

// besiege is what the attackers' process does.
func besiege(t *testing.T, raw string) {
	t.Helper()
	var p plan
	if err := json.Unmarshal([]byte(raw), &p); err != nil {
		t.Fatal(err)
	}
	requests, pace := int(testkit.Number(t, requestsVariable, short)), 0
	if os.Getenv(requestsVariable) != "" {
		pace = limit * 6 / 5 // somewhat more than the limits
	}
	g := newSiege(testkit.Number(t, seedVariable, 1), pace)
	all := attackers(t, reach(p.Installation), p)
	begun := time.Now()
	g.lay(t.Context(), all, requests/len(all))
	t.Logf("%.0f requests a second", float64(requests)/time.Since(begun).Seconds())
	g.tell(t, all)
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
