package storetest

import (
	"context"
	"net"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/postgres"
)

// A countedConn counts how often its server is asked and answers: each change from
// writing to reading is a round trip.
type countedConn struct {
	net.Conn
	trips *atomic.Int64
	asked *atomic.Bool
}

func (c countedConn) Write(b []byte) (int, error) {
	if !c.asked.Swap(true) {
		c.trips.Add(1)
	}
	return c.Conn.Write(b)
}

func (c countedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.asked.Store(false)
	}
	return n, err
}

// Counted is a store with one connection, whose round trips are counted.
func (f *Harness) Counted() (db *postgres.DB, trips *atomic.Int64) {
	f.T.Helper()
	trips = new(atomic.Int64)
	config, err := postgres.ReadURL(f.Owner.Config().ConnString(), postgres.Session{MaxConns: 1})
	f.Must(err)
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return countedConn{conn, trips, new(atomic.Bool)}, err
	}
	pool, err := pgxpool.NewWithConfig(f.T.Context(), config)
	f.Must(err)
	f.T.Cleanup(pool.Close)
	return postgres.New(pool, f.Box), trips
}
