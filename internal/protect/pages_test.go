package protect_test

import (
	"testing"

	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/protect"
)

func TestPagesOfAPDFAreCounted(t *testing.T) {
	t.Parallel()
	one := page(t, "Invoice 7")
	two, _, err := (protect.Protector{}).Append(one, []platen.AppendedPDF{{Name: "Terms.pdf", Content: one}})
	if err != nil {
		t.Fatal(err)
	}
	for want, pdf := range map[int][]byte{1: one, 2: two, 0: []byte("%PDF-1.7 cut off")} {
		if got := (protect.Protector{}).Pages(pdf); got != want {
			t.Errorf("got %d pages, want %d", got, want)
		}
	}
}

func BenchmarkPages(b *testing.B) {
	pdf := page(b, "Invoice 7")
	for b.Loop() {
		if (protect.Protector{}).Pages(pdf) != 1 {
			b.Fatal("want a page")
		}
	}
}
