package flow

import (
	"strings"
	"unicode"

	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/linebreak"
	"github.com/platenhq/platen/internal/render/pdf"
)

// chooseScript sets the formatting for a character; what is no letter has that of
// the letter in front of it.
func (b *glyphBuilder) chooseScript(r rune) {
	switch {
	case b.plain.RTL || b.plain.CS:
	case pdf.IsComplex(r):
		b.setComplex(true)
	case b.isComplex && unicode.IsLetter(r):
		b.setComplex(false)
	}
}

// scriptStyle is the style for a character by its script. What is of no script has that
// of the character in front of it.
func (b *glyphBuilder) scriptStyle(r rune, isSmall bool) *textStyle {
	const ideograph = '漢'
	isEastAsian := linebreak.IsIdeographic(r)
	switch {
	case !isOfNoScript(r):
		b.isEastAsian = isEastAsian
	case b.isEastAsian:
		return b.foreignStyle(b.style(b.props.Font(ideograph), isSmall), r, b.props.Fonts.EastAsia, isSmall)
	}
	style := b.style(b.props.Font(r), isSmall)
	switch {
	case style.face.Has(r):
		return style
	case isEastAsian:
		return b.foreignStyle(style, r, b.props.Fonts.EastAsia, isSmall)
	case pdf.IsComplex(r):
		return b.foreignStyle(style, r, b.props.Fonts.ComplexScript, isSmall)
	}
	return style
}

// foreignStyle is the style for a character of a script that the font of its style
// lacks. Where the document names a font that is there, its lines stay as high as they
// are. Else the font that has the script of the text's language takes its place, with
// lines and spaces of its own.
func (b *glyphBuilder) foreignStyle(style *textStyle, r rune, named string, isSmall bool) *textStyle {
	if named != "" && b.fonts.Has(named) {
		return style
	}
	letter := complexLetter(b.props.ComplexLang)
	if !pdf.IsComplex(r) {
		letter = eastAsianLetter(b.props.EastAsianLang)
	}
	if letter == 0 || style.face.Has(letter) {
		return style
	}
	face, _ := pdf.FaceFor(style.face, letter)
	if isOfNoScript(r) && !face.Has(r) && !linebreak.IsSpace(r) && r != '\u00A0' {
		if face = b.fonts.ChineseQuotes(r, b.props.Bold, b.props.Italic); face == nil || !isChinese(b.props.EastAsianLang) {
			return style
		}
	}
	for i := range b.styles {
		if s := &b.styles[i]; s.isSmall == isSmall && s.isComplex == b.isComplex && s.foreign == face {
			return s.style
		}
	}
	return b.addStyle(face, styleEntry{isSmall: isSmall, foreign: face})
}

// isOfNoScript tells of spaces, and of quotes, dashes and dots that many scripts have.
func isOfNoScript(r rune) bool {
	return r == ' ' || r == '\u00A0' || r >= 0x2000 && r <= 0x206F
}

// beginsEastAsian says whether the first character of a paragraph that is of a script
// is of an East Asian one.
func beginsEastAsian(p *wml.Paragraph) bool {
	for _, run := range p.Runs {
		for i := range run.Items {
			for _, r := range run.Items[i].Text {
				if !isOfNoScript(r) {
					return linebreak.IsIdeographic(r)
				}
			}
		}
	}
	return false
}

func isChinese(lang string) bool { return lang == "" || strings.HasPrefix(lang, "zh") }

// eastAsianLetter is a letter that the font for an East Asian language has; 0 for
// languages that LibreOffice finds no font for.
func eastAsianLetter(lang string) rune {
	const letter = '漢'
	switch lang {
	case "", "zh", "zh-CN", "zh-TW", "zh-HK", "zh-MO", "zh-SG":
		return letter
	}
	if language, _, _ := strings.Cut(lang, "-"); language == "ja" || language == "ko" {
		return letter
	}
	return 0
}

// complexLetters are letters that the font for a language has. Where a document gives
// none, LibreOffice takes Hindi.
var complexLetters = map[string]rune{
	"": 'क', "hi": 'क', "mr": 'क', "ne": 'क', "sa": 'क', "bn": 'ক', "as": 'ক', "pa": 'ਕ', "gu": 'ક', "or": 'କ', "ta": 'க', "te": 'క', "kn": 'ಕ', "ml": 'ക',
	"si": 'ක', "th": 'ก', "lo": 'ກ', "km": 'ក', "my": 'က', "bo": 'ཀ', "dz": 'ཀ', "dv": 'ހ', "syr": 'ܐ',
}

// complexLetter is a letter that the font for a language of a complex script has; 0 for
// the others, whose letters the usual fonts have.
func complexLetter(lang string) rune {
	language, _, _ := strings.Cut(lang, "-")
	return complexLetters[language]
}
