// Package words writes numbers in the words of a language, by CLDR's rules of its
// spelling (rule-based number formats, Unicode Technical Standard 35, part 3). The
// folder cldr has the rules of CLDR 48 as they are published.
//
// It knows numbers as they are counted, and as they say a place in an order: no genders
// and cases of what is counted, and no currencies. What a template says with them is
// package lang's.
package words

import (
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/shopspring/decimal"
	"golang.org/x/text/language"
)

//go:embed cldr/*.txt
var files embed.FS

// numbering is the set of rules that every language begins with.
const numbering = "%spellout-numbering"

// tooLarge is the first number that CLDR writes in digits in every language.
var tooLarge = decimal.New(1, 18)

// MaxDecimals is how many digits behind the point a number may have.
const MaxDecimals = 20

// Errors of Spell.
var (
	// ErrUnknownLanguage: CLDR has no rules for the language.
	ErrUnknownLanguage = errors.New("no rules for numbers in this language")
	// ErrTooLarge: the language has no words for a number this large or this fine.
	ErrTooLarge = errors.New("no words for a number of this size")
)

// Spell writes a number in words. point is the sign that the locale has behind the
// whole part of a number: some languages read a point and a comma apart.
func Spell(d decimal.Decimal, locale language.Tag, point string) (string, error) {
	l := find(locale)
	if l == nil {
		return "", ErrUnknownLanguage
	}
	if d.Abs().GreaterThanOrEqual(tooLarge) || d.Exponent() < -MaxDecimals && !d.Equal(d.Truncate(MaxDecimals)) {
		return "", ErrTooLarge
	}
	return l.spell(l.sets[numbering], d, point == ",")
}

func (l *rulebook) spell(set *ruleSet, d decimal.Decimal, comma bool) (string, error) {
	s := speller{language: l, comma: comma}
	if err := s.spell(set, d); err != nil {
		return "", err
	}
	return strings.TrimSpace(s.out.String()), nil
}

// SpellOrdinal writes the place in an order that a whole number stands for: "third". Of
// several genders it is the masculine.
func SpellOrdinal(d decimal.Decimal, locale language.Tag) (string, error) {
	l := find(locale)
	if l == nil {
		return "", ErrUnknownLanguage
	}
	for _, name := range []string{"%spellout-ordinal", "%spellout-ordinal-masculine", "%spellout-ordinal-common", "%spellout-ordinal-neuter"} {
		if set := l.sets[name]; set != nil && d.IsInteger() && d.Abs().LessThan(tooLarge) {
			return l.spell(set, d, false)
		}
	}
	return "", ErrTooLarge
}

// Knows tells whether there are rules for a locale's language.
func Knows(locale language.Tag) bool { return fileOf(locale) != "" }

// read are the languages that were read, by the name of their file.
var read sync.Map

func find(locale language.Tag) *rulebook {
	name := fileOf(locale)
	if name == "" {
		return nil
	}
	if l, ok := read.Load(name); ok {
		return l.(*rulebook)
	}
	text, err := files.ReadFile("cldr/" + name + ".txt")
	if err != nil {
		panic(fmt.Sprintf("words: %v", err)) // it was there a moment ago
	}
	l, _ := read.LoadOrStore(name, readRules(language.Make(name), string(text)))
	return l.(*rulebook)
}

// fileOf is the name of the nearest rules for a locale: its own, its script's, those of
// the locales that it takes after, and its language's.
func fileOf(locale language.Tag) string {
	base, script, _ := locale.Raw()
	if language, _ := locale.Base(); language.String() == "nb" {
		base = language
	}
	for at := locale; at != language.Und; at = at.Parent() {
		if name := at.String(); hasFile(name) {
			return name
		}
	}
	if script.String() == "Zzzz" {
		script, _ = locale.Script()
	}
	name := base.String()
	if name == "nb" {
		name = "no"
	}
	for _, name := range []string{name + "-" + script.String(), name} {
		if hasFile(name) {
			return name
		}
	}
	return ""
}

func hasFile(name string) bool {
	f, err := files.Open("cldr/" + name + ".txt")
	if err != nil {
		return false
	}
	return f.Close() == nil
}
