package console_test

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/testkit/memory"
)

func TestUsageIsSeenInTheConsole(t *testing.T) {
	t.Parallel()
	x := newHarness(t)
	b := x.console(t).signIn(memory.AdaToken)
	b.get("/console/workflows/").is(200).shows(`href="/console/usage/"`)
	b.get("/console/usage/").is(200).shows(platen.FormatMonth(time.Now()), "tests are not counted")
	month := platen.Month(time.Now())
	ada := x.store.Tokens[sha256.Sum256([]byte(memory.AdaToken))].ID
	x.store.Used = []platen.MonthUsage{
		{OwnerID: ada, Month: month, Documents: 310, Pages: 902, Bytes: 24 << 20, Mails: 301},
		{OwnerID: ada, Month: month.AddDate(0, -3, 0), Documents: 1234, Pages: 5, Bytes: 6, Mails: 7},
		{OwnerID: ada, Month: month.AddDate(-2, 0, 0), Documents: 9876},
	}
	b.get("/console/usage/").is(200).shows("310", "902", "24 MB", "301", "<td>1234</td>", platen.FormatMonth(month.AddDate(0, -11, 0)), `<rect class="made"`).lacks("9876")
	x.store.Limits = map[string]int64{ada: 400}
	b.get("/console/usage/").is(200).shows("of 400 that you may have in a month").lacks("near or reached")
	x.store.Limits[ada] = 387
	b.get("/console/usage/").is(200).shows("The limit of this month is near or reached.")
	x.console(t).signIn(memory.BobToken).get("/console/usage/").is(200).lacks("1234", "may have in a month")
}
