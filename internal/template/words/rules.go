package words

import (
	"strconv"
	"strings"

	"golang.org/x/text/language"
)

// A rulebook has the rules of a language by the names of their sets.
type rulebook struct {
	tag  language.Tag
	sets map[string]*ruleSet
}

// A ruleSet writes numbers in one way.
type ruleSet struct {
	rules []*rule // by their base, the smallest first
	// What a number needs that is negative, that has a whole part and a fraction, and
	// that is a fraction alone; nil for none. The second takes commas for its point.
	negative, mixed, mixedComma, fraction *rule
	// fractions says that the base of a rule is the denominator of what it writes.
	fractions bool
}

// A rule writes the numbers from its base to that of the next.
type rule struct {
	base, divisor int64
	before        *rule // the rule whose base is next to it
	parts         []part
}

// partKind says what a part of a rule writes.
type partKind byte

const (
	literal   partKind = 0
	quotient  partKind = '<'
	remainder partKind = '>'
	same      partKind = '='
	plurals   partKind = '$'
)

// A part of a rule is text, or a number that it is written by.
type part struct {
	kind partKind
	text string // of a literal
	set  string // that writes it; empty for the rule's own
	// digits says that the part writes a number in digits: the language has no words.
	digits bool
	// tight has the digits of a fraction stand without spaces. zeros has those in front
	// of a numerator written.
	tight, zeros bool
	forms        map[string]string // of plurals, by their category
}

// readRules reads the file of a language. Rules are written as CLDR does:
//
//	%set:
//	-x: minus >>;
//	1100/100: <<hundred[ >>];
func readRules(tag language.Tag, text string) *rulebook {
	l := &rulebook{tag: tag, sets: map[string]*ruleSet{}}
	var set *ruleSet
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "%") && strings.HasSuffix(line, ":") {
			set = &ruleSet{}
			l.sets[strings.TrimSuffix(strings.TrimSuffix(line, ":"), "@noparse")] = set
			continue
		}
		if descriptor, body, ok := strings.Cut(line, ":"); ok && set != nil {
			set.add(descriptor, strings.TrimSuffix(body, ";"))
		}
	}
	for _, s := range l.sets {
		for _, special := range []*rule{s.mixed, s.mixedComma, s.fraction} {
			if special == nil {
				continue
			}
			for _, p := range special.parts {
				if of := l.sets[p.set]; p.kind == remainder && of != nil && of != s {
					of.fractions = true
				}
			}
		}
	}
	return l
}

// add reads a rule. What stands in brackets is left out where nothing remains: the rule
// is two then, and the second begins one number later.
func (s *ruleSet) add(descriptor, body string) {
	body = strings.TrimLeft(body, " ")
	body = strings.TrimPrefix(body, "'") // it keeps the spaces behind it
	before, optional, behind := cutOptional(body)
	without, whole := readParts(before+behind), readParts(before+optional+behind)
	switch descriptor {
	case "-x":
		s.negative = &rule{parts: whole}
	case "x.x":
		s.mixed = &rule{parts: whole}
		if optional != "" {
			s.fraction = &rule{parts: without}
		}
	case "x,x":
		s.mixedComma = &rule{parts: whole}
	case "0.x":
		s.fraction = &rule{parts: whole}
	}
	base, divisor, ok := readDescriptor(descriptor)
	if !ok {
		return // also what there is for infinity, and for the comparing of texts
	}
	if optional != "" && base > 0 && base%divisor == 0 {
		s.append(&rule{base: base, divisor: divisor, parts: without})
		base++
	}
	s.append(&rule{base: base, divisor: divisor, parts: whole})
}

func (s *ruleSet) append(r *rule) {
	if n := len(s.rules); n > 0 {
		r.before = s.rules[n-1]
	}
	s.rules = append(s.rules, r)
}

func cutOptional(body string) (before, optional, behind string) {
	before, rest, ok := strings.Cut(body, "[")
	if !ok {
		return body, "", ""
	}
	optional, behind, _ = strings.Cut(rest, "]")
	return before, optional, behind
}

// readDescriptor reads the base of a rule, and its divisor: the highest power of its
// radix, which is ten unless it says another, that the base has room for.
func readDescriptor(text string) (base, divisor int64, ok bool) {
	number, in, _ := strings.Cut(strings.ReplaceAll(text, ",", ""), "/")
	base, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, 0, false
	}
	radix := int64(10)
	if in != "" {
		if radix, err = strconv.ParseInt(in, 10, 64); err != nil {
			return 0, 0, false
		}
	}
	for divisor = 1; divisor <= base/radix; {
		divisor *= radix
	}
	return base, divisor, true
}

// readParts cuts the text of a rule into its parts.
func readParts(text string) []part {
	var all []part
	for text != "" {
		at := nextPart(text)
		if at > 0 {
			all = append(all, part{text: unbroken(text[:at])})
			text = text[at:]
			continue
		}
		var p part
		p, text = cutPart(text)
		all = append(all, p)
	}
	return all
}

// nextPart is where the next part that is no text begins; at the end for none.
func nextPart(text string) int {
	for i := range len(text) - 1 {
		switch c, next := text[i], text[i+1]; {
		case c == '$' && next == '(':
			return i
		case (c == '<' || c == '>') && (next == c || next == '%' || next == '#' || next == '0'),
			c == '=' && (next == '%' || next == '#' || next == '0'):
			return i
		}
	}
	return len(text)
}

// cutPart takes the part off that a text begins with.
func cutPart(text string) (part, string) {
	p := part{kind: partKind(text[0])}
	if p.kind == plurals {
		inner, rest, _ := strings.Cut(strings.TrimPrefix(text, "$("), ")$")
		p.forms = readForms(inner)
		return p, rest
	}
	if rest, ok := strings.CutPrefix(text, ">>>"); ok {
		p.tight = true
		return p, rest
	}
	end := 1 + strings.IndexByte(text[1:], text[0])
	if end == 0 {
		return part{text: text}, ""
	}
	p.set = text[1:end]
	if end++; p.kind == quotient && p.set != "" && end < len(text) && text[end] == '<' {
		p.zeros = true
		end++
	}
	if p.digits = p.set != "" && p.set[0] != '%'; p.digits {
		p.set = ""
	}
	return p, text[end:]
}

// readForms reads cardinal,one{…}other{…}.
func readForms(text string) map[string]string {
	forms := map[string]string{}
	_, text, _ = strings.Cut(text, ",")
	for {
		category, rest, ok := strings.Cut(text, "{")
		if !ok {
			return forms
		}
		var form string
		form, text, _ = strings.Cut(rest, "}")
		forms[strings.TrimSpace(category)] = unbroken(form)
	}
}

// unbroken is a text without the signs at which a line may break. Where a hyphen is
// drawn is for what lays out the text, and names of files have no use for them.
func unbroken(text string) string {
	return strings.NewReplacer("\u00ad", "", "\u200b", "").Replace(text)
}
