package locale

import (
	"strings"
	"time"
)

// A Calendar has the names of months and days of a locale in the Gregorian calendar.
type Calendar struct {
	// Names of months beside a day, and where they stand alone.
	months, short, alone, aloneShort [12]string
	days                             [7]string // from Sunday
	halves                           [2]string // of the day
	// What months without a day are beside a year: whether they stand alone.
	withYear, shortWithYear bool
}

// Calendar has the names of the locale's months and days, and English ones where CLDR has
// none in its language.
func (l *Locale) Calendar() Calendar { return l.calendar }

func (l *Locale) readCalendar() Calendar {
	year := strings.Split(l.find("with-year"), "\t")
	c := Calendar{withYear: year[0] == "L", shortWithYear: year[1] == "L"}
	for key, names := range map[string][]string{
		"months": c.months[:], "months-short": c.short[:], "alone": c.alone[:], "alone-short": c.aloneShort[:],
		"days": c.days[:], "halves": c.halves[:],
	} {
		copy(names, strings.Split(l.find(key), "\t"))
	}
	return c
}

// A Beside says what else a date has besides its month.
type Beside int

const (
	Nothing Beside = iota
	Day
	Year
)

// Month is the name of a month beside a day, beside a year without a day, or alone: the
// form of the name depends on it in many languages, such as Polish.
func (c Calendar) Month(m time.Month, beside Beside) string {
	if beside == Day || beside == Year && !c.withYear {
		return c.months[m-1]
	}
	return c.alone[m-1]
}

// ShortMonth is a month's abbreviation in the same way.
func (c Calendar) ShortMonth(m time.Month, beside Beside) string {
	if beside == Day || beside == Year && !c.shortWithYear {
		return c.short[m-1]
	}
	return c.aloneShort[m-1]
}

// Weekday is the name of a day of the week.
func (c Calendar) Weekday(d time.Weekday) string { return c.days[d] }

// Half is what a clock of twelve hours has behind the time in the first half of the day,
// AM in English, and in the second.
func (c Calendar) Half(second bool) string {
	if second {
		return c.halves[1]
	}
	return c.halves[0]
}
