package slides

import (
	"reflect"

	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/edit"
)

// paragraph is an a:p with its range in its shape's text: UTF-16 code units,
// with one more at the end for the line feed.
type paragraph struct {
	start, end int64
	elem       *etree.Element
	pieces     []edit.Piece
	text       string
}

// paragraphs lays out a text body.
func paragraphs(body *etree.Element) []*paragraph {
	if body == nil {
		return nil
	}
	var all []*paragraph
	at := int64(0)
	for _, e := range body.ChildElements() {
		if e.Tag != "p" || e.Space != "a" {
			continue
		}
		p := &paragraph{start: at, elem: e, pieces: edit.ParagraphPieces(e)}
		p.text = edit.ParagraphText(p.pieces)
		at += edit.Units(p.text) + 1
		p.end = at
		all = append(all, p)
	}
	return all
}

// text shows a body in Google's form; nil for one without any text. The
// resolved body, where there is one, gives the styles.
func text(body *etree.Element, resolved *dml.TextBody, v *variants) *gslides.TextContent {
	styles := map[*etree.Element]*dml.TextParagraph{}
	runs := map[*etree.Element]*dml.TextRun{}
	if resolved != nil {
		for _, p := range resolved.Paragraphs {
			styles[p.Elem] = p
			for _, r := range p.Runs {
				runs[r.Elem] = r
			}
		}
	}
	content := &gslides.TextContent{}
	empty := true
	var counted [maxLevel + 1]int
	for _, p := range paragraphs(body) {
		empty = empty && p.text == ""
		content.TextElements = append(content.TextElements, &gslides.TextElement{
			StartIndex: p.start, EndIndex: p.end, ParagraphMarker: marker(content, styles[p.elem], &counted, v),
		})
		begin := len(content.TextElements)
		at := p.start
		for _, piece := range p.pieces {
			e := textElement(piece, runs[piece.Elem], v)
			e.StartIndex, e.EndIndex = at, at+edit.Units(piece.Text)
			at = e.EndIndex
			content.TextElements = join(content.TextElements, begin, e)
		}
		end := &gslides.TextElement{StartIndex: at, EndIndex: p.end, TextRun: &gslides.TextRun{Content: "\n", Style: &gslides.TextStyle{}}}
		if last := content.TextElements[len(content.TextElements)-1]; last.TextRun != nil {
			end.TextRun.Style = last.TextRun.Style
		} else if style := styles[p.elem]; style != nil {
			end.TextRun.Style = textStyle(&style.End)
		}
		content.TextElements = join(content.TextElements, begin, end)
	}
	if empty {
		return nil
	}
	return content
}

// join adds an element, or lengthens the run before it if both have one style.
func join(elements []*gslides.TextElement, begin int, e *gslides.TextElement) []*gslides.TextElement {
	if n := len(elements); n > begin && e.TextRun != nil {
		if last := elements[n-1]; last.TextRun != nil && reflect.DeepEqual(last.TextRun.Style, e.TextRun.Style) {
			last.TextRun.Content += e.TextRun.Content
			last.EndIndex = e.EndIndex
			return elements
		}
	}
	return append(elements, e)
}

// unknownCharacter is what Google shows for content that its interface cannot
// express.
const unknownCharacter = "\uE907"

func textElement(piece edit.Piece, run *dml.TextRun, v *variants) *gslides.TextElement {
	style := &gslides.TextStyle{}
	if run != nil {
		style = v.textStyle(run)
	}
	switch piece.Kind {
	case edit.PageNumberPiece:
		auto := &gslides.AutoText{Type: "SLIDE_NUMBER", Style: style}
		if run != nil {
			auto.Content = run.Text
		}
		return &gslides.TextElement{AutoText: auto}
	case edit.OtherPiece:
		return &gslides.TextElement{TextRun: &gslides.TextRun{Content: unknownCharacter, Style: style}}
	}
	return &gslides.TextElement{TextRun: &gslides.TextRun{Content: piece.Text, Style: style}}
}

func textStyle(r *dml.TextRun) *gslides.TextStyle {
	s := &gslides.TextStyle{
		Bold:            r.Bold,
		Italic:          r.Italic,
		Underline:       r.Underline != "" && r.Underline != "none",
		Strikethrough:   r.Strike,
		SmallCaps:       r.Caps == "small",
		FontFamily:      r.Font,
		ForegroundColor: color(&r.Color),
		BackgroundColor: color(r.Highlight),
	}
	if r.Size > 0 {
		s.FontSize = points(r.Size)
	}
	switch {
	case r.Baseline > 0:
		s.BaselineOffset = "SUPERSCRIPT"
	case r.Baseline < 0:
		s.BaselineOffset = "SUBSCRIPT"
	}
	if r.Link != "" {
		s.Link = &gslides.Link{Url: r.Link}
	}
	return s
}

// marker shows a paragraph; counted are the entries so far of the numbered list at each
// level.
func marker(content *gslides.TextContent, p *dml.TextParagraph, counted *[maxLevel + 1]int, v *variants) *gslides.ParagraphMarker {
	if p == nil {
		return &gslides.ParagraphMarker{Style: &gslides.ParagraphStyle{Alignment: "START", Direction: "LEFT_TO_RIGHT"}}
	}
	m := &gslides.ParagraphMarker{Style: v.paragraphStyle(p)}
	if p.Bullet.Char != "" || p.Bullet.Number != "" {
		const list = "list_1"
		m.Bullet = &gslides.Bullet{ListId: list, NestingLevel: int64(p.Level), Glyph: p.Bullet.Char}
		if p.Bullet.Number != "" {
			m.Bullet.Glyph = dml.AutoNumber(p.Bullet.Number, p.Bullet.Start+counted[p.Level])
		}
		if content.Lists == nil {
			content.Lists = map[string]gslides.List{}
		}
		content.Lists[list] = gslides.List{ListId: list}
	}
	counted[p.Level]++
	if p.Bullet.Number == "" {
		counted[p.Level] = 0
	}
	clear(counted[p.Level+1:])
	return m
}

func paragraphStyle(p *dml.TextParagraph) *gslides.ParagraphStyle {
	s := &gslides.ParagraphStyle{
		Alignment: "START", Direction: "LEFT_TO_RIGHT",
		IndentStart: points(p.Left), IndentFirstLine: points(p.Left + p.Indent),
		SpaceAbove: points(p.Before.Points), SpaceBelow: points(p.After.Points),
	}
	switch p.Align {
	case "ctr":
		s.Alignment = "CENTER"
	case "r":
		s.Alignment = "END"
	case "just", "dist":
		s.Alignment = "JUSTIFIED"
	}
	if p.RightToLeft {
		s.Direction = "RIGHT_TO_LEFT"
	}
	if p.LineSpacing.Percent > 0 {
		s.LineSpacing = p.LineSpacing.Percent * 100
	}
	return s
}

func color(c *dml.RGB) *gslides.OptionalColor {
	if c == nil {
		return nil
	}
	return &gslides.OptionalColor{OpaqueColor: opaque(*c)}
}

func opaque(c dml.RGB) *gslides.OpaqueColor {
	return &gslides.OpaqueColor{RgbColor: &gslides.RgbColor{
		Red: float64(c.R) / 255, Green: float64(c.G) / 255, Blue: float64(c.B) / 255,
	}}
}
