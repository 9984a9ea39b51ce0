// Package pdf paints pages: a Canvas writes text, lines, areas and pictures into
// a PDF, with subsets of the fonts that it uses. It has what is patched into the
// bytes that gopdf writes, and the fonts. What is painted where is for others.
package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/signintech/gopdf"

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
	pdf      gopdf.GoPdf
	title    string
	lang     string
	pages    []int // the numbers of their objects, each followed by its content
	pageW    float64
	pageH    float64
	fonts    []*canvasFont
	byName   map[string]*canvasFont
	font     *canvasFont // that gopdf writes in
	fontSize float64
	images   map[[32]byte]*canvasImage
	hashes   map[*byte]pictureHash // of the files in images
	outline  []outlineItem
	anchors  map[string]bool
	links    []anchorLink
	masked   []maskedPicture
	// texts counts those of the page at hand.
	texts int
	// isCut says that letters stand beside the page at hand.
	isCut bool
	// marks counts what was drawn, pixels what pictures were unpacked to.
	marks, pixels int
	changed       []changedText
	raw           []rawOperators
	state         drawState
	saved         []drawState
	err           error
}

// drawState is what was last written into the page's content, so that it is
// not written again for each of a thousand table lines.
type drawState struct {
	hasStroke   bool
	strokeColor dml.RGB
	strokeWidth float64
	dash        string
	// turn is by how many degrees a text box is turned.
	turn float64
	// place is where the page's points are after what was turned.
	place turned
}

// anchorLink is the object of a link to an anchor.
type anchorLink struct {
	object int
	anchor string
}

// basePageHeight is the page height that gopdf measures links and anchors from,
// on pages of every height.
const basePageHeight = 842.0

// NewCanvas starts an empty document. The title is shown by readers in place of
// the file's name; lang is a BCP 47 tag ("en-GB") and may be empty.
func NewCanvas(title, lang string) *Canvas {
	c := &Canvas{title: title, lang: lang, byName: map[string]*canvasFont{}, images: map[[32]byte]*canvasImage{}, hashes: map[*byte]pictureHash{}, anchors: map[string]bool{}}
	c.pdf.Start(gopdf.Config{PageSize: gopdf.Rect{W: 595, H: basePageHeight}})
	c.pdf.SetNoCompression() // finish compresses, with compressors that are kept
	return c
}

// AddPage begins a new page; everything is drawn on the last page added.
func (c *Canvas) AddPage(w, h float64) {
	c.restoreAll()
	c.pages = append(c.pages, c.pdf.GetNextObjectID())
	c.pdf.AddPageWithOption(gopdf.PageOption{PageSize: &gopdf.Rect{W: w, H: h}})
	c.pageW, c.pageH = w, h
	c.state, c.texts, c.isCut = drawState{place: level}, 0, false
	// A page without content would be written with an empty reference to it.
	c.pdf.SaveGraphicsState()
	c.pdf.RestoreGraphicsState()
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

// Spend counts work that draws nothing by itself as if it drew so many marks; false
// when the limit of the file is reached.
func (c *Canvas) Spend(marks int) bool { return c.room(marks) }

// Full says that something was left out because the file would hold too much.
func (c *Canvas) Full() bool { return c.marks > maxMarks }

// Pages is the number of pages so far.
func (c *Canvas) Pages() int { return len(c.pages) }

// Save remembers clip and rotation until the matching Restore.
func (c *Canvas) Save() {
	c.pdf.SaveGraphicsState()
	c.saved = append(c.saved, c.state)
}

// Restore undoes clip and rotation since the matching Save or Rotate.
func (c *Canvas) Restore() {
	last := len(c.saved) - 1
	if last < 0 {
		return
	}
	c.pdf.RestoreGraphicsState()
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
	c.pdf.Rotate(-degrees, cx, cy)
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
	c.pdf.ClipPolygon(pdfPoints(points))
}

// LinkURL makes a rectangle of the page lead to an address.
func (c *Canvas) LinkURL(x, y, w, h float64, url string) {
	if url == "" || w <= 0 || h <= 0 || len(c.pages) == 0 {
		return
	}
	c.pdf.AddExternalLink(asciiURL(url), x, y+basePageHeight-c.pageH, w, h)
}

// asciiURL escapes what a URI string in a PDF cannot hold.
func asciiURL(url string) string {
	var b bytes.Buffer
	for i := range len(url) {
		if ch := url[i]; ch <= ' ' || ch >= 0x7F {
			fmt.Fprintf(&b, "%%%02X", ch)
		} else {
			b.WriteByte(ch)
		}
	}
	return b.String()
}

// LinkAnchor makes a rectangle of the page lead to an anchor of this document,
// which may be set later. A link to an anchor that is never set does nothing.
func (c *Canvas) LinkAnchor(x, y, w, h float64, anchor string) {
	if anchor == "" || w <= 0 || h <= 0 || len(c.pages) == 0 {
		return
	}
	c.links = append(c.links, anchorLink{object: c.pdf.GetNextObjectID(), anchor: anchor})
	c.pdf.AddInternalLink(anchor, x, y+basePageHeight-c.pageH, w, h)
}

// Anchor names a place of the current page; the first of a name counts.
func (c *Canvas) Anchor(name string, y float64) {
	if name == "" || c.anchors[name] {
		return
	}
	c.anchors[name] = true
	c.pdf.SetXY(0, basePageHeight-c.pageH+y+c.fontSize)
	c.pdf.SetAnchor(name)
}

// Outline adds a bookmark that leads to a height of the current page. Levels
// begin at 0; one that is skipped is closed up.
func (c *Canvas) Outline(title string, level int, y float64) {
	c.outline = append(c.outline, outlineItem{title: title, level: max(0, level), page: len(c.pages) - 1, y: c.pageH - y})
}

// Bytes ends the document and returns the file. It fails when nothing was
// added or when something inside the PDF writer did.
func (c *Canvas) Bytes() ([]byte, error) {
	if len(c.pages) == 0 {
		return nil, errors.New("write PDF: a document needs at least one page")
	}
	c.restoreAll()
	if c.err != nil {
		return nil, fmt.Errorf("write PDF: %w", c.err)
	}
	raw, err := c.pdf.GetBytesPdfReturnErr()
	if err != nil {
		return nil, fmt.Errorf("write PDF: %w", err)
	}
	return c.finish(raw)
}

func (c *Canvas) fail(err error) {
	if c.err == nil {
		c.err = err
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
