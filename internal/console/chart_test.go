package console

import (
	"testing"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
)

func TestTheTrendLeavesOutTheHourThatHasBegun(t *testing.T) {
	counted := make([]client.AutomationCount, 2*onChart)
	for i := range counted {
		counted[i].Accepted = 10
	}
	counted[len(counted)-1].Accepted = 1
	if c := chartOf(catalog.Printer{}, false, counted); c.Trend != "as many as the day before" || c.Accepted != 231 {
		t.Errorf("steady runs are %d, %q", c.Accepted, c.Trend)
	}
	for i := range counted[:len(counted)-1] {
		counted[i].Accepted = 0
	}
	if c := chartOf(catalog.Printer{}, false, counted); c.Trend != "none the day before" || c.Accepted != 1 {
		t.Errorf("the first hour of an installation: %d runs, %q", c.Accepted, c.Trend)
	}
}
