package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"time"

	"github.com/alecthomas/kong"

	"github.com/platenhq/platen/internal/app"
	"github.com/platenhq/platen/internal/config"
)

// Variables that tell a process which part of the service it is.
const (
	partVariable    = "PLATEN_BENCH_PART"
	profileVariable = "PLATEN_BENCH_PROFILE"
)

// Names of the parts. The first three are the service's, as cmd/platen runs
// them; the others are yardsticks.
const (
	partServe  = "serve"
	partWorker = "worker"
	partDrive  = "drive"
	partBare   = "bare"
	partInsert = "insert"
	partNoop   = "noop"
	partLoop   = "loop"
)

// addresses are what a part says when it is ready.
type addresses struct {
	Main    string `json:"main"`
	Hooks   string `json:"hooks,omitempty"`
	Metrics string `json:"metrics,omitempty"` // of a part that is watched
}

// A part is a running process.
type part struct {
	addresses
	name   string
	cmd    *exec.Cmd
	stdin  io.Closer
	ended  chan error
	stderr *tail
}

// start runs this program again as a part, with its settings in the
// environment, and returns when it answers.
func (b *bench) start(ctx context.Context, name string, settings map[string]string) (*part, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &part{name: name, cmd: exec.Command(self), ended: make(chan error, 1), stderr: &tail{}}
	p.cmd.Env = append(os.Environ(), partVariable+"="+name)
	if b.options.Profile != "" {
		p.cmd.Env = append(p.cmd.Env, profileVariable+"="+b.options.Profile)
	}
	for key, value := range settings {
		p.cmd.Env = append(p.cmd.Env, key+"="+value)
	}
	p.cmd.Stderr = p.stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	ready := make(chan error, 1)
	go func() {
		line, err := bufio.NewReader(stdout).ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, &p.addresses)
		}
		ready <- err
		p.ended <- p.cmd.Wait()
	}()
	select {
	case err = <-ready:
	case <-time.After(time.Minute):
		err = errors.New("it was not ready within a minute")
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("start %s: %w\n%s", name, err, p.stderr)
	}
	return p, nil
}

// stop lets the part drain, as SIGTERM does, and ends it if it does not.
func (p *part) stop() {
	if p == nil {
		return
	}
	_ = p.stdin.Close() // the part ends when its standard input does
	select {
	case <-p.ended:
	case <-time.After(15 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// A tail keeps the last of what a part logs, for when it fails.
type tail struct{ kept []byte }

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	if excess := len(t.kept) - 8<<10; excess > 0 {
		t.kept = t.kept[excess:]
	}
	return len(b), nil
}

func (t *tail) String() string { return string(t.kept) }

// runPart is main of a part.
func runPart(ctx context.Context, name string) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends when our parent closes it or dies
		stop()
	}()
	if dir := os.Getenv(profileVariable); dir != "" {
		stop, err := startProfile(dir, name)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	switch name {
	case partServe:
		return beServe(ctx)
	case partWorker:
		return beWorker(ctx)
	case partDrive:
		return beDrive(ctx)
	case partBare, partInsert, partNoop, partLoop:
		return beYardstick(ctx, name)
	}
	return fmt.Errorf("there is no part %q", name)
}

// startProfile writes a CPU profile until stop is called.
func startProfile(dir, name string) (stop func() error, err error) {
	file, err := os.Create(filepath.Join(dir, fmt.Sprintf("%s-%d.pprof", name, os.Getpid())))
	if err != nil {
		return nil, fmt.Errorf("profile %s: %w", name, err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, errors.Join(fmt.Errorf("profile %s: %w", name, err), file.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return file.Close()
	}, nil
}

// tell says on standard output that the part answers.
func tell(a addresses) {
	_ = json.NewEncoder(os.Stdout).Encode(a) // nobody listening: standard input is closed, too
}

// settings fills a configuration as cmd/platen does: defaults and environment.
func settings(c any) error {
	parser, err := kong.New(c)
	if err != nil {
		return err
	}
	_, err = parser.Parse(nil)
	return err
}

func listen() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }

func address(l net.Listener) string { return "http://" + l.Addr().String() }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func beServe(ctx context.Context) error {
	var c config.Serve
	if err := settings(&c); err != nil {
		return err
	}
	api, err := listen()
	if err != nil {
		return err
	}
	hooks, err := listen()
	if err != nil {
		return err
	}
	metrics, stop, err := beWatched(ctx, &c.Observe, "serve", app.Logger(c.Log))
	if err != nil {
		return err
	}
	defer stop()
	ready := func() { tell(addresses{Main: address(api) + "/v0", Hooks: address(hooks), Metrics: metrics}) }
	app.CollectLess()
	return app.Serve(ctx, c, app.Logger(c.Log), api, hooks, ready)
}

func beWorker(ctx context.Context) error {
	var c config.Work
	if err := settings(&c); err != nil {
		return err
	}
	metrics, stop, err := beWatched(ctx, &c.Observe, "worker", app.Logger(c.Log))
	if err != nil {
		return err
	}
	defer stop()
	app.CollectLessAtWork()
	return app.Work(ctx, c, app.Logger(c.Log), func() { tell(addresses{Metrics: metrics}) })
}

func beDrive(ctx context.Context) error {
	var c config.DriveServer
	if err := settings(&c); err != nil {
		return err
	}
	l, err := listen()
	if err != nil {
		return err
	}
	metrics, stop, err := beWatched(ctx, &c.Observe, "drive", app.Logger(c.Log))
	if err != nil {
		return err
	}
	defer stop()
	app.CollectInDrive()
	return app.Drive(ctx, c, app.Logger(c.Log), l, func() { tell(addresses{Main: address(l), Metrics: metrics}) })
}
