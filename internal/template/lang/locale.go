package lang

import (
	"strings"
	"unicode"

	"github.com/shopspring/decimal"
	"golang.org/x/text/currency"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	xnumber "golang.org/x/text/number"
)

const noBreakSpace = "\u00a0"

// A numberStyle is how a locale writes numbers. It is read off samples that
// golang.org/x/text formats from CLDR, because that package takes no decimals
// and would round money to binary floats.
type numberStyle struct {
	tag            language.Tag
	point, group   string
	primary, outer int // digits of the last group and of those before it; 0 for no groups
	zero           rune
	// beforePercent and behindPercent stand around a share: one of them is the
	// sign, with a space where the locale has one.
	beforePercent, behindPercent string
}

func styleOf(locale string) (numberStyle, *Finding) {
	tag, err := language.Parse(strings.ReplaceAll(locale, "_", "-"))
	if err != nil {
		return numberStyle{}, findingf("unknown_locale", "The function asks for a locale such as en-US or de-AT.")
	}
	p := message.NewPrinter(tag)
	s := numberStyle{tag: tag, zero: '0'}
	share := p.Sprint(xnumber.Percent(0.5, xnumber.MaxFractionDigits(0)))
	s.beforePercent = share[:max(strings.IndexFunc(share, unicode.IsDigit), 0)]
	s.behindPercent = strings.TrimLeftFunc(share[len(s.beforePercent):], unicode.IsDigit)
	var groups []int
	digits := 0
	for _, r := range p.Sprint(xnumber.Decimal(1234567890.5, xnumber.MinFractionDigits(1))) {
		switch {
		case unicode.IsDigit(r):
			if digits++; digits == 1 && len(groups) == 0 && s.group == "" {
				s.zero = r - 1
			}
		case digits+sum(groups) == 10:
			s.point += string(r)
		default:
			s.group = string(r)
			groups, digits = append(groups, digits), 0
		}
	}
	if s.point == "" {
		s.point = "."
	}
	if n := len(groups); n > 0 {
		s.primary = 10 - sum(groups)
		s.outer = s.primary
		if n > 1 {
			s.outer = groups[n-1]
		}
	}
	return s, nil
}

// NumberSigns are what stands behind the whole part of a number in a locale, and what
// parts its thousands; those of English where there is no such locale.
func NumberSigns(locale string) (point, group string) {
	s, err := styleOf(locale)
	if locale == "" || err != nil {
		return ".", ","
	}
	return s.point, s.group
}

func sum(all []int) int {
	total := 0
	for _, n := range all {
		total += n
	}
	return total
}

// format writes a number with so many digits behind the point; without a
// number of digits (-1) as many as it has.
func (s numberStyle) format(d decimal.Decimal, places int32) string {
	text := d.Abs().String()
	if places >= 0 {
		text = d.Abs().StringFixed(places)
	}
	negative := d.IsNegative() && strings.Trim(text, "0.") != ""
	whole, fraction, _ := strings.Cut(text, ".")
	var b strings.Builder
	if negative {
		b.WriteByte('-')
	}
	for i := range len(whole) {
		left := len(whole) - i
		if i > 0 && s.primary > 0 && (left == s.primary || left > s.primary && (left-s.primary)%s.outer == 0) {
			b.WriteString(s.group)
		}
		b.WriteRune(s.zero + rune(whole[i]-'0'))
	}
	if fraction != "" {
		b.WriteString(s.point)
		for i := range len(fraction) {
			b.WriteRune(s.zero + rune(fraction[i]-'0'))
		}
	}
	return b.String()
}

// share writes a number of hundredths with the sign for them.
func (s numberStyle) share(d decimal.Decimal, places int32) string {
	text := s.format(d, places)
	minus := ""
	if strings.HasPrefix(text, "-") {
		minus, text = "-", text[1:]
	}
	return minus + s.beforePercent + text + s.behindPercent
}

// symbolPlace says where locales put the sign of a currency, as CLDR's standard
// currency patterns do: golang.org/x/text has the signs and not the patterns.
func symbolPlace(tag language.Tag) (before, spaced bool) {
	base, _ := tag.Base()
	region, _ := tag.Region()
	switch base.String() + "-" + region.String() {
	case "de-AT", "de-CH", "de-LI", "it-CH", "pt-BR", "es-PY", "en-AT", "en-CH", "en-NL":
		return true, true
	case "es-MX", "es-US", "es-GT", "es-HN", "es-NI", "es-PR", "es-SV":
		return true, false
	case "en-DE", "en-SE", "en-FI", "en-DK", "en-SI", "en-BE":
		return false, true
	}
	switch base.String() {
	case "en", "ja", "zh", "ko", "hi", "tr", "th", "id", "ms", "fil", "ta", "te", "bn", "sw", "ga", "mt":
		return true, false
	case "nl":
		return true, true
	case "de", "fr", "es", "it", "pt", "pl", "cs", "sk", "sl", "hr", "sr", "bs", "hu", "ro", "bg", "ru", "uk", "be", "el", "fi", "sv",
		"da", "nb", "no", "nn", "is", "et", "lv", "lt", "ca", "gl", "eu", "vi", "he", "ka", "hy", "az", "kk", "sq", "mk":
		return false, true
	}
	return true, true
}

// money writes an amount with the sign of its currency.
func (s numberStyle) money(d decimal.Decimal, unit currency.Unit, places int32) string {
	if places < 0 {
		scale, _ := currency.Standard.Rounding(unit)
		places = int32(scale)
	}
	symbol := message.NewPrinter(s.tag).Sprint(currency.Symbol(unit))
	text := s.format(d.Abs(), places)
	minus := ""
	if d.IsNegative() && strings.HasPrefix(s.format(d, places), "-") {
		minus = "-"
	}
	before, spaced := symbolPlace(s.tag)
	space := ""
	last := []rune(symbol)[len([]rune(symbol))-1]
	if spaced || before && unicode.IsLetter(last) {
		space = noBreakSpace
	}
	if !before {
		return minus + text + space + symbol
	}
	if base, _ := s.tag.Base(); base.String() == "nl" {
		return symbol + space + minus + text
	}
	return minus + symbol + space + text
}
