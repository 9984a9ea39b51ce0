package slide

import (
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestWhatAShapeOfASlideLacksIsToldAndHidesNothing(t *testing.T) {
	t.Parallel()
	shape := func(geometry, look, rest string) string {
		return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="S"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="1270000" y="1270000"/><a:ext cx="2540000" cy="1270000"/></a:xfrm>` + geometry + look + `</p:spPr>` + rest + `</p:sp>`
	}
	for name, c := range map[string]struct {
		shape string
		loss  dml.Loss
	}{
		"an unknown form":       {shape(rendertest.Gear, rendertest.Blue, ""), dml.LossForm},
		"a gradient that fades": {shape(rendertest.Rectangle, rendertest.Fading, ""), dml.LossGradient},
		"a shadow":              {shape(rendertest.Rectangle, `<a:noFill/><a:effectLst><a:outerShdw/></a:effectLst>`, ""), dml.LossEffects},
		"a warped text":         {shape(rendertest.Rectangle, `<a:noFill/>`, `<p:txBody><a:bodyPr><a:prstTxWarp prst="textArchUp"/></a:bodyPr><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody>`), dml.LossWarp},
		"handwriting":           {`<p:contentPart r:id="x"/>`, dml.LossInk},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pdf, findings := slide(t, c.shape)
			rendertest.WantLoss(t, findings, c.loss)
			if at := rendertest.Paint(t, pdf).Color(166, 133); at.B > 200 && at.R < 60 {
				t.Errorf("the shape is an opaque box: its inside is %v", at)
			}
		})
	}
}

// Themes have such pictures for backgrounds: grey, and mostly dark.
func TestABackgroundInTwoTonesIsNoBlackBand(t *testing.T) {
	t.Parallel()
	pdf, findings := slideWith(t, func(p *opc.Package, part string) string {
		return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="S"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="1270000" y="1270000"/><a:ext cx="2540000" cy="1270000"/></a:xfrm>` + rendertest.Rectangle +
			`<a:blipFill><a:blip r:embed="` + rendertest.PictureFor(t, p, part) + `"><a:duotone><a:srgbClr val="FFFFFF"/><a:srgbClr val="0000FF"/></a:duotone></a:blip><a:tile/></a:blipFill></p:spPr></p:sp>`
	})
	rendertest.WantLoss(t, findings, dml.LossDuotone)
	if got, want := rendertest.Paint(t, pdf).Color(166, 133), (dml.RGB{R: 128, G: 128, B: 255}); got != want {
		t.Errorf("the background is %v, want the colour between its tones, %v", got, want)
	}
}
