package lang

import (
	"strings"
	"unicode/utf8"

	"github.com/shopspring/decimal"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// textFunctions change texts.
func textFunctions() []function {
	return []function{
		{name: "UPPER", usage: "UPPER(Name)", min: 1, max: 1, apply: env.upper},
		{name: "LOWER", usage: "LOWER(Name)", min: 1, max: 1, apply: env.lower},
		{name: "TITLE", usage: "TITLE(Name)", min: 1, max: 1, apply: env.title},
		{name: "TRIM", usage: "TRIM(Name)", min: 1, max: 1, apply: env.trim},
		{name: "TRUNCATE", usage: `TRUNCATE(Note, 80, "…")`, min: 2, max: 3, apply: env.truncate},
		{name: "REPLACE", usage: `REPLACE(Phone, " ", "")`, min: 3, max: 3, apply: env.replace},
		{name: "PAD", usage: `PAD(No, 5, "0")`, min: 2, max: 3, apply: env.pad},
		{name: "CONCAT", usage: `CONCAT(First, " ", Last)`, min: 1, max: manyArguments, apply: env.concatenate},
	}
}

func (in env) upper(args []syntax.Expr) (value, *Finding) {
	s, err := in.evalText(args[0])
	return strings.ToUpper(s), err
}

func (in env) lower(args []syntax.Expr) (value, *Finding) {
	s, err := in.evalText(args[0])
	return strings.ToLower(s), err
}

func (in env) title(args []syntax.Expr) (value, *Finding) {
	s, err := in.evalText(args[0])
	return cases.Title(language.Und).String(s), err
}

// trim leaves single spaces only, as in spreadsheets.
func (in env) trim(args []syntax.Expr) (value, *Finding) {
	s, err := in.evalText(args[0])
	return strings.Join(strings.Fields(s), " "), err
}

// truncate cuts a text to a number of characters, the sign for the cut
// included.
func (in env) truncate(args []syntax.Expr) (value, *Finding) {
	s, err := in.evalText(args[0])
	if err != nil {
		return nil, err
	}
	n, err := in.evalNumber(args[1])
	if err != nil {
		return nil, err
	}
	sign, err := in.evalTextAt(args, 2, "…")
	if err != nil {
		return nil, err
	}
	runes := []rune(s)
	if n.IsNegative() || !n.IsInteger() {
		return nil, blame(args[1], findingf("wrong_length", "TRUNCATE cuts to a whole number of characters."))
	}
	if n.GreaterThanOrEqual(decimal.NewFromInt(int64(len(runes)))) {
		return s, nil
	}
	keep := max(0, int(n.IntPart())-len([]rune(sign)))
	return string(runes[:keep]) + sign, nil
}

func (in env) replace(args []syntax.Expr) (value, *Finding) {
	var texts [3]string
	for i := range texts {
		var err *Finding
		if texts[i], err = in.evalText(args[i]); err != nil {
			return nil, err
		}
	}
	if texts[1] == "" {
		return texts[0], nil
	}
	if len(texts[0])+strings.Count(texts[0], texts[1])*(len(texts[2])-len(texts[1])) > MaxExpanded {
		return nil, newTooLong()
	}
	return strings.ReplaceAll(texts[0], texts[1], texts[2]), nil
}

// maxPadded is how many characters pad fills a text up to.
const maxPadded = 100

// pad puts a sign before a text until it has a number of characters.
func (in env) pad(args []syntax.Expr) (value, *Finding) {
	s, err := in.evalText(args[0])
	if err != nil || s == "" {
		return s, err
	}
	n, err := in.evalNumber(args[1])
	if err != nil {
		return nil, err
	}
	sign, err := in.evalTextAt(args, 2, "0")
	if err != nil {
		return nil, err
	}
	wrong := findingf("wrong_length", "PAD fills a text up to a whole number of characters, at most %d, with one sign.", maxPadded)
	switch {
	case n.IsNegative() || !n.IsInteger() || n.GreaterThan(decimal.NewFromInt(maxPadded)):
		return nil, blame(args[1], wrong)
	case utf8.RuneCountInString(sign) != 1:
		return nil, blame(args[2], wrong)
	}
	return strings.Repeat(sign, max(0, int(n.IntPart())-utf8.RuneCountInString(s))) + s, nil
}

func (in env) concatenate(args []syntax.Expr) (value, *Finding) {
	var all values
	for _, arg := range args {
		v, err := in.eval(arg)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return in.concat(all)
}

func (in env) concat(all values) (value, *Finding) {
	var b strings.Builder
	for _, v := range all {
		b.WriteString(textOf(v))
		if b.Len() > MaxExpanded {
			return nil, newTooLong()
		}
	}
	return b.String(), nil
}
