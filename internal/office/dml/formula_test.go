package dml

import (
	"testing"

	"github.com/beevik/etree"
)

// A formula is read aloud from left to right, with brackets around what is above or below.
func TestAFormulaHasATextInALine(t *testing.T) {
	t.Parallel()
	r := func(text string) string { return `<m:r><m:t>` + text + `</m:t></m:r>` }
	for source, want := range map[string]string{
		`<m:f><m:num>` + r("a+b") + `</m:num><m:den>` + r("2") + `</m:den></m:f>`:                                                                     "(a+b)/2",
		`<m:f><m:fPr><m:type m:val="noBar"/></m:fPr><m:num>` + r("n") + `</m:num><m:den>` + r("k") + `</m:den></m:f>`:                                 "n¦k",
		`<m:sSubSup><m:e>` + r("x") + `</m:e><m:sub>` + r("1") + `</m:sub><m:sup>` + r("12") + `</m:sup></m:sSubSup>`:                                 "x_1^(12)",
		`<m:sPre><m:sub>` + r("6") + `</m:sub><m:sup/><m:e>` + r("C") + `</m:e></m:sPre>`:                                                             "_6C",
		`<m:rad><m:radPr><m:degHide/></m:radPr><m:deg>` + r("3") + `</m:deg><m:e>` + r("x") + `</m:e></m:rad>`:                                        "√x",
		`<m:rad><m:deg>` + r("3") + `</m:deg><m:e>` + r("xy") + `</m:e></m:rad>`:                                                                      "3√(xy)",
		`<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>` + r("i") + `</m:sub><m:sup>` + r("n") + `</m:sup><m:e>` + r("i") + `</m:e></m:nary>`: "∑_i^n i",
		`<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val=""/></m:dPr><m:e>` + r("a") + `</m:e><m:e>` + r("b") + `</m:e></m:d>`:                       "[a|b",
		`<m:func><m:fName>` + r("sin") + `</m:fName><m:e>` + r("x") + `</m:e></m:func>`:                                                               "sin x",
		`<m:limLow><m:e>` + r("lim") + `</m:e><m:lim>` + r("n→∞") + `</m:lim></m:limLow>`:                                                             "lim_(n→∞)",
		`<m:m><m:mr><m:e>` + r("a") + `</m:e><m:e>` + r("b") + `</m:e></m:mr><m:mr><m:e>` + r("c") + `</m:e></m:mr></m:m>`:                            "a, b; c",
		`<m:eqArr><m:e>` + r("a&amp;=b") + `</m:e><m:e>` + r("c") + `</m:e></m:eqArr>`:                                                                "a=b; c",
		`<m:acc><m:e>` + r("x") + `</m:e></m:acc>`:                                                                                                    "x\u0302",
		`<m:phant><m:phantPr><m:show m:val="0"/></m:phantPr><m:e>` + r("x") + `</m:e></m:phant>` + r("y"):                                             "y",
		`<w:ins>` + r("a") + `</w:ins><w:del>` + r("b") + `</w:del><m:box><m:e>` + r("c") + `</m:e></m:box>`:                                          "ac",
	} {
		f := ReadFormula(parse(t, `<m:oMath>`+source+`</m:oMath>`), "", func(*etree.Element) FormulaLook { return FormulaLook{} })
		if f == nil || f.Text() != want || f.IsDisplayed {
			t.Errorf("%s: got %v, want %q", source, f, want)
		}
	}
}

func TestFormulasOnLinesOfTheirOwnHaveAPlace(t *testing.T) {
	t.Parallel()
	for jc, want := range map[string]string{"": "right", "left": "left", "centerGroup": "center"} {
		source := `<m:oMathPara>`
		if jc != "" {
			source += `<m:oMathParaPr><m:jc m:val="` + jc + `"/></m:oMathParaPr>`
		}
		source += `<m:oMath><m:r><m:t>a</m:t></m:r><m:r><m:rPr><m:brk/></m:rPr><m:t>=b</m:t></m:r></m:oMath><m:oMath><m:r><m:t>c</m:t></m:r></m:oMath></m:oMathPara>`
		f := ReadFormula(parse(t, source), "right", func(*etree.Element) FormulaLook { return FormulaLook{} })
		if f == nil || !f.IsDisplayed || f.Align != want || len(f.Lines) != 3 || f.Text() != "a; =b; c" {
			t.Errorf("%q: got %+v, want three lines at the %s", jc, f, want)
		}
	}
}
