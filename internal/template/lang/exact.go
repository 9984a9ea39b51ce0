package lang

import (
	"strings"

	"github.com/shopspring/decimal"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// An Exact is what a template of one line gives for a program: of one tag alone the value
// itself, with its digits, and not what a page shows of it.
type Exact struct {
	value value
	e     *Evaluator
}

// Exact works a template of one line out. A tag that cannot be worked out is among the
// findings, and leaves nothing; a name without data leaves nothing, either.
func (e *Evaluator) Exact(template string, scope *Scope) Exact {
	l := e.ReadLine(strings.TrimSpace(template))
	x := Exact{e: e}
	if len(l.parts) == 1 && l.parts[0].branches == nil && l.parts[0].statement != nil {
		switch s := l.parts[0].statement; s.Kind {
		case syntax.Field:
			x.value, _ = env{e: e, scope: scope}.evalName(s.Name)
			if o, is := x.value.(*object); is && len(o.members) > 0 {
				e.reportOf(s, scope, findingf("no_text", "The tag names a part of the data that has fields of its own; name one of them."))
			}
			return x.first()
		case syntax.Formula:
			v, wrong := env{e: e, scope: scope}.eval(s.Formula)
			if wrong != nil {
				e.reportOf(s, scope, wrong)
				return x
			}
			x.value = v
			return x.first()
		}
	}
	var b strings.Builder
	e.expandParts(l.parts, l.Text, scope, func(text string, _ *syntax.Statement) { writeBounded(&b, text) })
	x.value = b.String()
	return x
}

// first is the value of a list with one.
func (x Exact) first() Exact {
	if all, is := x.value.(values); is && len(all) == 1 {
		x.value = all[0]
	}
	return x
}

// IsEmpty tells of a value that shows nothing.
func (x Exact) IsEmpty() bool { return isEmpty(x.value) }

// Text is how the value reads.
func (x Exact) Text() string { return textOf(x.value) }

// Number is the value as a number, with the digits that it has. Of TwoNumbers and NoNumber
// there is none.
func (x Exact) Number() (decimal.Decimal, NumberReading) {
	switch v := x.value.(type) {
	case syntax.Number:
		return v.Decimal, OneNumber
	case string:
		doubtful := isDoubtful(v)
		n, ok := readWritten(v)
		switch {
		case doubtful && (!ok || x.e.writesComma()):
			return decimal.Decimal{}, TwoNumbers
		case ok:
			return n.Decimal, OneNumber
		}
	}
	return decimal.Decimal{}, NoNumber
}

// Date is the day that the value names, written 2006-01-02, as the value has it: no time zone
// moves it.
func (x Exact) Date() (day string, ok bool) {
	m, ok := readMoment(textOf(x.value))
	if !ok {
		return "", false
	}
	return m.Format("2006-01-02"), true
}

// ItemsOf returns a scope for each item that {{#each …}} goes through; each is what stands
// behind the word. What is wrong is among the findings.
func (e *Evaluator) ItemsOf(each string, scope *Scope) []*Scope {
	s := e.readEach(each)
	if s.Kind != syntax.Each {
		return nil
	}
	return e.Items(s, scope)
}

func (e *Evaluator) readEach(each string) *syntax.Statement {
	s := e.ReadText(syntax.Canonical("#each " + each))
	s.Tag = "{{#each " + each + "}}"
	if s.Kind == syntax.Faulty {
		e.report(s, findingOf(s.Mistake))
	}
	return s
}

// Meets tells whether a condition, a formula without braces, holds for a scope. What is wrong
// with it is among the findings.
func (e *Evaluator) Meets(condition string, scope *Scope) bool {
	s, wrong := e.readFormula(condition, aCondition)
	if wrong != nil {
		e.Report(*wrong)
		return false
	}
	return e.Holds(s, scope)
}

// Tags tells whether a text has tags, and whether one tag is all of it.
func Tags(text string) (some, alone bool) {
	text = strings.TrimSpace(text)
	tags := syntax.Parse(text)
	return len(tags) > 0, len(tags) == 1 && tags[0].Text == text
}
