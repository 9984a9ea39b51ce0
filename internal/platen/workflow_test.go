package platen_test

import (
	"slices"
	"testing"

	"github.com/platenhq/platen/internal/platen"
)

func TestAPathOfFoldersIsCutAtSlashesOutsideTags(t *testing.T) {
	t.Parallel()
	for template, want := range map[string][]string{
		"":                                   nil,
		"Customers":                          {"Customers"},
		"Customers/{{Customer Name}}":        {"Customers", "{{Customer Name}}"},
		"{{= Total / 2 }}/{{A}} and {{B}}/C": {"{{= Total / 2 }}", "{{A}} and {{B}}", "C"},
		"{{open/x":                           {"{{open", "x"},
		"/a//b/":                             {"", "a", "", "b", ""},
	} {
		if got := platen.FolderPath(template); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", template, got, want)
		}
	}
}
