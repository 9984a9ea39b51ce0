package lang

import (
	"strings"
	"time"

	"golang.org/x/text/currency"
)

// defaultLocale is that of NUMBER, CURRENCY, PERCENT and DATE without one.
const defaultLocale = "en"

func formatFunctions() []function {
	return []function{
		{"NUMBER", `NUMBER(Total, 2, "de-AT")`, 1, 3, false, context.formatNumber},
		{"CURRENCY", `CURRENCY(Total, "EUR", "de-AT")`, 2, 4, false, context.formatCurrency},
		{"PERCENT", `PERCENT(Rate, 1, "de-AT")`, 1, 3, false, context.formatPercent},
		{"DATE", `DATE(Due, "d MMMM yyyy", "Europe/Vienna", "de")`, 1, 4, false, context.formatDate},
		{"ADD_DAYS", "ADD_DAYS(Due, 14)", 2, 2, false, context.addDays},
	}
}

// amount works out the number that is to be formatted; nothing stays nothing.
func (c context) amount(arg expr) (n numeric, empty bool, err *Finding) {
	v, err := c.eval(arg)
	if err != nil || isEmpty(v) {
		return n, true, err
	}
	n, err = c.number(arg, v)
	return n, false, err
}

func (c context) style(args []expr, i int) (numberStyle, *Finding) {
	locale, err := c.textAt(args, i, defaultLocale)
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
	n, empty, err := c.amount(args[0])
	if err != nil || empty {
		return nil, err
	}
	places, err := c.places(args, 1, -1)
	if err != nil {
		return nil, err
	}
	s, err := c.style(args, 2)
	if err != nil {
		return nil, err
	}
	return s.format(n.Decimal, places), nil
}

func (c context) formatPercent(args []expr) (value, *Finding) {
	n, empty, err := c.amount(args[0])
	if err != nil || empty {
		return nil, err
	}
	places, err := c.places(args, 1, 0)
	if err != nil {
		return nil, err
	}
	s, err := c.style(args, 2)
	if err != nil {
		return nil, err
	}
	return s.format(n.Shift(2), places) + s.percent, nil
}

func (c context) formatCurrency(args []expr) (value, *Finding) {
	n, empty, err := c.amount(args[0])
	if err != nil || empty {
		return nil, err
	}
	code, err := c.text(args[1])
	if err != nil {
		return nil, err
	}
	unit, bad := currency.ParseISO(strings.ToUpper(strings.TrimSpace(code)))
	if bad != nil {
		return nil, findingf("unknown_currency", "CURRENCY asks for a currency such as EUR.")
	}
	s, err := c.style(args, 2)
	if err != nil {
		return nil, err
	}
	places, err := c.places(args, 3, -1)
	if err != nil {
		return nil, err
	}
	return s.money(n.Decimal, unit, places), nil
}

// A moment is a date, with a time of day where it was given one and with a
// zone where that was.
type moment struct {
	time.Time
	dateOnly, zoned bool
}

// momentOf reads a date as ISO 8601 writes it, or as day.month.year. What could
// be two dates, as 1/2/2026, is none.
func momentOf(text string) (moment, bool) {
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05-0700"} {
		if t, err := time.Parse(layout, text); err == nil {
			return moment{Time: t, zoned: true}, true
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04", TimestampLayout} {
		if t, err := time.Parse(layout, text); err == nil {
			return moment{Time: t}, true
		}
	}
	for _, layout := range []string{"2006-01-02", "2.1.2006", "20060102"} {
		if t, err := time.Parse(layout, text); err == nil {
			return moment{Time: t, dateOnly: true}, true
		}
	}
	return moment{}, false
}

func (c context) moment(arg expr) (m moment, empty bool, err *Finding) {
	v, err := c.eval(arg)
	if err != nil || isEmpty(v) {
		return m, true, err
	}
	m, ok := momentOf(textOf(v))
	if !ok {
		what := "A part of the formula"
		if name, is := arg.(*nameRef); is {
			what = "The value of " + name.name
		}
		return m, false, findingf("not_a_date", "%s is not a date such as 2026-01-31 or 2026-01-31T15:04:05Z.", what)
	}
	return m, false, nil
}

// formatDate shows a date. A zone moves what was sent with a zone; a date alone
// is the same everywhere.
func (c context) formatDate(args []expr) (value, *Finding) {
	m, empty, err := c.moment(args[0])
	if err != nil || empty {
		return nil, err
	}
	pattern, err := c.textAt(args, 1, "yyyy-MM-dd")
	if err != nil {
		return nil, err
	}
	zone, err := c.textAt(args, 2, "")
	if err != nil {
		return nil, err
	}
	locale, err := c.textAt(args, 3, defaultLocale)
	if err != nil {
		return nil, err
	}
	if zone != "" {
		location, bad := c.e.location(zone)
		if bad != nil {
			return nil, findingf("unknown_zone", "DATE asks for a time zone such as Europe/Vienna.")
		}
		if m.zoned {
			m.Time = m.In(location)
		}
	}
	return datePattern(m.Time, pattern, locale)
}

// addDays keeps the form: a date stays a date, a time keeps its time.
func (c context) addDays(args []expr) (value, *Finding) {
	m, empty, err := c.moment(args[0])
	if err != nil || empty {
		return nil, err
	}
	n, err := c.numberArg(args[1])
	if err != nil {
		return nil, err
	}
	if !n.IsInteger() || n.NumDigits() > 6 {
		return nil, findingf("wrong_days", "ADD_DAYS adds a whole number of days, at most 999999.")
	}
	moved := m.AddDate(0, 0, int(n.IntPart()))
	switch {
	case moved.Year() < 1 || moved.Year() > 9999:
		return nil, findingf("wrong_days", "ADD_DAYS leads outside the years 1 to 9999.")
	case m.dateOnly:
		return moved.Format("2006-01-02"), nil
	case m.zoned:
		return moved.Format(time.RFC3339Nano), nil
	}
	return moved.Format("2006-01-02T15:04:05.999999999"), nil
}
