package chaos

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A wire is a TCP proxy whose faults can be switched on and off while
// connections are open. Its address stays the same when its target moves.
type wire struct {
	listener net.Listener
	latency  atomic.Int64 // nanoseconds, on the way to the target
	hole     atomic.Bool  // nothing passes, in either direction
	deaf     atomic.Bool  // what the target answers is thrown away
	held     atomic.Bool  // what the target answers comes when this is over

	mu     sync.Mutex
	target string
	open   map[net.Conn]struct{}
}

func newWire(t *testing.T, target string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l, target: target, open: map[net.Conn]struct{}{}}
	go w.accept()
	t.Cleanup(func() {
		_ = l.Close()
		w.reset()
	})
	return w
}

func (w *wire) address() string { return w.listener.Addr().String() }

// aim points the wire at another target; connections that are open stay.
func (w *wire) aim(target string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.target = target
}

func (w *wire) accept() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return // closed
		}
		go w.carry(client)
	}
}

func (w *wire) carry(client net.Conn) {
	w.mu.Lock()
	target := w.target
	w.mu.Unlock()
	server, err := net.DialTimeout("tcp", target, 5*time.Second)
	if err != nil {
		_ = client.Close()
		return
	}
	w.note(client, server)
	var both sync.WaitGroup
	both.Go(func() { w.pump(server, client, true) })
	both.Go(func() { w.pump(client, server, false) })
	both.Wait()
	w.forget(client, server)
}

func (w *wire) note(conns ...net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range conns {
		w.open[c] = struct{}{}
	}
}

func (w *wire) forget(conns ...net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range conns {
		_ = c.Close()
		delete(w.open, c)
	}
}

// pump carries one direction until either side closes.
func (w *wire) pump(to, from net.Conn, outward bool) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		for w.hole.Load() || !outward && w.held.Load() {
			time.Sleep(10 * time.Millisecond)
		}
		if outward {
			time.Sleep(time.Duration(w.latency.Load()))
		}
		if n > 0 && (outward || !w.deaf.Load()) {
			if _, err := to.Write(buffer[:n]); err != nil {
				_ = from.Close()
				return
			}
		}
		if err != nil {
			if err == io.EOF {
				if half, ok := to.(*net.TCPConn); ok {
					_ = half.CloseWrite()
					return
				}
			}
			_ = to.Close()
			return
		}
	}
}

// carries counts the connections that are open.
func (w *wire) carries() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.open) / 2
}

// reset breaks every open connection with RST and says how many.
func (w *wire) reset() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.open {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = c.Close()
	}
	return len(w.open) / 2
}
