package lang

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/platenhq/platen/internal/template/lang/syntax"
	"github.com/platenhq/platen/internal/template/locale"
)

// dateFunctions show dates and reckon with them.
func dateFunctions() []function {
	return []function{
		{name: "DATE", usage: `DATE(Due, "d MMMM yyyy", "Europe/Vienna", "de")`, min: 1, max: 4, apply: env.formatDate},
		{name: "FROM_UNIX", usage: "FROM_UNIX(Created)", min: 1, max: 1, reckons: true, apply: env.fromUnix},
		{name: "ADD_DAYS", usage: "ADD_DAYS(Due, 14)", min: 2, max: 2, apply: env.addDays},
	}
}

func (in env) evalMoment(arg syntax.Expr) (m moment, empty bool, err *Finding) {
	v, err := in.eval(arg)
	if err != nil || isEmpty(v) {
		return m, true, err
	}
	m, ok := readMoment(textOf(v))
	if !ok {
		f := valueFindingf("not_a_date", "A part of the formula is not a date such as 2026-01-31 or 2026-01-31T15:04:05Z.")
		if name, is := arg.(*syntax.Name); is {
			f.name, f.said = name.Name, "this is not a date. Write one such as 2026-01-31 or 2026-01-31T15:04:05Z."
			f.value, f.cure = textOf(v), "write a date such as 2026-01-31"
			if n, is := v.(syntax.Number); is && n.GreaterThan(decimal.New(1, 8)) { // from 1973 on
				f.said = "this is a number and not a date. FROM_UNIX reads the seconds since 1970, as in DATE(FROM_UNIX(Created))."
			}
		}
		return m, false, f
	}
	return m, false, nil
}

// formatDate shows a date. A zone moves what was sent with a zone; a date alone
// is the same everywhere.
func (in env) formatDate(args []syntax.Expr) (value, *Finding) {
	m, empty, err := in.evalMoment(args[0])
	if err != nil || empty {
		return nil, err
	}
	pattern, err := in.evalTextAt(args, 1, "yyyy-MM-dd")
	if err != nil {
		return nil, err
	}
	zone, err := in.evalTextAt(args, 2, "")
	if err != nil {
		return nil, err
	}
	names, err := in.findCalendar(args, 3)
	if err != nil {
		return nil, err
	}
	if zone != "" {
		location, bad := in.e.location(zone)
		if bad != nil {
			return nil, blame(args[2], findingf("unknown_zone", "DATE asks for a time zone such as Europe/Vienna."))
		}
		if m.zoned {
			m.Time = m.In(location)
		}
	}
	text, ok := names.Format(m.Time, pattern)
	if !ok {
		return nil, blame(args[1], findingf("unknown_date_format", "The format of a date knows yyyy, yy, MMMM, MMM, LLLL, LLL, MM, M, dd, d, EEEE, HH, H, hh, h, mm, ss, a; other text stands in apostrophes."))
	}
	return text, nil
}

// findCalendar finds the calendar of the locale of an argument, and of the document's
// where there is none.
func (in env) findCalendar(args []syntax.Expr, i int) (locale.Calendar, *Finding) {
	name, err := in.evalTextAt(args, i, in.e.locale())
	if err != nil {
		return locale.Calendar{}, err
	}
	if c, ok := in.e.calendars[name]; ok {
		return c, nil
	}
	l, err := localeOf(name)
	switch {
	case err == nil:
		in.e.calendars[name] = l.Calendar()
		return l.Calendar(), nil
	case i < len(args):
		err = blame(args[i], err)
	}
	return locale.Calendar{}, err
}

// fromUnix makes a time of the seconds since 1970 in UTC that many interfaces have, such
// as Stripe's created. From 100,000,000,000 on they are milliseconds, as JavaScript has
// them: seconds would be beyond the year 5138.
func (in env) fromUnix(args []syntax.Expr) (value, *Finding) {
	v, err := in.eval(args[0])
	if err != nil || isEmpty(v) {
		return nil, err
	}
	n, err := in.toNumber(args[0], v)
	if err != nil {
		return nil, err
	}
	seconds := n.Decimal
	if seconds.Abs().GreaterThanOrEqual(decimal.New(1, 11)) {
		seconds = seconds.Shift(-3)
	}
	if seconds.Abs().GreaterThanOrEqual(decimal.New(1, 11)) {
		return nil, valueFindingf("not_a_date", "FROM_UNIX reads seconds or milliseconds since 1970, such as 1769860800. This number is larger.")
	}
	whole := seconds.Floor()
	t := time.Unix(whole.IntPart(), seconds.Sub(whole).Shift(9).IntPart()).UTC()
	if t.Year() < 1 {
		return nil, valueFindingf("not_a_date", "FROM_UNIX leads outside the years 1 to 9999.")
	}
	return t.Format(time.RFC3339Nano), nil
}

// maxDays is how many days ADD_DAYS adds at most.
const maxDays = 999_999

// addDays keeps the form: a date stays a date, a time keeps its time.
func (in env) addDays(args []syntax.Expr) (value, *Finding) {
	m, empty, err := in.evalMoment(args[0])
	if err != nil || empty {
		return nil, err
	}
	n, err := in.evalNumber(args[1])
	if err != nil {
		return nil, err
	}
	if !n.IsInteger() || n.Abs().GreaterThan(decimal.NewFromInt(maxDays)) {
		return nil, valueFindingf("wrong_days", "ADD_DAYS adds a whole number of days, at most 999999.")
	}
	moved := m.AddDate(0, 0, int(n.IntPart()))
	switch {
	case moved.Year() < 1 || moved.Year() > 9999:
		return nil, valueFindingf("wrong_days", "ADD_DAYS leads outside the years 1 to 9999.")
	case m.dateOnly:
		return moved.Format("2006-01-02"), nil
	case m.zoned:
		return moved.Format(time.RFC3339Nano), nil
	}
	return moved.Format("2006-01-02T15:04:05.999999999"), nil
}

func (f *formats) location(zone string) (*time.Location, error) {
	if l, ok := f.zones[zone]; ok {
		return l, nil
	}
	l, err := time.LoadLocation(zone)
	if err == nil {
		f.zones[zone] = l
	}
	return l, err
}
