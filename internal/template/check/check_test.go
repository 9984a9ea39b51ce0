package check_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/check"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
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
	t, err := check.ReadFile(content)
	if err != nil {
		return nil, err
	}
	return t.FindingsAtDesk(data)
}

// find returns the findings with data, or without.
func find(t *check.Template, fields []string, data []byte) ([]check.Finding, error) {
	if data == nil {
		return t.Findings(fields), nil
	}
	f, err := fill.New(platen.Document{}, data, lang.Builtins{})
	if err != nil {
		return nil, err
	}
	findings, _, err := t.FindingsWith(f, fields)
	return findings, err
}

func ofDocument(d *docsapi.Document) *check.Template { return check.Read(fill.Template{Document: d}) }

func ofPresentation(p *slidesapi.Presentation) *check.Template {
	return check.Read(fill.Template{Presentation: p})
}

const data = `{"Name": "Ada", "Total": 3, "Items": [{"Name": "x", "Qty": 1}], "Taxes": [{"Rate": 1}]}`

// Each mistake with its place and what the author reads: what is wrong, and the
// cure where there is one to name.
func TestTwelveMistakesAreFoundAtOnceInTheirPlacesWithTheirCure(t *testing.T) {
	t.Parallel()
	planted := []struct{ line, where, code, says string }{
		{"Dear {{Nam}},", "paragraph 1", "unknown_field", "The source has no field Nam. Did you mean Name?"},
		{"{{= SUMM(Items.Qty)}}", "paragraph 2", "unknown_function", "Did you mean SUM?"},
		{"{{= Total *}}", "paragraph 3", "formula_incomplete", `"Total *" ends too early`},
		{"{{= (Total}}", "paragraph 4", "formula_not_closed", "a parenthesis that is not closed"},
		{"{{= Name * 2}}", "paragraph 5", "not_a_number", `Name: "Ada" – write a number such as 14.00.`},
		{"{{= DATE(Name)}}", "paragraph 6", "not_a_date", `Name: "Ada" – write a date such as 2026-01-31.`},
		{"| {{Items.Name}} | {{Taxes.Rate}}", "table 1, row 1, cell 1, paragraph 1", "two_lists", "fields of Items and of Taxes"},
		{"{{#Items}}", "paragraph 7", "unknown_block", "Did you mean {{#each Items}}?"},
		{"Sum: {{Total} EUR", "paragraph 8", "tag_not_closed", "closed by one brace instead of two. Did you mean {{Total}}?"},
		{"{{#each Total}}x{{/each}}", "paragraph 9", "not_a_list", "Total is not a list"},
		{"a {{/if}}", "paragraph 10", "block_not_open", "no block that it belongs to"},
		{"{{#if Name}} and no end", "paragraph 11", "block_not_closed", "{{/if}} is missing"},
	}
	lines := make([]string, len(planted))
	for i, p := range planted {
		lines[i] = p.line
	}
	findings, err := fileFindings(docx(t, lines...), []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range planted {
		if i >= len(findings) {
			t.Errorf("%s is not found", p.line)
			continue
		}
		f := findings[i]
		if f.Where != p.where || f.Code != p.code || !strings.Contains(f.String(), p.says) {
			t.Errorf("%s: got %s %s, want %s: %s … %s", p.line, f.Code, f, p.where, p.code, p.says)
		}
		if whole := strings.Trim(strings.Split(p.line, " | ")[0], "| "); f.Tag == "" || !strings.Contains(whole, f.Tag) {
			t.Errorf("%s: got the tag %q", p.line, f.Tag)
		}
	}
	if len(findings) != len(planted) {
		t.Errorf("got %d findings, want %d: %v", len(findings), len(planted), findings)
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
		content, err := os.ReadFile(filepath.Join("../../../examples", name))
		if err != nil {
			t.Fatal(err)
		}
		event, err := os.ReadFile(filepath.Join("../../../examples", strings.TrimSuffix(name, filepath.Ext(name))+".json"))
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

// What is empty in the data says nothing of what is in it otherwise.
func TestNamesWithinWhatIsEmptyAreNotWrong(t *testing.T) {
	t.Parallel()
	block := []string{"{{#each Items}}", "{{Name}}: {{= Qty * 2}} {{Owner.Name}} {{#each Lines}}{{Part}}{{/each}} {{#if Paid}}x{{/if}}", "{{/each}}"}
	row := []string{"{{Items.Name}} {{= SUM(Items.Qty)}}"}
	for _, c := range []struct {
		name  string
		lines []string
		data  string
		want  []string
	}{
		{"an empty list", block, `{"Items": []}`, nil},
		{"null", block, `{"Items": null}`, nil},
		// A run with either would fail.
		{"an empty object", block, `{"Items": {}}`, []string{"{{#each Items}}"}},
		{"an empty text", block, `{"Items": ""}`, []string{"{{#each Items}}"}},
		{"lists of which all are empty", block, `{"Items": [{"Name": "a", "Qty": 1, "Paid": true, "Owner": null, "Lines": []}, {"Name": "b", "Qty": 1, "Paid": true, "Owner": {}, "Lines": null}]}`, nil},
		{"a row of an empty list", row, `{"Items": []}`, nil},
		{"a row of null", row, `{"items": null}`, nil},
		{"fields of null", []string{"{{Customer.Name}}"}, `{"Customer": null}`, nil},
		{"fields of an empty object", []string{"{{Customer.Address.City}}"}, `{"Customer": {}}`, nil},
		{"a list that is not there", []string{"{{#each Items}}", "{{Name}} {{Qty}}", "{{/each}}"}, `{"Other": 1}`, []string{"{{#each Items}}"}},
		{"a wrong name of a list that is not empty", block, `{"Items": [{"Qty": 1, "Paid": true, "Owner": {}, "Lines": []}]}`, []string{"{{Name}}"}},
		{"a wrong name beside an empty list", []string{"{{Nam}}", "{{Items.Name}}"}, `{"Items": [], "Name": "a"}`, []string{"{{Nam}}"}},
		{"a part of a text", []string{"{{Customer.Name}}"}, `{"Customer": "Ada"}`, []string{"{{Customer.Name}}"}},
	} {
		findings, err := fileFindings(docx(t, c.lines...), []byte(c.data))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range findings {
			if f.Severity != platen.SeverityNote {
				got = append(got, f.Tag)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got mistakes %q, want %q", c.name, got, c.want)
		}
	}
}
