package layout

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/platenhq/platen/internal/drive/office"
)

// Canvas draws pages into a PDF file. The origin is a page's upper left corner,
// lengths are points, y grows downwards, angles are degrees clockwise. The same
// calls give the same bytes. A Canvas is not safe for concurrent use.
//
// Faults in what is drawn (a picture that cannot be read) come back from the
// call.
type Canvas struct {
	title    string
	lang     string
	pages    []*canvasPage
	content  content // of the last page
	fonts    []*canvasFont
	byFace   map[*Face]*canvasFont
	pictures []*canvasImage // that are drawn, in the order of their first use
	images   map[[32]byte]*canvasImage
	alphas   []int // opacities that are used, in percent
	outline  []outlineItem
	anchors  map[string]anchor
	state    drawState
	saved    []drawState
}

// canvasPage is a page with what it leads to. Its content is compressed when
// the next page begins.
type canvasPage struct {
	w, h    float64
	content []byte
	links   []link
}

// link is a rectangle of a page that leads to an address or an anchor.
type link struct {
	x, y, w, h  float64
	url, anchor string
}

// anchor is a place; y counts from the bottom of its page, as in PDF.
type anchor struct {
	page int
	y    float64
}

// drawState is what was last written into the page's content, so that it is
// not written again for each of a thousand table lines.
type drawState struct {
	font        *Face
	fontSize    float64
	fillSet     bool
	fill        office.RGB
	strokeSet   bool
	strokeColor office.RGB
	strokeWidth float64
	dash        string
}

// NewCanvas starts an empty document. The title is shown by readers in place of
// the file's name; lang is a BCP 47 tag ("en-GB") and may be empty.
func NewCanvas(title, lang string) *Canvas {
	return &Canvas{title: title, lang: lang, byFace: map[*Face]*canvasFont{}, images: map[[32]byte]*canvasImage{}, anchors: map[string]anchor{}}
}

// AddPage begins a new page; everything is drawn on the last page added.
func (c *Canvas) AddPage(w, h float64) {
	c.endPage()
	c.pages = append(c.pages, &canvasPage{w: w, h: h})
	c.state = drawState{}
}

func (c *Canvas) endPage() {
	for len(c.saved) > 0 {
		c.Restore()
	}
	if p := c.page(); p != nil {
		p.content = deflatedQuickly(c.content)
		c.content = c.content[:0]
	}
}

// page is the last page, nil before the first.
func (c *Canvas) page() *canvasPage {
	if len(c.pages) == 0 {
		return nil
	}
	return c.pages[len(c.pages)-1]
}

// Pages is the number of pages so far.
func (c *Canvas) Pages() int { return len(c.pages) }

// PageSize is the size of the current page.
func (c *Canvas) PageSize() (w, h float64) {
	if p := c.page(); p != nil {
		return p.w, p.h
	}
	return 0, 0
}

// up turns a height on the page into PDF's, which counts from the bottom.
func (c *Canvas) up(y float64) float64 {
	_, h := c.PageSize()
	return h - y
}

// Save remembers clip and rotation until the matching Restore.
func (c *Canvas) Save() {
	c.content.word("q")
	c.saved = append(c.saved, c.state)
}

// Restore undoes clip and rotation since the matching Save or Rotate.
func (c *Canvas) Restore() {
	last := len(c.saved) - 1
	if last < 0 {
		return
	}
	c.content.word("Q")
	c.state, c.saved = c.saved[last], c.saved[:last]
}

// Rotate turns what follows clockwise by degrees around a point, until the
// matching Restore; it does its own Save.
func (c *Canvas) Rotate(degrees, cx, cy float64) {
	c.Save()
	sin, cos := math.Sincos(-degrees * math.Pi / 180)
	c.content.fine(cos, sin, -sin, cos)
	c.content.op("cm", cx, c.up(cy))
	c.content.op("cm", 1, 0, 0, 1, -cx, -c.up(cy))
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
	c.path(points)
	c.content.word("h W n")
}

// LinkURL makes a rectangle of the page lead to an address.
func (c *Canvas) LinkURL(x, y, w, h float64, url string) {
	if url != "" {
		c.link(link{x: x, y: y, w: w, h: h, url: asciiURL(url)})
	}
}

// LinkAnchor makes a rectangle of the page lead to an anchor of this document,
// which may be set later. A link to an anchor that is never set does nothing.
func (c *Canvas) LinkAnchor(x, y, w, h float64, anchor string) {
	if anchor != "" {
		c.link(link{x: x, y: y, w: w, h: h, anchor: anchor})
	}
}

func (c *Canvas) link(l link) {
	if p := c.page(); p != nil && l.w > 0 && l.h > 0 {
		p.links = append(p.links, l)
	}
}

// asciiURL escapes what a URI string in a PDF cannot hold.
func asciiURL(url string) string {
	var b bytes.Buffer
	for i := range len(url) {
		switch ch := url[i]; {
		case ch <= ' ' || ch >= 0x7F:
			fmt.Fprintf(&b, "%%%02X", ch)
		case ch == '\\' || ch == '(' || ch == ')':
			b.WriteByte('\\')
			b.WriteByte(ch)
		default:
			b.WriteByte(ch)
		}
	}
	return b.String()
}

// Anchor names a place of the current page; the first of a name counts.
func (c *Canvas) Anchor(name string, y float64) {
	if _, known := c.anchors[name]; name != "" && !known && len(c.pages) > 0 {
		c.anchors[name] = anchor{page: len(c.pages) - 1, y: c.up(y)}
	}
}

// Outline adds a bookmark that leads to a height of the current page. Levels
// begin at 0; one that is skipped is closed up.
func (c *Canvas) Outline(title string, level int, y float64) {
	c.outline = append(c.outline, outlineItem{title: title, level: max(0, level), page: len(c.pages) - 1, y: c.up(y)})
}

// Bytes ends the document and returns the file. It fails when nothing was
// added.
func (c *Canvas) Bytes() ([]byte, error) {
	if len(c.pages) == 0 {
		return nil, errors.New("write PDF: a document needs at least one page")
	}
	c.endPage()
	return c.file(), nil
}
