// Package accessible finds what keeps the PDF of a template from being read aloud as it is
// meant. Its author alone can cure that, by a description, a level or a header row.
//
// It looks at what the Docs and the Slides API show. What tags a PDF has, and whether a
// document fails by what is found here, belongs to others.
package accessible

import (
	"fmt"
	"strings"

	"google.golang.org/api/docs/v1"
	"google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/google/walk"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// The codes of barriers.
const (
	CodePicture = "picture_without_text"
	CodeHeading = "heading_level_skipped"
	CodeTable   = "table_without_header"
)

const (
	pictureSilent = "A picture has no alternative text, and a screen reader says nothing of it. Write one: Edit Alt Text in Word and PowerPoint, Alt text in Google's editors."
	pictureOfData = "A picture that a tag brings has no alternative text, and a screen reader says nothing of it. Put the picture into the template with an alternative text, or leave the tag out."
	headerMissing = "The table repeats rows and has no header row, so a screen reader does not say what its columns are. Mark its first row as one: Repeat Header Rows in Word, Pin header row in Google Docs."
)

// A Barrier keeps a screen reader from reading a part of a PDF as it is meant.
type Barrier struct {
	Code    string
	Where   string // "paragraph 3", "slide 2"
	Tag     string // that brings the picture; empty: none
	Message string // what is wrong, and the cure
}

// InDocument finds the barriers of a text document, in reading order. Headers and footers are
// not read aloud.
func InDocument(d *docs.Document) []Barrier {
	var all []Barrier
	tabs := walk.Tabs(d)
	for _, tab := range tabs {
		name := ""
		if tab.TabProperties != nil && (len(d.Tabs) > 1 || len(tabs) > 1) {
			name = fmt.Sprintf("tab %q, ", tab.TabProperties.Title)
		}
		for _, s := range walk.Stories(tab.DocumentTab) {
			if s.Kind == walk.Header || s.Kind == walk.Footer {
				continue
			}
			level := 0
			s.Visit(func(n walk.Node) {
				add := func(code, tag, message string) {
					all = append(all, Barrier{code, name + n.Place(), tag, message})
				}
				for _, part := range n.Parts {
					switch part := part.(type) {
					case *docs.StructuralElement:
						if part.Table != nil && repeats(part.Table) && !isHeader(part.Table.TableRows[0]) {
							add(CodeTable, "", headerMissing)
						}
					case *docs.ParagraphElement:
						if part.InlineObjectElement == nil {
							continue
						}
						if o := tab.DocumentTab.InlineObjects[part.InlineObjectElement.InlineObjectId].InlineObjectProperties; o != nil {
							addObject(add, o.EmbeddedObject)
						}
					case *docs.PositionedObject:
						if part.PositionedObjectProperties != nil {
							addObject(add, part.PositionedObjectProperties.EmbeddedObject)
						}
					}
				}
				if n.Paragraph == nil {
					return
				}
				text := textOf(n.Paragraph)
				addTags(add, text)
				if s.Kind != walk.Body || strings.TrimSpace(text) == "" {
					return
				}
				if of := levelOf(n.Paragraph); of > 0 {
					if of > level+1 {
						add(CodeHeading, "", skipped(level, of))
					}
					level = of
				}
			})
		}
	}
	return all
}

func skipped(before, level int) string {
	if before == 0 {
		return fmt.Sprintf("The first heading is of level %d. Begin with Heading 1.", level)
	}
	return fmt.Sprintf("A heading of level %d follows one of level %d. Give it the style Heading %d, or put the heading between them that is missing.", level, before, before+1)
}

// levelOf is the level of a heading, from 1 on; 0: the paragraph is none.
func levelOf(p *docs.Paragraph) int {
	level := 0
	if p.ParagraphStyle != nil {
		_, _ = fmt.Sscanf(p.ParagraphStyle.NamedStyleType, "HEADING_%d", &level)
	}
	return level
}

func textOf(p *docs.Paragraph) string {
	text := ""
	for _, e := range p.Elements {
		if e.TextRun != nil {
			text += e.TextRun.Content
		}
	}
	return text
}

// repeats tells of a table of data: a block repeats rows of it.
func repeats(t *docs.Table) bool {
	if t.Columns < 2 {
		return false
	}
	for _, row := range t.TableRows {
		for _, cell := range row.TableCells {
			for _, e := range cell.Content {
				if e.Paragraph == nil {
					continue
				}
				for _, tag := range syntax.Parse(textOf(e.Paragraph)) {
					if strings.HasPrefix(tag.Name, "#each ") {
						return true
					}
				}
			}
		}
	}
	return false
}

func isHeader(r *docs.TableRow) bool { return r.TableRowStyle != nil && r.TableRowStyle.TableHeader }

// addObject judges what is in a document beside its text. Of drawings it is not known whether
// they have a text of their own, and a chart with a tag gets a description of its values.
func addObject(add func(code, tag, message string), o *docs.EmbeddedObject) {
	if o == nil || o.EmbeddedDrawingProperties != nil {
		return
	}
	if tag := pictureTag(o.Description, o.Title); tag != "" {
		add(CodePicture, tag, pictureOfData)
		return
	}
	if o.ImageProperties != nil && isBlank(o.Description, o.Title) {
		add(CodePicture, "", pictureSilent)
	}
}

func isBlank(description, title string) bool { return strings.TrimSpace(description+title) == "" }

// addTags judges the pictures and codes that the tags of a text bring.
func addTags(add func(code, tag, message string), text string) {
	for _, tag := range syntax.Parse(text) {
		if bringsPicture(tag) {
			add(CodePicture, tag.Text, pictureOfData)
		}
	}
}

// pictureTag is the tag that is a description as a whole, and brings a picture.
func pictureTag(texts ...string) string {
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if tags := syntax.Parse(text); len(tags) == 1 && tags[0].Text == text && bringsPicture(tags[0]) {
			return text
		}
	}
	return ""
}

func bringsPicture(tag syntax.Tag) bool {
	word, _, _ := strings.Cut(strings.ToLower(tag.Name), " ")
	return word == "image" || syntax.IsSymbology(word)
}

// InPresentation finds the barriers of slides, in their order.
func InPresentation(p *slides.Presentation) []Barrier {
	var all []Barrier
	for i, s := range p.Slides {
		where := fmt.Sprintf("slide %d", i+1)
		addShapes(func(code, tag, message string) { all = append(all, Barrier{code, where, tag, message}) }, s.PageElements)
	}
	return all
}

func addShapes(add func(code, tag, message string), elements []*slides.PageElement) {
	for _, e := range elements {
		switch silent := isBlank(e.Description, e.Title); {
		case e.ElementGroup != nil && silent: // else its description says what all of it shows
			addShapes(add, e.ElementGroup.Children)
		case e.Shape != nil:
			addTags(add, joinText(e.Shape.Text))
		case e.Table != nil:
			for _, row := range e.Table.TableRows {
				for _, cell := range row.TableCells {
					addTags(add, joinText(cell.Text))
				}
			}
		case e.Image != nil || e.SheetsChart != nil || e.Video != nil:
			if tag := pictureTag(e.Description, e.Title); tag != "" {
				add(CodePicture, tag, pictureOfData)
			} else if silent {
				add(CodePicture, "", pictureSilent)
			}
		}
	}
}

func joinText(text *slides.TextContent) string {
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
