package fill

import (
	"strings"

	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/template/lang"
)

const (
	slidesTextFields      = "backgroundColor,baselineOffset,bold,fontFamily,fontSize,foregroundColor,italic,link,smallCaps,strikethrough,underline"
	slidesParagraphFields = "alignment,direction,indentEnd,indentFirstLine,indentStart,lineSpacing,spaceAbove,spaceBelow,spacingMode"
	// maxNewRows is how many rows one request may add.
	maxNewRows = 20
)

// slidesWriter writes requests about the text of one shape, a cell, or a table.
type slidesWriter struct {
	object   string
	location *slides.TableCellLocation
	requests *[]*slides.Request
}

func (w *slidesWriter) add(r *slides.Request) { *w.requests = append(*w.requests, r) }

func (w *slidesWriter) span(from, to int64) *slides.Range {
	return &slides.Range{Type: "FIXED_RANGE", StartIndex: &from, EndIndex: &to}
}

func (w *slidesWriter) insert(at int64, text string) {
	w.add(&slides.Request{InsertText: &slides.InsertTextRequest{
		ObjectId: w.object, CellLocation: w.location, InsertionIndex: at, Text: text, ForceSendFields: whenZero(at, "InsertionIndex"),
	}})
}

func (w *slidesWriter) remove(from, to int64) {
	w.add(&slides.Request{DeleteText: &slides.DeleteTextRequest{ObjectId: w.object, CellLocation: w.location, TextRange: w.span(from, to)}})
}

// insertPicture does nothing: the text of a slide cannot hold one, and the
// composer has said so.
func (w *slidesWriter) insertPicture(int64, *lang.Placed, float64, float64) {}

// No table stands in the text of a slide.
func (w *slidesWriter) addTable(at int64, _ *filledTable) int64 { return at }

func (w *slidesWriter) flatten(int64) {}

func (w *slidesWriter) writeTable(int64, *filledTable) {}

func (w *slidesWriter) restyle(from, to int64, l style) {
	style, ok := l.api.(*slides.TextStyle)
	if !ok || style == nil {
		style = &slides.TextStyle{}
	}
	w.add(&slides.Request{UpdateTextStyle: &slides.UpdateTextStyleRequest{
		ObjectId: w.object, CellLocation: w.location, TextRange: w.span(from, to), Style: style, Fields: slidesTextFields,
	}})
}

// restyleEmpty does nothing: no range reaches the last line feed of a text.
func (w *slidesWriter) restyleEmpty(int64, style) {}

// reshape leaves empty paragraphs as they are, which may be the last.
func (w *slidesWriter) reshape(from, to int64, of *para, has entry) {
	if to--; to <= from {
		return
	}
	w.shape(w.span(from, to), of)
	if of.entry != has {
		w.enlist(from, to, of.entry, has != (entry{}))
	}
}

// enlist is that of documents (docsWriter.enlist).
func (w *slidesWriter) enlist(from, to int64, e entry, isListed bool) {
	if isListed {
		w.unbullet(from, to)
	}
	if e == (entry{}) {
		return
	}
	if e.level > 0 {
		w.insert(from, strings.Repeat("\t", int(e.level)))
	}
	w.bullet(from, to+e.level, e.preset)
}

// bullet leaves an empty paragraph as it is: no range reaches the last line feed. Presets
// with numbers are called DIGIT here, and DECIMAL in documents (BulletGlyphPreset).
func (w *slidesWriter) bullet(from, to int64, preset string) {
	if to > from {
		w.add(&slides.Request{CreateParagraphBullets: &slides.CreateParagraphBulletsRequest{
			ObjectId: w.object, CellLocation: w.location, TextRange: w.span(from, to), BulletPreset: strings.ReplaceAll(preset, "DECIMAL", "DIGIT"),
		}})
	}
}

func (w *slidesWriter) unbullet(from, to int64) {
	if to > from {
		w.add(&slides.Request{DeleteParagraphBullets: &slides.DeleteParagraphBulletsRequest{ObjectId: w.object, CellLocation: w.location, TextRange: w.span(from, to)}})
	}
}

func (w *slidesWriter) change(from, to int64, s style, fields string) {
	if style, ok := s.api.(*slides.ParagraphStyle); ok && to > from {
		w.add(&slides.Request{UpdateParagraphStyle: &slides.UpdateParagraphStyleRequest{
			ObjectId: w.object, CellLocation: w.location, TextRange: w.span(from, to), Style: style, Fields: fields,
		}})
	}
}

func (w *slidesWriter) shape(r *slides.Range, of *para) {
	if style, ok := of.style.api.(*slides.ParagraphStyle); ok && style != nil {
		w.add(&slides.Request{UpdateParagraphStyle: &slides.UpdateParagraphStyleRequest{
			ObjectId: w.object, CellLocation: w.location, TextRange: r, Style: style, Fields: slidesParagraphFields,
		}})
	}
}

func (w *slidesWriter) cell(_ *table, row int, c *cell) writer {
	return w.at(row, c)
}

func (w *slidesWriter) at(row int, c *cell) *slidesWriter {
	return &slidesWriter{object: w.object, location: slidesCell(row, c.column), requests: w.requests}
}

// slidesCell says both numbers, also where they are 0.
func slidesCell(row int, column int64) *slides.TableCellLocation {
	return &slides.TableCellLocation{RowIndex: int64(row), ColumnIndex: column, ForceSendFields: []string{"RowIndex", "ColumnIndex"}}
}

func (w *slidesWriter) removeRow(t *table, row int) {
	w.add(&slides.Request{DeleteTableRow: &slides.DeleteTableRowRequest{TableObjectId: w.object, CellLocation: slidesCell(row, t.rows[row].reference())}})
}

func (w *slidesWriter) removeTable(*table) { w.add(deleteObject(w.object)) }

// copyRows inserts empty rows and writes them, cell by cell.
func (w *slidesWriter) copyRows(t *table, row int, copies [][][]filled) {
	for left := len(copies); left > 0; left -= maxNewRows {
		w.add(&slides.Request{InsertTableRows: &slides.InsertTableRowsRequest{
			TableObjectId: w.object, CellLocation: slidesCell(row, t.rows[row].reference()), InsertBelow: true, Number: int64(min(left, maxNewRows)),
		}})
	}
	for k, cells := range copies {
		for j, c := range t.rows[row].cells {
			w.dress(row+1+k, c)
			if all := cellOf(cells, j); textsOf(all) != "" {
				w.at(row+1+k, c).fill(all)
			}
		}
	}
}

// dress gives a new cell what the one above has around its text.
func (w *slidesWriter) dress(row int, c *cell) {
	span := func(columns int64) *slides.TableRange {
		return &slides.TableRange{Location: slidesCell(row, c.column), RowSpan: 1, ColumnSpan: columns}
	}
	if c.span > 1 {
		w.add(&slides.Request{MergeTableCells: &slides.MergeTableCellsRequest{ObjectId: w.object, TableRange: span(c.span)}})
	}
	if c.properties != nil && c.properties.TableCellBackgroundFill != nil {
		w.add(&slides.Request{UpdateTableCellProperties: &slides.UpdateTableCellPropertiesRequest{
			ObjectId: w.object, TableRange: span(c.span), Fields: "contentAlignment,tableCellBackgroundFill", TableCellProperties: &slides.TableCellProperties{
				ContentAlignment: c.properties.ContentAlignment, TableCellBackgroundFill: c.properties.TableCellBackgroundFill,
			},
		}})
	}
}

// fill writes paragraphs into an empty cell.
func (w *slidesWriter) fill(all []filled) {
	w.insert(0, textsOf(all))
	var text stretches
	at := int64(0)
	for i, f := range all {
		start := at
		for _, r := range f.runs {
			text.add(at, at+units(r.text), r.style)
			at += units(r.text)
		}
		if of := f.of.unmarked(); at > start {
			w.shape(w.span(start, at), of)
			w.enlist(start, at, of.entry, false)
		}
		if i < len(all)-1 {
			at++
		}
	}
	changeMarked(all, 0, w)
	for _, s := range text {
		w.restyle(s.from, s.to, s.style)
	}
}
