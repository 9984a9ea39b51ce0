package catalog

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Part of a message of the service is in the language, or stays in English.
type Part struct {
	Text    string
	English bool
}

// A pattern is a sentence of the service with values in it, and how the language says it.
type pattern struct {
	of   *regexp.Regexp
	text string
}

// messageContext is that of sentences that the service stores in English, such as why a run
// failed. {1} is a value.
const messageContext = "message"

var (
	placeOfValue = regexp.MustCompile(`\{(\d)\}`)
	quotedPlace  = regexp.MustCompile(`\\\{\d\\\}`) // as regexp.QuoteMeta writes it
	itemOf       = regexp.MustCompile(`, item (\d+)`)
	sentenceEnd  = regexp.MustCompile(`[.?!] `)
)

// patterns reads the sentences of a language: those with the most words first, so that a value
// takes no words of a sentence.
func patterns(messages map[string]string) (all []pattern) {
	words := func(english string) int { return len(placeOfValue.ReplaceAllString(english, "")) }
	english := make([]string, 0, len(messages))
	for one := range messages {
		english = append(english, one)
	}
	slices.SortFunc(english, func(a, b string) int { return cmp.Or(words(b)-words(a), strings.Compare(a, b)) })
	for _, one := range english {
		expression := quotedPlace.ReplaceAllString(regexp.QuoteMeta(one), `((?:[^.?!]|[.?!][^ ])+?)`)
		all = append(all, pattern{regexp.MustCompile(`^(?s:` + expression + `)(?: |$)`), messages[one]})
	}
	return all
}

// Message is what the service says, sentence by sentence: as the language says it where the
// catalogue knows the sentence and its values, and in English where it does not.
func (p Printer) Message(message string) (parts []Part) {
	if p.English() {
		return []Part{{message, true}}
	}
	add := func(text string, english bool) {
		if last := len(parts) - 1; last >= 0 && parts[last].English == english {
			parts[last].Text += " " + text
			return
		}
		parts = append(parts, Part{text, english})
	}
	for message = strings.TrimSpace(message); message != ""; {
		text, length := p.sentence(message)
		if length > 0 {
			add(text, false)
		} else {
			length = len(message)
			if end := sentenceEnd.FindStringIndex(message); end != nil {
				length = end[1]
			}
			add(strings.TrimSpace(message[:length]), true)
		}
		message = strings.TrimSpace(message[length:])
	}
	return parts
}

// sentence says the beginning of a message, of so many bytes; none where no sentence is known.
func (p Printer) sentence(message string) (text string, length int) {
	for _, one := range loaded()[p.index].messages {
		found := one.of.FindStringSubmatch(message)
		if found == nil {
			continue
		}
		return placeOfValue.ReplaceAllStringFunc(one.text, func(place string) string {
			n, _ := strconv.Atoi(place[1:2])
			if n >= len(found) { // a test of the catalogue holds that there is none
				return place
			}
			return p.valueOf(found[n])
		}), len(found[0])
	}
	return "", 0
}

// valueOf is a value of a message: the items in the place of a field have the word of the
// language.
func (p Printer) valueOf(value string) string {
	word := loaded()[p.index].context["place"]["item"]
	return itemOf.ReplaceAllString(value, ", "+word+" $1")
}

// Translated is a message whose sentences the catalogue knows, each of them.
func (p Printer) Translated(message string) (text string, ok bool) {
	parts := p.Message(message)
	if len(parts) != 1 || parts[0].English {
		return "", false
	}
	return parts[0].Text, true
}
