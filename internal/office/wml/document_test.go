package wml

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/officetest"
)

// resolved reads a document with these styles and lists.
func resolved(t *testing.T, body, styles, lists string, stories map[string]string) *Document {
	t.Helper()
	all := map[string]string{"styles": "", "numbering": ""}
	for name, content := range stories {
		all[name] = content
	}
	parts := officetest.WordParts(body, all)
	parts["word/styles.xml"] = `<w:styles ` + officetest.WordNamespaces + `>` + styles + `</w:styles>`
	parts["word/numbering.xml"] = `<w:numbering ` + officetest.WordNamespaces + `>` + lists + `</w:numbering>`
	d, err := ReadDocument(officetest.Zip(t, parts))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func paragraphsOf(blocks []Block) []*Paragraph {
	var out []*Paragraph
	for _, b := range blocks {
		if p, ok := b.(*Paragraph); ok {
			out = append(out, p)
		}
	}
	return out
}

func shownTexts(blocks []Block) []string {
	var out []string
	for _, p := range paragraphsOf(blocks) {
		text := p.Text()
		if p.Label != nil {
			text = p.Label.Text + " " + text
		}
		out = append(out, text)
	}
	return out
}

func TestRunFormattingIsLaidOverInTheStandardsOrder(t *testing.T) {
	t.Parallel()
	styles := `<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Arial" w:hAnsi="Arial"/><w:sz w:val="20"/></w:rPr></w:rPrDefault></w:docDefaults>` +
		`<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/><w:rPr><w:i/></w:rPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="H"><w:basedOn w:val="N"/><w:rPr><w:b/><w:sz w:val="30"/></w:rPr></w:style>` +
		`<w:style w:type="character" w:styleId="C"><w:rPr><w:color w:val="FF0000"/><w:sz w:val="40"/></w:rPr></w:style>`
	d := resolved(t, `<w:p><w:pPr><w:pStyle w:val="H"/></w:pPr><w:r><w:t>plain</w:t></w:r>`+
		`<w:r><w:rPr><w:rStyle w:val="C"/><w:b w:val="0"/></w:rPr><w:t>styled</w:t></w:r></w:p>`, styles, "", nil)
	runs := paragraphsOf(d.Sections[0].Blocks)[0].Runs
	if r := runs[0]; !r.Bold || !r.Italic || r.Size != 15 || r.Fonts.ASCII != "Arial" || r.Color != nil {
		t.Errorf("paragraph style: got %+v, want bold italic 15 pt Arial", r.RunProperties)
	}
	if r := runs[1]; r.Bold || r.Size != 20 || r.Color == nil || *r.Color != (dml.RGB{R: 255}) {
		t.Errorf("character style: got %+v, want 20 pt red and not bold", r.RunProperties)
	}
}

const threeLevels = `<w:abstractNum w:abstractNumId="0">` +
	`<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/><w:pPr><w:ind w:left="720" w:hanging="360"/></w:pPr></w:lvl>` +
	`<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1%2)"/></w:lvl>` +
	`<w:lvl w:ilvl="2"><w:numFmt w:val="bullet"/><w:lvlText w:val="&#xF0B7;"/><w:rPr><w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/></w:rPr></w:lvl></w:abstractNum>` +
	`<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>`

func listed(id, level, text string) string {
	return `<w:p><w:pPr><w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + id + `"/></w:numPr></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
}

func TestListsCountAndTheirSymbolsBecomeUnicode(t *testing.T) {
	t.Parallel()
	d := resolved(t, listed("1", "0", "a")+listed("1", "1", "b")+listed("1", "1", "c")+listed("1", "0", "d")+listed("1", "1", "e")+listed("1", "2", "f")+listed("2", "0", "g")+listed("0", "0", "none"),
		"", threeLevels, nil)
	want := []string{"1. a", "1a) b", "1b) c", "2. d", "2a) e", "• f", "7. g", "none"}
	if diff := cmp.Diff(want, shownTexts(d.Sections[0].Blocks)); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if p := paragraphsOf(d.Sections[0].Blocks)[0]; p.Left != 36 || p.FirstLine != -18 {
		t.Errorf("indent: got %g %g, want the level's 36 and -18", p.Left, p.FirstLine)
	}
}

func TestTrackedChangesAreShownAsAccepted(t *testing.T) {
	t.Parallel()
	d := resolved(t, `<w:p><w:r><w:t xml:space="preserve">stays </w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>`+
		`<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:del><w:r><w:delText>whole</w:delText></w:r></w:del></w:p>`, "", "", nil)
	if diff := cmp.Diff([]string{"stays new"}, shownTexts(d.Sections[0].Blocks)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestOfAlternativesTheOneWeUnderstandIsShown(t *testing.T) {
	t.Parallel()
	d := resolved(t, `<w:p><w:r><mc:AlternateContent><mc:Choice Requires="future"><w:t>future</w:t></mc:Choice><mc:Fallback><w:t>now</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>`, "", "", nil)
	if diff := cmp.Diff([]string{"now"}, shownTexts(d.Sections[0].Blocks)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestPageFieldsAreLiveAndOthersShowTheirResult(t *testing.T) {
	t.Parallel()
	field := func(instr, result string) string {
		return `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>` + instr + `</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>` + result + `</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`
	}
	d := resolved(t, `<w:p>`+field("PAGE", "3")+field("DATE", "today")+field(`HYPERLINK "https://example.com" \l "part"`, "link")+`</w:p>`, "", "", nil)
	var kinds []ItemKind
	var url string
	for _, r := range paragraphsOf(d.Sections[0].Blocks)[0].Runs {
		for _, item := range r.Items {
			kinds = append(kinds, item.Kind)
			if r.Link != nil {
				url = r.Link.URL
			}
		}
	}
	if diff := cmp.Diff([]ItemKind{PageFieldItem, TextItem, TextItem}, kinds); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	if url != "https://example.com#part" {
		t.Errorf("link: got %q", url)
	}
}

func TestSectionsInheritHeaders(t *testing.T) {
	t.Parallel()
	d := resolved(t, `<w:p><w:pPr><w:sectPr><w:headerReference w:type="default" r:id="header1"/><w:pgSz w:w="10000" w:h="20000"/></w:sectPr></w:pPr></w:p><w:p/>`, "", "",
		map[string]string{"header1": `<w:p><w:r><w:t>head</w:t></w:r></w:p>`})
	if len(d.Sections) != 2 || d.Sections[0].Width != 500 || d.Sections[0].Height != 1000 {
		t.Fatalf("got %d sections, first %+v, want two, the first 500 by 1000", len(d.Sections), d.Sections[0])
	}
	h := d.Sections[1].Headers["default"]
	if h == nil || h.Part != "word/header1.xml" || shownTexts(h.Blocks)[0] != "head" {
		t.Errorf("header of the second section: got %+v, want the first one's", h)
	}
}

func TestTableStylesReachTheCellsTheyAreFor(t *testing.T) {
	t.Parallel()
	styles := `<w:style w:type="table" w:styleId="T"><w:tblPr><w:tblStyleRowBandSize w:val="1"/><w:tblBorders><w:top w:val="single" w:sz="8"/><w:insideH w:val="dotted" w:sz="4"/></w:tblBorders></w:tblPr>` +
		`<w:tblStylePr w:type="firstRow"><w:rPr><w:b/></w:rPr><w:tcPr><w:shd w:val="clear" w:fill="112233"/></w:tcPr></w:tblStylePr>` +
		`<w:tblStylePr w:type="band2Horz"><w:tcPr><w:shd w:val="clear" w:fill="EEEEEE"/></w:tcPr></w:tblStylePr></w:style>`
	row := `<w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr>`
	d := resolved(t, `<w:tbl><w:tblPr><w:tblStyle w:val="T"/><w:tblLook w:val="0020"/></w:tblPr>`+strings.Repeat(row, 3)+`</w:tbl>`, styles, "", nil)
	table := d.Sections[0].Blocks[0].(*Table)
	var shades []string
	for _, r := range table.Rows {
		c := r.Cells[0]
		shade := "none"
		if c.Shading != nil {
			shade = string([]byte{"0123456789ABCDEF"[c.Shading.R>>4]})
		}
		shades = append(shades, shade+c.Borders.Top.Style)
	}
	if diff := cmp.Diff([]string{"1single", "nonedotted", "Edotted"}, shades); diff != "" {
		t.Errorf("shading and upper borders (-want +got):\n%s", diff)
	}
	if c := table.Rows[0].Cells[1]; c.Column != 2 {
		t.Errorf("cell behind one that spans two begins at column %d, want 2", c.Column)
	}
	if r := paragraphsOf(table.Rows[0].Cells[0].Blocks)[0].Runs[0]; !r.Bold {
		t.Error("text of the first row is not bold")
	}
}

func TestEditsOfTheXMLShowInTheNextModel(t *testing.T) {
	t.Parallel()
	d := resolved(t, `<w:p><w:r><w:t>before</w:t></w:r></w:p>`, "", "", nil)
	paragraphsOf(d.Sections[0].Blocks)[0].Runs[0].Items[0].Elem.SetText("after")
	d.Package.Touch(d.Package.MainPart())
	again, err := Resolve(d.Package)
	if err != nil {
		t.Fatal(err)
	}
	if got := shownTexts(again.Sections[0].Blocks)[0]; got != "after" {
		t.Errorf("got %q, want %q", got, "after")
	}
}

func TestHostileNestingIsCutOff(t *testing.T) {
	t.Parallel()
	const deep = 50
	body := strings.Repeat(`<w:tbl><w:tr><w:tc>`, deep) + `<w:p/>` + strings.Repeat(`</w:tc></w:tr></w:tbl>`, deep)
	if d := resolved(t, body, "", "", nil); !d.IsTruncated {
		t.Error("nesting of 50 tables was not reported")
	}
	loop := `<w:style w:type="paragraph" w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:type="paragraph" w:styleId="B"><w:basedOn w:val="A"/></w:style>`
	resolved(t, `<w:p><w:pPr><w:pStyle w:val="A"/></w:pPr></w:p>`, loop, "", nil)
}
