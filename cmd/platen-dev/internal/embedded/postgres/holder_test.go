package postgres

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// holdVariable makes this test binary a program that holds a Postgres in the
// data directory it names until it is killed.
const holdVariable = "PLATEN_TEST_HOLD_POSTGRES"

func TestMain(m *testing.M) {
	Supervise()
	if dir := os.Getenv(holdVariable); dir != "" {
		if err := hold(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// held is what a holding program tells about itself.
type held struct {
	URL                    string
	Supervisor, Postmaster int
}

func hold(dir string) error {
	bin, err := Find("", dir)
	if err != nil {
		return err
	}
	s, err := Start(context.Background(), Options{DataDir: dir, Bin: bin})
	if err != nil {
		return err
	}
	err = json.NewEncoder(os.Stdout).Encode(held{s.URL("postgres"), s.command.Process.Pid, s.postmaster()})
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin) // until the test ends, should it forget to kill us
	return err
}

func startHolder(t *testing.T, dir string) (*exec.Cmd, held) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), holdVariable+"="+dir)
	c.Stderr = os.Stderr
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		t.Fatalf("read what the holding program says: %v", err)
	}
	var h held
	if err := json.Unmarshal(line, &h); err != nil {
		t.Fatal(err)
	}
	if h.Supervisor == 0 || h.Postmaster == 0 {
		t.Fatalf("holding program says %+v, want its processes", h)
	}
	return c, h
}

// dataDir is one that the user who runs Postgres can get to, unlike t.TempDir
// for root. Postgres must be gone from it when the test ends.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "platen-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		awaitGone(t, dir)
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return filepath.Join(dir, "data")
}

// awaitGone fails the test when a process of a cluster under dir stays.
func awaitGone(t *testing.T, dir string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "data", "postgres.lock"), os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	gone := make(chan error, 1)
	go func() { gone <- syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }()
	select {
	case err := <-gone:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Errorf("a process of the cluster in %s is still there", dir)
	}
}

func begin(t *testing.T, dir string) *Server {
	t.Helper()
	s, err := Start(t.Context(), options(t, dir))
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() { end(t, s) })
	return s
}

func options(t *testing.T, dir string) Options {
	t.Helper()
	bin, err := Find("", dir)
	if err != nil {
		t.Fatal(err)
	}
	return Options{DataDir: dir, Bin: bin, Progress: func(m string) { t.Log(m) }}
}

func end(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Errorf("Stop: %v", err)
	}
}

func execute(t *testing.T, url string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	defer conn.Close(context.Background())
	for _, q := range statements {
		if _, err := conn.Exec(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}

func query(t *testing.T, url, q string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	defer conn.Close(context.Background())
	var got string
	if err := conn.QueryRow(t.Context(), q).Scan(&got); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	return got
}

func kill(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatalf("kill %d: %v", pid, err)
		}
	}
}
