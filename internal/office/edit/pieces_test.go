package edit

import (
	"testing"

	"github.com/beevik/etree"
)

// paragraph reads one w:p or a:p.
func paragraph(t *testing.T, xml string) *etree.Element {
	t.Helper()
	d := etree.NewDocument()
	if err := d.ReadFromString(xml); err != nil {
		t.Fatalf("%s: %v", xml, err)
	}
	return d.Root()
}

func field(kind string) string { return `<w:r><w:fldChar w:fldCharType="` + kind + `"/></w:r>` }

func instruction(text string) string { return `<w:r><w:instrText>` + text + `</w:instrText></w:r>` }

// Word writes { IF { PAGE } = 1 "first" } in parts, the last of them behind the field inside.
func TestAnInstructionGoesOnBehindTheFieldInsideIt(t *testing.T) {
	t.Parallel()
	p := paragraph(t, `<w:p>`+field("begin")+instruction("IF ")+field("begin")+instruction("PAGE")+field("end")+instruction(" = 1 ")+
		field("separate")+`<w:r><w:t>first</w:t></w:r>`+field("end")+`</w:p>`)
	if got, want := ParagraphText(ParagraphPieces(p)), "first"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
