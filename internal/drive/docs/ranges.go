package docs

import (
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/opc"
)

// A named range is kept as Word keeps places and values: a bookmark around the
// text, hidden by the underscore that its name begins with, and a document
// variable of the bookmark's name that holds the range's name, which may be
// longer than a bookmark's and shared by several ranges.
const rangePrefix = "_platenRange"

const (
	maxRangeName = 256 // UTF-16 code units, as in Google's interface
	maxRanges    = 1000
)

// marked is a named range with its two ends in the XML.
type marked struct {
	number     int
	name       string
	segment    *segment
	start, end int64
	begins     *etree.Element // w:bookmarkStart
	ends       *etree.Element // w:bookmarkEnd
}

func (m *marked) id() string { return "kix.range" + strconv.Itoa(m.number) }

// rangesOf finds the named ranges of all segments in the order of their
// numbers. One of whose ends is gone is none.
func rangesOf(p *opc.Package, all []*segment) []*marked {
	names := rangeNames(p)
	if len(names) == 0 {
		return nil
	}
	var found []*marked
	for _, s := range all {
		open := map[string]*marked{} // by the bookmark's id
		eachParagraph(s.nodes, func(n *node) {
			eachMark(n, func(e *etree.Element, at int64) {
				id := e.SelectAttrValue("w:id", "")
				if e.Tag == "bookmarkEnd" {
					if m := open[id]; m != nil {
						m.end, m.ends = at, e
						found = append(found, m)
						delete(open, id)
					}
					return
				}
				bookmark := e.SelectAttrValue("w:name", "")
				name, known := names[bookmark]
				number, err := strconv.Atoi(strings.TrimPrefix(bookmark, rangePrefix))
				if known && err == nil {
					open[id] = &marked{number: number, name: name, segment: s, start: at, begins: e}
				}
			})
		})
	}
	slices.SortFunc(found, func(a, b *marked) int { return a.number - b.number })
	return found
}

func eachParagraph(nodes []*node, do func(*node)) {
	for _, n := range nodes {
		if n.paragraph != nil {
			do(n)
		}
		if n.table == nil {
			continue
		}
		for _, r := range n.table.rows {
			r.settle()
			for _, c := range r.cells {
				if c.elem != nil {
					eachParagraph(c.nodes, do)
				}
			}
		}
	}
}

// eachMark calls do for the bookmarks of a paragraph with their indexes.
func eachMark(n *node, do func(e *etree.Element, at int64)) {
	behind, at := map[*etree.Element]int64{}, n.start
	for _, piece := range n.paragraph.pieces {
		at += edit.Units(piece.Text)
		behind[piece.Elem] = at
	}
	at = n.start
	var walk func(e *etree.Element, depth int)
	walk = func(e *etree.Element, depth int) {
		if depth > maxNesting {
			return
		}
		for _, t := range e.Child {
			c, ok := t.(*etree.Element)
			switch {
			case !ok:
			case c.Space == "w" && (c.Tag == "bookmarkStart" || c.Tag == "bookmarkEnd"):
				do(c, at)
			case c.Tag == "drawing" || c.Tag == "pict" || c.Tag == "AlternateContent":
			default:
				walk(c, depth+1)
			}
			if end, isPiece := behind[c]; ok && isPiece {
				at = end
			}
		}
	}
	walk(n.paragraph.elem, 0)
}

// namedRanges shows the ranges by their names.
func namedRanges(p *opc.Package, all []*segment) map[string]gdocs.NamedRanges {
	var shown map[string]gdocs.NamedRanges
	for _, m := range rangesOf(p, all) {
		of := shown[m.name]
		of.Name = m.name
		of.NamedRanges = append(of.NamedRanges, &gdocs.NamedRange{
			Name: m.name, NamedRangeId: m.id(),
			Ranges: []*gdocs.Range{{SegmentId: m.segment.id, StartIndex: m.start, EndIndex: m.end}},
		})
		put(&shown, m.name, of)
	}
	return shown
}

// laidOut returns the segments as they are now.
func (b *batch) laidOut() ([]*segment, error) {
	if b.segments == nil {
		all, err := segments(b.pkg)
		if err != nil {
			return nil, err
		}
		b.segments = all
	}
	for _, s := range b.segments {
		if s.isStale {
			s.layOut()
		}
	}
	return b.segments, nil
}

func (b *batch) createNamedRange(r *gdocs.CreateNamedRangeRequest, invalid edit.RequestFault) (string, error) {
	switch {
	case r.Range == nil:
		return "", invalid("The range must be specified.")
	case r.Name == "" || edit.Units(r.Name) > maxRangeName:
		return "", invalid("The name of a named range must have 1 to %d characters.", maxRangeName)
	}
	if err := begins(r.Range, invalid); err != nil {
		return "", err
	}
	s, err := b.segment(r.Range.SegmentId, r.Range.TabId, invalid)
	if err != nil {
		return "", err
	}
	if r.Range.StartIndex < 0 || r.Range.EndIndex <= r.Range.StartIndex || r.Range.EndIndex > s.end() {
		return "", invalid("The range must not be empty, and end at most at %d, the end of the segment.", s.end())
	}
	names := rangeNames(b.pkg)
	if len(names) >= maxRanges {
		return "", invalid("A document may have at most %d named ranges.", maxRanges)
	}
	m := &marked{number: 1, name: edit.InsertableText(r.Name), segment: s}
	for names[rangePrefix+strconv.Itoa(m.number)] != "" {
		m.number++
	}
	if err := b.mark(m, r.Range.StartIndex, r.Range.EndIndex, invalid); err != nil {
		return "", err
	}
	return m.id(), b.nameRange(m)
}

// mark puts the ends of a range into its segment.
func (b *batch) mark(m *marked, start, end int64, invalid edit.RequestFault) error {
	bookmark := b.freeBookmark()
	m.begins, m.ends = etree.NewElement("w:bookmarkStart"), etree.NewElement("w:bookmarkEnd")
	m.begins.CreateAttr("w:id", bookmark)
	m.begins.CreateAttr("w:name", rangePrefix+strconv.Itoa(m.number))
	m.ends.CreateAttr("w:id", bookmark)
	// The beginning first, so that an empty range is not turned round.
	if err := m.segment.put(m.begins, start, invalid); err != nil {
		return err
	}
	if err := m.segment.put(m.ends, end, invalid); err != nil {
		return err
	}
	b.noteRestyle(m.segment)
	return nil
}

// put places an element without text of its own at an index; the segment's end
// is the end of its last paragraph.
func (s *segment) put(e *etree.Element, index int64, invalid edit.RequestFault) error {
	n, _ := paragraphAt(s.nodes, index)
	if n == nil && index > 0 {
		// Where a paragraph ends and none begins.
		if n, _ = paragraphAt(s.nodes, index-1); n != nil {
			index = n.end - 1
		}
	}
	if n == nil {
		return invalid("The range must begin and end in a paragraph.")
	}
	offset, whole := edit.ByteOffset(n.paragraph.text, index-n.start)
	if !whole {
		return invalid("Index %d is inside a character of two UTF-16 units.", index)
	}
	cutRun(n.paragraph, offset)
	at := 0
	for _, piece := range n.paragraph.pieces {
		if at >= offset {
			behind := piece.Run
			if behind == nil {
				behind = piece.Elem
			}
			behind.Parent().InsertChildAt(behind.Index(), e)
			return nil
		}
		at += len(piece.Text)
	}
	n.paragraph.elem.AddChild(e)
	return nil
}

// freeBookmark is an id that no bookmark of the document has.
func (b *batch) freeBookmark() string {
	if b.marks == 0 {
		for _, s := range b.segments {
			for _, e := range s.root.FindElements(".//w:bookmarkStart") {
				if n, err := strconv.ParseInt(e.SelectAttrValue("w:id", ""), 10, 32); err == nil {
					b.marks = max(b.marks, n)
				}
			}
		}
	}
	b.marks++
	return strconv.FormatInt(b.marks, 10)
}

// findNamed finds ranges by their id, or by their name, which several may have.
func (b *batch) findNamed(id, name string, invalid edit.RequestFault) ([]*marked, error) {
	if (id == "") == (name == "") {
		return nil, invalid("Exactly one of the id and the name of a named range must be specified.")
	}
	all, err := b.laidOut()
	if err != nil {
		return nil, err
	}
	var found []*marked
	for _, m := range rangesOf(b.pkg, all) {
		if m.id() == id || m.name == name {
			found = append(found, m)
		}
	}
	if len(found) == 0 && id != "" {
		return nil, invalid("The named range with the ID %.60s was not found.", id)
	}
	return found, nil
}

func (b *batch) deleteNamedRange(r *gdocs.DeleteNamedRangeRequest, invalid edit.RequestFault) error {
	found, err := b.findNamed(r.NamedRangeId, r.Name, invalid)
	if err != nil {
		return err
	}
	for _, m := range found {
		m.unmark(b)
		if err := b.forgetRange(m); err != nil {
			return err
		}
	}
	return nil
}

func (m *marked) unmark(b *batch) {
	for _, e := range []*etree.Element{m.begins, m.ends} {
		e.Parent().RemoveChild(e)
	}
	b.noteRestyle(m.segment)
}

// replaceNamedRangeContent puts a text in the place of what is in the ranges.
// An empty text takes the ranges away with their content.
func (b *batch) replaceNamedRangeContent(r *gdocs.ReplaceNamedRangeContentRequest, invalid edit.RequestFault) error {
	if r.TabsCriteria != nil {
		for _, id := range r.TabsCriteria.TabIds {
			if id != tabID {
				return invalid("The tab %q was not found.", id)
			}
		}
	}
	found, err := b.findNamed(r.NamedRangeId, r.NamedRangeName, invalid)
	if err != nil {
		return err
	}
	for _, m := range found {
		// The one before may have moved it.
		now, err := b.findNamed(m.id(), "", invalid)
		if err != nil {
			return err
		}
		if err := b.refill(now[0], edit.InsertableText(r.Text), invalid); err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) refill(m *marked, text string, invalid edit.RequestFault) error {
	closing, opening, err := b.rangesBeside(m)
	if err != nil {
		return err
	}
	m.unmark(b)
	place := &gdocs.Location{SegmentId: m.segment.id, Index: m.start}
	// The last line feed of a segment stays.
	if end := min(m.end, m.segment.end()-1); end > m.start {
		err := b.deleteContentRange(&gdocs.DeleteContentRangeRequest{Range: rangeFrom(m.segment.id, m.start, end)}, invalid)
		if err != nil {
			return err
		}
	}
	if text == "" {
		return b.forgetRange(m)
	}
	if err := b.insertText(&gdocs.InsertTextRequest{Location: place, Text: text}, invalid); err != nil {
		return err
	}
	if _, err := b.laidOut(); err != nil {
		return err
	}
	// The text stands in a run of the text before or behind, and so may be in a
	// range that ends or begins here.
	end := m.start + edit.Units(text)
	for _, e := range closing {
		if err := m.segment.move(e, m.start, invalid); err != nil {
			return err
		}
	}
	for _, e := range opening {
		if err := m.segment.move(e, end, invalid); err != nil {
			return err
		}
	}
	return b.mark(m, m.start, end, invalid)
}

// rangesBeside are the ends of ranges that end where another begins, and the
// beginnings of those that begin where it ends.
func (b *batch) rangesBeside(m *marked) (closing, opening []*etree.Element, err error) {
	all, err := b.laidOut()
	if err != nil {
		return nil, nil, err
	}
	for _, other := range rangesOf(b.pkg, all) {
		switch {
		case other.segment != m.segment || other.number == m.number:
		case other.end == m.start:
			closing = append(closing, other.ends)
		case other.start == m.end:
			opening = append(opening, other.begins)
		}
	}
	return closing, opening, nil
}

// move places the end or the beginning of a range at another index.
func (s *segment) move(e *etree.Element, index int64, invalid edit.RequestFault) error {
	e.Parent().RemoveChild(e)
	return s.put(e, index, invalid)
}
