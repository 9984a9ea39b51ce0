package layout

import (
	"os"
	"testing"

	"github.com/platenhq/platen/internal/drive/office"
)

// BenchmarkDocument measures one .docx from bytes to PDF; PLATEN_BENCH_DOCX
// names another file than the built-in page of text and a table.
func BenchmarkDocument(b *testing.B) {
	data := sampleDocument(b)
	if name := os.Getenv("PLATEN_BENCH_DOCX"); name != "" {
		var err error
		if data, err = os.ReadFile(name); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		d, err := office.ReadDocument(data)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := Document(Fonts(), d, "benchmark"); err != nil {
			b.Fatal(err)
		}
	}
}
