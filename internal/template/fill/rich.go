package fill

import (
	"slices"
	"strings"

	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
	"github.com/platenhq/platen/internal/template/rich"
)

const (
	// codeFont is that of code: both drives have it.
	codeFont = "Courier New"
	// quoteIndent is by how many points the text of a quote stands in.
	quoteIndent = 24.0
	// listIndent and listHanging are those of lists of presets, in points.
	listIndent, listHanging = 36.0, 18.0
)

// marked is what a paragraph of styled text has of its own.
type marked struct {
	of     *para // the paragraph of the tag, whose style the rest is
	style  style // of the fields that it sets
	fields string
	lists  []rich.Level
}

// unmarked is the paragraph of the template that a paragraph takes after.
func (p *para) unmarked() *para {
	if p != nil && p.marked != nil {
		return p.marked.of
	}
	return p
}

// renderStyled works out a paragraph that is the tag of styled text and nothing else;
// nil for any other, and where there is nothing to show.
func (p *composer) renderStyled(para *para, scope *lang.Scope) []filled {
	if para.objects || para.line.HasBlocks() {
		return nil
	}
	shown := para.line.Statements()
	if len(shown) != 1 || !shown[0].IsStyled() || strings.TrimSpace(para.text) != shown[0].Tag {
		return nil
	}
	base := p.fillLink(para.styleAt(strings.Index(para.text, "{")), scope)
	var all []filled
	from := insertion{para, shown[0], scope, map[int]bool{}}
	for _, of := range p.e.Styled(shown[0], scope) {
		if of.Table != nil {
			all = append(all, p.markTable(from, of.Table, base)...)
			continue
		}
		if len(all) == 0 && len(of.Lists) > 1 && of.Mark == "" {
			of.Lists = of.Lists[:1] // the tag is in front of the tabs that would nest it
		}
		p.countLists(from, of)
		all = append(all, p.markFilled(from, of, base))
	}
	return all
}

// countLists counts the lists that a paragraph is the first entry of.
func (p *composer) countLists(from insertion, of rich.Paragraph) {
	for _, l := range of.Lists {
		if !l.Marked && !from.lists[l.ID] {
			from.lists[l.ID] = true
			p.lists++
		}
	}
}

// An insertion is a tag of styled text, where it stands.
type insertion struct {
	para  *para
	of    *syntax.Statement
	scope *lang.Scope
	lists map[int]bool // that were counted
}

// markFilled is a paragraph of styled text with its runs.
func (p *composer) markFilled(from insertion, of rich.Paragraph, base style) filled {
	made, text := p.markParagraph(from.para, of, base)
	if of.Mark != "" {
		of.Runs = append([]rich.Run{{Text: of.Mark + "\t"}}, of.Runs...)
	}
	return filled{of: made, runs: p.markRuns(from, of.Runs, text)}
}

// markRuns are runs of styled text on top of the style of their tag. No brace of theirs may
// be seen while tags are still to be replaced, wherever the next run begins.
func (p *composer) markRuns(from insertion, runs []rich.Run, base style) []filledRun {
	var all []filledRun
	for _, r := range runs {
		if r.Picture != nil {
			if placed := p.markPicture(from, r.Picture); placed != nil {
				all = append(all, filledRun{picture: placed, style: base.mark(rich.Run{Link: r.Link})})
			}
			continue
		}
		text := strings.ReplaceAll(r.Text, "\n", "\v")
		if from.para.line.Braces || strings.ContainsAny(text, "{}") {
			text = p.hide(text)
		}
		if text != "" {
			all = append(all, filledRun{text: text, style: base.mark(r)})
		}
	}
	return all
}

// markParagraph is a paragraph for one of styled text, with the style of its text.
func (p *composer) markParagraph(of *para, m rich.Paragraph, text style) (*para, style) {
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
		own.style, own.fields = markDocument(s, m, heading, of.pages)
	case *slides.ParagraphStyle:
		own.style, own.fields = markSlide(s, m)
	}
	return &para{marked: own, style: of.style, entry: of.entry, pages: of.pages, room: of.room}, text
}

// markDocument says what a paragraph of a document sets beside the style of its tag.
func markDocument(of *docs.ParagraphStyle, m rich.Paragraph, heading string, pages bool) (style, string) {
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
	if deep, hanging := indentOf(m); deep > 0 {
		start, first := 0.0, 0.0
		if of != nil && heading == "" {
			start, first = points(of.IndentStart), points(of.IndentFirstLine)
		}
		set.IndentStart, set.IndentFirstLine = &docs.Dimension{Magnitude: start + deep, Unit: "PT"}, &docs.Dimension{Magnitude: first + deep - hanging, Unit: "PT"}
		fields = append(fields, "indentFirstLine", "indentStart")
	}
	if m.Rule {
		set.BorderBottom = &docs.ParagraphBorder{
			Color: &docs.OptionalColor{Color: &docs.Color{RgbColor: &docs.RgbColor{Red: 0.5, Green: 0.5, Blue: 0.5}}},
			Width: &docs.Dimension{Magnitude: 1, Unit: "PT"}, Padding: &docs.Dimension{Magnitude: 1, Unit: "PT"}, DashStyle: "SOLID",
		}
		fields = append(fields, "borderBottom")
	}
	if m.Align != "" {
		set.Alignment = m.Align.In(m.RightToLeft || of != nil && of.Direction == "RIGHT_TO_LEFT")
		fields = append(fields, "alignment")
	}
	if m.RightToLeft && !slices.Contains(fields, "direction") {
		set.Direction = "RIGHT_TO_LEFT"
		fields = append(fields, "direction")
	}
	if m.NewPage && pages {
		set.PageBreakBefore = true
		fields = append(fields, "pageBreakBefore")
	}
	slices.Sort(fields)
	return newStyle(set), strings.Join(fields, ",")
}

// markSlide is markDocument for slides, which have neither named styles nor lines below
// paragraphs.
func markSlide(of *slides.ParagraphStyle, m rich.Paragraph) (style, string) {
	set := &slides.ParagraphStyle{}
	var fields []string
	if m.Align != "" {
		set.Alignment = m.Align.In(false) // slides have sides of shapes, as their files
		fields = append(fields, "alignment")
	}
	if m.RightToLeft {
		set.Direction = "RIGHT_TO_LEFT"
		fields = append(fields, "direction")
	}
	deep, hanging := indentOf(m)
	if deep == 0 {
		return newStyle(set), strings.Join(fields, ",")
	}
	start, first := 0.0, 0.0
	if of != nil && of.IndentStart != nil {
		start = of.IndentStart.Magnitude
	}
	if of != nil && of.IndentFirstLine != nil {
		first = of.IndentFirstLine.Magnitude
	}
	set.IndentStart, set.IndentFirstLine = &slides.Dimension{Magnitude: start + deep, Unit: "PT"}, &slides.Dimension{Magnitude: max(first+deep-hanging, 0), Unit: "PT"}
	return newStyle(set), strings.Join(append(fields, "indentFirstLine", "indentStart"), ",")
}

// indentOf is by how many points a paragraph stands in, and its first line less: that of
// an entry that brings its sign begins where signs of lists do.
func indentOf(m rich.Paragraph) (deep, hanging float64) {
	if depth := len(m.Lists); depth > 0 {
		if m.Lists[depth-1].Marked {
			return listIndent * float64(depth), listHanging
		}
		return 0, 0
	}
	return m.Indent + quoteIndent*float64(m.Quote), 0
}

// changeMarked gives paragraphs of styled text that stand from an index on what they have
// of their own.
func changeMarked(all []filled, at int64, w writer) {
	var list []listed
	flush := func() {
		if len(list) > 0 {
			enlistAll(list, rootOf(list[0].of.lists), w)
		}
		for _, l := range list {
			if l.isMarked {
				w.unbullet(l.from, l.to)
				w.change(l.from, l.to, l.of.style, l.of.fields)
			}
		}
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
			isListed := f.of.entry != (entry{})
			if len(list) > 0 && !sameList(list[0].of.lists, m.lists) {
				flush()
			}
			depth := len(m.lists)
			isMarked := depth > 0 && m.lists[depth-1].Marked
			switch {
			case rootOf(m.lists) >= 0:
				list = append(list, listed{at, to, m, isListed, isMarked})
			case isMarked && isListed:
				w.unbullet(at, to)
				w.change(at, to, m.style, m.fields)
			}
		} else {
			flush()
		}
		at = to + 1
	}
	flush()
}

// sameList tells whether entries are in one list of a drive.
func sameList(a, b []rich.Level) bool {
	i, j := rootOf(a), rootOf(b)
	return i >= 0 && j >= 0 && a[i].ID == b[j].ID
}

// rootOf is the number of the outermost list whose entries do not bring their signs; -1:
// there is none.
func rootOf(lists []rich.Level) int {
	return slices.IndexFunc(lists, func(l rich.Level) bool { return !l.Marked })
}

// own is nil for a paragraph that is none of styled text, and for none at all.
func (p *para) own() *marked {
	if p == nil {
		return nil
	}
	return p.marked
}

// listed is a text that is an entry of lists of styled text.
type listed struct {
	from, to int64
	of       *marked
	isListed bool // it is in another list
	isMarked bool // it brings its sign, and stands between entries of its list
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
		if level := len(all[i].of.lists) - 1; level > 0 && !all[i].isMarked {
			w.insert(all[i].from, strings.Repeat("\t", level))
			tabs += int64(level)
		}
	}
	w.bullet(all[0].from, all[last].to+tabs, presetOf(all[0].of.lists[depth]))
	enlistInner(all, depth+1, all[0].of.lists[depth].Ordered, w)
}

func presetOf(l rich.Level) string {
	switch {
	case l.Letter:
		return presetLetter
	case l.Roman:
		return presetRoman
	case l.Ordered:
		return presetDecimal
	}
	return presetDisc
}

// enlistInner makes the lists at a depth that are not of this kind their own ones.
func enlistInner(all []listed, depth int, ordered bool, w writer) {
	for i := 0; i < len(all); {
		if len(all[i].of.lists) <= depth {
			i++
			continue
		}
		from, of := i, all[i].of.lists[depth]
		for i < len(all) && len(all[i].of.lists) > depth && all[i].of.lists[depth].ID == of.ID {
			i++
		}
		if of.Ordered != ordered && !of.Marked {
			enlistAll(all[from:i], depth, w)
		} else {
			enlistInner(all[from:i], depth+1, ordered, w)
		}
	}
}
