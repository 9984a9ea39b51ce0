package protect

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/flow"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/slide"
)

// rendered is the PDF of an example, as our renderer writes it.
func rendered(t testing.TB, name string) (out []byte) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../examples", name))
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, ".pptx") {
		p, err := pml.ReadPresentation(data)
		if err != nil {
			t.Fatal(err)
		}
		out, _, err = slide.Presentation(pdf.EmbeddedFonts(), p, `Ada (1) \ 2`)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	d, err := wml.ReadDocument(data)
	if err != nil {
		t.Fatal(err)
	}
	out, _, err = flow.Document(pdf.EmbeddedFonts(), d, `Ada (1) \ 2`)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// objectsOf is every object of a PDF with its strings and streams, as qpdf reads them.
func objectsOf(t testing.TB, pdf []byte, password string) map[string]any {
	t.Helper()
	dir := t.TempDir()
	in, plain := filepath.Join(dir, "in.pdf"), filepath.Join(dir, "plain.pdf")
	if err := os.WriteFile(in, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command("qpdf", "--check", "--password="+password, in).CombinedOutput(); err != nil {
		t.Fatalf("qpdf: %v: %s", err, said)
	}
	if said, err := exec.Command("qpdf", "--decrypt", "--password="+password, "--stream-data=preserve", "--static-id", in, plain).CombinedOutput(); err != nil {
		t.Fatalf("qpdf: %v: %s", err, said)
	}
	said, err := exec.Command("qpdf", "--json=2", "--json-stream-data=inline", "--decode-level=none", plain).Output()
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		QPDF []map[string]any `json:"qpdf"`
	}
	if err := json.Unmarshal(said, &read); err != nil || len(read.QPDF) != 2 {
		t.Fatalf("read what qpdf says: %v", err)
	}
	objects := maps.Clone(read.QPDF[1])
	delete(objects, "trailer")
	return objects
}

func TestAPDFOfOurRendererIsEncryptedAsItStands(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"letter.docx", "invoice.docx", "qr-bill.docx", "offer.pptx"} {
		in := rendered(t, name)
		out, ok := encryptDirectly(random(32), in, []byte("pw"), copyingForbidden)
		if !ok {
			t.Errorf("%s: is left to the library", name)
			continue
		}
		want, got := objectsOf(t, in, ""), objectsOf(t, out, "pw")
		if len(want) < 10 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got other objects: %d, want %d", name, len(got), len(want))
		}
		if err := (Protector{}).Opens(out, "pw"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// small is a file in the frame of our renderer's, with these objects behind "n 0 obj\n".
func small(objects ...string) []byte {
	var b bytes.Buffer
	b.Write(directHead)
	var table strings.Builder
	for i, o := range objects {
		at := strconv.Itoa(b.Len())
		table.WriteString(strings.Repeat("0", 10-len(at)) + at + " 00000 n \n")
		b.WriteString(strconv.Itoa(i+1) + " 0 obj\n" + o)
	}
	at, size, id := strconv.Itoa(b.Len()), strconv.Itoa(len(objects)+1), strings.Repeat("0f", 16)
	b.WriteString("xref\n0 " + size + "\n0000000000 65535 f \n" + table.String() +
		"trailer\n<</Size " + size + " /Root 1 0 R /ID [<" + id + "><" + id + ">]>>\nstartxref\n" + at + "\n%%EOF\n")
	return b.Bytes()
}

func TestWhatOurRendererDoesNotWriteIsLeftToTheLibrary(t *testing.T) {
	t.Parallel()
	const end = "endobj\n\n"
	good := []string{"<</Type /Catalog /Pages 2 0 R>>\n" + end, "<</Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 9 9]>>\n" + end,
		"<</Type /Page /Parent 2 0 R /Contents 4 0 R /A (a\\(b\\)(c)\\\\) /B <0A>>>\n" + end, "<</Length 3>>\nstream\nq Q\nendstream\n" + end}
	with := func(last string) []byte { return small(append(good[:3:3], last)...) }
	if out, ok := encryptDirectly(random(32), small(good...), []byte("pw"), everythingAllowed); !ok {
		t.Fatal("the file without a fault is left to the library")
	} else if got, want := objectsOf(t, out, "pw"), objectsOf(t, small(good...), ""); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	whole := small(good...)
	for what, in := range map[string][]byte{
		"another head":            bytes.Replace(whole, []byte("1.7"), []byte("1.4"), 1),
		"bytes behind its end":    append(bytes.Clone(whole), '\n'),
		"bytes before an object":  bytes.Replace(whole, []byte("1 0 obj"), []byte(" 1 0 obj"), 1),
		"an update":               append(bytes.Clone(whole), whole[len(directHead):]...),
		"an earlier table":        bytes.Replace(whole, []byte("/Root"), []byte("/Prev 9 /Root"), 1),
		"a length elsewhere":      with("<</Length 5 0 R>>\nstream\nq Q\nendstream\n" + end),
		"a length too large":      with("<</Length 99>>\nstream\nq Q\nendstream\n" + end),
		"a length too small":      with("<</Length 2>>\nstream\nq Q\nendstream\n" + end),
		"no length":               with("<<>>\nstream\nq Q\nendstream\n" + end),
		"two lengths":             with("<</Length 3 /Length 3>>\nstream\nq Q\nendstream\n" + end),
		"a length without stream": with("<</Length 3>>\n" + end),
		"a comment":               with("<</Length 3>> % 3\nstream\nq Q\nendstream\n" + end),
		"an octal number":         with("<</A (\\101)>>\n" + end),
		"a string over two lines": with("<</A (a\nb)>>\n" + end),
		"a string without an end": with("<</A (a>>\n" + end),
		"odd digits":              with("<</A <0>>>\n" + end),
		"objects in a stream":     with("<</Type /ObjStm /Length 3>>\nstream\nq Q\nendstream\n" + end),
		"a signature":             with("<</Type /Sig /Contents <00>>>\n" + end),
	} {
		if _, ok := encryptDirectly(random(32), in, []byte("pw"), everythingAllowed); ok {
			t.Errorf("%s: is not left to the library", what)
		}
	}
}

func BenchmarkProtectDirectly(b *testing.B) {
	in := rendered(b, "letter.docx")
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := encryptDirectly(random(32), in, []byte("van Dyke"), everythingAllowed); !ok {
			b.Fatal("is left to the library")
		}
	}
}
