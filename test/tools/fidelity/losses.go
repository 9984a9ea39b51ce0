package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/pdf"
)

// A loss is something that stands in a file and not in its PDF.
type loss struct {
	what  string
	codes []string // of the findings that can report it
}

var turnedLigatures = strings.NewReplacer("لا", "ال", "لأ", "أل", "لإ", "إل", "لآ", "آل")

// countCut counts a word from right to left that was read in two pieces: pdftotext puts
// what stands at the left first.
func countCut(text, word string) (n int) {
	letters := []rune(word)
	if !unicode.In(letters[0], fromRight...) {
		return 0
	}
	for i := 1; i < len(letters); i++ {
		n += strings.Count(text, string(letters[i:])+string(letters[:i]))
	}
	return n
}

// losses compares what a file holds with what its PDF shows.
func (c *contents) losses(d drawn) []loss {
	var all []loss
	missing := map[string]int{}
	for word, times := range c.words {
		got := strings.Count(d.text, word)
		if turned := turnedLigatures.Replace(word); turned != word { // by pdftotext
			got += strings.Count(d.text, turned)
		}
		if got < times {
			got += countCut(d.text, word)
		}
		if got < times {
			missing[word] = times - got
		}
	}
	if len(missing) > 0 {
		words := slices.Sorted(maps.Keys(missing))
		all = append(all, loss{fmt.Sprintf("%d words, %q first", len(words), words[0]), []string{render.FindingTruncated, render.FindingDrawing, render.FindingGlyph}})
	}
	if n := len(c.pictures) - d.pictures; n > 0 {
		all = append(all, loss{fmt.Sprintf("%d of %d pictures", n, len(c.pictures)), []string{render.FindingPicture, render.FindingDrawing}})
	}
	if n := c.shapes + c.series - d.paths - d.pictures; n > 0 {
		all = append(all, loss{fmt.Sprintf("%d of %d shapes and series", n, c.shapes+c.series), []string{render.FindingDrawing}})
	}
	return all
}

// isTold says whether a finding tells of a loss.
func (l loss) isTold(findings []render.Finding) bool {
	return slices.ContainsFunc(findings, func(f render.Finding) bool { return slices.Contains(l.codes, f.Code) })
}

// losses looks for what the PDFs of a corpus lack, and fails where none of their
// findings says so.
func losses(ctx context.Context, o options, fonts *pdf.FontSet, only *regexp.Regexp) error {
	silent := 0
	for _, kind := range []string{"docx", "pptx"} {
		n, err := findLosses(ctx, o, fonts, kind, only)
		if err != nil {
			return err
		}
		silent += n
	}
	if silent > 0 {
		return fmt.Errorf("%d losses without a finding", silent)
	}
	return nil
}

// findLosses converts every file of a kind, and prints what its PDF lacks. It
// counts those that no finding tells of.
func findLosses(ctx context.Context, o options, fonts *pdf.FontSet, kind string, only *regexp.Regexp) (silent int, err error) {
	out := filepath.Join(o.Out, kind)
	if err := clear(out); err != nil {
		return 0, err
	}
	converted, err := convert(fonts, filepath.Join(o.Corpus, kind), out, kind, only)
	if err != nil {
		return 0, err
	}
	told := 0
	for _, name := range slices.Sorted(maps.Keys(converted)) {
		if converted[name].err != nil {
			continue
		}
		data, err := os.ReadFile(filepath.Join(o.Corpus, kind, name))
		if err != nil {
			return silent, err
		}
		c, err := countContents(data, kind)
		if err != nil {
			return silent, fmt.Errorf("%s: %w", name, err)
		}
		d, err := look(ctx, filepath.Join(out, name+".pdf"))
		if err != nil {
			return silent, fmt.Errorf("%s: %w", name, err)
		}
		for _, l := range c.losses(d) {
			if l.isTold(converted[name].findings) {
				told++
				continue
			}
			silent++
			fmt.Printf("%-64.64s lacks %s, and no finding says so\n", name, l.what)
		}
	}
	fmt.Printf("%d .%s files: %d losses with a finding, %d without\n", len(converted), kind, told, silent)
	return silent, nil
}

// look reads a PDF with programs of others.
func look(ctx context.Context, file string) (drawn, error) {
	var outputs []string
	for _, command := range [][]string{{"pdftotext", "-raw", file, "-"}, {"pdfimages", "-list", file}, {"mutool", "trace", file}} {
		out, err := exec.CommandContext(ctx, command[0], command[1:]...).Output()
		if err != nil {
			return drawn{}, fmt.Errorf("%s: %w", command[0], err)
		}
		outputs = append(outputs, string(out))
	}
	return readDrawn(outputs[0], outputs[1], outputs[2]), nil
}
