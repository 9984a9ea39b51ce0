package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
)

// modules names the versions of the programs: a module of its own, so that nothing of
// theirs is built into the product.
const modules = "test/security/tools/go.mod"

// shipped are the programs that people run in production.
var shipped = []string{"platen"}

// tool runs one of the programs in the repository's folder, and returns what it printed.
func tool(ctx context.Context, name string, args ...string) ([]byte, error) {
	return command(ctx, append([]string{"tool", "-modfile=" + modules, name}, args...)...)
}

// command runs the go command in the repository's folder.
func command(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	// Programs are shipped without C, and are looked at as they are shipped.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	var out, faults bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &faults
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(faults.Bytes()))
	}
	return out.Bytes(), nil
}
