package app

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/telemetry"
)

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
		served <- sites{log: slog.New(slog.DiscardHandler), all: []site{
			{listener: slow, handler: handler, write: time.Minute},
			{listener: other, handler: http.NotFoundHandler(), write: time.Minute},
		}}.serve(ctx, nil, func() {})
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
		t.Errorf("serve: %v", err)
	}
}

// A balancer that asks every second or two finds out before the program is gone; who has
// not found out yet is answered.
func TestAProgramThatStopsAnswersOnUntilBalancersKnow(t *testing.T) {
	t.Parallel()
	const delay = time.Second
	l := listenLocal(t)
	shown := telemetry.New("v1")
	ctx, stop := context.WithCancel(t.Context())
	served, ready := make(chan error, 1), make(chan struct{})
	go func() {
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("done")) })
		served <- sites{delay: delay, log: slog.New(slog.DiscardHandler), all: []site{{listener: l, handler: handler, write: time.Minute}}}.
			serve(ctx, shown, func() { close(ready) })
	}()
	<-ready
	if answer := ask(t, l, "/readyz"); answer.StatusCode != http.StatusOK || answer.Close {
		t.Errorf("before the stop: got %s, closed %v, want 200 on a connection that stays", answer.Status, answer.Close)
	}
	begun := time.Now()
	stop()
	if answer := ask(t, l, "/readyz"); answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("/readyz of a program that stops: got %s, want 503", answer.Status)
	}
	if answer := ask(t, l, "/work"); answer.StatusCode != http.StatusOK || !answer.Close {
		t.Errorf("a request to a program that stops: got %s, closed %v, want 200 and no more on this connection", answer.Status, answer.Close)
	}
	if health, err := healthOf(shown); err != nil || !strings.Contains(health, `"stop":"The program stops.`) {
		t.Errorf("/readyz beside the metrics: got %s, %v, want why", health, err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took < delay {
		t.Errorf("the program answered on for %v, want %v", took, delay)
	}
	if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
		_ = c.Close()
		t.Error("after the delay a connection was taken")
	}
}

func ask(t *testing.T, l net.Listener, path string) *http.Response {
	t.Helper()
	answer, err := http.Get("http://" + l.Addr().String() + path)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer
}

func healthOf(shown *telemetry.Telemetry) (string, error) {
	w := httptest.NewRecorder()
	shown.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", http.NoBody))
	if w.Code != http.StatusServiceUnavailable {
		return "", fmt.Errorf("status %d", w.Code)
	}
	return w.Body.String(), nil
}
