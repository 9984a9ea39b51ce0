package flow

import "github.com/platenhq/platen/internal/office/wml"

// A child is one thing that a body, a cell, a note or a box holds: a paragraph,
// the paragraphs of one frame, or a table.
type child struct {
	paragraph *wml.Paragraph
	frame     []*wml.Paragraph
	table     *wml.Table
	// previous and next are the paragraphs directly before and behind it, nil
	// where there are none: borders of neighbours are joined.
	previous, next *wml.Paragraph
	// isEmpty is a paragraph that shows no line: one that only ends its section,
	// for which Word shows a line and LibreOffice none, and one whose mark is
	// hidden, as browsers' pages have between tables.
	isEmpty bool
	// isFlat is an empty paragraph that takes no room, but may be the place of a bookmark.
	isFlat bool
	// isLast says that nothing stands behind it.
	isLast bool
}

// collect lists what blocks hold, in their order.
func collect(blocks []wml.Block) []child {
	children := make([]child, 0, len(blocks))
	for i := 0; i < len(blocks); {
		c, end := child{previous: neighbour(blocks, i-1)}, i+1
		switch b := blocks[i].(type) {
		case *wml.Paragraph:
			c.isEmpty = len(b.Runs) == 0 && (b.EndsSection && i > 0 || b.Mark.Hidden && end < len(blocks))
			if b.Frame != nil && !c.isEmpty {
				c.frame = frameOf(blocks[i:])
				end = i + len(c.frame)
			} else {
				c.paragraph = b
			}
		case *wml.Table:
			c.table = b
		}
		c.next, c.isLast = neighbour(blocks, end), end == len(blocks)
		children = append(children, c)
		i = end
	}
	return children
}

// neighbour is the paragraph at a place, nil where there is none.
func neighbour(blocks []wml.Block, i int) *wml.Paragraph {
	if i < 0 || i >= len(blocks) {
		return nil
	}
	p, _ := blocks[i].(*wml.Paragraph)
	return p
}

// frameOf is the paragraphs of the frame that blocks begin with: those with the
// same properties form one (ECMA-376 part 1, 17.3.1.11).
func frameOf(blocks []wml.Block) []*wml.Paragraph {
	var group []*wml.Paragraph
	for _, b := range blocks {
		p, ok := b.(*wml.Paragraph)
		if !ok || p.Frame == nil || len(group) > 0 && *p.Frame != *group[0].Frame {
			break
		}
		group = append(group, p)
	}
	return group
}

// paragraphs are those of a frame one by one, or the paragraph.
func (c *child) paragraphs() []child {
	if c.paragraph != nil {
		return []child{*c}
	}
	single := make([]child, len(c.frame))
	for i, p := range c.frame {
		single[i] = child{paragraph: p, previous: c.previous, next: c.next}
		if i > 0 {
			single[i].previous = c.frame[i-1]
		}
		if i+1 < len(c.frame) {
			single[i].next = c.frame[i+1]
		}
	}
	return single
}
