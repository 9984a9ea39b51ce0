// Package catalog has the texts of pages and mails for people who may not read English, in
// each language, and chooses the language.
//
// A text is known by its English words, which stand where it is shown. What documents say is
// for package locale, and nothing that varies with data belongs here.
package catalog

import (
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/message/catalog"
)

// Languages are those of all texts; the first is that of who reads none of them.
func Languages() []string { return []string{"en", "de", "fr", "es"} }

var (
	tags    = []language.Tag{language.English, language.German, language.French, language.Spanish}
	matcher = language.NewMatcher(tags)
	all     = build()
)

// A Printer writes texts in one language. It is safe for concurrent use.
type Printer struct {
	index   int // of its language
	printer *message.Printer
}

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
			return all[i]
		}
	}
	return all[0]
}

// In returns the printer of one of Languages; others have that of the first.
func In(language string) Printer { return Choose(language) }

// Language is one of Languages.
func (p Printer) Language() string { return Languages()[p.index] }

// Text is an English text in the language, with the arguments in its places.
func (p Printer) Text(english string, args ...any) string {
	return p.printer.Sprintf(message.Key(english, english), args...)
}

// texted is a text in the languages behind English.
type texted struct{ de, fr, es string }

// counted is a text whose first argument is a number: for one, and for others.
type counted struct{ en, de, fr, es [2]string }

func build() []Printer {
	c := catalog.NewBuilder(catalog.Fallback(language.English))
	set := func(tag language.Tag, english string, text string) {
		if err := c.SetString(tag, english, text); err != nil {
			panic(err) // a text of ours cannot be read
		}
	}
	count := func(tag language.Tag, english string, text [2]string) {
		if err := c.Set(tag, english, plural.Selectf(1, "%d", plural.One, text[0], plural.Other, text[1])); err != nil {
			panic(err)
		}
	}
	for english, t := range texts {
		set(language.English, english, english)
		set(language.German, english, t.de)
		set(language.French, english, t.fr)
		set(language.Spanish, english, t.es)
	}
	for english, t := range counts {
		count(language.English, english, t.en)
		count(language.German, english, t.de)
		count(language.French, english, t.fr)
		count(language.Spanish, english, t.es)
	}
	printers := make([]Printer, len(tags))
	for i, tag := range tags {
		printers[i] = Printer{i, message.NewPrinter(tag, message.Catalog(c))}
	}
	return printers
}
