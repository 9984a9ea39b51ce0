package edit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/opc"
)

// pieceNames are what written calls pieces.
var pieceNames = map[PieceKind]string{
	TextPiece: "text", TabPiece: "tab", LineBreakPiece: "line", PageBreakPiece: "page", ColumnBreakPiece: "column", DrawingPiece: "drawing",
	NoteReferencePiece: "note", PageNumberPiece: "number", PageCountPiece: "count", OtherPiece: "other",
}

// written are pieces in one line, with the text of those that have one of their own.
func written(pieces []Piece) string {
	var all []string
	for _, p := range pieces {
		name := pieceNames[p.Kind]
		if text := map[PieceKind]string{TabPiece: "\t", LineBreakPiece: "\v"}[p.Kind]; p.Text != ObjectCharacter && p.Text != text {
			name += fmt.Sprintf("(%s)", p.Text)
		}
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

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

func TestThePiecesOfAParagraphAreWhatShowsInItsLines(t *testing.T) {
	t.Parallel()
	run := func(text string) string { return `<w:r><w:t>` + text + `</w:t></w:r>` }
	page := field("begin") + instruction("PAGE") + field("separate") + run("4") + field("end")
	deep := func(links int) string {
		return strings.Repeat(`<w:hyperlink>`, links) + run("a") + strings.Repeat(`</w:hyperlink>`, links)
	}
	cases := []struct{ name, inside, want string }{
		{"nothing", ``, ""},
		// The contents of runs: ECMA-376 part 1, 17.3.3.
		{"text", run("a") + run("b"), "text(a) text(b)"},
		{"text beside a comment", `<w:r><!-- c --><w:t>a</w:t></w:r>`, "text(a)"},
		{"text without letters", run(""), ""},
		{"tabs", `<w:r><w:tab/><w:ptab/></w:r>`, "tab tab"},
		{"breaks", `<w:r><w:br/><w:cr/><w:br w:type="textWrapping"/><w:br w:type="page"/><w:br w:type="column"/></w:r>`, "line line line page column"},
		{"hyphens", `<w:r><w:noBreakHyphen/><w:softHyphen/></w:r>`, "other(\u2011) other(\u00AD)"},
		{"notes", `<w:r><w:footnoteReference w:id="1"/><w:endnoteReference w:id="1"/></w:r>`, "note note"},
		{"a page number", `<w:r><w:pgNum/></w:r>`, "number"},
		{"symbols and rubies", `<w:r><w:sym w:char="F0A7"/><w:ruby/></w:r>`, "other other"},
		{"what does not show", `<w:pPr><w:tab/></w:pPr><w:proofErr/><w:bookmarkStart/><w:r><w:rPr/><w:lastRenderedPageBreak/><w:delText>x</w:delText></w:r><!-- c -->`, ""},
		// What may stand around runs: 17.3.1.22.
		{"links, insertions and controls", `<w:hyperlink>` + run("a") + `</w:hyperlink><w:ins>` + run("b") + `</w:ins><w:moveTo>` + run("c") + `</w:moveTo><w:smartTag>` + run("d") + `</w:smartTag><w:customXml>` + run("e") +
			`</w:customXml><w:dir>` + run("f") + `</w:dir><w:bdo>` + run("g") + `</w:bdo><w:sdt><w:sdtPr>` + run("x") + `</w:sdtPr><w:sdtContent>` + run("h") + `</w:sdtContent></w:sdt>`,
			"text(a) text(b) text(c) text(d) text(e) text(f) text(g) text(h)"},
		{"deletions", `<w:del>` + run("a") + `</w:del><w:moveFrom>` + run("b") + `</w:moveFrom>`, ""},
		{"equations", `<m:oMath>` + run("a") + `</m:oMath><m:oMathPara/>`, "other other"},
		{"a run of an equation", `<m:r><m:t>x</m:t></m:r>`, ""},
		{"as deep as we go", deep(opc.MaxNesting), "text(a)"},
		{"deeper", deep(opc.MaxNesting + 1), ""},
		{"simple fields as deep as we go", strings.Repeat(`<w:fldSimple w:instr="QUOTE">`, opc.MaxNesting) + run("a") + strings.Repeat(`</w:fldSimple>`, opc.MaxNesting), "text(a)"},
		{"simple fields that are deeper", strings.Repeat(`<w:fldSimple w:instr="QUOTE">`, opc.MaxNesting+1) + run("a") + strings.Repeat(`</w:fldSimple>`, opc.MaxNesting+1), ""},
		// Drawings: in the line or on the page, 20.4.2.
		{"drawings in the line", `<w:r><w:drawing><wp:inline/></w:drawing><w:pict><v:shape style="width:1pt"/></w:pict><w:object><v:shape/></w:object></w:r>`, "drawing drawing drawing"},
		{"drawings on the page", `<w:r><w:drawing><wp:anchor/></w:drawing><w:pict><v:shape style="width:1pt;position:absolute"/></w:pict><w:object><o:x/><v:rect style="position:absolute"/></w:object></w:r>`, ""},
		{"a style of something else", `<w:r><w:pict><o:shape style="position:absolute"/></w:pict></w:r>`, "drawing"},
		{"alternatives in the line", `<w:r><mc:AlternateContent><mc:Choice><w:drawing><wp:inline/></w:drawing></mc:Choice><mc:Fallback><w:pict/></mc:Fallback></mc:AlternateContent></w:r>`, "drawing"},
		{"alternatives on the page", `<w:r><mc:AlternateContent><mc:Choice><w:drawing><wp:anchor/></w:drawing></mc:Choice><mc:Fallback><w:pict/></mc:Fallback></mc:AlternateContent></w:r>`, ""},
		// Fields: 17.16.
		{"a simple page number", `<w:fldSimple w:instr=" PAGE \* MERGEFORMAT ">` + run("4") + `</w:fldSimple>`, "number"},
		{"simple page counts", `<w:fldSimple w:instr="NumPages"/><w:fldSimple w:instr="SECTIONPAGES"/>`, "count count"},
		{"another simple field", `<w:fldSimple w:instr="AUTHOR">` + run("Ada") + `</w:fldSimple><w:fldSimple instr="PAGE">` + run("x") + `</w:fldSimple>`, "text(Ada) text(x)"},
		{"a page number", run("a") + page + run("b"), "text(a) number text(b)"},
		{"a page count", field("begin") + instruction("NUMPAGES") + field("end"), "count"},
		{"an instruction in parts", field("begin") + instruction(" pa") + instruction("ge ") + field("end"), "number"},
		{"the result of another field", field("begin") + instruction("AUTHOR") + run("hidden") + field("separate") + run("Ada") + field("end"), "text(Ada)"},
		{"no result", field("begin") + instruction("AUTHOR") + field("end") + run("a"), "text(a)"},
		{"a page number in a result", field("begin") + instruction("IF 1") + field("separate") + page + run("a") + field("end"), "number text(a)"},
		{"a field in the result of a page number", field("begin") + instruction("PAGE") + field("separate") + field("begin") + instruction("AUTHOR") + field("separate") + run("x") + field("end") + field("end"), "number"},
		{"ends without beginning", field("end") + field("separate") + instruction("PAGE") + run("a"), "text(a)"},
		{"a beginning without end", run("a") + field("begin") + instruction("PAGE") + run("b"), "text(a)"},
		{"fields as deep as we go", strings.Repeat(field("begin")+instruction("IF")+field("separate"), opc.MaxNesting) + run("a") + strings.Repeat(field("end"), opc.MaxNesting) + run("b"), "text(a) text(b)"},
	}
	for _, c := range cases {
		if got := written(ParagraphPieces(paragraph(t, `<w:p>`+c.inside+`</w:p>`))); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// White space at the ends of a w:t shows where xml:space says so (ECMA-376 part
// 1, 17.3.3.31; XML 1.0, 2.10); raw ends of lines are spaces.
func TestSpacesAtTheEndsOfATextShowWhereTheyArePreserved(t *testing.T) {
	t.Parallel()
	for xml, want := range map[string]string{
		"<w:p><w:r><w:t> \ta b\t </w:t></w:r></w:p>":                                             "a b",
		`<w:p><w:r><w:t xml:space="preserve"> a </w:t></w:r></w:p>`:                              " a ",
		`<w:p xml:space="preserve"><w:r><w:t> a </w:t></w:r></w:p>`:                              " a ",
		`<w:p xml:space="preserve"><w:r><w:t xml:space="default"> a </w:t></w:r></w:p>`:          "a",
		`<w:p space="preserve"><w:r><w:t xml:lang="de"> a </w:t></w:r></w:p>`:                    "a",
		"<w:p><w:r><w:t>a\nb&#xD;c</w:t></w:r></w:p>":                                            "a b c",
		"<w:p><w:r><w:t>\na\n</w:t></w:r></w:p>":                                                 "a",
		"<w:p><w:r><w:t xml:space=\"preserve\">\na\n</w:t></w:r></w:p>":                          " a ",
		`<w:p><w:r><w:t>a<!-- c -->b<![CDATA[c]]></w:t></w:r></w:p>`:                             "abc",
		"<w:p><w:r><w:t>\u00A0a\u00A0</w:t></w:r></w:p>":                                         "\u00A0a\u00A0",
		`<w:p><w:r><w:t xml:space="preserve"> </w:t><w:t> </w:t><w:tab/></w:r></w:p>`:            " \t",
		`<w:p><w:r><w:t>a</w:t><w:footnoteReference/><w:br/></w:r><w:r><w:t>b</w:t></w:r></w:p>`: "a" + ObjectCharacter + "\vb",
	} {
		if got := ParagraphText(ParagraphPieces(paragraph(t, xml))); got != want {
			t.Errorf("%s: got %q, want %q", xml, got, want)
		}
	}
}

func TestPiecesKnowTheElementsThatHoldThem(t *testing.T) {
	t.Parallel()
	p := paragraph(t, `<w:p><w:r><w:tab/></w:r><m:oMath/><w:fldSimple w:instr="PAGE"/></w:p>`)
	pieces := ParagraphPieces(p)
	if len(pieces) != 3 {
		t.Fatalf("got %q, want three pieces", written(pieces))
	}
	for i, want := range []struct{ elem, run *etree.Element }{
		{p.FindElement("./w:r/w:tab"), p.FindElement("./w:r")}, {p.FindElement("./m:oMath"), nil}, {p.FindElement("./w:fldSimple"), nil},
	} {
		if pieces[i].Elem != want.elem || pieces[i].Run != want.run {
			t.Errorf("%s: got %v in the run %v, want %v in %v", written(pieces[i:i+1]), pieces[i].Elem, pieces[i].Run, want.elem, want.run)
		}
	}
}

// The contents of a paragraph on a slide: ECMA-376 part 1, 21.1.2.2.6.
func TestThePiecesOfAParagraphOnASlide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, inside, want string }{
		{"nothing", `<a:pPr/><a:endParaRPr/>`, ""},
		{"text", `<a:r><a:rPr/><a:t> a </a:t></a:r><!-- c --><a:r><a:t>b</a:t></a:r>`, "text( a ) text(b)"},
		{"text without letters", `<a:r><a:t/></a:r><a:r><a:rPr/></a:r>`, ""},
		{"a break", `<a:br/>`, "line"},
		{"fields", `<a:fld type="slidenum"><a:t>4</a:t></a:fld><a:fld type="datetime1"><a:t>today</a:t></a:fld><a:fld/>`, "number other other"},
		{"an equation", `<mc:AlternateContent><mc:Choice/></mc:AlternateContent>`, "other"},
		{"elements of other namespaces", `<w:r><a:t>a</a:t></w:r><w:br/><w:fld/>`, ""},
	} {
		if got := written(ParagraphPieces(paragraph(t, `<a:p>`+c.inside+`</a:p>`))); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Word writes { IF { PAGE } = 1 "first" } in parts, the last of them behind the field inside.
func TestAnInstructionGoesOnBehindTheFieldInsideIt(t *testing.T) {
	t.Parallel()
	p := paragraph(t, `<w:p>`+field("begin")+instruction("IF ")+field("begin")+instruction("PAGE")+field("end")+instruction(" = 1 ")+
		field("separate")+`<w:r><w:t>first</w:t></w:r>`+field("end")+`</w:p>`)
	if got, want := ParagraphText(ParagraphPieces(p)), "first"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
