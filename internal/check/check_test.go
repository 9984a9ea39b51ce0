package check_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/check"
)

// docx is a document of these paragraphs; one that begins with a bar is a row
// of a table of its own.
func docx(t *testing.T, lines ...string) []byte {
	t.Helper()
	const (
		relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
		w         = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	)
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;")
	para := func(text string) string { return `<w:p><w:r><w:t>` + escape.Replace(text) + `</w:t></w:r></w:p>` }
	body := ""
	for _, line := range lines {
		cells, row := strings.CutPrefix(line, "|")
		if !row {
			body += para(line)
			continue
		}
		body += `<w:tbl><w:tr>`
		for c := range strings.SplitSeq(cells, "|") {
			body += `<w:tc>` + para(strings.TrimSpace(c)) + `</w:tc>`
		}
		body += `</w:tr></w:tbl>`
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, content := range map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
		"_rels/.rels":         relations + `<Relationship Id="d" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml":   `<w:document` + w + `><w:body>` + body + `<w:p/></w:body></w:document>`,
	} {
		f, err := z.Create(name)
		if err == nil {
			_, err = f.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// fileFindings are those of a file.
func fileFindings(content, data []byte) ([]check.Finding, error) {
	t, err := check.OfFile(content)
	if err != nil {
		return nil, err
	}
	return t.Findings(nil, data)
}

const data = `{"Name": "Ada", "Total": 3, "Items": [{"Name": "x", "Qty": 1}], "Taxes": [{"Rate": 1}]}`

func TestTwelveMistakesAreFoundAtOnceAndInTheirPlaces(t *testing.T) {
	t.Parallel()
	file := docx(t,
		"Dear {{Nam}},",
		"{{= SUMM(Items.Qty)}}",
		"{{= Total *}}",
		"{{= (Total}}",
		"{{= Name * 2}}",
		"{{= DATE(Name)}}",
		"| {{Items.Name}} | {{Taxes.Rate}}",
		"{{#section}}",
		"{{Name",
		"{{#each Total}}x{{/each}}",
		"a {{/if}}",
		"{{#if Name}} and no end",
	)
	findings, err := fileFindings(file, []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	if last := findings[len(findings)-1]; last.Code != "block_not_closed" {
		t.Errorf("the last finding is %s: they are not in reading order", last.Code)
	}
	for _, f := range findings {
		near := ""
		if len(f.Nearest) > 0 {
			near = " " + f.Nearest[0]
		}
		got[fmt.Sprintf("%s: %s%s", f.Where, f.Code, near)] = true
		if f.Message == "" || f.String() == "" {
			t.Errorf("%+v says nothing", f)
		}
	}
	for _, want := range []string{
		"body, paragraph 1: unknown_field Name",
		"body, paragraph 2: unknown_function SUM",
		"body, paragraph 3: formula_incomplete",
		"body, paragraph 4: formula_not_closed",
		"body, paragraph 5: not_a_number",
		"body, paragraph 6: not_a_date",
		"body, table 1, row 1, cell 1, paragraph 1: two_lists",
		"body, paragraph 7: unknown_block {{#each section}}",
		"body, paragraph 8: tag_not_closed",
		"body, paragraph 9: not_a_list",
		"body, paragraph 10: block_not_open",
		"body, paragraph 11: block_not_closed",
	} {
		if !got[want] {
			t.Errorf("%s is not found", want)
		}
	}
	if len(findings) != 12 || t.Failed() {
		t.Errorf("got %d findings, want 12:", len(findings))
		for _, f := range findings {
			t.Log(f.Code, f)
		}
	}
}

func TestWithoutDataNamesAreNotChecked(t *testing.T) {
	t.Parallel()
	findings, err := fileFindings(docx(t, "{{Anything}} {{= Other * 2}}", "{{= SUMM(1)}}"), nil)
	if err != nil || len(findings) != 1 || findings[0].Code != "unknown_function" {
		t.Errorf("got %v, %v; want the function alone", findings, err)
	}
}

func TestTheExamplesHaveNoMistakes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"invoice.docx", "letter.docx", "offer.pptx"} {
		content, err := os.ReadFile(filepath.Join("../../examples", name))
		if err != nil {
			t.Fatal(err)
		}
		event, err := os.ReadFile(filepath.Join("../../examples", strings.TrimSuffix(name, filepath.Ext(name))+".json"))
		if err != nil {
			t.Fatal(err)
		}
		findings, err := fileFindings(content, event)
		if err != nil || len(findings) > 0 {
			t.Errorf("%s: %v, %v", name, findings, err)
		}
	}
}

func TestWhatIsNoTemplateIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := fileFindings([]byte("no zip"), nil); err == nil {
		t.Error("no error for a file of another kind")
	}
	if _, err := fileFindings(docx(t, "x"), []byte("[]")); err == nil {
		t.Error("no error for data that is no object")
	}
}
