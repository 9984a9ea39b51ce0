package pdf

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
)

// Role is what an element of a document's structure is (ISO 32000-1, 14.8.4).
type Role string

// The roles of elements. Artifact is none of them: it is what readers leave out, as headers,
// footers and everything that is drawn outside of an element with text.
const (
	Document   Role = "Document"
	Section    Role = "Sect"
	Division   Role = "Div"
	Text       Role = "P"
	Heading    Role = "H"
	List       Role = "L"
	ListItem   Role = "LI"
	Label      Role = "Lbl"
	ListBody   Role = "LBody"
	Table      Role = "Table"
	Row        Role = "TR"
	HeaderCell Role = "TH"
	Cell       Role = "TD"
	Figure     Role = "Figure"
	Formula    Role = "Formula"
	Link       Role = "Link"
	Note       Role = "Note"
	Artifact   Role = "Artifact"
)

// Tag says what an element is.
type Tag struct {
	Role Role
	// Level is that of a heading, from 0 on. Levels that are skipped are closed up.
	Level int
	// Alt is the description of a figure or a formula, and the text of a link.
	Alt string
	// Lang is the language of its text, "" for that of what it stands in. A name that is no
	// language tag is left out.
	Lang string
	// Name tells lists apart; it is "Header" or "Footer" for an Artifact of that kind.
	Name string
	// Columns and Rows are how many a cell spans, 0 for one.
	Columns, Rows int
	// Box is where a figure or a formula stands on its page.
	Box Box
}

// Box is a rectangle of a page, in points from its upper left corner.
type Box struct{ X, Y, W, H float64 }

// element is a node of the tree.
type element struct {
	Tag
	parent *element
	kids   []kid
	// into is the element that has taken what this one held, nil for none.
	into   *element
	object int
}

// kid is what an element holds: another one, marked content of a page, or a link.
type kid struct {
	element *element
	link    *link
	page    int
	content int
}

// structure is what a document is made of, beside what its pages show
// (ISO 32000-1, 14.7 and 14.8).
type structure struct {
	root *element
	// known are elements by the keys that they began under.
	known map[any]*element
	// apart are elements that were drawn before their place in the tree was reached.
	apart []*element
	// open are the elements that were begun, the last one that of what is drawn.
	open []*element
	// owner is that of the marks in the content of the page, nil for decoration; depth is how
	// many are open, and entries what they say of the text.
	owner   *element
	depth   int
	entries string
	// owners are those of each page's marked content, by its number.
	owners [][]*element
	loose  map[string]*element // links that stand in artifacts, by where they lead
	// languages says which of the names that were given are those of a language.
	languages map[string]bool
}

// holdsText says whether what is drawn in an element is its content. In the others it is
// decoration.
func (e *element) holdsText() bool {
	switch e.Role {
	case Text, Heading, Label, Figure, Formula, Link:
		return true
	}
	return false
}

// isWhole says that nothing in an element is an element of its own.
func (e *element) isWhole() bool { return e.Role == Figure || e.Role == Formula || e.Role == Artifact }

// Begin has what follows belong to an element, until the matching End. It is the one that
// began under the same key before, or a new one at the end of what is open; nil is always
// new. What is in a figure, a formula or an artifact stays in it. The first element is the document.
func (c *Canvas) Begin(key any, tag Tag) {
	if c.tree.root == nil {
		c.tree.root, c.tree.known = c.tree.element(tag), map[any]*element{}
		c.tree.open = append(c.tree.open, c.tree.root)
		return
	}
	at := c.tree.at()
	if !at.isWhole() {
		at = c.tree.find(key, tag, at)
	}
	c.tree.open = append(c.tree.open, at)
}

// End ends what was begun last.
func (c *Canvas) End() { c.tree.open = c.tree.open[:len(c.tree.open)-1] }

// Resume goes on with the element of a key; false where none began under it. Inside of a figure
// or an artifact it goes on with that.
func (c *Canvas) Resume(key any) bool {
	at := c.tree.at()
	if !at.isWhole() {
		if at = c.tree.known[key]; at == nil {
			return false
		}
	}
	c.tree.open = append(c.tree.open, at)
	return true
}

// Place gives an element its place in the tree, for something that is drawn before or after
// what stands beside it. It begins nothing.
func (c *Canvas) Place(key any, tag Tag) {
	at := c.tree.at()
	if at.isWhole() {
		return
	}
	if e := c.tree.find(key, tag, at); e.parent == nil {
		at.add(e)
	}
}

// Apart is Begin of an element that Place gives its place.
func (c *Canvas) Apart(key any, tag Tag) {
	at := c.tree.at()
	if !at.isWhole() {
		known := c.tree.known[key]
		if known == nil {
			known = c.tree.element(tag)
			c.tree.known[key], c.tree.apart = known, append(c.tree.apart, known)
		}
		at = known
	}
	c.tree.open = append(c.tree.open, at)
}

// Item places the point of a list with its label and its text, which begin under their
// keys. Points that follow each other with the same name are one list, those of a higher
// level are in the point before them.
func (c *Canvas) Item(label, text any, list string, level int, tag Tag) {
	t := &c.tree
	at := t.at()
	if at.isWhole() {
		return
	}
	for ; level > 0; level-- {
		last := at.last(List)
		if last == nil {
			break
		}
		point := last.kids[len(last.kids)-1].element
		at = point.kids[len(point.kids)-1].element
	}
	points := at.last(List)
	if points == nil || points.Name != list {
		points = at.add(t.element(Tag{Role: List, Name: list}))
	}
	point := points.add(t.element(Tag{Role: ListItem}))
	t.known[label] = point.add(t.element(Tag{Role: Label, Lang: tag.Lang}))
	t.known[text] = point.add(t.element(Tag{Role: ListBody})).add(t.element(tag))
}

// say has the marks of what is drawn say something of it (ISO 32000-1, 14.9), such as its
// language.
func (c *Canvas) say(entries string, draw func()) {
	before := c.tree.entries
	c.unmark()
	c.tree.entries = before + entries
	draw()
	c.unmark()
	c.tree.entries = before
}

// InLanguage draws text of another language than that of its element; what is no language
// draws it as it is.
func (c *Canvas) InLanguage(lang string, draw func()) {
	at, lang := c.tree.at(), c.tree.language(lang)
	for at != nil && at.Lang == "" && at.parent != nil {
		at = at.parent
	}
	if lang == "" || at == nil || lang == cmp.Or(at.Lang, c.lang) {
		draw()
		return
	}
	c.say(fmt.Sprintf("/Lang (%s)", lang), draw)
}

// Lang is the language of the document.
func (c *Canvas) Lang() string { return c.lang }

// languageTag is how a language is named (RFC 5646, 2.1), but for private use.
var languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

// language is lang, or "" where that is no name of a language: files have what they like.
func (t *structure) language(lang string) string {
	is, known := t.languages[lang]
	if !known {
		if t.languages == nil {
			t.languages = map[string]bool{}
		}
		is = languageTag.MatchString(lang)
		t.languages[lang] = is
	}
	if !is {
		return ""
	}
	return lang
}

// element is a new element, which is nowhere in the tree yet.
func (t *structure) element(tag Tag) *element {
	tag.Lang = t.language(tag.Lang)
	return &element{Tag: tag}
}

func (t *structure) at() *element {
	if len(t.open) == 0 {
		return t.root
	}
	return t.open[len(t.open)-1]
}

// find is the element of a key, or a new one in another.
func (t *structure) find(key any, tag Tag, in *element) *element {
	if key != nil {
		if known := t.known[key]; known != nil {
			return known
		}
	}
	e := t.element(tag)
	if tag.Role != Artifact {
		in.add(e)
	}
	if key != nil {
		t.known[key] = e
	}
	return e
}

func (e *element) add(child *element) *element {
	child.parent = e
	e.kids = append(e.kids, kid{element: child})
	return child
}

// last is the last of an element's kids, where it has the role.
func (e *element) last(role Role) *element {
	if n := len(e.kids); n > 0 && e.kids[n-1].element != nil && e.kids[n-1].element.Role == role {
		return e.kids[n-1].element
	}
	return nil
}

// mark has what is drawn next stand in marks of the element that it belongs to
// (ISO 32000-1, 14.6). Marks go on for as long as the element does.
func (c *Canvas) mark() {
	t := &c.tree
	if t.root == nil && t.entries == "" {
		return
	}
	owner := t.at()
	if owner != nil && !owner.holdsText() && (owner.Role != Artifact || owner.Name == "") {
		owner = nil
	}
	if t.depth > 0 && owner == t.owner {
		return
	}
	c.unmark()
	t.owner, t.depth = owner, 1
	switch {
	case owner != nil && owner.Role != Artifact:
		page := len(c.pages) - 1
		for len(t.owners) <= page {
			t.owners = append(t.owners, nil)
		}
		number := len(t.owners[page])
		t.owners[page] = append(t.owners[page], owner)
		owner.kids = append(owner.kids, kid{page: page, content: number})
		role := owner.Role
		if t.entries != "" {
			role = "Span"
		}
		out := strconv.AppendInt(append(append(append(c.content, '/'), role...), " <</MCID "...), int64(number), 10)
		c.content = append(append(out, t.entries...), ">> BDC\n"...)
		return
	case owner != nil:
		c.content = fmt.Appendf(c.content, "/Artifact <</Type /Pagination /Subtype /%s>> BDC\n", owner.Name)
	case t.root != nil:
		c.content = append(c.content, "/Artifact BMC\n"...)
	default:
		t.depth = 0
	}
	if t.entries != "" {
		c.content = append(append(append(c.content, "/Span <<"...), t.entries...), ">> BDC\n"...)
		t.depth++
	}
}

// unmark ends the marks of what was drawn.
func (c *Canvas) unmark() {
	for ; c.tree.depth > 0; c.tree.depth-- {
		c.content = append(c.content, "EMC\n"...)
	}
	c.tree.owner = nil
}

// linkElement is the element of a link that is drawn now. Those of an artifact, whose text
// is none, have one for all pages.
func (c *Canvas) linkElement(leads string) *element {
	t := &c.tree
	at := t.at()
	if at == nil || at.Role == Link {
		return at
	}
	if at.Role != Artifact {
		return at.add(t.element(Tag{Role: Link}))
	}
	if t.loose == nil {
		t.loose = map[string]*element{}
	}
	if t.loose[leads] == nil {
		t.loose[leads] = t.root.add(t.element(Tag{Role: Link}))
	}
	return t.loose[leads]
}

// tidy leaves out what holds nothing, gives cells and points of lists what their only
// paragraph holds, and gives headings levels without a gap. It returns the elements in
// the order in which they are read.
func (t *structure) tidy() []*element {
	for _, e := range t.apart {
		if e.parent == nil {
			t.root.add(e)
		}
	}
	var all []*element
	var levels []int
	var visit func(e *element)
	visit = func(e *element) {
		all = append(all, e)
		if e.Role == Heading {
			for len(levels) > 0 && levels[len(levels)-1] >= e.Level {
				levels = levels[:len(levels)-1]
			}
			levels = append(levels, e.Level)
			const deepest = 6
			e.Role = Role("H" + strconv.Itoa(min(len(levels), deepest)))
		}
		for _, k := range e.kids {
			if k.element != nil {
				visit(k.element)
			}
		}
	}
	t.root.prune()
	visit(t.root)
	return all
}

// prune leaves out what holds nothing; false where nothing is left of an element.
func (e *element) prune() bool {
	kept := e.kids[:0]
	for _, k := range e.kids {
		if k.element == nil && (k.link == nil || k.link.object > 0) || k.element != nil && k.element.prune() {
			kept = append(kept, k)
		}
	}
	e.kids = kept
	if only := e.last(Text); only != nil && len(e.kids) == 1 && (e.Role == Cell || e.Role == HeaderCell || e.Role == ListBody) {
		e.kids, e.Lang, only.into = only.kids, only.Lang, e
		for _, k := range e.kids {
			if k.element != nil {
				k.element.parent = e
			}
		}
	}
	return len(e.kids) > 0 || e.Role == Cell || e.Role == HeaderCell || e.Role == Document
}
