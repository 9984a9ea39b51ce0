package wml

import (
	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

// Section is a stretch of the body that shares a page layout.
type Section struct {
	// Elem is the w:sectPr, nil where the body has none.
	Elem   *etree.Element
	Blocks []Block
	// Start is where the section begins: "nextPage", "continuous", "evenPage", "oddPage" or "nextColumn".
	Start                    string
	Width, Height            float64
	Top, Right, Bottom, Left float64 // margins; a negative Top or Bottom is exact, even if the header needs more
	Header, Footer           float64 // distance from the page's edge
	Gutter                   float64
	TitlePage                bool
	Columns                  []Column
	HasColumnLine            bool
	// PageStart is the number of the first page, 0 to go on counting.
	PageStart  int
	PageFormat string
	VAlign     string
	RTL        bool
	Borders    ParagraphBorders
	// HasBordersFromText measures page borders from the text instead of the page's edge.
	HasBordersFromText bool
	// Headers and Footers by kind: "default", "first", "even". A section
	// without one of its own has its predecessor's.
	Headers, Footers map[string]*Story
	// GridPitch is the line pitch of a document grid that is in force, 0 for none.
	GridPitch float64
}

// Column is a text column and the gap behind it.
type Column struct{ Width, Space float64 }

// readSections cuts the bodies of a document at their w:sectPr elements. There is one
// body, but generated files have several.
func (r *resolver) readSections(document *etree.Element) {
	var blocks []Block
	finish := func(sectPr *etree.Element) {
		var previous *Section
		if n := len(r.doc.Sections); n > 0 {
			previous = r.doc.Sections[n-1]
		}
		s := r.readSection(sectPr, previous)
		s.Blocks = blocks
		blocks = nil
		r.doc.Sections = append(r.doc.Sections, s)
		r.sectionNow++
	}
	dml.EachChild(document, func(body *etree.Element) {
		if body.Tag != "body" || isForeign(body.Space) {
			return
		}
		r.readBlocks(body, nil, func(b Block) {
			blocks = append(blocks, b)
			if p, ok := b.(*Paragraph); ok && p.EndsSection {
				finish(wPath(p.Elem, "pPr", "sectPr"))
			}
		})
		if last := wChild(body, "sectPr"); last != nil {
			finish(last)
		}
	})
	if len(blocks) > 0 || len(r.doc.Sections) == 0 {
		finish(nil)
	}
}

func (r *resolver) readSection(e *etree.Element, previous *Section) *Section {
	s := &Section{Elem: e, Start: "nextPage", Width: 612, Height: 792, Top: 72, Right: 72, Bottom: 72, Left: 72,
		Header: 36, Footer: 36, PageFormat: "decimal", VAlign: "top"}
	points := func(to *float64, e *etree.Element, key string) {
		if n, ok := wPoints(e, key); ok {
			*to = n
		}
	}
	size, margins := wChild(e, "pgSz"), wChild(e, "pgMar")
	points(&s.Width, size, "w")
	points(&s.Height, size, "h")
	if s.Width < 36 || s.Width > 14400 || s.Height < 36 || s.Height > 14400 {
		s.Width, s.Height = 612, 792
	}
	points(&s.Top, margins, "top")
	points(&s.Right, margins, "right")
	points(&s.Bottom, margins, "bottom")
	points(&s.Left, margins, "left")
	points(&s.Header, margins, "header")
	points(&s.Footer, margins, "footer")
	points(&s.Gutter, margins, "gutter")
	if r.doc.Settings.GutterAtTop {
		s.Top += s.Gutter
		s.Header += s.Gutter
	} else {
		s.Left += s.Gutter
	}
	if v := wVal(wChild(e, "type")); v != "" {
		s.Start = v
	}
	if t := wChild(e, "titlePg"); t != nil {
		s.TitlePage = isOn(t)
	}
	if t := wChild(e, "bidi"); t != nil {
		s.RTL = isOn(t)
	}
	if v := wVal(wChild(e, "vAlign")); v != "" {
		s.VAlign = v
	}
	s.readPageNumbers(wChild(e, "pgNumType"))
	if g := wChild(e, "docGrid"); g != nil {
		if kind, _ := wAttr(g, "type"); kind == "lines" || kind == "linesAndChars" {
			points(&s.GridPitch, g, "linePitch")
		}
	}
	if b := wChild(e, "pgBorders"); b != nil {
		r.applyParagraphBorders(&s.Borders, b)
		from, _ := wAttr(b, "offsetFrom")
		s.HasBordersFromText = from != "page"
	}
	s.readColumns(wChild(e, "cols"))
	s.Headers = r.readStories(e, "headerReference", previous, func(p *Section) map[string]*Story { return p.Headers })
	s.Footers = r.readStories(e, "footerReference", previous, func(p *Section) map[string]*Story { return p.Footers })
	return s
}

func (s *Section) readPageNumbers(e *etree.Element) {
	if v, ok := wAttr(e, "fmt"); ok {
		s.PageFormat = v
		if pattern, ok := wAttr(e, "format"); ok && v == "custom" {
			s.PageFormat = dml.CustomFormat + pattern
		}
	}
	if v, ok := wInt(e, "start"); ok {
		s.PageStart = v
	}
}

// TextWidth is the width between the margins.
func (s *Section) TextWidth() float64 {
	return max(s.Width-s.Left-s.Right, 12)
}

func (s *Section) readColumns(e *etree.Element) {
	width := s.TextWidth()
	n, _ := wInt(e, "num")
	space := 36.0
	if v, ok := wPoints(e, "space"); ok {
		space = v
	}
	if v, ok := wAttr(e, "sep"); ok {
		s.HasColumnLine = isOnValue(v)
	}
	if v, ok := wAttr(e, "equalWidth"); ok && !isOnValue(v) {
		dml.EachChild(e, func(c *etree.Element) {
			w, _ := wPoints(c, "w")
			gap, _ := wPoints(c, "space")
			if c.Tag == "col" && w > 1 && len(s.Columns) < 45 {
				s.Columns = append(s.Columns, Column{Width: w, Space: gap})
			}
		})
	}
	if len(s.Columns) > 0 {
		return
	}
	n = min(max(n, 1), 45)
	each := (width - space*float64(n-1)) / float64(n)
	if each < 6 {
		n, each = 1, width
	}
	for range n {
		s.Columns = append(s.Columns, Column{Width: each, Space: space})
	}
}

func (r *resolver) readStories(sectPr *etree.Element, tag string, previous *Section, of func(*Section) map[string]*Story) map[string]*Story {
	stories := map[string]*Story{}
	if previous != nil {
		for kind, s := range of(previous) {
			stories[kind] = s
		}
	}
	dml.EachChild(sectPr, func(e *etree.Element) {
		if e.Tag != tag {
			return
		}
		kind, _ := wAttr(e, "type")
		id, _ := wAttr(e, "id")
		rel, ok := r.pkg.Relationship(r.main, id)
		if !ok || rel.External || !r.pkg.Has(rel.Target) {
			return
		}
		root, err := partRoot(r.pkg, rel.Target)
		if err != nil {
			r.doc.IsTruncated = true
			return
		}
		if kind == "" {
			kind = "default"
		}
		fields := r.fields
		r.part, r.fields = rel.Target, nil
		stories[kind] = &Story{Part: rel.Target, Root: root, Blocks: r.collectBlocks(root, nil)}
		r.part, r.fields = r.main, fields
	})
	return stories
}
