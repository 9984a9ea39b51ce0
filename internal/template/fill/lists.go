package fill

import (
	"strings"

	"google.golang.org/api/docs/v1"
)

// entry says that a paragraph belongs to a list; the zero entry: to none.
type entry struct {
	list   string // the list's id
	level  int64  // how deep it is nested, from 0
	preset string // of createParagraphBullets, as near to the list as there is one
	counts bool   // it has a number
}

// Google's presets for lists without numbers, by the sign of the first level, and
// the presets that are used most.
const (
	presetDisc     = "BULLET_DISC_CIRCLE_SQUARE"
	presetCheckbox = "BULLET_CHECKBOX"
	presetDecimal  = "NUMBERED_DECIMAL_ALPHA_ROMAN"
	presetParens   = "NUMBERED_DECIMAL_ALPHA_ROMAN_PARENS"
	presetNested   = "NUMBERED_DECIMAL_NESTED"
	presetZero     = "NUMBERED_ZERODECIMAL_ALPHA_ROMAN"
	presetLetter   = "NUMBERED_UPPERALPHA_ALPHA_ROMAN"
	presetRoman    = "NUMBERED_UPPERROMAN_UPPERALPHA_DECIMAL"
)

// signPreset is the preset whose first sign is this one.
func signPreset(sign string) string {
	switch sign {
	case "❖":
		return "BULLET_DIAMONDX_ARROW3D_SQUARE"
	case "❏", "☐":
		return presetCheckbox
	case "➔":
		return "BULLET_ARROW_DIAMOND_DISC"
	case "★":
		return "BULLET_STAR_CIRCLE_SQUARE"
	case "➢":
		return "BULLET_ARROW3D_CIRCLE_SQUARE"
	case "◄":
		return "BULLET_LEFTTRIANGLE_DIAMOND_DISC"
	case "◆":
		return "BULLET_DIAMOND_CIRCLE_SQUARE"
	}
	return presetDisc
}

// docsPreset is the preset of a document's list, by its first level. A checklist
// has a level without a type and without a sign (documents, NestingLevel).
func docsPreset(l docs.List) string {
	if l.ListProperties == nil || len(l.ListProperties.NestingLevels) == 0 {
		return presetDisc
	}
	levels := l.ListProperties.NestingLevels
	switch first := levels[0]; first.GlyphType {
	case "DECIMAL", "ALPHA", "ROMAN":
		if strings.HasSuffix(first.GlyphFormat, ")") {
			return presetParens
		}
		if len(levels) > 1 && strings.Contains(levels[1].GlyphFormat, "%0") {
			return presetNested
		}
		return presetDecimal
	case "ZERO_DECIMAL":
		return presetZero
	case "UPPER_ALPHA":
		return presetLetter
	case "UPPER_ROMAN":
		return presetRoman
	case "NONE":
		return presetDisc
	default:
		if first.GlyphSymbol == "" {
			return presetCheckbox
		}
		return signPreset(first.GlyphSymbol)
	}
}

// docsCounts tells whether entries of a level have numbers.
func docsCounts(l docs.List, level int64) bool {
	if l.ListProperties == nil || level >= int64(len(l.ListProperties.NestingLevels)) {
		return false
	}
	switch l.ListProperties.NestingLevels[level].GlyphType {
	case "", "NONE", "GLYPH_TYPE_UNSPECIFIED":
		return false
	}
	return true
}

// slidesPreset is the preset of a paragraph that shows this glyph on a slide.
func slidesPreset(glyph string) string {
	number := strings.TrimRight(glyph, ".)")
	switch {
	case number == glyph || number == "":
		return signPreset(glyph)
	case strings.HasSuffix(glyph, ")"):
		return presetParens
	case number[0] == '0':
		return presetZero
	case strings.Trim(number, "IVXLC") == "" && number != "C" && number != "L":
		return presetRoman
	case number[0] >= 'A' && number[0] <= 'Z':
		return presetLetter
	}
	return presetDecimal
}
