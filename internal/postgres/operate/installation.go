package operate

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres"
)

// Workers returns the workers that said a word within ten seconds, with what they say of
// themselves.
func (db *DB) Workers(ctx context.Context) ([]platen.WorkerStanding, error) {
	type row struct {
		ID      string        `db:"id"`
		Carries int           `db:"carries"`
		SeenAt  time.Time     `db:"seen_at"`
		Build   string        `db:"build"`
		Data    time.Duration `db:"retention_data"`
		Outputs time.Duration `db:"retention_outputs"`
	}
	rows, err := postgres.Collect[row](ctx, db.Pool(), `
		SELECT id, carries, seen_at, build, retention_data, retention_outputs
		FROM workers
		WHERE seen_at > now() - @gone::interval
		ORDER BY id`, pgx.NamedArgs{"gone": postgres.WorkerGone})
	if err != nil {
		return nil, fmt.Errorf("list workers: %w", err)
	}
	found := make([]platen.WorkerStanding, len(rows))
	for i, r := range rows {
		found[i] = platen.WorkerStanding{
			ID: r.ID, Carries: r.Carries, SeenAt: r.SeenAt.UTC(),
			Settings: platen.WorkerSettings{Build: r.Build, RetentionData: r.Data, RetentionOutputs: r.Outputs},
		}
	}
	return found, nil
}

// Installation returns facts about the database and the programs connected to it, and
// what failed within since. It waits 30 seconds at most. A role that sees only the names
// of other connections counts each as a program's.
func (db *DB) Installation(ctx context.Context, since time.Duration) (platen.Installation, error) {
	type row struct {
		Server   string         `db:"server"`
		Schema   int            `db:"schema"`
		Most     int            `db:"most"`
		Others   int            `db:"others"`
		Programs map[string]int `db:"programs"`
		Failed   []failedRow    `db:"failed"`
	}
	var r row
	err := db.InTx(ctx, func(tx pgx.Tx) error {
		if _, err := postgres.Execute(ctx, tx, `SET LOCAL statement_timeout = '30s'`, nil); err != nil {
			return err
		}
		var err error
		r, _, err = postgres.CollectOne[row](ctx, tx, `
			SELECT current_setting('server_version') AS server, (SELECT coalesce(max(version_id), 0) FROM migrations WHERE is_applied) AS schema,
				current_setting('max_connections')::int AS most,
				(SELECT count(*) FROM pg_stat_activity WHERE coalesce(backend_type, 'client backend') = 'client backend' AND datname IS DISTINCT FROM current_database()) AS others,
				(
					SELECT coalesce(jsonb_object_agg(application_name, n), '{}')
					FROM (
						SELECT coalesce(nullif(application_name, ''), 'unnamed') AS application_name, count(*) AS n
						FROM pg_stat_activity
						WHERE datname = current_database() AND coalesce(backend_type, 'client backend') = 'client backend'
						GROUP BY 1
					) connected
				) AS programs,
				(
					SELECT coalesce(jsonb_agg(jsonb_build_object('code', code, 'owner', owner_id, 'n', n)), '[]')
					FROM (
						SELECT code, owner_id, count(*) AS n
						FROM (
							SELECT `+postgres.EndingColumns+`
							FROM automations a
							WHERE a.state = 'FAILED' AND a.accepted_at > now() - @since::interval
						) failed
						GROUP BY code, owner_id
					) counted
				) AS failed`, pgx.NamedArgs{"since": since})
		return err
	})
	if err != nil {
		return platen.Installation{}, fmt.Errorf("read the state of the installation: %w", err)
	}
	i := platen.Installation{
		Postgres: r.Server, Schema: r.Schema, MaxConnections: r.Most, OtherConnections: r.Others, Connections: r.Programs,
		FailedByCode: map[string]int{}, FailedByOwner: map[string]int{},
	}
	for _, f := range r.Failed {
		i.FailedByCode[f.Code] += f.N
		i.FailedByOwner[f.Owner] += f.N
	}
	return i, nil
}

type failedRow struct {
	Code, Owner string
	N           int
}
