// Package merge puts .docx files into another one: their text with its styles, lists,
// notes, pictures and links (ECMA-376 part 1, 17). Each keeps what it looks like. Pages,
// headers and footers stay those of the file that they are put into, and its parts that
// nothing is put into stay as they were, byte for byte.
//
// It knows no tags: who calls says which paragraph makes room for which files.
package merge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/opc"
)

// A Source is a file that is put into another. It is read, and not changed.
type Source struct {
	Name    string // tells its styles apart, where others have their names
	Package *opc.Package
}

// An Error says why a file cannot be put into another, in words for its author.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// Into puts files in the place of paragraphs. choose gets the text of each paragraph of
// the body, headers, footers and notes, text boxes included, and says which files take its
// place: none and true leaves nothing of it. Paragraphs of what was put in are not asked
// about. It returns how many paragraphs made room.
func Into(p *opc.Package, choose func(text string) (files []Source, ok bool, err error)) (int, error) {
	m := &merger{pkg: p, main: p.MainPart(), names: map[string]string{}, parts: map[*opc.Package]map[string]string{}}
	replaced := 0
	for _, part := range m.stories() {
		tree, err := p.XML(part)
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", part, err)
		}
		touched := false
		for _, paragraph := range paragraphs(tree.Root(), nil) {
			files, ok, err := choose(Text(paragraph))
			if err != nil {
				return 0, err
			}
			if !ok {
				continue
			}
			if err := m.replace(part, paragraph, files); err != nil {
				return 0, err
			}
			replaced, touched = replaced+1, true
		}
		if touched {
			p.Touch(part)
		}
	}
	return replaced, nil
}

// Texts are those of the paragraphs that Into asks about, in the same order.
func Texts(p *opc.Package) ([]string, error) {
	m := &merger{pkg: p, main: p.MainPart()}
	var all []string
	for _, part := range m.stories() {
		tree, err := p.View(part)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", part, err)
		}
		for _, paragraph := range paragraphs(tree.Root(), nil) {
			all = append(all, Text(paragraph))
		}
	}
	return all, nil
}

// Text is that of a paragraph, without what is deleted in it and without text boxes.
func Text(paragraph *etree.Element) string {
	var b strings.Builder
	var walk func(e *etree.Element)
	walk = func(e *etree.Element) {
		for _, c := range e.ChildElements() {
			switch {
			case is(c, "t"):
				b.WriteString(c.Text())
			case is(c, "tab"), is(c, "br"):
				b.WriteByte('\n') // which stands in no tag
			case is(c, "pPr"), is(c, "del"), is(c, "moveFrom"), c.Tag == "txbxContent":
			default:
				walk(c)
			}
		}
	}
	walk(paragraph)
	return b.String()
}

func is(e *etree.Element, tag string) bool { return e.Tag == tag && e.Space == "w" }

// paragraphs are those of a story, also those in text boxes. Of what is written for old
// programs a second time, both are.
func paragraphs(e *etree.Element, all []*etree.Element) []*etree.Element {
	for _, c := range e.ChildElements() {
		if is(c, "p") {
			all = append(all, c)
		}
		all = paragraphs(c, all)
	}
	return all
}

// A merger holds what files that are put into one package share.
type merger struct {
	pkg   *opc.Package
	main  string
	files int // how many were put in
	// names are bookmarks, by what they are called in the file that is put in now.
	names    map[string]string
	taken    map[string]bool // names of bookmarks; nil before they are known
	bookmark int             // the highest number of a bookmark
	drawing  int             // the highest number of a drawing
	// parts are copies of parts of other packages.
	parts  map[*opc.Package]map[string]string
	styles *styleSheet
}

// stories are the parts with text.
func (m *merger) stories() []string {
	all := []string{m.main}
	for _, r := range m.pkg.Relationships(m.main) {
		switch r.Type {
		case "header", "footer", "footnotes", "endnotes":
			if !r.External && m.pkg.Has(r.Target) && !slices.Contains(all, r.Target) {
				all = append(all, r.Target)
			}
		}
	}
	return all
}

// replace puts files in the place of a paragraph.
func (m *merger) replace(part string, p *etree.Element, files []Source) error {
	var content []*etree.Element
	for _, f := range files {
		made, err := m.content(part, p, f)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		content = append(content, made...)
	}
	parent := p.Parent()
	at := p.Index()
	for i, e := range content {
		parent.InsertChildAt(at+i, e)
	}
	if keeps(p, content) {
		empty(p)
		return nil
	}
	parent.RemoveChild(p)
	return nil
}

// keeps tells whether a paragraph has to stay, empty: a section ends with it, or what it
// stands in ends with a paragraph (17.4.65, 17.10.1).
func keeps(p *etree.Element, content []*etree.Element) bool {
	if find(find(p, "pPr"), "sectPr") != nil {
		return true
	}
	siblings := p.Parent().ChildElements()
	i := slices.Index(siblings, p)
	behind := i + 1
	for behind < len(siblings) && !is(siblings[behind], "p") && !is(siblings[behind], "tbl") && !is(siblings[behind], "sdt") {
		behind++
	}
	isLast := behind == len(siblings)
	if len(content) > 0 {
		return isLast && !is(content[len(content)-1], "p")
	}
	if !isLast {
		return false
	}
	for i--; i >= 0; i-- {
		switch {
		case is(siblings[i], "p"):
			return false
		case is(siblings[i], "tbl"), is(siblings[i], "sdt"):
			return true
		}
	}
	return true
}

// empty leaves of a paragraph its properties.
func empty(p *etree.Element) {
	for _, c := range p.ChildElements() {
		if !is(c, "pPr") {
			p.RemoveChild(c)
		}
	}
}

// content copies what stands in a file for a place in a part.
func (m *merger) content(part string, place *etree.Element, f Source) ([]*etree.Element, error) {
	main := f.Package.MainPart()
	tree, err := f.Package.View(main)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", main, err)
	}
	body := find(tree.Root(), "body")
	if body == nil {
		return nil, &Error{"The file has no text."}
	}
	m.files++
	c := &copier{merger: m, of: f, from: main, to: part, lists: map[string]string{}, definitions: map[string]string{}, marks: map[string]string{}}
	if err := m.declare(part, tree.Root()); err != nil {
		return nil, err
	}
	if c.sheet, err = m.sheetOf(f); err != nil {
		return nil, err
	}
	m.rename(body)
	c.breaksPages = place.Parent() != nil && is(place.Parent(), "body")
	return c.blocks(body)
}

// declare has a part know the prefixes of another's root, and which of them programs may
// pass over.
func (m *merger) declare(part string, from *etree.Element) error {
	tree, err := m.pkg.XML(part)
	if err != nil {
		return fmt.Errorf("read %s: %w", part, err)
	}
	root := tree.Root()
	for _, a := range from.Attr {
		if a.Space != "xmlns" {
			continue
		}
		switch known := root.SelectAttr("xmlns:" + a.Key); {
		case known == nil:
			root.CreateAttr("xmlns:"+a.Key, a.Value)
		case known.Value != a.Value:
			return &Error{fmt.Sprintf("The prefix %.20q stands for different things in the two files: save both with the same program.", a.Key)}
		}
	}
	if ignorable := from.SelectAttrValue("mc:Ignorable", ""); ignorable != "" {
		all := strings.Fields(root.SelectAttrValue("mc:Ignorable", ""))
		for _, prefix := range strings.Fields(ignorable) {
			if !slices.Contains(all, prefix) && root.SelectAttr("xmlns:"+prefix) != nil {
				all = append(all, prefix)
			}
		}
		root.CreateAttr("mc:Ignorable", strings.Join(all, " "))
	}
	return nil
}

// rename finds new names for bookmarks whose names are taken.
func (m *merger) rename(body *etree.Element) {
	if m.taken == nil {
		m.taken, m.drawing = map[string]bool{}, 1
		for _, part := range m.stories() {
			if tree, err := m.pkg.View(part); err == nil {
				m.count(tree.Root())
			}
		}
	}
	m.names = map[string]string{}
	each(body, func(e *etree.Element) {
		if is(e, "bookmarkStart") {
			name := e.SelectAttrValue("w:name", "")
			own := name
			for n := m.files; m.taken[strings.ToLower(own)]; n++ {
				own = fmt.Sprintf("%.30s_%d", name, n)
			}
			m.taken[strings.ToLower(own)] = true
			m.names[name] = own
		}
	})
}

// count notes the names and the highest numbers of a story.
func (m *merger) count(root *etree.Element) {
	each(root, func(e *etree.Element) {
		switch {
		case is(e, "bookmarkStart"):
			m.taken[strings.ToLower(e.SelectAttrValue("w:name", ""))] = true
			m.bookmark = max(m.bookmark, number(e.SelectAttrValue("w:id", "")))
		case e.Tag == "docPr":
			m.drawing = max(m.drawing, number(e.SelectAttrValue("id", "")))
		}
	})
}

func number(text string) int {
	n, err := strconv.ParseInt(text, 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}

func each(e *etree.Element, do func(*etree.Element)) {
	for _, c := range e.ChildElements() {
		do(c)
		each(c, do)
	}
}

// find is the first child of a name; nil for none, and of nil.
func find(e *etree.Element, tag string) *etree.Element {
	if e == nil {
		return nil
	}
	for _, c := range e.ChildElements() {
		if is(c, tag) {
			return c
		}
	}
	return nil
}

func valueOf(e *etree.Element, tag string) string {
	if c := find(e, tag); c != nil {
		return c.SelectAttrValue("w:val", "")
	}
	return ""
}

func setValue(e *etree.Element, tag, value string) *etree.Element {
	c := e.CreateElement("w:" + tag)
	c.CreateAttr("w:val", value)
	return c
}

// relatedPart is the part that the main part has for something, such as styles; empty for
// none.
func relatedPart(p *opc.Package, kind string) string {
	for _, r := range p.Relationships(p.MainPart()) {
		if r.Type == kind && !r.External && p.Has(r.Target) {
			return r.Target
		}
	}
	return ""
}

// root is the tree of the part for something; nil where there is none.
func rootOf(p *opc.Package, kind string) (*etree.Element, error) {
	part := relatedPart(p, kind)
	if part == "" {
		return nil, nil
	}
	tree, err := p.View(part)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", part, err)
	}
	return tree.Root(), nil
}

const wordNamespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"

// ensure returns the tree of the part for something, which is made where there is none.
func (m *merger) ensure(kind, root, more string) (*etree.Element, string, error) {
	part := relatedPart(m.pkg, kind)
	if part == "" {
		part = "word/" + kind + ".xml"
		for n := 2; m.pkg.Has(part); n++ {
			part = fmt.Sprintf("word/%s%d.xml", kind, n)
		}
		m.pkg.SetPart(part, "application/vnd.openxmlformats-officedocument.wordprocessingml."+kind+"+xml",
			[]byte(`<w:`+root+` xmlns:w="`+wordNamespace+`">`+more+`</w:`+root+`>`))
		if _, err := m.pkg.Relate(m.main, kind, "/"+part, false); err != nil {
			return nil, "", fmt.Errorf("add %s: %w", kind, err)
		}
	}
	tree, err := m.pkg.XML(part)
	if err != nil {
		return nil, "", fmt.Errorf("read %s: %w", part, err)
	}
	m.pkg.Touch(part)
	return tree.Root(), part, nil
}
