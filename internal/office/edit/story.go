package edit

import (
	"slices"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/opc"
)

// Editor replaces text in all stories of a document or presentation. It keeps
// what it has read of the paragraphs, so that many replacements cost little
// more than one; after any other edit of the XML, make a new one.
type Editor struct {
	pkg     *opc.Package
	stories []*story
	asides  []*Aside // that are filled
}

// story is a part with its paragraphs in the order of the XML.
type story struct {
	part    string
	owner   string // the part that shows it: its own, or that of a chart
	shelves []*shelf
}

// shelfLength is how many paragraphs are looked through at once.
const shelfLength = 64

// shelf is some neighbouring paragraphs with their texts in one, so that a text
// that stands in none of them costs one look.
type shelf struct {
	paragraphs []*editedParagraph
	isRead     bool
	text       string // the texts, one after the other
	folded     string // text in one case, made when it is needed
}

type editedParagraph struct {
	elem       *etree.Element
	isFallback bool // a second rendering of something that is there already
	isRead     bool
	pieces     []Piece
	text       string
}

// NewEditor opens the stories of a package: of a document its body, headers,
// footers, footnotes and endnotes, of a presentation its slides with their
// notes, and layouts and masters. Text boxes, tables, groups and content
// controls are part of the story they are in. Charts are stories of their own: their
// titles. Beside the stories stand what Asides returns. The error is a *FormatError.
func NewEditor(p *opc.Package) (*Editor, error) {
	e := &Editor{pkg: p}
	for _, part := range StoryParts(p) {
		if err := e.read(part, part); err != nil {
			return nil, err
		}
		for _, r := range p.Relationships(part) {
			if r.Type == "chart" && !r.External && p.Has(r.Target) {
				if err := e.read(r.Target, part); err != nil {
					return nil, err
				}
			}
		}
	}
	asides, err := Asides(p)
	for _, a := range asides {
		if a.IsFilled {
			e.asides = append(e.asides, a)
		}
	}
	return e, err
}

// read opens the story of a part.
func (e *Editor) read(part, owner string) error {
	tree, err := e.pkg.XML(part)
	if err != nil {
		return err
	}
	s := &story{part: part, owner: owner}
	s.shelve(editedParagraphs(nil, tree.Root(), false))
	e.stories = append(e.stories, s)
	return nil
}

// StoryParts returns the names of the parts that hold text, main part first.
func StoryParts(p *opc.Package) []string {
	main := p.MainPart()
	parts := []string{}
	seen := map[string]bool{}
	add := func(from string, types ...string) []string {
		var added []string
		for _, r := range p.Relationships(from) {
			for _, t := range types {
				if r.Type == t && !r.External && p.Has(r.Target) && !seen[r.Target] {
					seen[r.Target] = true
					added = append(added, r.Target)
				}
			}
		}
		parts = append(parts, added...)
		return added
	}
	seen[main] = true
	slides := add(main, "slide")
	if len(slides) == 0 {
		parts = append([]string{main}, parts...)
	}
	add(main, "header", "footer", "footnotes", "endnotes")
	for _, slide := range slides {
		add(slide, "notesSlide")
	}
	for _, master := range add(main, "slideMaster") {
		add(master, "slideLayout")
	}
	return parts
}

// editedParagraphs finds the paragraphs below e. A paragraph may hold others, in a text
// box.
func editedParagraphs(into []*editedParagraph, e *etree.Element, fallback bool) []*editedParagraph {
	for _, t := range e.Child {
		c, ok := t.(*etree.Element)
		if !ok {
			continue
		}
		if c.Tag == "p" && (c.Space == "w" || c.Space == "a") {
			into = append(into, &editedParagraph{elem: c, isFallback: fallback})
		}
		into = editedParagraphs(into, c, fallback || c.Space == "mc" && c.Tag == "Fallback")
	}
	return into
}

func (s *story) shelve(all []*editedParagraph) {
	s.shelves = nil
	for some := range slices.Chunk(all, shelfLength) {
		s.shelves = append(s.shelves, &shelf{paragraphs: some})
	}
}

// mayHold tells whether a text can stand in one of the paragraphs.
func (h *shelf) mayHold(f finder) bool {
	if !h.isRead {
		texts := make([]string, len(h.paragraphs))
		for i, p := range h.paragraphs {
			texts[i] = p.current()
		}
		h.text, h.folded, h.isRead = strings.Join(texts, "\n"), "", true
	}
	if f.matchCase {
		return strings.Contains(h.text, f.find)
	}
	if h.folded == "" {
		h.folded, _ = foldCase(h.text)
	}
	return strings.Contains(h.folded, f.find)
}

// current is the text of a paragraph as the edits so far left it.
func (p *editedParagraph) current() string {
	if !p.isRead {
		p.pieces = ParagraphPieces(p.elem)
		p.text, p.isRead = ParagraphText(p.pieces), true
	}
	return p.text
}

// ReplaceText replaces every place where a text stands inside one paragraph,
// in the parts given or, without any, in all stories, and returns their
// number. What was inserted is not searched again. The replacement takes the
// formatting of the first character it replaces; see Edit for what it may hold.
// A text that a drawing holds twice, for new and for old programs, is replaced
// in both and counted once; one that only old programs show counts too.
func (e *Editor) ReplaceText(find, replacement string, matchCase bool, parts ...string) int {
	f := newFinder(find, matchCase)
	count := 0
	for _, s := range e.stories {
		if len(parts) > 0 && !slices.Contains(parts, s.owner) {
			continue
		}
		count += s.replace(f, replacement, e.pkg)
	}
	for _, a := range e.asides {
		if len(parts) == 0 {
			count += a.replace(f, replacement)
		}
	}
	return count
}

// ReplaceText is Editor.ReplaceText for a single replacement.
func ReplaceText(p *opc.Package, find, replacement string, matchCase bool) (int, error) {
	e, err := NewEditor(p)
	if err != nil {
		return 0, err
	}
	return e.ReplaceText(find, replacement, matchCase), nil
}

func (s *story) replace(f finder, replacement string, pkg *opc.Package) int {
	count, fallback := 0, 0
	made := map[*etree.Element][]*etree.Element{}
	changed := false
	for _, h := range s.shelves {
		if !h.mayHold(f) {
			continue
		}
		for _, p := range h.paragraphs {
			edits := f.edits(p.current(), replacement)
			if len(edits) == 0 {
				continue
			}
			changed = true
			if p.isFallback {
				fallback += len(edits)
			} else {
				count += len(edits)
			}
			p.isRead, h.isRead = false, false
			if added := editParagraph(p.elem, p.pieces, edits); len(added) > 0 {
				made[p.elem] = added
			}
		}
	}
	if changed {
		pkg.Touch(s.part)
	}
	if len(made) > 0 {
		s.adopt(made)
	}
	if count == 0 {
		return fallback
	}
	return count
}

// adopt puts new paragraphs behind those they were split from, in the tree and
// in the story, touching each parent once.
func (s *story) adopt(made map[*etree.Element][]*etree.Element) {
	parents := map[*etree.Element]bool{}
	var all []*editedParagraph
	for _, h := range s.shelves {
		for _, p := range h.paragraphs {
			all = append(all, p)
			for _, e := range made[p.elem] {
				all = append(all, &editedParagraph{elem: e, isFallback: p.isFallback})
			}
			if parent := p.elem.Parent(); made[p.elem] != nil && parent != nil && !parents[parent] {
				parents[parent] = true
				for _, t := range detach(parent) {
					parent.AddChild(t)
					if e, ok := t.(*etree.Element); ok {
						for _, added := range made[e] {
							parent.AddChild(added)
						}
					}
				}
			}
		}
	}
	s.shelve(all)
}
