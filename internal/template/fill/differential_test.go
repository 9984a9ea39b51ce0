package fill_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/testkit/property"
)

// rivalVariable names the folder whose node_modules has docxtemplater.
const rivalVariable = "PLATEN_DOCXTEMPLATER"

// A rival fills templates with docxtemplater.
type rival struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func newRival(t *testing.T, folder string) *rival {
	t.Helper()
	cmd := exec.Command("node", "testdata/docxtemplater.cjs", folder)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return &rival{in, bufio.NewReaderSize(out, 1<<20)}
}

func (r *rival) fill(t *rapid.T, template []byte, data string) []byte {
	request, err := json.Marshal(map[string]any{"template": template, "data": json.RawMessage(data)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.in.Write(append(request, '\n')); err != nil {
		t.Fatal(err)
	}
	line, err := r.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Filled, Error string }
	if err := json.Unmarshal(line, &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Error != "" {
		t.Fatalf("docxtemplater: %s", answer.Error)
	}
	filled, err := base64.StdEncoding.DecodeString(answer.Filled)
	if err != nil {
		t.Fatal(err)
	}
	return filled
}

// both is a piece of a template as we and as docxtemplater write it.
type both struct{ ours, theirs string }

// drawBoth draws a template that both languages can express. A line with a
// block in it has text beside it: docxtemplater leaves an empty paragraph where
// we leave none.
func drawBoth(t *rapid.T) (b both, untouched []string) {
	inline := rapid.SampledFrom([]both{
		{"plain ", "plain "}, {"{{A}}", "{{A}}"}, {"{{ B }}", "{{B}}"}, {"{{Gone}}", "{{Gone}}"}, {"ü & <", "ü & <"},
		{"{{#if A}}yes {{A}}{{else}}no{{/if}}", "{{#A}}yes {{A}}{{/A}}{{^A}}no{{/A}}"},
		{"{{#each L}}{{X}},{{/each}}", "{{#L}}{{X}},{{/L}}"},
		{"{{#each L where N > 1 sort N desc limit 2}}{{X}}{{N}},{{/each}}", "{{#L|above N 1|falling N|first 2}}{{X}}{{N}},{{/}}"},
		{"{{#each L sort N}}{{N}}{{X}}{{#each M limit 1}}{{Z}}{{/each}},{{/each}}", "{{#L|rising N}}{{N}}{{X}}{{#M|first 1}}{{Z}}{{/}},{{/}}"},
		{"{{#each L group N}}{{@key}}:{{#each L}}{{X}},{{/each}}{{/each}}", "{{#L|by N}}{{key}}:{{#of}}{{X}},{{/}}{{/}}"},
		{"{{#each L group N sort @key desc limit 2}}{{@key}}{{#each L sort N}}{{X}}{{/each}},{{/each}}", "{{#L|by N|falling key|first 2}}{{key}}{{#of}}{{X}}{{/}},{{/}}"},
		{"{{#each L}}[{{#each M}}{{Z}}{{/each}}]{{/each}}", "{{#L}}[{{#M}}{{Z}}{{/M}}]{{/L}}"},
	})
	line := func() (b both) {
		b = both{"t ", "t "}
		for _, piece := range rapid.SliceOfN(inline, 0, 3).Draw(t, "line") {
			b.ours, b.theirs = b.ours+piece.ours, b.theirs+piece.theirs
		}
		return b
	}
	add := func(ours, theirs string) { b.ours, b.theirs = b.ours+ours, b.theirs+theirs }
	paragraph := func(l both) { add(para(l.ours), para(l.theirs)) }
	for n := range rapid.IntRange(1, 4).Draw(t, "blocks") {
		decorated := fmt.Sprintf(`<w:p w:rsidR="00A1%04d"><w:pPr><w:keepNext/><w:jc w:val="right"/></w:pPr><w:bookmarkStart w:id="%d" w:name="b%d"/><w:r><w:rPr><w:b/><w:emboss/></w:rPr>`+
			`<w:t xml:space="preserve"> kept </w:t></w:r><w:proofErr w:type="spellStart"/><w:r><w:tab/><w:sym w:font="Wingdings" w:char="F0E0"/></w:r><w:bookmarkEnd w:id="%d"/></w:p>`, n, n, n, n)
		untouched = append(untouched, decorated)
		add(decorated, decorated)
		switch rapid.IntRange(0, 8).Draw(t, "kind") {
		case 7, 8:
			addRepeatedTable(t, add, line)
		case 0:
			const open, end = `<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="1000"/></w:tblGrid>`, `</w:tbl>`
			row := func(a, b string) string {
				return `<w:tr><w:tc><w:tcPr><w:shd w:val="clear" w:fill="EEEEEE"/></w:tcPr>` + para(a) + `</w:tc><w:tc>` + para(b) + `</w:tc></w:tr>`
			}
			head := row("head", fmt.Sprint("of table ", n))
			untouched = append(untouched, head)
			l := line()
			add(open+head+row("{{#each L}}{{X}}", l.ours+"{{/each}}")+row("foot", "{{A}}")+end, open+head+row("{{#L}}{{X}}", l.theirs+"{{/L}}")+row("foot", "{{A}}")+end)
		case 1:
			l := line()
			add(para("{{#each L}}")+para("x {{X}}")+para(l.ours)+para("{{/each}}"), para("{{#L}}")+para("x {{X}}")+para(l.theirs)+para("{{/L}}"))
		case 2:
			l := line()
			add(para("{{#if B}}")+para(l.ours)+para("{{else}}")+para("none")+para("{{/if}}"), para("{{#B}}")+para(l.theirs)+para("{{/B}}")+para("{{^B}}")+para("none")+para("{{/B}}"))
		case 3:
			add(para("{{#each L where N > 0 group N}}")+para("{{@key}}")+para("{{#each L sort N}}")+para("x {{X}}")+para("{{/each}}")+para("{{/each}}"),
				para("{{#L|above N 0|by N}}")+para("{{key}}")+para("{{#of|rising N}}")+para("x {{X}}")+para("{{/}}")+para("{{/}}"))
		default:
			paragraph(line())
		}
	}
	paragraph(both{"end", "end"})
	return b, untouched
}

// addRepeatedTable draws a table in a block, with text before it: docxtemplater lets
// tables touch where we keep them apart.
func addRepeatedTable(t *rapid.T, add func(ours, theirs string), line func() both) {
	table := func(rows ...string) string {
		return `<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="1000"/></w:tblGrid>` + strings.Join(rows, "") + `</w:tbl>`
	}
	row := func(a, b string) string {
		return `<w:tr><w:tc>` + para(a) + `</w:tc><w:tc>` + para(b) + `</w:tc></w:tr>`
	}
	l, inner := line(), line()
	head := row("head", "of {{X}}")
	ours := para("{{#each L where N > 0 sort N}}") + para("x {{X}}") + table(head, row("{{#each M}}{{Z}}", inner.ours+"{{/each}}"), row("{{N}}", l.ours))
	theirs := para("{{#L|above N 0|rising N}}") + para("x {{X}}") + table(head, row("{{#M}}{{Z}}", inner.theirs+"{{/M}}"), row("{{N}}", l.theirs))
	if rapid.Bool().Draw(t, "text behind") {
		ours, theirs = ours+para("end of {{N}}"), theirs+para("end of {{N}}")
	}
	add(ours+para("{{/each}}")+para("behind"), theirs+para("{{/}}")+para("behind"))
}

func drawBothData(t *rapid.T) string {
	values := rapid.SampledFrom([]string{"", "x", "Ada & Söhne", "<w:p/>", "a\nb", "{A}", "\"'"})
	items := []any{}
	for range rapid.IntRange(0, 6).Draw(t, "items") {
		inner := []any{}
		for range rapid.IntRange(0, 2).Draw(t, "inner") {
			inner = append(inner, map[string]any{"Z": values.Draw(t, "Z")})
		}
		items = append(items, map[string]any{"X": values.Draw(t, "X"), "M": inner, "N": rapid.IntRange(0, 3).Draw(t, "N")})
	}
	data, err := json.Marshal(map[string]any{"A": values.Draw(t, "A"), "B": values.Draw(t, "B"), "L": items})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func bodyText(t *rapid.T, file []byte) string {
	d, err := wml.ReadDocument(file)
	if err != nil {
		t.Fatal(err)
	}
	resource, err := docs.Get(d, "id", "title", "1")
	if err != nil {
		t.Fatal(err)
	}
	return shown(resource.Body.Content)
}

var spacePreserved = regexp.MustCompile(` xml:space="preserve"`)

// plainXML is a document's body in one writing of what may be written in two.
func plainXML(t *rapid.T, file []byte) string {
	p, err := opc.ReadPackage(file)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := p.Part("word/document.xml")
	return spacePreserved.ReplaceAllString(string(body), "")
}

func TestTextsAreThoseOfDocxtemplaterAndAllElseIsKept(t *testing.T) {
	t.Parallel()
	folder := os.Getenv(rivalVariable)
	if folder == "" {
		t.Skipf("%s names no folder with docxtemplater; make differential installs it", rivalVariable)
	}
	r := newRival(t, folder)
	property.Check(t, func(rt *rapid.T) {
		template, untouched := drawBoth(rt)
		data := drawBothData(rt)
		ours, _, err := filledFile(t, docx(t, template.ours, "{{A}}", ""), data)
		if err != nil {
			rt.Fatal(err)
		}
		got, want := bodyText(rt, ours), bodyText(rt, r.fill(rt, docx(t, template.theirs, "{{A}}", ""), data))
		if got != want {
			rt.Fatalf("ours:\n%s\ndocxtemplater's:\n%s\ndata: %s", got, want, data)
		}
		body := plainXML(rt, ours)
		for _, element := range untouched {
			at := strings.Index(body, spacePreserved.ReplaceAllString(element, ""))
			if at < 0 {
				rt.Fatalf("%s\nis not in\n%s", element, body)
			}
			body = body[at:]
		}
	})
}
