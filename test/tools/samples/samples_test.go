package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/flow"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/slide"
)

// written writes the samples and reads them back, by their path.
func written(t *testing.T) map[string][]byte {
	t.Helper()
	folder := t.TempDir()
	if err := write(folder); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, pattern := range []string{"docx/*.docx", "pptx/*.pptx"} {
		names, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: got %v, %v, want files", pattern, names, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.Base(name)] = data
		}
	}
	return files
}

func TestSamplesAreFortyDocumentsAndTenDecks(t *testing.T) {
	t.Parallel()
	documents, decks := 0, 0
	for name := range written(t) {
		if filepath.Ext(name) == ".pptx" {
			decks++
		} else {
			documents++
		}
	}
	if documents < 40 || decks < 10 {
		t.Errorf("got %d documents and %d decks, want at least 40 and 10", documents, decks)
	}
}

func TestTheSameCallWritesTheSameBytes(t *testing.T) {
	t.Parallel()
	first, second := written(t), written(t)
	for name, data := range first {
		if !slices.Equal(data, second[name]) {
			t.Errorf("%s: the second file differs from the first", name)
		}
	}
}

func TestSamplesAreDrawnWithoutLoss(t *testing.T) {
	t.Parallel()
	for name, data := range written(t) {
		findings, err := findingsOf(name, data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, f := range findings {
			t.Errorf("%s: got the finding %+v, want none", name, f)
		}
	}
}

func findingsOf(name string, data []byte) ([]render.Finding, error) {
	if filepath.Ext(name) == ".pptx" {
		p, err := pml.ReadPresentation(data)
		if err != nil {
			return nil, err
		}
		_, findings, err := slide.Presentation(pdf.EmbeddedFonts(), p, name)
		return findings, err
	}
	d, err := wml.ReadDocument(data)
	if err != nil {
		return nil, err
	}
	_, findings, err := flow.Document(pdf.EmbeddedFonts(), d, name)
	return findings, err
}
