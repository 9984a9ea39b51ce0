// Package pages reads the shell blocks of the docs for the tests that type them, and
// says of each block which test that is.
//
// Nothing but tests may import it. It must not know what the commands do.
package pages

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A Block is one that a reader types.
type Block struct {
	File    string // below the root of the repository, such as docs/start.md
	Line    int
	Heading string // that it stands below
	Text    string
}

// A Part is the blocks of a file that stand below a heading; without a heading all. A
// file that ends in a slash is a folder.
type Part struct {
	File, Heading string
	Tests         string // that type it, with spaces between them; empty: none does
	Because       string // why none does
}

// Has tells whether a block belongs to the part.
func (p Part) Has(b Block) bool {
	return (p.File == b.File || strings.HasSuffix(p.File, "/") && strings.HasPrefix(b.File, p.File)) && (p.Heading == "" || p.Heading == b.Heading)
}

// Typed are the commands of a file that the calling test types: those that stand below
// one of the headings, without headings all. Parts says so of this test.
func Typed(t testing.TB, file string, headings ...string) string {
	t.Helper()
	test, _, _ := strings.Cut(t.Name(), "/")
	var commands strings.Builder
	for _, b := range Of(t, file) {
		if len(headings) > 0 && !slices.Contains(headings, b.Heading) {
			continue
		}
		if !slices.ContainsFunc(Parts, func(p Part) bool { return p.Has(b) && slices.Contains(strings.Fields(p.Tests), test) }) {
			t.Fatalf("%s:%d: %s types this block, and pages.Parts does not say so", b.File, b.Line, test)
		}
		commands.WriteString(b.Text)
	}
	if commands.Len() == 0 {
		t.Fatalf("%s prints no commands below %q", file, headings)
	}
	return commands.String()
}

// Shown are the lines that a file says its commands print, in blocks of text.
func Shown(t testing.TB, file string) (lines []string) {
	t.Helper()
	for _, b := range fenced(t, file, "text") {
		lines = append(lines, strings.Split(strings.TrimSpace(b.Text), "\n")...)
	}
	return lines
}

// Of are the shell blocks of a file.
func Of(t testing.TB, file string) []Block {
	t.Helper()
	return fenced(t, file, "sh")
}

var (
	fence   = regexp.MustCompile("^ *```(\\w*)")
	heading = regexp.MustCompile(`^#+ (.+)$`)
)

func fenced(t testing.TB, file, language string) (blocks []Block) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(Root(t), file))
	if err != nil {
		t.Fatal(err)
	}
	below, open, wanted := "", false, false
	for i, line := range strings.Split(string(raw), "\n") {
		mark := fence.FindStringSubmatch(line)
		switch found := heading.FindStringSubmatch(line); {
		case mark != nil:
			open = !open
			wanted = open && mark[1] == language
			if wanted {
				blocks = append(blocks, Block{File: file, Line: i + 1, Heading: below})
			}
		case wanted:
			blocks[len(blocks)-1].Text += line + "\n"
		case !open && found != nil:
			below = found[1]
		}
	}
	return blocks
}

// Root is the folder of the repository.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("not within a module")
		}
		dir = filepath.Dir(dir)
	}
}
