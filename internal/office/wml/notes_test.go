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

func note(id, more, content string) string {
	return `<w:footnote w:id="` + id + `"` + more + `>` + content + `</w:footnote>`
}

func TestNotesAreReadByTheirIDWithoutSeparators(t *testing.T) {
	t.Parallel()
	d := docx{
		stories: map[string]string{
			"footnotes": note("-1", ` w:type="separator"`, `<w:p/>`) + note("0", ` w:type="continuationSeparator"`, `<w:p/>`) +
				note("1", ``, `<w:p>`+text("plain")+`</w:p>`) + note("2", ` w:type="normal"`, `<w:p>`+text("normal")+`</w:p><w:p>`+text("more")+`</w:p>`),
			"endnotes": `<w:endnote w:id="1"><w:p>` + text("end") + `</w:p></w:endnote>`,
		},
	}.read(t)
	if len(d.Footnotes) != 2 || len(d.Endnotes) != 1 {
		t.Fatalf("got %d footnotes and %d endnotes, want 2 and 1", len(d.Footnotes), len(d.Endnotes))
	}
	equal(t, "footnote 1", shownTexts(d.Footnotes["1"].Blocks), []string{"plain"})
	equal(t, "footnote 2", shownTexts(d.Footnotes["2"].Blocks), []string{"normal", "more"})
	equal(t, "endnote 1", shownTexts(d.Endnotes["1"].Blocks), []string{"end"})
	if e := d.Footnotes["2"].Elem; e.Tag != "footnote" {
		t.Errorf("element of a footnote: got %s", e.Tag)
	}
}

func TestNotesAreNumberedInTheOrderOfTheTextEachKindForItself(t *testing.T) {
	t.Parallel()
	foot := func(id string) string { return `<w:r><w:footnoteReference w:id="` + id + `"/></w:r>` }
	end := func(id string) string { return `<w:r><w:endnoteReference w:id="` + id + `"/></w:r>` }
	inNote := `<w:p><w:r><w:footnoteRef/></w:r><w:r><w:endnoteRef/></w:r></w:p>`
	d := docx{
		body:    `<w:p>` + foot("7") + end("4") + foot("3") + end("9") + foot("7") + end("4") + `</w:p>`,
		stories: map[string]string{"footnotes": note("3", ``, inNote) + note("7", ``, inNote), "endnotes": `<w:endnote w:id="9">` + inNote + `</w:endnote>`},
	}.read(t)
	// A note that is referred to twice keeps its number.
	equal(t, "references", noteMarks(d), []string{"1", "i", "2", "ii", "1", "i"})
	equal(t, "endnotes in their order", d.EndnoteIDs, []string{"4", "9"})
	for what, c := range map[string]struct {
		note *Note
		want string
	}{"footnote 3": {d.Footnotes["3"], "2"}, "footnote 7": {d.Footnotes["7"], "1"}, "endnote 9": {d.Endnotes["9"], "ii"}} {
		for _, r := range paragraphsOf(c.note.Blocks)[0].Runs {
			equal(t, what, r.Items, []Item{{Kind: NoteNumberItem, Text: c.want}})
		}
	}
}

func TestAReferenceWithoutAnIDIsInNoListOfEndnotes(t *testing.T) {
	t.Parallel()
	d := docx{body: `<w:p><w:r><w:endnoteReference/></w:r></w:p>`}.read(t)
	equal(t, "endnotes", d.EndnoteIDs, []string{})
}

func TestLinksOfANoteAreThoseOfItsPart(t *testing.T) {
	t.Parallel()
	link := `<w:hyperlink r:id="web">` + text("x") + `</w:hyperlink>`
	d := docx{
		relations: outside("web", "hyperlink", "https://body.example"),
		stories:   map[string]string{"footnotes": note("1", ``, `<w:p>`+link+`</w:p>`)},
		parts:     map[string]string{"word/_rels/footnotes.xml.rels": relationships(outside("web", "hyperlink", "https://note.example"))},
		body:      `<w:p>` + link + `</w:p>`,
	}.read(t)
	if got := firstRun(t, d).Link.URL; got != "https://body.example" {
		t.Errorf("body: got %q", got)
	}
	if got := paragraphsOf(d.Footnotes["1"].Blocks)[0].Runs[0].Link.URL; got != "https://note.example" {
		t.Errorf("note: got %q", got)
	}
}

func TestAFieldThatANoteLeavesOpenEndsWithIt(t *testing.T) {
	t.Parallel()
	d := docx{
		body:    `<w:p>` + char("begin") + `</w:p>`,
		stories: map[string]string{"footnotes": note("1", ``, `<w:p>`+text("one")+char("begin")+`</w:p>`) + note("2", ``, `<w:p>`+text("two")+`</w:p>`)},
	}.read(t)
	equal(t, "note 1", shownTexts(d.Footnotes["1"].Blocks), []string{"one"})
	equal(t, "note 2", shownTexts(d.Footnotes["2"].Blocks), []string{"two"})
}

func TestNotesThatCannotBeReadAreTold(t *testing.T) {
	t.Parallel()
	d := docx{
		relations: relation("broken", "footnotes", "broken.xml"),
		parts:     map[string]string{"word/broken.xml": `<w:footnotes`},
		stories:   map[string]string{"endnotes": `<w:endnote w:id="1"><w:p>` + text("end") + `</w:p></w:endnote>`},
		body:      `<w:p>` + text("x") + `</w:p>`,
	}.read(t)
	if !d.IsTruncated {
		t.Error("not told as left out")
	}
	equal(t, "endnotes are read all the same", shownTexts(d.Endnotes["1"].Blocks), []string{"end"})
}
