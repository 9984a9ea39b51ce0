package render_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"runtime/debug"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/flow"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
	"github.com/platenhq/platen/internal/render/slide"
)

// stored is a zip of parts as they are, so that the fuzzer works on their XML
// and not on what compresses it.
func stored(t *testing.T, parts map[string]string) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for name, content := range parts {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// soon ends the program when a conversion does not end: the fuzzer by itself
// would wait for it, and keep nothing.
func soon(t *testing.T) {
	const long = 20 * time.Second
	timer := time.AfterFunc(long, func() {
		debug.SetTraceback("all")
		panic("a conversion does not end")
	})
	t.Cleanup(func() { timer.Stop() })
}

// mustBeFormat fails for errors that would reach nobody with a message.
func mustBeFormat(t *testing.T, err error) {
	t.Helper()
	var format *opc.FormatError
	if err != nil && !errors.As(err, &format) {
		t.Fatalf("got %v, want a FormatError or none", err)
	}
}

const (
	fuzzTypes     = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`
	fuzzRelations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	fuzzKind      = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
)

func FuzzDocument(f *testing.F) {
	table := `<w:tbl><w:tblPr><w:tblW w:w="5000" w:type="pct"/></w:tblPr><w:tblGrid><w:gridCol w:w="4000"/></w:tblGrid><w:tr><w:trPr><w:tblHeader/><w:trHeight w:val="500" w:hRule="exact"/></w:trPr><w:tc><w:tcPr><w:gridSpan w:val="2"/><w:vMerge w:val="restart"/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>`
	for _, body := range []string{
		rendertest.Paragraph(`<w:keepNext/><w:jc w:val="both"/><w:ind w:left="720" w:hanging="360"/><w:tabs><w:tab w:val="right" w:leader="dot" w:pos="6000"/></w:tabs>`, "some words"),
		table,
		`<w:p><w:pPr><w:framePr w:w="2000" w:hSpace="100" w:wrap="around" w:vAnchor="text" w:hAnchor="margin" w:xAlign="center" w:y="1"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:rPr><w:w w:val="150"/><w:vertAlign w:val="superscript"/></w:rPr><w:t>x</w:t><w:br w:type="page"/><w:tab/></w:r></w:p>`,
		`<w:p><w:r><w:drawing><wp:anchor distT="0" behindDoc="0"><wp:positionH relativeFrom="page"><wp:posOffset>100</wp:posOffset></wp:positionH><wp:positionV relativeFrom="paragraph"><wp:align>top</wp:align></wp:positionV><wp:extent cx="100000" cy="100000"/><wp:wrapSquare wrapText="bothSides"/></wp:anchor></w:drawing></w:r></w:p>`,
		`<w:p><w:pPr><w:sectPr><w:type w:val="continuous"/><w:cols w:num="3" w:space="100"/></w:sectPr></w:pPr></w:p>`,
		`<w:p><m:oMathPara><m:oMath><m:d><m:e><m:f><m:num><m:r><m:t>a&amp;b</m:t></m:r></m:num><m:den><m:rad><m:deg/><m:e><m:r><m:t>x=1</m:t></m:r></m:e></m:rad></m:den></m:f></m:e></m:d><m:nary><m:sub/><m:sup><m:r><m:t>n</m:t></m:r></m:sup><m:e/></m:nary></m:oMath></m:oMathPara></w:p>`,
		`<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>NUMPAGES</w:instrText><w:fldChar w:fldCharType="separate"/><w:t>1</w:t><w:fldChar w:fldCharType="end"/></w:r></w:p>`,
	} {
		f.Add(body, `<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:pPr><w:spacing w:before="100" w:line="360" w:lineRule="auto"/></w:pPr></w:style>`)
	}
	f.Fuzz(func(t *testing.T, body, styles string) {
		soon(t)
		d, err := wml.ReadDocument(stored(t, map[string]string{
			"[Content_Types].xml":          fuzzTypes + `<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
			"_rels/.rels":                  fuzzRelations + `<Relationship Id="r" Type="` + fuzzKind + `officeDocument" Target="word/document.xml"/></Relationships>`,
			"word/_rels/document.xml.rels": fuzzRelations + `<Relationship Id="s" Type="` + fuzzKind + `styles" Target="styles.xml"/></Relationships>`,
			"word/document.xml":            `<w:document ` + rendertest.WordNamespaces + `><w:body>` + body + `</w:body></w:document>`,
			"word/styles.xml":              `<w:styles ` + rendertest.WordNamespaces + `>` + styles + `</w:styles>`,
		}))
		mustBeFormat(t, err)
		if err != nil {
			return
		}
		if _, _, err := flow.Document(pdf.EmbeddedFonts(), d, "fuzz"); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzPresentation(f *testing.F) {
	const ns = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`
	for _, shapes := range []string{
		rendertest.Box(10, 10, 100, 50, "roundRect", `<a:p><a:pPr marL="100" indent="-100"><a:buChar char="-"/></a:pPr><a:r><a:rPr sz="2000" b="1"/><a:t>text</a:t></a:r><a:br/></a:p>`),
		`<p:grpSp><p:nvGrpSpPr><p:cNvPr id="3" name="G"/></p:nvGrpSpPr><p:grpSpPr><a:xfrm rot="60000" flipH="1"><a:off x="1" y="0"/><a:ext cx="2540000" cy="1270000"/><a:chOff x="0" y="0"/><a:chExt cx="1270000" cy="1270000"/></a:xfrm></p:grpSpPr>` + rendertest.Box(1, 1, 9, 9, "star5", "") + `</p:grpSp>`,
		`<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="T"/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="100000" cy="100000"/></p:xfrm><a:graphic><a:graphicData><a:tbl><a:tblPr bandRow="1"/><a:tblGrid><a:gridCol w="100000"/></a:tblGrid><a:tr h="1000"><a:tc gridSpan="2" rowSpan="2"><a:txBody><a:p/></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`,
		`<p:sp><p:nvSpPr><p:cNvPr id="2" name="C"/></p:nvSpPr><p:spPr><a:xfrm><a:ext cx="1270000" cy="1270000"/></a:xfrm><a:custGeom><a:gdLst><a:gd name="g" fmla="*/ w 1 2"/></a:gdLst><a:pathLst><a:path w="10" h="10"><a:moveTo><a:pt x="g" y="0"/></a:moveTo><a:arcTo wR="5" hR="5" stAng="0" swAng="5400000"/><a:close/></a:path></a:pathLst></a:custGeom><a:gradFill><a:gsLst><a:gs pos="0"><a:srgbClr val="FF0000"/></a:gs></a:gsLst></a:gradFill></p:spPr></p:sp>`,
	} {
		f.Add(shapes, `<c:barChart><c:ser><c:val><c:numRef><c:numCache><c:formatCode>0%</c:formatCode><c:ptCount val="1"/><c:pt idx="0"><c:v>3</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart><c:catAx/><c:valAx><c:scaling><c:max val="5"/></c:scaling></c:valAx>`)
	}
	f.Fuzz(func(t *testing.T, shapes, plot string) {
		soon(t)
		chart := `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="Chart"/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="3000000" cy="2000000"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="c"/></a:graphicData></a:graphic></p:graphicFrame>`
		p, err := pml.ReadPresentation(stored(t, map[string]string{
			"[Content_Types].xml":              fuzzTypes + `<Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>`,
			"_rels/.rels":                      fuzzRelations + `<Relationship Id="r" Type="` + fuzzKind + `officeDocument" Target="ppt/presentation.xml"/></Relationships>`,
			"ppt/_rels/presentation.xml.rels":  fuzzRelations + `<Relationship Id="s" Type="` + fuzzKind + `slide" Target="slides/slide1.xml"/></Relationships>`,
			"ppt/presentation.xml":             `<p:presentation ` + ns + `><p:sldIdLst><p:sldId id="256" r:id="s"/></p:sldIdLst></p:presentation>`,
			"ppt/slides/slide1.xml":            `<p:sld ` + ns + `><p:cSld><p:spTree>` + shapes + chart + `</p:spTree></p:cSld></p:sld>`,
			"ppt/slides/_rels/slide1.xml.rels": fuzzRelations + `<Relationship Id="c" Type="` + fuzzKind + `chart" Target="../charts/chart1.xml"/></Relationships>`,
			"ppt/charts/chart1.xml":            `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" ` + ns + `><c:chart><c:plotArea>` + plot + `</c:plotArea><c:legend/></c:chart></c:chartSpace>`,
		}))
		mustBeFormat(t, err)
		if err != nil {
			return
		}
		if _, _, err := slide.Presentation(pdf.EmbeddedFonts(), p, "fuzz"); err != nil {
			t.Fatal(err)
		}
	})
}
