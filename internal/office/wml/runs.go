package wml

import (
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/opc"
)

// field is a complex field that is open while runs are read. Fields nest and
// may span paragraphs.
type field struct {
	instr      strings.Builder
	isInResult bool
	live       ItemKind // PageFieldItem and its like, else TextItem
	number     string   // the format of its number, "" for that of the section
	moment     string   // what a DateItem shows
	isShown    bool     // the live item was put out, or is hidden
	link       *Link
	language   string // of the run that begins it
	// entry is the chosen entry of a drop-down field, "" for other fields.
	entry string
	// format is that of the run that begins a reference, nil for other fields.
	format, begin *RunProperties
}

// item is what a live field shows, with the text that the file holds for it.
func (f *field) item(e *etree.Element, held string) Item {
	if f.live == DateItem {
		return Item{Text: f.moment, Elem: e}
	}
	return Item{Kind: f.live, Text: held, Format: f.number, Elem: e}
}

// readInline reads a paragraph's content into p.Runs.
func (r *resolver) readInline(p *Paragraph, parent *etree.Element, base *RunProperties, link *Link) {
	if parent == nil {
		return
	}
	if r.depth >= opc.MaxNesting {
		r.doc.IsTruncated = true
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	dml.EachChild(parent, func(e *etree.Element) { r.readInlineElement(p, e, base, link) })
}

func (r *resolver) readInlineElement(p *Paragraph, e *etree.Element, base *RunProperties, link *Link) {
	switch e.Tag {
	case "r":
		r.readRun(p, e, base, link)
	case "hyperlink":
		r.readInline(p, e, base, r.readHyperlink(e))
	case "ins", "moveTo", "smartTag", "customXml", "dir", "bdo":
		r.readInline(p, e, base, link)
	case "sdt":
		first := len(p.Runs)
		r.readInline(p, wChild(e, "sdtContent"), base, link)
		r.bindInline(p, min(first, len(p.Runs)), base, e)
	case "fldSimple":
		r.readSimpleField(p, e, base, link)
	case "bookmarkStart":
		if name, ok := wAttr(e, "name"); ok {
			p.Runs = append(p.Runs, &Run{Elem: e, RunProperties: *base, Items: []Item{{Kind: BookmarkItem, Text: name, Elem: e}}})
		}
	case "oMath", "oMathPara":
		r.readMath(p, e, base, link)
	case "p", "tbl": // readParagraph cuts the paragraph there
		p.Runs = append(p.Runs, &Run{Elem: e})
	case "pPr", "del", "moveFrom":
	default:
		switch {
		case isIgnorable(e):
		case holds(e, "r", "p", "tbl"):
			r.readInline(p, e, base, link)
		case holds(e, "t"):
			r.doc.LacksText = true
		}
	}
}

func (r *resolver) readSimpleField(p *Paragraph, e *etree.Element, base *RunProperties, link *Link) {
	instr, _ := wAttr(e, "instr")
	f := &field{isInResult: true, language: base.Lang}
	f.instr.WriteString(instr)
	open := len(r.fields)
	r.fields = append(r.fields, f)
	r.openField(f)
	r.readInline(p, e, base, link)
	r.fields = r.fields[:min(open, len(r.fields))] // what stands inside may end more fields than it begins
	if f.live != TextItem && !f.isShown {
		p.Runs = append(p.Runs, &Run{Elem: e, RunProperties: *base, Items: []Item{f.item(e, "")}, Link: link})
	}
}

// readMath reads a formula as an item of its own.
func (r *resolver) readMath(p *Paragraph, e *etree.Element, base *RunProperties, link *Link) {
	align, _ := wAttr(wPath(r.settings, "mathPr", "defJc"), "val")
	formula := dml.ReadFormula(e, align, func(properties *etree.Element) dml.FormulaLook {
		props := r.resolveRun(base, properties)
		return dml.FormulaLook{Font: props.Fonts.ASCII, Size: props.Size, Bold: props.Bold, Italic: props.Italic, IsHidden: props.Hidden, Color: props.Color}
	})
	if formula != nil {
		p.Runs = append(p.Runs, &Run{Elem: e, RunProperties: *base, Items: []Item{{Kind: FormulaItem, Text: formula.Text(), Elem: e, Formula: formula}}, Link: link})
	}
}

func (r *resolver) readHyperlink(e *etree.Element) *Link {
	link := &Link{Elem: e}
	link.Bookmark, _ = wAttr(e, "anchor")
	if id, ok := wAttr(e, "id"); ok {
		if rel, found := r.pkg.Relationship(r.part, id); found && rel.External {
			link.URL = rel.Target
			if link.Bookmark != "" {
				link.URL += "#" + link.Bookmark
			}
		}
	}
	return link
}

func (r *resolver) readRun(p *Paragraph, e *etree.Element, base *RunProperties, link *Link) {
	run := &Run{Elem: e, RunProperties: r.resolveRun(base, wChild(e, "rPr")), Link: link}
	if n := len(r.fields); n > 0 && link == nil {
		for _, f := range r.fields {
			if f.isInResult && f.link != nil {
				run.Link = f.link
			}
		}
	}
	r.readRunContent(p, run, e)
	if len(run.Items) > 0 {
		p.Runs = append(p.Runs, run)
	}
}

func (r *resolver) readRunContent(p *Paragraph, run *Run, parent *etree.Element) {
	dml.EachChild(parent, func(e *etree.Element) {
		switch e.Tag {
		case "fldChar":
			r.readFieldChar(run, e)
			return
		case "instrText":
			if n := len(r.fields); n > 0 && !r.fields[n-1].isInResult {
				r.fields[n-1].instr.WriteString(e.Text())
			}
			return
		}
		if r.isInInstruction() {
			return
		}
		f := r.findLiveField()
		if run.Hidden {
			if f != nil && e.Tag == "t" {
				f.isShown = true // its number is as hidden as its result
			}
			return
		}
		if f != nil {
			if !f.isShown && e.Tag == "t" {
				f.isShown = true
				run.Items = append(run.Items, f.item(e, e.Text()))
			}
			return
		}
		if n := len(r.fields); n > 0 && r.fields[n-1].entry != "" && e.Tag == "t" {
			r.fields[n-1].isShown = true // a program stored the entry as the field's result, too
		}
		switch e.Tag {
		case "sym":
			r.readSymbol(p, run, e)
			return
		case "ruby":
			r.readGuided(p, run, e)
			return
		}
		if f := r.brokenReference(e); f != nil {
			run.Items = append(run.Items, Item{Text: readText(e), Elem: e, Broken: f.format})
			return
		}
		r.readItem(run, e)
	})
}

func (r *resolver) readItem(run *Run, e *etree.Element) {
	add := func(kind ItemKind, text string) {
		run.Items = append(run.Items, Item{Kind: kind, Text: text, Elem: e})
	}
	switch e.Tag {
	case "t":
		if text := readText(e); text != "" {
			add(TextItem, text)
		}
	case "tab":
		add(TabItem, "")
	case "ptab":
		align, _ := wAttr(e, "alignment")
		add(PositionTabItem, align)
	case "br":
		switch kind, _ := wAttr(e, "type"); kind {
		case "page":
			add(PageBreakItem, "")
		case "column":
			add(ColumnBreakItem, "")
		default:
			add(BreakItem, "")
		}
	case "cr":
		add(BreakItem, "")
	case "noBreakHyphen":
		add(NonBreakingItem, "\u2011")
	case "softHyphen":
		add(TextItem, "\u00AD")
	case "pgNum":
		add(PageFieldItem, "1")
	case "footnoteReference":
		r.readNoteReference(run, e, FootnoteItem)
	case "endnoteReference":
		r.readNoteReference(run, e, EndnoteItem)
	case "footnoteRef", "endnoteRef":
		add(NoteNumberItem, r.noteNow)
		run.Items[len(run.Items)-1].NoteID = r.noteID
	case "contentPart":
		r.lost.Add(dml.LossInk)
	case "drawing", "pict", "object":
		for _, d := range r.readDrawings(e) {
			run.Items = append(run.Items, Item{Kind: DrawingItem, Elem: e, Drawing: d})
		}
	}
}

// readText reads a w:t: white space at its ends counts only where it is declared
// to (xml:space), line ends are spaces.
func readText(e *etree.Element) string {
	text := e.Text()
	if strings.ContainsAny(text, "\r\n") {
		text = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(text)
	}
	if v, _ := wAttr(e, "space"); v != "preserve" {
		text = strings.Trim(text, " \t")
	}
	return text
}

// cut ends a run in front of something that needs a run of its own.
func (run *Run) cut(p *Paragraph) {
	if len(run.Items) > 0 {
		before := *run
		p.Runs = append(p.Runs, &before)
		run.Items = nil
	}
}

// readSymbol reads w:sym, a character of a named font, as a run of its own.
func (r *resolver) readSymbol(p *Paragraph, run *Run, e *etree.Element) {
	family, _ := wAttr(e, "font")
	code, ok := readHexRune(e)
	if !ok {
		return
	}
	run.cut(p)
	sym := *run
	text, known := dml.SymbolText(family, string(code))
	if !known && family != "" {
		sym.Fonts = Fonts{ASCII: family, HighANSI: family, EastAsia: family, ComplexScript: family}
	}
	sym.Items = []Item{{Text: text, Elem: e}}
	p.Runs = append(p.Runs, &sym)
}

func readHexRune(e *etree.Element) (rune, bool) {
	v, ok := wAttr(e, "char")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(v, 16, 32)
	if err != nil || n == 0 || n > 0x10FFFF {
		return 0, false
	}
	return rune(n), true
}
