package postgres

import (
	"context"
	"crypto/rand"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/platenhq/platen/internal/platen"
)

const (
	// fewProbes are enough where nothing stands between: each connection has the
	// process that the server said.
	fewProbes = 2
	// manyProbes are more than processes of one pooler that share a port.
	manyProbes = 8
	// extraWait bounds the wait for probes beyond the first: in session mode a pooler
	// has them wait where its pool is small, which is no fault.
	extraWait = 2 * time.Second
)

// CheckSessions answers nil when each connection at an address keeps its session, else
// KindInvalid with code "sessions_shared". Roles, settings, advisory locks and LISTEN
// belong to a session: a pooler in transaction or statement mode gives it to the next
// client, so that one tenant would act as another.
//
// It does not depend on the product of a pooler. A pooler sends a cancel key of its own:
// if the key does not name the process that runs our statements, several connections
// each leave a mark in their session, and read it back in turns.
//
// A process asks an address once: it opens several pools there. A pooler that is set up
// otherwise later is noticed at the next start.
func CheckSessions(ctx context.Context, config *pgx.ConnConfig) error {
	if _, known := keepsSessions.Load(config.ConnString()); known {
		return nil
	}
	err := checkSessions(ctx, config)
	if err == nil {
		keepsSessions.Store(config.ConnString(), struct{}{})
	}
	return err
}

// keepsSessions has the addresses, such as postgres://platen@db/platen, whose connections
// keep their session.
var keepsSessions sync.Map

func checkSessions(ctx context.Context, config *pgx.ConnConfig) error {
	bare := config.Config.Copy()
	bare.AfterConnect = nil // a session that is shared is left as it was
	probes, err := openProbes(ctx, bare, fewProbes)
	defer func() {
		for _, p := range probes {
			_ = p.conn.Close(context.WithoutCancel(ctx))
		}
	}()
	if err != nil {
		return Classify(err)
	}
	for _, p := range probes {
		if p.process != strconv.FormatUint(uint64(p.conn.PID()), 10) {
			waiting, cancel := context.WithTimeout(ctx, extraWait)
			defer cancel()
			extra, _ := openProbes(waiting, bare, manyProbes-fewProbes) // those that there are
			probes = append(probes, extra...)
			break
		}
	}
	return readProbes(ctx, probes)
}

// A probe is a connection that left a mark in its session.
type probe struct {
	conn          *pgconn.PgConn
	mark, process string
}

// openProbes opens up to n side by side, and returns those that could be opened.
func openProbes(ctx context.Context, config *pgconn.Config, n int) (probes []*probe, err error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			p, failure := openProbe(ctx, config)
			mu.Lock()
			defer mu.Unlock()
			if failure != nil {
				err = failure
				return
			}
			probes = append(probes, p)
		})
	}
	all.Wait()
	return probes, err
}

func openProbe(ctx context.Context, config *pgconn.Config) (*probe, error) {
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	p := &probe{conn: conn, mark: rand.Text()}
	_, p.process, err = p.ask(ctx, `SELECT set_config('platen.session', `+Literal(p.mark)+`, false), pg_backend_pid()`)
	if err != nil {
		_ = conn.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return p, nil
}

// ask runs a statement without preparing it, and returns the mark and the process that it
// answers with.
func (p *probe) ask(ctx context.Context, sql string) (mark, process string, err error) {
	results, err := p.conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		return "", "", err
	}
	row := results[len(results)-1].Rows[0]
	return string(row[0]), string(row[1]), nil
}

// readProbes has each probe read its mark twice in a row: a pooler that goes round its
// connections has another one then, any other gives the last one to the next probe.
func readProbes(ctx context.Context, probes []*probe) error {
	users := map[string]*probe{}
	for _, p := range probes {
		for range 2 {
			mark, process, err := p.ask(ctx, `SELECT current_setting('platen.session', true), pg_backend_pid()`)
			if err != nil {
				return Classify(err)
			}
			if other := users[process]; mark != p.mark || process != p.process || other != nil && other != p {
				return platen.Errorf(platen.KindInvalid, "sessions_shared",
					"what stands between this program and Postgres gives the session of one connection to others, as PgBouncer does in transaction and statement mode: roles of tenants and notifications would go to the wrong one. Set the pooler to session mode, give its address for sessions, or connect to Postgres itself")
			}
			users[process] = p
		}
	}
	return nil
}
