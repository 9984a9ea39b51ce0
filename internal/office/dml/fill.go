package dml

import (
	"cmp"
	"math"
	"slices"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/opc"
)

// FillKind says how an area is painted.
type FillKind int

// The kinds of fill. A pattern is given as a FillSolid in its mixed colour.
const (
	FillNone FillKind = iota
	FillSolid
	FillGradient
	FillPicture
)

// ShapeFill is how a shape, a table cell or a background is painted.
type ShapeFill struct {
	Kind  FillKind
	Color RGB
	Alpha float64 // 1 is opaque
	// Stops and Angle (degrees clockwise from left to right) describe a
	// gradient; Radial ones run from the middle outwards.
	Stops  []GradientStop
	Angle  float64
	Radial bool
	// Picture is the image of a FillPicture. Where TileX and TileY are not 0 it
	// repeats, at its natural size times these.
	Picture      *Picture
	TileX, TileY float64
	// Losses are what the fill is drawn without.
	Losses []Loss
}

// GradientStop is a colour at a place between 0 and 1.
type GradientStop struct {
	At    float64
	Color RGB
	Alpha float64
}

// ShapeLine is an outline or a connector's line.
type ShapeLine struct {
	Width      float64
	Color      RGB
	Alpha      float64
	Dash       string // ST_PresetLineDashVal: solid, dash, sysDot …
	Head, Tail string // ends: none, triangle, stealth, diamond, oval, arrow
}

// Picture is an image part and the fractions cut off its sides.
type Picture struct {
	Part                     string
	Left, Top, Right, Bottom float64
	Alpha                    float64
	Losses                   []Loss
}

// Reader resolves DrawingML for one part: its relationships, the theme and the map of colour names.
type Reader struct {
	Package *opc.Package
	Part    string
	Theme   *Theme
	Colors  map[string]string
}

// Color resolves the colour choice inside e; ph is what phClr stands for.
func (d *Reader) Color(e *etree.Element, ph *RGB) (c RGB, alpha float64, ok bool) {
	if e == nil {
		return RGB{}, 1, false
	}
	choice := FirstChild(e, ColorTags...)
	if choice == nil {
		return RGB{}, 1, false
	}
	return d.colorOf(choice, ph)
}

// colorOf resolves one of the colours of a choice.
func (d *Reader) colorOf(choice *etree.Element, ph *RGB) (c RGB, alpha float64, ok bool) {
	if choice.Tag == "schemeClr" {
		name := choice.SelectAttrValue("val", "")
		if name == "phClr" {
			if ph == nil {
				return RGB{}, 1, false
			}
			c, ok = *ph, true
		} else {
			if mapped, found := d.Colors[name]; found {
				name = mapped
			}
			c, ok = d.Theme.Color(name)
		}
	} else {
		c, ok = colorValue(choice)
	}
	return ApplyColorModifiers(c, choice), ColorAlpha(choice), ok
}

// ColorTags are the elements that name a colour (EG_ColorChoice).
var ColorTags = []string{"srgbClr", "schemeClr", "sysClr", "prstClr", "scrgbClr", "hslClr"}

// FillTags are the elements that name a fill (EG_FillProperties).
var FillTags = []string{"noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill"}

// Fill reads the fill inside a properties element; nil when it says nothing.
func (d *Reader) Fill(e *etree.Element, ph *RGB) *ShapeFill {
	return d.FillElement(FirstChild(e, FillTags...), ph)
}

// FillElement reads one of FillTags; ph is the colour that phClr stands for, nil
// for none. It is nil where there is no element.
func (d *Reader) FillElement(e *etree.Element, ph *RGB) *ShapeFill {
	if e == nil {
		return nil
	}
	switch e.Tag {
	case "solidFill":
		if c, a, ok := d.Color(e, ph); ok {
			return &ShapeFill{Kind: FillSolid, Color: c, Alpha: a}
		}
		return &ShapeFill{Kind: FillNone}
	case "gradFill":
		return d.gradient(e, ph)
	case "blipFill":
		if pic := d.Picture(e); pic != nil {
			if f := d.duotone(Child(e, "blip"), ph); f != nil {
				return f
			}
			f := &ShapeFill{Kind: FillPicture, Picture: pic, Alpha: pic.Alpha, Losses: pic.Losses}
			if tile := Child(e, "tile"); tile != nil {
				if tile.SelectAttrValue("flip", "none") != "none" || tile.SelectAttrValue("algn", "tl") != "tl" || Int(tile, "tx", 0) != 0 || Int(tile, "ty", 0) != 0 {
					f.Losses = append(f.Losses, LossTiles)
				}
				f.TileX, f.TileY = Percent(tile.SelectAttrValue("sx", "100000")), Percent(tile.SelectAttrValue("sy", "100000"))
			}
			return f
		}
		return &ShapeFill{Kind: FillNone, Losses: []Loss{LossPictureFill}}
	case "pattFill":
		fg, _, ok1 := d.Color(Child(e, "fgClr"), ph)
		bg, _, ok2 := d.Color(Child(e, "bgClr"), ph)
		if !ok1 || !ok2 {
			return &ShapeFill{Kind: FillNone}
		}
		return &ShapeFill{Kind: FillSolid, Color: mix(bg, fg, patternShare(e.SelectAttrValue("prst", ""))), Alpha: 1, Losses: []Loss{LossPattern}}
	}
	return &ShapeFill{Kind: FillNone}
}

// duotone is a fill by a picture that is drawn in the tones between two colours,
// as themes have them for backgrounds: one colour between them. The picture
// itself is grey, and often black.
func (d *Reader) duotone(blip *etree.Element, ph *RGB) *ShapeFill {
	tones := ChildElements(Child(blip, "duotone"))
	if len(tones) != 2 {
		return nil
	}
	var c [2]RGB
	for i, tone := range tones {
		var ok bool
		if c[i], _, ok = d.colorOf(tone, ph); !ok {
			return nil
		}
	}
	return &ShapeFill{Kind: FillSolid, Color: mix(c[0], c[1], 0.5), Alpha: 1, Losses: []Loss{LossDuotone}}
}

// patternShare is how much of a pattern is foreground; the percentage patterns say so in their name.
func patternShare(name string) float64 {
	var share int
	for _, r := range name {
		if r >= '0' && r <= '9' {
			share = share*10 + int(r-'0')
		}
	}
	if share > 0 && share <= 100 {
		return float64(share) / 100
	}
	return 0.3
}

func mix(a, b RGB, t float64) RGB {
	m := func(x, y uint8) uint8 { return uint8(math.Round(float64(x)*(1-t) + float64(y)*t)) }
	return RGB{m(a.R, b.R), m(a.G, b.G), m(a.B, b.B)}
}

// Mix blends two colours; t runs from 0 (all a) to 1 (all b).
func Mix(a, b RGB, t float64) RGB { return mix(a, b, math.Max(0, math.Min(1, t))) }

func (d *Reader) gradient(e *etree.Element, ph *RGB) *ShapeFill {
	f := &ShapeFill{Kind: FillGradient, Alpha: 1}
	for _, gs := range ChildrenNamed(Find(e, "gsLst"), "gs") {
		if c, a, ok := d.Color(gs, ph); ok && len(f.Stops) < 64 {
			f.Stops = append(f.Stops, GradientStop{At: math.Max(0, math.Min(1, Percent(gs.SelectAttrValue("pos", "0")))), Color: c, Alpha: a})
		}
	}
	if len(f.Stops) == 0 {
		return &ShapeFill{Kind: FillNone}
	}
	slices.SortStableFunc(f.Stops, func(a, b GradientStop) int { return cmp.Compare(a.At, b.At) })
	f.Color = f.Stops[0].Color
	for _, stop := range f.Stops {
		if stop.Alpha < 1 && f.Kind == FillGradient { // strips of it would hide what is behind
			*f = fade(f.Stops)
		}
	}
	f.Angle = float64(Int(Child(e, "lin"), "ang", 0)) / 60000
	f.Radial = Child(e, "path") != nil
	return f
}

// Recoloring are the effects on a picture's colours that change what it shows
// (ECMA-376 part 1, 20.1.8.13).
var Recoloring = []string{"duotone", "biLevel", "grayscl", "clrChange", "clrRepl", "tint", "hsl", "lum"}

// fade is one see-through colour in place of a gradient that fades.
func fade(stops []GradientStop) ShapeFill {
	var r, g, b, alpha, weight float64
	for _, s := range stops {
		r, g, b = r+float64(s.Color.R)*s.Alpha, g+float64(s.Color.G)*s.Alpha, b+float64(s.Color.B)*s.Alpha
		alpha, weight = alpha+s.Alpha, weight+1
	}
	f := ShapeFill{Kind: FillSolid, Alpha: alpha / weight, Losses: []Loss{LossGradient}}
	if alpha > 0 {
		f.Color = RGB{uint8(r / alpha), uint8(g / alpha), uint8(b / alpha)}
	}
	return f
}

// Picture reads a blipFill (or a p:pic's).
func (d *Reader) Picture(e *etree.Element) *Picture {
	blip := Child(e, "blip")
	rel, ok := d.Package.Relationship(d.Part, RelationshipID(blip, "embed"))
	if !ok || rel.External || !d.Package.Has(rel.Target) {
		return nil
	}
	p := &Picture{Part: rel.Target, Alpha: 1}
	if a := Find(blip, "alphaModFix"); a != nil {
		p.Alpha = math.Max(0, math.Min(1, Percent(a.SelectAttrValue("amt", "100000"))))
	}
	if FirstChild(blip, Recoloring...) != nil {
		p.Losses = append(p.Losses, LossRecolored)
	}
	if src := Child(e, "srcRect"); src != nil {
		p.Left, p.Top = Percent(src.SelectAttrValue("l", "0")), Percent(src.SelectAttrValue("t", "0"))
		p.Right, p.Bottom = Percent(src.SelectAttrValue("r", "0")), Percent(src.SelectAttrValue("b", "0"))
	}
	return p
}

// LinkedPicture is the address of the picture outside of the file that a blipFill (or a
// p:pic's) shows; empty where it shows none.
func (d *Reader) LinkedPicture(e *etree.Element) string {
	blip := Child(e, "blip")
	for _, key := range []string{"link", "embed"} {
		if rel, ok := d.Package.Relationship(d.Part, RelationshipID(blip, key)); ok && rel.External {
			return rel.Target
		}
	}
	return ""
}

// Background resolves p:bg, either with properties of its own or as a
// reference into the theme's list of backgrounds (1001 and up; ECMA-376 part 1, 19.3.1.3).
func (d *Reader) Background(bg *etree.Element, themed *Reader) *ShapeFill {
	if props := Find(bg, "bgPr"); props != nil {
		return d.Fill(props, nil)
	}
	if ref := Find(bg, "bgRef"); ref != nil {
		return d.ThemeFill(ref, themed)
	}
	return nil
}

// ThemeFill resolves a reference into the theme's fills (fillRef, bgRef): 1 to 999
// of fillStyleLst, 1001 and up of bgFillStyleLst; 0 and 1000 are none (ECMA-376
// part 1, 20.1.4.2.10).
func (d *Reader) ThemeFill(ref *etree.Element, themed *Reader) *ShapeFill {
	idx := Int(ref, "idx", 0)
	c, a, ok := d.Color(ref, nil)
	list := "fillStyleLst"
	if idx >= 1000 {
		idx, list = idx-1000, "bgFillStyleLst"
	}
	if idx <= 0 {
		return nil
	}
	styles := Find(d.Theme.Elem, "themeElements", "fmtScheme", list)
	if styles == nil || idx > len(ChildElements(styles)) {
		if !ok {
			return nil
		}
		return &ShapeFill{Kind: FillSolid, Color: c, Alpha: a}
	}
	var ph *RGB
	if ok {
		ph = &c
	}
	return themed.FillElement(ChildElements(styles)[idx-1], ph)
}

// Line merges outlines from the most to the least specific; ref is the style's lnRef.
func (d *Reader) Line(specific []*etree.Element, ref *etree.Element, themed *Reader) *ShapeLine {
	type source struct {
		e  *etree.Element
		ph *RGB
	}
	var sources []source
	for _, e := range specific {
		sources = append(sources, source{e, nil})
	}
	if idx := Int(ref, "idx", 0); idx > 0 {
		styles := Find(d.Theme.Elem, "themeElements", "fmtScheme", "lnStyleLst")
		c, _, ok := d.Color(ref, nil)
		if ok && styles != nil && idx <= len(ChildElements(styles)) {
			sources = append(sources, source{ChildElements(styles)[idx-1], &c})
		}
	}
	l := &ShapeLine{Width: 0.75, Alpha: 1, Dash: "solid"}
	isPainted, hasWidth, hasDash, hasEnds := false, false, false, false
	for _, s := range sources {
		if s.e == nil {
			continue
		}
		if !hasWidth && s.e.SelectAttr("w") != nil {
			l.Width, hasWidth = EMU(s.e, "w"), true
		}
		if f := d.Fill(s.e, s.ph); f != nil && !isPainted {
			if f.Kind == FillNone {
				return nil
			}
			l.Color, l.Alpha, isPainted = f.Color, f.Alpha, true
		}
		if p := Child(s.e, "prstDash"); p != nil && !hasDash {
			l.Dash, hasDash = p.SelectAttrValue("val", "solid"), true
		}
		head, tail := Child(s.e, "headEnd"), Child(s.e, "tailEnd")
		if !hasEnds && (head != nil || tail != nil) {
			l.Head, l.Tail, hasEnds = LineEnd(head), LineEnd(tail), true
		}
	}
	if !isPainted {
		return nil
	}
	return l
}

// LineEnd is the type of a headEnd or tailEnd, empty for none.
func LineEnd(end *etree.Element) string {
	if end == nil {
		return ""
	}
	if t := end.SelectAttrValue("type", ""); t != "none" {
		return t
	}
	return ""
}
