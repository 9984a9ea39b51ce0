// Package bidi says in which direction the characters of a text run, and in
// which order they stand in a line (Unicode's bidirectional algorithm, UAX 9).
// What characters look like is for those who draw them.
package bidi

import (
	"slices"

	"github.com/go-text/typesetting/bidi"
	ucd "golang.org/x/text/unicode/bidi"
)

// MayTurn says whether a character can make text run from right to left: most
// texts have none, and need none of this package.
func MayTurn(r rune) bool {
	return r >= 0x590 && (r < 0x900 || r >= 0x200E && r <= 0x2069 && (r == 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2066) ||
		r >= 0xFB1D && r <= 0xFDFF || r >= 0xFE70 && r <= 0xFEFF || r >= 0x10800 && r <= 0x10FFF || r >= 0x1E800 && r <= 0x1EFFF)
}

// longest is how many characters are looked at together: the time that brackets and
// isolates take grows with the square of their number.
const longest = 2000

// Levels gives each character of a paragraph its level: an odd one runs from
// right to left. isRTL is the direction of the paragraph. One that is longer than
// any that people write is taken in parts.
func Levels(runes []rune, isRTL bool) []uint8 {
	levels := make([]uint8, 0, len(runes))
	for part := range slices.Chunk(runes, longest) {
		levels = append(levels, levelsOf(part, isRTL)...)
	}
	return levels
}

func levelsOf(runes []rune, isRTL bool) []uint8 {
	text := slices.Clone(runes)
	for i, r := range text {
		if r == '\n' || r == '\r' || r == '\u2029' || r >= 0x1C && r <= 0x1E || r == 0x85 {
			text[i] = '\u2028' // a line's end; the algorithm would stop at a paragraph's
		}
	}
	direction := bidi.LeftToRight
	if isRTL {
		direction = bidi.RightToLeft
	}
	var paragraph bidi.Paragraph
	runs := paragraph.Segment(text, direction)
	levels := make([]uint8, len(text))
	for i := range runs.NumRuns() {
		run := runs.Run(i)
		for at := run.Start; at < run.End; at++ {
			levels[at] = uint8(run.Level)
		}
		if !isRTL && run.Level%2 == 0 {
			parts(levels[run.Start:run.End], text[run.Start:run.End])
		}
	}
	return levels
}

// parts tells the levels 0 and 2 apart, which the algorithm's runs have together:
// in a text from left to right, numbers up to the first letter belong to the letters
// that run the other way in front of them (rules W2 and I1), and Arabic ones always.
func parts(levels []uint8, text []rune) {
	hasLetter := levels[0] == 0
	last := -1 // number of level 2
	for i, r := range text {
		levels[i] = 0
		properties, _ := ucd.LookupRune(r)
		switch class := properties.Class(); {
		case class == ucd.L:
			hasLetter, last = true, -1
			continue
		case class != ucd.AN && (class != ucd.EN || hasLetter):
			continue
		}
		for at := i; at > last && last >= 0; at-- {
			levels[at] = 2
		}
		levels[i], last = 2, i
	}
}

// Order is the order from left to right of characters with these levels (rule L2).
func Order(levels []uint8) []int {
	order := make([]int, len(levels))
	highest := uint8(0)
	for i, level := range levels {
		order[i], highest = i, max(highest, level)
	}
	for level := highest; level > 0; level-- {
		for i := 0; i < len(order); i++ {
			from := i
			for i < len(order) && levels[order[i]] >= level {
				i++
			}
			slices.Reverse(order[from:i])
		}
	}
	return order
}

// EndSpaces gives the spaces at the end of a line, and those in front of tabs, the
// level of their paragraph (rule L1).
func EndSpaces(levels []uint8, runes []rune, base uint8) {
	atEnd := true
	for i := len(runes) - 1; i >= 0; i-- {
		properties, _ := ucd.LookupRune(runes[i])
		switch properties.Class() {
		case ucd.S, ucd.B:
			atEnd = true
		case ucd.WS, ucd.BN:
		default:
			atEnd = false
		}
		if atEnd {
			levels[i] = base
		}
	}
}

// BeginsRightToLeft says whether the first letter of a text runs from right to left
// (rules P2 and P3), for texts that do not say themselves.
func BeginsRightToLeft(runes []rune) bool {
	for _, r := range runes {
		properties, _ := ucd.LookupRune(r)
		switch properties.Class() {
		case ucd.L:
			return false
		case ucd.R, ucd.AL:
			return true
		}
	}
	return false
}
