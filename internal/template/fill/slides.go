package fill

import (
	"strings"

	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/template/lang"
)

// ComposePresentation returns the requests that fill a presentation as the
// Slides API shows it. The nonce is a text of letters and digits that stands
// nowhere else, new for each call. The error is that of FindingsError.
func ComposePresentation(d *slides.Presentation, e *lang.Evaluator, nonce string) ([]*slides.Request, error) {
	p := newComposer(e, nonce)
	p.noPictures = "On a slide a picture takes the place of a shape: the tag must be all of the shape's text."
	var pages []*page
	for _, s := range d.Slides {
		pages = append(pages, p.readPage(s))
	}
	var requests []*slides.Request
	p.editPages(pages, p.nestPages(pages), &requests)
	for _, other := range append(append([]*slides.Page{}, d.Layouts...), d.Masters...) {
		for _, t := range findTexts(other.PageElements, nil) {
			for _, b := range t.blocks {
				p.keepBox(b.para.text)
			}
		}
	}
	for _, r := range p.replacements() {
		requests = append(requests, &slides.Request{ReplaceAllText: &slides.ReplaceAllTextRequest{
			ContainsText: &slides.SubstringMatchCriteria{Text: r.find, MatchCase: true},
			ReplaceText:  r.replace,
		}})
	}
	return requests, p.check(len(requests))
}

// page is a slide with its texts, its speaker notes' at the end.
type page struct {
	id    string
	texts []*slideText
	// pictures by their objects, with the tags of those that take their places.
	pictures []slidePicture
	keep     bool
}

type slidePicture struct {
	object    string
	statement *lang.Statement
}

// slideText is the text of a shape, or a table.
type slideText struct {
	object string
	blocks []*block
	table  *table
	story  *story
	// alone says that the shape holds a tag of a block over slides, and goes.
	alone bool
	// pictured says that the shape holds the tag of a picture, which takes its
	// place.
	pictured bool
}

func (p *composer) readPage(s *slides.Page) *page {
	out := &page{id: s.ObjectId, texts: findTexts(s.PageElements, nil)}
	onSlide := len(out.texts)
	out.pictures = p.findPictures(s.PageElements, nil)
	if s.SlideProperties != nil && s.SlideProperties.NotesPage != nil {
		out.texts = findTexts(s.SlideProperties.NotesPage.PageElements, out.texts)
	}
	for i, t := range out.texts {
		if t.table == nil {
			t.story = p.readStory(t.blocks)
			t.pictured = i < onSlide && holdsPicture(t.blocks)
		}
	}
	return out
}

// findPictures finds the pictures that say which picture takes their place.
func (p *composer) findPictures(elements []*slides.PageElement, into []slidePicture) []slidePicture {
	for _, e := range elements {
		switch {
		case e.ElementGroup != nil:
			into = p.findPictures(e.ElementGroup.Children, into)
		case e.Image != nil:
			if s, ok := p.findPictureTag(e.Description, e.Title); ok {
				into = append(into, slidePicture{e.ObjectId, s})
			}
		}
	}
	return into
}

// holdsPicture tells of a text that is the tag of a picture and nothing else.
func holdsPicture(blocks []*block) bool {
	if len(blocks) != 1 || blocks[0].para.objects {
		return false
	}
	shown := blocks[0].para.line.Statements()
	return len(shown) == 1 && (shown[0].Kind == lang.Image || shown[0].Kind == lang.Code) &&
		strings.TrimSpace(blocks[0].para.text) == shown[0].Tag
}

// findTexts finds the texts of objects, from the back of the page to the front.
func findTexts(elements []*slides.PageElement, into []*slideText) []*slideText {
	for _, e := range elements {
		switch {
		case e.ElementGroup != nil:
			into = findTexts(e.ElementGroup.Children, into)
		case e.Shape != nil && e.Shape.Text != nil:
			into = append(into, &slideText{object: e.ObjectId, blocks: readSlideText(e.Shape.Text)})
		case e.Table != nil:
			into = append(into, &slideText{object: e.ObjectId, table: readSlideTable(e.Table)})
		}
	}
	return into
}

// readSlideText brings the text of a shape or cell into the composer's form.
func readSlideText(text *slides.TextContent) []*block {
	if text == nil {
		return nil
	}
	var blocks []*block
	for _, e := range text.TextElements {
		if e.ParagraphMarker != nil {
			p := &para{start: e.StartIndex, end: e.EndIndex, style: newStyle(e.ParagraphMarker.Style)}
			if b := e.ParagraphMarker.Bullet; b != nil {
				p.entry = entry{list: b.ListId, level: b.NestingLevel, preset: slidesPreset(b.Glyph)}
			}
			blocks = append(blocks, &block{start: e.StartIndex, end: e.EndIndex, para: p})
			continue
		}
		if len(blocks) == 0 {
			continue
		}
		p := blocks[len(blocks)-1].para
		switch {
		case e.TextRun != nil:
			p.addText(strings.TrimSuffix(e.TextRun.Content, "\n"), newStyle(e.TextRun.Style))
		default:
			p.addObject(e.EndIndex - e.StartIndex)
		}
	}
	return blocks
}

func readSlideTable(t *slides.Table) *table {
	out := &table{}
	for _, tr := range t.TableRows {
		r := &row{}
		for j, tc := range tr.TableCells {
			c := &cell{blocks: readSlideText(tc.Text), column: int64(j), span: max(tc.ColumnSpan, 1), rows: max(tc.RowSpan, 1), properties: tc.TableCellProperties}
			if tc.Location != nil {
				c.column = tc.Location.ColumnIndex
			}
			r.cells = append(r.cells, c)
		}
		out.rows = append(out.rows, r)
	}
	out.cover()
	return out
}

// nestPages finds the blocks that span slides: they open in a text box of their
// own on the first, and end in one on the last.
func (p *composer) nestPages(pages []*page) []nest {
	n := newNester()
	var loose []*lang.Statement
	for i, s := range pages {
		var ends []*lang.Statement
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

// editPages decides which slides stay and fills them, from the last to the
// first.
func (p *composer) editPages(pages []*page, nests []nest, requests *[]*slides.Request) {
	p.keepPages(pages, nests)
	kept := 0
	for _, s := range pages {
		if s.keep {
			kept++
		}
	}
	if kept == 0 && len(pages) > 0 {
		p.e.Report(lang.Finding{Code: "no_slides", Message: "The conditions leave no slide of the presentation."})
		return
	}
	for i := len(pages) - 1; i >= 0; i-- {
		s := pages[i]
		if !s.keep {
			*requests = append(*requests, deleteObject(s.id))
			continue
		}
		for _, picture := range s.pictures {
			*requests = append(*requests, p.replaceImage(picture))
		}
		for _, t := range s.texts {
			if t.alone {
				*requests = append(*requests, deleteObject(t.object))
				continue
			}
			w := &slidesWriter{object: t.object, requests: requests}
			if t.pictured {
				p.replaceShape(s, t, w)
				continue
			}
			if t.table != nil {
				p.editTable(t.table, nil, w)
			} else {
				p.editStory(t.story, nil, w)
			}
		}
	}
}

// replaceImage puts a picture into the place and box of another, which goes
// when there is none.
func (p *composer) replaceImage(picture slidePicture) *slides.Request {
	placed := p.e.Picture(picture.statement, nil)
	if placed == nil {
		return deleteObject(picture.object)
	}
	return &slides.Request{ReplaceImage: &slides.ReplaceImageRequest{ImageObjectId: picture.object, Url: p.sent.uri(placed.Obtained), ImageReplaceMethod: "CENTER_INSIDE"}}
}

// replaceShape puts a picture into the place of a shape and into its box; the
// shape goes when there is none.
func (p *composer) replaceShape(s *page, t *slideText, w *slidesWriter) {
	line := t.blocks[0].para.line
	spans := p.e.Fill(line, nil, false)
	for _, span := range spans {
		if span.Picture != nil {
			w.add(&slides.Request{ReplaceAllShapesWithImage: &slides.ReplaceAllShapesWithImageRequest{
				ContainsText:       &slides.SubstringMatchCriteria{Text: line.Statements()[0].Tag, MatchCase: true},
				ImageUrl:           p.sent.uri(span.Picture.Obtained),
				ImageReplaceMethod: "CENTER_INSIDE",
				PageObjectIds:      []string{s.id},
			}})
			return
		}
	}
	w.add(deleteObject(t.object))
}

func (p *composer) keepPages(pages []*page, nests []nest) {
	for _, n := range nests {
		switch {
		case n.control == nil:
			pages[n.leaf].keep = true
		case n.control.Kind == lang.If:
			if b := p.choose(n, nil); b != nil {
				p.keepPages(pages, b.nests)
			}
		default:
			p.e.Report(lang.Finding{Code: "each_over_slides", Tag: n.control.Tag, Message: "Slides cannot be repeated: " + n.control.Tag + " and {{/each}} stand in the same text or table."})
		}
	}
}

func deleteObject(id string) *slides.Request {
	return &slides.Request{DeleteObject: &slides.DeleteObjectRequest{ObjectId: id}}
}
