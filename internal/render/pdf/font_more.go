package pdf

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"path"
	"strings"
)

// FontFile is a TrueType font that somebody adds to the embedded ones.
type FontFile struct {
	Name string // of the file: for errors
	Data []byte
}

// NewFontSet returns the embedded fonts and behind them, in their order, fonts
// for the characters that those lack. An error names every file that is no
// TrueType font with outlines of its own (OpenType with CFF outlines and
// collections are not).
func NewFontSet(more []FontFile) (*FontSet, error) {
	s := newFontSet()
	var faults []error
	for _, file := range more {
		f, err := s.more(file)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		s.added = append(s.added, f)
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return s, nil
}

func (s *FontSet) more(file FontFile) (f *Face, err error) {
	defer func() {
		if p := recover(); p != nil { // the parser's, over a file that nobody has checked
			err = fmt.Errorf("font %s cannot be read: %v", file.Name, p)
		}
	}()
	f = &Face{Name: pdfName(file), Family: file.Name, set: s, load: func() []byte { return file.Data }}
	if err := f.parse(); err != nil {
		return nil, fmt.Errorf("font %s is no TrueType font with outlines (.ttf): %w", file.Name, err)
	}
	if len(f.advances) > math.MaxUint16+1 || len(f.advances) == 0 || len(f.tables.glyf) == 0 {
		return nil, fmt.Errorf("font %s is no TrueType font with outlines (.ttf): it has none", file.Name)
	}
	for gid := range f.advances {
		for _, part := range f.tables.parts(uint16(gid)) {
			if int(part) >= len(f.advances) {
				return nil, fmt.Errorf("font %s: glyph %d is made of glyph %d, which it does not have", file.Name, gid, part)
			}
		}
	}
	if _, err := f.container(); err != nil {
		return nil, fmt.Errorf("font %s cannot be written to a PDF: %w", file.Name, err)
	}
	f.once.Do(func() {})
	return f, nil
}

// pdfName is fit for a PDF, and differs where the fonts do: what documents
// share is known by it.
func pdfName(file FontFile) string {
	base := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return -1
	}, strings.TrimSuffix(path.Base(file.Name), path.Ext(file.Name)))
	const longest = 40
	return fmt.Sprintf("%s-%x", base[:min(len(base), longest)], sha256.Sum256(file.Data))[:min(len(base), longest)+17]
}
