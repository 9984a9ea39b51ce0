package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	enums "go.temporal.io/api/enums/v1"
)

// sizes of what is kept, in bytes, by name.
type sizes map[string]int64

// sizes asks Postgres. WAL is what replication and backups would carry.
func (i *instance) sizes(ctx context.Context) (sizes, error) {
	s := sizes{}
	rows, err := i.pool.Query(ctx, `
		SELECT 'Postgres, service', coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind = 'r' AND n.nspname = 'public'
		UNION ALL
		SELECT 'Postgres, drive', coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind = 'r' AND n.nspname = 'drive'
		UNION ALL
		SELECT 'Postgres, Temporal', coalesce(sum(pg_database_size(datname)), 0)::bigint
		FROM pg_database
		WHERE datname LIKE 'temporal%'
		UNION ALL
		SELECT 'WAL, all', pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint`)
	if err != nil {
		return nil, fmt.Errorf("measure the databases: %w", err)
	}
	var name string
	var size int64
	_, err = pgx.ForEachRow(rows, []any{&name, &size}, func() error { s[name] = size; return nil })
	if err != nil {
		return nil, fmt.Errorf("measure the databases: %w", err)
	}
	return s, nil
}

// failures is an error when any document failed: figures of a service that
// fails mean nothing.
func (i *instance) failures(ctx context.Context) error {
	rows, err := i.pool.Query(ctx, `
		SELECT count(*) || ' × ' || failure_code || ': ' || min(failure)
		FROM outputs
		WHERE state = 'FAILED'
		GROUP BY failure_code
		ORDER BY count(*) DESC`)
	if err != nil {
		return fmt.Errorf("list failures: %w", err)
	}
	failures, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("list failures: %w", err)
	}
	if len(failures) > 0 {
		return fmt.Errorf("documents failed: %s", strings.Join(failures, "; "))
	}
	return nil
}

// histories reports how large the last runs' histories are, and returns how
// many local activities a run has.
func (i *instance) histories(ctx context.Context) (steps int, err error) {
	rows, err := i.pool.Query(ctx, `
		SELECT id
		FROM automations
		WHERE state = 'COMPLETED'
		ORDER BY finished_at DESC
		LIMIT 20`)
	if err != nil {
		return 0, fmt.Errorf("list automations: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, fmt.Errorf("list automations: %w", err)
	}
	var bytes, events []float64
	for _, id := range ids {
		described, err := i.temporal.DescribeWorkflowExecution(ctx, id, "")
		if err != nil {
			return 0, fmt.Errorf("describe the run of %s: %w", id, err)
		}
		info := described.GetWorkflowExecutionInfo()
		bytes = append(bytes, float64(info.GetHistorySizeBytes())/1000)
		events = append(events, float64(info.GetHistoryLength()))
	}
	i.bench.report.add("Temporal history per automation", "KB", bytes)
	i.bench.report.add("Temporal history per automation", "events", events)
	if len(ids) == 0 {
		return 0, fmt.Errorf("no automation was completed")
	}
	history := i.temporal.GetWorkflowHistory(ctx, ids[0], "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		if err != nil {
			return 0, fmt.Errorf("read the history of %s: %w", ids[0], err)
		}
		if strings.EqualFold(event.GetMarkerRecordedEventAttributes().GetMarkerName(), "LocalActivity") {
			steps++
		}
	}
	return steps, nil
}
