package wml

import "testing"

// docx-templates writes a value of two lines so.
func TestTextBehindAnElementInsideOfATextIsRead(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]ItemKind{
		`<w:t>Street 1<w:br/>12345 Town</w:t>`: {TextItem, BreakItem, TextItem},
		`<w:t>Street 1<w:tab/>Town</w:t>`:      {TextItem, TabItem, TextItem},
		`<w:t>Street<?mark?> 1</w:t>`:          {TextItem},
	} {
		d := docx{body: `<w:p><w:r>` + in + `</w:r></w:p>`}.read(t)
		var kinds []ItemKind
		for _, i := range d.Sections[0].Blocks[0].(*Paragraph).Runs[0].Items {
			kinds = append(kinds, i.Kind)
		}
		if len(kinds) != len(want) {
			t.Errorf("%s: got items %v, want %v", in, kinds, want)
		}
	}
}
