package fill_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/wml"
)

// numbered is a document of lines: "1 text" is an entry of a list in Roman numbers on its
// first level, "1.2 text" one of its second level, "2 text" one of a list of letters, "s text"
// one by its style, "* text" a bullet.
func numbered(t testing.TB, lines string) []byte {
	t.Helper()
	entry := func(list, level, text string) string {
		return `<w:p><w:pPr><w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + list + `"/></w:numPr></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	one := func(line string) string {
		kind, text, _ := strings.Cut(line, " ")
		switch kind {
		case "1":
			return entry("7", "0", text)
		case "1.2":
			return entry("7", "1", text)
		case "2":
			return entry("8", "0", text)
		case "s":
			return `<w:p><w:pPr><w:pStyle w:val="Steps"/></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
		case "h":
			return strings.Replace(entry("7", "0", text), `<w:pPr>`, `<w:pPr><w:pStyle w:val="Heading1"/>`, 1)
		}
		return drawn(line)
	}
	var body strings.Builder
	inRow := false
	for line := range strings.SplitSeq(lines, "\n") {
		cells, isRow := strings.CutPrefix(line, "| ")
		if isRow != inRow {
			body.WriteString(map[bool]string{true: `<w:tbl><w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="1000"/></w:tblGrid>`, false: `</w:tbl>`}[isRow])
		}
		if inRow = isRow; !isRow {
			body.WriteString(one(line))
			continue
		}
		body.WriteString(`<w:tr>`)
		for c := range strings.SplitSeq(cells, " | ") {
			body.WriteString(`<w:tc><w:tcPr><w:tcW w:w="1000" w:type="dxa"/></w:tcPr>`)
			for p := range strings.SplitSeq(c, " // ") {
				body.WriteString(one(p))
			}
			body.WriteString(`</w:tc>`)
		}
		body.WriteString(`</w:tr>`)
	}
	level := func(i int, format, text string) string {
		return fmt.Sprintf(`<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="%s"/><w:lvlText w:val="%s"/><w:pPr><w:ind w:left="%d" w:hanging="360"/></w:pPr></w:lvl>`, i, format, text, 500*(i+1))
	}
	lists := `<w:abstractNum w:abstractNumId="7">` + level(0, "upperRoman", "§%1") + level(1, "lowerLetter", "%2)") + `</w:abstractNum>` +
		`<w:abstractNum w:abstractNumId="8">` + level(0, "upperLetter", "%1-") + `</w:abstractNum>` +
		`<w:abstractNum w:abstractNumId="9">` + strings.Replace(level(0, "decimal", "(%1)"), `<w:numFmt`, `<w:pStyle w:val="Steps"/><w:numFmt`, 1) + `</w:abstractNum>`
	p, err := opc.ReadPackage(docx(t, body.String(), "", ""))
	if err != nil {
		t.Fatal(err)
	}
	known, _ := p.Part("word/numbering.xml")
	text := strings.Replace(string(known), `<w:num `, lists+`<w:num `, 1)
	text = strings.Replace(text, `</w:numbering>`, `<w:num w:numId="7"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="8"><w:abstractNumId w:val="8"/></w:num><w:num w:numId="9"><w:abstractNumId w:val="9"/></w:num></w:numbering>`, 1)
	p.SetPart("word/numbering.xml", "", []byte(text))
	p.SetPart("word/styles.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml", []byte(`<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">`+
		`<w:style w:type="paragraph" w:styleId="Steps"><w:name w:val="Steps"/><w:pPr><w:numPr><w:numId w:val="9"/></w:numPr></w:pPr></w:style><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`))
	if _, err := p.Relate("word/document.xml", "styles", "/word/styles.xml", false); err != nil {
		t.Fatal(err)
	}
	out, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// labelled are the paragraphs of a file with their numbers and signs.
func labelled(t testing.TB, file []byte) string {
	t.Helper()
	d, err := wml.ReadDocument(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	var read func(blocks []wml.Block)
	read = func(blocks []wml.Block) {
		for _, b := range blocks {
			switch b := b.(type) {
			case *wml.Paragraph:
				text := ""
				if b.Label != nil {
					text = b.Label.Text
				}
				for _, r := range b.Runs {
					for _, item := range r.Items {
						text += item.Text
					}
				}
				all = append(all, text)
			case *wml.Table:
				for _, r := range b.Rows {
					for _, c := range r.Cells {
						read(c.Blocks)
					}
				}
			}
		}
	}
	for _, s := range d.Sections {
		read(s.Blocks)
	}
	return strings.Join(all, " ")
}

func TestListsBeginAgainInEachRepetition(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ template, want string }{
		"behind a heading":          {"{{#each Orders}}\nO\n1 a\n1 b\n{{/each}}\nend", "O §Ia §IIb O §Ia §IIb O §Ia §IIb end"},
		"without any":               {"{{#each Orders}}\n1 a\n1 b\n{{/each}}\nend", "§Ia §IIb §Ia §IIb §Ia §IIb end"},
		"with text between":         {"{{#each Orders}}\nO\n1 a\nx\n1 b\n{{/each}}\nend", "O §Ia x §IIb O §Ia x §IIb O §Ia x §IIb end"},
		"with bullets between":      {"{{#each Orders}}\nO\n1 a\n* x\n1 b\n{{/each}}\nend", "O §Ia •x §IIb O §Ia •x §IIb O §Ia •x §IIb end"},
		"with levels":               {"{{#each Orders}}\nO\n1 a\n1.2 x\n1.2 y\n1 b\n1.2 z\n{{/each}}\nend", strings.TrimPrefix(strings.Repeat(" O §Ia a)x b)y §IIb a)z", 3)+" end", " ")},
		"of entries that repeat":    {"{{#each Orders}}\nO\n1 {{Lines.A}}\n{{/each}}\nend", "O §Ix §IIy O §Iz O end"},
		"of a list of texts":        {"{{#each Orders}}\nO\n{{#each Lines}}\n1 {{A}}\n{{/each}}\n{{/each}}\nend", "O §Ix §IIy O §Iz O end"},
		"numbers of repetitions":    {"{{#each Orders}}\n1 {{No}}\n{{/each}}\nend", "§I1 §II2 §III3 end"},
		"numbers and text":          {"{{#each Orders}}\n1 {{No}}\ntext\n{{/each}}\nend", "§I1 text §II2 text §III3 text end"},
		"levels below numbers":      {"{{#each Orders}}\n1 {{No}}\n1.2 x\n1.2 y\n{{/each}}\nend", "§I1 a)x b)y §II2 a)x b)y §III3 a)x b)y end"},
		"levels behind text":        {"{{#each Orders}}\ntext\n1 {{No}}\n1.2 x\n{{/each}}\nend", "text §I1 a)x text §II2 a)x text §III3 a)x end"},
		"a list that began before":  {"1 first\n{{#each Orders}}\n1 a\n1 b\n{{/each}}\nend", "§Ifirst §IIa §IIIb §IVa §Vb §VIa §VIIb end"},
		"by their style":            {"{{#each Orders}}\nO\ns a\ns b\n{{/each}}\nend", "O (1)a (2)b O (1)a (2)b O (1)a (2)b end"},
		"headings go on":            {"{{#each Orders}}\nh a\nx\nh b\n{{/each}}\nend", "§Ia x §IIb §IIIa x §IVb §Va x §VIb end"},
		"one or the other":          {"{{#each Orders}}\n{{#if No > 1}}\n1 a\n{{else}}\n1 b\n{{/if}}\n{{/each}}\nend", "§Ib §IIa §IIIa end"},
		"rows":                      {"| {{Orders.No}} | 1 a // 1 b\nend", "1 §Ia §IIb 2 §Ia §IIb 3 §Ia §IIb end"},
		"rows in a block":           {"| {{#each Orders}}{{No}} | 1 a // x // 1 b{{/each}}\nend", "1 §Ia x §IIb 2 §Ia x §IIb 3 §Ia x §IIb end"},
		"rows with numbers":         {"| 1 {{Orders.No}} | x\nend", "§I1 x §II2 x §III3 x end"},
		"tables":                    {"{{#each Orders limit 2}}\n| {{No}} | 1 a // x // 1 b\n{{/each}}\nend", " 1 §Ia x §IIb  2 §Ia x §IIb end"},
		"numbers of rows in tables": {"{{#each Orders limit 2}}\n| 1 {{Lines.A}} | x\n{{/each}}\nend", " §Ix x §IIy x  §Iz x end"},
		"a list goes on behind":     {"{{#each One}}\n1 a\n1 b\n{{/each}}\n1 c", "§Ia §IIb §IIIc"},
		"two lists":                 {"{{#each Orders}}\nO\n1 a\n1 b\nP\n2 c\n2 d\n{{/each}}\nend", strings.TrimPrefix(strings.Repeat(" O §Ia §IIb P A-c B-d", 3)+" end", " ")},
	} {
		file, _, err := filledFile(t, numbered(t, c.template), sample)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := labelled(t, file); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
