package slides

import (
	"strings"

	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/dml"
	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/pml"
)

// variants tells properties of the text of slides apart that Google's styles have no words
// for: capitals, spacing between letters, outlines, tab stops. The size of text and the
// space above a paragraph have a trace of them (edit.Variants), so that who copies a style
// says which is meant.
type variants struct {
	texts, paragraphs   edit.Variants
	textKeys, spaceKeys edit.StyleKeys
}

// variants reads the properties of all text and paragraphs of the slides.
func (d *deck) variants() *variants {
	v := &variants{texts: edit.Variants{}, paragraphs: edit.Variants{}}
	for _, s := range d.slides {
		eachBody(s.slide.Shapes, func(body *dml.TextBody) {
			for _, p := range body.Paragraphs {
				v.paragraphs.Note(v.spaceKeys.Key(paragraphStyle(p)), propertiesText(p.Elem, "pPr"))
				for _, r := range p.Runs {
					v.texts.Note(v.textKeys.Key(textStyle(r)), propertiesText(r.Elem, "rPr"))
				}
			}
		})
	}
	return v
}

// propertiesText writes the properties of a run or paragraph as they stand in the file,
// but for what a program notes about its proofing, and the link, which a style names.
func propertiesText(of *etree.Element, tag string) []byte {
	if of == nil {
		return nil
	}
	e := child(of, tag)
	if e == nil {
		return nil
	}
	var out []byte
	for _, a := range e.Attr {
		if !strings.Contains(" dirty err smtClean smtId bmk ", " "+a.Key+" ") {
			out = append(append(append(append(out, ' '), a.Key...), '='), a.Value...)
		}
	}
	return edit.AppendProperties(out, e, func(tag string) bool { return tag != "hlinkClick" })
}

// textStyle is the style of a run, which tells its properties from all others.
func (v *variants) textStyle(r *dml.TextRun) *gslides.TextStyle {
	s := textStyle(r)
	if s.FontSize == nil {
		return s
	}
	marked := *s
	marked.FontSize = traced(s.FontSize, v.texts, v.textKeys.Key(s), propertiesText(r.Elem, "rPr"))
	return &marked
}

// paragraphStyle is the style of a paragraph, which tells its properties from all others.
func (v *variants) paragraphStyle(p *dml.TextParagraph) *gslides.ParagraphStyle {
	s := paragraphStyle(p)
	marked := *s
	marked.SpaceAbove = traced(s.SpaceAbove, v.paragraphs, v.spaceKeys.Key(s), propertiesText(p.Elem, "pPr"))
	return &marked
}

// traced is a measure with a trace of properties (edit.Variants).
func traced(d *gslides.Dimension, v edit.Variants, key string, properties []byte) *gslides.Dimension {
	marked := *d
	marked.Magnitude = v.Trace(d.Magnitude, key, properties)
	return &marked
}

// eachBody visits the texts of shapes and of the cells of tables.
func eachBody(shapes []*pml.Shape, visit func(*dml.TextBody)) {
	for _, s := range shapes {
		if s.Text != nil {
			visit(s.Text)
		}
		if s.Table != nil {
			for _, r := range s.Table.Rows {
				for _, c := range r.Cells {
					if c.Text != nil {
						visit(c.Text)
					}
				}
			}
		}
		eachBody(s.Children, visit)
	}
}
