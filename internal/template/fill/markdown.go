package fill

import (
	"slices"
	"strings"

	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
	"github.com/platenhq/platen/internal/template/markdown"
)

const (
	// codeFont is that of code: both drives have it.
	codeFont = "Courier New"
	// quoteIndent is by how many points the text of a quote stands in.
	quoteIndent = 24.0
)

// marked is what a paragraph of Markdown has of its own.
type marked struct {
	of     *para // the paragraph of the tag, whose style the rest is
	style  style // of the fields that it sets
	fields string
	lists  []markdown.Level
}

// unmarked is the paragraph of the template that a paragraph takes after.
func (p *para) unmarked() *para {
	if p != nil && p.marked != nil {
		return p.marked.of
	}
	return p
}

// renderMarkdown works out a paragraph that is the tag of a Markdown and nothing else;
// nil for any other, and where there is nothing to show.
func (p *composer) renderMarkdown(para *para, scope *lang.Scope) []filled {
	if para.objects || para.line.HasBlocks() {
		return nil
	}
	shown := para.line.Statements()
	if len(shown) != 1 || shown[0].Kind != syntax.Markdown || strings.TrimSpace(para.text) != shown[0].Tag {
		return nil
	}
	base := p.fillLink(para.styleAt(strings.Index(para.text, "{")), scope)
	var all []filled
	lists := map[int]bool{}
	for _, of := range p.e.Markdown(shown[0], scope) {
		for _, l := range of.Lists {
			lists[l.ID] = true
		}
		made, text := p.markParagraph(para, of, base)
		all = append(all, filled{of: made, runs: p.markRuns(para, of.Runs, text)})
	}
	p.lists += len(lists)
	return all
}

// markRuns are runs of Markdown on top of the style of their tag. No brace of theirs may
// be seen while tags are still to be replaced, wherever the next run begins.
func (p *composer) markRuns(para *para, runs []markdown.Run, base style) []filledRun {
	var all []filledRun
	for _, r := range runs {
		text := strings.ReplaceAll(r.Text, "\n", "\v")
		if para.line.Braces || strings.ContainsAny(text, "{}") {
			text = p.hide(text)
		}
		if text != "" {
			all = append(all, filledRun{text: text, style: base.mark(r)})
		}
	}
	return all
}

// markParagraph is a paragraph for one of Markdown, with the style of its text.
func (p *composer) markParagraph(of *para, m markdown.Paragraph, text style) (*para, style) {
	heading := ""
	if name := "HEADING_" + string(rune('0'+m.Heading)); m.Heading > 0 {
		if p.headings[name] {
			heading = name
			text = newStyle(&docs.TextStyle{})
			text.named = true
		} else {
			text = text.enlarge(m.Heading)
		}
	}
	own := &marked{of: of, lists: m.Lists}
	switch s := of.style.api.(type) {
	case *docs.ParagraphStyle:
		own.style, own.fields = markDocument(s, m, heading)
	case *slides.ParagraphStyle:
		own.style, own.fields = markSlide(s, m)
	}
	return &para{marked: own, style: of.style, entry: of.entry, pages: of.pages, room: of.room}, text
}

// markDocument says what a paragraph of a document sets beside the style of its tag.
func markDocument(of *docs.ParagraphStyle, m markdown.Paragraph, heading string) (style, string) {
	set := &docs.ParagraphStyle{}
	var fields []string
	if heading != "" {
		set.NamedStyleType = heading
		fields = append(fields, "namedStyleType")
		if of != nil && of.Direction == "RIGHT_TO_LEFT" {
			set.Direction = of.Direction
			fields = append(fields, "direction")
		}
	}
	if m.Quote > 0 && len(m.Lists) == 0 {
		start, first := 0.0, 0.0
		if of != nil && heading == "" {
			start, first = points(of.IndentStart), points(of.IndentFirstLine)
		}
		deep := quoteIndent * float64(m.Quote)
		set.IndentStart, set.IndentFirstLine = &docs.Dimension{Magnitude: start + deep, Unit: "PT"}, &docs.Dimension{Magnitude: first + deep, Unit: "PT"}
		fields = append(fields, "indentFirstLine", "indentStart")
	}
	if m.Rule {
		set.BorderBottom = &docs.ParagraphBorder{
			Color: &docs.OptionalColor{Color: &docs.Color{RgbColor: &docs.RgbColor{Red: 0.5, Green: 0.5, Blue: 0.5}}},
			Width: &docs.Dimension{Magnitude: 1, Unit: "PT"}, Padding: &docs.Dimension{Magnitude: 1, Unit: "PT"}, DashStyle: "SOLID",
		}
		fields = append(fields, "borderBottom")
	}
	slices.Sort(fields)
	return newStyle(set), strings.Join(fields, ",")
}

// markSlide is markDocument for slides, which have neither named styles nor lines below
// paragraphs.
func markSlide(of *slides.ParagraphStyle, m markdown.Paragraph) (style, string) {
	if m.Quote == 0 || len(m.Lists) > 0 {
		return style{}, ""
	}
	start, first := 0.0, 0.0
	if of != nil && of.IndentStart != nil {
		start = of.IndentStart.Magnitude
	}
	if of != nil && of.IndentFirstLine != nil {
		first = of.IndentFirstLine.Magnitude
	}
	deep := quoteIndent * float64(m.Quote)
	return newStyle(&slides.ParagraphStyle{
		IndentStart: &slides.Dimension{Magnitude: start + deep, Unit: "PT"}, IndentFirstLine: &slides.Dimension{Magnitude: first + deep, Unit: "PT"},
	}), "indentFirstLine,indentStart"
}

// changeMarked gives paragraphs of Markdown that stand from an index on what they have
// of their own.
func changeMarked(all []filled, at int64, w writer) {
	var list []listed
	flush := func() {
		enlistAll(list, 0, w)
		list = nil
	}
	for _, f := range all {
		if f.table != nil {
			return // its cells and what follows are others' to style
		}
		to := at + units(f.text())
		if m := f.of.own(); m != nil {
			if m.fields != "" {
				w.change(at, to, m.style, m.fields)
			}
			if len(list) > 0 && (len(m.lists) == 0 || m.lists[0].ID != list[0].lists[0].ID) {
				flush()
			}
			if len(m.lists) > 0 {
				list = append(list, listed{at, to, m.lists, f.of.entry != (entry{})})
			}
		} else {
			flush()
		}
		at = to + 1
	}
	flush()
}

// own is nil for a paragraph that is none of Markdown, and for none at all.
func (p *para) own() *marked {
	if p == nil {
		return nil
	}
	return p.marked
}

// listed is a text that is an entry of lists of Markdown.
type listed struct {
	from, to int64
	lists    []markdown.Level
	isListed bool // it is in another list
}

// enlistAll makes texts that follow one another entries of the list at a depth, with
// those in it: one request for all, so that numbers go on behind what is nested. Lists in
// it that are of the other kind are made their own ones then.
func enlistAll(all []listed, depth int, w writer) {
	if len(all) == 0 {
		return
	}
	last := len(all) - 1
	if depth > 0 || all[0].isListed {
		w.unbullet(all[0].from, all[last].to)
	}
	tabs := int64(0)
	for i := last; i >= 0; i-- {
		if level := len(all[i].lists) - 1; level > 0 {
			w.insert(all[i].from, strings.Repeat("\t", level))
			tabs += int64(level)
		}
	}
	ordered := all[0].lists[depth].Ordered
	preset := presetDisc
	if ordered {
		preset = presetDecimal
	}
	w.bullet(all[0].from, all[last].to+tabs, preset)
	enlistInner(all, depth+1, ordered, w)
}

// enlistInner makes the lists at a depth that are not of this kind their own ones.
func enlistInner(all []listed, depth int, ordered bool, w writer) {
	for i := 0; i < len(all); {
		if len(all[i].lists) <= depth {
			i++
			continue
		}
		from, of := i, all[i].lists[depth]
		for i < len(all) && len(all[i].lists) > depth && all[i].lists[depth].ID == of.ID {
			i++
		}
		if of.Ordered != ordered {
			enlistAll(all[from:i], depth, w)
		} else {
			enlistInner(all[from:i], depth+1, ordered, w)
		}
	}
}
