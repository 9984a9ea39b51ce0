package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestProgramsOfOneVersionAreToldApartByWhatTheyAre(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	one, same, other := withHash("v1+dirty", write("one", "a")), withHash("v1+dirty", write("same", "a")), withHash("v1+dirty", write("other", "b"))
	if one != same || one == other || !strings.HasPrefix(one, "v1+dirty-") {
		t.Errorf("got %s and %s for the same program, %s for another", one, same, other)
	}
	if v := withHash("v1+dirty", filepath.Join(dir, "none")); v != "v1+dirty" {
		t.Errorf("of a program that cannot be read: got %s", v)
	}
}

// A program asks for its version at each start of a part, and has some 100 MB.
func TestTheProgramIsReadOnceForItsVersion(t *testing.T) {
	Version()
	if n := testing.AllocsPerRun(5, func() { Version() }); n > 0 {
		t.Errorf("the version of a program that knows it took %v allocations, want none: is the program read again?", n)
	}
}
