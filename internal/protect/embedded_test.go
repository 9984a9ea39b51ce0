package protect_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"testing"

	"github.com/platenhq/platen/internal/protect"
)

// withFiles is a PDF whose tree of embedded files has a node of its own, and whose entries
// lack what readers do not need.
func withFiles(tree string) []byte {
	return written(
		`<</Type /Catalog /Pages 2 0 R /Names <</EmbeddedFiles 4 0 R>>>>`,
		`<</Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 595 842]>>`,
		`<</Type /Page /Parent 2 0 R>>`,
		tree,
		`<</Names [(other.xml) 6 0 R (invoice) 7 0 R]>>`,
		`<</F (other.xml) /EF <</F 8 0 R>>>>`,
		`<</F (Factur-X.xml) /UF (Factur-X.xml) /EF <</F 9 0 R>>>>`,
		stream("", "other"),
		stream("/Type /EmbeddedFile", "invoice"),
	)
}

func TestAnEmbeddedFileIsFoundByItsName(t *testing.T) {
	t.Parallel()
	for name, pdf := range map[string][]byte{
		"a tree":   withFiles(`<</Kids [5 0 R]>>`),
		"a circle": withFiles(`<</Kids [4 0 R 5 0 R 4 0 R]>>`),
	} {
		for _, wanted := range [][]string{{"zugferd-invoice.xml", "factur-x.xml"}, {"invoice", "other.xml"}} {
			if got, err := protect.Embedded(pdf, wanted...); err != nil || string(got) != "invoice" {
				t.Errorf("%s, %v: got %q, %v; want the file", name, wanted, got, err)
			}
		}
		if _, err := protect.Embedded(pdf, "xrechnung.xml"); !errors.Is(err, protect.ErrNothingEmbedded) {
			t.Errorf("%s without the file: got %v", name, err)
		}
	}
}

func TestAPDFThatCannotBeReadIsNoneWithoutFiles(t *testing.T) {
	t.Parallel()
	for name, pdf := range map[string][]byte{"nothing": nil, "a beginning": []byte("%PDF-1.7\nnothing"), "another file": []byte("<xml/>")} {
		if _, err := protect.Embedded(pdf, "factur-x.xml"); err == nil || errors.Is(err, protect.ErrNothingEmbedded) {
			t.Errorf("%s: got %v, want why it cannot be read", name, err)
		}
	}
}

// Anybody may have made the PDF: a file of few bytes that unpacks to many is not unpacked.
func TestAnEmbeddedFileIsUnpackedUpToALimit(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(make([]byte, 65<<20))
	_ = z.Close()
	pdf := written(
		`<</Type /Catalog /Pages 2 0 R /Names <</EmbeddedFiles <</Names [(factur-x.xml) 4 0 R]>>>>>>`,
		`<</Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 595 842]>>`,
		`<</Type /Page /Parent 2 0 R>>`,
		`<</F (factur-x.xml) /EF <</F 5 0 R>>>>`,
		stream("/Type /EmbeddedFile /Filter /FlateDecode", packed.String()),
	)
	if got, err := protect.Embedded(pdf, "factur-x.xml"); err == nil || errors.Is(err, protect.ErrNothingEmbedded) {
		t.Errorf("got %d bytes, %v; want it to be refused", len(got), err)
	}
}
