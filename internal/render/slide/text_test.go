package slide

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestSlideTextBreaksInsideItsShape(t *testing.T) {
	t.Parallel()
	pdf, findings := slide(t, rendertest.Box(100, 50, 120, 200, "rect", `<a:p><a:r><a:rPr sz="2000"/><a:t>first words that need several lines last</a:t></a:r></a:p>`))
	if len(findings) != 0 {
		t.Errorf("findings: %v", findings)
	}
	words := rendertest.Words(t, pdf)
	first, last := rendertest.Find(t, words, "first"), rendertest.Find(t, words, "last")
	rendertest.Near(t, "the start of the text", first.Left, 100, 1)
	if down := last.Base - first.Base; math.Abs(math.Mod(down, 24)) > 0.1 || down < 24 {
		t.Errorf("the last line is %.2f below the first, want a multiple of 24", down)
	}
}

func TestSlideWithoutRoomForTextStillEnds(t *testing.T) {
	t.Parallel()
	pdf, _ := slide(t, rendertest.Box(10, 10, 0, 0, "rect", `<a:p><a:r><a:t>a b</a:t></a:r><a:br/></a:p><a:p/>`))
	rendertest.Tool(t, pdf, "qpdf", "--check", "FILE")
}

func TestSlideWithAbsurdNumbersEnds(t *testing.T) {
	t.Parallel()
	for _, attrs := range []string{`<a:lnSpc><a:spcPts val="-999999"/></a:lnSpc>`, `<a:lnSpc><a:spcPct val="99999999999"/></a:lnSpc>`, `<a:spcBef><a:spcPts val="-2147483648"/></a:spcBef>`} {
		body := `<a:p><a:pPr marL="-99999999" indent="99999999999">` + attrs + `</a:pPr><a:r><a:rPr sz="400000" spc="-400000" baseline="-2147483648"/><a:t>a b c</a:t></a:r></a:p>`
		shrinking := strings.Replace(rendertest.Box(10, 10, 100, 5, "rect", body+body), `bIns="0"/>`, `bIns="0"><a:normAutofit fontScale="1"/></a:bodyPr>`, 1)
		pdf, _ := slide(t, shrinking)
		rendertest.Tool(t, pdf, "qpdf", "--check", "FILE")
	}
}

// The box of text tests: 200 by 100 points at 100, 50; its middle is at 200, 100.
var textBox = dml.Rect{X: 100, Y: 50, W: 200, H: 100}

func TestTextStandsInItsBox(t *testing.T) {
	t.Parallel()
	mm := wide("mm")
	for _, c := range []struct {
		name        string
		change      func(*dml.TextBody)
		x, y, angle float64 // where its baseline, 10 points below the top of the line, begins
	}{
		{"at the top", func(*dml.TextBody) {}, 100, 60, 0},
		{"in the middle", func(b *dml.TextBody) { b.Anchor = "ctr" }, 100, 50 + 44 + 10, 0},
		{"at the bottom", func(b *dml.TextBody) { b.Anchor = "b" }, 100, 150 - 12 + 10, 0},
		{"inside insets", func(b *dml.TextBody) { b.Left, b.Top, b.Right, b.Bottom = 5, 7, 11, 13 }, 105, 67, 0},
		{"inside insets, at the bottom", func(b *dml.TextBody) { b.Left, b.Top, b.Right, b.Bottom, b.Anchor = 5, 7, 11, 13, "b" }, 105, 150 - 13 - 12 + 10, 0},
		{"inside insets, at the right", func(b *dml.TextBody) { b.Left, b.Right, b.Paragraphs[0].Align = 5, 11, "r" }, 300 - 11 - mm, 60, 0},
		{"centred as a block", func(b *dml.TextBody) { b.Centered = true }, 200 - mm/2, 60, 0},
		{"not wrapped", func(b *dml.TextBody) { b.NoWrap = true }, 100, 60, 0},
		{"not wrapped, inside insets", func(b *dml.TextBody) { b.NoWrap, b.Left, b.Top, b.Right = true, 5, 7, 11 }, 105, 67, 0},
		{"not wrapped, centred", func(b *dml.TextBody) { b.NoWrap, b.Left, b.Right, b.Paragraphs[0].Align = true, 5, 11, "ctr" }, 100 + 5 + 184.0/2 - mm/2, 60, 0},
		{"not wrapped, at the right", func(b *dml.TextBody) { b.NoWrap, b.Left, b.Right, b.Paragraphs[0].Align = true, 5, 11, "r" }, 300 - 11 - mm, 60, 0},
		{"not wrapped, stretched", func(b *dml.TextBody) { b.NoWrap, b.Paragraphs[0].Align = true, "just" }, 100, 60, 0},
		{"not wrapped, centred as a block", func(b *dml.TextBody) { b.NoWrap, b.Centered = true, true }, 200 - mm/2, 60, 0},
		{"not wrapped, at the bottom", func(b *dml.TextBody) { b.NoWrap, b.Anchor = true, "b" }, 100, 150 - 12 + 10, 0},
		{"not wrapped, in a box that follows it", func(b *dml.TextBody) { b.NoWrap, b.Grow, b.Left = true, true, 5 }, 105, 60, 0},
		{"not wrapped, at the right of a box that follows it", func(b *dml.TextBody) { b.NoWrap, b.Grow, b.Paragraphs[0].Align = true, true, "r" }, 300 - mm, 60, 0},
		{"not wrapped, without room", func(b *dml.TextBody) { b.NoWrap, b.Left, b.Right = true, 150, 150 }, 250, 60, 0},
		{"not wrapped, downwards", func(b *dml.TextBody) { b.NoWrap, b.Vertical, b.Left, b.Top = true, "vert", 5, 7 }, 300 - 7 - 10, 50 + 5, 90},
		{"not wrapped, upwards", func(b *dml.TextBody) { b.NoWrap, b.Vertical, b.Left = true, "vert270", 5 }, 100 + 10, 150 - 5, -90},
		{"turned by hand", func(b *dml.TextBody) { b.Rotation = 180 }, 300, 140, 180},
		{"turned all around", func(b *dml.TextBody) { b.Rotation = 720 }, 100, 60, 0},
		// Turned clockwise: the top of the text is at the right, and the box as wide as it was high.
		{"downwards", func(b *dml.TextBody) { b.Vertical = "vert" }, 300 - 10, 50, 90},
		{"downwards, as East Asian text", func(b *dml.TextBody) { b.Vertical = "eaVert" }, 300 - 10, 50, 90},
		{"downwards, as Mongolian text", func(b *dml.TextBody) { b.Vertical = "mongolianVert" }, 300 - 10, 50, 90},
		{"downwards, as a stack of letters", func(b *dml.TextBody) { b.Vertical = "wordArtVert" }, 300 - 10, 50, 90},
		{"downwards, as a stack from the right", func(b *dml.TextBody) { b.Vertical = "wordArtVertRtl" }, 300 - 10, 50, 90},
		{"upwards", func(b *dml.TextBody) { b.Vertical = "vert270" }, 100 + 10, 150, -90},
		{"downwards, at the end", func(b *dml.TextBody) { b.Vertical, b.Paragraphs[0].Align = "vert", "r" }, 300 - 10, 150 - mm, 90},
		{"downwards, at the bottom", func(b *dml.TextBody) { b.Vertical, b.Anchor = "vert", "b" }, 100 + 2, 50, 90},
		{"downwards, inside insets", func(b *dml.TextBody) { b.Vertical, b.Left, b.Top = "vert", 5, 7 }, 300 - 7 - 10, 50 + 5, 90},
		{"downwards, inside insets, at the far corner", func(b *dml.TextBody) {
			b.Vertical, b.Right, b.Bottom, b.Anchor, b.Paragraphs[0].Align = "vert", 11, 13, "b", "r"
		}, 100 + 13 + 2, 150 - 11 - mm, 90},
		{"level", func(b *dml.TextBody) { b.Vertical = "horz" }, 100, 60, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := body(paragraph(run("mm")))
			c.change(b)
			pr := printer()
			got := drawnBy(t, pr, func() { pr.text(b, textBox, false) })
			rendertest.WantText(t, got, "mm", c.x, c.y)
			turned := math.Mod(rendertest.TextOf(t, got, "mm").Angle-c.angle+360, 360)
			rendertest.Near(t, "the angle beyond the one that is wanted", min(turned, 360-turned), 0, near)
		})
	}
	pr := printer()
	got := drawnBy(t, pr, func() { pr.text(body(paragraph(run("mm"))), textBox, true) })
	rendertest.WantText(t, got, "mm", 300, 140)
	pr = printer()
	if got := drawnBy(t, pr, func() { pr.text(body(), textBox, false) }); len(got) > 0 {
		t.Errorf("no paragraphs: got %v", got)
	}
}

func TestTextWithoutRoomStandsInTheMiddleOfIt(t *testing.T) {
	t.Parallel()
	pr := printer()
	got := drawnBy(t, pr, func() { pr.textIn(body(paragraph(run("n"))), dml.Rect{X: 100, Y: 50, W: -20, H: 10}) })
	rendertest.WantText(t, got, "n", 90-0.5, 60)
}

func TestParagraphsFollowEachOther(t *testing.T) {
	t.Parallel()
	first, second, third := paragraph(run("n")), paragraph(run("m")), paragraph()
	first.Before, first.After = dml.Spacing{Points: 50}, dml.Spacing{Points: 6}
	second.Before, second.After = dml.Spacing{Percent: 0.5}, dml.Spacing{Percent: 0.2}
	third.Before, third.End.Size = dml.Spacing{Percent: 1}, 30
	l := printer().set(body(first, second, third), 100, 1, 1)
	// Nothing is above the first; an empty one is as high as its end, of 30 points.
	wantBefore, wantHeight := []float64{0, 6 + 5, 2 + 30}, []float64{12, 12, 36}
	for i, line := range l.lines {
		rendertest.Near(t, "the space above a line", line.before, wantBefore[i], near)
		rendertest.Near(t, "its height", line.height, wantHeight[i], near)
	}
	rendertest.Near(t, "all together", l.height, 12+11+12+32+36, near)
	rendertest.Near(t, "the widest line", l.width, wide("m"), near)
	half := printer().set(body(first, second, third), 100, 0.5, 0.25)
	rendertest.Near(t, "at half the size and a quarter of the spacing", half.height, 6+(6+5)/4.0+6+(2+30)/4.0+18, near)
}

// Spacing in percent moves a line from the one above it; in points it is the
// distance of baselines (ECMA-376 part 1, 21.1.2.2.5).
func TestLinesAreAsHighAsTheirTextAndSpacing(t *testing.T) {
	t.Parallel()
	large := run("n")
	large.Size = 20
	for _, c := range []struct {
		name           string
		runs           []*dml.TextRun
		spacing        dml.Spacing
		ascent, height float64
	}{
		{"as they are", []*dml.TextRun{run("n")}, dml.Spacing{}, 10, 12},
		{"one line", []*dml.TextRun{run("n")}, dml.Spacing{Percent: 1}, 10, 12},
		{"the largest text", []*dml.TextRun{run("n"), large, run("n")}, dml.Spacing{}, 20, 24},
		{"one and a half lines", []*dml.TextRun{run("n")}, dml.Spacing{Percent: 1.5}, 16, 18},
		{"half a line", []*dml.TextRun{run("n")}, dml.Spacing{Percent: 0.5}, 4.8, 6},
		{"almost a line", []*dml.TextRun{run("n")}, dml.Spacing{Percent: 0.9}, 0.9 * 12 * 0.8, 0.9 * 12},
		{"more points", []*dml.TextRun{run("n")}, dml.Spacing{Points: 15}, 13, 15},
		{"less points", []*dml.TextRun{run("n")}, dml.Spacing{Points: 5, Percent: 3}, 3, 5},
		{"no text, after a large run", []*dml.TextRun{run(""), {Font: "Arial", Size: 30}}, dml.Spacing{}, 30, 36},
	} {
		p := paragraph(c.runs...)
		p.LineSpacing = c.spacing
		line := printer().set(body(p), 100, 1, 1).lines[0]
		rendertest.Near(t, c.name+": ascent", line.ascent, c.ascent, near)
		rendertest.Near(t, c.name+": height", line.height, c.height, near)
	}
	p := paragraph(run("n"))
	p.LineSpacing.Points = 15
	line := printer().set(body(p), 100, 0.5, 0.8).lines[0]
	rendertest.Near(t, "points at a smaller scale: height", line.height, 12, near)
	rendertest.Near(t, "points at a smaller scale: ascent", line.ascent, 5+6, near)
	cell := body(paragraph(run("n")))
	cell.InCell = true
	face := pdf.EmbeddedFonts().Face("Arial", false, false)
	line = printer().set(cell, 100, 1, 1).lines[0]
	rendertest.Near(t, "in a cell, as the font says: ascent", line.ascent, face.Ascent(10), near)
	rendertest.Near(t, "in a cell, as the font says: height", line.height, face.Ascent(10)+face.Descent(10), near)
}

func TestTextShrinksUntilItFits(t *testing.T) {
	t.Parallel()
	lines := func(count, empty int) (all []*dml.TextParagraph) {
		for range count {
			all = append(all, paragraph(run("n")))
		}
		for range empty {
			all = append(all, paragraph())
		}
		return all
	}
	for _, c := range []struct {
		name       string
		shrinks    bool
		paragraphs []*dml.TextParagraph
		room       float64
		typeset    int
		want       float64 // the height of all lines
	}{
		{"it may not", false, lines(10, 0), 60, 0, 120},
		{"it fits", true, lines(10, 0), 120, 0, 120},
		{"almost", true, lines(10, 0), 119.9, 0, 118.8},
		{"into half", true, lines(10, 0), 60, 0, 60},
		{"into two thirds", true, lines(10, 0), 80, 0, 79.2},
		{"empty paragraphs at the end need no room", true, lines(7, 3), 84, 0, 120},
		{"but are set", true, lines(7, 3), 42, 0, 60},
		{"those between text count", true, append(lines(3, 2), lines(5, 0)...), 60, 0, 60},
		{"there is nothing but empty ones", true, lines(0, 10), 60, 0, 120},
		{"down to a tenth", true, lines(10, 0), 1, 0, 12},
		{"without any room it does not", true, lines(10, 0), 0, 0, 120},
		{"when too much was set it is set once more", true, lines(10, 0), 60, maxTypeset + 1, 120},
	} {
		pr := printer()
		pr.typeset = c.typeset
		b := body(c.paragraphs...)
		b.Shrink = c.shrinks
		rendertest.Near(t, c.name, pr.fit(b, dml.Rect{W: 100, H: c.room}).height, c.want, near)
	}
}

// A line is 1.2 times as high as its letters. As in LibreOffice: the end of a paragraph
// says how high a line is that has nothing but it, and a paragraph without text.
func TestTheEndOfAParagraphIsAsHighAsItSays(t *testing.T) {
	t.Parallel()
	sized := func(text string, size float64) *dml.TextRun {
		r := run(text)
		r.Size, r.IsBreak = size, text == "\n"
		if r.IsBreak {
			r.Text = ""
		}
		return r
	}
	for _, c := range []struct {
		name   string
		hasEnd bool
		runs   []*dml.TextRun
		want   float64
	}{
		{"text and a break", true, []*dml.TextRun{sized("x", 30), sized("\n", 30)}, 36 + 12}, {"without an end", false, []*dml.TextRun{sized("x", 30), sized("\n", 20)}, 36 + 24},
		{"a break alone", true, []*dml.TextRun{sized("\n", 30)}, 12 + 12}, {"behind an empty run", true, []*dml.TextRun{sized("", 30), sized("\n", 30)}, 12 + 12},
		{"an empty run", true, []*dml.TextRun{sized("", 30)}, 12}, {"an empty run without an end", false, []*dml.TextRun{sized("", 30)}, 36},
	} {
		p := paragraph(c.runs...)
		p.End.Size, p.HasEnd = 10, c.hasEnd
		rendertest.Near(t, c.name, printer().set(body(p), 100, 1, 1).height, c.want, near)
	}
}

// LibreOffice takes the bullet from an empty point of a slide's outline, and with it the
// point's level: half a centimetre stands above it.
func TestAnEmptyPointOfAnOutlineStandsApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		isOutline bool
		level     int
		bullet    string
		want      float64 // of three lines of 12 points, 2 points above the second and third
	}{{true, 1, "•", 36 + 2 + 14.17}, {false, 1, "•", 36 + 4}, {true, 0, "•", 36 + 4}, {true, 1, "", 36 + 4}} {
		first, empty, last := paragraph(run("n")), paragraph(), paragraph(run("n"))
		empty.Level, empty.Bullet.Char, empty.End.Size, empty.HasEnd = c.level, c.bullet, 10, true
		empty.Before.Points, last.Before.Points = 2, 2
		b := body(first, empty, last)
		b.IsOutline = c.isOutline
		rendertest.Near(t, fmt.Sprintf("%+v", c), printer().set(b, 100, 1, 1).height, c.want, near)
	}
}

// LibreOffice scales indents by the scale of letters that it finds over the one that
// the file names.
func TestIndentsOfShrunkTextFollowItsLetters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		shrinks     bool
		scale, room float64
		want        float64 // the indent
	}{{true, 1, 240, 40}, {true, 0.5, 240, 80}, {true, 0.8, 240, 50}, {true, 1, 120, 20}, {true, 0.5, 120, 40}, {false, 0.5, 120, 40}} {
		var all []*dml.TextParagraph
		for range 20 {
			p := paragraph(run("n"))
			p.Left, p.Indent, p.Bullet.Char = 40, -40, "•"
			all = append(all, p)
		}
		b := body(all...)
		b.Shrink, b.FontScale = c.shrinks, c.scale
		layout := printer().fit(b, dml.Rect{W: 200, H: c.room})
		rendertest.Near(t, fmt.Sprintf("%+v", c), layout.lines[0].left, c.want, near)
		rendertest.Near(t, fmt.Sprintf("the bullet of %+v", c), layout.lines[0].bullet.x, 0, near)
	}
}

func TestLettersAreSetAsTheirRunSays(t *testing.T) {
	t.Parallel()
	face := pdf.EmbeddedFonts().Face("Arial", false, false)
	advance := func(r rune, size float64) float64 {
		w, _ := face.Advance(r, size)
		return w
	}
	for _, c := range []struct {
		name   string
		change func(*dml.TextRun)
		want   string
		sizes  []float64
		widths []float64
	}{
		{"as they are", func(r *dml.TextRun) { r.Text = "nM" }, "nM", []float64{10, 10}, []float64{advance('n', 10), advance('M', 10)}},
		{"capitals", func(r *dml.TextRun) { r.Text, r.Caps = "nM1", "all" }, "NM1", []float64{10, 10, 10}, []float64{advance('N', 10), advance('M', 10), advance('1', 10)}},
		{"small capitals", func(r *dml.TextRun) { r.Text, r.Caps = "nM", "small" }, "NM", []float64{8, 10}, []float64{advance('N', 8), advance('M', 10)}},
		{"raised", func(r *dml.TextRun) { r.Text, r.Baseline = "n", 0.3 }, "n", []float64{5.8}, []float64{advance('n', 5.8)}},
		{"apart", func(r *dml.TextRun) { r.Text, r.Spacing = "nn", 3 }, "nn", []float64{10, 10}, []float64{advance('n', 10) + 3, advance('n', 10) + 3}},
		{"kerned", func(r *dml.TextRun) { r.Text = "AV" }, "AV", []float64{10, 10}, []float64{advance('A', 10) + face.Kern('A', 'V', 10), advance('V', 10)}},
		{"a tab", func(r *dml.TextRun) { r.Text = "\t" }, "\t", []float64{10}, []float64{0}},
		{"what does not show", func(r *dml.TextRun) { r.Text = "n\u200Dn" }, "nn", []float64{10, 10}, []float64{advance('n', 10), advance('n', 10)}},
		{"breaks in text", func(r *dml.TextRun) { r.Text = "\v\n" }, "\n\n", []float64{10, 10}, []float64{0, 0}},
		{"a break", func(r *dml.TextRun) { r.Text, r.IsBreak = "", true }, "\n", []float64{10}, []float64{0}},
		{"a slide's number", func(r *dml.TextRun) { r.Text, r.Field = "‹#›", "slidenum" }, "7", []float64{10}, []float64{advance('7', 10)}},
		{"another field", func(r *dml.TextRun) { r.Text, r.Field = "1", "datetime" }, "1", []float64{10}, []float64{advance('1', 10)}},
	} {
		r := run("")
		c.change(r)
		got := ""
		for i, g := range printer().glyphs(paragraph(r), 1) {
			got += string(g.r)
			if i >= len(c.sizes) {
				break
			}
			rendertest.Near(t, c.name+": size", g.size, c.sizes[i], near)
			rendertest.Near(t, c.name+": width", g.width, c.widths[i], near)
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	spaced := run("n")
	spaced.Spacing = 4
	g := printer().glyphs(paragraph(spaced), 0.5)[0]
	rendertest.Near(t, "at half the scale: size", g.size, 5, near)
	rendertest.Near(t, "at half the scale: width", g.width, advance('n', 5)+2, near)
	if face.Kern('A', 'V', 10) == 0 {
		t.Error("the font has no kerning for AV, which does not suit this test")
	}
}

func TestKerningEndsWithARun(t *testing.T) {
	t.Parallel()
	w, _ := pdf.EmbeddedFonts().Face("Arial", false, false).Advance('A', 10)
	rendertest.Near(t, "the width of A", printer().glyphs(paragraph(run("A"), run("V")), 1)[0].width, w, near)
}

// Wingdings' letter at F0A7 is a small black square ([MS-OE376] 2.1.1, symbol fonts).
func TestLettersOfSymbolFontsAreSigns(t *testing.T) {
	t.Parallel()
	r := run("\uF0A7")
	r.Font = "Wingdings"
	pr := printer()
	got := pr.glyphs(paragraph(r), 1)
	if len(got) != 1 || got[0].r != '▪' || len(pr.Findings.All()) > 0 {
		t.Errorf("got %c and %v, want ▪ and no finding", got[0].r, pr.Findings.All())
	}
}

func TestSignsLookLikeTheTextBehindThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		bullet dml.Bullet
		want   string
		size   float64
		color  dml.RGB
		bold   bool
	}{
		{"a sign", dml.Bullet{Char: "o"}, "o", 10, red, false},
		{"a number", dml.Bullet{Number: "arabicPeriod"}, "4.", 10, red, true},
		{"half as large", dml.Bullet{Char: "o", Scale: 0.5}, "o", 5, red, false},
		{"a quarter at least", dml.Bullet{Char: "o", Scale: 0.1}, "o", 2.5, red, false},
		{"four times at most", dml.Bullet{Char: "o", Scale: 9}, "o", 40, red, false},
		{"in points", dml.Bullet{Char: "o", Points: 7}, "o", 7, red, false},
		{"in its own colour", dml.Bullet{Char: "o", Color: &blue}, "o", 10, blue, false},
		{"in its own font", dml.Bullet{Char: "o", Font: "Courier New"}, "o", 10, red, false},
	} {
		r := run("n")
		r.Color, r.Bold, r.Underline, r.Strike, r.Link, r.Caps, r.Spacing, r.Baseline = red, true, "sng", true, "https://example.com/", "all", 3, 0.3
		p := paragraph(r)
		p.Bullet, p.Left, p.Indent = c.bullet, 30, -20
		pr := printer()
		b := pr.bullet(p, pr.glyphs(p, 1), 4, 1)
		got := ""
		for _, g := range b.glyphs {
			got += string(g.r)
		}
		g := b.glyphs[0]
		if got != c.want || math.Abs(g.size-c.size) > near || g.run.Color != c.color || g.run.Bold != c.bold || b.x != 10 {
			t.Errorf("%s: got %q of %g points, %v, bold: %t, at %g; want %q of %g, %v, %t, at 10", c.name, got, g.size, g.run.Color, g.run.Bold, b.x, c.want, c.size, c.color, c.bold)
		}
		if g.run.Underline != "" || g.run.Strike || g.run.Link != "" {
			t.Errorf("%s: got %+v, want no line and no address", c.name, g.run)
		}
		if c.bullet.Font != "" && g.face == pr.fonts.Face("Arial", c.bold, false) {
			t.Errorf("%s: got the font of the text", c.name)
		}
	}
}

func TestParagraphsWithoutTextHaveNoSign(t *testing.T) {
	t.Parallel()
	pr := printer()
	p := paragraph()
	p.Bullet.Char = "o"
	if got := pr.bullet(p, nil, 0, 1); got != nil {
		t.Errorf("no text: got %+v", got)
	}
	p = paragraph(run("n"))
	if got := pr.bullet(p, pr.glyphs(p, 1), 0, 1); got != nil {
		t.Errorf("no sign: got %+v", got)
	}
	p.Bullet.Char, p.Left, p.Indent = "o", 10, -20
	if got := pr.bullet(p, pr.glyphs(p, 1), 0, 1); got.x != 0 {
		t.Errorf("got a sign at %g, want 0 at least", got.x)
	}
}

func TestWideSignsPushTheirTextAside(t *testing.T) {
	t.Parallel()
	for bullet, want := range map[string]float64{"o": 30, "ooooooooo": 10 + wide("ooooooooo")} {
		p := paragraph(run("n"), lineBreak(), run("n"))
		p.Bullet.Char, p.Left, p.Indent = bullet, 30, -20
		lines := printer().set(body(p), 200, 1, 1).lines
		rendertest.Near(t, "the first line behind "+bullet, lines[0].left, want, near)
		rendertest.Near(t, "the second line", lines[1].left, 30, near)
		if lines[1].bullet != nil {
			t.Errorf("the second line has the sign %+v", lines[1].bullet)
		}
	}
}

func TestSignsStandInTheMiddleOfTheirLineAndNumbersOnIt(t *testing.T) {
	t.Parallel()
	face := pdf.EmbeddedFonts().Face("Arial", false, false)
	p := paragraph(run("n"))
	p.Bullet.Char, p.Bullet.Points = "o", 6
	// The line reaches from 10 above to 2 below: its middle is 4 above the baseline.
	up, down := face.Ascent(6), face.Descent(6)
	rendertest.Near(t, "a sign", printer().set(body(p), 200, 1, 1).lines[0].bullet.raised, 4-(up-down)/2, near)
	p.LineSpacing.Percent = 2
	rendertest.Near(t, "a sign of a line that is moved down", printer().set(body(p), 200, 1, 1).lines[0].bullet.raised, 4-(up-down)/2, near)
	p.Bullet = dml.Bullet{Number: "arabicPeriod"}
	rendertest.Near(t, "a number", printer().set(body(p), 200, 1, 1).lines[0].bullet.raised, 0, near)
}

func TestEastAsianLettersStandApartFromLatinOnes(t *testing.T) {
	t.Parallel()
	width := func(text string) float64 {
		return glyphsWidth(printer().glyphs(paragraph(run(text)), 1))
	}
	size := run("").Size
	for text, gaps := range map[string]float64{"中a": 1, "1中": 1, "中a中": 2, "中中": 0, "中，": 0, "中 a": 0, "ab": 0} {
		apart := 0.0
		for _, r := range text {
			apart += width(string(r))
		}
		rendertest.Near(t, text, width(text)-apart, gaps*0.24*size, 0.01)
	}
}

func TestTextThatReachesOverTheEdgeOfItsSlideIsTold(t *testing.T) {
	t.Parallel()
	const text = `<a:p><a:r><a:t>one</a:t></a:r></a:p><a:p><a:r><a:t>two</a:t></a:r></a:p><a:p><a:r><a:t>three</a:t></a:r></a:p>`
	for y, want := range map[int]int{100: 0, 500: 1, 600: 1} {
		_, findings := slide(t, rendertest.Box(100, y, 200, 30, "rect", text))
		if len(findings) != want {
			t.Errorf("a box at %d: got the findings %+v, want %d", y, findings, want)
		}
	}
}

func TestTextBesideTheSlideIsToldWithItsSlide(t *testing.T) {
	t.Parallel()
	box := func(x, y float64, text *dml.TextBody) *pml.Shape {
		return &pml.Shape{Kind: pml.ShapePlain, Frame: dml.Rect{X: x, Y: y, W: 100, H: 20}, Text: text}
	}
	long := body(paragraph(run(strings.Repeat("a line that does not wrap ", 12))))
	long.NoWrap = true
	outside := []render.Finding{{Code: render.FindingTruncated, Message: "text stands outside the slide: slide 7"}}
	below := []render.Finding{{Code: render.FindingTruncated, Message: "text that is longer than its box reaches over the lower edge: slide 7"}}
	for what, c := range map[string]struct {
		shape *pml.Shape
		want  []render.Finding
	}{
		"on the slide":     {box(10, 10, body(paragraph(run("text")))), nil},
		"beside the slide": {box(700, 10, body(paragraph(run("text")))), outside},
		"a long line":      {box(250, 10, long), outside},
		"over the edge":    {box(10, 395, body(paragraph(run("text")), paragraph(run("text")))), below},
	} {
		pr := printer()
		drawnBy(t, pr, func() { pr.slide(&pml.Slide{Number: 7, Shapes: []*pml.Shape{c.shape}}) })
		if got := pr.Findings.All(); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", what, got, c.want)
		}
	}
}

func TestUnwrappedTextThatIsWiderThanItsBoxKeepsItsEdge(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("m", 30)
	width := wide(long)
	for align, want := range map[string]float64{"l": 105, "ctr": 105 + (200-5-11-width)/2, "r": 300 - 11 - width} {
		for _, isGrown := range []bool{false, true} {
			b := body(paragraph(run(long)))
			b.NoWrap, b.Grow, b.Left, b.Right, b.Paragraphs[0].Align = true, isGrown, 5, 11, align
			pr := printer()
			got := drawnBy(t, pr, func() { pr.text(b, textBox, false) })
			if at := rendertest.TextOf(t, got, long).X[0]; math.Abs(at-want) > near {
				t.Errorf("%s, grown %t: the text begins at %v, want %v", align, isGrown, at, want)
			}
			if !isGrown {
				continue
			}
			f := pr.grown(&pml.Shape{Text: b, Frame: textBox, Line: &dml.ShapeLine{}}, textBox)
			if math.Abs(f.X-(want-5)) > near || math.Abs(f.W-(width+5+11)) > near {
				t.Errorf("%s: the frame begins at %v and is %v wide, want %v and %v", align, f.X, f.W, want-5, width+5+11)
			}
		}
	}
}
