// Package formula sets formulas (ECMA-376 part 1, 22.1): fractions, roots, sums, matrices and
// what else they are made of, by the rules of OpenType's MATH table. Where a formula stands in a
// text, and where lines of the text end, is for others.
package formula

import (
	"cmp"
	"math"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
)

// Style is that of the text around a formula.
type Style struct {
	Fonts    *pdf.FontSet
	Findings *render.Findings
	Size     float64
	// Scale is by how much the sizes that parts of the formula ask for are made smaller, 0 for
	// not.
	Scale float64
	Color dml.RGB
}

// Piece is a part of a formula that stands in one line: a line may end behind it.
type Piece struct {
	box *box
	// Width, Ascent and Descent are its room, in points.
	Width, Ascent, Descent float64
	// EndsLine says that the formula itself has the next piece in another line.
	EndsLine bool
}

// Draw puts a piece on the page, from x on.
func (p *Piece) Draw(c *pdf.Canvas, x, baseline float64) { p.box.draw(c, x, baseline) }

// Set sets a formula. It has one piece at least.
func Set(f *dml.Formula, style Style) []Piece {
	s := &setter{Style: style, face: style.Fonts.FormulaFace()}
	l := level{size: style.Size, isDisplay: f.IsDisplayed}
	var pieces []Piece
	for i, line := range f.Lines {
		for _, b := range s.pieces(line, l) {
			room := leading / 2 * l.em()
			pieces = append(pieces, Piece{box: b, Width: b.width, Ascent: b.ascent + room, Descent: b.descent + room})
		}
		if last := len(pieces) - 1; i+1 < len(f.Lines) && last >= 0 {
			pieces[last].EndsLine = true
		}
	}
	if len(pieces) == 0 {
		pieces = append(pieces, Piece{box: &box{}})
	}
	return pieces
}

// setter sets the parts of a formula.
type setter struct {
	Style
	face *pdf.Face // of signs
}

// level is how large a part is set: full size, or that of scripts and of their scripts; and
// whether it stands in a formula with lines of its own, where sums and fractions are larger.
type level struct {
	size      float64 // full size
	script    int
	isDisplay bool
}

// Sizes of scripts, and of their scripts, as parts of the full one. These and the other lengths
// are those of STIX Two Math (OpenType, MATH table), in em of the size at hand.
var scriptSizes = []float64{1, 0.70, 0.55}

// em is the size of letters at a level.
func (l level) em() float64 { return l.size * scriptSizes[l.script] }

// smaller is the level of scripts and limits.
func (l level) smaller() level {
	return level{size: l.size, script: min(l.script+1, len(scriptSizes)-1)}
}

// part is the level of what stands in a fraction.
func (l level) part() level {
	if l.isDisplay {
		return level{size: l.size, script: l.script}
	}
	return l.smaller()
}

// inner is the level of what stands in a matrix: it has no larger sums.
func (l level) inner() level { return level{size: l.size, script: l.script} }

// sized is a level with the size of a part's own formatting.
func (s *setter) sized(l level, look dml.FormulaLook) level {
	if look.Size > 0 {
		l.size = look.Size * cmp.Or(s.Scale, 1)
	}
	return l
}

// Lengths in em.
const (
	axis                = 0.258
	rule                = 0.068
	numeratorUp         = 0.585
	numeratorUpDisplay  = 0.640
	fractionGap         = 0.068
	fractionGapDisplay  = 0.150
	stackTopUp          = 0.470
	stackTopUpDisplay   = 0.780
	stackBottomDown     = 0.385
	stackBottomDisplay  = 0.690
	stackGap            = 0.150
	stackGapDisplay     = 0.300
	skewedGap           = 0.068
	superscriptUp       = 0.360
	superscriptDrop     = 0.230
	superscriptBottom   = 0.120
	subscriptDown       = 0.210
	subscriptDrop       = 0.160
	subscriptTop        = 0.368
	scriptsGap          = 0.150
	spaceAfterScript    = 0.040
	limitGap            = 0.135
	upperLimitRise      = 0.300
	lowerLimitDrop      = 0.670
	radicalGap          = 0.085
	radicalGapDisplay   = 0.170
	radicalAbove        = 0.078
	kernBeforeDegree    = 0.065
	kernAfterDegree     = -0.335
	degreeRaise         = 0.55
	accentBase          = 0.480
	barGap              = 0.175
	barExtra            = 0.068
	leading             = 0.150 // between formulas
	integralLean        = 0.160 // by which a subscript stands nearer to an integral
	integralLeanDisplay = 0.460
	fractionSide        = 0.100 // beside a fraction
	boxPadding          = 0.150
	columnGap           = 1.000 // of matrices
	rowSkip, rowGap     = 1.200, 0.200
	thin, medium, thick = 3.0 / 18, 4.0 / 18, 5.0 / 18
)

// box is what is set, with its room around the baseline.
type box struct {
	width, ascent, descent float64
	marks                  []mark
	class                  class
	// overhang is how far its last letter leans over its right edge; isLetter says that it is a
	// single character, by which scripts stand lower.
	overhang float64
	lean     float64 // how much nearer a subscript stands
	isLetter bool
	breaks   bool // a line may end in front of it
}

// mark is something that is drawn, to the right of a box's left edge and below its baseline.
type mark struct {
	x, y float64
	draw func(c *pdf.Canvas, x, y float64)
}

func (b *box) draw(c *pdf.Canvas, x, y float64) {
	for _, m := range b.marks {
		m.draw(c, x+m.x, y+m.y)
	}
}

// put puts another box into this one. It makes room above and below for it, not beside it.
func (b *box) put(other *box, x, y float64) {
	if other == nil {
		return
	}
	if len(other.marks) > 0 {
		b.marks = append(b.marks, mark{x, y, other.draw})
	}
	b.ascent, b.descent = math.Max(b.ascent, other.ascent-y), math.Max(b.descent, other.descent+y)
}

// line draws a filled rectangle, its upper left corner at a place.
func (b *box) line(x, y, w, h float64, color dml.RGB) {
	b.marks = append(b.marks, mark{x, y, func(c *pdf.Canvas, x, y float64) { c.FillRect(x, y, w, h, color) }})
}

// diagonal draws a thin line between two places.
func (b *box) diagonal(x1, y1, x2, y2, width float64, color dml.RGB) {
	b.marks = append(b.marks, mark{x1, y1, func(c *pdf.Canvas, x, y float64) {
		c.StrokeLine(x, y, x+x2-x1, y+y2-y1, pdf.Stroke{Color: color, Width: width})
	}})
}

// height is that of what a box shows.
func (b *box) height() float64 { return b.ascent + b.descent }

func (s *setter) colorOf(look dml.FormulaLook) dml.RGB {
	if look.Color != nil {
		return *look.Color
	}
	return s.Color
}
