package lang

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxInspected bounds what Inspect finds; who made more mistakes than that
	// begins at the top.
	maxInspected = 200
	// aroundLength is how many characters before and behind a place are quoted.
	aroundLength = 30
	// maxNested is how many lists one inside the other a name is looked for in.
	maxNested = 4
)

// Inspect finds all mistakes of a template at once, without data: tags that are
// not closed, formulas that cannot be read, blocks that do not match, and names
// that are none of the source fields. The texts are its paragraphs in reading
// order. Each finding has its place.
func Inspect(texts, fields []string) []Finding {
	return InspectFor(texts, fields, AnySeries)
}

// InspectFor is Inspect for a document that declares series, of which number tells.
func InspectFor(texts, fields []string, number func(series string) (int64, bool)) []Finding {
	_, findings := inspect(texts, fields, number)
	return findings
}

// inspector goes through a template once.
type inspector struct {
	e          *Evaluator
	fields     []string
	candidates []candidate // made when they are needed
	folded     []string    // the fields in any case, sorted; made when needed
	matches    []NameMatch
	findings   []Finding
	seen       map[string]bool
	suggested  int
	open       []opened
	lists      []string // the paths, in full, of those that are an Each
	text       int
	passage    string
}

// opened is a block whose end has not come yet.
type opened struct {
	*Statement
	text, offset int
	passage      string
	divided      bool // its {{else}} has come
}

func inspect(texts, fields []string, number func(string) (int64, bool)) ([]NameMatch, []Finding) {
	in := &inspector{e: NewEvaluator(fieldsData(fields), Builtins{Number: number}), fields: fields, seen: map[string]bool{}}
	for i, text := range texts {
		in.text, in.passage = i, text
		at := 0
		for _, tag := range Parse(text) {
			in.inspectBraces(at, tag.Start)
			in.inspectTag(tag)
			at = tag.End
		}
		in.inspectBraces(at, len(text))
	}
	for _, o := range in.open {
		in.text, in.passage = o.text, o.passage
		in.report(o.offset, Finding{Code: "block_not_closed", Tag: o.Tag, Message: o.Tag + " is never closed: " + nameEnd(o.Statement) + " is missing."})
	}
	return in.matches, in.findings
}

func nameEnd(s *Statement) string {
	if s.Kind == If {
		return "{{/if}}"
	}
	return "{{/each}}"
}

func (in *inspector) report(offset int, f Finding) {
	if len(in.findings) < maxInspected {
		f.Place = Place{Text: in.text, Offset: offset, Around: quote(in.passage, offset)}
		in.findings = append(in.findings, f)
	}
}

// quote is what stands in a text around a place.
func quote(text string, offset int) string {
	const enough = 2 * aroundLength * utf8.UTFMax // bytes, whatever the characters
	head, tail := text[:offset], text[offset:]
	before, behind := []rune(head[max(0, len(head)-enough):]), []rune(tail[:min(len(tail), enough)])
	return strings.TrimSpace(string(before[max(0, len(before)-aroundLength):]) + string(behind[:min(len(behind), 2*aroundLength)]))
}

// inspectBraces looks at what stands between tags.
func (in *inspector) inspectBraces(from, to int) {
	between := in.passage[from:to]
	for at := 0; len(in.findings) < maxInspected; {
		open, end := strings.Index(between[at:], "{{"), strings.Index(between[at:], "}}")
		switch {
		case open < 0 && end < 0:
			return
		case open >= 0 && (end < 0 || open < end):
			f := Finding{Code: "tag_not_closed", Tag: quote(between[at+open:], 0), Message: "A tag begins here and is not closed in this paragraph, or a picture or field stands inside it."}
			if end >= 0 {
				f = Finding{Code: "not_a_tag", Tag: f.Tag, Message: whyNoTag(between[at+open+2 : at+end])}
			}
			in.report(from+at+open, f)
			at += max(open, end) + 2
		default:
			in.report(from+at+end, Finding{Code: "tag_not_opened", Tag: "}}", Message: "Braces close here that were not opened in this paragraph."})
			at += end + 2
		}
	}
}

// whyNoTag says why what stands between braces is no tag.
func whyNoTag(inner string) string {
	switch {
	case Canonical(inner) == "":
		return "Nothing stands between these braces: name a field, or take the braces away."
	case strings.ContainsAny(inner, "{}"):
		return "A brace stands inside this tag: write the tag without it."
	case strings.ContainsAny(inner, "\n\r"):
		return "A line break stands inside this tag: write the tag on one line."
	default:
		return fmt.Sprintf("This tag has %d characters: at most %d are allowed.", utf8.RuneCountInString(inner), MaxTagLength)
	}
}

func (in *inspector) inspectTag(tag Tag) {
	s := in.e.Read(tag)
	if s.Kind == Faulty {
		f := *s.finding
		f.Tag = s.Tag
		in.report(tag.Start, f)
		return
	}
	names := []string{s.name}
	if s.formula != nil {
		names = namesIn(s.shown, true, in.isSigned, namesIn(s.formula, true, in.isSigned, nil))
	} else if s.name == "" {
		names = nil
	}
	for _, name := range names {
		in.inspectName(tag, s, name)
	}
	in.inspectBlock(tag, s)
}

func (in *inspector) inspectBlock(tag Tag, s *Statement) {
	last := len(in.open) - 1
	switch {
	case s.Opens():
		in.open = append(in.open, opened{Statement: s, text: in.text, offset: tag.Start, passage: in.passage})
		if s.Kind == Each {
			list, _ := in.find(s.name, true)
			in.lists = append(in.lists, list)
			for _, name := range s.clauseNames(in.isSigned) {
				in.inspectName(tag, s, name)
			}
		}
	case s.Kind == Chart:
		list, _ := in.find(s.name, true)
		in.lists = append(in.lists, list)
		for _, name := range append(s.clauseNames(in.isSigned), s.columnNames(in.isSigned)...) {
			in.inspectName(tag, s, name)
		}
		in.lists = in.lists[:len(in.lists)-1]
	case !s.IsControl():
	case last < 0 || !s.Closes(in.open[last].Statement):
		message := s.Tag + " has no block that it belongs to."
		if last >= 0 {
			message = s.Tag + " does not belong to " + in.open[last].Tag + ", which is still open: " + nameEnd(in.open[last].Statement) + " comes first."
		}
		in.report(tag.Start, Finding{Code: "block_not_open", Tag: s.Tag, Message: message})
	case s.Ends():
		in.open = in.open[:last]
		if s.Kind == EndEach {
			in.lists = in.lists[:len(in.lists)-1]
		}
	case in.open[last].divided:
		in.report(tag.Start, Finding{Code: "else_after_else", Tag: s.Tag, Message: s.Tag + " comes after the {{else}} of its block."})
	case s.Kind == Else:
		in.open[last].divided = true
	}
}

// inspectName looks a name up among the fields.
func (in *inspector) inspectName(tag Tag, s *Statement, name string) {
	first := !in.seen[name]
	in.seen[name] = true
	filled := in.isKnown(name, s.Kind != Field)
	if filled && !first {
		return
	}
	f := NameMatch{Name: name, Filled: filled}
	if !filled && len(in.findings) < maxInspected {
		if meant := in.findMeant(s, name); meant != nil {
			if first {
				in.matches = append(in.matches, f)
			}
			meant.Tag = s.Tag
			in.report(tag.Start, *meant)
			return
		}
	}
	if !filled && in.suggested < maxSuggested && in.suggested*len(in.fields) < maxComparisons {
		in.suggested++
		if in.candidates == nil {
			in.candidates = newFieldCandidates(in.fields)
		}
		f.Nearest = findNearest(name, in.candidates)
	}
	if first {
		in.matches = append(in.matches, f)
	}
	series, isNumber := seriesIn(name)
	switch {
	case filled:
	case isNumber:
		f := undeclared(name, series)
		f.Tag = s.Tag
		in.report(tag.Start, f)
	default:
		in.report(tag.Start, Finding{Code: "unknown_field", Tag: s.Tag, Message: "The source has no field " + name + "." + adviseOnEach(s, name), Nearest: f.Nearest})
	}
}

// adviseOnEach says what can stand behind a list, of a name that may be more than one.
func adviseOnEach(s *Statement, name string) string {
	if s.Kind != Each || !strings.Contains(name, " ") {
		return ""
	}
	return " Behind a list stand where, sort, group and limit, such as {{#each Items where Qty > 1 sort Name desc limit 10}}."
}

// isKnown tells whether a name leads to a field; in a formula or block it may
// also be a list or another part of the data.
func (in *inspector) isKnown(name string, part bool) bool {
	if (name == "this" || strings.HasPrefix(name, "@")) && len(in.lists) > 0 {
		return true
	}
	_, ok := in.find(name, part)
	return ok
}

// isSigned tells whether what looks like reckoning is a name with a sign in it,
// by the rules that fill it.
func (in *inspector) isSigned(b *binary) bool {
	return b.mayBeName() && in.isKnown(b.text, true) &&
		slices.ContainsFunc(namesIn(b, true, nil, nil), func(name string) bool { return !in.isKnown(name, true) })
}

// find returns the path that a name leads to: that of a field of the items of
// the lists around it, the innermost first, or of the whole; the name itself
// where there is none.
func (in *inspector) find(name string, part bool) (path string, ok bool) {
	leads := func(path string) bool {
		for _, p := range slices.Compact([]string{path, dropIndexes(path)}) {
			if _, ok := in.e.resolve(p); ok || part && in.leads(p) {
				return true
			}
		}
		return false
	}
	for _, list := range slices.Backward(in.lists[max(0, len(in.lists)-maxNested):]) {
		if path := list + "." + strings.TrimPrefix(name, "this."); leads(path) {
			return path, true
		}
	}
	return name, leads(name)
}

// leads tells whether fields lie below a path.
func (in *inspector) leads(path string) bool {
	if in.folded == nil {
		in.folded = make([]string, len(in.fields))
		for i, f := range in.fields {
			in.folded[i] = fold(Canonical(f))
		}
		slices.Sort(in.folded)
	}
	below := fold(Canonical(path)) + "."
	at, _ := slices.BinarySearch(in.folded, below)
	return at < len(in.folded) && strings.HasPrefix(in.folded[at], below)
}
