// Package wml reads the resolved model of a .docx file (WordprocessingML,
// ECMA-376 part 1, chapter 17). The model has each paragraph, run and table
// with the styles, lists and fields that apply to it, and a way back to its
// XML. It must not know of pages, or change the XML.
package wml

import (
	"fmt"
	"time"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
)

// Document is the resolved model of a .docx: how each paragraph, run and table
// is formatted once document defaults, table styles, paragraph styles,
// numbering, character styles and direct formatting were laid over each other
// (ECMA-376 part 1, 17.7.2). It is read-only: edits go to the XML that its
// nodes point at, and Resolve builds a fresh model. All lengths are points.
type Document struct {
	Package *opc.Package
	// Sections holds the body in document order, at least one.
	Sections  []*Section
	Footnotes map[string]*Note
	Endnotes  map[string]*Note
	// PageNotes are the footnotes whose numbers begin again on each page, with how they are
	// numbered: the Text of what shows them counts on through the document.
	PageNotes map[string]NoteNumbers
	// EndnoteIDs are the endnotes in the order in which the text refers to them.
	EndnoteIDs []string
	Settings   Settings
	// Language is that of text which names none, "de-AT"; "" for none given.
	Language string
	Theme    *dml.Theme
	// Background is the page colour, nil for none.
	Background *dml.RGB
	// IsTruncated says that nesting passed the limit and something was left out.
	IsTruncated bool
	// LacksText says that text which stands in elements that are not known was left out.
	LacksText bool
	// Losses are what the text is set without.
	Losses []dml.Loss
}

// Settings are the document-wide settings that change how text is laid out.
type Settings struct {
	DefaultTab             float64
	EvenAndOdd             bool
	MirrorMargins          bool
	GutterAtTop            bool
	CompatMode             int
	SumsSpacing            bool // doNotUseHTMLParagraphAutoSpacing: spacing adds up instead of the larger one winning
	KeepsReturnsUnexpanded bool // doNotExpandShiftReturn
	FillsColumns           bool // noColumnBalance: columns are not made equally long
	StylesOverrideTables   bool // overrideTableStyleFontSizeAndJustification
	LinksStyles            bool // linkStyles: the styles are those of a template that is not there
	ShowsBackground        bool // displayBackgroundShape: without it the page's colour is for the screen only
	Language               string
}

// Note is a footnote or an endnote.
type Note struct {
	Elem   *etree.Element
	Blocks []Block
}

// Story is a header or a footer with the part that it is kept in.
type Story struct {
	Part   string
	Root   *etree.Element
	Blocks []Block
}

// Block is a *Paragraph or a *Table.
type Block interface {
	// Element is the w:p or w:tbl that the block was read from.
	Element() *etree.Element
}

// Paragraph is a w:p with its resolved formatting.
type Paragraph struct {
	Elem *etree.Element
	ParagraphProperties
	// Mark is the formatting of the paragraph mark; it gives an empty paragraph its height.
	Mark RunProperties
	Runs []*Run
	// EndsSection says that the paragraph carries the end of a section.
	EndsSection bool
	// Label is the list label in front of the text, nil for none.
	Label *Label
}

// Element returns the paragraph's w:p.
func (p *Paragraph) Element() *etree.Element { return p.Elem }

// Text returns the paragraph's text as it is shown, without its list label.
func (p *Paragraph) Text() string {
	var text []byte
	for _, r := range p.Runs {
		for _, item := range r.Items {
			switch item.Kind {
			case TabItem:
				text = append(text, '\t')
			case BreakItem:
				text = append(text, '\n')
			default:
				text = append(text, item.Text...)
			}
		}
	}
	return string(text)
}

// Run is a w:r with its resolved formatting.
type Run struct {
	Elem *etree.Element
	RunProperties
	Items []Item
	// Link is where the run leads, nil for nowhere.
	Link *Link
	// Guide is the phonetic guide above the run, nil for none. Runs that share one stand
	// below it together.
	Guide *Guide
}

// Link is the target of a hyperlink: an address outside or a bookmark inside.
type Link struct {
	Elem     *etree.Element
	URL      string
	Bookmark string
}

// ItemKind says what an Item is.
type ItemKind int

// The kinds of items that a run holds.
const (
	TextItem ItemKind = iota
	TabItem
	PositionTabItem  // w:ptab; Text holds its alignment
	BreakItem        // a line break
	PageBreakItem    // w:br w:type="page"
	ColumnBreakItem  // w:br w:type="column"
	PageFieldItem    // PAGE; Text holds the cached result
	PageCountItem    // NUMPAGES; Text holds the cached result
	SectionCountItem // SECTIONPAGES; Text holds the cached result
	SectionItem      // SECTION; Text holds the cached result
	DateItem         // DATE and TIME while a document is read, a TextItem then
	DrawingItem
	FootnoteItem    // Text is the number shown, NoteID the note
	EndnoteItem     // Text is the number shown, NoteID the note
	NoteNumberItem  // w:footnoteRef inside a note: Text is its number, NoteID is set for one of PageNotes
	BookmarkItem    // Text is the bookmark's name; takes no room
	NonBreakingItem // w:noBreakHyphen
	FormulaItem     // Text is the formula in a line
)

// Item is one piece of a run's content.
type Item struct {
	Kind ItemKind
	Text string
	// Format is that of a number of pages, one of ST_NumberFormat; "" for the section's.
	Format  string
	Elem    *etree.Element
	NoteID  string
	Drawing *Drawing
	Formula *dml.Formula
	// Broken is the format of a reference whose target is not there, nil for all else. Its
	// Text is what the file says.
	Broken *RunProperties
}

// Label is a paragraph's list label.
type Label struct {
	Text string
	RunProperties
	// Suffix is "tab", "space" or "nothing".
	Suffix string
	// Align is "left", "center" or "right" at the number's position.
	Align string
	// Picture bullets are shown as their text.
	NumID string
	Level int
}

// ReadDocument reads a .docx. Faults of the package are *FormatError.
func ReadDocument(data []byte) (*Document, error) { return ReadDocumentAt(data, time.Time{}) }

// ReadDocumentAt is ReadDocument with a clock, see ResolveAt.
func ReadDocumentAt(data []byte, now time.Time) (*Document, error) {
	p, err := opc.ReadPackage(data)
	if err != nil {
		return nil, err
	}
	return ResolveAt(p, now)
}

// Resolve builds the model from the XML as it stands now. It is cheap enough to
// be called after every batch of edits. DATE and TIME have the result that the file holds.
func Resolve(p *opc.Package) (*Document, error) { return ResolveAt(p, time.Time{}) }

// ResolveAt is Resolve, with DATE and TIME as they are at a moment, in its time zone. The
// zero time leaves them as the file has them.
func ResolveAt(p *opc.Package, now time.Time) (*Document, error) {
	main := p.MainPart()
	root, err := partRoot(p, main)
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	if wChild(root, "body") == nil {
		return nil, &opc.FormatError{Message: "this is not a document: its main part holds no text"}
	}
	r, err := newResolver(p, main)
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	r.now = now
	d := r.doc
	if bg := wChild(root, "background"); bg != nil && d.Settings.ShowsBackground {
		d.Background = r.readColor(bg, "color", "themeColor")
	}
	r.sectionProperties = sectionsIn(root)
	r.doc.Language = r.docPr.Lang
	r.readSections(root)
	r.readNotes("footnotes", d.Footnotes)
	r.readNotes("endnotes", d.Endnotes)
	d.Losses = r.lost
	return d, nil
}

// Bytes writes the package with every edit that was made to its XML.
func (d *Document) Bytes() ([]byte, error) { return d.Package.Bytes() }

// Note returns a footnote's or endnote's blocks, nil when there are none.
func (d *Document) Note(kind ItemKind, id string) *Note {
	if kind == EndnoteItem {
		return d.Endnotes[id]
	}
	return d.Footnotes[id]
}

func partRoot(p *opc.Package, part string) (*etree.Element, error) {
	doc, err := p.XML(part)
	if err != nil {
		return nil, err
	}
	if doc.Root() == nil {
		return nil, &opc.FormatError{Message: "the file is damaged: " + opc.Printable(part) + " is empty"}
	}
	return doc.Root(), nil
}
