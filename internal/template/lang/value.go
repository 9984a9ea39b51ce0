package lang

import (
	"strings"

	"github.com/shopspring/decimal"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// divisionDigits is how many digits behind the point a division gives.
const divisionDigits = 28

// A value is what a formula works with: nil for nothing, a string, a Number,
// a bool, values, or an *object.
type value any

type values []value

// valueOf is the value of a node.
func valueOf(n node) value {
	switch n := n.(type) {
	case scalar:
		return string(n)
	case number:
		if v, ok := syntax.ParseNumber(string(n)); ok {
			return v
		}
		return string(n) // too large to reckon with, but it can be shown
	case boolean:
		return bool(n)
	case list:
		all := make(values, len(n))
		for i, item := range n {
			all[i] = valueOf(item)
		}
		return all
	case *object:
		return n
	}
	return nil
}

// textOf is how a value reads in a document. An object has no text.
func textOf(v value) string {
	switch v := v.(type) {
	case string:
		return v
	case syntax.Number:
		return v.String()
	case bool:
		if v {
			return "true"
		}
		return "false"
	case values:
		var texts []string
		for _, item := range v {
			if t := textOf(item); t != "" {
				texts = append(texts, t)
			}
		}
		return strings.Join(texts, ", ")
	}
	return ""
}

// isEmpty tells of a value that shows nothing.
func isEmpty(v value) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == ""
	case values:
		return len(v) == 0
	case *object:
		return len(v.members) == 0
	}
	return false
}

// isTrue tells whether a condition holds: everything does but nothing, empty
// text, empty lists, zero, false, and the texts "false" and "0" that forms
// send for it.
func isTrue(v value) bool {
	switch v := v.(type) {
	case bool:
		return v
	case syntax.Number:
		return !v.IsZero()
	case string:
		t := strings.TrimSpace(v)
		return t != "" && t != "0" && !strings.EqualFold(t, "false")
	}
	return !isEmpty(v)
}

// numberOf reads a value as a number; nothing is zero, as an empty cell is in
// a spreadsheet.
func numberOf(v value) (syntax.Number, bool) {
	switch v := v.(type) {
	case nil:
		return syntax.Number{}, true
	case syntax.Number:
		return v, true
	case bool:
		if v {
			return syntax.NewNumber(decimal.NewFromInt(1)), true
		}
		return syntax.Number{}, true
	case string:
		if strings.TrimSpace(v) == "" {
			return syntax.Number{}, true
		}
		return readWritten(v)
	case values:
		if len(v) == 1 {
			return numberOf(v[0])
		}
		return syntax.Number{}, len(v) == 0
	}
	return syntax.Number{}, false
}

// flatten takes lists inside lists apart.
func flatten(all values, v value) values {
	if items, ok := v.(values); ok {
		for _, item := range items {
			all = flatten(all, item)
		}
		return all
	}
	return append(all, v)
}

// compare orders two values: numbers by size, everything else as text without
// regard to case.
func compare(a, b value) int {
	if !isEmpty(a) || !isEmpty(b) {
		x, ok := numberOf(a)
		y, too := numberOf(b)
		if ok && too && (!isText(a) || !isText(b)) || ok && too && !isEmpty(a) && !isEmpty(b) {
			return x.Cmp(y.Decimal)
		}
	}
	return strings.Compare(syntax.Fold(textOf(a)), syntax.Fold(textOf(b)))
}

func isText(v value) bool {
	_, ok := v.(string)
	return ok || v == nil
}
