package pdf

import (
	"math"
	"slices"
	"unicode"

	"github.com/go-text/typesetting/harfbuzz"
	"github.com/go-text/typesetting/language"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/render/bidi"
)

// Cluster is what a font makes of one character, or of some that stand together:
// an Arabic letter in the form that its neighbours ask for, a Thai vowel with its
// consonant.
type Cluster struct {
	face   *Face
	glyphs []shapedGlyph // from left to right
	// Advance is its width in em.
	Advance float64
	// whole is its text where its glyphs are drawn as one: a letter with its marks, a
	// vowel that stands on both sides of its consonant. Programs that read a PDF would
	// take a mark for another word, or another line.
	whole string
}

// shapedGlyph is a glyph with its place from the left of its cluster and above the
// baseline, in em, and the characters that a reader finds there.
type shapedGlyph struct {
	gid  uint16
	x, y float64
	text string
	// isMark is true for what takes no room of its own.
	isMark bool
}

// IsJoined says that a character belongs to the cluster of the one in front of it,
// so that no line ends between them.
func (c *Cluster) IsJoined() bool { return c != nil && len(c.glyphs) == 0 }

// shapedScripts are those whose letters change with their neighbours, carry marks
// or run from right to left.
var shapedScripts = []*unicode.RangeTable{
	unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Devanagari, unicode.Bengali,
	unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
	unicode.Sinhala, unicode.Thai, unicode.Lao, unicode.Tibetan, unicode.Myanmar, unicode.Khmer, unicode.Mongolian,
	unicode.Balinese, unicode.Javanese, unicode.Sundanese, unicode.Meetei_Mayek, unicode.Adlam,
}

// firstComplex is the first character of a script that is shaped.
const firstComplex = 0x590

// IsComplex says whether a character is of a script that office files format apart
// (ECMA-376 part 1, 17.3.2.26): one whose letters change, or run from right to left.
func IsComplex(r rune) bool {
	if r < firstComplex || r >= 0x2070 && r < 0xA800 {
		return false
	}
	return bidi.MayTurn(r) || unicode.In(r, shapedScripts...)
}

// joining characters change with those in front of them: accents that are
// written apart, parts of Korean syllables, and what makes one picture of several emoji.
var joining = []block{
	{0x0300, 0x036F}, {0x1100, 0x11FF}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200D, 0x200D}, {0x20D0, 0x20FF}, {0xFE20, 0xFE2F},
	{0x1F1E6, 0x1F1FF}, {0x1F3FB, 0x1F3FF}, {0xE0020, 0xE007F},
}

// NeedsShaping says whether a character is drawn rightly only by Shape.
func NeedsShaping(r rune) bool {
	if r < joining[0].first {
		return false
	}
	return IsComplex(r) || isIn(r, joining)
}

// Shape makes clusters of a paragraph's characters, by their faces and levels
// (package bidi). A character that is drawn as it is has none; one that belongs to
// the cluster in front of it has one of its own that is empty.
func Shape(runes []rune, faces []*Face, levels []uint8) []*Cluster {
	out := make([]*Cluster, len(runes))
	for from := 0; from < len(runes); {
		script, to := scriptOf(runes[from]), from+1
		for to < len(runes) && faces[to] == faces[from] && levels[to] == levels[from] {
			next := scriptOf(runes[to])
			if script != language.Common && next != language.Common && next != script {
				break
			}
			if script == language.Common {
				script = next
			}
			to++
		}
		if f := faces[from]; f != nil && !f.isBoxes && (levels[from]%2 == 1 || hasShaped(runes[from:to])) {
			f.shape(runes, from, to, levels[from]%2 == 1, script, out)
		}
		from = to
	}
	return out
}

func hasShaped(runes []rune) bool {
	for _, r := range runes {
		if NeedsShaping(r) {
			return true
		}
	}
	return false
}

// scriptOf is a character's script; what several have is common.
func scriptOf(r rune) language.Script {
	if s := language.LookupScript(r); s != language.Inherited && s != language.Unknown {
		return s
	}
	return language.Common
}

// shape fills the clusters of the characters from from to to, which have one face,
// direction and script. Letters join those beyond.
func (f *Face) shape(runes []rune, from, to int, isRTL bool, script language.Script, out []*Cluster) {
	k := &f.kerns
	k.mu.Lock()
	defer k.mu.Unlock()
	k.buf.Clear()
	k.buf.AddRunes(runes, from, to-from)
	k.buf.Props = harfbuzz.SegmentProperties{Script: script, Direction: harfbuzz.LeftToRight}
	if isRTL {
		k.buf.Props.Direction = harfbuzz.RightToLeft
	}
	k.buf.Shape(k.font, shapingFeatures(script))
	em := float64(k.font.Face().Upem())
	for i := range to - from {
		out[from+i] = &Cluster{face: f}
	}
	for i := 0; i < len(k.buf.Info); {
		cluster := k.buf.Info[i].Cluster
		c, x := out[cluster], 0.0
		for ; i < len(k.buf.Info) && k.buf.Info[i].Cluster == cluster; i++ {
			at := k.buf.Pos[i]
			gid := uint16(k.buf.Info[i].Glyph)
			if int(gid) < len(f.advances) && !Invisible(runes[cluster]) {
				c.glyphs = append(c.glyphs, shapedGlyph{gid: gid, x: x + float64(at.XOffset)/em, y: float64(at.YOffset) / em, isMark: at.XAdvance == 0})
			}
			x += float64(at.XAdvance) / em
		}
		c.Advance = x
	}
	tellText(runes, from, to, isRTL, out)
}

// shapingFeatures are what a script is shaped by. Letters beside an accent that is
// written apart stand as they do without it: kerning is for documents to ask for.
func shapingFeatures(script language.Script) []harfbuzz.Feature {
	switch script {
	case language.Latin, language.Greek, language.Cyrillic:
		return plainLetters
	}
	return nil
}

var plainLetters = []harfbuzz.Feature{feature("kern", 0), feature("liga", 0), feature("clig", 0)}

// tellText gives each cluster the characters that it is found by, together or glyph by
// glyph: one each, and the first in reading order those that are left over.
func tellText(runes []rune, from, to int, isRTL bool, out []*Cluster) {
	for i := from; i < to; {
		c, end := out[i], i+1
		for end < to && len(out[end].glyphs) == 0 {
			end++
		}
		if (!isRTL || c.face.script != nil) && c.isWhole(end-i) { // pdftotext turns letters and marks around that run from right to left
			c.whole = string(runes[i:end])
		}
		more := max(0, end-i-len(c.glyphs))
		for n := range c.glyphs {
			g := &c.glyphs[n]
			if isRTL {
				g = &c.glyphs[len(c.glyphs)-1-n]
			}
			first, last := i+n+more, i+n+more+1
			if n == 0 {
				first = i
			}
			if first < end {
				g.text = string(runes[first:last])
			}
		}
		i = end
	}
}

// isWhole says whether the glyphs of some characters are drawn as one.
func (c *Cluster) isWhole(characters int) bool {
	return len(c.glyphs) > characters ||
		len(c.glyphs) > 1 && slices.ContainsFunc(c.glyphs, func(g shapedGlyph) bool { return g.isMark || g.y != 0 })
}

// Clusters draws clusters at their places, each as wide as its stretch of size.
// Those that come in the order of their places, from left to right, are found as
// one text.
func (c *Canvas) Clusters(xs []float64, baseline float64, clusters []*Cluster, size, stretch float64, color dml.RGB) {
	if size <= 0 || len(c.pages) == 0 {
		return
	}
	var codes []uint16
	var used *canvasFont
	var start, next, height float64
	flush := func() {
		if len(codes) > 0 {
			c.showCodes(start, baseline-height, codes, used, size, stretch, color)
		}
		codes = codes[:0]
	}
	for i, cluster := range clusters {
		if cluster.Advance > 0 {
			c.noteLetter(xs[i]+cluster.Advance*size*stretch/2, baseline, size)
		}
		for _, g := range cluster.drawn() {
			x, y := xs[i]+g.x*size*stretch, g.y*size
			font := c.use(cluster.face)
			if font != used || math.Abs(x-next) > textDrift || math.Abs(y-height) > textDrift {
				flush()
				used, start, height, next = font, x, y, x
			}
			var code uint16
			if cluster.whole != "" {
				code = font.wholeCode(cluster)
			} else {
				code = font.code(g.gid, g.text)
			}
			codes = append(codes, code)
			next += float64(font.width(code)) / 1000 * size * stretch
		}
	}
	flush()
}

// drawn are the glyphs that a text shows: one for all, where they are drawn as one.
func (c *Cluster) drawn() []shapedGlyph {
	if c.whole != "" {
		return []shapedGlyph{{text: c.whole}}
	}
	return c.glyphs
}

// letter is a character of a shaped text in its place.
type letter struct {
	r       rune
	cluster *Cluster
	x       float64
}

// set lays a text that needs shaping out from x on; its first letter decides in
// which direction it runs. It returns the letters from left to right.
func set(x float64, runes []rune, f *Face, size float64, opts TextOptions) (letters []letter, end float64) {
	faces := make([]*Face, len(runes))
	for i, r := range runes {
		var before *Face
		if i > 0 {
			before = faces[i-1]
		}
		faces[i], _ = FaceBehind(before, f, r)
	}
	levels := bidi.Levels(runes, bidi.BeginsRightToLeft(runes))
	clusters := Shape(runes, faces, levels)
	for _, i := range bidi.Order(levels) {
		c := clusters[i]
		if c.IsJoined() || c == nil && Invisible(runes[i]) {
			continue
		}
		letters = append(letters, letter{r: runes[i], cluster: c, x: x})
		if c != nil {
			x += c.Advance * size
		} else {
			face, shown := FaceFor(f, runes[i])
			w, _ := face.Advance(shown, size)
			x += w
		}
		x += opts.CharSpacing
	}
	return letters, x
}

// letters draws what set has laid out.
func (c *Canvas) letters(letters []letter, baseline float64, f *Face, size float64, color dml.RGB) {
	for i := 0; i < len(letters); {
		var xs []float64
		var runes []rune
		var clusters []*Cluster
		isShaped := letters[i].cluster != nil
		for ; i < len(letters) && (letters[i].cluster != nil) == isShaped; i++ {
			xs, runes, clusters = append(xs, letters[i].x), append(runes, letters[i].r), append(clusters, letters[i].cluster)
		}
		if isShaped {
			c.Clusters(xs, baseline, clusters, size, 1, color)
		} else {
			c.TextAt(xs, baseline, runes, f, size, color)
		}
	}
}
