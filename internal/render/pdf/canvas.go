// Package pdf paints pages: a Canvas writes text, lines, areas and pictures into
// a PDF (ISO 32000-1), with subsets of the fonts that it uses. What is painted where
// is for others.
package pdf

import (
	"errors"
	"fmt"
	"math"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render"
)

// Canvas draws pages into a PDF file. The origin is a page's upper left corner,
// lengths are points, y grows downwards, angles are degrees clockwise. The same
// calls give the same bytes. A Canvas is not safe for concurrent use.
//
// Faults in what is drawn (a picture that cannot be read) come back from the
// call; faults of the file as a whole from Bytes.
type Canvas struct {
	title string
	lang  string
	file  objects
	pages []page
	pageW float64
	pageH float64
	// content are the operators of the page at hand.
	content []byte
	fonts   []*canvasFont
	byName  map[string]*canvasFont
	images  map[[32]byte]*canvasImage
	drawn   []int                 // the objects of pictures
	hashes  map[*byte]pictureHash // of the files in images
	opacity map[float64]int       // the objects of graphics states
	outline []outlineItem
	anchors map[string]anchor
	// isCut says that letters stand beside the page at hand.
	isCut bool
	// marks counts what was drawn, pixels what pictures were unpacked to.
	marks, pixels int
	tree          structure
	linked        int // how many links have an element
	state         drawState
	saved         []drawState
}

// page is a page as its object has it.
type page struct {
	w, h    float64
	object  int
	content int
	links   []*link
}

// link is a rectangle that leads to an address, or to an anchor. Lengths count from the
// lower left corner of its page, as in PDF.
type link struct {
	left, bottom, right, top float64
	url, anchor              string
	element                  *element
	object                   int // 0 for one that leads nowhere
	key                      int // in the tree of parents
}

// anchor is a place of a page; y counts from its bottom.
type anchor struct {
	page int
	y    float64
}

// drawState is what was last written into the page's content, so that it is
// not written again for each of a thousand table lines.
type drawState struct {
	hasFill     bool
	fillColor   dml.RGB
	font        *canvasFont
	fontSize    float64
	hasStroke   bool
	strokeColor dml.RGB
	strokeWidth float64
	dash        []float64
	// turn is by how many degrees a text box is turned.
	turn float64
	// place is where the page's points are after what was turned.
	place turned
}

// NewCanvas starts an empty document. The title is shown by readers in place of
// the file's name; lang is a BCP 47 tag ("en-GB") and may be empty.
func NewCanvas(title, lang string) *Canvas {
	c := &Canvas{
		title: title, lang: lang, byName: map[string]*canvasFont{}, images: map[[32]byte]*canvasImage{}, hashes: map[*byte]pictureHash{},
		opacity: map[float64]int{}, anchors: map[string]anchor{},
	}
	c.file.reserve(firstFree - 1)
	return c
}

// AddPage begins a new page; everything is drawn on the last page added.
func (c *Canvas) AddPage(w, h float64) {
	c.endPage()
	c.pages = append(c.pages, page{w: w, h: h, object: c.file.reserve(1)})
	c.pageW, c.pageH = w, h
	c.state, c.isCut = drawState{place: level}, false
}

// endPage stores what is drawn on the page at hand.
func (c *Canvas) endPage() {
	if len(c.pages) == 0 {
		return
	}
	c.unmark()
	c.restoreAll()
	c.pages[len(c.pages)-1].content = c.file.add(stream("/Filter /FlateDecode", compressQuickly(c.content)))
	c.content = c.content[:0]
}

// maxMarks bounds what one file may draw: points of lines, and pieces of text.
// A page full of small print has about a thousand.
const maxMarks = 4_000_000

// room says whether something may still be drawn that costs so much. What is
// beyond the limit is left out, and Full says so.
func (c *Canvas) room(marks int) bool {
	c.marks += marks
	return !c.Full()
}

// mayDraw is room for something that is drawn now.
func (c *Canvas) mayDraw(marks int) bool {
	if !c.room(marks) {
		return false
	}
	c.mark()
	return true
}

// Spend counts work that draws nothing by itself as if it drew so many marks; false
// when the limit of the file is reached.
func (c *Canvas) Spend(marks int) bool { return c.room(marks) }

// Full says that something was left out because the file would hold too much.
func (c *Canvas) Full() bool { return c.marks > maxMarks }

// Pages is the number of pages so far.
func (c *Canvas) Pages() int { return len(c.pages) }

// Save remembers clip and rotation until the matching Restore.
func (c *Canvas) Save() {
	c.write("q\n")
	c.saved = append(c.saved, c.state)
}

// Restore undoes clip and rotation since the matching Save or Rotate.
func (c *Canvas) Restore() {
	last := len(c.saved) - 1
	if last < 0 {
		return
	}
	c.write("Q\n")
	c.state, c.saved = c.saved[last], c.saved[:last]
}

func (c *Canvas) restoreAll() {
	for len(c.saved) > 0 {
		c.Restore()
	}
}

// Rotate turns what follows clockwise by degrees around a point, until the
// matching Restore; it does its own Save.
func (c *Canvas) Rotate(degrees, cx, cy float64) {
	c.saved = append(c.saved, c.state)
	sin, cos := math.Sincos(-degrees * math.Pi / 180)
	up := c.pageH - cy
	c.writef("q\n%.5f %.5f %.5f %.5f %.2f %.2f cm\n1 0 0 1 %.2f %.2f cm\n", cos, sin, -sin, cos, cx, up, -cx, -up)
	c.state.place = c.state.place.turn(degrees, Point{cx, cy})
}

// RotateText is Rotate for a box of text, whose words keep together for programs that
// read a PDF.
func (c *Canvas) RotateText(degrees, cx, cy float64) {
	c.Rotate(degrees, cx, cy)
	c.state.turn += degrees
}

// ClipRect keeps what follows inside a rectangle, until Restore of an earlier Save.
func (c *Canvas) ClipRect(x, y, w, h float64) {
	c.ClipPolygon([]Point{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}})
}

// ClipPolygon keeps what follows inside a polygon, until Restore of an earlier Save.
func (c *Canvas) ClipPolygon(points []Point) {
	if len(points) < 3 {
		return
	}
	c.polygon(points)
	c.write("h W n\n")
}

// LinkURL makes a rectangle of the page lead to an address.
func (c *Canvas) LinkURL(x, y, w, h float64, url string) {
	if url == "" || w <= 0 || h <= 0 || len(c.pages) == 0 {
		return
	}
	c.link(x, y, w, h, &link{url: asciiURL(url)})
}

func (c *Canvas) link(x, y, w, h float64, l *link) {
	l.left, l.bottom, l.right, l.top = x, c.pageH-y-h, x+w, c.pageH-y
	at := &c.pages[len(c.pages)-1]
	at.links = append(at.links, l)
	if l.element = c.linkElement(l.url + l.anchor); l.element != nil {
		l.element.kids = append(l.element.kids, kid{link: l, page: len(c.pages) - 1})
	}
}

// asciiURL escapes what a URI string in a PDF cannot hold, and what would end it.
func asciiURL(url string) string {
	var b []byte
	for i := range len(url) {
		switch ch := url[i]; {
		case ch <= ' ' || ch >= 0x7F:
			b = fmt.Appendf(b, "%%%02X", ch)
		case ch == '(' || ch == ')' || ch == '\\':
			b = append(b, '\\', ch)
		default:
			b = append(b, ch)
		}
	}
	return string(b)
}

// LinkAnchor makes a rectangle of the page lead to an anchor of this document,
// which may be set later. A link to an anchor that is never set does nothing.
func (c *Canvas) LinkAnchor(x, y, w, h float64, anchor string) {
	if anchor == "" || w <= 0 || h <= 0 || len(c.pages) == 0 {
		return
	}
	c.link(x, y, w, h, &link{anchor: anchor})
}

// Anchor names a place of the current page; the first of a name counts.
func (c *Canvas) Anchor(name string, y float64) {
	if _, isKnown := c.anchors[name]; name == "" || isKnown || len(c.pages) == 0 {
		return
	}
	c.anchors[name] = anchor{page: len(c.pages) - 1, y: c.pageH - y}
}

// Outline adds a bookmark that leads to a height of the current page. Levels
// begin at 0; one that is skipped is closed up.
func (c *Canvas) Outline(title string, level int, y float64) {
	c.outline = append(c.outline, outlineItem{title: title, level: max(0, level), page: len(c.pages) - 1, y: c.pageH - y})
}

// Bytes ends the document and returns the file. It fails when nothing was added.
func (c *Canvas) Bytes() ([]byte, error) {
	if len(c.pages) == 0 {
		return nil, errors.New("write PDF: a document needs at least one page")
	}
	c.endPage()
	return c.finish(), nil
}

// write adds operators to the page at hand.
func (c *Canvas) write(operators string) {
	if len(c.pages) > 0 {
		c.content = append(c.content, operators...)
	}
}

// writef is write of a text with numbers.
func (c *Canvas) writef(format string, arguments ...any) {
	if len(c.pages) > 0 {
		c.content = fmt.Appendf(c.content, format, arguments...)
	}
}

// Clamp keeps a number that came from a file inside what a page can need; what
// is no number becomes the lowest.
func Clamp(v, low, high float64) float64 {
	if math.IsNaN(v) {
		return low
	}
	return math.Max(low, math.Min(high, v))
}

// ReportFull reports that a canvas had no room for everything.
func ReportFull(c *Canvas, findings *render.Findings) {
	if c.Full() {
		findings.Add(render.FindingTruncated, "the file draws more than one PDF may hold")
	}
}
