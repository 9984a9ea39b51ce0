package docs

import (
	"fmt"
	"math"
	"strings"

	"github.com/beevik/etree"
	gdocs "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/office/edit"
)

// updateParagraphStyle gives paragraphs the properties of one that was shown
// with this style, but for lists, which have requests of their own.
func (b *batch) updateParagraphStyle(r *gdocs.UpdateParagraphStyleRequest, invalid edit.RequestFault) error {
	target, err := findTarget(b, "paragraph", r.ParagraphStyle, r.Fields, r.Range, invalid)
	if err != nil {
		return err
	}
	pages := target.fields["pageBreakBefore"]
	properties, whole := target.known.paragraphs[edit.StyleKey(comparable(r.ParagraphStyle))]
	if pages {
		properties, whole = target.known.pages[edit.StyleKey(comparablePage(r.ParagraphStyle))]
	}
	for _, n := range target.paragraphs {
		if whole && len(target.fields) >= wholeParagraphStyle {
			giveParagraphStyle(n.paragraph.elem, properties, pages)
			if err := b.giveList(n.paragraph.elem, properties); err != nil {
				return err
			}
		} else if err := b.setParagraphStyle(n.paragraph.elem, r.ParagraphStyle, target.fields, invalid); err != nil {
			return err
		}
	}
	b.noteRestyle(target.segment)
	return nil
}

// wholeParagraphStyle is the number of fields that make up the style of a
// paragraph.
const wholeParagraphStyle = 15

// isOwn reports whether a property stays with a paragraph when its style changes.
func isOwn(tag string) bool {
	return tag == "numPr" || tag == "rPr" || tag == "sectPr" || tag == "pPrChange"
}

// giveParagraphStyle gives a paragraph the properties of another. pages says that
// whether it begins a page is one of them.
func giveParagraphStyle(p, of *etree.Element, pages bool) {
	before := child(p, "pPr")
	isOwn := func(tag string) bool { return isOwn(tag) || !pages && tag == "pageBreakBefore" }
	fresh := etree.NewElement("w:pPr")
	if of != nil {
		for _, e := range of.ChildElements() {
			if !isOwn(e.Tag) {
				fresh.AddChild(e.Copy())
			}
		}
	}
	if before != nil {
		for _, e := range before.ChildElements() {
			switch {
			case e.Tag == "numPr":
				placeNumbering(fresh, e.Copy())
			case isOwn(e.Tag):
				fresh.AddChild(e.Copy())
			}
		}
		p.RemoveChild(before)
	}
	if len(fresh.Child) > 0 {
		p.InsertChildAt(0, fresh)
	}
}

// placeNumbering puts w:numPr behind what the schema wants before it.
func placeNumbering(properties, numbering *etree.Element) {
	at := 0
	for i, t := range properties.Child {
		if e, ok := t.(*etree.Element); ok {
			switch e.Tag {
			case "pStyle", "keepNext", "keepLines", "pageBreakBefore", "framePr", "widowControl":
				at = i + 1
			}
		}
	}
	properties.InsertChildAt(at, numbering)
}

func twips(d *gdocs.Dimension) string {
	if d == nil {
		return "0"
	}
	return fmt.Sprint(int(math.Round(d.Magnitude * 20)))
}

// changeProperty sets an attribute of a property, which is made in its place
// where it is missing.
func changeProperty(p *etree.Element, tag, key, value string) {
	properties := propertiesOf(p)
	e := child(properties, tag)
	if e == nil {
		e = etree.NewElement("w:" + tag)
		at := len(properties.Child)
		for i, t := range properties.Child {
			if c, ok := t.(*etree.Element); ok && comesBehind(c.Tag, tag) {
				at = i
				break
			}
		}
		properties.InsertChildAt(at, e)
	}
	e.CreateAttr("w:"+key, value)
}

func replaceProperty(p *etree.Element, tag string, attributes map[string]string) {
	if e := child(propertiesOf(p), tag); e != nil {
		e.Attr = nil
	}
	for key, value := range attributes {
		changeProperty(p, tag, key, value)
	}
}

// paragraphOrder is the order of paragraph properties in the schema (ECMA-376
// part 1, 17.3.1.26).
const paragraphOrder = " pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs suppressAutoHyphens kinsoku wordWrap " +
	"overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc " +
	"textDirection textAlignment textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange "

// comesBehind tells whether a property stands behind another in the schema.
func comesBehind(tag, other string) bool {
	return strings.Index(paragraphOrder, " "+tag+" ") > strings.Index(paragraphOrder, " "+other+" ")
}

// createParagraphBullets makes paragraphs entries of a list of the preset: of the
// one that the paragraph directly before them is in, if that is nearest to the
// preset, or of a new one. Entries of such a list stay what they are. Tabs at the
// beginning of others say how deep they are nested, and go. A paragraph that is to
// begin a list of its own joins none, and its list looks like the one that it was in if
// that is nearest to the preset.
func (b *batch) createParagraphBullets(r *gdocs.CreateParagraphBulletsRequest, invalid edit.RequestFault) error {
	s, nodes, err := b.inRange(r.Range, invalid)
	if err != nil {
		return err
	}
	switch {
	case r.BulletPreset == "":
		return invalid("The bullet preset must be specified.")
	case !isPreset(r.BulletPreset):
		return invalid("The bullet preset %.60s is unknown.", r.BulletPreset)
	}
	var list *etree.Element
	isNew, isApart := false, b.isApart[nodes[0].paragraph.elem]
	if before := before(s.nodes, nodes[0]); before != nil && !isApart {
		if list, err = b.numberingOf(before, r.BulletPreset); err != nil {
			return err
		}
		if how, ok := b.entered[before.paragraph.elem]; ok && list != nil {
			how.isAlone = false
			b.entered[before.paragraph.elem] = how
		}
	}
	for _, n := range nodes {
		own, err := b.numberingOf(n, r.BulletPreset)
		if err != nil {
			return err
		}
		if own != nil {
			list = own
			continue
		}
		if list == nil {
			if list, err = b.beginList(n, r.BulletPreset, invalid); err != nil {
				return err
			}
			isNew = true
		}
		b.enter(s, n, list)
		delete(b.isApart, n.paragraph.elem)
		b.entered[n.paragraph.elem] = entered{preset: r.BulletPreset, isRestart: isApart, isAlone: isNew && len(nodes) == 1}
	}
	b.noteRestyle(s)
	return nil
}

// enter makes a paragraph an entry of a list, as deep as it is in another, or as its
// tabs say.
func (b *batch) enter(s *segment, n *node, list *etree.Element) {
	entry := list.Copy()
	level := len(n.paragraph.text) - len(strings.TrimLeft(n.paragraph.text, "\t"))
	if level > 0 {
		edit.EditParagraph(n.paragraph.elem, []edit.Edit{{Start: 0, End: level}})
		b.retext(s, n)
	} else if own := child(child(n.paragraph.elem, "pPr"), "numPr"); own != nil {
		if e := child(own, "ilvl"); e != nil {
			level = int(intOf(e, "w:val", 0))
		}
	}
	setLevel(entry, level)
	properties := propertiesOf(n.paragraph.elem)
	// The indents are those of the list.
	dropProperty(properties, "numPr", "ind")
	placeNumbering(properties, entry)
}

// numberingOf is the w:numPr of a paragraph in a list that is nearest to a preset,
// nil for any other.
func (b *batch) numberingOf(n *node, named string) (*etree.Element, error) {
	numbering := child(child(n.paragraph.elem, "pPr"), "numPr")
	if numbering == nil {
		return nil, nil
	}
	levels, err := listLevels(b.pkg, valueOf(numbering, "numId", ""))
	if err != nil || preset(levels) != named {
		return nil, err
	}
	return numbering, nil
}

// before is the paragraph directly before another, in the same cell if that is in a
// table.
func before(nodes []*node, other *node) *node {
	for i, n := range nodes {
		switch {
		case n == other:
			if i > 0 && nodes[i-1].paragraph != nil {
				return nodes[i-1]
			}
			return nil
		case n.table == nil:
			continue
		}
		for _, r := range n.table.rows {
			if other.start < r.start || r.end <= other.start {
				continue
			}
			for _, c := range r.cells {
				if found := before(c.nodes, other); found != nil {
					return found
				}
			}
		}
	}
	return nil
}

// deleteParagraphBullets takes paragraphs out of their lists. Deleting them again makes
// the paragraph start a list of its own when it gets bullets next; at Google, that
// changes nothing.
func (b *batch) deleteParagraphBullets(r *gdocs.DeleteParagraphBulletsRequest, invalid edit.RequestFault) error {
	s, nodes, err := b.inRange(r.Range, invalid)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if err := b.leaveList(n.paragraph.elem); err != nil {
			return err
		}
	}
	b.noteRestyle(s)
	return nil
}
