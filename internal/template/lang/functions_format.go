package lang

import (
	"strings"
	"time"

	"golang.org/x/text/currency"
)

// defaultLocale is that of NUMBER, CURRENCY, PERCENT and DATE without one.
const defaultLocale = "en"

// formatFunctions show numbers.
func formatFunctions() []function {
	return []function{
		{name: "NUMBER", usage: `NUMBER(Total, 2, "de-AT")`, min: 1, max: 3, reckons: true, apply: env.formatNumber},
		{name: "CURRENCY", usage: `CURRENCY(Total, "EUR", "de-AT")`, min: 2, max: 4, reckons: true, apply: env.formatCurrency},
		{name: "PERCENT", usage: `PERCENT(Rate, 1, "de-AT")`, min: 1, max: 3, reckons: true, apply: env.formatPercent},
	}
}

// formats are what functions know of locales and time zones, each read once.
type formats struct {
	styles map[string]numberStyle
	zones  map[string]*time.Location
}

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
	locale, err := in.evalTextAt(args, i, defaultLocale)
	if err != nil {
		return numberStyle{}, err
	}
	if s, ok := in.e.styles[locale]; ok {
		return s, nil
	}
	s, err := styleOf(locale)
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
		return nil, findingf("unknown_currency", "CURRENCY asks for a currency such as EUR.")
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
