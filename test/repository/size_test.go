package repository

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// The production program is as large as docs/benchmarks.md says, or smaller. That page says
// what is in it.
func TestTheProgramIsNoLargerThanItsBar(t *testing.T) {
	t.Parallel()
	if testing.Short() || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("it links the program, and the bar is of Linux on amd64")
	}
	const most = 85_500_000 // bytes
	program := filepath.Join(t.TempDir(), "platen")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s", "-o", program, "./cmd/platen")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	file, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	if size := file.Size(); size > most {
		t.Errorf("the program has %d bytes, want %d at most: look for what a change embeds or imports, and write down in docs/benchmarks.md what it is worth", size, most)
	}
}
