package pdf

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf16"
)

// outlineItem is a bookmark; y counts from the bottom of its page, as in PDF.
type outlineItem struct {
	title       string
	level, page int
	y           float64
}

// The first objects of every file. Pages share their resources: what a page does not
// draw with costs it nothing.
const (
	catalogObject = iota + 1
	pagesObject
	resourcesObject
	firstFree
)

// object is a dictionary, or one with the stream behind it.
type object struct {
	dictionary []byte // without its brackets
	stream     []byte
	isStream   bool
}

func dictionary(format string, arguments ...any) object {
	return object{dictionary: fmt.Appendf(nil, format, arguments...)}
}

func stream(entries string, data []byte) object {
	return object{dictionary: []byte(entries), stream: data, isStream: true}
}

// objects are those of a file, by number from 1 on.
type objects []object

// reserve makes room for some objects, and returns the number of the first.
func (o *objects) reserve(n int) int {
	*o = append(*o, make([]object, n)...)
	return len(*o) - n + 1
}

func (o *objects) add(one object) int {
	*o = append(*o, one)
	return len(*o)
}

func (o objects) set(number int, one object) { o[number-1] = one }

// finish writes what is known when all is drawn: the fonts, the pages with their links,
// nested bookmarks, the document's language and title.
func (c *Canvas) finish() []byte {
	for _, font := range c.fonts {
		font.store(&c.file)
	}
	var kids []byte
	for i, p := range c.pages {
		kids = fmt.Appendf(kids, "%d 0 R ", p.object)
		c.file.set(p.object, dictionary("/Type /Page /Parent %d 0 R /MediaBox [0 0 %.2f %.2f] /Resources %d 0 R /Contents %d 0 R%s%s",
			pagesObject, p.w, p.h, resourcesObject, p.content, c.annotations(p), c.structParents(i)))
	}
	c.file.set(pagesObject, dictionary("/Type /Pages /Count %d /Kids [%s]", len(c.pages), kids))
	c.file.set(resourcesObject, c.resources())
	catalog := fmt.Appendf(nil, "/Type /Catalog /Pages %d 0 R /ViewerPreferences <</DisplayDocTitle true>>", pagesObject)
	if c.lang != "" {
		catalog = fmt.Appendf(catalog, " /Lang <%s>", textString(c.lang))
	}
	if len(c.outline) > 0 {
		catalog = fmt.Appendf(catalog, " /PageMode /UseOutlines /Outlines %d 0 R", c.storeOutline())
	}
	info := c.file.add(dictionary("/Title <%s> /Producer (Platen)", textString(c.title)))
	inStreams := 0
	if c.tree.root != nil {
		var root int
		root, inStreams = c.storeStructure(c.tree.tidy())
		catalog = fmt.Appendf(catalog, " /MarkInfo <</Marked true>> /StructTreeRoot %d 0 R", root)
	}
	c.file.set(catalogObject, object{dictionary: catalog})
	return c.file.join(info, inStreams)
}

// structParents is a page's entry of its place in the tree of parents, where it has marked
// content.
func (c *Canvas) structParents(page int) string {
	if page >= len(c.tree.owners) || len(c.tree.owners[page]) == 0 {
		return ""
	}
	return fmt.Sprintf(" /StructParents %d", page)
}

// resources are what pages draw with (ISO 32000-1, 7.8.3).
func (c *Canvas) resources() object {
	out := []byte("/Font <<")
	for _, font := range c.fonts {
		out = fmt.Appendf(out, "/F%d %d 0 R ", font.number, font.object)
	}
	out = append(out, ">> /XObject <<"...)
	for _, picture := range c.drawn {
		out = fmt.Appendf(out, "/I%d %d 0 R ", picture, picture)
	}
	out = append(out, ">> /ExtGState <<"...)
	for _, state := range slices.Sorted(maps.Values(c.opacity)) {
		out = fmt.Appendf(out, "/GS%d %d 0 R ", state, state)
	}
	return object{dictionary: append(out, ">>"...)}
}

// annotations stores a page's links (ISO 32000-1, 12.5.6.5), and returns its entry of
// them. A link to an anchor that was never set is none.
func (c *Canvas) annotations(p page) []byte {
	var list []byte
	for _, l := range p.links {
		var leads []byte
		if at, isKnown := c.anchors[l.anchor]; isKnown {
			leads = fmt.Appendf(nil, "/Dest [%d 0 R /XYZ 0 %.2f null]", c.pages[at.page].object, at.y)
		} else if l.url != "" {
			leads = fmt.Appendf(nil, "/A <</S /URI /URI (%s)>>", l.url)
		} else {
			continue
		}
		if l.element != nil {
			l.key = len(c.pages) + c.linked
			c.linked++
			leads = fmt.Appendf(leads, " /StructParent %d /Contents %s", l.key, shortString(cmp.Or(l.element.Alt, l.url, l.anchor)))
		}
		l.object = c.file.add(dictionary("/Type /Annot /Subtype /Link /Rect [%.2f %.2f %.2f %.2f] /Border [0 0 0] /F 4 %s", l.left, l.bottom, l.right, l.top, leads))
		list = fmt.Appendf(list, "%d 0 R ", l.object)
	}
	if list == nil {
		return nil
	}
	order := ""
	if c.tree.root != nil {
		order = " /Tabs /S" // from one to the next as they are read
	}
	return fmt.Appendf(nil, " /Annots [%s]%s", list, order)
}

// join writes the file with its cross-reference table (ISO 32000-1, 7.5). Its ID is that
// of its bytes. inStreams is how many objects stand in streams: the last object says in
// which, for readers that know of streams, and the table has none of them (7.5.8.4).
func (o objects) join(info, inStreams int) []byte {
	const around = 96 // the words around an object, and its line in the table
	size := 256
	for _, one := range o {
		size += len(one.dictionary) + len(one.stream) + around
	}
	out := append(make([]byte, 0, size), "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n\n"...)
	offsets := make([]int, len(o))
	for i, one := range o {
		offsets[i] = len(out)
		out = append(strconv.AppendInt(out, int64(i+1), 10), " 0 obj\n<<"...)
		out = append(out, one.dictionary...)
		if one.isStream {
			out = append(strconv.AppendInt(append(out, " /Length "...), int64(len(one.stream)), 10), ">>\nstream\n"...)
			out = append(append(out, one.stream...), "\nendstream\nendobj\n\n"...)
		} else {
			out = append(out, ">>\nendobj\n\n"...)
		}
	}
	id := sha256.Sum256(out)
	table := len(out)
	out = fmt.Appendf(out, "xref\n0 %d\n0000000000 65535 f \n", len(o)+1)
	for _, off := range offsets {
		out = fmt.Appendf(out, "%010d 00000 n \n", off)
	}
	out = fmt.Appendf(out, "trailer\n<</Size %d /Root %d 0 R /Info %d 0 R /ID [<%x><%x>]", len(o)+1+inStreams, catalogObject, info, id[:16], id[:16])
	if inStreams > 0 {
		out = fmt.Appendf(out, " /XRefStm %d", offsets[len(offsets)-1])
	}
	return fmt.Appendf(out, ">>\nstartxref\n%d\n%%%%EOF\n", table)
}

// outlineNode is a bookmark with its place in the tree; 0 is the root.
type outlineNode struct {
	parent, prev, next, first, last, open int
}

// storeOutline stores the bookmarks as a tree (ISO 32000-1, 12.3.3), all of it open, and
// returns the number of its root.
func (c *Canvas) storeOutline() int {
	nodes := make([]outlineNode, len(c.outline)+1)
	path := []int{0}
	for i, item := range c.outline {
		n := i + 1
		path = path[:min(len(path), item.level+1)]
		parent := path[len(path)-1]
		nodes[n].parent = parent
		if last := nodes[parent].last; last > 0 {
			nodes[n].prev, nodes[last].next = last, n
		} else {
			nodes[parent].first = n
		}
		nodes[parent].last = n
		for _, above := range path {
			nodes[above].open++
		}
		path = append(path, n)
	}
	root := c.file.reserve(len(nodes))
	ref := func(n int) int { return root + n }
	c.file.set(root, dictionary("/Type /Outlines /First %d 0 R /Last %d 0 R /Count %d",
		ref(nodes[0].first), ref(nodes[0].last), nodes[0].open))
	for i, item := range c.outline {
		n := nodes[i+1]
		b := fmt.Appendf(nil, "/Title <%s> /Parent %d 0 R /Dest [%d 0 R /XYZ 0 %.2f null]", textString(item.title), ref(n.parent), c.pages[item.page].object, item.y)
		for _, link := range []struct {
			key  string
			node int
		}{{"Prev", n.prev}, {"Next", n.next}, {"First", n.first}, {"Last", n.last}} {
			if link.node > 0 {
				b = fmt.Appendf(b, " /%s %d 0 R", link.key, ref(link.node))
			}
		}
		if n.open > 0 {
			b = fmt.Appendf(b, " /Count %d", n.open)
		}
		c.file.set(ref(i+1), object{dictionary: b})
	}
	return root
}

// textString writes a PDF text string (UTF-16BE with its mark) in hexadecimal.
func textString(s string) string {
	out := []byte("FEFF")
	for _, u := range utf16.Encode([]rune(s)) {
		out = fmt.Appendf(out, "%04X", u)
	}
	return string(out)
}
