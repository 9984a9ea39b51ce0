package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"github.com/platenhq/platen/internal/config"
	"github.com/platenhq/platen/internal/office/pml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/flow"
	"github.com/platenhq/platen/internal/render/pdf"
	"github.com/platenhq/platen/internal/render/slide"
)

// A conversion is what making one PDF took.
type conversion struct {
	cpu      time.Duration
	findings []render.Finding
	err      error
}

// fontsOf are the embedded fonts, and those of a directory; "" is none.
func fontsOf(dir string) (*pdf.FontSet, error) {
	if dir == "" {
		return pdf.EmbeddedFonts(), nil
	}
	names, err := config.FontFiles(dir)
	if err != nil {
		return nil, err
	}
	files := make([]pdf.FontFile, len(names))
	for i, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files[i] = pdf.FontFile{Name: filepath.Base(name), Data: data}
	}
	return pdf.NewFontSet(files)
}

// convert writes a PDF for every file of a kind, and says what each took. A file
// that cannot be read is reported, and the others go on.
func convert(fonts *pdf.FontSet, from, to, kind string, only *regexp.Regexp) (map[string]conversion, error) {
	files, err := filepath.Glob(filepath.Join(from, "*."+kind))
	if err != nil {
		return nil, err
	}
	out := map[string]conversion{}
	for _, file := range files {
		name := filepath.Base(file)
		if !only.MatchString(name) {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read the corpus: %w", err)
		}
		began := cpu()
		pdf, findings, err := pdfOf(fonts, data, name, kind)
		out[name] = conversion{cpu: cpu() - began, findings: findings, err: err}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			continue
		}
		if err := os.WriteFile(filepath.Join(to, name+".pdf"), pdf, 0o644); err != nil {
			return nil, fmt.Errorf("keep a PDF: %w", err)
		}
	}
	return out, nil
}

func pdfOf(fonts *pdf.FontSet, data []byte, title, kind string) ([]byte, []render.Finding, error) {
	if kind == "pptx" {
		p, err := pml.ReadPresentation(data)
		if err != nil {
			return nil, nil, err
		}
		return slide.Presentation(fonts, p, title)
	}
	d, err := wml.ReadDocument(data)
	if err != nil {
		return nil, nil, err
	}
	return flow.Document(fonts, d, title)
}

// cpu is the processor's time that this program has used, garbage collection
// included: unlike the clock it says the same on a busy machine.
func cpu() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
