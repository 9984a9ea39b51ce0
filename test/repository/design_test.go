package repository

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A page of docs/design explains one part from top to bottom in a quarter of an hour, and
// the page on how it works lists it.
func TestDesignPagesAreListedAndShort(t *testing.T) {
	t.Parallel()
	const most = 16
	files, err := filepath.Glob("docs/design/*.md")
	if err != nil || len(files) == 0 || len(files) > most {
		t.Fatalf("docs/design has %d pages, want 1 to %d: %v", len(files), most, err)
	}
	list, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if words := len(strings.Fields(string(raw))); words < 600 || words > 1200 {
			t.Errorf("%s has %d words, want 600 to 1,200", file, words)
		}
		for _, section := range []string{"What was rejected", "Figures", "Limits"} {
			if !strings.Contains(string(raw), "\n## "+section+"\n") {
				t.Errorf("%s has no section %q", file, section)
			}
		}
		if entry := fmt.Sprintf("(design/%s)", filepath.Base(file)); !strings.Contains(string(list), entry) {
			t.Errorf("docs/architecture.md does not list %s", file)
		}
	}
}
