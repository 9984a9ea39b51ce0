package lang

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/platenhq/platen/internal/template/lang/syntax"
	"github.com/platenhq/platen/internal/template/locale"
	"github.com/platenhq/platen/internal/template/words"
)

// defaultLocale is that of NUMBER, CURRENCY, PERCENT, DATE and WORDS where neither the
// formula nor the workflow has one.
const defaultLocale = "en"

// formatFunctions show numbers.
func formatFunctions() []function {
	return []function{
		{name: "NUMBER", usage: `NUMBER(Total, 2, "de-AT")`, min: 1, max: 3, reckons: true, apply: env.formatNumber},
		{name: "CURRENCY", usage: `CURRENCY(Total, "EUR", "de-AT")`, min: 2, max: 4, reckons: true, apply: env.formatCurrency},
		{name: "PERCENT", usage: `PERCENT(Rate, 1, "de-AT")`, min: 1, max: 3, reckons: true, apply: env.formatPercent},
		{name: "WORDS", usage: `WORDS(Total, "de-AT")`, min: 1, max: 2, reckons: true, check: checkWords, apply: env.formatWords},
	}
}

// formats are what functions know of locales and time zones, each read once.
type formats struct {
	locales   map[string]*locale.Locale // of numbers
	calendars map[string]locale.Calendar
	zones     map[string]*time.Location
}

// locale is that of functions that name none.
func (r *resolver) locale() string { return cmp.Or(r.builtins.Locale, defaultLocale) }

// evalAmount works out the number that is to be formatted; nothing stays
// nothing.
func (in env) evalAmount(arg syntax.Expr) (n syntax.Number, empty bool, err *Finding) {
	v, err := in.eval(arg)
	if err != nil || isEmpty(v) {
		return n, true, err
	}
	n, err = in.toNumber(arg, v)
	return n, false, err
}

// findLocale finds the locale of an argument, and the document's where there is none.
func (in env) findLocale(args []syntax.Expr, i int) (*locale.Locale, *Finding) {
	name, err := in.evalTextAt(args, i, in.e.locale())
	if err != nil {
		return nil, err
	}
	if l, ok := in.e.locales[name]; ok {
		return l, nil
	}
	l, err := localeOf(name)
	if err != nil && i < len(args) {
		return nil, blame(args[i], err)
	}
	if err == nil {
		in.e.locales[name] = l
	}
	return l, err
}

func (in env) formatNumber(args []syntax.Expr) (value, *Finding) {
	n, empty, err := in.evalAmount(args[0])
	if err != nil || empty {
		return nil, err
	}
	places, err := in.evalPlaces(args, 1, -1)
	if err != nil {
		return nil, err
	}
	l, err := in.findLocale(args, 2)
	if err != nil {
		return nil, err
	}
	return l.Number(n.Decimal, places), nil
}

func (in env) formatPercent(args []syntax.Expr) (value, *Finding) {
	n, empty, err := in.evalAmount(args[0])
	if err != nil || empty {
		return nil, err
	}
	places, err := in.evalPlaces(args, 1, 0)
	if err != nil {
		return nil, err
	}
	l, err := in.findLocale(args, 2)
	if err != nil {
		return nil, err
	}
	return l.Percent(n.Shift(2), places), nil
}

func (in env) formatCurrency(args []syntax.Expr) (value, *Finding) {
	n, empty, err := in.evalAmount(args[0])
	if err != nil || empty {
		return nil, err
	}
	code, err := in.evalText(args[1])
	if err != nil {
		return nil, err
	}
	code = strings.ToUpper(strings.TrimSpace(code))
	if !locale.HasCurrency(code) {
		return nil, blame(args[1], findingf("unknown_currency", "CURRENCY asks for a currency such as EUR."))
	}
	l, err := in.findLocale(args, 2)
	if err != nil {
		return nil, err
	}
	places, err := in.evalPlaces(args, 3, -1)
	if err != nil {
		return nil, err
	}
	return l.Amount(n.Decimal, code, places), nil
}

// checkWords says of a locale that stands in a formula that it has no words.
func checkWords(args []syntax.Expr) *syntax.Mistake {
	if len(args) < 2 {
		return nil
	}
	name, is := args[1].(*syntax.Literal)
	if !is {
		return nil
	}
	l, err := localeOf(textOf(name.Value))
	if err == nil && !words.Knows(l.Tag()) {
		err = noWords(textOf(name.Value))
	}
	if err != nil {
		return &syntax.Mistake{Code: err.Code, Message: err.Message}
	}
	return nil
}

func noWords(locale string) *Finding {
	return findingf("unknown_language", "WORDS knows no words for numbers in %.40s. The docs list its languages: give it one of them, such as WORDS(Total, \"en\"), or write the number with NUMBER.", locale)
}

func (in env) formatWords(args []syntax.Expr) (value, *Finding) {
	n, empty, err := in.evalAmount(args[0])
	if err != nil || empty {
		return nil, err
	}
	l, err := in.findLocale(args, 1)
	if err != nil {
		return nil, err
	}
	text, bad := words.Spell(n.Decimal, l.Tag(), l.Point())
	switch {
	case errors.Is(bad, words.ErrUnknownLanguage):
		return nil, blame(args[len(args)-1], noWords(l.Tag().String()))
	case bad != nil:
		return nil, valueFindingf("number_too_large", "WORDS has no words for this number: the language counts no further, or it has too many digits behind the point. ROUND shortens it.")
	}
	return text, nil
}
