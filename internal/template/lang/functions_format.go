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
		{name: "NUMBER", usage: `NUMBER(Total, 2, "de-AT")`, min: 1, max: 3, reckons: true, apply: context.formatNumber},
		{name: "CURRENCY", usage: `CURRENCY(Total, "EUR", "de-AT")`, min: 2, max: 4, reckons: true, apply: context.formatCurrency},
		{name: "PERCENT", usage: `PERCENT(Rate, 1, "de-AT")`, min: 1, max: 3, reckons: true, apply: context.formatPercent},
	}
}

// formats are what functions know of locales and time zones, each read once.
type formats struct {
	styles map[string]numberStyle
	zones  map[string]*time.Location
}

// evalAmount works out the number that is to be formatted; nothing stays
// nothing.
func (c context) evalAmount(arg expr) (n numeric, empty bool, err *Finding) {
	v, err := c.eval(arg)
	if err != nil || isEmpty(v) {
		return n, true, err
	}
	n, err = c.toNumber(arg, v)
	return n, false, err
}

func (c context) findStyle(args []expr, i int) (numberStyle, *Finding) {
	locale, err := c.evalTextAt(args, i, defaultLocale)
	if err != nil {
		return numberStyle{}, err
	}
	if s, ok := c.e.styles[locale]; ok {
		return s, nil
	}
	s, err := styleOf(locale)
	if err == nil {
		c.e.styles[locale] = s
	}
	return s, err
}

func (c context) formatNumber(args []expr) (value, *Finding) {
	n, empty, err := c.evalAmount(args[0])
	if err != nil || empty {
		return nil, err
	}
	places, err := c.evalPlaces(args, 1, -1)
	if err != nil {
		return nil, err
	}
	s, err := c.findStyle(args, 2)
	if err != nil {
		return nil, err
	}
	return s.format(n.Decimal, places), nil
}

func (c context) formatPercent(args []expr) (value, *Finding) {
	n, empty, err := c.evalAmount(args[0])
	if err != nil || empty {
		return nil, err
	}
	places, err := c.evalPlaces(args, 1, 0)
	if err != nil {
		return nil, err
	}
	s, err := c.findStyle(args, 2)
	if err != nil {
		return nil, err
	}
	return s.format(n.Shift(2), places) + s.percent, nil
}

func (c context) formatCurrency(args []expr) (value, *Finding) {
	n, empty, err := c.evalAmount(args[0])
	if err != nil || empty {
		return nil, err
	}
	code, err := c.evalText(args[1])
	if err != nil {
		return nil, err
	}
	unit, bad := currency.ParseISO(strings.ToUpper(strings.TrimSpace(code)))
	if bad != nil {
		return nil, findingf("unknown_currency", "CURRENCY asks for a currency such as EUR.")
	}
	s, err := c.findStyle(args, 2)
	if err != nil {
		return nil, err
	}
	places, err := c.evalPlaces(args, 3, -1)
	if err != nil {
		return nil, err
	}
	return s.money(n.Decimal, unit, places), nil
}
