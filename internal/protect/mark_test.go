package protect_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/protect"
)

func TestAMarkStandsOnThePageBesideItsText(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			marked, err := protect.Protector{}.Mark(page(t, "Invoice 7"), "SAMPLE")
			if err != nil {
				t.Error(err)
				return
			}
			name := store(t, marked)
			if said, err := run(t, "qpdf", "--check", name); err != nil {
				t.Errorf("qpdf: %v, %s", err, said)
			}
			if text, err := run(t, "pdftotext", name, "-"); err != nil || !strings.Contains(text, "Invoice 7") || !strings.Contains(strings.Join(strings.Fields(text), ""), "SAMPLE") {
				t.Errorf("text: got %q, %v", text, err)
			}
		})
	}
	all.Wait()
}

func TestWhatIsNoPDFIsNotMarked(t *testing.T) {
	t.Parallel()
	for _, broken := range []string{"", "%PDF-1.7", "no PDF"} {
		if _, err := (protect.Protector{}).Mark([]byte(broken), "SAMPLE"); platen.KindOf(err) != platen.KindInvalid {
			t.Errorf("%q: got %v, want KindInvalid", broken, err)
		}
	}
}

func BenchmarkMark(b *testing.B) {
	pdf := page(b, "Invoice 7")
	for b.Loop() {
		if _, err := (protect.Protector{}).Mark(pdf, "SAMPLE"); err != nil {
			b.Fatal(err)
		}
	}
}
