package testkit

import (
	"bytes"
	"context"
	"net"
	"sync"
	"testing"
	"time"
)

// partPatience is how long a part may take to be ready, on a busy machine: more
// than a worker gives Temporal to know its queues.
const partPatience = 3 * time.Minute

// Parts are parts of the service that run in the test's process until the test
// ends. What they log is shown when it failed.
type Parts struct {
	Log *Journal
	// Running ends when the test does, and with it every part that was given it.
	Running context.Context

	group sync.WaitGroup
}

// NewParts returns none yet.
func NewParts(t testing.TB) *Parts {
	running, stop := context.WithCancel(context.Background())
	p := &Parts{Log: &Journal{}, Running: running}
	t.Cleanup(func() {
		stop()
		p.group.Wait()
		if t.Failed() {
			t.Logf("log of the service:\n%s", p.Log.String())
		}
	})
	return p
}

// Start returns when the part has called ready. A part that fails, or ends
// before running does, fails the test.
func (p *Parts) Start(running context.Context, t testing.TB, name string, run func(ready func()) error) {
	t.Helper()
	ready, ended := make(chan struct{}), make(chan struct{})
	p.group.Go(func() {
		defer close(ended)
		if err := run(func() { close(ready) }); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if running.Err() == nil {
			t.Errorf("%s ended by itself", name)
		}
	})
	select {
	case <-ready:
	case <-ended:
		t.Fatalf("%s did not start", name)
	case <-time.After(partPatience):
		t.Fatalf("%s was not ready within %v", name, partPatience)
	}
}

// Listen returns a listener on a free port of this machine.
func Listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A Journal keeps what is written to it. It is safe for concurrent use.
type Journal struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

// Write never fails.
func (j *Journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buffer.Write(p)
}

// String is all that was written so far.
func (j *Journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buffer.String()
}
