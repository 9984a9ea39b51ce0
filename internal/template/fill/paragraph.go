package fill

import (
	"github.com/platenhq/platen/internal/template/lang"
)

// drop removes the blocks from first to last. The line feed at the end of a
// story, and one before what is no paragraph, cannot go: the one before the
// blocks goes instead, and where none can an empty paragraph stays.
func (p *composer) drop(s *story, first, last int, w writer) {
	p.checkRemoved(s.blocks[first : last+1])
	from, to := s.blocks[first].start, s.blocks[last].end
	if last+1 < len(s.blocks) && s.blocks[last+1].para != nil {
		w.remove(from, to)
		return
	}
	if s.blocks[last].para == nil {
		// A table before another, or at the very end, goes as it is.
		w.remove(from, to)
		return
	}
	if first > 0 && s.blocks[first-1].canJoin() {
		// Which of the two the paragraph that they become takes after is not said
		// (DeleteContentRangeRequest).
		before, joined := s.blocks[first-1].para, s.blocks[last].para
		w.remove(from-1, to-1)
		if before.style.key != joined.style.key || before.entry != joined.entry {
			w.reshape(before.start, before.end, before, joined.entry)
		}
		if l := before.styleAt(0); before.text == "" && l.key != joined.styleAt(len(joined.text)).key {
			w.restyleEmpty(before.start, l)
		}
		return
	}
	if to-1 > from {
		w.remove(from, to-1)
	}
}

// canJoin tells of a paragraph that can be joined with what follows: one that is empty
// would go, with what is anchored in it.
func (b *block) canJoin() bool {
	return b.para != nil && (b.para.text != "" || !b.para.anchors)
}

// change puts text into the place of bytes of a paragraph.
type change struct {
	from, to int
	runs     []filledRun
}

// editParagraph fills a paragraph where it stands, after what follows it.
func (p *composer) editParagraph(para *para, f fate, w writer) {
	if f.replace != nil {
		p.insertAll(para, f.replace, "", f.followed, w)
		w.remove(para.start, para.end-1)
		if t := f.replace[0].table; t != nil && t.isMarked {
			w.flatten(para.start)
		}
		return
	}
	if len(f.copies) > 0 {
		p.insertAll(para, f.copies, "\n", f.followed, w)
	}
	p.fillCharts(para, f.scope, w)
	all := p.findChanges(para, f.spans, f.scope)
	for i := len(para.runs) - 1; i >= 0; i-- {
		r := para.runs[i]
		if l := p.fillLink(r.style, f.scope); l.key != r.style.key {
			w.restyle(para.index(r.start), para.index(r.end), l)
		}
	}
	for i := len(all) - 1; i >= 0; i-- {
		p.checkChange(para, all[i])
		replace(para, all[i], w)
	}
}

// findChanges compares what a paragraph is to become with what it is. Text
// of the template that is needed in its order stays untouched.
func (p *composer) findChanges(para *para, spans []lang.Span, scope *lang.Scope) []change {
	var all []change
	var pending []filledRun
	at := 0
	flush := func(to int) {
		if to > at || len(pending) > 0 {
			all = append(all, change{at, to, pending})
		}
		pending = nil
	}
	for _, s := range spans {
		if s.Value || s.Start < at {
			pending = p.addSpan(pending, para, s, scope)
			continue
		}
		flush(s.Start)
		at = s.End
		for _, h := range para.placeholders {
			if s.Start <= h.at && h.at < s.End {
				all = append(all, change{h.at, h.at + 1, p.fillBox(h, scope)})
			}
		}
	}
	flush(len(para.text))
	return all
}

// replace inserts behind what it removes, so that the text takes the style of
// the tag.
func replace(para *para, r change, w writer) {
	from, to := para.index(r.from), para.index(r.to)
	if text := (filled{runs: r.runs}).text(); text != "" {
		w.insert(to, text)
		around := para.styleAt(max(r.to-1, 0))
		restyleRuns(to, r.runs, around, w)
	}
	placePictures(to, []filled{{runs: r.runs}}, para.room, w)
	if to > from {
		w.remove(from, to)
	}
}

// restyleRuns gives runs their styles where those differ from what they got. Those
// with a link get theirs in any case: text beside a link does not always get it.
func restyleRuns(at int64, runs []filledRun, got style, w writer) int64 {
	for i := 0; i < len(runs); {
		from, l := at, runs[i].style
		for i < len(runs) && runs[i].style.key == l.key {
			at += units(runs[i].text)
			i++
		}
		if at > from && (l.key != got.key || l.hasLink()) {
			w.restyle(from, at, l)
		}
	}
	return at
}

// insertAll adds paragraphs and tables at the end of a paragraph, from the last to the
// first. A table brings a line feed that parts it from what is before it; the paragraph
// that is left behind it takes what follows the table, or goes where it can.
func (p *composer) insertAll(para *para, all []filled, begin string, followed bool, w writer) {
	at := para.end - 1
	for end := len(all); ; {
		i := end - 1
		for i >= 0 && all[i].table == nil {
			i--
		}
		behind := all[i+1 : end]
		if i < 0 {
			if end > 0 {
				p.insertFilled(para, at, behind, begin, w)
			}
			return
		}
		next := w.addTable(at, all[i].table)
		switch {
		case len(behind) > 0:
			p.insertFilled(para, next, behind, "", w)
		case end == len(all) && followed:
			w.remove(next, next+1)
		}
		w.writeTable(at+1, all[i].table)
		end = i
	}
}

// insertFilled adds paragraphs at an index, each with a line feed, or with the first
// going on in what is there when begin is empty. What is there has the style of para.
func (p *composer) insertFilled(para *para, at int64, all []filled, begin string, w writer) {
	text := begin + textsOf(all)
	if text == "" {
		reshapeAll(para, all, at, w)
		if l := all[0].of.styleAt(0); all[0].of != para && l.key != para.styleAt(len(para.text)).key {
			w.restyleEmpty(at, l)
		}
		placePictures(at, all, para.room, w)
		return
	}
	w.insert(at, text)
	start := at + units(begin)
	// Styles of paragraphs come before those of their text: a named style may
	// bring others for it.
	reshapeAll(para, all, start, w)
	got := para.styleAt(max(len(para.text)-1, 0))
	if at >= para.end {
		got = style{} // what text gets behind a table is not said
	}
	at = start
	for _, f := range all {
		at = restyleRuns(at, f.runs, got, w) + 1
	}
	placePictures(start, all, para.room, w)
}

// reshapeAll gives paragraphs that stand from an index on, behind or in the place of
// one, their own styles instead of that one's. Those that are nested in a list
// go one by one.
func reshapeAll(para *para, all []filled, at int64, w writer) {
	from := at
	if at < para.end {
		from = para.start // the first goes on in the paragraph
	}
	first := at
	for i := 0; i < len(all); from = at {
		of := all[i].of.unmarked()
		for alone := false; i < len(all) && all[i].of.unmarked() == of && !alone; i++ {
			at += units(all[i].text()) + 1
			alone = of.entry != para.entry && of.entry.level > 0
		}
		if of.style.key != para.style.key || of.entry != para.entry {
			w.reshape(from, at, of, para.entry)
		}
	}
	relistAll(all, first, true, w)
	changeMarked(all, first, w)
}
