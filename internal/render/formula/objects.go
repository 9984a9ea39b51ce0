package formula

import (
	"math"
	"strings"

	"github.com/platenhq/platen/internal/office/dml"
)

// object sets a part that is no text; nil for one that shows nothing.
func (s *setter) object(p *dml.FormulaPart, l level) *box {
	color := s.colorOf(p.Look)
	switch p.Kind {
	case "f":
		return s.fraction(p, l, color)
	case "sSub", "sSup", "sSubSup":
		return s.scripts(s.row(p.Base, l), p.Above, p.Below, l)
	case "sPre":
		return s.scriptsInFront(p, l)
	case "rad":
		return s.radical(p, l, color)
	case "nary":
		return s.sum(p, l, color)
	case "d":
		return s.delimited(p, l, color)
	case "func":
		return s.function(p, l)
	case "limLow", "limUpp":
		b := s.limits(s.row(p.Base, l), p.Above, p.Below, l)
		b.class = operator
		return b
	case "m":
		return s.matrix(p, l)
	case "eqArr":
		return s.equations(p, l)
	case "acc":
		return s.accent(p, l, color)
	case "bar":
		return s.bar(p, l, color)
	case "groupChr":
		return s.grouped(p, l, color)
	case "borderBox":
		return s.bordered(p, l, color)
	case "phant":
		return s.phantom(p, l)
	}
	return s.row(p.Base, l)
}

// fraction sets m:f: with a bar, without one, skewed, or in a line.
func (s *setter) fraction(p *dml.FormulaPart, l level, color dml.RGB) *box {
	switch p.Type {
	case "lin":
		slash := s.sign(&dml.FormulaPart{Look: p.Look, Style: "p", Script: "roman"}, '/', l)
		return join([]*box{s.row(p.Above, l), slash, s.row(p.Below, l)}, l)
	case "skw":
		return s.skewed(p, l, color)
	}
	em := l.em()
	above, below := s.row(p.Above, l.part()), s.row(p.Below, l.part())
	up, down, least := numeratorUp*em, numeratorUp*em, fractionGap*em
	if l.isDisplay {
		up, down, least = numeratorUpDisplay*em, numeratorUpDisplay*em, fractionGapDisplay*em
	}
	if p.Type == "noBar" {
		up, down, least = stackTopUp*em, stackBottomDown*em, stackGap*em
		if l.isDisplay {
			up, down, least = stackTopUpDisplay*em, stackBottomDisplay*em, stackGapDisplay*em
		}
		if missing := least - (up - above.descent + down - below.ascent); missing > 0 {
			up, down = up+missing/2, down+missing/2
		}
	} else {
		up = math.Max(up, above.descent+(axis+rule/2)*em+least)
		down = math.Max(down, below.ascent-(axis-rule/2)*em+least)
	}
	width, side := math.Max(above.width, below.width), fractionSide*em
	out := &box{width: width + 2*side}
	out.put(above, side+(width-above.width)/2, -up)
	if p.Type != "noBar" {
		out.line(side, -(axis+rule/2)*em, width, rule*em, color)
	}
	out.put(below, side+(width-below.width)/2, down)
	return out
}

// skewed sets a fraction with a slash between a raised and a lowered part.
func (s *setter) skewed(p *dml.FormulaPart, l level, color dml.RGB) *box {
	em := l.em()
	above, below := s.row(p.Above, l.smaller()), s.row(p.Below, l.smaller())
	up, down := axis*em+skewedGap*em/2+above.descent, below.ascent-axis*em+skewedGap*em/2
	slash := s.grown("/", math.Max(above.height()+below.height()+skewedGap*em, em), l, color)
	overlap := math.Min(slash.width/4, em/4)
	out := &box{}
	out.put(above, 0, -up)
	out.put(slash, above.width-overlap, 0)
	out.put(below, above.width+slash.width-2*overlap, down)
	out.width = above.width + slash.width - 2*overlap + below.width
	return out
}

// scripts sets a superscript and a subscript behind a box.
func (s *setter) scripts(base *box, above, below dml.FormulaRow, l level) *box {
	sup, sub := s.row(above, l.smaller()), s.row(below, l.smaller())
	up, down := scriptPlaces(base, sup, sub, l)
	out := &box{width: base.width + math.Max(base.overhang+sup.width, sub.width-base.lean) + spaceAfterScript*l.em(), class: base.class, breaks: base.breaks}
	out.put(base, 0, 0)
	if len(above) > 0 {
		out.put(sup, base.width+base.overhang, -up)
	}
	if len(below) > 0 {
		out.put(sub, base.width-base.lean, down)
	}
	return out
}

// scriptPlaces is how far above the baseline a superscript stands, and a subscript below it.
func scriptPlaces(base, sup, sub *box, l level) (up, down float64) {
	em := l.em()
	up = math.Max(superscriptUp*em, sup.descent+superscriptBottom*em)
	down = math.Max(subscriptDown*em, sub.ascent-subscriptTop*em)
	if !base.isLetter {
		up, down = math.Max(up, base.ascent-superscriptDrop*em), math.Max(down, base.descent+subscriptDrop*em)
	}
	if sup.width > 0 && sub.width > 0 {
		down += math.Max(scriptsGap*em-(up-sup.descent+down-sub.ascent), 0)
	}
	return up, down
}

func (s *setter) scriptsInFront(p *dml.FormulaPart, l level) *box {
	base, sup, sub := s.row(p.Base, l), s.row(p.Above, l.smaller()), s.row(p.Below, l.smaller())
	up, down := scriptPlaces(base, sup, sub, l)
	width := math.Max(sup.width, sub.width)
	out := &box{width: width + base.width, overhang: base.overhang, class: base.class}
	if len(p.Above) > 0 {
		out.put(sup, width-sup.width, -up)
	}
	if len(p.Below) > 0 {
		out.put(sub, width-sub.width, down)
	}
	out.put(base, width, 0)
	return out
}

// radical sets m:rad.
func (s *setter) radical(p *dml.FormulaPart, l level, color dml.RGB) *box {
	em, base := l.em(), s.row(p.Base, l)
	space, thickness := radicalGap*em, rule*em
	if l.isDisplay {
		space = radicalGapDisplay * em
	}
	sign := s.grown("√", base.height()+space+thickness, l, color)
	if more := sign.height() - (base.height() + space + thickness); more > 0 {
		space += more / 2
	}
	top := base.ascent + space + thickness
	down := sign.ascent - top // what the sign moves, so that it begins with the line
	out, x := &box{}, 0.0
	if len(p.Above) > 0 {
		degree := s.row(p.Above, level{size: l.size, script: len(scriptSizes) - 1})
		raise := sign.descent + down - degreeRaise*sign.height() - degree.descent
		out.put(degree, kernBeforeDegree*em, raise)
		x = math.Max(kernBeforeDegree*em+degree.width+kernAfterDegree*em, 0)
	}
	out.put(sign, x, down)
	x += sign.width
	out.line(x, -top, base.width, thickness, color)
	out.put(base, x, 0)
	out.width = x + base.width
	out.ascent = math.Max(out.ascent, top+radicalAbove*em)
	return out
}

// sum sets m:nary: a large sign with its limits, and what it is of.
func (s *setter) sum(p *dml.FormulaPart, l level, color dml.RGB) *box {
	sign := s.operator(p.Char, l, color)
	var head *box
	if p.Type == "undOvr" && l.isDisplay {
		head = s.limits(sign, p.Above, p.Below, l)
	} else {
		head = s.scripts(sign, p.Above, p.Below, l)
	}
	return apply(head, s.row(p.Base, l), l)
}

// apply sets an operator in front of what it is of.
func apply(operation, base *box, l level) *box {
	operation.class = operator
	out := join([]*box{operation, base}, l)
	out.class = applied
	return out
}

// operator is a large sign on the axis, larger in a formula with lines of its own. It is never
// stretched.
func (s *setter) operator(sign string, l level, color dml.RGB) *box {
	runes := []rune(sign)
	if len(runes) == 0 {
		return &box{}
	}
	of := letter{s.face, runes[0], sign}
	if larger, ok := s.face.Grown(runes[0], 1); ok && l.isDisplay {
		of.shown = larger
	}
	if !s.face.Has(of.shown) {
		return s.grown(sign, 0, l, color)
	}
	em := l.em()
	b := s.drawn(of, em, 1, color)
	_, bottom, right, top, _ := of.face.Extent(of.shown, em)
	up := axis*em - (top+bottom)/2
	out := shifted(b, -up)
	out.width = math.Max(b.width, right)
	out.ascent, out.descent, out.overhang = math.Max(top+up, 0), math.Max(-bottom-up, 0), 0
	if strings.Contains(integrals, string(runes[:1])) {
		if out.lean = integralLean * em; l.isDisplay {
			out.lean = integralLeanDisplay * em
		}
	}
	return out
}

// limits sets something above and below a box.
func (s *setter) limits(base *box, above, below dml.FormulaRow, l level) *box {
	em, small := l.em(), l.smaller()
	over, under := s.row(above, small), s.row(below, small)
	width := math.Max(base.width, math.Max(over.width, under.width))
	out := &box{width: width}
	if len(above) > 0 {
		up := base.ascent + math.Max(upperLimitRise*em, over.descent+limitGap*em)
		out.put(over, (width-over.width)/2, -up)
	}
	out.put(base, (width-base.width)/2, 0)
	if len(below) > 0 {
		down := base.descent + math.Max(lowerLimitDrop*em, under.ascent+limitGap*em)
		if base.descent == 0 { // letters, under which the limit stands nearer
			down = under.ascent + limitGap*em + em/8
		}
		out.put(under, (width-under.width)/2, down)
	}
	return out
}

// covered is how much of what they stand around brackets cover: a small part of a letter may
// stand over.
const covered = 0.901

// integrals are the signs that lean to the right.
const integrals = "∫∬∭∮∯∰∱∲∳⨌"

// delimited sets m:d. Its brackets are as high as what they stand around, on both sides of the
// axis.
func (s *setter) delimited(p *dml.FormulaPart, l level, color dml.RGB) *box {
	em := l.em()
	parts := make([]*box, len(p.Cells[0]))
	reach := 0.0
	for i, cell := range p.Cells[0] {
		parts[i] = s.row(cell, l)
		reach = math.Max(reach, math.Max(parts[i].ascent-axis*em, parts[i].descent+axis*em))
	}
	height := 2 * reach * covered
	if p.DoesNotGrow {
		height = 0
	}
	out := &box{}
	add := func(b *box) {
		out.put(b, out.width, 0)
		out.width += b.width
	}
	add(s.grown(p.Begin, height, l, color))
	for i, part := range parts {
		if i > 0 {
			separator := s.grown(p.Char, height, l, color)
			if p.Char == "," || p.Char == ";" {
				separator = s.sign(&dml.FormulaPart{Look: p.Look, Style: "p"}, rune(p.Char[0]), l)
				separator.width += thin * em
			}
			add(separator)
		}
		add(part)
	}
	add(s.grown(p.End, height, l, color))
	return out
}

// function sets m:func: a name, and what it is of.
func (s *setter) function(p *dml.FormulaPart, l level) *box {
	base := s.row(p.Base, l)
	if len(p.Base) > 0 && p.Base[0].Kind == "d" {
		base.class = opening
	}
	return apply(s.row(p.Name, l), base, l)
}
