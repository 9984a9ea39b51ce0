// Package flood tests bin/platen from outside, under clients that send what
// they can: its processes stay small, and honest callers are answered.
//
// It knows the programs' settings, and what they serve over HTTP. Limits of a
// single request belong in the tests of the packages that have them.
package flood

import (
	"context"
	"net"
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
	email     = "ada@flood.example"
	startWait = time.Minute
	stopWait  = 30 * time.Second
	// most is how much memory a process may have had at its largest.
	most = 400 << 20
)

// A service is `platen serve` and `platen drive` on a database of their own.
type service struct {
	settings          []string // the environment of operator's commands
	api, hooks, place string   // host:port; place is the drive's
	token, driveToken string
	parts             map[string]*program.Life
}

func newService(t *testing.T) *service {
	t.Helper()
	pool := testkit.Database(t, "flood", func(context.Context, *pgxpool.Pool) error { return nil })
	s := &service{parts: map[string]*program.Life{}}
	s.settings = []string{"PLATEN_DATABASE_URL=" + pool.Config().ConnString()}
	s.settings = append(s.settings, "PLATEN_SECRET_KEYS="+s.operate(t, "key"))
	s.operate(t, "migrate")
	s.operate(t, "user", "create", "--name", "Ada Lovelace", "--email", email)
	s.token = s.operate(t, "token", "create", "--user", email)
	s.driveToken = s.operate(t, "drive", "token", "--email", email)
	free, err := ports.Free("127.0.0.1", 3)
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(free[i])) }
	s.api, s.hooks, s.place = at(0), at(1), at(2)
	s.settings = append(s.settings, "PLATEN_DRIVE_ENDPOINT=http://"+s.place,
		"PLATEN_API="+s.api, "PLATEN_HOOKS="+s.hooks, "PLATEN_DRIVE="+s.place, "PLATEN_LOG_LEVEL=warn",
		// As large as an operator may let events be.
		"PLATEN_HOOKS_BODY_LIMIT="+strconv.Itoa(32<<20))
	dir := program.Dir(t, "platen-flood")
	s.start(t, dir, "drive", s.place)
	s.start(t, dir, "serve", s.api, s.hooks)
	return s
}

// operate runs an operator's command and returns what it prints.
func (s *service) operate(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), program.Built(t, "platen"), args...)
	c.Env = program.Environment(s.settings...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("platen %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// start returns when the program listens.
func (s *service) start(t *testing.T, dir, name string, addresses ...string) {
	t.Helper()
	c := exec.Command(program.Built(t, "platen"), name)
	c.Env = program.Environment(s.settings...)
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
	for _, address := range addresses {
		err := program.Within(startWait, func() error {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				return err
			}
			return conn.Close()
		})
		if err != nil {
			t.Fatalf("%s does not listen: %v", name, err)
		}
	}
}

// staySmall ends the programs and holds their memory against the limit.
func (s *service) staySmall(t *testing.T) {
	t.Helper()
	for name, life := range s.parts {
		if err := life.Signal(syscall.SIGTERM); err != nil {
			t.Errorf("%s has ended by itself: %v", name, err)
			continue
		}
		select {
		case <-life.Ended:
		case <-time.After(stopWait):
			t.Errorf("%s does not stop within %v", name, stopWait)
			continue
		}
		usage, ok := life.State.SysUsage().(*syscall.Rusage)
		if !ok {
			t.Fatal("the system does not tell how much memory a process had")
		}
		peak := usage.Maxrss
		if runtime.GOOS != "darwin" {
			peak <<= 10 // in KiB everywhere else
		}
		t.Logf("%s: at most %d MiB, %v of processor time", name, peak>>20, (life.State.UserTime() + life.State.SystemTime()).Round(time.Millisecond))
		if peak > most {
			t.Errorf("%s: had %d MiB, want at most %d", name, peak>>20, most>>20)
		}
	}
}
