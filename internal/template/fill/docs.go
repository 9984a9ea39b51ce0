package fill

import (
	"slices"
	"strings"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/google/walk"
	"github.com/platenhq/platen/internal/platen"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// ComposeDocument returns the requests that fill a document as the Docs API
// shows it, read with the content of its tabs or without. The nonce is a text
// of letters and digits that stands nowhere else, new for each call. The error
// is that of FindingsError.
func ComposeDocument(d *docs.Document, e *lang.Evaluator, nonce string) ([]*docs.Request, error) {
	p := newComposer(e, nonce)
	reader := docsReader{composer: p}
	reader.readDocument(d)
	if reader.suggested {
		p.e.Report(lang.Finding{Code: CodeSuggestions, Message: SuggestionsMessage})
	}
	var requests []*docs.Request
	for _, s := range reader.segments {
		w := &docsWriter{segment: s.id, tab: s.tab, sent: p.sent}
		p.noPictures, p.isFlat, p.headings = "", s.note, s.headings
		if s.note {
			p.noPictures = "A footnote cannot hold a picture."
		}
		read := p.readStory(s.blocks)
		p.reportLoose(read.loose)
		p.editStory(read, nil, w)
		requests = append(requests, w.requests...)
	}
	for _, b := range reader.boxes {
		for _, passage := range b {
			p.keepBox(passage)
		}
	}
	for _, r := range p.replacements() {
		requests = append(requests, &docs.Request{ReplaceAllText: &docs.ReplaceAllTextRequest{
			ContainsText: &docs.SubstringMatchCriteria{Text: r.find, MatchCase: true},
			ReplaceText:  r.replace,
		}})
	}
	return requests, p.check(len(requests))
}

// keepBox looks at a passage that can only be changed by replacing text.
func (p *composer) keepBox(passage string) {
	for _, tag := range syntax.Parse(passage) {
		s := p.e.Read(tag)
		if s.IsControl() {
			p.e.Report(lang.Finding{Code: "block_in_text_box", Tag: s.Tag, Message: s.Tag + " stands in a text box, where no block can be: use a table or a paragraph."})
		}
		if s.Kind == syntax.Include && strings.TrimSpace(passage) == s.Tag {
			p.e.Fill(p.e.ReadLine(passage), nil, false) // which notes it
			continue
		}
		if s.Kind == syntax.HTML {
			p.e.Note(lang.Finding{Code: platen.CodeHTMLAsText, Tag: s.Tag, Message: s.Tag + " stands in a text box: there it shows its text without styles, because the APIs only replace text in one. Use a cell of a table."})
		}
		p.keep(s)
	}
}

type docsSegment struct {
	id, tab  string
	headings map[string]bool // the named styles of the tab
	blocks   []*block
	note     bool
}

// docsReader brings a document into the composer's form.
type docsReader struct {
	composer  *composer
	segments  []docsSegment
	boxes     [][]string // the passages of stories that cannot be edited by index
	collected []string   // passages of the story being read

	style    *docs.DocumentStyle // of the tab
	room     float64             // points of width in what is being read; 0: not known
	pages    bool                // paragraphs of what is being read may begin a page
	objects  map[string]docs.InlineObject
	floating map[string]docs.PositionedObject
	lists    map[string]docs.List

	suggested bool // something is only suggested, or suggested to go
}

func (r *docsReader) readDocument(d *docs.Document) {
	for _, t := range walk.Tabs(d) {
		id := ""
		if t.TabProperties != nil {
			id = t.TabProperties.TabId
		}
		r.readTab(id, t.DocumentTab)
	}
}

func (r *docsReader) readTab(id string, t *docs.DocumentTab) {
	r.style = t.DocumentStyle
	r.room, r.objects, r.floating, r.lists = pageRoom(t.DocumentStyle), t.InlineObjects, t.PositionedObjects, t.Lists
	headings := map[string]bool{}
	if t.NamedStyles != nil {
		for _, s := range t.NamedStyles.Styles {
			headings[s.NamedStyleType] = true
		}
	}
	for _, s := range walk.Stories(t) {
		if _, isFilled, ok := ReadAside(s.ID); ok && !isFilled {
			continue
		}
		s.Visit(func(n walk.Node) { r.suggested = r.suggested || slices.ContainsFunc(n.Parts, IsSuggested) })
		r.pages, r.collected = s.Kind == walk.Body, nil
		blocks := r.readContent(s.Content)
		if s.Kind == walk.Unreferenced {
			r.boxes = append(r.boxes, r.collected)
			continue
		}
		r.segments = append(r.segments, docsSegment{id: s.ID, tab: id, headings: headings, blocks: blocks, note: s.Kind == walk.Footnote})
	}
}

func (r *docsReader) readContent(elements []*docs.StructuralElement) []*block {
	blocks := make([]*block, 0, len(elements))
	var before *section
	for _, e := range elements {
		b := &block{start: e.StartIndex, end: e.EndIndex}
		switch {
		case e.Paragraph != nil:
			b.para = r.readParagraph(e)
		case e.Table != nil:
			b.table = r.readTable(e)
		case e.SectionBreak != nil:
			b.section = newSection(e.SectionBreak.SectionStyle, before, r.style)
			before = b.section
		}
		blocks = append(blocks, b)
	}
	return blocks
}

func (r *docsReader) readParagraph(e *docs.StructuralElement) *para {
	p := &para{start: e.StartIndex, end: e.EndIndex, room: r.room, pages: r.pages, anchors: len(e.Paragraph.PositionedObjectIds) > 0}
	if b := e.Paragraph.Bullet; b != nil {
		p.entry = entry{list: b.ListId, level: b.NestingLevel, preset: docsPreset(r.lists[b.ListId]), counts: docsCounts(r.lists[b.ListId], b.NestingLevel)}
	}
	if s := e.Paragraph.ParagraphStyle; s != nil {
		p.room = max(r.room-points(s.IndentStart)-points(s.IndentEnd), 0)
		style := *s
		style.HeadingId, style.TabStops = "", nil
		if !p.pages {
			style.PageBreakBefore = false
			style.ForceSendFields = slices.DeleteFunc(slices.Clone(s.ForceSendFields), func(name string) bool { return name == "PageBreakBefore" })
		}
		p.style = newStyle(&style)
	}
	for _, element := range e.Paragraph.Elements {
		switch {
		case element.TextRun != nil:
			p.addSignedText(strings.TrimSuffix(element.TextRun.Content, "\n"), element.TextRun.TextStyle)
		case element.InlineObjectElement != nil:
			if h, ok := r.readPlaceholder(element.InlineObjectElement.InlineObjectId); ok {
				h.at = len(p.text)
				p.placeholders = append(p.placeholders, h)
			} else {
				p.others = true
				if o := r.objects[element.InlineObjectElement.InlineObjectId].InlineObjectProperties; o != nil {
					p.charts = r.readChart(p.charts, o.EmbeddedObject)
				}
			}
			p.addObject(element.EndIndex - element.StartIndex)
		default:
			p.others = true
			p.addObject(element.EndIndex - element.StartIndex)
		}
	}
	for _, id := range e.Paragraph.PositionedObjectIds {
		if o := r.floating[id].PositionedObjectProperties; o != nil {
			p.charts = r.readChart(p.charts, o.EmbeddedObject)
		}
	}
	r.collected = append(r.collected, strings.Split(p.text, "\n")...)
	return p
}

// readChart reads the description of what may be a chart.
func (r *docsReader) readChart(into []chart, o *docs.EmbeddedObject) []chart {
	if o == nil {
		return into
	}
	if o.ImageProperties == nil && o.LinkedContentReference == nil && o.EmbeddedDrawingProperties == nil {
		r.composer.keepTitles(o.Title)
	}
	if s, ok := r.composer.findChartTag(o.Description, o.Title); ok {
		into = append(into, chart{statement: s, fixed: o.ImageProperties != nil || o.LinkedContentReference != nil || o.EmbeddedDrawingProperties != nil})
	}
	return into
}

// readPlaceholder reads the description of a picture.
func (r *docsReader) readPlaceholder(id string) (placeholder, bool) {
	properties := r.objects[id].InlineObjectProperties
	if properties == nil || properties.EmbeddedObject == nil || properties.EmbeddedObject.Size == nil {
		return placeholder{}, false
	}
	o := properties.EmbeddedObject
	s, ok := r.composer.findPictureTag(o.Description, o.Title)
	return placeholder{statement: s, width: points(o.Size.Width), height: points(o.Size.Height)}, ok
}

func (r *docsReader) readTable(e *docs.StructuralElement) *table {
	t := &table{start: e.StartIndex, end: e.EndIndex, columns: e.Table.Columns}
	if e.Table.TableStyle != nil {
		t.widths = e.Table.TableStyle.TableColumnProperties
	}
	pages := r.pages
	r.pages = false
	for _, tr := range e.Table.TableRows {
		out := &row{start: tr.StartIndex, end: tr.EndIndex, style: tr.TableRowStyle}
		column, spans := int64(0), int64(0)
		for _, tc := range tr.TableCells {
			spans += spanOf(tc)
		}
		// Google lists the cells that a merged one covers; a span counts once.
		covered := spans > e.Table.Columns && int64(len(tr.TableCells)) == e.Table.Columns
		for _, tc := range tr.TableCells {
			c := &cell{column: column, span: spanOf(tc), rows: 1, style: tc.TableCellStyle}
			if tc.TableCellStyle != nil {
				c.rows = max(tc.TableCellStyle.RowSpan, 1)
			}
			outer := r.room
			r.room = cellRoom(e.Table.TableStyle, tc.TableCellStyle, c, outer)
			c.blocks = r.readContent(tc.Content)
			r.room = outer
			if column += c.span; covered {
				column = c.column + 1
			}
			out.cells = append(out.cells, c)
		}
		t.rows = append(t.rows, out)
	}
	r.pages = pages
	t.cover()
	return t
}

func spanOf(tc *docs.TableCell) int64 {
	if tc.TableCellStyle == nil {
		return 1
	}
	return max(tc.TableCellStyle.ColumnSpan, 1)
}

// points is a length; one that is not given is 0.
func points(d *docs.Dimension) float64 {
	if d == nil {
		return 0
	}
	return d.Magnitude
}

// pageRoom is the width between the margins.
func pageRoom(s *docs.DocumentStyle) float64 {
	if s == nil || s.PageSize == nil {
		return 0
	}
	return max(points(s.PageSize.Width)-points(s.MarginLeft)-points(s.MarginRight), 0)
}

// cellRoom is the width of a cell without its padding; that of what is around
// the table, divided, where columns have none of their own.
func cellRoom(t *docs.TableStyle, s *docs.TableCellStyle, c *cell, around float64) float64 {
	if t == nil || len(t.TableColumnProperties) == 0 {
		return around
	}
	columns, width := t.TableColumnProperties, 0.0
	for i := c.column; i < min(c.column+c.span, int64(len(columns))); i++ {
		if own := points(columns[i].Width); own > 0 {
			width += own
		} else {
			width += around / float64(len(columns))
		}
	}
	if s != nil {
		width -= points(s.PaddingLeft) + points(s.PaddingRight)
	}
	return max(width, 0)
}
