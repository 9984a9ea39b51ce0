package edit

import (
	"testing"

	"github.com/beevik/etree"
)

// What stands between the begin and the end of a field (ECMA-376 part 1,
// 17.16.18) is a part of it: Word drops it once the field is updated.
func TestTextBesideAPageNumberIsNoPartOfTheField(t *testing.T) {
	t.Parallel()
	const (
		inOneRun  = `<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>PAGE</w:instrText><w:fldChar w:fldCharType="separate"/><w:t>1</w:t><w:fldChar w:fldCharType="end"/></w:r>`
		inManyRun = `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>1</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`
		tab       = `<w:r><w:tab/></w:r>`
	)
	size := len(ObjectCharacter)
	for name, c := range map[string]struct {
		paragraph string
		edit      Edit
		want      string
	}{
		"before, in one run":       {inOneRun, Edit{Text: "x"}, "x" + ObjectCharacter},
		"before, in several runs":  {inManyRun, Edit{Text: "x"}, "x" + ObjectCharacter},
		"between a tab and it":     {tab + inManyRun, Edit{Start: 1, End: 1, Text: "x"}, "\tx" + ObjectCharacter},
		"in the place of the tab":  {tab + inManyRun, Edit{Start: 0, End: 1, Text: "x"}, "x" + ObjectCharacter},
		"behind":                   {inManyRun, Edit{Start: size, End: size, Text: "x"}, ObjectCharacter + "x"},
		"in its place":             {inManyRun, Edit{Start: 0, End: size, Text: "x"}, "x"},
		"a tab and a break before": {inManyRun, Edit{Text: "\tx\v"}, "\tx\v" + ObjectCharacter},
	} {
		d := etree.NewDocument()
		if err := d.ReadFromString(`<w:body xmlns:w="w"><w:p>` + c.paragraph + `</w:p></w:body>`); err != nil {
			t.Fatal(err)
		}
		p := d.FindElement("//w:p")
		EditParagraph(p, []Edit{c.edit})
		if got := ParagraphText(ParagraphPieces(p)); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
