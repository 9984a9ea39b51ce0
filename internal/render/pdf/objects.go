package pdf

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
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

// The first objects of every file that gopdf writes.
const (
	catalogObject  = 1
	outlinesObject = 3
)

// maskedPicture is the object of a picture that has transparency.
type maskedPicture struct {
	object int
	preparedPicture
}

// finish completes what gopdf leaves out, writes against the specification (ISO
// 32000-1) or would make at length for every document: compressed content,
// the outlines and widths of fonts, the characters of codes, masks of pictures, nested bookmarks, the document's
// language and title in the catalog and in an indirect information dictionary, an
// ID, links whose anchor is not there.
func (c *Canvas) finish(raw []byte) ([]byte, error) {
	objects, err := splitObjects(raw)
	if err != nil {
		return nil, err
	}
	changed, operators := c.changed, c.raw
	for i, page := range c.pages {
		n := 0
		for n < len(changed) && changed[n].page == i {
			n++
		}
		drawn := 0
		for drawn < len(operators) && operators[drawn].page == i {
			drawn++
		}
		content := page + 1
		whole := insertRaw(changeTexts(streamOf(objects[content-1]), changed[:n]), operators[:drawn])
		objects[content-1] = pdfStream(content, "/Filter /FlateDecode", compressQuickly(whole))
		changed, operators = changed[n:], operators[drawn:]
	}
	for _, font := range c.fonts {
		// gopdf adds them in this order. The descriptor, between file and descendant, stays as it is.
		unicode, file, descendant := font.object, font.object+1, font.object+3
		objects[unicode-1] = pdfStream(unicode, "/Filter /FlateDecode", compressQuickly(font.toUnicode()))
		outlines := font.face.tables.subset(font.glyphs, font.wholes)
		objects[file-1] = pdfStream(file, fmt.Sprintf("/Filter /FlateDecode /Length1 %d", len(outlines)), compressQuickly(outlines))
		before, _, _ := bytes.Cut(objects[descendant-1], []byte("/W ["))
		objects[descendant-1] = slices.Concat(before, font.widths(), []byte(">>\nendobj\n\n"))
	}
	for _, picture := range c.masked {
		objects = picture.finish(objects)
	}
	for _, link := range c.links {
		if !c.anchors[link.anchor] {
			objects[link.object-1] = pdfObject(link.object, "/Type /Annot /Subtype /Link /Rect [0 0 0 0] /F 2")
		}
	}
	objects = c.writeOutline(objects)
	info := len(objects) + 1
	objects = append(objects, pdfObject(info, "/Title <%s> /Producer (Platen)", textString(c.title)))
	catalog := []byte("/Type /Catalog /Pages 2 0 R /ViewerPreferences <</DisplayDocTitle true>>")
	if c.lang != "" {
		catalog = fmt.Appendf(catalog, " /Lang <%s>", textString(c.lang))
	}
	if len(c.outline) > 0 {
		catalog = fmt.Appendf(catalog, " /PageMode /UseOutlines /Outlines %d 0 R", outlinesObject)
	}
	objects[catalogObject-1] = pdfObject(catalogObject, "%s", catalog)
	return joinObjects(objects, info), nil
}

// finish gives a picture its mask (ISO 32000-1, 11.6.5.3).
func (p maskedPicture) finish(objects [][]byte) [][]byte {
	mask := len(objects) + 1
	objects[p.object-1] = bytes.Replace(objects[p.object-1], []byte("/Subtype /Image\n"), fmt.Appendf(nil, "/Subtype /Image\n\t/SMask %d 0 R\n", mask), 1)
	return append(objects, pdfStream(mask, fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode", p.w, p.h), p.mask))
}

func pdfObject(number int, format string, arguments ...any) []byte {
	out := fmt.Appendf(nil, "%d 0 obj\n<<", number)
	return append(fmt.Appendf(out, format, arguments...), ">>\nendobj\n\n"...)
}

func pdfStream(number int, dictionary string, data []byte) []byte {
	const around = 64
	out := make([]byte, 0, len(dictionary)+len(data)+around)
	out = fmt.Appendf(out, "%d 0 obj\n<<%s /Length %d>>\nstream\n", number, dictionary, len(data))
	return append(append(out, data...), "\nendstream\nendobj\n\n"...)
}

// streamOf is the content of a page as gopdf writes it.
func streamOf(object []byte) []byte {
	_, content, _ := bytes.Cut(object, []byte("\nstream\n"))
	return bytes.TrimSuffix(content, []byte("endstream\nendobj\n\n"))
}

// splitObjects cuts a file into its objects by its cross-reference table.
func splitObjects(raw []byte) ([][]byte, error) {
	errTable := errors.New("write PDF: gopdf's cross-reference table is not as expected")
	const entry = 20
	at := bytes.LastIndex(raw, []byte("startxref\n"))
	if at < 0 {
		return nil, errTable
	}
	number, _, _ := bytes.Cut(raw[at+len("startxref\n"):], []byte("\n"))
	table, err := strconv.Atoi(string(number))
	if err != nil || table < 0 || table >= len(raw) {
		return nil, errTable
	}
	head, rest, ok := bytes.Cut(raw[table:], []byte("\n0 "))
	if !ok || string(head) != "xref" {
		return nil, errTable
	}
	count, rest, _ := bytes.Cut(rest, []byte("\n"))
	n, err := strconv.Atoi(string(count))
	if err != nil || n < outlinesObject || len(rest) < n*entry {
		return nil, errTable
	}
	offsets := make([]int, 0, n)
	for i := 1; i < n; i++ {
		off, err := strconv.Atoi(string(rest[i*entry : i*entry+10]))
		if err != nil || off > table || len(offsets) > 0 && off < offsets[len(offsets)-1] {
			return nil, errTable
		}
		offsets = append(offsets, off)
	}
	offsets = append(offsets, table)
	objects := make([][]byte, n-1)
	for i := range objects {
		objects[i] = raw[offsets[i]:offsets[i+1]]
	}
	return objects, nil
}

func joinObjects(objects [][]byte, info int) []byte {
	const around = 256 // each object's line in the table, and the trailer
	size := around
	for _, body := range objects {
		size += len(body) + 20
	}
	var out bytes.Buffer
	out.Grow(size)
	out.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n\n")
	offsets := make([]int, len(objects))
	for i, body := range objects {
		offsets[i] = out.Len()
		out.Write(body)
	}
	id := sha256.Sum256(out.Bytes())
	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, off := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", off)
	}
	fmt.Fprintf(&out, "trailer\n<</Size %d /Root %d 0 R /Info %d 0 R /ID [<%x><%x>]>>\nstartxref\n%d\n%%%%EOF\n",
		len(objects)+1, catalogObject, info, id[:16], id[:16], table)
	return out.Bytes()
}

// outlineNode is a bookmark with its place in the tree; 0 is the root.
type outlineNode struct {
	parent, prev, next, first, last, open int
}

// writeOutline adds the bookmarks as a tree (ISO 32000-1, 12.3.3), all of it open.
func (c *Canvas) writeOutline(objects [][]byte) [][]byte {
	if len(c.outline) == 0 {
		return objects
	}
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
	base := len(objects)
	ref := func(n int) int {
		if n == 0 {
			return outlinesObject
		}
		return base + n
	}
	objects[outlinesObject-1] = pdfObject(outlinesObject, "/Type /Outlines /First %d 0 R /Last %d 0 R /Count %d",
		ref(nodes[0].first), ref(nodes[0].last), nodes[0].open)
	for i, item := range c.outline {
		n := nodes[i+1]
		b := fmt.Appendf(nil, "/Title <%s> /Parent %d 0 R /Dest [%d 0 R /XYZ 0 %.2f null]", textString(item.title), ref(n.parent), c.pages[item.page], item.y)
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
		objects = append(objects, pdfObject(ref(i+1), "%s", b))
	}
	return objects
}

// textString writes a PDF text string (UTF-16BE with its mark) in hexadecimal.
func textString(s string) string {
	out := []byte("FEFF")
	for _, u := range utf16.Encode([]rune(s)) {
		out = fmt.Appendf(out, "%04X", u)
	}
	return string(out)
}
