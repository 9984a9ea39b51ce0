package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMain lets this test's program be the child that converts one file.
func TestMain(m *testing.M) {
	if kind := os.Getenv(childVariable); kind != "" {
		os.Exit(convertOne(kind))
	}
	os.Exit(m.Run())
}

const (
	wordNamespace  = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"`
	slideNamespace = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"`
	relationTypes  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	relationsTag   = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
)

func relation(id, kind, target string) string {
	return fmt.Sprintf(`<Relationship Id="%s" Type="%s%s" Target="%s"/>`, id, relationTypes, kind, target)
}

// wordFile is a .docx with a body; more are further parts, relations those of the main one.
func wordFile(body, relations string, more ...zipPart) []byte {
	return zipped(append([]zipPart{
		{"[Content_Types].xml", []byte(`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`)},
		{"_rels/.rels", []byte(relationsTag + relation("r1", "officeDocument", "word/document.xml") + `</Relationships>`)},
		{"word/_rels/document.xml.rels", []byte(relationsTag + relations + `</Relationships>`)},
		{"word/document.xml", []byte(`<w:document ` + wordNamespace + `><w:body>` + body + `</w:body></w:document>`)},
	}, more...), zip.Store)
}

// slideFile is a .pptx that shows one slide so many times over a master.
func slideFile(times int, slide, master string, more ...zipPart) []byte {
	var ids, relations strings.Builder
	parts := more
	for i := range times {
		fmt.Fprintf(&ids, `<p:sldId id="%d" r:id="s%d"/>`, 256+i, i)
		relations.WriteString(relation(fmt.Sprintf("s%d", i), "slide", fmt.Sprintf("slides/slide%d.xml", i)))
		parts = append(parts, zipPart{fmt.Sprintf("ppt/slides/slide%d.xml", i), []byte(`<p:sld ` + slideNamespace + `><p:cSld><p:spTree>` + slide + `</p:spTree></p:cSld></p:sld>`)},
			zipPart{fmt.Sprintf("ppt/slides/_rels/slide%d.xml.rels", i), []byte(relationsTag + relation("l", "slideLayout", "../slideLayouts/slideLayout1.xml") + relation("i", "image", "../media/a.png") + `</Relationships>`)})
	}
	return zipped(append([]zipPart{
		{"[Content_Types].xml", []byte(`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>`)},
		{"_rels/.rels", []byte(relationsTag + relation("r1", "officeDocument", "ppt/presentation.xml") + `</Relationships>`)},
		{"ppt/_rels/presentation.xml.rels", []byte(relationsTag + relations.String() + `</Relationships>`)},
		{"ppt/presentation.xml", []byte(`<p:presentation ` + slideNamespace + `><p:sldIdLst>` + ids.String() + `</p:sldIdLst></p:presentation>`)},
		{"ppt/slideLayouts/slideLayout1.xml", []byte(`<p:sldLayout ` + slideNamespace + `><p:cSld><p:spTree/></p:cSld></p:sldLayout>`)},
		{"ppt/slideLayouts/_rels/slideLayout1.xml.rels", []byte(relationsTag + relation("m", "slideMaster", "../slideMasters/slideMaster1.xml") + `</Relationships>`)},
		{"ppt/slideMasters/slideMaster1.xml", []byte(`<p:sldMaster ` + slideNamespace + `><p:cSld><p:spTree>` + master + `</p:spTree></p:cSld></p:sldMaster>`)},
	}, parts...), zip.Store)
}

// What a file may take that was made to take as much as it can.
const (
	hostileTime   = 10 * time.Second // of the processor
	hostileMemory = 1 << 30
)

const paragraphText = `<w:p><w:r><w:t>a few words of text</w:t></w:r></w:p>`

func slideShape(body string) string {
	return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="B"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="1270000" cy="1270000"/></a:xfrm><a:prstGeom prst="ellipse"/><a:gradFill><a:gsLst><a:gs pos="0"><a:srgbClr val="FF0000"/></a:gs><a:gs pos="100000"><a:srgbClr val="0000FF"/></a:gs></a:gsLst></a:gradFill></p:spPr>` + body + `</p:sp>`
}

const slideText = `<p:txBody><a:bodyPr><a:normAutofit/></a:bodyPr><a:p><a:r><a:t>a few words of text</a:t></a:r></a:p></p:txBody>`

// flood is a PNG of so many pixels a side, each its own colour in sixteen bits.
func flood(side int, seed uint64) []byte {
	picture := image.NewNRGBA64(image.Rect(0, 0, side, side))
	random := rand.New(rand.NewPCG(seed, 0))
	for i := 0; i < 64*side; i++ {
		picture.Pix[random.IntN(len(picture.Pix))] = byte(i)
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, picture); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func inlinePicture(id string) string {
	return `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="1270000" cy="1270000"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="` + id + `"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
}

// bomb is a part that unpacks to a thousand times its size.
func bomb(t *testing.T, name string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	entry, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(nil)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := entry.Write(make([]byte, 60<<20)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestHostileFilesTakeNeitherTimeNorMemory(t *testing.T) {
	if raceDetector || testing.Short() {
		t.Skip("measures time and memory, which the race detector multiplies: make hostile runs it")
	}
	floods := []zipPart{}
	floodRelations, floodBody := "", ""
	for i := range 8 {
		floods = append(floods, zipPart{fmt.Sprintf("word/media/f%d.png", i), flood(4000, uint64(i))})
		floodRelations += relation(fmt.Sprintf("f%d", i), "image", fmt.Sprintf("media/f%d.png", i))
		floodBody += inlinePicture(fmt.Sprintf("f%d", i))
	}
	row := `<w:tr><w:trPr><w:tblHeader/></w:trPr><w:tc>` + strings.Repeat(paragraphText, 30) + `</w:tc></w:tr>`
	noted := `<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`
	header := zipPart{"word/header1.xml", []byte(`<w:hdr ` + wordNamespace + `>` + strings.Repeat(paragraphText, 3000) + `</w:hdr>`)}
	section := `<w:sectPr><w:headerReference w:type="default" r:id="h"/></w:sectPr>`
	files := []struct {
		name, kind string
		data       []byte
	}{
		{"a million paragraphs", "docx", wordFile(strings.Repeat(`<w:p/>`, 1_000_000), "")},
		{"a million runs", "docx", wordFile(`<w:p>`+strings.Repeat(`<w:r><w:t>x</w:t></w:r>`, 400_000)+`</w:p>`, "")},
		{"a million attributes", "docx", wordFile(`<w:p `+strings.Repeat(`w:a="1" `, 1_000_000)+`/>`, "")},
		{"200,000 paragraphs of text", "docx", wordFile(strings.Repeat(paragraphText, 200_000), "")},
		{"one word of 20 MB", "docx", wordFile(`<w:p><w:r><w:t>`+strings.Repeat("x", 20<<20)+`</w:t></w:r></w:p>`, "")},
		{"one line of 20 MB", "docx", wordFile(`<w:p><w:r><w:t>`+strings.Repeat("x ", 10<<20)+`</w:t></w:r></w:p>`, "")},
		{"pixel floods", "docx", wordFile(floodBody, floodRelations, floods...)},
		{"a header of 3000 paragraphs on each page", "docx", wordFile(strings.Repeat(paragraphText, 50_000)+section, relation("h", "header", "header1.xml"), header)},
		{"header rows on each page", "docx", wordFile(`<w:tbl>`+row+strings.Repeat(`<w:tr><w:tc>`+paragraphText+`</w:tc></w:tr>`, 50_000)+`</w:tbl>`, "")},
		{"a table of 400 columns", "docx", wordFile(`<w:tbl>`+strings.Repeat(`<w:tr>`+strings.Repeat(`<w:tc><w:p/></w:tc>`, 400)+`</w:tr>`, 500)+`</w:tbl>`, "")},
		{"a cell over a billion columns", "docx", wordFile(`<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="1000000000"/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>`, "")},
		{"tables in tables", "docx", wordFile(strings.Repeat(strings.Repeat(`<w:tbl><w:tr><w:tc>`, 30)+paragraphText+strings.Repeat(`</w:tc></w:tr></w:tbl>`, 30), 2000), "")},
		{"100,000 footnotes", "docx", wordFile(strings.Repeat(noted, 100_000), relation("n", "footnotes", "footnotes.xml"),
			zipPart{"word/footnotes.xml", []byte(`<w:footnotes ` + wordNamespace + `><w:footnote w:id="2">` + strings.Repeat(paragraphText, 50) + `</w:footnote></w:footnotes>`)})},
		{"100,000 page breaks", "docx", wordFile(strings.Repeat(`<w:p><w:r><w:br w:type="page"/></w:r></w:p>`, 100_000), "")},
		{"a bomb", "docx", bomb(t, "word/document.xml")},
		{"2000 slides over a master of 500 shapes", "pptx", slideFile(2000, "", strings.Repeat(slideShape(slideText), 500))},
		{"50,000 shapes", "pptx", slideFile(1, strings.Repeat(slideShape(""), 50_000), "")},
		{"50,000 texts that shrink", "pptx", slideFile(1, strings.Repeat(slideShape(slideText), 50_000), "")},
		{"a text of 5 MB that shrinks", "pptx", slideFile(1, slideShape(strings.Replace(slideText, "a few", strings.Repeat("a few ", 1<<20), 1)), "")},
		{"pixel floods on slides", "pptx", slideFile(30, `<p:pic><p:nvPicPr><p:cNvPr id="3" name="P"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="i"/></p:blipFill><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="1270000" cy="1270000"/></a:xfrm></p:spPr></p:pic>`, "", zipPart{"ppt/media/a.png", flood(6900, 1)})},
	}
	for _, f := range files {
		t.Run(f.name, func(t *testing.T) {
			r, err := convertApart(t.Context(), f.data, f.kind)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d kB: status %d, %v, %d MiB %s", len(f.data)>>10, r.status, r.cpu, r.memory>>20, r.said)
			if r.status != converted && r.status != refused {
				t.Errorf("ended with %d: %s", r.status, r.said)
			}
			if r.cpu > hostileTime || r.memory > hostileMemory {
				t.Errorf("took %v of the processor and %d MiB, want at most %v and %d MiB", r.cpu, r.memory>>20, hostileTime, hostileMemory>>20)
			}
		})
	}
}
