package slide

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// broken sets a paragraph in lines of that width.
func broken(p *dml.TextParagraph, width float64, noWrap bool) []slideLine {
	return breakParagraph(p, printer().glyphs(p, 1), width, noWrap, 1)
}

// read is what lines say, with "|" between them and breaks as "¶".
func read(lines []slideLine) string {
	var all []string
	for _, l := range lines {
		text := ""
		for _, g := range l.glyphs {
			text += strings.ReplaceAll(string(g.r), "\n", "¶")
		}
		all = append(all, text)
	}
	return strings.Join(all, "|")
}

func TestLinesEndWhereAWordHasNoMoreRoom(t *testing.T) {
	t.Parallel()
	two := wide("nnn nnn")
	for _, c := range []struct {
		name   string
		runs   []*dml.TextRun
		width  float64
		noWrap bool
		want   string
	}{
		{"room for all", []*dml.TextRun{run("nnn nnn")}, two, false, "nnn nnn"},
		{"a little less room", []*dml.TextRun{run("nnn nnn")}, two - 0.02, false, "nnn |nnn"},
		{"spaces at the end need none", []*dml.TextRun{run("nnn nnn   nnn")}, two, false, "nnn nnn   |nnn"},
		{"a word of two runs", []*dml.TextRun{run("nnn n"), run("nn n")}, wide("nnn nn"), false, "nnn |nnn n"},
		{"a word that is too long", []*dml.TextRun{run("n nnnnn")}, wide("nnn"), false, "n |nnn|nn"},
		{"room for no letter", []*dml.TextRun{run("nn")}, 0, false, "n|n"},
		{"a hyphen", []*dml.TextRun{run("nnn-nnn")}, wide("nnn-n"), false, "nnn-|nnn"},
		{"a minus at the start", []*dml.TextRun{run("-nnnn")}, wide("-nn"), false, "-nn|nn"},
		{"a minus behind a space", []*dml.TextRun{run("n -nnn")}, wide("n -nn"), false, "n |-nnn"},
		{"a slash", []*dml.TextRun{run("nnn/nnn")}, wide("nnn/n"), false, "nnn/|nnn"},
		{"no room, and no wrapping", []*dml.TextRun{run("nnn nnn")}, 1, true, "nnn nnn"},
		{"breaks", []*dml.TextRun{run("n"), lineBreak(), run("nn"), lineBreak(), lineBreak(), run("n\vn")}, 100, false, "n|nn|¶|n|n"},
		{"breaks without wrapping", []*dml.TextRun{run("n n"), lineBreak(), run("n")}, 1, true, "n n|n"},
		{"a break at the end", []*dml.TextRun{run("n"), lineBreak()}, 100, false, "n|"},
		{"a break alone", []*dml.TextRun{lineBreak()}, 100, false, "¶|"},
		{"a break at the end without wrapping", []*dml.TextRun{run("n"), lineBreak()}, 100, true, "n|"},
		{"nothing", nil, 100, false, ""},
		{"a tab in front of a word without room", []*dml.TextRun{run("n\tnnn")}, 80, false, "n\t|nnn"},
		{"tabs one behind the other", []*dml.TextRun{run("n\t\tn")}, 100, false, "n\t\t|n"},
		{"a space behind a tab", []*dml.TextRun{run("n\t nnn")}, 80, false, "n\t |nnn"},
	} {
		p := paragraph(c.runs...)
		p.DefaultTab = 72
		if got := read(broken(p, c.width, c.noWrap)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLinesKnowWhetherTheyAreTheLast(t *testing.T) {
	t.Parallel()
	lines := broken(paragraph(run("nnn nnn"), lineBreak(), lineBreak(), run("n")), wide("nnn n"), false)
	var got []bool
	for _, l := range lines {
		got = append(got, l.isLast)
	}
	// "nnn |nnn|¶|n": the second stands before a break.
	if want := []bool{false, true, true, true}; !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", read(lines), got, want)
	}
	lines = broken(paragraph(run("n"), lineBreak()), 100, false)
	if len(lines) != 2 || !lines[1].isLast || lines[1].align != "l" {
		t.Errorf("behind a break at the end: got %+v, want an empty last line", lines)
	}
}

func TestLinesBeginAtTheirIndent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		left, indent float64
		bullet       dml.Bullet
		want         [2]float64 // of the first line and the second
	}{
		{"no indent", 20, 0, dml.Bullet{}, [2]float64{20, 20}},
		{"a first line further in", 20, 10, dml.Bullet{}, [2]float64{30, 20}},
		{"a first line further out", 20, -15, dml.Bullet{}, [2]float64{5, 20}},
		{"never outside", 10, -15, dml.Bullet{}, [2]float64{0, 10}},
		{"behind a sign", 20, -15, dml.Bullet{Char: "•"}, [2]float64{20, 20}},
		{"behind a number", 20, -15, dml.Bullet{Number: "arabicPeriod"}, [2]float64{20, 20}},
		{"a negative margin", -20, 0, dml.Bullet{}, [2]float64{0, 0}},
	} {
		p := paragraph(run("nnn"), lineBreak(), run("nnn"))
		p.Left, p.Indent, p.Bullet = c.left, c.indent, c.bullet
		lines := broken(p, 100, false)
		for i, want := range c.want {
			if lines[i].left != want || lines[i].room != 100-want {
				t.Errorf("%s, line %d: got %g with room for %g, want %g and %g", c.name, i, lines[i].left, lines[i].room, want, 100-want)
			}
		}
	}
	p := paragraph(run("n"))
	p.Left = 200
	if got := broken(p, 100, false)[0].room; got != 1 {
		t.Errorf("behind the end: got room for %g, want 1", got)
	}
}

func TestSpacesAtTheEndOfALineHaveNoWidth(t *testing.T) {
	t.Parallel()
	for text, spaces := range map[string]int{"nn n": 1, "nn n  ": 1, "  nn": 2, "": 0, "   ": 0} {
		line := broken(paragraph(run(text)), 100, false)[0]
		rendertest.Near(t, "the width of '"+text+"'", line.width, wide(strings.TrimRight(text, " ")), near)
		if got := innerSpaces(line.glyphs); got != spaces {
			t.Errorf("%q: got %d spaces inside, want %d", text, got, spaces)
		}
	}
}

// A program that writes slides aligns what was typed: spaces count at the end of a
// paragraph, and in front of a break. Where a line is full they stand over its end.
func TestSpacesAtTheEndOfAParagraphMoveItsAlignedText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, align string
		runs        []*dml.TextRun
		room, want  float64
	}{
		{"centred", "ctr", []*dml.TextRun{run("mm   ")}, 200, 100 - wide("mm   ")/2},
		{"at the right", "r", []*dml.TextRun{run("mm   ")}, 200, 200 - wide("mm   ")},
		{"at the left", "l", []*dml.TextRun{run("mm   ")}, 200, 0},
		{"in front of a break", "r", []*dml.TextRun{run("mm "), lineBreak(), run("n")}, 200, 200 - wide("mm ")},
		{"where the line goes on", "r", []*dml.TextRun{run("mm nn")}, wide("mm n"), wide("mm n") - wide("mm")},
		{"more spaces than have room", "r", []*dml.TextRun{run("mm      ")}, wide("mm  "), 0},
	} {
		p := paragraph(c.runs...)
		p.Align = c.align
		line := broken(p, c.room, false)[0]
		pr := printer()
		got := drawnBy(t, pr, func() { pr.line(&line, 0, 50, c.room, false) })
		rendertest.Near(t, c.name, got[0].X[0], c.want, near)
	}
}

// A stop counts from the text's left edge, and behind the last one stops follow
// each other at the default distance (ECMA-376 part 1, 21.1.2.1.4 and 21.1.2.2.7).
func TestTabsGoToTheNextStop(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name              string
		left, indent, tab float64
		stops             []dml.TabStop
		at, want          float64
	}{
		{"the default", 0, 0, 72, nil, 10, 72},
		{"from a stop on", 0, 0, 72, nil, 72, 144},
		{"close in front of a stop", 0, 0, 72, nil, 71.9, 72},
		{"another default", 0, 0, 20, nil, 45, 60},
		{"no default", 0, 0, 0, nil, 10, 72},
		{"a stop", 0, 0, 72, []dml.TabStop{{At: 30}, {At: 50}}, 10, 30},
		{"the next stop", 0, 0, 72, []dml.TabStop{{At: 30}, {At: 50}}, 30, 50},
		{"behind the stops", 0, 0, 72, []dml.TabStop{{At: 30}, {At: 50}}, 50, 72},
		{"the margin of a first line further out", 40, -30, 72, nil, 15, 40},
		{"behind that margin", 40, -30, 72, nil, 40, 72},
		{"a stop in front of that margin", 40, -30, 72, []dml.TabStop{{At: 20}}, 15, 20},
		{"no margin of a first line further in", 40, 30, 72, nil, 15, 72},
	} {
		p := &dml.TextParagraph{Left: c.left, Indent: c.indent, DefaultTab: c.tab, Tabs: c.stops}
		if got := nextTab(p, c.at); got != c.want {
			t.Errorf("%s: got %g, want %g", c.name, got, c.want)
		}
	}
}

func TestTextStandsAtItsTabStops(t *testing.T) {
	t.Parallel()
	n := wide("n")
	for _, c := range []struct {
		name string
		text string
		stop dml.TabStop
		want float64 // where the last letter begins
	}{
		{"left", "n\tm", dml.TabStop{At: 50, Align: "l"}, 50},
		{"right", "n\tm", dml.TabStop{At: 50, Align: "r"}, 50 - wide("m")},
		{"right, as far as the next tab", "n\tnn\tm", dml.TabStop{At: 50, Align: "r"}, 72},
		{"in the middle", "n\tm", dml.TabStop{At: 50, Align: "ctr"}, 50 - wide("m")/2},
		{"right without room", "n\tnnnnnnnnnnnnm", dml.TabStop{At: 50, Align: "r"}, 13 * n},
		{"right, with a default stop behind it", "n\tn\tm", dml.TabStop{At: 20, Align: "r"}, 72},
	} {
		p := paragraph(run(c.text))
		p.Tabs, p.DefaultTab = []dml.TabStop{c.stop}, 72
		line := broken(p, 500, false)[0]
		rendertest.Near(t, c.name, glyphsWidth(line.glyphs[:len(line.glyphs)-1]), c.want, near)
	}
	p := paragraph(run("n\tnn\tm"))
	p.Left, p.DefaultTab = 30, 72
	line := broken(p, 500, false)[0]
	rendertest.Near(t, "from a margin on", 30+glyphsWidth(line.glyphs[:len(line.glyphs)-1]), 144, near)
}

func TestLinesAreAligned(t *testing.T) {
	t.Parallel()
	width := wide("n ") + wide("m")
	for _, c := range []struct {
		align             string
		isLast, isInBlock bool
		n, m              float64 // where the words begin in a room of 180 points
	}{
		{"l", false, false, 0, wide("n ")},
		{"r", false, false, 180 - width, 180 - wide("m")},
		{"ctr", false, false, (180 - width) / 2, (180+width)/2 - wide("m")},
		{"just", false, false, 0, 180 - wide("m")},
		{"justLow", false, false, 0, 180 - wide("m")},
		{"dist", false, false, 0, 180 - wide("m")},
		{"thaiDist", false, false, 0, 180 - wide("m")},
		{"just", true, false, 0, wide("n ")},
		{"just", false, true, 0, wide("n ")},
	} {
		t.Run(fmt.Sprintf("%s last %t in a block %t", c.align, c.isLast, c.isInBlock), func(t *testing.T) {
			t.Parallel()
			p := paragraph(run("n "), run("m  "))
			p.Align = c.align
			line := broken(p, 500, false)[0]
			line.left, line.isLast = 20, c.isLast
			pr := printer()
			got := drawnBy(t, pr, func() { pr.line(&line, 100, 50, 200, c.isInBlock) })
			rendertest.WantText(t, got, "n ", 120+c.n, 50)
			if i := slices.IndexFunc(got, func(m rendertest.Mark) bool { return strings.HasPrefix(m.Text, "m") }); i < 0 || math.Abs(got[i].X[0]-120-c.m) > near {
				t.Errorf("got %+v, want m at %g", got, 120+c.m)
			}
		})
	}
}

func TestSpacesShareWhatALineLacks(t *testing.T) {
	t.Parallel()
	p := paragraph(run("n "), run("m "), run("o"))
	p.Align = "just"
	line := broken(p, 500, false)[0]
	line.isLast = false
	pr := printer()
	got := drawnBy(t, pr, func() { pr.line(&line, 100, 50, 200, false) })
	lacking := 200 - wide("n ") - wide("m ") - wide("o")
	rendertest.WantText(t, got, "m ", 100+wide("n ")+lacking/2, 50)
	rendertest.WantText(t, got, "o", 300-wide("o"), 50)
}

func TestLinesThatAreTooWideAreNotStretched(t *testing.T) {
	t.Parallel()
	p := paragraph(run("n n"))
	p.Align = "just"
	line := broken(p, 500, false)[0]
	line.isLast = false
	pr := printer()
	if got := rendertest.Texts(drawnBy(t, pr, func() { pr.line(&line, 0, 50, 5, false) })); !slices.Equal(got, []string{"n n"}) {
		t.Errorf("got %q, want the line as it is", got)
	}
}

func TestSignsStandBesideTheirLines(t *testing.T) {
	t.Parallel()
	for align, shift := range map[string]float64{"l": 0, "ctr": (180 - wide("mm")) / 2, "r": 180 - wide("mm"), "just": 0} {
		p := paragraph(run("mm"))
		p.Align = align
		line := broken(p, 500, false)[0]
		pr := printer()
		line.paragraph, line.left, line.bullet = p, 20, &slideBullet{x: 5, raised: 3, glyphs: pr.glyphs(paragraph(run("o")), 1)}
		got := drawnBy(t, pr, func() { pr.line(&line, 100, 50, 200, false) })
		rendertest.WantText(t, got, "o", 105+shift, 47)
		rendertest.WantText(t, got, "mm", 120+shift, 50)
	}
}

func TestRunsAreDrawnInTheirStyle(t *testing.T) {
	t.Parallel()
	face := printer().fonts.Face("Arial", false, false)
	under, thick := face.Underline(10)
	over, through := face.Strikethrough(10)
	width := wide("mm")
	yellow := dml.RGB{R: 255, G: 255}
	for _, c := range []struct {
		name   string
		change func(*dml.TextRun)
		areas  map[dml.RGB][]dml.Rect // on the baseline 50, from 100 on
	}{
		{"plain", func(*dml.TextRun) {}, nil},
		{"underlined", func(r *dml.TextRun) { r.Underline = "sng" }, map[dml.RGB][]dml.Rect{red: {{X: 100, Y: 50 + under - thick/2, W: width, H: thick}}}},
		{"underlined twice", func(r *dml.TextRun) { r.Underline = "dbl" }, map[dml.RGB][]dml.Rect{red: {{X: 100, Y: 50 + under - thick/2, W: width, H: thick}, {X: 100, Y: 50 + under + thick*1.5, W: width, H: thick}}}},
		{"struck through", func(r *dml.TextRun) { r.Strike = true }, map[dml.RGB][]dml.Rect{red: {{X: 100, Y: 50 - over - through/2, W: width, H: through}}}},
		{"highlighted", func(r *dml.TextRun) { r.Highlight = &yellow }, map[dml.RGB][]dml.Rect{yellow: {{X: 100, Y: 40.5, W: width, H: 12}}}},
	} {
		r := run("mm  ")
		r.Color = red
		c.change(r)
		pr := printer()
		got := drawnBy(t, pr, func() { pr.glyphRun(pr.glyphs(paragraph(r), 1), 100, 50, 0) })
		for _, color := range []dml.RGB{red, yellow} {
			rendertest.WantRects(t, c.name, rendertest.Areas(got, color), c.areas[color]...)
		}
		if m := rendertest.TextOf(t, got, "mm  "); m.Color != red || m.Size != 10 || m.X[0] != 100 || m.Y[0] != 50 {
			t.Errorf("%s: got the text %+v, want red of 10 points at 100, 50", c.name, m)
		}
	}
}

func TestTextIsLighterTheLessOfItShows(t *testing.T) {
	t.Parallel()
	for alpha, want := range map[float64][]dml.RGB{1: {red}, 0.4: {{R: 255, G: 153, B: 153}}, 0: nil, -1: nil} {
		r := run("mm")
		r.Color, r.Alpha, r.Underline = red, alpha, "sng"
		pr := printer()
		var got []dml.RGB
		for _, m := range drawnBy(t, pr, func() { pr.glyphRun(pr.glyphs(paragraph(r), 1), 100, 50, 0) }) {
			if m.Kind == rendertest.MarkText {
				got = append(got, m.Color)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%g: got %v, want %v", alpha, got, want)
		}
	}
}

func TestRaisedTextIsSmaller(t *testing.T) {
	t.Parallel()
	for baseline, want := range map[float64]float64{0.3: 47, -0.25: 52.5} {
		r, yellow := run("mm"), dml.RGB{R: 255, G: 255}
		r.Baseline, r.Highlight = baseline, &yellow
		pr := printer()
		got := drawnBy(t, pr, func() { pr.glyphRun(pr.glyphs(paragraph(r), 1), 100, 50, 0) })
		m := rendertest.TextOf(t, got, "mm")
		rendertest.Near(t, "the baseline", m.Y[0], want, near)
		rendertest.Near(t, "the size", m.Size, 5.8, near)
		rendertest.WantRects(t, "the line's highlight", rendertest.Areas(got, yellow), dml.Rect{X: 100, Y: 40.5, W: 0.58 * wide("mm"), H: 12})
	}
}

func TestTextLeadsToItsAddress(t *testing.T) {
	t.Parallel()
	r := run("mm")
	r.Link = "https://example.com/"
	pr := printer()
	file := fileBy(t, pr, func() { pr.glyphRun(pr.glyphs(paragraph(run("n"), r), 1), 100, 50, 0) })
	got := links(file)
	if len(got) != 1 || !strings.HasPrefix(got[0], "https://example.com/ ") {
		t.Fatalf("got %v, want one to https://example.com/", got)
	}
	// From a size above the baseline, 1.2 sizes high; the page is 400 points high.
	var at []float64
	for _, s := range strings.Fields(got[0])[1:] {
		at = append(at, rendertest.ParseFloat(t, s))
	}
	want := []float64{100 + wide("n"), 400 - 52, 100 + wide("n") + wide("mm"), 400 - 40}
	if !slices.EqualFunc(at, want, func(a, b float64) bool { return math.Abs(a-b) <= near }) {
		t.Errorf("got %v, want %v", at, want)
	}
}

func TestRunsFollowEachOther(t *testing.T) {
	t.Parallel()
	bold := run("nn")
	bold.Bold = true
	pr := printer()
	glyphs := pr.glyphs(paragraph(run("m m"), bold, run("\tn")), 1)
	for i := range glyphs {
		if glyphs[i].r == '\t' {
			glyphs[i].width = 30
		}
	}
	got := drawnBy(t, pr, func() { pr.glyphRun(glyphs, 100, 50, 4) })
	var widths float64
	for _, g := range glyphs[3:5] {
		widths += g.width
	}
	end := 100 + wide("m m") + 4
	rendertest.WantText(t, got, "nn", end, 50)
	rendertest.WantText(t, got, "n", end+widths+30, 50)
}
