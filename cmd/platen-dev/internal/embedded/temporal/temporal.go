// Package temporal runs a whole Temporal cluster (frontend, history, matching,
// worker) and its Web UI inside the calling program, on a Postgres server that
// is given to it.
//
// Compiling Temporal's server takes minutes and every link many seconds, so
// nothing but cmd/platen-dev may import this package, and no test binary does.
// The tests that run against bin/platen-dev cover it. Workflows, activities and
// clients know nothing of it: they get an address.
package temporal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/server/temporal"
	"golang.org/x/sync/errgroup"

	"github.com/platenhq/platen/internal/testkit/ports"
)

// defaultRetention of closed runs: long enough to look at last week's failures.
const defaultRetention = 7 * 24 * time.Hour

// Options says where and with what to run Temporal.
type Options struct {
	// Postgres is where the databases temporal and temporal_visibility live;
	// they are made and brought up to date by Start.
	Postgres Postgres
	// Connections are the most of each of four services to each of two databases; 20 if 0.
	Connections int
	// Address of the gRPC frontend and UIAddress of the Web UI, host:port. Port
	// 0 takes a free one. All other ports of the cluster are free ones of
	// 127.0.0.1.
	Address, UIAddress string
	// Namespace is made on the first start, with Retention for closed runs (7
	// days if 0); a later change of Retention leaves it as it is.
	Namespace string
	Retention time.Duration
	// SearchAttributes that the namespace must know, by name. New ones may be
	// added at any start; none is ever removed.
	SearchAttributes map[string]enums.IndexedValueType
	// Log receives what the server reports; nil drops it. It says a lot below
	// slog.LevelWarn.
	Log *slog.Logger
	// Progress receives a sentence for every step that a person may have to
	// wait for; nil drops them.
	Progress func(message string)
}

// Postgres is a server and a user who may create databases on it, or owns both, empty at
// first.
type Postgres struct {
	Address        string // host:port, spoken to without TLS
	User, Password string
}

// Server is a running Temporal.
type Server struct {
	server        temporal.Server
	ui            *webUI
	address       string
	servicesReady chan struct{} // closed when server.Start has returned
}

// Start returns when the frontend serves the namespace, all its search
// attributes included, and the UI answers. A taken address is ports.ErrTaken
// with the address in its text. ctx bounds the start alone.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Retention == 0 {
		o.Retention = defaultRetention
	}
	places, err := choosePlaces(o)
	if err != nil {
		return nil, err
	}
	log := logger{o.Log, os.Stderr}
	stores := newStores(o.Postgres, cmp.Or(o.Connections, 20))
	if err := stores.prepare(ctx, o, log); err != nil {
		return nil, err
	}
	server, err := newServer(places, stores, log)
	if err != nil {
		return nil, fmt.Errorf("configure Temporal: %w", err)
	}
	s := &Server{server: server, address: places.frontend.String(), servicesReady: make(chan struct{})}
	if err := s.boot(ctx, places, o.Namespace); err != nil {
		return nil, errors.Join(err, s.abandon())
	}
	return s, nil
}

// boot starts cluster and UI side by side: the UI connects when it is used.
func (s *Server) boot(ctx context.Context, p places, namespace string) error {
	var g errgroup.Group
	g.Go(func() error { return s.startServices(ctx) })
	g.Go(func() (err error) {
		s.ui, err = startUI(ctx, p, namespace)
		return err
	})
	return g.Wait()
}

// startServices gives up waiting, though not starting, when ctx ends:
// Temporal's own Start takes no context.
func (s *Server) startServices(ctx context.Context) error {
	started := make(chan error, 1)
	go func() {
		defer close(s.servicesReady)
		started <- s.server.Start()
	}()
	select {
	case err := <-started:
		if err != nil {
			return fmt.Errorf("start Temporal: %w", err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("start Temporal: %w", ctx.Err())
	}
}

// abandon ends a start that failed half-way.
func (s *Server) abandon() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return s.Stop(ctx)
}

// Stop ends the UI, then the cluster. Open runs go on at the next start. When
// ctx ends first its error comes back; nothing is lost then either, because
// everything that was acknowledged is in Postgres.
func (s *Server) Stop(ctx context.Context) error {
	if s.ui != nil {
		s.ui.stop()
	}
	stopped := make(chan error, 1)
	go func() {
		<-s.servicesReady // stopping what is still starting confuses it
		stopped <- s.server.Stop()
	}()
	select {
	case err := <-stopped:
		if err != nil {
			return fmt.Errorf("stop Temporal: %w", err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop Temporal: %w", ctx.Err())
	}
}

// Address of the frontend for clients, host:port.
func (s *Server) Address() string { return s.address }

// UIURL is where a browser finds the Web UI.
func (s *Server) UIURL() string { return "http://" + s.ui.address }

// place is one listener.
type place struct {
	ip   string
	port int
}

func (p place) String() string { return net.JoinHostPort(p.ip, strconv.Itoa(p.port)) }

type places struct{ frontend, history, matching, worker, ui place }

func choosePlaces(o Options) (places, error) {
	frontend, err := resolve(o.Address)
	if err != nil {
		return places{}, fmt.Errorf("address of Temporal: %w", err)
	}
	ui, err := resolve(o.UIAddress)
	if err != nil {
		return places{}, fmt.Errorf("address of Temporal's UI: %w", err)
	}
	const loopback = "127.0.0.1"
	inner, err := ports.Free(loopback, 3)
	if err != nil {
		return places{}, fmt.Errorf("inner ports of Temporal: %w", err)
	}
	return places{
		frontend: frontend, ui: ui,
		history:  place{loopback, inner[0]},
		matching: place{loopback, inner[1]},
		worker:   place{loopback, inner[2]},
	}, nil
}

// resolve turns a host name into the address that Temporal wants to bind to.
func resolve(address string) (place, error) {
	host, port, err := ports.Resolve(address)
	if err != nil {
		return place{}, err
	}
	if host == "" {
		return place{}, fmt.Errorf("address %q: name the host, such as 127.0.0.1", address)
	}
	addr, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return place{}, err
	}
	return place{addr.IP.String(), addr.Port}, nil
}
