package flow

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render/formula"
	"github.com/platenhq/platen/internal/render/linebreak"
	"github.com/platenhq/platen/internal/render/pdf"
)

// glyph is one character in its place in the text, with the width it takes.
type glyph struct {
	r     rune
	width float64
	style *textStyle
	// object is nil for a plain character.
	object *object
	// cluster is set for what the font shapes.
	cluster *pdf.Cluster
	// level is odd for what runs from right to left (package bidi).
	level uint8
	// isHeld keeps it in the line of the glyph in front of it.
	isHeld bool
}

// object is a drawing, tab, break, field or note reference among characters.
type object struct {
	kind    wml.ItemKind
	item    *wml.Item
	link    *wml.Link
	drawing *drawingBox
	guide   *guideBox
	// isLabelTab marks the tab between a list label and the text.
	isLabelTab bool
	// formula is a part of a formula, isWhole says that it is all of it.
	formula *formula.Piece
	isWhole bool
}

// referenceIsGone is what LibreOffice shows in place of a reference whose target is not
// there.
const referenceIsGone = "Error: Reference source not found"

const objectRune = '\uFFFC'

// glyphs lays a paragraph's content out as one row of characters, its list
// label first.
func (c *composer) glyphs(p *wml.Paragraph, env environment) []glyph {
	b := &glyphBuilder{composer: c, env: env, out: make([]glyph, 0, expectedGlyphs(p))}
	if p.Shading != nil {
		b.env.background = p.Shading
	}
	if p.Label != nil {
		b.label(p.Label)
	}
	b.isEastAsian = beginsEastAsian(p)
	for i := 0; i < len(p.Runs); {
		if p.Runs[i].Guide != nil {
			i += b.guided(p.Runs[i:])
			continue
		}
		b.run(p.Runs[i])
		i++
	}
	b.settle(p)
	return b.out
}

// expectedGlyphs is about how many glyphs a paragraph has, of a long one some.
func expectedGlyphs(p *wml.Paragraph) int {
	const most = 4096
	n := 8 // for a label
	for _, run := range p.Runs {
		for i := range run.Items {
			n += len(run.Items[i].Text) + 1
		}
		if n > most {
			return most
		}
	}
	return n
}

type glyphBuilder struct {
	*composer
	env environment
	out []glyph
	// needsShaping is true where letters join, carry marks or run from right to left.
	needsShaping bool
	// of the run at hand
	props  *wml.RunProperties
	link   *wml.Link
	styles []styleEntry
	// isComplex is true while characters have the formatting of complex scripts.
	isComplex      bool
	plain, complex *wml.RunProperties
	// isEastAsian is true behind a character of such a script.
	isEastAsian bool
	// isBehindDisplay is true behind a formula that has lines of its own.
	isBehindDisplay bool
}

type styleEntry struct {
	family             string
	isSmall, isComplex bool
	// foreign entries are of a font that takes the place of the family's, for
	// characters that make their line as high as it is.
	foreign *pdf.Face
	style   *textStyle
}

func (b *glyphBuilder) begin(props *wml.RunProperties, link *wml.Link) {
	b.props, b.link, b.styles = props, link, b.styles[:0]
	b.isComplex, b.plain, b.complex = false, props, nil
	if props.RTL || props.CS {
		b.setComplex(true)
	}
}

// setComplex chooses between the run's two formattings.
func (b *glyphBuilder) setComplex(isComplex bool) {
	if b.isComplex == isComplex {
		return
	}
	b.isComplex = isComplex
	if !isComplex {
		b.props = b.plain
		return
	}
	if b.complex == nil {
		b.complex = b.plain.ForComplexScript()
	}
	b.props = b.complex
}

// style returns the style for a character of the current run.
func (b *glyphBuilder) style(family string, isSmall bool) *textStyle {
	for i := range b.styles {
		if s := &b.styles[i]; s.isSmall == isSmall && s.isComplex == b.isComplex && s.family == family && s.foreign == nil {
			return s.style
		}
	}
	return b.addStyle(b.fonts.Face(family, b.props.Bold, b.props.Italic), styleEntry{family: family, isSmall: isSmall})
}

func (b *glyphBuilder) addStyle(face *pdf.Face, e styleEntry) *textStyle {
	e.isComplex = b.isComplex
	e.style = b.newStyle(b.props, face, e.isSmall, b.env)
	e.style.link = b.link
	if b.isComplex && b.props.ComplexLang != "" {
		e.style.lang = b.props.ComplexLang
	}
	b.styles = append(b.styles, e)
	return e.style
}

func (b *glyphBuilder) label(l *wml.Label) {
	b.begin(&l.RunProperties, nil)
	b.text(l.Text)
	switch l.Suffix {
	case "space":
		b.text(" ")
	case "nothing":
	default:
		b.object(&object{kind: wml.TabItem, isLabelTab: true})
	}
}

func (b *glyphBuilder) run(run *wml.Run) {
	b.begin(&run.RunProperties, run.Link)
	if run.Link != nil && run.Link.Bookmark != "" {
		b.tally.linked[run.Link.Bookmark] = true
	}
	for i := range run.Items {
		item := &run.Items[i]
		switch item.Kind {
		case wml.TextItem, wml.NonBreakingItem:
			if item.Broken != nil {
				b.begin(item.Broken, run.Link)
				b.text(referenceIsGone)
				b.begin(&run.RunProperties, run.Link)
				continue
			}
			b.text(item.Text)
		case wml.PageFieldItem:
			if item.Format != "" && b.env.number > 0 {
				b.text(dml.FormatNumber(b.env.number, item.Format))
				continue
			}
			b.field(item, b.env.page)
		case wml.PageCountItem:
			b.tally.usesPageCount = true
			b.field(item, b.env.pages)
		case wml.SectionCountItem:
			b.field(item, b.env.sectionPages)
		case wml.SectionItem:
			b.field(item, b.env.section)
		case wml.FootnoteItem, wml.EndnoteItem:
			b.object(&object{kind: item.Kind, item: item})
			b.noteNumber(item)
		case wml.NoteNumberItem:
			b.noteNumber(item)
		case wml.DrawingItem:
			b.drawing(item)
		case wml.FormulaItem:
			b.formula(item)
		case wml.PageBreakItem, wml.ColumnBreakItem:
			if b.env.isInFlow {
				b.object(&object{kind: item.Kind, item: item})
			}
		default:
			b.object(&object{kind: item.Kind, item: item, link: run.Link})
		}
	}
}

// noteNumber writes the number of a note, which may be that on its page. A reference
// with a mark of its own has none.
func (b *glyphBuilder) noteNumber(item *wml.Item) {
	if number := b.notes[item.NoteID]; number != "" && item.Text != "" && item.Kind != wml.EndnoteItem {
		b.text(number)
		return
	}
	b.text(item.Text)
}

func (b *glyphBuilder) field(item *wml.Item, value string) {
	if value == "" {
		value = item.Text
	}
	if n, err := strconv.Atoi(value); err == nil && item.Format != "" && item.Kind != wml.PageFieldItem {
		value = dml.FormatNumber(n, item.Format)
	}
	b.text(value)
}

func (b *glyphBuilder) object(o *object) {
	style := b.style(b.props.Fonts.ASCII, false)
	if _, isSymbolic := dml.SymbolText(b.props.Fonts.ASCII, ""); isSymbolic { // the tab behind a bullet
		style = b.symbolStyle(false)
	}
	b.out = append(b.out, glyph{r: objectRune, style: style, object: o})
}

func (b *glyphBuilder) text(text string) {
	props := b.props
	isSymbolic := false
	if converted, ok := dml.SymbolText(props.Fonts.ASCII, text); ok {
		text, isSymbolic = converted, true
	}
	for _, r := range text {
		if !b.tally.spend(1) {
			return
		}
		if r == '\t' {
			b.object(&object{kind: wml.TabItem})
			continue
		}
		if r == '\v' || r == '\n' {
			b.object(&object{kind: wml.BreakItem})
			continue
		}
		b.chooseScript(r)
		b.needsShaping = b.needsShaping || b.isComplex || pdf.NeedsShaping(r)
		if b.isBehindDisplay && !linebreak.IsSpace(r) {
			b.separate()
		}
		isSmall := false
		if props.Caps {
			r = unicode.ToUpper(r)
		} else if props.SmallCaps {
			if u := unicode.ToUpper(r); u != r {
				r, isSmall = u, true
			}
		}
		var style *textStyle
		if isSymbolic {
			style = b.symbolStyle(isSmall)
		} else {
			style = b.scriptStyle(r, isSmall)
		}
		b.out = append(b.out, glyph{r: r, style: style, width: b.advance(style, r)})
	}
}

// symbolStyle is the style of signs of a symbol font, which do not make their
// line higher: LibreOffice sets them in OpenSymbol, which is lower than any text.
func (b *glyphBuilder) symbolStyle(isSmall bool) *textStyle {
	style := b.style(pdf.SymbolFamily, isSmall)
	style.ascent, style.descent = style.size*exactAscent, style.size*(1-exactAscent)
	return style
}

// advance measures a character and reports it when it cannot be drawn as it should.
func (b *glyphBuilder) advance(style *textStyle, r rune) float64 {
	if pdf.Invisible(r) {
		return 0
	}
	style.face.Report(b.tally.findings, r)
	face, shown := pdf.FaceFor(style.face, r)
	w, _ := face.Advance(shown, style.size)
	return w*style.scale + style.spacing
}

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

func twips(points float64) float64 { return math.Round(points*20) / 20 }
