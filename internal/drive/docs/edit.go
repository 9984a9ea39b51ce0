package docs

import (
	"slices"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
)

// spot is a place in a paragraph.
type spot struct {
	segment   *segment
	siblings  []*node // the paragraphs and tables that the paragraph stands among
	paragraph *node
	offset    int // bytes of the paragraph's text
}

// locate finds the place that a request names by index or as a segment's end.
func (b *batch) locate(at *gdocs.Location, end *gdocs.EndOfSegmentLocation, invalid edit.RequestFault) (*spot, error) {
	switch {
	case at != nil && end != nil:
		return nil, invalid("Only one of location and endOfSegmentLocation may be set.")
	case end != nil:
		s, err := b.segment(end.SegmentId, end.TabId, invalid)
		if err != nil {
			return nil, err
		}
		return s.spot(s.end()-1, invalid)
	case at == nil:
		return nil, invalid("The insertion location must be specified.")
	}
	s, err := b.segment(at.SegmentId, at.TabId, invalid)
	if err != nil {
		return nil, err
	}
	return s.spot(at.Index, invalid)
}

func (s *segment) spot(index int64, invalid edit.RequestFault) (*spot, error) {
	if index >= s.end() {
		return nil, invalid("Index %d must be less than the end index of the referenced segment, %d.", index, s.end())
	}
	n, siblings := paragraphAt(s.nodes, index)
	if n == nil {
		return nil, invalid("The insertion index must be inside the bounds of an existing paragraph. You can still create new paragraphs by inserting newlines.")
	}
	offset, whole := edit.ByteOffset(n.paragraph.text, index-n.start)
	if !whole {
		return nil, invalid("Index %d is inside a character of two UTF-16 units.", index)
	}
	return &spot{segment: s, siblings: siblings, paragraph: n, offset: offset}, nil
}

// paragraphAt finds the paragraph over an index and the list that it is in. A
// covered cell has none that could be changed.
func paragraphAt(nodes []*node, index int64) (*node, []*node) {
	for _, n := range nodes {
		if index < n.start || index >= n.end {
			continue
		}
		if n.paragraph != nil {
			return n, nodes
		}
		if c := cellAt(n, index); c != nil && c.elem != nil {
			return paragraphAt(c.nodes, index)
		}
	}
	return nil, nil
}

func cellAt(n *node, index int64) *cell {
	if n.table == nil {
		return nil
	}
	for _, r := range n.table.rows {
		if index >= r.end {
			continue
		}
		r.settle()
		for _, c := range r.cells {
			if c.start < index && index < c.end {
				return c
			}
		}
	}
	return nil
}

func (b *batch) insertText(r *gdocs.InsertTextRequest, invalid edit.RequestFault) error {
	text := edit.InsertableText(r.Text)
	if text == "" {
		return invalid("Insert text requests must specify text to insert.")
	}
	at, err := b.locate(r.Location, r.EndOfSegmentLocation, invalid)
	if err != nil {
		return err
	}
	made := edit.EditParagraph(at.paragraph.paragraph.elem, []edit.Edit{{Start: at.offset, End: at.offset, Text: text}})
	if len(made) == 0 {
		b.retext(at.segment, at.paragraph)
	} else {
		b.noteChange(at.segment)
	}
	return nil
}

// insertPageBreak breaks the page and begins a new paragraph behind it.
func (b *batch) insertPageBreak(r *gdocs.InsertPageBreakRequest, invalid edit.RequestFault) error {
	at, err := b.locate(r.Location, r.EndOfSegmentLocation, invalid)
	if err != nil {
		return err
	}
	if at.segment.id != "" {
		return invalid("Page breaks cannot be inserted inside a header, footer or footnote.")
	}
	if !slices.Contains(at.segment.nodes, at.paragraph) {
		return invalid("Page breaks cannot be inserted inside a table.")
	}
	p := at.paragraph.paragraph.elem
	edit.EditParagraph(p, []edit.Edit{{Start: at.offset, End: at.offset, Text: "\n"}})
	pageBreak := etree.NewElement("w:br")
	pageBreak.CreateAttr("w:type", "page")
	run := etree.NewElement("w:r")
	run.AddChild(pageBreak)
	p.AddChild(run)
	b.noteChange(at.segment)
	return nil
}

func (b *batch) deleteContentRange(r *gdocs.DeleteContentRangeRequest, invalid edit.RequestFault) error {
	if r.Range == nil {
		return invalid("The range must be specified.")
	}
	if err := begins(r.Range, invalid); err != nil {
		return err
	}
	s, err := b.segment(r.Range.SegmentId, r.Range.TabId, invalid)
	if err != nil {
		return err
	}
	from, to := r.Range.StartIndex, r.Range.EndIndex
	switch {
	case to <= from || from < 0:
		return invalid("The range should not be empty.")
	case to > s.end():
		return invalid("Index %d must be less than the end index of the referenced segment, %d.", to, s.end())
	}
	if err := b.checkSuggested(s, from, to); err != nil {
		return err
	}
	nodes := s.nodes
	for {
		i := slices.IndexFunc(nodes, func(n *node) bool { return n.start <= from && from < n.end })
		if i < 0 {
			return invalid("The range is not inside the segment.")
		}
		if c := cellAt(nodes[i], from); c != nil {
			nodes = c.nodes
			continue
		}
		if n := nodes[i]; n.paragraph != nil && to < n.end {
			if err := deleteText(n.paragraph, from-n.start, to-n.start, invalid); err != nil {
				return err
			}
			b.retext(s, n)
			return nil
		}
		if err := deleteAmong(nodes, i, from, to, invalid); err != nil {
			return err
		}
		b.noteChange(s)
		return nil
	}
}

// deleteAmong deletes a range that begins in the i-th of these nodes and goes
// beyond its text. Whole tables and section breaks but the first may go, whole
// paragraphs go with their formatting, and where a range ends inside a paragraph
// its rest joins the paragraph that the range began in.
func deleteAmong(nodes []*node, i int, from, to int64, invalid edit.RequestFault) error {
	first := nodes[i]
	if to >= nodes[len(nodes)-1].end {
		return invalid("The range cannot include the newline character at the end of the segment.")
	}
	last := i
	for nodes[last].end < to {
		last++
	}
	for _, n := range nodes[i : last+1] {
		whole := from <= n.start && n.end <= to
		if n.isSection && n == nodes[0] || n.table != nil && !whole {
			return invalid("The range cannot include the first section break or a part of a table.")
		}
	}
	// rest is the paragraph that what is left of the first one is joined with.
	rest, feed := nodes[last], false
	if rest.end == to {
		feed = rest.paragraph != nil
		rest = nodes[last+1]
		last++
	}
	joined := first.paragraph != nil && from > first.start
	if rest.isSection || rest.paragraph == nil && (joined || feed) {
		return invalid("The range cannot include the newline character before a table or section break unless that is deleted too.")
	}
	if !joined && first.paragraph != nil && rest.table != nil && i > 0 && nodes[i-1].table != nil {
		return invalid("The range cannot include the newline character between two tables.")
	}
	joinSections(nodes, i, last, from)
	if rest.paragraph != nil && to > rest.start {
		if err := deleteText(rest.paragraph, 0, to-rest.start, invalid); err != nil {
			return err
		}
	}
	if joined {
		if err := deleteText(first.paragraph, from-first.start, first.end-1-first.start, invalid); err != nil {
			return err
		}
		adopt(first.paragraph.elem, rest.paragraph.elem)
		i, last = i+1, last+1
	}
	for _, n := range nodes[i:last] {
		if !n.isSection {
			remove(n)
		}
	}
	return nil
}

func deleteText(p *paragraph, from, to int64, invalid edit.RequestFault) error {
	start, startsWhole := edit.ByteOffset(p.text, from)
	end, endsWhole := edit.ByteOffset(p.text, to)
	if !startsWhole || !endsWhole {
		return invalid("The range begins or ends inside a character of two UTF-16 units.")
	}
	if start < end {
		edit.EditParagraph(p.elem, []edit.Edit{{Start: start, End: end}})
	}
	return nil
}

// adopt moves the content of a paragraph to the end of another, and with it the
// end of a section but none of its other properties.
func adopt(to, from *etree.Element) {
	moved := slices.Clone(from.Child)
	for i := len(moved) - 1; i >= 0; i-- {
		from.RemoveChildAt(i)
	}
	for _, t := range moved {
		if e, ok := t.(*etree.Element); ok && e.Tag == "pPr" {
			if section := child(e, "sectPr"); section != nil {
				insertProperty(propertiesOf(to), section)
			}
			continue
		}
		to.AddChild(t)
	}
}

func propertiesOf(p *etree.Element) *etree.Element {
	properties := child(p, "pPr")
	if properties == nil {
		properties = etree.NewElement("w:pPr")
		p.InsertChildAt(0, properties)
	}
	return properties
}

func remove(n *node) {
	e := n.elem()
	if parent := e.Parent(); parent != nil {
		parent.RemoveChild(e)
	}
}

func (n *node) elem() *etree.Element {
	if n.table != nil {
		return n.table.elem
	}
	return n.paragraph.elem
}
