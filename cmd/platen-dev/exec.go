package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/platenhq/platen/internal/config"
)

type execCommand struct {
	PostgresBin string   `env:"PLATEN_DEV_POSTGRES_BIN" help:"Directory of Postgres' programs (initdb, postgres). Default: looked for on the PATH and in the usual places."`
	Command     []string `arg:"" passthrough:"" help:"Command and its arguments. PLATEN_TEST_STACK in its environment names the ready file."`
}

// Run ends with the command's exit code.
func (c *execCommand) Run(ctx context.Context) error {
	words := c.Command
	if words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		return errors.New("exec needs a command, such as: platen-dev exec -- go version")
	}
	return runTemporary(ctx, c.PostgresBin, func(ctx context.Context, i *instance) error {
		file := filepath.Join(i.dataDir, "ready.json")
		if err := i.ready.write(file); err != nil {
			return err
		}
		command := exec.CommandContext(ctx, words[0], words[1:]...)
		command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
		command.Env = append(os.Environ(), "PLATEN_TEST_STACK="+file)
		command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
		command.WaitDelay = 5 * time.Second
		if err := command.Run(); err != nil {
			return fmt.Errorf("%s: %w", words[0], err)
		}
		return nil
	})
}

// exitCode passes on the code of a command that was run.
func exitCode(err error) int {
	var exited *exec.ExitError
	if errors.As(err, &exited) && exited.ExitCode() > 0 {
		return exited.ExitCode()
	}
	return 1
}

// runTemporary runs an instance on free ports in a directory of its own, which
// is removed when all went well and kept to look at when not.
func runTemporary(ctx context.Context, postgresBin string, use func(context.Context, *instance) error) (err error) {
	dir, err := os.MkdirTemp("", "platen-dev-*")
	if err != nil {
		return err
	}
	defer func() {
		if err == nil || ctx.Err() != nil {
			err = errors.Join(err, os.RemoveAll(dir))
			return
		}
		fmt.Fprintf(os.Stderr, "The instance's data and logs are kept in %s\n", dir)
	}()
	// Postgres runs as another user when we are root, and has to get through.
	if err := os.Chmod(dir, 0o711); err != nil {
		return err
	}
	const free = "127.0.0.1:0"
	s := settings{
		DataDir: filepath.Join(dir, "data"), PostgresBin: postgresBin,
		API: free, Hooks: free, Drive: free, Metrics: free, Temporal: free, TemporalUI: free,
		Log: config.Defaults[config.Log](),
	}
	return runInstance(ctx, s, use)
}
