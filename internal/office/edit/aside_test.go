package edit

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/officetest"
	"github.com/platenhq/platen/internal/office/opc"
)

const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"

// besideFile has a tag in each place beside its text.
func besideFile(t *testing.T) *opc.Package {
	t.Helper()
	parts := officetest.WordParts(
		`<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="Pay"><a:hlinkClick xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" r:id="pay"/></wp:docPr></wp:inline></w:drawing></w:r></w:p>`+
			`<w:p><w:r><w:pict><v:shape href="https://pay.example/%7B%7B= UPPER(Code)%7D%7D"/></w:pict></w:r></w:p>`+
			`<w:p><w:fldSimple w:instr=" DISPLAYBARCODE &quot;{{Code}}&quot; QR"><w:r><w:t>x</w:t></w:r></w:fldSimple></w:p>`+
			`<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>IF </w:instrText><w:fldChar w:fldCharType="begin"/><w:instrText>MERGEFIELD	Gender</w:instrText><w:fldChar w:fldCharType="separate"/><w:t>f</w:t><w:fldChar w:fldCharType="end"/><w:instrText> = "m" "Mr" "Mrs"</w:instrText><w:fldChar w:fldCharType="separate"/><w:t>Mrs</w:t><w:fldChar w:fldCharType="end"/></w:r></w:p>`,
		map[string]string{"header1": `<w:p><w:r><w:pict><v:shape><v:textpath string="{{Code}}"/></v:shape></w:pict></w:r></w:p>`})
	parts["word/comments.xml"] = `<w:comments ` + officetest.WordNamespaces + `><w:comment w:id="1"><w:p><w:r><w:t>Is {{Code}} right?</w:t></w:r></w:p></w:comment></w:comments>`
	parts["docProps/core.xml"] = `<cp:coreProperties xmlns:cp="cp" xmlns:dc="dc"><dc:title>Invoice {{Code}}</dc:title></cp:coreProperties>`
	for name, relation := range map[string]string{
		"word/_rels/document.xml.rels": `<Relationship Id="pay" Type="` + office + `hyperlink" Target="https://pay.example/%7B%7BCode%7D%7D" TargetMode="External"/><Relationship Id="c" Type="` + office + `comments" Target="comments.xml"/>`,
		"_rels/.rels":                  `<Relationship Id="p" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/>`,
	} {
		parts[name] = strings.Replace(parts[name], "</Relationships>", relation+"</Relationships>", 1)
	}
	return mustRead(t, officetest.Zip(t, parts))
}

func TestTagsBesideTheTextAreFoundInAllPlaces(t *testing.T) {
	t.Parallel()
	all, err := Asides(besideFile(t))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, a := range all {
		got += a.Kind + ": " + a.Text + "\n"
	}
	for _, want := range []string{
		"address of a picture: https://pay.example/{{Code}}\n",
		"address of a shape: https://pay.example/{{= UPPER(Code)}}\n",
		"code of a field: { DISPLAYBARCODE \"{{Code}}\" QR }\n",
		"code of a field: { MERGEFIELD Gender }\n",
		"watermark: {{Code}}\n",
		"comment: Is {{Code}} right?\n",
		"property of the file: title: Invoice {{Code}}\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%swithout %s", got, want)
		}
	}
}

func TestTagsBesideTheTextAreFilled(t *testing.T) {
	t.Parallel()
	p := besideFile(t)
	e, err := NewEditor(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range [][2]string{{"{{Code}}", "placeholder"}, {"placeholder", "A/1 ü"}} {
		e.ReplaceText(r[0], r[1], true)
	}
	p = reread(t, p)
	for part, want := range map[string]string{
		"word/header1.xml":             `string="A/1 ü"`,
		"word/_rels/document.xml.rels": `Target="https://pay.example/A%2F1%20%C3%BC"`,
		"docProps/core.xml":            `<dc:title>Invoice A/1 ü</dc:title>`,
	} {
		if got, _ := p.Part(part); !strings.Contains(string(got), want) {
			t.Errorf("%s: got %s, want %s in it", part, got, want)
		}
	}
}

// A value that is a whole address must be one that a reader may follow.
func TestAnAddressThatAValueBeginsIsOfTheWeb(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"https://a.example/x y": "https://a.example/x%20y", "javascript:alert(1)": "", "mailto:a@b.example": "mailto:a@b.example"} {
		if got := escapeIn(value, 0); got != want {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
}
