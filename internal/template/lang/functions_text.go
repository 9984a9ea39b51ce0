package lang

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// textFunctions change texts.
func textFunctions() []function {
	return []function{
		{name: "UPPER", usage: "UPPER(Name)", min: 1, max: 1, apply: context.upper},
		{name: "LOWER", usage: "LOWER(Name)", min: 1, max: 1, apply: context.lower},
		{name: "TITLE", usage: "TITLE(Name)", min: 1, max: 1, apply: context.title},
		{name: "TRIM", usage: "TRIM(Name)", min: 1, max: 1, apply: context.trim},
		{name: "TRUNCATE", usage: `TRUNCATE(Note, 80, "…")`, min: 2, max: 3, apply: context.truncate},
		{name: "REPLACE", usage: `REPLACE(Phone, " ", "")`, min: 3, max: 3, apply: context.replace},
		{name: "CONCAT", usage: `CONCAT(First, " ", Last)`, min: 1, max: manyArguments, apply: context.concatenate},
	}
}

func (c context) upper(args []expr) (value, *Finding) {
	s, err := c.evalText(args[0])
	return strings.ToUpper(s), err
}

func (c context) lower(args []expr) (value, *Finding) {
	s, err := c.evalText(args[0])
	return strings.ToLower(s), err
}

func (c context) title(args []expr) (value, *Finding) {
	s, err := c.evalText(args[0])
	return cases.Title(language.Und).String(s), err
}

// trim leaves single spaces only, as in spreadsheets.
func (c context) trim(args []expr) (value, *Finding) {
	s, err := c.evalText(args[0])
	return strings.Join(strings.Fields(s), " "), err
}

// truncate cuts a text to a number of characters, the sign for the cut
// included.
func (c context) truncate(args []expr) (value, *Finding) {
	s, err := c.evalText(args[0])
	if err != nil {
		return nil, err
	}
	n, err := c.evalNumber(args[1])
	if err != nil {
		return nil, err
	}
	sign, err := c.evalTextAt(args, 2, "…")
	if err != nil {
		return nil, err
	}
	runes := []rune(s)
	if n.IsNegative() || !n.IsInteger() {
		return nil, findingf("wrong_length", "TRUNCATE cuts to a whole number of characters.")
	}
	if n.NumDigits() > 9 || int64(len(runes)) <= n.IntPart() {
		return s, nil
	}
	keep := max(0, int(n.IntPart())-len([]rune(sign)))
	return string(runes[:keep]) + sign, nil
}

func (c context) replace(args []expr) (value, *Finding) {
	var texts [3]string
	for i := range texts {
		var err *Finding
		if texts[i], err = c.evalText(args[i]); err != nil {
			return nil, err
		}
	}
	if texts[1] == "" {
		return texts[0], nil
	}
	if len(texts[0])+strings.Count(texts[0], texts[1])*len(texts[2]) > MaxExpanded {
		return nil, newTooLong()
	}
	return strings.ReplaceAll(texts[0], texts[1], texts[2]), nil
}

func (c context) concatenate(args []expr) (value, *Finding) {
	var all values
	for _, arg := range args {
		v, err := c.eval(arg)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return c.concat(all)
}

func (c context) concat(all values) (value, *Finding) {
	var b strings.Builder
	for _, v := range all {
		b.WriteString(textOf(v))
		if b.Len() > MaxExpanded {
			return nil, newTooLong()
		}
	}
	return b.String(), nil
}
