package fill

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// maxNewSlides is how many slides a batch may add.
const maxNewSlides = 200

// A showing is a slide of the output: one of the template for an item.
type showing struct {
	page  *page
	scope *lang.Scope
	id    string
	// kept are the tags that mean the same wherever they stand on the slide, in their
	// order, with their values.
	kept []replacement
	// ids are those of objects of a copy, by the objects that they copy; nil where
	// the slide of the template itself is filled.
	ids map[string]string
}

// nestPages finds the blocks that span slides: they open in a text box of their
// own on the first, and end in one on the last.
func (p *composer) nestPages(pages []*page) []nest {
	n := newNester()
	var loose []*syntax.Statement
	for i, s := range pages {
		var ends []*syntax.Statement
		for _, t := range s.texts {
			if t.story == nil {
				continue
			}
			if len(t.story.loose) == 1 && len(t.blocks) == 1 && aloneIn(t.blocks[0].para, t.blocks[0].para.line.Loose[0]) {
				t.alone = true
			}
			for _, control := range t.story.loose {
				switch {
				case !t.alone:
					loose = append(loose, control)
				case control.Ends():
					ends = append(ends, control)
				case !n.take(control, i):
					loose = append(loose, control)
				}
			}
		}
		loose = append(loose, n.addLeaf(i, ends)...)
	}
	return p.finishNests(n, loose)
}

// editPages decides which slides come out and fills them.
func (p *composer) editPages(pages []*page, nests []nest, requests *[]*slides.Request) {
	shown := p.planPages(pages, nests, nil, nil)
	switch {
	case p.newSlides > maxNewSlides:
		return // which has been reported
	case len(shown) == 0 && len(pages) > 0:
		p.e.Report(lang.Finding{Code: "no_slides", Data: true, Message: "The conditions and lists leave no slide of the presentation, and no presentation is made without one. Keep a slide outside of all blocks, or send an item."})
		return
	}
	var have []string
	for _, s := range pages {
		for _, made := range s.showings {
			have = append(have, made.id)
		}
	}
	for i := len(pages) - 1; i >= 0; i-- {
		p.editPage(pages[i], requests)
	}
	arrange(have, shown, requests)
}

// planPages returns the slides of the output in their order.
func (p *composer) planPages(pages []*page, nests []nest, scope *lang.Scope, shown []*showing) []*showing {
	for _, n := range nests {
		switch {
		case n.control == nil:
			shown = append(shown, p.show(pages[n.leaf], scope))
		case n.control.Kind == syntax.If:
			if b := p.choose(n, scope); b != nil {
				shown = p.planPages(pages, b.nests, scope, shown)
			}
		default:
			items := p.e.Items(n.control, scope)
			for i, item := range items {
				shown = p.planPages(pages, n.branches[0].nests, item, shown)
				if p.newSlides > maxNewSlides {
					p.e.Report(lang.Finding{Code: "too_many_slides", Tag: n.control.Tag, Data: true, Message: fmt.Sprintf(
						"The list %s has %d items, and with number %d there would be more than %d new slides: send fewer, or write limit behind the list.", item.List(), len(items), i+1, maxNewSlides)})
					return shown
				}
				if p.e.TooMuch() {
					return shown
				}
			}
		}
	}
	return shown
}

// show notes that a slide of the template comes out once more.
func (p *composer) show(s *page, scope *lang.Scope) *showing {
	made := &showing{page: s, scope: scope, id: s.id}
	if n := len(s.showings); n > 0 {
		p.newSlides++
		made.id, made.ids = p.copyID(s.id, n), map[string]string{}
		made.ids[s.id] = made.id
	}
	s.showings = append(s.showings, made)
	return made
}

// copyID is the id of the n-th copy of an object. It is the same in every batch for the
// same presentation: one that is sent twice is refused the second time.
func (p *composer) copyID(of string, n int) string {
	for salt := 0; ; salt++ {
		sum := sha256.Sum256([]byte(fmt.Sprintf("%s %d %d", of, n, salt)))
		if id := "copy_" + hex.EncodeToString(sum[:12]); !p.taken[id] {
			p.taken[id] = true
			return id
		}
	}
}

// object is the id of an object on the slide that is shown.
func (m *showing) object(p *composer, of string) string {
	if m.ids == nil {
		return of
	}
	if m.ids[of] == "" {
		m.ids[of] = p.copyID(of+" "+m.id, 0)
	}
	return m.ids[of]
}

// idsOf are the ids of all pages and objects.
func idsOf(d *slides.Presentation) map[string]bool {
	all := map[string]bool{}
	var note func(elements []*slides.PageElement)
	note = func(elements []*slides.PageElement) {
		for _, e := range elements {
			all[e.ObjectId] = true
			if e.ElementGroup != nil {
				note(e.ElementGroup.Children)
			}
		}
	}
	for _, s := range slices.Concat(d.Slides, d.Layouts, d.Masters) {
		all[s.ObjectId] = true
		note(s.PageElements)
		if s.SlideProperties != nil && s.SlideProperties.NotesPage != nil {
			all[s.SlideProperties.NotesPage.ObjectId] = true
			note(s.SlideProperties.NotesPage.PageElements)
		}
	}
	return all
}

// editPage copies a slide of the template for all but the first that comes out of it,
// and fills each. Copies are made from the last to the first, as each stands right
// behind what it copies (DuplicateObjectRequest).
func (p *composer) editPage(s *page, requests *[]*slides.Request) {
	if len(s.showings) == 0 {
		*requests = append(*requests, deleteObject(s.id))
		return
	}
	for _, t := range s.texts {
		if t.alone {
			*requests = append(*requests, deleteObject(t.object))
		}
	}
	copies := s.showings[1:]
	notes := p.readNotes(s)
	for _, made := range slices.Backward(copies) {
		notes.say(p, made.scope, requests)
		*requests = append(*requests, &slides.Request{DuplicateObject: &slides.DuplicateObjectRequest{ObjectId: s.id, ObjectIds: made.ids}})
	}
	if len(copies) > 0 {
		notes.say(p, s.showings[0].scope, requests)
	}
	for _, made := range s.showings {
		p.fillPage(made, requests)
	}
}

// fillPage fills a slide that comes out; the notes of one that has copies are filled
// beside them.
func (p *composer) fillPage(made *showing, requests *[]*slides.Request) {
	if made.scope != nil {
		p.page = made
		p.e.KeepFor(made.scope)
		defer func() {
			p.page = nil
			p.e.KeepFor(nil)
			made.replaceKept(requests)
		}()
	}
	for _, picture := range made.page.pictures {
		*requests = append(*requests, p.replaceImage(picture.statement, made.object(p, picture.object), made.scope)...)
	}
	p.fillSlideCharts(made, requests)
	p.fillTitles(made)
	for _, t := range made.page.texts {
		if t.alone || t.isNotes && len(made.page.showings) > 1 {
			continue
		}
		if t.isNotes {
			p.e.KeepFor(nil) // replacing text on a slide does not reach its notes
		}
		before := len(*requests)
		w := &slidesWriter{object: t.object, requests: requests}
		if made.ids != nil {
			w.object = p.copyID(t.object+" "+made.id, 0)
		}
		switch {
		case t.pictured:
			p.replaceShape(made, t, w)
		case t.table != nil:
			p.editTable(t.table, made.scope, w)
		default:
			p.editStory(t.story, made.scope, w)
		}
		if made.ids != nil && len(*requests) > before {
			made.ids[t.object] = w.object
		}
	}
}

// keepSpan keeps a tag until all of the same text are replaced at once: on all pages, or
// on the slide of an item. What has braces is put in by itself there, as no tag of the
// slide may be seen in it.
func (p *composer) keepSpan(para *para, s lang.Span, scope *lang.Scope) lang.Span {
	if p.page == nil {
		p.keep(s.Kept)
		return s
	}
	value := p.e.Text(s.Kept, scope)
	if para.line.Braces || strings.ContainsAny(value, "{}") {
		return lang.Span{Start: s.Start, End: s.End, Value: true, Text: value}
	}
	r := replacement{s.Kept.Tag, value}
	if !slices.Contains(p.page.kept, r) {
		p.page.kept = append(p.page.kept, r)
		p.quoted += len(value)
	}
	return s
}

// replaceKept replaces the tags that were kept on a slide.
func (m *showing) replaceKept(requests *[]*slides.Request) {
	for _, r := range m.kept {
		*requests = append(*requests, &slides.Request{ReplaceAllText: &slides.ReplaceAllTextRequest{
			ContainsText: &slides.SubstringMatchCriteria{Text: r.find, MatchCase: true}, ReplaceText: r.replace, PageObjectIds: []string{m.id},
		}})
	}
}

// replaceImage puts a picture into the place and box of another, which goes
// when there is none. What the other said of itself is the tag: the alternative text takes
// its place, also an empty one.
func (p *composer) replaceImage(s *syntax.Statement, object string, scope *lang.Scope) []*slides.Request {
	placed := p.e.Picture(s, scope)
	if placed == nil {
		return []*slides.Request{deleteObject(object)}
	}
	return []*slides.Request{
		{ReplaceImage: &slides.ReplaceImageRequest{ImageObjectId: object, Url: p.sent.uri(placed.Obtained), ImageReplaceMethod: "CENTER_INSIDE"}},
		{UpdatePageElementAltText: &slides.UpdatePageElementAltTextRequest{ObjectId: object, Description: placed.Alt, ForceSendFields: []string{"Description", "Title"}}},
	}
}

// replaceShape puts a picture into the place of a shape and into its box; the
// shape goes when there is none.
func (p *composer) replaceShape(made *showing, t *slideText, w *slidesWriter) {
	line := t.blocks[0].para.line
	spans := p.e.Fill(line, made.scope, false)
	for _, span := range spans {
		if span.Picture != nil {
			w.add(&slides.Request{ReplaceAllShapesWithImage: &slides.ReplaceAllShapesWithImageRequest{
				ContainsText:       &slides.SubstringMatchCriteria{Text: line.Statements()[0].Tag, MatchCase: true},
				ImageUrl:           p.sent.described(span.Picture),
				ImageReplaceMethod: "CENTER_INSIDE",
				PageObjectIds:      []string{made.id},
			}})
			return
		}
	}
	w.add(deleteObject(w.object))
}

// arrange moves slides from the order in which they were made into that in which they
// are shown. Neighbours that stand in their order move together.
func arrange(have []string, shown []*showing, requests *[]*slides.Request) {
	for i := 0; i < len(shown); i++ {
		if have[i] == shown[i].id {
			continue
		}
		var moved []string
		last := -1
		for j := i; j < len(shown); j++ {
			at := slices.Index(have, shown[j].id)
			if at <= last {
				break
			}
			moved, last = append(moved, shown[j].id), at
		}
		*requests = append(*requests, &slides.Request{UpdateSlidesPosition: &slides.UpdateSlidesPositionRequest{
			SlideObjectIds: moved, InsertionIndex: int64(i), ForceSendFields: []string{"InsertionIndex"},
		}})
		have = slices.DeleteFunc(have, func(id string) bool { return slices.Contains(moved, id) })
		have = slices.Insert(have, i, moved...)
	}
}

func deleteObject(id string) *slides.Request {
	return &slides.Request{DeleteObject: &slides.DeleteObjectRequest{ObjectId: id}}
}
