package docs

import (
	"math"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/edit"
)

// retext updates the segment after only the text of one paragraph changed: it
// shifts what follows, without another layout.
func (b *batch) retext(s *segment, n *node) {
	before := n.paragraph.text
	n.paragraph.read()
	if delta := edit.Units(n.paragraph.text) - edit.Units(before); delta != 0 {
		shift(s.nodes, n.end, n.end, delta)
	}
	b.noteRestyle(s)
}

// shift moves what begins at an index or behind it, and lengthens what began
// before and ends at another index or behind it.
func shift(nodes []*node, moves, grows, delta int64) {
	for _, n := range nodes {
		switch {
		case n.start >= moves:
			n.start += delta
		case n.end < grows:
			continue
		}
		n.end += delta
		if n.table == nil {
			continue
		}
		for _, r := range n.table.rows {
			switch {
			case r.start >= moves:
				r.start, r.end, r.pending = r.start+delta, r.end+delta, r.pending+delta
				continue
			case r.end < grows:
				continue
			}
			r.settle()
			r.end += delta
			for _, c := range r.cells {
				switch {
				case c.start >= moves:
					c.start += delta
				case c.end < grows:
					continue
				}
				c.end += delta
				shift(c.nodes, moves, grows, delta)
			}
		}
	}
}

// settle moves what is in a row by what the row was moved since that was last
// looked at: a batch moves rows far more often than it looks into them.
func (r *row) settle() {
	delta := r.pending
	if delta == 0 {
		return
	}
	r.pending = 0
	for _, c := range r.cells {
		c.start, c.end = c.start+delta, c.end+delta
		shift(c.nodes, math.MinInt64, math.MinInt64, delta)
	}
}

// addRow puts a new row into the layout of a table.
func (b *batch) addRow(s *segment, t *table, at int, elem *etree.Element) {
	start := t.rows[max(at-1, 0)].end
	if at == 0 {
		start = t.rows[0].start
	}
	x := indexer{at: start}
	r := x.row(elem, t.columns, 1)
	shift(s.nodes, start, start+1, r.end-r.start)
	t.rows = append(t.rows, nil)
	copy(t.rows[at+1:], t.rows[at:])
	t.rows[at] = r
	b.noteRestyle(s)
}

// layOut reads a segment again.
func (s *segment) layOut() {
	if s.id == "" {
		s.nodes = bodySegment(s.part, s.root).nodes
	} else {
		s.nodes = storySegment(s.id, s.part, s.root).nodes
	}
	s.isStale = false
}
