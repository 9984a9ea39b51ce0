package protect

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/pdfa"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/render/rendertest"
)

var made = time.Date(2026, 11, 29, 6, 0, 0, 0, time.UTC)

// wantConforming checks what was archived, by the checker and by qpdf.
func wantConforming(t *testing.T, what string, pdf []byte, part pdfa.Part) {
	t.Helper()
	faults, err := pdfa.Check(pdf, part)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for _, f := range faults {
		t.Errorf("%s: %s", what, f)
	}
	rendertest.Tool(t, pdf, "qpdf", "--check", "FILE")
}

func TestAnArchivedPDFConformsToItsProfile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"invoice.docx", "letter.docx", "offer.pptx"} {
		in := rendered(t, name)
		marked, err := Protector{}.Mark(in, "TEST")
		if err != nil {
			t.Fatal(err)
		}
		joined, _, err := Protector{}.Append(in, []platen.AppendedPDF{{Name: "a.pdf", Content: rendered(t, "letter.docx")}})
		if err != nil {
			t.Fatal(err)
		}
		for what, pdf := range map[string][]byte{"as it is": in, "marked": marked, "with another": joined} {
			for profile, part := range map[platen.PDFProfile]pdfa.Part{platen.ProfilePDFA2b: pdfa.Part2, platen.ProfilePDFA3b: pdfa.Part3} {
				a := platen.Archive{Profile: profile, At: made}
				out, err := Protector{}.Archive(pdf, a)
				if err != nil {
					t.Fatalf("%s, %s: %v", name, what, err)
				}
				wantConforming(t, name+", "+what+", "+string(profile), out, part)
				again, err := Protector{}.Archive(pdf, a)
				if err != nil || !bytes.Equal(out, again) {
					t.Errorf("%s, %s: the second time gave other bytes (%v)", name, what, err)
				}
				if got, want := rendertest.Structure(t, out), rendertest.Structure(t, in); got != want {
					t.Errorf("%s, %s: got the structure %s, want %s", name, what, got, want)
				}
			}
		}
	}
}

func TestAnArchivedPDFHoldsFilesAndDescribesThem(t *testing.T) {
	t.Parallel()
	a := platen.Archive{
		Profile: platen.ProfilePDFA3b, At: made,
		Files: []platen.EmbeddedFile{
			{Name: "factur-x.xml", Description: "Rechnung für Ada", MIMEType: "text/xml", Relationship: platen.RelationshipAlternative, Content: []byte("<invoice/>"), ModifiedAt: made},
			{Name: "a.csv", MIMEType: "text/csv", Relationship: platen.RelationshipData, Content: []byte("1;2\n")},
		},
		Schemas: []platen.XMPSchema{{
			Name: "Factur-X PDFA Extension Schema", Namespace: "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#", Prefix: "fx",
			Properties: []platen.XMPProperty{{Name: "DocumentType", Value: "INVOICE", Description: "kind"}, {Name: "ConformanceLevel", Value: "EN 16931", Description: "level & more"}},
		}},
	}
	marked, err := Protector{}.Mark(rendered(t, "invoice.docx"), "TEST")
	if err != nil {
		t.Fatal(err)
	}
	for what, pdf := range map[string][]byte{"as it is": rendered(t, "invoice.docx"), "marked": marked} {
		out, err := Protector{}.Archive(pdf, a)
		if err != nil {
			t.Fatal(err)
		}
		wantConforming(t, what, out, pdfa.Part3)
		if list := rendertest.Tool(t, out, "pdfdetach", "-list", "FILE"); !strings.Contains(list, "2 embedded files") || !strings.Contains(list, "factur-x.xml") {
			t.Errorf("%s: pdfdetach lists %q", what, list)
		}
		if xmp := rendertest.Tool(t, out, "pdfinfo", "-meta", "FILE"); !strings.Contains(xmp, "<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>") || !strings.Contains(xmp, "<pdfaid:part>3</pdfaid:part>") {
			t.Errorf("%s: pdfinfo reads %s", what, xmp)
		}
	}
	a.Profile = platen.ProfilePDFA2b
	if _, err := (Protector{}).Archive(marked, a); err == nil {
		t.Error("a file of PDF/A-2b took others in")
	}
}

// A PDF that cannot conform gets no claim: its cause is said.
func TestAPDFThatCannotConformIsRefusedInWords(t *testing.T) {
	t.Parallel()
	text := func(font string, content string) []byte {
		return pdfOf([]string{
			`<</Type /Catalog /Pages 2 0 R>>`, `<</Type /Pages /Kids [3 0 R] /Count 1>>`,
			`<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Resources <</Font <</F1 5 0 R>>>> /Contents 4 0 R>>`,
			"<</Length " + itoa(len(content)) + ">>\nstream\n" + content + "\nendstream", font,
		})
	}
	helvetica := `<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>`
	for what, c := range map[string]struct {
		part []byte
		want string
	}{
		"a font that is not embedded": {text(helvetica, "BT /F1 12 Tf (x) Tj ET"), "Helvetica is not in the file"},
		"colours of inks":             {text(helvetica, "0 1 1 0 k 0 0 9 9 re f"), "printing inks"},
		"an operator that is none":    {text(helvetica, "0 0 m frob"), "operator"},
	} {
		joined, _, err := Protector{}.Append(rendered(t, "letter.docx"), []platen.AppendedPDF{{Name: "a.pdf", Content: c.part}})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if _, err := (Protector{}).CheckAppendix(platen.AppendedPDF{Name: "a.pdf", Content: c.part}, platen.ProfilePDFA2b); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `"a.pdf"`) {
			t.Errorf("%s: the check says %v, want the file and %q", what, err, c.want)
		}
		_, err = Protector{}.Archive(joined, platen.Archive{Profile: platen.ProfilePDFA2b})
		if platen.KindOf(err) != platen.KindInvalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", what, err, c.want)
		}
	}
}

// The sizes that a picture has in the PDF may be others than its own, which decoding goes by.
func TestAPictureThatLiesAboutItsSizeIsNotDecoded(t *testing.T) { // alone: it counts what is allocated
	const side = "\xFF\xDC" // 65500
	jpeg := "\xFF\xD8\xFF\xC0\x00\x14\x08" + side + side + "\x04\x01\x11\x00\x02\x11\x00\x03\x11\x00\x04\x11\x00" +
		"\xFF\xDA\x00\x0E\x04\x01\x00\x02\x00\x03\x00\x04\x00\x00\x3F\x00"
	content := "q 100 0 0 100 0 0 cm /I1 Do Q"
	in := pdfOf([]string{
		`<</Type /Catalog /Pages 2 0 R>>`, `<</Type /Pages /Kids [3 0 R] /Count 1>>`,
		`<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Resources <</XObject <</I1 5 0 R>>>> /Contents 4 0 R>>`,
		"<</Length " + itoa(len(content)) + ">>\nstream\n" + content + "\nendstream",
		"<</Type /XObject /Subtype /Image /Width 8 /Height 8 /BitsPerComponent 8 /ColorSpace /DeviceCMYK /Filter /DCTDecode /Length " + itoa(len(jpeg)) + ">>\nstream\n" + jpeg + "\nendstream",
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Protector{}.Archive(in, platen.Archive{Profile: platen.ProfilePDFA2b})
	runtime.ReadMemStats(&after)
	if platen.KindOf(err) != platen.KindInvalid || !strings.Contains(err.Error(), "printing inks") {
		t.Errorf("got %v, want a refusal for its printing inks", err)
	}
	if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 100 {
		t.Errorf("it took %d MiB, want 100 at most", got)
	}
}

// Whatever comes behind a claim takes it away.
func TestAClaimDoesNotOutliveWhatItIsMadeOf(t *testing.T) {
	t.Parallel()
	archived, err := Protector{}.Archive(rendered(t, "letter.docx"), platen.Archive{Profile: platen.ProfilePDFA2b})
	if err != nil {
		t.Fatal(err)
	}
	for what, do := range map[string]func() ([]byte, error){
		"with another": func() ([]byte, error) {
			out, _, err := Protector{}.Append(archived, []platen.AppendedPDF{{Name: "a.pdf", Content: blankPage()}})
			return out, err
		},
		"behind another": func() ([]byte, error) {
			out, _, err := Protector{}.Append(blankPage(), []platen.AppendedPDF{{Name: "a.pdf", Content: archived}})
			return out, err
		},
		"encrypted": func() ([]byte, error) { return decrypted(t, archived, "van Dyke") },
	} {
		out, err := do()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if plain := rendertest.Tool(t, out, "qpdf", "--qdf", "--object-streams=disable", "FILE", "-"); strings.Contains(plain, "pdfaid") {
			t.Errorf("%s: it still claims to be PDF/A", what)
		}
	}
}

// What no page looks different without is cured, and pictures in inks become ones of displays.
func TestWhatDoesNotShowIsCured(t *testing.T) {
	t.Parallel()
	inks := image.NewCMYK(image.Rect(0, 0, 8, 8))
	for i := range inks.Pix {
		inks.Pix[i] = 40
	}
	content := "q 100 0 0 100 0 0 cm /I1 Do Q"
	in := pdfOf([]string{
		`<</Type /Catalog /Pages 2 0 R /OpenAction <</S /JavaScript /JS (x)>> /AA <<>>>>`, `<</Type /Pages /Kids [3 0 R] /Count 1>>`,
		`<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /AA <<>> /Resources <</XObject <</I1 5 0 R>>>> /Contents 4 0 R /Annots [<</Type /Annot /Subtype /Link /Rect [0 0 9 9] /A <</S /Launch /F (x)>>>> <</Type /Annot /Subtype /Text /F 2 /Rect [0 0 9 9]>>]>>`,
		"<</Length " + itoa(len(content)) + ">>\nstream\n" + content + "\nendstream",
		"<</Type /XObject /Subtype /Image /Width 8 /Height 8 /BitsPerComponent 8 /ColorSpace /DeviceCMYK /Interpolate true /Length 256>>\nstream\n" + string(inks.Pix) + "\nendstream",
	})
	out, err := Protector{}.Archive(in, platen.Archive{Profile: platen.ProfilePDFA2b})
	if err != nil {
		t.Fatal(err)
	}
	wantConforming(t, "cured", out, pdfa.Part2)
	page := rendertest.Tool(t, out, "qpdf", "--qdf", "--object-streams=disable", "FILE", "-")
	if strings.Contains(page, "JavaScript") || strings.Contains(page, "Launch") || strings.Contains(page, "DeviceCMYK") || !strings.Contains(page, "/DeviceRGB") {
		t.Errorf("got %s", page)
	}
	r, g, b := color.CMYKToRGB(40, 40, 40, 40)
	if want := string([]byte{r, g, b, r, g, b}); !strings.Contains(page, want) {
		t.Errorf("the picture lacks the colour % x", want)
	}
}

// JPEGs of four inks come as Adobe writes them, inverted, and with an entry that says so.
func TestAJPEGOfInksKeepsItsColours(t *testing.T) {
	t.Parallel()
	file := jpegOfInks(200, 90, 30, 240)
	read, err := jpeg.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	want := color.RGBAModel.Convert(read.At(1, 1)).(color.RGBA)
	content := "q 100 0 0 100 0 0 cm /I1 Do Q"
	size := read.Bounds()
	in := pdfOf([]string{
		`<</Type /Catalog /Pages 2 0 R>>`, `<</Type /Pages /Kids [3 0 R] /Count 1>>`,
		`<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Resources <</XObject <</I1 5 0 R>>>> /Contents 4 0 R>>`,
		"<</Length " + itoa(len(content)) + ">>\nstream\n" + content + "\nendstream",
		"<</Type /XObject /Subtype /Image /Width " + itoa(size.Dx()) + " /Height " + itoa(size.Dy()) + " /BitsPerComponent 8 /ColorSpace /DeviceCMYK /Decode [1 0 1 0 1 0 1 0] /Filter /DCTDecode /Length " + itoa(len(file)) + ">>\nstream\n" + string(file) + "\nendstream",
	})
	out, err := Protector{}.Archive(in, platen.Archive{Profile: platen.ProfilePDFA2b})
	if err != nil {
		t.Fatal(err)
	}
	wantConforming(t, "a picture", out, pdfa.Part2)
	at := bytes.Index(out, []byte("\xFF\xD8"))
	shown, err := jpeg.Decode(bytes.NewReader(out[at:]))
	if err != nil {
		t.Fatal(err)
	}
	got := color.RGBAModel.Convert(shown.At(1, 1)).(color.RGBA)
	near := func(a, b uint8) bool { return max(int(a)-int(b), int(b)-int(a)) < 12 }
	if !near(got.R, want.R) || !near(got.G, want.G) || !near(got.B, want.B) {
		t.Errorf("got the colour %v, want %v", got, want)
	}
}

// jpegOfInks is a picture of 8 × 8 pixels of one colour, with a marker of Adobe's for colours that
// are not converted (ISO 10918-1; Adobe Technical Note 5116).
func jpegOfInks(inks ...int) []byte {
	var plain bytes.Buffer
	_ = jpeg.Encode(&plain, image.NewGray(image.Rect(0, 0, 8, 8)), &jpeg.Options{Quality: 100}) // its tables serve
	from := bytes.Index(plain.Bytes(), []byte{0xFF, 0xC0})
	tables := plain.Bytes()[2:from]
	huffman := plain.Bytes()[from:]
	huffman = huffman[2+int(huffman[2])<<8+int(huffman[3]):]
	huffman = huffman[:bytes.Index(huffman, []byte{0xFF, 0xDA})]
	out := append([]byte{0xFF, 0xD8, 0xFF, 0xEE, 0, 14}, "Adobe\x00\x64\x00\x00\x00\x00\x00"...)
	out = append(append(out, tables...), 0xFF, 0xC0, 0, 20, 8, 0, 8, 0, 8, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0)
	out = append(append(out, huffman...), 0xFF, 0xDA, 0, 14, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0)
	codes := []string{"00", "010", "011", "100", "101", "110", "1110", "11110", "111110", "1111110", "11111110", "111111110"}
	bits := ""
	for _, v := range inks {
		dc := 8 * (v - 128)
		n := 0
		for m := max(dc, -dc); m > 0; m >>= 1 {
			n++
		}
		if dc < 0 {
			dc += 1<<n - 1
		}
		bits += codes[n]
		for i := n - 1; i >= 0; i-- {
			bits += itoa(dc >> i & 1)
		}
		bits += "1010"
	}
	for len(bits)%8 != 0 {
		bits += "1"
	}
	for i := 0; i < len(bits); i += 8 {
		v, _ := strconv.ParseUint(bits[i:i+8], 2, 8)
		if out = append(out, byte(v)); v == 0xFF {
			out = append(out, 0)
		}
	}
	return append(out, 0xFF, 0xD9)
}

func itoa(n int) string { return strconv.Itoa(n) }

func pdfOf(objects []string) []byte {
	out := []byte("%PDF-1.7\n")
	offsets := ""
	for i, o := range objects {
		offsets += fmt.Sprintf("%010d", len(out)) + " 00000 n \n"
		out = append(out, itoa(i+1)+" 0 obj\n"+o+"\nendobj\n"...)
	}
	at := len(out)
	return append(out, "xref\n0 "+itoa(len(objects)+1)+"\n0000000000 65535 f \n"+offsets+"trailer\n<</Size "+itoa(len(objects)+1)+" /Root 1 0 R>>\nstartxref\n"+itoa(at)+"\n%%EOF\n"...)
}
