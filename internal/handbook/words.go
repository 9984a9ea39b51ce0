package handbook

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// A word is one of a text: its place there in bytes, and the terms by which it is found.
// Those of a name such as outputSharing or token_revoked are the name and its parts.
type word struct {
	from, to int
	terms    []string
}

// A vocabulary knows the terms of words that it has met: to find a stem takes long.
type vocabulary map[string][]string

// of are the terms of a word.
func (v vocabulary) of(text string) []string {
	if terms, ok := v[text]; ok {
		return terms
	}
	return termsOf(text)
}

// learn is of, and remembers them.
func (v vocabulary) learn(text string) []string {
	terms, ok := v[text]
	if !ok {
		terms = termsOf(text)
		v[text] = terms
	}
	return terms
}

// wordsOf are the words of a text, in order; terms says by which terms one is found.
func wordsOf(text string, terms func(string) []string) (all []word) {
	from := -1
	for i, r := range text + " " {
		inside := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || from >= 0 && (r == '\'' || r == '’')
		switch {
		case inside && from < 0:
			from = i
		case !inside && from >= 0:
			if found := terms(text[from:i]); len(found) > 0 {
				all = append(all, word{from, i, found})
			}
			from = -1
		}
	}
	return all
}

// termsOf are the stems of a word, the whole of it first.
func termsOf(text string) []string {
	text = strings.Trim(strings.ReplaceAll(text, "’", "'"), "'_")
	if text == "" {
		return nil
	}
	terms := []string{stem(text)}
	if parts := partsOf(text); len(parts) > 1 {
		for _, part := range parts {
			terms = append(terms, stem(part))
		}
	}
	return terms
}

// partsOf are the words that a name is made of.
func partsOf(name string) (parts []string) {
	from, last := 0, ' '
	for i, r := range name {
		if r == '_' || unicode.IsUpper(r) && unicode.IsLower(last) {
			if i > from {
				parts = append(parts, name[from:i])
			}
			from = i
			if r == '_' {
				from++
			}
		}
		last = r
	}
	if from < len(name) {
		parts = append(parts, name[from:])
	}
	return parts
}

func stem(text string) string { return english.Stem(strings.ToLower(text), true) }

// common are words that questions have and that answer none.
var common = setOf(`a about all am an and any are as at be been by can could did do does for from get gets got had has have how i if in into is it
	its let may me might must my need no not of on one or our please s should so some than that the their them then there these they this those to
	us want was we were what when where which who whom whose why will with would you your anybody anyone anything everybody everyone everything nobody somebody someone something`)

// alike leads from what people call things to what the docs do. Both are stems.
var alike = stemmed(map[string]string{
	"access":       "open sharing",
	"again":        "redeliver retry",
	"alert":        "runbook metrics",
	"backup":       "restore",
	"barcode":      "qr",
	"blank":        "missing",
	"broken":       "failed away",
	"calculate":    "formulas",
	"clone":        "copy",
	"colleague":    "user team",
	"company":      "leaves",
	"customer":     "person",
	"default":      "settings",
	"crash":        "dead away",
	"currency":     "numbers format",
	"deleted":      "erase remove",
	"disallow":     "disable",
	"download":     "outputs",
	"duplicate":    "copy",
	"edit":         "change",
	"email":        "mail",
	"empty":        "missing",
	"error":        "failed mistakes",
	"fallback":     "default",
	"fast":         "benchmarks",
	"fix":          "correct cure",
	"forbid":       "disable",
	"gdpr":         "personal erase",
	"hacked":       "weakness",
	"image":        "pictures",
	"install":      "start production",
	"invoice":      "numbers",
	"leave":        "leaves",
	"left":         "leaves",
	"login":        "sign log",
	"logo":         "pictures",
	"loop":         "rows blocks",
	"max":          "limits",
	"maximum":      "limits",
	"monitor":      "metrics watch",
	"correlate":    "match",
	"former":       "leaves",
	"hungarian":    "languages",
	"leaver":       "leaves",
	"multilingual": "languages",
	"offboarding":  "leaves",
	"parallel":     "order",
	"practice":     "drill try",
	"rehearse":     "drill try",
	"sequence":     "order",
	"serial":       "order",
	"translate":    "languages",
	"performance":  "benchmarks",
	"permission":   "open sharing",
	"photo":        "pictures",
	"powerpoint":   "presentation pptx",
	"privacy":      "personal",
	"repeat":       "rows again",
	"resend":       "redeliver again",
	"restrict":     "scopes",
	"revert":       "versions restore",
	"secret":       "signature token",
	"send":         "deliver redeliver",
	"share":        "open",
	"signin":       "sign log",
	"speed":        "benchmarks",
	"stop":         "pause cancel",
	"sum":          "formulas",
	"total":        "formulas",
	"trash":        "erase remove",
	"undo":         "versions restore back",
	"update":       "upgrade change",
	"visible":      "open sharing",
	"webhook":      "events receiver",
	"word":         "docx template",
	"wrong":        "mistakes failed",
})

func setOf(text string) map[string]bool {
	all := map[string]bool{}
	for _, one := range strings.Fields(text) {
		all[one] = true
	}
	return all
}

func stemmed(of map[string]string) map[string][]string {
	out := map[string][]string{}
	for name, others := range of {
		for _, other := range strings.Fields(others) {
			out[stem(name)] = append(out[stem(name)], stem(other))
		}
	}
	return out
}
