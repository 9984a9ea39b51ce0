package main

import (
	"fmt"
	"strings"
)

// Namespaces and types that begin with these are of ECMA-376.
const (
	officeRelations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	packageSchemas  = "http://schemas.openxmlformats.org/package/2006/"
	officeTypes     = "application/vnd.openxmlformats-officedocument."
	drawingSchemas  = "http://schemas.openxmlformats.org/drawingml/2006/"
)

// emu is how many of ECMA-376's units are in a point.
const emu = 12700

// container collects the parts of an office file, with their types and relationships
// (ECMA-376 part 2).
type container struct {
	parts     map[string]string
	overrides string
	relations map[string]string
}

func newContainer() *container {
	return &container{parts: map[string]string{}, relations: map[string]string{}}
}

// add adds a part of XML; kind is its content type without "+xml".
func (c *container) add(name, kind, xml string) {
	c.parts[name] = xml
	c.overrides += `<Override PartName="/` + name + `" ContentType="` + kind + `+xml"/>`
}

// relate lets a part name another one; a kind without "://" is one of ECMA-376's.
func (c *container) relate(from, id, kind, target string) {
	if !strings.Contains(kind, "://") {
		kind = officeRelations + kind
	}
	folder, base := "", from
	if i := strings.LastIndexByte(from, '/'); i >= 0 {
		folder, base = from[:i+1], from[i+1:]
	}
	c.relations[folder+"_rels/"+base+".rels"] += fmt.Sprintf(`<Relationship Id="%s" Type="%s" Target="%s"/>`, id, kind, target)
}

// done ends the file.
func (c *container) done() map[string]string {
	for name, list := range c.relations {
		c.parts[name] = `<Relationships xmlns="` + packageSchemas + `relationships">` + list + `</Relationships>`
	}
	c.parts["[Content_Types].xml"] = `<Types xmlns="` + packageSchemas + `content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>` + c.overrides + `</Types>`
	return c.parts
}
