package office

import (
	"math"
	"strconv"
	"strings"

	"github.com/beevik/etree"
)

// TextBody is the text of a shape or a table cell.
type TextBody struct {
	Elem                     *etree.Element // p:txBody, a:txBody
	Left, Top, Right, Bottom float64        // insets
	Anchor                   string         // t, ctr, b
	Centered                 bool           // the block of lines stands in the middle (anchorCtr)
	NoWrap                   bool
	// Shrink says that text is made smaller until it fits; FontScale (1 is
	// full size) and LineReduction are what the writing program came to.
	Shrink        bool
	FontScale     float64
	LineReduction float64
	Grow          bool    // the shape follows the height of its text
	Vertical      string  // horz, vert, vert270 …
	Rotation      float64 // of the text inside its shape, degrees clockwise
	Columns       int
	Cell          bool // of a table
	Frame         Rect // where the text is, when that is not inside the shape's geometry
	Paragraphs    []*TextParagraph
}

// TextParagraph is a paragraph of a slide with its properties resolved.
type TextParagraph struct {
	Elem        *etree.Element
	Level       int
	Align       string // l, ctr, r, just
	Left        float64
	Indent      float64 // of the first line or the bullet, from Left
	LineSpacing Spacing
	Before      Spacing
	After       Spacing
	RightToLeft bool
	Bullet      Bullet
	DefaultTab  float64
	Tabs        []TabStop
	Runs        []*TextRun
	// End has the properties of the paragraph's end; an empty paragraph is as high as they say.
	End TextRun
}

// Spacing is a share of the line height or a length; Percent counts when Points is 0.
type Spacing struct {
	Percent float64 // 1 is one line
	Points  float64
}

// TabStop is a tab position in points from the text's left edge.
type TabStop struct {
	At    float64
	Align string // l, ctr, r, dec
}

// Bullet is what stands before a paragraph.
type Bullet struct {
	Char    string  // a:buChar
	Number  string  // a:buAutoNum's scheme, "arabicPeriod"
	Start   int     // first number
	Font    string  // "" follows the text
	Scale   float64 // of the text's size; 0 is 1
	Points  float64 // size, when not 0
	Color   *RGB    // nil follows the text
	Picture *Picture
}

// TextRun is a stretch of text of one look.
type TextRun struct {
	Elem      *etree.Element
	Text      string
	Break     bool   // a:br
	Field     string // type of a:fld, "slidenum"
	Font      string
	Symbol    string // font for symbols
	Size      float64
	Bold      bool
	Italic    bool
	Underline string // "", "sng", "dbl" …
	Strike    bool
	Caps      string // "", "all", "small"
	Color     RGB
	Alpha     float64
	Highlight *RGB
	Baseline  float64 // share of the size that the text is raised
	Spacing   float64 // between letters
	Kern      bool
	Link      string
	Lang      string
}

// textContext is what paragraphs of one body resolve against.
type textContext struct {
	d      *dml
	levels []leveled      // from the least to the most specific
	font   *etree.Element // the style's fontRef
	row    func(*TextRun) // what a table style asks of its text
}

// leveled is a list of properties by level (lstStyle and its like).
type leveled struct {
	e *etree.Element
	d *dml
}

func (l leveled) level(n int) *etree.Element {
	if l.e == nil {
		return nil
	}
	return Child(l.e, "lvl"+strconv.Itoa(n+1)+"pPr")
}

// text resolves a shape's text.
func (s *slideParts) text(sh *Shape, d *dml, chain []ancestor) *TextBody {
	body := Child(sh.Elem, "txBody")
	t := &TextBody{Elem: body, Left: 7.2, Top: 3.6, Right: 7.2, Bottom: 3.6, Anchor: "t", FontScale: 1, Columns: 1}
	for i := len(chain) - 1; i >= 0; i-- {
		t.properties(find(chain[i].e, "txBody", "bodyPr"))
	}
	if x := Child(sh.Elem, "txXfrm"); x != nil {
		ownFrame(t, sh, x)
	}
	c := &textContext{d: d, font: find(sh.Elem, "style", "fontRef")}
	c.levels = append(c.levels, leveled{Child(s.pres.Elem, "defaultTextStyle"), s.master})
	if sh.Placeholder != nil {
		style := "otherStyle"
		switch masterKind(sh.Placeholder.Type) {
		case "title":
			style = "titleStyle"
		case "body":
			style = "bodyStyle"
		}
		c.levels = append(c.levels, leveled{find(s.styles, style), s.master})
	}
	for i := len(chain) - 1; i >= 0; i-- {
		c.levels = append(c.levels, leveled{find(chain[i].e, "txBody", "lstStyle"), chain[i].d})
	}
	t.Paragraphs = c.paragraphs(body)
	return t
}

// ownFrame reads the place of a diagram's text, which is given beside its
// shape's (MS-ODRAWXML, dsp:txXfrm) and in the same coordinates.
func ownFrame(t *TextBody, sh *Shape, x *etree.Element) {
	t.Rotation += float64(attrInt(x, "rot", 0))/60000 - sh.Rotation
	off, ext, own := Child(x, "off"), Child(x, "ext"), find(sh.Elem, "spPr", "xfrm", "off")
	if off == nil || ext == nil || own == nil {
		return
	}
	t.Frame = Rect{
		sh.Frame.X + emuAttr(off, "x") - emuAttr(own, "x"), sh.Frame.Y + emuAttr(off, "y") - emuAttr(own, "y"),
		math.Max(0, emuAttr(ext, "cx")), math.Max(0, emuAttr(ext, "cy")),
	}
}

// properties applies a bodyPr over what was inherited.
func (t *TextBody) properties(e *etree.Element) {
	if e == nil {
		return
	}
	for key, to := range map[string]*float64{"lIns": &t.Left, "tIns": &t.Top, "rIns": &t.Right, "bIns": &t.Bottom} {
		if e.SelectAttr(key) != nil {
			*to = emuAttr(e, key)
		}
	}
	t.Anchor = e.SelectAttrValue("anchor", t.Anchor)
	t.Centered = boolAttr(e, "anchorCtr", t.Centered)
	t.Vertical = e.SelectAttrValue("vert", t.Vertical)
	t.Columns = max(1, min(16, attrInt(e, "numCol", t.Columns)))
	t.Rotation = float64(attrInt(e, "rot", int(t.Rotation*60000))) / 60000
	if wrap := e.SelectAttrValue("wrap", ""); wrap != "" {
		t.NoWrap = wrap == "none"
	}
	switch fit := firstChild(e, "normAutofit", "spAutoFit", "noAutofit"); {
	case fit == nil:
	case fit.Tag == "normAutofit":
		t.Shrink, t.Grow = true, false
		t.FontScale = percent(fit.SelectAttrValue("fontScale", "100000"))
		t.LineReduction = percent(fit.SelectAttrValue("lnSpcReduction", "0"))
	default:
		t.Shrink, t.Grow, t.FontScale, t.LineReduction = false, fit.Tag == "spAutoFit", 1, 0
	}
}

func (c *textContext) paragraphs(body *etree.Element) []*TextParagraph {
	var out []*TextParagraph
	for _, p := range ChildrenNamed(body, "p") {
		out = append(out, c.paragraph(p))
	}
	return out
}

func (c *textContext) paragraph(e *etree.Element) *TextParagraph {
	pPr := Child(e, "pPr")
	p := &TextParagraph{Elem: e, Level: max(0, min(8, attrInt(pPr, "lvl", 0))), Align: "l", DefaultTab: 72}
	base := TextRun{Size: 18, Alpha: 1, Font: c.d.theme.Font(false), Color: RGB{}}
	if dk, ok := c.d.theme.Color(c.mapped("tx1")); ok {
		base.Color = dk
	}
	for i, l := range c.levels {
		if i == 1 || len(c.levels) == 1 {
			c.fontRef(&base)
		}
		if lvl := l.level(p.Level); lvl != nil {
			l.d.applyParagraph(p, lvl)
			l.d.applyTextRun(&base, Child(lvl, "defRPr"))
		}
	}
	if c.row != nil {
		c.row(&base)
	}
	c.d.applyParagraph(p, pPr)
	p.End = base
	c.d.applyTextRun(&p.End, Child(e, "endParaRPr"))
	for _, r := range ChildElements(e) {
		run := base
		run.Elem = r
		c.d.applyTextRun(&run, Child(r, "rPr"))
		switch r.Tag {
		case "r":
			run.Text = elementText(Child(r, "t"))
		case "fld":
			run.Text, run.Field = elementText(Child(r, "t")), r.SelectAttrValue("type", "")
		case "br":
			run.Break = true
		default:
			continue
		}
		p.Runs = append(p.Runs, &run)
	}
	return p
}

func (c *textContext) mapped(name string) string {
	if m, ok := c.d.colors[name]; ok {
		return m
	}
	return name
}

// fontRef applies the font and colour of a shape's style, which stand above the
// presentation's defaults and below everything that the text says itself.
func (c *textContext) fontRef(run *TextRun) {
	if c.font == nil {
		return
	}
	switch c.font.SelectAttrValue("idx", "") {
	case "major":
		run.Font = c.d.theme.Font(true)
	case "minor":
		run.Font = c.d.theme.Font(false)
	}
	if col, a, ok := c.d.color(c.font, nil); ok {
		run.Color, run.Alpha = col, a
	}
}

func elementText(e *etree.Element) string {
	if e == nil {
		return ""
	}
	return e.Text()
}

// applyParagraph lays an a:pPr (or a level of a list style) over a paragraph.
func (d *dml) applyParagraph(p *TextParagraph, e *etree.Element) {
	if e == nil {
		return
	}
	p.Align = e.SelectAttrValue("algn", p.Align)
	p.RightToLeft = boolAttr(e, "rtl", p.RightToLeft)
	for key, to := range map[string]*float64{"marL": &p.Left, "indent": &p.Indent, "defTabSz": &p.DefaultTab} {
		if e.SelectAttr(key) != nil {
			*to = emuAttr(e, key)
		}
	}
	for tag, to := range map[string]*Spacing{"lnSpc": &p.LineSpacing, "spcBef": &p.Before, "spcAft": &p.After} {
		c := Child(e, tag)
		if pct := find(c, "spcPct"); pct != nil {
			*to = Spacing{Percent: limit(percent(pct.SelectAttrValue("val", "100000")), 0, 20)}
		} else if pts := find(c, "spcPts"); pts != nil {
			*to = Spacing{Points: limit(float64(attrInt(pts, "val", 0))/100, 0, 1584)}
		}
	}
	if tabs := Child(e, "tabLst"); tabs != nil {
		p.Tabs = nil
		for _, tab := range ChildrenNamed(tabs, "tab") {
			p.Tabs = append(p.Tabs, TabStop{emuAttr(tab, "pos"), tab.SelectAttrValue("algn", "l")})
		}
	}
	d.applyBullet(&p.Bullet, e)
}

func (d *dml) applyBullet(b *Bullet, e *etree.Element) {
	for _, c := range ChildElements(e) {
		switch c.Tag {
		case "buNone":
			b.Char, b.Number, b.Picture = "", "", nil
		case "buChar":
			b.Char, b.Number, b.Picture = c.SelectAttrValue("char", "•"), "", nil
		case "buAutoNum":
			b.Char, b.Number, b.Picture = "", c.SelectAttrValue("type", "arabicPeriod"), nil
			b.Start = max(1, attrInt(c, "startAt", 1))
		case "buBlip":
			b.Char, b.Number, b.Picture = "•", "", d.picture(c)
		case "buFont":
			b.Font = d.fontName(c.SelectAttrValue("typeface", ""))
		case "buFontTx":
			b.Font = ""
		case "buSzPct":
			b.Scale, b.Points = percent(c.SelectAttrValue("val", "100000")), 0
		case "buSzPts":
			b.Scale, b.Points = 0, limit(float64(attrInt(c, "val", 0))/100, 0, 400)
		case "buSzTx":
			b.Scale, b.Points = 0, 0
		case "buClr":
			if col, _, ok := d.color(c, nil); ok {
				b.Color = &col
			}
		case "buClrTx":
			b.Color = nil
		}
	}
}

// fontName resolves a reference to the theme's fonts ("+mj-lt", "+mn-lt").
func (d *dml) fontName(face string) string {
	switch {
	case strings.HasPrefix(face, "+mj"):
		return d.theme.Font(true)
	case strings.HasPrefix(face, "+mn"):
		return d.theme.Font(false)
	}
	return face
}

// applyTextRun lays an a:rPr (or defRPr, endParaRPr) over a run.
func (d *dml) applyTextRun(r *TextRun, e *etree.Element) {
	if e == nil {
		return
	}
	if v := attrInt(e, "sz", 0); v > 0 && v <= 400000 {
		r.Size = float64(v) / 100
	}
	r.Bold, r.Italic = boolAttr(e, "b", r.Bold), boolAttr(e, "i", r.Italic)
	r.Lang = e.SelectAttrValue("lang", r.Lang)
	if u := e.SelectAttrValue("u", ""); u != "" {
		r.Underline = strings.TrimPrefix(u, "none")
	}
	if st := e.SelectAttrValue("strike", ""); st != "" {
		r.Strike = st != "noStrike"
	}
	if c := e.SelectAttrValue("cap", ""); c != "" {
		r.Caps = strings.TrimPrefix(c, "none")
	}
	if b := e.SelectAttrValue("baseline", ""); b != "" {
		r.Baseline = limit(percent(b), -1, 1)
	}
	r.Spacing = limit(float64(attrInt(e, "spc", int(r.Spacing*100)))/100, -400, 400)
	if k := attrInt(e, "kern", -1); k >= 0 {
		r.Kern = k > 0 && float64(k)/100 <= r.Size
	}
	if latin := Child(e, "latin"); latin != nil {
		if f := d.fontName(latin.SelectAttrValue("typeface", "")); f != "" {
			r.Font = f
		}
	}
	if sym := Child(e, "sym"); sym != nil {
		r.Symbol = d.fontName(sym.SelectAttrValue("typeface", ""))
	}
	if f := d.fill(e, nil); f != nil && f.Kind != FillPicture {
		if f.Kind == FillNone {
			r.Alpha = 0
		} else {
			r.Color, r.Alpha = f.Color, f.Alpha
		}
	}
	if h := Child(e, "highlight"); h != nil {
		if c, _, ok := d.color(h, nil); ok {
			r.Highlight = &c
		}
	}
	if link := Child(e, "hlinkClick"); link != nil {
		r.Link = d.link(link)
		if c, ok := d.theme.Color("hlink"); ok && relAttr(link, "id") != "" {
			r.Color = c
			r.Underline = "sng"
		}
	}
}
