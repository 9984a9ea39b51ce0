package accept_test

import (
	"context"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/postgres/accept"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// BenchmarkAccept measures durable acceptance of 920-byte bodies by 128
// callers, against one INSERT for each (what the batcher is instead of).
func BenchmarkAccept(b *testing.B) {
	f := newHarness(b)
	w := f.Workflow(f.User(nil))
	body := []byte(`{"a":"` + strings.Repeat("x", 910) + `"}`)
	run := func(b *testing.B, o accept.BatcherOptions, named bool) {
		batcher := f.Batcher(o)
		b.SetParallelism(64)
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				e := storetest.Event(w, "a")
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
	b.Run("batched", func(b *testing.B) { run(b, accept.BatcherOptions{}, false) })
	b.Run("named by their senders", func(b *testing.B) { run(b, accept.BatcherOptions{}, true) })
	b.Run("one by one", func(b *testing.B) { run(b, accept.BatcherOptions{MaxEvents: 1}, false) })
}
