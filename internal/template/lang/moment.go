package lang

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A moment is a date, with a time of day where it was given one and with a
// zone where that was.
type moment struct {
	time.Time
	dateOnly, zoned bool
}

// isoPattern is a time as programs print it unasked: ISO 8601 in its long and its short
// form, RFC 3339, and what Java, JavaScript, PHP, Python, Ruby, Go and Postgres make of
// them. Seconds, fractions and the zone may be left out, and the zone may have a name
// behind it in brackets.
var isoPattern = regexp.MustCompile(`^(\d{4})(?:-(\d\d)-(\d\d)|(\d\d)(\d\d))(?:[Tt]| +)(\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?` +
	`(?: ?([Zz]|UTC|GMT|[+\-−]\d\d(?::?\d\d(?::?\d\d)?)?))?(?: UTC| GMT)?(?:\[[A-Za-z0-9_+/\-]+\])?$`)

// mailLayouts are those of mails and HTTP (RFC 5322, 3.3; RFC 9110, 5.6.7), and what
// JavaScript prints; the day of the week is cut off before.
var mailLayouts = []string{"2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04 -0700", "2 Jan 2006 15:04:05 GMT", "2 Jan 2006 15:04:05 UTC", "Jan 2 2006 15:04:05 GMT-0700"}

// readMoment reads a date as ISO 8601 writes it, as a program prints it, or as
// day.month.year. What could be two dates, as 1/2/2026, is none.
func readMoment(text string) (moment, bool) {
	text = strings.TrimSpace(text)
	if m, ok := readISO(text); ok {
		return m, true
	}
	if t, err := time.Parse(TimestampLayout, text); err == nil {
		return moment{Time: t}, true
	}
	for _, layout := range []string{"2006-01-02", "2.1.2006", "20060102"} {
		if t, err := time.Parse(layout, text); err == nil {
			return moment{Time: t, dateOnly: true}, true
		}
	}
	if day, rest, ok := strings.Cut(text, " "); ok && len(strings.TrimSuffix(day, ",")) == len("Mon") {
		text = strings.TrimSpace(rest)
	}
	text, _, _ = strings.Cut(text, " (") // the name of the zone
	for _, layout := range mailLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return moment{Time: t, zoned: true}, true
		}
	}
	return moment{}, false
}

// readISO reads a date with a time of day. A leap second is the one behind it.
func readISO(text string) (moment, bool) {
	m := isoPattern.FindStringSubmatch(text)
	if m == nil {
		return moment{}, false
	}
	number := func(texts ...string) int {
		n, _ := strconv.Atoi(strings.Join(texts, "")) // digits alone, or nothing
		return n
	}
	year, month, day := number(m[1]), number(m[2], m[4]), number(m[3], m[5])
	hour, minute, second := number(m[6]), number(m[7]), number(m[8])
	const nanoDigits = 9
	fraction := m[9]
	fraction = (fraction + strings.Repeat("0", nanoDigits))[:nanoDigits]
	at := time.Date(year, time.Month(month), day, hour, minute, 0, number(fraction), time.UTC)
	if at.Year() != year || int(at.Month()) != month || at.Day() != day || at.Hour() != hour || at.Minute() != minute || year < 1 || second > 60 {
		return moment{}, false
	}
	zone, zoned, ok := readOffset(m[10])
	if !ok {
		return moment{}, false
	}
	at = time.Date(year, time.Month(month), day, hour, minute, second, number(fraction), zone)
	return moment{Time: at, zoned: zoned}, true
}

// readOffset reads how far a zone is from UTC: Z, +02, +0530 or +05:30.
func readOffset(text string) (zone *time.Location, zoned, ok bool) {
	switch text {
	case "":
		return time.UTC, false, true
	case "Z", "z", "UTC", "GMT":
		return time.UTC, true, true
	}
	digits, east := strings.CutPrefix(text, "+")
	digits = strings.ReplaceAll(strings.TrimLeft(digits, "-−"), ":", "") + "0000"
	hours, _ := strconv.Atoi(digits[:2])
	minutes, _ := strconv.Atoi(digits[2:4])
	seconds, _ := strconv.Atoi(digits[4:6])
	if hours > 23 || minutes > 59 || seconds > 59 {
		return nil, false, false
	}
	offset := hours*3600 + minutes*60 + seconds
	if !east {
		offset = -offset
	}
	if offset == 0 {
		return time.UTC, true, true
	}
	return time.FixedZone("", offset), true, true
}
