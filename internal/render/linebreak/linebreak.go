// Package linebreak says between which characters a line may end. What fits
// into a line is for those who set text.
package linebreak

import (
	"strings"
	"unicode"
)

// A Policy is in what the texts of documents and of slides differ.
type Policy struct {
	// BreaksAfterSlash lets a line end behind a slash in front of a letter, as on
	// slides; LibreOffice's and Word's documents never do.
	BreaksAfterSlash bool
}

// Allowed says whether a line may end between a and b; before is the character
// in front of a, 0 for none. The rules are those of Unicode's line breaking (UAX
// 14) for what office documents hold: spaces, hyphens, dashes, and East Asian
// text with its forbidden places.
func Allowed(before, a, b rune, policy Policy) bool {
	switch {
	case IsSpace(b):
		return false // the space goes with the word before it
	case IsSpace(a) || a == '\u200B':
		return true
	case a < 0x80 && b < 0x80:
		return asciiBreak(before, a, b, policy)
	case a == '/':
		return policy.BreaksAfterSlash && isLetter(b)
	}
	return wideBreak(a, b)
}

// IsSpace tells of characters that stand between words and let lines end.
func IsSpace(r rune) bool {
	return r == ' ' || r >= '\u2000' && r <= '\u200A' && r != '\u2007' || r == '\u3000' || r == '\u205F' || r == '\u1680'
}

func asciiBreak(before, a, b rune, policy Policy) bool {
	switch a {
	case '+', '$', '\\': // prefixes, which stick to what they stand in front of
		return b == '+' || b == '$' || b == '\\'
	case '/':
		return policy.BreaksAfterSlash && isLetter(b)
	case '-':
		if before == 0 || IsSpace(before) {
			return false // a minus or a dash in front of a word
		}
		return !closes(b) && (!isDigit(b) || isDigit(before))
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
	if beginsSyllable(b) || a == '\u0E46' || a == '\u0EC6' { // a sign that repeats the word in front of it
		return isThai(a) && isThai(b)
	}
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
	wideA, wideB := IsIdeographic(a), IsIdeographic(b)
	if !wideA && !wideB {
		return false
	}
	if closes(b) || neverStarts(b) || opens(a) || neverEnds(a) || a == '\u00A0' || b == '\u00A0' || a == '\u2060' || b == '\u2060' {
		return false
	}
	return true
}

// beginsSyllable tells of the vowels of Thai and Lao that stand in front of their
// consonant. These scripts do not separate words; without a dictionary, only a
// break before such a vowel is sure to keep syllables whole.
func beginsSyllable(r rune) bool { return r >= 'เ' && r <= 'ไ' || r >= 'ເ' && r <= 'ໄ' }

// isThai tells of letters and vowels of Thai and Lao, without their signs and digits.
func isThai(r rune) bool {
	return r >= 'ก' && r <= '\u0E4E' && r != '฿' || r >= 'ກ' && r <= '\u0ECE'
}

func opens(r rune) bool {
	switch r {
	case '(', '[', '{', '"', '\'', '\u2018', '\u201C', '\u00AB', '\u00A1', '\u00BF':
		return true
	}
	return false
}

// FirstIdeographic is the first East Asian character: most texts have none.
const FirstIdeographic = '\u2E80'

// IsIdeographic tells of East Asian characters, between which lines may end.
func IsIdeographic(r rune) bool {
	return r >= FirstIdeographic && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7AF || r >= 0xF900 && r <= 0xFAFF ||
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

// Hangs tells of punctuation that may stand behind the end of a line of East Asian
// text in a language.
func Hangs(r rune, lang string) bool {
	switch r {
	case '、', '。', '，', '．':
		return true
	case '；', '：', '！', '？':
		return !strings.HasPrefix(lang, "ja")
	}
	return false
}
