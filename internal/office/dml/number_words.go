package dml

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"
	"golang.org/x/text/language"

	"github.com/platenhq/platen/internal/template/words"
)

// NumberIn is FormatNumber for text of a language, such as "de-AT": some formats are its
// words. An unknown language counts as English. The second result is false where the
// number is written in figures because the format, or its words for the number, are not
// known.
func NumberIn(n int, format, lang string) (string, bool) {
	tag, err := language.Parse(lang)
	if err != nil || !words.Knows(tag) {
		tag = language.English
	}
	number, isSpelled := decimal.NewFromInt(int64(n)), true
	var text string
	switch format {
	case "cardinalText":
		text, err = words.Spell(number, tag, ".")
		text = capitalized(text)
	case "ordinalText":
		text, err = words.SpellOrdinal(number, tag)
		text = capitalized(text)
	case "hindiCounting":
		text, err = words.Spell(number, language.Hindi, ".")
	case "thaiCounting":
		text, err = words.Spell(number, language.Thai, ".")
	case "vietnameseCounting":
		text, err = words.Spell(number, language.Vietnamese, ".")
	case "bahtText":
		text, err = words.Spell(number, language.Thai, ".")
		text += "บาทถ้วน"
	case "dollarText":
		text, err = words.Spell(number, language.English, ".")
		text = capitalized(text) + " and 00/100"
	case "ordinal":
		return strconv.Itoa(n) + ordinalSuffix(n, tag), true
	default:
		isSpelled = false
	}
	switch {
	case !isSpelled:
		return FormatNumber(n, format), isNumberFormat(format)
	case err != nil:
		return strconv.Itoa(n), false
	}
	return text, true
}

// isNumberFormat tells of the formats that FormatNumber knows.
func isNumberFormat(format string) bool {
	switch format {
	case "", "decimal", "decimalHalfWidth", "upperRoman", "lowerRoman", "upperLetter", "lowerLetter", "decimalZero", "ordinal", "none", "bullet", "hex", "chicago", "numberInDash":
		return true
	}
	_, isPadded := padded(1, format)
	_, isScript := scriptNumber(1, format)
	return isPadded || isScript
}

// CustomFormat begins a format of one's own, such as "custom:001, 002, 003, ...".
const CustomFormat = "custom:"

// padded writes a number in a format of one's own that puts zeros in front.
func padded(n int, format string) (string, bool) {
	format, isCustom := strings.CutPrefix(format, CustomFormat)
	first, _, _ := strings.Cut(format, ",")
	if first = strings.TrimSpace(first); !isCustom || first == "" || strings.Trim(first, "0123456789") != "" {
		return "", false
	}
	return fmt.Sprintf("%0*d", min(len(first), mostRepeated), n), true
}

func capitalized(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToTitle(r)) + text[size:]
}

// ordinalSuffix is what stands behind figures that say a place in an order. Languages
// that are not named here take a point.
func ordinalSuffix(n int, tag language.Tag) string {
	base, _ := tag.Base()
	switch base.String() {
	case "en":
		return englishSuffix(n)
	case "fr":
		if n == 1 {
			return "er"
		}
		return "e"
	case "nl":
		return "e"
	case "es", "it", "pt":
		return "º"
	case "ca":
		switch n {
		case 1, 3:
			return "r"
		case 2:
			return "n"
		case 4:
			return "t"
		}
		return "è"
	case "sv":
		if last := n % 10; (last == 1 || last == 2) && n%100/10 != 1 {
			return ":a"
		}
		return ":e"
	case "ru":
		return "-й"
	case "uk":
		return "-й"
	case "el":
		return "ος"
	}
	return "."
}

func englishSuffix(n int) string {
	if n%100 >= 11 && n%100 <= 13 {
		return "th"
	}
	switch n % 10 {
	case 1:
		return "st"
	case 2:
		return "nd"
	case 3:
		return "rd"
	}
	return "th"
}
