package api

import "testing"

func TestOutputsAreShownBetweenTwoDays(t *testing.T) {
	t.Parallel()
	x := newTenancy(t)
	me := x.tenant(t, "Mine")
	_, err := x.db.Pool().Exec(t.Context(), `UPDATE outputs SET created_at = '2026-01-31T23:59:59Z' WHERE id = $1`, me.ids["output"])
	x.must(t, err)
	b, page, run := x.console(t).signIn(me.token), "/console/workflows/"+me.ids["workflow"]+"/outputs/", "/runs/"+me.ids["automation"]+"/"
	for _, query := range []string{"", "?from=2026-01-31&to=2026-01-31", "?from=2026-01-31", "?to=2026-01-31"} {
		b.get(page + query).is(200).shows(run)
	}
	for _, query := range []string{"?from=2026-02-01", "?to=2026-01-30", "?from=2026-01-01&to=2026-01-30"} {
		b.get(page + query).is(200).shows("Nothing.").lacks(run)
	}
	b.get(page+"?from=2026-02-01&state=FAILED").is(200).shows(`value="2026-02-01"`, "?from=2026-02-01&amp;state=PENDING")
	b.get(page + "?from=yesterday").is(200).shows("A day is written like 2026-01-31.")
}
