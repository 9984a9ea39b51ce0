package chaos

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/ports"
	"github.com/platenhq/platen/internal/testkit/program"
)

const (
	databaseName = "chaos"
	queue        = "chaos"
	// schedule is that of production at about 1:100, and longer, so that no
	// event is given up for faults of the suite's receiver.
	schedule = "0s,100ms,500ms,1s,1s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s,2s"
	// openRuns are the places for runs of both workers together, half of them each
	// worker's: two thirds of what two processors have by default, so that few parked
	// runs would take all of them if they took any.
	openRuns = 8
	// startWait is how long a program waits at its start for Postgres and Temporal: as
	// long as the suite does for those.
	startWait = 3 * time.Minute
	// overdue is after how long dispatch looks after runs and events: a sixth of
	// production's minute, and a ninetieth of its quarter of an hour.
	overdue = "10s"
	// rests are those of endpoints at 1:100, but for the longest.
	rests = "600ms,5s"
)

// hurried are settings of workers that wait less than in production, and tell
// what they do.
func hurried() []string {
	return []string{
		"PLATEN_RETRY_SCHEDULE=" + schedule, "PLATEN_ENDPOINT_REST=" + rests, "PLATEN_SWEEP_AFTER=5s", "PLATEN_WORKER_OPEN=" + strconv.Itoa(openRuns/2), "PLATEN_LOG_LEVEL=debug",
		"PLATEN_FAILPOINT_OVERDUE=" + overdue, "PLATEN_FAILPOINT_EVENT_OVERDUE=" + overdue,
	}
}

// A service is Platen as it runs in production: each part a process of its
// own, with the suite's wires and proxies between them.
type service struct {
	*devInstance                   // whose Postgres is used
	temporalInstance  *devInstance // whose Temporal is used
	dir               string
	temporal          *wire
	binary            string
	skewed            string        // the same with a clock that can be off; empty: not built
	build             int           // that was rolled out last
	api, hooks, drive string        // addresses; api ends in /v0
	look              string        // address of the drive for the suite's own look at it
	lag               time.Duration // by which lists of the drive may be behind
	secretKeys        string
	owners            []*owner
	settings          []string // the environment of operator's commands
	proxy             *driveProxy
	// wires to Postgres by whose they are
	servePG, workPG, drivePG, lookPG *wire
	processes                        map[string]*process
}

// programUnderTest is bin/platen-failpoints, or the one with a planted bug.
func programUnderTest(t *testing.T) string {
	t.Helper()
	if planted := os.Getenv(programVariable); planted != "" {
		return planted
	}
	return program.Built(t, "platen-failpoints")
}

// skewVariable is what is added to the time of day of bin/platen-skewed.
const skewVariable = "PLATEN_FAILPOINT_SKEW"

// skewedProgram is bin/platen-skewed, which make chaos builds and make test
// does not; there no clock is off.
func skewedProgram(t *testing.T) string {
	t.Helper()
	path := filepath.Join("../../bin", "platen-skewed")
	if _, err := os.Stat(path); err != nil {
		t.Logf("no clock is off: %v", err)
		return ""
	}
	return path
}

func newService(t *testing.T, settings []string) *service {
	t.Helper()
	s := &service{dir: program.Dir(t, "platen-chaos"), binary: programUnderTest(t), skewed: skewedProgram(t), processes: map[string]*process{}}
	if err := os.Mkdir(s.failpoints(), 0o755); err != nil {
		t.Fatal(err)
	}
	g := newDevInstance(t, s.dir, "postgres", true)
	s.devInstance, s.temporalInstance = g, newDevInstance(t, s.dir, "temporal", false)
	for _, one := range []*devInstance{s.devInstance, s.temporalInstance} {
		if err := one.await(2 * time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	s.temporal = newWire(t, s.temporalInstance.stack.TemporalAddress)
	direct := g.database(databaseName, nil)
	conn, err := pgx.Connect(t.Context(), g.stack.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Exec(t.Context(), "CREATE DATABASE "+databaseName)
	_ = conn.Close(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.secretKeys = s.operate(t, "key")
	s.settings = []string{"PLATEN_DATABASE_URL=" + direct, "PLATEN_SECRET_KEYS=" + s.secretKeys}
	s.operate(t, "migrate")
	s.register(t, newOwners())
	s.servePG, s.workPG, s.drivePG = g.wireToPostgres(t), g.wireToPostgres(t), g.wireToPostgres(t)
	s.start(t, settings)
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
	c := exec.CommandContext(t.Context(), s.binary, args...)
	c.Env = program.Environment(slices.Concat(s.settings, settings)...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Errorf("platen %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

func (s *service) start(t *testing.T, settings []string) {
	t.Helper()
	free, err := ports.Free("127.0.0.1", 4)
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(free[i])) }
	s.api, s.hooks, s.drive = "http://"+at(0)+"/v0", "http://"+at(1), "http://"+at(2)
	s.proxy = newDriveProxy(t, s.drive)
	keys, cloud := "PLATEN_SECRET_KEYS="+s.secretKeys, "PLATEN_DRIVE_ENDPOINT="+s.proxy.url
	database := func(w *wire) string { return "PLATEN_DATABASE_URL=" + s.database(databaseName, w) }
	working := append(settings,
		database(s.workPG), keys, cloud, "PLATEN_TEMPORAL_ADDRESS="+s.temporal.address(), "PLATEN_QUEUE="+queue, "PLATEN_ALLOW_PRIVATE=127.0.0.1/32",
		"PLATEN_BUILD_ID="+s.newest(), // also that of bin/platen-skewed
	)
	s.look = s.drive
	like, lag := likeness(t)
	if len(like) > 0 {
		s.lag = lag
		working = append(working, "PLATEN_SWEEP_AFTER="+(2*lag+5*time.Second).String())
		s.look, s.lookPG = "http://"+at(3), s.wireToPostgres(t)
		s.keep(t, "drive-look", []string{"drive"}, database(s.lookPG), "PLATEN_DRIVE="+at(3), "PLATEN_LOG_LEVEL=debug")
	}
	s.keep(t, "drive", []string{"drive"}, append(like, database(s.drivePG), "PLATEN_DRIVE="+at(2), "PLATEN_LOG_LEVEL=debug")...)
	s.keep(t, "serve", []string{"serve"}, database(s.servePG), keys, cloud, "PLATEN_API="+at(0), "PLATEN_HOOKS="+at(1), "PLATEN_LOG_LEVEL=debug")
	s.keep(t, "worker-1", []string{"worker"}, working...)
	s.keep(t, "worker-2", []string{"worker"}, working...)
	eventually(t, "the service", startLimit, s.answers)
}

// driveVariable names the drive that ours is to behave like, google, and speedVariable
// how many times as fast.
const driveVariable, speedVariable = "PLATEN_CHAOS_DRIVE", "PLATEN_CHAOS_SPEED"

// longestLag is how far lists of a drive like Google's lag behind at most, at true pace.
const longestLag = 5 * time.Minute

// likeness are settings of a drive that behaves like another, and how far its lists lag
// behind at most; none: it is itself. The suite then looks at a second drive on the same
// files, which shows everything at once.
func likeness(t *testing.T) (settings []string, lag time.Duration) {
	t.Helper()
	like := os.Getenv(driveVariable)
	if like == "" {
		return nil, 0
	}
	speed := max(testkit.Number(t, speedVariable, 60), 1)
	return []string{"PLATEN_DRIVE_LIKE=" + like, "PLATEN_DRIVE_LIKE_SPEED=" + strconv.FormatUint(speed, 10)}, longestLag / time.Duration(speed)
}

// answers tells whether the parts with an address answer.
func (s *service) answers() error {
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.drive, "http://"))
	if err != nil {
		return err
	}
	return errors.Join(conn.Close(), healthy(s.look+"/healthz"), healthy(s.hooks+"/healthz"), healthy(strings.TrimSuffix(s.api, "/v0")+"/healthz"))
}

// failpoints is the directory of failpoint files: a program that reaches the place of one
// dies.
func (s *service) failpoints() string { return filepath.Join(s.dir, "failpoints") }

func (s *service) keep(t *testing.T, name string, args []string, settings ...string) {
	t.Helper()
	env := program.Environment(append(settings, "PLATEN_FAILPOINTS="+s.failpoints(), "PLATEN_START_WAIT="+startWait.String())...)
	s.processes[name] = keep(t, s.dir, name, func(more map[string]string) (*exec.Cmd, error) {
		binary := s.binary
		if more[skewVariable] != "" {
			binary = s.skewed
		}
		c := exec.Command(binary, args...)
		c.Env = slices.Clone(env)
		for name, value := range more {
			c.Env = append(c.Env, name+"="+value)
		}
		return c, nil
	})
}

// witnessed is the name that Postgres has of connections of this suite.
const witnessed = "witness"

// connect opens the service's database past all wires.
func (s *service) connect(ctx context.Context) (*pgx.Conn, error) {
	return pgx.Connect(ctx, s.database(databaseName, nil)+"&application_name="+witnessed)
}
