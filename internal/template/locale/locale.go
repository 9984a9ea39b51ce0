// Package locale writes numbers, shares and amounts as a locale does, and has the names
// of its months and days. All of it comes from one table, cldr.txt, which `make cldr`
// generates from CLDR 48 (Unicode Technical Standard 35, parts 3 and 4).
//
// It knows no words for numbers, which are package words', and no language of templates.
package locale

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/language"
)

//go:embed cldr.txt
var table string

// root is the locale that every other takes after, and fallback that of languages which
// CLDR does not have.
const (
	root     = "und"
	fallback = "en"
)

// A Locale writes as people of one language and region do. It is safe for concurrent
// use.
type Locale struct {
	tag                      language.Tag
	chain                    []string // what the table says of it, and of those that it takes after
	digits                   [10]string
	number, money            signs
	minus, percent           string
	minGroup                 int
	decimal, share, currency pattern
	calendar                 Calendar
}

// signs stand between the digits of a number.
type signs struct{ point, group string }

// Find returns the locale that a BCP 47 tag names, such as de-AT or de_AT: the nearest
// that CLDR has, and English for a language that it does not have. The extension u-nu-latn
// asks for the digits 0 to 9 where the locale has others. An error says that the text is
// no tag.
func Find(text string) (*Locale, error) {
	tag, err := language.Parse(strings.ReplaceAll(text, "_", "-"))
	if err != nil {
		return nil, fmt.Errorf("read locale: %w", err)
	}
	l := &Locale{tag: tag, chain: chainOf(tag)}
	system, suffix := l.find("system"), ""
	if tag.TypeForKey("nu") == "latn" && system != "latn" {
		system, suffix = "latn", "-latn"
	}
	for i, digit := range []rune(l.common("systems", system)) {
		l.digits[i] = string(digit)
	}
	sign := strings.Split(l.find("signs"+suffix), "\t")
	l.number = signs{sign[0], sign[1]}
	l.minus, l.percent = sign[2], sign[3]
	l.money = l.number.with(sign[4], sign[5])
	patterns := strings.Split(l.find("patterns"+suffix), "\t")
	l.decimal, l.share, l.currency = readPattern(patterns[0]), readPattern(patterns[1]), readPattern(patterns[2])
	l.minGroup, err = strconv.Atoi(l.find("min"))
	if err != nil {
		return nil, fmt.Errorf("read the table of locales: %w", err)
	}
	l.calendar = l.readCalendar()
	return l, nil
}

// Tag is the BCP 47 tag that the locale was found by.
func (l *Locale) Tag() language.Tag { return l.tag }

// Point stands behind the whole part of a number.
func (l *Locale) Point() string { return l.number.point }

// Group parts the thousands of a number.
func (l *Locale) Group() string { return l.number.group }

// with has other signs in place of these, but where they are empty.
func (s signs) with(point, group string) signs {
	if point != "" {
		s.point = point
	}
	if group != "" {
		s.group = group
	}
	return s
}

// blocks are the parts of the table by their names.
var blocks = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for block := range strings.SplitSeq(table[1:], "\n:") {
		head, _, _ := strings.Cut(block, "\n")
		name, _, _ := strings.Cut(head, "\t")
		all[name] = block + "\n"
	}
	return all
})

// chainOf has the blocks of the locale that is nearest to a tag, of the one that it takes
// after, and so on to the root.
func chainOf(tag language.Tag) []string {
	name, ok := nearest(tag)
	if !ok {
		name = fallback
	}
	var chain []string
	for {
		if block, ok := blocks()[name]; ok {
			chain = append(chain, block)
		}
		if name == root {
			return chain
		}
		name = parent(name)
	}
}

// nearest is the name by which the table has a locale, or that which it takes after. An
// older name of a language, such as iw, stands for the present one.
func nearest(tag language.Tag) (string, bool) {
	for _, canon := range []language.CanonType{language.Raw, language.All} {
		same, err := canon.Canonicalize(tag)
		if err != nil {
			continue
		}
		base, script, region := same.Raw()
		name := base.String()
		if _, ok := blocks()[name]; !ok || name == root {
			continue
		}
		if script.String() != "Zzzz" {
			name += "-" + script.String()
		}
		if region.String() != "ZZ" {
			name += "-" + region.String()
		}
		for _, variant := range same.Variants() {
			if _, ok := blocks()[name+"-"+variant.String()]; ok {
				name += "-" + variant.String()
			}
		}
		return name, true
	}
	return "", false
}

// parent is the locale that another takes after.
func parent(name string) string {
	head, _, _ := strings.Cut(blocks()[name], "\n")
	if _, parent, ok := strings.Cut(head, "\t"); ok {
		return parent
	}
	if at := strings.LastIndexByte(name, '-'); at > 0 {
		return name[:at]
	}
	return root
}

// find is what the locale says under a key, or the first that it takes after and says it.
func (l *Locale) find(key string) string {
	for _, block := range l.chain {
		if text, ok := field(block, key); ok {
			return text
		}
	}
	return ""
}

// common is what a part of the table that is of no locale says under a key.
func (l *Locale) common(part, key string) string {
	text, _ := field(blocks()[part], key)
	return text
}

func field(block, key string) (string, bool) {
	_, behind, ok := strings.Cut(block, "\n"+key+"\t")
	if !ok {
		return "", false
	}
	text, _, _ := strings.Cut(behind, "\n")
	return text, true
}
