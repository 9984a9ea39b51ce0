package wml

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
)

// vmlForms are the shape types of VML (MSOSPT, MS-ODRAW 2.4.24) that have a preset of
// DrawingML: the number behind "_x0000_t" of a shape's type. Callouts are not among
// them, for their tip is an adjustment in units of VML.
var vmlForms = map[string]string{
	"1": "rect", "2": "roundRect", "3": "ellipse", "4": "diamond", "5": "triangle", "6": "rtTriangle", "7": "parallelogram",
	"9": "hexagon", "10": "octagon", "11": "plus", "12": "star5", "13": "rightArrow", "15": "homePlate", "16": "cube",
	"20": "line", "21": "plaque", "22": "can", "23": "donut", "32": "line", "53": "ribbon", "54": "ribbon2", "55": "chevron",
	"56": "pentagon", "57": "noSmoking", "58": "star8", "59": "star16", "60": "star32", "64": "wave", "65": "foldedCorner",
	"66": "leftArrow", "67": "downArrow", "68": "upArrow", "69": "leftRightArrow", "70": "upDownArrow", "71": "irregularSeal1",
	"72": "irregularSeal2", "73": "lightningBolt", "74": "heart", "76": "quadArrow", "84": "bevel", "85": "leftBracket",
	"86": "rightBracket", "87": "leftBrace", "88": "rightBrace", "92": "star24", "93": "stripedRightArrow",
	"94": "notchedRightArrow", "96": "smileyFace", "97": "verticalScroll", "98": "horizontalScroll", "109": "flowChartProcess",
	"110": "flowChartDecision", "111": "flowChartInputOutput", "112": "flowChartPredefinedProcess", "114": "flowChartDocument",
	"116": "flowChartTerminator", "183": "sun", "184": "moon", "185": "bracketPair", "186": "bracePair", "187": "star4", "202": "rect",
}

// vmlPicture is the type of the frames that pictures and objects stand in.
const vmlPicture = "75"

// vmlType is the number of a shape's type; empty for none.
func vmlType(e *etree.Element) string {
	kind, _ := wAttr(e, "type")
	_, number, _ := strings.Cut(kind, "_x0000_t")
	return number
}

// readVML reads the shapes of a w:pict or w:object.
func (r *resolver) readVML(e *etree.Element) []*Drawing {
	var out []*Drawing
	dml.EachChild(e, func(c *etree.Element) {
		if d := r.readVMLShape(c, nil); d != nil {
			out = append(out, d)
		}
	})
	return out
}

// readVMLStyle splits a CSS-like style attribute.
func readVMLStyle(e *etree.Element) map[string]string {
	style, _ := wAttr(e, "style")
	m := map[string]string{}
	for _, part := range strings.Split(style, ";") {
		if key, value, ok := strings.Cut(part, ":"); ok {
			m[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	return m
}

// vmlScale turns a group's own coordinates into points.
type vmlScale struct{ x, y, sx, sy float64 }

func (r *resolver) readVMLShape(e *etree.Element, in *vmlScale) *Drawing {
	switch e.Tag {
	case "shape", "rect", "roundrect", "oval", "group", "line":
	case "polyline", "arc", "curve", "image":
		return &Drawing{Elem: e, Losses: dml.Losses{dml.LossDrawing}}
	default:
		return nil
	}
	style := readVMLStyle(e)
	d := &Drawing{Elem: e}
	d.Alt, _ = wAttr(e, "alt")
	length := func(key string) float64 {
		if in != nil {
			return parseVMLNumber(style[key])
		}
		n, _ := parseMeasure(style[key], 1)
		return n
	}
	d.Width, d.Height = length("width"), length("height")
	if in != nil {
		d.X, d.Y = (length("left")-in.x)*in.sx, (length("top")-in.y)*in.sy
		d.Width, d.Height = d.Width*in.sx, d.Height*in.sy
	} else if style["position"] == "absolute" {
		d.Anchor = readVMLAnchor(style, wChild(e, "wrap"))
	}
	if style["visibility"] == "hidden" {
		return nil
	}
	d.FlipH, d.FlipV = strings.Contains(style["flip"], "x"), strings.Contains(style["flip"], "y")
	if rule, ok := wAttr(e, "hr"); ok && isOnValue(rule) && e.Tag == "rect" && in == nil {
		placeRule(d, e)
	}
	if e.Tag == "line" {
		placeVMLLine(d, e, in)
	}
	d.Rotation = parseVMLDegrees(style["rotation"])
	if e.Tag == "group" {
		r.readVMLGroup(d, e)
		return d
	}
	r.readVMLContent(d, e)
	return d
}

// placeRule gives a horizontal rule its place: at the top of its paragraph, as
// LibreOffice draws it, which keeps the height of a line. Its width is a share
// of the column in tenths of a percent, all of it when the rule has no width
// ([MS-OE376] 2.1.1, o:hrpct and o:hralign).
func placeRule(d *Drawing, e *etree.Element) {
	share, hasShare := wAttr(e, "hrpct")
	switch tenths := parseVMLNumber(share); {
	case hasShare && tenths > 0:
		d.ColumnShare = math.Min(tenths/1000, 1)
	case d.Width == 0:
		d.ColumnShare = 1
	}
	if d.Height == 0 {
		d.Height = 1.5
	}
	align, _ := wAttr(e, "hralign")
	if align != "center" && align != "right" {
		align = "left"
	}
	d.Anchor = &Anchor{Wrap: "none", IsInCell: true, H: AnchorPosition{From: "column", Align: align}, V: AnchorPosition{From: "paragraph"}}
}

// placeVMLLine gives a line the place and the extent that its two ends have.
func placeVMLLine(d *Drawing, e *etree.Element, in *vmlScale) {
	from, hasFrom := wAttr(e, "from")
	to, hasTo := wAttr(e, "to")
	if !hasFrom && !hasTo {
		return
	}
	x1, y1 := parsePair(from)
	x2, y2 := parsePair(to)
	if in != nil {
		x1, y1, x2, y2 = (x1-in.x)*in.sx, (y1-in.y)*in.sy, (x2-in.x)*in.sx, (y2-in.y)*in.sy
	}
	if max(math.Abs(x1), math.Abs(y1), math.Abs(x2), math.Abs(y2)) > 1e5 { // no page reaches so far
		return
	}
	d.Width, d.Height = math.Abs(x2-x1), math.Abs(y2-y1)
	d.FlipH, d.FlipV = x2 < x1, y2 < y1
	switch left, top := math.Min(x1, x2), math.Min(y1, y2); {
	case in != nil:
		d.X, d.Y = left, top
	case d.Anchor != nil:
		d.Anchor.H.Offset += left
		d.Anchor.V.Offset += top
	}
}

func (r *resolver) readVMLGroup(d *Drawing, e *etree.Element) {
	size, _ := wAttr(e, "coordsize")
	origin, _ := wAttr(e, "coordorigin")
	w, h := parsePair(size)
	x, y := parsePair(origin)
	if w <= 0 || h <= 0 {
		w, h = 1000, 1000
	}
	in := &vmlScale{x: x, y: y, sx: d.Width / w, sy: d.Height / h}
	if r.depth >= opc.MaxNesting {
		r.doc.IsTruncated = true
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	dml.EachChild(e, func(c *etree.Element) {
		if m := r.readVMLShape(c, in); m != nil {
			d.Children = append(d.Children, m)
		}
	})
}

// readVMLContent reads what a shape shows: picture, fill, line and text.
func (r *resolver) readVMLContent(d *Drawing, e *etree.Element) {
	if img := wChild(e, "imagedata"); img != nil {
		r.readVMLImage(d, img)
		return
	}
	if path := wChild(e, "textpath"); path != nil {
		r.readVMLWordArt(d, e, path)
		return
	}
	d.Geometry.Preset = r.readVMLForm(d, e)
	if shadow := wChild(e, "shadow"); shadow != nil {
		if on, ok := wAttr(shadow, "on"); !ok || isOnValue(on) {
			d.Losses.Add(dml.LossEffects)
		}
	}
	r.readVMLFill(d, e)
	r.readVMLStroke(d, e)
	r.readVMLText(d, e)
}

// readVMLForm returns the preset of a shape. A shape with a path or a type of
// its own is drawn without its form; a shape with neither has no form at all.
func (r *resolver) readVMLForm(d *Drawing, e *etree.Element) string {
	switch e.Tag {
	case "oval":
		return "ellipse"
	case "roundrect":
		return "roundRect"
	case "rect":
		return "rect"
	case "line":
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

func (r *resolver) readVMLImage(d *Drawing, img *etree.Element) {
	id, _ := wAttr(img, "id")
	rel, found := r.pkg.Relationship(r.part, id)
	if !found || rel.External {
		d.LinkedImage = rel.Target
		d.Losses.Add(dml.LossLinked)
		return
	}
	d.Image = &Image{Part: rel.Target}
	for i, key := range []string{"cropleft", "croptop", "cropright", "cropbottom"} {
		v, _ := wAttr(img, key)
		d.Image.Crop[i] = parseVMLFraction(v)
	}
	for _, key := range []string{"gain", "blacklevel", "grayscale", "bilevel", "chromakey"} {
		if _, ok := wAttr(img, key); ok {
			d.Losses.Add(dml.LossRecolored)
		}
	}
}

func (r *resolver) readVMLFill(d *Drawing, e *etree.Element) {
	fill := wChild(e, "fill")
	filled, given := wAttr(e, "filled")
	on, said := wAttr(fill, "on")
	kind := vmlType(e)
	if given && !isOnValue(filled) || said && !isOnValue(on) || d.Geometry.Preset == "line" || kind == vmlPicture {
		return
	}
	color, _ := wAttr(e, "fillcolor")
	name, _, _ := strings.Cut(color, " ")
	paper := &dml.RGB{R: 255, G: 255, B: 255}
	d.Fill = &dml.ShapeFill{Kind: dml.FillSolid, Color: *cmp.Or(parseHex(name), paper), Alpha: 1 - readVMLTransparency(fill)}
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

func (r *resolver) readVMLStroke(d *Drawing, e *etree.Element) {
	stroke := wChild(e, "stroke")
	stroked, given := wAttr(e, "stroked")
	on, said := wAttr(stroke, "on")
	if given && !isOnValue(stroked) || said && !isOnValue(on) || !given && vmlType(e) == vmlPicture {
		return
	}
	color, _ := wAttr(e, "strokecolor")
	name, _, _ := strings.Cut(color, " ")
	d.Line = &dml.ShapeLine{Width: 0.75, Color: *cmp.Or(parseHex(name), &dml.RGB{}), Alpha: 1, Dash: "solid"}
	weight, _ := wAttr(e, "strokeweight")
	if n, ok := parseMeasure(weight, 1.0/dml.EMUPerPoint); ok && n > 0 {
		d.Line.Width = min(n, 100)
	}
	head, _ := wAttr(stroke, "startarrow")
	tail, _ := wAttr(stroke, "endarrow")
	d.Line.Head, d.Line.Tail = vmlArrows[head], vmlArrows[tail]
}

// vmlArrows are the ends of lines as DrawingML names them.
var vmlArrows = map[string]string{"block": "triangle", "classic": "stealth", "diamond": "diamond", "oval": "oval", "open": "arrow"}

func readVMLAnchor(style map[string]string, wrap *etree.Element) *Anchor {
	a := &Anchor{Wrap: "none", Side: "bothSides", Left: 9, Right: 9}
	length := func(key string) float64 {
		n, _ := parseMeasure(style[key], 1)
		return n
	}
	a.H = AnchorPosition{From: "column", Offset: length("margin-left") + length("left")}
	a.V = AnchorPosition{From: "paragraph", Offset: length("margin-top") + length("top")}
	relative := func(v, fallback string) string {
		switch v {
		case "margin", "page", "line", "char":
			return v
		case "text":
			return fallback
		case "left-margin-area":
			return "leftMargin"
		case "right-margin-area":
			return "rightMargin"
		case "top-margin-area":
			return "topMargin"
		case "bottom-margin-area":
			return "bottomMargin"
		}
		return fallback
	}
	a.H.From = relative(style["mso-position-horizontal-relative"], "column")
	a.V.From = relative(style["mso-position-vertical-relative"], "paragraph")
	if v := style["mso-position-horizontal"]; v != "" && v != "absolute" {
		a.H.Align = v
	}
	if v := style["mso-position-vertical"]; v != "" && v != "absolute" {
		a.V.Align = v
	}
	if kind, ok := wAttr(wrap, "type"); ok {
		a.Wrap = kind
	}
	if side, ok := wAttr(wrap, "side"); ok && side != "both" {
		a.Side = side
	}
	a.Z, _ = strconv.Atoi(style["z-index"])
	a.IsBehind = a.Z < 0
	return a
}

// readVMLWordArt reads a text that follows a path.
func (r *resolver) readVMLWordArt(d *Drawing, e, path *etree.Element) {
	paper := dml.RGB{R: 255, G: 255, B: 255}
	color := paper
	d.Geometry.Preset = "textpath"
	d.WordArt = &WordArt{}
	d.WordArt.Text, _ = wAttr(path, "string")
	style := readVMLStyle(path)
	d.WordArt.Font = strings.Trim(style["font-family"], `"' `)
	d.WordArt.Bold, d.WordArt.Italic = style["font-weight"] == "bold", style["font-style"] == "italic"
	said, _ := wAttr(e, "fillcolor")
	if name, _, _ := strings.Cut(said, " "); parseHex(name) != nil {
		color = *parseHex(name)
	}
	if v, ok := wAttr(e, "filled"); ok && !isOnValue(v) || color == paper {
		color = dml.RGB{} // outlines alone would not be seen
	}
	if fill := wChild(e, "fill"); fill != nil {
		color = dml.Mix(color, paper, readVMLTransparency(fill))
	}
	d.Fill = &dml.ShapeFill{Kind: dml.FillSolid, Color: color, Alpha: 1}
}

func (r *resolver) readVMLText(d *Drawing, e *etree.Element) {
	textbox := wChild(e, "textbox")
	content := wChild(textbox, "txbxContent")
	if content == nil {
		return
	}
	box := &TextBox{Elem: content, VAlign: "top", Inset: Margins{Top: 3.6, Right: 7.2, Bottom: 3.6, Left: 7.2}}
	if inset, ok := wAttr(textbox, "inset"); ok {
		to := []*float64{&box.Inset.Left, &box.Inset.Top, &box.Inset.Right, &box.Inset.Bottom}
		for i, v := range strings.Split(inset, ",") {
			if n, ok := parseMeasure(v, 1); ok && i < 4 {
				*to[i] = n
			}
		}
	}
	switch readVMLStyle(e)["v-text-anchor"] {
	case "middle":
		box.VAlign = "center"
	case "bottom":
		box.VAlign = "bottom"
	}
	switch flow := readVMLStyle(textbox); {
	case flow["layout-flow"] == "vertical" && flow["mso-layout-flow-alt"] == "bottom-to-top":
		box.Turn = -90
	case flow["layout-flow"] == "vertical" || flow["layout-flow"] == "vertical-ideographic":
		box.Turn = 90
	case flow["layout-flow"] != "" && flow["layout-flow"] != "horizontal":
		d.Losses.Add(dml.LossTurnedText)
	}
	box.GrowsWithText = strings.Contains(readVMLStyle(textbox)["mso-fit-shape-to-text"], "t")
	box.Blocks = r.readBoxBlocks(content)
	d.Box = box
}

// readVMLTransparency reads the transparency of a v:fill; 0 is opaque.
func readVMLTransparency(fill *etree.Element) float64 {
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

// parseVMLDegrees reads an angle in degrees, or in 65536ths of one ("2949120fd").
func parseVMLDegrees(s string) float64 {
	if rest, fixed := strings.CutSuffix(s, "fd"); fixed {
		return parseVMLNumber(rest) / 65536
	}
	n, _ := parseMeasure(s, 1)
	return n
}

// parseVMLFraction reads a part of one, plain or in 65536ths ("6554f").
func parseVMLFraction(s string) float64 {
	rest, fixed := strings.CutSuffix(s, "f")
	n, ok := parseMeasure(rest, 1)
	if fixed {
		n /= 65536
	}
	if !ok || n < 0 || n >= 1 {
		return 0
	}
	return n
}

// parseVMLNumber reads a number in a group's own coordinates, which may be large:
// groups are often laid out in English Metric Units.
func parseVMLNumber(s string) float64 {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		n, _ = parseMeasure(s, 1)
	}
	if math.IsNaN(n) || math.Abs(n) > 1e10 {
		return 0
	}
	return n
}

func parsePair(s string) (a, b float64) {
	first, second, _ := strings.Cut(s, ",")
	return parseVMLNumber(first), parseVMLNumber(second)
}
