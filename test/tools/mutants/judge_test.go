package main

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// newModule writes a module with one package.
func newModule(t *testing.T, files map[string]string) goPackage {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.com/small\n\ngo 1.26\n"
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	packages, err := list(t.Context(), dir, []string{"."})
	if err != nil || len(packages) != 1 {
		t.Fatalf("got %d packages, %v; want one", len(packages), err)
	}
	return packages[0]
}

func judgeModule(t *testing.T, files map[string]string, o options) (verdict, error) {
	t.Helper()
	return judgeModuleTo(t, io.Discard, files, o)
}

func judgeModuleTo(t *testing.T, to io.Writer, files map[string]string, o options) (verdict, error) {
	t.Helper()
	p := newModule(t, files)
	o.Parallel, o.Seed = 2, 1
	j, err := newJudge(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.close)
	j.patience = time.Second
	verdicts, err := j.judgeAll(t.Context(), []goPackage{p}, to)
	return verdicts[0], err
}

// outcomes is what became of the mutant of each line.
func outcomes(v verdict) map[int]outcome {
	all := map[int]outcome{}
	for _, r := range v.results {
		all[r.line] = r.outcome
	}
	return all
}

const small = `package small

// Three is killed, Five survives, and nobody reaches Seven.
func Three() int { return 2 + 1 }

func Five() int { return 4 + 1 }

func Seven() int { return 6 + 1 }
`

const smallTest = `package small

import "testing"

func TestSmall(t *testing.T) {
	Five()
	if Three() != 3 {
		t.Error("not three")
	}
}
`

func TestMutantsAreKilledByTestsThatLook(t *testing.T) {
	t.Parallel()
	files := map[string]string{"small.go": small, "small_test.go": smallTest}
	var said bytes.Buffer
	v, err := judgeModuleTo(t, &said, files, options{Places: 10})
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]outcome{4: killed, 6: survived, 8: notReached}
	if got := outcomes(v); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if v.passes(34) || !v.passes(33) {
		t.Errorf("%s: it passes 34 %%: %v, 33 %%: %v; want false and true", v.summary(), v.passes(34), v.passes(33))
	}
	if err := checkVerdicts([]verdict{v}, 80); err == nil || !strings.Contains(err.Error(), ".: 1 of 3 killed, 33 %") {
		t.Errorf("got %v, want the package under 80 %%", err)
	}
	if err := checkVerdicts([]verdict{v}, 33); err != nil {
		t.Errorf("got %v of a package that passes", err)
	}
	for _, want := range []string{"  killed       small.go:4  ", "  survived     small.go:6  ", "  not reached  small.go:8  "} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("got\n%s\nwant %q in it", said.String(), want)
		}
	}
}

func TestTheTreeIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	files := map[string]string{"small.go": small, "small_test.go": smallTest}
	v, err := judgeModule(t, files, options{Places: 3})
	if err != nil {
		t.Fatal(err)
	}
	there, err := os.ReadDir(v.Dir)
	if err != nil || len(there) != len(files) {
		t.Errorf("got %d files, %v; want %d", len(there), err, len(files))
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(v.Dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v; want it as it was", name, got, err)
		}
	}
}

func TestWhatDoesNotCompileIsNoMutant(t *testing.T) {
	t.Parallel()
	v, err := judgeModule(t, map[string]string{
		"small.go": `package small

// Only the length of the list can be changed, and then the list is too short.
var list = [2]uint8{0: a, 2 - 1: a}

const a = uint8(255)

func Sum() uint8 { return a }
`,
		"small_test.go": "package small\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum() != 255 {\n\t\tt.Error(list)\n\t}\n}\n",
	}, options{Places: 10})
	if err != nil {
		t.Fatal(err)
	}
	// Of line 6, 256 is no uint8; of line 4, index 3 is out of bounds, 0 may be 1,
	// which is there twice, and the sum is another one.
	if got := slices.Sorted(maps.Keys(outcomes(v))); !slices.Equal(got, []int{8}) {
		t.Errorf("got mutants of the lines %v, want line 8 alone", got)
	}
}

func TestALoopWithoutEndIsKilled(t *testing.T) {
	t.Parallel()
	v, err := judgeModule(t, map[string]string{
		"small.go":      "package small\n\nfunc Count(n int) (i int) {\n\tfor i != n {\n\t\ti++\n\t}\n\treturn i\n}\n",
		"small_test.go": "package small\n\nimport \"testing\"\n\nfunc TestCount(t *testing.T) {\n\tif Count(2) != 2 {\n\t\tt.Error(\"not two\")\n\t}\n}\n",
	}, options{Places: 10})
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]outcome{4: killed, 5: outOfTime, 7: killed}
	if got := outcomes(v); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTestsThatFailWithoutAMutantAreAnError(t *testing.T) {
	t.Parallel()
	_, err := judgeModule(t, map[string]string{
		"small.go":      small,
		"small_test.go": "package small\n\nimport \"testing\"\n\nfunc TestSmall(t *testing.T) { t.Error(\"broken\") }\n",
	}, options{Places: 10})
	if err == nil || !strings.Contains(err.Error(), "its tests fail without a mutant") || !strings.Contains(err.Error(), "broken") {
		t.Errorf("got %v, want an error that quotes the test", err)
	}
}

func TestNothingIsKilledWhereThereAreNoTests(t *testing.T) {
	t.Parallel()
	v, err := judgeModule(t, map[string]string{"small.go": small}, options{Places: 2})
	if err != nil || len(v.results) != 2 || v.killed() != 0 {
		t.Errorf("got %s, %v; want two mutants, of which none is killed", v.summary(), err)
	}
}

func TestAPackageWithoutAPlacePasses(t *testing.T) {
	t.Parallel()
	v, err := judgeModule(t, map[string]string{"small.go": "package small\n"}, options{Places: 10})
	if err != nil || !v.passes(100) || !strings.Contains(v.summary(), "no place") {
		t.Errorf("got %s, %v; want that there is no place", v.summary(), err)
	}
}
