package merge

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/opc"
)

// A copier copies what stands in one file into a part of another.
type copier struct {
	*merger
	of       Source
	sheet    *sheet
	from, to string // parts
	// lists and definitions are the new numbers of lists, by the old ones: each copy of a
	// file has lists of its own, which begin again.
	lists, definitions map[string]string
	breaksPages        bool
	// marks are the new numbers of bookmarks, by the old ones.
	marks map[string]string
}

// blocks copies what stands in a body. A section that begins on a new page begins with a
// page break; all else of sections stays behind.
func (c *copier) blocks(body *etree.Element) ([]*etree.Element, error) {
	var all []*etree.Element
	breaks := false
	for _, e := range body.ChildElements() {
		if is(e, "sectPr") {
			continue
		}
		ends := find(find(e, "pPr"), "sectPr")
		made := e.Copy()
		if err := c.rewrite(made); err != nil {
			return nil, err
		}
		if isDropped(made) {
			continue
		}
		if is(made, "p") {
			c.styleParagraph(made)
		}
		if breaks && c.breaksPages {
			if !is(made, "p") {
				all = append(all, pageBreak())
			} else if properties := ensureProperties(made); find(properties, "pageBreakBefore") == nil {
				place(properties, etree.NewElement("w:pageBreakBefore"))
			}
		}
		breaks = ends != nil && valueOf(ends, "type") != "continuous" && valueOf(ends, "type") != "nextColumn"
		all = append(all, made)
	}
	// Word ends each file with a paragraph, which is often empty.
	if n := len(all); n > 1 && is(all[n-1], "p") && Text(all[n-1]) == "" && is(all[n-2], "p") && isBlank(all[n-1]) {
		all = all[:n-1]
	}
	return all, nil
}

func pageBreak() *etree.Element {
	p := etree.NewElement("w:p")
	p.CreateElement("w:r").CreateElement("w:br").CreateAttr("w:type", "page")
	return p
}

// isBlank tells of a paragraph with properties alone.
func isBlank(p *etree.Element) bool {
	for _, c := range p.ChildElements() {
		if !is(c, "pPr") && !is(c, "bookmarkStart") && !is(c, "bookmarkEnd") {
			return false
		}
	}
	return find(find(p, "pPr"), "numPr") == nil
}

func ensureProperties(p *etree.Element) *etree.Element {
	if properties := find(p, "pPr"); properties != nil {
		return properties
	}
	properties := etree.NewElement("w:pPr")
	p.InsertChildAt(0, properties)
	return properties
}

// dropped are elements that mean nothing in another file: what they refer to stays behind.
var dropped = []string{
	"sectPr", "commentRangeStart", "commentRangeEnd", "commentReference", "altChunk", "subDoc", "permStart", "permEnd", "proofErr", "lastRenderedPageBreak", "dataBinding",
}

func isDropped(e *etree.Element) bool { return e.Space == "w" && slices.Contains(dropped, e.Tag) }

// rewrite has a copy of an element refer to what the other file has.
func (c *copier) rewrite(e *etree.Element) error {
	if err := c.rewriteOne(e); err != nil {
		return err
	}
	for _, child := range e.ChildElements() {
		if isDropped(child) || is(child, "id") && is(e, "sdtPr") {
			e.RemoveChild(child)
			continue
		}
		if err := c.rewrite(child); err != nil {
			return err
		}
		if isDropped(child) { // a note where none can be
			e.RemoveChild(child)
		}
		if is(child, "p") {
			c.styleParagraph(child)
		}
	}
	return nil
}

// styleParagraph gives a paragraph that names no style the one that its file has for it.
func (c *copier) styleParagraph(p *etree.Element) {
	id := c.sheet.defaultParagraph()
	if id == "" || find(find(p, "pPr"), "pStyle") != nil {
		return
	}
	style := etree.NewElement("w:pStyle")
	style.CreateAttr("w:val", id)
	place(ensureProperties(p), style)
}

func (c *copier) rewriteOne(e *etree.Element) error {
	c.rewriteAttributes(e)
	if e.Tag == "docPr" {
		c.drawing++
		e.CreateAttr("id", strconv.Itoa(c.drawing))
	}
	if err := c.rewriteRelations(e); err != nil {
		return err
	}
	if e.Space != "w" {
		return nil
	}
	switch e.Tag {
	case "pStyle", "rStyle", "tblStyle":
		id, err := c.sheet.style(e.SelectAttrValue("w:val", ""), c)
		if err != nil {
			return err
		}
		e.CreateAttr("w:val", id)
	case "numId":
		id, err := c.list(e.SelectAttrValue("w:val", ""))
		if err != nil {
			return err
		}
		e.CreateAttr("w:val", id)
	case "bookmarkStart":
		c.bookmark++
		name := e.SelectAttrValue("w:name", "")
		if own := c.names[name]; own != "" {
			e.CreateAttr("w:name", own)
		}
		c.marks[e.SelectAttrValue("w:id", "")] = strconv.Itoa(c.bookmark)
		e.CreateAttr("w:id", strconv.Itoa(c.bookmark))
	case "bookmarkEnd":
		if id := c.marks[e.SelectAttrValue("w:id", "")]; id != "" {
			e.CreateAttr("w:id", id)
		}
	case "hyperlink":
		if own := c.names[e.SelectAttrValue("w:anchor", "")]; own != "" {
			e.CreateAttr("w:anchor", own)
		}
	case "instrText":
		e.SetText(c.instruction(e.Text()))
	case "fldSimple":
		e.CreateAttr("w:instr", c.instruction(e.SelectAttrValue("w:instr", "")))
	case "footnoteReference", "endnoteReference":
		return c.note(e)
	case "rFonts", "color", "shd", "top", "left", "bottom", "right", "insideH", "insideV", "between", "u", "bdr":
		c.sheet.untheme(e)
	}
	return nil
}

// instruction has the instruction of a field name bookmarks by their new names.
func (c *copier) instruction(text string) string {
	words := strings.Split(text, " ")
	for i, w := range words {
		name := strings.Trim(w, `"`)
		if own := c.names[name]; own != "" && i > 0 {
			words[i] = strings.Replace(w, name, own, 1)
		}
	}
	return strings.Join(words, " ")
}

// rewriteAttributes takes marks off that number revisions and paragraphs of one file.
func (c *copier) rewriteAttributes(e *etree.Element) {
	e.Attr = slices.DeleteFunc(e.Attr, func(a etree.Attr) bool {
		return a.Space == "w" && strings.HasPrefix(a.Key, "rsid") || a.Space == "w14" && (a.Key == "paraId" || a.Key == "textId")
	})
}

// rewriteRelations copies what an element refers to by a relationship.
func (c *copier) rewriteRelations(e *etree.Element) error {
	for i, a := range e.Attr {
		if a.Space != "r" {
			continue
		}
		r, ok := c.of.Package.Relationship(c.from, a.Value)
		if !ok {
			continue
		}
		id, err := c.relate(c.of.Package, c.from, r, c.to)
		if err != nil {
			return err
		}
		e.Attr[i].Value = id
	}
	return nil
}

// relate gives a part the relationship of a part of another package.
func (m *merger) relate(from *opc.Package, part string, r opc.Relationship, to string) (string, error) {
	target := r.Target
	if !r.External {
		name, err := m.copyPart(from, r.Target)
		if err != nil {
			return "", err
		}
		target = "/" + name
	}
	id, err := m.pkg.Relate(to, r.Type, target, r.External)
	if err != nil {
		return "", fmt.Errorf("relate %s: %w", to, err)
	}
	return id, m.copyType(from, part, r.ID, to, id)
}

// copyType gives a relationship the type of another as it is written: some are not among
// those of the standard.
func (m *merger) copyType(from *opc.Package, part, old, to, id string) error {
	written, err := relationOf(from, part, old)
	if err != nil || written == nil {
		return err
	}
	made, err := relationOf(m.pkg, to, id)
	if err != nil || made == nil {
		return err
	}
	made.CreateAttr("Type", written.SelectAttrValue("Type", ""))
	m.pkg.Touch(relationsPart(to))
	return nil
}

func relationOf(p *opc.Package, part, id string) (*etree.Element, error) {
	tree, err := p.XML(relationsPart(part))
	if err != nil {
		return nil, fmt.Errorf("read the relationships of %s: %w", part, err)
	}
	for _, e := range tree.Root().ChildElements() {
		if e.SelectAttrValue("Id", "") == id {
			return e, nil
		}
	}
	return nil, nil
}

// relationsPart is where the relationships of a part are.
func relationsPart(part string) string {
	return path.Join(path.Dir(part), "_rels", path.Base(part)+".rels")
}

// copyPart copies a part of another package with all that it refers to, and returns its
// name. A picture that stands in several places is copied once.
func (m *merger) copyPart(from *opc.Package, part string) (string, error) {
	known := m.parts[from]
	if known == nil {
		known = map[string]string{}
		m.parts[from] = known
	}
	if name := known[part]; name != "" {
		return name, nil
	}
	data, ok := from.Part(part)
	if !ok {
		return "", &Error{"A part of the file is missing or damaged: open it in Word, and save it."}
	}
	extension := path.Ext(part)
	stem := strings.TrimRight(strings.TrimSuffix(part, extension), "0123456789")
	name := ""
	for n := 1; name == "" || m.pkg.Has(name); n++ {
		name = stem + strconv.Itoa(n) + extension
	}
	known[part] = name
	m.pkg.SetPart(name, from.ContentType(part), slices.Clone(data))
	relations := from.Relationships(part)
	if len(relations) == 0 {
		return name, nil
	}
	tree := etree.NewDocument()
	written, _ := from.Part(relationsPart(part))
	if err := tree.ReadFromBytes(written); err != nil {
		return "", fmt.Errorf("read the relationships of %s: %w", part, err)
	}
	for _, r := range relations {
		if r.External || !from.Has(r.Target) {
			continue
		}
		target, err := m.copyPart(from, r.Target)
		if err != nil {
			return "", err
		}
		for _, e := range tree.Root().ChildElements() {
			if e.SelectAttrValue("Id", "") == r.ID {
				e.CreateAttr("Target", "/"+target)
			}
		}
	}
	data, err := tree.WriteToBytes()
	if err != nil {
		return "", fmt.Errorf("write the relationships of %s: %w", part, err)
	}
	m.pkg.SetPart(relationsPart(name), "application/vnd.openxmlformats-package.relationships+xml", data)
	return name, nil
}

// note copies the footnote or endnote that an element refers to. Headers, footers and notes
// have none (17.11.14): there the reference goes.
func (c *copier) note(e *etree.Element) error {
	kind := strings.TrimSuffix(e.Tag, "Reference")
	if c.to != c.main {
		e.Tag = "commentReference" // which is left out
		return nil
	}
	root, err := rootOf(c.of.Package, kind+"s")
	if err != nil {
		return err
	}
	var note *etree.Element
	if root != nil {
		for _, n := range root.ChildElements() {
			if is(n, kind) && n.SelectAttrValue("w:id", "") == e.SelectAttrValue("w:id", "") {
				note = n
			}
		}
	}
	if note == nil {
		e.Tag = "commentReference"
		return nil
	}
	separators := fmt.Sprintf(`<w:%[1]s w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:%[1]s><w:%[1]s w:type="continuationSeparator" w:id="0"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:%[1]s>`, kind)
	into, part, err := c.ensure(kind+"s", kind+"s", separators)
	if err != nil {
		return err
	}
	if err := c.declare(part, root); err != nil {
		return err
	}
	id := 1
	for _, n := range into.ChildElements() {
		id = max(id, number(n.SelectAttrValue("w:id", ""))+1)
	}
	made := note.Copy()
	inner := *c
	inner.from, inner.to = relatedPart(c.of.Package, kind+"s"), part
	if err := inner.rewrite(made); err != nil {
		return err
	}
	made.CreateAttr("w:id", strconv.Itoa(id))
	into.AddChild(made)
	e.CreateAttr("w:id", strconv.Itoa(id))
	return nil
}
