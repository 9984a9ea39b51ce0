package fill

import (
	"slices"
	"strings"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/template/lang"
)

// The fields of a style that a copy takes over. Fields that the style does not
// set are set back to what the paragraph or the page has.
const (
	docsTextFields      = "backgroundColor,baselineOffset,bold,fontSize,foregroundColor,italic,link,smallCaps,strikethrough,underline,weightedFontFamily"
	docsParagraphFields = "alignment,avoidWidowAndOrphan,borderBetween,borderBottom,borderLeft,borderRight,borderTop,direction,indentEnd,indentFirstLine,indentStart,keepLinesTogether,keepWithNext,lineSpacing,namedStyleType,shading,spaceAbove,spaceBelow,spacingMode"
	// docsPageFields are those of a paragraph that may begin a page. Google refuses
	// pageBreakBefore in tables, headers, footers and footnotes (ParagraphStyle).
	docsPageFields = docsParagraphFields + ",pageBreakBefore"
)

// docsWriter writes requests about one segment of a document.
type docsWriter struct {
	segment, tab string
	requests     []*docs.Request
	sent         sentPictures
}

func (w *docsWriter) add(r *docs.Request) { w.requests = append(w.requests, r) }

// whenZero has a number sent that is 0. Google's client leaves it out
// otherwise, and Google refuses a range that does not say where it begins
// (documents, Range.startIndex). Headers, footers and notes begin at 0.
func whenZero(n int64, field string) []string {
	if n == 0 {
		return []string{field}
	}
	return nil
}

func (w *docsWriter) at(index int64) *docs.Location {
	return &docs.Location{Index: index, SegmentId: w.segment, TabId: w.tab, ForceSendFields: whenZero(index, "Index")}
}

func (w *docsWriter) span(from, to int64) *docs.Range {
	return &docs.Range{StartIndex: from, EndIndex: to, SegmentId: w.segment, TabId: w.tab, ForceSendFields: whenZero(from, "StartIndex")}
}

func (w *docsWriter) insert(at int64, text string) {
	w.add(&docs.Request{InsertText: &docs.InsertTextRequest{Location: w.at(at), Text: text}})
}

func (w *docsWriter) remove(from, to int64) {
	w.add(&docs.Request{DeleteContentRange: &docs.DeleteContentRangeRequest{Range: w.span(from, to)}})
}

func (w *docsWriter) insertPicture(at int64, of *lang.Placed, width, height float64) {
	points := func(n float64) *docs.Dimension { return &docs.Dimension{Magnitude: n, Unit: "PT"} }
	w.add(&docs.Request{InsertInlineImage: &docs.InsertInlineImageRequest{
		Location: w.at(at), Uri: w.sent.described(of), ObjectSize: &docs.Size{Width: points(width), Height: points(height)},
	}})
}

func (w *docsWriter) restyle(from, to int64, l style) {
	style, ok := l.api.(*docs.TextStyle)
	if !ok || style == nil {
		style = &docs.TextStyle{}
	}
	fields := docsTextFields
	if l.named && l.fields != "" {
		w.restyle(from, to, newStyle(&docs.TextStyle{}))
		fields = l.fields
	}
	w.add(&docs.Request{UpdateTextStyle: &docs.UpdateTextStyleRequest{Range: w.span(from, to), TextStyle: style, Fields: fields}})
}

func (w *docsWriter) restyleEmpty(at int64, l style) { w.restyle(at, at+1, l) }

// reshape puts the list before the style: the indents are the style's. A paragraph
// that is nested in a list is reshaped alone.
func (w *docsWriter) reshape(from, to int64, of *para, has entry) {
	if of.entry != has {
		w.enlist(from, to, of.entry, has != (entry{}))
	}
	fields := docsParagraphFields
	if of.pages {
		fields = docsPageFields
	}
	w.shape(from, to, of.style, fields)
}

// enlist makes paragraphs entries of a list, or of none. isListed says that they are
// in another. Tabs in front of a paragraph say how deep it is nested, and go
// (CreateParagraphBulletsRequest).
func (w *docsWriter) enlist(from, to int64, e entry, isListed bool) {
	if isListed {
		w.unbullet(from, to-1)
	}
	if e == (entry{}) {
		return
	}
	if e.level > 0 {
		w.insert(from, strings.Repeat("\t", int(e.level)))
	}
	w.bullet(from, to-1+e.level, e.preset)
}

func (w *docsWriter) bullet(from, to int64, preset string) {
	w.add(&docs.Request{CreateParagraphBullets: &docs.CreateParagraphBulletsRequest{Range: w.span(from, to+1), BulletPreset: preset}})
}

func (w *docsWriter) unbullet(from, to int64) {
	w.add(&docs.Request{DeleteParagraphBullets: &docs.DeleteParagraphBulletsRequest{Range: w.span(from, to+1)}})
}

func (w *docsWriter) flatten(at int64) {
	none := &docs.Dimension{Unit: "PT", ForceSendFields: []string{"Magnitude"}}
	w.shape(at, at+1, newStyle(&docs.ParagraphStyle{LineSpacing: 100, SpaceAbove: none, SpaceBelow: none}), "lineSpacing,spaceAbove,spaceBelow")
	w.add(&docs.Request{UpdateTextStyle: &docs.UpdateTextStyleRequest{
		Range: w.span(at, at+1), TextStyle: &docs.TextStyle{FontSize: &docs.Dimension{Magnitude: 1, Unit: "PT"}}, Fields: "fontSize",
	}})
}

func (w *docsWriter) change(from, to int64, s style, fields string) { w.shape(from, to+1, s, fields) }

func (w *docsWriter) shape(from, to int64, s style, fields string) {
	if style, ok := s.api.(*docs.ParagraphStyle); ok {
		w.add(&docs.Request{UpdateParagraphStyle: &docs.UpdateParagraphStyleRequest{Range: w.span(from, to), ParagraphStyle: style, Fields: fields}})
	}
}

func (w *docsWriter) cell(*table, int, *cell) writer { return w }

func (w *docsWriter) locateCell(t *table, row int, column int64) *docs.TableCellLocation {
	return &docs.TableCellLocation{TableStartLocation: w.at(t.start), RowIndex: int64(row), ColumnIndex: column, ForceSendFields: []string{"RowIndex", "ColumnIndex"}}
}

func (w *docsWriter) removeRow(t *table, row int) {
	w.add(&docs.Request{DeleteTableRow: &docs.DeleteTableRowRequest{TableCellLocation: w.locateCell(t, row, t.rows[row].reference())}})
}

func (w *docsWriter) removeTable(t *table) { w.remove(t.start, t.end) }

// copyRows inserts empty rows, each below the last, then their texts from the
// last to the first, and then the styles from the first to the last: of
// neighbouring cells of one style in one request.
func (w *docsWriter) copyRows(t *table, row int, copies [][][]filled) {
	model := t.rows[row]
	for k := range copies {
		w.add(&docs.Request{InsertTableRow: &docs.InsertTableRowRequest{TableCellLocation: w.locateCell(t, row+k, model.reference()), InsertBelow: true}})
	}
	// A row takes one unit, each of its cells one and a line feed.
	height := int64(2*len(model.cells) + 1)
	for k := len(copies) - 1; k >= 0; k-- {
		for j := len(model.cells) - 1; j >= 0; j-- {
			if text := textsOf(cellOf(copies[k], j)); text != "" {
				w.insert(model.end+int64(k)*height+int64(2*j)+2, text)
			}
		}
	}
	for _, c := range newCells(model, copies) {
		w.copyLists(c)
		relistAll(c.all, c.at, false, w)
	}
	w.copyStyles(model, copies)
	for _, c := range newCells(model, copies) {
		changeMarked(c.all, c.at, w)
	}
	w.copyPictures(model, copies)
	for k := range copies {
		for _, c := range model.cells {
			if c.span > 1 {
				at := w.locateCell(t, row+1+k, c.column)
				w.add(&docs.Request{MergeTableCells: &docs.MergeTableCellsRequest{TableRange: &docs.TableRange{TableCellLocation: at, RowSpan: 1, ColumnSpan: c.span}}})
			}
		}
	}
}

func cellOf(row [][]filled, j int) []filled {
	if j >= len(row) {
		return nil
	}
	return row[j]
}

func textsOf(all []filled) string {
	texts := make([]string, len(all))
	for i, f := range all {
		texts[i] = f.text()
	}
	return strings.Join(texts, "\n")
}

// copyStyles gives the new rows below a row its styles.
func (w *docsWriter) copyStyles(model *row, copies [][][]filled) {
	var text, shape stretches
	at := model.end
	for _, cells := range copies {
		at++
		for j, c := range model.cells {
			at++
			all := cellOf(cells, j)
			if len(all) == 0 {
				all = []filled{{of: firstPara(c.blocks)}}
			}
			for _, f := range all {
				start := at
				for _, r := range f.runs {
					text.add(at, at+units(r.text), r.style)
					at += units(r.text)
				}
				at++
				if of := f.of.unmarked(); of != nil {
					text.add(at-1, at, of.styleAt(len(of.text)))
					shape.add(start, at, of.style)
				}
			}
		}
	}
	for _, s := range shape {
		w.shape(s.from, s.to, s.style, docsParagraphFields)
	}
	for _, s := range text {
		w.restyle(s.from, s.to, s.style)
	}
}

// A newCell is a cell of a new row with its text, which begins at an index.
type newCell struct {
	at    int64
	all   []filled
	model *cell
}

// newCells are those of the new rows below a row.
func newCells(model *row, copies [][][]filled) []newCell {
	var cells []newCell
	at := model.end
	for _, row := range copies {
		at++
		for j, c := range model.cells {
			at++
			all := cellOf(row, j)
			cells = append(cells, newCell{at, all, c})
			at += units(textsOf(all)) + 1
		}
	}
	return cells
}

// copyLists gives the paragraphs of a new cell their lists. Whether they have those of
// the cell above is not said (InsertTableRowRequest): where they do, all have that of
// one paragraph. Entries of the first one's list stay in it, so that its numbers go on
// on drives where new rows have lists.
func (w *docsWriter) copyLists(c newCell) {
	var first entry
	isListed := slices.ContainsFunc(c.model.blocks, func(b *block) bool { return b.para != nil && b.para.entry != (entry{}) })
	if p := firstPara(c.model.blocks); p != nil {
		first = p.entry
	}
	at := c.at
	for i := 0; i < len(c.all); {
		from, e := at, c.all[i].of.unmarked().entry
		for alone := false; i < len(c.all) && c.all[i].of.unmarked().entry == e && !alone; i++ {
			at += units(c.all[i].text()) + 1
			alone = e.level > 0
		}
		w.enlist(from, at, e, isListed && (e != first || e.level > 0))
	}
}

// copyPictures puts the pictures into new rows, from the last to the first.
func (w *docsWriter) copyPictures(model *row, copies [][][]filled) {
	for _, c := range slices.Backward(newCells(model, copies)) {
		room := 0.0
		if p := firstPara(c.model.blocks); p != nil {
			room = p.room
		}
		placePictures(c.at, c.all, room, w)
	}
}

func firstPara(blocks []*block) *para {
	for _, b := range blocks {
		if b.para != nil {
			return b.para
		}
	}
	return nil
}

// stretches are ranges with their styles, in order.
type stretches []stretch

type stretch struct {
	from, to int64
	style    style
}

// add lengthens the last stretch over what lies between when the style is the
// same: the borders of cells have none.
func (s *stretches) add(from, to int64, l style) {
	if from == to {
		return
	}
	if n := len(*s); n > 0 && (*s)[n-1].style.key == l.key {
		(*s)[n-1].to = to
		return
	}
	*s = append(*s, stretch{from, to, l})
}
