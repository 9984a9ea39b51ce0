package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// toolModule names the versions of the programs: a module of its own, so that nothing of
// theirs is built into the product.
const toolModule = "test/tools/security/tools/go.mod"

// ours are the folders of the modules that are looked at, each by its own list of versions.
var ours = []string{".", "client", "cmd/platen-dev"}

// shipped are the programs that people run in production.
var shipped = []string{"platen"}

// tool runs one of the programs in a folder, and returns what it printed.
func tool(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	path, err := command(ctx, ".", "go", "tool", "-n", "-modfile="+toolModule, name)
	if err != nil {
		return nil, err
	}
	return command(ctx, dir, string(bytes.TrimSpace(path)), args...)
}

// command runs a program in a folder.
func command(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	// Programs are shipped without C and by the list of their module, and are looked at as
	// they are shipped.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	var out, faults bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &faults
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), args[0], err, bytes.TrimSpace(faults.Bytes()))
	}
	return out.Bytes(), nil
}
