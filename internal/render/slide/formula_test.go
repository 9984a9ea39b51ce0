package slide

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

func formulaText(size, content string) string {
	return strings.ReplaceAll(rendertest.MathRow(content), `<m:t`, `<a:rPr sz="`+size+`"/><m:t`)
}

// PowerPoint keeps formulas in a choice that it understands, with a picture for others.
func TestAFormulaOnASlideIsDrawn(t *testing.T) {
	t.Parallel()
	fraction := formulaText("2000", rendertest.Math("f", "", "num", "a", "den", "b"))
	for what, body := range map[string]string{
		"in a text": `<a:p><a:r><a:rPr sz="2000"/><a:t>before </a:t></a:r><a14:m><m:oMath>` + fraction + `</m:oMath></a14:m><a:r><a:rPr sz="2000"/><a:t> behind</a:t></a:r></a:p>`,
		"displayed": `<a:p><a:r><a:rPr sz="2000"/><a:t>before </a:t></a:r><a14:m><m:oMathPara><m:oMath>` + fraction + `</m:oMath></m:oMathPara></a14:m><a:r><a:rPr sz="2000"/><a:t>behind</a:t></a:r></a:p>`,
	} {
		file, findings := slide(t, rendertest.Box(10, 10, 400, 200, "rect", body))
		words := rendertest.Words(t, file)
		if len(findings) > 0 {
			t.Errorf("%s: got findings %v", what, findings)
		}
		before, a, b, behind := rendertest.Find(t, words, "before"), rendertest.Find(t, words, "a"), rendertest.Find(t, words, "b"), rendertest.Find(t, words, "behind")
		if a.Base >= b.Base || (behind.Base == before.Base) != (what == "in a text") {
			t.Errorf("%s: got %v, %v, %v and %v", what, before, a, b, behind)
		}
		if isBeside := a.Left > before.Right && a.Right < behind.Left; isBeside != (what == "in a text") {
			t.Errorf("%s: got the formula at %v, its text at %v and %v", what, a, before, behind)
		}
	}
}

func TestAShapeWithAFormulaAloneHasText(t *testing.T) {
	t.Parallel()
	body := `<mc:AlternateContent><mc:Choice Requires="a14">` + rendertest.Box(10, 10, 400, 200, "rect", `<a:p><a14:m><m:oMathPara><m:oMath>`+formulaText("2400", "x=y")+`</m:oMath></m:oMathPara></a14:m></a:p>`) +
		`</mc:Choice><mc:Fallback>` + rendertest.Box(10, 10, 400, 200, "rect", `<a:p><a:r><a:t>other</a:t></a:r></a:p>`) + `</mc:Fallback></mc:AlternateContent>`
	file, _ := slide(t, body)
	var all []string
	for _, w := range rendertest.Words(t, file) {
		all = append(all, w.Text)
	}
	if got := strings.Join(all, ""); got != "x=y" {
		t.Errorf("got %q, want the formula", got)
	}
}
