package flow

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func side(name, sz, space string) string {
	return `<w:` + name + ` w:val="single" w:sz="` + sz + `" w:space="` + space + `" w:color="FF0000"/>`
}

func borders(all ...string) string { return `<w:pBdr>` + strings.Join(all, "") + `</w:pBdr>` }

// Lines of a point stand 4 points from the text: 5 above and below it; those at
// the sides have their middle 4.5 points from it.
func TestBordersStandAroundAParagraph(t *testing.T) {
	t.Parallel()
	all := borders(side("top", "8", "4"), side("left", "8", "4"), side("bottom", "8", "4"), side("right", "8", "4"))
	for name, c := range map[string]struct {
		properties string
		want       []mark
		text       float64
		below      float64
	}{
		"all four":                     {all, []mark{redLine(45.5, 50, 45.5, 80, 1), redLine(254.5, 50, 254.5, 80, 1), redLine(45.5, 50.5, 254.5, 50.5, 1), redLine(45.5, 79.5, 254.5, 79.5, 1)}, 71, 80},
		"above":                        {borders(side("top", "8", "4")), []mark{redLine(50, 50.5, 250, 50.5, 1)}, 71, 75},
		"below":                        {borders(side("bottom", "16", "1")), []mark{redLine(50, 72, 250, 72, 2)}, 66, 73},
		"at the left":                  {borders(side("left", "8", "4")), []mark{redLine(45.5, 50, 45.5, 70, 1)}, 66, 70},
		"at the right":                 {borders(side("right", "16", "2")), []mark{redLine(253, 50, 253, 70, 2)}, 66, 70},
		"within indents":               {borders(side("top", "8", "4")) + `<w:ind w:left="400" w:right="600"/>`, []mark{redLine(70, 50.5, 220, 50.5, 1)}, 71, 75},
		"from a hanging first line on": {borders(side("top", "8", "4")) + `<w:ind w:left="400" w:hanging="200"/>`, []mark{redLine(60, 50.5, 250, 50.5, 1)}, 71, 75},
		"not from an indented one":     {borders(side("top", "8", "4")) + `<w:ind w:left="400" w:firstLine="200"/>`, []mark{redLine(70, 50.5, 250, 50.5, 1)}, 71, 75},
		"none between nothing":         {borders(side("between", "8", "4")), nil, 66, 70},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sheetOf(t, rendertest.Paragraph(c.properties, "x")+lines("below"))
			wantMarks(t, s.all("line"), c.want...)
			rendertest.Near(t, "the text", s.text(t, "x").top, c.text, 0.02)
			rendertest.Near(t, "the text below", s.text(t, "below").top, c.below+16, 0.02)
		})
	}
}

// Neighbours with the same borders stand in one frame (ECMA-376 part 1,
// 17.3.1.24).
func TestNeighboursShareTheirBorders(t *testing.T) {
	t.Parallel()
	frame := borders(side("top", "8", "4"), side("bottom", "8", "4"))
	top, bottom := redLine(50, 50.5, 250, 50.5, 1), redLine(50, 99.5, 250, 99.5, 1)
	between := borders(side("top", "8", "4"), side("bottom", "8", "4"), side("between", "16", "1"))
	two := func(y float64) []mark {
		return []mark{redLine(50, 50.5, 250, 50.5, 1), redLine(50, 79.5, 250, 79.5, 1), redLine(50, y, 250, y, 1), redLine(50, y+29, 250, y+29, 1)}
	}
	for name, c := range map[string]struct {
		first, second string
		want          []mark
	}{
		"the same":          {frame, frame, []mark{top, bottom}},
		"a line in between": {between, between, []mark{redLine(50, 50.5, 250, 50.5, 1), redLine(50, 76, 250, 76, 2), redLine(50, 102.5, 250, 102.5, 1)}},
		"another indent":    {frame, frame + `<w:ind w:left="200"/>`, []mark{two(80.5)[0], two(80.5)[1], redLine(60, 80.5, 250, 80.5, 1), redLine(60, 109.5, 250, 109.5, 1)}},
		"another end":       {frame, frame + `<w:ind w:right="200"/>`, []mark{two(80.5)[0], two(80.5)[1], redLine(50, 80.5, 240, 80.5, 1), redLine(50, 109.5, 240, 109.5, 1)}},
		"another shading":   {frame, frame + shading("0000FF"), two(80.5)},
		"another width":     {frame, borders(side("top", "8", "4"), side("bottom", "16", "3")), []mark{two(80.5)[0], two(80.5)[1], two(80.5)[2], redLine(50, 109, 250, 109, 2)}},
		"none at all":       {frame, "", []mark{top, redLine(50, 79.5, 250, 79.5, 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantMarks(t, sheetOf(t, rendertest.Paragraph(c.first, "x")+rendertest.Paragraph(c.second, "y")).all("line"), c.want...)
		})
	}
}

func TestAParagraphIsShadedFromIndentToIndent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		want []mark
	}{
		"one":                            {rendertest.Paragraph(shading("FF0000"), "x"), []mark{filledArea(50, 50, 250, 70, red)}},
		"within indents":                 {rendertest.Paragraph(shading("FF0000")+`<w:ind w:left="400" w:right="600"/>`, "x"), []mark{filledArea(70, 50, 220, 70, red)}},
		"each line of it":                {brokenParagraph(shading("FF0000"), "x y"), []mark{filledArea(50, 50, 250, 70, red), filledArea(50, 70, 250, 90, red)}},
		"the space between two of them":  {linesOf(shading("FF0000")+`<w:spacing w:before="200"/>`, "x y"), []mark{filledArea(50, 60, 250, 80, red), filledArea(50, 80, 250, 110, red)}},
		"but not between two colours":    {linesOf(shading("FF0000"), "x") + linesOf(shading("0000FF")+`<w:spacing w:before="200"/>`, "y"), []mark{filledArea(50, 50, 250, 70, red), filledArea(50, 80, 250, 100, blue)}},
		"up to the borders at the sides": {rendertest.Paragraph(shading("FF0000")+borders(side("left", "8", "4")), "x"), []mark{filledArea(45.5, 50, 250, 70, red)}},
		"an empty one, too":              {paragraphOf(shading("FF0000"), ""), []mark{filledArea(50, 50, 250, 70, red)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantMarks(t, sheetOf(t, c.body).all("area"), c.want...)
		})
	}
}

func TestBordersOfAParagraphOnTwoPages(t *testing.T) {
	t.Parallel()
	all := pages(t, rendertest.Docx{Body: lines("a b c d e f g h") + brokenParagraph(borders(side("top", "8", "4"), side("left", "8", "4"), side("bottom", "8", "4")), "p q r")})
	// One line of it fits below its border.
	wantMarks(t, all[0].all("line"), redLine(45.5, 210, 45.5, 235, 1), redLine(45.5, 210.5, 250, 210.5, 1))
	wantMarks(t, all[1].all("line"), redLine(45.5, 50, 45.5, 70, 1), redLine(45.5, 70, 45.5, 95, 1), redLine(45.5, 94.5, 250, 94.5, 1))
}

func TestJoins(t *testing.T) {
	t.Parallel()
	line := func(width float64) *wml.Border { return &wml.Border{Style: "single", Width: width} }
	with := func(change func(p *wml.Paragraph)) *wml.Paragraph {
		p := &wml.Paragraph{}
		p.Borders = wml.ParagraphBorders{Top: line(1), Left: line(1), Bottom: line(1), Right: line(1)}
		change(p)
		return p
	}
	plain := with(func(*wml.Paragraph) {})
	for name, c := range map[string]struct {
		other *wml.Paragraph
		want  bool
	}{
		"the same":           {with(func(*wml.Paragraph) {}), true},
		"nothing":            {nil, false},
		"another style":      {with(func(p *wml.Paragraph) { p.Borders.Top = &wml.Border{Style: "double", Width: 1} }), false},
		"another top":        {with(func(p *wml.Paragraph) { p.Borders.Top = line(2) }), false},
		"another left":       {with(func(p *wml.Paragraph) { p.Borders.Left = line(2) }), false},
		"another bottom":     {with(func(p *wml.Paragraph) { p.Borders.Bottom = line(2) }), false},
		"another right":      {with(func(p *wml.Paragraph) { p.Borders.Right = line(2) }), false},
		"no right":           {with(func(p *wml.Paragraph) { p.Borders.Right = nil }), false},
		"another space":      {with(func(p *wml.Paragraph) { p.Borders.Top = &wml.Border{Style: "single", Width: 1, Space: 1} }), false},
		"another colour":     {with(func(p *wml.Paragraph) { p.Borders.Top = &wml.Border{Style: "single", Width: 1, Color: &red} }), false},
		"another between":    {with(func(p *wml.Paragraph) { p.Borders.Between = line(2) }), true},
		"shading":            {with(func(p *wml.Paragraph) { p.Shading = &red }), false},
		"an indent":          {with(func(p *wml.Paragraph) { p.Left = 1 }), false},
		"an indent, right":   {with(func(p *wml.Paragraph) { p.Right = 1 }), false},
		"both out again":     {with(func(p *wml.Paragraph) { p.Left, p.FirstLine = 9, -9 }), true},
		"a line that hangs":  {with(func(p *wml.Paragraph) { p.FirstLine = -9 }), false},
		"another first line": {with(func(p *wml.Paragraph) { p.FirstLine = 1 }), true},
	} {
		if got := joins(plain, c.other); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
		if got := joins(c.other, plain); got != c.want {
			t.Errorf("%s, the other way: got %t, want %t", name, got, c.want)
		}
	}
	if joins(&wml.Paragraph{}, &wml.Paragraph{}) {
		t.Error("paragraphs without borders and shading have none to share")
	}
}

func TestTheGapBetweenParagraphs(t *testing.T) {
	t.Parallel()
	paragraph := func(change func(p *wml.Paragraph)) *wml.Paragraph {
		p := &wml.Paragraph{}
		p.Before, p.After = 10, 4
		change(p)
		return p
	}
	keep := func(*wml.Paragraph) {}
	contextual := func(p *wml.Paragraph) { p.ContextualSpacing = true }
	item := func(p *wml.Paragraph) {
		p.HasAutoBefore, p.HasAutoAfter, p.Label = true, true, &wml.Label{NumID: "1"}
	}
	for name, c := range map[string]struct {
		above, at *wml.Paragraph
		want, sum float64
	}{
		"the first":                   {nil, paragraph(keep), 10, 10},
		"the larger":                  {paragraph(keep), paragraph(keep), 10, 14},
		"the larger one above":        {paragraph(func(p *wml.Paragraph) { p.After = 20 }), paragraph(keep), 20, 30},
		"contextual below":            {paragraph(keep), paragraph(contextual), 4, 4},
		"contextual above":            {paragraph(contextual), paragraph(keep), 10, 10},
		"contextual, both":            {paragraph(contextual), paragraph(contextual), 0, 0},
		"contextual, of other styles": {paragraph(contextual), paragraph(func(p *wml.Paragraph) { p.ContextualSpacing, p.Style = true, "other" }), 10, 14},
		"items of a list":             {paragraph(item), paragraph(item), 0, 0},
		"of two lists":                {paragraph(item), paragraph(func(p *wml.Paragraph) { item(p); p.Label = &wml.Label{NumID: "2"} }), 10, 14},
		"an item and a text":          {paragraph(item), paragraph(keep), 10, 14},
		"items with space of theirs":  {paragraph(func(p *wml.Paragraph) { item(p); p.HasAutoAfter = false }), paragraph(item), 4, 4},
		"items with space above them": {paragraph(item), paragraph(func(p *wml.Paragraph) { item(p); p.HasAutoBefore = false }), 10, 10},
	} {
		larger, added := spacer{previous: c.above}, spacer{previous: c.above, addsUp: true}
		if got := larger.gap(c.at); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
		if got := added.gap(c.at); got != c.sum {
			t.Errorf("%s, added up: got %v, want %v", name, got, c.sum)
		}
	}
	extra := spacer{previous: paragraph(keep), extra: 3}
	if got := extra.gap(paragraph(keep)); got != 13 {
		t.Errorf("with the room of line spacing: got %v, want 13", got)
	}
	if got := extra.below(); got != 7 {
		t.Errorf("below it: got %v, want 7", got)
	}
	if got := (&spacer{extra: 3}).below(); got != 0 {
		t.Errorf("below nothing: got %v, want 0", got)
	}
}

// Fonts' metrics are rounded to twentieths of a point: a line that is higher than
// a row of the grid by one still stands in it.
func TestALineTakesTheRowsThatItNeeds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ natural, multiple, height, ascent float64 }{
		{11, 1, 18, 8 + 3.5}, {18, 1, 18, 8}, {18.04, 1, 18, 8 - 0.02}, {18.5, 1, 36, 8 + 8.75}, {0, 1, 18, 8 + 9}, {11, 2, 36, 8 + 3.5 + 18}, {11, 0.5, 18, 8 + 3.5},
	} {
		p := &wml.Paragraph{}
		p.LineRule, p.Line = "auto", c.multiple
		box := &paragraphBox{p: p, grid: 18}
		ln := &line{natural: c.natural, ascent: 8}
		box.snap(ln, false)
		rendertest.Near(t, "the height", ln.height, c.height, 1e-9)
		rendertest.Near(t, "the ascent", ln.ascent, c.ascent, 1e-9)
	}
}
