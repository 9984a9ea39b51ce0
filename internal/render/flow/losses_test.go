package flow

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// anchored puts a graphic over the text, 200 by 100 points at 100, 100.
func anchored(graphic string) string {
	return `<w:p><w:r><w:drawing><wp:anchor distT="0" behindDoc="0"><wp:positionH relativeFrom="page"><wp:posOffset>1270000</wp:posOffset></wp:positionH><wp:positionV relativeFrom="page"><wp:posOffset>1270000</wp:posOffset></wp:positionV><wp:extent cx="2540000" cy="1270000"/><wp:wrapNone/><a:graphic><a:graphicData>` + graphic + `</a:graphicData></a:graphic></wp:anchor></w:drawing></w:r></w:p>`
}

func wordShape(geometry, look, rest string) string {
	return `<wps:wsp><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="2540000" cy="1270000"/></a:xfrm>` + geometry + look + `</wps:spPr>` + rest + `</wps:wsp>`
}

// vml is 200 by 100 points at 100, 100, too.
func vml(element string) string { return `<w:p><w:r><w:pict>` + element + `</w:pict></w:r></w:p>` }

const vmlPlace = ` style="position:absolute;margin-left:28pt;margin-top:28pt;width:200pt;height:100pt" fillcolor="blue"`

var inWord = map[string]struct {
	body string
	loss dml.Loss
	// hides says that the middle of the shape may hide what is behind it.
	hides bool
}{
	"an unknown form":              {anchored(wordShape(rendertest.Gear, rendertest.Blue, "")), dml.LossForm, false},
	"an unknown form with text":    {anchored(wordShape(rendertest.Gear, rendertest.Blue, rendertest.Written)), dml.LossForm, false},
	"a gradient (silent)":          {anchored(wordShape(rendertest.Rectangle, rendertest.Gradient, "")), "", true},
	"a gradient that fades":        {anchored(wordShape(rendertest.Rectangle, rendertest.Fading, "")), dml.LossGradient, false},
	"a pattern":                    {anchored(wordShape(rendertest.Rectangle, `<a:pattFill prst="pct50"><a:fgClr><a:srgbClr val="0000FF"/></a:fgClr><a:bgClr><a:srgbClr val="FFFFFF"/></a:bgClr></a:pattFill>`, "")), dml.LossPattern, true},
	"a picture as fill":            {anchored(wordShape(rendertest.Rectangle, `<a:blipFill><a:blip r:embed="x"/></a:blipFill>`, `<wps:style><a:fillRef idx="1"><a:srgbClr val="0000FF"/></a:fillRef></wps:style>`)), dml.LossPictureFill, false},
	"the fill of a group":          {anchored(wordShape(rendertest.Rectangle, `<a:grpFill/>`, "")), dml.LossGroupFill, false},
	"arrowheads (silent)":          {anchored(wordShape(`<a:prstGeom prst="line"/>`, `<a:ln w="12700">`+rendertest.Blue+`<a:tailEnd type="triangle"/></a:ln>`, "")), "", true},
	"a shadow":                     {anchored(wordShape(rendertest.Rectangle, `<a:noFill/><a:effectLst><a:outerShdw/></a:effectLst>`, "")), dml.LossEffects, false},
	"a warped text":                {anchored(wordShape(rendertest.Rectangle, `<a:noFill/>`, rendertest.Written+`<wps:bodyPr><a:prstTxWarp prst="textArchUp"/></wps:bodyPr>`)), dml.LossWarp, false},
	"a turned text":                {anchored(wordShape(rendertest.Rectangle, `<a:noFill/>`, rendertest.Written+`<wps:bodyPr vert="wordArtVert"/>`)), dml.LossTurnedText, false},
	"a locked canvas":              {anchored(`<lc:lockedCanvas><a:sp/></lc:lockedCanvas>`), dml.LossCanvas, false},
	"an unknown drawing":           {anchored(`<a:other/>`), dml.LossDrawing, false},
	"a picture elsewhere":          {anchored(`<pic:pic><pic:blipFill><a:blip r:link="x"/></pic:blipFill><pic:spPr/></pic:pic>`), dml.LossLinked, false},
	"a freeform of VML":            {vml(`<v:shape path="m0,0l100,0,100,100xe"` + vmlPlace + `/>`), dml.LossForm, false},
	"an unknown type of VML":       {vml(`<v:shape type="#_x0000_t61"` + vmlPlace + `/>`), dml.LossForm, false},
	"a frame without its picture":  {vml(`<v:shape type="#_x0000_t75"` + vmlPlace + `/>`), dml.LossObject, false},
	"a gradient of VML":            {vml(`<v:rect` + vmlPlace + `><v:fill type="gradient" opacity=".5"/></v:rect>`), dml.LossGradient, false},
	"a rule (silent)":              {vml(`<v:rect o:hr="t" xmlns:o="urn:schemas-microsoft-com:office:office" style="width:0;height:1.5pt"/>`), "", false},
	"a polyline":                   {vml(`<v:polyline points="0,0,10,10"` + vmlPlace + `/>`), dml.LossDrawing, false},
	"a cell with turned text":      {`<w:tbl><w:tblGrid><w:gridCol w:w="3000"/></w:tblGrid><w:tr><w:tc><w:tcPr><w:textDirection w:val="tbLrV"/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>`, dml.LossTurnedText, false},
	"handwriting":                  {`<w:p><w:r><w:contentPart r:id="x"/></w:r></w:p>`, dml.LossInk, false},
	"a see-through shape (silent)": {anchored(wordShape(rendertest.Rectangle, `<a:solidFill><a:srgbClr val="0000FF"><a:alpha val="30000"/></a:srgbClr></a:solidFill>`, "")), "", false},
	"a known form (silent)":        {anchored(wordShape(`<a:prstGeom prst="diamond"/>`, rendertest.Blue, "")), "", true},
	"a plain rectangle (silent)":   {anchored(wordShape(rendertest.Rectangle, rendertest.Blue, "")), "", true},
}

func TestWhatAShapeOfADocumentLacksIsToldAndHidesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range inWord {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, findings := paintedDocument(t, rendertest.Docx{Body: c.body})
			rendertest.WantLoss(t, findings, c.loss)
			// A third from the left, a third from the top: inside every shape.
			if at := page.Color(166, 133); !c.hides && at.B > 200 && at.R < 60 {
				t.Errorf("the shape is an opaque box: its inside is %v", at)
			}
		})
	}
}

func TestTextInUnknownElementsIsToldAsLeftOut(t *testing.T) {
	t.Parallel()
	_, findings := rendered(t, rendertest.Docx{Body: `<w:p><w:q><w:t>a</w:t></w:q></w:p>`})
	if len(findings) != 1 || findings[0].Code != render.FindingTruncated {
		t.Errorf("got %v, want one finding that text is left out", findings)
	}
}

func TestAFindingNamesTheFirstPagesThatHaveIt(t *testing.T) {
	t.Parallel()
	_, findings := rendered(t, rendertest.Docx{Body: strings.Repeat(anchored(`<a:other/>`)+`<w:p><w:r><w:br w:type="page"/></w:r></w:p>`, 7)})
	if len(findings) != 1 || !strings.HasSuffix(findings[0].Message, ": page 1, 2, 3, 4, 5 and others") {
		t.Errorf("got %v, want one finding with the first five pages", findings)
	}
}

func TestAGroupOfVMLKeepsItsMembersInItsOwnCoordinates(t *testing.T) {
	t.Parallel()
	page, findings := paintedDocument(t, rendertest.Docx{Body: vml(`<v:group style="position:absolute;margin-left:28pt;margin-top:28pt;width:200pt;height:100pt" coordsize="2540000,1270000"><v:rect style="left:0;top:0;width:1270000;height:1270000" fillcolor="blue"/></v:group>`)})
	if len(findings) != 0 {
		t.Errorf("got findings %v, want none", findings)
	}
	if at := page.Color(150, 150); at != (dml.RGB{B: 255}) {
		t.Errorf("the left half of the group is %v, want blue", at)
	}
	if !page.White(250, 150) || !page.White(400, 400) {
		t.Error("the member is larger than its half of the group")
	}
}

func TestTextBesideThePaperIsToldWithItsPage(t *testing.T) {
	t.Parallel()
	row := func(cells ...string) string {
		grid, all := "", ""
		for _, cell := range cells {
			grid += `<w:gridCol w:w="3000"/>`
			all += `<w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/></w:tcPr>` + rendertest.Paragraph("", cell) + `</w:tc>`
		}
		return `<w:tbl><w:tblPr><w:tblLayout w:type="fixed"/></w:tblPr><w:tblGrid>` + grid + `</w:tblGrid><w:tr>` + all + `</w:tr></w:tbl><w:p/>`
	}
	for _, c := range []struct {
		body string
		want []render.Finding
	}{
		{row("a"), nil},
		{row("a", "b", ""), nil},
		{rendertest.Paragraph("", "a") + `<w:p><w:r><w:br w:type="page"/></w:r></w:p>` + row("a", "b", "c"), []render.Finding{{Code: render.FindingTruncated, Message: "text stands outside the page: page 2"}}},
	} {
		_, got := rendered(t, onSquaredPaper(rendertest.Docx{Body: c.body}))
		if !slices.Equal(got, c.want) {
			t.Errorf("got %v, want %v", got, c.want)
		}
	}
}
