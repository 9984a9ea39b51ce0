package chaos

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/platenhq/platen/internal/testkit/program"
)

// poolBound is how many connections the programs may keep: 16 for each pool of
// serve and of the workers, as many as the drive's pool may have, and one for
// each dispatcher that listens.
const poolBound = 3*16 + 16 + 2

// checkConnections: pools keep what they opened, within their bounds, and
// nothing hangs in a transaction or has lost its other end.
func (w *witness) checkConnections(ctx context.Context) {
	w.t.Helper()
	err := program.Within(startLimit, func() error {
		var all, busy int
		err := w.db.QueryRow(ctx, `
			SELECT count(*), count(*) FILTER (WHERE state <> 'idle')
			FROM pg_stat_activity
			WHERE datname = current_database() AND backend_type = 'client backend' AND application_name <> $1`, witnessed).Scan(&all, &busy)
		if err != nil {
			return err
		}
		carried := 0
		for _, wire := range w.service.wires {
			carried += wire.carries()
		}
		w.counts["backends"] = all
		if busy > 1 || all > poolBound || all != carried {
			return fmt.Errorf("%d backends, %d of them at work, %d connections on the wires; want at most %d, none at work, all on wires", all, busy, carried, poolBound)
		}
		return nil
	})
	if err != nil {
		w.fault("leak", "%v", err)
	}
}

// slack is for goroutines that come and go: timers, a poll that just ends. The
// load was hundreds of events.
const slack = 20

// checkGoroutines compares what each program has left after the load with what
// it has when it was just started. SIGQUIT has Go's runtime tell, and end.
func (w *witness) checkGoroutines() {
	w.t.Helper()
	after := w.quit()
	fresh := w.quit()
	var all []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		all = append(all, fmt.Sprintf("%s %d/%d", name, after[name], fresh[name]))
		if after[name] == 0 || fresh[name] == 0 {
			w.t.Errorf("%s told nothing of its goroutines: got %d and %d", name, after[name], fresh[name])
		}
		if after[name] > fresh[name]+slack {
			w.fault("leak", "%s has %d goroutines after the load, %d when it was just started", name, after[name], fresh[name])
		}
	}
	w.goroutines = strings.Join(all, ", ")
}

// quit has all programs tell of their goroutines, and waits until others work
// in their place.
func (w *witness) quit() map[string]int {
	w.t.Helper()
	counts, before := map[string]int{}, map[string]int64{}
	for name, p := range w.service.processes {
		before[name] = size(p.log)
		if !p.signal(syscall.SIGQUIT) {
			w.t.Errorf("%s does not run", name)
		}
	}
	for name, p := range w.service.processes {
		err := program.Within(startLimit, func() (err error) {
			counts[name], err = told(name, p.log, before[name])
			return err
		})
		if err != nil {
			w.t.Errorf("%s after SIGQUIT: %v", name, err)
		}
	}
	if err := program.Within(startLimit, w.service.answers); err != nil {
		w.t.Errorf("the service after SIGQUIT: %v", err)
	}
	time.Sleep(2 * time.Second) // pollers begin one after the other
	return counts
}

// told counts the goroutines that a program reported in its log, and sees that
// the next one works.
func told(name, log string, before int64) (int, error) {
	raw, err := os.ReadFile(log)
	if err != nil {
		return 0, err
	}
	dump, restarted, found := strings.Cut(string(raw[before:]), "\nrip ") // its registers come last
	if !found {
		dump, restarted, found = strings.Cut(string(raw[before:]), "\nr0 ")
	}
	works := `"working"`
	if !delivers(name) {
		works = "serving"
	}
	if !found || !strings.Contains(restarted, works) {
		return 0, fmt.Errorf("%s is not back", name)
	}
	return goroutines(dump), nil
}

func size(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

var goroutine = regexp.MustCompile(`(?m)^goroutine \d+ `)

// goroutines counts those of a dump that do not belong to a connection that is
// kept for the next request, which end after their idle time, or to a run that
// went on in another worker, which Temporal's SDK keeps among so many cached ones.
func goroutines(dump string) int {
	count := 0
	for one := range strings.SplitSeq(dump, "\n\n") {
		if !goroutine.MatchString(one) {
			continue
		}
		kept := false
		for _, function := range []string{
			"net/http.(*persistConn).readLoop", "net/http.(*persistConn).writeLoop", "net/http.(*conn).serve", "net/http.(*connReader).backgroundRead",
			"internal.(*dispatcherImpl).NewCoroutine",
		} {
			kept = kept || strings.Contains(one, function)
		}
		if !kept {
			count++
		}
	}
	return count
}
