package postgres

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/testkit/ports"
)

func TestRestartKeepsDataAndPassword(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	first, err := Start(t.Context(), options(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	execute(t, first.URL("postgres"), "CREATE TABLE kept AS SELECT 'here' AS value")
	end(t, first)

	second := begin(t, dir)
	if got := query(t, second.URL("postgres"), "SELECT value FROM kept"); got != "here" {
		t.Errorf("value after restart = %q, want here", got)
	}
	if first.Password() != second.Password() {
		t.Error("the password changed between two starts")
	}
	if err := first.Err(); err != nil {
		t.Errorf("Err after an orderly stop = %v, want nil", err)
	}
}

// What our Postgres is given and others are not, no test of the product sees.
func TestNothingIsSetThatAServerElsewhereLacks(t *testing.T) {
	t.Parallel()
	s := begin(t, dataDir(t))
	const want = "listen_addresses,max_connections,password_encryption,port,unix_socket_directories"
	given := "SELECT string_agg(name, ',' ORDER BY name) FROM pg_settings WHERE source = 'command line' AND name NOT IN ('config_file', 'data_directory', 'hba_file', 'ident_file')"
	if got := query(t, s.URL("postgres"), given); got != want {
		t.Errorf("set: %s, want %s", got, want)
	}
}

func TestClusterIsSafeAndPrivate(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	s := begin(t, dir)
	for setting, want := range map[string]string{
		"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on", "data_checksums": "on",
		"server_encoding": "UTF8", "lc_collate": "C", "listen_addresses": "127.0.0.1", "unix_socket_directories": "",
		"password_encryption": "scram-sha-256",
	} {
		// lc_collate is no setting any more since Postgres 16.
		q := "SELECT current_setting('" + setting + "')"
		if setting == "lc_collate" {
			q = "SELECT datcollate FROM pg_database WHERE datname = 'postgres'"
		}
		if got := query(t, s.URL("postgres"), q); got != want {
			t.Errorf("%s = %q, want %q", setting, got, want)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "postgres-password"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("password file has mode %o, want 600", info.Mode().Perm())
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.new*")); len(left) > 0 {
		t.Errorf("initdb left %v behind", left)
	}
	wrong := strings.Replace(s.URL("postgres"), s.Password(), "wrong", 1)
	if conn, err := pgx.Connect(t.Context(), wrong); err == nil {
		conn.Close(context.Background())
		t.Error("a wrong password was accepted")
	}
}

func TestSecondProgramIsToldWhoHoldsTheDirectory(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	holder, _ := startHolder(t, dir)
	_, err := Start(t.Context(), options(t, dir))
	var inUse *InUseError
	if !errors.As(err, &inUse) || inUse.PID != holder.Process.Pid {
		t.Errorf("Start on a directory in use = %v, want InUseError with process %d", err, holder.Process.Pid)
	}
}

func TestKilledProgramLeavesNoPostgresBehind(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	holder, h := startHolder(t, dir)
	kill(t, holder.Process.Pid)
	awaitGone(t, filepath.Dir(dir))
	if line := commandLine(h.Postmaster); line != "" {
		t.Errorf("process %d still runs %q", h.Postmaster, line)
	}
	log, err := os.ReadFile(filepath.Join(dir, "log", "postgres.log"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(log), "database system is shut down") {
		t.Errorf("Postgres was not shut down in order; its log ends: %s", lastLines(log, 5))
	}
}

func TestStartWaitsForTheOneThatIsStillStopping(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	holder, h := startHolder(t, dir)
	execute(t, h.URL, "CREATE TABLE kept AS SELECT 'here' AS value")
	kill(t, holder.Process.Pid)
	_ = holder.Wait() // the program's own lock is free once it is gone
	s := begin(t, dir)
	if got := query(t, s.URL("postgres"), "SELECT value FROM kept"); got != "here" {
		t.Errorf("value after the program was killed = %q, want here", got)
	}
}

func TestCommittedDataSurvivesTheDeathOfEverything(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	holder, h := startHolder(t, dir)
	execute(t, h.URL, "CREATE TABLE kept AS SELECT 'here' AS value")
	kill(t, h.Supervisor, h.Postmaster, holder.Process.Pid)
	_ = holder.Wait()
	s := begin(t, dir)
	if got := query(t, s.URL("postgres"), "SELECT value FROM kept"); got != "here" {
		t.Errorf("value after everything was killed = %q, want here", got)
	}
}

func TestStartStopsAnOrphanWhoseSupervisorWasKilled(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	holder, h := startHolder(t, dir)
	kill(t, h.Supervisor, holder.Process.Pid)
	_ = holder.Wait()
	if commandLine(h.Postmaster) == "" {
		t.Fatal("Postgres died with its supervisor: this test would show nothing")
	}
	begin(t, dir)
	if line := commandLine(h.Postmaster); line != "" {
		t.Errorf("orphan %d still runs %q", h.Postmaster, line)
	}
}

func TestStopEndsPostgresEvenWithoutItsSupervisor(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	s, err := Start(t.Context(), options(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	pid := s.postmaster()
	kill(t, s.command.Process.Pid)
	<-s.Done()
	if s.Err() == nil {
		t.Error("Err after the supervisor was killed = nil, want an error")
	}
	end(t, s)
	if line := commandLine(pid); line != "" {
		t.Errorf("process %d still runs %q", pid, line)
	}
}

func TestStalePIDFileOfALivingStrangerDoesNotHinder(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	first, err := Start(t.Context(), options(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	end(t, first)
	// As after a power failure, when the number now belongs to another process.
	if err := os.WriteFile(first.pidFile(), []byte(strconv.Itoa(os.Getpid())+"\n"+first.dirs.cluster+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	begin(t, dir)
}

func TestDatabaseIsMadeOnceAndKept(t *testing.T) {
	t.Parallel()
	s := begin(t, dataDir(t))
	for range 2 {
		if err := s.EnsureDatabase(t.Context(), "odd \"name"); err != nil {
			t.Fatal(err)
		}
	}
	const count = `SELECT count(*)::text FROM pg_database WHERE datname = 'odd "name'`
	if got := query(t, s.URL("postgres"), count); got != "1" {
		t.Errorf("databases of that name = %s, want 1", got)
	}
}

func TestServerThatDiesIsReported(t *testing.T) {
	t.Parallel()
	s := begin(t, dataDir(t))
	if err := syscall.Kill(s.postmaster(), syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.Done():
	case <-time.After(time.Minute):
		t.Fatal("Done was not closed")
	}
	if s.Err() == nil || !strings.Contains(s.Err().Error(), "postgres.log") {
		t.Errorf("Err = %v, want an error that names the log", s.Err())
	}
}

func TestTakenPortIsNamed(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o := options(t, dataDir(t))
	o.Port = l.Addr().(*net.TCPAddr).Port
	if _, err := Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), l.Addr().String()) {
		t.Errorf("Start on a taken port = %v, want an error that names %s", err, l.Addr())
	}
}

func TestLostPasswordIsNamed(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	s, err := Start(t.Context(), options(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	end(t, s)
	if err := os.Remove(s.dirs.password); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), options(t, dir)); err == nil || !strings.Contains(err.Error(), s.dirs.password) {
		t.Errorf("Start without the password = %v, want an error that names %s", err, s.dirs.password)
	}
}

func TestDirectoryThatPostgresCannotReachIsNamed(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("an ordinary user runs Postgres as itself")
	}
	dir := dataDir(t)
	closed := filepath.Join(filepath.Dir(dir), "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	o := options(t, filepath.Join(closed, "data"))
	_, err := Start(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "chmod o+x "+closed) {
		t.Errorf("Start below a closed directory = %v, want the cure for %s", err, closed)
	}
}

func TestDataDirectoryIsOpenedOnlyAsFarAsPostgresNeeds(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("an ordinary user runs Postgres as itself")
	}
	other, err := chooseAccount("")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		uid  int
		want os.FileMode
	}{
		"of root":                        {0, 0o701},
		"of the user that runs Postgres": {int(other.uid), 0o700},
	} {
		dir := dataDir(t)
		if err := errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, c.uid, 0)); err != nil {
			t.Fatal(err)
		}
		dirs, err := layout(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := makeDataDir(dirs, other); err != nil {
			t.Errorf("directory %s: %v", name, err)
		}
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != c.want {
			t.Errorf("directory %s has mode %o, want %o", name, got, c.want)
		}
	}
}

func TestCancelledStartLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	o := options(t, dir)
	o.Progress = func(string) { cancel() } // in the middle of the first start
	if _, err := Start(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled Start = %v, want context.Canceled", err)
	}
	begin(t, dir)
}

// Two first starts at once may choose one port. The other server refuses our password.
func TestAStartThatLostItsPortToAnotherServerTakesAnother(t *testing.T) {
	t.Parallel()
	other := begin(t, dataDir(t))
	dirs, err := layout(dataDir(t))
	if err != nil {
		t.Fatal(err)
	}
	tries := 0
	s := &Server{dirs: dirs, free: func(host string, n int) ([]int, error) {
		if tries++; tries == 1 {
			return []int{other.port}, nil
		}
		return ports.Free(host, n)
	}}
	if err := s.start(t.Context(), options(t, dirs.root)); err != nil {
		s.abandon()
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(func() { end(t, s) })
	if tries != 2 || s.port == other.port {
		t.Errorf("got port %d at try %d, want another than %d at the second", s.port, tries, other.port)
	}
}

func TestAFullDiskIsToldInPlainWords(t *testing.T) {
	t.Parallel()
	s := &Server{dirs: directories{root: "/data"}}
	panicked := "PANIC:  could not write to file \"pg_wal/xlogtemp.1\": No space left on device\nchild process was terminated"
	if err := s.full(panicked); err == nil || !strings.HasPrefix(err.Error(), "no space left in /data") {
		t.Errorf("got %v, want no space left in /data", err)
	}
	if err := s.full("initdb: error: could not create directory: Permission denied"); err != nil {
		t.Errorf("another fault: got %v", err)
	}
}
