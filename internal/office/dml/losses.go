package dml

import (
	"slices"

	"github.com/beevik/etree"
)

// A Loss is something that the model of a drawing leaves out or makes plainer: a
// sentence for people, without anything of the file in it.
type Loss string

// The losses. What cannot be drawn as it is must be told by one of these, and
// must not hide anything else on the page.
const (
	LossForm         Loss = "a shape is drawn without its form, which is not known"
	LossDrawing      Loss = "a drawing of a kind that is not known is left out"
	LossCanvas       Loss = "a drawing on a locked canvas is left out"
	LossInk          Loss = "handwriting is left out"
	LossObject       Loss = "an embedded object without a picture is left out"
	LossLinked       Loss = "a picture that is not in the file is left out"
	LossPictureFill  Loss = "a shape is drawn without the picture that fills it"
	LossGroupFill    Loss = "a shape is drawn without the fill of its group"
	LossGradient     Loss = "a gradient is drawn in one colour"
	LossPattern      Loss = "a pattern is drawn in one colour"
	LossDuotone      Loss = "a picture in two tones is drawn as one colour"
	LossRecolored    Loss = "a picture is drawn in its own colours, not in those that it was given"
	LossTiles        Loss = "the tiles of a picture are drawn from the upper left corner and unmirrored"
	LossEffects      Loss = "shadows, glows, reflections or bevels are left out"
	LossWarp         Loss = "WordArt is drawn as straight text"
	LossTurnedText   Loss = "turned text is drawn level"
	LossOverflow     Loss = "a text that is longer than its box is cut off"
	LossUserShapes   Loss = "what was drawn over a chart is left out"
	LossPlot         Loss = "a part of a chart, of a kind that cannot be drawn, is left out"
	LossNumberFormat Loss = "numbers are written in figures, because the words or signs of their format are not known"
)

// Losses gathers each loss once.
type Losses []Loss

// Add notes a loss, once.
func (l *Losses) Add(loss Loss) {
	if !slices.Contains(*l, loss) {
		*l = append(*l, loss)
	}
}

// OfEffects adds what a shape's properties ask for and nobody draws.
func (l *Losses) OfEffects(properties *etree.Element) {
	for _, tag := range []string{"effectLst", "effectDag"} {
		if len(ChildElements(Child(properties, tag))) > 0 {
			l.Add(LossEffects)
		}
	}
	if Child(properties, "scene3d") != nil || Child(properties, "sp3d") != nil {
		l.Add(LossEffects)
	}
}

// OfText adds what a text's a:bodyPr asks for and nobody draws.
func (l *Losses) OfText(body *etree.Element) {
	if warp := Child(body, "prstTxWarp"); warp != nil && warp.SelectAttrValue("prst", "textNoShape") != "textNoShape" {
		l.Add(LossWarp)
	}
}
