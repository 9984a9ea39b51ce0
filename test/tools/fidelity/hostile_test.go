package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/examples"
)

// hostileVariable is set to make the files as large as they are meant to be.
// Without it they have a hundredth of that size, take seconds, and get the limits
// of a damaged file.
const hostileVariable = "PLATEN_HOSTILE"

// What a file may take that was made to take as much as it can.
const (
	hostileTime   = 10 * time.Second // of the processor
	hostileMemory = 1 << 30
)

// converter builds this program without the race detector, which would
// multiply the time and the memory that are measured.
func converter(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "fidelity")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as everything else that is built here
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the converter: %v\n%s", err, said)
	}
	return program
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

// wordFile is a .docx with a body; more are further parts, relations those of
// the main one.
func wordFile(body, relations string, more ...zipPart) []byte {
	return zipParts(append([]zipPart{
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
	return zipParts(append([]zipPart{
		{"[Content_Types].xml", []byte(`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>`)},
		{"_rels/.rels", []byte(relationsTag + relation("r1", "officeDocument", "ppt/presentation.xml") + `</Relationships>`)},
		{"ppt/_rels/presentation.xml.rels", []byte(relationsTag + relations.String() + `</Relationships>`)},
		{"ppt/presentation.xml", []byte(`<p:presentation ` + slideNamespace + `><p:sldIdLst>` + ids.String() + `</p:sldIdLst></p:presentation>`)},
		{"ppt/slideLayouts/slideLayout1.xml", []byte(`<p:sldLayout ` + slideNamespace + `><p:cSld><p:spTree/></p:cSld></p:sldLayout>`)},
		{"ppt/slideLayouts/_rels/slideLayout1.xml.rels", []byte(relationsTag + relation("m", "slideMaster", "../slideMasters/slideMaster1.xml") + `</Relationships>`)},
		{"ppt/slideMasters/slideMaster1.xml", []byte(`<p:sldMaster ` + slideNamespace + `><p:cSld><p:spTree>` + master + `</p:spTree></p:cSld></p:sldMaster>`)},
	}, parts...), zip.Store)
}

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

// giant is a PNG of a few bytes that says it has so many pixels a side.
func giant(side uint32) []byte {
	data := flood(1, 1)
	header := data[12:29] // the chunk's name, width, height and how pixels are kept
	binary.BigEndian.PutUint32(header[4:], side)
	binary.BigEndian.PutUint32(header[8:], side)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(header))
	return data
}

func inlinePicture(id string) string {
	return `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="1270000" cy="1270000"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="` + id + `"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
}

// bomb is a part that unpacks to a thousand times its size.
func bomb(t *testing.T, name string) []byte {
	t.Helper()
	const block, times = 1 << 20, 60
	zeros := make([]byte, block)
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(zeros); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil { // what follows may be the same again
		t.Fatal(err)
	}
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	end := []byte{3, 0} // an empty last block
	entry, err := archive.CreateRaw(&zip.FileHeader{
		Name: name, Method: zip.Deflate, UncompressedSize64: block * times,
		CompressedSize64: uint64(packed.Len()*times + len(end)), CRC32: crc32.ChecksumIEEE(bytes.Repeat(zeros, times)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := entry.Write(append(bytes.Repeat(packed.Bytes(), times), end...)); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func formulaFile(content string) []byte {
	return wordFile(`<w:p xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:oMathPara><m:oMath>`+content+`</m:oMath></m:oMathPara></w:p>`, "")
}

// hostileFile is one that was made to take much.
type hostileFile struct {
	name, kind string
	data       []byte
}

// hostileDocuments are .docx; n makes a size smaller.
func hostileDocuments(t *testing.T, n func(int) int) []hostileFile {
	t.Helper()
	floods := []zipPart{}
	floodRelations, floodBody := "", ""
	for i := range max(1, n(8)) {
		floods = append(floods, zipPart{fmt.Sprintf("word/media/f%d.png", i), flood(max(100, n(4000)), uint64(i))})
		floodRelations += relation(fmt.Sprintf("f%d", i), "image", fmt.Sprintf("media/f%d.png", i))
		floodBody += inlinePicture(fmt.Sprintf("f%d", i))
	}
	row := `<w:tr><w:trPr><w:tblHeader/></w:trPr><w:tc>` + strings.Repeat(paragraphText, 30) + `</w:tc></w:tr>`
	noted := `<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`
	header := zipPart{"word/header1.xml", []byte(`<w:hdr ` + wordNamespace + `>` + strings.Repeat(paragraphText, max(300, n(3000))) + `</w:hdr>`)}
	section := `<w:sectPr><w:headerReference w:type="default" r:id="h"/></w:sectPr>`
	return []hostileFile{
		{"a million paragraphs", "docx", wordFile(strings.Repeat(`<w:p/>`, n(1_000_000)), "")},
		{"a million runs", "docx", wordFile(`<w:p>`+strings.Repeat(`<w:r><w:t>x</w:t></w:r>`, n(400_000))+`</w:p>`, "")},
		{"a million attributes", "docx", wordFile(`<w:p `+strings.Repeat(`w:a="1" `, n(1_000_000))+`/>`, "")},
		{"200,000 paragraphs of text", "docx", wordFile(strings.Repeat(paragraphText, n(200_000)), "")},
		{"one word of 20 MB", "docx", wordFile(`<w:p><w:r><w:t>`+strings.Repeat("x", n(20<<20))+`</w:t></w:r></w:p>`, "")},
		{"one line of 20 MB", "docx", wordFile(`<w:p><w:r><w:t>`+strings.Repeat("x ", n(10<<20))+`</w:t></w:r></w:p>`, "")},
		{"pixel floods", "docx", wordFile(floodBody, floodRelations, floods...)},
		{"a picture that says it has four gigapixels", "docx", wordFile(inlinePicture("g"), relation("g", "image", "media/g.png"), zipPart{"word/media/g.png", giant(1 << 16)})},
		{"a header of 3000 paragraphs on each page", "docx", wordFile(strings.Repeat(paragraphText, n(50_000))+section, relation("h", "header", "header1.xml"), header)},
		{"header rows on each page", "docx", wordFile(`<w:tbl>`+row+strings.Repeat(`<w:tr><w:tc>`+paragraphText+`</w:tc></w:tr>`, n(50_000))+`</w:tbl>`, "")},
		{"a table of 400 columns", "docx", wordFile(`<w:tbl>`+strings.Repeat(`<w:tr>`+strings.Repeat(`<w:tc><w:p/></w:tc>`, 400)+`</w:tr>`, n(500))+`</w:tbl>`, "")},
		{"a cell over a billion columns", "docx", wordFile(`<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="1000000000"/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>`, "")},
		{"tables in tables", "docx", wordFile(strings.Repeat(strings.Repeat(`<w:tbl><w:tr><w:tc>`, 30)+paragraphText+strings.Repeat(`</w:tc></w:tr></w:tbl>`, 30), n(2000)), "")},
		{"100,000 footnotes", "docx", wordFile(strings.Repeat(noted, n(100_000)), relation("n", "footnotes", "footnotes.xml"),
			zipPart{"word/footnotes.xml", []byte(`<w:footnotes ` + wordNamespace + `><w:footnote w:id="2">` + strings.Repeat(paragraphText, max(5, n(50))) + `</w:footnote></w:footnotes>`)})},
		{"100,000 page breaks", "docx", wordFile(strings.Repeat(`<w:p><w:r><w:br w:type="page"/></w:r></w:p>`, n(100_000)), "")},
		{"a formula of 120,000 runs", "docx", formulaFile(strings.Repeat(`<m:r><m:t>x+</m:t></m:r>`, n(120_000)))},
		{"a formula of a line of 5 MB", "docx", formulaFile(`<m:r><m:t>` + strings.Repeat("x+", n(5<<19)) + `</m:t></m:r>`)},
		{"fractions in fractions", "docx", formulaFile(strings.Repeat(strings.Repeat(`<m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den>`, 40)+strings.Repeat(`</m:den></m:f>`, 40), n(1500)))},
		{"a matrix of 300 × 300", "docx", formulaFile(`<m:m>` + strings.Repeat(`<m:mr>`+strings.Repeat(`<m:e><m:r><m:t>1</m:t></m:r></m:e>`, 300)+`</m:mr>`, n(300)) + `</m:m>`)},
		{"a bomb", "docx", bomb(t, "word/document.xml")},
	}
}

// hostilePresentations are .pptx; n makes a size smaller.
func hostilePresentations(n func(int) int) []hostileFile {
	picture := `<p:pic><p:nvPicPr><p:cNvPr id="3" name="P"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="i"/></p:blipFill><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="1270000" cy="1270000"/></a:xfrm></p:spPr></p:pic>`
	return []hostileFile{
		{"2000 slides over a master of 500 shapes", "pptx", slideFile(n(2000), "", strings.Repeat(slideShape(slideText), max(100, n(500))))},
		{"50,000 shapes", "pptx", slideFile(1, strings.Repeat(slideShape(""), n(50_000)), "")},
		{"50,000 texts that shrink", "pptx", slideFile(1, strings.Repeat(slideShape(slideText), n(50_000)), "")},
		{"a text of 5 MB that shrinks", "pptx", slideFile(1, slideShape(strings.Replace(slideText, "a few", strings.Repeat("a few ", n(1<<20)), 1)), "")},
		{"pixel floods on slides", "pptx", slideFile(30, picture, "", zipPart{"ppt/media/a.png", flood(max(100, n(6900)), 1)})},
	}
}

func TestHostileAndDamagedFilesTakeNeitherTimeNorMemory(t *testing.T) {
	t.Parallel()
	program := converter(t)
	t.Run("hostile", func(t *testing.T) { convertHostile(t, program) })
	t.Run("damaged", func(t *testing.T) { convertDamaged(t, program) })
}

func convertHostile(t *testing.T, program string) {
	size := func(whole int) int { return whole / 100 }
	longest, most := mutantTime, int64(mutantMemory)
	if os.Getenv(hostileVariable) != "" {
		size = func(whole int) int { return whole }
		longest, most = hostileTime, hostileMemory
	}
	for _, f := range append(hostileDocuments(t, size), hostilePresentations(size)...) {
		t.Run(f.name, func(t *testing.T) {
			r, err := convertApart(t.Context(), program, f.data, f.kind)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d kB: status %d, %v, %d MiB %s", len(f.data)>>10, r.status, r.cpu, r.memory>>20, r.said)
			if fault := r.fault(longest, most); fault != "" {
				t.Error(fault)
			}
		})
	}
}

func convertDamaged(t *testing.T, program string) {
	all, err := examples.All()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		random := rand.New(rand.NewPCG(1, uint64(i))) // the same damage each time
		e := all[i%len(all)]
		kind := "docx"
		if e.Name == examples.Offer {
			kind = "pptx"
		}
		damaged, how := mutate(random, e.Template)
		r, err := convertApart(t.Context(), program, damaged, kind)
		if err != nil {
			t.Fatal(err)
		}
		if fault := r.fault(mutantTime, mutantMemory); fault != "" {
			t.Errorf("%s, %d (%s): %s", e.Name, i, how, fault)
		}
	}
}
