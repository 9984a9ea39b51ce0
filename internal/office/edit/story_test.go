package edit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/officetest"
	"github.com/platenhq/platen/internal/office/opc"
)

func TestReplaceTextInParagraph(t *testing.T) {
	t.Parallel()
	bold := `<w:rPr><w:b/></w:rPr>`
	cases := []struct {
		name, find, with, body, want string
		count                        int
	}{
		{
			name: "split over runs takes the first run's formatting", find: "{{Name}}", with: "Ada", count: 1,
			body: `<w:p><w:r>` + bold + `<w:t>Dear {</w:t></w:r><w:proofErr w:type="spellStart"/><w:r><w:t>{Na</w:t></w:r><w:bookmarkStart w:id="1" w:name="x"/><w:r><w:t>me}}, hello</w:t></w:r></w:p>`,
			want: `<w:p><w:r>` + bold + `<w:t>Dear Ada</w:t></w:r><w:proofErr w:type="spellStart"/><w:r/><w:bookmarkStart w:id="1" w:name="x"/><w:r><w:t>, hello</w:t></w:r></w:p>`,
		},
		{
			name: "many in one run", find: "x", with: "yy", count: 3,
			body: `<w:p><w:r><w:t>axbxcx</w:t></w:r></w:p>`,
			want: `<w:p><w:r><w:t>ayybyycyy</w:t></w:r></w:p>`,
		},
		{
			name: "what was inserted is not searched", find: "{{X}}", with: "{{X}}{{X}}", count: 1,
			body: `<w:p><w:r><w:t>{{X}}</w:t></w:r></w:p>`,
			want: `<w:p><w:r><w:t>{{X}}{{X}}</w:t></w:r></w:p>`,
		},
		{
			name: "empty replacement", find: "gone", with: "", count: 1,
			body: `<w:p><w:r><w:t>gone</w:t></w:r></w:p>`,
			want: `<w:p><w:r/></w:p>`,
		},
		{
			name: "spaces at the ends are preserved", find: "{{X}}", with: " a ", count: 1,
			body: `<w:p><w:r><w:t>{{X}}</w:t></w:r></w:p>`,
			want: `<w:p><w:r><w:t xml:space="preserve"> a </w:t></w:r></w:p>`,
		},
		{
			name: "spaces that were not shown stay unshown", find: "{{X}}", with: "a", count: 1,
			body: `<w:p><w:r><w:t>  {{X}} </w:t></w:r></w:p>`,
			want: `<w:p><w:r><w:t>a</w:t></w:r></w:p>`,
		},
		{
			name: "XML-special and forbidden characters", find: "{{X}}", with: "<a & \"b\">\x00\x0b\x1f\ufffe", count: 1,
			body: `<w:p><w:r><w:t>{{X}}</w:t></w:r></w:p>`,
			want: `<w:p><w:r><w:t>&lt;a &amp; "b"&gt;</w:t><w:br/></w:r></w:p>`,
		},
		{
			name: "tabs and line breaks", find: "{{X}}", with: "a\tb\vc", count: 1,
			body: `<w:p><w:r>` + bold + `<w:t>({{X}})</w:t></w:r></w:p>`,
			want: `<w:p><w:r>` + bold + `<w:t>(a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c)</w:t></w:r></w:p>`,
		},
		{
			name: "tabs and breaks are found", find: "a\tb\vc", with: "X", count: 1,
			body: `<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>cd</w:t></w:r></w:p>`,
			want: `<w:p><w:r><w:t>X</w:t><w:t>d</w:t></w:r></w:p>`,
		},
		{
			name: "a line feed begins a paragraph like the one it is in", find: "{{X}}", with: "one\ntwo", count: 1,
			body: `<w:p w14:paraId="1A"><w:pPr><w:pageBreakBefore/><w:jc w:val="center"/><w:sectPr/></w:pPr><w:r>` + bold + `<w:t>a {{X}} b</w:t></w:r><w:r><w:t>c</w:t></w:r></w:p>`,
			want: `<w:p w14:paraId="1A"><w:pPr><w:pageBreakBefore/><w:jc w:val="center"/></w:pPr><w:r>` + bold + `<w:t>a one</w:t></w:r></w:p>` +
				`<w:p><w:pPr><w:pageBreakBefore/><w:jc w:val="center"/><w:sectPr/></w:pPr><w:r>` + bold + `<w:t>two b</w:t></w:r><w:r><w:t>c</w:t></w:r></w:p>`,
		},
		{
			name: "a line feed inside a link", find: "X", with: "1\r\n2", count: 1,
			body: `<w:p><w:hyperlink r:id="l"><w:r><w:t>aXb</w:t></w:r></w:hyperlink></w:p>`,
			want: `<w:p><w:hyperlink r:id="l"><w:r><w:t>a1</w:t></w:r></w:hyperlink></w:p><w:p><w:hyperlink r:id="l"><w:r><w:t>2b</w:t></w:r></w:hyperlink></w:p>`,
		},
		{
			name: "tracked insertions are text, deletions are not", find: "{{X}}", with: "v", count: 1,
			body: `<w:p><w:r><w:t>{{</w:t></w:r><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t>X</w:t></w:r></w:ins><w:r><w:t>}}</w:t></w:r></w:p>`,
			want: `<w:p><w:r><w:t>v</w:t></w:r><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r/></w:ins><w:r/></w:p>`,
		},
		{
			name: "a floating picture in between is no hindrance, one in the line is", find: "{{X}}", with: "v", count: 1,
			body: `<w:p><w:r><w:t>{{</w:t><w:drawing><wp:anchor/></w:drawing><w:t>X}}{{</w:t><w:drawing><wp:inline/></w:drawing><w:t>X}}</w:t></w:r></w:p>`,
			want: `<w:p><w:r><w:t>v</w:t><w:drawing><wp:anchor/></w:drawing><w:t>{{</w:t><w:drawing><wp:inline/></w:drawing><w:t>X}}</w:t></w:r></w:p>`,
		},
		{
			name: "a content control is cut off its store", find: "{{X}}", with: "v", count: 1,
			body: `<w:p><w:sdt><w:sdtPr><w:alias w:val="n"/><w:showingPlcHdr/><w:dataBinding w:xpath="/a"/></w:sdtPr><w:sdtContent><w:r><w:t>{{X}}</w:t></w:r></w:sdtContent></w:sdt></w:p>`,
			want: `<w:p><w:sdt><w:sdtPr><w:alias w:val="n"/></w:sdtPr><w:sdtContent><w:r><w:t>v</w:t></w:r></w:sdtContent></w:sdt></w:p>`,
		},
		{
			name: "instructions of fields are not text, results are", find: "X", with: "v", count: 1,
			body: `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>MERGEFIELD X</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>X</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`,
			want: `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>MERGEFIELD X</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>v</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`,
		},
		{
			name: "nothing found", find: "zzz", with: "v", count: 0,
			body: `<w:p><w:r><w:t> a </w:t></w:r></w:p>`,
			want: `<w:p><w:r><w:t> a </w:t></w:r></w:p>`,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := wordFile(t, c.body, nil)
			count, err := ReplaceText(p, c.find, c.with, true)
			if err != nil || count != c.count {
				t.Errorf("ReplaceText = %d, %v; want %d", count, err, c.count)
			}
			got := strings.TrimSuffix(inside(t, reread(t, p), document, "w:body"), "<w:sectPr/>")
			if got != c.want {
				t.Errorf("body\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestReplaceTextIgnoresCaseWhenAsked(t *testing.T) {
	t.Parallel()
	cases := []struct {
		text, find, want string
		count            int
	}{
		{"Name NAME name", "nAmE", "- - -", 3},
		{"ÄÖ äö", "äö", "- -", 2},
		{"ⱥ{{x}}", "{{X}}", "ⱥ-", 1}, // Ⱥ and ⱥ differ in length in UTF-8
		{"Kk K", "k", "-- -", 3},
		{"ςσΣ", "σ", "---", 3},
		{"straße", "STRASSE", "straße", 0},
	}
	for _, c := range cases {
		p := wordFile(t, `<w:p><w:r><w:t>`+c.text+`</w:t></w:r></w:p>`, nil)
		count, err := ReplaceText(p, c.find, "-", false)
		if err != nil || count != c.count {
			t.Errorf("%q in %q: %d, %v; want %d", c.find, c.text, count, err, c.count)
		}
		if got := texts(t, p, document)[0]; got != c.want {
			t.Errorf("%q in %q: got %q, want %q", c.find, c.text, got, c.want)
		}
	}
}

func TestReplaceTextReachesEveryStory(t *testing.T) {
	t.Parallel()
	tag := `<w:p><w:r><w:t>{</w:t></w:r><w:r><w:t>{A}}</w:t></w:r></w:p>`
	box := `<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><wps:txbx><w:txbxContent>` + tag +
		`</w:txbxContent></wps:txbx></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent>` + tag +
		`</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`
	body := tag + `<w:tbl><w:tr><w:tc>` + tag + `<w:tbl><w:tr><w:tc>` + tag + `</w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>` +
		`<w:sdt><w:sdtContent>` + tag + `</w:sdtContent></w:sdt>` + box
	stories := map[string]string{
		"header1": tag, "header2": tag, "footer1": tag,
		"footnotes": `<w:footnote w:id="2">` + tag + `</w:footnote>`,
		"endnotes":  `<w:endnote w:id="2">` + tag + `</w:endnote>`,
	}
	p := wordFile(t, body, stories)
	count, err := ReplaceText(p, "{{a}}", "filled", false)
	if want := 10; err != nil || count != want {
		t.Errorf("got %d, %v; want %d: a text box that is there twice counts once", count, err, want)
	}
	p = reread(t, p)
	for _, part := range StoryParts(p) {
		for _, text := range texts(t, p, part) {
			if strings.Contains(text, "A") {
				t.Errorf("%s still holds %q", part, text)
			}
		}
	}
	if got, _ := p.Part(document); strings.Count(string(got), "filled") != 6 {
		t.Errorf("the body has %d of 6 values: %s", strings.Count(string(got), "filled"), got)
	}
}

func TestReplaceTextCountsWhatOnlyOldProgramsShow(t *testing.T) {
	t.Parallel()
	p := wordFile(t, `<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"/><mc:Fallback><w:pict><v:textbox><w:txbxContent>`+
		`<w:p><w:r><w:t>{{A}}</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`, nil)
	if count, err := ReplaceText(p, "{{A}}", "v", true); err != nil || count != 1 {
		t.Errorf("got %d, %v; want 1", count, err)
	}
}

func TestReplaceTextLeavesOtherElementsAlone(t *testing.T) {
	t.Parallel()
	body := `<w:p><w:pPr><w:pStyle w:val="Title"/></w:pPr><w:r><w:t>a {{A}}</w:t></w:r></w:p>` +
		`<w:p><w:r><w:t xml:space="preserve"> kept </w:t></w:r><!-- note --><w:unknown a="1&#xA;2"/></w:p>`
	p := wordFile(t, body, map[string]string{"header1": `<w:p><w:r><w:t>x</w:t></w:r></w:p>`})
	before, _ := p.Part(document)
	header, _ := p.Part("word/header1.xml")
	if _, err := ReplaceText(p, "{{A}}", "{{A}}", true); err != nil {
		t.Fatal(err)
	}
	p = reread(t, p)
	if after, _ := p.Part(document); string(after) != string(before) {
		t.Errorf("a replacement by itself changed the part\n got %s\nwant %s", after, before)
	}
	if after, _ := p.Part("word/header1.xml"); string(after) != string(header) {
		t.Errorf("an untouched part changed: %s", after)
	}
}

func TestReplaceTextFindsNothingOverTwoParagraphs(t *testing.T) {
	t.Parallel()
	p := wordFile(t, `<w:p><w:r><w:t>a</w:t></w:r></w:p><w:p><w:r><w:t>b</w:t><w:footnoteReference/></w:r></w:p>`, nil)
	before, _ := p.Part(document)
	for _, find := range []string{"a\nb", "\n", "", ObjectCharacter, "b" + ObjectCharacter, "c"} {
		for _, matchCase := range []bool{true, false} {
			if count, err := ReplaceText(p, find, "x", matchCase); err != nil || count != 0 {
				t.Errorf("%q: got %d, %v; want none", find, count, err)
			}
		}
	}
	if after, _ := p.Part(document); string(after) != string(before) {
		t.Errorf("the document changed to %s", after)
	}
}

// numbered are paragraphs with a number each.
func numbered(count int) string {
	var all strings.Builder
	for i := range count {
		fmt.Fprintf(&all, `<w:p><w:r><w:t>no %d Xx.</w:t></w:r></w:p>`, i)
	}
	return all.String()
}

func TestAnEditorReplacesInWhatItReplaced(t *testing.T) {
	t.Parallel()
	const paragraphs = 2*shelfLength + 2
	p := wordFile(t, numbered(paragraphs), nil)
	e, err := NewEditor(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		find, with string
		matchCase  bool
		want       int
	}{
		{"X", "Y\nZ", true, paragraphs},
		{"X", "-", true, 0},
		{"no 129 Y", "last", true, 1},    // in what was split
		{"zX", "end", false, paragraphs}, // in what the first step made
		{"ZX", "-", false, 0},
		{"END.", "over", false, paragraphs},
		{"over", "done", true, paragraphs},
	} {
		if got := e.ReplaceText(step.find, step.with, step.matchCase); got != step.want {
			t.Errorf("%q: got %d, want %d", step.find, got, step.want)
		}
	}
	got := texts(t, reread(t, p), document)
	if len(got) != 2*paragraphs {
		t.Fatalf("got %d paragraphs, want %d", len(got), 2*paragraphs)
	}
	for i := range paragraphs {
		want := fmt.Sprintf("no %d Y", i)
		if i == paragraphs-1 {
			want = "last"
		}
		if got[2*i] != want || got[2*i+1] != "done" {
			t.Errorf("got %q and %q, want %q and done", got[2*i], got[2*i+1], want)
		}
	}
}

func TestAnEditorReplacesInThePartsThatAreNamed(t *testing.T) {
	t.Parallel()
	tag := `<w:p><w:r><w:t>A</w:t></w:r></w:p>`
	p := wordFile(t, tag, map[string]string{"header1": tag, "footer1": tag + tag})
	e, err := NewEditor(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		parts []string
		want  int
	}{{[]string{"word/none.xml"}, 0}, {[]string{"word/header1.xml"}, 1}, {[]string{"word/footer1.xml", "word/header1.xml"}, 2}, {nil, 1}} {
		if got := e.ReplaceText("A", "b", true, c.parts...); got != c.want {
			t.Errorf("in %v: got %d, want %d", c.parts, got, c.want)
		}
	}
}

func TestSplitParagraphsStayInTheirCellAndTheirBox(t *testing.T) {
	t.Parallel()
	tag := `<w:p><w:r><w:t>aXb</w:t></w:r></w:p>`
	split := `<w:p><w:r><w:t>a</w:t></w:r></w:p><w:p><w:r><w:t>b</w:t></w:r></w:p>`
	body := func(p string) string {
		return `<w:tbl><w:tr><w:tc><w:tcPr/>` + p + p + `</w:tc><w:tc>` + p + `</w:tc></w:tr></w:tbl><w:p><w:r><w:t>c</w:t><w:pict><v:textbox><w:txbxContent>` + p + `</w:txbxContent></v:textbox></w:pict></w:r></w:p>` + p
	}
	p := wordFile(t, body(tag), nil)
	if count, err := ReplaceText(p, "X", "\n", true); err != nil || count != 5 {
		t.Errorf("got %d, %v; want 5", count, err)
	}
	if got, want := strings.TrimSuffix(inside(t, reread(t, p), document, "w:body"), "<w:sectPr/>"), body(split); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestTheStoriesOfADocumentBeginWithItsBody(t *testing.T) {
	t.Parallel()
	p := wordFile(t, `<w:p/>`, map[string]string{"header1": "", "footer2": "", "footnotes": "", "endnotes": ""})
	got := StoryParts(p)
	slices.Sort(got[1:])
	if want := []string{document, "word/endnotes.xml", "word/footer2.xml", "word/footnotes.xml", "word/header1.xml"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// relate gives a part relationships: their kinds and their targets in turn.
func relate(t *testing.T, p *opc.Package, part string, kindsAndTargets ...string) {
	t.Helper()
	for i := 0; i < len(kindsAndTargets); i += 2 {
		target := kindsAndTargets[i+1]
		if _, err := p.Relate(part, kindsAndTargets[i], target, strings.HasPrefix(target, "http")); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheStoriesOfAPresentationAreSlidesNotesMastersAndLayouts(t *testing.T) {
	t.Parallel()
	p := slideFile(t, "", "")
	const presentation = "ppt/presentation.xml"
	for _, part := range []string{"ppt/slides/slide2.xml", "ppt/slideMasters/m.xml", "ppt/slideLayouts/l.xml", "ppt/notesMasters/n.xml"} {
		p.SetPart(part, "application/xml", []byte(`<p:sld `+officetest.SlideNamespaces+`/>`))
	}
	relate(t, p, presentation, "slideMaster", "/ppt/slideMasters/m.xml", "notesMaster", "/ppt/notesMasters/n.xml", "slide", "/ppt/slides/slide2.xml",
		"slide", "/ppt/slides/gone.xml", "slide", "https://example.com/slide.xml", "theme", "/ppt/slides/slide2.xml")
	relate(t, p, "ppt/slides/slide2.xml", "notesSlide", "/ppt/notesSlides/notesSlide1.xml", "slideLayout", "/ppt/slideLayouts/l.xml")
	relate(t, p, "ppt/slideMasters/m.xml", "slideLayout", "/ppt/slideLayouts/l.xml")
	want := []string{"ppt/slides/slide1.xml", "ppt/slides/slide2.xml", "ppt/notesSlides/notesSlide1.xml", "ppt/slideMasters/m.xml", "ppt/slideLayouts/l.xml"}
	if got := StoryParts(p); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	p.SetPart("ppt/_rels/presentation.xml.rels", "", []byte(officetest.RelationsStart+`</Relationships>`))
	if got, want := StoryParts(p), []string{presentation}; !slices.Equal(got, want) {
		t.Errorf("without slides: got %v, want %v", got, want)
	}
}

func TestAStoryThatCannotBeReadIsTold(t *testing.T) {
	t.Parallel()
	parts := officetest.WordParts(`<w:p/>`, map[string]string{"header1": ""})
	parts["word/header1.xml"] = "<w:hdr"
	p := mustRead(t, officetest.Zip(t, parts))
	count, err := ReplaceText(p, "a", "b", true)
	var fault *opc.FormatError
	if !errors.As(err, &fault) || count != 0 {
		t.Errorf("got %d, %v; want a FormatError", count, err)
	}
}
