package chaos

import "context"

// checkOrder: no automation of an order began before the one of its key that began earlier
// had ended. Of several attempts the last one counts. A restored Postgres has forgotten
// which began.
func (w *witness) checkOrder(ctx context.Context) {
	w.t.Helper()
	if w.timeline.wentBack() {
		return
	}
	var all, keys, together int
	err := w.db.QueryRow(ctx, `
		SELECT count(*), count(DISTINCT order_key), count(*) FILTER (WHERE started_at < ended_before)
		FROM (
			SELECT order_key, started_at, max(finished_at) OVER (PARTITION BY order_key ORDER BY started_at, order_number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS ended_before
			FROM automations
			WHERE order_number IS NOT NULL AND started_at IS NOT NULL AND state <> 'CANCELLED'
		) ordered`).Scan(&all, &keys, &together)
	if err != nil {
		w.t.Fatal(err)
	}
	if together > 0 {
		w.fault("order", "%d of %d automations with an order began beside another of their key", together, all)
	}
	if keys == 0 {
		w.fault("order", "no automation had an order")
	}
	w.counts["automations with an order"] = all
}
