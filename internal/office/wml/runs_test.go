package wml

import (
	"testing"
)

func TestASimpleFieldMayHoldTheEndOfAnotherField(t *testing.T) {
	t.Parallel()
	const end = `<w:r><w:fldChar w:fldCharType="end"/></w:r>`
	const begin = `<w:r><w:fldChar w:fldCharType="begin"/></w:r>`
	for _, c := range []struct {
		what, xml string
		want      string
	}{
		{"an end too many", `<w:fldSimple w:instr="DATE">` + end + text("a") + `</w:fldSimple>` + text("b"), "ab"},
		{"two ends too many", `<w:fldSimple w:instr="DATE">` + end + end + `</w:fldSimple>` + text("b"), "b"},
		{"a field that is never ended", `<w:fldSimple w:instr="DATE">` + begin + text("a") + `</w:fldSimple>` + text("b"), "b"},
	} {
		if got := firstParagraph(t, docx{body: `<w:p>` + c.xml + `</w:p>`}.read(t)).Text(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}
