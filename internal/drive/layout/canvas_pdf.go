package layout

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"unicode/utf16"
)

// outlineItem is a bookmark; y counts from the bottom of its page, as in PDF.
type outlineItem struct {
	title       string
	level, page int
	y           float64
}

// The objects that every file begins with.
const (
	catalogObject = iota + 1
	pagesObject
	resourcesObject
	infoObject
	outlinesObject
	firstObject
)

// pdfWriter writes the objects of a file, each under a number that was chosen
// before.
type pdfWriter struct {
	out     bytes.Buffer
	offsets []int // by number
	next    int
}

// reserve takes numbers for n objects and returns the first of them.
func (w *pdfWriter) reserve(n int) int {
	w.next += n
	return w.next - n
}

func (w *pdfWriter) begin(number int) {
	w.offsets = append(w.offsets, make([]int, max(0, number+1-len(w.offsets)))...)
	w.offsets[number] = w.out.Len()
	fmt.Fprintf(&w.out, "%d 0 obj\n", number)
}

// object writes a dictionary.
func (w *pdfWriter) object(number int, format string, arguments ...any) {
	w.begin(number)
	w.out.WriteString("<<")
	fmt.Fprintf(&w.out, format, arguments...)
	w.out.WriteString(">>\nendobj\n")
}

func (w *pdfWriter) stream(number int, dictionary string, data []byte) {
	w.begin(number)
	fmt.Fprintf(&w.out, "<<%s /Length %d>>\nstream\n", dictionary, len(data))
	w.out.Write(data)
	w.out.WriteString("\nendstream\nendobj\n")
}

// file writes the document (ISO 32000-1, 7.5).
func (c *Canvas) file() []byte {
	w := &pdfWriter{next: firstObject}
	w.out.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	var resources bytes.Buffer
	resources.WriteString("/ProcSet [/PDF /Text /ImageB /ImageC /ImageI] /Font <<")
	for _, font := range c.fonts {
		at := w.reserve(fontObjects)
		fmt.Fprintf(&resources, "%s %d 0 R ", font.name, at)
		w.writeFont(at, font)
	}
	resources.WriteString(">> /XObject <<")
	for _, picture := range c.pictures {
		fmt.Fprintf(&resources, "%s %d 0 R ", picture.name, w.writePicture(picture.preparedPicture))
	}
	resources.WriteString(">> /ExtGState <<")
	slices.Sort(c.alphas)
	for _, percent := range c.alphas {
		fmt.Fprintf(&resources, "/G%d <</Type /ExtGState /ca %.2f /CA %.2f /BM /Normal>> ", percent, float64(percent)/100, float64(percent)/100)
	}
	resources.WriteString(">>")
	w.object(resourcesObject, "%s", resources.Bytes())
	pages := c.writePages(w)
	w.object(infoObject, "/Title <%s> /Producer (Platen)", textString(c.title))
	catalog := fmt.Appendf(nil, "/Type /Catalog /Pages %d 0 R /ViewerPreferences <</DisplayDocTitle true>>", pagesObject)
	if c.lang != "" {
		catalog = fmt.Appendf(catalog, " /Lang <%s>", textString(c.lang))
	}
	if len(c.outline) > 0 {
		catalog = fmt.Appendf(catalog, " /PageMode /UseOutlines /Outlines %d 0 R", outlinesObject)
		c.writeOutline(w, pages)
	}
	w.object(catalogObject, "%s", catalog)
	return w.end()
}

func (w *pdfWriter) writePicture(p preparedPicture) (number int) {
	number = w.reserve(1)
	dictionary := p.dictionary
	if p.mask != nil {
		mask := w.reserve(1)
		w.stream(mask, p.maskDictionary, p.mask)
		dictionary += fmt.Sprintf(" /SMask %d 0 R", mask)
	}
	w.stream(number, dictionary, p.data)
	return number
}

// writePages returns the numbers of the pages' objects.
func (c *Canvas) writePages(w *pdfWriter) []int {
	const objects = 2 // page and content
	first := w.reserve(objects * len(c.pages))
	pages := make([]int, len(c.pages))
	var kids bytes.Buffer
	for i := range pages {
		pages[i] = first + objects*i
		fmt.Fprintf(&kids, "%d 0 R ", pages[i])
	}
	w.object(pagesObject, "/Type /Pages /Count %d /Kids [%s]", len(pages), kids.Bytes())
	for i, p := range c.pages {
		var annotations []byte
		for _, l := range p.links {
			if target := c.target(l, pages); target != "" {
				at := w.reserve(1)
				y := p.h - l.y
				w.object(at, "/Type /Annot /Subtype /Link /Rect [%.2f %.2f %.2f %.2f] /Border [0 0 0] %s", l.x, y-l.h, l.x+l.w, y, target)
				annotations = fmt.Appendf(annotations, "%d 0 R ", at)
			}
		}
		if annotations != nil {
			annotations = fmt.Appendf(nil, " /Annots [%s]", annotations)
		}
		w.object(pages[i], "/Type /Page /Parent %d 0 R /MediaBox [0 0 %.2f %.2f] /Resources %d 0 R /Contents %d 0 R%s",
			pagesObject, p.w, p.h, resourcesObject, pages[i]+1, annotations)
		w.stream(pages[i]+1, "/Filter /FlateDecode", p.content)
	}
	return pages
}

// target is where a link leads, "" for an anchor that was never set.
func (c *Canvas) target(l link, pages []int) string {
	if l.url != "" {
		return fmt.Sprintf("/A <</S /URI /URI (%s)>>", l.url)
	}
	if a, ok := c.anchors[l.anchor]; ok {
		return fmt.Sprintf("/Dest [%d 0 R /XYZ 0 %.2f null]", pages[a.page], a.y)
	}
	return ""
}

// end writes the cross-reference table and returns the file.
func (w *pdfWriter) end() []byte {
	id := sha256.Sum256(w.out.Bytes())
	at := w.out.Len()
	fmt.Fprintf(&w.out, "xref\n0 %d\n0000000000 65535 f \n", w.next)
	for number := 1; number < w.next; number++ {
		if number < len(w.offsets) && w.offsets[number] > 0 {
			fmt.Fprintf(&w.out, "%010d 00000 n \n", w.offsets[number])
		} else {
			w.out.WriteString("0000000000 00001 f \n")
		}
	}
	fmt.Fprintf(&w.out, "trailer\n<</Size %d /Root %d 0 R /Info %d 0 R /ID [<%x><%x>]>>\nstartxref\n%d\n%%%%EOF\n",
		w.next, catalogObject, infoObject, id[:16], id[:16], at)
	return w.out.Bytes()
}

// outlineNode is a bookmark with its place in the tree; 0 is the root.
type outlineNode struct {
	parent, prev, next, first, last, open int
}

// writeOutline writes the bookmarks as a tree (ISO 32000-1, 12.3.3), all of it open.
func (c *Canvas) writeOutline(w *pdfWriter, pages []int) {
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
	base := w.reserve(len(c.outline)) - 1
	ref := func(n int) int {
		if n == 0 {
			return outlinesObject
		}
		return base + n
	}
	w.object(outlinesObject, "/Type /Outlines /First %d 0 R /Last %d 0 R /Count %d", ref(nodes[0].first), ref(nodes[0].last), nodes[0].open)
	for i, item := range c.outline {
		n := nodes[i+1]
		b := fmt.Appendf(nil, "/Title <%s> /Parent %d 0 R /Dest [%d 0 R /XYZ 0 %.2f null]", textString(item.title), ref(n.parent), pages[item.page], item.y)
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
		w.object(ref(i+1), "%s", b)
	}
}

// textString writes a PDF text string (UTF-16BE with its mark) in hexadecimal.
func textString(s string) string {
	out := []byte("FEFF")
	for _, u := range utf16.Encode([]rune(s)) {
		out = fmt.Appendf(out, "%04X", u)
	}
	return string(out)
}
