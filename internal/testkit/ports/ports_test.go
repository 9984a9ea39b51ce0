package ports_test

import (
	"errors"
	"net"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/testkit/ports"
)

func TestFreePortsAreDifferentAndUsable(t *testing.T) {
	t.Parallel()
	free, err := ports.Free("127.0.0.1", 8)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, p := range free {
		if seen[p] {
			t.Errorf("port %d given twice in %v", p, free)
		}
		seen[p] = true
	}
	if len(free) != 8 {
		t.Errorf("got %d ports, want 8", len(free))
	}
}

// So many draws from the range would meet without it.
func TestAPortThatWasChosenIsNotChosenAgain(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can keep a port for a server that opens it later")
	}
	seen := map[int]bool{}
	for range 400 {
		free, err := ports.Free("127.0.0.1", 1)
		if err != nil {
			t.Fatal(err)
		}
		if seen[free[0]] {
			t.Fatalf("port %d was chosen twice", free[0])
		}
		seen[free[0]] = true
	}
	for port := range seen {
		for range 2 { // a server that is started again finds it, too
			l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
			if err != nil {
				t.Fatal(err)
			}
			_ = l.Close()
		}
	}
}

func TestTakenPortIsAnErrorThatNamesTheAddress(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, _, err = ports.Resolve(l.Addr().String())
	if !errors.Is(err, ports.ErrTaken) || !strings.Contains(err.Error(), l.Addr().String()) {
		t.Errorf("Resolve(%s) = %v, want ErrTaken with the address", l.Addr(), err)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	if host, port, err := ports.Resolve("127.0.0.1:0"); err != nil || host != "127.0.0.1" || port == 0 {
		t.Errorf("Resolve of port 0 = %q, %d, %v; want a free port", host, port, err)
	}
	for _, bad := range []string{"", "7233", "localhost", "127.0.0.1:x", "127.0.0.1:70000", "127.0.0.1:-1"} {
		if _, _, err := ports.Resolve(bad); err == nil {
			t.Errorf("Resolve(%q) succeeded, want an error", bad)
		}
	}
}
