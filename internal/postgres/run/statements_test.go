package run_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/run"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// A carriedOut statement is what auto_explain says of it.
type carriedOut struct {
	Text string          `json:"Query Text"`
	Plan json.RawMessage `json:"Plan"`
	JIT  json.RawMessage `json:"JIT"`
}

// node has what no plan may have: Disabled since Postgres 18, before that a cost no
// table is as large for.
type node struct {
	Type     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Disabled bool    `json:"Disabled"`
	Cost     float64 `json:"Total Cost"`
	Below    []node  `json:"Plans"`
}

func (n node) forbidden() []string {
	var found []string
	for _, below := range n.Below {
		found = append(found, below.forbidden()...)
	}
	if n.Disabled || n.Cost >= 1e9 && len(found) == 0 {
		found = append(found, strings.TrimSpace(fmt.Sprintf("%s %s (cost %.0f)", n.Type, n.Relation, n.Cost)))
	}
	return found
}

// readWhole are the tables that are read from end to end.
func (n node) readWhole() []string {
	var found []string
	for _, below := range n.Below {
		found = append(found, below.readWhole()...)
	}
	if n.Type == "Seq Scan" {
		found = append(found, n.Relation)
	}
	return found
}

// explained is a store whose statements are explained, on connections as Postgres is
// when nobody configured it. seen returns those since it was called last.
func (f *harness) explained() (db *run.DB, seen func() []carriedOut) {
	f.T.Helper()
	config := f.Owner.Config().Copy()
	var mu sync.Mutex
	var all []carriedOut
	config.ConnConfig.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		_, plan, ok := strings.Cut(n.Message, "plan:\n")
		var s carriedOut
		if ok && json.Unmarshal([]byte(plan), &s) == nil {
			mu.Lock()
			defer mu.Unlock()
			all = append(all, s)
		}
	}
	for name, value := range map[string]string{
		"session_preload_libraries": "auto_explain", "auto_explain.log_min_duration": "0", "auto_explain.log_level": "notice",
		"auto_explain.log_format": "json", "auto_explain.log_analyze": "on", "jit": "on",
	} {
		config.ConnConfig.RuntimeParams[name] = value
	}
	pool, err := pgxpool.NewWithConfig(f.T.Context(), config)
	f.Must(err)
	f.T.Cleanup(pool.Close)
	if err := pool.Ping(f.T.Context()); err != nil && strings.Contains(err.Error(), "auto_explain") {
		f.T.Skip("Postgres has no auto_explain here: apt-get install postgresql-contrib")
	}
	return run.New(postgres.New(pool, f.Box)), func() []carriedOut {
		mu.Lock()
		defer mu.Unlock()
		was := all
		all = nil
		return was
	}
}

// A claim forbids Postgres to read tables from end to end. Where it has no other way, it
// takes the statement to be the most expensive there is, and a server with jit compiles it.
func TestNoStatementOfAClaimIsForbiddenOrCompiled(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	db, seen := f.explained()
	for range 3 {
		f.Accept(f.Workflow(f.User(nil)), 2)
	}
	f.worker("wrk_other", 6, 0)
	paused := f.Workflow(f.User(nil))
	f.Accept(paused, 1)
	f.Pause(platen.PauseWorkflow, paused.ID)
	claimed, _, err := db.Queue.Claim(t.Context(), 10, storetest.AnyOwner(20), time.Minute)
	f.Must(err)
	if len(claimed) == 0 {
		t.Fatal("nothing was claimed")
	}
	f.Must(db.Queue.MarkStarted(t.Context(), claimed))
	statements := seen()
	if len(statements) < 4 {
		t.Fatalf("%d statements were explained, want all of a claim and a start", len(statements))
	}
	for _, s := range statements {
		var plan node
		f.Must(json.Unmarshal(s.Plan, &plan))
		if found := plan.forbidden(); len(found) > 0 || len(s.JIT) > 0 {
			t.Errorf("forbidden nodes %q, compiled %t: %s", found, len(s.JIT) > 0, s.Text)
		}
	}
}

// A connection keeps the plans that it made while the queue was short, and Postgres says
// that it has grown a minute later.
func TestAQueueThatGrowsIsNotReadByPlansOfAShortOne(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.Exec(`ALTER TABLE automations SET (autovacuum_enabled = off)`)
	db, seen := f.explained()
	w := f.Workflow(f.User(nil))
	start := func() []carriedOut {
		t.Helper()
		seen()
		f.Accept(w, 1)
		claimed, _, err := db.Queue.Claim(t.Context(), 1, storetest.AnyOwner(20), time.Minute)
		if f.Must(err); len(claimed) != 1 {
			t.Fatalf("claimed %d, want 1", len(claimed))
		}
		f.Must(db.Queue.MarkStarted(t.Context(), claimed))
		statements := seen()
		f.Exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE id = '` + claimed[0].ID + `'`)
		return statements
	}
	for n := range 12 { // Postgres makes a plan for all arguments after five
		if start(); n == 2 {
			f.Exec(`VACUUM ANALYZE automations`)
		}
	}
	f.Exec(`
		INSERT INTO automations (id, workflow_id, source_id, owner_id, state, body, request_id, accepted_at, started_at, finished_at)
		SELECT 'aut_' || n, workflow_id, source_id, owner_id, 'COMPLETED', body, request_id, accepted_at, started_at, finished_at
		FROM (SELECT * FROM automations LIMIT 1) one, generate_series(1, 5000) n`)
	for _, s := range start() {
		var plan node
		f.Must(json.Unmarshal(s.Plan, &plan))
		if found := plan.readWhole(); slices.Contains(found, "automations") {
			t.Errorf("all automations are read by %s", s.Text)
		}
	}
}
