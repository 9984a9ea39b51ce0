package lang_test

import (
	"testing"

	"github.com/platenhq/platen/internal/template/lang"
)

func TestFieldsAreNamedUpToALimit(t *testing.T) {
	t.Parallel()
	names := []string{"Name", `Size "L"`, "Total"}
	for most, want := range map[int]string{1: `"Name" and 2 more`, 3: `"Name", "Size \"L\"", "Total"`, 9: `"Name", "Size \"L\"", "Total"`} {
		if got := lang.Quote(names, most); got != want {
			t.Errorf("at most %d: got %s, want %s", most, got, want)
		}
	}
}
