package edit

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/beevik/etree"
)

func TestEditParagraphInsertsAndDeletes(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, body string
		edits      []Edit
		want       []string
	}{
		{"into an empty paragraph", `<w:p/>`, []Edit{{Start: 0, End: 0, Text: "new"}}, []string{"new"}},
		{"at the start, middle and end", `<w:p><w:r><w:t>ab</w:t></w:r></w:p>`, []Edit{{Start: 2, End: 2, Text: "3"}, {Start: 0, End: 0, Text: "1"}, {Start: 1, End: 1, Text: "2"}}, []string{"1a2b3"}},
		{"a paragraph", `<w:p><w:r><w:t>ab</w:t></w:r></w:p>`, []Edit{{Start: 1, End: 1, Text: "\n\n"}}, []string{"a", "", "b"}},
		{"delete over runs", `<w:p><w:r><w:t>ab</w:t></w:r><w:r><w:tab/><w:t>cd</w:t></w:r></w:p>`, []Edit{{Start: 1, End: 4, Text: ""}}, []string{"ad"}},
		{"beside an equation", `<w:p><m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"/></w:p>`, []Edit{{Start: 3, End: 3, Text: "x"}}, []string{ObjectCharacter + "x"}},
	}
	for _, c := range cases {
		p := wordFile(t, c.body, nil)
		tree, err := p.XML(document)
		if err != nil {
			t.Fatal(err)
		}
		EditParagraph(tree.FindElement("//w:p"), c.edits)
		p.Touch(document)
		if got := texts(t, reread(t, p), document); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAnEmptyParagraphTakesTheLookOfItsMark(t *testing.T) {
	t.Parallel()
	insert := Edit{Text: "new"}
	for _, c := range []struct{ name, body, want string }{
		{"no look", `<w:p/>`, `<w:p><w:r><w:t>new</w:t></w:r></w:p>`},
		{"behind what does not show", `<w:p><w:bookmarkStart w:id="1"/></w:p>`, `<w:p><w:bookmarkStart w:id="1"/><w:r><w:t>new</w:t></w:r></w:p>`},
		// Tracked changes of the mark are none of the run (ECMA-376 part 1, 17.3.1.29).
		{"bold, and tracked", `<w:p><w:pPr><w:jc w:val="center"/><w:rPr><w:ins w:id="1"/><w:del w:id="2"/><w:moveFrom w:id="3"/><w:moveTo w:id="4"/><w:b/><w:rPrChange w:id="5"/></w:rPr></w:pPr></w:p>`,
			`<w:p><w:pPr><w:jc w:val="center"/><w:rPr><w:ins w:id="1"/><w:del w:id="2"/><w:moveFrom w:id="3"/><w:moveTo w:id="4"/><w:b/><w:rPrChange w:id="5"/></w:rPr></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>new</w:t></w:r></w:p>`},
	} {
		if got := edited(t, c.body, insert); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestEditsOfAParagraphKeepWhatTheyDoNotTouch(t *testing.T) {
	t.Parallel()
	text := func(s string) string { return `<w:r><w:t>` + s + `</w:t></w:r>` }
	number := field("begin") + instruction("PAGE") + field("end")
	const bold = `<w:rPr><w:b/></w:rPr>`
	picture := func() *etree.Element { return etree.NewElement("w:drawing") }
	cases := []struct {
		name, inside string
		edits        []Edit
		want         string
	}{
		{"beside a comment", `<!-- c --><w:r><!-- d --><w:t>a</w:t><w:t>b</w:t></w:r>`, []Edit{{Start: 0, End: 1, Text: "x"}}, `<!-- c --><w:r><!-- d --><w:t>x</w:t><w:t>b</w:t></w:r>`},
		{"out of order", text("abc"), []Edit{{Start: 2, End: 3, Text: "3"}, {Start: 0, End: 1, Text: "1"}}, text("1b3")},
		{"one behind the other", text("abc"), []Edit{{Start: 0, End: 1, Text: "1"}, {Start: 1, End: 2, Text: "2"}}, text("12c")},
		{"two insertions at one place", text("ab"), []Edit{{Start: 1, End: 1, Text: "1"}, {Start: 1, End: 1, Text: "2"}}, text("a12b")},
		{"everything", text("ab"), []Edit{{Start: 0, End: 2}}, `<w:r/>`},
		{"at a seam, with the run in front", `<w:r>` + bold + `<w:t>a</w:t></w:r>` + text("b"), []Edit{{Start: 1, End: 1, Text: "x"}}, `<w:r>` + bold + `<w:t>ax</w:t></w:r>` + text("b")},
		{"a replacement at a seam, with the run behind", `<w:r>` + bold + `<w:t>a</w:t></w:r>` + text("bc"), []Edit{{Start: 1, End: 2, Text: "x"}}, `<w:r>` + bold + `<w:t>a</w:t></w:r>` + text("xc")},
		{"in front of a break", `<w:r><w:br/><w:t>b</w:t></w:r>`, []Edit{{Start: 0, End: 0, Text: "x"}}, `<w:r><w:t>x</w:t><w:br/><w:t>b</w:t></w:r>`},
		{"behind a break, with the text behind it", `<w:r><w:br/><w:t>b</w:t></w:r>`, []Edit{{Start: 1, End: 1, Text: "x"}}, `<w:r><w:br/><w:t>xb</w:t></w:r>`},
		{"behind a break at the end", `<w:r><w:t>a</w:t><w:br/></w:r>`, []Edit{{Start: 2, End: 2, Text: "x"}}, `<w:r><w:t>a</w:t><w:br/><w:t>x</w:t></w:r>`},
		{"from one run into a third", text("ab") + text("cd") + text("ef"), []Edit{{Start: 1, End: 5, Text: "x"}}, text("ax") + `<w:r/>` + text("f")},
		{"a picture between letters", text("ab"), []Edit{{Start: 1, End: 1, Object: picture()}}, `<w:r><w:t>a</w:t><w:drawing/><w:t>b</w:t></w:r>`},
		{"text with a picture behind it", text("ab"), []Edit{{Start: 0, End: 2, Text: "x", Object: picture()}}, `<w:r><w:t>x</w:t><w:drawing/></w:r>`},
		{"a picture in front of an equation", `<m:oMath/>`, []Edit{{Start: 0, End: 0, Text: "x", Object: picture()}}, `<w:r><w:t>x</w:t><w:drawing/></w:r><m:oMath/>`},
		{"a picture for an equation", `<m:oMath/>` + text("a"), []Edit{{Start: 0, End: 3, Object: picture()}}, `<w:r><w:drawing/></w:r>` + text("a")},
		{"lines beside an equation", `<m:oMath/>`, []Edit{{Start: 3, End: 3, Text: "x\ny"}}, `<m:oMath/><w:r><w:t>x</w:t></w:r></w:p><w:p><w:r><w:t>y</w:t></w:r>`},
		{"a page number, with its field", text("p") + number + text("q"), []Edit{{Start: 1, End: 4, Text: "7"}}, text("p") + `<w:r/><w:r/>` + text("7") + text("q")},
		{"beside a page number", number, []Edit{{Start: 3, End: 3, Text: "x"}}, field("begin") + instruction("PAGE") + `<w:r><w:fldChar w:fldCharType="end"/><w:t>x</w:t></w:r>`},
		{"up to the middle of what may not be cut", text("a") + number, []Edit{{Start: 0, End: 2, Text: "x"}}, text("x") + number},
		{"spaces at its ends", text("ab"), []Edit{{Start: 0, End: 1, Text: " "}}, `<w:r><w:t xml:space="preserve"> b</w:t></w:r>`},
		{"a tab at its end", `<w:r><w:t>ab</w:t><w:t>c</w:t></w:r>`, []Edit{{Start: 1, End: 2, Text: "\t"}}, `<w:r><w:t>a</w:t><w:tab/><w:t>c</w:t></w:r>`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := edited(t, `<w:p>`+c.inside+`</w:p>`, c.edits...); got != `<w:p>`+c.want+`</w:p>` {
				t.Errorf("\n got %s\nwant <w:p>%s</w:p>", got, c.want)
			}
		})
	}
}

// The parts of a paragraph that was split are alike but for what may be there
// once: ids, a page break before it, tracked changes of its properties, and the
// end of a section, which is the last part's (ECMA-376 part 1, 17.6.18).
func TestThePartsOfASplitParagraphAreAlike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body, want string }{
		{"a paragraph with ids and a style", `<w:p w:rsidR="1" w14:paraId="2"><w:pPr><w:pStyle w:val="A"/><w:pageBreakBefore/><w:pPrChange/></w:pPr><w:r w:rsidR="3"><w:rPr><w:b/></w:rPr><w:t>aXb</w:t></w:r></w:p>`,
			`<w:p w:rsidR="1" w14:paraId="2"><w:pPr><w:pStyle w:val="A"/><w:pageBreakBefore/><w:pPrChange/></w:pPr><w:r w:rsidR="3"><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r></w:p>` +
				`<w:p w:rsidR="1"><w:pPr><w:pStyle w:val="A"/><w:pageBreakBefore/></w:pPr><w:r w:rsidR="3"><w:rPr><w:b/></w:rPr><w:t>b</w:t></w:r></w:p>`},
		{"the end of a section", `<w:p><w:pPr><w:sectPr/></w:pPr><w:r><w:t>aXbXc</w:t></w:r></w:p>`,
			`<w:p><w:pPr/><w:r><w:t>a</w:t></w:r></w:p><w:p><w:pPr/><w:r><w:t>b</w:t></w:r></w:p><w:p><w:pPr><w:sectPr/></w:pPr><w:r><w:t>c</w:t></w:r></w:p>`},
		{"a control in the line", `<w:p><w:r><w:t>1</w:t></w:r><w:sdt><w:sdtPr><w:id w:val="9"/><w:tag w:val="t"/></w:sdtPr><w:sdtContent><w:r><w:t>aXb</w:t></w:r><w:r><w:t>2</w:t></w:r></w:sdtContent></w:sdt><w:r><w:t>3</w:t></w:r></w:p>`,
			`<w:p><w:r><w:t>1</w:t></w:r><w:sdt><w:sdtPr><w:id w:val="9"/><w:tag w:val="t"/></w:sdtPr><w:sdtContent><w:r><w:t>a</w:t></w:r></w:sdtContent></w:sdt></w:p>` +
				`<w:p><w:sdt><w:sdtPr><w:tag w:val="t"/></w:sdtPr><w:sdtContent><w:r><w:t>b</w:t></w:r><w:r><w:t>2</w:t></w:r></w:sdtContent></w:sdt><w:r><w:t>3</w:t></w:r></w:p>`},
		{"bookmarks stay where they are", `<w:p><w:bookmarkStart w:id="1"/><w:r><w:t>aXb</w:t></w:r><w:bookmarkEnd w:id="1"/></w:p>`,
			`<w:p><w:bookmarkStart w:id="1"/><w:r><w:t>a</w:t></w:r></w:p><w:p><w:r><w:t>b</w:t></w:r><w:bookmarkEnd w:id="1"/></w:p>`},
	} {
		p := wordFile(t, c.body, nil)
		if _, err := ReplaceText(p, "X", "\n", true); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(inside(t, reread(t, p), document, "w:body"), "<w:sectPr/>"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// A control that is bound to a store would be filled from it again, and one that
// shows its prompt would lose the text at the next click.
func TestEveryControlAroundAnEditIsCutOffItsStore(t *testing.T) {
	t.Parallel()
	control := func(bound bool, content string) string {
		store := ""
		if bound {
			store = `<w:showingPlcHdr/><w:dataBinding w:xpath="/a"/>`
		}
		return `<w:sdt><w:sdtPr><w:tag w:val="t"/>` + store + `</w:sdtPr><w:sdtContent>` + content + `</w:sdtContent></w:sdt>`
	}
	other := control(true, `<w:p><w:r><w:t>other</w:t></w:r></w:p>`)
	for name, paragraph := range map[string]func(text string) string{
		"of one run":   func(text string) string { return `<w:p><w:r><w:t>` + text + `</w:t></w:r></w:p>` },
		"of two texts": func(text string) string { return `<w:p><w:r><w:t>` + text + `</w:t><w:t>b</w:t></w:r></w:p>` },
	} {
		got := edited(t, control(true, control(true, paragraph("a")))+other, Edit{Start: 0, End: 1, Text: "x"})
		if want := control(false, control(false, paragraph("x"))) + other; got != want {
			t.Errorf("a paragraph %s:\n got %s\nwant %s", name, got, want)
		}
	}
	inLine := func(bound bool, text string) string {
		return `<w:p>` + control(bound, `<w:r><w:t>`+text+`</w:t></w:r>`) + control(true, `<w:r><w:t>b</w:t></w:r>`) + `</w:p>`
	}
	if got, want := edited(t, inLine(true, "a"), Edit{Start: 0, End: 1, Text: "x"}), inLine(false, "x"); got != want {
		t.Errorf("in the line:\n got %s\nwant %s", got, want)
	}
	if got, want := edited(t, `<w:sdt><w:sdtContent><w:p><w:r><w:t>a</w:t></w:r></w:p></w:sdtContent></w:sdt>`, Edit{Start: 0, End: 1, Text: "x"}), `<w:sdt><w:sdtContent><w:p><w:r><w:t>x</w:t></w:r></w:p></w:sdtContent></w:sdt>`; got != want {
		t.Errorf("without properties: got %s, want %s", got, want)
	}
}

func TestAParagraphThatStandsNowhereIsSplitToo(t *testing.T) {
	t.Parallel()
	p := etree.NewElement("w:p")
	made := EditParagraph(p, []Edit{{Text: "a\nb\nc"}})
	var got []string
	for _, e := range append([]*etree.Element{p}, made...) {
		got = append(got, ParagraphText(ParagraphPieces(e)))
	}
	if want := []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if made := EditParagraph(p, nil); made != nil {
		t.Errorf("no edits made %d paragraphs", len(made))
	}
}
