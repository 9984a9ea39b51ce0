package docs

import (
	"errors"
	"fmt"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/wml"
)

// tabID is the id of the only tab that our documents have.
const tabID = "t.0"

// Apply carries out the requests in their order, each on what the one before
// it left, and returns one response for each. A fault in any of them is an
// *opc.RequestError and leaves d half edited: throw it away and the file is
// as it was. After success the resolved nodes of d are out of date; its
// Package, and what Bytes writes, are not.
func Apply(d *wml.Document, id string, requests []*gdocs.Request) ([]*gdocs.Response, error) {
	b := &batch{pkg: d.Package, document: d, left: map[*etree.Element]string{}, isApart: map[*etree.Element]bool{}, entered: map[*etree.Element]entered{}, spare: map[string]*etree.Element{}}
	responses, err := edit.ApplyBatch(requests, b.apply)
	if err != nil {
		return nil, fmt.Errorf("update document %s: %w", id, err)
	}
	return responses, nil
}

// batch holds what the requests share. Text replacement keeps the editor's
// reading of the paragraphs; an edit by index keeps the segments, moving what is
// in them along. Each throws the other's away.
type batch struct {
	pkg      *opc.Package
	document *wml.Document
	editor   *edit.Editor
	segments []*segment
	styles   *knownStyles // learnt when the first style is given
	cells    int64        // of tables, that were added
	lists    int          // that were added
	restarts int          // of them those that look like another
	// left are the lists that paragraphs were taken out of, and isApart says that they
	// begin a list of their own. entered says how others got theirs.
	left     map[*etree.Element]string
	isApart  map[*etree.Element]bool
	entered  map[*etree.Element]entered
	spare    map[string]*etree.Element // lists of presets that nothing is in any more
	marks    int64                     // the highest number of a bookmark; 0 before it is known
	drawings int                       // the highest number of a drawing; 0 before it is known
	bitmaps  opc.Bitmaps
	isInline bool // suggestions read as text
}

func (b *batch) apply(r *gdocs.Request, invalid edit.RequestFault) (*gdocs.Response, error) {
	response := &gdocs.Response{}
	switch {
	case r.ReplaceAllText != nil:
		count, err := b.replaceAllText(r.ReplaceAllText, invalid)
		response.ReplaceAllText = &gdocs.ReplaceAllTextResponse{OccurrencesChanged: int64(count)}
		return response, err
	case r.InsertText != nil:
		return response, b.insertText(r.InsertText, invalid)
	case r.DeleteContentRange != nil:
		return response, b.deleteContentRange(r.DeleteContentRange, invalid)
	case r.InsertPageBreak != nil:
		return response, b.insertPageBreak(r.InsertPageBreak, invalid)
	case r.InsertInlineImage != nil:
		id, err := b.insertInlineImage(r.InsertInlineImage, invalid)
		response.InsertInlineImage = &gdocs.InsertInlineImageResponse{ObjectId: id}
		return response, err
	case r.InsertTable != nil:
		return response, b.insertTable(r.InsertTable, invalid)
	case r.InsertTableColumn != nil:
		return response, b.insertTableColumn(r.InsertTableColumn, invalid)
	case r.DeleteTableColumn != nil:
		return response, b.deleteTableColumn(r.DeleteTableColumn, invalid)
	case r.InsertTableRow != nil:
		return response, b.insertTableRow(r.InsertTableRow, invalid)
	case r.DeleteTableRow != nil:
		return response, b.deleteTableRow(r.DeleteTableRow, invalid)
	case r.MergeTableCells != nil:
		return response, b.mergeTableCells(r.MergeTableCells, invalid)
	case r.UpdateTableCellStyle != nil:
		return response, b.updateTableCellStyle(r.UpdateTableCellStyle, invalid)
	case r.UpdateTableColumnProperties != nil:
		return response, b.updateTableColumnProperties(r.UpdateTableColumnProperties, invalid)
	case r.UpdateTableRowStyle != nil:
		return response, b.updateTableRowStyle(r.UpdateTableRowStyle, invalid)
	case r.PinTableHeaderRows != nil:
		return response, b.pinTableHeaderRows(r.PinTableHeaderRows, invalid)
	case r.UpdateTextStyle != nil:
		return response, b.updateTextStyle(r.UpdateTextStyle, invalid)
	case r.UpdateParagraphStyle != nil:
		return response, b.updateParagraphStyle(r.UpdateParagraphStyle, invalid)
	case r.CreateParagraphBullets != nil:
		return response, b.createParagraphBullets(r.CreateParagraphBullets, invalid)
	case r.DeleteParagraphBullets != nil:
		return response, b.deleteParagraphBullets(r.DeleteParagraphBullets, invalid)
	}
	return b.applyNamed(r, response, invalid)
}

// applyNamed carries out the requests that make, change or end what has a name
// or id of its own.
func (b *batch) applyNamed(r *gdocs.Request, response *gdocs.Response, invalid edit.RequestFault) (*gdocs.Response, error) {
	switch {
	case r.CreateNamedRange != nil:
		id, err := b.createNamedRange(r.CreateNamedRange, invalid)
		response.CreateNamedRange = &gdocs.CreateNamedRangeResponse{NamedRangeId: id}
		return response, err
	case r.DeleteNamedRange != nil:
		return response, b.deleteNamedRange(r.DeleteNamedRange, invalid)
	case r.ReplaceNamedRangeContent != nil:
		return response, b.replaceNamedRangeContent(r.ReplaceNamedRangeContent, invalid)
	case r.CreateHeader != nil:
		id, err := b.create(headers, r.CreateHeader.Type, r.CreateHeader.SectionBreakLocation, invalid)
		response.CreateHeader = &gdocs.CreateHeaderResponse{HeaderId: id}
		return response, err
	case r.CreateFooter != nil:
		id, err := b.create(footers, r.CreateFooter.Type, r.CreateFooter.SectionBreakLocation, invalid)
		response.CreateFooter = &gdocs.CreateFooterResponse{FooterId: id}
		return response, err
	case r.DeleteHeader != nil:
		return response, b.drop(headers, r.DeleteHeader.HeaderId, r.DeleteHeader.TabId, invalid)
	case r.DeleteFooter != nil:
		return response, b.drop(footers, r.DeleteFooter.FooterId, r.DeleteFooter.TabId, invalid)
	}
	return nil, invalid("This drive does not support this kind of request.")
}

func (b *batch) replaceAllText(r *gdocs.ReplaceAllTextRequest, invalid edit.RequestFault) (int, error) {
	switch {
	case r.ContainsText == nil || r.ContainsText.Text == "":
		return 0, invalid("The text to find (containsText.text) must not be empty.")
	case r.ContainsText.SearchByRegex:
		return 0, invalid("This drive does not support containsText.searchByRegex.")
	}
	if r.TabsCriteria != nil {
		for _, id := range r.TabsCriteria.TabIds {
			if id != tabID {
				return 0, invalid("The tab %q was not found.", id)
			}
		}
	}
	if b.editor == nil {
		editor, err := edit.NewEditor(b.pkg)
		if err != nil {
			return 0, err
		}
		b.editor = editor
	}
	b.segments = nil
	charts, err := edit.FillCharts(b.pkg, r.ContainsText.Text, r.ReplaceText)
	if err != nil || charts > 0 {
		return charts, chartFault(err, invalid)
	}
	return b.editor.ReplaceText(r.ContainsText.Text, edit.InsertableText(r.ReplaceText), r.ContainsText.MatchCase), nil
}

// segment finds a segment to edit by index, laying it out when an edit made its
// last layout stale.
func (b *batch) segment(id, tab string, invalid edit.RequestFault) (*segment, error) {
	if tab != "" && tab != tabID {
		return nil, invalid("The tab %q was not found.", tab)
	}
	if b.segments == nil {
		all, err := segments(b.pkg)
		if err != nil {
			return nil, err
		}
		b.segments = all
	}
	for _, s := range b.segments {
		switch {
		case s.id != id:
		case s.isBox:
			// Its twin for old programs would fall behind.
			return nil, invalid("Segment with ID %s is a text box, which only replaceAllText can change.", id)
		default:
			if s.isStale {
				s.layOut()
			}
			return s, nil
		}
	}
	return nil, invalid("Segment with ID %s was not found.", id)
}

// noteChange says that an edit by index was made in a segment.
func (b *batch) noteChange(s *segment) {
	s.isStale = true
	b.noteRestyle(s)
}

// noteRestyle says that an edit was made in a segment that moved nothing.
func (b *batch) noteRestyle(s *segment) {
	b.pkg.Touch(s.part)
	b.editor = nil
}

// chartFault adds the number of the request to a chart's error.
func chartFault(err error, invalid edit.RequestFault) error {
	if fault, ok := errors.AsType[*opc.RequestError](err); ok {
		return invalid("%s", fault.Message)
	}
	return err
}
