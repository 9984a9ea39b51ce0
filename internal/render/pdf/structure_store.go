package pdf

import (
	"fmt"
	"strconv"
	"strings"
)

// inOneStream is how many objects share a stream.
const inOneStream = 500

// storeStructure writes the tree into streams of objects (ISO 32000-1, 7.5.7), where it
// takes little room, and returns the number of its root and how many objects they hold.
// Their numbers follow those of the file's own objects: nothing may be added behind it.
func (c *Canvas) storeStructure(elements []*element) (root, held int) {
	var notes []*element
	for _, e := range elements {
		if e.Role == Note {
			notes = append(notes, e)
		}
	}
	const rootAndTree = 2
	held = len(elements) + rootAndTree
	streams := (held + inOneStream - 1) / inOneStream
	first := c.file.reserve(streams + 1)
	root = first + streams + 1
	for i, e := range elements {
		e.object = root + rootAndTree + i
	}
	objects := make([][]byte, 0, held)
	top := fmt.Appendf(nil, "<</Type/StructTreeRoot/K %d 0 R/ParentTree %d 0 R/ParentTreeNextKey %d", elements[0].object, root+1, len(c.pages)+c.linked)
	if len(notes) > 0 {
		top = append(top, "/IDTree<</Names["...)
		for i, e := range notes {
			top = fmt.Appendf(top, "(%s)%d 0 R ", noteID(i), e.object)
		}
		top = append(top, "]>>"...)
	}
	objects = append(objects, append(top, ">>"...), c.parentTree())
	note := 0
	for _, e := range elements {
		parent := root
		if e.parent != nil {
			parent = e.parent.object
		}
		out := c.appendElement(nil, e, parent)
		if e.Role == Note {
			out = fmt.Appendf(out, "/ID(%s)", noteID(note))
			note++
		}
		objects = append(objects, append(out, ">>"...))
	}
	references := make([][referenceBytes]byte, 0, held)
	for i := range streams {
		part := objects[i*inOneStream : min(held, (i+1)*inOneStream)]
		c.file.set(first+i, objectStream(root+i*inOneStream, part))
		for j := range part {
			at := first + i
			references = append(references, [referenceBytes]byte{2, byte(at >> 16), byte(at >> 8), byte(at), byte(j >> 8), byte(j)})
		}
	}
	c.file.set(first+streams, stream(fmt.Sprintf("/Type /XRef /Size %d /Index [%d %d] /W [1 3 2] /Filter /FlateDecode /DecodeParms <</Predictor 12 /Columns %d>>",
		root+held, root, held, referenceBytes), compressQuickly(differences(references))))
	return root, held
}

// differences are those of each line to the one above it (ISO 32000-1, 7.4.4.4).
func differences(lines [][referenceBytes]byte) []byte {
	const toAbove = 2
	var above [referenceBytes]byte
	out := make([]byte, 0, len(lines)*(1+referenceBytes))
	for _, line := range lines {
		out = append(out, toAbove)
		for i, b := range line {
			out = append(out, b-above[i])
		}
		above = line
	}
	return out
}

// referenceBytes is how long a line of the table of what stands in streams is.
const referenceBytes = 6

// noteID is that of the i-th note: they must come in the order of their letters.
func noteID(i int) string { return fmt.Sprintf("note%06d", i) }

// objectStream writes objects from a number on.
func objectStream(number int, objects [][]byte) object {
	var head, body []byte
	for i, one := range objects {
		head = append(strconv.AppendInt(head, int64(number+i), 10), ' ')
		head = append(strconv.AppendInt(head, int64(len(body)), 10), ' ')
		body = append(append(body, one...), '\n')
	}
	return stream(fmt.Sprintf("/Type /ObjStm /N %d /First %d /Filter /FlateDecode", len(objects), len(head)), compress(append(head, body...)))
}

func appendReference(out []byte, object int) []byte {
	return append(strconv.AppendInt(out, int64(object), 10), " 0 R"...)
}

// appendElement writes an element but for its end.
func (c *Canvas) appendElement(out []byte, e *element, parent int) []byte {
	out = append(append(append(out, "<</S/"...), e.Role...), "/P "...)
	out = appendReference(out, parent)
	page := -1
	for _, k := range e.kids {
		if k.element == nil && k.link == nil {
			page = k.page
			out = appendReference(append(out, "/Pg "...), c.pages[page].object)
			break
		}
	}
	if e.Lang != "" {
		out = append(append(append(out, "/Lang("...), e.Lang...), ')')
	}
	if e.Alt != "" && (e.Role == Figure || e.Role == Formula) {
		out = fmt.Appendf(out, "/Alt%s", shortString(e.Alt))
	}
	out = c.appendAttributes(out, e, page)
	if len(e.kids) == 0 {
		return out
	}
	out = append(out, "/K["...)
	for i, k := range e.kids {
		if i > 0 {
			out = append(out, ' ')
		}
		switch {
		case k.element != nil:
			out = appendReference(out, k.element.object)
		case k.link != nil:
			out = fmt.Appendf(out, "<</Type/OBJR/Obj %d 0 R/Pg %d 0 R>>", k.link.object, c.pages[k.page].object)
		case k.page == page:
			out = strconv.AppendInt(out, int64(k.content), 10)
		default:
			out = fmt.Appendf(out, "<</Type/MCR/Pg %d 0 R/MCID %d>>", c.pages[k.page].object, k.content)
		}
	}
	return append(out, ']')
}

// appendAttributes writes what a table's cell spans, what a header cell heads, and where a
// figure stands (ISO 32000-1, 14.8.5).
func (c *Canvas) appendAttributes(out []byte, e *element, page int) []byte {
	switch {
	case e.Role == HeaderCell, e.Columns > 1, e.Rows > 1:
		out = append(out, "/A<</O/Table"...)
		if e.Role == HeaderCell {
			out = append(out, "/Scope/Column"...)
		}
		if e.Columns > 1 {
			out = strconv.AppendInt(append(out, "/ColSpan "...), int64(e.Columns), 10)
		}
		if e.Rows > 1 {
			out = strconv.AppendInt(append(out, "/RowSpan "...), int64(e.Rows), 10)
		}
		return append(out, ">>"...)
	case (e.Role == Figure || e.Role == Formula && e.Box.W > 0) && page >= 0:
		top := c.pages[page].h - e.Box.Y
		return fmt.Appendf(out, "/A<</O/Layout/BBox[%s %s %s %s]>>", decimal(e.Box.X), decimal(top-e.Box.H), decimal(e.Box.X+e.Box.W), decimal(top))
	}
	return out
}

// parentTree leads from marked content and links to their elements (ISO 32000-1, 14.7.4.4):
// each page has the number of its place in the file, links those behind it.
func (c *Canvas) parentTree() []byte {
	out := []byte("<</Nums[")
	for page, owners := range c.tree.owners {
		if len(owners) == 0 {
			continue
		}
		out = append(strconv.AppendInt(out, int64(page), 10), '[')
		for i, owner := range owners {
			if i > 0 {
				out = append(out, ' ')
			}
			out = appendReference(out, owner.number())
		}
		out = append(out, ']')
	}
	for _, p := range c.pages {
		for _, l := range p.links {
			if l.object > 0 && l.element != nil {
				out = append(strconv.AppendInt(out, int64(l.key), 10), ' ')
				out = append(appendReference(out, l.element.number()), ' ')
			}
		}
	}
	return append(out, "]>>"...)
}

// shortString is a text string with its brackets, of a byte for each character where it has
// plain ones alone.
func shortString(s string) string {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return "<" + textString(s) + ">"
		}
	}
	return "(" + strings.NewReplacer("\\", "\\\\", "(", "\\(", ")", "\\)").Replace(s) + ")"
}

// number is that of an element's object, or of the one that holds what it held.
func (e *element) number() int {
	if e.into != nil {
		return e.into.number()
	}
	return e.object
}
