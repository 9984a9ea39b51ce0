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

// The interface of documents knows none of these properties, so texts that differ in
// nothing else look the same in it.
func TestCopiedRowsKeepPropertiesThatTheInterfaceHasNoWordsFor(t *testing.T) {
	t.Parallel()
	texts := []string{
		`<w:rStyle w:val="Loud"/>`, `<w:rFonts w:eastAsia="MS Mincho" w:cs="Arial"/>`, `<w:caps/>`, `<w:dstrike/><w:emboss/>`, `<w:outline/>`, `<w:shadow/>`, `<w:imprint/>`, `<w:noProof/>`, `<w:vanish w:val="0"/>`,
		`<w:spacing w:val="40"/>`, `<w:w w:val="66"/>`, `<w:kern w:val="2"/>`, `<w:position w:val="6"/>`, `<w:szCs w:val="40"/>`, `<w:effect w:val="shimmer"/>`,
		`<w:bdr w:val="single" w:sz="4" w:color="FF0000"/>`, `<w:fitText w:val="900" w:id="1"/>`, `<w:rtl w:val="0"/>`, `<w:em w:val="dot"/>`, `<w:lang w:val="de-AT"/>`, `<w:eastAsianLayout w:id="1" w:combine="1"/>`, `<w:specVanish w:val="0"/>`,
	}
	paragraphs := []string{
		`<w:pStyle w:val="Shout"/>`, `<w:suppressLineNumbers/>`, `<w:tabs><w:tab w:val="right" w:leader="dot" w:pos="4000"/></w:tabs>`, `<w:suppressAutoHyphens/>`, `<w:kinsoku w:val="0"/>`, `<w:wordWrap w:val="0"/>`,
		`<w:overflowPunct w:val="0"/>`, `<w:topLinePunct/>`, `<w:autoSpaceDE w:val="0"/>`, `<w:snapToGrid w:val="0"/>`, `<w:contextualSpacing/>`, `<w:mirrorIndents/>`, `<w:textAlignment w:val="top"/>`, `<w:outlineLvl w:val="3"/>`,
	}
	head := `<w:tr><w:tc><w:p><w:r><w:t>head</w:t></w:r></w:p></w:tc></w:tr>`
	empty := regexp.MustCompile(`<w:r>(<w:rPr>(<w:[^>]*/>)*</w:rPr>)?</w:r>|<w:r/>`)
	form := func(row string) string {
		row = strings.ReplaceAll(markXML.ReplaceAllString(textXML.ReplaceAllString(row, "<w:t/>"), "</w:pPr>"), "<w:pPr></w:pPr>", "")
		return empty.ReplaceAllString(row, "")
	}
	check := func(property, cell string) {
		row := `<w:tr><w:tc>` + cell + `</w:tc></w:tr>`
		tables := `<w:p><w:r><w:t>plain</w:t></w:r></w:p><w:tbl><w:tblGrid><w:gridCol w:w="3000"/></w:tblGrid>` + head + row + `</w:tbl><w:p/>` +
			`<w:p><w:r><w:t>{{#each Tags}}</w:t></w:r></w:p><w:tbl><w:tblGrid><w:gridCol w:w="3000"/></w:tblGrid><w:tr><w:tc>` + strings.ReplaceAll(cell, "Items.", "") + `</w:tc></w:tr></w:tbl><w:p><w:r><w:t>{{/each}}</w:t></w:r></w:p>`
		got := filledXML(t, docx(t, strings.ReplaceAll(tables, "{{Name}}", "{{Tags}}"), "", ""), sample)
		rows := rowXML.FindAllString(got, -1)
		if len(rows) != 6 {
			t.Fatalf("%s: got %d rows in %s, want 6", property, len(rows), got)
		}
		for i, r := range rows[1:4] {
			if form(r) != form(row) {
				t.Errorf("%s, row %d:\n got %s\nwant %s", property, i+1, form(r), form(row))
			}
		}
		for _, r := range rows[4:] {
			if !strings.Contains(r, property) {
				t.Errorf("%s: it is missing in a table of a block: %s", property, r)
			}
		}
	}
	for _, property := range texts {
		with, without := `<w:r><w:rPr>`+property+`</w:rPr><w:t xml:space="preserve">`, `<w:r><w:t xml:space="preserve">`
		check(property, `<w:p>`+with+`{{Items.Name}}</w:t></w:r>`+without+` each</w:t></w:r></w:p>`)
		check(property, `<w:p>`+without+`{{Items.Name}}</w:t></w:r>`+with+` each</w:t></w:r></w:p>`)
		check(property, `<w:p>`+with+`{{Items.Name}}</w:t></w:r><w:r><w:rPr><w:emboss/><w:shadow/></w:rPr><w:t>{{Items.Qty}}</w:t></w:r>`+without+`{{Items.Price}}</w:t></w:r></w:p>`)
	}
	for _, property := range paragraphs {
		with, without := `<w:p><w:pPr>`+property+`</w:pPr>`, `<w:p>`
		check(property, with+`<w:r><w:t>{{Items.Name}}</w:t></w:r></w:p>`)
		check(property, without+`<w:r><w:t>{{Items.Name}}</w:t></w:r></w:p>`+with+`<w:r><w:t>second</w:t></w:r></w:p>`)
	}
}

var (
	slideRowXML  = regexp.MustCompile(`(?s)<a:tr .*?</a:tr>`)
	slideTextXML = regexp.MustCompile(`(?s)<a:t>.*?</a:t>|<a:t/>`)
	// endXML is the style of a paragraph's end, which a copy may have besides.
	endXML = regexp.MustCompile(`(?s)<a:endParaRPr[^>]*/>|<a:endParaRPr.*?</a:endParaRPr>`)
)

// The interface of presentations knows few of these properties.
func TestCopiedRowsOfSlidesKeepPropertiesThatTheInterfaceHasNoWordsFor(t *testing.T) {
	t.Parallel()
	texts := []string{
		`lang="de-AT"`, `cap="all"`, `cap="small"`, `spc="300"`, `kern="1200"`, `u="wavy"`, `u="dbl"`, `strike="dblStrike"`, `baseline="12000"`, `noProof="1"`, `normalizeH="1"`, `kumimoji="1"`, `altLang="en-GB"`,
		`<a:ln w="9525"><a:solidFill><a:srgbClr val="FF0000"/></a:solidFill></a:ln>`, `<a:gradFill><a:gsLst><a:gs pos="0"><a:srgbClr val="FF0000"/></a:gs><a:gs pos="100000"><a:srgbClr val="00FF00"/></a:gs></a:gsLst></a:gradFill>`,
		`<a:effectLst><a:outerShdw blurRad="38100"><a:srgbClr val="000000"/></a:outerShdw></a:effectLst>`, `<a:highlight><a:srgbClr val="FFFF00"/></a:highlight>`, `<a:uLnTx/>`, `<a:uFill><a:solidFill><a:srgbClr val="00FF00"/></a:solidFill></a:uFill>`,
		`<a:ea typeface="MS Mincho"/>`, `<a:cs typeface="Arial"/>`, `<a:sym typeface="Symbol"/>`,
	}
	paragraphs := []string{
		`marL="100000"`, `marR="100000"`, `indent="50000"`, `algn="just"`, `algn="dist"`, `defTabSz="500000"`, `eaLnBrk="0"`, `fontAlgn="ctr"`, `latinLnBrk="1"`, `hangingPunct="1"`,
		`<a:lnSpc><a:spcPts val="2000"/></a:lnSpc>`, `<a:spcBef><a:spcPts val="600"/></a:spcBef>`, `<a:spcAft><a:spcPct val="50000"/></a:spcAft>`, `<a:tabLst><a:tab pos="914400" algn="r"/></a:tabLst>`,
	}
	element := func(tag, property string) string {
		if strings.HasPrefix(property, "<") {
			return `<a:` + tag + `>` + property + `</a:` + tag + `>`
		}
		return `<a:` + tag + ` ` + property + `/>`
	}
	form := func(row string) string {
		runs := strings.Split(row, "<a:r>")
		for i, r := range runs {
			if at := max(strings.Index(r, "<a:t/></a:r>"), strings.Index(r, "<a:t></a:t></a:r>")); i > 0 && at >= 0 { // it is empty
				runs[i] = r[strings.Index(r, "</a:r>")+len("</a:r>"):]
			} else if i > 0 {
				runs[i] = "<a:r>" + r
			}
		}
		row = strings.Join(runs, "")
		return strings.ReplaceAll(endXML.ReplaceAllString(slideTextXML.ReplaceAllString(row, "<a:t/>"), ""), "<a:pPr/>", "")
	}
	head := `<a:tr h="100000"><a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:t>head</a:t></a:r></a:p></a:txBody><a:tcPr/></a:tc></a:tr>`
	check := func(property, cell string) {
		row := `<a:tr h="100000"><a:tc><a:txBody><a:bodyPr/>` + cell + `</a:txBody><a:tcPr/></a:tc></a:tr>`
		_, p, err := filledSlides(t, pptx(t, []string{drawnTable(4, 1, head+row)}), sample)
		if err != nil {
			t.Fatal(err)
		}
		part, _ := p.Package.Part("ppt/slides/slide1.xml")
		rows := slideRowXML.FindAllString(string(part), -1)
		if len(rows) != 4 {
			t.Fatalf("%s: got %d rows in %s, want 4", property, len(rows), part)
		}
		for i, r := range rows[1:] {
			if form(r) != form(row) {
				t.Errorf("%s, row %d:\n got %s\nwant %s", property, i+1, form(r), form(row))
			}
		}
	}
	for _, property := range texts {
		with := `<a:r>` + element("rPr", property) + `<a:t>`
		const without, end = `<a:r><a:t>`, `</a:t></a:r>`
		check(property, `<a:p>`+with+`{{Items.Name}}`+end+without+` each`+end+`</a:p>`)
		check(property, `<a:p>`+without+`{{Items.Name}}`+end+with+` each`+end+`</a:p>`)
		check(property, `<a:p>`+with+`{{Items.Name}}`+end+`<a:r><a:rPr spc="-100"/><a:t>{{Items.Qty}}`+end+without+`{{Items.Price}}`+end+`</a:p>`)
	}
	for _, property := range paragraphs {
		with := `<a:p>` + element("pPr", property)
		const without, end = `<a:p>`, `</a:t></a:r></a:p>`
		check(property, with+`<a:r><a:t>{{Items.Name}}`+end)
		check(property, without+`<a:r><a:t>{{Items.Name}}`+end+with+`<a:r><a:t>second`+end)
	}
}
