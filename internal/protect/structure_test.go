package protect

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// What is done with a PDF leaves those who cannot see its pages as much as before.
func TestTheStructureOfAPDFStaysWhole(t *testing.T) {
	t.Parallel()
	const password = "van Dyke"
	for _, name := range []string{"invoice.docx", "offer.pptx"} {
		in := rendered(t, name)
		want := rendertest.Structure(t, in)
		if !strings.Contains(want, "Table(TR(") || strings.Count(want, "P(") < 5 {
			t.Fatalf("%s has the structure %s", name, want)
		}
		for what, do := range map[string]func() ([]byte, error){
			"marked": func() ([]byte, error) { return Protector{}.Mark(in, "SAMPLE") },
			"with a PDF of another": func() ([]byte, error) {
				out, _, err := Protector{}.Append(in, []platen.AppendedPDF{{Name: "a.pdf", Content: blankPage()}})
				return out, err
			},
			"with one that has structure": func() ([]byte, error) {
				out, _, err := Protector{}.Append(in, []platen.AppendedPDF{{Name: "a.pdf", Content: rendered(t, "letter.docx")}})
				return out, err
			},
			"encrypted": func() ([]byte, error) { return decrypted(t, in, password) },
			"marked and encrypted": func() ([]byte, error) {
				marked, err := Protector{}.Mark(in, "SAMPLE")
				if err != nil {
					return nil, err
				}
				return decrypted(t, marked, password)
			},
		} {
			out, err := do()
			if err != nil {
				t.Errorf("%s, %s: %v", name, what, err)
				continue
			}
			if got := rendertest.Structure(t, out); got != want {
				t.Errorf("%s, %s: got the structure\n  %s\nwant\n  %s", name, what, got, want)
			}
			rendertest.Tool(t, out, "qpdf", "--check", "FILE")
		}
	}
}

// decrypted encrypts a PDF, and has qpdf undo it.
func decrypted(t *testing.T, pdf []byte, password string) ([]byte, error) {
	t.Helper()
	out, err := Protector{}.Protect(pdf, password, true)
	if err != nil {
		return nil, err
	}
	return []byte(rendertest.Tool(t, out, "qpdf", "--decrypt", "--password="+password, "FILE", "-")), nil
}
