package wml

import (
	"math"
	"slices"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
)

// Drawing is a picture, a shape, a text box or a group of them, from DrawingML
// or from VML.
type Drawing struct {
	Elem          *etree.Element
	Width, Height float64
	// X and Y are the place within the group, for members of a group.
	X, Y float64
	// Anchor is nil for a drawing that stands in the line like a character.
	Anchor *Anchor
	// ColumnShare is the width as a part of the column's, 0 where Width counts.
	ColumnShare float64
	Image       *Image
	// LinkedImage is the address of a picture that is not in the file.
	LinkedImage string
	// Geometry is the form of a shape. Its preset is also "chart", "relIds"
	// (SmartArt) or "textpath" (WordArt), and UnknownForm.
	Geometry     dml.Geometry
	Fill         *dml.ShapeFill // nil: none
	Line         *dml.ShapeLine // nil: none
	FlipH, FlipV bool
	// Rotation is clockwise, in degrees.
	Rotation float64
	// IsLying says that the file counts from the box that a turned drawing would have if it
	// lay on its side, its middle in the same place: Word does so since 2010 from 45 degrees
	// on up to 135, and on the other side.
	IsLying bool
	// Effects are how far shadows and the like reach over each edge of that box, or of the
	// drawing's (wp:effectExtent).
	Effects  Margins
	Box      *TextBox
	Children []*Drawing
	Link     *Link
	Chart    *dml.Chart
	WordArt  *WordArt
	// Alt is the description for those who cannot see it.
	Alt string
	// Losses are what it is drawn without.
	Losses dml.Losses
}

// UnknownForm is the preset of a shape whose outline we cannot draw.
const UnknownForm = "unknown"

// WordArt is a text that fills a shape; Fill is its colour.
type WordArt struct {
	Text, Font   string
	Bold, Italic bool
}

// Image is a picture in a part of the package. Crop is cut off each side, in
// parts of one: left, top, right, bottom.
type Image struct {
	Part         string
	Crop         [4]float64
	Transparency float64 // 0 is opaque
}

// TextBox is the text in a shape.
type TextBox struct {
	Elem   *etree.Element
	Blocks []Block
	Inset  Margins
	// VAlign is "top", "center" or "bottom".
	VAlign string
	// Turn is by how many degrees the text is turned clockwise: 0, 90 or -90.
	Turn float64
	// GrowsWithText says that the shape is as high as its text.
	GrowsWithText bool
}

// Anchor is the place of a drawing that stands outside the line.
type Anchor struct {
	H, V AnchorPosition
	// IsBehind puts it under the text.
	IsBehind bool
	// Wrap is "none", "square", "tight", "through" or "topAndBottom"; Side is
	// where text may stand: "bothSides", "left", "right" or "largest".
	Wrap, Side               string
	Top, Right, Bottom, Left float64 // distance from the text
	IsInCell                 bool
	Z                        int
}

// AnchorPosition is a place along one axis.
type AnchorPosition struct {
	// From is what Offset or Align counts from: "page", "margin", "column", "character", "paragraph", "line" …
	From string
	// Align is "left", "center", "right", "top", "bottom", "inside", "outside", or empty for Offset.
	Align  string
	Offset float64
}

// readDrawings reads a w:drawing, w:pict or w:object.
func (r *resolver) readDrawings(e *etree.Element) []*Drawing {
	if r.depth >= opc.MaxNesting {
		r.doc.IsTruncated = true
		return nil
	}
	r.depth++
	defer func() { r.depth-- }()
	if e.Tag != "drawing" {
		return r.readVML(e)
	}
	var out []*Drawing
	dml.EachChild(e, func(c *etree.Element) {
		if c.Tag == "inline" || c.Tag == "anchor" {
			if d := r.readDrawingML(c); d != nil {
				out = append(out, d)
			}
		}
	})
	return out
}

func (r *resolver) readDrawingML(e *etree.Element) *Drawing {
	d := &Drawing{Elem: e}
	extent := wChild(e, "extent")
	d.Width, d.Height = emu(extent, "cx"), emu(extent, "cy")
	if pr := wChild(e, "docPr"); pr != nil {
		d.Alt, _ = wAttr(pr, "descr")
		if v, ok := wAttr(pr, "hidden"); ok && isOnValue(v) {
			return nil
		}
		d.Link = r.readDrawingLink(wChild(pr, "hlinkClick"))
	}
	if e.Tag == "anchor" {
		d.Anchor = readAnchor(e)
	}
	for key, to := range map[string]*float64{"l": &d.Effects.Left, "t": &d.Effects.Top, "r": &d.Effects.Right, "b": &d.Effects.Bottom} {
		*to = dml.Clamp(emu(wChild(e, "effectExtent"), key), 0, maxEffect)
	}
	data := wPath(e, "graphic", "graphicData")
	dml.EachChild(data, func(c *etree.Element) {
		switch c.Tag {
		case "pic":
			r.readPicture(d, c)
		case "wsp":
			r.readShape(d, c)
		case "wgp", "wpc":
			r.readGroup(d, c)
		case "chart":
			d.Geometry.Preset = c.Tag
			d.Chart = dml.ReadChart(r.dml(), dml.RelationshipID(c, "id"))
		case "relIds":
			d.Geometry.Preset = c.Tag
		case "lockedCanvas":
			d.Losses.Add(dml.LossCanvas)
		case "contentPart":
			d.Losses.Add(dml.LossInk)
		default:
			d.Losses.Add(dml.LossDrawing)
		}
	})
	if d.Image != nil && d.Line == nil && d.Rotation == 0 && !slices.Contains(d.Losses, dml.LossEffects) {
		d.Effects = Margins{} // Word 2007 wrote extents for pictures that have none
	}
	side := math.Mod(math.Mod(d.Rotation, 180)+180, 180)
	d.IsLying = side >= 45 && side < 135 && r.doc.Settings.CompatMode >= 14
	return d
}

// maxEffect is how far effects may reach over a drawing, in points: a page of Word's largest size.
const maxEffect = 1584

// dml reads DrawingML in the part at hand as slides' is read.
func (r *resolver) dml() *dml.Reader {
	theme := r.doc.Theme
	if theme == nil {
		theme = &dml.Theme{}
	}
	return &dml.Reader{Package: r.pkg, Part: r.part, Theme: theme, Colors: map[string]string{"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"}}
}

func (r *resolver) readDrawingLink(e *etree.Element) *Link {
	id, ok := wAttr(e, "id")
	if !ok {
		return nil
	}
	if rel, found := r.pkg.Relationship(r.part, id); found && rel.External {
		return &Link{Elem: e, URL: rel.Target}
	}
	return nil
}

func readAnchor(e *etree.Element) *Anchor {
	a := &Anchor{Wrap: "none", Side: "bothSides", Top: emu(e, "distT"), Right: emu(e, "distR"), Bottom: emu(e, "distB"), Left: emu(e, "distL")}
	v, _ := wAttr(e, "behindDoc")
	a.IsBehind = v == "1" || v == "true"
	v, _ = wAttr(e, "layoutInCell")
	a.IsInCell = v == "1" || v == "true"
	a.Z, _ = wInt(e, "relativeHeight")
	a.H = readAnchorPosition(wChild(e, "positionH"), "column")
	a.V = readAnchorPosition(wChild(e, "positionV"), "paragraph")
	if v, _ := wAttr(e, "simplePos"); v == "1" || v == "true" {
		p := wChild(e, "simplePos")
		a.H = AnchorPosition{From: "page", Offset: emu(p, "x")}
		a.V = AnchorPosition{From: "page", Offset: emu(p, "y")}
	}
	dml.EachChild(e, func(c *etree.Element) {
		if kind, ok := strings.CutPrefix(c.Tag, "wrap"); ok && kind != "" {
			a.Wrap = strings.ToLower(kind[:1]) + kind[1:]
			if side, found := wAttr(c, "wrapText"); found {
				a.Side = side
			}
		}
	})
	return a
}

func readAnchorPosition(e *etree.Element, from string) AnchorPosition {
	p := AnchorPosition{From: from}
	if v, ok := wAttr(e, "relativeFrom"); ok {
		p.From = v
	}
	dml.EachChild(e, func(c *etree.Element) {
		switch c.Tag {
		case "align":
			p.Align = strings.TrimSpace(c.Text())
		case "posOffset":
			if n, ok := parseMeasure(c.Text(), 1.0/dml.EMUPerPoint); ok {
				p.Offset = n
			}
		}
	})
	return p
}

func (r *resolver) readPicture(d *Drawing, e *etree.Element) {
	fill := wChild(e, "blipFill")
	blip := wChild(fill, "blip")
	id, _ := wAttr(blip, "embed")
	rel, found := r.pkg.Relationship(r.part, id)
	if !found || rel.External {
		d.LinkedImage = (&dml.Reader{Package: r.pkg, Part: r.part}).LinkedPicture(fill)
		d.Losses.Add(dml.LossLinked)
		return
	}
	d.Image = &Image{Part: rel.Target}
	if a := dml.Child(blip, "alphaModFix"); a != nil {
		d.Image.Transparency = 1 - dml.Clamp(dml.Percent(a.SelectAttrValue("amt", "100000")), 0, 1)
	}
	if dml.FirstChild(blip, dml.Recoloring...) != nil {
		d.Losses.Add(dml.LossRecolored)
	}
	src := wChild(fill, "srcRect")
	for i, key := range []string{"l", "t", "r", "b"} {
		if n, ok := wInt(src, key); ok && n > 0 && n < 100000 {
			d.Image.Crop[i] = float64(n) / 100000
		}
	}
	spPr := wChild(e, "spPr")
	r.readShapeProperties(d, spPr, nil)
	d.Fill = nil
}

// readTransform takes place and size of a shape that is a member of a group.
func readTransform(d *Drawing, xfrm *etree.Element) {
	if xfrm == nil {
		return
	}
	off, ext := wChild(xfrm, "off"), wChild(xfrm, "ext")
	d.X, d.Y = emu(off, "x"), emu(off, "y")
	d.Width, d.Height = emu(ext, "cx"), emu(ext, "cy")
}

// readShapeProperties reads the look of a shape; style is its wps:style, nil for none.
func (r *resolver) readShapeProperties(d *Drawing, spPr, style *etree.Element) {
	xfrm := wChild(spPr, "xfrm")
	if v, ok := wAttr(xfrm, "flipH"); ok {
		d.FlipH = isOnValue(v)
	}
	if v, ok := wAttr(xfrm, "flipV"); ok {
		d.FlipV = isOnValue(v)
	}
	if n, ok := wInt(xfrm, "rot"); ok {
		d.Rotation = float64(n) / 60000
	}
	if custom := wChild(spPr, "custGeom"); custom != nil {
		d.Geometry = dml.Geometry{Custom: custom}
	} else if preset := wChild(spPr, "prstGeom"); preset != nil {
		d.Geometry = dml.PresetGeometry(preset)
	}
	d.Losses.OfEffects(spPr)
	themed := r.dml()
	if own := dml.FirstChild(spPr, dml.FillTags...); own != nil {
		d.Fill = themed.FillElement(own, nil)
		if own.Tag == "grpFill" {
			d.Losses.Add(dml.LossGroupFill)
		}
	} else if ref := wChild(style, "fillRef"); ref != nil {
		d.Fill = themed.ThemeFill(ref, themed)
	}
	if d.Fill != nil && d.Fill.Kind == dml.FillNone {
		for _, loss := range d.Fill.Losses {
			d.Losses.Add(loss)
		}
		d.Fill = nil
	}
	ln := wChild(spPr, "ln")
	d.Line = themed.Line([]*etree.Element{ln}, wChild(style, "lnRef"), themed)
	if d.Line != nil && dml.FirstChild(ln, "gradFill", "pattFill") != nil {
		d.Losses.Add(dml.LossGradient)
	}
}
