package journey

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// A paper is a PDF on disk, for other people's programs to judge.
type paper string

func newPaper(t *testing.T, content []byte) paper {
	t.Helper()
	if !bytes.HasPrefix(content, []byte("%PDF-")) {
		t.Fatalf("%d bytes that are no PDF: %.100q", len(content), content)
	}
	name := filepath.Join(t.TempDir(), "output.pdf")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return paper(name)
}

// witness runs a program and returns what it says, and whether it was content.
func witness(t *testing.T, program string, args ...string) (said string, content bool) {
	t.Helper()
	var out bytes.Buffer
	c := exec.CommandContext(t.Context(), program, args...)
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		t.Fatalf("%v; `make witnesses` installs it", err)
	}
	return out.String(), err == nil
}

// text is what pdftotext reads with the password, in the order in which the
// PDF draws it.
func (p paper) text(t *testing.T, password string) string {
	t.Helper()
	said, ok := witness(t, "pdftotext", "-raw", "-upw", password, string(p), "-")
	if !ok {
		t.Fatalf("pdftotext: %s", said)
	}
	return said
}

// says tells whether the text holds a value, wherever its lines break.
func says(text, value string) bool {
	return strings.Contains(dense(text), dense(value))
}

func dense(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
