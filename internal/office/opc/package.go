// Package opc reads and writes the containers that .docx and .pptx files are
// (ECMA-376 part 2): parts, their XML, relationships and bitmaps.
//
// The original XML is the truth. What was not edited is written back byte for
// byte, so nothing that another program put into a file is lost. The package
// must not know what a document or a slide is.
package opc

import (
	"archive/zip"
	"bytes"
	"maps"
	"path"
	"strings"

	"github.com/beevik/etree"
)

// contentTypesPart declares the type of every other part (OPC, ECMA-376 part 2, 7.2.3).
const contentTypesPart = "[Content_Types].xml"

// Package is an OPC container, which is what a .docx or .pptx file is: a zip
// of parts with relationships between them. Part names are written without the
// slash in front ("word/document.xml") and compared without regard to case, as
// OPC asks. A Package is not safe for concurrent use.
type Package struct {
	parts     []*part
	byName    map[string]*part
	relations map[string][]Relationship
}

// part is one entry of the container. An entry that nothing has changed is
// written as the compressed bytes it came in.
type part struct {
	name      string
	file      *zip.File // nil when the part was made by SetPart
	data      []byte    // uncompressed; nil until it is asked for
	tree      *etree.Document
	shared    *etree.Document // what other packages read, too; tree is copied from it
	isTouched bool            // tree is newer than data
	isChanged bool            // data or tree is newer than file
	size      xmlSize         // of an XML part as it was read
}

// Has reports whether the container holds a part of this name.
func (p *Package) Has(name string) bool {
	return p.find(name) != nil
}

// Part returns the current contents of a part, edits included. It returns
// false when there is none of this name or when its compressed data is damaged.
// The caller must not change the bytes.
func (p *Package) Part(name string) ([]byte, bool) {
	found := p.find(name)
	if found == nil {
		return nil, false
	}
	data, err := found.bytes()
	return data, err == nil
}

// XML returns the part as a tree. It is parsed once and shared by all
// callers; edits of it are written only after Touch. Namespaces of office
// files always have their customary prefixes (w, a, p, r, wp, …), even if the
// file uses others. The error is a *FormatError.
func (p *Package) XML(name string) (*etree.Document, error) {
	found := p.find(name)
	if found == nil {
		return nil, &FormatError{Message: "the file is incomplete: " + Printable(name) + " is missing from it"}
	}
	if found.tree == nil && found.shared != nil {
		found.tree = found.shared.Copy()
	}
	if found.tree != nil {
		return found.tree, nil
	}
	data, err := found.bytes()
	if err != nil {
		return nil, describeDamage(name, err)
	}
	tree, err := parseXML(name, data)
	if err != nil {
		return nil, err
	}
	found.tree = tree
	return tree, nil
}

// View is XML for a part that is only read: its tree may be shared.
func (p *Package) View(name string) (*etree.Document, error) {
	if found := p.find(name); found != nil && found.tree == nil && found.shared != nil {
		return found.shared, nil
	}
	return p.XML(name)
}

// Clone returns a package of its own with the contents of this one, which was
// not edited and must not be used for anything but clones any more. What this
// one has unpacked and parsed, its clones need not. Several may be made, and
// used, at the same time.
func (p *Package) Clone() *Package {
	clone := &Package{byName: make(map[string]*part, len(p.parts)), relations: maps.Clone(p.relations)}
	for _, e := range p.parts {
		clone.add(&part{name: e.name, file: e.file, data: e.data, shared: e.tree})
	}
	return clone
}

// Unpack unpacks the remaining parts, such as pictures, up to limit bytes in
// total. A damaged part is left as it is: reading it returns the error.
func (p *Package) Unpack(limit int) {
	for _, e := range p.parts {
		if e.data == nil && e.file != nil && e.file.UncompressedSize64 <= uint64(limit) {
			if data, err := e.bytes(); err == nil {
				limit -= len(data)
			}
		}
	}
}

// Size is about what the package takes in memory, in bytes.
func (p *Package) Size() int {
	const perByte = 6 // of a parsed part
	size := 0
	for _, e := range p.parts {
		size += 256 + len(e.data)
		if e.file != nil {
			size += int(e.file.CompressedSize64)
		}
		if e.tree != nil || e.shared != nil {
			size += perByte * len(e.data)
		}
	}
	return size
}

// Touch says that the tree of this part was changed: Bytes and Part now write
// the tree instead of the original. It does nothing for a part whose tree was
// never asked for.
func (p *Package) Touch(name string) {
	if found := p.find(name); found != nil && found.tree != nil {
		found.isTouched, found.isChanged = true, true
	}
}

// SetPart adds a part or replaces the contents of one. An empty content type
// leaves the declared one as it is. Trees of the part handed out before are cut
// off: they are no longer written.
func (p *Package) SetPart(name, contentType string, data []byte) {
	name = strings.TrimPrefix(name, "/")
	if data == nil {
		data = []byte{}
	}
	found := p.find(name)
	if found == nil {
		found = &part{name: name}
		p.add(found)
	}
	found.data, found.tree, found.shared, found.isTouched, found.isChanged = data, nil, nil, false, true
	p.relations = map[string][]Relationship{}
	if contentType != "" && p.ContentType(name) != contentType {
		p.declareType(name, contentType)
	}
}

// ContentType returns the declared media type of a part, empty when none is
// declared.
func (p *Package) ContentType(name string) string {
	tree, err := p.View(contentTypesPart)
	if err != nil || tree.Root() == nil {
		return ""
	}
	var byExtension string
	extension := strings.TrimPrefix(path.Ext(name), ".")
	for _, e := range tree.Root().ChildElements() {
		switch e.Tag {
		case "Override":
			if strings.EqualFold(strings.TrimPrefix(e.SelectAttrValue("PartName", ""), "/"), name) {
				return e.SelectAttrValue("ContentType", "")
			}
		case "Default":
			if strings.EqualFold(e.SelectAttrValue("Extension", ""), extension) {
				byExtension = e.SelectAttrValue("ContentType", "")
			}
		}
	}
	return byExtension
}

// declareType writes an Override, which wins over the type of the extension.
func (p *Package) declareType(name, contentType string) {
	tree, err := p.XML(contentTypesPart)
	if err != nil || tree.Root() == nil {
		return
	}
	root := tree.Root()
	p.Touch(contentTypesPart)
	for _, e := range root.ChildElements() {
		if e.Tag == "Override" && strings.EqualFold(e.SelectAttrValue("PartName", ""), "/"+name) {
			e.CreateAttr("ContentType", contentType)
			return
		}
	}
	override := etree.NewElement("Override")
	override.Space = root.Space
	override.CreateAttr("PartName", "/"+name)
	override.CreateAttr("ContentType", contentType)
	root.AddChild(override)
}

func (p *Package) add(entry *part) {
	p.parts = append(p.parts, entry)
	p.byName[strings.ToLower(entry.name)] = entry
}

func (p *Package) find(name string) *part {
	return p.byName[strings.ToLower(strings.TrimPrefix(name, "/"))]
}

// bytes returns the contents of the part, edits included.
func (e *part) bytes() ([]byte, error) {
	if e.isTouched {
		data, err := e.tree.WriteToBytes()
		if err != nil {
			return nil, err
		}
		e.data, e.isTouched = data, false
	}
	if e.data == nil {
		data, err := inflate(e.file)
		if err != nil {
			return nil, err
		}
		e.data = data
	}
	return e.data, nil
}

// Bytes writes the container. The same edits of the same file always give the
// same bytes; parts that were not changed keep their place and their
// compressed form. A file that edits made too large to be read again is a
// RequestError.
func (p *Package) Bytes() ([]byte, error) {
	if err := p.checkSize(); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	buffer := make([]byte, 32<<10)
	for _, e := range p.parts {
		if err := writeEntry(w, e, buffer); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
