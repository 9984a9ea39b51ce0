package lang

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// A Requirement is a part of the data that a template requires: the whole of
// it, an object, a list or a value.
type Requirement struct {
	Name string // of the member, without its path; empty for the whole
	// Required: it is shown wherever the template is filled. What only a
	// condition asks for, or what stands inside one, is not.
	Required bool
	Number   bool // it is reckoned with
	Shown    bool // it is shown itself, and not only parts of it
	Date     bool // DATE or ADD_DAYS reads it
	Picture  bool // {{image}} shows it
	Markdown bool // {{markdown}} shows it
	HTML     bool // {{html}} shows it
	EAN13    bool // {{ean13}} draws it
	// Example is a value that what asks for it takes: {{link}}, a currency and others take
	// few. Empty: each does.
	Example string
	// Truth: a condition asks for it as it is, as in {{#if Paid}}; what is compared is
	// no truth.
	Truth bool
	// Items: a function that takes lists, such as SUM, takes it for one or as the part
	// of one.
	Items bool
	// Locale is the one that formulas of the whole name most, as in
	// CURRENCY(Total, "EUR", "de-DE"); empty: they name none.
	Locale string
	// List: it must be one. Without it, what has parts may be an object or a
	// list of such, for rows are repeated for either.
	List  bool
	Parts []*Requirement // in the order in which they are named
	// Maybe are names that blocks over the list show and that may be of its items, too:
	// they are names of the whole data as well, and an item's own comes first.
	Maybe  []string
	byName map[string]*Requirement // the parts by their names in one case
}

// maxRequirements bounds how many parts are returned, and maxRequirementDepth
// how deep a name and the lists inside each other go: names are what somebody
// wrote into a file.
const (
	maxRequirements     = 2000
	maxRequirementDepth = 32
)

// part returns the part of a name, which it makes if there is none yet.
func (a *Requirement) part(name string) *Requirement {
	key := syntax.Fold(name)
	p := a.byName[key]
	if p == nil {
		if a.byName == nil {
			a.byName = map[string]*Requirement{}
		}
		p = &Requirement{Name: name}
		a.byName[key] = p
		a.Parts = append(a.Parts, p)
	}
	return p
}

// ReadRequirements tells what data a template requires. Each story is its
// paragraphs in reading order; no block reaches from one into another.
// Built-ins are left out.
func ReadRequirements(stories ...[]string) *Requirement {
	in := &requirementReader{e: NewEvaluator(nil, Builtins{Number: AnySeries}), root: &Requirement{}}
	// A name in a block may be the item's or one of the whole data: what is
	// asked for outside of all blocks is of the whole.
	in.visitEach(stories, func(s *syntax.Statement) { in.readStatement(s, false) })
	in.outer = maps.Clone(in.root.byName)
	in.visitEach(stories, func(s *syntax.Statement) { in.readStatement(s, true) })
	for _, l := range in.locales {
		if in.named[l] > in.named[in.root.Locale] {
			in.root.Locale = l
		}
	}
	return in.root
}

type requirementReader struct {
	e     *Evaluator
	root  *Requirement
	outer map[string]*Requirement
	open  []*syntax.Statement
	lists [][]string // the paths of those that are an Each
	// groups are the names of the lists that those group; empty where they do not.
	groups []string
	ifs    int // how many of open are conditions
	count  int
	// locales are those that formulas name, in their order, and named how often.
	locales []string
	named   map[string]int
}

func (in *requirementReader) visitEach(stories [][]string, visit func(*syntax.Statement)) {
	for _, texts := range stories {
		in.open, in.lists, in.groups, in.ifs = nil, nil, nil, 0
		for _, text := range texts {
			for _, tag := range syntax.Parse(text) {
				s := in.e.Read(tag)
				visit(s)
				in.trackBlock(s)
			}
		}
	}
}

// trackBlock notes which blocks are open behind a tag.
func (in *requirementReader) trackBlock(s *syntax.Statement) {
	last := len(in.open) - 1
	switch {
	case s.Kind == syntax.Each:
		var list []string
		if len(in.lists) < maxRequirementDepth {
			list = in.findPath(s.Name)
		}
		in.open, in.lists = append(in.open, s), append(in.lists, list)
		in.groups = append(in.groups, s.GroupName())
	case s.Opens():
		in.open = append(in.open, s)
		in.ifs++
	case s.Ends() && last >= 0 && s.Closes(in.open[last]):
		if in.open[last].Kind == syntax.Each {
			in.lists, in.groups = in.lists[:len(in.lists)-1], in.groups[:len(in.groups)-1]
		} else {
			in.ifs--
		}
		in.open = in.open[:last]
	}
}

// readStatement notes what a tag asks for, of those inside of blocks or of the
// others.
func (in *requirementReader) readStatement(s *syntax.Statement, inside bool) {
	// What no condition stands around is surely filled.
	inner, sure := len(in.lists) > 0, in.ifs == 0
	if inner != inside {
		return
	}
	switch {
	case s.Kind == syntax.Each || s.Kind == syntax.Chart:
		in.require(s.Name, func(a *Requirement) { a.List, a.Required = true, a.Required || sure })
		in.readClauses(s)
		in.readColumns(s, sure)
	case s.Formula != nil && (s.Kind == syntax.Formula || s.Inserts()):
		in.readFormula(s.Formula, use{shown: true, required: sure, picture: s.Kind == syntax.Image, markdown: s.Kind == syntax.Markdown, html: s.Kind == syntax.HTML, ean13: s.Code == syntax.SymbologyEAN13, example: exampleOf(s)})
		in.readFormula(s.Wording, use{shown: true, required: sure})
	case s.Formula != nil:
		in.readFormula(s.Formula, use{truth: true})
	default:
		for _, name := range s.Names(nil) {
			in.require(name, func(a *Requirement) { a.Shown, a.Required = true, a.Required || sure })
		}
	}
}

// use says what a formula does with a value.
type use struct {
	shown, required, number, list, date, picture, markdown, html, ean13, truth, items bool
	example                                                                           string
}

// exampleOf is a value that a tag takes where it takes few.
func exampleOf(s *syntax.Statement) string {
	switch {
	case s.Kind == syntax.Link:
		return "https://example.com/"
	case s.Code == syntax.SymbologyEAN13:
		return "4006381333931"
	}
	return ""
}

// examples are values that functions take where they take few, by their arguments.
var examples = map[string][]string{
	"ADD_DAYS":  {exampleDate, "14"},
	"CURRENCY":  {"", "EUR", "en"},
	"DATE":      {exampleDate, "d MMMM yyyy", "Europe/Vienna", "en"},
	"FROM_UNIX": {"1767349800"},
	"GIROCODE":  {"", "AT611904300234573201", "12.50", "", "GIBAATWWXXX"},
	"NUMBER":    {"", "2", "en"},
	"PAD":       {"", "5"},
	"PERCENT":   {"", "1", "en"},
	"ROUND":     {"", "2"},
	"SWISSQR":   {"CH9300762011623852957", exampleAddress, "12.50", "CHF", exampleAddress, "RF18539007547034"},
	"TRUNC":     {"", "2"},
	"TRUNCATE":  {"", "80"},
	"WORDS":     {"", "en"},
}

const (
	exampleDate    = "2026-01-31"
	exampleAddress = "Robert Schneider AG; Rue du Lac; 1268; 2501; Biel; CH"
)

// exampleFor is a value that an argument of a function takes; outer is that of the
// function's own result.
func exampleFor(name string, argument int, outer string) string {
	switch {
	case name == "DEFAULT", name == "IF" && argument > 0, name == "TRIM", name == "UPPER":
		return outer
	case argument < len(examples[name]):
		return examples[name][argument]
	}
	return ""
}

func (in *requirementReader) readFormula(e syntax.Expr, u use) {
	switch e := e.(type) {
	case *syntax.Name:
		in.require(e.Name, func(a *Requirement) {
			a.Shown, a.Number = a.Shown || u.shown && !u.list, a.Number || u.number
			a.Required = a.Required || u.required
			a.List = a.List || u.list
			a.Date, a.Picture, a.EAN13 = a.Date || u.date, a.Picture || u.picture, a.EAN13 || u.ean13
			a.HTML = a.HTML || u.html
			a.Markdown, a.Example = a.Markdown || u.markdown, cmp.Or(a.Example, u.example)
			a.Truth, a.Items = a.Truth || u.truth, a.Items || u.items
		})
	case *syntax.Unary:
		u.number = e.Op != "!"
		u.picture, u.markdown, u.html, u.ean13, u.date, u.example, u.truth = false, false, false, false, false, "", u.truth && e.Op == "!"
		in.readFormula(e.X, u)
	case *syntax.Binary:
		u.number = strings.Contains("+-*/", e.Op) || isNumeral(e.L) || isNumeral(e.R)
		u.picture, u.markdown, u.html, u.ean13, u.date, u.example, u.truth = false, false, false, false, false, "", u.truth && (e.Op == "and" || e.Op == "or")
		in.readFormula(e.L, u)
		in.readFormula(e.R, u)
	case *syntax.Call:
		in.readCall(e, u)
	}
}

// isNumeral tells whether a number stands in the formula: what is compared with it is one.
func isNumeral(e syntax.Expr) bool {
	l, ok := e.(*syntax.Literal)
	if !ok {
		return false
	}
	_, ok = l.Value.(syntax.Number)
	return ok
}

func (in *requirementReader) readCall(e *syntax.Call, u use) {
	in.noteLocale(e)
	u.picture, u.markdown, u.html, u.ean13, u.date = false, false, false, false, false
	for i, arg := range e.Args {
		u := u
		f := in.e.functions.all()[e.Function]
		// Several arguments are several values: MAX(Discount, 0).
		u.items = u.items || f.aggregate && i == 0 && (len(e.Args) == 1 || f.name == "JOIN")
		u.date = i == 0 && (f.name == "DATE" || f.name == "ADD_DAYS")
		u.example = exampleFor(f.name, i, u.example)
		u.truth = u.truth && (f.name == "AND" || f.name == "OR" || f.name == "NOT") || f.name == "IF" && i == 0
		switch f.name {
		case "COUNT":
			u.number = false
			if name, ok := arg.(*syntax.Name); ok && !strings.Contains(name.Name, ".") {
				u.list = true
			}
		case "IF":
			u.number = u.number && i > 0
			u.required = false
		case "DEFAULT":
			u.required = false
		default:
			u.number = f.reckons && (i == 0 || f.aggregate)
		}
		in.readFormula(arg, u)
	}
}

// noteLocale notes the locale that a function writes its value by.
func (in *requirementReader) noteLocale(e *syntax.Call) {
	at := map[string]int{"NUMBER": 2, "CURRENCY": 2, "PERCENT": 2, "DATE": 3, "WORDS": 1}[e.Function]
	if at == 0 || at >= len(e.Args) {
		return
	}
	text, ok := e.Args[at].(*syntax.Literal)
	if !ok {
		return
	}
	if l, ok := text.Value.(string); ok && l != "" {
		if in.named == nil {
			in.named = map[string]int{}
		}
		in.locales = append(in.locales, l)
		in.named[l]++
	}
}

// findPath is where a name leads from where it stands: below the item of the
// innermost list around it, unless it begins as a list around it or as
// something of the whole data. It is nil for what asks for no data.
func (in *requirementReader) findPath(name string) []string {
	if strings.HasPrefix(name, "@") {
		return nil
	}
	steps := strings.Split(dotIndexes(name), ".")
	if len(steps) > maxRequirementDepth || slices.Contains(steps, "") {
		return nil
	}
	for i := len(in.groups) - 1; i >= 0 && i < len(in.lists); i-- {
		if rest, ok := cutList(name, in.groups[i]); ok && in.lists[i] != nil {
			return append(slices.Clone(in.lists[i]), rest...)
		}
	}
	var item []string
	for i := min(len(in.lists), maxRequirementDepth) - 1; i >= 0 && item == nil; i-- {
		item = in.lists[i]
	}
	if item == nil {
		return steps
	}
	if steps[0] == "this" {
		return append(slices.Clone(item), steps[1:]...)
	}
	if in.outer[syntax.Fold(steps[0])] != nil {
		return steps
	}
	for _, list := range in.lists[:min(len(in.lists), maxRequirementDepth)] {
		if len(list) > 0 && syntax.Fold(list[0]) == syntax.Fold(steps[0]) {
			return steps
		}
	}
	return append(slices.Clone(item), steps...)
}

// noteMaybe notes of a name of the whole data that stands in a block that it may be of
// the innermost item.
func (in *requirementReader) noteMaybe(steps []string) {
	if len(in.lists) == 0 || in.outer[syntax.Fold(steps[0])] == nil {
		return
	}
	item := in.root
	for _, step := range in.lists[len(in.lists)-1] {
		if item = item.byName[syntax.Fold(step)]; item == nil {
			return
		}
	}
	name := strings.Join(steps, ".")
	if item != in.root && syntax.Fold(steps[0]) != syntax.Fold(item.Name) && !slices.Contains(item.Maybe, name) {
		item.Maybe = append(item.Maybe, name)
	}
}

func (in *requirementReader) require(name string, note func(*Requirement)) {
	if _, ok := in.e.builtin(name); ok {
		return
	}
	steps := in.findPath(name)
	if len(steps) == 0 {
		return
	}
	in.noteMaybe(steps)
	a := in.root
	way := []*Requirement{}
	for i, step := range steps {
		if i > 0 && step != "" && strings.Trim(step, "0123456789") == "" {
			a.List = true
			continue
		}
		if a.byName[syntax.Fold(step)] == nil {
			if in.count++; in.count > maxRequirements {
				return
			}
		}
		a = a.part(step)
		way = append(way, a)
	}
	before := a.Required
	note(a)
	if a.Required && !before {
		for _, w := range way {
			w.Required = true
		}
	}
}
