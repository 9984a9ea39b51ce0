package platen

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Cron says at which minutes of the wall clock something happens, as crontab(5) has it.
type Cron struct {
	minutes, hours, days, months, weekdays uint64 // a bit for each value
	lastDay                                bool   // the last day of a month, too
	// anyDay and anyWeekday: the field is *, and leaves the choice to the other one.
	anyDay, anyWeekday bool
}

// cronField is what a field of an expression may have.
type cronField struct {
	name     string
	min, max int
	words    []string // of min and those that follow
}

var cronFields = []cronField{
	{"minute", 0, 59, nil},
	{"hour", 0, 23, nil},
	{"day of the month", 1, 31, nil},
	{"month", 1, 12, []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}},
	{"day of the week", 0, 7, []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}},
}

// cronNames stand for expressions.
var cronNames = map[string]string{
	"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *",
}

// MaxCron is how many bytes an expression has at most.
const MaxCron = 200

// ParseCron reads five fields: minute, hour, day of the month, month, day of the week. Each
// is *, a number, a range, a list of these, and each of them with a step behind a slash. A
// day of the month may be L, the last one. Where both days are given, either is enough. The
// error says which part of which field is wrong, and is fit for a client.
func ParseCron(text string) (c Cron, err error) {
	if expression, ok := cronNames[strings.ToLower(strings.TrimSpace(text))]; ok {
		text = expression
	}
	fields := strings.Fields(text)
	if len(text) > MaxCron || len(fields) != len(cronFields) {
		return c, fmt.Errorf("must have five fields, as '0 6 1 * *' has: minute, hour, day of the month, month, day of the week; and has %d", len(fields))
	}
	if days := strings.Split(fields[2], ","); slices.Contains(days, "L") {
		c.lastDay = true
		fields[2] = strings.Join(slices.DeleteFunc(days, func(d string) bool { return d == "L" }), ",")
	}
	for i, into := range []*uint64{&c.minutes, &c.hours, &c.days, &c.months, &c.weekdays} {
		if i == 2 && fields[i] == "" { // L alone
			continue
		}
		if *into, err = cronFields[i].parse(fields[i]); err != nil {
			return c, err
		}
	}
	c.anyDay, c.anyWeekday = strings.HasPrefix(fields[2], "*"), strings.HasPrefix(fields[4], "*")
	if c.weekdays&(1<<7) != 0 { // 7 is Sunday, too
		c.weekdays |= 1
	}
	if c.Next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), time.UTC).IsZero() {
		return c, errors.New("names a day that no year has")
	}
	return c, nil
}

func (f cronField) parse(text string) (set uint64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		low, high, step, problem := f.span(part)
		if problem != "" {
			return 0, fmt.Errorf("has %.40q as the %s: %s", part, f.name, problem)
		}
		for v := low; v <= high; v += step {
			set |= 1 << v
		}
	}
	return set, nil
}

// span reads a part of a field: the values from low to high by a step.
func (f cronField) span(part string) (low, high, step int, problem string) {
	span, stepText, hasStep := strings.Cut(part, "/")
	low, high, step = f.min, f.max, 1
	if hasStep {
		var err error
		if step, err = strconv.Atoi(stepText); err != nil || step < 1 || step > f.max {
			return 0, 0, 0, fmt.Sprintf("the step behind the slash must be a number from 1 to %d", f.max)
		}
	}
	if span == "*" {
		return low, high, step, ""
	}
	from, to, isRange := strings.Cut(span, "-")
	for _, text := range strings.SplitN(span, "-", 2) {
		if _, ok := f.value(text); !ok {
			return 0, 0, 0, f.isNone(text)
		}
	}
	low, _ = f.value(from)
	switch {
	case isRange:
		if high, _ = f.value(to); high < low {
			return 0, 0, 0, fmt.Sprintf("the range ends before it begins; write it as %s-%s,%s-%s", from, f.text(f.max), f.text(f.min), to)
		}
	case !hasStep:
		high = low
	}
	return low, high, step, ""
}

// isNone says why a text is no value of the field.
func (f cronField) isNone(text string) string {
	switch {
	case text == "":
		return "an empty part; write *, or numbers such as 1-5, 1,15 or */10"
	case f.words != nil:
		return fmt.Sprintf("%.20s is neither a number from %d to %d nor a name from %s to %s", text, f.min, f.max, f.words[0], f.words[len(f.words)-1])
	}
	return fmt.Sprintf("%.20s is no number from %d to %d", text, f.min, f.max)
}

// text is how a value is written. Sunday is the first day here, and is not written twice.
func (f cronField) text(v int) string {
	if f.words == nil {
		return strconv.Itoa(v)
	}
	return f.words[min(v-f.min, len(f.words)-1)]
}

func (f cronField) value(text string) (int, bool) {
	if i := slices.Index(f.words, strings.ToUpper(text)); i >= 0 {
		return f.min + i, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= f.min && n <= f.max
}

// everyHour tells whether it goes by the length of an hour rather than by the clock.
func (c Cron) everyHour() bool { return bits.OnesCount64(c.hours) == 24 }

func (c Cron) onDay(day time.Time) bool {
	if c.months&(1<<day.Month()) == 0 {
		return false
	}
	ofMonth := c.days&(1<<day.Day()) != 0 || c.lastDay && day.AddDate(0, 0, 1).Day() == 1
	ofWeek := c.weekdays&(1<<day.Weekday()) != 0
	if c.anyDay || c.anyWeekday {
		return ofMonth && ofWeek
	}
	return ofMonth || ofWeek
}

// yearsAhead is how far Next looks: a 29 February is eight years from the one before at most.
const yearsAhead = 9

// Next is the first moment after a time; zero: there is none. A time of day that the clock
// skips when it is put forward is the moment at which that happens. One that it shows twice
// when it is put back is the first of both, but of an expression with each hour, which goes
// on as if nothing had happened.
func (c Cron) Next(after time.Time, zone *time.Location) time.Time {
	from := after.In(zone)
	day := time.Date(from.Year(), from.Month(), from.Day(), 0, 0, 0, 0, time.UTC)
	for end := day.AddDate(yearsAhead, 0, 0); day.Before(end); day = day.AddDate(0, 0, 1) {
		if !c.onDay(day) {
			continue
		}
		if next := c.onDayAfter(day, after, zone); !next.IsZero() {
			return next
		}
	}
	return time.Time{}
}

// onDayAfter is the first moment of a day after a time. day has its date in UTC.
func (c Cron) onDayAfter(day, after time.Time, zone *time.Location) (next time.Time) {
	changes := offset(day.AddDate(0, 0, -1), zone) != offset(day.AddDate(0, 0, 2), zone)
	shownBefore := after.Add(offset(after, zone))
	for hour := range 24 {
		for minute := range 60 {
			if c.hours&(1<<hour) == 0 || c.minutes&(1<<minute) == 0 {
				continue
			}
			wall := day.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute)
			if !changes && !wall.After(shownBefore) {
				continue
			}
			for _, at := range c.moments(wall, zone) {
				if at.After(after) && (next.IsZero() || at.Before(next)) {
					next = at
				}
			}
			if !changes && !next.IsZero() {
				return next // those that follow are later
			}
		}
	}
	return next
}

// moments are when the clock of a zone shows a time, which is given in UTC.
func (c Cron) moments(wall time.Time, zone *time.Location) []time.Time {
	before, behind := offset(wall.AddDate(0, 0, -1), zone), offset(wall.AddDate(0, 0, 1), zone)
	first, second := wall.Add(-before), wall.Add(-behind)
	if before == behind {
		return []time.Time{first}
	}
	shown := func(at time.Time) bool { return at.Add(offset(at, zone)).Equal(wall) }
	switch {
	case shown(first) && shown(second) && c.everyHour():
		return []time.Time{first, second}
	case shown(first):
		return []time.Time{first}
	case shown(second):
		return []time.Time{second}
	case c.everyHour():
		return nil
	}
	jumped, _ := first.In(zone).ZoneBounds()
	return []time.Time{jumped.UTC()}
}

// offset is how far the clock of a zone is ahead of UTC.
func offset(at time.Time, zone *time.Location) time.Duration {
	_, seconds := at.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}
