package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
)

// A goPackage is what the go command lists of a package.
type goPackage struct {
	Dir          string
	ImportPath   string
	Module       *struct{ Path, Dir string }
	GoFiles      []string
	TestGoFiles  []string
	XTestGoFiles []string
	TestImports  []string
	XTestImports []string
}

// list lists the packages that the patterns name, seen from a folder.
func list(ctx context.Context, dir string, patterns []string) ([]goPackage, error) {
	command := exec.CommandContext(ctx, "go", append([]string{"list", "-json=Dir,ImportPath,Module,GoFiles,TestGoFiles,XTestGoFiles,TestImports,XTestImports", "--"}, patterns...)...)
	command.Dir = dir
	out, err := command.Output()
	if exited, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("list the packages: %w\n%s", err, exited.Stderr)
	}
	if err != nil {
		return nil, fmt.Errorf("list the packages: %w", err)
	}
	var packages []goPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("list the packages: %w", err)
		}
		packages = append(packages, p)
	}
}

// name is the package's path within its module.
func (p goPackage) name() string {
	if p.Module == nil {
		return p.ImportPath
	}
	if name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, p.Module.Path), "/"); name != "" {
		return name
	}
	return "."
}

func (p goPackage) hasTests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// testFlags keep the tests from writing to the tree: rapid would store what made
// a test fail.
func (p goPackage) testFlags() []string {
	flags := []string{"-test.paniconexit0", "-test.failfast"}
	if slices.Contains(slices.Concat(p.TestImports, p.XTestImports), "pgregory.net/rapid") {
		flags = append(flags, "-rapid.nofailfile")
	}
	return flags
}

// shuffle puts places, and the mutants of each, in the order in which a seed
// tries them: the same for the same code, independent of the other packages.
func (p goPackage) shuffle(places []place, seed uint64) {
	hash := fnv.New64a()
	_, _ = io.WriteString(hash, p.ImportPath)
	random := rand.New(rand.NewPCG(seed, hash.Sum64()))
	random.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	for _, at := range places {
		random.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
	}
}
