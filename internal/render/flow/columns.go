package flow

import (
	"github.com/platenhq/platen/internal/office/wml"
)

// sectionBody places a section's blocks. Columns of a section that another one
// follows or precedes on the same page are made equally long.
func (f *flow) sectionBody(s, next *wml.Section, first bool) {
	balanced := len(s.Columns) > 1 && (next != nil && next.Start == "continuous" || s.Start == "continuous" && !first)
	if !balanced {
		f.blocks(s.Blocks)
		return
	}
	start := f.remember()
	f.blocks(s.Blocks)
	if f.page != start.flow.page || f.breaksInside(s) {
		return
	}
	f.equalize(s, start)
}

// equalize finds the least height of the columns that still holds the section.
func (f *flow) equalize(s *wml.Section, start snapshot) {
	low, high := f.top, f.page.bottom
	for range 9 {
		middle := (low + high) / 2
		f.restore(start)
		f.balance = middle
		f.blocks(s.Blocks)
		if f.page == start.flow.page && f.lowestSoFar() <= middle+0.5 {
			high = middle
		} else {
			low = middle
		}
	}
	f.restore(start)
	f.balance = high
	f.blocks(s.Blocks)
	f.balance = 0
}

func (f *flow) lowestSoFar() float64 { return max(f.lowest, f.y) }

// breaksInside is true for a section whose author has set its columns' ends.
func (f *flow) breaksInside(s *wml.Section) bool {
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

// snapshot is the state of a flow to which it can go back.
type snapshot struct {
	flow  flow
	page  page
	pages int
}

func (f *flow) remember() snapshot {
	return snapshot{flow: *f, page: *f.page, pages: len(f.pages)}
}

// restore undoes everything that was placed since remember.
func (f *flow) restore(s snapshot) {
	findings := f.findings
	*f = s.flow
	f.findings = findings
	*f.page = s.page
	f.pages = f.pages[:s.pages]
	f.setColumns(f.section)
	clear(f.boxes)
}
