package flow

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// preset is the look of a shape of a form, filled or not, with a line or not.
func preset(form string, look string) string {
	return `<a:prstGeom prst="` + form + `"/>` + look
}

const redOutline = `<a:ln w="12700"><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill></a:ln>`

// at100 is a shape of 40 × 20 points at 100,100.
func at100(look, rest string) drawnShape {
	return drawnShape{x: 100, y: 100, w: 40, h: 20, fromX: "page", fromY: "page", look: look, rest: rest}
}

func drawnAt100(t *testing.T, look, rest string) sheet {
	t.Helper()
	return sheetOf(t, paragraphOf("", at100(look, rest).run()))
}

func TestShapesAreDrawnInTheirForm(t *testing.T) {
	t.Parallel()
	extent := mark{left: 100, top: 100, right: 140, bottom: 120}
	of := func(kind string, color dml.RGB, width float64) mark {
		m := extent
		m.kind, m.color, m.width = kind, color, width
		return m
	}
	for name, c := range map[string]struct {
		look string
		want []mark
	}{
		"a rectangle":                    {preset("rect", rendertest.Blue), []mark{of("area", blue, 0)}},
		"its outline":                    {preset("rect", redOutline), []mark{of("frame", red, 1)}},
		"both":                           {preset("rect", rendertest.Blue+redOutline), []mark{of("area", blue, 0), of("frame", red, 1)}},
		"neither":                        {preset("rect", `<a:noFill/><a:ln><a:noFill/></a:ln>`), nil},
		"round corners":                  {preset("roundRect", rendertest.Blue+redOutline), []mark{of("shape", blue, 0), of("outline", red, 1)}},
		"an ellipse":                     {preset("ellipse", rendertest.Blue), []mark{of("shape", blue, 0)}},
		"a diamond's outline":            {preset("diamond", redOutline), []mark{of("outline", red, 1)}},
		"a line":                         {preset("line", redOutline), []mark{redLine(100, 100, 140, 120, 1)}},
		"a connector":                    {preset("straightConnector1", redOutline), []mark{redLine(100, 100, 140, 120, 1)}},
		"a line without a stroke":        {preset("line", rendertest.Blue), nil},
		"a form of its own":              {`<a:custGeom><a:pathLst><a:path w="10" h="10"><a:moveTo><a:pt x="0" y="0"/></a:moveTo><a:lnTo><a:pt x="10" y="0"/></a:lnTo><a:lnTo><a:pt x="10" y="10"/></a:lnTo><a:close/></a:path></a:pathLst></a:custGeom>` + rendertest.Blue, []mark{of("shape", blue, 0)}},
		"a form that is not known":       {preset("gear7", rendertest.Blue), nil},
		"with the outline of its box":    {preset("gear7", redOutline), []mark{of("frame", red, 1)}},
		"a dashed outline":               {preset("rect", `<a:ln w="12700"><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill><a:prstDash val="dash"/></a:ln>`), []mark{of("frame", red, 1).dashed("4.00 3.00")}},
		"a dotted outline":               {preset("rect", `<a:ln w="12700"><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill><a:prstDash val="dot"/></a:ln>`), []mark{of("frame", red, 1).dashed("1.00 3.00")}},
		"an open form without a filling": {preset("leftBracket", redOutline), []mark{of("outline", red, 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantMarks(t, drawnAt100(t, c.look, "").all("area", "frame", "shape", "outline", "line"), c.want...)
		})
	}
}

func flippedLine(attributes string) string {
	return `<wps:wsp><wps:spPr><a:xfrm ` + attributes + `><a:off x="0" y="0"/><a:ext cx="508000" cy="254000"/></a:xfrm><a:prstGeom prst="line"/>` + redOutline + `</wps:spPr></wps:wsp>`
}

func TestALineRunsAlongEitherDiagonal(t *testing.T) {
	t.Parallel()
	for attributes, want := range map[string]mark{
		"":                      redLine(50, 50, 90, 70, 1),
		`flipH="1"`:             redLine(90, 50, 50, 70, 1),
		`flipV="1"`:             redLine(50, 70, 90, 50, 1),
		`flipH="1" flipV="1"`:   redLine(90, 70, 50, 50, 1),
		`flipH="0" flipV="off"`: redLine(50, 50, 90, 70, 1),
	} {
		body := strings.Replace(paragraphOf("", drawnShape{w: 40, h: 20}.run()), drawnShape{w: 40, h: 20}.graphic(), flippedLine(attributes), 1)
		wantMarks(t, sheetOf(t, body).all("line"), want)
	}
}

func TestATransparentFillIsSeeThrough(t *testing.T) {
	t.Parallel()
	s := drawnAt100(t, preset("rect", `<a:solidFill><a:srgbClr val="0000FF"><a:alpha val="50000"/></a:srgbClr></a:solidFill>`), "")
	if got := s.all("area"); len(got) != 1 || !got[0].seeThrough {
		t.Errorf("got %s, want one that is see-through", formatMarks(got))
	}
	s = drawnAt100(t, preset("rect", rendertest.Blue), "")
	if got := s.all("area"); len(got) != 1 || got[0].seeThrough {
		t.Errorf("got %s, want one that is not", formatMarks(got))
	}
}

func TestAnUnknownFormWithTextIsASeeThroughBox(t *testing.T) {
	t.Parallel()
	s := drawnAt100(t, preset("gear7", rendertest.Blue), rendertest.Written)
	if got := s.all("area"); len(got) != 1 || !got[0].seeThrough {
		t.Errorf("got %s, want one that is see-through", formatMarks(got))
	}
	empty := drawnAt100(t, preset("gear7", rendertest.Blue), textBox(`/>`, `<w:p/>`))
	if got := empty.all("shape", "area"); len(got) != 0 {
		t.Errorf("without text got %s, want nothing", formatMarks(got))
	}
}

// textBox is what stands behind the look of a shape: a text, and how it stands.
func textBox(properties, content string) string {
	return `<wps:txbx><w:txbxContent>` + content + `</w:txbxContent></wps:txbx><wps:bodyPr lIns="0" tIns="0" rIns="0" bIns="0" ` + properties
}

// The box is 100 points wide and 60 high, and stands at 100,100.
func TestTextStandsInItsBox(t *testing.T) {
	t.Parallel()
	plain := `<wps:bodyPr/>`
	content := `<wps:txbx><w:txbxContent>` + lines("x") + `</w:txbxContent></wps:txbx>`
	for name, c := range map[string]struct {
		rest string
		want []string
	}{
		"with the usual insets":             {content + plain, []string{"1: 107,120 x"}},
		"without properties":                {content, []string{"1: 107,120 x"}},
		"without insets":                    {textBox(`/>`, lines("x")), []string{"1: 100,116 x"}},
		"with its own":                      {content + `<wps:bodyPr lIns="127000" tIns="254000"/>`, []string{"1: 110,136 x"}},
		"in the middle":                     {textBox(`anchor="ctr"/>`, lines("x")), []string{"1: 100,136 x"}},
		"at the bottom":                     {textBox(`anchor="b"/>`, lines("x")), []string{"1: 100,156 x"}},
		"without what there is no room for": {textBox(`anchor="b"/>`, lines("1 2 3 4")), []string{"1: 100,116 1", "1: 100,136 2", "1: 100,156 3"}},
		"between insets, in the middle":     {content + `<wps:bodyPr lIns="0" tIns="254000" bIns="0" anchor="ctr"/>`, []string{"1: 100,146 x"}},
		"between insets, at the bottom":     {content + `<wps:bodyPr lIns="0" tIns="0" bIns="127000" anchor="b"/>`, []string{"1: 100,146 x"}},
		"as wide as they leave":             {`<wps:txbx><w:txbxContent>` + rendertest.Paragraph("", "aaaa bbbb cccc") + `</w:txbxContent></wps:txbx><wps:bodyPr lIns="127000" tIns="0" rIns="127000" bIns="0"/>`, []string{"1: 110,116 aaaa bbbb", "1: 110,136 cccc"}},
		"at the right side of what's left":  {`<wps:txbx><w:txbxContent>` + linesOf(`<w:jc w:val="right"/>`, "x") + `</w:txbxContent></wps:txbx><wps:bodyPr lIns="0" tIns="0" rIns="127000" bIns="0"/>`, []string{"1: 184,116 x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := at100(preset("rect", rendertest.Blue), c.rest)
			at.w, at.h = 100, 60
			wantPlaces(t, rendertest.Docx{Body: paragraphOf("", at.run())}, c.want...)
		})
	}
}

// The last line of the text is cut by the lower edge of the box, as Word cuts it; a
// finding says so.
func TestATextThatIsLongerThanItsBoxIsCutOffAndTold(t *testing.T) {
	t.Parallel()
	at := at100(preset("rect", `<a:noFill/>`), textBox(`/>`, lines("1 2 X 4")))
	at.w, at.h = 100, 45
	page, findings := paintedDocument(t, onSquaredPaper(rendertest.Docx{Body: paragraphOf("", at.run())}))
	rendertest.WantLoss(t, findings, dml.LossOverflow)
	for x := 100.0; x < 120; x++ {
		for y := 146.0; y < 190; y++ {
			if !page.White(x, y) {
				t.Fatalf("there is ink at %v,%v, below the box", x, y)
			}
		}
	}
}

// Drawings are painted by their relativeHeight, wherever they stand in the text.
func TestDrawingsHideEachOtherInTheirOrder(t *testing.T) {
	t.Parallel()
	shape := func(color, order string) string {
		at := at100(preset("rect", `<a:solidFill><a:srgbClr val="`+color+`"/></a:solidFill>`), "")
		at.attributes = order
		return at.run()
	}
	for name, c := range map[string]struct {
		runs string
		want dml.RGB
	}{
		"the greater one first":  {shape("0000FF", `relativeHeight="9"`) + shape("FF0000", `relativeHeight="5"`), blue},
		"the greater one last":   {shape("FF0000", `relativeHeight="5"`) + shape("0000FF", `relativeHeight="9"`), blue},
		"equal ones as they are": {shape("FF0000", `relativeHeight="5"`) + shape("0000FF", `relativeHeight="5"`), blue},
		"one behind the text":    {shape("FF0000", `behindDoc="1" relativeHeight="9"`) + shape("0000FF", `relativeHeight="5"`), blue},
	} {
		page, _ := paintedDocument(t, onSquaredPaper(rendertest.Docx{Body: paragraphOf("", c.runs)}))
		if got := page.Color(120, 110); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// A box of 100 × 60 points at 100,100, whose text runs down or up: its first line
// stands at the right or the left, and begins at the head or the foot.
func TestTurnedTextRunsAlongTheSidesOfItsBox(t *testing.T) {
	t.Parallel()
	for vert, inked := range map[string]dml.Rect{
		"vert":    {X: 180, Y: 100, W: 20, H: 30},
		"vert270": {X: 100, Y: 130, W: 20, H: 30},
	} {
		at := at100(preset("rect", `<a:noFill/>`), textBox(`vert="`+vert+`"/>`, lines("XXX")))
		at.w, at.h = 100, 60
		page, findings := paintedDocument(t, onSquaredPaper(rendertest.Docx{Body: paragraphOf("", at.run())}))
		if len(findings) > 0 {
			t.Errorf("%s: got the findings %v, want none", vert, findings)
		}
		inside := 0
		for x := 90.0; x < 210; x++ {
			for y := 90.0; y < 170; y++ {
				if page.White(x, y) {
					continue
				}
				if x < inked.X-1 || x > inked.X+inked.W+1 || y < inked.Y-1 || y > inked.Y+inked.H+1 {
					t.Fatalf("%s: there is ink at %v,%v, want it in %v", vert, x, y, inked)
				}
				inside++
			}
		}
		if inside < 20 {
			t.Errorf("%s: got %d points of ink in %v, want letters", vert, inside, inked)
		}
	}
}

// PowerPoint and Word write "resize shape to fit text" as spAutoFit (ECMA-376 part 1, 21.1.2.1.4).
func TestAShapeIsAsHighAsItsText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		properties, content string
		bottom              float64
	}{
		"to its height":              {`><a:spAutoFit/></wps:bodyPr>`, lines("1 2 3"), 160},
		"and no higher":              {`><a:spAutoFit/></wps:bodyPr>`, linesOf(`<w:spacing w:line="200" w:lineRule="exact"/>`, "1"), 110},
		"or stays if it is not told": {`/>`, lines("1 2 3"), 120},
	} {
		got := drawnAt100(t, preset("rect", rendertest.Blue), textBox(c.properties, c.content)).all("area")
		want := filledArea(100, 100, 140, c.bottom, blue)
		if len(got) != 1 || !got[0].isNear(want) {
			t.Errorf("%s: got %s, want %v", name, formatMarks(got), want)
		}
	}
}

func TestGrowingCountsTheInsets(t *testing.T) {
	t.Parallel()
	rest := `<wps:txbx><w:txbxContent>` + lines("1 2") + `</w:txbxContent></wps:txbx><wps:bodyPr tIns="127000" bIns="63500"><a:spAutoFit/></wps:bodyPr>`
	wantMarks(t, drawnAt100(t, preset("rect", rendertest.Blue), rest).all("area"), filledArea(100, 100, 140, 155, blue))
}

func TestAutomaticTextIsWhiteOnADarkShape(t *testing.T) {
	t.Parallel()
	for look, want := range map[string]dml.RGB{
		rendertest.Blue: white,
		`<a:solidFill><a:srgbClr val="FFFF00"/></a:solidFill>`:                                  black,
		`<a:solidFill><a:srgbClr val="0000FF"><a:alpha val="50000"/></a:srgbClr></a:solidFill>`: black,
		`<a:noFill/>`: black,
	} {
		s := drawnAt100(t, preset("rect", look), textBox(`/>`, lines("x")))
		if got := s.text(t, "x").color; got != want {
			t.Errorf("on %s: got %v, want %v", look, got, want)
		}
	}
}

// A shape of 40 × 20 points that is turned by a quarter is 20 × 40, its middle
// stays at 120,110.
func TestAShapeIsTurnedAroundItsMiddle(t *testing.T) {
	t.Parallel()
	turned := func(angle string) sheet {
		at := at100(preset("rect", rendertest.Blue), textBox(`/>`, lines("x")))
		return sheetOf(t, strings.Replace(paragraphOf("", at.run()), `<a:xfrm>`, `<a:xfrm rot="`+angle+`">`, 1))
	}
	quarter := turned("5400000")
	wantMarks(t, quarter.all("area"), filledArea(110, 90, 130, 130, blue))
	// The text, 16 below and 20 left of the upper middle, turns along.
	x := quarter.text(t, "x")
	rendertest.Near(t, "the text", x.left, 120-6, 0.02)
	rendertest.Near(t, "the text", x.top, 110-20, 0.02)
	wantMarks(t, turned("10800000").all("area"), filledArea(100, 100, 140, 120, blue))
	rendertest.Near(t, "text that stands on its head", turned("10800000").text(t, "x").left, 140, 0.02)
	for _, none := range []string{"0", "21600000"} {
		rendertest.Near(t, "text that is not turned", turned(none).text(t, "x").left, 100, 0.02)
	}
}

func TestWhatFollowsATurnedShapeIsNotTurned(t *testing.T) {
	t.Parallel()
	at := at100(preset("rect", rendertest.Blue), "")
	body := strings.Replace(paragraphOf("", at.run()+drawnShape{w: 10, h: 10}.run()), `<a:xfrm>`, `<a:xfrm rot="2700000">`, 1)
	wantMarks(t, sheetOf(t, body).all("area")[1:], filledArea(50, 50, 60, 60, blue))
}

func TestAShapeInTheLineStandsOnTheBaseline(t *testing.T) {
	t.Parallel()
	auto := `<w:spacing w:line="240" w:lineRule="auto"/>`
	picture := drawnShape{w: 30, h: 40}.inline()
	s := sheetOf(t, paragraphOf(auto, run("", "ab")+picture+run("", "cd"))+lines("below"))
	wantMarks(t, s.all("area"), filledArea(62, 50, 92, 90, blue))
	rendertest.Near(t, "the text's baseline", s.text(t, "ab").top, 90, 0.02)
	rendertest.Near(t, "the text behind it", s.text(t, "cd").left, 92, 0.02)
	rendertest.Near(t, "the line below", s.text(t, "below").top, 93+16, 0.02)
}

func TestALineOfAShapeAloneIsAsHighAsIt(t *testing.T) {
	t.Parallel()
	auto := `<w:spacing w:line="240" w:lineRule="auto"/>`
	s := sheetOf(t, paragraphOf(auto, drawnShape{w: 30, h: 40}.inline())+lines("below"))
	rendertest.Near(t, "the line below", s.text(t, "below").top, 90+16, 0.02)
	low := sheetOf(t, paragraphOf(auto, run("", "a")+drawnShape{w: 30, h: 4}.inline())+lines("below"))
	rendertest.Near(t, "below text with a low shape", low.text(t, "below").top, 61.35+16, 0.02)
}

// turned is a run with a shape that is turned by degrees, with the extents of its effects.
func turnedRun(run string, degrees float64, effects string) string {
	run = strings.Replace(run, `<a:xfrm>`, fmt.Sprintf(`<a:xfrm rot="%.0f">`, degrees*60000), 1)
	return strings.Replace(run, `<a:graphic>`, effects+`<a:graphic>`, 1)
}

func effects(left, top, right, bottom float64) string {
	return `<wp:effectExtent l="` + emu(left) + `" t="` + emu(top) + `" r="` + emu(right) + `" b="` + emu(bottom) + `"/>`
}

// A turned drawing has the room of its turned outline; effects add to it (ECMA-376 part 1,
// 20.4.2.6). Since Word 2010 their extents are those of the box on its side, where that is
// nearer to the outline, as in files of Word. The shape is 30 points wide and 40 high.
func TestATurnedShapeInTheLineTakesTheRoomOfItsOutline(t *testing.T) {
	t.Parallel()
	auto := `<w:spacing w:line="240" w:lineRule="auto"/>`
	for name, c := range map[string]struct {
		settings        string
		degrees         float64
		effects         string
		area            mark
		baseline, right float64
	}{
		"not turned":                   {word2013, 0, "", filledArea(62, 50, 92, 90, blue), 90, 92},
		"with effects":                 {word2013, 0, effects(5, 10, 15, 20), filledArea(67, 60, 97, 100, blue), 120, 112},
		"a quarter":                    {word2013, 90, "", filledArea(62, 50, 102, 80, blue), 80, 102},
		"three quarters":               {word2013, 270, "", filledArea(62, 50, 102, 80, blue), 80, 102},
		"a quarter back":               {word2013, -90, "", filledArea(62, 50, 102, 80, blue), 80, 102},
		"a quarter, with effects":      {word2013, 90, effects(5, 10, 15, 20), filledArea(67, 60, 107, 90, blue), 110, 122},
		"upside down":                  {word2013, 180, "", filledArea(62, 50, 92, 90, blue), 90, 92},
		"a quarter as in Word 2007":    {"", 90, effects(5, 0, 5, 0), filledArea(62, 55, 102, 85, blue), 90, 102},
		"effects that are no lengths":  {word2013, 0, `<wp:effectExtent l="-12700" t="x" r="" b="0"/>`, filledArea(62, 50, 92, 90, blue), 90, 92},
		"effects larger than any page": {word2013, 0, effects(0, 0, 99999, 0), filledArea(62, 50, 92, 90, blue), 90, 50},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := pages(t, rendertest.Docx{Settings: c.settings, Body: paragraphOf(auto, run("", "ab")+turnedRun(drawnShape{w: 30, h: 40}.inline(), c.degrees, c.effects)+run("", "cd"))})[0]
			if c.right == 50 { // behind what no line has room for
				return
			}
			wantMarks(t, s.all("area"), c.area)
			rendertest.Near(t, "the text's baseline", s.text(t, "ab").top, c.baseline, 0.02)
			rendertest.Near(t, "the text behind it", s.text(t, "cd").left, c.right, 0.02)
		})
	}
	// √½ of 30 and 40 together.
	half := pages(t, rendertest.Docx{Settings: word2013, Body: paragraphOf(auto, run("", "ab")+turnedRun(drawnShape{w: 30, h: 40}.inline(), 45, "")+run("", "cd"))})[0]
	rendertest.Near(t, "behind an eighth", half.text(t, "cd").left, 62+49.5, 0.02)
	rendertest.Near(t, "the baseline of an eighth", half.text(t, "ab").top, 50+49.5, 0.02)
}

// Spacing of one and a half opens half a line of text, not of the shape.
func TestProportionalSpacingDoesNotCountShapes(t *testing.T) {
	t.Parallel()
	half := `<w:spacing w:line="360" w:lineRule="auto"/>`
	s := sheetOf(t, paragraphOf(half, drawnShape{w: 30, h: 40}.inline())+lines("below"))
	rendertest.Near(t, "the line below", s.text(t, "below").top, 50+40+5.7+16, 0.02)
}

func TestShapesInTheLineBreakLikeWords(t *testing.T) {
	t.Parallel()
	low := drawnShape{w: 90, h: 10}.inline()
	s := sheetOf(t, paragraphOf("", low+low+low))
	wantMarks(t, s.all("area"), filledArea(50, 56, 140, 66, blue), filledArea(140, 56, 230, 66, blue), filledArea(50, 76, 140, 86, blue))
	x := strings.Repeat("x", 20)
	broken := sheetOf(t, paragraphOf("", run("", x)+low))
	wantMarks(t, broken.all("area"), filledArea(50, 76, 140, 86, blue))
}

func TestMembersOfAGroupStandInItsCoordinates(t *testing.T) {
	t.Parallel()
	member := func(tag, x, y, w, h, rest string) string {
		return `<wps:wsp><wps:spPr><a:xfrm><a:off x="` + x + `" y="` + y + `"/><a:ext cx="` + w + `" cy="` + h + `"/></a:xfrm>` + preset("rect", rendertest.Blue) + `</wps:spPr>` + rest + `</wps:wsp>`
	}
	// The group is 100 × 50 points, which its members count as 1000 × 1000.
	at := drawnShape{x: 20, y: 10, w: 100, h: 50}
	group := `<wpg:wgp><wpg:grpSpPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="1270000" cy="635000"/><a:chOff x="1270000" y="0"/><a:chExt cx="12700000" cy="12700000"/></a:xfrm></wpg:grpSpPr>` +
		member("", "1270000", "0", "6350000", "6350000", "") + member("", "7620000", "6350000", "6350000", "6350000", textBox(`/>`, lines("x"))) + `</wpg:wgp>`
	s := sheetOf(t, strings.Replace(paragraphOf("", at.run()), at.graphic(), group, 1))
	wantMarks(t, s.all("area"), filledArea(70, 60, 120, 85, blue), filledArea(120, 85, 170, 110, blue))
	rendertest.Near(t, "text in a member", s.text(t, "x").left, 120, 0.02)
	rendertest.Near(t, "its baseline", s.text(t, "x").top, 85+16, 0.02)
}

func TestAShapeMayBeALink(t *testing.T) {
	t.Parallel()
	model := modelOf(t, onSquaredPaper(rendertest.Docx{Body: paragraphOf("", drawnShape{x: 10, y: 10, w: 40, h: 20}.run())}))
	drawingOf(t, model).Link = &wml.Link{URL: "https://a.example"}
	pdf, _ := layOutModel(t, model)
	wantLinks(t, pdf, "60 220 100 240")
}

func TestAPictureThatIsMissingOrBrokenIsTold(t *testing.T) {
	t.Parallel()
	picture := `<pic:pic><pic:blipFill><a:blip r:embed="picture"/></pic:blipFill><pic:spPr/></pic:pic>`
	at := drawnShape{w: 40, h: 20}
	body := strings.Replace(paragraphOf("", at.run()), at.graphic(), picture, 1)
	for kind, want := range map[string]string{
		"emf": "a picture is in a format that cannot be drawn (emf)",
		"":    "a picture is in a format that cannot be drawn (unknown)",
	} {
		model := modelOf(t, onSquaredPaper(rendertest.Docx{Body: strings.Replace(body, "picture", "styles", 1)}))
		drawing := drawingOf(t, model)
		name := "/word/media/image"
		if kind != "" {
			name += "." + kind
		}
		model.Package.SetPart(name, "image/x-emf", []byte("no picture"))
		drawing.Image.Part = name
		_, findings := layOutModel(t, model)
		if len(findings) != 1 || findings[0].Code != "picture_not_drawn" || findings[0].Message != want {
			t.Errorf("%q: got %v, want %q", kind, findings, want)
		}
	}
	model := modelOf(t, onSquaredPaper(rendertest.Docx{Body: strings.Replace(body, "picture", "styles", 1)}))
	drawingOf(t, model).Image.Part = "/word/media/gone.png"
	_, findings := layOutModel(t, model)
	if len(findings) != 1 || findings[0].Code != "picture_not_drawn" || findings[0].Message != "a picture is missing from the file" {
		t.Errorf("got %v, want one that tells of the missing picture", findings)
	}
}

func TestAPictureFillsItsPlace(t *testing.T) {
	t.Parallel()
	at := drawnShape{x: 10, y: 20, w: 40, h: 20}
	crop := `<a:srcRect l="25000" t="50000"/>`
	for name, c := range map[string]struct {
		crop string
		want mark
	}{
		"whole": {"", mark{kind: "picture", left: 60, top: 70, right: 100, bottom: 90}},
		// What is shown are three quarters of its width and half its height.
		"cropped": {crop, mark{kind: "picture", left: 100 - 40/0.75, top: 90 - 40, right: 100, bottom: 90}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := modelOf(t, onSquaredPaper(rendertest.Docx{Body: strings.Replace(paragraphOf("", at.run()), at.graphic(), `<pic:pic><pic:blipFill><a:blip r:embed="styles"/>`+c.crop+`</pic:blipFill><pic:spPr/></pic:pic>`, 1)}))
			model.Package.SetPart("/word/media/dot.png", "image/png", rendertest.SamplePNG(t, 255))
			drawingOf(t, model).Image.Part = "/word/media/dot.png"
			pdf, findings := layOutModel(t, model)
			if len(findings) != 0 {
				t.Errorf("got %v, want no findings", findings)
			}
			wantMarks(t, sheets(t, pdf)[0].all("picture"), c.want)
		})
	}
}

// The picture is a red square of 100 pixels, in DrawingML, in VML and packed.
func TestAMetafileIsDrawnAsAnArea(t *testing.T) {
	t.Parallel()
	square := new(rendertest.EMF).Add(39, 1, 0, 0x0000FF, 0).Add(37, 1).Add(37, uint32(0x80000008)).Add(43, 0, 0, 100, 100).Bytes(100, 100)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(square) // a bytes.Buffer takes everything
	_ = z.Close()
	at := drawnShape{x: 10, y: 20, w: 40, h: 20}
	blip := strings.Replace(paragraphOf("", at.run()), at.graphic(), `<pic:pic><pic:blipFill><a:blip r:embed="styles"/></pic:blipFill><pic:spPr/></pic:pic>`, 1)
	vml := `<w:p><w:r><w:pict><v:shape type="#_x0000_t75" style="position:absolute;margin-left:10pt;margin-top:20pt;width:40pt;height:20pt"><v:imagedata r:id="styles"/></v:shape></w:pict></w:r></w:p>`
	object := strings.ReplaceAll(vml, "w:pict", "w:object")
	for name, c := range map[string]struct {
		body string
		data []byte
	}{"DrawingML": {blip, square}, "packed": {blip, packed.Bytes()}, "VML": {vml, square}, "an embedded object": {object, square}} {
		model := modelOf(t, onSquaredPaper(rendertest.Docx{Body: c.body}))
		model.Package.SetPart("/word/media/image.emf", "image/x-emf", c.data)
		drawingOf(t, model).Image.Part = "/word/media/image.emf"
		pdf, findings := layOutModel(t, model)
		if len(findings) != 0 {
			t.Errorf("%s: got %v, want no findings", name, findings)
		}
		want := filledArea(60, 70, 100, 90, red)
		want.kind = "shape"
		wantMarks(t, sheets(t, pdf)[0].all("shape"), want)
	}
}

func TestChartsAndDiagramsThatCannotBeDrawnAreTold(t *testing.T) {
	t.Parallel()
	at := drawnShape{w: 40, h: 20}
	for graphic, want := range map[string]string{
		`<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="none"/>`:     "a chart is not drawn",
		`<dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="x"/>`: "a SmartArt graphic is not drawn",
	} {
		_, findings := laidOut(t, onSquaredPaper(rendertest.Docx{Body: strings.Replace(paragraphOf("", at.run()), at.graphic(), graphic, 1)}))
		if len(findings) != 1 || findings[0].Message != want {
			t.Errorf("got %v, want %q", findings, want)
		}
	}
}

// WordArt fills its shape: capitals, 0.72 of their size high, take its height, and
// are stretched to its width, five times at most. Courier's letters are 0.6 wide.
func TestWordArtFillsItsShape(t *testing.T) {
	t.Parallel()
	art := func(text string) string {
		return `<w:p><w:pPr><w:spacing w:line="240" w:lineRule="auto"/></w:pPr><w:r><w:pict><v:shape style="width:150pt;height:36pt" fillcolor="#FF0000"><v:textpath style="font-family:&quot;Courier New&quot;" string="` + text + `"/></v:shape></w:pict></w:r></w:p>`
	}
	type piece struct{ left, top, size, stretch float64 }
	for name, c := range map[string]struct {
		text string
		want []piece
	}{
		"as wide as it is":     {"AAAAA", []piece{{50, 86, 50, 100}}},
		"narrower":             {"AAAAAAAAAA", []piece{{50, 86, 50, 50}}},
		"wider":                {"AA", []piece{{50, 86, 50, 250}}},
		"no more than 5 times": {"A&#10;A", []piece{{87.5, 68, 25, 500}, {87.5, 86, 25, 500}}},
		"two lines":            {"AA&#10;AAAA", []piece{{50, 68, 25, 500}, {50, 86, 25, 250}}},
		"spaces around it":     {" AAAAA ", []piece{{50, 86, 50, 100}}},
		"nothing":              {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := sheetOf(t, art(c.text)).all("text")
			if len(got) != len(c.want) {
				t.Fatalf("got %s, want %v", formatMarks(got), c.want)
			}
			for i, want := range c.want {
				rendertest.Near(t, "the left edge", got[i].left, want.left, 0.05)
				rendertest.Near(t, "the baseline", got[i].top, want.top, 0.02)
				rendertest.Near(t, "the size", got[i].size, want.size, 0.01)
				rendertest.Near(t, "the width of letters", got[i].stretch, want.stretch, 0.1)
				if got[i].color != red {
					t.Errorf("got %v, want red", got[i].color)
				}
			}
		})
	}
}

// A rule stands at the top of its paragraph, which is as high as any other. The
// column is 200 points wide.
func TestRulesAndLinesOfVMLAreDrawn(t *testing.T) {
	t.Parallel()
	rule := func(attributes string) string {
		return `<w:p><w:r><w:pict><v:rect xmlns:o="urn:schemas-microsoft-com:office:office" o:hr="t" fillcolor="red" stroked="f" ` + attributes + `/></w:pict></w:r></w:p>`
	}
	s := sheetOf(t, lines("a")+rule(`style="width:0;height:2pt"`)+rule(`style="width:0;height:4pt" o:hrpct="500" o:hralign="right"`)+lines("b"))
	wantMarks(t, s.all("area"), filledArea(50, 70, 250, 72, red), filledArea(150, 90, 250, 94, red))
	rendertest.Near(t, "the text below", s.text(t, "b").top, 126, 0.02)
	s = sheetOf(t, paragraphOf("", `<w:r><w:pict><v:line style="position:absolute" from="10pt,5pt" to="110pt,5pt" strokecolor="red" strokeweight="1pt"/></w:pict></w:r>`+run("", "a")))
	wantMarks(t, s.all("line", "outline"), redLine(60, 55, 160, 55, 1))
}
