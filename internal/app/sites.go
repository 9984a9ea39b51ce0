package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/platenhq/platen/api/edge"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/telemetry"
)

// drainTimeout is how long requests under way may take to end at a stop.
const drainTimeout = 3 * time.Second

// A site is a handler on a listener.
type site struct {
	listener net.Listener
	handler  http.Handler
	// write bounds one whole answer.
	write time.Duration
}

// sites are where a program answers.
type sites struct {
	all []site
	// delay is how long they answer on after the stop, as not ready.
	delay time.Duration
	log   *slog.Logger
}

// serve answers on every site until ctx ends or one fails. Then it goes on for the
// delay, while /readyz says that the program stops, and lets requests under way end.
func (s sites) serve(ctx context.Context, t *telemetry.Telemetry, ready func()) error {
	t.CheckReady("stop", func(context.Context) error {
		if ctx.Err() != nil {
			return errStopping
		}
		return nil
	})
	failed := make(chan error, len(s.all))
	servers := make([]*http.Server, len(s.all))
	for i, one := range s.all {
		open := newConnections(mostConnections)
		servers[i] = &http.Server{
			Handler:           open.watch(fewFields(leaving(ctx, one.handler))),
			ConnState:         open.noteState,
			ConnContext:       open.carry,
			ReadHeaderTimeout: 5 * time.Second,
			ReadTimeout:       30 * time.Second,
			WriteTimeout:      one.write,
			IdleTimeout:       2 * time.Minute,
			MaxHeaderBytes:    mostHeaderBytes,
			ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		}
		go func() { failed <- servers[i].Serve(one.listener) }()
	}
	ready()
	var err error
	select {
	case <-ctx.Done():
		err = s.linger(failed)
	case err = <-failed:
	}
	drain(context.WithoutCancel(ctx), servers)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// linger waits for the delay, in which a balancer finds out that the program stops.
func (s sites) linger(failed <-chan error) error {
	if s.delay == 0 {
		return nil
	}
	s.log.Info("the program stops; it answers on until balancers know", "delay", s.delay.String())
	over := time.NewTimer(s.delay)
	defer over.Stop()
	select {
	case <-over.C:
		return nil
	case err := <-failed:
		return err
	}
}

// drain lets requests under way end.
func drain(ctx context.Context, servers []*http.Server) {
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	// All at once: each stops to take requests now, and has all of the time.
	var drained sync.WaitGroup
	for _, server := range servers {
		drained.Go(func() {
			if server.Shutdown(ctx) != nil {
				_ = server.Close() // requests that do not end in time are cut off
			}
		})
	}
	drained.Wait()
}

var errStopping = &platen.Error{Kind: platen.KindUnavailable, Code: "not_ready", Message: "The program stops. Send requests to another one."}

// leaving has a program that stops say so to balancers, and keep no connection for a
// request after this one.
func leaving(ctx context.Context, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ctx.Err() != nil {
			w.Header().Set("Connection", "close")
			if r.URL.Path == "/readyz" {
				edge.WriteProblem(w, r, errStopping)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
