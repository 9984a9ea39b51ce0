package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/client"
)

func TestLoginKeepsATokenThatTheAPIKnows(t *testing.T) {
	t.Parallel()
	d := sit(t)
	file := filepath.Join(d.Config, loginFile)
	d.In = strings.NewReader("plt_wrong\n")
	if err := d.run(t.Context(), "login", d.api); ExitCode(err) != ExitNoAccess {
		t.Errorf("a token of nobody: got %v, want exit code %d", err, ExitNoAccess)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a token of nobody was kept")
	}
	d.In = strings.NewReader(token + "\r\nmore")
	if err := d.run(t.Context(), "login", strings.TrimSuffix(d.api, "/v0")); err != nil {
		t.Fatal(err)
	}
	if got := d.out.String(); !strings.Contains(got, "as Ada <ada@example.com>") || strings.Contains(got, token) {
		t.Errorf("got %q, want whose token it is, and not the token", got)
	}
	for name, want := range map[string]os.FileMode{file: 0o600, d.Config: 0o700 | os.ModeDir} {
		if info, err := os.Stat(name); err != nil || info.Mode() != want {
			t.Errorf("%s: got %v, %v, want mode %v", name, info.Mode(), err, want)
		}
	}
	c, err := Access{}.client(d.Environment)
	if err != nil || c.Address() != d.api {
		t.Fatalf("got %v, %v", c, err)
	}
	if _, err := c.Me(t.Context()); err != nil {
		t.Error(err)
	}
	if err := d.run(t.Context(), "logout"); err != nil {
		t.Error(err)
	}
	if _, err := (Access{}).client(d.Environment); ExitCode(err) != ExitNoAccess || !strings.Contains(err.Error(), "run 'platen login'") {
		t.Errorf("after the logout: got %v", err)
	}
	if err := d.run(t.Context(), "logout"); err != nil {
		t.Errorf("a second logout: %v", err)
	}
}

func TestLoginAsksWhoeverSitsAtTheTerminal(t *testing.T) {
	t.Parallel()
	d := sit(t)
	var asked []bool
	d.Ask = func(_ context.Context, _ string, hidden bool) (string, error) {
		if asked = append(asked, hidden); hidden {
			return token, nil
		}
		return d.api, nil
	}
	if err := d.run(t.Context(), "login"); err != nil || len(asked) != 2 || asked[0] || !asked[1] {
		t.Errorf("got %v, asked %v; want the address in the open, and the token hidden", err, asked)
	}
}

// A token that goes to another address than it was kept for is given away.
func TestAKeptTokenGoesToItsAddressAlone(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.In = strings.NewReader(token)
	if err := d.run(t.Context(), "login", d.api); err != nil {
		t.Fatal(err)
	}
	if _, err := (Access{APIURL: "https://elsewhere.example"}).client(d.Environment); ExitCode(err) != ExitNoAccess || !strings.Contains(err.Error(), "PLATEN_TOKEN") {
		t.Errorf("another address: got %v, want that it needs a token of its own", err)
	}
	for _, same := range []string{d.api, d.api + "/", strings.TrimSuffix(d.api, "/v0")} {
		if _, err := (Access{APIURL: same}).client(d.Environment); err != nil {
			t.Errorf("%s: %v", same, err)
		}
	}
	if c, err := (Access{APIURL: "https://elsewhere.example", Token: "plt_other"}).client(d.Environment); err != nil || c.Address() != "https://elsewhere.example/v0" {
		t.Errorf("both given: got %v, %v", c, err)
	}
}

func TestWrongUseHasItsOwnExitCode(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"login"}, {"login", "not an address"}, {"trigger"}, {"listen", "--forward-to", "localhost:9000"}, {"listen", "--nothing"}} {
		d := sit(t)
		d.In = strings.NewReader(token)
		if err := d.run(t.Context(), args...); ExitCode(err) != ExitUsage {
			t.Errorf("platen %s: got %v, code %d; want %d", args, err, ExitCode(err), ExitUsage)
		}
	}
}

// Somebody who waits at a prompt, or for standard input, gets away with one Ctrl-C.
func TestAnInterruptEndsWhatWaitsForInput(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"login", "https://platen.example"}, {"trigger", "wkf_1", "-", "--api-url", "https://platen.example", "--token", token}, {"preview", "--workflow", "wkf_1", "--data", "-"}} {
		d := sit(t)
		in, out := io.Pipe()
		t.Cleanup(func() { _ = out.Close() })
		d.In = in
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := d.run(ctx, args...); ExitCode(err) != ExitInterrupted || Message(err) != "interrupted" {
			t.Errorf("platen %s: got %v, code %d; want it interrupted", args[0], err, ExitCode(err))
		}
	}
}

func TestExitCodesAreInTheDocs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/develop.md")
	if err != nil {
		t.Fatal(err)
	}
	for code, of := range map[int]error{
		0: nil, ExitFailed: errors.New("x"), ExitUsage: Usage(errors.New("x")), ExitNotCompleted: ended(client.Automation{State: "FAILED"}),
		ExitNoAccess: &client.Error{Code: "token_expired"}, ExitTimeout: nil, ExitInterrupted: fmt.Errorf("ask: %w", context.Canceled),
	} {
		if of != nil && ExitCode(of) != code {
			t.Errorf("%v: got %d, want %d", of, ExitCode(of), code)
		}
		if !strings.Contains(string(page), fmt.Sprintf("\n| %d | ", code)) {
			t.Errorf("the page has no row for %d", code)
		}
	}
}
