package slide

import (
	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/formula"
	"github.com/platenhq/platen/internal/render/pdf"
)

// slideFormula is a piece of a formula among characters.
type slideFormula struct {
	formula.Piece
	of      *dml.Formula
	isWhole bool
}

// appendFormula puts a formula among characters, in pieces between which lines may end. One
// that stands on lines of its own begins one.
func (pr *slidePrinter) appendFormula(out []slideGlyph, run *dml.TextRun, scale float64) []slideGlyph {
	f := run.Formula
	face := pr.fonts.Face(run.Font, run.Bold, run.Italic)
	if pr.typeset += f.Parts; pr.typeset > maxTypeset {
		return out
	}
	if f.IsDisplayed {
		out = endLine(out, run, face, scale)
	}
	pieces := formula.Set(f, formula.Style{Fonts: pr.fonts, Findings: pr.Findings, Size: run.Size * scale, Scale: scale, Color: run.Color})
	for i, p := range pieces {
		out = append(out, slideGlyph{r: objectRune, run: run, face: face, size: run.Size * scale, width: p.Width,
			formula: &slideFormula{p, f, len(pieces) == 1}})
		if p.EndsLine && i+1 < len(pieces) {
			out = endLine(out, run, face, scale)
		}
	}
	return out
}

const objectRune = '\uFFFC'

// endLine ends a line in which something stands.
func endLine(out []slideGlyph, run *dml.TextRun, face *pdf.Face, scale float64) []slideGlyph {
	if len(out) == 0 || out[len(out)-1].r == '\n' {
		return out
	}
	return append(out, slideGlyph{r: '\n', run: run, face: face, size: run.Size * scale})
}

// isDisplayed says that a formula which has lines of its own stands last.
func isDisplayed(glyphs []slideGlyph) bool {
	if len(glyphs) == 0 {
		return false
	}
	f := glyphs[len(glyphs)-1].formula
	return f != nil && f.of.IsDisplayed
}

// alignmentOf is where a line stands: one of a formula has its own place.
func alignmentOf(glyphs []slideGlyph, align string) string {
	if len(glyphs) == 0 || glyphs[0].formula == nil || !glyphs[0].formula.of.IsDisplayed {
		return align
	}
	return map[string]string{"left": "l", "center": "ctr", "right": "r"}[glyphs[0].formula.of.Align]
}

// drawFormula draws a piece of a formula. All its pieces are one element.
func (pr *slidePrinter) drawFormula(f *slideFormula, x, baseline float64) {
	if !pr.Canvas.Resume(f.of) {
		tag := pdf.Tag{Role: pdf.Formula, Alt: f.of.Text()}
		if f.isWhole {
			tag.Box = pdf.Box{X: x, Y: baseline - f.Ascent, W: f.Width, H: f.Ascent + f.Descent}
		}
		pr.Canvas.Begin(f.of, tag)
	}
	f.Draw(pr.Canvas, x, baseline)
	pr.Canvas.End()
}
