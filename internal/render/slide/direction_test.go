package slide

import (
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestLinesFromRightToLeftStandInVisualOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		p     *dml.TextParagraph
		width float64
		want  string
	}{
		{"Hebrew", &dml.TextParagraph{RightToLeft: true, Runs: []*dml.TextRun{run("אב גד")}}, 400, "דג בא"},
		{"English in Hebrew", &dml.TextParagraph{RightToLeft: true, Runs: []*dml.TextRun{run("אב one 12 גד")}}, 400, "דג one 12 בא"},
		{"Hebrew in English", &dml.TextParagraph{Runs: []*dml.TextRun{run("one אב גד two")}}, 400, "one דג בא two"},
		{"lines are filled first", &dml.TextParagraph{RightToLeft: true, Runs: []*dml.TextRun{run("אב גד")}}, 20, "בא |דג"},
	} {
		if got := read(broken(c.p, c.width, false)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestArabicLettersOfSlidesJoin(t *testing.T) {
	t.Parallel()
	width := func(text string) float64 {
		return broken(&dml.TextParagraph{RightToLeft: true, Runs: []*dml.TextRun{run(text)}}, 400, false)[0].width
	}
	if one, three := width("ع"), width("ععع"); three > 2.8*one {
		t.Errorf("three letters are %.1f points wide, one alone %.1f: want joined ones, which are narrower", three, one)
	}
	if joined, apart := width("عع"), width("ع\u200Cع"); apart <= joined {
		t.Errorf("two letters with a mark between them that parts them are %.1f points wide, joined ones %.1f: want wider ones", apart, joined)
	}
}

func TestParagraphsFromRightToLeftBeginAtTheRight(t *testing.T) {
	t.Parallel()
	p := paragraph(run("mm"))
	p.RightToLeft, p.Align, p.Left, p.Indent, p.Bullet = true, "r", 30, -20, dml.Bullet{Char: "n"}
	pr := printer()
	line := broken(p, 400, false)[0]
	line.paragraph, line.bullet = p, pr.bullet(p, line.glyphs, 0, 1)
	got := drawnBy(t, pr, func() { pr.line(&line, 100, 50, 400, false) })
	rendertest.WantText(t, got, "n", 500-10-wide("n"), 50)
	rendertest.WantText(t, got, "mm", 500-30-wide("mm"), 50)
}
