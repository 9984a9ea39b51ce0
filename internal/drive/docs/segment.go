package docs

import (
	"fmt"
	"path"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/opc"
)

// maxNesting bounds tables in tables.
const maxNesting = 40

// segment is a story with Google's indexes: UTF-16 code units from its start.
// The body has the empty id.
type segment struct {
	id      string
	part    string
	root    *etree.Element
	isBox   bool // a text box, which Google's interface does not know
	isStale bool // nodes are of before an edit
	nodes   []*node
}

// node is a paragraph, a table or a section break with the range it takes.
type node struct {
	start, end int64
	paragraph  *paragraph
	table      *table
	isSection  bool
	sectPr     *etree.Element // of the section that begins here; may be nil
}

type paragraph struct {
	elem   *etree.Element
	pieces []edit.Piece
	text   string
}

type table struct {
	elem    *etree.Element
	columns int64 // each row lists a cell for each of them
	rows    []*row
}

type row struct {
	start, end int64
	elem       *etree.Element
	cells      []*cell
	pending    int64 // by which the cells are still to be moved
}

type cell struct {
	start, end int64
	elem       *etree.Element // nil: a merged cell covers it, or the file leaves it out
	nodes      []*node
}

// maxCovered bounds the cells that a segment lists and the file does not have: a
// few bytes of a file must not become megabytes of an answer.
const maxCovered = 50_000

// indexer lays out segments. The start of a table, row or cell, the end of a table, and
// a section break take one unit each; a paragraph takes its text and a line feed. Cells
// that a merged one covers are listed, each with an empty paragraph, as in Google's
// answers.
type indexer struct {
	at       int64
	sections []*etree.Element // sectPr of the sections not begun yet
	covered  int              // cells so far that the file does not have
}

// segments returns the body, every header, footer, footnote and endnote, and
// the text boxes in them.
func segments(p *opc.Package) ([]*segment, error) {
	var all []*segment
	count := 0
	for _, part := range edit.StoryParts(p) {
		tree, err := p.XML(part)
		if err != nil {
			return nil, err
		}
		inPart, err := partSegments(part, tree.Root())
		if err != nil {
			return nil, err
		}
		all = append(all, inPart...)
		boxes(tree.Root(), func(box *etree.Element) {
			count++
			s := storySegment(fmt.Sprintf("kix.textbox%d", count), part, box)
			s.isBox = true
			all = append(all, s)
		})
	}
	return appendAsides(all, p)
}

// appendAsides shows what stands beside the stories as text boxes: "kix.aside1.watermark"
// is one that replaceAllText fills, "kix.code1.comment" one that nothing fills.
func appendAsides(all []*segment, p *opc.Package) ([]*segment, error) {
	asides, err := edit.Asides(p)
	for i, a := range asides {
		kind := "code"
		if a.IsFilled {
			kind = "aside"
		}
		root := etree.NewElement("w:txbxContent")
		root.CreateElement("w:p").CreateElement("w:r").CreateElement("w:t").CreateText(a.Text)
		s := storySegment(fmt.Sprintf("kix.%s%d.%s", kind, i+1, strings.ReplaceAll(a.Kind, " ", "-")), p.MainPart(), root)
		s.isBox = true
		all = append(all, s)
	}
	return all, err
}

func partSegments(part string, root *etree.Element) ([]*segment, error) {
	switch root.Tag {
	case "document":
		body := child(root, "body")
		if body == nil {
			return nil, &opc.FormatError{Message: "the document has no body"}
		}
		return []*segment{bodySegment(part, body)}, nil
	case "hdr", "ftr":
		return []*segment{storySegment(storyID(part), part, root)}, nil
	}
	var notes []*segment
	for _, note := range root.ChildElements() {
		// The others are the lines that separate notes from the text.
		if note.SelectAttrValue("w:type", "normal") == "normal" {
			notes = append(notes, storySegment(noteID(note.Tag, note.SelectAttrValue("w:id", "")), part, note))
		}
	}
	return notes, nil
}

// boxes calls do for the text boxes below an element. Of a box that is there
// twice, for new and for old programs, the new one counts.
func boxes(e *etree.Element, do func(*etree.Element)) {
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		if !ok || c.Space == "mc" && c.Tag == "Fallback" {
			continue
		}
		if c.Space == "w" && c.Tag == "txbxContent" {
			do(c)
		}
		boxes(c, do)
	}
}

// storyID is the id of a header or footer, which its part's name makes stable.
func storyID(part string) string {
	return "kix." + strings.TrimSuffix(path.Base(part), path.Ext(part))
}

func noteID(tag, id string) string { return "kix." + tag + id }

func bodySegment(part string, body *etree.Element) *segment {
	x := indexer{sections: sectionsOf(body)}
	s := &segment{part: part, root: body}
	s.nodes = append(s.nodes, x.section())
	x.blocks(body, &s.nodes, 0)
	return s
}

func storySegment(id, part string, root *etree.Element) *segment {
	x := indexer{}
	s := &segment{id: id, part: part, root: root}
	x.blocks(root, &s.nodes, 0)
	return s
}

// sectionsOf returns the section properties of a body in order. In a file they
// end their section, in Google's form a break begins it: the n-th break shows the
// n-th properties. The last section's are the body's own.
func sectionsOf(body *etree.Element) []*etree.Element {
	var sections []*etree.Element
	eachBlock(body, 0, func(e *etree.Element) {
		if e.Tag == "p" {
			if s := child(child(e, "pPr"), "sectPr"); s != nil {
				sections = append(sections, s)
			}
		}
	})
	return append(sections, child(body, "sectPr"))
}

// eachBlock calls do for the paragraphs and tables of a container, looking
// through content controls and the like.
func eachBlock(container *etree.Element, depth int, do func(*etree.Element)) {
	if depth > maxNesting {
		return
	}
	for _, t := range container.Child {
		e, ok := t.(*etree.Element)
		if !ok || e.Space != "w" {
			continue
		}
		switch e.Tag {
		case "p", "tbl":
			do(e)
		case "sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag":
			eachBlock(e, depth+1, do)
		}
	}
}

func (x *indexer) section() *node {
	n := &node{start: x.at, end: x.at + 1, isSection: true}
	if len(x.sections) > 0 {
		n.sectPr, x.sections = x.sections[0], x.sections[1:]
	}
	x.at++
	return n
}

func (x *indexer) blocks(container *etree.Element, into *[]*node, depth int) {
	eachBlock(container, 0, func(e *etree.Element) {
		if e.Tag == "tbl" {
			if depth < maxNesting {
				*into = append(*into, x.table(e, depth+1))
			}
			return
		}
		*into = append(*into, x.paragraph(e))
		if len(x.sections) > 0 && child(child(e, "pPr"), "sectPr") != nil && depth == 0 {
			*into = append(*into, x.section())
		}
	})
}

func (x *indexer) paragraph(e *etree.Element) *node {
	p := &paragraph{elem: e}
	p.read()
	n := &node{start: x.at, end: x.at + edit.Units(p.text) + 1, paragraph: p}
	x.at = n.end
	return n
}

// read takes the text from the XML.
func (p *paragraph) read() {
	p.pieces = edit.ParagraphPieces(p.elem)
	p.text = edit.ParagraphText(p.pieces)
}

func (x *indexer) table(e *etree.Element, depth int) *node {
	t := &table{elem: e, columns: columnsOf(e)}
	n := &node{start: x.at, table: t}
	x.at++
	eachWithin(e, "tr", 0, func(tr *etree.Element) {
		t.rows = append(t.rows, x.row(tr, t.columns, depth))
	})
	x.at++
	n.end = x.at
	return n
}

// columnsOf counts the columns of a table: those of its grid, or what the cells of
// a row take where that is more.
func columnsOf(e *etree.Element) int64 {
	columns := int64(0)
	if grid := child(e, "tblGrid"); grid != nil {
		for _, c := range grid.ChildElements() {
			if c.Tag == "gridCol" && columns < maxColumns {
				columns++
			}
		}
	}
	eachWithin(e, "tr", 0, func(tr *etree.Element) {
		if cells := gridOf(tr); len(cells) > 0 {
			columns = max(columns, cells[len(cells)-1].past)
		}
	})
	return columns
}

func (x *indexer) row(tr *etree.Element, columns int64, depth int) *row {
	r := &row{start: x.at, elem: tr}
	x.at++
	for _, p := range gridOf(tr) {
		x.cover(r, p.first)
		c := &cell{start: x.at, elem: p.elem}
		x.at++
		x.blocks(p.elem, &c.nodes, depth)
		c.end = x.at
		r.cells = append(r.cells, c)
		x.cover(r, p.past)
	}
	x.cover(r, columns)
	r.end = x.at
	return r
}

// cover lists empty cells up to a column.
func (x *indexer) cover(r *row, column int64) {
	for int64(len(r.cells)) < column && x.covered < maxCovered {
		x.covered++
		c := &cell{start: x.at}
		x.at++
		c.nodes = []*node{x.paragraph(etree.NewElement("w:p"))}
		c.end = x.at
		r.cells = append(r.cells, c)
	}
}

// eachWithin finds rows of a table or cells of a row, which content controls
// and tracked changes may wrap.
func eachWithin(e *etree.Element, tag string, depth int, do func(*etree.Element)) {
	if depth > maxNesting {
		return
	}
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		if !ok || c.Space != "w" {
			continue
		}
		switch c.Tag {
		case tag:
			do(c)
		case "sdt", "sdtContent", "customXml", "ins", "moveTo":
			eachWithin(c, tag, depth+1, do)
		}
	}
}

// end is the index behind the segment's last unit.
func (s *segment) end() int64 {
	if len(s.nodes) == 0 {
		return 0
	}
	return s.nodes[len(s.nodes)-1].end
}

func child(e *etree.Element, tag string) *etree.Element {
	if e == nil {
		return nil
	}
	for _, t := range e.Child {
		if c, ok := t.(*etree.Element); ok && c.Space == "w" && c.Tag == tag {
			return c
		}
	}
	return nil
}
