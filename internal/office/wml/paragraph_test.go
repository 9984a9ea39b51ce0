package wml

import (
	"testing"
)

// ECMA-376 part 1, 17.3.1.33: line counts in 240ths of a line for the rule auto,
// else in twentieths of a point.
func TestAnotherRuleReadsTheInheritedLineInItsOwnUnit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		inherited, direct string
		line              float64
		rule              string
	}{
		{`w:line="240" w:lineRule="exact"`, `w:lineRule="auto"`, 1, "auto"},
		{`w:line="240" w:lineRule="exact"`, `w:lineRule="atLeast"`, 12, "atLeast"},
		{`w:line="360" w:lineRule="auto"`, `w:lineRule="exact"`, 18, "exact"},
		{`w:line="360"`, `w:lineRule="auto"`, 1.5, "auto"},
		{``, `w:lineRule="exact"`, 12, "exact"},
		{`w:line="240" w:lineRule="exact"`, `w:lineRule="nonsense"`, 12, "exact"},
		{`w:line="240" w:lineRule="exact"`, `w:before="20"`, 12, "exact"},
	} {
		styles := `<w:style w:type="paragraph" w:styleId="P"><w:pPr><w:spacing ` + c.inherited + `/></w:pPr></w:style>`
		p := firstParagraph(t, docx{styles: styles, body: para(`<w:pStyle w:val="P"/><w:spacing `+c.direct+`/>`, ``)}.read(t))
		if p.Line != c.line || p.LineRule != c.rule {
			t.Errorf("%s over %s: got %g %s, want %g %s", c.direct, c.inherited, p.Line, p.LineRule, c.line, c.rule)
		}
	}
}
