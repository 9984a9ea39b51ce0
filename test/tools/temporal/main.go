// Command temporal runs a command beside the oldest Temporal that Platen supports, as
// somebody else's cluster would be: with the server's own defaults, four partitions of
// each queue among them. It is a module of its own, for a program holds one version of
// Temporal.
//
//	GOWORK=off bin/platen-dev exec -- go -C test/tools/temporal run . go test ./test/journey
//
// Postgres is that of the stack that 'platen-dev exec' started. The command sees the same
// stack with another Temporal, and runs in the repository's root.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/protobuf/types/known/durationpb"
)

// stackVariable names the file that says where the parts of the stack are
// (internal/testkit).
const stackVariable = "PLATEN_TEST_STACK"

const (
	namespace = "default"
	retention = 72 * time.Hour // the least that docs/production.md asks for
	patience  = 2 * time.Minute
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "temporal:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, command []string) error {
	if len(command) == 0 {
		return errors.New("name a command to run beside Temporal, such as 'go test ./test/journey'")
	}
	stack, err := readStack(os.Getenv(stackVariable))
	if err != nil {
		return fmt.Errorf("read the stack (%s): %w; run this by 'bin/platen-dev exec'", stackVariable, err)
	}
	folder, err := os.MkdirTemp("", "platen-temporal-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	server, address, err := start(ctx, stack["databaseUrl"])
	if err != nil {
		return fmt.Errorf("start Temporal: %w", err)
	}
	defer func() { _ = server.Stop() }()
	version, err := register(ctx, address)
	if err != nil {
		return fmt.Errorf("make namespace %s: %w", namespace, err)
	}
	fmt.Printf("Temporal   %s at %s, %d partitions\n", version, address, partitions)
	stack["temporalAddress"], stack["temporalNamespace"] = address, namespace
	changed, err := json.Marshal(stack)
	if err != nil {
		return err
	}
	file := filepath.Join(folder, "stack.json")
	if err := os.WriteFile(file, changed, 0o600); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Dir, c.Stdout, c.Stderr = "../../..", os.Stdout, os.Stderr
	c.Env = append(os.Environ(), stackVariable+"="+file, "GOWORK=") // the root has a go.work; this module is outside it
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	return c.Run()
}

func readStack(file string) (stack map[string]string, err error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return stack, json.Unmarshal(raw, &stack)
}

// freePorts are ports of this machine that nobody listens at.
func freePorts(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// database makes a database on the server of a URL where it is missing.
func database(ctx context.Context, server *url.URL, name string) error {
	conn, err := pgx.Connect(ctx, server.String())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	return err
}

// register makes the namespace, and waits until it can be used.
func register(ctx context.Context, address string) (version string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := client.NewLazyClient(client.Options{HostPort: address, Namespace: namespace, Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))})
	if err != nil {
		return "", err
	}
	defer c.Close()
	for tick := time.NewTicker(200 * time.Millisecond); ; {
		_, err := c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{Namespace: namespace, WorkflowExecutionRetentionPeriod: durationpb.New(retention)})
		if _, there := errors.AsType[*serviceerror.NamespaceAlreadyExists](err); err == nil || there {
			_, err = c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Namespace: namespace})
		}
		if err == nil {
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return "", errors.Join(err, ctx.Err())
		}
	}
	info, err := c.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	return info.GetServerVersion(), err
}
