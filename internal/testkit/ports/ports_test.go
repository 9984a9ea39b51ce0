package ports_test

import (
	"errors"
	"net"
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
