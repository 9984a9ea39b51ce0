package slide

import (
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/rendertest"
)

func TestSlideListsAreNumbered(t *testing.T) {
	t.Parallel()
	item := func(level, text string) string {
		return `<a:p><a:pPr marL="342900" indent="-342900" lvl="` + level + `"><a:buAutoNum type="arabicPeriod" startAt="3"/></a:pPr><a:r><a:t>` + text + `</a:t></a:r></a:p>`
	}
	pdf, _ := slide(t, rendertest.Box(100, 50, 300, 200, "rect", item("0", "one")+item("1", "inner")+item("0", "two")))
	if got := strings.Fields(rendertest.Tool(t, pdf, "pdftotext", "-layout", "FILE", "-")); strings.Join(got, " ") != "3. one 3. inner 4. two" {
		t.Errorf("got %q", got)
	}
}

func TestNumbersCountOnTheirLevel(t *testing.T) {
	t.Parallel()
	const none = -1 // no number
	type item struct{ level, start, want int }
	for name, items := range map[string][]item{
		"on":                      {{0, 1, 1}, {0, 1, 2}, {0, 1, 3}},
		"from a number on":        {{0, 5, 5}, {0, 5, 6}},
		"again below each":        {{0, 1, 1}, {1, 1, 1}, {1, 1, 2}, {0, 1, 2}, {1, 1, 1}},
		"on behind what is below": {{0, 1, 1}, {2, 1, 1}, {8, 1, 1}, {2, 1, 2}, {0, 1, 2}},
		"again behind a paragraph without number":     {{0, 1, 1}, {0, none, 0}, {0, 1, 1}},
		"on behind a deeper paragraph without number": {{0, 1, 1}, {1, none, 0}, {0, 1, 2}},
	} {
		var counters [9]int
		for i, it := range items {
			p := &dml.TextParagraph{Level: it.level}
			if it.start != none {
				p.Bullet = dml.Bullet{Number: "arabicPeriod", Start: it.start}
			}
			if got := countParagraph(&counters, p); got != it.want {
				t.Errorf("they count %s, paragraph %d: got %d, want %d", name, i, got, it.want)
			}
		}
	}
}

func TestPointsWithoutTextAreNotCounted(t *testing.T) {
	t.Parallel()
	numbered := func(text string) *dml.TextParagraph {
		p := paragraph()
		if text != "" {
			p = paragraph(run(text))
		}
		p.Left, p.Indent, p.Bullet = 20, -20, dml.Bullet{Number: "arabicPeriod", Start: 1}
		return p
	}
	sh := plain(100, 50, 200, 100, red)
	sh.Text = body(numbered("mm"), numbered(""), numbered("nn"), numbered(""))
	var got []string
	for _, m := range drawnShapes(t, sh) {
		if m.Text != "" {
			got = append(got, m.Text)
		}
	}
	if want := []string{"1.", "mm", "2.", "nn"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
