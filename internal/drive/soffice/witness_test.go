package soffice

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program is LibreOffice's, without which a test says so and is skipped.
func program(t *testing.T) string {
	t.Helper()
	path, err := find("")
	if err != nil {
		t.Skipf("this test needs LibreOffice: %v", err)
	}
	return path
}

// bothWays runs a test with LibreOffice in a cell and without.
func bothWays(t *testing.T, test func(t *testing.T, unconfined bool)) {
	t.Helper()
	t.Parallel()
	t.Run("in a cell", func(t *testing.T) {
		t.Parallel()
		if confines(t) {
			test(t, false)
		}
	})
	t.Run("unconfined", func(t *testing.T) {
		t.Parallel()
		test(t, true)
	})
}

// confines tells whether the system allows cells. Where it does not, it sees that
// LibreOffice is refused for that.
func confines(t *testing.T) bool {
	t.Helper()
	p, err := Open(Options{Program: "sh"})
	if err == nil {
		err = p.Close()
	} else if errors.Is(err, ErrNoCell) {
		t.Logf("this system allows no cells, and is told so: %v", err)
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

// open makes a pool that is closed at the test's end, without cells where the system
// allows none: what is seen of those is behind confines.
func open(t *testing.T, o Options) *Pool {
	t.Helper()
	o.Log = slog.New(slog.NewTextHandler(testWriter{t}, nil))
	p, err := Open(o)
	if errors.Is(err, ErrNoCell) {
		t.Logf("without a cell: %v", err)
		o.Unconfined = true
		p, err = Open(o)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// public is a directory that everybody may change.
func public(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "platen-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", p)
	return len(p), nil
}

// fake is a program in the place of LibreOffice: a shell script that finds the
// file to convert in $file and the path of the PDF to be made in $pdf.
func fake(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(public(t), "soffice")
	const arguments = `for file; do :; done; pdf="${file%.*}.pdf"` + "\n"
	// Nobody may be writing to a program that is run: another test that forks
	// meanwhile would inherit the descriptor of os.WriteFile.
	c := exec.Command("/bin/sh", "-c", `cat > "$1"; chmod 755 "$1"`, "sh", path)
	c.Stdin = strings.NewReader("#!/bin/sh\n" + arguments + script)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("write a program: %v: %s", err, out)
	}
	return path
}

// text is what another program reads out of a PDF.
func text(t *testing.T, pdf []byte) string { return readBy(t, pdf, "-", "-") }

// placed are its words with their places.
func placed(t *testing.T, pdf []byte) string {
	_, words, _ := strings.Cut(readBy(t, pdf, "-bbox", "-", "-"), "<body>") // behind its date
	return words
}

func readBy(t *testing.T, pdf []byte, pdftotext ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "pdftotext", pdftotext...)
	c.Stdin = bytes.NewReader(pdf)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("pdftotext: %v", err)
	}
	return string(out)
}

// running lists the processes in whose command line a text stands.
func running(t *testing.T, text string) []string {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-ww", "-o", "pid=,stat=,args=").Output()
	if err != nil {
		t.Fatalf("ps: %v", err)
	}
	var found []string
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); strings.Contains(line, text) && !strings.HasPrefix(fields[1], "Z") {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// eventually waits for something that happens in another process.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !happened() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("not within five minutes: %s", what)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// part is a file within an office file.
type part struct{ name, content string }

// docx is a document with a body and relationships, and what else it is given.
func docx(t *testing.T, body, relationships string, more ...part) []byte {
	t.Helper()
	const (
		kinds     = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
		relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
		spaces    = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"` +
			` xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"` +
			` xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"`
	)
	parts := append([]part{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
			`<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		{"_rels/.rels", relations + `<Relationship Id="d" Type="` + kinds + `officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/_rels/document.xml.rels", relations + strings.ReplaceAll(relationships, "KIND/", kinds) + `</Relationships>`},
		{"word/document.xml", `<w:document` + spaces + `><w:body>` + body + `<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr></w:body></w:document>`},
	}, more...)
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, p := range parts {
		f, err := z.Create(p.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(p.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func paragraph(text string) string { return `<w:p><w:r><w:t>` + text + `</w:t></w:r></w:p>` }
