package lifecycle

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit/installation"
)

// The programs of a release take the place of those of another while requests come in
// through a balancer: no request fails, nothing that was accepted is lost. Then those of
// the previous release come back, on the newer schema.
//
// PLATEN_BEFORE is the program of the previous release: `make upgrade` builds it. Without,
// a build is replaced by itself, and nothing comes back.
func TestAReleaseTakesThePlaceOfTheOneBeforeUnderLoad(t *testing.T) {
	t.Parallel()
	s := newService(t, installation.Options{Settings: []string{"PLATEN_SHUTDOWN_DELAY=5s"}})
	newer, older := s.Binary, os.Getenv("PLATEN_BEFORE")
	if older != "" {
		s.Binary = older
	}
	b := newBalancer(t, s)
	s.Operate(t, "migrate")
	before := s.version(t)
	s.install(t, []string{"drive-1", "drive-2"}, []string{"serve-1", "serve-2", "worker-1", "worker-2"})
	for _, name := range []string{"drive-1", "drive-2", "serve-1", "serve-2"} {
		b.await(t, name)
	}
	l := newLoad(t, s)
	l.begin(t)
	l.browse(t)
	l.awaitMore(t, senders)

	s.Binary = newer
	s.Operate(t, "migrate")
	l.awaitMore(t, senders)
	l.roll(t, b, "drive-1", "drive-2", "serve-1", "serve-2")
	l.replaceWorkers(t, before, "")
	after := s.version(t)
	if older != "" {
		s.Binary = older
		l.roll(t, b, "serve-1", "serve-2")
		l.replaceWorkers(t, after, before)
		l.roll(t, b, "drive-1", "drive-2")
	}
	l.end(t)
	again := 0
	for _, times := range l.came {
		again += times - 1
	}
	t.Logf("%d readings beside them; %d events came once more", l.browsed.Load(), again)
}

// roll replaces processes one by one, each when the balancer sees the one before.
func (l *load) roll(t *testing.T, b *balancer, names ...string) {
	t.Helper()
	for _, name := range names {
		l.s.Stop(t, name)
		l.s.Start(t, name)
		b.await(t, name)
		l.awaitMore(t, senders)
	}
}

// replaceWorkers leaves a worker of the build before until nothing is pinned to it, as
// docs/production.md says. A build that was there before has to be promoted.
func (l *load) replaceWorkers(t *testing.T, before, promote string) {
	t.Helper()
	l.s.Stop(t, "worker-1")
	l.s.Start(t, "worker-1")
	if promote != "" {
		l.s.Operate(t, "deployment", "promote", promote)
	}
	l.awaitMore(t, senders)
	if l.s.version(t) != before {
		installation.Eventually(t, "the build before to have no runs", func() error { return l.drained(t, before) })
	}
	l.s.Stop(t, "worker-2")
	l.s.Start(t, "worker-2")
	l.awaitMore(t, senders)
}

// drained says what the build still has to do.
func (l *load) drained(t *testing.T, build string) error {
	listed := l.s.Operate(t, "deployment")
	for line := range strings.Lines(listed) {
		if columns := strings.Fields(line); len(columns) > 0 && columns[0] == build && columns[len(columns)-1] == "0" {
			return nil
		}
	}
	return fmt.Errorf("platen deployment:\n%s", listed)
}

// version is that of the programs that are started now.
func (s *service) version(t *testing.T) string {
	t.Helper()
	return strings.TrimPrefix(s.Operate(t, "version"), "platen ")
}

// browse reads what senders do not, over connections that are kept, as programs do.
func (l *load) browse(t *testing.T) {
	for _, address := range []string{
		l.s.api[0] + "/v0/workflows/" + l.s.workflow + "/automations/?limit=5",
		l.s.drive + "/drive/v3/files?pageSize=5",
	} {
		header := l.s.token
		if strings.HasPrefix(address, l.s.drive) {
			header = "Bearer " + l.s.driveToken
		}
		l.running.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			for !l.stopped.Load() {
				if err := read(t, client, address, header); err != nil {
					l.fault("%v", err)
					return
				}
				l.browsed.Add(1)
			}
		})
	}
}

func read(t *testing.T, client *http.Client, address, authorization string) error {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", authorization)
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if raw, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: got %s, %v: %.300s", address, answer.Status, err, raw)
	}
	return nil
}
