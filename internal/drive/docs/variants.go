package docs

import (
	"hash/fnv"
	"slices"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/wml"
)

// variants tells properties apart that Google's styles have no words for: capitals,
// spacing between letters, tab stops, the name of a style, the list of a paragraph. Texts that differ in
// nothing else would be shown with one style, and who copies it could not say which
// of them is meant. So all but the shortest properties of a style are shown with a
// size, those of paragraphs with a space above, that is larger by less than the
// thousandth of a point to which measures are rounded.
type variants struct {
	texts, paragraphs   map[string]string // the shortest properties by what Google's style says
	textKeys, spaceKeys keyer
	properties          []byte
}

// learnVariants reads the properties of all text and paragraphs.
func (p *projection) learnVariants() {
	v := &p.variants
	v.texts, v.paragraphs = map[string]string{}, map[string]string{}
	for _, paragraph := range p.ordered {
		v.note(v.paragraphs, v.spaceKeys.key(comparable(paragraphStyle(paragraph, 0))), v.shape(paragraph.Elem))
		for _, r := range paragraph.Runs {
			v.note(v.texts, v.textKeys.key(textStyle(r.RunProperties, r.Link)), v.text(r.Elem))
		}
	}
}

func (v *variants) note(into map[string]string, key string, properties []byte) {
	known, ok := into[key]
	if !ok || len(properties) < len(known) || len(properties) == len(known) && string(properties) < known {
		into[key] = string(properties)
	}
}

// text writes the properties of a run, each as it stands in the file.
func (v *variants) text(run *etree.Element) []byte {
	v.properties = v.properties[:0]
	if rPr := child(run, "rPr"); rPr != nil {
		v.properties = appendChildren(v.properties, rPr, func(string) bool { return true })
	}
	return v.properties
}

// shape writes the properties of a paragraph that another can take over, and its list.
func (v *variants) shape(p *etree.Element) []byte {
	v.properties = v.properties[:0]
	if pPr := child(p, "pPr"); pPr != nil {
		v.properties = appendChildren(v.properties, pPr, func(tag string) bool { return !isOwn(tag) && tag != "pageBreakBefore" })
		if list := child(child(pPr, "numPr"), "numId"); list != nil {
			v.properties = append(append(v.properties, "list "...), list.SelectAttrValue("w:val", "")...)
		}
	}
	return v.properties
}

func appendChildren(out []byte, e *etree.Element, isCounted func(tag string) bool) []byte {
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		if !ok || !isCounted(c.Tag) {
			continue
		}
		out = append(append(append(out, '<'), c.Space...), ':')
		out = append(out, c.Tag...)
		for _, a := range c.Attr {
			out = append(append(append(out, ' '), a.Key...), '=')
			out = append(append(out, a.Value...), '"')
		}
		out = append(appendChildren(out, c, func(string) bool { return true }), '>')
	}
	return out
}

// textStyle is the style of a run, which tells its properties from all others.
func (p *projection) textStyle(r *wml.Run) *gdocs.TextStyle {
	s := textStyle(r.RunProperties, r.Link)
	v := &p.variants
	if properties := v.text(r.Elem); s.FontSize != nil && v.texts[v.textKeys.key(s)] != string(properties) {
		marked := *s
		marked.FontSize = mark(s.FontSize, properties)
		return &marked
	}
	return s
}

// paragraphStyle is the style of a paragraph, which tells its properties from all
// others.
func (p *projection) paragraphStyle(paragraph *wml.Paragraph, start int64) *gdocs.ParagraphStyle {
	s := paragraphStyle(paragraph, start)
	v := &p.variants
	if properties := v.shape(paragraph.Elem); v.paragraphs[v.spaceKeys.key(comparable(s))] != string(properties) {
		s.SpaceAbove = mark(s.SpaceAbove, properties)
	}
	return s
}

// mark adds a trace of properties to a measure. A float64 of up to 4,096 points
// holds it exactly.
func mark(d *gdocs.Dimension, properties []byte) *gdocs.Dimension {
	hash := fnv.New32a()
	_, _ = hash.Write(properties)
	const steps, step = 1 << 22, 1.0 / (1 << 36)
	marked := *d
	marked.Magnitude += float64(hash.Sum32()%steps+1) * step
	marked.ForceSendFields = slices.Clone(d.ForceSendFields)
	return &marked
}
