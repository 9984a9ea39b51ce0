package edit

import (
	"errors"
	"testing"

	"github.com/platenhq/platen/internal/office/blank"
	"github.com/platenhq/platen/internal/office/officetest"
	"github.com/platenhq/platen/internal/office/opc"
)

func FuzzReplaceTextInPackage(f *testing.F) {
	f.Add(officetest.Zip(f, officetest.WordParts(`<w:p><w:r><w:t>{{A}}</w:t></w:r></w:p>`, map[string]string{"header1": `<w:p/>`})))
	for _, build := range []func() ([]byte, error){blank.Document, blank.Presentation} {
		data, err := build()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := opc.ReadPackage(data)
		if err != nil {
			var fault *opc.FormatError
			if !errors.As(err, &fault) {
				t.Fatalf("got %v, want a FormatError", err)
			}
			return
		}
		if _, err := ReplaceText(p, "a", "b\n\tc", false); err != nil {
			return
		}
		out, err := p.Bytes()
		if err != nil {
			return
		}
		if _, err := opc.ReadPackage(out); err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
	})
}
