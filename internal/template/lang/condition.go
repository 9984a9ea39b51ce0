package lang

import (
	"strings"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// Condition tells whether a condition, a formula without braces, is true of the data. A name
// without data is empty, as in {{#if}}. A finding says why it cannot be worked out.
func Condition(condition string, data *Data, builtins Builtins) (holds bool, wrong *Finding) {
	holds, _, wrong = tried(condition, data, builtins, true)
	return holds, wrong
}

// CautiousCondition is Condition for what must not be let past: it also holds where the data
// has no value for a field that decides. DEFAULT says which value a field has then.
func CautiousCondition(condition string, data *Data, builtins Builtins) (holds bool, wrong *Finding) {
	holds, blanks, wrong := tried(condition, data, builtins, false)
	return wrong == nil && (holds || blanks > 0), wrong
}

func tried(condition string, data *Data, builtins Builtins, quiet bool) (holds bool, blanks int, wrong *Finding) {
	e := NewEvaluator(data, builtins)
	e.isCautious = !quiet
	s, wrong := e.readFormula(condition, aCondition)
	if wrong != nil {
		return false, 0, wrong
	}
	v, wrong := env{e: e, quiet: quiet}.eval(s.Formula)
	if wrong != nil {
		e.reportOf(s, nil, wrong)
	}
	if found := e.Findings(); len(found) > 0 {
		return false, 0, &found[0]
	}
	return isTrue(v), e.blanks, nil
}

// CheckCondition says why a condition cannot be read; nil: it can.
func CheckCondition(condition string) *Finding {
	_, wrong := NewEvaluator(nil, Builtins{}).readFormula(condition, aCondition)
	return wrong
}

// aCondition and aKey say what a formula without braces is, with an example.
var (
	aCondition = [2]string{"A condition", "Total > 1000"}
	aKey       = [2]string{"A key", "Customer.Number"}
)

// readFormula reads a formula that stands alone.
func (e *Evaluator) readFormula(text string, what [2]string) (*syntax.Statement, *Finding) {
	if strings.Contains(text, "{{") || strings.Contains(text, "}}") {
		return nil, &Finding{Code: "formula_unexpected", Message: what[0] + " is a formula without braces, such as " + what[1] + "."}
	}
	s := e.ReadText(syntax.Canonical("#if " + text))
	if s.Kind != syntax.If || s.Formula == nil {
		e.Holds(s, nil)
		return nil, &Finding{Code: "formula_unexpected", Message: "This is no formula, such as " + what[1] + "."}
	}
	return s, nil
}

// Key is what a key, a formula without braces, gives for the data, without the white space
// around it. A name without data is empty. A finding says why it cannot be worked out.
func Key(key string, data *Data, builtins Builtins) (text string, wrong *Finding) {
	e := NewEvaluator(data, builtins)
	s, wrong := e.readFormula(key, aKey)
	if wrong != nil {
		return "", wrong
	}
	v, wrong := env{e: e, quiet: true}.eval(s.Formula)
	if _, is := v.(*object); wrong == nil && is {
		wrong = findingf("no_text", "The formula gives a part of the data that has fields of its own; name one of them.")
	}
	if wrong != nil {
		return "", wrong
	}
	return strings.TrimSpace(textOf(v)), nil
}

// CheckKey says why a key cannot be read; nil: it can.
func CheckKey(key string) *Finding {
	_, wrong := NewEvaluator(nil, Builtins{}).readFormula(key, aKey)
	return wrong
}
