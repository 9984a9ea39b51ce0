package run_test

import (
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/postgres/storetest"
)

// How many runs wait for the same decides how far apart their steps are tried again.
func TestAParkedRunCountsThoseThatWaitForTheSame(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	dead, other := f.two()
	park := func(id, code string) int {
		t.Helper()
		w := storetest.IsUnavailable("out_" + id)
		w.Code = code
		w, err := f.Parking.Park(t.Context(), id, 1, w)
		f.Must(err)
		return w.Beside
	}
	runs, one := f.UnderWay(dead, 3), f.UnderWay(other, 1)[0]
	for i, id := range runs {
		if got := park(id, "address_unavailable"); got != i {
			t.Errorf("run %d that waits for a host: got %d beside it, want those of its workflow", i, got)
		}
	}
	for _, c := range []struct {
		code string
		want int
	}{{"address_unavailable", 0}, {"drive_fault", 0}, {"drive_unavailable", 0}} {
		if got := park(one, c.code); got != c.want {
			t.Errorf("%s beside three of another workflow that wait for a host: got %d, want %d", c.code, got, c.want)
		}
	}
	park(runs[0], "drive_unavailable")
	park(runs[1], platen.CodeConnectionBroken)
	if got := park(one, "drive_unavailable"); got != 2 {
		t.Errorf("a drive that two runs of another workflow wait for, too: got %d, want them", got)
	}
}
