package dml

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// FormatValue writes a number as a spreadsheet's format asks for (ECMA-376 part
// 1, 18.8.31), as far as charts use it: digits and groups, percentages, signs in
// front and behind, sections for negative numbers and zero, dates of the 1900 system.
func FormatValue(v float64, format string) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	sections := splitFormat(format)
	section := sections[0]
	switch {
	case v < 0 && len(sections) > 1:
		section, v = sections[1], -v
	case v == 0 && len(sections) > 2:
		section = sections[2]
	}
	if section == "" || section == "@" || strings.EqualFold(section, "Standard") {
		return general(v)
	}
	if at := strings.Index(lowerASCII(section), "general"); at >= 0 {
		return plainLiterals(section[:at] + general(v) + section[at+len("general"):])
	}
	if isDateFormat(section) {
		return formatDate(v, section)
	}
	return formatDigits(v, section)
}

// general writes a number with as many digits as it needs: ten at most, eleven
// of a whole number.
func general(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e11 {
		return strconv.FormatInt(int64(v), 10)
	}
	s := strconv.FormatFloat(v, 'g', 10, 64)
	if f, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(f) < 1e11 && math.Abs(f) >= 1e-4 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return s
}

// splitFormat parts a format at its semicolons and takes colours, conditions and
// paddings off; letters that are quoted or escaped become plain.
func splitFormat(format string) []string {
	sections, at := []string{""}, 0
	runes := []rune(format)
	if len(runes) > 255 { // what spreadsheets allow
		runes = runes[:255]
	}
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; r {
		case ';':
			sections, at = append(sections, ""), at+1
		case '[':
			for i < len(runes) && runes[i] != ']' {
				i++
			}
		case '"':
			for i++; i < len(runes) && runes[i] != '"'; i++ {
				sections[at] += string(literal(runes[i]))
			}
		case '\\':
			if i++; i < len(runes) {
				sections[at] += string(literal(runes[i]))
			}
		case '_', '*':
			i++
		default:
			sections[at] += string(r)
		}
	}
	return sections
}

// literalPlane keeps letters that stand for themselves apart from a format's own.
const literalPlane = 0xF0000

func literal(r rune) rune {
	if r < 0x80 {
		return literalPlane + r
	}
	return r
}

func plainLiterals(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= literalPlane && r < literalPlane+0x80 {
			return r - literalPlane
		}
		return r
	}, s)
}

// lowerASCII changes no other letters, so that what is found in it stands at the
// same byte of s.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func isDateFormat(section string) bool {
	return !strings.ContainsAny(section, "0#?") && strings.ContainsAny(strings.ToLower(section), "ymdhs")
}

func formatDigits(v float64, section string) string {
	first := strings.IndexAny(section, "0#?")
	if first < 0 {
		return plainLiterals(section)
	}
	last := strings.LastIndexAny(section, "0#?")
	before, digits, behind := section[:first], section[first:last+1], section[last+1:]
	if strings.Contains(section, "%") {
		v *= 100
	}
	for strings.HasPrefix(behind, ",") {
		v, behind = v/1000, behind[1:]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	s := roundHalfUp(math.Abs(v), min(len(fraction), 15))
	for optional := strings.Count(fraction, "#"); optional > 0 && strings.Contains(s, ".") && strings.HasSuffix(s, "0"); optional-- {
		s = strings.TrimSuffix(strings.TrimSuffix(s, "0"), ".")
	}
	integer, rest, hasRest := strings.Cut(s, ".")
	for len(integer) < min(strings.Count(whole, "0"), 15) {
		integer = "0" + integer
	}
	if !strings.Contains(whole, "0") && integer == "0" {
		integer = ""
	}
	if strings.Contains(whole, ",") {
		for i := len(integer) - 3; i > 0; i -= 3 {
			integer = integer[:i] + "," + integer[i:]
		}
	}
	if hasRest {
		integer += "." + rest
	}
	if v < 0 && strings.ContainsAny(integer, "123456789") {
		before = "-" + before
	}
	return plainLiterals(before + integer + behind)
}

// roundHalfUp writes a positive number with so many digits behind the point.
// Spreadsheets know fifteen digits of a number, and round halves of these up.
func roundHalfUp(v float64, digits int) string {
	known, ok := new(big.Rat).SetString(strconv.FormatFloat(v, 'e', 14, 64))
	if !ok { // too large for a number
		return strconv.FormatFloat(v, 'f', digits, 64)
	}
	return known.FloatString(digits)
}

// dateLayouts are those of package time for the codes of days, months and years.
var dateLayouts = map[string]string{"yyyy": "2006", "yy": "06", "mmmm": "January", "mmm": "Jan", "mm": "01", "m": "1", "dddd": "Monday", "ddd": "Mon", "dd": "02", "d": "2"}

func formatDate(v float64, section string) string {
	if v < 0 || v > 2958465 { // the year 9999
		return general(v)
	}
	day := math.Floor(v)
	at := time.Date(1899, 12, 30+int(day), 0, 0, int(math.Round((v-day)*86400)), 0, time.UTC)
	lower := lowerASCII(section)
	hour := at.Hour()
	if strings.Contains(lower, "am/pm") || strings.Contains(lower, "a/p") {
		hour = (hour+11)%12 + 1
	}
	var out strings.Builder
	var last byte // of the codes so far
	for i := 0; i < len(lower); {
		n := 1
		for i+n < len(lower) && lower[i+n] == lower[i] {
			n++
		}
		code := lower[i : i+n]
		switch layout, known := dateLayouts[code]; {
		case strings.HasPrefix(lower[i:], "am/pm"):
			n = len("am/pm")
			out.WriteString(at.Format("PM"))
		case strings.HasPrefix(lower[i:], "a/p"):
			n = len("a/p")
			out.WriteString(at.Format("PM")[:1])
		case code == "h", code == "hh":
			fmt.Fprintf(&out, "%0*d", n, hour)
		case (code == "m" || code == "mm") && (last == 'h' || nextCode(lower[i+n:]) == 's'):
			fmt.Fprintf(&out, "%0*d", n, at.Minute())
		case code == "s", code == "ss":
			fmt.Fprintf(&out, "%0*d", n, at.Second())
		case code == "mmmmm":
			out.WriteString(at.Format("January")[:1])
		case known:
			out.WriteString(at.Format(layout))
		default:
			out.WriteString(section[i : i+n])
		}
		if isDateCode(code[0]) {
			last = code[0]
		}
		i += n
	}
	return plainLiterals(out.String())
}

func isDateCode(c byte) bool { return strings.IndexByte("ymdhs", c) >= 0 }

// nextCode is the first code in the rest of a date's format; 0 for none.
func nextCode(rest string) byte {
	if at := strings.IndexAny(rest, "ymdhs"); at >= 0 {
		return rest[at]
	}
	return 0
}
