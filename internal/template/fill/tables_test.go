package fill_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/opc"
)

func TestTablesAreRepeated(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, template, want string }{
		{"behind a text", "{{#each Orders}}\nOrder {{No}}\n| Part | of\n| {{Lines.Part}} | {{No}}\n{{/each}}\nend",
			"Order 1\n| Part | of\n| A | 1\n| B | 1\nOrder 2\n| Part | of\n| C | 2\nOrder 3\n| Part | of\nend"},
		{"before a text", "start\n{{#each Orders}}\n| No {{No}} | x\nbehind {{No}}\n{{/each}}\nend",
			"start\n| No 1 | x\nbehind 1\n| No 2 | x\nbehind 2\n| No 3 | x\nbehind 3\nend"},
		{"between texts", "{{#each Orders}}\na {{No}}\nb\n| {{No}} | x\nc {{No}}\nd\n{{/each}}",
			"a 1\nb\n| 1 | x\nc 1\nd\na 2\nb\n| 2 | x\nc 2\nd\na 3\nb\n| 3 | x\nc 3\nd"},
		{"alone", "x\n{{#each Orders}}\n| {{No}} | b\n{{/each}}\nend", "x\n| 1 | b\n\n| 2 | b\n\n| 3 | b\nend"},
		{"two at once", "{{#each Orders limit 2}}\na\n| {{No}} | y\nb\n| x | {{No}}\n{{/each}}\nend", "a\n| 1 | y\nb\n| x | 1\na\n| 2 | y\nb\n| x | 2\nend"},
		{"at the end", "{{#each Orders limit 2}}\na\n| {{No}} | x\n{{/each}}", "a\n| 1 | x\na\n| 2 | x"},
		{"of one item", "{{#each Orders limit 1}}\na\n| {{No}} | x\n{{/each}}\nend", "a\n| 1 | x\nend"},
		{"of none", "x\n{{#each None}}\na\n| {{No}}\n{{/each}}\nend", "x\nend"},
		{"with rows of a block", "x\n{{#each Orders limit 2}}\n| {{#each Lines}}{{Part}} | {{@index}} of {{@count}}, {{No}}{{/each}}\n| {{#if No = 2}}Sum | of {{No}}{{/if}}\n{{/each}}\nend",
			"x\n| A | 1 of 2, 1\n| B | 2 of 2, 1\n\n| C | 1 of 1, 2\n| Sum | of 2\nend"},
		{"without rows for one", "{{#each Orders}}\n{{No}}\n| {{#each Lines}}{{Part}} | x{{/each}}\n{{/each}}\nend", "1\n| A | x\n| B | x\n2\n| C | x\n3\nend"},
		{"in a condition", "{{#each Orders}}\n{{No}}\n{{#if No <> 2}}\n| {{No}} | x\n{{else}}\nnot 2\n{{/if}}\n{{/each}}\nend", "1\n| 1 | x\n2\nnot 2\n3\n| 3 | x\nend"},
		{"of blocks in blocks", "{{#each Orders limit 2}}\n{{No}}\n{{#each Lines}}\n| {{Part}} | {{No}}\n{{/each}}\n{{/each}}\nend", "1\n| A | 1\n\n| B | 1\n2\n| C | 2\nend"},
		{"before another block", "x\n{{#each Orders limit 2}}\n| {{No}} | x\n{{/each}}\n{{#if Paid}}\npaid\n{{/if}}\n{{#each Orders limit 2}}\n| b {{No}} | x\n{{/each}}\nend", "x\n| 1 | x\n\n| 2 | x\npaid\n| b 1 | x\n\n| b 2 | x\nend"},
		{"before what goes", "x\n{{#each Orders limit 2}}\n| {{No}} | x\n{{/each}}\n{{#if Open}}\nopen\n{{/if}}", "x\n| 1 | x\n\n| 2 | x"},
		{"with several lines and entries", "x\n{{#each Orders limit 2}}\n| a {{No}} // * {{Lines.Part}} // end | {{Name}}\n{{/each}}\nend", "x\n| a 1 // * A // end | Ada\n| a 1 // * B // end | Ada\n\n| a 2 // * C // end | Ada\nend"},
		{"with tags in values", "x\n{{#each Items}}\n| {{Name}} | {{Qty}}\n{{/each}}\n{{Name}}", "x\n| Bolt | 3\n\n| Nut {{Name}} | 1\n\n| Washer | 9\nAda"},
	} {
		filled, _, err := fillDocument(t, docx(t, drawn(c.template), "", ""), decks)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := strings.TrimRight(shown(filled.Body.Content), "\n"); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestMarkdownStandsInRepeatedTablesAndSlides(t *testing.T) {
	t.Parallel()
	const data = `{"Items": [{"Text": "# a\n\n- **b**\n- c", "N": 1}, {"Text": "d\n\n- e", "N": 2}]}`
	filled, _, err := fillDocument(t, docx(t, drawn("x\n{{#each Items}}\n| {{N}} | {{markdown Text}}\nend {{N}}\n{{/each}}\nend"), "", ""), data)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := shown(filled.Body.Content), "x\n| 1 | a // * b // * c\nend 1\n| 2 | d // * e\nend 2\nend"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	deck, err := fillPresentation(t, pptx(t, []string{"{{#each Items}}", "{{markdown Text}}", "| {{N}} | {{markdown Text}}", "{{/each}}"}), data)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"a\n* b\n* c", "| 1 | a // * b // * c"}, {"d\n* e", "| 2 | d // * e"}}
	if got := shownSlides(deck); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// An empty paragraph between tables of a block is as high as that of the template.
func TestAnEmptyParagraphBetweenRepeatedTablesKeepsItsStyle(t *testing.T) {
	t.Parallel()
	table := `<w:tbl><w:tblGrid><w:gridCol w:w="1000"/></w:tblGrid><w:tr><w:tc>` + para("{{No}}") + `</w:tc></w:tr></w:tbl>`
	between := `<w:p><w:pPr><w:spacing w:before="240"/><w:jc w:val="right"/></w:pPr></w:p>`
	filled, _, err := fillDocument(t, docx(t, para("a")+para("{{#each Orders limit 2}}")+table+between+table+para("{{/each}}")+para("end"), "", ""), decks)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range filled.Body.Content {
		if e.Paragraph != nil && e.EndIndex-e.StartIndex == 1 {
			got = append(got, fmt.Sprint(e.Paragraph.ParagraphStyle.Alignment, e.Paragraph.ParagraphStyle.SpaceAbove.Magnitude))
		}
	}
	if want := "END12 START0 END12"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
}

func TestTablesAreRepeatedInCellsAndHeaders(t *testing.T) {
	t.Parallel()
	block := para("{{#each Orders limit 2}}") + `<w:tbl><w:tblGrid><w:gridCol w:w="1000"/></w:tblGrid><w:tr><w:tc>` + para("{{No}}") + `</w:tc></w:tr></w:tbl>` + para("{{/each}}")
	outer := `<w:tbl><w:tblGrid><w:gridCol w:w="5000"/></w:tblGrid><w:tr><w:tc>` + para("a {{Name}}") + block + para("b") + `</w:tc></w:tr><w:tr><w:tc>` + para("c") + `</w:tc></w:tr></w:tbl>`
	filled, _, err := fillDocument(t, docx(t, outer+para("end"), "", ""), decks)
	if err != nil {
		t.Fatal(err)
	}
	cell := filled.Body.Content[1].Table.TableRows[0].TableCells[0]
	if got, want := shown(cell.Content), "a Ada\n| 1\n\n| 2\nb"; got != want {
		t.Errorf("in a cell: got\n%s\nwant\n%s", got, want)
	}
	p, err := opc.ReadPackage(docx(t, para("end"), "x", ""))
	if err != nil {
		t.Fatal(err)
	}
	header, _ := p.Part("word/header1.xml")
	p.SetPart("word/header1.xml", "", []byte(strings.Replace(string(header), "</w:hdr>", block+para("last")+"</w:hdr>", 1)))
	file, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if filled, _, err = fillDocument(t, file, decks); err != nil {
		t.Fatal(err)
	}
	if got, want := shown(filled.Headers["kix.header1"].Content), "x\n| 1\n\n| 2\nlast"; got != want {
		t.Errorf("in a header: got\n%s\nwant\n%s", got, want)
	}
}

// A repeated table is a new one, and looks as the first.
func TestARepeatedTableLooksAsTheFirst(t *testing.T) {
	t.Parallel()
	border := func(side, style, color string) string {
		return `<w:` + side + ` w:val="` + style + `" w:sz="12" w:space="0" w:color="` + color + `"/>`
	}
	cell := func(width, properties, content string) string {
		return `<w:tc><w:tcPr><w:tcW w:w="` + width + `" w:type="dxa"/>` + properties + `</w:tcPr>` + content + `</w:tc>`
	}
	text := func(properties, run, text string) string {
		return `<w:p><w:pPr>` + properties + `</w:pPr><w:r><w:rPr>` + run + `</w:rPr><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
	}
	head := `<w:tr><w:trPr><w:cantSplit/><w:trHeight w:val="600"/><w:tblHeader/></w:trPr>` +
		cell("5000", `<w:gridSpan w:val="2"/><w:tcBorders>`+border("top", "single", "FF0000")+border("bottom", "dashed", "00FF00")+`</w:tcBorders><w:shd w:val="clear" w:fill="DDEEFF"/><w:vAlign w:val="center"/>`, text(`<w:jc w:val="center"/>`, `<w:b/><w:sz w:val="30"/>`, "Order {{No}}")) +
		cell("1500", `<w:vMerge w:val="restart"/><w:tcMar><w:left w:w="300" w:type="dxa"/></w:tcMar>`, text("", `<w:i/>`, "for {{Name}}")) + `</w:tr>`
	row := `<w:tr>` + cell("1000", ``, text(`<w:jc w:val="right"/>`, `<w:color w:val="FF0000"/>`, "{{#each Lines}}{{Part}}")) +
		cell("4000", `<w:tcBorders>`+border("left", "single", "0000FF")+`</w:tcBorders>`, text("", "", "of ")+text(`<w:spacing w:before="120"/>`, `<w:u w:val="single"/>`, "{{No}}{{/each}}")) +
		cell("1500", `<w:vMerge/><w:tcMar><w:left w:w="300" w:type="dxa"/></w:tcMar>`, `<w:p/>`) + `</w:tr>`
	body := para("x") + para("{{#each Orders where COUNT(Lines) < 2}}") + `<w:tbl><w:tblPr><w:tblW w:w="6500" w:type="dxa"/></w:tblPr><w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="4000"/><w:gridCol w:w="1500"/></w:tblGrid>` + head + row + `</w:tbl>` + para("{{/each}}") + para("end")
	filled, _, err := fillDocument(t, docx(t, body, "", ""), `{"Name": "Ada", "Orders": [{"No": 7, "Lines": [{"Part": "A"}]}, {"No": 7, "Lines": [{"Part": "A"}]}, {"No": 8, "Lines": [{"Part": "B"}, {"Part": "C"}]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	var tables, lines []string
	for _, e := range filled.Body.Content {
		if e.Table != nil {
			lines = append(lines, edges(e.Table))
			shape, err := json.Marshal(e.Table)
			if err != nil {
				t.Fatal(err)
			}
			tables = append(tables, indexJSON.ReplaceAllString(string(shape), ""))
		}
	}
	// The edges of cells are said by both in a copy, as in Google's documents.
	if len(tables) != 2 || tables[0] != tables[1] || !strings.Contains(tables[0], `"rowSpan":2`) || !strings.Contains(tables[0], `"tableHeader":true`) {
		t.Errorf("got the tables\n%s", strings.Join(tables, "\n"))
	}
	want := "1.5SO 0SO 1.5DA 0SO; - - - -; 0SO 0SO 0SO 0SO; 1.5DA 1.5SO 0SO 0SO; 1.5DA 0SO 0SO 1.5SO; 0SO 0SO 0SO 0SO"
	if len(lines) != 2 || lines[1] != want {
		t.Errorf("got the edges\n%s\nwant\n%s", strings.Join(lines, "\n"), want)
	}
}

// edges writes which lines the cells of a table have, and takes them off.
func edges(t *gdocs.Table) string {
	var all []string
	for _, row := range t.TableRows {
		for _, c := range row.TableCells {
			s := c.TableCellStyle
			var lines []string
			for _, b := range []**gdocs.TableCellBorder{&s.BorderTop, &s.BorderRight, &s.BorderBottom, &s.BorderLeft} {
				if *b == nil {
					lines = append(lines, "-")
					continue
				}
				lines = append(lines, fmt.Sprint((*b).Width.Magnitude, (*b).DashStyle[:2]))
				*b = nil
			}
			all = append(all, strings.Join(lines, " "))
		}
	}
	return strings.Join(all, "; ")
}

var indexJSON = regexp.MustCompile(`"(start|end)Index":\d+,?|"tableCellLocation":\{[^}]*\},?`)

func TestTablesThatCannotBeRepeatedAreFindings(t *testing.T) {
	t.Parallel()
	inner := `<w:tbl><w:tblGrid><w:gridCol w:w="1000"/></w:tblGrid><w:tr><w:tc>` + para("in") + `</w:tc></w:tr></w:tbl>`
	merged := func(first, second string) string {
		cells := func(merge, text string) string {
			a, b, _ := strings.Cut(text, "|")
			return `<w:tc><w:tcPr><w:vMerge` + merge + `/></w:tcPr><w:p/></w:tc><w:tc>` + strings.Join([]string{para(a), para(b)}, `</w:tc><w:tc>`) + `</w:tc>`
		}
		return `<w:tbl><w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="1000"/><w:gridCol w:w="1000"/></w:tblGrid><w:tr>` + cells(` w:val="restart"`, first) + `</w:tr><w:tr>` + cells("", second) + `</w:tr></w:tbl>`
	}
	for name, c := range map[string]struct{ body, code, message string }{
		"a table in one":          {`<w:tbl><w:tblGrid><w:gridCol w:w="1000"/></w:tblGrid><w:tr><w:tc>` + inner + para("{{No}}") + `</w:tc></w:tr></w:tbl>`, "template_faulty", "A table stands inside a cell of what repeats."},
		"a merged cell cut short": {merged("x|x", "{{#if No = 1}}y|y{{/if}}"), "template_faulty", "its rows do not all come out"},
		"one without its head":    {merged("{{#if No = 1}}x|x{{/if}}", "y|y"), "template_faulty", "whose first row does not come out"},
	} {
		_, _, err := fillDocument(t, docx(t, para("a")+para("{{#each Orders}}")+c.body+para("{{/each}}")+para("end"), "", ""), decks)
		wantFailure(t, err, c.code, c.message)
		if err == nil {
			t.Error(name)
		}
	}
	_, _, err := fillDocument(t, docx(t, drawn("{{#each Items}}\n| {{N}} | a | b\n{{/each}}\nend"), "", ""), `{"Items":`+items(20_000, `{"N":#}`)+`}`)
	wantFailure(t, err, "list_too_long", "The list Items has 20000 items, and about")
}
