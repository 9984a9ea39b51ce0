package merge

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
// goes: names are what somebody wrote into a file.
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
	open  []asked
	count int
}

// asked is an open block; of an Each with the path of its list.
type asked struct {
	*Statement
	list []string
}

func (in *asker) each(stories [][]string, visit func(*Statement)) {
	for _, texts := range stories {
		in.open = nil
		for _, text := range texts {
			for _, tag := range Parse(text) {
				s := in.e.Read(tag)
				visit(s)
				last := len(in.open) - 1
				switch {
				case s.Kind == Each:
					in.open = append(in.open, asked{s, in.path(s.name)})
				case s.Opens():
					in.open = append(in.open, asked{Statement: s})
				case s.Ends() && last >= 0 && s.Closes(in.open[last].Statement):
					in.open = in.open[:last]
				}
			}
		}
	}
}

// where tells whether an Each is open, and whether surely what stands here is
// filled: no condition is open.
func (in *asker) where() (inner, sure bool) {
	sure = true
	for _, o := range in.open {
		inner = inner || o.Kind == Each
		sure = sure && o.Kind != If
	}
	return inner, sure
}

// statement notes what a tag asks for, of those inside of blocks or of the
// others.
func (in *asker) statement(s *Statement, inside bool) {
	inner, sure := in.where()
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
		switch e.function.name {
		case "SUM", "AVERAGE", "MIN", "MAX", "ROUND", "ABS", "NUMBER", "CURRENCY", "PERCENT":
			u.number = i == 0 || e.function.aggregate
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
			u.number = false
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
	for i := len(in.open) - 1; i >= 0 && item == nil; i-- {
		item = in.open[i].list
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
	for _, o := range in.open {
		if len(o.list) > 0 && fold(o.list[0]) == fold(steps[0]) {
			return steps
		}
	}
	return append(slices.Clone(item), steps...)
}

func (in *asker) ask(name string, note func(*Ask)) {
	if _, ok := in.e.builtin(name); ok {
		return
	}
	steps := in.path(name)
	if len(steps) == 0 || in.count >= maxAsks {
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
