package abuse

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"
)

const (
	// hands are the requests that each attacker has under way at once.
	hands = 8
	// wired is of how many requests one is a wire.
	wired = 100
	// mostFaults are printed.
	mostFaults = 20
)

// A siege is what became of the attackers' requests.
type siege struct {
	seed uint64
	pace int // requests of each attacker in a second; 0: as many as it can

	mu     sync.Mutex
	count  map[string]map[int]int // by attacker and status; 0: no answer
	faults []string
}

func newSiege(seed uint64, pace int) *siege {
	return &siege{seed: seed, pace: pace, count: map[string]map[int]int{}}
}

// fault is what is wrong with an answer; empty: nothing.
func fault(status int, header http.Header, body []byte) string {
	switch {
	case bytes.Contains(body, []byte(canary)), bytes.Contains(fmt.Append(nil, header), []byte(canary)):
		return "was answered with what is the honest tenant's"
	case status == http.StatusServiceUnavailable && header.Get("Retry-After") == "":
		return "was answered 503 without Retry-After"
	case status >= 500 && status != http.StatusServiceUnavailable:
		return fmt.Sprintf("was answered %d %.300s", status, body)
	}
	return ""
}

func (g *siege) saw(who string, asked fmt.Stringer, status int, header http.Header, body []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.count[who] == nil {
		g.count[who] = map[int]int{}
	}
	g.count[who][status]++
	if wrong := fault(status, header, body); wrong != "" && len(g.faults) < mostFaults {
		g.faults = append(g.faults, fmt.Sprintf("%s %s\n%s", who, wrong, asked))
	}
}

// lay has each attacker make so many requests, or as many as it can until ctx ends.
func (g *siege) lay(ctx context.Context, all []attacker, each int) {
	client := &http.Client{Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{MaxIdleConnsPerHost: hands * len(all)}}
	defer client.CloseIdleConnections()
	var done sync.WaitGroup
	for i, a := range all {
		turns := make(chan int)
		go g.turns(ctx, turns, each)
		for range hands {
			done.Go(func() {
				for n := range turns {
					// Each request depends on its number alone, not on its client.
					r := &dice{Rand: rand.New(rand.NewPCG(g.seed, uint64(i)<<32|uint64(n)))}
					g.make(ctx, client, a, r)
				}
			})
		}
	}
	done.Wait()
}

// turns gives each request its number, at the pace.
func (g *siege) turns(ctx context.Context, turns chan<- int, each int) {
	defer close(turns)
	var tick <-chan time.Time
	if g.pace > 0 {
		ticker := time.NewTicker(time.Second / time.Duration(g.pace))
		defer ticker.Stop()
		tick = ticker.C
	}
	for n := range each {
		if tick != nil {
			select {
			case <-tick:
			case <-ctx.Done():
				return
			}
		}
		select {
		case turns <- n:
		case <-ctx.Done():
			return
		}
	}
}

func (g *siege) make(ctx context.Context, client *http.Client, a attacker, r *dice) {
	if len(a.wires) > 0 && r.in(wired) {
		w := pick(r, a.wires...)
		if response, body := w.make(ctx, w.address); response != nil {
			g.saw(a.name, w, response.StatusCode, response.Header, body)
		} else {
			g.saw(a.name, w, 0, nil, nil)
		}
		return
	}
	s := a.shoot(r)
	request := s.request()
	if request == nil {
		g.saw(a.name, s, 0, nil, nil)
		return
	}
	response, err := client.Do(request.WithContext(ctx))
	if err != nil {
		g.saw(a.name, s, 0, nil, nil) // a connection that was closed on a body that is too large
		return
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		g.saw(a.name, s, 0, nil, nil)
		return
	}
	g.saw(a.name, s, response.StatusCode, response.Header, body)
	if a.own != nil && response.StatusCode/100 == 2 {
		a.own.learn(body)
	}
}

// tell says what was answered, and fails the test for what is wrong.
func (g *siege) tell(t *testing.T, all []attacker) {
	t.Helper()
	for _, a := range all {
		counts := g.count[a.name]
		t.Logf("%s: %v", a.name, counts)
		refused, served := 0, 0
		for status, n := range counts {
			if status/100 == 4 {
				refused += n
			}
			if status/100 == 2 {
				served += n
			}
		}
		if refused == 0 || served == 0 {
			t.Errorf("%s: %d requests were refused and %d served, want some of both", a.name, refused, served)
		}
	}
	for _, f := range g.faults {
		t.Error(f)
	}
}

// zipBomb is an office file with a part that unpacks to 256 MiB.
func zipBomb(t *testing.T, good []byte) []byte {
	t.Helper()
	from, err := zip.NewReader(bytes.NewReader(good), int64(len(good)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range from.File {
		if f.Name == "word/document.xml" {
			w, err := z.Create(f.Name)
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.Copy(w, io.LimitReader(endless(' '), 256<<20))
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := z.Copy(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
