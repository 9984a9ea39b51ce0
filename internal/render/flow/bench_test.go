package flow

import (
	"os"
	"testing"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/rendertest"
)

// BenchmarkDocument measures one .docx from bytes to PDF; PLATEN_BENCH_DOCX
// names another file than the built-in page of text and a table.
func BenchmarkDocument(b *testing.B) {
	data := rendertest.SampleDocument(b)
	if name := os.Getenv("PLATEN_BENCH_DOCX"); name != "" {
		var err error
		if data, err = os.ReadFile(name); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		d, err := wml.ReadDocument(data)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := Document(pdf.EmbeddedFonts(), d, "benchmark"); err != nil {
			b.Fatal(err)
		}
	}
}
