package google

import (
	"slices"
	"strings"

	docsapi "google.golang.org/api/docs/v1"
	slidesapi "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/google/walk"
)

// What platen.ReadTexts needs of an answer. Places are asked for so that what is
// no text keeps its own between texts. What may be empty comes whole, for a
// selection of nothing may be left out: the beginnings of paragraphs, and
// bullets. Tables in tables and the pages' groups come whole from some depth on,
// for selections cannot repeat themselves. Headers, footers and footnotes come
// whole too, for their keys differ from file to file. Suggestions are asked for of
// everything that can be suggested: a run fails with them.
const (
	suggestionFields = "suggestedInsertionIds,suggestedDeletionIds"
	elementFields    = "elements(startIndex,endIndex,textRun(content,textStyle(link)," + suggestionFields + ")," +
		"inlineObjectElement(inlineObjectId," + suggestionFields + "),footnoteReference(footnoteId," + suggestionFields + ")," +
		"autoText(" + suggestionFields + "),columnBreak(" + suggestionFields + "),dateElement(" + suggestionFields + ")," +
		"dropdown(" + suggestionFields + "),equation(" + suggestionFields + "),horizontalRule(" + suggestionFields + ")," +
		"pageBreak(" + suggestionFields + "),person(" + suggestionFields + "),richLink(" + suggestionFields + "))"
	paragraphFields = "startIndex,endIndex,paragraph(bullet,positionedObjectIds,suggestedPositionedObjectIds," + elementFields + ")," +
		"sectionBreak(" + suggestionFields + "),tableOfContents(" + suggestionFields + ")"
	contentFields = "content(" + paragraphFields + ",table(" + suggestionFields + ",tableRows(" + suggestionFields +
		",tableCells(" + suggestionFields + ",content(" + paragraphFields + ",table)))))"
	segmentFields  = "body(" + contentFields + "),headers,footers,footnotes,inlineObjects,positionedObjects"
	documentFields = "revisionId,tabs(documentTab(" + segmentFields + "),childTabs)," + segmentFields

	slideTextFields    = "text(textElements(startIndex,endIndex,paragraphMarker,textRun(content,style(link)),autoText))"
	pageElementFields  = "pageElements(objectId,title,description,image,sheetsChart,shape(" + slideTextFields + "),table(tableRows(tableCells(" + slideTextFields + "))),elementGroup)"
	otherPageFields    = "(objectId," + pageElementFields + ")"
	presentationFields = "revisionId,slides(objectId," + pageElementFields + ",slideProperties(layoutObjectId,masterObjectId,notesPage(" + pageElementFields + ")))" +
		",layouts" + otherPageFields + ",masters" + otherPageFields
)

// shownInDocument reads every paragraph that text can be replaced in, those of headers,
// footers, footnotes and tables included. Something that is no text (a picture, a page
// number, a smart chip) begins a new passage, for no replacement reaches across it.
func shownInDocument(document *docsapi.Document) []string {
	var p passages
	for _, tab := range walk.Tabs(document) {
		for _, s := range walk.Stories(tab.DocumentTab) {
			s.Visit(func(n walk.Node) {
				for _, part := range n.Parts {
					if e, ok := part.(*docsapi.ParagraphElement); ok && e.TextRun != nil {
						p.text(e.TextRun.Content)
					} else {
						p.end()
					}
				}
			})
			p.end()
		}
	}
	return p.all
}

// shownInPresentation does the same for what shows of a presentation: the
// slides with their groups and tables, and the layouts and masters that slides
// use. Speaker notes are not within reach of every drive's replacement, and show
// in no PDF.
func shownInPresentation(presentation *slidesapi.Presentation) []string {
	var p passages
	used := map[string]bool{}
	for _, slide := range presentation.Slides {
		p.elements(slide.PageElements)
		if slide.SlideProperties != nil {
			used[slide.SlideProperties.LayoutObjectId] = true
			used[slide.SlideProperties.MasterObjectId] = true
		}
	}
	for _, page := range slices.Concat(presentation.Layouts, presentation.Masters) {
		if used[page.ObjectId] {
			p.elements(page.PageElements)
		}
	}
	return p.all
}

// passages collects texts in reading order.
type passages struct {
	all     []string
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

func (p *passages) elements(elements []*slidesapi.PageElement) {
	for _, element := range elements {
		if element.ElementGroup != nil {
			p.elements(element.ElementGroup.Children)
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
		default: // the start of a paragraph, or a number that the program writes
			p.end()
		}
	}
	p.end()
}
