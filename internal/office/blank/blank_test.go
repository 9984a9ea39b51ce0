package blank

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/platenhq/platen/internal/office/opc"
)

func TestBlankFilesAreValidAndTheSameEachTime(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func() ([]byte, error){"document": Document, "presentation": Presentation} {
		first, err := build()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again, _ := build(); !bytes.Equal(first, again) {
			t.Errorf("%s differs from one call to the next", name)
		}
		p, err := opc.ReadPackage(first)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		entries, err := zip.NewReader(bytes.NewReader(first), int64(len(first)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, part := range entries.File {
			if _, err := p.XML(part.Name); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if part.Name != "[Content_Types].xml" && p.ContentType(part.Name) == "" {
				t.Errorf("%s: %s has no content type", name, part.Name)
			}
			for _, r := range p.Relationships(part.Name) {
				if !p.Has(r.Target) {
					t.Errorf("%s: %s points at %s, which is missing", name, part.Name, r.Target)
				}
			}
		}
	}
}
