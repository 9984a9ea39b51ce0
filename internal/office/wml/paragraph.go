package wml

import (
	"sort"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

// ParagraphProperties is the formatting of a paragraph, resolved.
type ParagraphProperties struct {
	Style     string // style id
	StyleName string
	// Outline is the heading level 0 to 8, or -1 for body text.
	Outline int
	// Align is "left", "center", "right", "both" or "distribute"; in a right-to-left
	// paragraph left and right were already exchanged.
	Align string
	RTL   bool
	// FirstLine is negative for a hanging indent.
	Left, Right, FirstLine      float64
	Before, After               float64
	HasAutoBefore, HasAutoAfter bool
	// Line is a multiple for LineRule "auto", else points ("exact", "atLeast").
	Line              float64
	LineRule          string
	ContextualSpacing bool
	KeepNext          bool
	KeepLines         bool
	PageBreakBefore   bool
	WidowControl      bool
	SuppressHyphens   bool
	// IsOffGrid takes the lines out of the section's document grid.
	IsOffGrid bool
	// KeepsPunctuation keeps East Asian punctuation from hanging over the ends of lines.
	KeepsPunctuation bool
	// IsTight sets East Asian text close to the Latin letters and figures in it.
	IsTight bool
	Borders ParagraphBorders
	Shading *dml.RGB
	Tabs    []Tab
	// NumID is the list, empty or "0" for none; Level counts from 0.
	NumID string
	Level int
	// Frame is set for a paragraph that stands in a frame of its own.
	Frame *Frame
}

// ParagraphBorders are the lines around a paragraph; Between separates equal neighbours.
type ParagraphBorders struct {
	Top, Left, Bottom, Right, Between *Border
}

// Tab is a tab stop.
type Tab struct {
	Pos float64
	// Align is "left", "center", "right", "decimal" or "bar".
	Align string
	// Leader is "dot", "hyphen", "underscore", "middleDot" or empty.
	Leader string
}

// Frame is w:framePr: the paragraph stands outside the flow.
type Frame struct {
	Width, Height, X, Y    float64
	HeightRule             string
	HAnchor, VAnchor       string // "text", "margin", "page"
	XAlign, YAlign         string
	Around                 Margins // what text that flows around it keeps away
	Wrap, DropCap          string
	Lines                  int
	HasX, HasY, HasXAnchor bool
}

// applyParagraph lays the properties that a pPr names over p. Numbering is the
// caller's part, because it depends on where in the chain it stands.
func (r *resolver) applyParagraph(p *ParagraphProperties, pPr *etree.Element) {
	dml.EachChild(pPr, func(e *etree.Element) {
		if !isForeign(e.Space) && !r.applyParagraphToggle(p, e) {
			r.applyParagraphValue(p, e)
		}
	})
}

func (r *resolver) applyParagraphToggle(p *ParagraphProperties, e *etree.Element) bool {
	switch e.Tag {
	case "keepNext":
		p.KeepNext = isOn(e)
	case "keepLines":
		p.KeepLines = isOn(e)
	case "pageBreakBefore":
		p.PageBreakBefore = isOn(e)
	case "widowControl":
		p.WidowControl = isOn(e)
	case "contextualSpacing":
		p.ContextualSpacing = isOn(e)
	case "suppressAutoHyphens":
		p.SuppressHyphens = isOn(e)
	case "snapToGrid":
		p.IsOffGrid = !isOn(e)
	case "overflowPunct":
		p.KeepsPunctuation = !isOn(e)
	case "autoSpaceDE":
		p.IsTight = !isOn(e)
	case "bidi":
		p.RTL = isOn(e)
	default:
		return false
	}
	return true
}

func (r *resolver) applyParagraphValue(p *ParagraphProperties, e *etree.Element) {
	switch e.Tag {
	case "jc":
		p.Align = wVal(e)
	case "ind":
		applyIndent(p, e)
	case "spacing":
		applySpacing(p, e)
	case "outlineLvl":
		if n, ok := wInt(e, "val"); ok && n >= 0 && n < 9 {
			p.Outline = n
		} else {
			p.Outline = -1
		}
	case "pBdr":
		r.applyParagraphBorders(&p.Borders, e)
	case "shd":
		p.Shading = r.readShading(e)
	case "tabs":
		p.Tabs = applyTabs(p.Tabs, e)
	case "framePr":
		p.Frame = readFrame(e, p.Frame)
	}
}

func applyIndent(p *ParagraphProperties, e *etree.Element) {
	for _, key := range []string{"left", "start"} {
		if n, ok := wPoints(e, key); ok {
			p.Left = n
		}
	}
	for _, key := range []string{"right", "end"} {
		if n, ok := wPoints(e, key); ok {
			p.Right = n
		}
	}
	if n, ok := wPoints(e, "firstLine"); ok {
		p.FirstLine = n
	}
	if n, ok := wPoints(e, "hanging"); ok {
		p.FirstLine = -n
	}
}

// Automatic spacing before or after, in points, as Word sets it: by HTML's rules, and
// without them (doNotUseHTMLParagraphAutoSpacing).
const (
	autoSpacing       = 14
	autoSpacingSimple = 5
)

func applySpacing(p *ParagraphProperties, e *etree.Element) {
	if n, ok := wPoints(e, "before"); ok {
		p.Before = n
	}
	if n, ok := wPoints(e, "after"); ok {
		p.After = n
	}
	if v, ok := wAttr(e, "beforeAutospacing"); ok {
		p.HasAutoBefore = isOnValue(v)
	}
	if v, ok := wAttr(e, "afterAutospacing"); ok {
		p.HasAutoAfter = isOnValue(v)
	}
	rule, hasRule := wAttr(e, "lineRule")
	if n, ok := wPoints(e, "line"); ok && n != 0 {
		if n < 0 { // Word: an exact height written as a negative number
			n, rule = -n, "exact"
		}
		if rule == "exact" || rule == "atLeast" {
			p.Line, p.LineRule = n, rule
		} else {
			p.Line, p.LineRule = n/12, "auto"
		}
	} else if hasRule && !ok {
		p.changeLineRule(rule)
	}
}

// changeLineRule keeps the line as it stands in the file, where it counts 240ths
// of a line or twentieths of a point.
func (p *ParagraphProperties) changeLineRule(rule string) {
	switch {
	case rule == "auto" && p.LineRule != "auto":
		p.Line /= 12
	case rule == "auto":
	case rule != "exact" && rule != "atLeast":
		return
	case p.LineRule == "auto":
		p.Line *= 12
	}
	p.LineRule = rule
}

func (r *resolver) applyParagraphBorders(b *ParagraphBorders, e *etree.Element) {
	dml.EachChild(e, func(c *etree.Element) {
		switch c.Tag {
		case "top":
			b.Top = r.readBorder(c)
		case "left", "start":
			b.Left = r.readBorder(c)
		case "bottom":
			b.Bottom = r.readBorder(c)
		case "right", "end":
			b.Right = r.readBorder(c)
		case "between":
			b.Between = r.readBorder(c)
		}
	})
}

// applyTabs merges tab stops by position; "clear" removes one that was inherited.
func applyTabs(tabs []Tab, e *etree.Element) []Tab {
	merged := append([]Tab(nil), tabs...)
	dml.EachChild(e, func(c *etree.Element) {
		pos, ok := wPoints(c, "pos")
		if !ok {
			return
		}
		kept := merged[:0]
		for _, t := range merged {
			if t.Pos-pos > 0.5 || pos-t.Pos > 0.5 {
				kept = append(kept, t)
			}
		}
		merged = kept
		tab := Tab{Pos: pos, Align: wVal(c)}
		switch tab.Align {
		case "clear":
			return
		case "start", "num", "":
			tab.Align = "left"
		case "end":
			tab.Align = "right"
		}
		if leader, _ := wAttr(c, "leader"); leader != "none" {
			tab.Leader = leader
		}
		merged = append(merged, tab)
	})
	sort.SliceStable(merged, func(i, j int) bool { return merged[i].Pos < merged[j].Pos })
	return merged
}

func readFrame(e *etree.Element, inherited *Frame) *Frame {
	f := &Frame{HAnchor: "text", VAnchor: "text"}
	if inherited != nil {
		*f = *inherited
	}
	points := func(to *float64, key string) bool {
		n, ok := wPoints(e, key)
		if ok {
			*to = n
		}
		return ok
	}
	text := func(to *string, key string) bool {
		v, ok := wAttr(e, key)
		if ok {
			*to = v
		}
		return ok
	}
	points(&f.Width, "w")
	points(&f.Height, "h")
	if points(&f.X, "x") {
		f.HasX, f.XAlign = true, ""
	}
	if points(&f.Y, "y") {
		f.HasY, f.YAlign = true, ""
	}
	points(&f.Around.Left, "hSpace")
	points(&f.Around.Top, "vSpace")
	f.Around.Right, f.Around.Bottom = f.Around.Left, f.Around.Top
	text(&f.HeightRule, "hRule")
	f.HasXAnchor = text(&f.HAnchor, "hAnchor") || f.HasXAnchor
	text(&f.VAnchor, "vAnchor")
	text(&f.XAlign, "xAlign")
	text(&f.YAlign, "yAlign")
	text(&f.Wrap, "wrap")
	text(&f.DropCap, "dropCap")
	if lines, ok := wInt(e, "lines"); ok {
		f.Lines = lines
	}
	return f
}

// finish turns what was gathered into what layout needs: sides and automatic spacing
// resolved.
func (p *ParagraphProperties) finish(auto float64) {
	if p.HasAutoBefore {
		p.Before = auto
	}
	if p.HasAutoAfter {
		p.After = auto
	}
	switch p.Align {
	case "start", "left", "":
		p.Align = "left"
	case "end", "right":
		p.Align = "right"
	case "center", "both", "distribute":
	case "lowKashida", "mediumKashida", "highKashida", "thaiDistribute":
		p.Align = "both"
	default:
		p.Align = "left"
	}
	if p.RTL {
		switch p.Align {
		case "left":
			p.Align = "right"
		case "right":
			p.Align = "left"
		}
		p.Left, p.Right = p.Right, p.Left
	}
}
