package wml

import (
	"fmt"
	"time"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
)

// resolver holds what is needed while the model is built.
type resolver struct {
	now        time.Time // what DATE and TIME show; zero: what the file holds
	doc        *Document
	pkg        *opc.Package
	main       string // main part
	part       string // part being read, whose relationships count
	sheet      *styleSheet
	numbering  *numbering
	fields     []*field
	depth      int
	notes      map[string]int // numbers given to notes so far, by kind
	noteNow    string         // number of the note being read
	noteID     string         // of the footnote being read, whose number may begin again on each page
	noteTexts  map[string]string
	noteCounts map[string]noteCount
	stores     []store // of data that content controls show, nil before they are read
	settings   *etree.Element
	// sectionProperties are the w:sectPr of all sections, sectionNow the section being read.
	sectionProperties []*etree.Element
	sectionNow        int
	bases             map[baseKey]*styleBase
	docPr             RunProperties
	lost              dml.Losses // what belongs to no drawing
}

// tableContext is what a cell gives the paragraphs in it: the layers of its
// table's style, weakest first.
type tableContext struct {
	pPr, rPr []*etree.Element
	// isStyled is true where the table names a style.
	isStyled bool
}

type baseKey struct {
	style string
	table *tableContext
}

// styleBase caches what a paragraph style makes of a paragraph and its text.
type styleBase struct {
	paragraph ParagraphProperties
	run       RunProperties
}

func newResolver(p *opc.Package, main string) (*resolver, error) {
	r := &resolver{pkg: p, main: main, part: main, notes: map[string]int{}, noteTexts: map[string]string{}, noteCounts: map[string]noteCount{}, bases: map[baseKey]*styleBase{}}
	r.doc = &Document{Package: p, Footnotes: map[string]*Note{}, Endnotes: map[string]*Note{}, PageNotes: map[string]NoteNumbers{}}
	roots := map[string]*etree.Element{}
	for _, rel := range p.Relationships(main) {
		switch rel.Type {
		case "styles", "numbering", "settings":
			if rel.External || !p.Has(rel.Target) {
				continue
			}
			tree, err := p.View(rel.Target)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", rel.Type, err)
			}
			roots[rel.Type] = tree.Root()
		case "theme":
			if rel.External || !p.Has(rel.Target) {
				continue
			}
			theme, err := dml.ReadTheme(p, rel.Target)
			if err != nil {
				return nil, fmt.Errorf("read theme: %w", err)
			}
			r.doc.Theme = theme
		}
	}
	r.sheet = newStyleSheet(roots["styles"])
	r.numbering = newNumbering(roots["numbering"])
	r.settings = roots["settings"]
	r.readSettings(r.settings)
	r.docPr = RunProperties{Size: 10, Scale: 1, Fonts: Fonts{ASCII: "Times New Roman", HighANSI: "Times New Roman"}}
	r.applyRun(&r.docPr, r.sheet.defaultRPr)
	return r, nil
}

func (r *resolver) readSettings(root *etree.Element) {
	s := &r.doc.Settings
	s.DefaultTab = 36
	on := func(tag string) bool {
		e := wChild(root, tag)
		return e != nil && isOn(e)
	}
	if n, ok := wPoints(wChild(root, "defaultTabStop"), "val"); ok && n > 0 {
		s.DefaultTab = n
	}
	s.EvenAndOdd = on("evenAndOddHeaders")
	s.MirrorMargins = on("mirrorMargins")
	s.GutterAtTop = on("gutterAtTop")
	s.LinksStyles = on("linkStyles")
	s.ShowsBackground = on("displayBackgroundShape")
	s.Language = wVal(wChild(root, "themeFontLang"))
	compat := wChild(root, "compat")
	s.CompatMode = 12
	dml.EachChild(compat, func(e *etree.Element) {
		switch e.Tag {
		case "doNotUseHTMLParagraphAutoSpacing":
			s.SumsSpacing = isOn(e)
		case "noColumnBalance":
			s.FillsColumns = isOn(e)
		case "doNotExpandShiftReturn":
			s.KeepsReturnsUnexpanded = isOn(e)
		case "compatSetting":
			n, isNumber := wInt(e, "val")
			switch name, _ := wAttr(e, "name"); {
			case name == "compatibilityMode" && isNumber:
				s.CompatMode = n
			case name == "overrideTableStyleFontSizeAndJustification":
				s.StylesOverrideTables = isOn(e)
			}
		}
	})
}

// resolveStyle resolves a paragraph style inside a table context, without numbering.
func (r *resolver) resolveStyle(st *style, table *tableContext) *styleBase {
	key := baseKey{table: table}
	if st != nil {
		key.style = st.id
	}
	if b := r.bases[key]; b != nil {
		return b
	}
	b := &styleBase{run: r.docPr}
	p := &b.paragraph
	p.Outline, p.Line, p.LineRule, p.WidowControl = -1, 1, "auto", true
	if r.doc.Settings.LinksStyles { // those of an empty document of Word 2007
		p.After, p.Line = 10, 1.15
	}
	r.applyParagraph(p, r.sheet.defaultPPr)
	p.Frame = nil // Apple Pages writes one into the defaults; Word puts nothing into a frame for it
	if table != nil {
		for _, e := range table.pPr {
			r.applyParagraph(p, e)
		}
		for _, e := range table.rPr {
			r.applyRun(&b.run, e)
		}
	}
	if st != nil {
		p.Style, p.StyleName = st.id, st.name
		for _, s := range st.chain {
			size, align := b.run.Size, p.Align
			r.applyParagraph(p, s.pPr)
			r.applyRun(&b.run, s.rPr)
			if s == r.sheet.defaults["paragraph"] && table != nil && table.isStyled && !r.doc.Settings.StylesOverrideTables {
				yieldToTable(b, size, align)
			}
		}
	}
	r.bases[key] = b
	return b
}

// oldSize is the size of text in an empty document of Word 97 to 2003, in points.
const oldSize = 12

// yieldToTable gives text in a table the size and the alignment below the default paragraph
// style, where that has those of an old empty document: Word takes them for not given, unless
// overrideTableStyleFontSizeAndJustification is set ([MS-DOCX], compatSetting).
func yieldToTable(b *styleBase, size float64, align string) {
	if b.run.Size == oldSize {
		b.run.Size = size
	}
	if b.paragraph.Align == "left" || b.paragraph.Align == "start" {
		b.paragraph.Align = align
	}
}

// findNumber finds the list and level that a paragraph belongs to: the nearest
// w:numPr, from direct formatting up the style chain.
func (r *resolver) findNumber(st *style, pPr *etree.Element) (id string, level int) {
	level = -1
	take := func(pPr *etree.Element) {
		n := wChild(pPr, "numPr")
		if n == nil {
			return
		}
		if v := wVal(wChild(n, "numId")); v != "" {
			id = v
		}
		if v, ok := wInt(wChild(n, "ilvl"), "val"); ok {
			level = v
		}
	}
	if st != nil {
		for _, s := range st.chain {
			take(s.pPr)
		}
		if l := r.findList(id); l != nil {
			for i := len(st.chain) - 1; i >= 0; i-- {
				if at, ok := l.findStyleLevel(st.chain[i].id); ok {
					level = at
					break
				}
			}
		}
	}
	take(pPr)
	if level < 0 || level >= maxListLevel {
		level = 0
	}
	return id, level
}

// resolveParagraph resolves a paragraph's formatting and the base of its runs.
func (r *resolver) resolveParagraph(pPr *etree.Element, table *tableContext) (ParagraphProperties, *RunProperties) {
	st := r.sheet.get(wVal(wChild(pPr, "pStyle")), "paragraph")
	base := r.resolveStyle(st, table)
	p := base.paragraph
	id, level := r.findNumber(st, pPr)
	if l := r.findList(id); l != nil && l.level(level) != nil {
		p.NumID, p.Level = id, level
		r.applyParagraph(&p, l.level(level).pPr)
		if st != nil {
			r.restoreIndent(&p, st, l)
		}
	}
	r.applyParagraph(&p, pPr)
	auto := float64(autoSpacing)
	if r.doc.Settings.SumsSpacing {
		auto = autoSpacingSimple
	}
	p.finish(auto)
	return p, &base.run
}

// restoreIndent gives a style's own indent and tabs back their say where the
// style (or one based on it) is the place that names the list.
func (r *resolver) restoreIndent(p *ParagraphProperties, st *style, l *list) {
	named := false
	for _, s := range st.chain {
		if wVal(wPath(s.pPr, "numPr", "numId")) == l.id {
			named = true
		}
		if !named {
			continue
		}
		if e := wChild(s.pPr, "ind"); e != nil {
			applyIndent(p, e)
		}
	}
}
