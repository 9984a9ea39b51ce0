// Package docs shows a .docx as Google's documents resource and applies
// Google's batchUpdate requests to it.
//
// The resource is a projection made for one answer: the truth stays the XML
// that package wml points back at. Nothing in here knows HTTP, accounts or how a
// page looks.
//
// A new kind of request takes a case in apply.go, where it is either placed by
// index or named by an id. It takes a method in the file of its subject, which
// ends in noteChange where indexes moved, in noteRestyle where they did not. One
// with a range also stands in range_starts.go, or its start of 0 is taken for a
// missing one. Remove it from the refused kinds in apply_test.go, and add a seed
// to fuzz_test.go.
package docs

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/wml"
)

// Get returns a document in Google's form. Indexes are UTF-16 code units and run
// without a gap through each segment. Ids of headers, footers, notes, lists and objects
// are the same for as long as the document is. Text boxes, which Google's interface
// leaves out, are listed among the footnotes without a reference to them, so that a
// client finds what replaceAllText would change. The contentUri of a picture is the
// name of its part; the caller turns it into an address. The error is an
// *opc.FormatError.
func Get(d *wml.Document, id, title, revision string) (*gdocs.Document, error) {
	return newProjection(d).get(id, title, revision)
}

func (p *projection) get(id, title, revision string) (*gdocs.Document, error) {
	d := p.document
	all, err := segments(d.Package)
	if err != nil {
		return nil, fmt.Errorf("lay out document %s: %w", id, err)
	}
	named, err := p.namedStyles()
	if err != nil {
		return nil, fmt.Errorf("read the styles of %s: %w", id, err)
	}
	doc := &gdocs.Document{
		DocumentId:          id,
		Title:               title,
		RevisionId:          revision,
		SuggestionsViewMode: "SUGGESTIONS_INLINE",
		DocumentStyle:       p.documentStyle(),
		NamedStyles:         named,
	}
	for _, s := range all {
		content := p.content(s.nodes)
		switch {
		case s.id == "":
			doc.Body = &gdocs.Body{Content: content}
		case s.root.Tag == "hdr":
			put(&doc.Headers, s.id, gdocs.Header{HeaderId: s.id, Content: content})
		case s.root.Tag == "ftr":
			put(&doc.Footers, s.id, gdocs.Footer{FooterId: s.id, Content: content})
		default:
			put(&doc.Footnotes, s.id, gdocs.Footnote{FootnoteId: s.id, Content: content})
		}
	}
	doc.NamedRanges = namedRanges(d.Package, all)
	doc.InlineObjects, doc.PositionedObjects = p.objects, p.floating
	doc.Lists = p.lists
	return doc, nil
}

func put[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = value
}

// projection turns nodes into Google's elements, taking styles from the
// resolved model.
type projection struct {
	document   *wml.Document
	paragraphs map[*etree.Element]*wml.Paragraph
	ordered    []*wml.Paragraph // the same, as they were learned
	variants   variants
	runs       map[*etree.Element]*wml.Run
	tables     map[*etree.Element]*wml.Table
	drawings   map[*etree.Element]*wml.Drawing
	objects    map[string]gdocs.InlineObject
	floating   map[string]gdocs.PositionedObject
	lists      map[string]gdocs.List
	notes      int
	isInline   bool // text says by which suggestion it is inserted or deleted
}

func newProjection(d *wml.Document) *projection {
	p := &projection{
		document:   d,
		paragraphs: map[*etree.Element]*wml.Paragraph{},
		runs:       map[*etree.Element]*wml.Run{},
		tables:     map[*etree.Element]*wml.Table{},
		drawings:   map[*etree.Element]*wml.Drawing{},
	}
	for _, s := range d.Sections {
		p.learn(s.Blocks)
		for _, stories := range []map[string]*wml.Story{s.Headers, s.Footers} {
			for _, story := range stories {
				p.learn(story.Blocks)
			}
		}
	}
	for _, notes := range []map[string]*wml.Note{d.Footnotes, d.Endnotes} {
		for _, n := range notes {
			p.learn(n.Blocks)
		}
	}
	p.learnVariants()
	return p
}

// learn remembers which resolved node belongs to which element.
func (p *projection) learn(blocks []wml.Block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case *wml.Paragraph:
			p.paragraphs[b.Elem] = b
			p.ordered = append(p.ordered, b)
			for _, r := range b.Runs {
				p.runs[r.Elem] = r
				for _, item := range r.Items {
					if item.Drawing != nil {
						p.drawings[item.Elem] = item.Drawing
						p.learnBoxes(item.Drawing, 0)
					}
				}
			}
		case *wml.Table:
			p.tables[b.Elem] = b
			for _, r := range b.Rows {
				for _, c := range r.Cells {
					p.learn(c.Blocks)
				}
			}
		}
	}
}

func (p *projection) learnBoxes(d *wml.Drawing, depth int) {
	if depth > maxNesting {
		return
	}
	if d.Box != nil {
		p.learn(d.Box.Blocks)
	}
	for _, c := range d.Children {
		p.learnBoxes(c, depth+1)
	}
}

func (p *projection) content(nodes []*node) []*gdocs.StructuralElement {
	content := []*gdocs.StructuralElement{}
	for _, n := range nodes {
		e := &gdocs.StructuralElement{StartIndex: n.start, EndIndex: n.end}
		switch {
		case n.paragraph != nil:
			e.Paragraph = p.paragraph(n)
		case n.table != nil:
			e.Table = p.table(n.table)
		default:
			e.SectionBreak = p.sectionBreak(n.sectPr)
		}
		content = append(content, e)
	}
	return content
}

// paragraph joins neighbouring text of one style into one run; the last run
// ends with the paragraph's line feed.
func (p *projection) paragraph(n *node) *gdocs.Paragraph {
	out := &gdocs.Paragraph{}
	resolved := p.paragraphs[n.paragraph.elem]
	mark := &gdocs.TextStyle{}
	if resolved != nil {
		out.ParagraphStyle = p.paragraphStyle(resolved, n.start)
		out.Bullet = p.bullet(resolved)
		out.PositionedObjectIds = p.floatingPictures(resolved)
		mark = textStyle(resolved.Mark, nil)
	}
	at := n.start
	for _, piece := range n.paragraph.pieces {
		var style *gdocs.TextStyle
		if r := p.runs[piece.Run]; r != nil {
			style = p.textStyle(r)
		} else {
			style = &gdocs.TextStyle{}
		}
		e := p.element(piece, style)
		e.StartIndex, e.EndIndex = at, at+edit.Units(piece.Text)
		at = e.EndIndex
		out.Elements = appendElement(out.Elements, e)
	}
	end := &gdocs.ParagraphElement{StartIndex: at, EndIndex: n.end, TextRun: &gdocs.TextRun{Content: "\n", TextStyle: mark}}
	if last := len(out.Elements) - 1; last >= 0 && out.Elements[last].TextRun != nil && out.Elements[last].TextRun.TextStyle.Link == nil {
		end.TextRun.TextStyle = out.Elements[last].TextRun.TextStyle
	}
	out.Elements = appendElement(out.Elements, end)
	return out
}

func appendElement(elements []*gdocs.ParagraphElement, e *gdocs.ParagraphElement) []*gdocs.ParagraphElement {
	if n := len(elements); n > 0 && e.TextRun != nil {
		if last := elements[n-1]; last.TextRun != nil && isOneRun(last.TextRun, e.TextRun) {
			last.TextRun.Content += e.TextRun.Content
			last.EndIndex = e.EndIndex
			return elements
		}
	}
	return append(elements, e)
}

// isOneRun tells of texts that differ in nothing but what they say.
func isOneRun(a, b *gdocs.TextRun) bool {
	return reflect.DeepEqual(a.TextStyle, b.TextStyle) &&
		slices.Equal(a.SuggestedInsertionIds, b.SuggestedInsertionIds) && slices.Equal(a.SuggestedDeletionIds, b.SuggestedDeletionIds)
}

// unknownCharacter is what Google shows for content that its interface cannot
// express.
const unknownCharacter = "\uE907"

func (p *projection) element(piece edit.Piece, style *gdocs.TextStyle) *gdocs.ParagraphElement {
	e := &gdocs.ParagraphElement{}
	switch piece.Kind {
	case edit.PageBreakPiece:
		e.PageBreak = &gdocs.PageBreak{TextStyle: style}
	case edit.ColumnBreakPiece:
		e.ColumnBreak = &gdocs.ColumnBreak{TextStyle: style}
	case edit.PageNumberPiece:
		e.AutoText = &gdocs.AutoText{Type: "PAGE_NUMBER", TextStyle: style}
	case edit.PageCountPiece:
		e.AutoText = &gdocs.AutoText{Type: "PAGE_COUNT", TextStyle: style}
	case edit.DrawingPiece:
		e.InlineObjectElement = &gdocs.InlineObjectElement{InlineObjectId: p.object(piece.Elem), TextStyle: style}
	case edit.NoteReferencePiece:
		p.notes++
		kind := "footnote"
		if piece.Elem.Tag == "endnoteReference" {
			kind = "endnote"
		}
		e.FootnoteReference = &gdocs.FootnoteReference{
			FootnoteId:     noteID(kind, piece.Elem.SelectAttrValue("w:id", "")),
			FootnoteNumber: fmt.Sprint(p.notes),
			TextStyle:      style,
		}
	default:
		text := piece.Text
		if text == edit.ObjectCharacter {
			if piece.Run == nil {
				e.Equation = &gdocs.Equation{}
				return e
			}
			text = unknownCharacter
		}
		e.TextRun = &gdocs.TextRun{Content: text, TextStyle: style}
		if p.isInline {
			e.TextRun.SuggestedInsertionIds, e.TextRun.SuggestedDeletionIds = suggestionsOf(piece.Run)
		}
	}
	return e
}

// object registers a drawing that stands in the line and returns its id.
func (p *projection) object(e *etree.Element) string {
	id := p.objectID(e)
	shown := &gdocs.EmbeddedObject{}
	if d := p.drawings[e]; d != nil {
		shown = embeddedObject(d)
	}
	put(&p.objects, id, gdocs.InlineObject{
		ObjectId:               id,
		InlineObjectProperties: &gdocs.InlineObjectProperties{EmbeddedObject: shown},
	})
	return id
}

// objectID is the id of a drawing by its number in the file. Programs give one
// number to several drawings at times: the others have that of their place, too.
func (p *projection) objectID(e *etree.Element) string {
	number := 0
	drawingNumbers(e, func(n int) { number = cmp.Or(number, n) }) // the first: others are of drawings within
	id := pictureID(number)
	if _, isTaken := p.objects[id]; isTaken {
		id = fmt.Sprintf("%s.%d", id, len(p.objects)+1)
	}
	return id
}

// pictureID names a drawing by its number.
func pictureID(number int) string { return fmt.Sprintf("kix.object%d", number) }

func embeddedObject(d *wml.Drawing) *gdocs.EmbeddedObject {
	shown := &gdocs.EmbeddedObject{Description: d.Alt, Size: &gdocs.Size{Width: points(d.Width), Height: points(d.Height)}}
	if d.Chart != nil {
		shown.Title = edit.TaggedText(d.Chart.Texts())
	}
	if d.Image != nil {
		shown.ImageProperties = &gdocs.ImageProperties{ContentUri: d.Image.Part}
	} else if d.LinkedImage != "" {
		shown.ImageProperties = &gdocs.ImageProperties{SourceUri: d.LinkedImage}
	}
	if d.Box != nil || len(d.Children) > 0 {
		shown.EmbeddedDrawingProperties = &gdocs.EmbeddedDrawingProperties{}
	}
	return shown
}

// floatingPictures registers the pictures, charts, text boxes and groups that float beside
// a paragraph and returns their ids. Google's interface reports boxes and groups only as
// drawings.
func (p *projection) floatingPictures(para *wml.Paragraph) []string {
	var ids []string
	for _, r := range para.Runs {
		for _, item := range r.Items {
			d := item.Drawing
			if d == nil || d.Anchor == nil || d.Image == nil && d.LinkedImage == "" && d.Chart == nil && d.Box == nil && len(d.Children) == 0 {
				continue
			}
			id := fmt.Sprintf("kix.floating%d", len(p.floating)+1)
			put(&p.floating, id, gdocs.PositionedObject{ObjectId: id, PositionedObjectProperties: &gdocs.PositionedObjectProperties{
				EmbeddedObject: embeddedObject(d),
				Positioning:    &gdocs.PositionedObjectPositioning{Layout: positionedLayout(d.Anchor), LeftOffset: points(d.Anchor.H.Offset), TopOffset: points(d.Anchor.V.Offset)},
			}})
			ids = append(ids, id)
		}
	}
	return ids
}

func positionedLayout(a *wml.Anchor) string {
	switch {
	case a.Wrap == "topAndBottom":
		return "BREAK_LEFT_RIGHT"
	case a.Wrap != "none":
		return "WRAP_TEXT"
	case a.IsBehind:
		return "BEHIND_TEXT"
	}
	return "IN_FRONT_OF_TEXT"
}
