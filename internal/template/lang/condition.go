package lang

import (
	"strings"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// Condition tells whether a condition, a formula without braces, is true of the data. A name
// without data is empty, as in {{#if}}. A finding says why it cannot be worked out.
func Condition(condition string, data *Data, builtins Builtins) (holds bool, wrong *Finding) {
	e := NewEvaluator(data, builtins)
	s, wrong := e.readCondition(condition)
	if wrong != nil {
		return false, wrong
	}
	holds = e.Holds(s, nil)
	if found := e.Findings(); len(found) > 0 {
		return false, &found[0]
	}
	return holds, nil
}

// CheckCondition says why a condition cannot be read; nil: it can.
func CheckCondition(condition string) *Finding {
	_, wrong := NewEvaluator(nil, Builtins{}).readCondition(condition)
	return wrong
}

func (e *Evaluator) readCondition(condition string) (*syntax.Statement, *Finding) {
	if strings.Contains(condition, "{{") || strings.Contains(condition, "}}") {
		return nil, &Finding{Code: "formula_unexpected", Message: "A condition is a formula without braces, such as Total > 1000."}
	}
	s := e.ReadText(syntax.Canonical("#if " + condition))
	if s.Kind != syntax.If || s.Formula == nil {
		e.Holds(s, nil)
		return nil, &Finding{Code: "formula_unexpected", Message: "This is no formula, such as Total > 1000."}
	}
	return s, nil
}
