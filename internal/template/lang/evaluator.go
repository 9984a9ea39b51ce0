package lang

import (
	"fmt"
	"slices"
	"time"
)

// An Evaluator answers what the tags of a template come to for one source
// event. It notes what is missing or wrong on the way, so use one for each
// document. It is not safe for concurrent use.
type Evaluator struct {
	*resolver
	statements map[string]*Statement
	functions  map[string]function
	styles     map[string]numberStyle
	zones      map[string]*time.Location
	signed     map[string]bool // what looked like reckoning and is not a name
	steps      int
	written    int // bytes of text
	missing    []string
	within     map[string]string // of names that only items of a list were asked for, its path; else empty
	noted      map[string]bool
	findings   []Finding
	obtain     Obtain
	pictures   map[pictureKey]obtainedPicture
	pictured   int64 // bytes of those that were obtained
	failed     error
	longest    LongList
}

// NewEvaluator begins the filling of one document.
func NewEvaluator(data *Data, builtins Builtins) *Evaluator {
	own := Data{root: &object{}}
	if data != nil {
		own = *data
	}
	own.visits, own.known = 0, map[seekKey]sought{}
	return &Evaluator{
		resolver:   newResolver(&own, builtins),
		statements: map[string]*Statement{},
		styles:     map[string]numberStyle{},
		zones:      map[string]*time.Location{},
		signed:     map[string]bool{},
		noted:      map[string]bool{},
		within:     map[string]string{},
		pictures:   map[pictureKey]obtainedPicture{},
	}
}

// Missing names what the tags named and the data did not have, each once, in
// the order in which it was needed. What a row calls Items.Price and a block over
// the items Price is one field.
func (e *Evaluator) Missing() []string {
	return slices.DeleteFunc(slices.Clone(e.missing), func(name string) bool {
		list := e.within[name]
		_, inFull := e.within[list+"."+name]
		return list != "" && inFull
	})
}

// Findings are the mistakes of the template that came up, each once.
func (e *Evaluator) Findings() []Finding { return e.findings }

// Report adds a finding, unless it has been reported.
func (e *Evaluator) Report(f Finding) {
	if key := "finding " + f.Code + " " + f.Tag + " " + f.item; !e.noted[key] && len(e.findings) < maxFindings {
		e.noted[key] = true
		e.findings = append(e.findings, f)
	}
}

func (e *Evaluator) report(s *Statement, of *Finding) {
	f := *of
	f.Tag = s.Tag
	e.Report(f)
}

// reportOf says of which item the data is wrong.
func (e *Evaluator) reportOf(s *Statement, scope *Scope, of *Finding) {
	f := *of
	f.Tag = s.Tag
	if f.Data && scope != nil {
		f.item = fmt.Sprintf("item %d of %s", scope.index, scope.paths[0])
		f.Message = "For " + f.item + ": " + f.Message
	}
	e.Report(f)
}

func (e *Evaluator) noteMissing(name string, scope *Scope) {
	for scope != nil && !scope.relative {
		scope = scope.parent
	}
	list := ""
	if scope != nil {
		list = scope.List()
	}
	before, known := e.within[name]
	if !known {
		e.missing = append(e.missing, name)
	}
	if !known || before != "" {
		e.within[name] = list
	}
}

// Text is what a Field or Formula shows in a document for a scope: one line,
// with U+000B for its breaks. It is empty for what is missing or faulty.
func (e *Evaluator) Text(s *Statement, scope *Scope) string {
	return documentText(e.raw(s, scope))
}

// raw is Text as the data has it. A picture has no text: where only text can
// be, it is a finding.
func (e *Evaluator) raw(s *Statement, scope *Scope) string {
	switch s.Kind {
	case Field:
		return e.field(s.name, scope)
	case Formula:
		v, err := context{e: e, scope: scope}.eval(s.formula)
		if err == nil {
			switch v.(type) {
			case *object:
				err = findingf("no_text", "The formula gives a part of the data that has fields of its own; name one of them.")
			}
		}
		if err != nil {
			e.report(s, err)
			return ""
		}
		return textOf(v)
	case Link:
		return e.inserted(s, scope, Span{}).Text
	case Image, QR:
		e.report(s, findingf("picture_in_text", "A picture can stand in a paragraph or a cell of a document, or alone in a shape of a slide; not here."))
	case Faulty:
		e.report(s, s.finding)
	}
	return ""
}

// field is the value of a plain name, as text.
func (e *Evaluator) field(name string, scope *Scope) string {
	if scope == nil {
		text, ok := e.resolve(name)
		if !ok {
			e.noteMissing(name, nil)
		}
		return text
	}
	v, ok := context{e: e, scope: scope}.named(name)
	if o, is := v.(*object); ok && is && len(o.members) > 0 {
		e.noteMissing(name, scope)
	}
	return textOf(v)
}

// Holds tells whether the condition of an If or ElseIf holds. A name without
// data makes it false and is not noted as missing: a condition may ask for it.
func (e *Evaluator) Holds(s *Statement, scope *Scope) bool {
	if s.formula == nil {
		return s.Kind == Else
	}
	v, err := context{e: e, scope: scope, quiet: true}.eval(s.formula)
	if err != nil {
		e.report(s, err)
		return false
	}
	return isTrue(v)
}

// Items returns a scope for each item of the list that an Each names. A list
// that the data does not have has no items and is noted as missing; what is
// not a list is a finding.
func (e *Evaluator) Items(s *Statement, scope *Scope) []*Scope {
	scopes, ok := e.data.items(s.name, scope, true)
	if ok {
		e.gone(scopes)
		return scopes
	}
	if _, there := e.data.seek(s.name, scope); there {
		e.report(s, findingf("not_a_list", "%s is not a list.", s.name))
	} else {
		e.noteMissing(s.name, scope)
	}
	return nil
}

// Repeats returns a scope for each item of the list that statements go
// through, as in a row of a table, and false when they go through none. When
// they go through lists that do not lie one inside the other, the first counts
// and a finding says so.
func (e *Evaluator) Repeats(statements []*Statement, scope *Scope) ([]*Scope, bool) {
	if !e.data.lists {
		return nil, false
	}
	var names []string
	for _, s := range statements {
		if s.Kind != Each {
			names = append(names, s.names()...)
		}
	}
	chain, other := e.data.listsOf(names, scope)
	if chain == nil {
		return nil, false
	}
	if other != "" {
		e.Report(Finding{Code: "two_lists", Tag: statements[0].Tag, Message: "This row or line names fields of " + chain[0] + " and of " + other + ": it can be repeated for one list only."})
	}
	scopes := e.data.unroll(chain, scope)
	e.gone(scopes)
	return scopes, true
}

// gone counts the items that a part of the document is repeated for.
func (e *Evaluator) gone(items []*Scope) {
	e.steps += len(items)
	if len(items) > e.longest.Items {
		e.longest = LongList{Name: items[0].List(), Items: len(items)}
	}
}

// A LongList is one that makes a document large.
type LongList struct {
	Name  string
	Items int
}

// Longest is the longest list that a part of the document was repeated for.
func (e *Evaluator) Longest() LongList { return e.longest }

func (l LongList) String() string {
	if l.Items == 0 {
		return ""
	}
	return fmt.Sprintf(" The longest list, %s, has %d items.", l.Name, l.Items)
}

// TooMuch tells that the template has come to the limit of what is filled, and
// reports it.
func (e *Evaluator) TooMuch() bool {
	switch {
	case e.exhausted():
		e.Report(Finding{Code: "template_too_costly", Data: true, Message: "The template's formulas and blocks take too many steps for this data: send less, or repeat fewer lists inside one another." + e.longest.String()})
	case e.written > maxWritten:
		e.Report(Finding{Code: "document_too_large", Data: true, Message: fmt.Sprintf("The values for this document have more than %d MiB together: send less data.%s", maxWritten>>20, e.longest)})
	default:
		return false
	}
	return true
}

func (e *Evaluator) exhausted() bool {
	return e.steps > maxSteps || e.data.visits > maxVisits
}

func (e *Evaluator) allFunctions() map[string]function {
	if e.functions == nil {
		e.functions = allFunctions()
	}
	return e.functions
}

// builtin is the value of a built-in name, in any case.
func (e *Evaluator) builtin(name string) (string, bool) {
	if text, ok := e.builtins.get(name, false); ok {
		return text, true
	}
	return e.builtins.get(name, true)
}

func (e *Evaluator) location(zone string) (*time.Location, error) {
	if l, ok := e.zones[zone]; ok {
		return l, nil
	}
	l, err := time.LoadLocation(zone)
	if err == nil {
		e.zones[zone] = l
	}
	return l, err
}
