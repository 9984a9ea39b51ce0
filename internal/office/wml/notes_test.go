package wml

import (
	"testing"
)

// noteMarks are the numbers that references show, in the order of the text.
func noteMarks(d *Document) []string {
	var out []string
	for _, p := range paragraphsOf(d.Sections[0].Blocks) {
		for _, r := range p.Runs {
			for _, item := range r.Items {
				if item.Kind == FootnoteItem || item.Kind == EndnoteItem {
					out = append(out, item.Text)
				}
			}
		}
	}
	return out
}

// ECMA-376 part 1, 17.11.7: a note with a mark of its own "shall not increment
// the numbering".
func TestANoteWithAMarkOfItsOwnTakesNoNumber(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string][]string{"footnote": {"", "1", "2"}, "endnote": {"", "i", "ii"}} {
		reference := func(id, more string) string {
			return `<w:r><w:` + kind + `Reference w:id="` + id + `"` + more + `/></w:r>`
		}
		d := docx{body: `<w:p>` + reference("2", ` w:customMarkFollows="1"`) + reference("3", ``) + reference("4", ` w:customMarkFollows="0"`) + `</w:p>`}.read(t)
		equal(t, kind, noteMarks(d), want)
		if kind == "endnote" {
			equal(t, "endnotes in their order", d.EndnoteIDs, []string{"2", "3", "4"})
		}
	}
}
