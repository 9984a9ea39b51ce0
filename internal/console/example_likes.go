package console

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/platenhq/platen/internal/template/form"
)

var (
	mailForm = regexp.MustCompile(`^[^\s@]+@[^\s@]+$`)
	// numberForm is a number as people write it: with signs, a currency, points and commas.
	pictureAddress = regexp.MustCompile(`(?i)\.(png|jpe?g|gif|webp|svg|bmp|tiff?)([?#]|$)`)
	numberForm     = regexp.MustCompile(`^(\p{Lu}{3} ?)?[^\p{L}\d]{0,3}\d[\d.,'’\s]*[^\p{L}\d]{0,3}(\p{Lu}{3})?$`)
)

// textLike is a text of the kind that was seen, which says nothing of anybody: a date or a
// number in the same form, else what fits the name of its field.
func textLike(name, list, seen string) string {
	if isEAN13(seen) {
		return "4006381333931" // its bars are drawn with the right check digit alone
	}
	if like, ok := dateLike(seen); ok {
		return like
	}
	hint, hinted := form.ExampleText(name, list)
	isLikeNumber := numberForm.MatchString(seen)
	switch {
	case strings.HasPrefix(seen, "https://"), strings.HasPrefix(seen, "http://"):
		if isPictureName(name) || pictureAddress.MatchString(seen) {
			return onePixel // nothing is at a made-up address: its run would fail
		}
		return madeUpAddress
	case strings.HasPrefix(seen, "data:image/"):
		return onePixel
	case mailForm.MatchString(seen):
		return "ada@example.com"
	case hinted && (!isLikeNumber || isNumber(hint) == isNumber(seen)):
		return hint
	case isLikeNumber:
		return digitsLike(seen)
	}
	return madeUpText
}

// numberLike is textLike for a number of JSON.
func numberLike(name, list string, seen json.Number) json.Number {
	if like, ok := timeLike(seen.String()); ok {
		return json.Number(like)
	}
	if hint, ok := form.ExampleText(name, list); ok && isNumber(hint) {
		return json.Number(hint)
	}
	if strings.ContainsAny(seen.String(), ".eE") {
		return "1.5"
	}
	return "1"
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// isEAN13 tells the number of an article from others by its check digit. GS1 gives nobody
// the prefixes 140 to 199, with which the milliseconds of 2014 to 2033 begin.
func isEAN13(text string) bool {
	if len(text) != 13 || strings.Trim(text, "0123456789") != "" || text >= "14" && text < "20" {
		return false
	}
	sum := 0
	for i, digit := range text {
		sum += int(digit-'0') * (1 + 2*(i%2))
	}
	return sum%10 == 0
}

// digitsLike is a number with as many digits: 1 and zeros.
func digitsLike(seen string) string {
	digit := '1'
	return strings.Map(func(c rune) rune {
		if !unicode.IsDigit(c) {
			return c
		}
		now := digit
		digit = '0'
		return now
	}, seen)
}

// exampleTime is the time of all examples.
var exampleTime = time.Date(2026, 1, 2, 10, 30, 0, 0, time.UTC)

const compactDate = "20060102"

// dateForms are the forms in which dates come; of a day and a month that either could be,
// the first that fits counts.
var dateForms = []string{
	"2006-01-02", time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006/01/02", "2006.01.02", "2006-01",
	"02.01.2006", "2.1.2006", "02.01.06", "2.1.06", "02.01.2006 15:04", "02.01.2006, 15:04", "02.01.2006 15:04:05",
	"02/01/2006", "2/1/2006", "01/02/2006", "1/2/2006", "02/01/06", "01/02/06", "02-01-2006", "02/01/2006 15:04", "01/02/2006 15:04", "1/2/2006 3:04 PM",
	"January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", "2. January 2006", "02-Jan-2006", "January 2006", "Monday, January 2, 2006", "Monday, 2 January 2006",
	time.RFC1123, time.RFC1123Z, "15:04", "15:04:05", "3:04 PM",
}

// dateLike is another date in the form of one that was seen.
func dateLike(seen string) (string, bool) {
	const longest = 60 // bytes; each form that does not fit copies the text
	if len(seen) > longest {
		return "", false
	}
	for _, layout := range dateForms {
		if _, err := time.Parse(layout, seen); err == nil {
			return exampleTime.Format(layout), true
		}
	}
	if like, ok := timeLike(seen); ok {
		return like, true
	}
	return namedDateLike(seen)
}

// timeLike is dateLike for dates that look like numbers: 20251231, and seconds or
// milliseconds since 1970.
func timeLike(seen string) (string, bool) {
	if at, err := time.Parse(compactDate, seen); err == nil && at.Year() >= 1900 && at.Year() < 2100 {
		return exampleTime.Format(compactDate), true
	}
	n, err := strconv.ParseInt(seen, 10, 64)
	if err != nil {
		return "", false
	}
	isNear := func(at time.Time) bool { return at.Year() >= 2002 && at.Year() < 2100 }
	switch {
	case isNear(time.Unix(n, 0)):
		return strconv.FormatInt(exampleTime.Unix(), 10), true
	case isNear(time.UnixMilli(n)):
		return strconv.FormatInt(exampleTime.UnixMilli(), 10), true
	}
	return "", false
}

// monthNames are those of languages besides English, each from January on.
var monthNames = [][]string{
	{"januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober", "november", "dezember"},
	{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
	{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
	{"gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre"},
}

var namedDate = regexp.MustCompile(`^\d{1,2}(\.? (?:de )?)(\p{L}+)( (?:de )?)\d{4}$`)

// namedDateLike is dateLike for months in other languages than English.
func namedDateLike(seen string) (string, bool) {
	parts := namedDate.FindStringSubmatch(seen)
	if parts == nil {
		return "", false
	}
	for _, names := range monthNames {
		if !slices.Contains(names, strings.ToLower(parts[2])) {
			continue
		}
		month := []rune(names[0])
		if unicode.IsUpper([]rune(parts[2])[0]) {
			month[0] = unicode.ToUpper(month[0])
		}
		return "2" + parts[1] + string(month) + parts[3] + "2026", true
	}
	return "", false
}
