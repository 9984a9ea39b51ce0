package lang

import (
	"strings"
	"unicode"

	"github.com/platenhq/platen/internal/template/lang/syntax"
)

// A NumberReading says what a text is as a number.
type NumberReading int

const (
	// NoNumber: the text is no number.
	NoNumber NumberReading = iota
	// OneNumber: the text is a number that can be read in one way.
	OneNumber
	// TwoNumbers: a comma or a point has three digits behind it and nothing else that
	// tells, as in 1,234: it may be the decimal sign, or part the thousands.
	TwoNumbers
)

// ReadNumber reads a number as programs and people write it. Two different signs say by
// themselves which is the decimal sign, 1.234,50 and 1,234.50. One sign says it when it
// stands twice, 1.234.567, or has not three digits behind it, 14,00. Spaces and apostrophes
// part thousands. plain is the number as JSON writes it, with the digits that it has; of TwoNumbers it is
// the one with the sign as its decimal sign.
func ReadNumber(text string) (plain string, reading NumberReading) {
	text = strings.TrimSpace(text)
	if len(text) > syntax.MaxDigits {
		return "", NoNumber
	}
	if strings.ContainsAny(text, "eE") {
		if n, ok := syntax.ParseNumber(text); ok {
			return n.Decimal.String(), OneNumber
		}
		return "", NoNumber
	}
	minus := ""
	switch sign := strings.TrimLeft(text, "-−+"); {
	case strings.HasPrefix(text, "+"):
		text = text[1:]
	case text != sign:
		text, minus = strings.TrimPrefix(strings.TrimPrefix(text, "-"), "−"), "-"
	}
	whole, fraction, sign := cutFraction(text)
	grouped := strings.ContainsFunc(whole, func(r rune) bool { return r < '0' || r > '9' })
	digits, ok := ungroup(whole)
	if !ok || strings.Trim(fraction, "0123456789") != "" || digits+fraction == "" {
		return "", NoNumber
	}
	two := sign != "" && !grouped && len(fraction) == 3 && len(digits) >= 1 && len(digits) <= 3 && digits[0] != '0'
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		digits = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	if two {
		return minus + digits + fraction, TwoNumbers
	}
	return minus + digits + fraction, OneNumber
}

// cutFraction parts a number at its decimal sign: the last comma or point, unless the same
// sign stands before it, too, and so parts thousands.
func cutFraction(text string) (whole, fraction, sign string) {
	last := strings.LastIndexAny(text, ".,")
	if last < 0 || strings.Count(text, text[last:last+1]) > 1 {
		return text, "", ""
	}
	return text[:last], text[last+1:], text[last : last+1]
}

// ungroup takes the one kind of sign between thousands away. The last group has three
// digits, those before it two, as in India, or three.
func ungroup(whole string) (string, bool) {
	var b strings.Builder
	var group rune
	sizes := []int{0}
	for _, r := range whole {
		switch {
		case r >= '0' && r <= '9':
			b.WriteRune(r)
			sizes[len(sizes)-1]++
			continue
		case unicode.IsSpace(r):
			r = ' '
		case r == '’':
			r = '\''
		}
		if !strings.ContainsRune(" '.,", r) || group != 0 && group != r {
			return "", false
		}
		group, sizes = r, append(sizes, 0)
	}
	if len(sizes) == 1 {
		return b.String(), true
	}
	last := len(sizes) - 1
	for i, n := range sizes {
		if i == last && n != 3 || i > 0 && i < last && n != 3 && (group != ',' || n != 2) || i == 0 && (n < 1 || n > 3) {
			return "", false
		}
	}
	return b.String(), true
}

// readWritten reads a text as a number to reckon with; not one that may be a thousand
// times as much, unless JSON writes it so.
func readWritten(text string) (syntax.Number, bool) {
	if n, ok := syntax.ParseNumber(text); ok {
		return n, true
	}
	plain, reading := ReadNumber(text)
	if reading != OneNumber {
		return syntax.Number{}, false
	}
	return syntax.ParseNumber(plain)
}

// isDoubtful tells of a text that is one number or another, a thousand times as large.
func isDoubtful(v value) bool {
	if all, is := v.(values); is && len(all) == 1 {
		v = all[0]
	}
	text, is := v.(string)
	if !is {
		return false
	}
	_, reading := ReadNumber(text)
	return reading == TwoNumbers
}

// doubts are the findings about numbers that JSON writes as 1.234: they count where the
// document writes its numbers with another sign than a point.
type doubts struct{ all []doubt }

type doubt struct {
	scope *Scope
	Finding
}

// settle reports the doubts where they count.
func (e *Evaluator) settle() {
	if len(e.doubts.all) == 0 || !e.writesComma() {
		return
	}
	for _, d := range e.doubts.all {
		e.reportAt(d.scope, d.Finding)
	}
	e.doubts.all = nil
}

// writesComma tells whether the workflow, or a function that was worked out, writes
// numbers with another decimal sign than JSON does.
func (e *Evaluator) writesComma() bool {
	if point, _ := NumberSigns(e.locale()); point != "." {
		return true
	}
	for _, l := range e.locales {
		if l.Point() != "." {
			return true
		}
	}
	return false
}

// doubt notes a number that the document may mean in another way.
func (in env) doubt(e syntax.Expr, v value) {
	if isDoubtful(v) && len(in.e.doubts.all) < maxFindings {
		in.e.doubts.all = append(in.e.doubts.all, doubt{in.scope, *in.unfit(e, v)})
	}
}

// unfit says of a value that it is not a number, or one of two.
func (in env) unfit(e syntax.Expr, v value) *Finding {
	f := valueFindingf("not_a_number", "A part of the formula is not a number.")
	if isDoubtful(v) {
		f = valueFindingf("ambiguous_number", "A part of the formula is a number of which nothing says whether its sign parts thousands.")
	}
	name, is := e.(*syntax.Name)
	if !is {
		return f
	}
	f.name = name.Name
	text, written := v.(string)
	if all, is := v.(values); is && len(all) == 1 {
		text, written = all[0].(string)
	}
	if !written {
		f.said, f.cure = "this value is not a number. Write one such as 14.00.", "write a number such as 14.00"
		return f
	}
	f.value = text
	plain, _ := ReadNumber(text)
	if f.Code == "ambiguous_number" {
		f.said = "three digits stand behind the only comma or point, so that this may be a thousand times as much. Write two digits behind it, or no sign."
		f.cure = "write " + twoPlaces(plain) + ", or " + thousandfold(plain)
		return f
	}
	f.said, f.cure = "this text is not a number. Write one such as 14.00.", "write a number such as 14.00"
	bare := strings.TrimFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789-−.,", r) })
	if strings.HasSuffix(bare, ".") || strings.HasSuffix(bare, ",") {
		bare = bare[:len(bare)-1]
	}
	if plain, reading := ReadNumber(bare); reading == OneNumber {
		f.cure = "write " + twoPlaces(plain)
	}
	return f
}

// twoPlaces writes a number with at least two digits behind the point, so that it can be
// read in one way.
func twoPlaces(plain string) string {
	n, ok := syntax.ParseNumber(plain)
	switch {
	case !ok:
		return plain
	case n.Exponent() > -2:
		return n.StringFixed(2)
	case n.Exponent() == -3:
		return n.StringFixed(4)
	}
	return plain
}

func thousandfold(plain string) string {
	n, ok := syntax.ParseNumber(plain)
	if !ok {
		return plain
	}
	return n.Shift(3).StringFixed(0)
}
