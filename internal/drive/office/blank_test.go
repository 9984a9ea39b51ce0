package office

import (
	"bytes"
	"testing"
)

func TestBlankFilesAreValidAndTheSameEachTime(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func() ([]byte, error){"document": NewDocument, "presentation": NewPresentation} {
		first, err := build()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again, _ := build(); !bytes.Equal(first, again) {
			t.Errorf("%s differs from one call to the next", name)
		}
		p := mustRead(t, first)
		for _, part := range p.parts {
			if _, err := p.XML(part.name); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if p.ContentType(part.name) == "" {
				t.Errorf("%s: %s has no content type", name, part.name)
			}
			for _, r := range p.Relationships(part.name) {
				if !p.Has(r.Target) {
					t.Errorf("%s: %s points at %s, which is missing", name, part.name, r.Target)
				}
			}
		}
	}
}
