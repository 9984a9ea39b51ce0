package console

import (
	"time"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/catalog"
)

// A chart is how many automations came in each hour of a day, or in each of 30 days.
type chart struct {
	Daily            bool
	Accepted, Failed int // in all
	Trend            string
	Counts           []client.AutomationCount
	Missing          bool // nothing was counted
	Bars             []bar
	Top              int // what the highest line stands for
}

// A bar is drawn in units of the chart's view box. Its failed part stands below the other.
type bar struct {
	At                    time.Time
	X, Width              float64
	Y, Height             float64 // of what did not fail
	FailedY, FailedHeight float64
	Labelled              bool // its time stands below
}

const (
	chartWidth  = 960.0
	chartHeight = 120.0
)

// onChart is how many hours a chart has.
const onChart = 24

// chartOf draws what came in each of the last 24 hours, or in each of 30 days.
func chartOf(in catalog.Printer, daily bool, counted []client.AutomationCount) chart {
	c := chart{Daily: daily, Top: 4, Counts: counted}
	if !daily {
		c.Counts = counted[max(0, len(counted)-onChart):]
	}
	for _, n := range c.Counts {
		c.Accepted, c.Failed, c.Top = c.Accepted+n.Accepted, c.Failed+n.Failed, max(c.Top, n.Accepted)
	}
	if !daily && len(counted) == 2*onChart {
		// The last hour has just begun, so the 23 whole ones are compared with the same of the day before.
		now, before := accepted(counted[onChart:2*onChart-1]), accepted(counted[:onChart-1])
		if before == 0 {
			now = c.Accepted // with that hour: there is nothing to compare
		}
		c.Trend = trend(in, now, before)
	}
	c.Top = roundUp(c.Top)
	scale, width := chartHeight/float64(c.Top), chartWidth/float64(max(len(c.Counts), 1))
	for i, n := range c.Counts {
		b := bar{At: n.From, X: (float64(i) + 0.125) * width, Width: width * 0.75, Labelled: i%6 == 0, FailedHeight: float64(n.Failed) * scale, Height: float64(n.Accepted-n.Failed) * scale}
		b.FailedY = chartHeight - b.FailedHeight
		b.Y = b.FailedY - b.Height
		c.Bars = append(c.Bars, b)
	}
	return c
}

func accepted(counted []client.AutomationCount) (n int) {
	for _, c := range counted {
		n += c.Accepted
	}
	return n
}

// roundUp is the next number that is even and has one digit before its zeros.
func roundUp(n int) int {
	unit := 1
	for unit*10 < n {
		unit *= 10
	}
	return (n + 2*unit - 1) / (2 * unit) * 2 * unit
}

// trend compares a day with the one before.
func trend(in catalog.Printer, now, before int) string {
	switch {
	case before == 0 && now == 0:
		return in.Text("as the day before")
	case before == 0:
		return in.Text("none the day before")
	case now > before:
		return in.Text("%d%% more than the day before", (now-before)*100/before)
	case now < before:
		return in.Text("%d%% less than the day before", (before-now)*100/before)
	}
	return in.Text("as many as the day before")
}
