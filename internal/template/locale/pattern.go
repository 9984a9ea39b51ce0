package locale

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Format writes a time by a pattern of CLDR's letters: yyyy yy MMMM MMM LLLL LLL MM
// M dd d EEEE HH H hh h mm ss a; text in apostrophes, and every sign, is itself. A
// month has the form of its name that stands beside a day if the pattern has one. LLLL
// and LLL always stand alone. ok is false where the pattern has another letter.
func (c Calendar) Format(t time.Time, pattern string) (text string, ok bool) {
	parts := readDatePattern(pattern)
	beside := besideMonth(parts)
	var b strings.Builder
	for _, p := range parts {
		if p.text {
			b.WriteString(p.is)
			continue
		}
		text, ok := c.letters(t, p.is, beside)
		if !ok {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

// A datePart is a letter of a pattern as often as it stands there, or text.
type datePart struct {
	is   string
	text bool
}

func readDatePattern(pattern string) []datePart {
	var parts []datePart
	for len(pattern) > 0 {
		c, size := utf8.DecodeRuneInString(pattern)
		switch {
		case c == '\'':
			var text string
			text, pattern = cutQuoted(pattern[size:])
			parts = append(parts, datePart{text, true})
		case (c < 'a' || c > 'z') && (c < 'A' || c > 'Z'):
			parts = append(parts, datePart{pattern[:size], true})
			pattern = pattern[size:]
		default:
			n := len(pattern) - len(strings.TrimLeft(pattern, string(c)))
			parts = append(parts, datePart{pattern[:n], false})
			pattern = pattern[n:]
		}
	}
	return parts
}

// besideMonth is what a pattern has that decides on the form of the month's name.
func besideMonth(parts []datePart) Beside {
	beside := Nothing
	for _, p := range parts {
		switch {
		case p.text:
		case p.is[0] == 'd':
			return Day
		case p.is[0] == 'y':
			beside = Year
		}
	}
	return beside
}

// cutQuoted takes the text off a pattern that goes on behind an apostrophe. Two
// apostrophes in a row are one, inside of the text and outside.
func cutQuoted(pattern string) (text, rest string) {
	if pattern == "" || pattern[0] == '\'' {
		return "'", strings.TrimPrefix(pattern, "'")
	}
	for {
		part, behind, _ := strings.Cut(pattern, "'")
		text += part
		if !strings.HasPrefix(behind, "'") {
			return text, behind
		}
		text, pattern = text+"'", behind[1:]
	}
}

func (c Calendar) letters(t time.Time, letters string, beside Beside) (string, bool) {
	number := func(n int) (string, bool) {
		if len(letters) > 2 {
			return "", false
		}
		return fmt.Sprintf("%0*d", len(letters), n), true
	}
	switch letters {
	case "yyyy", "y":
		return fmt.Sprintf("%04d", t.Year()), true
	case "yy":
		return fmt.Sprintf("%02d", t.Year()%100), true
	case "MMMM":
		return c.Month(t.Month(), beside), true
	case "MMM":
		return c.ShortMonth(t.Month(), beside), true
	case "LLLL":
		return c.Month(t.Month(), Nothing), true
	case "LLL":
		return c.ShortMonth(t.Month(), Nothing), true
	case "EEEE":
		return c.Weekday(t.Weekday()), true
	case "a":
		return c.Half(t.Hour() >= 12), true
	}
	switch letters[0] {
	case 'M':
		return number(int(t.Month()))
	case 'd':
		return number(t.Day())
	case 'H':
		return number(t.Hour())
	case 'h':
		return number((t.Hour()+11)%12 + 1)
	case 'm':
		return number(t.Minute())
	case 's':
		return number(t.Second())
	}
	return "", false
}
