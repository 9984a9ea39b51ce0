package pdfrules_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/protect"
	"github.com/platenhq/platen/internal/render/flow"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
	"github.com/platenhq/platen/internal/render/slide"
	"github.com/platenhq/platen/test/pdfrules"
)

// The library throws a switch once, which tests side by side would read meanwhile.
func TestMain(m *testing.M) {
	_, _ = protect.Embedded(nil) // refused; it has thrown the switch
	os.Exit(m.Run())
}

func TestEveryExampleKeepsTheRules(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../examples/*.*x")
	if err != nil || len(files) < 4 {
		t.Fatalf("found %d examples: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			wantRules(t, made(t, file, data))
		})
	}
}

// made is the PDF of a document or of a presentation.
func made(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	var out []byte
	if strings.HasSuffix(name, ".pptx") {
		p, err := pml.ReadPresentation(data)
		if err != nil {
			t.Fatal(err)
		}
		if out, _, err = slide.Presentation(pdf.EmbeddedFonts(), p, name); err != nil {
			t.Fatal(err)
		}
		return out
	}
	d, err := wml.ReadDocument(data)
	if err != nil {
		t.Fatal(err)
	}
	if out, _, err = flow.Document(pdf.EmbeddedFonts(), d, name); err != nil {
		t.Fatal(err)
	}
	return out
}

func wantRules(t *testing.T, file []byte) {
	t.Helper()
	faults, err := pdfrules.Check(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Errorf("%s: %s", f.Rule, f.What)
	}
}

// everything has one of each that there is a rule for.
func everything(t *testing.T) []byte {
	t.Helper()
	cell := func(properties, text string) string {
		return `<w:tc><w:tcPr>` + properties + `</w:tcPr>` + rendertest.Paragraph("", text) + `</w:tc>`
	}
	return made(t, "everything.docx", rendertest.Docx{
		Settings: `<w:themeFontLang w:val="en-GB"/>`,
		Section:  `<w:footerReference w:type="default" r:id="footer1"/>`,
		Body: rendertest.Paragraph(`<w:outlineLvl w:val="0"/>`, "First") + rendertest.Paragraph(`<w:outlineLvl w:val="1"/>`, "Second") +
			rendertest.Paragraph(`<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>`, "point") +
			`<w:p><w:bookmarkStart w:id="1" w:name="top"/><w:hyperlink w:anchor="top"><w:r><w:t>up</w:t></w:r></w:hyperlink><w:r><w:footnoteReference w:id="2"/></w:r></w:p>` +
			`<w:p><w:r><w:drawing><wp:inline><wp:extent cx="1270000" cy="635000"/><wp:docPr id="1" name="b" descr="A blue box"/><a:graphic><a:graphicData><wps:wsp><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="1270000" cy="635000"/></a:xfrm>` + rendertest.Rectangle + rendertest.Blue + `</wps:spPr></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>` +
			`<w:tbl><w:tblPr><w:tblBorders><w:insideH w:val="single" w:sz="4"/></w:tblBorders></w:tblPr><w:tblGrid><w:gridCol w:w="2000"/><w:gridCol w:w="2000"/></w:tblGrid><w:tr><w:trPr><w:tblHeader/></w:trPr>` + cell("", "A") + cell("", "B") + `</w:tr><w:tr>` +
			cell(`<w:gridSpan w:val="2"/>`, "both") + `</w:tr></w:tbl>`,
		Parts: map[string]string{"footer1.xml": rendertest.Paragraph("", "below"), "footnotes.xml": `<w:footnote w:id="2">` + rendertest.Paragraph("", "note") + `</w:footnote>`,
			"numbering.xml": `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`},
	}.Bytes(t))
}

// The checker is one: each rule that is broken in a file that keeps all is found.
func TestABrokenRuleIsFound(t *testing.T) {
	t.Parallel()
	whole := everything(t)
	wantRules(t, whole)
	plain := rendertest.Tool(t, whole, "qpdf", "--qdf", "--object-streams=disable", "FILE", "-")
	for what, c := range map[string]struct{ before, after, rule string }{
		"not marked":                      {"/Marked true", "/Marked false", pdfrules.Whole},
		"no title for readers":            {"/DisplayDocTitle true", "/DisplayDocTitle false", pdfrules.Whole},
		"no language":                     {"/Lang <", "/Long <", pdfrules.Whole},
		"no tree":                         {"/StructTreeRoot ", "/StructTreeRout ", pdfrules.Whole},
		"no title":                        {"/Title <", "/Tidle <", pdfrules.Whole},
		"decoration without marks":        {"/Artifact BMC", "/Decoration BMC", pdfrules.Content},
		"text without marks":              {"/H <</MCID 0>> BDC", "/H <</None 0>> BDC", pdfrules.Content},
		"marks that do not end":           {"EMC\n", "", pdfrules.Nesting},
		"marks that end in a text":        {"BT\n", "BT\nEMC\n", pdfrules.Nesting},
		"content of nobody":               {"<</MCID 0>> BDC", "<</MCID 77>> BDC", pdfrules.Parents},
		"a page without parents":          {"/StructParents 0", "/StructParents 7", pdfrules.Parents},
		"an element under another":        {"/S /LBody", "/P 2 0 R /S /LBody", pdfrules.Parents},
		"no role":                         {"/S /H2", "/S /Headline", pdfrules.Roles},
		"a paragraph in a row":            {"/S /TH", "/S /P", pdfrules.Roles},
		"a point outside of a list":       {"/S /L\n", "/S /Div\n", pdfrules.Roles},
		"a level that is skipped":         {"/S /H2", "/S /H3", pdfrules.Headings},
		"a row of more columns":           {"/ColSpan 2", "/ColSpan 3", pdfrules.Regularity},
		"a header cell of nothing":        {"/Scope /Column", "/Skope /Column", pdfrules.Scopes},
		"a note without an ID":            {"/ID (note", "/IX (note", pdfrules.Notes},
		"a link without a description":    {"/Contents (up)", "/Kontents (up)", pdfrules.Links},
		"a link that leads elsewhere":     {"/StructParent 1", "/StructParent 0", pdfrules.Links},
		"a link of no element":            {"/Type /OBJR", "/Type /OBJX", pdfrules.Links},
		"another order":                   {"/Tabs /S", "/Tabs /R", pdfrules.Order},
		"a font that is not embedded":     {"/FontFile2", "/FontFilm2", pdfrules.Fonts},
		"a font without characters":       {"/ToUnicode", "/ToUnikode", pdfrules.Fonts},
		"a font without a map of glyphs":  {"/CIDToGIDMap", "/CIDToGIDMop", pdfrules.Fonts},
		"a picture that nobody describes": {"/Alt (", "/Olt (", pdfrules.Described},
		"a picture without a place":       {"/BBox", "/BBux", pdfrules.Described},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(plain, c.before) {
				t.Fatalf("the file lacks %q", c.before)
			}
			broken := rendertest.Tool(t, []byte(strings.Replace(plain, c.before, c.after, 1)), "fix-qdf", "FILE")
			faults, err := pdfrules.Check([]byte(broken))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(faults, func(f pdfrules.Fault) bool { return f.Rule == c.rule }) {
				t.Errorf("found %v, want a fault of %q", faults, c.rule)
			}
		})
	}
}

// A formula is one figure of a text or of a line (ISO 14289-1, 7.7: it has an Alt).
func TestFormulasKeepTheRules(t *testing.T) {
	t.Parallel()
	half := rendertest.Math("f", "", "num", "a+b", "den", "2")
	grid := `<m:m><m:mr><m:e>` + half + `</m:e><m:e>` + rendertest.MathRun("", "0") + `</m:e></m:mr></m:m>`
	whole := made(t, "formulas.docx", rendertest.Docx{
		Settings: `<w:themeFontLang w:val="en-GB"/>`,
		Body: `<w:p><w:r><w:t xml:space="preserve">The mean is </w:t></w:r><m:oMath>` + half + `</m:oMath><w:r><w:t xml:space="preserve"> of both.</w:t></w:r></w:p>` +
			`<w:p><m:oMathPara><m:oMath>` + rendertest.Math("d", "", "e", grid) + `</m:oMath></m:oMathPara></w:p>`,
	}.Bytes(t))
	wantRules(t, whole)
	plain := rendertest.Tool(t, whole, "qpdf", "--qdf", "--object-streams=disable", "FILE", "-")
	if n := strings.Count(plain, "/S /Formula"); n != 2 {
		t.Errorf("found %d formulas, want 2", n)
	}
	silent := rendertest.Tool(t, []byte(strings.Replace(plain, "/Alt (", "/Olt (", 1)), "fix-qdf", "FILE")
	faults, err := pdfrules.Check([]byte(silent))
	if err != nil || !slices.ContainsFunc(faults, func(f pdfrules.Fault) bool { return f.Rule == pdfrules.Described }) {
		t.Errorf("a formula without an Alt: found %v, %v", faults, err)
	}
}
