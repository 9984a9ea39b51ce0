package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/opc"
)

// A styleSheet is the styles of the file that others are put into.
type styleSheet struct {
	root   *etree.Element
	sheets map[*opc.Package]*sheet
}

// A sheet maps the styles of a file to those of the file that it is put into.
type sheet struct {
	*merger
	of     Source
	root   *etree.Element // nil: the file has none
	mapped map[string]string
	same   map[string]bool // by id, whether the other file has a style that is equal
	// isPlain says that theme fonts and colours are written out: the themes differ. fonts
	// are what they stand for.
	isPlain bool
	fonts   map[string]string
	// hasDefaults says that both files have the same defaults (17.7.5).
	hasDefaults bool
	paragraphs  *string // the style of paragraphs that name none; nil before it is asked for
}

func (m *merger) sheetOf(f Source) (*sheet, error) {
	if m.styles == nil {
		root, _, err := m.ensure("styles", "styles", "")
		if err != nil {
			return nil, err
		}
		m.styles = &styleSheet{root: root, sheets: map[*opc.Package]*sheet{}}
	}
	if s := m.styles.sheets[f.Package]; s != nil {
		return s, nil
	}
	root, err := rootOf(f.Package, "styles")
	if err != nil {
		return nil, err
	}
	s := &sheet{merger: m, of: f, root: root, mapped: map[string]string{}, same: map[string]bool{}}
	if err := s.compareThemes(); err != nil {
		return nil, err
	}
	s.hasDefaults = canonical(find(root, "docDefaults")) == canonical(find(m.styles.root, "docDefaults"))
	m.styles.sheets[f.Package] = s
	return s, nil
}

// style is the id that a style has here: its own where this file has an equal one, else that
// of a copy. A style that the file does not have is none.
func (s *sheet) style(id string, c *copier) (string, error) {
	of := styleBy(s.root, "w:styleId", id)
	if of == nil {
		return id, nil
	}
	if own := s.mapped[id]; own != "" {
		return own, nil
	}
	if there := named(s.styles.root, of); there != nil && s.isSame(of, there, 0) {
		s.mapped[id] = there.SelectAttrValue("w:styleId", "")
		return s.mapped[id], nil
	}
	return s.add(of, id, c)
}

// add copies a style, under a name of its own where its name is taken.
func (s *sheet) add(of *etree.Element, id string, c *copier) (string, error) {
	own, name := id, valueOf(of, "name")
	isTaken := named(s.styles.root, of) != nil
	for n := 1; isTaken && named(s.styles.root, renamed(of, name)) != nil || styleBy(s.styles.root, "w:styleId", own) != nil; n++ {
		own = fmt.Sprintf("%s-%d", id, n)
		name = valueOf(of, "name") + " (" + s.of.Name + ")"
		if n > 1 {
			name = fmt.Sprintf("%s (%s %d)", valueOf(of, "name"), s.of.Name, n)
		}
		isTaken = true
	}
	s.mapped[id] = own
	made := renamed(of, name)
	made.CreateAttr("w:styleId", own)
	made.RemoveAttr("w:default")
	if isTaken {
		made.CreateAttr("w:customStyle", "1")
	}
	s.styles.root.AddChild(made)
	for _, e := range made.ChildElements() {
		switch e.Tag {
		case "basedOn", "next", "link":
			other, err := s.style(e.SelectAttrValue("w:val", ""), c)
			if err != nil {
				return "", err
			}
			e.CreateAttr("w:val", other)
		case "aliases", "rsid":
			made.RemoveChild(e)
		}
	}
	var failed error
	each(made, func(e *etree.Element) {
		if is(e, "numId") && failed == nil {
			var list string
			list, failed = c.list(e.SelectAttrValue("w:val", ""))
			e.CreateAttr("w:val", list)
		}
		s.untheme(e)
	})
	if failed != nil {
		return "", failed
	}
	if !s.hasDefaults && find(made, "basedOn") == nil && made.SelectAttrValue("w:type", "") == "paragraph" {
		s.foldDefaults(made)
	}
	return own, nil
}

// renamed is a copy of a style under another name.
func renamed(of *etree.Element, name string) *etree.Element {
	made := of.Copy()
	if e := find(made, "name"); e != nil {
		e.CreateAttr("w:val", name)
	}
	return made
}

// defaultParagraph is the style of paragraphs that name none, where that is not the one
// that they get here; empty: it is.
func (s *sheet) defaultParagraph() string {
	if s.paragraphs != nil {
		return *s.paragraphs
	}
	none := ""
	s.paragraphs = &none
	of, there := defaultStyle(s.root), defaultStyle(s.styles.root)
	if of == nil && s.hasDefaults {
		return ""
	}
	if of == nil {
		of = etree.NewElement("w:style")
		of.CreateAttr("w:type", "paragraph")
		of.CreateAttr("w:styleId", "Normal")
		setValue(of, "name", "Normal")
	}
	if there != nil && s.isSame(of, there, 0) {
		return ""
	}
	c := &copier{merger: s.merger, of: s.of, sheet: s, lists: map[string]string{}, definitions: map[string]string{}}
	id := of.SelectAttrValue("w:styleId", "Normal")
	own := s.mapped[id]
	if own == "" {
		var err error
		if own, err = s.add(of, id, c); err != nil {
			return ""
		}
	}
	s.paragraphs = &own
	return own
}

func defaultStyle(root *etree.Element) *etree.Element {
	if root == nil {
		return nil
	}
	for _, e := range root.ChildElements() {
		if isDefault := e.SelectAttrValue("w:default", "0"); is(e, "style") && e.SelectAttrValue("w:type", "") == "paragraph" && (isDefault == "1" || isDefault == "true") {
			return e
		}
	}
	return nil
}

// styleBy is the style with a value of an attribute.
func styleBy(root *etree.Element, key, value string) *etree.Element {
	if root == nil || value == "" {
		return nil
	}
	for _, e := range root.ChildElements() {
		if is(e, "style") && e.SelectAttrValue(key, "") == value {
			return e
		}
	}
	return nil
}

// named is the style of the same kind with the same name. Names are compared without
// regard to case, as Word does for its own.
func named(root, of *etree.Element) *etree.Element {
	name, kind := valueOf(of, "name"), of.SelectAttrValue("w:type", "")
	for _, e := range root.ChildElements() {
		if is(e, "style") && strings.EqualFold(valueOf(e, "name"), name) && e.SelectAttrValue("w:type", "") == kind {
			return e
		}
	}
	return nil
}

// maxBases is how many styles may be based on one another.
const maxBases = 20

// isSame tells of styles that text gets the same from.
func (s *sheet) isSame(of, there *etree.Element, depth int) bool {
	id := of.SelectAttrValue("w:styleId", "")
	if known, ok := s.same[id]; ok {
		return known
	}
	same := s.compare(of, there, depth)
	if id != "" {
		s.same[id] = same
	}
	return same
}

func (s *sheet) compare(of, there *etree.Element, depth int) bool {
	if depth > maxBases || canonical(of) != canonical(there) {
		return false
	}
	if s.isPlain && themed(of) {
		return false
	}
	base, other := styleBy(s.root, "w:styleId", valueOf(of, "basedOn")), styleBy(s.styles.root, "w:styleId", valueOf(there, "basedOn"))
	switch {
	case base == nil && other == nil:
		return s.hasDefaults || of.SelectAttrValue("w:type", "") != "paragraph"
	case base == nil || other == nil || !strings.EqualFold(valueOf(base, "name"), valueOf(other, "name")):
		return false
	}
	return s.isSame(base, other, depth+1) && s.sameList(of, there)
}

// sameList tells of styles whose lists look alike, or that have none.
func (s *sheet) sameList(of, there *etree.Element) bool {
	id, other := valueOf(find(find(of, "pPr"), "numPr"), "numId"), valueOf(find(find(there, "pPr"), "numPr"), "numId")
	if id == "" || other == "" {
		return id == other
	}
	shape := func(p *opc.Package, id string) string {
		root, err := rootOf(p, "numbering")
		if err != nil || root == nil {
			return ""
		}
		return canonical(numbered(root, "abstractNum", "w:abstractNumId", valueOf(numbered(root, "num", "w:numId", id), "abstractNumId")))
	}
	return shape(s.of.Package, id) == shape(s.pkg, other)
}

// unseen are properties of styles and lists that change nothing of a text.
var unseen = []string{
	"name", "aliases", "basedOn", "next", "link", "rsid", "uiPriority", "semiHidden", "unhideWhenUsed", "qFormat", "locked", "nsid", "tmpl", "numId", "pStyle", "styleLink", "numStyleLink",
}

// canonical writes what a style says of a text.
func canonical(e *etree.Element) string {
	if e == nil {
		return ""
	}
	var b strings.Builder
	var write func(e *etree.Element)
	write = func(e *etree.Element) {
		for _, c := range e.ChildElements() {
			if slices.Contains(unseen, c.Tag) {
				continue
			}
			b.WriteString("<" + c.Space + ":" + c.Tag)
			attributes := slices.Clone(c.Attr)
			slices.SortFunc(attributes, func(a, b etree.Attr) int { return strings.Compare(a.FullKey(), b.FullKey()) })
			for _, a := range attributes {
				if a.Space != "w15" && !strings.HasPrefix(a.Key, "rsid") {
					b.WriteString(" " + a.FullKey() + "=" + a.Value)
				}
			}
			b.WriteString(">")
			write(c)
			b.WriteString("</>")
		}
	}
	write(e)
	return b.String()
}
