package fill

import (
	"slices"
	"strings"

	"google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/template/lang"
)

// section is where a section of a document begins: the break says what its pages look
// like.
type section struct {
	own   *docs.SectionStyle // as the API says it
	of    *docs.DocumentStyle
	whole docs.SectionStyle // with what it takes over from sections before and the document
}

// newSection reads a break behind the section before, which is nil for the first.
func newSection(own *docs.SectionStyle, before *section, of *docs.DocumentStyle) *section {
	if own == nil {
		own = &docs.SectionStyle{}
	}
	if of == nil {
		of = &docs.DocumentStyle{}
	}
	s := &section{own: own, of: of}
	if before != nil {
		s.whole = inherit(own, &before.whole, of)
		return s
	}
	s.whole = inherit(own, &docs.SectionStyle{
		DefaultHeaderId: of.DefaultHeaderId, FirstPageHeaderId: of.FirstPageHeaderId, EvenPageHeaderId: of.EvenPageHeaderId,
		DefaultFooterId: of.DefaultFooterId, FirstPageFooterId: of.FirstPageFooterId, EvenPageFooterId: of.EvenPageFooterId,
	}, of)
	s.whole.UseFirstPageHeaderFooter = own.UseFirstPageHeaderFooter || of.UseFirstPageHeaderFooter
	return s
}

// inherit returns a style with what it does not say: headers and footers are those of
// the section before, margins those of the document (SectionStyle).
func inherit(own, before *docs.SectionStyle, of *docs.DocumentStyle) docs.SectionStyle {
	whole := *own
	whole.SectionType = ""
	for _, id := range []struct {
		to   *string
		from string
	}{
		{&whole.DefaultHeaderId, before.DefaultHeaderId}, {&whole.FirstPageHeaderId, before.FirstPageHeaderId}, {&whole.EvenPageHeaderId, before.EvenPageHeaderId},
		{&whole.DefaultFooterId, before.DefaultFooterId}, {&whole.FirstPageFooterId, before.FirstPageFooterId}, {&whole.EvenPageFooterId, before.EvenPageFooterId},
	} {
		if *id.to == "" {
			*id.to = id.from
		}
	}
	for _, margin := range []struct{ to, from **docs.Dimension }{
		{&whole.MarginTop, &of.MarginTop}, {&whole.MarginRight, &of.MarginRight}, {&whole.MarginBottom, &of.MarginBottom}, {&whole.MarginLeft, &of.MarginLeft},
		{&whole.MarginHeader, &of.MarginHeader}, {&whole.MarginFooter, &of.MarginFooter},
	} {
		if *margin.to == nil {
			*margin.to = *margin.from
		}
	}
	return whole
}

// continues tells of a section whose text may go on in the one before: its pages look the
// same and are not counted from a number of its own.
func continues(before, of docs.SectionStyle) bool {
	if of.PageNumberStart != 0 {
		return false
	}
	before.PageNumberStart = 0
	return newStyle(&before).key == newStyle(&of).key
}

// settleSections has section breaks go with what blocks leave out: those in it, and those
// of sections that go wholly. Between two sections that stay, the break of the
// second remains where it stands outside of blocks, or where their pages differ.
func (p *composer) settleSections(blocks []*block, fates []fate) {
	var starts []int
	for i, b := range blocks {
		if b.section != nil {
			starts = append(starts, i)
		}
	}
	if len(starts) < 2 || !slices.ContainsFunc(fates, func(f fate) bool { return f.drop }) {
		return
	}
	fates[starts[0]].drop = false
	last := -1 // the section before that stays
	for k, start := range starts {
		end := len(blocks)
		if k+1 < len(starts) {
			end = starts[k+1]
		}
		if leaveOut(blocks[start+1:end], fates[start+1:end]) {
			continue
		}
		stays := last >= 0 && !continues(blocks[starts[last]].section.whole, blocks[start].section.whole)
		between := starts[last+1 : k+1]
		if last < 0 {
			between = starts[1 : k+1]
		} else {
			stays = stays || slices.ContainsFunc(between, func(i int) bool { return !fates[i].drop })
		}
		for _, i := range between {
			fates[i].drop = i != start || !stays
		}
		last = k
	}
	for _, i := range starts[max(last+1, 1):] {
		fates[i].drop = true
	}
	p.checkSections(blocks, fates, starts)
}

// leaveOut tells of a section that goes wholly, and leaves out its empty paragraphs
// too. One from which no block takes anything is as its author wants it.
func leaveOut(blocks []*block, fates []fate) bool {
	if !slices.ContainsFunc(fates, func(f fate) bool { return f.drop }) {
		return false
	}
	for i, b := range blocks {
		isBlank := b.para != nil && !b.para.objects && !b.para.anchors && len(fates[i].copies)+len(fates[i].replace) == 0 && strings.TrimSpace(b.para.text) == ""
		if !fates[i].drop && !isBlank {
			return false
		}
	}
	for i := range fates {
		fates[i].drop = true
	}
	return true
}

// checkSections reports sections that lose the look of their pages at Google: the first
// break of a document stays, and headers go with the break that has them. Our drive, which
// keeps the look of what stays, shows no format of documents.
func (p *composer) checkSections(blocks []*block, fates []fate, starts []int) {
	if blocks[starts[0]].section.of.DocumentFormat == nil {
		return
	}
	now := blocks[starts[0]].section.whole
	for k, start := range starts {
		end := len(blocks)
		if k+1 < len(starts) {
			end = starts[k+1]
		}
		b := blocks[start]
		if k > 0 && !fates[start].drop {
			now = inherit(b.section.own, &now, b.section.of)
		}
		isKept := slices.ContainsFunc(fates[start+1:end], func(f fate) bool { return !f.drop })
		was := b.section.whole
		was.PageNumberStart, now.PageNumberStart = 0, 0
		if isKept && !continues(now, was) {
			p.e.Report(lang.Finding{Code: "object_in_block", Message: "A section goes whose pages, header or footer others take over, and Google does not let programs give them to what stays. Begin the document with text that stays, and give each section a header of its own."})
			return
		}
	}
}
