package fill

import (
	"strings"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// A restart is a list that begins again in a repetition of what it stands in.
type restart struct{ list string }

// restartLists has the lists of a block begin again in a repetition behind the first. Those
// that begin in a block within it have done so already.
func (p *composer) restartLists(s *story, n nest, first *lang.Scope, made []filled) []filled {
	lists, known := s.restarts[n.leaf]
	if !known {
		lists = p.findRestarts(s, n.branches[0].nests, first)
		if s.restarts == nil {
			s.restarts = map[int]map[string]bool{}
		}
		s.restarts[n.leaf] = lists
	}
	p.restart(lists, made)
	return made
}

// restart gives the entries of lists their restarts. One that goes on behind a table does
// not begin again: what is behind it is written apart.
func (p *composer) restart(lists map[string]bool, made []filled) {
	begun := map[string]*restart{}
	tables, at := 0, map[string]int{}
	isCut := map[string]bool{}
	each := func(do func(i int, list string)) {
		tables = 0
		for i, f := range made {
			if f.table != nil {
				tables++
			}
			if of := f.of.unmarked(); of != nil && f.restart == nil && lists[of.entry.list] && of.entry.counts {
				do(i, of.entry.list)
			}
		}
	}
	each(func(_ int, list string) {
		if before, known := at[list]; known && before != tables {
			isCut[list] = true
		}
		at[list] = tables
	})
	each(func(i int, list string) {
		if isCut[list] {
			return
		}
		if begun[list] == nil {
			begun[list] = &restart{list}
			p.restarts++
		}
		made[i].restart = begun[list]
	})
}

// findRestarts finds the lists with numbers that begin in a block and have several entries
// in a repetition on their lowest level there. One with a single entry numbers the
// repetitions, and numbers of headings go on.
func (p *composer) findRestarts(s *story, nests []nest, scope *lang.Scope) map[string]bool {
	lowest := map[string]int64{}
	for _, b := range leavesOf(s, nests) {
		if e, ok := b.counted(); ok {
			if level, known := lowest[e.list]; !known || e.level < level {
				lowest[e.list] = e.level
			}
		}
	}
	if len(lowest) == 0 {
		return nil
	}
	for _, b := range s.blocks[:firstLeaf(nests)] {
		if e, ok := b.counted(); ok {
			delete(lowest, e.list)
		}
	}
	lists := map[string]bool{}
	for list, n := range p.countEntries(s, nests, lowest, scope) {
		lists[list] = n > 1
	}
	return lists
}

// counted is the entry of a list with numbers that a block is, and no heading.
func (b *block) counted() (entry, bool) {
	if b.para == nil || !b.para.entry.counts {
		return entry{}, false
	}
	s, ok := b.para.style.api.(*docs.ParagraphStyle)
	return b.para.entry, !ok || !strings.HasPrefix(s.NamedStyleType, "HEADING")
}

func leavesOf(s *story, nests []nest) []*block {
	var all []*block
	for _, n := range nests {
		if n.control == nil {
			all = append(all, s.blocks[n.leaf])
		}
		for _, b := range n.branches {
			all = append(all, leavesOf(s, b.nests)...)
		}
	}
	return all
}

// countEntries counts, by list, how many entries of the lowest level come out; two where
// they repeat.
func (p *composer) countEntries(s *story, nests []nest, lowest map[string]int64, scope *lang.Scope) map[string]int {
	all := map[string]int{}
	for _, n := range nests {
		if n.control == nil {
			e, ok := s.blocks[n.leaf].counted()
			if level, known := lowest[e.list]; !ok || !known || level != e.level {
				continue
			}
			all[e.list]++
			if _, repeats := p.entryItems(s.blocks[n.leaf].para, scope); repeats {
				all[e.list]++
			}
			continue
		}
		most := map[string]int{}
		for _, b := range n.branches {
			for list, count := range p.countEntries(s, b.nests, lowest, scope) {
				if n.control.Kind == syntax.Each {
					count *= 2
				}
				most[list] = max(most[list], count)
			}
		}
		for list, count := range most {
			all[list] += count
		}
	}
	return all
}

// restartCells has the lists of rows that repeat begin again in a new row. A list that goes
// through several cells goes on.
func (p *composer) restartCells(t *table, first, last int, scope *lang.Scope, made filledRow) [][]filled {
	cells := map[string]int{}
	for i, r := range t.rows[:last+1] {
		for _, c := range r.cells {
			in := map[string]bool{}
			for _, b := range c.story.blocks {
				if e, ok := b.counted(); ok {
					in[e.list] = true
				}
			}
			for list := range in {
				if cells[list]++; i < first {
					cells[list]++ // it begins in a row above
				}
			}
		}
	}
	for i, c := range made.of.cells {
		lists := map[string]bool{}
		for list, begins := range p.findRestarts(c.story, c.story.nests, scope) {
			lists[list] = begins && cells[list] == 1
		}
		p.restart(lists, cellOf(made.cells, i))
	}
	return made.cells
}

// restartTable has the lists in a copy of a table begin again.
func (p *composer) restartTable(made *filledTable) {
	begun := map[string]*restart{}
	for _, r := range made.rows {
		for _, all := range r.cells {
			for i, f := range all {
				of := f.of.unmarked()
				if of == nil || !of.entry.counts {
					continue
				}
				if begun[of.entry.list] == nil {
					begun[of.entry.list] = &restart{of.entry.list}
					p.restarts++
				}
				all[i].restart = begun[of.entry.list]
			}
		}
	}
}

// relistAll takes the entries of lists that begin again out of theirs, and makes a new list
// of them. They begin at an index. shapes says that paragraphs are to get their indents back.
func relistAll(all []filled, at int64, shapes bool, w writer) {
	relist([]newCell{{at: at, all: all}}, shapes, w)
}

// relist is relistAll for the cells of a table.
func relist(cells []newCell, shapes bool, w writer) {
	type place struct{ from, to int64 }
	var places []place
	var all []filled
	var order []*restart
	spans := map[*restart][2]int{}
	for _, c := range cells {
		at := c.at
		for _, f := range c.all {
			i := len(all)
			all = append(all, f)
			places = append(places, place{at, at + units(f.text())})
			at = places[i].to + 1
			if f.restart == nil {
				continue
			}
			span, known := spans[f.restart]
			if !known {
				span[0] = i
				order = append(order, f.restart)
			}
			span[1] = i
			spans[f.restart] = span
		}
	}
	for _, r := range order {
		first, last := spans[r][0], spans[r][1]
		from, to := places[first].from, places[last].to
		w.unbullet(from, to)
		// Our own drive begins a list of its own then. At Google this changes nothing.
		w.unbullet(from, to)
		tabs := int64(0)
		for i := last; i >= first; i-- {
			if e := all[i].of.unmarked().entry; all[i].restart == r && e.level > 0 {
				w.insert(places[i].from, strings.Repeat("\t", int(e.level)))
				tabs += e.level
			}
		}
		w.bullet(from, to+tabs, all[first].of.unmarked().entry.preset)
		for i := first; i <= last; i++ {
			of := all[i].of.unmarked()
			switch {
			case all[i].restart == r && shapes:
				w.reshape(places[i].from, places[i].to+1, of, of.entry)
			case all[i].restart != r:
				w.reshape(places[i].from, places[i].to+1, of, all[first].of.unmarked().entry)
			}
		}
	}
}
