package pdf

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"

	"github.com/platenhq/platen/internal/render/pdf/fonts"
)

// Some office fonts may not be passed on, but their widths are published. A text in one of them
// breaks where Word breaks it: its letters are those of a font that resembles it, each as wide
// as its own, and its lines are as high.

// addMeasured adds a family with the letters of another and the widths of a file of
// fonts/widths.
func (s *FontSet) addMeasured(family, letters, widths string) {
	load := func(bold, italic bool) func() []byte { return s.faces[faceKey{letters, bold, italic}].load }
	s.add(family, load(false, false), load(true, false), load(false, true), load(true, true))
	for _, bold := range []bool{false, true} {
		for _, italic := range []bool{false, true} {
			s.faces[faceKey{family, bold, italic}].widthsOf = widths
		}
	}
}

// A widthTable is what is known of a font in a style, in thousandths of an em.
type widthTable struct {
	ascent, descent, lineGap int
	widths                   map[rune]int
}

// readWidths reads one style of a file of widths: a line with the ascent, the descent and the
// gap between lines, and for each style its name and lines of a first character, in
// hexadecimal digits, with the widths from it on.
func readWidths(text, style string) (t widthTable, err error) {
	t.widths = map[rune]int{}
	isStyle := false
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || fields[0] == "#":
		case fields[0] == "lines" && len(fields) == 4:
			for i, to := range []*int{&t.ascent, &t.descent, &t.lineGap} {
				if *to, err = strconv.Atoi(fields[i+1]); err != nil {
					return t, fmt.Errorf("read %q: %w", line, err)
				}
			}
		case slices.Contains(styleNames, strings.TrimSpace(line)):
			isStyle = strings.TrimSpace(line) == style
		case isStyle:
			first, err := strconv.ParseInt(fields[0], 16, 32)
			for i, field := range fields[1:] {
				width, wrong := strconv.Atoi(field)
				err = cmp.Or(err, wrong)
				t.widths[rune(int(first)+i)] = width
			}
			if err != nil {
				return t, fmt.Errorf("read %q: %w", line, err)
			}
		}
	}
	return t, nil
}

var styleNames = []string{"regular", "bold", "italic", "bold italic"}

// fit gives a face the widths and the line height of another font.
func (f *Face) fit() {
	style := 0
	if f.isBold {
		style++
	}
	if f.isItalic {
		style += 2
	}
	known, err := readWidths(fonts.Widths(f.widthsOf), styleNames[style])
	if err != nil {
		panic(fmt.Sprintf("embedded widths of %s: %v", f.widthsOf, err))
	}
	const thousandths = 1000
	f.ascent, f.descent, f.lineGap = float64(known.ascent)/thousandths, float64(known.descent)/thousandths, float64(known.lineGap)/thousandths
	em := float64(f.tables.em())
	f.tables.advances, f.tables.stretches = map[uint16]uint16{}, map[uint16]float64{}
	for _, r := range slices.Sorted(maps.Keys(known.widths)) { // of characters that share a glyph the last counts
		gid, ok := f.glyph(r)
		if !ok || f.advances[gid] <= 0 {
			continue
		}
		wide := float64(known.widths[r]) / thousandths
		f.tables.stretches[uint16(gid)] = wide / f.advances[gid]
		f.tables.advances[uint16(gid)] = uint16(math.Round(wide * em))
	}
	for gid, advance := range f.tables.advances {
		f.advances[gid] = float64(advance) / em
	}
	f.tables.draw = drawOutlines(sync.OnceValue(func() *font.Face { return font.NewFace(f.outlines().Font) }), em, f.tables.stretches)
}

// stretched is an outline that is so many times as wide.
func stretched(segments []opentype.Segment, by float64) []opentype.Segment {
	out := slices.Clone(segments)
	for i := range out {
		for k := range out[i].Args {
			out[i].Args[k].X *= float32(by)
		}
	}
	return out
}
