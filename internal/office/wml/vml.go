package wml

import (
	"math"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

// vmlForms are the shape types of VML (o:spt) whose outlines we can draw: the
// number behind "_x0000_t" of a shape's type.
var vmlForms = map[string]string{
	"1": "rect", "2": "roundRect", "3": "ellipse", "4": "diamond", "5": "triangle", "20": "line", "32": "line", "202": "rect",
}

// vmlPicture is the type of the frames that pictures and objects stand in.
const vmlPicture = "75"

// vmlType is the number of a shape's type; empty for none.
func vmlType(e *etree.Element) string {
	kind, _ := wAttr(e, "type")
	_, number, _ := strings.Cut(kind, "_x0000_t")
	return number
}

// vmlLook reads what a shape shows: picture, fill, line and text.
func (r *resolver) vmlLook(d *Drawing, e *etree.Element) {
	if img := wChild(e, "imagedata"); img != nil {
		r.vmlImage(d, img)
		return
	}
	if path := wChild(e, "textpath"); path != nil {
		r.vmlWordArt(d, e, path)
		return
	}
	d.Geometry.Preset = r.vmlForm(d, e)
	if shadow := wChild(e, "shadow"); shadow != nil {
		if on, ok := wAttr(shadow, "on"); !ok || isOn(on) {
			d.Losses.Add(dml.LossEffects)
		}
	}
	r.vmlFill(d, e)
	r.vmlStroke(d, e)
	r.vmlText(d, e)
}

// vmlForm is the preset of a shape. What has a path of its own, or a type of
// its own, is drawn without its form; what has neither has no form at all.
func (r *resolver) vmlForm(d *Drawing, e *etree.Element) string {
	switch e.Tag {
	case "oval":
		return "ellipse"
	case "roundrect":
		return "roundRect"
	case "rect":
		if rule, ok := wAttr(e, "hr"); ok && isOn(rule) {
			d.Losses.Add(dml.LossLine)
		}
		return "rect"
	case "line":
		if _, ok := wAttr(e, "from"); ok && d.Width == 0 && d.Height == 0 {
			d.Losses.Add(dml.LossLine)
		}
		return "line"
	}
	kind := vmlType(e)
	if form := vmlForms[kind]; form != "" {
		return form
	}
	_, typed := wAttr(e, "type")
	_, path := wAttr(e, "path")
	switch {
	case kind == vmlPicture:
		if wChild(e, "textbox") == nil {
			d.Losses.Add(dml.LossObject)
		}
	case typed || path:
		d.Losses.Add(dml.LossForm)
	}
	return UnknownForm
}

func (r *resolver) vmlImage(d *Drawing, img *etree.Element) {
	id, _ := wAttr(img, "id")
	rel, found := r.pkg.Relationship(r.part, id)
	if !found || rel.External {
		d.Losses.Add(dml.LossLinked)
		return
	}
	d.Image = &Image{Part: rel.Target}
	for i, key := range []string{"cropleft", "croptop", "cropright", "cropbottom"} {
		v, _ := wAttr(img, key)
		d.Image.Crop[i] = vmlFraction(v)
	}
	for _, key := range []string{"gain", "blacklevel", "grayscale", "bilevel", "chromakey"} {
		if _, ok := wAttr(img, key); ok {
			d.Losses.Add(dml.LossRecolored)
		}
	}
}

func (r *resolver) vmlFill(d *Drawing, e *etree.Element) {
	fill := wChild(e, "fill")
	filled, given := wAttr(e, "filled")
	on, said := wAttr(fill, "on")
	kind := vmlType(e)
	if given && !isOn(filled) || said && !isOn(on) || d.Geometry.Preset == "line" || kind == vmlPicture {
		return
	}
	color, _ := wAttr(e, "fillcolor")
	name, _, _ := strings.Cut(color, " ")
	if d.Fill = parseHex(name); d.Fill == nil {
		d.Fill = &dml.RGB{R: 255, G: 255, B: 255}
	}
	d.Transparency = vmlTransparency(fill)
	switch style, _ := wAttr(fill, "type"); style {
	case "gradient", "gradientRadial", "gradientCenter", "gradientUnscaled", "gradientTitle":
		d.Losses.Add(dml.LossGradient)
	case "pattern":
		d.Losses.Add(dml.LossPattern)
	case "tile", "frame":
		d.Fill = nil
		d.Losses.Add(dml.LossPictureFill)
	}
}

func (r *resolver) vmlStroke(d *Drawing, e *etree.Element) {
	stroke := wChild(e, "stroke")
	stroked, given := wAttr(e, "stroked")
	on, said := wAttr(stroke, "on")
	if given && !isOn(stroked) || said && !isOn(on) || !given && vmlType(e) == vmlPicture {
		return
	}
	color, _ := wAttr(e, "strokecolor")
	name, _, _ := strings.Cut(color, " ")
	d.Line = &Border{Style: "single", Width: 0.75, Color: parseHex(name)}
	weight, _ := wAttr(e, "strokeweight")
	if n, ok := parseMeasure(weight, 1.0/dml.EMUPerPoint); ok && n > 0 {
		d.Line.Width = min(n, 100)
	}
	for _, key := range []string{"startarrow", "endarrow"} {
		if arrow, ok := wAttr(stroke, key); ok && arrow != "none" {
			d.Losses.Add(dml.LossArrows)
		}
	}
}

// vmlTransparency is that of a v:fill; 0 is opaque.
func vmlTransparency(fill *etree.Element) float64 {
	opacity, ok := wAttr(fill, "opacity")
	if !ok {
		return 0
	}
	rest, fixed := strings.CutSuffix(opacity, "f")
	n, err := strconv.ParseFloat(rest, 64)
	if err != nil {
		return 0
	}
	if fixed {
		n /= 65536
	}
	return 1 - dml.Clamp(n, 0, 1)
}

// vmlNumber reads a number in a group's own coordinates, which may be large:
// groups are often laid out in English Metric Units.
func vmlNumber(s string) float64 {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		n, _ = parseMeasure(s, 1)
	}
	if math.IsNaN(n) || math.Abs(n) > 1e10 {
		return 0
	}
	return n
}
