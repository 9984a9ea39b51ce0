package flow

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/wml"
	"github.com/platenhq/platen/internal/render"
	"github.com/platenhq/platen/internal/render/linebreak"
	"github.com/platenhq/platen/internal/render/pdf"
)

// composer turns paragraphs and tables into lines and rows of a given width. It
// does not change: what it comes across stands in its tally.
type composer struct {
	doc   *wml.Document
	fonts *pdf.FontSet
	tally *tally
	// notes are the numbers of footnotes that count on each page, nil while they are not known.
	notes map[string]string
}

// tally is what was found while a document was composed.
type tally struct {
	findings *render.Findings
	// usesPageCount says that the total number of pages was asked for.
	usesPageCount bool
	// linked holds the bookmarks that links lead to.
	linked map[string]bool
	// composed counts characters and paragraphs, as often as they were set.
	composed int
}

// maxComposed is some thousand full pages. A header that is a book would be set
// on each of them, and a note once for each reference to it.
const maxComposed = 5_000_000

// spend says whether there is still room for so much; without it, text is left out.
func (t *tally) spend(n int) bool {
	if t.composed += n; t.composed <= maxComposed {
		return true
	}
	t.findings.Add(render.FindingTruncated, "the document has more text than one PDF may hold, its headers and notes counted on each page")
	return false
}

// environment is what text depends on beside its own formatting.
type environment struct {
	page, pages, sectionPages string
	// section is the number of the section, 1 for the first.
	section string
	// number is that of the page, 0 where it is not known.
	number int
	// background is what the text stands on, nil for paper.
	background *dml.RGB
	// isInFlow is true for the body, where page breaks count.
	isInFlow bool
	// isFramed is true inside a frame (w:framePr).
	isFramed bool
	// isInCell is true inside a table.
	isInCell bool
	// isInBand is true in headers and footers, but for their text boxes.
	isInBand bool
	// grid is the line pitch of the section's document grid, 0 for none.
	grid float64
	// depth counts the cells, boxes and notes that the text stands in.
	depth int
}

// maxBoxDepth bounds boxes in boxes.
const maxBoxDepth = 24

// enter goes into a box, a cell or a note; false where that is too deep.
func (c *composer) enter(env *environment) bool {
	if env.depth >= maxBoxDepth {
		c.tally.findings.Add(render.FindingTruncated, "tables or text boxes are nested too deeply")
		return false
	}
	env.depth++
	return true
}

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
	if b.needsShaping || p.RTL {
		b.shape(p.RTL)
	}
	b.kern()
	if !p.IsTight {
		b.scriptSpace()
	}
	b.spreadGuides()
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

// kern narrows pairs of letters where the text asks for kerning.
func (b *glyphBuilder) kern() {
	for i := 1; i < len(b.out); i++ {
		prev, at := &b.out[i-1], &b.out[i]
		s := prev.style
		if !s.isKerned || at.object != nil || prev.object != nil || at.cluster != nil || prev.cluster != nil ||
			at.style.face != s.face || at.style.size != s.size {
			continue
		}
		prev.width += s.face.Kern(prev.r, at.r, s.size) * s.scale
	}
}

// scriptSpace parts East Asian characters from the Latin letters and figures
// beside them by a fifth of their size (ECMA-376 part 1, 17.3.1.2 and 17.3.1.3;
// the width is LibreOffice's).
func (b *glyphBuilder) scriptSpace() {
	const part = 0.2
	for i := 1; i < len(b.out); i++ {
		prev, at := &b.out[i-1], &b.out[i]
		if prev.object != nil || at.object != nil {
			continue
		}
		if isHan(prev.r) && isWesternWord(at.r) || isWesternWord(prev.r) && isHan(at.r) {
			prev.width += prev.style.size * part
		}
	}
}

// isHan is true for East Asian letters, without their punctuation.
func isHan(r rune) bool {
	return linebreak.IsIdeographic(r) && (unicode.IsLetter(r) || unicode.IsDigit(r)) && (r < 0xFF00 || r > 0xFFEF)
}

func isWesternWord(r rune) bool {
	return r < 0x2000 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// plainText is the text of a paragraph for the outline.
func plainText(p *wml.Paragraph) string {
	text := strings.Join(strings.Fields(p.Text()), " ")
	if p.Label != nil && p.Label.Text != "" {
		text = p.Label.Text + " " + text
	}
	return text
}
