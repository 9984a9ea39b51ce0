package repository

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/testkit/program"
)

// The script waits in a folder of its own, for a process that does not end when it is told.
func TestTheSharedStackSaysThatItDoesNotStop(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("test/stack.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	deaf := exec.Command("bash", "-c", `trap "" TERM; echo ready; exec -a platen-dev sleep 600`)
	said, err := deaf.StdoutPipe()
	if err == nil {
		err = deaf.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = deaf.Process.Kill(); _ = deaf.Wait() })
	if _, err := said.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	pid := strconv.Itoa(deaf.Process.Pid)
	for name, content := range map[string]string{"test/stack.sh": string(script), ".stack/ready.json": "{}", ".stack/pid": pid} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	call := func(what string) (complaint string, err error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c := exec.CommandContext(ctx, "bash", "test/stack.sh", what)
		var said bytes.Buffer
		c.Dir, c.Stderr, c.Env = dir, &said, append(os.Environ(), "STOP_SECONDS=0")
		err = c.Run()
		return said.String(), err
	}
	if _, err := exec.LookPath("ps"); err != nil {
		t.Skipf("%v: make tools installs it", err)
	}
	err = program.Within(time.Minute, func() error { // until the process has its name
		_, err := call("running")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if complaint, err := call("stop"); err == nil || !strings.Contains(complaint, "kill -9 "+pid) {
		t.Errorf("got %v, %q; want a failure that names the process", err, complaint)
	}
	if _, err := os.Stat(filepath.Join(dir, ".stack/pid")); err != nil {
		t.Errorf("what runs still is forgotten: %v", err)
	}
}
