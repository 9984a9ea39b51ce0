package postgres_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/postgres"
)

// BenchmarkAccept measures durable acceptance of 920-byte bodies by 128
// callers, against one INSERT for each (what the batcher is instead of).
func BenchmarkAccept(b *testing.B) {
	f := newHarness(b)
	w := f.workflow(f.user(nil))
	body := []byte(`{"a":"` + strings.Repeat("x", 910) + `"}`)
	run := func(b *testing.B, o postgres.BatcherOptions, named bool) {
		batcher := f.batcher(o)
		b.SetParallelism(64)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				e := event(w, "a")
				e.Body = body
				if named {
					e.EventKey = e.AutomationID
				}
				if err := batcher.Accept(context.Background(), e); err != nil {
					b.Error(err)
				}
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
	}
	b.Run("batched", func(b *testing.B) { run(b, postgres.BatcherOptions{}, false) })
	b.Run("named by their senders", func(b *testing.B) { run(b, postgres.BatcherOptions{}, true) })
	b.Run("one by one", func(b *testing.B) { run(b, postgres.BatcherOptions{MaxEvents: 1}, false) })
}

// BenchmarkClaimFromABacklog measures a claim of 12 and what follows it, with
// 100,000 automations of one owner and ten each of 500 others waiting.
func BenchmarkClaimFromABacklog(b *testing.B) {
	f := newHarness(b)
	w := f.workflow(f.user(nil))
	f.exec(`INSERT INTO automations (id, workflow_id, source_id, owner_id, state, body, request_id, accepted_at)
		SELECT 'aut_' || i, $1, $2, CASE WHEN i <= 100000 THEN 'usr_big' ELSE 'usr_' || i % 500 END, 'ACCEPTED', '{}', '', now()
		FROM generate_series(1, 105000) i`, w.ID, w.Source.ID)
	f.exec(`ANALYZE automations`)
	for b.Loop() {
		claimed, _, err := f.Queue.Claim(b.Context(), 12, anyOwner(200), time.Minute)
		f.must(err)
		if len(claimed) != 12 {
			b.Fatalf("claimed %d", len(claimed))
		}
		f.must(f.Queue.MarkStarted(b.Context(), claimed))
		f.exec(`UPDATE automations SET state = 'COMPLETED', finished_at = now() WHERE id = ANY ($1)`, ids(claimed))
	}
}

// BenchmarkClaimWhileFull measures a claim that finds no place: 200 automations
// are open, 10,000 wait.
func BenchmarkClaimWhileFull(b *testing.B) {
	f := newHarness(b)
	w := f.workflow(f.user(nil))
	f.exec(`INSERT INTO automations (id, workflow_id, source_id, owner_id, state, body, request_id, accepted_at)
		SELECT 'aut_' || i, $1, $2, 'usr_' || i % 500, 'ACCEPTED', '{}', '', now()
		FROM generate_series(1, 10200) i`, w.ID, w.Source.ID)
	f.exec(`ANALYZE automations`)
	claimed, _, err := f.Queue.Claim(b.Context(), 200, anyOwner(200), time.Hour)
	f.must(err)
	f.must(f.Queue.MarkStarted(b.Context(), claimed))
	for b.Loop() {
		if _, seen, err := f.Queue.Claim(b.Context(), 12, anyOwner(200), time.Minute); err != nil || seen.Open != 200 {
			b.Fatalf("%d open, %v; want 200", seen.Open, err)
		}
	}
}
