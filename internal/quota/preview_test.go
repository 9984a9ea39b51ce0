package quota_test

import (
	"fmt"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestPreviewsHaveATenthOfAQuotaAndDoNotWaitInLine(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	b := h.workers[0]
	preview := func(i int) error {
		ticket := platen.QuotaTicket{ID: fmt.Sprint("preview ", i), QuotaAccount: h.account, OwnerID: "previews", Asks: platen.Usage{platen.DocsWrites: 1}}
		err := b.TakePreview(t.Context(), ticket)
		if err == nil {
			err = b.Settle(t.Context(), ticket, ticket.Asks, platen.Usage{})
		}
		return err
	}
	run := func(i int) error {
		return b.Take(t.Context(), platen.QuotaTicket{ID: fmt.Sprint("out_", i), QuotaAccount: h.account, OwnerID: "usr_1", Asks: platen.Usage{platen.DocsWrites: 1}})
	}
	for i := range 30 { // more than an account that is given out evenly has at once
		if err := run(i); err != nil && platen.KindOf(err) != platen.KindRateLimited {
			t.Fatal(err)
		}
	}
	for i := range 6 {
		if err := preview(i); err != nil {
			t.Fatalf("preview %d: got %v, want it made beside runs that wait", i, err)
		}
	}
	if err := preview(6); platen.KindOf(err) != platen.KindRateLimited {
		t.Errorf("preview 6: got %v, want a refusal: a tenth of 60 is used up", err)
	}
	h.clock = h.clock.Add(platen.QuotaWindow + platen.QuotaWindow/60)
	if err := preview(7); err != nil {
		t.Errorf("a minute later: got %v, want it made", err)
	}
}
