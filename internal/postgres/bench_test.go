package postgres_test

import (
	"testing"
	"time"

	"github.com/platenhq/platen/internal/postgres/storetest"
)

// BenchmarkClaimFromABacklog measures a claim of 12 and what follows it, with
// 100,000 automations of one owner and ten each of 500 others waiting.
func BenchmarkClaimFromABacklog(b *testing.B) {
	f := newHarness(b)
	w := f.Workflow(f.User(nil))
	f.Exec(`INSERT INTO automations (id, workflow_id, source_id, owner_id, state, body, request_id, accepted_at)
		SELECT 'aut_' || i, $1, $2, CASE WHEN i <= 100000 THEN 'usr_big' ELSE 'usr_' || i % 500 END, 'ACCEPTED', '{}', '', now()
		FROM generate_series(1, 105000) i`, w.ID, w.Source.ID)
	f.Exec(`ANALYZE automations`)
	for b.Loop() {
		claimed, _, err := f.Queue.Claim(b.Context(), 12, storetest.AnyOwner(200), time.Minute)
		f.Must(err)
		if len(claimed) != 12 {
			b.Fatalf("claimed %d", len(claimed))
		}
		f.Must(f.Queue.MarkStarted(b.Context(), claimed))
		f.Exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE id = ANY ($1)`, storetest.IDs(claimed))
	}
}

// BenchmarkClaimWhileFull measures a claim that finds no place: 200 automations
// are open, 10,000 wait.
func BenchmarkClaimWhileFull(b *testing.B) {
	f := newHarness(b)
	w := f.Workflow(f.User(nil))
	f.Exec(`INSERT INTO automations (id, workflow_id, source_id, owner_id, state, body, request_id, accepted_at)
		SELECT 'aut_' || i, $1, $2, 'usr_' || i % 500, 'ACCEPTED', '{}', '', now()
		FROM generate_series(1, 10200) i`, w.ID, w.Source.ID)
	f.Exec(`ANALYZE automations`)
	claimed, _, err := f.Queue.Claim(b.Context(), 200, storetest.AnyOwner(200), time.Hour)
	f.Must(err)
	f.Must(f.Queue.MarkStarted(b.Context(), claimed))
	for b.Loop() {
		if _, seen, err := f.Queue.Claim(b.Context(), 12, storetest.AnyOwner(200), time.Minute); err != nil || seen.Open != 200 {
			b.Fatalf("%d open, %v; want 200", seen.Open, err)
		}
	}
}
