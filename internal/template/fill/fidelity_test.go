package fill_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/opc"
)

// filledXML fills a document and returns its body as XML.
func filledXML(t *testing.T, file []byte, data string) string {
	t.Helper()
	written, _, err := filledFile(t, file, data)
	if err != nil {
		t.Fatal(err)
	}
	p, err := opc.ReadPackage(written)
	if err != nil {
		t.Fatal(err)
	}
	part, _ := p.Part("word/document.xml")
	return string(part)
}

var (
	rowXML  = regexp.MustCompile(`(?s)<w:tr>.*?</w:tr>`)
	textXML = regexp.MustCompile(`(?s)<w:t(?: [^>]*)?>.*?</w:t>|<w:t/>`)
	// markXML is the style of a paragraph's mark, which a copy may have besides.
	markXML = regexp.MustCompile(`(?s)<w:rPr>(?:(?:[^/]|/[^w]|/w[^:]|/w:[^r])*?)</w:rPr></w:pPr>`)
)

func TestCopiedRowsKeepAllThatTheRowHas(t *testing.T) {
	t.Parallel()
	row := `<w:tr><w:trPr><w:cantSplit/><w:trHeight w:val="400"/></w:trPr>` +
		`<w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/><w:gridSpan w:val="2"/><w:tcBorders><w:top w:val="double" w:sz="8"/></w:tcBorders><w:shd w:val="clear" w:fill="DDEEFF"/></w:tcPr>` +
		`<w:p><w:pPr><w:keepNext/><w:jc w:val="right"/></w:pPr><w:r><w:rPr><w:b/><w:emboss/></w:rPr><w:t>{{Items.Name}}</w:t></w:r><w:r><w:rPr><w:i/><w:color w:val="FF0000"/></w:rPr><w:t xml:space="preserve"> each</w:t></w:r></w:p></w:tc>` +
		`<w:tc><w:tcPr><w:tcW w:w="1000" w:type="dxa"/></w:tcPr><w:p><w:r><w:rPr><w:sz w:val="30"/><w:lang w:val="de-AT"/></w:rPr><w:t>{{Items.Qty}}</w:t></w:r></w:p>` +
		`<w:p><w:pPr><w:jc w:val="center"/></w:pPr><w:r><w:t>second</w:t></w:r></w:p></w:tc></w:tr>`
	head := `<w:tr><w:tc><w:p><w:r><w:t>head</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc><w:tc><w:p/></w:tc></w:tr>`
	body := `<w:tbl><w:tblGrid><w:gridCol w:w="1000"/><w:gridCol w:w="1000"/><w:gridCol w:w="1000"/></w:tblGrid>` + head + row + head + `</w:tbl><w:p/>`
	got := filledXML(t, docx(t, body, "", ""), sample)
	rows := rowXML.FindAllString(got, -1)
	if len(rows) != 5 {
		t.Fatalf("got %d rows in %s, want 5", len(rows), got)
	}
	if rows[0] != head || rows[4] != head {
		t.Errorf("the rows around changed: %s and %s", rows[0], rows[4])
	}
	form := func(row string) string {
		return strings.ReplaceAll(markXML.ReplaceAllString(textXML.ReplaceAllString(row, "<w:t/>"), "</w:pPr>"), "<w:pPr></w:pPr>", "")
	}
	for i, want := range []string{"Bolt each3second", "Nut {{Name}} each1second", "Washer each9second"} {
		text := strings.Join(textXML.FindAllString(rows[i+1], -1), "")
		if plain := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, ""); plain != want {
			t.Errorf("row %d says %q, want %q", i+1, plain, want)
		}
		if got, want := form(rows[i+1]), form(row); got != want {
			t.Errorf("row %d\n got %s\nwant %s", i+1, got, want)
		}
	}
}
