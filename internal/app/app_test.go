package app

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"
)

func listenLocal(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestASlowRequestOfOneSiteKeepsNoOtherOpenAtAStop(t *testing.T) {
	t.Parallel()
	slow, other := listenLocal(t), listenLocal(t)
	begun, goOn := make(chan struct{}), make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-goOn
		w.WriteHeader(http.StatusNoContent)
	})
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- serveSites(ctx, slog.New(slog.DiscardHandler), func() {},
			site{listener: slow, handler: handler, write: time.Minute},
			site{listener: other, handler: http.NotFoundHandler(), write: time.Minute})
	}()
	answered := make(chan int, 1)
	go func() {
		status := 0
		if answer, err := http.Get("http://" + slow.Addr().String()); err == nil {
			status = answer.StatusCode
			_ = answer.Body.Close()
		}
		answered <- status
	}()
	<-begun
	stop()
	for {
		c, err := net.Dial("tcp", other.Addr().String())
		if err != nil {
			break
		}
		_ = c.Close()
	}
	close(goOn)
	if status := <-answered; status != http.StatusNoContent {
		t.Errorf("the request under way: got status %d, want %d", status, http.StatusNoContent)
	}
	if err := <-served; err != nil {
		t.Errorf("serveSites: %v", err)
	}
}

func TestALocalURLIsOneThatCanBeOpened(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080",
		"0.0.0.0:8080":   "http://localhost:8080",
		"[::]:8080":      "http://localhost:8080",
		"[::1]:8080":     "http://[::1]:8080",
	} {
		listening, err := net.ResolveTCPAddr("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if got := LocalURL(listening); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}
