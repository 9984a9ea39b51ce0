package lang

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/language"
)

// calendar has the names of months and days in one language, as CLDR has them.
type calendar struct {
	months, short [12]string
	days          [7]string // from Sunday
}

// calendarOf returns the calendar of a locale's language; English for those
// that are not here.
func calendarOf(locale string) (calendar, *Finding) {
	tag, err := language.Parse(strings.ReplaceAll(locale, "_", "-"))
	if err != nil {
		return calendar{}, findingf("unknown_locale", "The function asks for a locale such as en-US or de-AT.")
	}
	base, _ := tag.Base()
	region, _ := tag.Region()
	var c calendar
	switch base.String() {
	case "de":
		c = calendarFrom("Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
			"Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.", "Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag")
		if region.String() == "AT" {
			c.months[0], c.short[0] = "Jänner", "Jän."
		}
	case "fr":
		c = calendarFrom("janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
			"janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.", "dimanche lundi mardi mercredi jeudi vendredi samedi")
	case "es":
		c = calendarFrom("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
			"ene feb mar abr may jun jul ago sept oct nov dic", "domingo lunes martes miércoles jueves viernes sábado")
	case "it":
		c = calendarFrom("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
			"gen feb mar apr mag giu lug ago set ott nov dic", "domenica lunedì martedì mercoledì giovedì venerdì sabato")
	case "nl":
		c = calendarFrom("januari februari maart april mei juni juli augustus september oktober november december",
			"jan. feb. mrt. apr. mei jun. jul. aug. sep. okt. nov. dec.", "zondag maandag dinsdag woensdag donderdag vrijdag zaterdag")
	case "pt":
		c = calendarFrom("janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
			"jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.", "domingo segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado")
	default:
		if t := translator(base.String()); t != nil {
			return calendarBy(t), nil
		}
		c = calendarFrom("January February March April May June July August September October November December",
			"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", "Sunday Monday Tuesday Wednesday Thursday Friday Saturday")
	}
	return c, nil
}

func calendarFrom(months, short, days string) calendar {
	return calendar{months: [12]string(strings.Fields(months)), short: [12]string(strings.Fields(short)), days: [7]string(strings.Fields(days))}
}

// datePattern writes a time by a pattern of CLDR's letters: yyyy yy MMMM MMM MM
// M dd d EEEE HH H hh h mm ss a; text in apostrophes, and every sign, is
// itself.
func datePattern(t time.Time, pattern, locale string) (value, *Finding) {
	names, err := calendarOf(locale)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for len(pattern) > 0 {
		c, size := utf8.DecodeRuneInString(pattern)
		switch {
		case c == '\'':
			var text string
			text, pattern = cutQuoted(pattern[size:])
			b.WriteString(text)
			continue
		case (c < 'a' || c > 'z') && (c < 'A' || c > 'Z'):
			b.WriteString(pattern[:size])
			pattern = pattern[size:]
			continue
		}
		n := len(pattern) - len(strings.TrimLeft(pattern, string(c)))
		letters := pattern[:n]
		pattern = pattern[n:]
		text, ok := dateLetters(t, letters, names)
		if !ok {
			return nil, findingf("unknown_date_format", "The format of a date knows yyyy, yy, MMMM, MMM, MM, M, dd, d, EEEE, HH, H, hh, h, mm, ss, a; other text stands in apostrophes.")
		}
		b.WriteString(text)
	}
	return b.String(), nil
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

func dateLetters(t time.Time, letters string, names calendar) (string, bool) {
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
		return names.months[t.Month()-1], true
	case "MMM":
		return names.short[t.Month()-1], true
	case "EEEE":
		return names.days[t.Weekday()], true
	case "a":
		return t.Format("PM"), true
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
