package operator

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/cli"
	"github.com/platenhq/platen/internal/compare"
	"github.com/platenhq/platen/internal/platen"
)

func TestComparisonsAreSaidInWords(t *testing.T) {
	t.Parallel()
	of := platen.LatestOutput{ID: "out_1", AutomationID: "aut_1", Workflow: "Letters", Document: "Contract\x1b[2J"}
	pages := []compare.Page{{Number: 1, Moved: 2, FarthestMM: 4.2}, {Number: 2, Gone: 1, New: 3}, {Number: 3, Added: true}, {Number: 4, Added: true}}
	var out bytes.Buffer
	odd := []compare.Result{
		{LatestOutput: of, State: compare.Different, PagesBefore: 2, PagesAfter: 4, Pages: pages, Before: []byte("old"), After: []byte("new")},
		{LatestOutput: of, State: compare.NotCompared, Why: "its PDF is encrypted"},
	}
	c := compareCommand{Output: t.TempDir()}
	count := map[compare.State]int{compare.Same: 5, compare.Different: 1, compare.NotCompared: 1}
	if err := c.print(&cli.Environment{Out: &out}, odd, count); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`Contract\x1b[2J`, "2 → 4", "page 1: 2 words moved by up to 4.2 mm; page 2: 1 word gone, 3 new words; page 3: new; and 1 more", "not compared: its PDF is encrypted",
		"5 look the same, 1 different. 1 were not compared.",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in %s", want, out.String())
		}
	}
	for _, r := range odd {
		if err := c.keep(r); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := filepath.Glob(filepath.Join(c.Output, "*.pdf"))
	if err != nil || len(kept) != 2 {
		t.Fatalf("kept %v, %v; want the two PDFs of the output that looks different", kept, err)
	}
	if after, err := os.ReadFile(filepath.Join(c.Output, "out_1.after.pdf")); err != nil || string(after) != "new" {
		t.Errorf("got %q, %v", after, err)
	}
}
