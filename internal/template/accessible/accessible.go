// Package accessible finds what keeps the PDF of a template from being read aloud as it is
// meant. Its author alone can cure that, by a description, a level or a header row.
//
// It looks at what the Docs and the Slides API show. What tags a PDF has, and whether a
// document fails by what is found here, belongs to others.
package accessible

import (
	"fmt"
	"slices"
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
	pictureOfData = "A picture that a tag brings has no alternative text, and a screen reader says nothing of it. Write one into the tag, behind the word alt: {{image Logo alt \"Our logo\"}}."
	textEmpty     = "The alternative text of a picture that a tag brings is empty with this data, and a screen reader says nothing of the picture. Send the field, or write DEFAULT into the tag, such as alt DEFAULT(Caption, \"Photo\")."
	lostInDocs    = "Google Docs lets no program write an alternative text, so the picture of this tag gets none. Use a Word file on a drive of Platen, or put the picture into the template."
	lostInShapes  = "On Google Slides a picture that takes the place of a text gets no alternative text. Put a picture there, and write the tag into its description."
	headerMissing = "The table repeats rows and has no header row, so a screen reader does not say what its columns are. Mark its first row as one: Repeat Header Rows in Word, Pin header row in Google Docs."
)

// A Barrier keeps a screen reader from reading a part of a PDF as it is meant.
type Barrier struct {
	Code    string
	Where   string // "paragraph 3", "slide 2"
	Tag     string // that brings the picture; empty: none
	Message string // what is wrong, and the cure
	// Lost says that the tag has an alternative text, which the drive cannot write.
	Lost bool
}

// Texts is what is known of the alternative texts that tags of pictures have.
type Texts struct {
	Empty    []string // the tags whose text is empty with the data
	OnGoogle bool     // pictures are put in by Google, which does not take each text
}

// judge is what is wrong with the alternative text of a tag that brings a picture; empty:
// nothing. lost is that Google does not take it here; empty: it does.
func (x Texts) judge(tag syntax.Tag, lost string) (message string, isLost bool) {
	switch {
	case !syntax.HasAlt(tag):
		return pictureOfData, false
	case x.OnGoogle && lost != "":
		return lost, true
	case slices.Contains(x.Empty, tag.Text):
		return textEmpty, false
	}
	return "", false
}

// A finder collects barriers, with what is known of the alternative texts of tags.
type finder struct {
	texts Texts
	found []Barrier
	where string // the place that is looked at
}

func (f *finder) add(code, message string) {
	f.found = append(f.found, Barrier{Code: code, Where: f.where, Message: message})
}

// addTag judges a tag that brings a picture.
func (f *finder) addTag(tag syntax.Tag, lost string) {
	if message, isLost := f.texts.judge(tag, lost); message != "" {
		f.found = append(f.found, Barrier{CodePicture, f.where, tag.Text, message, isLost})
	}
}

// InDocument finds the barriers of a text document, in reading order. Headers and footers are
// not read aloud.
func InDocument(d *docs.Document, texts Texts) []Barrier {
	f := &finder{texts: texts}
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
				f.where = name + n.Place()
				for _, part := range n.Parts {
					switch part := part.(type) {
					case *docs.StructuralElement:
						if part.Table != nil && repeats(part.Table) && !isHeader(part.Table.TableRows[0]) {
							f.add(CodeTable, headerMissing)
						}
					case *docs.ParagraphElement:
						if part.InlineObjectElement == nil {
							continue
						}
						if o := tab.DocumentTab.InlineObjects[part.InlineObjectElement.InlineObjectId].InlineObjectProperties; o != nil {
							f.addObject(o.EmbeddedObject)
						}
					case *docs.PositionedObject:
						if part.PositionedObjectProperties != nil {
							f.addObject(part.PositionedObjectProperties.EmbeddedObject)
						}
					}
				}
				if n.Paragraph == nil {
					return
				}
				text := textOf(n.Paragraph)
				f.addTags(text, lostInDocs)
				if s.Kind != walk.Body || strings.TrimSpace(text) == "" {
					return
				}
				if of := levelOf(n.Paragraph); of > 0 {
					if of > level+1 {
						f.add(CodeHeading, skipped(level, of))
					}
					level = of
				}
			})
		}
	}
	return f.found
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
func (f *finder) addObject(o *docs.EmbeddedObject) {
	if o == nil || o.EmbeddedDrawingProperties != nil {
		return
	}
	if tag, ok := pictureTag(o.Description, o.Title); ok {
		f.addTag(tag, lostInDocs)
		return
	}
	if o.ImageProperties != nil && isBlank(o.Description, o.Title) {
		f.add(CodePicture, pictureSilent)
	}
}

func isBlank(description, title string) bool { return strings.TrimSpace(description+title) == "" }

// addTags judges the pictures and codes that the tags of a text bring.
func (f *finder) addTags(text, lost string) {
	for _, tag := range syntax.Parse(text) {
		if bringsPicture(tag) {
			f.addTag(tag, lost)
		}
	}
}

// pictureTag is the tag that is a description as a whole, and brings a picture.
func pictureTag(texts ...string) (syntax.Tag, bool) {
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if tags := syntax.Parse(text); len(tags) == 1 && tags[0].Text == text && bringsPicture(tags[0]) {
			return tags[0], true
		}
	}
	return syntax.Tag{}, false
}

func bringsPicture(tag syntax.Tag) bool {
	word, _, _ := strings.Cut(strings.ToLower(tag.Name), " ")
	return syntax.IsPicture(word)
}

// InPresentation finds the barriers of slides, in their order.
func InPresentation(p *slides.Presentation, texts Texts) []Barrier {
	f := &finder{texts: texts}
	for i, s := range p.Slides {
		f.where = fmt.Sprintf("slide %d", i+1)
		f.addShapes(s.PageElements)
	}
	return f.found
}

func (f *finder) addShapes(elements []*slides.PageElement) {
	for _, e := range elements {
		switch silent := isBlank(e.Description, e.Title); {
		case e.ElementGroup != nil && silent: // else its description says what all of it shows
			f.addShapes(e.ElementGroup.Children)
		case e.Shape != nil:
			f.addTags(joinText(e.Shape.Text), lostInShapes)
		case e.Table != nil:
			for _, row := range e.Table.TableRows {
				for _, cell := range row.TableCells {
					f.addTags(joinText(cell.Text), lostInShapes)
				}
			}
		case e.Image != nil || e.SheetsChart != nil || e.Video != nil:
			if tag, ok := pictureTag(e.Description, e.Title); ok {
				f.addTag(tag, "")
			} else if silent {
				f.add(CodePicture, pictureSilent)
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
