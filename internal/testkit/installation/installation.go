// Package installation runs Platen as in production, for tests of the whole. Each
// program is a process of its own. The database is new, and set up by the commands that
// an operator types.
//
// Nothing but tests may import it. What a test configures over /v0, sends and receives
// belongs in that test.
package installation

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/oauth2"
	driveapi "google.golang.org/api/drive/v3"
	"google.golang.org/api/option"

	"github.com/platenhq/platen/examples"
	"github.com/platenhq/platen/internal/testkit"
	"github.com/platenhq/platen/internal/testkit/pages"
	"github.com/platenhq/platen/internal/testkit/ports"
	"github.com/platenhq/platen/internal/testkit/program"
)

// Patience bounds every wait.
const Patience = 3 * time.Minute

// Options of New. Only Name is required.
type Options struct {
	// Name is that of the suite. Databases, queue and directory begin with it.
	Name string
	// Dir is where logs go. Default: a directory of its own, kept when the test fails.
	Dir string
	// Stack has Postgres and Temporal. Default: the shared one.
	Stack testkit.Stack
	// Separate gives the drive a database of its own.
	Separate bool
	// Settings are added to those that every installation has, as NAME=value.
	Settings []string
}

// An Installation has up to two processes each of serve, of drive and of worker. Its
// methods are for the goroutine of the test.
type Installation struct {
	Dir string
	// Binary is the program that Operate and Start run.
	Binary string
	// Database and DriveDatabase are addresses; they are the same unless Options.Separate.
	Database, DriveDatabase string
	// API, Hooks and Drive are where each process answers, such as http://127.0.0.1:4000.
	API, Hooks, Drive [2]string
	// Settings are the environment of programs that start from now on, as NAME=value.
	Settings []string

	ready [2]string // where workers answer
	lives map[string]*program.Life
}

// New makes the databases and the settings, with a key that protects secrets, and
// migrates. Nothing runs yet.
func New(t testing.TB, o Options) *Installation {
	t.Helper()
	stack := o.Stack
	if stack.DatabaseURL == "" {
		stack = testkit.Running(t)
	}
	if o.Dir == "" {
		o.Dir = program.Dir(t, "platen-"+o.Name)
	}
	i := &Installation{Dir: o.Dir, Binary: program.Built(t, "platen"), lives: map[string]*program.Life{}}
	i.Database = newDatabase(t, stack.DatabaseURL, o.Name)
	if i.DriveDatabase = i.Database; o.Separate {
		i.DriveDatabase = newDatabase(t, stack.DatabaseURL, o.Name)
	}
	free := Addresses(t, 8)
	for kind, both := range []*[2]string{&i.API, &i.Hooks, &i.Drive, &i.ready} {
		copy(both[:], free[2*kind:])
	}
	i.Settings = append([]string{
		"PLATEN_DATABASE_URL=" + i.Database, "PLATEN_DRIVE_KIND=platen", "PLATEN_ALLOW_PRIVATE=127.0.0.1/32",
		"PLATEN_TEMPORAL_ADDRESS=" + stack.TemporalAddress, "PLATEN_TEMPORAL_NAMESPACE=" + stack.TemporalNamespace,
		"PLATEN_QUEUE=" + o.Name + "-" + strings.ToLower(rand.Text()),
	}, o.Settings...)
	i.Reach(i.API[0], i.Hooks[0], i.Drive[0])
	i.Set("PLATEN_SECRET_KEYS", i.Operate(t, "key"))
	return i
}

// Addresses are free ones of this machine, such as http://127.0.0.1:4000.
func Addresses(t testing.TB, n int) []string {
	t.Helper()
	free, err := ports.Free("127.0.0.1", n)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]string, n)
	for i, port := range free {
		all[i] = "http://127.0.0.1:" + strconv.Itoa(port)
	}
	return all
}

// Reach says where clients find the installation. Default: its first processes.
func (i *Installation) Reach(api, hooks, drive string) {
	i.Set("PLATEN_DRIVE_ENDPOINT", drive)
	i.Set("PLATEN_API_URL", api+"/v0")
	i.Set("PLATEN_HOOKS_URL", hooks)
	i.Set("PLATEN_DRIVE_URL", drive)
}

// Set changes a setting of programs that start from now on; an empty one is none.
func (i *Installation) Set(name, value string) {
	i.Settings = slices.DeleteFunc(i.Settings, func(setting string) bool { return strings.HasPrefix(setting, name+"=") })
	if value != "" {
		i.Settings = append(i.Settings, name+"="+value)
	}
}

// Operate runs an operator's command and returns what it prints, without space around it.
func (i *Installation) Operate(t testing.TB, args ...string) string {
	t.Helper()
	return i.OperateWith(t, nil, args...)
}

// OperateWith is Operate with more settings.
func (i *Installation) OperateWith(t testing.TB, settings []string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), i.Binary, args...)
	c.Env = program.Environment(slices.Concat(i.Settings, settings)...)
	c.Stderr = t.Output()
	out, err := c.Output()
	if err != nil {
		t.Fatalf("platen %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// Migrate makes the tables, those of the drive too.
func (i *Installation) Migrate(t testing.TB) {
	t.Helper()
	i.Operate(t, "migrate")
	if i.DriveDatabase != i.Database {
		i.OperateWith(t, i.ofDrive(), "migrate")
	}
}

func (i *Installation) ofDrive() []string { return []string{"PLATEN_DATABASE_URL=" + i.DriveDatabase} }

// Enroll makes a user, and a token each of the API and of the drive. The rest of args goes
// to platen user create.
func (i *Installation) Enroll(t testing.TB, name, email string, args ...string) (token, driveToken string) {
	t.Helper()
	i.Operate(t, append([]string{"user", "create", "--name", name, "--email", email}, args...)...)
	token = i.Operate(t, "token", "create", "--user", email)
	return token, i.OperateWith(t, i.ofDrive(), "drive", "token", "--email", email)
}

// Connect connects a user with the drive, which runs.
func (i *Installation) Connect(t testing.TB, email, driveToken string) {
	t.Helper()
	i.OperateWith(t, []string{"PLATEN_DRIVE_CREDENTIAL=" + driveToken}, "user", "connect", "--email", email, "--kind", "token")
}

// Start runs programs, and returns when they are ready. A name is a command and which of
// its processes it is: serve is serve-1. Those that the test leaves running are stopped.
func (i *Installation) Start(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		i.start(t, name)
	}
}

func (i *Installation) start(t testing.TB, name string) {
	t.Helper()
	command, number, _ := strings.Cut(name, "-")
	at := slices.Index([]string{"1", "2"}, cmp.Or(number, "1"))
	if at < 0 {
		t.Fatalf("%s: there are two of each", name)
	}
	c := exec.Command(i.Binary, command)
	c.Env = program.Environment(append(slices.Clone(i.Settings),
		"PLATEN_API="+Host(i.API[at]), "PLATEN_HOOKS="+Host(i.Hooks[at]), "PLATEN_DRIVE="+Host(i.Drive[at]))...)
	ready := map[string]string{"serve": i.API[at], "drive": i.Drive[at], "worker": i.ready[at]}[command]
	switch command {
	case "worker":
		c.Env = append(c.Env, "PLATEN_METRICS="+Host(ready))
	case "drive":
		c.Env = append(c.Env, i.ofDrive()...)
	}
	life, err := program.Start(c, filepath.Join(i.Dir, name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	i.lives[name] = life
	t.Cleanup(func() {
		if i.lives[name] == life {
			i.Stop(t, name)
		}
		if t.Failed() {
			t.Logf("%s said:\n%.8000s", name, life.Said())
		}
	})
	Eventually(t, name, func() error {
		answer, err := http.Get(ready + "/readyz")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return errors.New(answer.Status)
		}
		return nil
	})
}

// Running are the programs that run, by name.
func (i *Installation) Running() map[string]*program.Life { return i.lives }

// Stop ends programs as an operator does, and returns when they have ended.
func (i *Installation) Stop(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		life := i.lives[name]
		if life == nil {
			t.Fatalf("%s does not run", name)
		}
		delete(i.lives, name)
		_ = life.Signal(syscall.SIGTERM) // it may have ended
		select {
		case <-life.Ended:
		case <-time.After(Patience):
			t.Errorf("%s did not end", name)
			_ = life.Signal(syscall.SIGKILL)
			<-life.Ended
		}
		if code := life.State.ExitCode(); code != 0 {
			t.Errorf("%s ended with %d, want 0", name, code)
		}
	}
}

// StaySmall stops all programs, and holds the memory of each at its largest against a
// limit in bytes.
func (i *Installation) StaySmall(t testing.TB, most int64) {
	t.Helper()
	for name, life := range maps.Clone(i.lives) {
		select {
		case <-life.Ended:
			t.Errorf("%s has ended by itself", name)
		default:
		}
		i.Stop(t, name)
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

// Files is the drive of the user with this token, by the client that everybody has.
func (i *Installation) Files(t testing.TB, driveToken string) *driveapi.FilesService {
	t.Helper()
	at := ""
	for _, setting := range i.Settings {
		if value, ok := strings.CutPrefix(setting, "PLATEN_DRIVE_ENDPOINT="); ok {
			at = value
		}
	}
	api, err := driveapi.NewService(t.Context(), option.WithEndpoint(at+"/drive/v3/"),
		option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: driveToken})))
	if err != nil {
		t.Fatal(err)
	}
	return api.Files
}

// Template puts the template of an example into the drive under a name, and returns its id.
func (i *Installation) Template(t testing.TB, driveToken, name, example string) string {
	t.Helper()
	e, err := examples.Get(example)
	if err != nil {
		t.Fatal(err)
	}
	made, err := i.Files(t, driveToken).Create(&driveapi.File{Name: name, MimeType: e.MIMEType}).
		Media(bytes.NewReader(e.Template)).Fields("id").Do()
	if err != nil {
		t.Fatal(err)
	}
	return made.Id
}

// Typed runs the commands that a page of the docs prints below a heading, on the
// database of the installation.
func (i *Installation) Typed(t testing.TB, page, heading string) {
	t.Helper()
	address, err := url.Parse(i.Database)
	if err != nil {
		t.Fatal(err)
	}
	name, user := strings.TrimPrefix(address.Path, "/"), address.User.Username()
	i.Shell(t, strings.NewReplacer(
		"DATABASE platen RENAME TO platen_wrong", "DATABASE "+name+" RENAME TO "+name+"_wrong",
		"createdb platen --owner platen", "createdb "+name+" --owner "+user,
		"psql --quiet platen", "psql --quiet --set=ON_ERROR_STOP=1 "+name).Replace(pages.Typed(t, "docs/"+page, heading)))
}

// Shell runs commands where the service's database and program are at hand, as an
// operator has them.
func (i *Installation) Shell(t testing.TB, commands string) {
	t.Helper()
	Shell(t, i.Dir, i.Database, "platen() { "+i.Binary+" \"$@\"; }\n"+commands, i.Settings...)
}

// Shell runs commands where a database, by its address, is at hand as Postgres' user has
// it.
func Shell(t testing.TB, dir, database, commands string, settings ...string) {
	t.Helper()
	address, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := address.User.Password()
	c := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", "sudo() { shift 2; \"$@\"; }\n"+commands)
	c.Dir, c.Env = dir, program.Environment(append([]string{
		"PGHOST=" + address.Hostname(), "PGPORT=" + address.Port(), "PGUSER=" + address.User.Username(), "PGPASSWORD=" + password, "PGDATABASE=postgres",
	}, settings...)...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", commands, err, out)
	}
}

// Query reads one row of a database. Without one, into stays as it is.
func Query(t testing.TB, database, sql string, args []any, into ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(into...); err != nil && !errors.Is(err, pgx.ErrNoRows) {
		t.Fatalf("%s: %v", sql, err)
	}
}

// Execute carries out statements in a database.
func Execute(t testing.TB, database string, statements ...string) {
	t.Helper()
	if err := execute(t.Context(), database, statements...); err != nil {
		t.Fatal(err)
	}
}

func execute(ctx context.Context, database string, statements ...string) error {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// newDatabase makes an empty one and returns its address. Pages that tell how to restore
// rename it to NAME_wrong.
func newDatabase(t testing.TB, server, suite string) string {
	t.Helper()
	name := suite + "_" + strings.ToLower(rand.Text())
	Execute(t, server, "CREATE DATABASE "+name)
	t.Cleanup(func() { // the test's own context is over at its end
		if err := execute(context.Background(), server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)", "DROP DATABASE IF EXISTS "+name+"_wrong WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	address, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	address.Path = "/" + name
	return address.String()
}

// Host is host:port of an address.
func Host(address string) string { return strings.TrimPrefix(address, "http://") }

// Eventually waits until check has nothing to say against it any more.
func Eventually(t testing.TB, what string, check func() error) {
	t.Helper()
	if err := program.Within(Patience, check); err != nil {
		t.Fatalf("waited %v for %s: %v", Patience, what, err)
	}
}
