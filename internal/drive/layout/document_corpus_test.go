package layout

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/platenhq/platen/internal/drive/office"
)

// TestDocumentCorpus lays out every .docx of a folder and writes the PDFs into
// another, for measuring against an office suite's.
func TestDocumentCorpus(t *testing.T) {
	from, to := os.Getenv("PLATEN_CORPUS_DOCX"), os.Getenv("PLATEN_CORPUS_OUT")
	if from == "" || to == "" {
		t.Skip("PLATEN_CORPUS_DOCX and PLATEN_CORPUS_OUT name the folders")
	}
	files, err := filepath.Glob(filepath.Join(from, "*.docx"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		d, err := office.ReadDocument(data)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(name), err)
			continue
		}
		read := time.Since(began)
		pdf, findings, err := Document(d, filepath.Base(name))
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(name), err)
			continue
		}
		t.Logf("%-60s read %6.1f ms, laid out %6.1f ms, %v", filepath.Base(name), read.Seconds()*1e3, (time.Since(began)-read).Seconds()*1e3, findings)
		if err := os.WriteFile(filepath.Join(to, filepath.Base(name)+".pdf"), pdf, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
