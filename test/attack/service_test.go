// Package attack tests bin/platen from outside, under attackers who have some
// credentials, or none: no internal error, nothing of others in an answer, small
// processes, and an honest tenant who waits no longer than before.
//
// It knows the programs' settings, and what they serve over HTTP. Floods that need
// no credentials belong in test/flood, limits of a single request in the tests of
// the packages that have them.
package attack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/embedded/ports"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/program"
)

const (
	startWait = 2 * time.Minute
	// most is how much memory a process may have had at its largest.
	most = 400 << 20
	// limit is how many requests in a second each token, source address and account
	// of the drive has: the API's default, for all of them.
	limit = 50
)

// A service is Platen as it runs in production: serve, worker and drive, each a
// process of its own, on a database of their own.
type service struct {
	settings          []string // the environment of all programs
	api, hooks, drive string   // host:port
	parts             map[string]*program.Life
}

func newService(t *testing.T) *service {
	t.Helper()
	stack := testkit.Running(t)
	pool := testkit.Database(t, "attack", func(context.Context, *pgxpool.Pool) error { return nil })
	s := &service{parts: map[string]*program.Life{}}
	s.settings = []string{"PLATEN_DATABASE_URL=" + pool.Config().ConnString()}
	s.settings = append(s.settings, "PLATEN_SECRET_KEYS="+s.operate(t, "key"))
	s.operate(t, "migrate")
	free, err := ports.Free("127.0.0.1", 4)
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(free[i])) }
	s.api, s.hooks, s.drive = at(0), at(1), at(2)
	s.settings = append(s.settings, "PLATEN_DRIVE_ENDPOINT=http://"+s.drive,
		"PLATEN_API="+s.api, "PLATEN_HOOKS="+s.hooks, "PLATEN_DRIVE="+s.drive, "PLATEN_LOG_LEVEL=error",
		"PLATEN_TEMPORAL_ADDRESS="+stack.TemporalAddress, "PLATEN_TEMPORAL_NAMESPACE="+stack.TemporalNamespace,
		"PLATEN_QUEUE="+pool.Config().ConnConfig.Database,
		"PLATEN_SOURCE_RATE_LIMIT="+strconv.Itoa(limit), "PLATEN_DRIVE_RATE_LIMIT="+strconv.Itoa(limit),
		// The receivers of this test.
		"PLATEN_ALLOW_PRIVATE=127.0.0.1/32")
	dir := program.Dir(t, "platen-attack")
	s.start(t, dir, "drive", s.drive+"/healthz")
	s.start(t, dir, "serve", s.hooks+"/healthz")
	s.start(t, dir, "worker", at(3)+"/readyz", "PLATEN_METRICS="+at(3))
	return s
}

// operate runs an operator's command and returns what it prints.
func (s *service) operate(t *testing.T, args ...string) string {
	t.Helper()
	return s.operateWith(t, nil, args...)
}

// operateWith is operate with more settings.
func (s *service) operateWith(t *testing.T, settings []string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), program.Built(t, "platen"), args...)
	c.Env = program.Environment(append(settings, s.settings...)...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("platen %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// start returns when the program says at an address that it is well.
func (s *service) start(t *testing.T, dir, name, health string, settings ...string) {
	t.Helper()
	c := exec.Command(program.Built(t, "platen"), name)
	c.Env = program.Environment(append(settings, s.settings...)...)
	life, err := program.Start(c, filepath.Join(dir, name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	s.parts[name] = life
	t.Cleanup(func() {
		_ = life.Signal(syscall.SIGKILL) // it has ended when the test went well
		<-life.Ended
		if t.Failed() {
			t.Logf("%s said:\n%.4000s", name, life.Said())
		}
	})
	err = program.Within(startWait, func() error {
		answer, err := http.Get("http://" + health)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return errors.New(answer.Status)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// staySmall holds the largest memory of each program against the limit.
func (s *service) staySmall(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Logf("memory is not judged: %s has no /proc", runtime.GOOS)
		return
	}
	for name, life := range s.parts {
		peak, err := peakOf(life.PID())
		if err != nil {
			t.Errorf("%s has ended by itself: %v", name, err)
			continue
		}
		t.Logf("%s: at most %d MiB", name, peak>>20)
		if peak > most {
			t.Errorf("%s: had %d MiB, want at most %d", name, peak>>20, most>>20)
		}
	}
}

// peakOf is the largest resident memory that a process has had, in bytes.
func peakOf(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, found := bytes.Cut(status, []byte("VmHWM:"))
	line, _, _ := bytes.Cut(rest, []byte("kB"))
	kib, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
	if !found || err != nil {
		return 0, fmt.Errorf("process %d does not say how much memory it had", pid)
	}
	return kib << 10, nil
}
