package formula

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/platenhq/platen/internal/office/dml"
)

// grid sets rows of boxes under each other, on the axis. Align says how columns stand: "left",
// "center" or "right"; what it leaves out is centred. Between holds the room behind each column.
func (l level) grid(rows [][]*box, align []string, between func(column int) float64) *box {
	em := l.em()
	var widths []float64
	for _, row := range rows {
		for j, cell := range row {
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = math.Max(widths[j], cell.width)
		}
	}
	out, y, before := &box{}, 0.0, 0.0
	baselines := make([]float64, len(rows))
	top := 0.0
	for i, row := range rows {
		ascent, descent := 0.0, 0.0
		for _, cell := range row {
			ascent, descent = math.Max(ascent, cell.ascent), math.Max(descent, cell.descent)
		}
		if i == 0 {
			top = ascent
		} else {
			y += math.Max(rowSkip*em, before+ascent+rowGap*em)
		}
		baselines[i], before = y, descent
	}
	up := (y+before-top)/2 + axis*em // puts the middle on the axis
	for i, row := range rows {
		x := 0.0
		for j, cell := range row {
			shift := (widths[j] - cell.width) / 2
			switch {
			case j >= len(align):
			case align[j] == "left":
				shift = 0
			case align[j] == "right":
				shift = widths[j] - cell.width
			}
			out.put(cell, x+shift, baselines[i]-up)
			x += widths[j] + between(j)
		}
	}
	for j, w := range widths {
		out.width += w
		if j+1 < len(widths) {
			out.width += between(j)
		}
	}
	return out
}

// matrix sets m:m.
func (s *setter) matrix(p *dml.FormulaPart, l level) *box {
	rows := make([][]*box, len(p.Cells))
	for i, row := range p.Cells {
		for _, cell := range row {
			rows[i] = append(rows[i], s.row(cell, l.inner()))
		}
	}
	return l.grid(rows, p.Align, func(int) float64 { return columnGap * l.em() })
}

// equations sets m:eqArr. An ampersand parts an equation: the first, third and so on are where
// equations stand below each other, the others open room (ECMA-376 part 1, 22.1.2.34).
func (s *setter) equations(p *dml.FormulaPart, l level) *box {
	rows := make([][]*box, len(p.Cells))
	var align []string
	for i, row := range p.Cells {
		for j, part := range split(row[0]) {
			cell := s.row(part, l)
			if j > 0 && len(part) > 0 && part[0].Kind == "r" { // a sign behind its alignment is none of a negative number
				if r, _ := utf8.DecodeRuneInString(part[0].Text); classOf(r) == relation || classOf(r) == binary {
					cell = join([]*box{{width: thick * l.em()}, cell}, l)
				}
			}
			if rows[i] = append(rows[i], cell); j == len(align) {
				align = append(align, []string{"right", "left"}[j%2])
			}
		}
	}
	if len(align) == 1 {
		align[0] = "left"
	}
	return l.grid(rows, align, func(column int) float64 {
		if column%2 == 0 {
			return 0
		}
		return columnGap * l.em()
	})
}

// split parts a row at the ampersands in its texts.
func split(row dml.FormulaRow) []dml.FormulaRow {
	out := []dml.FormulaRow{nil}
	for _, p := range row {
		if p.Kind != "r" || !strings.Contains(p.Text, "&") {
			out[len(out)-1] = append(out[len(out)-1], p)
			continue
		}
		for i, text := range strings.Split(p.Text, "&") {
			if i > 0 {
				out = append(out, nil)
			}
			if text != "" {
				part := *p
				part.Text = text
				out[len(out)-1] = append(out[len(out)-1], &part)
			}
		}
	}
	return out
}

// above are signs in a line that an accent is named by, and the accent.
var above = map[rune]rune{'^': '\u0302', 'ˆ': '\u0302', '~': '\u0303', '˜': '\u0303', '˙': '\u0307', '¨': '\u0308', '´': '\u0301', '`': '\u0300', 'ˇ': '\u030C', '˘': '\u0306', '→': '\u20D7', '¯': '\u0305', '‾': '\u0305'}

// accent sets m:acc.
func (s *setter) accent(p *dml.FormulaPart, l level, color dml.RGB) *box {
	em, base := l.em(), s.row(p.Base, l)
	r, _ := utf8.DecodeRuneInString(p.Char)
	if other, ok := above[r]; ok {
		r = other
	}
	if p.Char == "" || r == '\u0305' {
		return barred(base, true, em, color)
	}
	sign := s.widened(r, base.width, false, l, color)
	up := math.Max(base.ascent-accentBase*em, 0)
	out := &box{width: base.width, overhang: base.overhang, class: base.class, isLetter: base.isLetter}
	out.put(base, 0, 0)
	out.put(sign, (base.width-sign.width)/2+base.overhang/2, -up)
	return out
}

// bar sets m:bar.
func (s *setter) bar(p *dml.FormulaPart, l level, color dml.RGB) *box {
	return barred(s.row(p.Base, l), p.IsAbove, l.em(), color)
}

func barred(base *box, isAbove bool, em float64, color dml.RGB) *box {
	out := &box{width: base.width, overhang: base.overhang}
	out.put(base, 0, 0)
	if isAbove {
		out.line(0, -base.ascent-(barGap+rule)*em, base.width+base.overhang, rule*em, color)
		out.ascent = base.ascent + (barGap+rule+barExtra)*em
	} else {
		out.line(0, base.descent+barGap*em, base.width, rule*em, color)
		out.descent = base.descent + (barGap+rule+barExtra)*em
	}
	return out
}

// grouped sets m:groupChr: a brace or an arrow as wide as what it stands over or under. That of
// the two which its vertJc names stands on the baseline.
func (s *setter) grouped(p *dml.FormulaPart, l level, color dml.RGB) *box {
	r, _ := utf8.DecodeRuneInString(p.Char)
	isArrow := classOf(r) == relation
	em, of := l.em(), l
	if isArrow { // its text is small, and the arrow a little wider
		of = l.smaller()
	}
	base := s.row(p.Base, of)
	if p.Char == "" {
		return base
	}
	width := base.width
	if isArrow {
		width += em / 2
	}
	sign := s.widened(r, width, true, l, color)
	width = math.Max(width, sign.width)
	out := &box{width: width}
	space := rule * em
	distance := base.descent + space + sign.ascent // of the baselines, the sign below
	if p.IsAbove {
		distance = -(base.ascent + space + sign.descent)
	}
	baseY, signY := 0.0, distance
	if p.IsAbove == p.StandsOnAbove {
		baseY, signY = -distance, 0
	}
	out.put(base, (width-base.width)/2, baseY)
	out.put(sign, (width-sign.width)/2, signY)
	if isArrow {
		out.class = relation
	}
	return out
}

// bordered sets m:borderBox: a box around something, and lines through it.
func (s *setter) bordered(p *dml.FormulaPart, l level, color dml.RGB) *box {
	em, base := l.em(), s.row(p.Base, l)
	padding, thickness := boxPadding*em, rule*em
	out := &box{width: base.width + 2*padding}
	out.put(base, padding, 0)
	out.ascent, out.descent = base.ascent+padding, base.descent+padding
	w, h, top := out.width, out.height(), -out.ascent
	for _, side := range []struct {
		isShown    bool
		x, y, w, h float64
	}{
		{!p.Hides["hideTop"], 0, top, w, thickness}, {!p.Hides["hideBot"], 0, out.descent - thickness, w, thickness},
		{!p.Hides["hideLeft"], 0, top, thickness, h}, {!p.Hides["hideRight"], w - thickness, top, thickness, h},
		{p.Strikes["strikeH"], 0, top + h/2, w, thickness}, {p.Strikes["strikeV"], w / 2, top, thickness, h},
	} {
		if side.isShown {
			out.line(side.x, side.y, side.w, side.h, color)
		}
	}
	if p.Strikes["strikeBLTR"] {
		out.diagonal(0, out.descent, w, top, thickness, color)
	}
	if p.Strikes["strikeTLBR"] {
		out.diagonal(0, top, w, out.descent, thickness, color)
	}
	return out
}

// phantom sets m:phant: something that takes room without being seen, or is seen without taking
// room.
func (s *setter) phantom(p *dml.FormulaPart, l level) *box {
	base := s.row(p.Base, l)
	out := &box{width: base.width, class: base.class}
	if p.Hides["show"] {
		out.ascent, out.descent = base.ascent, base.descent
	} else {
		out.put(base, 0, 0)
	}
	if p.Hides["zeroWid"] {
		out.width = 0
	}
	if p.Hides["zeroAsc"] {
		out.ascent = 0
	}
	if p.Hides["zeroDesc"] {
		out.descent = 0
	}
	return out
}
