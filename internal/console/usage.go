package console

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/platenhq/platen/client"
	"github.com/platenhq/platen/internal/platen"
)

const usagePath = "/console/usage/"

// monthsShown is how many months the page of usage has.
const monthsShown = 12

type usagePage struct {
	Now    client.Usage   // this month
	Limit  *int           // of documents in a month; nil: none
	Months []client.Usage // the last twelve, the newest first
	Bars   []usageBar     // of the same, the oldest first
	Top    int            // what the highest line stands for
}

// Size writes bytes as a number with its unit.
func (usagePage) Size(bytes int) string {
	const step = 1 << 10
	n, unit := float64(bytes), "B"
	for _, next := range []string{"kB", "MB", "GB", "TB"} {
		if n < step {
			break
		}
		n, unit = n/step, next
	}
	return strconv.FormatFloat(math.Round(n*10)/10, 'f', -1, 64) + " " + unit
}

// Near tells that four in five of the documents that the limit allows are made.
func (p usagePage) Near() bool { return p.Limit != nil && p.Now.Documents*5 >= *p.Limit*4 }

// A usageBar is drawn in units of the chart's view box.
type usageBar struct {
	At                  time.Time
	X, Y, Width, Height float64
	Labelled            bool
}

// usage shows what the signed-in user used in this month and in the eleven before it.
func (s *site) usage(ctx context.Context, r request) (view, error) {
	found, err := client.Collect(r.api.Usage(client.WithPage(ctx, &client.Page{Limit: monthsShown}), client.UsageQuery{Newest: true}))
	p := usageOf(platen.Month(s.Now()), found)
	p.Limit = r.me.Limits.Documents
	return view{Title: r.Text("Usage"), Page: p}, err
}

// usageOf has a month without usage as well.
func usageOf(month time.Time, found []client.Usage) usagePage {
	of := map[string]client.Usage{}
	for _, u := range found {
		of[u.Month] = u
	}
	p := usagePage{Top: 4}
	for i := range monthsShown {
		name := platen.FormatMonth(month.AddDate(0, -i, 0))
		u := of[name]
		u.Month = name
		p.Months = append(p.Months, u)
		p.Top = max(p.Top, u.Documents)
	}
	p.Now, p.Top = p.Months[0], roundUp(p.Top)
	scale, width := chartHeight/float64(p.Top), chartWidth/monthsShown
	for i := range monthsShown {
		height := float64(p.Months[monthsShown-1-i].Documents) * scale
		p.Bars = append(p.Bars, usageBar{At: month.AddDate(0, i-monthsShown+1, 0), X: (float64(i) + 0.125) * width, Y: chartHeight - height, Width: width * 0.75, Height: height, Labelled: i%2 == 1})
	}
	return p
}
