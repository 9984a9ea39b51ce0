package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit/program"
)

// A waited is the answer to an event.
type waited struct {
	status            int
	applied, location string
	State             string `json:"state"`
	ID                string `json:"id"`
	Reference         string `json:"reference"`
	TemporalURL       any    `json:"temporalUrl"`
	body              string
	err               error
}

// source makes a workflow that takes events, and returns its path and its source's address.
func (o *office) source(token string) (workflow, address string) {
	o.t.Helper()
	r, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, o.origin+"/v0/workflows/", strings.NewReader(`{"name": "Letters"}`))
	o.must(err)
	r.Header.Set("Authorization", token)
	answer, err := http.DefaultClient.Do(r)
	o.must(err)
	defer answer.Body.Close()
	var made struct {
		ID     string `json:"id"`
		Source struct {
			URL string `json:"webhookUrl"`
		} `json:"source"`
	}
	o.must(json.NewDecoder(answer.Body).Decode(&made))
	_, err = o.pool.Exec(o.t.Context(), `UPDATE workflows SET status = 'COMPLETE' WHERE id = $1`, made.ID)
	o.must(err)
	return "/v0/workflows/" + made.ID, o.hooks + made.Source.URL[strings.LastIndex(made.Source.URL, "/"):]
}

// send posts an event, which it names in all but its size.
func (o *office) send(ctx context.Context, client *http.Client, address, name string, header ...string) (a waited) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(`{"Name": "`+name+strings.Repeat(" ", 2000)+`"}`))
	if err != nil {
		return waited{err: err}
	}
	r.Header.Set("Idempotency-Key", name)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := client.Do(r)
	if err != nil {
		return waited{err: err}
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	a.body, a.err = string(body), err
	_ = json.Unmarshal(body, &a) // the test compares what there is
	a.status, a.applied, a.location = answer.StatusCode, answer.Header.Get("Preference-Applied"), answer.Header.Get("Location")
	return a
}

func (o *office) await(sql string, want int) {
	o.t.Helper()
	err := program.Within(time.Minute, func() error {
		if got := o.count(sql); got != want {
			return fmt.Errorf("got %d, want %d", got, want)
		}
		return nil
	})
	if err != nil {
		o.t.Fatalf("%s: %v", sql, err)
	}
}

const completeAll = `UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE state = 'ACCEPTED'`

func TestASenderThatPrefersToWaitIsAnsweredWithItsAutomation(t *testing.T) {
	t.Parallel()
	o := openOffice(t, false)
	_, token := o.user("ada@example.com")
	workflow, address := o.source(token)
	stored := `SELECT count(*) FROM automations`

	// The specification's answer stays.
	for _, prefer := range []string{"", "wait=soon", "respond-async"} {
		if a := o.send(t.Context(), http.DefaultClient, address, "plain", "Prefer", prefer); a.status != 200 || a.body != "{}" || a.applied != "" || a.location != "" {
			t.Errorf("Prefer: %s: got %+v, want 200 and {} alone", prefer, a)
		}
	}
	o.await(stored, 1)

	// An answer without a wait says where the automation is, also to a repeat.
	for range 2 {
		a := o.send(t.Context(), http.DefaultClient, address, "first", "Prefer", "wait=0", "Platen-Reference", "Order 17")
		if a.status != 202 || a.applied != "wait=0" || a.State != "ACCEPTED" || a.Reference != "Order 17" || !strings.HasSuffix(a.location, workflow+"/automations/"+a.ID+"/") {
			t.Errorf("got %+v, want 202 with the automation and its address", a)
		}
	}
	o.await(stored, 2)

	// Who waits is answered when the automation ends, and so is a second one for the same event.
	answers := make(chan waited, 2)
	for range 2 {
		go func() { answers <- o.send(t.Context(), http.DefaultClient, address, "second", "Prefer", "wait=100") }()
	}
	o.await(stored, 3)
	if _, err := o.pool.Exec(t.Context(), completeAll); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if a := <-answers; a.status != 200 || a.applied != "wait=50" || a.location != "" || a.State != "COMPLETED" || a.TemporalURL != nil {
			t.Errorf("got %+v, want 200 with the automation, and that at most 50 seconds were applied", a)
		}
	}

	// A client that leaves loses nothing, and a program that stops answers those who wait.
	leaving, leave := context.WithCancel(t.Context())
	go func() { answers <- o.send(leaving, http.DefaultClient, address, "left", "Prefer", "wait=30") }()
	go func() { answers <- o.send(t.Context(), http.DefaultClient, address, "stopped", "Prefer", "wait=30") }()
	o.await(stored, 5)
	leave()
	if a := <-answers; a.err == nil {
		t.Errorf("the client that left got %+v", a)
	}
	if a := o.send(t.Context(), http.DefaultClient, address, "left", "Prefer", "wait=0"); a.status != 202 {
		t.Errorf("a repeat of the client that left: got %+v, want its automation", a)
	}
	o.stop()
	if a := <-answers; a.status != 202 || a.applied != "" || a.location == "" {
		t.Errorf("at the stop: got %+v, %v; want 202 with the address and nothing applied", a, a.err)
	}
}

// The figures of docs/benchmarks.md are what this test logs, without the race detector.
func TestAThousandClientsWait(t *testing.T) {
	o := openOffice(t, false)
	_, token := o.user("ada@example.com")
	_, address := o.source(token)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}
	defer client.CloseIdleConnections()
	memory := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	const clients = 1000
	o.send(t.Context(), client, address, "before")
	before := memory()
	var all sync.WaitGroup
	var mu sync.Mutex
	var slowest time.Time
	for i := range clients {
		all.Go(func() {
			a := o.send(t.Context(), client, address, fmt.Sprint("event ", i), "Prefer", "wait=50")
			if a.err != nil || a.status != 200 || a.State != "COMPLETED" {
				t.Errorf("%d: got %+v, want 200 and COMPLETED", i, a)
			}
			mu.Lock()
			defer mu.Unlock()
			slowest = time.Now()
		})
	}
	o.await(`SELECT count(*) FROM automations`, 1+clients)
	// A connection that is held by one who waits would show here, and looks that do not
	// end: all of them together take one connection now and then.
	busy, looks := 0, 0
	for begun := time.Now(); time.Since(begun) < 2*time.Second; looks++ {
		busy += o.count(`
			SELECT count(*)
			FROM pg_stat_activity
			WHERE datname = current_database() AND usename = current_database() || '_serve' AND state <> 'idle'`)
	}
	each := (memory() - before) / clients
	begun := time.Now()
	if a := o.send(t.Context(), client, address, "beside"); a.status != 200 || a.body != "{}" {
		t.Errorf("a sender beside them: got %+v", a)
	}
	beside := time.Since(begun)
	begun = time.Now()
	if _, err := o.pool.Exec(t.Context(), completeAll); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	t.Logf("1,000 clients wait: %d kB each with the client's side, %.2f connections busy; an event beside them is taken in %v; all are answered %v after the end",
		each>>10, float64(busy)/float64(looks), beside.Round(time.Millisecond), slowest.Sub(begun).Round(time.Millisecond))
	if each > 200<<10 {
		t.Errorf("each client takes %d kB, want 200 at most", each>>10)
	}
	if busy > looks {
		t.Errorf("%d connections were busy in %d looks, want less than one", busy, looks)
	}
}
