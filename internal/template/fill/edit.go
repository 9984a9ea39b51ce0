package fill

import (
	"strings"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// A writer writes requests about one story. Each is about the story as the
// requests before it left it.
type writer interface {
	// insert puts text, which may have line feeds, into an existing paragraph.
	insert(at int64, text string)
	remove(from, to int64)
	// restyle gives text a style.
	restyle(from, to int64, l style)
	// restyleEmpty gives the empty paragraph at the end of a story, or before what is
	// no paragraph, a text style: it is as high as that.
	restyleEmpty(at int64, l style)
	// reshape gives a paragraph of a range, or several, the style of another, and
	// its place in a list unless they have it.
	reshape(from, to int64, of *para, has entry)
	// change gives a paragraph some fields of a style, and leaves the others.
	change(from, to int64, s style, fields string)
	// bullet makes paragraphs entries of a list, as deep as the tabs in front of them
	// say, which go. unbullet takes them out of theirs. to is the end of the last text.
	bullet(from, to int64, preset string)
	unbullet(from, to int64)
	// cell returns the writer of a table's cell.
	cell(t *table, row int, c *cell) writer
	// copyRows adds rows below one, with its style and these texts by cell.
	copyRows(t *table, row int, copies [][][]filled)
	removeRow(t *table, row int)
	// removeTable removes a table when none of its rows stays: neither API takes the
	// last row for certain.
	removeTable(t *table)
	// flatten makes an empty paragraph before a table as low as it can be: no request
	// takes it away.
	flatten(at int64)
	// addTable puts an empty table behind a line feed that it inserts, and returns the
	// index behind it. writeTable writes into one that begins at an index.
	addTable(at int64, t *filledTable) (behind int64)
	writeTable(start int64, t *filledTable)
	// fillChart gives the charts with a tag their data.
	fillChart(tag, text string)
	// picture puts a picture of this size, in points, into a paragraph.
	insertPicture(at int64, of *lang.Placed, width, height float64)
}

// filled is a paragraph that has been worked out, or a table.
type filled struct {
	of      *para
	runs    []filledRun
	table   *filledTable
	restart *restart // the list that it is in, where that begins again
}

// filledTable is a copy of a table with the rows that come out of it.
type filledTable struct {
	of   *table
	rows []filledRow
	// isMarked says that it is one of styled text.
	isMarked bool
}

// filledRow is a copy of a row with the paragraphs of its cells.
type filledRow struct {
	of    *row
	cells [][]filled
}

// filledRun is text of one style, or a picture, which takes one unit.
type filledRun struct {
	text    string
	style   style
	picture *lang.Placed
}

func (f filled) text() string {
	var b strings.Builder
	for _, r := range f.runs {
		b.WriteString(r.text)
	}
	return b.String()
}

func (f filled) pictures() int {
	n := 0
	for _, r := range f.runs {
		if r.picture != nil {
			n++
		}
	}
	return n
}

// fate says what becomes of a paragraph or table.
type fate struct {
	drop    bool
	scope   *lang.Scope
	spans   []lang.Span
	copies  []filled // that follow it
	replace []filled // that take its place
	// followed says that a paragraph stays behind it.
	followed bool
}

// editStory fills a story where it stands.
func (p *composer) editStory(s *story, scope *lang.Scope, w writer) {
	fates := make([]fate, len(s.blocks))
	for i := range fates {
		fates[i].drop = true
	}
	p.decide(s, s.nests, scope, fates)
	p.settleSections(s.blocks, fates)
	for i := len(s.blocks) - 1; i >= 0; i-- {
		b, f := s.blocks[i], fates[i]
		switch {
		case f.drop:
			first := i
			for first > 0 && fates[first-1].drop {
				first--
			}
			p.drop(s, first, i, w)
			i = first
		case b.table != nil:
			p.editTable(b.table, f.scope, w)
		case b.para != nil:
			f.followed = isFollowed(s, fates, i)
			p.editParagraph(b.para, f, w)
		}
	}
}

// isFollowed tells whether what stays behind a block begins with a paragraph.
func isFollowed(s *story, fates []fate, i int) bool {
	for i++; i < len(fates); i++ {
		if !fates[i].drop {
			return s.blocks[i].para != nil
		}
	}
	return false
}

// decide decides about everything in the nests.
func (p *composer) decide(s *story, nests []nest, scope *lang.Scope, fates []fate) {
	for _, n := range nests {
		switch {
		case n.control == nil:
			p.decideLeaf(s.blocks[n.leaf], scope, &fates[n.leaf])
		case n.control.Kind == syntax.If:
			if b := p.choose(n, scope); b != nil {
				p.decide(s, b.nests, scope, fates)
			}
		default:
			p.decideEach(s, n, scope, fates)
		}
	}
}

func (p *composer) choose(n nest, scope *lang.Scope) *nestBranch {
	for i, b := range n.branches {
		if p.e.Holds(b.statement, scope) {
			return &n.branches[i]
		}
	}
	return nil
}

func (p *composer) decideLeaf(b *block, scope *lang.Scope, f *fate) {
	f.drop, f.scope = false, scope
	if b.para == nil {
		return
	}
	if b.para.entry != (entry{}) {
		if items, ok := p.entryItems(b.para, scope); ok {
			p.decideEntry(b.para, items, f)
			return
		}
	}
	p.checkIncludes(b.para)
	if f.replace = p.renderStyled(b.para, scope); f.replace != nil {
		return
	}
	f.spans = p.e.Fill(b.para.line, scope, true)
	for i, s := range f.spans {
		if s.Kept != nil {
			f.spans[i] = p.keepSpan(b.para, s, scope)
		}
	}
	f.drop = p.leavesNothing(b.para, f.spans)
}

// entryItems are the items that an entry of a list is repeated for: the texts of a list
// that its only tag names, or the items of the list whose fields its tags name.
func (p *composer) entryItems(para *para, scope *lang.Scope) ([]*lang.Scope, bool) {
	shown := para.statements()
	if len(shown) == 1 && !para.objects && !para.line.HasBlocks() && strings.TrimSpace(para.text) == shown[0].Tag {
		if items, ok := p.e.Entries(shown[0], scope); ok {
			return items, true
		}
	}
	return p.e.Repeats(shown, scope)
}

// decideEntry repeats an entry of a list for items.
func (p *composer) decideEntry(para *para, items []*lang.Scope, f *fate) {
	f.drop = len(items) == 0
	for i, item := range items {
		if i > 0 {
			f.copies = append(f.copies, p.renderParagraph(para, item)...)
			continue
		}
		f.scope = item
		if f.replace = p.renderStyled(para, item); f.replace == nil {
			f.spans = p.e.Fill(para.line, item, true)
		}
	}
	if f.replace != nil {
		f.replace, f.copies = append(f.replace, f.copies...), nil
	}
}

// leavesNothing tells of a paragraph whose blocks left nothing of it.
func (p *composer) leavesNothing(para *para, spans []lang.Span) bool {
	if para.objects || !para.line.HasBlocks() {
		return false
	}
	for _, s := range spans {
		if s.Kept != nil || s.Picture != nil || strings.TrimSpace(textOf(para, s)) != "" {
			return false
		}
	}
	return true
}

func textOf(para *para, s lang.Span) string {
	if s.Value {
		return s.Text
	}
	return para.text[s.Start:s.End]
}

// decideEach fills the block in place for the first item; the text of the
// others follows its last paragraph, or takes the place of the tag that ends it.
func (p *composer) decideEach(s *story, n nest, scope *lang.Scope, fates []fate) {
	items := p.e.Items(n.control, scope)
	if len(items) == 0 {
		return
	}
	body := n.branches[0].nests
	p.decide(s, body, items[0], fates)
	var copies []filled
	for i, item := range items[1:] {
		if p.isFull(items, i+1) {
			break
		}
		copies = append(copies, p.restartLists(s, n, items[0], p.render(s, body, item))...)
	}
	if len(copies) == 0 {
		return
	}
	for i := n.leaf - 1; i >= 0 && len(body) > 0; i-- {
		if fates[i].drop {
			continue
		}
		if s.blocks[i].para == nil || i < firstLeaf(body) {
			break
		}
		if fates[i].replace != nil {
			fates[i].replace = append(fates[i].replace, copies...)
		} else {
			fates[i].copies = append(fates[i].copies, copies...)
		}
		return
	}
	fates[n.leaf].drop, fates[n.leaf].replace = false, copies
}

func firstLeaf(nests []nest) int {
	n := nests[0]
	if n.control == nil {
		return n.leaf
	}
	for _, b := range n.branches {
		if len(b.nests) > 0 {
			return firstLeaf(b.nests)
		}
	}
	return n.leaf
}

// render works out nests for an item, as paragraphs to insert.
func (p *composer) render(s *story, nests []nest, scope *lang.Scope) []filled {
	var all []filled
	for _, n := range nests {
		if p.isCrowded() || p.e.TooMuch() {
			return all // who asked for these reports it
		}
		switch {
		case n.control == nil:
			all = append(all, p.renderLeaf(s.blocks[n.leaf], scope)...)
		case n.control.Kind == syntax.If:
			if b := p.choose(n, scope); b != nil {
				all = append(all, p.render(s, b.nests, scope)...)
			}
		default:
			items := p.e.Items(n.control, scope)
			for i, item := range items {
				made := p.render(s, n.branches[0].nests, item)
				if i > 0 {
					made = p.restartLists(s, n, items[0], made)
				}
				all = append(all, made...)
			}
		}
	}
	return all
}

func (p *composer) renderLeaf(b *block, scope *lang.Scope) []filled {
	if b.para == nil {
		return p.renderTable(b.table, scope)
	}
	if b.para.entry != (entry{}) {
		if items, ok := p.entryItems(b.para, scope); ok {
			var all []filled
			for _, item := range items {
				all = append(all, p.renderParagraph(b.para, item)...)
			}
			return all
		}
	}
	return p.renderParagraph(b.para, scope)
}

// renderParagraph works one paragraph out, as none when its blocks left
// nothing.
func (p *composer) renderParagraph(para *para, scope *lang.Scope) []filled {
	if para.others {
		p.e.Report(lang.Finding{Code: "object_in_block", Tag: textAround(para), Message: "A picture, page number or other object stands in what is repeated; only text can be."})
	}
	if para.anchors {
		p.e.Report(lang.Finding{Code: "object_in_block", Tag: textAround(para), Message: "A floating picture, text box or other object is anchored in what is repeated, and no drive copies it. Put a picture there by {{image}}, or anchor the object outside of the block."})
	}
	p.checkIncludes(para)
	if all := p.renderStyled(para, scope); all != nil {
		return all
	}
	spans := p.e.Fill(para.line, scope, false)
	if p.leavesNothing(para, spans) {
		return nil
	}
	f := filled{of: para}
	for _, s := range spans {
		f.runs = p.addSpan(f.runs, para, s, scope)
	}
	return []filled{f}
}

// addSpan adds a span as text with styles.
func (p *composer) addSpan(runs []filledRun, para *para, s lang.Span, scope *lang.Scope) []filledRun {
	if s.Picture != nil {
		p.checkPicture(para.text[s.Start:s.End])
		return append(runs, filledRun{picture: s.Picture, style: para.styleAt(s.Start)})
	}
	if s.Styled != nil {
		base := p.fillLink(para.styleAt(s.Start), scope)
		return append(runs, p.markRuns(insertion{para: para, of: s.Insertion, scope: scope}, s.Styled.Inline(), base)...)
	}
	if s.Value {
		if text := p.hideTags(para, s); text != "" {
			return append(runs, filledRun{text: text, style: p.fillLink(para.styleAt(s.Start), scope).linkTo(s.Link)})
		}
		return runs
	}
	for _, r := range para.runs {
		from, to := max(r.start, s.Start), min(r.end, s.End)
		for _, h := range para.placeholders {
			if from <= h.at && h.at < to {
				runs = append(runs, filledRun{text: strings.ReplaceAll(para.text[from:h.at], "\n", ""), style: p.fillLink(r.style, scope)})
				runs, from = append(runs, p.fillBox(h, scope)...), h.at+1
			}
		}
		if from < to {
			runs = append(runs, filledRun{text: strings.ReplaceAll(para.text[from:to], "\n", ""), style: p.fillLink(r.style, scope)})
		}
	}
	return runs
}

// hideTags returns the value of a span as it may stand in the document while tags
// are still to be replaced there: neither in it nor with the braces around it
// must anything look like one.
func (p *composer) hideTags(para *para, s lang.Span) string {
	if para.line.Braces || strings.Trim(s.Text, "{}") != s.Text || strings.Contains(s.Text, "{{") || strings.Contains(s.Text, "}}") {
		return p.hide(s.Text)
	}
	return s.Text
}
