// Package catalog has the texts of pages and mails for people who may not read English, in
// each language, and chooses the language.
//
// A text is known by its English words, which stand where it is shown: in the template of a
// page, or in a program that asks a Printer for it. Its translations are in po. What
// documents say is for package locale, and nothing that varies with data belongs here.
package catalog

import (
	"sync"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

// Languages are those of all texts; the first is that of who reads none of them.
func Languages() []string { return []string{"en", "de", "fr", "es"} }

// Names are the languages as those who read them call them.
func Names() []string { return []string{"English", "Deutsch", "Français", "Español"} }

var (
	tags    = []language.Tag{language.English, language.German, language.French, language.Spanish}
	matcher = language.NewMatcher(tags)
	// loaded are read when somebody asks for a text: commands ask for none.
	loaded = sync.OnceValue(load)
)

// A book has the texts in one language by their English words, as they are written, and
// those of each context.
type book struct {
	texts    map[string]string
	context  map[string]map[string]string
	messages []pattern
	printer  *message.Printer
}

// A Printer writes texts in one language. It is safe for concurrent use. That of zero is
// English.
type Printer struct{ index int }

// Choose returns the language that wanted names first, of those that there are: a setting,
// such as de-AT, or the Accept-Language of a browser (RFC 9110, section 12.5.4). Empty ones,
// and those that cannot be read, name none.
func Choose(wanted ...string) Printer {
	for _, one := range wanted {
		asked, _, err := language.ParseAcceptLanguage(one)
		if err != nil || len(asked) == 0 {
			continue
		}
		if _, i, confidence := matcher.Match(asked...); confidence > language.No {
			return Printer{i}
		}
	}
	return Printer{}
}

// In returns the printer of one of Languages; others have that of the first.
func In(language string) Printer { return Choose(language) }

// Language is one of Languages.
func (p Printer) Language() string { return Languages()[p.index] }

// English tells whether the language is that of messages of the service.
func (p Printer) English() bool { return p.index == 0 }

// Text is an English text in the language, with the arguments in its places. A text with a
// number is known by its form for other numbers than one, and the number comes first.
func (p Printer) Text(english string, args ...any) string {
	return loaded()[p.index].printer.Sprintf(message.Key(english, english), args...)
}

// Tenths is a number with one place after its decimal sign, as the language writes it.
func (p Printer) Tenths(n float64) string { return loaded()[p.index].printer.Sprintf("%.1f", n) }

// load reads the texts of each language.
func load() []book {
	c := catalog.NewBuilder(catalog.Fallback(language.English))
	must := func(err error) {
		if err != nil {
			panic(err) // a file of ours cannot be read
		}
	}
	set := func(tag language.Tag, m entry, one, others string) {
		if m.plural == "" {
			must(c.SetString(tag, m.english, one))
			return
		}
		must(c.Set(tag, m.plural, plural.Selectf(1, "%d", plural.One, one, plural.Other, others)))
	}
	books := make([]book, len(tags))
	for i, tag := range tags {
		books[i] = book{texts: map[string]string{}, context: map[string]map[string]string{}, printer: message.NewPrinter(tag, message.Catalog(c))}
		if i == 0 {
			continue
		}
		content, err := files.ReadFile("po/" + Languages()[i] + ".po")
		must(err)
		all, err := readPO(string(content))
		must(err)
		for _, m := range all {
			if m.context != "" {
				of := books[i].context[m.context]
				if of == nil {
					of = map[string]string{}
					books[i].context[m.context] = of
				}
				of[m.english] = m.text[0]
				continue
			}
			if books[i].texts[m.english] = m.text[0]; m.plural != "" {
				books[i].texts[m.plural] = m.text[1]
			}
			set(language.English, m, m.english, m.plural)
			set(tag, m, m.text[0], m.text[1])
		}
		books[i].messages = patterns(books[i].context[messageContext])
	}
	return books
}
