package fill

import (
	"strings"

	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// ComposePresentation returns the requests that fill a presentation as the
// Slides API shows it. The nonce is a text of letters and digits that stands
// nowhere else, new for each call. The error is that of FindingsError.
func ComposePresentation(d *slides.Presentation, e *lang.Evaluator, nonce string) ([]*slides.Request, error) {
	p := newComposer(e, nonce)
	p.noPictures = "On a slide a picture takes the place of a shape: the tag must be all of the shape's text."
	p.isFlat, p.isSlides = true, true
	var pages []*page
	for _, s := range d.Slides {
		pages = append(pages, p.readPage(s))
	}
	p.taken = idsOf(d)
	var requests []*slides.Request
	p.editPages(pages, p.nestPages(pages), &requests)
	for _, other := range append(append([]*slides.Page{}, d.Layouts...), d.Masters...) {
		if _, isFilled, ok := ReadAsideOfSlides(other); ok && !isFilled {
			continue
		}
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
	charts   []chart
	titles   []string   // of charts, where they have tags
	showings []*showing // in their order
}

type slidePicture struct {
	object    string
	statement *syntax.Statement
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
	isNotes  bool // it stands in the speaker notes
}

func (p *composer) readPage(s *slides.Page) *page {
	out := &page{id: s.ObjectId, texts: findTexts(s.PageElements, nil)}
	onSlide := len(out.texts)
	out.pictures = p.findPictures(s.PageElements, nil)
	out.charts, out.titles = p.findCharts(s.PageElements, nil), findTitles(s.PageElements, nil)
	if s.SlideProperties != nil && s.SlideProperties.NotesPage != nil {
		out.texts = findTexts(s.SlideProperties.NotesPage.PageElements, out.texts)
	}
	for i, t := range out.texts {
		t.isNotes = i >= onSlide
		if t.table == nil {
			t.story = p.readStory(t.blocks)
			t.pictured = !t.isNotes && holdsPicture(t.blocks)
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
	return len(shown) == 1 && (shown[0].Kind == syntax.Image || shown[0].Kind == syntax.Code) &&
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
