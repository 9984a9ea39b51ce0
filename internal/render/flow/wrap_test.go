package flow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// A drawnShape is a blue rectangle that is anchored in a paragraph. Lengths are
// points.
type drawnShape struct {
	x, y, w, h float64
	fromX      string // "column" if empty
	fromY      string // "paragraph" if empty
	alignX     string
	alignY     string
	wrap       string // "wrapNone" if empty
	distance   float64
	attributes string
	look       string // blue if empty
	rest       string // what follows the look: a text box, a style
}

func emu(points float64) string { return fmt.Sprintf("%.0f", points*12700) }

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// run is the run that holds the shape.
func (s drawnShape) run() string {
	position := func(tag, from, align string, offset float64) string {
		at := `<wp:posOffset>` + emu(offset) + `</wp:posOffset>`
		if align != "" {
			at = `<wp:align>` + align + `</wp:align>`
		}
		return `<wp:` + tag + ` relativeFrom="` + from + `">` + at + `</wp:` + tag + `>`
	}
	d := emu(s.distance)
	return `<w:r><w:drawing><wp:anchor distT="` + d + `" distB="` + d + `" distL="` + d + `" distR="` + d + `" ` + s.attributes + `>` +
		position("positionH", orElse(s.fromX, "column"), s.alignX, s.x) + position("positionV", orElse(s.fromY, "paragraph"), s.alignY, s.y) +
		`<wp:extent cx="` + emu(s.w) + `" cy="` + emu(s.h) + `"/>` + orElse(s.wrap, `<wp:wrapNone/>`) +
		`<a:graphic><a:graphicData>` + s.graphic() + `</a:graphicData></a:graphic></wp:anchor></w:drawing></w:r>`
}

// inline is the run with the shape in the line, like a letter.
func (s drawnShape) inline() string {
	return `<w:r><w:drawing><wp:inline><wp:extent cx="` + emu(s.w) + `" cy="` + emu(s.h) + `"/><a:graphic><a:graphicData>` + s.graphic() + `</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`
}

func (s drawnShape) graphic() string {
	return `<wps:wsp><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="` + emu(s.w) + `" cy="` + emu(s.h) + `"/></a:xfrm>` + orElse(s.look, rendertest.Rectangle+rendertest.Blue) + `</wps:spPr>` + s.rest + `</wps:wsp>`
}

// The anchor's paragraph is the second line, whose top is at 70; the shape is 40
// points wide and 20 high. Squared paper has margins of 50 all around.
func TestAnAnchoredShapeStandsWhereItsPositionSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shape     drawnShape
		left, top float64
	}{
		"from column and paragraph":    {drawnShape{x: 10, y: 5}, 60, 75},
		"above and left of them":       {drawnShape{x: -10, y: -5}, 40, 65},
		"from the page":                {drawnShape{x: 10, y: 5, fromX: "page", fromY: "page"}, 10, 5},
		"from the margins":             {drawnShape{x: 10, y: 5, fromX: "margin", fromY: "margin"}, 60, 55},
		"from the outer margins":       {drawnShape{x: 10, y: 5, fromX: "leftMargin", fromY: "topMargin"}, 10, 5},
		"from the other ones":          {drawnShape{x: 10, y: 5, fromX: "rightMargin", fromY: "bottomMargin"}, 260, 255},
		"from inside and outside":      {drawnShape{x: 10, y: 5, fromX: "insideMargin", fromY: "page"}, 10, 5},
		"from outside":                 {drawnShape{x: 10, y: 5, fromX: "outsideMargin", fromY: "page"}, 260, 5},
		"from its line":                {drawnShape{x: 10, y: 5, fromY: "line"}, 60, 75},
		"from its letter":              {drawnShape{x: 10, y: 5, fromX: "character"}, 50 + 2*letter + 10, 75},
		"in the middle of the page":    {drawnShape{alignX: "center", alignY: "center", fromX: "page", fromY: "page"}, 130, 140},
		"at its end":                   {drawnShape{alignX: "right", alignY: "bottom", fromX: "page", fromY: "page"}, 260, 280},
		"at its beginning":             {drawnShape{alignX: "left", alignY: "top", fromX: "page", fromY: "page", x: 10}, 0, 0},
		"inside and outside":           {drawnShape{alignX: "outside", alignY: "outside", fromX: "page", fromY: "page"}, 260, 280},
		"inside":                       {drawnShape{alignX: "inside", alignY: "inside", fromX: "page", fromY: "page"}, 0, 0},
		"in the middle of the text":    {drawnShape{alignX: "center", alignY: "center", fromX: "margin", fromY: "margin"}, 130, 140},
		"at the end of the text":       {drawnShape{alignX: "right", alignY: "bottom", fromX: "margin", fromY: "margin"}, 210, 230},
		"in the middle of the column":  {drawnShape{alignX: "center"}, 130, 70},
		"in the middle of a margin":    {drawnShape{alignX: "center", alignY: "center", fromX: "leftMargin", fromY: "topMargin"}, 5, 15},
		"of another margin":            {drawnShape{alignX: "center", alignY: "center", fromX: "rightMargin", fromY: "bottomMargin"}, 255, 265},
		"an alignment keeps to a page": {drawnShape{alignX: "left", alignY: "top", fromY: "bottomMargin", h: 80}, 50, 220},
		"but not one higher than it":   {drawnShape{alignX: "left", alignY: "top", fromY: "bottomMargin", h: 301}, 50, 250},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.shape.w = 40
			if c.shape.h == 0 {
				c.shape.h = 20
			}
			s := sheetOf(t, lines("above")+paragraphOf("", run("", "ab")+c.shape.run()+run("", "cd")))
			wantMarks(t, s.all("area"), filledArea(c.left, c.top, c.left+40, c.top+c.shape.h, blue))
		})
	}
}

// The space above a paragraph is its own as far as it is more than that below
// the one above it; a shape counts from above it.
func TestAShapeCountsFromAboveTheSpaceOfItsParagraph(t *testing.T) {
	t.Parallel()
	at := drawnShape{w: 40, h: 10}
	for name, c := range map[string]struct {
		body string
		top  float64
	}{
		"its own space":          {lines("above") + paragraphOf(`<w:spacing w:before="400"/>`, at.run()+run("", "x")), 70},
		"beyond that above":      {linesOf(`<w:spacing w:after="200"/>`, "above") + paragraphOf(`<w:spacing w:before="600"/>`, at.run()+run("", "x")), 80},
		"all of that above":      {linesOf(`<w:spacing w:after="400"/>`, "above") + paragraphOf(`<w:spacing w:before="200"/>`, at.run()+run("", "x")), 90},
		"at the top of the page": {paragraphOf(`<w:spacing w:before="400"/>`, at.run()+run("", "x")), 50},
		"in a later line":        {paragraphOf("", run("", "x")+`<w:r><w:br/></w:r>`+run("", "y")+at.run()), 50},
		"from that line":         {paragraphOf("", run("", "x")+`<w:r><w:br/></w:r>`+run("", "y")+drawnShape{w: 40, h: 10, fromY: "line"}.run()), 70},
		"above a border":         {paragraphOf(`<w:pBdr><w:top w:val="single" w:sz="8" w:space="4"/></w:pBdr>`, at.run()+run("", "x")), 55},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rendertest.Near(t, "the shape", sheetOf(t, c.body).all("area")[0].top, c.top, 0.02)
		})
	}
}

// 33 letters fit beside nothing, 26 beside a shape of 40 points.
func TestTextRunsAroundShapes(t *testing.T) {
	t.Parallel()
	square := func(side string) string { return `<wp:wrapSquare wrapText="` + side + `"/>` }
	text := "aaaaaaaaa bbbbbbbbb ccccc ddddddd eeeeeeeee fff ggggggggg"
	for name, c := range map[string]struct {
		shape drawnShape
		want  []string
	}{
		"on its left":                         {drawnShape{w: 40, h: 30, wrap: square("bothSides")}, []string{"1: 90,66 aaaaaaaaa bbbbbbbbb ccccc", "1: 90,86 ddddddd eeeeeeeee fff", "1: 50,106 ggggggggg"}},
		"on its right":                        {drawnShape{x: 160, w: 40, h: 30, wrap: square("bothSides")}, []string{"1: 50,66 aaaaaaaaa bbbbbbbbb ccccc", "1: 50,86 ddddddd eeeeeeeee fff", "1: 50,106 ggggggggg"}},
		"with a distance":                     {drawnShape{w: 34, h: 30, distance: 6, wrap: square("bothSides")}, []string{"1: 90,66 aaaaaaaaa bbbbbbbbb ccccc", "1: 90,86 ddddddd eeeeeeeee fff", "1: 50,106 ggggggggg"}},
		"along one line":                      {drawnShape{w: 40, h: 20, wrap: square("bothSides")}, []string{"1: 90,66 aaaaaaaaa bbbbbbbbb ccccc", "1: 50,86 ddddddd eeeeeeeee fff ggggggggg"}},
		"on the larger side of it":            {drawnShape{x: 20, w: 40, h: 20, wrap: square("largest")}, []string{"1: 110,66 aaaaaaaaa bbbbbbbbb", "1: 50,86 ccccc ddddddd eeeeeeeee fff", "1: 50,106 ggggggggg"}},
		"on the side that is told":            {drawnShape{x: 80, w: 40, h: 20, wrap: square("right")}, []string{"1: 170,66 aaaaaaaaa", "1: 50,86 bbbbbbbbb ccccc ddddddd eeeeeeeee", "1: 50,106 fff ggggggggg"}},
		"on the other":                        {drawnShape{x: 80, w: 20, h: 20, wrap: square("left")}, []string{"1: 50,66 aaaaaaaaa", "1: 50,86 bbbbbbbbb ccccc ddddddd eeeeeeeee", "1: 50,106 fff ggggggggg"}},
		"tightly, as around a square":         {drawnShape{w: 40, h: 20, wrap: `<wp:wrapTight wrapText="bothSides"/>`}, []string{"1: 90,66 aaaaaaaaa bbbbbbbbb ccccc", "1: 50,86 ddddddd eeeeeeeee fff ggggggggg"}},
		"above and below it":                  {drawnShape{x: 80, w: 40, h: 30, wrap: `<wp:wrapTopAndBottom/>`}, []string{"1: 50,96 aaaaaaaaa bbbbbbbbb ccccc ddddddd", "1: 50,116 eeeeeeeee fff ggggggggg"}},
		"with a distance there":               {drawnShape{x: 80, w: 40, h: 20, distance: 10, wrap: `<wp:wrapTopAndBottom/>`}, []string{"1: 50,96 aaaaaaaaa bbbbbbbbb ccccc ddddddd", "1: 50,116 eeeeeeeee fff ggggggggg"}},
		"over it":                             {drawnShape{w: 40, h: 30}, []string{"1: 50,66 aaaaaaaaa bbbbbbbbb ccccc ddddddd", "1: 50,86 eeeeeeeee fff ggggggggg"}},
		"below it where too little is left":   {drawnShape{w: 190, h: 30, wrap: square("bothSides")}, []string{"1: 50,96 aaaaaaaaa bbbbbbbbb ccccc ddddddd", "1: 50,116 eeeeeeeee fff ggggggggg"}},
		"in the fifteen points that are left": {drawnShape{w: 185, h: 20, wrap: square("bothSides")}, []string{"1: 235,66 aa", "1: 50,86 aaaaaaa bbbbbbbbb ccccc ddddddd", "1: 50,106 eeeeeeeee fff ggggggggg"}},
		"not in fourteen":                     {drawnShape{w: 186, h: 20, wrap: square("bothSides")}, []string{"1: 50,86 aaaaaaaaa bbbbbbbbb ccccc ddddddd", "1: 50,106 eeeeeeeee fff ggggggggg"}},
		"from the second line on":             {drawnShape{y: 20, w: 40, h: 20, wrap: square("bothSides")}, []string{"1: 50,66 aaaaaaaaa bbbbbbbbb ccccc ddddddd", "1: 90,86 eeeeeeeee fff ggggggggg"}},
		"beside the column, it does not":      {drawnShape{x: -50, w: 40, h: 30, wrap: square("bothSides")}, []string{"1: 50,66 aaaaaaaaa bbbbbbbbb ccccc ddddddd", "1: 50,86 eeeeeeeee fff ggggggggg"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: paragraphOf("", c.shape.run()+run("", text))}, c.want...)
		})
	}
}

func TestTheParagraphsBelowRunAroundAShapeToo(t *testing.T) {
	t.Parallel()
	at := drawnShape{w: 40, h: 50, wrap: `<wp:wrapSquare wrapText="bothSides"/>`}
	wantPlaces(t, rendertest.Docx{Body: paragraphOf("", at.run()+run("", "a")) + lines("b c d")}, "1: 90,66 a", "1: 90,86 b", "1: 90,106 c", "1: 50,126 d")
}

// A shape stands at 80, 10 points below the first paragraph, and ends at 130: its
// paragraph and the one below it leave the 10 points once more, as LibreOffice
// 7.4 does.
func TestAParagraphBelowAShapeKeepsTheRoomAboveIt(t *testing.T) {
	t.Parallel()
	const after = `<w:spacing w:after="200"/>`
	for _, wrap := range []string{`<wp:wrapTopAndBottom/>`, `<wp:wrapSquare wrapText="bothSides"/>`} {
		at := drawnShape{w: 200, h: 50, wrap: wrap}
		wantPlaces(t, rendertest.Docx{Body: linesOf(after, "a") + paragraphOf("", at.run()+run("", "b")) + lines("c")}, "1: 50,66 a", "1: 50,156 b", "1: 50,176 c")
		at.y = 20
		wantPlaces(t, rendertest.Docx{Body: paragraphOf(after, at.run()+run("", "a")) + lines("b c")}, "1: 50,66 a", "1: 50,146 b", "1: 50,166 c")
	}
}

func TestTextBetweenTwoShapes(t *testing.T) {
	t.Parallel()
	left := drawnShape{w: 40, h: 20, wrap: `<wp:wrapSquare wrapText="bothSides"/>`}
	right := drawnShape{x: 160, w: 40, h: 40, wrap: `<wp:wrapSquare wrapText="bothSides"/>`}
	wantPlaces(t, rendertest.Docx{Body: paragraphOf(`<w:jc w:val="right"/>`, left.run()+right.run()+run("", "aaaaaaaaa bbbbbbbb ccccc")) + linesOf(`<w:jc w:val="right"/>`, "d")},
		"1: 102,66 aaaaaaaaa bbbbbbbb", "1: 180,86 ccccc", "1: 244,106 d")
}

func TestTextOnTheNextPageHasItsWholeWidth(t *testing.T) {
	t.Parallel()
	at := drawnShape{w: 40, h: 60, wrap: `<wp:wrapSquare wrapText="bothSides"/>`}
	got := places(t, rendertest.Docx{Body: lines(ten[:17]) + paragraphOf("", at.run()+run("", "aaaaaaaaa bbbbbbbbb ccccc ddddddd eeeeeeeee"))})
	want := "1: 90,246 aaaaaaaaa bbbbbbbbb ccccc\n2: 50,66 ddddddd eeeeeeeee"
	if all := strings.Join(got[9:], "\n"); all != want {
		t.Errorf("got\n%s\nwant\n%s", all, want)
	}
}

func TestShapesBehindTheTextAreDrawnFirstAndOthersLast(t *testing.T) {
	t.Parallel()
	behind := drawnShape{w: 40, h: 30, attributes: `behindDoc="1"`}
	over := drawnShape{w: 40, h: 30, attributes: `behindDoc="0"`, look: rendertest.Rectangle + `<a:solidFill><a:srgbClr val="FF0000"/></a:solidFill>`}
	var got []string
	for _, m := range pages(t, rendertest.Docx{Body: paragraphOf("", over.run()+behind.run()+run("", "text")), Section: header("default", "header1"),
		Parts: map[string]string{"header1.xml": paragraphOf("", behind.run()+over.run()+run("", "head"))}})[0].marks {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %v", m.kind, m.text, m.color)))
	}
	want := []string{"area  {0 0 255}", "text head {0 0 0}", "area  {0 0 255}", "text text {0 0 0}", "area  {255 0 0}", "area  {255 0 0}"}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Inside a cell a shape may stand where the cell is, or where the page is.
func TestAShapeInACellStandsInItOrOnThePage(t *testing.T) {
	t.Parallel()
	table := func(at drawnShape) string {
		return `<w:tbl><w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="1000"/></w:tblGrid>` + rowOf("", lines("a"), paragraphOf("", at.run()+run("", "b"))) + `</w:tbl>`
	}
	inCell := drawnShape{x: 5, y: 6, w: 10, h: 10, fromX: "page", fromY: "page", attributes: `layoutInCell="1"`}
	wantMarks(t, sheetOf(t, table(inCell)).all("area"), filledArea(105, 56, 115, 66, blue))
	onPage := inCell
	onPage.attributes = ""
	wantMarks(t, sheetOf(t, table(onPage)).all("area"), filledArea(5, 6, 15, 16, blue))
}

func TestFreeStretchesAreWhatObjectsLeave(t *testing.T) {
	t.Parallel()
	area := columnArea{x: 100, width: 100}
	for name, c := range map[string]struct {
		objects []exclusion
		free    []stretch
		next    float64
	}{
		"nothing":                          {nil, []stretch{{100, 200}}, 50},
		"one on the left":                  {[]exclusion{{x: 90, y: 40, right: 120, bottom: 60}}, []stretch{{120, 200}}, 60},
		"one on the right":                 {[]exclusion{{x: 180, y: 40, right: 220, bottom: 60}}, []stretch{{100, 180}}, 60},
		"one in the middle":                {[]exclusion{{x: 140, y: 40, right: 160, bottom: 60}}, []stretch{{100, 140}, {160, 200}}, 60},
		"the largest beside it":            {[]exclusion{{x: 150, y: 40, right: 160, bottom: 60, side: "largest"}}, []stretch{{100, 150}}, 60},
		"the largest of equals":            {[]exclusion{{x: 140, y: 40, right: 160, bottom: 60, side: "largest"}}, []stretch{{100, 140}}, 60},
		"two in the middle":                {[]exclusion{{x: 120, y: 40, right: 130, bottom: 60}, {x: 160, y: 40, right: 170, bottom: 55}}, []stretch{{100, 120}, {130, 160}, {170, 200}}, 55},
		"text on its left":                 {[]exclusion{{x: 120, y: 40, right: 130, bottom: 60, side: "left"}}, []stretch{{100, 120}}, 60},
		"text on its right":                {[]exclusion{{x: 180, y: 40, right: 190, bottom: 60, side: "right"}}, []stretch{{190, 200}}, 60},
		"the whole column":                 {[]exclusion{{x: 180, y: 40, right: 190, bottom: 60, spansColumn: true}}, nil, 60},
		"two, the upper ends first":        {[]exclusion{{x: 90, y: 40, right: 120, bottom: 70}, {x: 190, y: 40, right: 220, bottom: 60}}, []stretch{{120, 190}}, 60},
		"above the line":                   {[]exclusion{{x: 100, y: 40, right: 120, bottom: 50}}, []stretch{{100, 200}}, 50},
		"hardly reaching into it":          {[]exclusion{{x: 100, y: 40, right: 120, bottom: 50.05}}, []stretch{{100, 200}}, 50},
		"reaching into it by half a point": {[]exclusion{{x: 90, y: 40, right: 120, bottom: 50.5}}, []stretch{{120, 200}}, 50.5},
		"reaching it by half a point":      {[]exclusion{{x: 90, y: 59.5, right: 120, bottom: 70}}, []stretch{{120, 200}}, 70},
		"below the line":                   {[]exclusion{{x: 100, y: 60, right: 120, bottom: 70}}, []stretch{{100, 200}}, 50},
		"hardly reaching it":               {[]exclusion{{x: 100, y: 59.95, right: 120, bottom: 70}}, []stretch{{100, 200}}, 50},
		"in the margin on the left":        {[]exclusion{{x: 50, y: 40, right: 100, bottom: 60}}, []stretch{{100, 200}}, 50},
		"in the margin on the right":       {[]exclusion{{x: 200, y: 40, right: 220, bottom: 60}}, []stretch{{100, 200}}, 50},
	} {
		free, next := freeStretches(c.objects, area, 50, 10)
		if next > 50 { // a line goes just below an object
			next -= belowTolerance
		}
		if !slices.Equal(free, c.free) {
			t.Errorf("%s: got %v, want %v", name, free, c.free)
		}
		rendertest.Near(t, name+": the next place", next, c.next, 1e-9)
	}
}

func TestAlignIn(t *testing.T) {
	t.Parallel()
	for align, want := range map[string]float64{"": 7, "left": 0, "top": 0, "inside": 0, "center": 30, "right": 60, "bottom": 60, "outside": 60, "other": 7} {
		if got := alignIn(wml.AnchorPosition{Align: align, Offset: 7}, 100, 40); got != want {
			t.Errorf("%q: got %v, want %v", align, got, want)
		}
	}
}

// Whether a line stands beside a shape that begins 15 points below its top depends
// on its letters: of 10 points they take 11.35, of 20 points 22.65. What takes no
// room in the line does not count, and in an empty one its mark does.
func TestHighLinesStandBesideShapesThatLowOnesPass(t *testing.T) {
	t.Parallel()
	beside := drawnShape{y: 15, w: 40, h: 20, wrap: `<wp:wrapSquare wrapText="bothSides"/>`}.run()
	below := drawnShape{y: 15, w: 40, h: 20, wrap: `<wp:wrapTopAndBottom/>`}.run()
	const large, bookmark = `<w:sz w:val="40"/>`, `<w:bookmarkStart w:id="1" w:name="x"/>`
	for name, c := range map[string]struct {
		body string
		want string
	}{
		"low letters":                   {paragraphOf("", beside+run("", "a")), "1: 50,66 a"},
		"high letters":                  {paragraphOf("", beside+run(large, "a")), "1: 90,66 a"},
		"high letters after a bookmark": {paragraphOf("", beside+bookmark+run(large, "a")), "1: 90,66 a"},
		"a low empty line":              {paragraphOf("", below) + lines("a"), "1: 50,101 a"},
		"a high empty line":             {paragraphOf(`<w:rPr>`+large+`</w:rPr>`, below) + lines("a"), "1: 50,121 a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: c.body}, c.want)
		})
	}
}

// A cell of 100 points holds a drawing of 40 by 30; its lines are of three letters.
func TestTextInACellRunsAroundADrawingAndTheCellHoldsIt(t *testing.T) {
	t.Parallel()
	const square = `<wp:wrapSquare wrapText="bothSides"/>`
	for name, c := range map[string]struct {
		shape   drawnShape
		content string
		want    []string
	}{
		"at its left":     {drawnShape{w: 40, h: 30, wrap: square, attributes: `layoutInCell="1"`}, "aaaa bbbb cccc dddd", []string{"1: 90,66 aaaa bbbb", "1: 90,86 cccc dddd", "1: 50,106 below"}},
		"lower than it":   {drawnShape{w: 40, h: 70, wrap: square, attributes: `layoutInCell="1"`}, "aaaa", []string{"1: 90,66 aaaa", "1: 50,136 below"}},
		"above and below": {drawnShape{w: 40, h: 30, wrap: `<wp:wrapTopAndBottom/>`, attributes: `layoutInCell="1"`}, "aaaa", []string{"1: 50,96 aaaa", "1: 50,116 below"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			paragraph := `<w:p>` + c.shape.run() + `<w:r><w:t>` + c.content + `</w:t></w:r></w:p>`
			wantPlaces(t, rendertest.Docx{Body: `<w:tbl><w:tblGrid><w:gridCol w:w="2000"/></w:tblGrid><w:tr><w:tc>` + paragraph + `</w:tc></w:tr></w:tbl>` + lines("below")}, c.want...)
		})
	}
}

// The column is 200 points wide, the shape 60, and 80 from its left edge.
func TestTextStandsOnBothSidesOfADrawing(t *testing.T) {
	t.Parallel()
	paragraph := func(side, properties, text string) string {
		shape := drawnShape{x: 80, w: 60, h: 30, wrap: `<wp:wrapSquare wrapText="` + side + `"/>`}
		return `<w:p><w:pPr>` + properties + `</w:pPr>` + shape.run() + `<w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"both":             {paragraph("bothSides", "", "aaaaaaaaaa bbbbbb cccccccccc dddddd eeeeee"), []string{"1: 50,66 aaaaaaaaaa", "1: 190,66 bbbbbb", "1: 50,86 cccccccccc", "1: 190,86 dddddd", "1: 50,106 eeeeee"}},
		"the left":         {paragraph("left", "", "aaaaaaaaaa bbbbbb"), []string{"1: 50,66 aaaaaaaaaa", "1: 50,86 bbbbbb"}},
		"the right":        {paragraph("right", "", "aaaaaa bbbbbb"), []string{"1: 190,66 aaaaaa", "1: 190,86 bbbbbb"}},
		"the largest":      {paragraph("largest", "", "aaaaaaaaaa bbbbbb"), []string{"1: 50,66 aaaaaaaaaa", "1: 50,86 bbbbbb"}},
		"a word too long":  {paragraph("bothSides", "", "aaaaaaaaaa bbbbbbbbbbb"), []string{"1: 50,66 aaaaaaaaaa", "1: 50,86 bbbbbbbbbbb"}},
		"indented once":    {paragraph("bothSides", `<w:ind w:left="400"/>`, "aaaaaaaaaa bbbbbb"), []string{"1: 70,66 aaaaaaaaaa", "1: 190,66 bbbbbb"}},
		"from the right":   {paragraph("bothSides", `<w:bidi/>`, "אבג דהוזחטיכלמ"), []string{"1: 232,66 גבא", "1: 70,66 מלכיטחזוהד"}},
		"its right indent": {paragraph("bothSides", `<w:ind w:right="600"/>`, "aaaaaaaaaa bbbbbb"), []string{"1: 50,66 aaaaaaaaaa", "1: 50,86 bbbbbb"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPlaces(t, rendertest.Docx{Body: c.body}, c.want...)
		})
	}
}

// Where Word counts from the box of a drawing that lies on its side, the offset is that box's.
func TestATurnedShapeStandsWhereItsPositionSays(t *testing.T) {
	t.Parallel()
	at := drawnShape{x: 10, y: 5, w: 40, h: 20, fromX: "page", fromY: "page"}
	for settings, want := range map[string]mark{word2013: filledArea(10, 5, 30, 45, blue), "": filledArea(20, -5, 40, 35, blue)} {
		wantMarks(t, pages(t, rendertest.Docx{Settings: settings, Body: paragraphOf("", turnedRun(at.run(), 90, ""))})[0].all("area"), want)
	}
}

func TestTextRunsAroundATurnedShapeAndItsEffects(t *testing.T) {
	t.Parallel()
	at := drawnShape{w: 20, h: 10, wrap: `<wp:wrapSquare wrapText="bothSides"/>`}
	for effects, want := range map[string][]string{"": {"1: 60,66 a", "1: 50,86 b"}, effects(0, 0, 6, 5): {"1: 66,66 a", "1: 66,86 b"}} {
		wantPlaces(t, rendertest.Docx{Settings: word2013, Body: paragraphOf("", turnedRun(at.run(), 90, effects)+run("", "a")+`<w:r><w:br/></w:r>`+run("", "b"))}, want...)
	}
}

func TestTextRunsAroundABoxThatFitsItsText(t *testing.T) {
	t.Parallel()
	at := drawnShape{w: 40, h: 60, wrap: `<wp:wrapSquare wrapText="bothSides"/>`, rest: textBox(`><a:spAutoFit/></wps:bodyPr>`, lines("t"))}
	wantPlaces(t, rendertest.Docx{Body: paragraphOf("", at.run()+run("", "a")) + lines("b")}, "1: 90,66 a", "1: 50,86 b", "1: 50,66 t")
}

// Lines of double spacing: the letters of the first reach from 50 to 61.35, those of the second
// from 72.7 on. A line takes its room from its letters' top on, what its spacing opens included.
func TestALineBesideAShapeBeginsAtItsLetters(t *testing.T) {
	t.Parallel()
	double := `<w:spacing w:line="480" w:lineRule="auto"/>`
	for name, c := range map[string]struct {
		y, h float64
		want []string
	}{
		"a shape that ends above the letters":            {0, 20, []string{"1: 90,58 a", "1: 50,81 b"}},
		"one that ends beside them":                      {0, 24, []string{"1: 90,58 a", "1: 90,81 b"}},
		"one that stands where the spacing opens a line": {15, 5, []string{"1: 90,58 a", "1: 50,81 b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := drawnShape{y: c.y, w: 40, h: c.h, wrap: `<wp:wrapSquare wrapText="bothSides"/>`}
			wantPlaces(t, rendertest.Docx{Body: paragraphOf(double, at.run()+run("", "a")+`<w:r><w:br/></w:r>`+run("", "b"))}, c.want...)
		})
	}
}
