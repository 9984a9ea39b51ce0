package lang

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"golang.org/x/text/currency"

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
	styles map[string]numberStyle
	zones  map[string]*time.Location
}

// locale is that of functions that name none.
func (r *resolver) locale() string { return cmp.Or(r.builtins.Locale, defaultLocale) }

// evalAmount works out the number that is to be formatted; nothing stays
// nothing.
func (in env) evalAmount(arg expr) (n numeric, empty bool, err *Finding) {
	v, err := in.eval(arg)
	if err != nil || isEmpty(v) {
		return n, true, err
	}
	n, err = in.toNumber(arg, v)
	return n, false, err
}

func (in env) findStyle(args []expr, i int) (numberStyle, *Finding) {
	locale, err := in.evalTextAt(args, i, in.e.locale())
	if err != nil {
		return numberStyle{}, err
	}
	if s, ok := in.e.styles[locale]; ok {
		return s, nil
	}
	s, err := styleOf(locale)
	if err != nil && i < len(args) {
		return s, blame(args[i], err)
	}
	if err == nil {
		in.e.styles[locale] = s
	}
	return s, err
}

func (in env) formatNumber(args []expr) (value, *Finding) {
	n, empty, err := in.evalAmount(args[0])
	if err != nil || empty {
		return nil, err
	}
	places, err := in.evalPlaces(args, 1, -1)
	if err != nil {
		return nil, err
	}
	s, err := in.findStyle(args, 2)
	if err != nil {
		return nil, err
	}
	return s.format(n.Decimal, places), nil
}

func (in env) formatPercent(args []expr) (value, *Finding) {
	n, empty, err := in.evalAmount(args[0])
	if err != nil || empty {
		return nil, err
	}
	places, err := in.evalPlaces(args, 1, 0)
	if err != nil {
		return nil, err
	}
	s, err := in.findStyle(args, 2)
	if err != nil {
		return nil, err
	}
	return s.share(n.Shift(2), places), nil
}

func (in env) formatCurrency(args []expr) (value, *Finding) {
	n, empty, err := in.evalAmount(args[0])
	if err != nil || empty {
		return nil, err
	}
	code, err := in.evalText(args[1])
	if err != nil {
		return nil, err
	}
	unit, bad := currency.ParseISO(strings.ToUpper(strings.TrimSpace(code)))
	if bad != nil {
		return nil, blame(args[1], findingf("unknown_currency", "CURRENCY asks for a currency such as EUR."))
	}
	s, err := in.findStyle(args, 2)
	if err != nil {
		return nil, err
	}
	places, err := in.evalPlaces(args, 3, -1)
	if err != nil {
		return nil, err
	}
	return s.money(n.Decimal, unit, places), nil
}

// checkWords says of a locale that stands in a formula that it has no words.
func checkWords(args []expr) *Finding {
	if len(args) < 2 {
		return nil
	}
	locale, is := args[1].(*literal)
	if !is {
		return nil
	}
	s, err := styleOf(textOf(locale.value))
	if err == nil && !words.Knows(s.tag) {
		err = noWords(textOf(locale.value))
	}
	return err
}

func noWords(locale string) *Finding {
	return findingf("unknown_language", "WORDS knows no words for numbers in %.40s. The docs list its languages: give it one of them, such as WORDS(Total, \"en\"), or write the number with NUMBER.", locale)
}

func (in env) formatWords(args []expr) (value, *Finding) {
	n, empty, err := in.evalAmount(args[0])
	if err != nil || empty {
		return nil, err
	}
	s, err := in.findStyle(args, 1)
	if err != nil {
		return nil, err
	}
	text, bad := words.Spell(n.Decimal, s.tag, s.point)
	switch {
	case errors.Is(bad, words.ErrUnknownLanguage):
		return nil, blame(args[len(args)-1], noWords(s.tag.String()))
	case bad != nil:
		return nil, valueFindingf("number_too_large", "WORDS has no words for this number: the language counts no further, or it has too many digits behind the point. ROUND shortens it.")
	}
	return text, nil
}
