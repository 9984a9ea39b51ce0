package flow

import (
	"math"
	"strings"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/pdf"
)

func (p *painter) pageBorders(s *wml.Section) {
	b := &s.Borders
	if !hasBorders(b) {
		return
	}
	space := func(x *wml.Border) float64 {
		if x == nil {
			return 0
		}
		return x.Space
	}
	left, right, top, bottom := space(b.Left), s.Width-space(b.Right), space(b.Top), s.Height-space(b.Bottom)
	if s.HasBordersFromText {
		left, right = s.Left-space(b.Left)-thickness(b.Left), s.Width-s.Right+space(b.Right)+thickness(b.Right)
		top, bottom = math.Abs(s.Top)-space(b.Top)-thickness(b.Top), s.Height-math.Abs(s.Bottom)+space(b.Bottom)+thickness(b.Bottom)
	}
	// Each strip ends where the same strip of the sides begins, so that corners meet.
	at := func(strips []strip, i int) float64 {
		if len(strips) == 0 {
			return 0
		}
		return strips[min(i, len(strips)-1)].from
	}
	ofTop, ofLeft, ofBottom, ofRight := stripsOf(b.Top, true), stripsOf(b.Left, true), stripsOf(b.Bottom, false), stripsOf(b.Right, false)
	for i, one := range ofTop {
		y := top + one.middle()
		p.canvas.StrokeLine(left+at(ofLeft, i), y, right-at(ofRight, i), y, *one.stroke(b.Top))
	}
	for i, one := range ofBottom {
		y := bottom - one.middle()
		p.canvas.StrokeLine(left+at(ofLeft, i), y, right-at(ofRight, i), y, *one.stroke(b.Bottom))
	}
	for i, one := range ofLeft {
		x := left + one.middle()
		p.canvas.StrokeLine(x, top+at(ofTop, i), x, bottom-at(ofBottom, i), *one.stroke(b.Left))
	}
	for i, one := range ofRight {
		x := right - one.middle()
		p.canvas.StrokeLine(x, top+at(ofTop, i), x, bottom-at(ofBottom, i), *one.stroke(b.Right))
	}
}

// A strip is one of the lines that a border has, seen from its outer edge.
type strip struct{ from, width float64 }

func (s strip) middle() float64 { return s.from + s.width/2 }

// stroke is the look of a strip of a border.
func (s strip) stroke(b *wml.Border) *pdf.Stroke {
	out := strokeOf(b)
	out.Width = s.width
	return out
}

// thickness is how far a border reaches from its outer to its inner edge.
func thickness(b *wml.Border) float64 {
	strips := stripsOf(b, true)
	if len(strips) == 0 {
		return 0
	}
	last := strips[len(strips)-1]
	return last.from + last.width
}

// stripsOf are the lines of a border, from the outer one to the inner one. Its
// width is that of its thick line (ST_Border, ECMA-376 part 1, 17.18.2); how wide thin
// lines and gaps are is LibreOffice's. The names read from the right and the foot of
// the page to its left and its head.
func stripsOf(b *wml.Border, isAtStart bool) []strip {
	if !b.IsVisible() {
		return nil
	}
	w := b.Width
	const small = 0.75 // points
	kind := strings.ToLower(b.Style)
	thin, gap, thick := small, small, w
	switch {
	case strings.HasSuffix(kind, "mediumgap"):
		thin, gap = w/2, w/2
	case strings.HasSuffix(kind, "largegap"):
		gap, thick = w, 2*small
	}
	switch {
	case kind == "double":
		return []strip{{0, w}, {2 * w, w}}
	case kind == "triple":
		return []strip{{0, w}, {2 * w, w}, {4 * w, w}}
	case strings.HasPrefix(kind, "thinthickthin"):
		return []strip{{0, thin}, {thin + gap, thick}, {thin + 2*gap + thick, thin}}
	case strings.HasPrefix(kind, "thinthick") && isAtStart, strings.HasPrefix(kind, "thickthin") && !isAtStart:
		return []strip{{0, thick}, {thick + gap, thin}}
	case strings.HasPrefix(kind, "thinthick"), strings.HasPrefix(kind, "thickthin"):
		return []strip{{0, thin}, {thin + gap, thick}}
	}
	return []strip{{0, strokeOf(b).Width}}
}
