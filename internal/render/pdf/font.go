package pdf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/harfbuzz"

	"github.com/platenhq/platen/internal/render/pdf/fonts"
)

// FontSet holds the fonts that pages are set in: free fonts with the metrics
// of the usual office fonts, and those that were added to them. Nothing is ever
// read from the machine, so a document looks the same wherever it is made. Safe
// for concurrent use.
type FontSet struct {
	faces     map[faceKey]*Face
	fallbacks []string
	added     []*Face // for what the others lack
	// scripts are for what these lack, too, by the name of their file.
	scripts map[faceKey]*Face
	altered map[faceKey][]*Face // made of other styles of a family
	// families are the added fonts by what documents call them.
	families map[string][]*Face
	// for what all of them lack
	wideBoxes, narrowBoxes func() *Face
}

type faceKey struct {
	family           string
	isBold, isItalic bool
}

// Face is one font of a FontSet. It is parsed at its first use and then shared
// by all documents. Safe for concurrent use.
type Face struct {
	// Name is the PostScript name, "Carlito-BoldItalic".
	Name string
	// Family is the family that is really used, "Carlito".
	Family string

	set       *FontSet
	isBold    bool
	isItalic  bool
	weight    int // of an added font, 400 for usual letters
	begin     int // of the font in its file
	load      func() []byte
	once      sync.Once
	cmap      font.Cmap
	latin     [0x250]font.GID // of cmap, 0 for none: most of what is ever looked up
	advances  []float64       // by glyph, in em
	ascent    float64         // in em, as the other metrics
	descent   float64
	lineGap   float64
	underline [2]float64 // position of its middle below the baseline, thickness
	strike    [2]float64 // position of its middle above the baseline, thickness
	tables    *glyphTables
	kerns     kernTable
	isBoxes   bool        // it draws every character, as an empty box
	script    *scriptFont // set for an embedded font of one script
	isBuiltIn bool        // embedded, of one of the families
	// outlines is the font with what draws its glyphs. It takes longer to parse than
	// the rest together, and few documents paint letters as areas.
	outlines func() *font.Face
	// Bold letters that a font does not have are drawn with a line around its usual
	// ones, sloped ones are these slanted.
	isEmboldened, isSlanted bool
	// widthsOf names the file with the widths of another font, "" for its own.
	widthsOf string
}

// kernTable remembers the kerning of pairs that were asked for: shaping a pair
// takes microseconds, and a page asks for the same few hundred pairs again and again.
type kernTable struct {
	mu    sync.Mutex
	font  *harfbuzz.Font
	buf   *harfbuzz.Buffer
	pairs map[[2]font.GID]float64
}

var sharedFonts = sync.OnceValue(newFontSet)

// EmbeddedFonts returns the embedded fonts.
func EmbeddedFonts() *FontSet { return sharedFonts() }

func newFontSet() *FontSet {
	s := &FontSet{
		faces:     map[faceKey]*Face{},
		scripts:   map[faceKey]*Face{},
		altered:   map[faceKey][]*Face{},
		fallbacks: []string{dejaVuSans, liberationSans, liberationSerif, carlito},
	}
	s.wideBoxes = sync.OnceValue(func() *Face { return newBoxes(s, "BoxesWide", boxWide) })
	s.narrowBoxes = sync.OnceValue(func() *Face { return newBoxes(s, "Boxes", boxNarrow) })
	for family, file := range map[string]string{liberationSans: "LiberationSans", liberationSerif: "LiberationSerif", liberationMono: "LiberationMono", carlito: "Carlito", caladea: "Caladea"} {
		s.add(family, builtIn(file+"-Regular"), builtIn(file+"-Bold"), builtIn(file+"-Italic"), builtIn(file+"-BoldItalic"))
	}
	s.add(dejaVuSans, builtIn("DejaVuSans"), builtIn("DejaVuSans-Bold"), builtIn("DejaVuSans-Oblique"), builtIn("DejaVuSans-BoldOblique"))
	s.addMeasured(forSegoeUI, liberationSans, "SegoeUI")
	s.addMeasured(forGeorgia, liberationSerif, "Georgia")
	s.addScripts()
	return s
}

// builtIn reads a font of the program, at the first call.
func builtIn(name string) func() []byte { return func() []byte { return fonts.Read(name) } }

func (s *FontSet) add(family string, regular, bold, italic, boldItalic func() []byte) {
	for i, load := range []func() []byte{regular, bold, italic, boldItalic} {
		name := strings.ReplaceAll(family, " ", "") + "-" + []string{"Regular", "Bold", "Italic", "BoldItalic"}[i]
		s.faces[faceKey{family, i&1 != 0, i&2 != 0}] = &Face{Name: name, Family: family, set: s, isBold: i&1 != 0, isItalic: i&2 != 0, isBuiltIn: true, load: load}
	}
	loads := []func() []byte{regular, bold, italic, boldItalic}
	for style, sources := range styleSources {
		for _, from := range sources {
			added := style &^ from
			made := &Face{Family: family, set: s, isBold: style&1 != 0, isItalic: style&2 != 0, isEmboldened: added&1 != 0, isSlanted: added&2 != 0, isBuiltIn: true, load: loads[from]}
			made.Name = s.faces[faceKey{family, from&1 != 0, from&2 != 0}].Name + []string{"", "-Emboldened", "-Slanted", "-EmboldenedSlanted"}[added]
			key := faceKey{family, made.isBold, made.isItalic}
			s.altered[key] = append(s.altered[key], made)
		}
	}
}

// styleSources are the styles that another is made from, the nearest first: 1 is bold,
// 2 italic.
var styleSources = [4][]int{1: {0}, 2: {0}, 3: {1, 2, 0}}

// alter finds a face that has the character in another style only, made bold or
// slanted; nil for none. DejaVu Sans Oblique has no Arabic, DejaVu Sans does.
func (s *FontSet) alter(r rune, bold, italic bool) *Face {
	if !bold && !italic || isOnlyInScripts(r) {
		return nil
	}
	for _, family := range append(slices.Clip(s.fallbacks), liberationMono, caladea) {
		for _, f := range s.altered[faceKey{family, bold, italic}] {
			f.ready()
			if f.Has(r) {
				return f
			}
		}
	}
	return nil
}

// Face returns the font for a family named in a document: the added one of that
// name, or an embedded one that stands in for it; it always finds one. See
// substitutes for which font replaces which.
func (s *FontSet) Face(family string, bold, italic bool) *Face {
	if f := s.byName(family, bold, italic); f != nil {
		return f
	}
	f := s.faces[faceKey{Substitute(family), bold, italic}]
	f.ready()
	return f
}

// Has reports whether documents get a family by its name, from an added font or from
// one that was made for it or resembles it.
func (s *FontSet) Has(family string) bool {
	if len(s.families[familyKey(family)]) > 0 {
		return true
	}
	_, isKnown := known(familyKey(family))
	return isKnown
}

// Fallback returns a face that has a glyph for a rune which the wanted face
// lacks, or nil when no font has one.
func (s *FontSet) Fallback(r rune, bold, italic bool) *Face {
	for _, family := range s.fallbacks {
		if isOnlyInScripts(r) {
			break
		}
		f := s.faces[faceKey{family, bold, italic}]
		f.ready()
		if f.Has(r) {
			return f
		}
	}
	if f := s.alter(r, bold, italic); f != nil {
		return f
	}
	var having []*Face
	for _, f := range s.added {
		if f.Has(r) {
			having = append(having, f)
		}
	}
	if best := nearest(having, bold, italic); best != nil {
		return best
	}
	return s.scriptFallback(r, bold, italic)
}

// ready panics on a font that cannot be read: those that are parsed at their
// first use are part of the program, so that is a broken build and not a state
// to live with.
func (f *Face) ready() {
	f.once.Do(func() {
		if err := f.parse(); err != nil {
			panic(fmt.Sprintf("embedded font %s: %v", f.Name, err))
		}
	})
}

func (f *Face) parse() (err error) {
	data := f.load()
	if f.tables, err = readGlyphTables(data, f.begin); err != nil {
		return fmt.Errorf("prepare for PDF: %w", err)
	}
	whole := data
	if f.script != nil || f.isBuiltIn {
		data = f.tables.withoutOutlines()
	}
	face, glyphs, err := parseFace(data, f.begin)
	if err != nil {
		return fmt.Errorf("parse: %w", err)
	}
	f.outlines = func() *font.Face { return face }
	if f.isBuiltIn {
		f.outlines = sync.OnceValue(func() *font.Face { return f.parseWhole(whole) })
	}
	em := float64(face.Upem())
	f.cmap = face.Cmap
	for r := range f.latin {
		if gid, ok := f.cmap.Lookup(rune(r)); ok && int(gid) < glyphs {
			f.latin[r] = gid
		}
	}
	f.advances = make([]float64, glyphs)
	for gid := range f.advances {
		f.advances[gid] = float64(face.HorizontalAdvance(font.GID(gid))) / em
	}
	if ext, ok := face.FontHExtents(); ok {
		f.ascent, f.descent, f.lineGap = float64(ext.Ascender)/em, -float64(ext.Descender)/em, float64(ext.LineGap)/em
	}
	if f.script != nil && f.script.isEastAsian {
		f.setEastAsian()
	}
	thick := float64(face.LineMetric(font.UnderlineThickness)) / em
	f.underline = [2]float64{-float64(face.LineMetric(font.UnderlinePosition))/em + thick/2, thick}
	thick = float64(face.LineMetric(font.StrikethroughThickness)) / em
	f.strike = [2]float64{float64(face.LineMetric(font.StrikethroughPosition))/em - thick/2, thick}
	f.kerns = kernTable{font: harfbuzz.NewFont(face), buf: harfbuzz.NewBuffer(), pairs: map[[2]font.GID]float64{}}
	if f.tables.loca == nil {
		f.tables.cubic(font.NewFace(face.Font))
	}
	if f.widthsOf != "" {
		f.fit()
	}
	f.load = nil
	return nil
}

// parseWhole parses an embedded font with its outlines.
func (f *Face) parseWhole(data []byte) *font.Face {
	face, _, err := parseFace(data, f.begin)
	if err != nil {
		panic(fmt.Sprintf("embedded font %s: %v", f.Name, err)) // the rest of it was parsed before
	}
	return face
}

func parseFace(data []byte, begin int) (face *font.Face, glyphs int, err error) {
	loaders, err := opentype.NewLoaders(bytes.NewReader(data))
	if err != nil {
		return nil, 0, err
	}
	at := slices.Index(offsets(data), begin)
	if at < 0 || at >= len(loaders) {
		return nil, 0, errFontTables
	}
	loader := loaders[at]
	maxp, err := loader.RawTable(opentype.MustNewTag("maxp"))
	if err != nil || len(maxp) < 6 {
		return nil, 0, fmt.Errorf("table maxp: %w", errors.Join(err, io.ErrUnexpectedEOF))
	}
	parsed, err := font.NewFont(loader)
	if err != nil {
		return nil, 0, err
	}
	return font.NewFace(parsed), int(binary.BigEndian.Uint16(maxp[4:])), nil
}

// glyph finds the glyph of a rune. Damaged fonts name some that they do not have.
func (f *Face) glyph(r rune) (font.GID, bool) {
	if f.isBoxes {
		return 1, true
	}
	if r >= 0 && int(r) < len(f.latin) {
		return f.latin[r], f.latin[r] != 0
	}
	gid, ok := f.cmap.Lookup(r)
	return gid, ok && gid != 0 && int(gid) < len(f.advances)
}

// Has reports whether the face can draw the rune.
func (f *Face) Has(r rune) bool {
	_, ok := f.glyph(r)
	return ok
}

// Advance is the width of a rune in points at a size in points, without
// kerning; false when the face lacks the rune.
func (f *Face) Advance(r rune, size float64) (float64, bool) {
	gid, ok := f.glyph(r)
	if !ok {
		return 0, false
	}
	return f.advances[gid] * size, true
}

// Kern is what the font's kerning (GPOS, else the kern table) adds to the
// advance of a before b, in points; mostly negative.
func (f *Face) Kern(a, b rune, size float64) float64 {
	if f.isBoxes || f.widthsOf != "" { // the kerning of the other font is not known
		return 0
	}
	ga, okA := f.glyph(a)
	gb, okB := f.glyph(b)
	if !okA || !okB {
		return 0
	}
	k := &f.kerns
	k.mu.Lock()
	defer k.mu.Unlock()
	v, ok := k.pairs[[2]font.GID{ga, gb}]
	if !ok {
		v = k.shape(a, b, f.advances[ga])
		k.pairs[[2]font.GID{ga, gb}] = v
	}
	return v * size
}

var kernOnly = []harfbuzz.Feature{
	feature("kern", 1), feature("liga", 0), feature("clig", 0), feature("calt", 0), feature("rlig", 0), feature("ccmp", 0), feature("locl", 0),
}

func feature(tag string, value uint32) harfbuzz.Feature {
	return harfbuzz.Feature{Tag: opentype.MustNewTag(tag), Value: value, Start: harfbuzz.FeatureGlobalStart, End: harfbuzz.FeatureGlobalEnd}
}

func (k *kernTable) shape(a, b rune, advance float64) float64 {
	k.buf.Clear()
	k.buf.AddRunes([]rune{a, b}, 0, 2)
	k.buf.GuessSegmentProperties()
	k.buf.Shape(k.font, kernOnly)
	if len(k.buf.Pos) != 2 {
		return 0
	}
	em := float64(k.font.Face().Upem())
	v := float64(k.buf.Pos[0].XAdvance)/em - advance
	const most = 0.5 // em: what is more is of a mark, or of a script that is not set from left to right
	if math.Abs(v) > most {
		return 0
	}
	return v
}

// Ascent is the height of a line above its baseline in points, by the font's
// own tables (hhea, or OS/2 where it asks for typographic metrics).
func (f *Face) Ascent(size float64) float64 { return f.ascent * size }

// Descent is the depth of a line below its baseline in points, positive.
func (f *Face) Descent(size float64) float64 { return f.descent * size }

// LineGap is what the font wants between lines in points; text documents count
// it (above the ascent), slides do not.
func (f *Face) LineGap(size float64) float64 { return f.lineGap * size }

// Underline gives where an underline runs: the distance of its middle below
// the baseline and its thickness, in points.
func (f *Face) Underline(size float64) (offset, thickness float64) {
	return f.underline[0] * size, f.underline[1] * size
}

// Strikethrough gives where a strike-through line runs: the distance of its
// middle above the baseline and its thickness, in points.
func (f *Face) Strikethrough(size float64) (offset, thickness float64) {
	return f.strike[0] * size, f.strike[1] * size
}

// Extent is the box around a character's outline at a size in points: from its left and right
// edges to its place, and from its top and bottom to the baseline, upwards. It is false for what
// shows nothing.
func (f *Face) Extent(r rune, size float64) (left, bottom, right, top float64, ok bool) {
	gid, has := f.glyph(r)
	outline := f.tables.outline(uint16(gid))
	if !has || len(outline) < outlineHeader {
		return 0, 0, 0, 0, false
	}
	at := func(i int) float64 {
		return float64(int16(binary.BigEndian.Uint16(outline[i:]))) / float64(f.tables.em()) * size
	}
	return at(2), at(4), at(6), at(8), true
}
