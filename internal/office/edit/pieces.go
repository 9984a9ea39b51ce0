package edit

import (
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/opc"
)

// ParagraphPieces returns the text of a w:p or a:p piece by piece, as Word and
// PowerPoint show it: insertions that are tracked count, deletions do not, nor
// do the instructions of fields. What has no place in the line (bookmarks,
// proofing marks, floating pictures) has no piece.
func ParagraphPieces(p *etree.Element) []Piece {
	if p.Space == "a" {
		return slidePieces(p)
	}
	r := pieceReader{}
	r.container(p, 0)
	return r.pieces
}

// ParagraphText returns the text of pieces in one string.
func ParagraphText(pieces []Piece) string {
	if len(pieces) == 1 {
		return pieces[0].Text
	}
	var text strings.Builder
	for _, p := range pieces {
		text.WriteString(p.Text)
	}
	return text.String()
}

// pieceReader walks one paragraph of a document.
type pieceReader struct {
	pieces []Piece
	fields []*openField
}

// openField is a complex field (w:fldChar) whose end has not come yet.
type openField struct {
	instruction strings.Builder
	isShowing   bool      // its result is being read, no longer its instruction
	kind        PieceKind // of a page number, whose result is one object
	elements    []*etree.Element
}

// container reads what may stand in a paragraph around runs.
func (r *pieceReader) container(e *etree.Element, depth int) {
	if depth > opc.MaxNesting {
		return
	}
	for _, t := range e.Child {
		child, ok := t.(*etree.Element)
		if !ok {
			continue
		}
		switch child.Tag {
		case "r":
			if child.Space == "w" {
				r.run(child)
			}
		case "hyperlink", "ins", "moveTo", "smartTag", "customXml", "dir", "bdo", "sdt", "sdtContent":
			r.container(child, depth+1)
		case "fldSimple":
			if kind := pageField(wAttrValue(child, "instr")); kind != OtherPiece {
				r.object(kind, child, nil)
			} else {
				r.container(child, depth+1)
			}
		case "oMath", "oMathPara":
			r.object(OtherPiece, child, nil)
		}
	}
}

func (r *pieceReader) run(run *etree.Element) {
	for _, t := range run.Child {
		e, ok := t.(*etree.Element)
		if !ok {
			continue
		}
		switch e.Tag {
		case "t":
			r.text(TextPiece, shownText(e), e, run)
		case "tab", "ptab":
			r.text(TabPiece, "\t", e, run)
		case "cr":
			r.text(LineBreakPiece, LineBreak, e, run)
		case "noBreakHyphen":
			r.text(OtherPiece, "\u2011", e, run)
		case "softHyphen":
			r.text(OtherPiece, "\u00AD", e, run)
		case "br":
			switch wAttrValue(e, "type") {
			case "page":
				r.object(PageBreakPiece, e, run)
			case "column":
				r.object(ColumnBreakPiece, e, run)
			default:
				r.text(LineBreakPiece, LineBreak, e, run)
			}
		case "fldChar":
			r.fieldCharacter(e, run)
		case "instrText":
			if n := len(r.fields); n > 0 {
				r.fields[n-1].instruction.WriteString(charData(e))
				r.fields[n-1].elements = append(r.fields[n-1].elements, e)
			}
		case "footnoteReference", "endnoteReference":
			r.object(NoteReferencePiece, e, run)
		case "pgNum":
			r.object(PageNumberPiece, e, run)
		case "sym", "ruby":
			r.object(OtherPiece, e, run)
		case "drawing", "pict", "object", "AlternateContent":
			if !isFloating(e) {
				r.object(DrawingPiece, e, run)
			}
		}
	}
}

func (r *pieceReader) text(kind PieceKind, text string, e, run *etree.Element) {
	for _, f := range r.fields {
		if !f.isShowing || f.kind != OtherPiece {
			f.elements = append(f.elements, e)
			return
		}
	}
	if text != "" {
		r.pieces = append(r.pieces, Piece{Kind: kind, Text: text, Elem: e, Run: run})
	}
}

func (r *pieceReader) object(kind PieceKind, e, run *etree.Element) {
	r.text(kind, ObjectCharacter, e, run)
}

// fieldCharacter follows a complex field from its begin to its end (ECMA-376
// part 1, 17.16.18). A page number becomes one object; its result is ignored.
func (r *pieceReader) fieldCharacter(e, run *etree.Element) {
	n := len(r.fields)
	switch wAttrValue(e, "fldCharType") {
	case "begin":
		if n < opc.MaxNesting {
			r.fields = append(r.fields, &openField{kind: OtherPiece, elements: []*etree.Element{e}})
		}
	case "separate":
		if n > 0 {
			f := r.fields[n-1]
			f.isShowing, f.kind = true, pageField(f.instruction.String())
			f.elements = append(f.elements, e)
		}
	case "end":
		if n == 0 {
			return
		}
		f := r.fields[n-1]
		r.fields = r.fields[:n-1]
		if f.kind = pageField(f.instruction.String()); f.kind == OtherPiece {
			return
		}
		before := len(r.pieces)
		r.object(f.kind, e, run)
		if len(r.pieces) > before {
			r.pieces[before].with = f.elements
		}
	}
}

// pageField classifies a field's instruction; OtherPiece is a field whose
// result is plain text to us.
func pageField(instruction string) PieceKind {
	switch fieldName(instruction) {
	case "PAGE":
		return PageNumberPiece
	case "NUMPAGES", "SECTIONPAGES":
		return PageCountPiece
	}
	return OtherPiece
}

// isFloating reports whether a drawing is placed on the page and not in the line.
func isFloating(e *etree.Element) bool {
	switch e.Tag {
	case "AlternateContent":
		for _, choice := range e.ChildElements() {
			for _, inner := range choice.ChildElements() {
				if isFloating(inner) {
					return true
				}
			}
		}
		return false
	case "drawing":
		return childNamed(e, "wp", "anchor") != nil
	}
	for _, shape := range e.ChildElements() {
		if shape.Space == "v" && strings.Contains(shape.SelectAttrValue("style", ""), "position:absolute") {
			return true
		}
	}
	return false
}

// shownText is the text of a w:t without the white space at its ends that is
// not shown unless xml:space says so.
func shownText(t *etree.Element) string {
	// A raw line end in a w:t is shown as a space.
	text := charData(t)
	if strings.ContainsAny(text, "\n\r") {
		text = strings.NewReplacer("\n", " ", "\r", " ").Replace(text)
	}
	trimmed := strings.Trim(text, " \t")
	if len(trimmed) == len(text) || preservesSpace(t) {
		return text
	}
	return trimmed
}

func preservesSpace(e *etree.Element) bool {
	for ; e != nil; e = e.Parent() {
		for _, a := range e.Attr {
			if a.Space == "xml" && a.Key == "space" {
				return a.Value == "preserve"
			}
		}
	}
	return false
}

func wAttrValue(e *etree.Element, key string) string {
	for _, a := range e.Attr {
		if a.Key == key && a.Space == "w" {
			return a.Value
		}
	}
	return ""
}

// slidePieces reads an a:p (ECMA-376 part 1, 21.1.2.2).
func slidePieces(p *etree.Element) []Piece {
	var pieces []Piece
	for _, t := range p.Child {
		e, ok := t.(*etree.Element)
		if !ok {
			continue
		}
		switch {
		case e.Space == "a" && e.Tag == "r":
			if text := childNamed(e, "a", "t"); text != nil && charData(text) != "" {
				pieces = append(pieces, Piece{Kind: TextPiece, Text: charData(text), Elem: e, Run: e})
			}
		case e.Space == "a" && e.Tag == "br":
			pieces = append(pieces, Piece{Kind: LineBreakPiece, Text: LineBreak, Elem: e, Run: e})
		case e.Space == "a" && e.Tag == "fld":
			kind := OtherPiece
			if e.SelectAttrValue("type", "") == "slidenum" {
				kind = PageNumberPiece
			}
			pieces = append(pieces, Piece{Kind: kind, Text: ObjectCharacter, Elem: e, Run: e})
		case e.Tag == "AlternateContent":
			pieces = append(pieces, Piece{Kind: OtherPiece, Text: ObjectCharacter, Elem: e})
		}
	}
	return pieces
}
