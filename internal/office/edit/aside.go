package edit

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/beevik/etree"

	"github.com/platenhq/platen/internal/office/opc"
)

// Aside is a text with tags that stands beside the paragraphs of a file: a watermark,
// the address of a picture's link, a property of the file. Fields of a mail merge are
// asides, too: their results are of no use.
type Aside struct {
	// Kind names the place for readers, such as "watermark" or "code of a field".
	Kind string
	Text string
	// IsFilled says that ReplaceText replaces in it.
	IsFilled bool
	write    func(string)
}

// Asides returns those of a package, in the order of its parts. The error is a
// *opc.FormatError.
func Asides(p *opc.Package) ([]*Aside, error) {
	r := asideReader{pkg: p}
	for _, part := range StoryParts(p) {
		if err := r.readStory(part); err != nil {
			return nil, err
		}
	}
	main := p.MainPart()
	for _, part := range append([]string{main}, StoryParts(p)...) {
		for _, related := range p.Relationships(part) {
			if !related.External && p.Has(related.Target) && isRemark(related.Type) && !slices.Contains(r.read, related.Target) {
				if err := r.readRemarks(related.Target); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, related := range p.Relationships("") {
		if related.Type == "core-properties" || related.Type == "extended-properties" || related.Type == "custom-properties" {
			r.readProperties(related.Target)
		}
	}
	return r.all, nil
}

// isRemark tells of parts with words that are no text of the document: comments, old and
// new, and the words of SmartArt.
func isRemark(kind string) bool {
	return strings.HasPrefix(strings.ToLower(kind), "comment") || kind == "threadedComment" || kind == "diagramData"
}

type asideReader struct {
	pkg  *opc.Package
	all  []*Aside
	read []string // parts
}

func (r *asideReader) readStory(part string) error {
	tree, err := r.pkg.View(part)
	if err != nil {
		return err
	}
	for _, place := range []struct{ kind, tag, attribute string }{{"watermark", "textpath", "string"}, {"address of a shape", "", "href"}} {
		for i, e := range drawn(tree.Root(), nil, place.tag, place.attribute) {
			text := unescapeTags(e.SelectAttrValue(place.attribute, ""))
			if !strings.Contains(text, "{{") {
				continue
			}
			r.all = append(r.all, &Aside{Kind: place.kind, Text: text, IsFilled: true, write: func(text string) {
				if tree, err := r.pkg.XML(part); err == nil {
					drawn(tree.Root(), nil, place.tag, place.attribute)[i].CreateAttr(place.attribute, text)
					r.pkg.Touch(part)
				}
			}})
		}
	}
	for _, id := range drawingLinks(tree.Root(), nil) {
		related, ok := r.pkg.Relationship(part, id)
		if text := unescapeTags(related.Target); ok && related.External && strings.Contains(text, "{{") {
			r.all = append(r.all, &Aside{Kind: "address of a picture", Text: text, IsFilled: true, write: func(text string) {
				r.pkg.Retarget(part, id, text)
			}})
		}
	}
	for _, code := range fieldCodes(tree.Root()) {
		name := fieldName(code)
		switch {
		case name == "HYPERLINK":
		case strings.Contains(code, "{{") || isMergeField(name):
			r.all = append(r.all, &Aside{Kind: "code of a field", Text: "{ " + strings.Join(strings.Fields(code), " ") + " }"})
		}
	}
	return nil
}

func (r *asideReader) readRemarks(part string) error {
	r.read = append(r.read, part)
	tree, err := r.pkg.View(part)
	if err != nil {
		return err
	}
	kind := "comment"
	if tree.Root().Tag == "dataModel" {
		kind = "SmartArt"
	}
	for _, p := range paragraphsOrTexts(tree.Root(), nil) {
		text := charData(p)
		if p.Tag == "p" {
			text = ParagraphText(ParagraphPieces(p))
		}
		if strings.Contains(text, "{{") {
			r.all = append(r.all, &Aside{Kind: kind, Text: text})
		}
	}
	return nil
}

// readProperties reads a part of properties; one that cannot be read has none.
func (r *asideReader) readProperties(part string) {
	tree, err := r.pkg.View(part)
	if err != nil || tree.Root() == nil {
		return
	}
	for i, e := range leaves(tree.Root(), nil) {
		if text := charData(e); strings.Contains(text, "{{") {
			r.all = append(r.all, &Aside{Kind: "property of the file: " + e.Tag, Text: text, IsFilled: true, write: func(text string) {
				if tree, err := r.pkg.XML(part); err == nil {
					setCharData(leaves(tree.Root(), nil)[i], text)
					r.pkg.Touch(part)
				}
			}})
		}
	}
}

// drawn finds the elements of VML that have an attribute; an empty tag asks for all.
func drawn(e *etree.Element, into []*etree.Element, tag, attribute string) []*etree.Element {
	for _, c := range e.ChildElements() {
		if c.Space == "v" && (tag == "" || c.Tag == tag) && c.SelectAttr(attribute) != nil {
			into = append(into, c)
		}
		into = drawn(c, into, tag, attribute)
	}
	return into
}

func leaves(e *etree.Element, into []*etree.Element) []*etree.Element {
	return find(e, into, func(e *etree.Element) bool { return len(e.ChildElements()) == 0 })
}

func paragraphsOrTexts(e *etree.Element, into []*etree.Element) []*etree.Element {
	return find(e, into, func(e *etree.Element) bool {
		return e.Tag == "p" && (e.Space == "w" || e.Space == "a") || e.Tag == "text" && len(e.ChildElements()) == 0
	})
}

// find finds the outermost elements of a kind.
func find(e *etree.Element, into []*etree.Element, is func(*etree.Element) bool) []*etree.Element {
	for _, t := range e.Child {
		if c, ok := t.(*etree.Element); ok {
			if is(c) {
				into = append(into, c)
				continue
			}
			into = find(c, into, is)
		}
	}
	return into
}

// drawingLinks finds the relationships that pictures and shapes lead to, each once.
func drawingLinks(e *etree.Element, into []string) []string {
	for _, c := range e.ChildElements() {
		if (c.Tag == "hlinkClick" || c.Tag == "hlinkHover") && (e.Tag == "docPr" || e.Tag == "cNvPr") {
			if id := c.SelectAttrValue("r:id", ""); id != "" && !slices.Contains(into, id) {
				into = append(into, id)
			}
		}
		into = drawingLinks(c, into)
	}
	return into
}

// fieldCodes returns the instructions of fields, in the order in which they end. What
// stands for old programs is left out.
func fieldCodes(root *etree.Element) []string {
	var codes []string
	var open []*strings.Builder
	var inResult []bool
	var walk func(*etree.Element)
	walk = func(e *etree.Element) {
		for _, c := range e.ChildElements() {
			n := len(open) - 1
			switch {
			case c.Space == "mc" && c.Tag == "Fallback":
				continue
			case c.Space != "w":
			case c.Tag == "fldSimple":
				codes = append(codes, wAttrValue(c, "instr"))
			case c.Tag == "instrText" && n >= 0 && !inResult[n]:
				open[n].WriteString(charData(c))
			case c.Tag == "fldChar":
				switch wAttrValue(c, "fldCharType") {
				case "begin":
					open, inResult = append(open, &strings.Builder{}), append(inResult, false)
				case "separate":
					if n >= 0 {
						inResult[n] = true
					}
				case "end":
					if n >= 0 {
						codes = append(codes, open[n].String())
						open, inResult = open[:n], inResult[:n]
					}
				}
			}
			walk(c)
		}
	}
	walk(root)
	return codes
}

// fieldName is what the instruction of a field begins with, in capitals.
func fieldName(instruction string) string {
	words := strings.Fields(instruction)
	if len(words) == 0 {
		return ""
	}
	name, _, _ := strings.Cut(words[0], `\`)
	name, _, _ = strings.Cut(name, `"`)
	return strings.ToUpper(name)
}

// isMergeField tells of the fields that only a mail merge gives a result (ECMA-376 part 1,
// 17.16.5).
func isMergeField(name string) bool {
	switch name {
	case "MERGEFIELD", "ADDRESSBLOCK", "GREETINGLINE", "MERGEREC", "MERGESEQ", "DATABASE":
		return true
	}
	return false
}

var escapedTag = regexp.MustCompile(`(?i)%7B%7B.*?%7D%7D`)

// unescapeTags writes the tags of an address as they were typed.
func unescapeTags(address string) string {
	return escapedTag.ReplaceAllStringFunc(address, func(tag string) string {
		if plain, err := url.PathUnescape(tag); err == nil {
			return plain
		}
		return tag
	})
}

// replace replaces a text wherever it stands. In an address a value is escaped, unless it
// begins it.
func (a *Aside) replace(f finder, replacement string) int {
	edits := f.edits(a.Text, replacement)
	if len(edits) == 0 {
		return 0
	}
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(a.Text[at:e.Start])
		text := strings.Map(func(r rune) rune {
			if r == '\n' || r == '\v' || r == '\t' {
				return ' '
			}
			return r
		}, cleanText(e.Text))
		if strings.HasPrefix(a.Kind, "address") {
			text = escapeIn(text, e.Start)
		}
		b.WriteString(text)
		at = e.End
	}
	b.WriteString(a.Text[at:])
	a.Text = b.String()
	a.write(a.Text)
	return len(edits)
}

func escapeIn(text string, at int) string {
	if at > 0 {
		return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
	}
	switch u, err := url.Parse(text); {
	case err != nil:
		return ""
	case u.Scheme == "" || u.Scheme == "https" || u.Scheme == "http" || u.Scheme == "mailto" || u.Scheme == "tel":
		return u.String()
	}
	return ""
}
