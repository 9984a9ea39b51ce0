package soffice

import (
	"os"
	"path/filepath"
	"testing"
)

// Not parallel: a process that another test is just starting has the locks of
// this one until it runs its program.
func TestDirectoriesOfProcessesThatDiedAreRemoved(t *testing.T) {
	parent := t.TempDir()
	foreign := filepath.Join(parent, "other-1")
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	claimed := func() *directory {
		d, err := claim(parent)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d.path, "document"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return d
	}
	dying, living := claimed(), claimed()
	if !exists(dying.path) || !exists(living.path) {
		t.Fatal("a directory was taken from a process that lives")
	}
	if err := dying.held.Close(); err != nil { // as its process would by dying
		t.Fatal(err)
	}
	last := claimed()
	for path, want := range map[string]bool{dying.path: false, living.path: true, last.path: true, foreign: true} {
		if got := exists(path); got != want {
			t.Errorf("%s is there: got %v, want %v", path, got, want)
		}
	}
	if err := living.remove(); err != nil || exists(living.path) {
		t.Errorf("got %v, and the directory is there: %v", err, exists(living.path))
	}
}
