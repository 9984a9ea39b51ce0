package docs

import (
	"reflect"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
	"github.com/platenhq/platen/internal/office/opc"
	"github.com/platenhq/platen/internal/office/wml"
)

// knownStyles says which properties the file gave to text and paragraphs that were
// shown with a style. Who gives that same style to other text means all of
// those properties, also the ones that Google's styles have no words for.
type knownStyles struct {
	runs       map[string]runStyle
	paragraphs map[string]*etree.Element // w:pPr, nil for none
	pages      map[string]*etree.Element // the same by styles that say whether they begin a page
}

type runStyle struct {
	properties *etree.Element // w:rPr, nil for none
	link       *etree.Element // the w:hyperlink around it, nil for none
	part       string         // whose relationships the link uses
}

// learnStyles reads the styles of a document as it was before the batch.
func learnStyles(d *wml.Document, all []*segment) *knownStyles {
	p := newProjection(d)
	l := &knownStyles{runs: map[string]runStyle{}, paragraphs: map[string]*etree.Element{}, pages: map[string]*etree.Element{}}
	parts := map[*etree.Element]string{}
	for _, s := range all {
		parts[s.root] = s.part
	}
	var runs, marks, shapes, pages edit.StyleKeys
	for e, r := range p.runs {
		key := runs.Key(p.textStyle(r))
		if known, ok := l.runs[key]; ok && !isBefore(r.Elem, known.properties) {
			continue
		}
		style := runStyle{properties: child(e, "rPr")}
		if r.Link != nil {
			style.link, style.part = r.Link.Elem, partOf(e, parts)
		}
		l.runs[key] = style
	}
	for _, paragraph := range p.paragraphs {
		mark := marks.Key(textStyle(paragraph.Mark, nil))
		if _, ok := l.runs[mark]; !ok {
			l.runs[mark] = runStyle{properties: markOf(paragraph.Elem)}
		}
		style := p.paragraphStyle(paragraph, 0)
		learnParagraph(l.paragraphs, shapes.Key(comparable(style)), paragraph.Elem)
		learnParagraph(l.pages, pages.Key(comparablePage(style)), paragraph.Elem)
	}
	return l
}

func learnParagraph(into map[string]*etree.Element, key string, p *etree.Element) {
	if known, ok := into[key]; !ok || isBefore(p, known) {
		into[key] = child(p, "pPr")
	}
}

// isBefore orders properties of one style, so that a batch always makes the same
// file: by their length, then by their text.
func isBefore(holder, known *etree.Element) bool {
	properties := child(holder, "rPr")
	if holder.Tag == "p" {
		properties = child(holder, "pPr")
	}
	a, b := xmlOf(properties), xmlOf(known)
	return len(a) < len(b) || len(a) == len(b) && a < b
}

func xmlOf(e *etree.Element) string {
	if e == nil {
		return ""
	}
	d := etree.NewDocument()
	d.SetRoot(e.Copy())
	text, err := d.WriteToString()
	if err != nil {
		return ""
	}
	return text
}

func partOf(e *etree.Element, parts map[*etree.Element]string) string {
	for ; e != nil; e = e.Parent() {
		if part, ok := parts[e]; ok {
			return part
		}
	}
	return ""
}

// markOf makes run properties of those of a paragraph's mark.
func markOf(p *etree.Element) *etree.Element {
	properties := child(child(p, "pPr"), "rPr")
	if properties == nil {
		return nil
	}
	copied := properties.Copy()
	for _, tracked := range []string{"ins", "del", "moveFrom", "moveTo", "rPrChange"} {
		if e := child(copied, tracked); e != nil {
			copied.RemoveChild(e)
		}
	}
	return copied
}

// comparable leaves of a paragraph's style what another paragraph can take over
// anywhere.
func comparable(s *gdocs.ParagraphStyle) *gdocs.ParagraphStyle {
	copied := comparablePage(s)
	copied.PageBreakBefore = false
	return copied
}

// comparablePage leaves also whether the paragraph begins a page.
func comparablePage(s *gdocs.ParagraphStyle) *gdocs.ParagraphStyle {
	copied := *s
	copied.HeadingId, copied.TabStops = "", nil
	return &copied
}

func (b *batch) knownStyles() (*knownStyles, error) {
	if b.styles == nil {
		// Edits within the segments do not matter: only their starts are needed.
		if b.segments == nil {
			all, err := segments(b.pkg)
			if err != nil {
				return nil, err
			}
			b.segments = all
		}
		b.styles = learnStyles(b.document, b.segments)
	}
	return b.styles, nil
}

// inRange finds the paragraphs that a range touches, looking into tables.
func (b *batch) inRange(r *gdocs.Range, invalid edit.RequestFault) (*segment, []*node, error) {
	if r == nil || r.EndIndex <= r.StartIndex || r.StartIndex < 0 {
		return nil, nil, invalid("The range should not be empty.")
	}
	if err := begins(r, invalid); err != nil {
		return nil, nil, err
	}
	s, err := b.segment(r.SegmentId, r.TabId, invalid)
	if err != nil {
		return nil, nil, err
	}
	if r.EndIndex > s.end() {
		return nil, nil, invalid("Index %d must be less than the end index of the referenced segment, %d.", r.EndIndex, s.end())
	}
	return s, findTouched(s.nodes, r.StartIndex, r.EndIndex, nil), nil
}

func findTouched(nodes []*node, from, to int64, into []*node) []*node {
	for _, n := range nodes {
		if n.end <= from || to <= n.start {
			continue
		}
		if n.paragraph != nil {
			into = append(into, n)
		}
		if n.table == nil {
			continue
		}
		for _, r := range n.table.rows {
			if r.end <= from || to <= r.start {
				continue
			}
			r.settle()
			for _, c := range r.cells {
				if c.elem != nil {
					into = findTouched(c.nodes, from, to, into)
				}
			}
		}
	}
	return into
}

// target is what a request for a style is about.
type target struct {
	segment    *segment
	paragraphs []*node
	fields     map[string]bool
	known      *knownStyles
}

// findTarget reads what requests for styles have in common; word says whose
// style it is.
func findTarget[S any](b *batch, word string, style *S, mask string, at *gdocs.Range, invalid edit.RequestFault) (t target, err error) {
	if t.fields, err = edit.StyleFields(mask, *new(S), invalid); err != nil {
		return t, err
	}
	if style == nil {
		return t, invalid("The %s style must be specified.", word)
	}
	if t.segment, t.paragraphs, err = b.inRange(at, invalid); err != nil {
		return t, err
	}
	t.known, err = b.knownStyles()
	return t, err
}

// updateTextStyle gives text the properties of text that was shown with this
// style, or where there is none the properties that its fields name.
func (b *batch) updateTextStyle(r *gdocs.UpdateTextStyleRequest, invalid edit.RequestFault) error {
	target, err := findTarget(b, "text", r.TextStyle, r.Fields, r.Range, invalid)
	if err != nil {
		return err
	}
	s, fields, known := target.segment, target.fields, target.known
	model, whole := known.runs[edit.StyleKey(r.TextStyle)]
	if link := r.TextStyle.Link; !whole && link != nil && link.Url != "" {
		plain := *r.TextStyle
		plain.Link = nil
		model, whole = known.runs[edit.StyleKey(&plain)]
		if model.link, err = b.linkTo(s.part, link.Url); err != nil {
			return err
		}
		model.part = s.part
	}
	whole = whole && len(fields) >= wholeTextStyle
	bare := len(fields) >= wholeTextStyle && reflect.ValueOf(*r.TextStyle).IsZero()
	if bare {
		// Fields without a value are those of the paragraph's style.
		model, whole = runStyle{}, true
	}
	var link *etree.Element
	if l := r.TextStyle.Link; !whole && fields["link"] && l != nil {
		if l.Url == "" {
			return invalid("This drive makes no links but to addresses (link.url).")
		}
		if link, err = b.linkTo(s.part, l.Url); err != nil {
			return err
		}
	}
	for _, n := range target.paragraphs {
		p := n.paragraph
		from, _ := edit.ByteOffset(p.text, r.Range.StartIndex-n.start)
		to, _ := edit.ByteOffset(p.text, r.Range.EndIndex-n.start)
		for _, run := range runsIn(p, from, to) {
			if whole {
				if bare {
					relink(run, nil)
				}
				giveStyle(run, model, s.part)
			} else {
				setTextStyle(run, r.TextStyle, fields)
				if fields["link"] {
					relink(run, link)
				}
			}
		}
		if r.Range.EndIndex >= n.end && whole {
			giveMarkStyle(p.elem, model.properties)
		}
	}
	b.noteRestyle(s)
	return nil
}

// wholeTextStyle is the number of fields that make up a style. The API may get
// fields that this drive does not know.
const wholeTextStyle = 10

// giveStyle gives a run exactly the properties of a style.
func giveStyle(run *etree.Element, style runStyle, part string) {
	if own := child(run, "rPr"); own != nil {
		run.RemoveChild(own)
	}
	if style.properties != nil {
		run.InsertChildAt(0, style.properties.Copy())
	}
	parent := run.Parent()
	if style.link == nil || style.part != part || parent == nil || parent.Tag == "hyperlink" && isSameTarget(parent, style.link) {
		return
	}
	relink(run, style.link)
}

// isSameTarget tells whether two links lead to the same place.
func isSameTarget(a, b *etree.Element) bool {
	for _, key := range []string{"r:id", "w:anchor"} {
		if a.SelectAttrValue(key, "") != b.SelectAttrValue(key, "") {
			return false
		}
	}
	return true
}

// linkTo makes a w:hyperlink to an address outside the document.
func (b *batch) linkTo(part, address string) (*etree.Element, error) {
	relation, err := b.pkg.Relate(part, "hyperlink", address, true)
	if err != nil {
		return nil, err
	}
	link := etree.NewElement("w:hyperlink")
	link.CreateAttr("xmlns:r", opc.RelsNS)
	link.CreateAttr("r:id", relation)
	return link, nil
}

// giveMarkStyle gives the mark of a paragraph exactly these properties.
func giveMarkStyle(p, properties *etree.Element) {
	own := propertiesOf(p)
	if old := child(own, "rPr"); old != nil {
		own.RemoveChild(old)
	}
	if properties != nil {
		insertProperty(own, properties.Copy())
	} else if len(own.Child) == 0 {
		p.RemoveChild(own)
	}
}

// insertProperty puts an element of paragraph properties where the schema wants
// those that come last (ECMA-376 part 1, 17.3.1.26).
func insertProperty(properties, e *etree.Element) {
	for _, after := range []string{"sectPr", "pPrChange"} {
		if later := child(properties, after); later != nil {
			properties.InsertChildAt(later.Index(), e)
			return
		}
	}
	properties.AddChild(e)
}
