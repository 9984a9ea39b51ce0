package check

import (
	"slices"
	"strings"

	docsapi "google.golang.org/api/docs/v1"

	"github.com/platenhq/platen/internal/template/lang"
	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// An aside belongs to a passage and stands beside its text: the address of a
// link, the description of a picture.
type aside struct {
	// first and passage are the numbers of the passages that its paragraph
	// begins and ends with.
	first, passage int
	where, text    string
	// stays says why nothing fills the tags in it; empty where they are filled.
	stays string
}

const (
	notReplaced = "Nothing fills the tags in a description. A tag in a description replaces the picture if it is the whole description, such as {{image Logo}}, and the picture stands in the line of text or on a slide."
	notInChips  = "Nothing fills the tags in a chip (a person, a link, a date, a dropdown): write the tag as text."
	notInFrames = "Nothing fills the address of a link here; of text in the body, a table, a header, a footer, a footnote and on a slide it is filled."
	notBeside   = "Nothing fills the tags here, in the code of a field, a comment or SmartArt: write the tag as text, or use {{#if}} in place of an IF field."
	// maxAround is how many of the lists around an aside are looked at.
	maxAround = 8
)

// placeBehind returns the position of an aside: after what stands in its passage.
func (s story) placeBehind(n int, a aside, offset int) position {
	before := 0
	if a.passage < len(s.passages) {
		before = len(s.passages[a.passage].text)
	}
	return position{n, a.passage, before + 1 + offset}
}

// inspectAsides finds the mistakes of a story's asides. Names in an address may
// be those of the items of blocks around it, so it is inspected inside of their
// tags.
func (f *foreigners) inspectAsides(s story, n int) []Finding {
	var findings []Finding
	add := func(i int, f lang.Finding) {
		findings = append(findings, placeAt(f, s.asides[i].where, s.placeBehind(n, s.asides[i], f.Place.Offset)))
	}
	explained := make([][]stretch, len(s.asides))
	for i, a := range s.asides {
		if len(findings) >= maxFindings {
			break
		}
		if tags := syntax.Parse(a.text); a.stays != "" && len(tags) > 0 {
			add(i, lang.Finding{Code: "tag_not_filled", Tag: tags[0].Text, Message: a.stays, Place: lang.PlaceIn(a.text, 0, tags[0].Start)})
		}
		if a.stays != "" {
			continue
		}
		var all []lang.Finding
		all, explained[i] = f.findForeign([]string{a.text})
		for _, found := range all {
			add(i, found)
		}
	}
	for _, texts := range divide(s.groups()) {
		for _, found := range lang.InspectFor(texts.texts(s), f.fields, f.empty, f.number) {
			i, ok := texts.aside(found.Place.Text)
			if !ok || f.fields == nil && found.Code == "unknown_field" {
				continue
			}
			if found.Place.Text = 0; !isExplained(found, explained[i]) {
				add(i, cure(found))
			}
		}
	}
	return findings
}

// maxApart is how many addresses with tags of blocks in them are inspected each
// by itself, so that no mistake in one hides another's.
const maxApart = 10

// A series of groups is inspected at once.
type series []group

func divide(groups []group) []series {
	together := slices.IndexFunc(groups, func(g group) bool { return g.shaped })
	if together < 0 {
		together = len(groups)
	}
	var all []series
	rest := append(series{}, groups[:together]...)
	for _, g := range groups[together:] {
		if len(all) < maxApart {
			all = append(all, series{g})
		} else {
			rest = append(rest, g)
		}
	}
	if len(rest) > 0 {
		all = append(all, rest)
	}
	return all
}

// texts are those of a series: of each group the tags around it before and
// behind its asides.
func (all series) texts(s story) []string {
	var texts []string
	for _, g := range all {
		texts = append(texts, g.open)
		for _, i := range g.asides {
			texts = append(texts, s.asides[i].text)
		}
		texts = append(texts, g.end)
	}
	return texts
}

// aside is the number of the aside that a text of the series is, and false for
// the tags around them.
func (all series) aside(text int) (int, bool) {
	for _, g := range all {
		switch {
		case text == 0:
			return 0, false
		case text <= len(g.asides):
			return g.asides[text-1], true
		}
		text -= len(g.asides) + 2
	}
	return 0, false
}

// A group is of asides that stand inside the same blocks.
type group struct {
	around
	asides []int
	shaped bool // it is one aside, with tags of blocks in it
}

// groups are the asides that are filled; those that have tags of blocks come
// last and each for itself.
func (s story) groups() []group {
	var plain, shaped []group
	known := map[string]int{}
	e := lang.NewEvaluator(nil, lang.Builtins{})
	for i, blocks := range s.blocksAround() {
		switch a := s.asides[i]; {
		case a.stays != "":
		case slices.ContainsFunc(syntax.Parse(a.text), func(t syntax.Tag) bool { return e.Read(t).IsControl() }):
			shaped = append(shaped, group{around: blocks, asides: []int{i}, shaped: true})
		default:
			at, ok := known[blocks.open]
			if !ok {
				at = len(plain)
				known[blocks.open], plain = at, append(plain, group{around: blocks})
			}
			plain[at].asides = append(plain[at].asides, i)
		}
	}
	return append(plain, shaped...)
}

// around are the tags that open the blocks around a place, and that end them.
type around struct{ open, end string }

// blocksAround are, for each aside, the blocks that stand around the whole of
// its paragraph, or go on behind it: one that begins and ends in the paragraph
// gives no names to addresses.
func (s story) blocksAround() []around {
	all := make([]around, len(s.asides))
	outer := make([]blocks, len(s.asides))
	e := lang.NewEvaluator(nil, lang.Builtins{})
	var open opened
	entered, done := 0, 0
	for i := 0; done < len(s.asides); i++ {
		for ; entered < len(s.asides) && s.asides[entered].first <= i; entered++ {
			outer[entered] = open.since(0)
		}
		if i < len(s.passages) {
			open.read(e, s.passages[i].text, i)
		}
		for ; done < entered && s.asides[done].passage <= i; done++ {
			all[done] = outer[done].join(open.since(s.asides[done].first)).writeTags()
		}
	}
	return all
}

// opened are the blocks that are open at a place, the outermost first. There may be
// thousands.
type opened struct {
	all   []*syntax.Statement
	lists []begun // those of them that are lists
	ifs   []int   // the passages in which the others began
}

// begun is a list, and the passage in which it began.
type begun struct {
	*syntax.Statement
	passage int
}

func (o *opened) read(e *lang.Evaluator, text string, passage int) {
	for _, tag := range syntax.Parse(text) {
		st := e.Read(tag)
		last := len(o.all) - 1
		switch {
		case st.Kind == syntax.Each:
			o.all, o.lists = append(o.all, st), append(o.lists, begun{st, passage})
		case st.Opens():
			o.all, o.ifs = append(o.all, st), append(o.ifs, passage)
		case !st.Ends() || last < 0 || !st.Closes(o.all[last]):
		case st.Kind == syntax.EndEach:
			o.all, o.lists = o.all[:last], o.lists[:len(o.lists)-1]
		default:
			o.all, o.ifs = o.all[:last], o.ifs[:len(o.ifs)-1]
		}
	}
}

// since are the blocks that began in a passage or behind it.
func (o *opened) since(first int) blocks {
	from, _ := slices.BinarySearchFunc(o.lists, first, func(b begun, first int) int { return b.passage - first })
	var b blocks
	for _, list := range o.lists[max(from, len(o.lists)-maxAround):] {
		b.lists = append(b.lists, list.Tag)
	}
	b.conditional = len(o.ifs) > 0 && o.ifs[len(o.ifs)-1] >= first
	return b
}

// blocks are what matters of those around an aside: the tags of the lists,
// which give names to it, and whether there is any condition.
type blocks struct {
	lists       []string
	conditional bool
}

func (b blocks) join(inner blocks) blocks {
	return blocks{append(b.lists, inner.lists...), b.conditional || inner.conditional}
}

func (b blocks) writeTags() around {
	var a around
	if b.conditional { // which condition it is says nothing of what is inside
		a = around{"{{#if true}}", "{{/if}}"}
	}
	for _, list := range b.lists {
		a = around{a.open + list, "{{/each}}" + a.end}
	}
	return a
}

// asideTexts are the texts of the asides that are filled, inside tags of the
// blocks around them.
func (s story) asideTexts() []string { return series(s.groups()).texts(s) }

// readTarget reads what stands at an address of the template that has braces, as
// filling reads it.
func readTarget(address string) (text string, ok bool) {
	line, _ := lang.NewEvaluator(nil, lang.Builtins{}).Target(address)
	if line == nil {
		return "", false
	}
	return line.Text, true
}

// describe returns an aside for a description that is not replaced as a whole.
func describe(where string, texts ...string) []aside {
	return leave(where+", description of a picture", notReplaced, texts...)
}

// leave returns an aside for the first of texts that has tags, and says why they stay.
func leave(where, stays string, texts ...string) []aside {
	for _, text := range texts {
		if strings.Contains(text, "{{") {
			return []aside{{where: where, text: text, stays: stays}}
		}
	}
	return nil
}

// readChip returns an aside for a smart chip that shows tags.
func readChip(where string, e *docsapi.ParagraphElement) []aside {
	where += ", chip"
	switch {
	case e.Person != nil && e.Person.PersonProperties != nil:
		return leave(where, notInChips, e.Person.PersonProperties.Name, e.Person.PersonProperties.Email)
	case e.RichLink != nil && e.RichLink.RichLinkProperties != nil:
		return leave(where, notInChips, e.RichLink.RichLinkProperties.Title, e.RichLink.RichLinkProperties.Uri)
	case e.DateElement != nil && e.DateElement.DateElementProperties != nil:
		return leave(where, notInChips, e.DateElement.DateElementProperties.DisplayText)
	case e.Dropdown != nil && e.Dropdown.DropdownProperties != nil:
		return leave(where, notInChips, e.Dropdown.DropdownProperties.DisplayValue)
	}
	return nil
}
