package lang

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

const (
	// maxInspected bounds what Inspect finds; who made more mistakes than that
	// begins at the top.
	maxInspected = 200
	// aroundLength is how many characters before and behind a place are quoted.
	aroundLength = 30
	// maxAsked is how many conditions around a place, and names in each, say that a
	// field is optional.
	maxAsked = 8
	// maxNested is how many lists one inside the other a name is looked for in.
	maxNested = 4
)

// Inspect finds all mistakes of a template at once, without data: tags that are
// not closed, formulas that cannot be read, blocks that do not match, and names
// that are none of the source fields. The texts are its paragraphs in reading
// order. Each finding has its place.
func Inspect(texts, fields []string) []Finding {
	return InspectFor(texts, fields, nil, AnySeries)
}

// InspectFor is Inspect for a document that declares series; number tells of them.
// Nothing is known of what lies below the empty fields, as Data.Empty has them.
func InspectFor(texts, fields, empty []string, number func(series string) (int64, bool)) []Finding {
	_, findings := inspect(texts, fields, empty, number)
	return findings
}

// inspector goes through a template once.
type inspector struct {
	e          *Evaluator
	fields     []string
	candidates []syntax.Candidate // made when they are needed
	folded     []string           // the fields in any case, sorted; made when needed
	matches    []NameMatch
	findings   []Finding
	seen       map[string]bool
	suggested  int
	open       []opened
	lists      []string // the paths, in full, of those that are an Each
	// empty are the fields, in one case, of whose parts nothing is known.
	empty   map[string]bool
	text    int
	passage string
}

// opened is a block whose end has not come yet.
type opened struct {
	*syntax.Statement
	text, offset int
	passage      string
	divided      bool     // its {{else}} has come
	asked        []string // the names that the condition of the branch asks for
}

func inspect(texts, fields, empty []string, number func(string) (int64, bool)) ([]NameMatch, []Finding) {
	in := &inspector{e: NewEvaluator(fieldsData(fields), Builtins{Number: number}), fields: fields, seen: map[string]bool{}, empty: map[string]bool{}}
	for _, path := range empty {
		if !in.leads(path) {
			in.empty[syntax.Fold(syntax.Canonical(path))] = true
		}
	}
	for i, text := range texts {
		in.text, in.passage = i, text
		at := 0
		for _, tag := range syntax.Parse(text) {
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

func nameEnd(s *syntax.Statement) string {
	if s.Kind == syntax.If {
		return "{{/if}}"
	}
	return "{{/each}}"
}

func (in *inspector) report(offset int, f Finding) {
	if len(in.findings) < maxInspected {
		f.Place = PlaceIn(in.passage, in.text, offset)
		in.findings = append(in.findings, f)
	}
}

// PlaceIn is the place at so many bytes of a text, which is the one of this number.
func PlaceIn(text string, number, offset int) Place {
	const enough = 2 * aroundLength * utf8.UTFMax // bytes, for characters of any length
	head, tail := text[:offset], text[offset:]
	before, behind := []rune(head[max(0, len(head)-enough):]), []rune(tail[:min(len(tail), enough)])
	shown := strings.TrimLeftFunc(string(before[max(0, len(before)-aroundLength):]), unicode.IsSpace)
	around := shown + string(behind[:min(len(behind), 2*aroundLength)])
	return Place{Text: number, Offset: offset, Around: strings.ToValidUTF8(strings.TrimSpace(around), ""), At: utf8.RuneCountInString(strings.ToValidUTF8(shown, ""))}
}

// quote is what begins at a place of a text.
func quote(text string) string { return PlaceIn(text, 0, 0).Around }

// inspectBraces looks at what stands between tags.
func (in *inspector) inspectBraces(from, to int) {
	between := in.passage[from:to]
	for at := 0; len(in.findings) < maxInspected; {
		open, end := strings.Index(between[at:], "{{"), strings.Index(between[at:], "}}")
		switch {
		case open < 0 && end < 0:
			return
		case open >= 0 && (end < 0 || open < end):
			f := Finding{Code: "tag_not_closed", Tag: quote(between[at+open:]), Message: "A tag begins here and is not closed in this paragraph, or a picture or field stands inside it."}
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
	case syntax.Canonical(inner) == "":
		return "Nothing stands between these braces: name a field, or take the braces away."
	case strings.ContainsAny(inner, "{}"):
		return "A brace stands inside this tag: write the tag without it."
	case strings.ContainsAny(inner, "\n\r"):
		return "A line break stands inside this tag: write the tag on one line."
	default:
		return fmt.Sprintf("This tag has %d characters: at most %d are allowed.", utf8.RuneCountInString(inner), syntax.MaxTagLength)
	}
}

func (in *inspector) inspectTag(tag syntax.Tag) {
	s := in.e.Read(tag)
	if s.Kind == syntax.Faulty {
		f := *findingOf(s.Mistake)
		f.Tag = s.Tag
		in.report(tag.Start, f)
		return
	}
	switch asked := in.asked(); {
	case s.Formula != nil:
		condition := s.Kind == syntax.If || s.Kind == syntax.ElseIf
		in.eachMention(s.Formula, condition, asked, func(name string, optional bool) { in.inspectName(tag, s, name, optional) })
		in.eachMention(s.Wording, false, asked, func(name string, optional bool) { in.inspectName(tag, s, name, optional) })
	case s.Name != "":
		in.inspectName(tag, s, s.Name, in.isAsked(s.Name, asked))
	}
	in.inspectBlock(tag, s)
}

// askedBy are the names that a condition asks for, folded.
func (in *inspector) askedBy(condition syntax.Expr) []string {
	names := syntax.NamesIn(condition, true, in.isSigned, nil)
	for i, name := range names {
		names[i] = syntax.Fold(name)
	}
	return names
}

// asked are the names that the conditions around a place ask for, folded.
func (in *inspector) asked() []string {
	var all []string
	for _, o := range in.open[max(0, len(in.open)-maxAsked):] {
		all = append(all, o.asked[:min(len(o.asked), maxAsked)]...)
	}
	return all
}

// isAsked tells whether a condition asks for a name, or for what it is a part of.
func (in *inspector) isAsked(name string, asked []string) bool {
	if len(asked) == 0 {
		return false
	}
	paths := []string{name}
	for _, list := range in.lists[max(0, len(in.lists)-maxNested):] {
		paths = append(paths, list+"."+strings.TrimPrefix(name, "this."))
	}
	for _, path := range paths {
		path = syntax.Fold(path)
		for _, a := range asked {
			if rest, ok := strings.CutPrefix(path, a); ok && (rest == "" || rest[0] == '.') {
				return true
			}
		}
	}
	return false
}

// eachMention visits the names of a formula in their order. A name is optional where it is
// asked for and nothing is made of it: in a condition, as what DEFAULT replaces, and
// where a condition asks for the same name.
func (in *inspector) eachMention(e syntax.Expr, quiet bool, asked []string, visit func(name string, optional bool)) {
	switch e := e.(type) {
	case *syntax.Name:
		visit(e.Name, quiet || in.isAsked(e.Name, asked))
	case *syntax.Unary:
		in.eachMention(e.X, quiet, asked, visit)
	case *syntax.Binary:
		if in.isSigned(e) {
			visit(e.Text, quiet || in.isAsked(e.Text, asked))
			return
		}
		in.eachMention(e.L, quiet, asked, visit)
		in.eachMention(e.R, quiet, asked, visit)
	case *syntax.Call:
		for i, arg := range e.Args {
			switch {
			case e.Function == "IF" && i == 1:
				in.eachMention(arg, quiet, append(slices.Clone(asked), in.askedBy(e.Args[0])...), visit)
			default:
				in.eachMention(arg, quiet || i == 0 && (e.Function == "IF" || e.Function == "DEFAULT"), asked, visit)
			}
		}
	}
}

func (in *inspector) inspectBlock(tag syntax.Tag, s *syntax.Statement) {
	last := len(in.open) - 1
	switch {
	case s.Opens():
		o := opened{Statement: s, text: in.text, offset: tag.Start, passage: in.passage}
		if s.Kind == syntax.If && s.Formula != nil {
			o.asked = in.askedBy(s.Formula)
		}
		in.open = append(in.open, o)
		if s.Kind == syntax.Each {
			list, ok := in.find(s.Name, true)
			if !ok {
				// What is wrong is the list's name, and not those of its items' fields.
				in.empty[syntax.Fold(syntax.Canonical(list))] = true
			}
			in.lists = append(in.lists, list)
			for _, name := range s.ClauseNames(in.isSigned) {
				in.inspectName(tag, s, name, false)
			}
		}
	case s.Kind == syntax.Chart:
		list, _ := in.find(s.Name, true)
		in.lists = append(in.lists, list)
		for _, name := range append(s.ClauseNames(in.isSigned), s.ColumnNames(in.isSigned)...) {
			in.inspectName(tag, s, name, false)
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
		if s.Kind == syntax.EndEach {
			in.lists = in.lists[:len(in.lists)-1]
		}
	case in.open[last].divided:
		in.report(tag.Start, Finding{Code: "else_after_else", Tag: s.Tag, Message: s.Tag + " comes after the {{else}} of its block."})
	case s.Kind == syntax.Else:
		in.open[last].divided, in.open[last].asked = true, nil
	case s.Kind == syntax.ElseIf && s.Formula != nil:
		in.open[last].asked = in.askedBy(s.Formula)
	}
}

// inspectName looks a name up among the fields. A name that is optional is not wrong where
// the source does not have it.
func (in *inspector) inspectName(tag syntax.Tag, s *syntax.Statement, name string, optional bool) {
	first := !in.seen[name]
	in.seen[name] = true
	filled := in.isKnown(name, s.Kind != syntax.Field)
	if !first && !optional {
		if i := slices.IndexFunc(in.matches, func(m NameMatch) bool { return m.Name == name }); i >= 0 {
			in.matches[i].Optional = false
		}
	}
	if filled && !first {
		return
	}
	f := NameMatch{Name: name, Filled: filled, Optional: optional && !filled}
	if !filled && len(in.findings) < maxInspected {
		if meant := in.findMeant(s, name); meant != nil {
			if f.Optional = false; first {
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
		f.Nearest = syntax.Nearest(name, in.candidates)
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
		in.report(tag.Start, Finding{Code: "unknown_field", Tag: s.Tag, Message: "The source has no field " + name + "." + adviseOnEach(s, name), Nearest: f.Nearest, Note: optional})
	}
}

// adviseOnEach says what can stand behind a list, of a name that may be more than one.
func adviseOnEach(s *syntax.Statement, name string) string {
	if s.Kind != syntax.Each || !strings.Contains(name, " ") {
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
	return ok || in.mayBeBelow(name)
}

// mayBeBelow tells whether a name may be that of a part of an empty field, or of an item
// of an empty list around it.
func (in *inspector) mayBeBelow(name string) bool {
	if len(in.empty) == 0 {
		return false
	}
	isBelow := func(path string) bool {
		path = syntax.Fold(syntax.Canonical(dropIndexes(path)))
		for at := strings.LastIndexByte(path, '.'); at > 0; at = strings.LastIndexByte(path[:at], '.') {
			if in.empty[path[:at]] {
				return true
			}
		}
		return false
	}
	return isBelow(name) || slices.ContainsFunc(in.lists[max(0, len(in.lists)-maxNested):], func(list string) bool {
		return isBelow(list + "." + name)
	})
}

// isSigned tells whether what looks like reckoning is a name with a sign in it,
// by the rules that fill it.
func (in *inspector) isSigned(b *syntax.Binary) bool {
	return b.MayBeName() && in.isKnown(b.Text, true) &&
		slices.ContainsFunc(syntax.NamesIn(b, true, nil, nil), func(name string) bool { return !in.isKnown(name, true) })
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
			in.folded[i] = syntax.Fold(syntax.Canonical(f))
		}
		slices.Sort(in.folded)
	}
	below := syntax.Fold(syntax.Canonical(path)) + "."
	at, _ := slices.BinarySearch(in.folded, below)
	return at < len(in.folded) && strings.HasPrefix(in.folded[at], below)
}
