package flow

import (
	"math"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/render/rendertest"
)

func inText(content string) string {
	return `<w:p><m:oMath>` + rendertest.MathRow(content) + `</m:oMath></w:p>`
}

func displayed(content string) string {
	return `<w:p><m:oMathPara><m:oMath>` + rendertest.MathRow(content) + `</m:oMath></m:oMathPara></w:p>`
}

// formulaOf lays a formula out that has a line of its own.
func formulaOf(t *testing.T, content string) sheet {
	t.Helper()
	pdf, findings := laidOut(t, rendertest.Docx{Body: displayed(content), Section: squaredPage})
	if len(findings) > 0 {
		t.Errorf("%s: got findings %v, want none", content, findings)
	}
	return sheets(t, pdf)[0]
}

// A fraction's parts stand above and below its bar (22.1.2.36); those of one that is linear or
// skewed do not stand above each other.
func TestAFractionStandsOnItsBar(t *testing.T) {
	t.Parallel()
	fraction := func(kind string) (a, b mark, bars []mark) {
		s := formulaOf(t, rendertest.Math("f", rendertest.MathValue("type", kind), "num", "a", "den", "bcd"))
		return s.text(t, "a"), s.text(t, "b"), s.all("area")
	}
	a, b, bars := fraction("bar")
	if len(bars) != 1 || bars[0].top <= a.top || bars[0].bottom >= b.top || a.left <= b.left {
		t.Errorf("a bar: got %v, %v and %v, want a bar between, and the shorter part in the middle", a, b, bars)
	}
	a, b, bars = fraction("noBar")
	if len(bars) != 0 || a.top >= b.top {
		t.Errorf("no bar: got %v, %v and %v", a, b, bars)
	}
	a, b, bars = fraction("lin")
	if len(bars) != 0 || a.top != b.top || a.left >= b.left {
		t.Errorf("linear: got %v, %v and %v", a, b, bars)
	}
	a, b, bars = fraction("skw")
	if len(bars) != 0 || a.top >= b.top || a.left >= b.left {
		t.Errorf("skewed: got %v, %v and %v", a, b, bars)
	}
}

// In a text fractions and sums are smaller, so that lines stay together.
func TestAFormulaInATextIsSetSmaller(t *testing.T) {
	t.Parallel()
	content := rendertest.Math("f", "", "num", "a", "den", "b")
	apart := formulaOf(t, content).text(t, "a")
	pdf, _ := laidOut(t, rendertest.Docx{Body: inText(content), Section: squaredPage})
	if within := sheets(t, pdf)[0].text(t, "a"); within.size >= apart.size {
		t.Errorf("got a size of %v in a text, want less than %v", within.size, apart.size)
	}
}

func TestScriptsAreSmallAndRaisedOrLowered(t *testing.T) {
	t.Parallel()
	s := formulaOf(t, rendertest.Math("sSubSup", "", "e", "x", "sub", "1", "sup", "2"))
	x, sub, sup := s.text(t, "x"), s.text(t, "1"), s.text(t, "2")
	if sup.top >= x.top || sub.top <= x.top || sup.left <= x.left || sub.left <= x.left || sup.size >= x.size || sub.size != sup.size {
		t.Errorf("got %v, %v and %v", x, sub, sup)
	}
	s = formulaOf(t, rendertest.Math("sPre", "", "sub", "6", "sup", "12", "e", rendertest.MathRun(rendertest.MathValue("sty", "p"), "C")))
	if c := s.text(t, "C"); s.text(t, "6").left >= c.left || s.text(t, "1").left >= c.left || s.text(t, "6").top <= c.top || s.text(t, "1").top >= c.top {
		t.Errorf("in front: got %v", s.all("text"))
	}
}

func TestARootHasALineOverItAndItsDegree(t *testing.T) {
	t.Parallel()
	s := formulaOf(t, rendertest.Math("rad", "", "deg", "3", "e", "xyz"))
	root, x, deg := s.text(t, "√"), s.text(t, "x"), s.text(t, "3")
	over := s.all("area")
	if len(over) != 1 || over[0].bottom >= x.top || over[0].right-over[0].left < x.size || root.left >= x.left || deg.left >= x.left || deg.size >= x.size || deg.top >= x.top {
		t.Errorf("got %v and %v", s.all("text"), over)
	}
	s = formulaOf(t, rendertest.Math("rad", rendertest.MathValue("degHide", "1"), "deg", "3", "e", "x"))
	for _, m := range s.all("text") {
		if m.text == "3" {
			t.Error("a degree that is hidden is shown")
		}
	}
}

// Limits stand above and below a sum (undOvr) or beside it (subSup), and in a text beside it.
func TestASumHasItsLimits(t *testing.T) {
	t.Parallel()
	sum := func(place string) string {
		return rendertest.Math("nary", rendertest.MathValue("chr", "∑")+rendertest.MathValue("limLoc", place), "sub", "i", "sup", "n", "e", "x")
	}
	s := formulaOf(t, sum("undOvr"))
	sign, sub, sup, x := s.text(t, "∑"), s.text(t, "i"), s.text(t, "n"), s.text(t, "x")
	if sub.top <= sign.top || sup.top >= sign.top || x.left <= sign.left || sub.left > sign.left+sign.size || sub.left >= x.left || sup.left >= x.left {
		t.Errorf("above and below: got %v", s.all("text"))
	}
	s = formulaOf(t, sum("subSup"))
	if sign := s.text(t, "∑"); s.text(t, "i").left < sign.left+sign.size/3 || s.text(t, "n").left < sign.left+sign.size/3 {
		t.Errorf("beside: got %v", s.all("text"))
	}
	pdf, _ := laidOut(t, rendertest.Docx{Body: inText(sum("undOvr")), Section: squaredPage})
	s = sheets(t, pdf)[0]
	if sign := s.text(t, "∑"); s.text(t, "i").left < sign.left+sign.size/3 {
		t.Errorf("in a text: got %v", s.all("text"))
	}
}

// Brackets are as high as what they stand around, until they are told not to grow.
func TestBracketsGrow(t *testing.T) {
	t.Parallel()
	tall := func(properties, inside string) float64 {
		page, _ := paintedDocument(t, rendertest.Docx{Body: displayed(rendertest.Math("d", properties, "e", inside)), Section: squaredPage})
		top, bottom := math.Inf(1), math.Inf(-1)
		s := formulaOf(t, rendertest.Math("d", properties, "e", inside))
		left := s.marks[0].left
		for y := 0.0; y < 250; y++ {
			for x := left; x < left+5; x++ {
				if !page.White(x, y) {
					top, bottom = min(top, y), max(bottom, y)
				}
			}
		}
		return bottom - top
	}
	fraction := rendertest.Math("f", "", "num", rendertest.Math("f", "", "num", "a", "den", "b"), "den", "c")
	small, large, fixed := tall("", "x"), tall("", fraction), tall(rendertest.MathValue("grow", "0"), fraction)
	if large < 3*small || math.Abs(fixed-small) > 3 {
		t.Errorf("got heights of %.1f around a letter, %.1f around a fraction, %.1f where it may not grow", small, large, fixed)
	}
	s := formulaOf(t, rendertest.Math("d", rendertest.MathValue("begChr", "")+rendertest.MathValue("endChr", "}")+rendertest.MathValue("sepChr", ";"), "e", "x", "e", "y"))
	var all strings.Builder
	for _, m := range s.all("text") {
		all.WriteString(m.text)
	}
	if all.String() != "x;y}" {
		t.Errorf("got %q, want the brackets of the file", all.String())
	}
}

func TestAMatrixHasRowsAndColumns(t *testing.T) {
	t.Parallel()
	row := func(a, b string) string {
		return `<m:mr><m:e>` + rendertest.MathRow(a) + `</m:e><m:e>` + rendertest.MathRow(b) + `</m:e></m:mr>`
	}
	s := formulaOf(t, `<m:m><m:mPr><m:mcs><m:mc><m:mcPr><m:count m:val="1"/><m:mcJc m:val="right"/></m:mcPr></m:mc></m:mcs></m:mPr>`+row("a", "b")+row("cccc", "d")+`</m:m>`)
	a, b, c, d := s.text(t, "a"), s.text(t, "b"), s.text(t, "c"), s.text(t, "d")
	if a.top != b.top || c.top != d.top || c.top <= a.top || a.left <= c.left || b.left <= a.left || math.Abs(b.left-d.left) > 2 {
		t.Errorf("got %v", s.all("text"))
	}
}

// An ampersand is where equations stand below each other, and is not shown.
func TestEquationsAreAligned(t *testing.T) {
	t.Parallel()
	s := formulaOf(t, rendertest.Math("eqArr", "", "e", "a+b&amp;=c", "e", "d&amp;=e"))
	var equals []mark
	for _, m := range s.all("text") {
		if m.text == "=" {
			equals = append(equals, m)
		}
		if strings.Contains(m.text, "&") {
			t.Errorf("an ampersand is shown: %v", m)
		}
	}
	if len(equals) != 2 || math.Abs(equals[0].left-equals[1].left) > 0.1 || equals[0].top >= equals[1].top {
		t.Errorf("got %v", equals)
	}
}

func TestLimitsAccentsAndBarsStandOverAndUnder(t *testing.T) {
	t.Parallel()
	function := rendertest.Math("func", "", "fName", rendertest.Math("limLow", "", "e", rendertest.MathRun(rendertest.MathValue("sty", "p"), "lim"), "lim", "n→∞"), "e", "x")
	s := formulaOf(t, function)
	if lim, n := s.text(t, "l"), s.text(t, "n"); n.top <= lim.top || n.size >= lim.size || s.text(t, "x").top != lim.top {
		t.Errorf("a limit: got %v", s.all("text"))
	}
	s = formulaOf(t, rendertest.Math("groupChr", rendertest.MathValue("chr", "⏞")+rendertest.MathValue("pos", "top")+rendertest.MathValue("vertJc", "bot"), "e", "a+b+c+d"))
	if brace := s.text(t, "⏞"); brace.top > s.text(t, "a").top {
		t.Errorf("a brace: got %v", s.all("text"))
	}
	for pos, isAbove := range map[string]bool{"top": true, "bot": false} {
		s := formulaOf(t, rendertest.Math("bar", rendertest.MathValue("pos", pos), "e", "x"))
		if bars := s.all("area"); len(bars) != 1 || bars[0].top < s.text(t, "x").top != isAbove {
			t.Errorf("a bar at the %s: got %v", pos, bars)
		}
	}
	s = formulaOf(t, rendertest.Math("acc", "", "e", "x"))
	if hat := s.text(t, "\u0302"); hat.left < s.text(t, "x").left-5 {
		t.Errorf("an accent: got %v", s.all("text"))
	}
}

func TestABoxHasTheSidesThatAreNotHidden(t *testing.T) {
	t.Parallel()
	for properties, want := range map[string]int{"": 4, rendertest.MathValue("hideTop", "1") + rendertest.MathValue("hideLeft", "1"): 2, rendertest.MathValue("strikeH", "1"): 5, rendertest.MathValue("strikeBLTR", "1"): 5} {
		if s := formulaOf(t, rendertest.Math("borderBox", properties, "e", "x")); len(s.all("area", "line")) != want {
			t.Errorf("%s: got %v, want %d lines", properties, s.all("area", "line"), want)
		}
	}
}

// A phantom takes room and is not seen, or is seen and takes none (22.1.2.81).
func TestAPhantomTakesRoom(t *testing.T) {
	t.Parallel()
	place := func(properties string) float64 {
		return formulaOf(t, rendertest.MathRun("", "a")+rendertest.Math("phant", properties, "e", "wwww")+rendertest.MathRun("", "b")).text(t, "b").left -
			formulaOf(t, "a").text(t, "a").left
	}
	s := formulaOf(t, rendertest.MathRun("", "a")+rendertest.Math("phant", rendertest.MathValue("show", "0"), "e", "wwww")+rendertest.MathRun("", "b"))
	if a, b := s.text(t, "a"), s.text(t, "b"); len(s.all("text")) != 2 || b.left-a.left < 3*a.size/2 {
		t.Errorf("got %v, want room for the letters, and none of them", s.all("text"))
	}
	if shown, flat := place(""), place(rendertest.MathValue("zeroWid", "1")); flat >= shown {
		t.Errorf("got b at %v and, where the letters take no room, at %v", shown, flat)
	}
}

// Letters slope, figures and functions do not; scripts and doubled letters are those of Unicode.
func TestLettersOfFormulasHaveTheirStyles(t *testing.T) {
	t.Parallel()
	for properties, want := range map[string]string{
		rendertest.MathValue("scr", "script"): "ℒ𝒶", rendertest.MathValue("scr", "fraktur"): "𝔏𝔞", rendertest.MathValue("scr", "double-struck"): "𝕃𝕒",
		rendertest.MathValue("sty", "b"): "La", rendertest.MathValue("scr", "sans-serif"): "La", "": "La",
	} {
		var got strings.Builder
		for _, m := range formulaOf(t, rendertest.MathRun(properties, "La")).all("text") {
			got.WriteString(m.text)
		}
		if got.String() != want {
			t.Errorf("%s: got %q, want %q", properties, got.String(), want)
		}
	}
}

// Letters that a file has in Unicode's alphabet of formulas are found as usual ones.
func TestFormulasAreFoundByTheirLetters(t *testing.T) {
	t.Parallel()
	words, _ := rendered(t, rendertest.Docx{Body: inText(rendertest.MathRun("", "𝐸=𝑚")+rendertest.Math("sSup", "", "e", "𝑐", "sup", "2")) + inText("αβ")})
	var all strings.Builder
	for _, w := range words {
		all.WriteString(w.Text)
	}
	for _, want := range []string{"E=mc", "2", "αβ"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("got %q, want %q in it", all.String(), want)
		}
	}
}

// A formula with lines of its own stands where its file says, whatever its paragraph does.
func TestADisplayedFormulaHasALineAndAPlaceOfItsOwn(t *testing.T) {
	t.Parallel()
	para := func(jc string) string {
		return `<m:oMathPara><m:oMathParaPr>` + jc + `</m:oMathParaPr><m:oMath>` + rendertest.MathRun("", "x") + `</m:oMath></m:oMathPara>`
	}
	for jc, want := range map[string]func(x float64) bool{
		"":                                  func(x float64) bool { return x > 140 && x < 155 },
		rendertest.MathValue("jc", "left"):  func(x float64) bool { return x == 50 },
		rendertest.MathValue("jc", "right"): func(x float64) bool { return x > 240 && x < 250 },
		rendertest.MathValue("jc", "centerGroup"): func(x float64) bool { return x > 140 && x < 155 },
	} {
		s := sheetOf(t, `<w:p>`+run("", "before ")+para(jc)+run("", "behind")+`</w:p>`)
		before, x, behind := s.text(t, "before"), s.text(t, "x"), s.text(t, "behind")
		if before.top != 66 || x.top != 86 || behind.top != 106 || behind.left != 50 || !want(x.left) {
			t.Errorf("%s: got %v, %v and %v", jc, before, x, behind)
		}
	}
}

// A long formula goes on in the next line with an operator (22.1.2.13).
func TestALongFormulaBreaksInFrontOfItsOperators(t *testing.T) {
	t.Parallel()
	for what, body := range map[string]string{"in a text": inText(strings.Repeat("abcdef+", 12) + "g"), "displayed": displayed(strings.Repeat("abcdef+", 12) + "g")} {
		tops := map[float64]string{}
		for _, m := range sheetOf(t, body).all("text") {
			if tops[m.top] == "" {
				tops[m.top] = m.text
			}
			if m.left > 250 {
				t.Errorf("%s: %v stands beyond the margin", what, m)
			}
		}
		if len(tops) < 3 || tops[86] != "+" || tops[106] != "+" {
			t.Errorf("%s: got lines that begin with %v, want several that begin with an operator", what, tops)
		}
	}
	s := sheetOf(t, displayed(rendertest.MathRun("", "a")+`<m:r><m:rPr><m:brk/></m:rPr><m:t>=b</m:t></m:r>`))
	if s.text(t, "a").top == s.text(t, "b").top {
		t.Error("a break that the file asks for is left out")
	}
}

func TestALineIsAsHighAsItsFormula(t *testing.T) {
	t.Parallel()
	content := rendertest.Math("f", "", "num", rendertest.Math("f", "", "num", "a", "den", "b"), "den", "c")
	pdf, _ := laidOut(t, rendertest.Docx{Body: lines("over") + displayed(content) + lines("below"), Section: squaredPage})
	s := sheets(t, pdf)[0]
	if over, a, c, below := s.text(t, "over"), s.text(t, "a"), s.text(t, "c"), s.text(t, "below"); a.top-over.top < 6 || below.top-c.top < 10 {
		t.Errorf("got %v, %v, %v and %v, want none over another", over, a, c, below)
	}
}

// Programs that read a PDF aloud read a formula from its element.
func TestAFormulaIsAnElementWithItsText(t *testing.T) {
	t.Parallel()
	pdf, _ := laidOut(t, rendertest.Docx{Body: `<w:p>` + run("", "a ") + `<m:oMath>` + rendertest.Math("f", "", "num", "x+1", "den", "2") + `</m:oMath>` + run("", " b") + `</w:p>`, Section: squaredPage})
	if got := rendertest.Structure(t, pdf); !strings.Contains(got, "P(a  Formula[BBox ") || !strings.HasSuffix(got, " b)") {
		t.Errorf("got %s", got)
	}
	found := false
	for _, object := range objectsOf(t, pdf) {
		found = found || strings.Contains(object, `/Alt((x+1)/2)`) || strings.Contains(object, `/Alt(\(x+1\)/2)`)
	}
	if raw := rendertest.Tool(t, pdf, "qpdf", "--qdf", "--object-streams=disable", "FILE", "-"); !found && !strings.Contains(raw, `(\(x+1\)/2)`) && !strings.Contains(raw, "((x+1)/2)") {
		t.Error("the element has no text in place of the formula")
	}
}

// A formula that nests as deep as a file may takes no longer than others.
func TestADeepFormulaIsSet(t *testing.T) {
	t.Parallel()
	deep := "x"
	for range 60 {
		deep = rendertest.Math("sSup", "", "e", "a", "sup", deep)
	}
	pdf, _ := laidOut(t, rendertest.Docx{Body: inText(deep), Section: squaredPage})
	if got := len(sheets(t, pdf)[0].all("text")); got < 10 {
		t.Errorf("got %d letters", got)
	}
}
