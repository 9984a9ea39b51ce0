package wml

import (
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/office/opc"
)

func TestRowsBeyondTheLimitOfNestingAreTold(t *testing.T) {
	t.Parallel()
	nested := func(n int) *Document {
		row := `<w:tr><w:tc><w:p/></w:tc></w:tr>`
		return docx{body: `<w:tbl>` + row + strings.Repeat(`<w:customXml>`, n) + row + strings.Repeat(`</w:customXml>`, n) + `</w:tbl>`}.read(t)
	}
	for n, want := range map[int]int{opc.MaxNesting: 2, opc.MaxNesting + 1: 1} {
		d := nested(n)
		if got := len(firstTable(t, d).Rows); got != want {
			t.Errorf("%d deep: got %d rows, want %d", n, got, want)
		}
		if d.IsTruncated != (want == 1) {
			t.Errorf("%d deep: told as left out: got %t", n, d.IsTruncated)
		}
	}
}
