package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
	"github.com/platenhq/platen/internal/postgres/run"
	"github.com/platenhq/platen/internal/postgres/storetest"
	"github.com/platenhq/platen/internal/testkit"
)

func TestAPoolerThatSharesSessionsIsRefused(t *testing.T) {
	t.Parallel()
	for name, pooler := range map[string]struct {
		mode string
		more []string
	}{
		"transaction mode":                     {"transaction", nil},
		"transaction mode, one connection":     {"transaction", []string{"default_pool_size = 1"}},
		"transaction mode, going round":        {"transaction", []string{"server_round_robin = 1", "min_pool_size = 3"}},
		"transaction mode, settings are reset": {"transaction", []string{"server_reset_query_always = 1"}},
		"statement mode":                       {"statement", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			url := testkit.Pooler(t, f.Owner.Config().ConnString(), pooler.mode, nil, pooler.more...)
			db, err := postgres.Open(t.Context(), url, f.Box, postgres.Options{})
			if err == nil {
				db.Close()
			}
			storetest.WantKind(t, "open", err, platen.KindInvalid, "sessions_shared")
		})
	}
}

func TestAPoolerInSessionModeIsNoDifference(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	url := testkit.Pooler(t, f.Owner.Config().ConnString(), "session", nil)
	db, err := postgres.Open(t.Context(), url, f.Box, postgres.Options{})
	f.Must(err)
	t.Cleanup(db.Close)
	queue := run.New(db).Queue
	w := f.Workflow(f.User(nil))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	woken, ended := make(chan struct{}, 1000), make(chan error, 1)
	go func() { ended <- queue.Listen(ctx, func(platen.Waking) { woken <- struct{}{} }) }()
	<-woken // connected
	f.Accept(w, 1)
	<-woken
	claimed, _, err := queue.Claim(t.Context(), 1, storetest.AnyOwner(1), time.Minute)
	f.Must(err)
	if len(claimed) != 1 {
		t.Errorf("claimed %d, want one", len(claimed))
	}
	f.Must(queue.MarkStarted(t.Context(), claimed))
	cancel()
	f.Must(<-ended)
}

// A pool that has no connection for more probes than the first is no fault.
func TestASmallPoolInSessionModeIsNoFault(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	url := testkit.Pooler(t, f.Owner.Config().ConnString(), "session", nil, "default_pool_size = 3")
	db, err := postgres.Open(t.Context(), url, f.Box, postgres.Options{})
	f.Must(err)
	db.Close()
}

// Settings of a server, a database or a login that are fine for others.
func TestConnectionsAreAsOurStatementsNeedThem(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.Exec(`DO $$ BEGIN
		EXECUTE format('ALTER DATABASE %I SET jit = on', current_database());
		EXECUTE format('ALTER DATABASE %I SET random_page_cost = 4', current_database());
		EXECUTE format('ALTER DATABASE %I SET timezone = ''Asia/Kolkata''', current_database());
		EXECUTE format('ALTER DATABASE %I SET datestyle = ''German''', current_database());
		EXECUTE format('ALTER DATABASE %I SET search_path = nowhere', current_database());
		EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = ''serializable''', current_database());
		EXECUTE format('ALTER DATABASE %I SET log_parameter_max_length_on_error = -1', current_database());
	END $$`)
	db := f.Another()
	for name, want := range map[string]string{
		"jit": "off", "random_page_cost": "1.1", "timezone": "UTC", "datestyle": "ISO", "search_path": "public",
		"transaction_isolation": "read committed", "log_parameter_max_length_on_error": "0", "client_encoding": "UTF8",
		"idle_in_transaction_session_timeout": "1min",
	} {
		var got string
		f.Must(db.Pool().QueryRow(t.Context(), `SELECT split_part(current_setting($1), ',', 1)`, name).Scan(&got))
		if got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestAnOldServerIsRefused(t *testing.T) {
	t.Parallel()
	for version, fine := range map[string]bool{"13.22": false, "9.6.24": false, "14.0": true, "15.18 (Debian 15.18-0+deb12u1)": true, "18beta1": true, "": true} {
		if err := postgres.CheckVersion(version); (err == nil) != fine {
			t.Errorf("%q: got %v, want it to be fine: %t", version, err, fine)
		} else if !fine {
			storetest.WantKind(t, version, err, platen.KindInvalid, "postgres_too_old")
		}
	}
}
