package layout

import (
	"unicode"

	"github.com/platenhq/platen/internal/drive/office"
)

// canBreak says whether a line may end after glyph i. The rules are those of
// Unicode's line breaking (UAX 14) for what office documents hold: spaces,
// hyphens, dashes, and East Asian text with its forbidden places. As in
// LibreOffice and Word, no line ends behind a slash.
func canBreak(glyphs []glyph, i int) bool {
	if i+1 >= len(glyphs) {
		return true
	}
	g, next := &glyphs[i], &glyphs[i+1]
	if g.object != nil || next.object != nil {
		return canBreakAtObject(g, next)
	}
	a, b := g.r, next.r
	if isSpace(b) {
		return false // the space goes with the word before it
	}
	switch {
	case isSpace(a) || a == '\u200B':
		return true
	case a < 0x80 && b < 0x80:
		return asciiBreak(glyphs, i, a, b)
	}
	return wideBreak(a, b)
}

func canBreakAtObject(g, next *glyph) bool {
	if next.object != nil && next.object.takesNoRoom() {
		return g.object == nil && isSpace(g.r)
	}
	if g.object != nil && g.object.takesNoRoom() {
		return false
	}
	if g.object != nil && g.object.kind == office.TabItem {
		return next.object != nil || !isSpace(next.r)
	}
	if next.object != nil && next.object.kind == office.TabItem {
		return true
	}
	if g.object == nil {
		return isSpace(g.r) || next.object.kind == office.DrawingItem
	}
	return next.object != nil || !isSpace(next.r)
}

// takesNoRoom is true for what stands in the text without being seen there.
func (o *object) takesNoRoom() bool {
	switch o.kind {
	case office.BookmarkItem, office.FootnoteItem, office.EndnoteItem:
		return true
	case office.DrawingItem:
		return o.drawing == nil || o.drawing.Anchor != nil
	}
	return false
}

func isSpace(r rune) bool {
	return r == ' ' || r >= '\u2000' && r <= '\u200A' && r != '\u2007' || r == '\u3000' || r == '\u205F' || r == '\u1680'
}

func asciiBreak(glyphs []glyph, i int, a, b rune) bool {
	switch a {
	case '+', '$', '\\': // prefixes, which stick to what they stand in front of
		return b == '+' || b == '$' || b == '\\'
	case '-':
		if i == 0 || glyphs[i-1].object != nil || isSpace(glyphs[i-1].r) {
			return false // a minus or a dash in front of a word
		}
		return !closes(b) && (!isDigit(b) || isDigit(glyphs[i-1].r))
	case '!', '?', '}', '|':
		return isLetter(b) || isDigit(b) || b == '{'
	case ')', ']':
		return b == '(' || b == '[' || b == '{'
	}
	return false
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isLetter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80 && unicode.IsLetter(r)
}

// closes lists what never begins a line.
func closes(r rune) bool {
	switch r {
	case '.', ',', ';', ':', '!', '?', ')', ']', '}', '%', '/', '-', '"', '\'', '\u2019', '\u201D', '\u00BB', '\u2026', '|':
		return true
	}
	return false
}

func wideBreak(a, b rune) bool {
	switch a {
	case '\u2010', '\u2012', '\u2013', '\u00AD':
		return !closes(b)
	case '\u2014':
		return b != '\u2014' && !closes(b)
	case '\u2026':
		return isLetter(b) || isDigit(b)
	case '-':
		return isLetter(b)
	case '!', '?', '|':
		return isLetter(b)
	}
	if b == '\u2014' {
		return a != '\u00A0' && a != '\u2014' && !opens(a)
	}
	wideA, wideB := isIdeographic(a), isIdeographic(b)
	if !wideA && !wideB {
		return false
	}
	if closes(b) || neverStarts(b) || opens(a) || neverEnds(a) || a == '\u00A0' || b == '\u00A0' || a == '\u2060' || b == '\u2060' {
		return false
	}
	return true
}

func opens(r rune) bool {
	switch r {
	case '(', '[', '{', '"', '\'', '\u2018', '\u201C', '\u00AB', '\u00A1', '\u00BF':
		return true
	}
	return false
}

func isIdeographic(r rune) bool {
	return r >= 0x2E80 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7AF || r >= 0xF900 && r <= 0xFAFF ||
		r >= 0xFE30 && r <= 0xFE4F || r >= 0xFF00 && r <= 0xFFEF || r >= 0x20000 && r <= 0x3FFFF
}

// neverStarts and neverEnds are the forbidden places of East Asian typesetting.
func neverStarts(r rune) bool {
	switch r {
	case '、', '。', '，', '．', '：', '；', '！', '？', '）', '」', '』', '】', '〉', '》', '〕', '］', '｝', '・', 'ー', '々', 'ぁ', 'ぃ', 'ぅ', 'ぇ', 'ぉ', 'っ', 'ゃ', 'ゅ', 'ょ', 'ァ', 'ィ', 'ゥ', 'ェ', 'ォ', 'ッ', 'ャ', 'ュ', 'ョ', '％', '”', '’':
		return true
	}
	return false
}

func neverEnds(r rune) bool {
	switch r {
	case '（', '「', '『', '【', '〈', '《', '〔', '［', '｛', '“', '‘', '￥', '＄':
		return true
	}
	return false
}
