package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/google/walk"
	"github.com/platenhq/platen/internal/template/fill"
	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// Read takes apart a template that a drive showed.
func Read(source fill.Template) *Template {
	t := &Template{source: source}
	source.Show(t.readDocument, t.readPresentation)
	return t
}

// readDocument says in which tab a place is where there are several.
func (t *Template) readDocument(d *docsapi.Document) {
	tabs := walk.Tabs(d)
	t.tabs = len(tabs)
	for _, tab := range tabs {
		name := ""
		if tab.TabProperties != nil && (len(d.Tabs) > 1 || len(tabs) > 1) {
			name = fmt.Sprintf("tab %q, ", tab.TabProperties.Title)
		}
		t.readTab(name, tab.DocumentTab)
	}
}

func (t *Template) readTab(name string, tab *docsapi.DocumentTab) {
	t.reading = reading{objects: tab.InlineObjects, floating: tab.PositionedObjects}
	for _, s := range walk.Stories(tab) {
		if kind, isFilled, ok := fill.ReadAside(s.ID); ok {
			t.readAside(name+kind, isFilled, textOf(s))
			continue
		}
		if t.reading.stays = ""; s.Kind == walk.Unreferenced {
			t.reading.stays = notInFrames
		}
		t.begin()
		s.Visit(func(n walk.Node) {
			where := name + n.Place()
			t.readSuggestions(where, n.Parts)
			if n.Paragraph != nil {
				t.readParagraph(where, n.Paragraph)
			}
			if n.TableOfContents != nil {
				t.lose("contents_lost", where, contentsLost)
			}
		})
		if style := tab.DocumentStyle; s.Kind == walk.Body && style != nil && style.DocumentFormat != nil && style.DocumentFormat.DocumentMode == "PAGELESS" {
			t.lose("pageless", strings.TrimSuffix(name, ", "), pageless)
		}
	}
}

// readAside reads a text that stands beside the stories. The code of a field without tags
// is one of another system.
func (t *Template) readAside(where string, isFilled bool, text string) {
	t.begin()
	if isFilled || !strings.Contains(text, "{{") {
		t.add(where, text)
		return
	}
	t.addParagraph(where, "", leave(where, notBeside, text))
}

func textOf(s walk.Story) string {
	text := ""
	s.Visit(func(n walk.Node) {
		for _, part := range n.Parts {
			if e, ok := part.(*docsapi.ParagraphElement); ok && e.TextRun != nil {
				text += e.TextRun.Content
			}
		}
	})
	return strings.TrimSpace(text)
}

func (t *Template) readParagraph(where string, p *docsapi.Paragraph) {
	text := ""
	var asides []aside
	for _, r := range p.Elements {
		switch {
		case r.TextRun != nil:
			text += strings.ReplaceAll(r.TextRun.Content, fill.ElementSign, "\n")
			if s := r.TextRun.TextStyle; s != nil && s.Link != nil {
				asides = t.addLink(asides, where, s.Link.Url)
			}
		case r.InlineObjectElement != nil:
			tag := ""
			if o := t.reading.objects[r.InlineObjectElement.InlineObjectId].InlineObjectProperties; o != nil && o.EmbeddedObject != nil {
				if tag = cmp.Or(t.readChart(where, o.EmbeddedObject), tagOfPicture(o.EmbeddedObject.Description, o.EmbeddedObject.Title)); tag == "" {
					asides = append(asides, t.readPicture(where, o.EmbeddedObject)...)
				}
			}
			text += "\n" + tag + "\n"
		default:
			asides = append(asides, readChip(where, r)...)
			text += "\n"
		}
	}
	for _, id := range p.PositionedObjectIds {
		if o := t.reading.floating[id].PositionedObjectProperties; o != nil && o.EmbeddedObject != nil {
			if tag := t.readChart(where, o.EmbeddedObject); tag != "" {
				text += "\n" + tag + "\n"
				continue
			}
			asides = append(asides, t.readPicture(where, o.EmbeddedObject)...)
		}
	}
	t.addParagraph(where, text, asides)
}

// addLink adds the address of a link if it has braces, once for all its runs.
func (t *Template) addLink(asides []aside, where, address string) []aside {
	text, ok := readTarget(address)
	if n := len(asides); !ok || n > 0 && asides[n-1].text == text {
		return asides
	}
	return append(asides, aside{where: where + ", address of a link", text: text, stays: t.reading.stays})
}

// readPicture reads what is written of a picture that nothing replaces.
func (t *Template) readPicture(where string, o *docsapi.EmbeddedObject) []aside {
	if p := o.ImageProperties; p != nil {
		t.loseLinked(where, p.ContentUri, p.SourceUri)
	}
	return describe(where, o.Description, o.Title)
}

// readChart returns the tag of a chart, and notes that nothing fills one that is a
// picture or linked to a sheet.
func (t *Template) readChart(where string, o *docsapi.EmbeddedObject) string {
	tag := fill.ChartTag(o.Description, o.Title)
	if o.ImageProperties == nil && o.LinkedContentReference == nil && o.EmbeddedDrawingProperties == nil && strings.Contains(o.Title, "{{") && fill.ChartTag(o.Title) == "" && tagOfPicture(o.Title) == "" {
		t.add(where+", title of a chart", o.Title)
	}
	if tag != "" && (o.ImageProperties != nil || o.LinkedContentReference != nil || o.EmbeddedDrawingProperties != nil) {
		t.lose(fill.CodeChartNotFilled, where, fill.ChartNotFilledMessage)
	}
	return tag
}

func tagOfPicture(texts ...string) string {
	for _, text := range texts {
		text = strings.TrimSpace(text)
		tags := syntax.Parse(text)
		if len(tags) != 1 || tags[0].Text != text {
			continue
		}
		if word, _, _ := strings.Cut(strings.ToLower(tags[0].Name), " "); word == "image" || syntax.IsSymbology(word) {
			return text
		}
	}
	return ""
}

// readPresentation reads slides, notes, layouts and masters. A block may reach
// over slides and their notes, so all of them are one story.
func (t *Template) readPresentation(p *slidesapi.Presentation) {
	fitting := autofits(p)
	t.begin()
	for i, s := range p.Slides {
		t.reading = reading{replaced: true, autofits: fitting}
		begin, rest, end := partBlocks(s.PageElements)
		t.readShapes(fmt.Sprintf("slide %d", i+1), slices.Concat(begin, rest))
		if s.SlideProperties != nil && s.SlideProperties.NotesPage != nil {
			t.reading.replaced = false
			t.readShapes(fmt.Sprintf("notes of slide %d", i+1), s.SlideProperties.NotesPage.PageElements)
		}
		t.readShapes(fmt.Sprintf("slide %d", i+1), end)
	}
	t.reading = reading{stays: notInFrames, autofits: fitting}
	for _, page := range p.Layouts {
		if kind, isFilled, ok := fill.ReadAsideOfSlides(page); ok {
			for _, e := range page.PageElements {
				t.readAside(kind, isFilled, strings.TrimSpace(joinText(e.Shape.Text)))
			}
			continue
		}
		t.begin()
		t.readShapes("layout"+nameLayout(page.LayoutProperties), page.PageElements)
	}
	for _, page := range p.Masters {
		t.begin()
		t.readShapes("master", page.PageElements)
	}
}

// partBlocks parts the text boxes that begin, divide and end a block over slides from
// what is on the slide: such a block holds all of it.
func partBlocks(elements []*slidesapi.PageElement) (begin, rest, end []*slidesapi.PageElement) {
	e := lang.NewEvaluator(nil, lang.Builtins{})
	for _, shape := range elements {
		text := ""
		if shape.Shape != nil {
			text = strings.TrimSpace(joinText(shape.Shape.Text))
		}
		tags := syntax.Parse(text)
		alone := len(tags) == 1 && tags[0].Text == text
		switch {
		case alone && e.Read(tags[0]).Ends():
			end = append(end, shape)
		case alone && e.Read(tags[0]).IsControl():
			begin = append(begin, shape)
		default:
			rest = append(rest, shape)
		}
	}
	return begin, rest, end
}

func joinText(text *slidesapi.TextContent) string {
	var all strings.Builder
	if text != nil {
		for _, e := range text.TextElements {
			if e.TextRun != nil {
				all.WriteString(e.TextRun.Content)
			}
		}
	}
	return all.String()
}

func nameLayout(p *slidesapi.LayoutProperties) string {
	if p == nil || p.DisplayName == "" {
		return ""
	}
	return fmt.Sprintf(" %q", p.DisplayName)
}

func (t *Template) readShapes(where string, elements []*slidesapi.PageElement) {
	for _, e := range elements {
		if e.ElementGroup != nil {
			t.readShapes(where, e.ElementGroup.Children)
		}
		if e.Shape != nil {
			t.readText(where, e.Shape.Text)
			t.loseAutofit(where, e)
		}
		if tag := fill.ChartTag(e.Description, e.Title); tag != "" && e.Shape == nil && e.ElementGroup == nil {
			t.add(where, tag)
			if e.Image == nil && e.SheetsChart == nil && strings.Contains(e.Title, "{{") && fill.ChartTag(e.Title) == "" && tagOfPicture(e.Title) == "" {
				t.add(where+", title of a chart", e.Title)
			}
			if e.Image != nil || e.SheetsChart != nil {
				t.lose(fill.CodeChartNotFilled, where, fill.ChartNotFilledMessage)
			}
			continue
		}
		if e.Image != nil {
			tag := tagOfPicture(e.Description, e.Title)
			if tag != "" && t.reading.replaced {
				t.add(where, tag)
			} else {
				t.loseLinked(where, e.Image.ContentUrl, e.Image.SourceUrl)
				t.addParagraph(where, "", describe(where, e.Description, e.Title))
			}
		}
		if e.Table == nil {
			continue
		}
		for i, r := range e.Table.TableRows {
			for j, c := range r.TableCells {
				t.readText(fmt.Sprintf("%s, row %d, cell %d", where, i+1, j+1), c.Text)
			}
		}
	}
}

func (t *Template) readText(where string, text *slidesapi.TextContent) {
	if text == nil {
		return
	}
	all := ""
	var asides []aside
	for _, e := range text.TextElements {
		switch {
		case e.ParagraphMarker != nil:
			t.addParagraph(where, all, asides)
			all, asides = "", nil
		case e.TextRun != nil:
			all += e.TextRun.Content
			if s := e.TextRun.Style; s != nil && s.Link != nil {
				asides = t.addLink(asides, where, s.Link.Url)
			}
		case e.AutoText != nil:
			all += "\n"
		}
	}
	t.addParagraph(where, all, asides)
}

func (t *Template) begin() { t.stories = append(t.stories, story{}) }

// addParagraph adds a text with what stands beside it.
func (t *Template) addParagraph(where, text string, asides []aside) {
	s := &t.stories[len(t.stories)-1]
	first := len(s.passages)
	t.add(where, text)
	last := max(first, len(s.passages)-1)
	for _, a := range asides {
		a.first, a.passage = first, last
		s.asides = append(s.asides, a)
	}
}

// add takes a text apart where no tag can go on.
func (t *Template) add(where, text string) {
	last := &t.stories[len(t.stories)-1]
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" {
			last.passages = append(last.passages, passage{where, line})
		}
	}
}
