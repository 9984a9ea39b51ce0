package lang

import (
	"maps"
	"slices"
	"strings"
)

// An Ask is a part of the data that a template asks for: the whole of it, an
// object, a list or a value.
type Ask struct {
	Name string // of the member, without its path; empty for the whole
	// Required: it is shown wherever the template is filled. What only a
	// condition asks for, or what stands inside one, is not.
	Required bool
	Number   bool // it is reckoned with
	Shown    bool // it is shown itself, and not only parts of it
	// List: it must be one. Without it, what has parts may be an object or a
	// list of such, for rows are repeated for either.
	List   bool
	Parts  []*Ask          // in the order in which they are asked for
	byName map[string]*Ask // the parts by their names in one case
}

// maxAsks bounds how many parts are told of, and maxAskDepth how deep a name
// and the lists inside each other go: names are what somebody wrote into a file.
const (
	maxAsks     = 2000
	maxAskDepth = 32
)

// part returns the part of a name, which it makes if there is none yet.
func (a *Ask) part(name string) *Ask {
	key := fold(name)
	p := a.byName[key]
	if p == nil {
		if a.byName == nil {
			a.byName = map[string]*Ask{}
		}
		p = &Ask{Name: name}
		a.byName[key] = p
		a.Parts = append(a.Parts, p)
	}
	return p
}

// Asks tells what data a template asks for. Each story is its paragraphs in
// reading order; no block reaches from one into another. Built-ins are left
// out.
func Asks(stories ...[]string) *Ask {
	in := &asker{e: NewEvaluator(nil, Builtins{}), root: &Ask{}}
	// A name in a block may be the item's or one of the whole data: what is
	// asked for outside of all blocks is of the whole.
	in.each(stories, func(s *Statement) { in.statement(s, false) })
	in.outer = maps.Clone(in.root.byName)
	in.each(stories, func(s *Statement) { in.statement(s, true) })
	return in.root
}

type asker struct {
	e     *Evaluator
	root  *Ask
	outer map[string]*Ask
	open  []*Statement
	lists [][]string // the paths of those that are an Each
	ifs   int        // how many of open are conditions
	count int
}

func (in *asker) each(stories [][]string, visit func(*Statement)) {
	for _, texts := range stories {
		in.open, in.lists, in.ifs = nil, nil, 0
		for _, text := range texts {
			for _, tag := range Parse(text) {
				s := in.e.Read(tag)
				visit(s)
				in.block(s)
			}
		}
	}
}

// block notes which blocks are open behind a tag.
func (in *asker) block(s *Statement) {
	last := len(in.open) - 1
	switch {
	case s.Kind == Each:
		var list []string
		if len(in.lists) < maxAskDepth {
			list = in.path(s.name)
		}
		in.open, in.lists = append(in.open, s), append(in.lists, list)
	case s.Opens():
		in.open = append(in.open, s)
		in.ifs++
	case s.Ends() && last >= 0 && s.Closes(in.open[last]):
		if in.open[last].Kind == Each {
			in.lists = in.lists[:len(in.lists)-1]
		} else {
			in.ifs--
		}
		in.open = in.open[:last]
	}
}

// statement notes what a tag asks for, of those inside of blocks or of the
// others.
func (in *asker) statement(s *Statement, inside bool) {
	// What no condition stands around is surely filled.
	inner, sure := len(in.lists) > 0, in.ifs == 0
	if inner != inside {
		return
	}
	switch {
	case s.Kind == Each:
		in.ask(s.name, func(a *Ask) { a.List, a.Required = true, a.Required || sure })
	case s.formula != nil && (s.Kind == Formula || s.Inserts()):
		in.formula(s.formula, use{shown: true, required: sure})
		in.formula(s.shown, use{shown: true, required: sure})
	case s.formula != nil:
		in.formula(s.formula, use{})
	default:
		for _, name := range s.names() {
			in.ask(name, func(a *Ask) { a.Shown, a.Required = true, a.Required || sure })
		}
	}
}

// use says what a formula does with a value.
type use struct{ shown, required, number, list bool }

func (in *asker) formula(e expr, u use) {
	switch e := e.(type) {
	case *nameRef:
		in.ask(e.name, func(a *Ask) {
			a.Shown, a.Number = a.Shown || u.shown && !u.list, a.Number || u.number
			a.Required = a.Required || u.required
			a.List = a.List || u.list
		})
	case *unary:
		u.number = e.op != "!"
		in.formula(e.x, u)
	case *binary:
		u.number = strings.Contains("+-*/", e.op)
		in.formula(e.l, u)
		in.formula(e.r, u)
	case *call:
		in.call(e, u)
	}
}

func (in *asker) call(e *call, u use) {
	for i, arg := range e.args {
		u := u
		f := e.function
		switch f.name {
		case "COUNT":
			u.number = false
			if name, ok := arg.(*nameRef); ok && !strings.Contains(name.name, ".") {
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
		in.formula(arg, u)
	}
}

// path is where a name leads from where it stands: below the item of the
// innermost list around it, unless it begins as a list around it or as
// something of the whole data. It is nil for what asks for no data.
func (in *asker) path(name string) []string {
	if strings.HasPrefix(name, "@") {
		return nil
	}
	steps := strings.Split(dotIndexes(name), ".")
	if len(steps) > maxAskDepth || slices.Contains(steps, "") {
		return nil
	}
	var item []string
	for i := min(len(in.lists), maxAskDepth) - 1; i >= 0 && item == nil; i-- {
		item = in.lists[i]
	}
	if item == nil {
		return steps
	}
	if steps[0] == "this" {
		return append(slices.Clone(item), steps[1:]...)
	}
	if in.outer[fold(steps[0])] != nil {
		return steps
	}
	for _, list := range in.lists[:min(len(in.lists), maxAskDepth)] {
		if len(list) > 0 && fold(list[0]) == fold(steps[0]) {
			return steps
		}
	}
	return append(slices.Clone(item), steps...)
}

func (in *asker) ask(name string, note func(*Ask)) {
	if _, ok := in.e.builtin(name); ok || in.count >= maxAsks {
		return
	}
	steps := in.path(name)
	if len(steps) == 0 {
		return
	}
	in.count++
	a := in.root
	way := []*Ask{}
	for i, step := range steps {
		if i > 0 && step != "" && strings.Trim(step, "0123456789") == "" {
			a.List = true
			continue
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
