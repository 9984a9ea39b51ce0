package fill_test

import (
	"strings"
	"testing"

	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/drive/docs"
	"github.com/platenhq/platen/internal/office/opc"
)

func TestLinksKeepTheLookOfTheirTag(t *testing.T) {
	t.Parallel()
	body := `<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>{{link Site "our site"}}</w:t></w:r><w:r><w:t>. {{link Empty "none"}}</w:t></w:r></w:p>`
	d, findings := withPictures(t, docx(t, body, "", ""))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	part, _ := d.Package.Part("word/document.xml")
	if got := string(part); !strings.Contains(got, `<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">our site</w:t></w:r></w:hyperlink>`) || !strings.Contains(got, ". none") {
		t.Errorf("got %s", got)
	}
	for _, r := range d.Package.Relationships("word/document.xml") {
		if r.Type == "hyperlink" && (r.Target != "https://example.com/a?b=c&d" || !r.External) {
			t.Errorf("got %+v", r)
		}
	}
}

// A program that works a field out again takes its code.
func TestLinksThatAreFieldsHaveNoTagsLeft(t *testing.T) {
	t.Parallel()
	char := func(kind string) string { return `<w:r><w:fldChar w:fldCharType="` + kind + `"/></w:r>` }
	code := func(text string) string {
		return `<w:r><w:instrText xml:space="preserve">` + text + `</w:instrText></w:r>`
	}
	text := func(text string) string { return `<w:r><w:t>` + text + `</w:t></w:r>` }
	inside := func(runs string) string { return strings.NewReplacer("<w:r>", "", "</w:r>", "").Replace(runs) }
	simple := func(address, inner string) string {
		return `<w:fldSimple w:instr=" HYPERLINK &quot;` + address + `&quot; ">` + inner + `</w:fldSimple>`
	}
	for name, c := range map[string]struct{ body, want string }{
		"simple":            {`<w:p>` + simple("https://a.example/{{Name}}", text("pay {{Total}}")+text(" now")) + `</w:p>`, "https://a.example/Ada"},
		"of several parts":  {`<w:p>` + char("begin") + code(` HYPERLINK "https://a.example/{{`) + code(`Name}}" `) + char("separate") + text("x") + text("y") + char("end") + text("z") + `</w:p>`, "https://a.example/Ada"},
		"around a field":    {`<w:p>` + char("begin") + code(`HYPERLINK "https://a.example/{{Name}}"`) + char("separate") + text("p. ") + char("begin") + code("PAGE") + char("separate") + text("1") + char("end") + char("end") + `</w:p>`, "https://a.example/Ada"},
		"in one run":        {`<w:p>` + text("see ") + `<w:r><w:rPr><w:b/></w:rPr>` + inside(char("begin")+code(` HYPERLINK "https://a.example/{{Name}}" `)+char("separate")+text("pay {{Total}} now")+char("end")) + `</w:r></w:p>`, "https://a.example/Ada"},
		"in a block":        {para("{{#each One}}") + `<w:p>` + simple("https://a.example/{{A}}", text("see {{A}}")) + `</w:p>` + para("{{/each}}"), "https://a.example/1"},
		"an address of old": {`<w:p>` + simple("https://a.example/b", text("see {{Name}}")) + `</w:p>`, "HYPERLINK"},
	} {
		file, _, err := filledFile(t, docx(t, c.body, "", ""), sample)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p, err := opc.ReadPackage(file)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := p.Part("word/document.xml")
		links, _ := p.Part("word/_rels/document.xml.rels")
		if all := string(body) + string(links); strings.Contains(all, "{{") || !strings.Contains(all, c.want) || strings.Contains(all, "HYPERLINK") != (c.want == "HYPERLINK") {
			t.Errorf("%s: got %s\n%s, want %s", name, body, links, c.want)
		}
	}
}

func TestAddressesOfLinksAreFilled(t *testing.T) {
	t.Parallel()
	link := func(text string) string {
		return `<w:hyperlink r:id="x"><w:r><w:rPr><w:u w:val="single"/></w:rPr><w:t xml:space="preserve">` + text + `</w:t></w:r></w:hyperlink>`
	}
	row := `<w:tbl><w:tblGrid><w:gridCol w:w="4000"/></w:tblGrid><w:tr><w:tc><w:p>` + link("{{Items.Name}} here") + `</w:p></w:tc></w:tr></w:tbl><w:p/>`
	for name, c := range map[string]struct{ body, target, want string }{
		"around text":   {`<w:p>` + link("to it") + `</w:p>`, "https://example.com/?q={{Evil}}", "https://example.com/?q=%7B%7Bimage%20Logo%7D%7D"},
		"around a tag":  {`<w:p>` + link("{{Logo}}") + `</w:p>`, "https://example.com/%7B%7BLogo%7D%7D/a", "https://example.com/200x100/a"},
		"all of it":     {`<w:p>` + link("to it") + `</w:p>`, "{{Site}}", "https://example.com/a?b=c&d"},
		"in rows":       {row, "https://example.com/{{Items.Name}}", "https://example.com/Bolt https://example.com/Nut https://example.com/Washer"},
		"without a tag": {`<w:p>` + link("{{Logo}}") + `</w:p>`, "https://example.com/{a}", "https://example.com/{a}"},
		"of nothing":    {`<w:p>` + link("to it") + link(" or {{Logo}}") + `</w:p>`, "{{Gone}}", ""},
		"escaped":       {`<w:p>` + link("to it") + `</w:p>`, "%7B%7BEmpty%7D%7D", ""},
		"of few rows":   {row, `{{#if Items.Name = "Nut"}}https://example.com/{{Items.Name}}{{/if}}`, "https://example.com/Nut"},
		"of few items":  {`<w:p>` + link("{{#each Items}}{{Name}} {{/each}}") + `</w:p>`, "{{Empty}}", ""},
		"of no use":     {`<w:p>` + link("to it") + `</w:p>`, "{{Bad}}:x", "link_unusable"},
	} {
		file, err := opc.ReadPackage(docx(t, c.body, "", ""))
		if err != nil {
			t.Fatal(err)
		}
		rels, err := file.XML("word/_rels/document.xml.rels")
		if err != nil {
			t.Fatal(err)
		}
		e := rels.Root().CreateElement("Relationship")
		e.CreateAttr("Id", "x")
		e.CreateAttr("Type", "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink")
		e.CreateAttr("Target", c.target)
		e.CreateAttr("TargetMode", "External")
		file.Touch("word/_rels/document.xml.rels")
		content, err := file.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		d, findings := withPictures(t, content)
		if len(findings) > 0 {
			if findings[0] != c.want {
				t.Errorf("%s: %v", name, findings)
			}
			continue
		}
		resource, err := docs.Get(d, "id", "title", "2")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(targets(resource.Body.Content), " "); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
		if got := shown(resource.Body.Content); !strings.Contains(got, "to it") && strings.Contains(c.body, "to it") {
			t.Errorf("%s: got %s, want the text of the link in it", name, got)
		}
	}
}

func targets(content []*gdocs.StructuralElement) []string {
	var all []string
	for _, e := range content {
		if e.Table != nil {
			for _, r := range e.Table.TableRows {
				for _, c := range r.TableCells {
					all = append(all, targets(c.Content)...)
				}
			}
		}
		if e.Paragraph == nil {
			continue
		}
		for _, r := range e.Paragraph.Elements {
			if r.TextRun != nil && r.TextRun.TextStyle.Link != nil {
				if url := r.TextRun.TextStyle.Link.Url; len(all) == 0 || all[len(all)-1] != url {
					all = append(all, url)
				}
			}
		}
	}
	return all
}

func TestAddressesOfLinksOnSlidesAreFilled(t *testing.T) {
	t.Parallel()
	const kind = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink`
	for target, want := range map[string]string{
		"https://example.com/{{Logo}}": "https://example.com/200x100",
		"{{Gone}}":                     "",
		"%7B%7BEmpty%7D%7D":            "",
	} {
		file, err := opc.ReadPackage(pptx(t, []string{"to it"}))
		if err != nil {
			t.Fatal(err)
		}
		slide, _ := file.Part("ppt/slides/slide1.xml")
		file.SetPart("ppt/slides/slide1.xml", "", []byte(strings.Replace(string(slide), "<a:t>", `<a:rPr><a:hlinkClick r:id="x"/></a:rPr><a:t>`, 1)))
		file.SetPart("ppt/slides/_rels/slide1.xml.rels", "", []byte(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`+
			`<Relationship Id="x" Type="`+kind+`" Target="`+target+`" TargetMode="External"/></Relationships>`))
		content, err := file.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		filled, err := fillPresentation(t, content, pictured)
		if err != nil {
			t.Fatal(err)
		}
		text, got := filled.Slides[0].PageElements[0].Shape.Text, ""
		for _, e := range text.TextElements {
			if e.TextRun != nil && e.TextRun.Style != nil && e.TextRun.Style.Link != nil {
				got = e.TextRun.Style.Link.Url
			}
		}
		if got != want || shownText(text) != "to it" {
			t.Errorf("%s: got %q, which leads to %q; want it to lead to %q", target, shownText(text), got, want)
		}
	}
}
