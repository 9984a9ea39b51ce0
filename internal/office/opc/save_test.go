package opc_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/officetest"
	"github.com/platenhq/platen/internal/office/opc"
)

const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"

// kept is a file of a main part, as Word or PowerPoint writes it with this type.
func kept(t *testing.T, main, mainType string, macros bool) []byte {
	types, relations := "", ""
	folder, file, _ := strings.Cut(main, "/")
	parts := map[string]string{
		"_rels/.rels": officetest.RelationsStart + `<Relationship Id="rId1" Type="` + office + `officeDocument" Target="` + main + `"/></Relationships>`,
		main:          `<root/>`,
	}
	if macros {
		relations = `<Relationship Id="rId7" Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject" Target="vbaProject.bin"/>`
		types = `<Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/><Override PartName="/` + folder + `/vbaData.xml" ContentType="application/vnd.ms-word.vbaData+xml"/>`
		parts[folder+"/vbaProject.bin"] = "macros"
		parts[folder+"/vbaData.xml"] = "<data/>"
		parts[folder+"/_rels/vbaProject.bin.rels"] = officetest.RelationsStart + `<Relationship Id="rId1" Type="http://schemas.microsoft.com/office/2006/relationships/wordVbaData" Target="vbaData.xml"/></Relationships>`
	}
	parts[folder+"/_rels/"+file+".rels"] = officetest.RelationsStart + `<Relationship Id="rId2" Type="` + office + `theme" Target="theme.xml"/>` + relations + `</Relationships>`
	parts[folder+"/theme.xml"] = "<theme/>"
	parts["[Content_Types].xml"] = officetest.TypesStart + types + `<Override PartName="/` + main + `" ContentType="` + mainType + `"/></Types>`
	return officetest.Zip(t, parts)
}

// Word and PowerPoint refuse a .docx or .pptx with another type than its ending's.
func TestAFileWithMacrosAndATemplateBecomePlain(t *testing.T) {
	t.Parallel()
	const (
		word, slides     = "word/document.xml", "ppt/presentation.xml"
		plainW, plainP   = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml", "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
		ofWord, ofSlides = "application/vnd.openxmlformats-officedocument.wordprocessingml.", "application/vnd.openxmlformats-officedocument.presentationml."
	)
	for _, c := range []struct {
		name, main, mainType, want string
		macros                     bool
	}{
		{".docm", word, "application/vnd.ms-word.document.macroEnabled.main+xml", plainW, true},
		{".dotx", word, ofWord + "template.main+xml", plainW, false},
		{".dotm", word, "application/vnd.ms-word.template.macroEnabledTemplate.main+xml", plainW, true},
		{".pptm", slides, "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml", plainP, true},
		{".potx", slides, ofSlides + "template.main+xml", plainP, false},
		{".potm", slides, "application/vnd.ms-powerpoint.template.macroEnabled.main+xml", plainP, true},
		{".ppsx", slides, ofSlides + "slideshow.main+xml", plainP, false},
		{".ppsm", slides, "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml", plainP, true},
	} {
		data := kept(t, c.main, c.mainType, c.macros)
		out, err := opc.Plain(data)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		p, err := opc.ReadPackage(out)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := p.ContentType(c.main); got != c.want {
			t.Errorf("%s: got the type %s, want %s", c.name, got, c.want)
		}
		folder, _, _ := strings.Cut(c.main, "/")
		for _, name := range []string{"/vbaProject.bin", "/vbaData.xml", "/_rels/vbaProject.bin.rels"} {
			if p.Has(folder + name) {
				t.Errorf("%s: %s is still there", c.name, name)
			}
		}
		if got := p.Relationships(c.main); len(got) != 1 || got[0].Type != "theme" || !p.Has(folder+"/theme.xml") || bytes.Contains(out, []byte("vbaData")) {
			t.Errorf("%s: got %+v, want the theme alone", c.name, got)
		}
	}
	for _, plain := range [][]byte{kept(t, word, plainW, false), kept(t, slides, plainP, false)} {
		if out, err := opc.Plain(plain); err != nil || !bytes.Equal(out, plain) {
			t.Errorf("a plain file was changed, or %v", err)
		}
	}
}

func TestTiesToTheAuthorsMachineGo(t *testing.T) {
	t.Parallel()
	parts := officetest.WordParts(`<w:p/>`, nil)
	parts["word/charts/chart1.xml"] = `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:r="` + office[:len(office)-1] + `"><c:chart/><c:externalData r:id="x"><c:autoUpdate c:val="1"/></c:externalData></c:chartSpace>`
	parts["word/charts/_rels/chart1.xml.rels"] = officetest.RelationsStart + `<Relationship Id="x" Type="` + office + `oleObject" Target="file:///C:/Users/ada/plan.xlsx" TargetMode="External"/></Relationships>`
	parts["word/settings.xml"] = `<w:settings ` + officetest.WordNamespaces + `><w:attachedTemplate r:id="t"/><w:zoom/></w:settings>`
	parts["word/_rels/settings.xml.rels"] = officetest.RelationsStart + `<Relationship Id="t" Type="` + office + `attachedTemplate" Target="file:///C:/Users/ada/letter.dotx" TargetMode="External"/></Relationships>`
	plain, err := opc.Plain(officetest.Zip(t, parts))
	if err != nil {
		t.Fatal(err)
	}
	p, err := opc.ReadPackage(plain)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"word/charts/chart1.xml", "word/charts/_rels/chart1.xml.rels", "word/settings.xml", "word/_rels/settings.xml.rels"} {
		got, _ := p.Part(name)
		for _, gone := range []string{"ada", "externalData", "attachedTemplate"} {
			if strings.Contains(string(got), gone) {
				t.Errorf("%s: got %s with %s", name, got, gone)
			}
		}
	}
}
