package pdfrules_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/platenhq/platen/internal/pdfa"
)

// label is what a file of the corpus of the veraPDF project says of itself: the clause that it
// is about, and whether it conforms.
var label = regexp.MustCompile(`(\d[-0-9]*)-t\d+-(pass|fail)-[a-z]+\.pdf$`)

// folderOf is where the corpus is: test corpora are not part of the repository.
func folderOf(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("PLATEN_PDF_CORPUS")
	if folder == "" {
		t.Skip("set PLATEN_PDF_CORPUS to the folder of a copy of veraPDF-corpus")
	}
	return folder
}

// Judgements agree with the labels of files that somebody else made for each rule.
func TestTheCheckerAgreesWithThePublicCorpus(t *testing.T) {
	folder := folderOf(t)
	for _, c := range []struct {
		name string
		part pdfa.Part
	}{{"PDF_A-2b", pdfa.Part2}, {"PDF_A-3b", pdfa.Part3}} {
		type count struct{ agreed, all int }
		counts := map[string]*count{}
		total := &count{}
		var wrong []string
		err := filepath.WalkDir(filepath.Join(folder, c.name), func(path string, entry fs.DirEntry, err error) error {
			found := label.FindStringSubmatch(path)
			if err != nil || entry.IsDir() || found == nil {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			clause := strings.ReplaceAll(found[1], "-", ".")
			if counts[clause] == nil {
				counts[clause] = &count{}
			}
			counts[clause].all++
			total.all++
			faults, err := pdfa.Check(data, c.part)
			conforms := err == nil && len(faults) == 0
			if conforms == (found[2] == "pass") {
				counts[clause].agreed++
				total.agreed++
				return nil
			}
			wrong = append(wrong, filepath.Base(path)+": "+pdfa.Words(faults))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, clause := range slices.Sorted(maps.Keys(counts)) {
			t.Logf("%s %-10s %d of %d", c.name, clause, counts[clause].agreed, counts[clause].all)
		}
		slices.Sort(wrong)
		for _, one := range wrong {
			t.Logf("differs: %s", one)
		}
		t.Logf("%s: %d of %d files", c.name, total.agreed, total.all)
		if total.all == 0 || total.agreed*100 < total.all*98 {
			t.Errorf("%s: agreed about %d of %d files, want 98 %%", c.name, total.agreed, total.all)
		}
	}
}
