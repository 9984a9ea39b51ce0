package check_test

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/officetest"
)

// A picture on a slide that leads somewhere, and a property of the file.
func TestWhatStandsBesideSlidesIsFilledAndChecked(t *testing.T) {
	t.Parallel()
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	file := officetest.Zip(t, map[string]string{
		"[Content_Types].xml":              officetest.TypesStart + `<Override PartName="/ppt/presentation.xml" ContentType="` + officetest.SlidesMain + `"/></Types>`,
		"_rels/.rels":                      officetest.RelationsStart + `<Relationship Id="rId1" Type="` + office + `officeDocument" Target="/ppt/presentation.xml"/><Relationship Id="p" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`,
		"docProps/core.xml":                `<cp:coreProperties xmlns:cp="cp" xmlns:dc="dc"><dc:title>{{Name}}</dc:title></cp:coreProperties>`,
		"ppt/presentation.xml":             `<p:presentation ` + officetest.SlideNamespaces + `><p:sldIdLst><p:sldId id="256" r:id="s1"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels":  officetest.RelationsStart + `<Relationship Id="s1" Type="` + office + `slide" Target="slides/slide1.xml"/></Relationships>`,
		"ppt/slides/slide1.xml":            `<p:sld ` + officetest.SlideNamespaces + `><p:cSld><p:spTree><p:pic><p:nvPicPr><p:cNvPr id="4" name="Pay"><a:hlinkClick r:id="pay"/></p:cNvPr></p:nvPicPr></p:pic></p:spTree></p:cSld></p:sld>`,
		"ppt/slides/_rels/slide1.xml.rels": officetest.RelationsStart + `<Relationship Id="pay" Type="` + office + `hyperlink" Target="https://pay.example/{{Nam}}" TargetMode="External"/><Relationship Id="c" Type="` + office + `comments" Target="../comments/comment1.xml"/></Relationships>`,
		"ppt/comments/comment1.xml":        `<p:cmLst ` + officetest.SlideNamespaces + `><p:cm><p:text>Is {{Name}} right?</p:text></p:cm></p:cmLst>`,
	})
	findings, err := fileFindings(file, []byte(data))
	got := ""
	for _, f := range findings {
		got += f.Where + " " + f.Code + "\n"
	}
	if want := "address of a picture unknown_field\ncomment tag_not_filled\n"; err != nil || got != want {
		t.Errorf("got %s (%v), want %s", got, err, want)
	}
}

func TestWhatStandsBesideTheTextIsCheckedByWhatItIs(t *testing.T) {
	t.Parallel()
	simple := func(code string) string {
		return `<w:fldSimple w:instr="` + strings.ReplaceAll(code, `"`, "&quot;") + `"><w:r><w:t>Smith</w:t></w:r></w:fldSimple>`
	}
	complexField := func(code, result string) string {
		return `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>` + code + `</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>` + result + `</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`
	}
	for content, want := range map[string]string{
		simple("MERGEFIELD Name"):                                        "foreign_tag {{Name}}",
		simple(` MERGEFIELD  "Last name" \* MERGEFORMAT `):               "foreign_tag {{Last name}}",
		simple("mergefield\tName"):                                       "foreign_tag {{Name}}",
		complexField(` MERGEFIELD Name \* Upper `, "SMITH"):              "foreign_tag {{Name}}",
		complexField(`ADDRESSBLOCK \f "x"`, "Mrs Smith"):                 "foreign_tag",
		simple(`DISPLAYBARCODE "{{Name}}" QR`):                           "tag_not_filled",
		complexField(`IF "{{Name}}" = "DE" "Inland" "Abroad"`, "Abroad"): "tag_not_filled",
		simple("DATE"): "",
		`<w:r><w:pict><v:shape><v:textpath string="{{Nam}}"/></v:shape></w:pict></w:r>`:  "unknown_field Name",
		`<w:r><w:pict><v:shape><v:textpath string="{{Name}}"/></v:shape></w:pict></w:r>`: "",
	} {
		template := `<w:p><w:r><w:t>{{Total}}</w:t></w:r></w:p><w:p>` + content + `</w:p>`
		findings, err := fileFindings(officetest.Zip(t, officetest.WordParts(template, nil)), []byte(data))
		got := ""
		for _, f := range findings {
			got = strings.TrimSpace(got + " " + strings.Join(append([]string{f.Code}, f.Nearest...), " "))
		}
		if err != nil || got != want {
			t.Errorf("%s: got %q (%v), want %q", content, got, err, want)
		}
	}
}
