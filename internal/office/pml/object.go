package pml

import (
	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/dml"
)

// preview is the picture that stands for an embedded object, nil for none. It is
// in the object, or in a VML drawing of the slide under the number that the
// object names (ECMA-376 part 1, 19.3.2.4, and part 4, 14.2.2.14).
func (s *slideParts) preview(data *etree.Element, d *dml.Reader) *dml.Picture {
	if pic := data.FindElement(".//pic"); pic != nil {
		return d.Picture(dml.Child(pic, "blipFill"))
	}
	object := data.FindElement(".//oleObj")
	if object == nil {
		return nil
	}
	if part := s.legacyPictures(d)[object.SelectAttrValue("spid", "")]; part != "" {
		return &dml.Picture{Part: part, Alpha: 1}
	}
	return nil
}

// legacyPictures are the parts of the pictures in the VML drawings of a part, by
// the numbers of their shapes: o:spid, or the id where a shape has no name of its
// own. They are looked for once.
func (s *slideParts) legacyPictures(d *dml.Reader) map[string]string {
	if known, ok := s.legacy[d.Part]; ok {
		return known
	}
	found := map[string]string{}
	if s.legacy == nil {
		s.legacy = map[string]map[string]string{}
	}
	s.legacy[d.Part] = found
	for _, rel := range d.Package.Relationships(d.Part) {
		if rel.Type != "vmlDrawing" || rel.External {
			continue
		}
		doc, err := d.Package.View(rel.Target)
		if err != nil || doc.Root() == nil {
			continue
		}
		for _, shape := range dml.ChildElements(doc.Root()) {
			picture, ok := d.Package.Relationship(rel.Target, dml.RelationshipID(dml.Child(shape, "imagedata"), "relid"))
			if ok && !picture.External && d.Package.Has(picture.Target) {
				found[shape.SelectAttrValue("spid", shape.SelectAttrValue("id", ""))] = picture.Target
			}
		}
	}
	delete(found, "")
	return found
}
