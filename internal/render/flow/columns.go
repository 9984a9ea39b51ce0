package flow

import (
	"github.com/platenhq/platen/internal/office/wml"
)

// sectionBody places a section's blocks. Columns of a section that another one
// follows on the same page are made equally long.
func (f *distributor) sectionBody(s, next *wml.Section) {
	children := collect(s.Blocks)
	isBalanced := len(s.Columns) > 1 && next != nil && next.Start == "continuous"
	if !isBalanced {
		f.distribute(children)
		return
	}
	start := f.remember()
	f.distribute(children)
	if f.page != start.region.page || hasBreaks(s) {
		return
	}
	f.equalize(children, start)
}

// balanceSteps is how often the range of heights is halved in which that of
// equally long columns lies: nine times make two points of a long page, less than
// a line.
const balanceSteps = 9

// equalize finds the least height of the columns that still holds the section.
func (f *distributor) equalize(children []child, start snapshot) {
	low, high := f.top, f.page.bottom
	for range balanceSteps {
		middle := (low + high) / 2
		f.restore(start)
		f.balance = middle
		f.distribute(children)
		if f.page == start.region.page && f.lowestSoFar() <= middle+balanceTolerance {
			high = middle
		} else {
			low = middle
		}
	}
	f.restore(start)
	f.balance = high
	f.distribute(children)
	f.balance = 0
}

func (f *distributor) lowestSoFar() float64 { return max(f.lowest, f.y) }

// hasBreaks is true for a section whose author has set its columns' ends.
func hasBreaks(s *wml.Section) bool {
	for _, b := range s.Blocks {
		p, ok := b.(*wml.Paragraph)
		if !ok {
			continue
		}
		for _, r := range p.Runs {
			for i := range r.Items {
				if k := r.Items[i].Kind; k == wml.ColumnBreakItem || k == wml.PageBreakItem {
					return true
				}
			}
		}
	}
	return false
}

// snapshot is the state of a distributor to which it can go back.
type snapshot struct {
	region region
	work   work
	page   page
	pages  int
}

func (f *distributor) remember() snapshot {
	return snapshot{region: f.region, work: f.work, page: *f.page, pages: len(f.pages)}
}

// restore undoes everything that was placed since remember.
func (f *distributor) restore(s snapshot) {
	f.region, f.work = s.region, s.work
	*f.page = s.page
	f.pages = f.pages[:s.pages]
	f.setColumns(f.section)
	clear(f.boxes)
}
