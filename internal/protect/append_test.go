package protect_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/protect"
)

// written is a PDF of objects, the catalog first.
func written(objects ...string) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.5\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	at := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&out, "trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, at)
	return out.Bytes()
}

func stream(entries, content string) string {
	return fmt.Sprintf("<<%s /Length %d>>\nstream\n%s\nendstream", entries, len(content), content)
}

// sheets is a PDF of two pages that say their names. The first and a bookmark lead to the
// second by the name "next". A layer is off, and there is a form.
func sheets(name string) []byte {
	says := func(text string) string { return stream("", "BT /F 20 Tf 50 700 Td ("+text+") Tj ET") }
	return written(
		`<</Type /Catalog /Pages 2 0 R /Dests 8 0 R /Outlines 9 0 R /AcroForm <</Fields [12 0 R 14 0 R] /SigFlags 3 /DA (/F 12 Tf)>> /OCProperties <</OCGs [15 0 R] /D <</OFF [15 0 R] /Order [15 0 R]>>>>>>`,
		`<</Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 595 842] /Resources <</Font <</F 7 0 R>> /Properties <</L 15 0 R>>>>>>`,
		`<</Type /Page /Parent 2 0 R /Contents 5 0 R /StructParents 0 /Annots [11 0 R 12 0 R 14 0 R]>>`,
		`<</Type /Page /Parent 2 0 R /Contents 6 0 R /StructParents 1>>`,
		says(name+" one"), stream("", "BT /F 20 Tf 50 700 Td ("+name+" two) Tj ET /OC /L BDC BT /F 20 Tf 50 600 Td (hidden) Tj ET EMC"),
		`<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>`,
		`<</next [4 0 R /Fit]>>`,
		`<</Type /Outlines /First 10 0 R /Last 10 0 R /Count 1>>`,
		`<</Title (Second of `+name+`) /Parent 9 0 R /Dest /next>>`,
		`<</Type /Annot /Subtype /Link /Rect [50 690 300 720] /Dest /next /StructParent 2>>`,
		`<</Type /Annot /Subtype /Widget /FT /Tx /DA (/F 12 Tf) /T (name) /V (Ada) /Rect [50 500 300 530] /F 4 /AP <</N 13 0 R>> /P 3 0 R>>`,
		stream("/Type /XObject /Subtype /Form /BBox [0 0 250 30] /Resources <</Font <</F 7 0 R>>>>", "BT /F 20 Tf 5 5 Td (typed by "+name+") Tj ET"),
		`<</Type /Annot /Subtype /Widget /FT /Sig /T (sign) /Rect [50 400 300 430] /F 4 /P 3 0 R>>`,
		`<</Type /OCG /Name (Draft)>>`,
	)
}

func TestAppendedPagesComeInOrderAndKeepLinksBookmarksAndLayers(t *testing.T) {
	t.Parallel()
	out, findings, err := protect.Protector{}.Append(sheets("Offer"), []platen.AppendedPDF{{Name: "Terms.pdf", Content: sheets("Terms")}, {Name: "Plan.pdf", Content: page(t, "Plan one")}})
	if err != nil {
		t.Fatal(err)
	}
	if len(findings) != 1 || findings[0].Code != platen.CodeAppendixForm || !strings.Contains(findings[0].Message, `"Terms.pdf"`) {
		t.Errorf("findings: got %+v, want one about the form of Terms.pdf", findings)
	}
	name := store(t, out)
	if said, err := run(t, "qpdf", "--check", name); err != nil {
		t.Errorf("qpdf: %v, %s", err, said)
	}
	if text, _ := run(t, "pdftotext", name, "-"); strings.Join(strings.Fields(text), " ") != "Offer one typed by Offer Offer two Terms one typed by Terms Terms two Plan one" {
		t.Errorf("pages: got %q, without what layers hide", text)
	}
	bookmarks, err := run(t, "mutool", "show", name, "outline")
	if want := regexp.MustCompile(`(?s)Second of Offer.*#page=2.*Second of Terms.*#page=4`); err != nil || !want.MatchString(bookmarks) {
		t.Errorf("bookmarks: got %v, %s", err, bookmarks)
	}
	links, err := run(t, "pdftohtml", "-xml", "-stdout", "-i", name)
	if found := regexp.MustCompile(`href="[^"#]*#(\d)"`).FindAllStringSubmatch(links, -1); err != nil || len(found) != 2 || found[0][1] != "2" || found[1][1] != "4" {
		t.Errorf("links: got %v of %s, %v; want to the pages 2 and 4", found, links, err)
	}
	shown, err := run(t, "mutool", "draw", "-F", "txt", name, "3")
	if err != nil || !strings.Contains(shown, "typed by Terms") {
		t.Errorf("the field of the appended form: got %v, %s", err, shown)
	}
	if object, err := run(t, "qpdf", "--qdf", "--object-streams=disable", name, "-"); err != nil || strings.Count(object, "/FT /Tx") != 1 || strings.Count(object, "/StructParents") != 2 {
		t.Errorf("got %v, %d fields and %d places in a structure, want those of the first PDF alone", err, strings.Count(object, "/FT /Tx"), strings.Count(object, "/StructParents"))
	}
}

// As other programs write them: for the web, compressed, of another version.
func TestPDFsOfOtherProgramsAreAppended(t *testing.T) {
	t.Parallel()
	for name, how := range map[string][]string{
		"linearized": {"--linearize"}, "compressed": {"--object-streams=generate"}, "of version 2.0": {"--force-version=2.0"}, "of version 1.3": {"--force-version=1.3"},
	} {
		written := map[string][]byte{}
		for _, text := range []string{"Offer", "Terms"} {
			out := filepath.Join(t.TempDir(), "out.pdf")
			if said, err := run(t, "qpdf", append(how, store(t, sheets(text)), out)...); err != nil {
				t.Fatalf("qpdf: %v, %s", err, said)
			}
			content, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			written[text] = content
		}
		for base, pdf := range map[string][]byte{"such a PDF": written["Offer"], "another": page(t, "Offer")} {
			joined, _, err := protect.Protector{}.Append(pdf, []platen.AppendedPDF{{Name: "Terms.pdf", Content: written["Terms"]}})
			if err != nil {
				t.Errorf("%s, behind %s: %v", name, base, err)
				continue
			}
			path := store(t, joined)
			if said, err := run(t, "qpdf", "--check", path); err != nil {
				t.Errorf("%s, behind %s: %v, %s", name, base, err, said)
			}
			if text, err := run(t, "pdftotext", path, "-"); err != nil || !strings.Contains(text, "Offer") || !strings.Contains(text, "Terms two") {
				t.Errorf("%s, behind %s: got %q, %v", name, base, text, err)
			}
			if _, err := (protect.Protector{}).Mark(joined, "TEST"); err != nil {
				t.Errorf("%s, behind %s: it cannot be marked: %v", name, base, err)
			}
		}
	}
}

// What readers pass over in silence is no damage: entries of the document as a whole, which
// mean nothing behind another, in values and versions that they should not have; and a field
// that does not say it is an annotation of that kind.
func TestPDFsThatEveryReaderOpensAreAppended(t *testing.T) {
	t.Parallel()
	catalog := "1 0 obj\n<<"
	for _, entry := range []string{
		"/ViewerPreferences <</Duplex /DuplexFlipLongEdge>>", "/ViewerPreferences <</Duplex /Sideways /PrintScaling /Big>>", "/ViewerPreferences 7",
		"/PageMode /UseThumb", "/PageLayout /Wide", "/Lang 5", "/MarkInfo <</Marked 1>>", "/OutputIntents 3", "/PieceInfo 3", "/Perms 3", "/Metadata 3",
	} {
		content := bytes.Replace(bytes.Replace(sheets("Terms"), []byte(catalog), []byte(catalog+entry+" "), 1), []byte("%PDF-1.5"), []byte("%PDF-1.2"), 1)
		joined, _, err := protect.Protector{}.Append(page(t, "Offer"), []platen.AppendedPDF{{Name: "Terms.pdf", Content: content}})
		if err != nil {
			t.Errorf("%s: %v", entry, err)
			continue
		}
		if text, err := run(t, "pdftotext", store(t, joined), "-"); err != nil || !strings.Contains(text, "Terms two") {
			t.Errorf("%s: got %q, %v", entry, text, err)
		}
	}
	for _, without := range []string{"", "/FT /Tx"} {
		content := strings.Replace(string(sheets("Terms")), "/Subtype /Widget", strings.Repeat(" ", len("/Subtype /Widget")), 1)
		if without != "" {
			content = strings.Replace(content, without, strings.Repeat(" ", len(without)), 1)
		}
		if _, _, err := (protect.Protector{}).Append(page(t, "Offer"), []platen.AppendedPDF{{Name: "Terms.pdf", Content: []byte(content)}}); err != nil {
			t.Errorf("a field without Subtype, and without %q: %v", without, err)
		}
	}
}

// Notes and drawings in a PDF may lack what the standard asks of them, or have it in values
// of their own: readers show the page, and draw a note as its looks say. A redaction needs no
// text style where it has no text (ISO 32000-1, table 192), and some programs give none to
// texts that stand on a page either.
func TestPDFsWithOddNotesAreAppended(t *testing.T) {
	t.Parallel()
	link := "/Subtype /Link /Rect [50 690 300 720] /Dest /next /StructParent 2"
	for _, note := range []string{
		"/Subtype /FreeText /Contents (note)", "/Subtype /Redact",
		"/Subtype /FreeText /DA (/Helv 12 Tf) /Q 7 /AP <</N 13 0 R>>", "/Subtype /Square /RD [1 1 1] /AP <</N 13 0 R>>",
		"/Subtype /Highlight /QuadPoints [1 2 3 4] /AP <</N 13 0 R>>", "/Subtype /Text /CreationDate (2026-11-28) /F 4.5 /AP <</N <</On 13 0 R>>>> /AS /On",
		"/Subtype /Line /NM /name /Contents /name /AP <</N 13 0 R>>",
	} {
		if !bytes.Contains(sheets("Terms"), []byte(link)) {
			t.Fatal("the file of the test has no such link")
		}
		content := bytes.Replace(sheets("Terms"), []byte(link), []byte(note+" /Rect [50 690 300 720]"), 1)
		joined, _, err := protect.Protector{}.Append(page(t, "Offer"), []platen.AppendedPDF{{Name: "Terms.pdf", Content: content}})
		if err != nil {
			t.Errorf("%s: %v", note, err)
			continue
		}
		want := 1 // the field has the same looks
		if strings.Contains(note, "/AP") {
			want = 2
		}
		path := store(t, joined)
		if text, err := run(t, "mutool", "draw", "-F", "txt", path); err != nil || !strings.Contains(text, "Terms two") || strings.Count(text, "typed by Terms") != want {
			t.Errorf("%s: got %q, %v; want %d times what is typed", note, text, err, want)
		}
		if _, err := (protect.Protector{}).Mark(joined, "TEST"); err != nil {
			t.Errorf("%s: it cannot be marked: %v", note, err)
		}
	}
}

// A form that asks its reader to draw it (NeedAppearances) has looks that show nothing, of
// before it was filled in.
func TestAFieldWithLooksThatShowNothingIsToldOf(t *testing.T) {
	t.Parallel()
	found, err := protect.Protector{}.CheckAppendix(platen.AppendedPDF{Name: "Terms.pdf", Content: bytes.ReplaceAll(sheets("Terms"), []byte(" Tj ET"), []byte("    ET"))}, "")
	if err != nil || len(found) != 1 || !strings.Contains(found[0].Message, "1 of its fields are filled in") {
		t.Errorf("got %+v, %v; want it told of", found, err)
	}
}

// Some programs leave it to the reader to draw what is filled in.
func TestAFieldWithoutLooksIsToldOf(t *testing.T) {
	t.Parallel()
	drawn := string(sheets("Terms"))
	undrawn := strings.Replace(drawn, "/AP <</N 13 0 R>>", strings.Repeat(" ", len("/AP <</N 13 0 R>>")), 1)
	for content, want := range map[string]bool{drawn: false, undrawn: true, strings.Replace(undrawn, "/V (Ada)", "/V ()   ", 1): false} {
		found, err := protect.Protector{}.CheckAppendix(platen.AppendedPDF{Name: "Terms.pdf", Content: []byte(content)}, "")
		if err != nil || len(found) != 1 || strings.Contains(found[0].Message, "1 of its fields are filled in") != want {
			t.Errorf("got %+v, %v; want it told of %t", found, err, want)
		}
	}
}

func TestAPDFWithAppendixIsEncryptedAsAWhole(t *testing.T) {
	t.Parallel()
	joined, _, err := protect.Protector{}.Append(page(t, "Offer"), []platen.AppendedPDF{{Name: "Terms.pdf", Content: sheets("Terms")}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := protect.Protector{}.Protect(joined, "abc", false)
	if err != nil {
		t.Fatal(err)
	}
	name := store(t, out)
	if _, err := run(t, "pdftotext", name, "-"); err == nil {
		t.Error("it opens without the password")
	}
	if text, err := run(t, "pdftotext", "-upw", "abc", name, "-"); err != nil || !strings.Contains(text, "Terms two") {
		t.Errorf("got %q, %v", text, err)
	}
	if said, err := run(t, "qpdf", "--check", "--password=abc", name); err != nil {
		t.Errorf("qpdf: %v, %s", err, said)
	}
}

func TestWhatCannotBeAppendedIsNamedWithItsCure(t *testing.T) {
	t.Parallel()
	locked, err := protect.Protector{}.Protect(page(t, "x"), "abc", false)
	if err != nil {
		t.Fatal(err)
	}
	whole := sheets("Terms")
	for name, c := range map[string]struct {
		content []byte
		code    string
	}{
		"with a password":               {locked, platen.CodeAppendixEncrypted},
		"with a password for its owner": {ownerLocked(t), platen.CodeAppendixEncrypted},
		"no PDF":                        {[]byte("Dear Ada"), platen.CodeAppendixDamaged},
		"empty":                         {nil, platen.CodeAppendixDamaged},
		"cut off":                       {whole[:300], platen.CodeAppendixDamaged},
		"a page of nothing":             {written(`<</Type /Catalog /Pages 2 0 R>>`, `<</Type /Pages /Kids [9 0 R] /Count 1>>`), platen.CodeAppendixDamaged},
		"pages that are none":           {bytes.Replace(whole, []byte("/Type /Pages"), []byte("/Type /Pagas"), 1), platen.CodeAppendixDamaged},
		"too many pages":                {pages(platen.MaxAppendedPages), platen.CodeAppendixTooLarge},
		"too large":                     {make([]byte, platen.MaxAppendedSize), platen.CodeAppendixTooLarge},
	} {
		part := platen.AppendedPDF{Name: "Terms.pdf", Content: c.content}
		_, _, err := protect.Protector{}.Append(page(t, "Offer"), []platen.AppendedPDF{part})
		e, ok := err.(*platen.Error)
		if !ok || e.Code != c.code || e.Kind != platen.KindInvalid || !strings.Contains(e.Message, `"Terms.pdf"`) {
			t.Errorf("%s: got %v, want %s of Terms.pdf", name, err, c.code)
		}
		if _, err := (protect.Protector{}).CheckAppendix(part, ""); c.code != platen.CodeAppendixTooLarge && platen.KindOf(err) != platen.KindInvalid {
			t.Errorf("%s: a check got %v", name, err)
		}
	}
}

// pages is a PDF of so many empty pages.
func pages(n int) []byte {
	kids := strings.Repeat("3 0 R ", n)
	return written(`<</Type /Catalog /Pages 2 0 R>>`, fmt.Sprintf(`<</Type /Pages /Kids [%s] /Count %d>>`, kids, n), `<</Type /Page /Parent 2 0 R /MediaBox [0 0 100 100]>>`)
}

func ownerLocked(t *testing.T) []byte {
	t.Helper()
	in, out := store(t, page(t, "x")), filepath.Join(t.TempDir(), "locked.pdf")
	if said, err := run(t, "qpdf", "--encrypt", "", "owner", "256", "--print=none", "--", in, out); err != nil {
		t.Fatalf("qpdf: %v, %s", err, said)
	}
	content, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// An object stream of a few kilobytes that unpacks to more than is read.
func TestAPDFThatUnpacksToTooMuchIsRefused(t *testing.T) {
	t.Parallel()
	in, out := store(t, written(`<</Type /Catalog /Pages 2 0 R /Note 4 0 R>>`, `<</Type /Pages /Kids [3 0 R] /Count 1>>`, `<</Type /Page /Parent 2 0 R /MediaBox [0 0 100 100]>>`,
		"<</A ("+strings.Repeat("x", 80<<20)+")>>")), filepath.Join(t.TempDir(), "small.pdf")
	if said, err := run(t, "qpdf", "--object-streams=generate", in, out); err != nil {
		t.Fatalf("qpdf: %v, %s", err, said)
	}
	small, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if len(small) > 1<<20 {
		t.Fatalf("got a file of %d bytes, want a small one", len(small))
	}
	if _, err := (protect.Protector{}).CheckAppendix(platen.AppendedPDF{Name: "Bomb.pdf", Content: small}, ""); platen.KindOf(err) != platen.KindInvalid {
		t.Errorf("got %v, want KindInvalid", err)
	}
}

func BenchmarkAppend(b *testing.B) {
	many := pages(platen.MaxAppendedPages - 1)
	scan := written(`<</Type /Catalog /Pages 2 0 R>>`, `<</Type /Pages /Kids [3 0 R] /Count 1>>`, `<</Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R>>`,
		stream("", "% "+strings.Repeat("x", 6<<20)))
	for name, parts := range map[string][][]byte{"two pages": {sheets("Terms")}, "999 pages": {many}, "five scans of 6 MiB": {scan, scan, scan, scan, scan}} {
		b.Run(name, func(b *testing.B) {
			pdf, all := page(b, "Offer"), []platen.AppendedPDF{}
			for _, part := range parts {
				all = append(all, platen.AppendedPDF{Name: "Part.pdf", Content: part})
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := (protect.Protector{}).Append(pdf, all); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
