package testkit

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Pooler starts PgBouncer before the database at an address, in a pool mode: session,
// transaction or statement. It returns the address to reach it at, for the login of the
// address and, with their passwords, those of others. more are lines of its
// configuration. A machine without PgBouncer skips the test.
func Pooler(t testing.TB, databaseURL, mode string, others map[string]string, more ...string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			t.Skip("there is no PgBouncer here: apt-get install pgbouncer")
		}
	}
	server, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		t.Fatalf("read the address of the database: %v", err)
	}
	// Not the directory of the test: PgBouncer runs as somebody else, and paths of
	// sockets are short.
	dir, err := os.MkdirTemp("", "pooler")
	if err != nil {
		t.Fatalf("make a directory for PgBouncer: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	logins := map[string]string{server.User: server.Password}
	for name, password := range others {
		logins[name] = password
	}
	var users strings.Builder
	for name, password := range logins {
		fmt.Fprintf(&users, "%q %q\n", name, password)
	}
	settings := append([]string{
		"[databases]", fmt.Sprintf("* = host=%s port=%d", server.Host, server.Port),
		"[pgbouncer]", "pool_mode = " + mode, "listen_port = 6432", "unix_socket_dir = " + dir,
		"auth_type = plain", "auth_file = " + filepath.Join(dir, "users"), "default_pool_size = 40",
	}, more...)
	for name, text := range map[string]string{"users": users.String(), "pgbouncer.ini": strings.Join(settings, "\n") + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatalf("configure PgBouncer: %v", err)
		}
	}
	c := exec.Command(program, filepath.Join(dir, "pgbouncer.ini"))
	var log strings.Builder
	c.Stdout, c.Stderr = &log, &log
	if os.Getuid() == 0 { // as which it does not run
		c.SysProcAttr = &syscall.SysProcAttr{Credential: nobody(t, dir)}
	}
	if err := c.Start(); err != nil {
		t.Fatalf("start PgBouncer: %v", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = c.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = c.Process.Kill()
		<-ended
	})
	address := url.URL{Scheme: "postgres", User: url.UserPassword(server.User, server.Password), Path: "/" + server.Database}
	address.RawQuery = url.Values{"host": {dir}, "port": {"6432"}}.Encode()
	for {
		conn, err := pgx.Connect(t.Context(), address.String())
		if err == nil {
			_ = conn.Close(context.Background())
			return address.String()
		}
		select {
		case <-ended:
			t.Fatalf("PgBouncer ended: %s", log.String())
		case <-t.Context().Done():
			t.Fatalf("PgBouncer does not answer: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// nobody is the account of that name, which gets a directory with all that is in it.
func nobody(t testing.TB, dir string) *syscall.Credential {
	t.Helper()
	account, err := user.Lookup("nobody")
	if err != nil {
		t.Fatalf("look for an account: %v", err)
	}
	uid, _ := strconv.ParseUint(account.Uid, 10, 32)
	gid, _ := strconv.ParseUint(account.Gid, 10, 32)
	err = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, int(uid), int(gid))
	})
	if err != nil {
		t.Fatalf("give PgBouncer its directory: %v", err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
