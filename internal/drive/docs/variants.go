package docs

import (
	"slices"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/wml"
)

// variants tells properties apart that Google's styles have no words for: capitals,
// spacing between letters, tab stops, the name of a style, the list of a paragraph. Texts that differ in
// nothing else would be shown with one style, and who copies it could not say which
// of them is meant. So all but the shortest properties of a style are shown with a
// size, those of paragraphs with a space above, that is larger by less than the
// thousandth of a point to which measures are rounded.
type variants struct {
	texts, paragraphs   edit.Variants
	textKeys, spaceKeys edit.StyleKeys
	properties          []byte
}

// learnVariants reads the properties of all text and paragraphs.
func (p *projection) learnVariants() {
	v := &p.variants
	v.texts, v.paragraphs = edit.Variants{}, edit.Variants{}
	for _, paragraph := range p.ordered {
		v.paragraphs.Note(v.spaceKeys.Key(comparable(paragraphStyle(paragraph, 0))), v.shape(paragraph.Elem))
		for _, r := range paragraph.Runs {
			v.texts.Note(v.textKeys.Key(textStyle(r.RunProperties, r.Link)), v.text(r.Elem))
		}
	}
}

// text writes the properties of a run, each as it stands in the file.
func (v *variants) text(run *etree.Element) []byte {
	v.properties = v.properties[:0]
	if rPr := child(run, "rPr"); rPr != nil {
		v.properties = edit.AppendProperties(v.properties, rPr, func(string) bool { return true })
	}
	return v.properties
}

// shape writes the properties of a paragraph that another can take over, and its list.
func (v *variants) shape(p *etree.Element) []byte {
	v.properties = v.properties[:0]
	if pPr := child(p, "pPr"); pPr != nil {
		v.properties = edit.AppendProperties(v.properties, pPr, func(tag string) bool { return !isOwn(tag) && tag != "pageBreakBefore" })
		if list := child(child(pPr, "numPr"), "numId"); list != nil {
			v.properties = append(append(v.properties, "list "...), list.SelectAttrValue("w:val", "")...)
		}
	}
	return v.properties
}

// textStyle is the style of a run, which tells its properties from all others.
func (p *projection) textStyle(r *wml.Run) *gdocs.TextStyle {
	s := textStyle(r.RunProperties, r.Link)
	v := &p.variants
	if s.FontSize == nil {
		return s
	}
	if size := traced(s.FontSize, v.texts, v.textKeys.Key(s), v.text(r.Elem)); size != s.FontSize {
		marked := *s
		marked.FontSize = size
		return &marked
	}
	return s
}

// paragraphStyle is the style of a paragraph, which tells its properties from all
// others.
func (p *projection) paragraphStyle(paragraph *wml.Paragraph, start int64) *gdocs.ParagraphStyle {
	s := paragraphStyle(paragraph, start)
	v := &p.variants
	s.SpaceAbove = traced(s.SpaceAbove, v.paragraphs, v.spaceKeys.Key(comparable(s)), v.shape(paragraph.Elem))
	return s
}

// traced is a measure with a trace of properties (edit.Variants).
func traced(d *gdocs.Dimension, v edit.Variants, key string, properties []byte) *gdocs.Dimension {
	points := v.Trace(d.Magnitude, key, properties)
	if points == d.Magnitude {
		return d
	}
	marked := *d
	marked.Magnitude = points
	marked.ForceSendFields = slices.Clone(d.ForceSendFields)
	return &marked
}
