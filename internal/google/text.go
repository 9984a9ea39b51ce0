package google

import (
	"context"
	"maps"
	"slices"
	"strings"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen"
)

// What Text needs of an answer. Indexes are asked for so that what is no text
// keeps its place between texts. Tables in tables and the pages' groups come
// whole from some depth on, for selections cannot repeat themselves; so do
// headers, footers and footnotes, whose keys differ from file to file.
const (
	paragraphFields = "paragraph(elements(endIndex,textRun(content,textStyle(link))))"
	contentFields   = "content(" + paragraphFields + ",table(tableRows(tableCells(content(" + paragraphFields + ",table)))))"
	segmentFields   = "body(" + contentFields + "),headers,footers,footnotes,inlineObjects"
	documentFields  = "revisionId,tabs(documentTab(" + segmentFields + "),childTabs)," + segmentFields

	slideTextFields    = "text(textElements(endIndex,textRun(content,style(link))))"
	pageElementFields  = "pageElements(title,description,image(contentUrl),shape(" + slideTextFields + "),table(tableRows(tableCells(" + slideTextFields + "))),elementGroup)"
	otherPageFields    = "(objectId," + pageElementFields + ")"
	presentationFields = "revisionId,slides(" + pageElementFields + ",slideProperties(layoutObjectId,masterObjectId,notesPage(" + pageElementFields + ")))" +
		",layouts" + otherPageFields + ",masters" + otherPageFields
)

// Text reads every paragraph of a Docs or Slides file that text can be
// replaced in: of documents every tab with its headers, body, footers and
// footnotes, tables included; of presentations every slide with its groups,
// tables and speaker notes, then the layouts and masters. The descriptions of
// pictures that ask for another picture are passages, too. Where something that
// is no text stands in a paragraph (a picture, a page number, a smart chip), a
// new passage begins, for no replacement reaches across it.
func (c *Client) Text(ctx context.Context, fileID, mimeType string) (platen.Text, error) {
	var p passages
	if mimeType == platen.MIMESlides {
		presentation, err := c.slides.Presentations.Get(fileID).Fields(presentationFields).Context(ctx).Do()
		if err != nil {
			return platen.Text{}, classify("read the presentation", err)
		}
		p.presentation(presentation)
		return platen.Text{Revision: presentation.RevisionId, Passages: p.all, Targets: p.targets}, nil
	}
	document, err := c.docs.Documents.Get(fileID).IncludeTabsContent(true).Fields(documentFields).Context(ctx).Do()
	if err != nil {
		return platen.Text{}, classify("read the document", err)
	}
	p.document(document)
	return platen.Text{Revision: document.RevisionId, Passages: p.all, Targets: p.targets}, nil
}

// passages collects texts in reading order.
type passages struct {
	all     []string
	targets []string
	current strings.Builder
}

func (p *passages) text(s string) {
	for {
		line, rest, found := strings.Cut(s, "\n")
		p.current.WriteString(line)
		if !found {
			return
		}
		p.end()
		s = rest
	}
}

func (p *passages) end() {
	if p.current.Len() > 0 {
		p.all = append(p.all, p.current.String())
		p.current.Reset()
	}
}

func (p *passages) document(d *docsapi.Document) {
	if len(d.Tabs) > 0 {
		p.tabs(d.Tabs)
		return
	}
	// A server that does not know tabs answers in the older form.
	p.tabs([]*docsapi.Tab{{DocumentTab: &docsapi.DocumentTab{
		Body: d.Body, Headers: d.Headers, Footers: d.Footers, Footnotes: d.Footnotes, InlineObjects: d.InlineObjects,
	}}})
}

func (p *passages) tabs(tabs []*docsapi.Tab) {
	for _, tab := range tabs {
		if t := tab.DocumentTab; t != nil {
			for _, id := range slices.Sorted(maps.Keys(t.Headers)) {
				p.content(t.Headers[id].Content)
			}
			if t.Body != nil {
				p.content(t.Body.Content)
			}
			for _, id := range slices.Sorted(maps.Keys(t.Footers)) {
				p.content(t.Footers[id].Content)
			}
			for _, id := range slices.Sorted(maps.Keys(t.Footnotes)) {
				p.content(t.Footnotes[id].Content)
			}
			for _, id := range slices.Sorted(maps.Keys(t.InlineObjects)) {
				if o := t.InlineObjects[id].InlineObjectProperties; o != nil && o.EmbeddedObject != nil {
					p.picture(o.EmbeddedObject.Description, o.EmbeddedObject.Title)
				}
			}
		}
		p.tabs(tab.ChildTabs)
	}
}

// target adds the address of a link that may have tags, whose braces are
// escaped where a program took care of them.
func (p *passages) target(address string) {
	if strings.Contains(address, "{{") || strings.Contains(strings.ToUpper(address), "%7B%7B") {
		p.targets = append(p.targets, address)
	}
}

// picture adds what a picture says of itself if it is the tag of another one.
func (p *passages) picture(texts ...string) {
	for _, text := range texts {
		text = strings.TrimSpace(text)
		word, tagged := strings.CutPrefix(text, "{{")
		word, _, _ = strings.Cut(strings.TrimSpace(word), " ")
		if tagged && strings.HasSuffix(text, "}}") && (strings.EqualFold(word, "image") || strings.EqualFold(word, "qr")) {
			p.all = append(p.all, text)
			return
		}
	}
}

// content leaves tables of contents out: they repeat headings and are made
// anew from them.
func (p *passages) content(elements []*docsapi.StructuralElement) {
	for _, element := range elements {
		if element.Paragraph != nil {
			for _, e := range element.Paragraph.Elements {
				if e.TextRun != nil {
					p.text(e.TextRun.Content)
					if s := e.TextRun.TextStyle; s != nil && s.Link != nil {
						p.target(s.Link.Url)
					}
				} else {
					p.end()
				}
			}
			p.end()
		}
		if element.Table == nil {
			continue
		}
		for _, row := range element.Table.TableRows {
			for _, cell := range row.TableCells {
				p.content(cell.Content)
			}
		}
	}
}

func (p *passages) presentation(presentation *slidesapi.Presentation) {
	for _, slide := range presentation.Slides {
		p.page(slide)
		if slide.SlideProperties != nil && slide.SlideProperties.NotesPage != nil {
			p.page(slide.SlideProperties.NotesPage)
		}
	}
	for _, page := range presentation.Layouts {
		p.page(page)
	}
	for _, page := range presentation.Masters {
		p.page(page)
	}
}

func (p *passages) page(page *slidesapi.Page) {
	p.elements(page.PageElements)
}

func (p *passages) elements(elements []*slidesapi.PageElement) {
	for _, element := range elements {
		if element.ElementGroup != nil {
			p.elements(element.ElementGroup.Children)
		}
		if element.Image != nil {
			p.picture(element.Description, element.Title)
		}
		if element.Shape != nil {
			p.shapeText(element.Shape.Text)
		}
		if element.Table == nil {
			continue
		}
		for _, row := range element.Table.TableRows {
			for _, cell := range row.TableCells {
				p.shapeText(cell.Text)
			}
		}
	}
}

func (p *passages) shapeText(text *slidesapi.TextContent) {
	if text == nil {
		return
	}
	for _, element := range text.TextElements {
		switch {
		case element.TextRun != nil:
			p.text(element.TextRun.Content)
			if s := element.TextRun.Style; s != nil && s.Link != nil {
				p.target(s.Link.Url)
			}
		default: // the start of a paragraph, or a number that the program writes
			p.end()
		}
	}
	p.end()
}
