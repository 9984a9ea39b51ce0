package edit

import (
	"strings"

	"github.com/beevik/etree"
)

// EditParagraph applies edits to a w:p or a:p, each position counted in bytes
// of ParagraphText before any of them. Edits must not overlap. It returns the
// paragraphs that line feeds made; they follow p in the tree. The caller says
// Touch for the part.
func EditParagraph(p *etree.Element, edits []Edit) []*etree.Element {
	made := editParagraph(p, ParagraphPieces(p), edits)
	insertAfter(p, made)
	return made
}

// editParagraph is EditParagraph without putting the new paragraphs into the
// tree, which is cheaper to do for many at once.
func editParagraph(p *etree.Element, pieces []Piece, edits []Edit) []*etree.Element {
	if len(edits) == 0 {
		return nil
	}
	sortEdits(edits)
	if len(pieces) == 0 {
		pieces = []Piece{emptyRun(p)}
	}
	if len(pieces) == 1 && editInPlace(pieces[0], edits) {
		return nil
	}
	changes := batchEdits(pieces, edits)
	if p.Space == "a" {
		w := slideWriter{batch: changes}
		return w.rewrite(p)
	}
	w := paragraphWriter{batch: changes, holders: map[*etree.Element]bool{}}
	for e := range changes.fragments {
		w.mark(e, p)
	}
	for e := range changes.dropped {
		w.mark(e, p)
	}
	for e := range w.holders {
		unbind(e)
	}
	for up := p.Parent(); up != nil; up = up.Parent() {
		unbind(up)
	}
	return w.rewrite(p)
}

// editInPlace makes edits of a paragraph whose whole text is in one w:t, if it
// can stay there. Most paragraphs are like that.
func editInPlace(piece Piece, edits []Edit) bool {
	if piece.Kind != TextPiece || piece.Elem.Tag != "t" {
		return false
	}
	var b strings.Builder
	at := 0
	for _, e := range edits {
		text := cleanText(e.Text)
		if e.Start < at || e.Object != nil || strings.ContainsAny(text, "\t\n\v") {
			return false
		}
		b.WriteString(piece.Text[at:e.Start])
		b.WriteString(text)
		at = e.End
	}
	b.WriteString(piece.Text[at:])
	if b.Len() == 0 {
		return false // no element without text stays
	}
	setText(piece.Elem, b.String())
	for up := piece.Elem.Parent(); up != nil; up = up.Parent() {
		unbind(up)
	}
	return true
}

// emptyRun gives an empty paragraph a run with the formatting of its mark.
func emptyRun(p *etree.Element) Piece {
	run := etree.NewElement(p.Space + ":r")
	text := etree.NewElement(p.Space + ":t")
	properties := childNamed(childNamed(p, p.Space, "pPr"), p.Space, "rPr")
	at := len(p.Child)
	if p.Space == "a" {
		if properties = childNamed(p, "a", "endParaRPr"); properties != nil {
			at = properties.Index()
		}
	}
	if properties != nil {
		copied := properties.Copy()
		copied.Tag = "rPr"
		for _, tracked := range []string{"ins", "del", "moveFrom", "moveTo", "rPrChange"} {
			if e := childNamed(copied, "w", tracked); e != nil {
				copied.RemoveChild(e)
			}
		}
		run.AddChild(copied)
	}
	run.AddChild(text)
	p.InsertChildAt(at, run)
	if p.Space == "a" {
		return Piece{Elem: run, Run: run}
	}
	return Piece{Elem: text, Run: run}
}

// paragraphWriter writes the children of a w:p once more, with the batch's
// fragments in the place of the pieces they come from.
type paragraphWriter struct {
	batch   batch
	holders map[*etree.Element]bool // what stands between the paragraph and a piece of the batch
	open    []*etree.Element        // the paragraph being written and the open elements in it
	shells  []*etree.Element        // for each open element, what a copy of it begins with
	made    []*etree.Element
}

func (w *paragraphWriter) mark(e, p *etree.Element) {
	for up := e.Parent(); up != nil && up != p && !w.holders[up]; up = up.Parent() {
		w.holders[up] = true
	}
}

func (w *paragraphWriter) rewrite(p *etree.Element) []*etree.Element {
	w.open = []*etree.Element{p}
	w.shells = []*etree.Element{shell(p)}
	w.children(detach(p))
	if len(w.made) > 0 {
		moveSection(p, w.made[len(w.made)-1])
	}
	return w.made
}

func (w *paragraphWriter) children(tokens []etree.Token) {
	for _, t := range tokens {
		e, ok := t.(*etree.Element)
		switch {
		case !ok:
			w.top().AddChild(t)
		case w.batch.dropped[e]:
		case w.batch.touches(e):
			w.piece(e)
		case w.holders[e]:
			begin := shell(e)
			inner := detach(e)
			w.top().AddChild(e)
			w.open, w.shells = append(w.open, e), append(w.shells, begin)
			w.children(inner)
			w.open, w.shells = w.open[:len(w.open)-1], w.shells[:len(w.shells)-1]
		default:
			w.top().AddChild(t)
		}
	}
}

func (w *paragraphWriter) top() *etree.Element { return w.open[len(w.open)-1] }

// piece writes what the edits left of one piece.
func (w *paragraphWriter) piece(e *etree.Element) {
	piece := w.batch.pieces[e]
	if piece.Run == nil {
		w.outsideRun(e)
		return
	}
	out := textWriter{paragraph: w}
	if piece.Kind == TextPiece {
		out.reuse = e
	}
	for _, f := range w.batch.fragments[e] {
		switch {
		case f.isWhole:
			out.flush()
			w.top().AddChild(e)
		case f.isInserted:
			out.insert(f.text)
			out.object(f.object)
		default:
			out.text.WriteString(f.text)
		}
	}
	out.flush()
}

// outsideRun writes a piece that is no run's child, as an equation is. Text
// beside it needs a run of its own.
func (w *paragraphWriter) outsideRun(e *etree.Element) {
	for _, f := range w.batch.fragments[e] {
		if f.isWhole {
			w.top().AddChild(e)
			continue
		}
		run := etree.NewElement("w:r")
		w.top().AddChild(run)
		w.open, w.shells = append(w.open, run), append(w.shells, etree.NewElement("w:r"))
		out := textWriter{paragraph: w}
		out.insert(f.text)
		out.object(f.object)
		out.flush()
		w.open, w.shells = w.open[:len(w.open)-1], w.shells[:len(w.shells)-1]
	}
}

// split closes everything that is open and goes on in a new paragraph.
func (w *paragraphWriter) split() {
	for i, s := range w.shells {
		fresh := s.Copy()
		if i == 0 {
			w.made = append(w.made, fresh)
		} else {
			w.open[i-1].AddChild(fresh)
		}
		w.open[i] = fresh
	}
}

// textWriter writes text into the run on top of the open elements.
type textWriter struct {
	paragraph *paragraphWriter
	reuse     *etree.Element // the w:t to write into first, nil when it is used up
	text      strings.Builder
}

func (o *textWriter) insert(text string) {
	for _, r := range text {
		switch r {
		case '\t':
			o.flush()
			o.paragraph.top().AddChild(etree.NewElement("w:tab"))
		case '\v':
			o.flush()
			o.paragraph.top().AddChild(etree.NewElement("w:br"))
		case '\n':
			o.flush()
			o.paragraph.split()
		default:
			o.text.WriteRune(r)
		}
	}
}

func (o *textWriter) object(e *etree.Element) {
	if e != nil {
		o.flush()
		o.paragraph.top().AddChild(e)
	}
}

func (o *textWriter) flush() {
	if o.text.Len() == 0 {
		return
	}
	e := o.reuse
	if o.reuse = nil; e == nil {
		e = etree.NewElement("w:t")
	}
	text := o.text.String()
	o.text.Reset()
	setText(e, text)
	o.paragraph.top().AddChild(e)
}

// setText writes text into a w:t so that it shows as it is.
func setText(e *etree.Element, text string) {
	setCharData(e, text)
	if strings.Trim(text, " \t") != text {
		e.CreateAttr("xml:space", "preserve")
	}
}

// shell copies an element without its content: its attributes and properties.
func shell(e *etree.Element) *etree.Element {
	s := etree.NewElement(e.Tag)
	s.Space = e.Space
	for _, a := range e.Attr {
		// Ids of paragraphs must differ.
		if a.Space != "w14" {
			s.CreateAttr(a.FullKey(), a.Value)
		}
	}
	for _, t := range e.Child {
		properties, ok := t.(*etree.Element)
		if !ok || !strings.HasSuffix(properties.Tag, "Pr") || properties.Space != "w" {
			continue
		}
		properties = properties.Copy()
		for _, once := range []string{"sectPr", "id", "pPrChange"} {
			if c := childNamed(properties, "w", once); c != nil {
				properties.RemoveChild(c)
			}
		}
		s.AddChild(properties)
	}
	return s
}

// moveSection keeps the end of a section at the last of the paragraphs that
// one was split into.
func moveSection(from, to *etree.Element) {
	properties := childNamed(from, "w", "pPr")
	section := childNamed(properties, "w", "sectPr")
	if section == nil {
		return
	}
	properties.RemoveChild(section)
	// Only a tracked change of the properties may follow sectPr, and shells, which
	// have the properties of their paragraph, have none (ECMA-376 part 1, 17.3.1.26).
	childNamed(to, "w", "pPr").AddChild(section)
}

// unbind cuts an edited content control off the XML store that Word would fill
// it from again, and from being shown as a prompt (ECMA-376 part 1, 17.5.2.6
// and 17.5.2.39).
func unbind(e *etree.Element) {
	if e.Tag != "sdt" || e.Space != "w" {
		return
	}
	properties := childNamed(e, "w", "sdtPr")
	for _, tag := range []string{"dataBinding", "showingPlcHdr"} {
		if c := childNamed(properties, "w", tag); c != nil {
			properties.RemoveChild(c)
		}
	}
}

func insertAfter(p *etree.Element, made []*etree.Element) {
	parent := p.Parent()
	if parent == nil {
		return
	}
	at := p.Index() + 1
	for i, e := range made {
		parent.InsertChildAt(at+i, e)
	}
}
