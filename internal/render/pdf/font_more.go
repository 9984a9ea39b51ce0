package pdf

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"path"
	"strings"
)

// FontFile is a font, or a collection of some, that somebody adds to the embedded ones.
type FontFile struct {
	Name string // of the file: for errors
	Data []byte
}

// NewFontSet returns the embedded fonts, and fonts that are found by their family
// and, in their order, for characters that the embedded ones lack. Files are
// TrueType or OpenType (.ttf, .otf) or collections of such (.ttc). An error names
// every file that is none of these.
func NewFontSet(more []FontFile) (*FontSet, error) {
	s := newFontSet()
	s.families = map[string][]*Face{}
	var faults []error
	for _, file := range more {
		for i, begin := range offsets(file.Data) {
			f, err := s.more(file, i, begin)
			if err != nil {
				faults = append(faults, err)
				break
			}
			names := f.tables.names()
			if i == 0 { // the others of a collection have the same characters
				s.added = append(s.added, f)
			} else {
				f = f.unread(file)
			}
			for _, name := range names {
				s.families[name] = append(s.families[name], f)
			}
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return s, nil
}

func (s *FontSet) more(file FontFile, number, begin int) (f *Face, err error) {
	defer func() {
		if p := recover(); p != nil { // the parser's, over a file that nobody has checked
			err = fmt.Errorf("font %s cannot be read: %v", file.Name, p)
		}
	}()
	f = &Face{Name: pdfName(file), Family: file.Name, set: s, begin: begin, load: func() []byte { return file.Data }}
	if number > 0 {
		f.Name = fmt.Sprintf("%s-%d", f.Name, number)
	}
	if err := f.parse(); err != nil {
		return nil, fmt.Errorf("font %s is no font with outlines (.ttf, .otf, .ttc): %w", file.Name, err)
	}
	if len(f.advances) > math.MaxUint16+1 || len(f.advances) == 0 || len(f.tables.glyf) == 0 && f.tables.draw == nil {
		return nil, fmt.Errorf("font %s is no font with outlines (.ttf, .otf, .ttc): it has none", file.Name)
	}
	f.weight, f.isItalic = f.tables.weight()
	f.isBold = f.weight >= 600
	if f.tables.draw == nil {
		for gid := range f.advances {
			for _, part := range f.tables.parts(uint16(gid)) {
				if int(part) >= len(f.advances) {
					return nil, fmt.Errorf("font %s: glyph %d is made of glyph %d, which it does not have", file.Name, gid, part)
				}
			}
		}
	}
	f.once.Do(func() {})
	return f, nil
}

// unread is a font that was read for its faults, to be read again at its first use:
// a collection has ten fonts of 20 MiB each, and a document asks for one.
func (f *Face) unread(file FontFile) *Face {
	return &Face{Name: f.Name, Family: f.Family, set: f.set, isBold: f.isBold, isItalic: f.isItalic, weight: f.weight, begin: f.begin,
		load: func() []byte { return file.Data }}
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
