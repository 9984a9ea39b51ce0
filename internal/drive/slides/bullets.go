package slides

import (
	"strconv"
	"strings"

	"github.com/beevik/etree"
	gslides "google.golang.org/api/slides/v1"

	"github.com/platenhq/platen/internal/office/edit"
)

// maxLevel is the deepest level of a list, from 0 (ECMA-376 part 1, 21.1.10.71).
const maxLevel = 8

// createParagraphBullets makes paragraphs entries of a list of the preset: of the one that
// the paragraph directly before them is in, if that is nearest to the preset, or of a new
// one. Without a preset each is as the nearest one before it, or with a dot. Those that are
// in such a list already keep their sign. Tabs in front of a paragraph say how deep it is
// nested, and go.
func (b *batch) createParagraphBullets(r *gslides.CreateParagraphBulletsRequest, invalid edit.RequestFault) error {
	page, touched, _, _, err := b.inRange(r.ObjectId, r.CellLocation, r.TextRange, invalid)
	if err != nil {
		return err
	}
	if r.BulletPreset != "" && bulletPresets[r.BulletPreset] == nil {
		return invalid("The bullet preset %.60s is unknown.", r.BulletPreset)
	}
	for _, p := range touched {
		properties := propertiesOf(p.elem)
		if level := len(p.text) - len(strings.TrimLeft(p.text, "\t")); level > 0 {
			edit.EditParagraph(p.elem, []edit.Edit{{Start: 0, End: level}})
			properties.CreateAttr("lvl", strconv.Itoa(min(level, maxLevel)))
		}
		switch own := bulletOf(properties); {
		case r.BulletPreset != "":
			enter(p.elem, properties, r.BulletPreset)
		case own == nil:
			setBullet(properties, nearestBullet(p.elem))
		}
	}
	b.noteChange(page)
	return nil
}

// deleteParagraphBullets takes paragraphs out of their lists.
func (b *batch) deleteParagraphBullets(r *gslides.DeleteParagraphBulletsRequest, invalid edit.RequestFault) error {
	page, touched, _, _, err := b.inRange(r.ObjectId, r.CellLocation, r.TextRange, invalid)
	if err != nil {
		return err
	}
	for _, p := range touched {
		setBullet(propertiesOf(p.elem), etree.NewElement("a:buNone"))
	}
	b.noteChange(page)
	return nil
}

func propertiesOf(p *etree.Element) *etree.Element {
	properties := child(p, "pPr")
	if properties == nil {
		properties = etree.NewElement("a:pPr")
		p.InsertChildAt(0, properties)
	}
	return properties
}

func bulletOf(properties *etree.Element) *etree.Element {
	for _, tag := range []string{"buChar", "buAutoNum", "buBlip"} {
		if e := child(properties, tag); e != nil {
			return e
		}
	}
	return nil
}

func nearestBullet(p *etree.Element) *etree.Element {
	var found *etree.Element
	for _, e := range p.Parent().ChildElements() {
		if e == p {
			break
		}
		if bullet := bulletOf(child(e, "pPr")); bullet != nil {
			found = bullet
		}
	}
	if found != nil {
		return found.Copy()
	}
	dot := etree.NewElement("a:buChar")
	dot.CreateAttr("char", "•")
	return dot
}

// setBullet puts a bullet where the schema wants it: behind its colour, size
// and font, before tabs (ECMA-376 part 1, 21.1.2.2.7).
func setBullet(properties, bullet *etree.Element) {
	for _, tag := range []string{"buChar", "buAutoNum", "buBlip", "buNone"} {
		if e := child(properties, tag); e != nil {
			properties.RemoveChild(e)
		}
	}
	at := 0
	for i, t := range properties.Child {
		if e, ok := t.(*etree.Element); ok && (strings.HasPrefix(e.Tag, "bu") || strings.HasPrefix(e.Tag, "spc") || e.Tag == "lnSpc") {
			at = i + 1
		}
	}
	properties.InsertChildAt(at, bullet)
}
