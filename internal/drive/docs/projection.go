package docs

import (
	"fmt"
	"math"
	"strings"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/wml"
)

// points rounds to a thousandth, as measures come from twentieths of a point.
func points(n float64) *gdocs.Dimension {
	return &gdocs.Dimension{Magnitude: math.Round(n*1000) / 1000, Unit: "PT"}
}

func color(c *dml.RGB) *gdocs.OptionalColor {
	if c == nil {
		return nil
	}
	return &gdocs.OptionalColor{Color: &gdocs.Color{RgbColor: &gdocs.RgbColor{
		Red: float64(c.R) / 255, Green: float64(c.G) / 255, Blue: float64(c.B) / 255,
	}}}
}

// textStyle gives the resolved style of a run, not only what differs from its
// paragraph's style as Google does.
func textStyle(r wml.RunProperties, link *wml.Link) *gdocs.TextStyle {
	s := &gdocs.TextStyle{
		Bold:            r.Bold,
		Italic:          r.Italic,
		SmallCaps:       r.SmallCaps,
		Strikethrough:   r.Strike || r.DoubleStrike,
		Underline:       r.Underline != "" && r.Underline != "none",
		ForegroundColor: color(r.Color),
		BackgroundColor: color(r.Highlight),
		BaselineOffset:  strings.ToUpper(r.VertAlign),
	}
	if s.BackgroundColor == nil {
		s.BackgroundColor = color(r.Shading)
	}
	if r.Size > 0 {
		s.FontSize = points(r.Size)
	}
	if r.Fonts.ASCII != "" {
		s.WeightedFontFamily = &gdocs.WeightedFontFamily{FontFamily: r.Fonts.ASCII, Weight: 400}
		if r.Bold {
			s.WeightedFontFamily.Weight = 700
		}
	}
	switch {
	case link == nil:
	case link.URL != "":
		s.Link = &gdocs.Link{Url: link.URL}
	case link.Bookmark != "":
		s.Link = &gdocs.Link{BookmarkId: link.Bookmark}
	}
	return s
}

func paragraphStyle(p *wml.Paragraph, start int64) *gdocs.ParagraphStyle {
	s := &gdocs.ParagraphStyle{
		NamedStyleType:      namedStyle(p.StyleName),
		Alignment:           alignment(p.Align, p.RTL),
		Direction:           direction(p.RTL),
		SpaceAbove:          points(p.Before),
		SpaceBelow:          points(p.After),
		IndentStart:         points(startOf(p)),
		IndentFirstLine:     points(startOf(p) + p.FirstLine),
		IndentEnd:           points(p.Right),
		KeepLinesTogether:   p.KeepLines,
		KeepWithNext:        p.KeepNext,
		AvoidWidowAndOrphan: p.WidowControl,
		PageBreakBefore:     p.PageBreakBefore,
	}
	if p.RTL {
		s.IndentEnd = points(p.Left)
	}
	if p.LineRule == "auto" || p.LineRule == "" {
		s.LineSpacing = math.Round(p.Line*1e5) / 1e3
	}
	if strings.HasPrefix(s.NamedStyleType, "HEADING") {
		s.HeadingId = fmt.Sprintf("h.%d", start)
	}
	s.BorderTop, s.BorderBottom, s.BorderBetween = shownBorder(p.Borders.Top), shownBorder(p.Borders.Bottom), shownBorder(p.Borders.Between)
	s.BorderLeft, s.BorderRight = shownBorder(p.Borders.Left), shownBorder(p.Borders.Right)
	if p.Shading != nil {
		s.Shading = &gdocs.Shading{BackgroundColor: color(p.Shading)}
	}
	return s
}

// startOf is the indent of a paragraph on the side where its text begins.
func startOf(p *wml.Paragraph) float64 {
	if p.RTL {
		return p.Right
	}
	return p.Left
}

// namedStyle maps Word's built-in names, which do not change with the language
// of the program, to Google's.
func namedStyle(name string) string {
	name = strings.ToLower(name)
	switch name {
	case "title", "subtitle":
		return strings.ToUpper(name)
	case "heading 1", "heading 2", "heading 3", "heading 4", "heading 5", "heading 6":
		return "HEADING_" + name[len(name)-1:]
	}
	return "NORMAL_TEXT"
}

func alignment(align string, rtl bool) string {
	switch align {
	case "center":
		return "CENTER"
	case "both", "distribute":
		return "JUSTIFIED"
	}
	if (align == "right") != rtl {
		return "END"
	}
	return "START"
}

func direction(rtl bool) string {
	if rtl {
		return "RIGHT_TO_LEFT"
	}
	return "LEFT_TO_RIGHT"
}

// bullet registers the list that a paragraph belongs to.
func (p *projection) bullet(para *wml.Paragraph) *gdocs.Bullet {
	if para.Label == nil {
		return nil
	}
	id := "kix.list" + para.Label.NumID
	if _, known := p.lists[id]; !known {
		put(&p.lists, id, gdocs.List{ListProperties: p.listProperties(para.Label.NumID)})
	}
	p.lists[id].ListProperties.NestingLevels = showLevel(p.lists[id].ListProperties.NestingLevels, para)
	return &gdocs.Bullet{ListId: id, NestingLevel: int64(para.Label.Level), TextStyle: textStyle(para.Label.RunProperties, nil)}
}

// listProperties are the levels that the file says a list has. Those of an unreadable
// list are derived from its entries.
func (p *projection) listProperties(numID string) *gdocs.ListProperties {
	properties := &gdocs.ListProperties{}
	levels, err := listLevels(p.document.Package, numID)
	if err != nil {
		return properties
	}
	for i, l := range levels {
		properties.NestingLevels = append(properties.NestingLevels, l.nestingLevel(i))
	}
	return properties
}

// showLevel adds what the list does not say of an entry's level: its indents, and its
// sign where it has no such level.
func showLevel(levels []*gdocs.NestingLevel, para *wml.Paragraph) []*gdocs.NestingLevel {
	for len(levels) <= para.Label.Level {
		levels = append(levels, &gdocs.NestingLevel{BulletAlignment: "START"})
	}
	level := levels[para.Label.Level]
	if level.IndentStart == nil || level.IndentStart.Magnitude == 0 {
		level.IndentStart, level.IndentFirstLine = points(startOf(para)), points(startOf(para)+para.FirstLine)
	}
	if level.GlyphFormat == "" && level.GlyphType == "" {
		level.GlyphSymbol, level.GlyphFormat = para.Label.Text, fmt.Sprintf("%%%d", para.Label.Level)
	}
	return levels
}

func (p *projection) table(t *table) *gdocs.Table {
	out := &gdocs.Table{Rows: int64(len(t.rows)), TableStyle: &gdocs.TableStyle{}}
	resolved := p.tables[t.elem]
	cells := map[*etree.Element]*wml.Cell{}
	rows := map[*etree.Element]*wml.Row{}
	spans := map[*etree.Element]int64{}
	if resolved != nil {
		out.Columns = int64(len(resolved.Grid))
		for _, width := range resolved.Grid {
			out.TableStyle.TableColumnProperties = append(out.TableStyle.TableColumnProperties,
				&gdocs.TableColumnProperties{WidthType: "FIXED_WIDTH", Width: points(width)})
		}
		for _, r := range resolved.Rows {
			rows[r.Elem] = r
			for _, c := range r.Cells {
				cells[c.Elem] = c
			}
		}
		spans = rowSpans(resolved)
	}
	for _, r := range t.rows {
		row := &gdocs.TableRow{StartIndex: r.start, EndIndex: r.end, TableRowStyle: &gdocs.TableRowStyle{}}
		if m := rows[r.elem]; m != nil {
			row.TableRowStyle.TableHeader, row.TableRowStyle.PreventOverflow = m.IsHeader, m.CantSplit
			row.TableRowStyle.MinRowHeight = points(m.Height)
		}
		for _, c := range r.cells {
			row.TableCells = append(row.TableCells, &gdocs.TableCell{
				StartIndex: c.start, EndIndex: c.end,
				Content:        p.content(c.nodes),
				TableCellStyle: cellStyle(cells[c.elem], spans[c.elem]),
			})
		}
		out.Columns = max(out.Columns, int64(len(row.TableCells)))
		out.TableRows = append(out.TableRows, row)
	}
	return out
}

func cellStyle(c *wml.Cell, rows int64) *gdocs.TableCellStyle {
	s := &gdocs.TableCellStyle{RowSpan: max(rows, 1), ColumnSpan: 1, ContentAlignment: "TOP"}
	if c == nil {
		return s
	}
	if c.VMerge != "continue" {
		s.ColumnSpan = int64(max(c.Span, 1))
	}
	switch c.VAlign {
	case "center":
		s.ContentAlignment = "MIDDLE"
	case "bottom":
		s.ContentAlignment = "BOTTOM"
	}
	s.BackgroundColor = color(c.Shading)
	s.BorderTop, s.BorderBottom = shownCellBorder(c.Borders.Top), shownCellBorder(c.Borders.Bottom)
	s.BorderLeft, s.BorderRight = shownCellBorder(c.Borders.Left), shownCellBorder(c.Borders.Right)
	s.PaddingTop, s.PaddingRight = points(c.Margins.Top), points(c.Margins.Right)
	s.PaddingBottom, s.PaddingLeft = points(c.Margins.Bottom), points(c.Margins.Left)
	return s
}

// rowSpans counts for each cell that begins a vertical merge the rows it
// covers, from the last row to the first.
func rowSpans(t *wml.Table) map[*etree.Element]int64 {
	spans := map[*etree.Element]int64{}
	below := map[int]int64{} // by column, how many cells below go on a merge
	for i := len(t.Rows) - 1; i >= 0; i-- {
		here := map[int]int64{}
		for _, c := range t.Rows[i].Cells {
			switch c.VMerge {
			case "continue":
				here[c.Column] = below[c.Column] + 1
			case "restart":
				spans[c.Elem] = below[c.Column] + 1
			}
		}
		below = here
	}
	return spans
}

func (p *projection) sectionBreak(sectPr *etree.Element) *gdocs.SectionBreak {
	style := &gdocs.SectionStyle{ContentDirection: "LEFT_TO_RIGHT", ColumnSeparatorStyle: "NONE", SectionType: "CONTINUOUS"}
	if s := p.sectionOf(sectPr); s != nil {
		style.ContentDirection = direction(s.RTL)
		if s.Start != "continuous" && s != p.document.Sections[0] {
			style.SectionType = "NEXT_PAGE"
		}
		style.MarginTop, style.MarginRight = points(s.Top), points(s.Right)
		style.MarginBottom, style.MarginLeft = points(s.Bottom), points(s.Left)
		style.MarginHeader, style.MarginFooter = points(s.Header), points(s.Footer)
		style.UseFirstPageHeaderFooter = s.TitlePage
		style.PageNumberStart = int64(s.PageStart)
		// For other page sizes Google's form has only this flag.
		first := p.document.Sections[0]
		style.FlipPageOrientation = s.Width != first.Width || s.Height != first.Height
		if s.HasColumnLine {
			style.ColumnSeparatorStyle = "BETWEEN_EACH_COLUMN"
		}
		if len(s.Columns) > 1 {
			for _, c := range s.Columns {
				style.ColumnProperties = append(style.ColumnProperties, &gdocs.SectionColumnProperties{Width: points(c.Width), PaddingEnd: points(c.Space)})
			}
		}
		style.DefaultHeaderId, style.DefaultFooterId = idOf(s.Headers["default"]), idOf(s.Footers["default"])
		style.FirstPageHeaderId, style.FirstPageFooterId = idOf(s.Headers["first"]), idOf(s.Footers["first"])
		style.EvenPageHeaderId, style.EvenPageFooterId = idOf(s.Headers["even"]), idOf(s.Footers["even"])
	}
	return &gdocs.SectionBreak{SectionStyle: style}
}

func (p *projection) sectionOf(sectPr *etree.Element) *wml.Section {
	for _, s := range p.document.Sections {
		if s.Elem == sectPr {
			return s
		}
	}
	return nil
}

func idOf(s *wml.Story) string {
	if s == nil {
		return ""
	}
	return storyID(s.Part)
}

// documentStyle is the page of the first section.
func (p *projection) documentStyle() *gdocs.DocumentStyle {
	style := &gdocs.DocumentStyle{Background: &gdocs.Background{Color: &gdocs.OptionalColor{}}}
	if p.document.Background != nil {
		style.Background.Color = color(p.document.Background)
	}
	style.UseEvenPageHeaderFooter = p.document.Settings.EvenAndOdd
	if len(p.document.Sections) == 0 {
		return style
	}
	s := p.document.Sections[0]
	style.PageSize = &gdocs.Size{Width: points(s.Width), Height: points(s.Height)}
	style.MarginTop, style.MarginRight = points(s.Top), points(s.Right)
	style.MarginBottom, style.MarginLeft = points(s.Bottom), points(s.Left)
	style.MarginHeader, style.MarginFooter = points(s.Header), points(s.Footer)
	style.UseCustomHeaderFooterMargins = true
	style.UseFirstPageHeaderFooter = s.TitlePage
	style.PageNumberStart = int64(max(s.PageStart, 1))
	style.DefaultHeaderId, style.DefaultFooterId = idOf(s.Headers["default"]), idOf(s.Footers["default"])
	style.FirstPageHeaderId, style.FirstPageFooterId = idOf(s.Headers["first"]), idOf(s.Footers["first"])
	style.EvenPageHeaderId, style.EvenPageFooterId = idOf(s.Headers["even"]), idOf(s.Footers["even"])
	return style
}

// namedStyles lists the names that paragraphs may refer to: a document of Google's has
// all, a file those that it has. What they look like is in each paragraph, resolved.
func (p *projection) namedStyles() (*gdocs.NamedStyles, error) {
	ids, err := styleIDs(p.document.Package)
	if err != nil {
		return nil, err
	}
	styles := &gdocs.NamedStyles{}
	for _, name := range []string{"NORMAL_TEXT", "HEADING_1", "HEADING_2", "HEADING_3", "HEADING_4", "HEADING_5", "HEADING_6", "TITLE", "SUBTITLE"} {
		if in := strings.ReplaceAll(strings.ToLower(name), "_", " "); name != "NORMAL_TEXT" && ids[in] == "" {
			continue
		}
		styles.Styles = append(styles.Styles, &gdocs.NamedStyle{
			NamedStyleType: name,
			TextStyle:      &gdocs.TextStyle{},
			ParagraphStyle: &gdocs.ParagraphStyle{NamedStyleType: name},
		})
	}
	return styles, nil
}
