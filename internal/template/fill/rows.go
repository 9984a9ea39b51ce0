package fill

import (
	"slices"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// rowFate says what becomes of a row.
type rowFate struct {
	drop   bool
	scope  *lang.Scope
	copies [][][]filled // rows of cells of paragraphs
}

// editTable fills a table where it stands.
func (p *composer) editTable(t *table, scope *lang.Scope, w writer) {
	fates := make([]rowFate, len(t.rows))
	for i := range fates {
		fates[i].drop = true
	}
	p.decideRows(t, p.readRows(t), scope, fates)
	if !slices.ContainsFunc(fates, func(f rowFate) bool { return !f.drop || len(f.copies) > 0 }) {
		w.removeTable(t)
		return
	}
	p.checkDropped(t, fates)
	for i := len(t.rows) - 1; i >= 0; i-- {
		f := fates[i]
		if len(f.copies) > 0 {
			w.copyRows(t, i, f.copies)
		}
		if f.drop {
			w.removeRow(t, i)
			continue
		}
		cells, isFlat := t.rows[i].cells, p.isFlat
		p.isFlat = isFlat || f.scope != nil // as in its copies
		for j := len(cells) - 1; j >= 0; j-- {
			p.editStory(cells[j].story, f.scope, w.cell(t, i, cells[j]))
		}
		p.isFlat = isFlat
	}
}

// readRows finds the blocks that span rows: they open in a cell of the first
// and end in a cell of the last.
func (p *composer) readRows(t *table) []nest {
	n := newNester()
	var loose []*syntax.Statement
	for i, r := range t.rows {
		var ends []*syntax.Statement
		for _, c := range r.cells {
			if c.story == nil {
				c.story = p.readStory(c.blocks)
			}
			for _, control := range c.story.loose {
				if control.Ends() {
					ends = append(ends, control)
				} else if !n.take(control, i) {
					loose = append(loose, control)
				}
			}
		}
		loose = append(loose, n.addLeaf(i, ends)...)
	}
	return p.finishNests(n, loose)
}

func (p *composer) decideRows(t *table, nests []nest, scope *lang.Scope, fates []rowFate) {
	for _, n := range nests {
		switch {
		case n.control == nil:
			p.decideRow(t, n.leaf, scope, &fates[n.leaf])
		case n.control.Kind == syntax.If:
			if b := p.choose(n, scope); b != nil {
				p.decideRows(t, b.nests, scope, fates)
			}
		default:
			items := p.e.Items(n.control, scope)
			if len(items) == 0 {
				continue
			}
			body := n.branches[0].nests
			p.decideRows(t, body, items[0], fates)
			if len(items) > 1 {
				p.checkCopied(t, firstLeaf(body), n.leaf)
			}
			for i, item := range items[1:] {
				if p.isFull(items, i+1) {
					break
				}
				for _, made := range p.renderRows(t, body, item) {
					fates[n.leaf].copies = append(fates[n.leaf].copies, p.restartCells(t, firstLeaf(body), n.leaf, items[0], made))
				}
			}
		}
	}
}

// decideRow repeats a row whose tags name fields of a list.
func (p *composer) decideRow(t *table, at int, scope *lang.Scope, f *rowFate) {
	r := t.rows[at]
	f.drop, f.scope = false, scope
	items, ok := p.e.Repeats(r.statements(), scope)
	if !ok {
		return
	}
	f.drop = len(items) == 0
	if len(items) > 1 {
		p.checkCopied(t, at, at)
	}
	for i, item := range items {
		if i == 0 {
			f.scope = item
			continue
		}
		if p.isFull(items, i) {
			return
		}
		f.copies = append(f.copies, p.restartCells(t, at, at, items[0], filledRow{r, p.renderRow(r, item)}))
	}
}

// isFull tells that there is no room for further rows, after the first done of
// those for items, and reports it.
func (p *composer) isFull(items []*lang.Scope, done int) bool {
	if p.isCrowded() {
		p.e.Report(listTooLong(items[0].List(), len(items), max(done-1, 0)))
		return true
	}
	return p.e.TooMuch()
}

func (r *row) statements() []*syntax.Statement {
	var all []*syntax.Statement
	for _, c := range r.cells {
		for _, b := range c.story.blocks {
			if b.para != nil {
				all = append(all, b.para.statements()...)
			}
		}
	}
	return all
}

func (p *composer) renderRows(t *table, nests []nest, scope *lang.Scope) []filledRow {
	var all []filledRow
	for _, n := range nests {
		if p.isCrowded() || p.e.TooMuch() {
			return all // who asked for these rows reports it
		}
		switch {
		case n.control == nil:
			r := t.rows[n.leaf]
			items, ok := p.e.Repeats(r.statements(), scope)
			if !ok {
				items = []*lang.Scope{scope}
			}
			for _, item := range items {
				if p.isCrowded() || p.e.TooMuch() {
					return all // who asked for these rows reports it
				}
				all = append(all, filledRow{r, p.renderRow(r, item)})
			}
		case n.control.Kind == syntax.If:
			if b := p.choose(n, scope); b != nil {
				all = append(all, p.renderRows(t, b.nests, scope)...)
			}
		default:
			for _, item := range p.e.Items(n.control, scope) {
				all = append(all, p.renderRows(t, n.branches[0].nests, item)...)
			}
		}
	}
	return all
}

func (p *composer) renderRow(r *row, scope *lang.Scope) [][]filled {
	cells := make([][]filled, len(r.cells))
	p.nested++
	defer func() { p.nested-- }()
	p.rows, p.cells = p.rows+1, p.cells+len(cells)
	for i, c := range r.cells {
		cells[i] = p.render(c.story, c.story.nests, scope)
		// At least a request for its text, and one for each picture.
		if textsOf(cells[i]) != "" {
			p.rows++
		}
		for _, f := range cells[i] {
			p.rows += f.pictures()
		}
		if c.span > 1 {
			p.rows++
		}
	}
	return cells
}
