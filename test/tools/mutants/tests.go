package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// mostMemory bounds the addresses of a process of tests, in KiB: a mutant may
// have a loop take memory without end.
const mostMemory = 6 << 20

// writeOverlay writes the file with its mutant below temp, and the list that has
// the go command read it in the place of the one in the tree.
func writeOverlay(m mutant, temp string) (overlay string, err error) {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return "", err
	}
	changed := filepath.Join(temp, "mutant.go")
	if err := os.WriteFile(changed, m.apply(source), 0o600); err != nil {
		return "", err
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {m.file: changed}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(temp, "overlay.json")
	return overlay, os.WriteFile(overlay, replace, 0o600)
}

// build runs the go command on a package.
func build(ctx context.Context, p goPackage, arguments ...string) (out []byte, err error) {
	command := exec.CommandContext(ctx, "go", append(arguments, p.ImportPath)...)
	command.Dir = p.Dir
	return command.CombinedOutput()
}

// runTests runs a binary of tests where the go command would. The error is
// context.DeadlineExceeded when they do not end within the limit.
func runTests(ctx context.Context, p goPackage, binary string, limit time.Duration, flags ...string) (out []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	// Where there is no such limit, as on macOS, the tests run without it.
	const bounded = `ulimit -v "$0" 2>/dev/null; exec "$@"`
	command := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", bounded, fmt.Sprint(mostMemory), binary}, append(p.testFlags(), flags...)...)...)
	command.Dir = p.Dir
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	// With all that they have started.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = 5 * time.Second
	err = command.Run()
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return said.Bytes(), err
}

// tail is the end of what tests print, where it says what failed.
func tail(out []byte) []byte {
	const most = 4 << 10
	return out[max(0, len(out)-most):]
}
