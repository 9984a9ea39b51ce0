package locale

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

const noBreakSpace = "\u00a0"

// A pattern says what stands around a number and how its digits are grouped, as CLDR
// writes it: "¤ #,##0.00;¤-#,##0.00".
type pattern struct {
	before, behind                 string // of a number from 0 on
	beforeNegative, behindNegative string
	primary, outer                 int // digits of the last group, and of those before it; 0 for no groups
}

// signsOfNumbers are what a pattern writes digits with.
const signsOfNumbers = "#0,."

func readPattern(text string) pattern {
	positive, negative, two := strings.Cut(text, ";")
	var p pattern
	var digits string
	p.before, digits, p.behind = cutDigits(positive)
	p.beforeNegative, p.behindNegative = "-"+p.before, p.behind
	if two {
		p.beforeNegative, _, p.behindNegative = cutDigits(negative)
	}
	whole, _, _ := strings.Cut(digits, ".")
	if groups := strings.Split(whole, ","); len(groups) > 1 {
		p.primary = len(groups[len(groups)-1])
		p.outer = p.primary
		if len(groups) > 2 {
			p.outer = len(groups[len(groups)-2])
		}
	}
	return p
}

func cutDigits(text string) (before, digits, behind string) {
	start := strings.IndexAny(text, signsOfNumbers)
	before, digits = text[:start], text[start:]
	end := len(digits) - len(strings.TrimLeft(digits, signsOfNumbers))
	return before, digits[:end], digits[end:]
}

// Number writes a number with so many digits behind the point; with -1, as many as it
// has. What is rounded is rounded half away from zero, and nothing is never negative.
func (l *Locale) Number(d decimal.Decimal, places int32) string {
	return l.write(d, places, l.decimal, l.number, "")
}

// Percent writes a number of hundredths with the sign for them.
func (l *Locale) Percent(hundredths decimal.Decimal, places int32) string {
	return l.write(hundredths, places, l.share, l.number, "")
}

// Amount writes an amount of a currency by its code of ISO 4217, such as EUR, with the
// sign that the locale has for it; HasCurrency tells whether CLDR knows the code. With -1
// for its places the amount has those of the currency.
func (l *Locale) Amount(d decimal.Decimal, code string, places int32) string {
	own := append(strings.Split(l.find(code), "\t"), "", "", "")
	pattern := l.currency
	if own[3] != "" {
		pattern = readPattern(own[3])
	}
	if places < 0 {
		places = l.places(code)
	}
	return l.write(d, places, pattern, l.money.with(own[1], own[2]), own[0])
}

// HasCurrency tells whether CLDR has a currency by its code of ISO 4217, in capitals.
func HasCurrency(code string) bool {
	if len(code) != 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return false
	}
	_, ok := field(blocks()[root], code)
	return ok
}

// places is how many digits a currency has behind the point.
func (l *Locale) places(code string) int32 {
	n, err := strconv.ParseInt(l.common("digits", code), 10, 32)
	if err != nil {
		return 2
	}
	return int32(n)
}

// write writes a number by a pattern, with what stands for its currency.
func (l *Locale) write(d decimal.Decimal, places int32, p pattern, s signs, currency string) string {
	text := d.Abs().String()
	if places >= 0 {
		text = d.Abs().StringFixed(places)
	}
	before, behind := p.before, p.behind
	if d.IsNegative() && strings.Trim(text, "0.") != "" {
		before, behind = p.beforeNegative, p.behindNegative
	}
	whole, fraction, _ := strings.Cut(text, ".")
	var b strings.Builder
	b.WriteString(l.affix(before, currency))
	if last, _ := utf8.DecodeLastRuneInString(currency); strings.HasSuffix(before, "¤") && standsApart(last) {
		b.WriteString(noBreakSpace)
	}
	l.writeWhole(&b, whole, p, s.group)
	if fraction != "" {
		b.WriteString(s.point)
		l.writeDigits(&b, fraction)
	}
	if first, _ := utf8.DecodeRuneInString(currency); strings.HasPrefix(behind, "¤") && standsApart(first) {
		b.WriteString(noBreakSpace)
	}
	b.WriteString(l.affix(behind, currency))
	return b.String()
}

// writeWhole writes the digits before the point, in groups where there are enough of them.
func (l *Locale) writeWhole(b *strings.Builder, whole string, p pattern, group string) {
	grouped := p.primary > 0 && len(whole)-p.primary >= l.minGroup
	for i := range len(whole) {
		left := len(whole) - i
		if grouped && i > 0 && left >= p.primary && (left-p.primary)%p.outer == 0 {
			b.WriteString(group)
		}
		l.writeDigits(b, whole[i:i+1])
	}
}

func (l *Locale) writeDigits(b *strings.Builder, digits string) {
	for i := range len(digits) {
		b.WriteString(l.digits[digits[i]-'0'])
	}
}

// affix is what a pattern has around a number, with the signs of the locale.
func (l *Locale) affix(text, currency string) string {
	if text == "" {
		return ""
	}
	return strings.NewReplacer("-", l.minus, "%", l.percent, "¤", currency, "'", "").Replace(text)
}

// standsApart tells whether a space parts a sign of a currency from the digits beside it:
// letters and full stops stand apart, and signs such as € do not (currencySpacing, which
// is the same in every locale of CLDR).
func standsApart(r rune) bool {
	return r != utf8.RuneError && !unicode.IsSymbol(r) && !unicode.In(r, unicode.Z)
}
