package words

import (
	"sort"
	"strings"

	"github.com/shopspring/decimal"
	"golang.org/x/text/feature/plural"
)

// maxDepth is how deep rules may lead into one another. Those of CLDR stay far below.
const maxDepth = 64

// A speller writes one number.
type speller struct {
	language *rulebook
	comma    bool
	depth    int
	out      strings.Builder
}

// spell writes a number by a set of rules.
func (s *speller) spell(set *ruleSet, d decimal.Decimal) error {
	if s.depth++; s.depth > maxDepth || set == nil {
		return ErrTooLarge
	}
	defer func() { s.depth-- }()
	r := s.choose(set, d)
	if r == nil {
		return ErrTooLarge
	}
	return s.write(set, r, d)
}

// choose finds the rule of a set for a number.
func (s *speller) choose(set *ruleSet, d decimal.Decimal) *rule {
	whole := d.IsInteger()
	switch {
	case set.fractions:
		return set.nearest(d)
	case d.IsNegative() && set.negative != nil:
		return set.negative
	case !whole && set.fraction != nil && d.LessThan(decimal.NewFromInt(1)):
		return set.fraction
	case !whole && set.mixedComma != nil && s.comma:
		return set.mixedComma
	case !whole && set.mixed != nil:
		return set.mixed
	}
	return set.below(d.Abs().Round(0).IntPart())
}

// below finds the last rule that begins at a number or below it. A rule that would
// leave a remainder of nothing gives way to the one before it.
func (set *ruleSet) below(n int64) *rule {
	i := sort.Search(len(set.rules), func(i int) bool { return set.rules[i].base > n }) - 1
	if i < 0 {
		return nil
	}
	r := set.rules[i]
	if r.hasRemainder() && n%r.divisor == 0 && r.base%r.divisor != 0 {
		return r.before
	}
	return r
}

func (r *rule) hasRemainder() bool {
	for _, p := range r.parts {
		if p.kind == remainder {
			return true
		}
	}
	return false
}

// nearest finds the rule whose base, as a denominator, comes closest to a fraction. Of
// two with one base the first is for the numerator 1.
func (set *ruleSet) nearest(d decimal.Decimal) *rule {
	var best decimal.Decimal
	winner := -1
	for i, r := range set.rules {
		numerator := d.Mul(decimal.NewFromInt(r.base))
		off := numerator.Sub(numerator.Round(0)).Abs()
		if winner < 0 || off.LessThan(best) {
			winner, best = i, off
		}
	}
	if winner < 0 {
		return nil
	}
	if next := winner + 1; next < len(set.rules) && set.rules[next].base == set.rules[winner].base {
		n := d.Mul(decimal.NewFromInt(set.rules[winner].base))
		if n.LessThan(decimal.NewFromFloat(0.5)) || n.GreaterThanOrEqual(decimal.NewFromInt(2)) {
			winner = next
		}
	}
	return set.rules[winner]
}

// write writes a number by a rule of a set.
func (s *speller) write(set *ruleSet, r *rule, d decimal.Decimal) error {
	for _, p := range r.parts {
		if p.digits {
			return ErrTooLarge
		}
		with := set
		if p.set != "" {
			with = s.language.sets[p.set]
		}
		var err error
		switch {
		case p.kind == literal:
			s.out.WriteString(p.text)
		case p.kind == plurals:
			s.out.WriteString(s.form(p, set, r, d))
		case p.kind == same:
			err = s.spell(with, d)
		case r == set.negative:
			err = s.spell(with, d.Abs())
		case r == set.mixed || r == set.mixedComma || r == set.fraction:
			err = s.writeMixed(set, with, p, d)
		case set.fractions:
			err = s.writeNumerator(with, p, r, d)
		case p.kind == quotient:
			err = s.spell(with, decimal.NewFromInt(d.IntPart()/r.divisor))
		default:
			err = s.spell(with, decimal.NewFromInt(d.IntPart()%r.divisor))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeMixed writes the whole part of a number, or its fraction: digit by digit, or by a
// set of rules for fractions.
func (s *speller) writeMixed(set, with *ruleSet, p part, d decimal.Decimal) error {
	if p.kind == quotient {
		return s.spell(with, d.Truncate(0))
	}
	fraction := d.Sub(d.Truncate(0))
	if with != set {
		return s.spell(with, fraction)
	}
	_, digits, _ := strings.Cut(fraction.String(), ".")
	for i, digit := range strings.TrimRight(digits, "0") {
		if i > 0 && !p.tight {
			s.out.WriteByte(' ')
		}
		if err := s.spell(with, decimal.NewFromInt(int64(digit-'0'))); err != nil {
			return err
		}
	}
	return nil
}

// writeNumerator writes the numerator of a fraction whose denominator is the rule's
// base, with the zeros in front of it where the rule asks for them.
func (s *speller) writeNumerator(with *ruleSet, p part, r *rule, d decimal.Decimal) error {
	numerator := d.Mul(decimal.NewFromInt(r.base)).Round(0).IntPart()
	for n := numerator * 10; p.zeros && n < r.base && n > 0; n *= 10 {
		if err := s.spell(with, decimal.Zero); err != nil {
			return err
		}
		s.out.WriteByte(' ')
	}
	return s.spell(with, decimal.NewFromInt(numerator))
}

// form is the form of a noun that stands behind a number: behind a numerator, or behind
// what a rule writes before its remainder.
func (s *speller) form(p part, set *ruleSet, r *rule, d decimal.Decimal) string {
	n := d.Abs().IntPart()
	switch {
	case set.fractions:
		n = d.Mul(decimal.NewFromInt(r.base)).Round(0).IntPart()
	case r.divisor > 0:
		n /= r.divisor
	}
	// The categories of large numbers depend on their last digits alone.
	n = n%1_000_000 + min(n/1_000_000, 1)*1_000_000
	category := "other"
	switch plural.Cardinal.MatchPlural(s.language.tag, int(n), 0, 0, 0, 0) {
	case plural.Zero:
		category = "zero"
	case plural.One:
		category = "one"
	case plural.Two:
		category = "two"
	case plural.Few:
		category = "few"
	case plural.Many:
		category = "many"
	}
	if form, ok := p.forms[category]; ok {
		return form
	}
	return p.forms["other"]
}
