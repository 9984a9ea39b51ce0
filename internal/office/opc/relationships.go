package opc

import (
	"net/url"
	"path"
	"strings"
)

// Relationship is a reference from a part to another part or to an address
// outside the file. Target is an absolute part name without the slash in
// front, or the address as it is written when External. Type is the last
// segment of the relationship type ("image", "hyperlink", "styles",
// "slideLayout"), which the strict and transitional namespaces share.
type Relationship struct {
	ID, Type, Target string
	External         bool
}

// Relationships returns the relationships of a part in the order of the file;
// the empty name asks for those of the package itself. A part without any, or
// whose relationships cannot be read, has none.
func (p *Package) Relationships(part string) []Relationship {
	part = strings.TrimPrefix(part, "/")
	key := strings.ToLower(part)
	if known, ok := p.relations[key]; ok {
		return known
	}
	var found []Relationship
	if name := relationshipsPart(part); p.Has(name) {
		if tree, err := p.View(name); err == nil {
			for _, e := range tree.Root().ChildElements() {
				if e.Tag != "Relationship" {
					continue
				}
				r := Relationship{
					ID:       e.SelectAttrValue("Id", ""),
					Type:     path.Base(e.SelectAttrValue("Type", "")),
					Target:   e.SelectAttrValue("Target", ""),
					External: strings.EqualFold(e.SelectAttrValue("TargetMode", ""), "External"),
				}
				if !r.External {
					r.Target = p.resolve(part, r.Target)
				}
				found = append(found, r)
			}
		}
	}
	p.relations[key] = found
	return found
}

// Relationship returns the relationship of a part with this id.
func (p *Package) Relationship(part, id string) (Relationship, bool) {
	for _, r := range p.Relationships(part) {
		if r.ID == id {
			return r, true
		}
	}
	return Relationship{}, false
}

// MainPart returns the name of the part that the package calls its office
// document: "word/document.xml" or "ppt/presentation.xml" in most files.
func (p *Package) MainPart() string {
	for _, r := range p.Relationships("") {
		if r.Type == "officeDocument" && !r.External {
			return r.Target
		}
	}
	return ""
}

// relationshipsPart follows OPC's rule: the relationships of a/b.xml are in
// a/_rels/b.xml.rels.
func relationshipsPart(part string) string {
	dir, file := path.Split(part)
	return dir + "_rels/" + file + ".rels"
}

// resolve makes a target absolute. Targets are URI references, so a name with
// a space may be written with %20; many producers write it as it is.
func (p *Package) resolve(part, target string) string {
	target, _, _ = strings.Cut(target, "#")
	if target == "" {
		return part
	}
	target = strings.ReplaceAll(target, "\\", "/")
	if !strings.HasPrefix(target, "/") {
		target = path.Join("/"+path.Dir(part), target)
	}
	name := strings.TrimPrefix(path.Clean(target), "/")
	if p.Has(name) {
		return name
	}
	if plain, err := url.PathUnescape(name); err == nil && p.Has(plain) {
		return plain
	}
	return name
}

// Retarget gives a relationship of a part that leads outside another address.
func (p *Package) Retarget(part, id, address string) {
	name := relationshipsPart(strings.TrimPrefix(part, "/"))
	tree, err := p.XML(name)
	if err != nil {
		return
	}
	for _, e := range tree.Root().ChildElements() {
		if e.Tag == "Relationship" && e.SelectAttrValue("Id", "") == id {
			e.CreateAttr("Target", address)
			p.Touch(name)
		}
	}
	p.relations = map[string][]Relationship{}
}
