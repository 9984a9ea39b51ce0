package layout

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/drive/office"
)

// anchored puts a graphic over the text, 200 by 100 points at 100, 100.
func anchored(graphic string) string {
	return `<w:p><w:r><w:drawing><wp:anchor distT="0" behindDoc="0"><wp:positionH relativeFrom="page"><wp:posOffset>1270000</wp:posOffset></wp:positionH><wp:positionV relativeFrom="page"><wp:posOffset>1270000</wp:posOffset></wp:positionV><wp:extent cx="2540000" cy="1270000"/><wp:wrapNone/><a:graphic><a:graphicData>` + graphic + `</a:graphicData></a:graphic></wp:anchor></w:drawing></w:r></w:p>`
}

func wordShape(geometry, look, rest string) string {
	return `<wps:wsp><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="2540000" cy="1270000"/></a:xfrm>` + geometry + look + `</wps:spPr>` + rest + `</wps:wsp>`
}

const (
	rectangle = `<a:prstGeom prst="rect"/>`
	gear      = `<a:prstGeom prst="gear6"/>`
	blue      = `<a:solidFill><a:srgbClr val="0000FF"/></a:solidFill>`
	fading    = `<a:gradFill><a:gsLst><a:gs pos="0"><a:srgbClr val="0000FF"/></a:gs><a:gs pos="100000"><a:srgbClr val="0000FF"><a:alpha val="0"/></a:srgbClr></a:gs></a:gsLst></a:gradFill>`
	gradient  = `<a:gradFill><a:gsLst><a:gs pos="0"><a:srgbClr val="0000FF"/></a:gs><a:gs pos="100000"><a:srgbClr val="FFFFFF"/></a:gs></a:gsLst></a:gradFill>`
	written   = `<wps:txbx><w:txbxContent><w:p><w:r><w:t>inside</w:t></w:r></w:p></w:txbxContent></wps:txbx>`
)

// vml is 200 by 100 points at 100, 100, too.
func vml(element string) string { return `<w:p><w:r><w:pict>` + element + `</w:pict></w:r></w:p>` }

const vmlPlace = ` style="position:absolute;margin-left:28pt;margin-top:28pt;width:200pt;height:100pt" fillcolor="blue"`

var inWord = map[string]struct {
	body string
	loss office.Loss
	// hides says that the middle of the shape may hide what is behind it.
	hides bool
}{
	"an unknown form":              {anchored(wordShape(gear, blue, "")), office.LossForm, false},
	"an unknown form with text":    {anchored(wordShape(gear, blue, written)), office.LossForm, false},
	"a gradient":                   {anchored(wordShape(rectangle, gradient, "")), office.LossGradient, true},
	"a gradient that fades":        {anchored(wordShape(rectangle, fading, "")), office.LossGradient, false},
	"a pattern":                    {anchored(wordShape(rectangle, `<a:pattFill prst="pct50"><a:fgClr><a:srgbClr val="0000FF"/></a:fgClr><a:bgClr><a:srgbClr val="FFFFFF"/></a:bgClr></a:pattFill>`, "")), office.LossPattern, true},
	"a picture as fill":            {anchored(wordShape(rectangle, `<a:blipFill><a:blip r:embed="x"/></a:blipFill>`, `<wps:style><a:fillRef idx="1"><a:srgbClr val="0000FF"/></a:fillRef></wps:style>`)), office.LossPictureFill, false},
	"the fill of a group":          {anchored(wordShape(rectangle, `<a:grpFill/>`, "")), office.LossGroupFill, false},
	"arrowheads":                   {anchored(wordShape(`<a:prstGeom prst="line"/>`, `<a:ln w="12700">`+blue+`<a:tailEnd type="triangle"/></a:ln>`, "")), office.LossArrows, true},
	"a shadow":                     {anchored(wordShape(rectangle, `<a:noFill/><a:effectLst><a:outerShdw/></a:effectLst>`, "")), office.LossEffects, false},
	"a warped text":                {anchored(wordShape(rectangle, `<a:noFill/>`, written+`<wps:bodyPr><a:prstTxWarp prst="textArchUp"/></wps:bodyPr>`)), office.LossWarp, false},
	"a turned text":                {anchored(wordShape(rectangle, `<a:noFill/>`, written+`<wps:bodyPr vert="vert270"/>`)), office.LossTurnedText, false},
	"a locked canvas":              {anchored(`<lc:lockedCanvas><a:sp/></lc:lockedCanvas>`), office.LossCanvas, false},
	"an unknown drawing":           {anchored(`<a:other/>`), office.LossDrawing, false},
	"a picture elsewhere":          {anchored(`<pic:pic><pic:blipFill><a:blip r:link="x"/></pic:blipFill><pic:spPr/></pic:pic>`), office.LossLinked, false},
	"a freeform of VML":            {vml(`<v:shape path="m0,0l100,0,100,100xe"` + vmlPlace + `/>`), office.LossForm, false},
	"an unknown type of VML":       {vml(`<v:shape type="#_x0000_t87"` + vmlPlace + `/>`), office.LossForm, false},
	"a frame without its picture":  {vml(`<v:shape type="#_x0000_t75"` + vmlPlace + `/>`), office.LossObject, false},
	"a gradient of VML":            {vml(`<v:rect` + vmlPlace + `><v:fill type="gradient" opacity=".5"/></v:rect>`), office.LossGradient, false},
	"a rule":                       {vml(`<v:rect o:hr="t" xmlns:o="urn:schemas-microsoft-com:office:office" style="width:0;height:1.5pt"/>`), office.LossLine, false},
	"a polyline":                   {vml(`<v:polyline points="0,0,10,10"` + vmlPlace + `/>`), office.LossDrawing, false},
	"a formula":                    {`<w:p><m:oMath><m:r><m:t>x</m:t></m:r></m:oMath></w:p>`, office.LossFormula, false},
	"a cell with turned text":      {`<w:tbl><w:tblGrid><w:gridCol w:w="3000"/></w:tblGrid><w:tr><w:tc><w:tcPr><w:textDirection w:val="btLr"/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>`, office.LossTurnedText, false},
	"handwriting":                  {`<w:p><w:r><w:contentPart r:id="x"/></w:r></w:p>`, office.LossInk, false},
	"a see-through shape (silent)": {anchored(wordShape(rectangle, `<a:solidFill><a:srgbClr val="0000FF"><a:alpha val="30000"/></a:srgbClr></a:solidFill>`, "")), "", false},
	"a known form (silent)":        {anchored(wordShape(`<a:prstGeom prst="diamond"/>`, blue, "")), "", true},
	"a plain rectangle (silent)":   {anchored(wordShape(rectangle, blue, "")), "", true},
}

func TestWhatAShapeOfADocumentLacksIsToldAndHidesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range inWord {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, findings := paintedDocument(t, docx{body: c.body})
			wantLoss(t, findings, c.loss)
			// A third from the left, a third from the top: inside every shape.
			if at := page.at(166, 133); !c.hides && at.B > 200 && at.R < 60 {
				t.Errorf("the shape is an opaque box: its inside is %v", at)
			}
		})
	}
}

func wantLoss(t *testing.T, findings []Finding, loss office.Loss) {
	t.Helper()
	if loss == "" {
		if len(findings) != 0 {
			t.Errorf("got findings %v, want none", findings)
		}
		return
	}
	for _, f := range findings {
		if f.Code == FindingDrawing && strings.HasPrefix(f.Message, string(loss)) {
			return
		}
	}
	t.Errorf("got findings %v, want one that says %q", findings, loss)
}

func TestWhatAShapeOfASlideLacksIsToldAndHidesNothing(t *testing.T) {
	t.Parallel()
	shape := func(geometry, look, rest string) string {
		return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="S"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="1270000" y="1270000"/><a:ext cx="2540000" cy="1270000"/></a:xfrm>` + geometry + look + `</p:spPr>` + rest + `</p:sp>`
	}
	for name, c := range map[string]struct {
		shape string
		loss  office.Loss
	}{
		"an unknown form":       {shape(gear, blue, ""), office.LossForm},
		"a gradient that fades": {shape(rectangle, fading, ""), office.LossGradient},
		"a shadow":              {shape(rectangle, `<a:noFill/><a:effectLst><a:outerShdw/></a:effectLst>`, ""), office.LossEffects},
		"a warped text":         {shape(rectangle, `<a:noFill/>`, `<p:txBody><a:bodyPr><a:prstTxWarp prst="textArchUp"/></a:bodyPr><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody>`), office.LossWarp},
		"handwriting":           {`<p:contentPart r:id="x"/>`, office.LossInk},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pdf, findings := slide(t, c.shape)
			wantLoss(t, findings, c.loss)
			if at := painted(t, pdf).at(166, 133); at.B > 200 && at.R < 60 {
				t.Errorf("the shape is an opaque box: its inside is %v", at)
			}
		})
	}
}

// Themes have such pictures for backgrounds: grey, and mostly dark.
func TestABackgroundInTwoTonesIsNoBlackBand(t *testing.T) {
	t.Parallel()
	pdf, findings := slideWith(t, func(p *office.Package, part string) string {
		return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="S"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="1270000" y="1270000"/><a:ext cx="2540000" cy="1270000"/></a:xfrm>` + rectangle +
			`<a:blipFill><a:blip r:embed="` + pictureFor(t, p, part) + `"><a:duotone><a:srgbClr val="FFFFFF"/><a:srgbClr val="0000FF"/></a:duotone></a:blip><a:tile/></a:blipFill></p:spPr></p:sp>`
	})
	wantLoss(t, findings, office.LossDuotone)
	if got, want := painted(t, pdf).at(166, 133), (office.RGB{R: 128, G: 128, B: 255}); got != want {
		t.Errorf("the background is %v, want the colour between its tones, %v", got, want)
	}
}

func TestAFindingNamesTheFirstPagesThatHaveIt(t *testing.T) {
	t.Parallel()
	_, findings := rendered(t, docx{body: strings.Repeat(anchored(`<a:other/>`)+`<w:p><w:r><w:br w:type="page"/></w:r></w:p>`, 7)})
	if len(findings) != 1 || !strings.HasSuffix(findings[0].Message, ": page 1, 2, 3, 4, 5 and others") {
		t.Errorf("got %v, want one finding with the first five pages", findings)
	}
}

func TestAGroupOfVMLKeepsItsMembersInItsOwnCoordinates(t *testing.T) {
	t.Parallel()
	page, findings := paintedDocument(t, docx{body: vml(`<v:group style="position:absolute;margin-left:28pt;margin-top:28pt;width:200pt;height:100pt" coordsize="2540000,1270000"><v:rect style="left:0;top:0;width:1270000;height:1270000" fillcolor="blue"/></v:group>`)})
	if len(findings) != 0 {
		t.Errorf("got findings %v, want none", findings)
	}
	if at := page.at(150, 150); at != (office.RGB{B: 255}) {
		t.Errorf("the left half of the group is %v, want blue", at)
	}
	if !page.white(250, 150) || !page.white(400, 400) {
		t.Error("the member is larger than its half of the group")
	}
}
