package edit

import (
	"reflect"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/opc"
)

const (
	document = "word/document.xml"
	slide    = "ppt/slides/slide1.xml"
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
				`<w:p><w:pPr><w:jc w:val="center"/><w:sectPr/></w:pPr><w:r>` + bold + `<w:t>two b</w:t></w:r><w:r><w:t>c</w:t></w:r></w:p>`,
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

func TestReplaceTextOnSlides(t *testing.T) {
	t.Parallel()
	run := func(text string) string { return `<a:r><a:rPr lang="en" b="1"/><a:t>` + text + `</a:t></a:r>` }
	shape := func(paragraphs string) string {
		return `<p:sp><p:txBody><a:bodyPr/>` + paragraphs + `</p:txBody></p:sp>`
	}
	cases := []struct{ name, find, with, body, want string }{
		{"split over runs", "{{A}}", "v", `<a:p>` + run("{") + `<a:r><a:t>{A}</a:t></a:r>` + run("}!") + `</a:p>`, `<a:p>` + run("v") + run("!") + `</a:p>`},
		{"empty keeps the line's height", "{{A}}", "", `<a:p>` + run("{{A}}") + `</a:p>`, `<a:p><a:r><a:rPr lang="en" b="1"/><a:t/></a:r></a:p>`},
		{"line break", "{{A}}", "1\v2\t3", `<a:p>` + run("{{A}}") + `</a:p>`, `<a:p>` + run("1") + `<a:br><a:rPr lang="en" b="1"/></a:br>` + run("2\t3") + `</a:p>`},
		{"new paragraph", "{{A}}", "1\n2", `<a:p><a:pPr lvl="1"/>` + run("({{A}})") + `<a:endParaRPr sz="900"/></a:p>`,
			`<a:p><a:pPr lvl="1"/>` + run("(1") + `<a:endParaRPr sz="900"/></a:p><a:p><a:pPr lvl="1"/>` + run("2)") + `<a:endParaRPr sz="900"/></a:p>`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := slideFile(t, shape(c.body), "")
			if _, err := ReplaceText(p, c.find, c.with, true); err != nil {
				t.Fatal(err)
			}
			got := strings.TrimPrefix(inside(t, reread(t, p), slide, "p:txBody"), `<a:bodyPr/>`)
			if got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
	table := `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc><a:txBody><a:p>` + run("{{A}}") + `</a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`
	grouped := `<p:grpSp><p:grpSp>` + shape(`<a:p>`+run("{{A}}")+`</a:p>`) + `</p:grpSp></p:grpSp>`
	p := slideFile(t, table+grouped, shape(`<a:p>`+run("{{A}}")+`</a:p>`))
	if count, err := ReplaceText(p, "{{A}}", "v", true); err != nil || count != 3 {
		t.Errorf("table, group and notes: got %d, %v; want 3", count, err)
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

// FuzzReplaceText looks for replacements that lose or invent text.
func FuzzReplaceText(f *testing.F) {
	f.Add("ab", "c{{x", "}}d", "{{x}}", "v\nw")
	f.Add("", "a", "a", "A", "")
	f.Fuzz(func(t *testing.T, one, two, three, find, with string) {
		clean := func(s string) string {
			return strings.NewReplacer("\n", "", "\v", "", "\t", "", ObjectCharacter, "").Replace(cleanText(strings.ToValidUTF8(s, "")))
		}
		one, two, three, find = clean(one), clean(two), clean(three), clean(find)
		if find == "" {
			return
		}
		word := wordFile(t, `<w:p><w:r><w:t/></w:r><w:r><w:t/></w:r><w:r><w:t/></w:r></w:p>`, nil)
		checkReplacement(t, word, document, "//w:t", []string{one, two, three}, find, with)
		slides := slideFile(t, `<p:sp><p:txBody><a:p><a:r><a:t/></a:r><a:r><a:t/></a:r><a:r><a:t/></a:r></a:p></p:txBody></p:sp>`, "")
		checkReplacement(t, slides, slide, "//a:t", []string{one, two, three}, find, with)
	})
}

// checkReplacement compares a replacement over three runs with one in a string.
func checkReplacement(t *testing.T, p *opc.Package, part, path string, runs []string, find, with string) {
	t.Helper()
	tree, err := p.XML(part)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range tree.FindElements(path) {
		e.CreateAttr("xml:space", "preserve")
		setCharData(e, runs[i])
	}
	p.Touch(part)
	p = reread(t, p)
	whole := strings.Join(texts(t, p, part), "\n")
	if _, err := ReplaceText(p, find, with, true); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(texts(t, reread(t, p), part), "\n")
	if want := strings.ReplaceAll(whole, find, cleanText(with)); got != want {
		t.Errorf("%s: %q for %q in %q\n got %q\nwant %q", part, with, find, whole, got, want)
	}
}
