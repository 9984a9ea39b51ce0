package lang

import (
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/platenhq/platen/internal/template/locale"
)

// dateFunctions show dates and reckon with them.
func dateFunctions() []function {
	return []function{
		{name: "DATE", usage: `DATE(Due, "d MMMM yyyy", "Europe/Vienna", "de")`, min: 1, max: 4, apply: env.formatDate},
		{name: "ADD_DAYS", usage: "ADD_DAYS(Due, 14)", min: 2, max: 2, apply: env.addDays},
	}
}

// A moment is a date, with a time of day where it was given one and with a
// zone where that was.
type moment struct {
	time.Time
	dateOnly, zoned bool
}

// readMoment reads a date as ISO 8601 writes it, or as day.month.year. What
// could be two dates, as 1/2/2026, is none.
func readMoment(text string) (moment, bool) {
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

func (in env) evalMoment(arg expr) (m moment, empty bool, err *Finding) {
	v, err := in.eval(arg)
	if err != nil || isEmpty(v) {
		return m, true, err
	}
	m, ok := readMoment(textOf(v))
	if !ok {
		f := valueFindingf("not_a_date", "A part of the formula is not a date such as 2026-01-31 or 2026-01-31T15:04:05Z.")
		if name, is := arg.(*nameRef); is {
			f.name, f.said = name.name, "this is not a date. Write one such as 2026-01-31 or 2026-01-31T15:04:05Z."
			f.value, f.cure = textOf(v), "write a date such as 2026-01-31"
		}
		return m, false, f
	}
	return m, false, nil
}

// formatDate shows a date. A zone moves what was sent with a zone; a date alone
// is the same everywhere.
func (in env) formatDate(args []expr) (value, *Finding) {
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
	text, err := datePattern(m.Time, pattern, names)
	if err != nil && len(args) > 1 {
		return nil, blame(args[1], err)
	}
	return text, err
}

// findCalendar finds the calendar of the locale of an argument, and of the document's
// where there is none.
func (in env) findCalendar(args []expr, i int) (locale.Calendar, *Finding) {
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

// maxDays is how many days ADD_DAYS adds at most.
const maxDays = 999_999

// addDays keeps the form: a date stays a date, a time keeps its time.
func (in env) addDays(args []expr) (value, *Finding) {
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
