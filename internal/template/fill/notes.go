package fill

import (
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// Nobody can say which ids the speaker notes of a copied slide get
// (DuplicateObjectRequest says it of what is on the slide). So the notes of the slide
// that is copied say what the copy is to say, before it is copied.

// notesText is the text of a shape in the notes of a slide that is copied.
type notesText struct {
	object  string
	story   *story
	regions []notesRegion // in their order
}

// notesRegion is a part of notes that differs from copy to copy.
type notesRegion struct {
	at     int64 // where it begins in the template
	length int64 // as it is now
	longer int64 // than in the template
	// nests are what it shows: blocks or paragraphs as a whole. Without them it is the
	// tag of a paragraph that begins at a byte of its text.
	nests []nest
	para  *para
	byte  int
}

type pageNotes []*notesText

// readNotes finds what differs in the notes of a slide that is copied.
func (p *composer) readNotes(s *page) pageNotes {
	var all pageNotes
	if len(s.showings) < 2 {
		return nil
	}
	for _, t := range s.texts {
		if t.isNotes && !t.alone && t.story != nil {
			all = append(all, &notesText{object: t.object, story: t.story, regions: notesRegions(t.story)})
		}
	}
	return all
}

// notesRegions takes tags apart where paragraphs have nothing else that fills them, and
// paragraphs and blocks as a whole elsewhere.
func notesRegions(s *story) []notesRegion {
	var all []notesRegion
	first := 0
	for _, n := range s.nests {
		from, last := s.blocks[first], s.blocks[n.leaf]
		first = n.leaf + 1
		if n.control == nil && from.para != nil && from.para.entry == (entry{}) && !from.para.line.HasBlocks() {
			for _, tag := range syntax.Parse(from.para.text) {
				all = append(all, notesRegion{at: from.para.index(tag.Start), length: units(tag.Text), para: from.para, byte: tag.Start})
			}
			continue
		}
		if end := last.end - 1; end > from.start {
			all = append(all, notesRegion{at: from.start, length: end - from.start, nests: []nest{n}})
		}
	}
	return all
}

// say writes what the notes say for an item, in the place of what they said.
func (n pageNotes) say(p *composer, scope *lang.Scope, requests *[]*slides.Request) {
	for _, t := range n {
		w := &slidesWriter{object: t.object, requests: requests}
		longer := int64(0)
		for _, r := range t.regions {
			longer += r.longer
		}
		for i := len(t.regions) - 1; i >= 0; i-- {
			r := &t.regions[i]
			longer -= r.longer
			text := r.text(p, t.story, scope)
			at := r.at + longer
			if text != "" {
				w.insert(at+r.length, text)
			}
			if r.length > 0 {
				w.remove(at, at+r.length)
			}
			r.longer += units(text) - r.length
			r.length = units(text)
		}
	}
}

// text is what a region says for an item.
func (r *notesRegion) text(p *composer, s *story, scope *lang.Scope) string {
	if r.nests != nil {
		return textsOf(p.render(s, r.nests, scope))
	}
	for _, span := range p.e.Fill(r.para.line, scope, false) {
		if span.Start == r.byte && (span.Value || span.Picture != nil) {
			return textsOf([]filled{{runs: p.addSpan(nil, r.para, span, scope)}})
		}
	}
	return ""
}
