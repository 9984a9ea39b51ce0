package dml

import (
	"cmp"
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
	Shrink                   bool    // text is made smaller until it fits
	FontScale                float64 // to which a program has made it smaller, 1 for full size
	Grow                     bool    // the shape follows the height of its text
	Vertical                 string  // horz, vert, vert270 …
	Rotation                 float64 // of the text inside its shape, degrees clockwise
	Columns                  int
	InCell                   bool // of a table
	IsOutline                bool // of a placeholder for a slide's points
	Frame                    Rect // where the text is, when that is not inside the shape's geometry
	Paragraphs               []*TextParagraph
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
	// HasEnd says that the file has these properties.
	HasEnd bool
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

// TextRun is a stretch of text of one style.
type TextRun struct {
	Elem      *etree.Element
	Text      string
	IsBreak   bool   // a:br
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
	Formula   *Formula // in place of text
}

// TextContext is what paragraphs of one body resolve against.
type TextContext struct {
	D      *Reader
	Levels []Leveled      // from the least to the most specific
	Font   *etree.Element // the style's fontRef
	Row    func(*TextRun) // what a table style asks of its text
}

// Leveled is a list of properties by level (lstStyle and its like).
type Leveled struct {
	E *etree.Element
	D *Reader
}

func (l Leveled) level(n int) *etree.Element {
	if l.E == nil {
		return nil
	}
	return Child(l.E, "lvl"+strconv.Itoa(n+1)+"pPr")
}

// Properties applies a bodyPr over what was inherited.
func (t *TextBody) Properties(e *etree.Element) {
	if e == nil {
		return
	}
	for key, to := range map[string]*float64{"lIns": &t.Left, "tIns": &t.Top, "rIns": &t.Right, "bIns": &t.Bottom} {
		if e.SelectAttr(key) != nil {
			*to = EMU(e, key)
		}
	}
	t.Anchor = e.SelectAttrValue("anchor", t.Anchor)
	t.Centered = Bool(e, "anchorCtr", t.Centered)
	t.Vertical = e.SelectAttrValue("vert", t.Vertical)
	t.Columns = max(1, min(16, Int(e, "numCol", t.Columns)))
	t.Rotation = float64(Int(e, "rot", int(t.Rotation*60000))) / 60000
	if wrap := e.SelectAttrValue("wrap", ""); wrap != "" {
		t.NoWrap = wrap == "none"
	}
	t.Shrink, t.FontScale, t.Grow = false, 1, Child(e, "spAutoFit") != nil
	if fit := Child(e, "normAutofit"); fit != nil {
		t.Shrink = true
		if scale := Percent(fit.SelectAttrValue("fontScale", "")); scale > 0 {
			t.FontScale = scale
		}
	}
}

// Paragraphs reads those of a txBody; there is always one.
func (c *TextContext) Paragraphs(body *etree.Element) []*TextParagraph {
	var out []*TextParagraph
	for _, p := range ChildrenNamed(body, "p") {
		out = append(out, c.paragraph(p))
	}
	return out
}

func (c *TextContext) paragraph(e *etree.Element) *TextParagraph {
	pPr := Child(e, "pPr")
	p := &TextParagraph{Elem: e, Level: max(0, min(8, Int(pPr, "lvl", 0))), Align: "l", DefaultTab: 72}
	base := TextRun{Size: 18, Alpha: 1, Font: c.D.Theme.Font(false), Color: RGB{}}
	if dk, ok := c.D.Theme.Color(c.mapColor("tx1")); ok {
		base.Color = dk
	}
	for i, l := range c.Levels {
		if i == 1 || len(c.Levels) == 1 {
			c.fontRef(&base)
		}
		if lvl := l.level(p.Level); lvl != nil {
			l.D.applyParagraph(p, lvl)
			l.D.applyTextRun(&base, Child(lvl, "defRPr"))
		}
	}
	if c.Row != nil {
		c.Row(&base)
	}
	c.D.applyParagraph(p, pPr)
	p.End = base
	end := Child(e, "endParaRPr")
	c.D.applyTextRun(&p.End, end)
	p.HasEnd = end != nil
	for _, r := range ChildElements(e) {
		run := base
		run.Elem = r
		c.D.applyTextRun(&run, Child(r, "rPr"))
		switch r.Tag {
		case "r":
			run.Text = ElementText(Child(r, "t"))
		case "fld":
			run.Text, run.Field = ElementText(Child(r, "t")), r.SelectAttrValue("type", "")
		case "br":
			run.IsBreak = true
		case "m":
			if run.Formula = c.formula(r, base); run.Formula == nil {
				continue
			}
			run.Size = cmp.Or(run.Formula.Size(), run.Size)
		default:
			continue
		}
		p.Runs = append(p.Runs, &run)
	}
	return p
}

// formula reads an a14:m; nil for an empty one.
func (c *TextContext) formula(e *etree.Element, base TextRun) *Formula {
	for _, child := range ChildElements(e) {
		if child.Tag != "oMath" && child.Tag != "oMathPara" {
			continue
		}
		return ReadFormula(child, "", func(properties *etree.Element) FormulaLook {
			run := base
			c.D.applyTextRun(&run, properties)
			return FormulaLook{Font: run.Font, Size: run.Size, Bold: run.Bold, Italic: run.Italic, Color: &run.Color, IsHidden: run.Alpha == 0}
		})
	}
	return nil
}

func (c *TextContext) mapColor(name string) string {
	if m, ok := c.D.Colors[name]; ok {
		return m
	}
	return name
}

// fontRef applies the font and colour of a shape's style, which stand above the
// presentation's defaults and below everything that the text says itself.
func (c *TextContext) fontRef(run *TextRun) {
	if c.Font == nil {
		return
	}
	if idx := c.Font.SelectAttrValue("idx", ""); idx == "major" || idx == "minor" {
		run.Font = c.D.Theme.Font(idx == "major")
	}
	if col, a, ok := c.D.Color(c.Font, nil); ok {
		run.Color, run.Alpha = col, a
	}
}

// ElementText is the characters of an a:t, a:fld or a:br.
func ElementText(e *etree.Element) string {
	if e == nil {
		return ""
	}
	return e.Text()
}

// applyParagraph lays an a:pPr (or a level of a list style) over a paragraph.
func (d *Reader) applyParagraph(p *TextParagraph, e *etree.Element) {
	if e == nil {
		return
	}
	p.Align = e.SelectAttrValue("algn", p.Align)
	p.RightToLeft = Bool(e, "rtl", p.RightToLeft)
	for key, to := range map[string]*float64{"marL": &p.Left, "indent": &p.Indent, "defTabSz": &p.DefaultTab} {
		if e.SelectAttr(key) != nil {
			*to = EMU(e, key)
		}
	}
	for tag, to := range map[string]*Spacing{"lnSpc": &p.LineSpacing, "spcBef": &p.Before, "spcAft": &p.After} {
		c := Child(e, tag)
		if pct := Find(c, "spcPct"); pct != nil {
			*to = Spacing{Percent: Clamp(Percent(pct.SelectAttrValue("val", "100000")), 0, 20)}
		} else if pts := Find(c, "spcPts"); pts != nil {
			*to = Spacing{Points: Clamp(float64(Int(pts, "val", 0))/100, 0, 1584)}
		}
	}
	if tabs := Child(e, "tabLst"); tabs != nil {
		p.Tabs = nil
		for _, tab := range ChildrenNamed(tabs, "tab") {
			p.Tabs = append(p.Tabs, TabStop{EMU(tab, "pos"), tab.SelectAttrValue("algn", "l")})
		}
	}
	d.applyBullet(&p.Bullet, e)
}

func (d *Reader) applyBullet(b *Bullet, e *etree.Element) {
	for _, c := range ChildElements(e) {
		switch c.Tag {
		case "buNone":
			b.Char, b.Number, b.Picture = "", "", nil
		case "buChar":
			b.Char, b.Number, b.Picture = c.SelectAttrValue("char", "•"), "", nil
		case "buAutoNum":
			b.Char, b.Number, b.Picture = "", c.SelectAttrValue("type", "arabicPeriod"), nil
			b.Start = max(1, Int(c, "startAt", 1))
		case "buBlip":
			b.Char, b.Number, b.Picture = "•", "", d.Picture(c)
		case "buFont":
			b.Font = d.fontName(c.SelectAttrValue("typeface", ""))
		case "buFontTx":
			b.Font = ""
		case "buSzPct":
			b.Scale, b.Points = Percent(c.SelectAttrValue("val", "100000")), 0
		case "buSzPts":
			b.Scale, b.Points = 0, Clamp(float64(Int(c, "val", 0))/100, 0, 400)
		case "buSzTx":
			b.Scale, b.Points = 0, 0
		case "buClr":
			if col, _, ok := d.Color(c, nil); ok {
				b.Color = &col
			}
		case "buClrTx":
			b.Color = nil
		}
	}
}

// NamedFont is the Latin font that a table style names for text, by a reference to the theme or
// by itself (a:tcTxStyle, ECMA-376 part 1, 20.1.4.2.30); "" where it names none.
func (d *Reader) NamedFont(e *etree.Element) string {
	if ref := Child(e, "fontRef"); ref != nil {
		if idx := ref.SelectAttrValue("idx", ""); idx == "major" || idx == "minor" {
			return d.Theme.Font(idx == "major")
		}
		return ""
	}
	if latin := Find(e, "font", "latin"); latin != nil {
		return d.fontName(latin.SelectAttrValue("typeface", ""))
	}
	return ""
}

// fontName resolves a reference to the theme's fonts ("+mj-lt", "+mn-lt").
func (d *Reader) fontName(face string) string {
	switch {
	case strings.HasPrefix(face, "+mj"):
		return d.Theme.Font(true)
	case strings.HasPrefix(face, "+mn"):
		return d.Theme.Font(false)
	}
	return face
}

// applyTextRun lays an a:rPr (or defRPr, endParaRPr) over a run.
func (d *Reader) applyTextRun(r *TextRun, e *etree.Element) {
	if e == nil {
		return
	}
	if v := Int(e, "sz", 0); v > 0 && v <= 400000 {
		r.Size = float64(v) / 100
	}
	r.Bold, r.Italic = Bool(e, "b", r.Bold), Bool(e, "i", r.Italic)
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
		r.Baseline = Clamp(Percent(b), -1, 1)
	}
	r.Spacing = Clamp(float64(Int(e, "spc", int(r.Spacing*100)))/100, -400, 400)
	if k := Int(e, "kern", -1); k >= 0 {
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
	if f := d.Fill(e, nil); f != nil && f.Kind != FillPicture {
		if f.Kind == FillNone {
			r.Alpha = 0
		} else {
			r.Color, r.Alpha = f.Color, f.Alpha
		}
	}
	if h := Child(e, "highlight"); h != nil {
		if c, _, ok := d.Color(h, nil); ok {
			r.Highlight = &c
		}
	}
	if link := Child(e, "hlinkClick"); link != nil {
		r.Link = d.Link(link)
		if c, ok := d.Theme.Color("hlink"); ok && RelationshipID(link, "id") != "" {
			r.Color = c
			r.Underline = "sng"
		}
	}
}
